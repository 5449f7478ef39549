"""A pull over real git: counts that add up, and no seat held up by another."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.remote.commit import commit_object
from koinii.remote.exchange import Pulled
from koinii.remote.following import MAX_SEATS
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.tree import FILE, Entry, write_tree
from koinii.seat.own_key import own_key
from remote.conftest import Plain
from remote.desks import Desk, make_desk, room, says, shown
from remote.forging import store_commit

SEATS = "refs/koinii/seats/"
Open = Callable[[str], RemoteSeat]


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Desk]:
    folder = tmp_path_factory.mktemp("desks")
    names = {"anna": "AgentAnna", "bert": "AgentBert", "cleo": "AgentCleo"}
    return {name: make_desk(folder, name, [agent]) for name, agent in names.items()}


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(desks: dict[str, Desk], tmp_path: Path, bare: Path) -> Iterator[Open]:
    """Open a seat by its name, with the bare repository as its remote."""
    opened: list[RemoteSeat] = []

    def open_seat(name: str) -> RemoteSeat:
        seat = desks[name].copy_to(tmp_path)
        opened.append(seat)
        seat.remotes.add("origin", str(bare))
        return seat

    yield open_seat
    for seat in opened:
        seat.close()


def publish(seat: RemoteSeat, *texts: str) -> None:
    for text in texts:
        seat.assert_(text)
    assert seat.commit()
    seat.push()


def counts(pulled: Pulled) -> tuple[int, int, int, int]:
    assert pulled.received == pulled.new + pulled.already + pulled.waiting + pulled.held
    return pulled.received, pulled.new, pulled.already, pulled.removed


# Counts -----------------------------------------------------------------------


def test_the_same_again_is_no_change_and_quick(sit: Open) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, *(f"(number {number})" for number in range(50)))
    assert counts(bert.pull()) == (50, 50, 0, 0)
    before = bert.status()

    start = time.monotonic()
    again = bert.pull()

    assert time.monotonic() - start < 2
    assert counts(again) == (0, 0, 0, 0)
    assert (again.seats, again.moved, again.troubles) == (1, 0, [])
    assert again.whole
    assert bert.status() == before


def test_what_moved_is_what_is_counted(sit: Open) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(a B)", "(c D)", "(e F)")
    bert.pull()
    anna.retract(anna.locate("(a B)", "CxAnna"))
    anna.retract(anna.locate("(c D)", "CxAnna"))
    publish(anna, "(g H)")

    assert counts(bert.pull()) == (1, 1, 0, 2)
    assert says(bert) == says(anna)


@pytest.mark.parametrize("stops", [[], [3], [7, 8], [8, 9, 16], list(range(20))])
def test_merged_segments_end_in_the_same_wherever_one_pulled(
    stops: list[int], sit: Open, tmp_path: Path, bare: Path
) -> None:
    """Eight segments become one; the seat that pulls goes on from where it was."""
    anna, bert = sit("anna"), sit("bert")
    for number in range(20):
        anna.assert_(f"(number {number})")
        if number % 3 == 2:
            anna.retract(anna.locate(f"(number {number - 2})", "CxAnna"))
        publish(anna)
        if number in stops:
            assert counts(bert.pull())[0] >= 1
    levels = {path.split("/")[4] for path in shown(anna) if "/claims/" in path}
    assert levels == {"0", "1"}

    pulled = bert.pull()

    assert not pulled.troubles
    counts(pulled)
    assert says(bert) == says(anna)
    assert bert.status().inputs == anna.status().inputs
    with koinii.clone(str(bare), str(tmp_path / "new"), agent="AgentZoe") as fresh:
        got = fresh.cloned
        assert got
        assert counts(got) == (14, 14, 0, 0)
        assert says(fresh) == says(anna)


@pytest.mark.parametrize("stop", [1, 7])
def test_a_context_whose_files_are_merged_away(stop: int, sit: Open) -> None:
    """Said and taken back until eight segments come to nothing at all."""
    anna, bert = sit("anna"), sit("bert")
    for number in range(1, 9):
        if number % 2:
            anna.assert_("(a B)")
        else:
            anna.retract(anna.locate("(a B)", "CxAnna"))
        publish(anna)
        if number == stop:
            bert.pull()
            assert says(bert)
    assert not [path for path in shown(anna) if "/claims/" in path]

    assert counts(bert.pull()) == (0, 0, 0, 1)

    assert not says(bert)
    assert bert.status().inputs == anna.status().inputs
    publish(anna, "(c D)")
    assert counts(bert.pull()) == (1, 1, 0, 0)
    assert says(bert) == says(anna)


def test_a_context_that_empties_and_fills_again(sit: Open) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(a B)", "(c D)")
    bert.pull()
    for text in ("(a B)", "(c D)"):
        anna.retract(anna.locate(text, "CxAnna"))
    publish(anna)
    assert counts(bert.pull()) == (0, 0, 0, 2)
    assert not says(bert)

    publish(anna, "(a B)")

    assert counts(bert.pull()) == (1, 1, 0, 0)
    assert says(bert) == says(anna)


def test_bc_016_a_retraction_travels_and_what_is_old_does_not_come_back(
    sit: Open, tmp_path: Path, bare: Path
) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(gone Soon)")
    bert.sync()
    anna.retract(anna.locate("(gone Soon)", "CxAnna"))
    anna.sync()
    bert.assert_("(other Thing)")
    bert.sync()
    anna.sync()

    fresh = koinii.clone(str(bare), str(tmp_path / "new"), agent="AgentZoe")
    with fresh:
        for seat in (anna, bert, fresh):
            assert {said[3] for said in says(seat)} == {"(other Thing)"}
        assert len({seat.status().commit for seat in (anna, bert, fresh)}) == 1
        assert len({seat.status().inputs for seat in (anna, bert, fresh)}) == 1


def test_bc_002_bc_017_what_sync_reports_a_newcomer_finds(
    sit: Open, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    """Both write and sync in turn; refs move only to what contains their value."""
    moves = bare / "moves"
    script = bare / "hooks" / "update"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\necho "$2 $3" >> {moves}\n')
    script.chmod(0o755)
    pair = [sit("anna"), sit("bert")]
    for turn in range(5):
        for seat in pair:
            seat.assert_(f"(turn {turn})")
            _, commit, pushed = seat.sync()
            assert commit and pushed.number == commit.number
        fresh = koinii.clone(str(bare), str(tmp_path / f"new{turn}"), agent="AgentZoe")
        with fresh:
            assert fresh.status().commit == pair[1].status().commit
    pair[0].sync()
    for seat in pair:
        pulled, commit, pushed = seat.sync()
        assert (pulled.received, commit, pushed.moved) == (0, None, False)
    for line in moves.read_text().splitlines():
        old, new = line.split()
        if set(old) != {"0"}:
            plain(bare, "merge-base", "--is-ancestor", old, new)


def test_a_clone_of_everything_equals(sit: Open, tmp_path: Path, bare: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(a B)", "(genlCx CxDeploy CxAnna)", "(channel CxDeploy)")
    bert.pull()
    bert.assert_("(not (a B))", context="CxDeploy")
    publish(bert, '(label X "Zürich 日本 \U0001f98a")', "(a B)")
    anna.pull()

    fresh = koinii.clone(f"file://{bare}", str(tmp_path / "new"), agent="AgentZoe")

    with fresh:
        pulled = fresh.cloned
        assert pulled
        assert pulled.whole
        assert (pulled.seats, pulled.moved) == (2, 2)
        assert counts(pulled) == (6, 6, 0, 0)
        assert says(fresh) == says(anna) == says(bert)
        assert fresh.status().commit == anna.status().commit == bert.status().commit
        assert fresh.status().inputs == anna.status().inputs
        assert not fresh.status().held


def test_bc_124_more_refs_than_seats_are_followed_are_named(
    sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(a B)")
    bert.pull()
    blob = plain(bare, "hash-object", "-w", "--stdin", data=b"x")
    commands = [
        f"create {SEATS}{number:032x} {blob}" for number in range(MAX_SEATS + 6)
    ]
    odd = ["evil", "A" * 32, "0" * 31]
    commands += [f"create {SEATS}{name} {blob}" for name in odd]
    plain(
        bare,
        "update-ref",
        "--stdin",
        data="".join(f"{one}\n" for one in commands).encode(),
    )
    publish(anna, "(c D)")

    pulled = bert.pull()

    assert counts(pulled) == (1, 1, 0, 0)
    assert says(bert) == says(anna)
    reasons = {trouble.seat: trouble.reason for trouble in pulled.troubles}
    assert anna.id not in reasons
    assert not [reason for reason in reasons.values() if "not followed" in reason]
    (told,) = [reason for reason in reasons.values() if "no seat's ref" in reason]
    assert "nor are 2 more" in told
    assert len(reasons) == MAX_SEATS + 6 + 1


# Hostile refs beside honest ones ------------------------------------------------


def odd_commit(bare: Path, seat_id: str, entries: list[Entry]) -> str:
    """Store a commit of a tree with any entries; return its id."""
    tree = write_tree(entries)
    data = commit_object(object_id(b"tree", tree), None, "x\n", seat_id, 0)
    objects: list[GitObject] = [(b"blob", b"x"), (b"tree", tree), (b"commit", data)]
    store_pack(bare, write_pack(objects))
    return object_id(b"commit", data)


BLOB = object_id(b"blob", b"x")
ODD_TREES = {
    "a link": [Entry("README.md", 0o120000, BLOB)],
    "a program": [Entry("README.md", 0o100755, BLOB)],
    "another repository": [Entry("x", 0o160000, "1" * 40)],
    "a way out": [Entry("..", FILE, BLOB)],
    "a .git": [Entry(".git", FILE, BLOB)],
    "an object that is missing": [Entry("README.md", FILE, "1" * 40)],
    "nothing": [],
}


@pytest.mark.parametrize("name", ODD_TREES)
def test_a_ref_with_an_odd_tree_concerns_its_seat_alone(
    name: str, sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    publish(anna, "(a B)")
    publish(cleo, "(c D)")
    good = plain(bare, "rev-parse", SEATS + cleo.id)
    bad = odd_commit(bare, cleo.id, ODD_TREES[name])
    point(bare, cleo.id, bad)

    pulled = bert.pull()

    assert [trouble.seat for trouble in pulled.troubles] == [cleo.id]
    assert pulled.troubles[0].reason
    assert {said[3] for said in says(bert)} == {"(a B)"}
    assert not pulled.whole
    point(bare, cleo.id, good)
    assert bert.pull().whole
    assert {said[3] for said in says(bert)} == {"(a B)", "(c D)"}


def point(bare: Path, seat_id: str, oid: str) -> None:
    """Set a ref as a hostile server can, whatever it points at."""
    (bare / f"{SEATS}{seat_id}").write_text(oid + "\n")


@pytest.mark.parametrize(
    "what", ["blob", "tree", "tag", "foreign commit", "signed later"]
)
def test_a_ref_that_is_no_commit_of_a_seat(
    what: str, sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(a B)")
    tip = plain(bare, "rev-parse", SEATS + anna.id)
    tree = plain(bare, "rev-parse", f"{tip}^{{tree}}")
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    odd = {
        "blob": lambda: plain(bare, "hash-object", "-w", "--stdin", data=b"x"),
        "tree": lambda: tree,
        "tag": lambda: tagged(bare, plain, tip),
        "foreign commit": lambda: plain(bare, *who, "commit-tree", "-m", "x", tree),
        "signed later": lambda: plain(
            bare, *who, "commit-tree", "-m", "x", "-p", tip, tree
        ),
    }[what]()
    point(bare, anna.id, odd)

    (trouble,) = bert.pull().troubles

    assert trouble.seat == anna.id
    assert not says(bert)
    point(bare, anna.id, tip)
    assert bert.pull().whole
    assert says(bert) == says(anna)


def tagged(bare: Path, plain: Plain, tip: str) -> str:
    plain(
        bare,
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@y",
        "tag",
        "-a",
        "-m",
        "x",
        "t",
        tip,
    )
    return plain(bare, "rev-parse", "refs/tags/t")


def test_bc_062_swapped_refs_are_refused_and_foreign_ones_not_fetched(
    sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    publish(anna, "(a B)")
    publish(bert, "(b C)")
    tips = {seat.id: plain(bare, "rev-parse", SEATS + seat.id) for seat in (anna, bert)}
    point(bare, anna.id, tips[bert.id])
    point(bare, bert.id, tips[anna.id])
    plain(bare, "update-ref", "refs/heads/main", tips[anna.id])
    publish(cleo, "(c D)")

    pulled = cleo.pull()
    mine = anna.pull()

    assert {trouble.seat for trouble in pulled.troubles} == {anna.id, bert.id}
    assert {trouble.path for trouble in pulled.troubles} == {"seat.pub"}
    assert {said[3] for said in says(cleo)} == {"(c D)"}
    assert {trouble.seat for trouble in mine.troubles} == {anna.id, bert.id}
    assert plain(cleo.git.directory, "for-each-ref", "refs/heads") == ""
    assert anna.git.read_ref(SEATS + anna.id) == tips[anna.id]
    for seat, tip in tips.items():
        point(bare, seat, tip)
    assert cleo.pull().whole


def test_bc_018_a_remote_with_a_torn_object_holds_up_one_seat(
    sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    publish(anna, "(a B)")
    publish(cleo, "(c D)")
    tip = plain(bare, "rev-parse", SEATS + cleo.id)
    file = bare / "objects" / tip[:2] / tip[2:]
    if not file.exists():
        for pack in (bare / "objects/pack").glob("*.pack"):
            whole = pack.read_bytes()
            for part in (bare / "objects/pack").glob(pack.stem + ".*"):
                part.unlink()
            plain(bare, "unpack-objects", "-q", data=whole)
    body = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(body[: len(body) // 2])

    pulled = bert.pull()

    assert [trouble.seat for trouble in pulled.troubles] == [cleo.id]
    assert {said[3] for said in says(bert)} == {"(a B)"}
    file.write_bytes(body)
    assert bert.pull().whole
    assert says(bert) >= says(cleo)


def test_troubles_are_told_again_until_they_are_mended(
    sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(a B)")
    bert.pull()
    publish(anna, "(c D)")
    good = plain(bare, "rev-parse", SEATS + anna.id)
    files = shown(anna)
    spoilt = "agents/AgentAnna/claims/CxAnna/0/2.kb"
    files[spoilt] = files[spoilt].replace(b"(c D)", b"(c E)")
    point(bare, anna.id, store_commit(bare, anna.id, files, key=own_key(anna)))

    first, second = bert.pull(), bert.pull()

    assert first.troubles == second.troubles
    ((seat, agent, path, *_),) = first.troubles
    assert (seat, agent, path) == (anna.id, "AgentAnna", spoilt)
    assert counts(first) == counts(second) == (0, 0, 0, 0)
    assert [row.path for row in bert.status().refused] == [spoilt]
    assert {said[3] for said in says(bert)} == {"(a B)"}
    point(bare, anna.id, good)
    healed = bert.pull()
    assert healed.whole
    assert counts(healed) == (1, 1, 0, 0)
    assert not bert.status().refused
    assert [peer.trouble for peer in bert.peers()] == [""]


def test_bc_060_a_remote_that_went_back_is_told_and_not_followed(
    sit: Open, tmp_path: Path, bare: Path
) -> None:
    anna, bert = sit("anna"), sit("bert")
    publish(anna, "(gone Soon)")
    shutil.copytree(bare, tmp_path / "before")
    anna.retract(anna.locate("(gone Soon)", "CxAnna"))
    publish(anna, "(here Now)")
    bert.pull()
    shutil.rmtree(bare)
    shutil.copytree(tmp_path / "before", bare)

    pulled = bert.pull()

    ((seat, _, path, reason, _),) = pulled.troubles
    assert (seat, path) == (anna.id, "checkpoint")
    assert "went back from 2 to 1" in reason
    assert {said[3] for said in says(bert)} == {"(here Now)"}
    assert anna.push().moved
    assert bert.pull().whole


def test_a_seat_that_is_no_longer_shown_is_told_and_kept(
    sit: Open, bare: Path, plain: Plain
) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    publish(anna, "(a B)")
    publish(cleo, "(c D)")
    assert bert.pull().whole
    tip = plain(bare, "rev-parse", SEATS + anna.id)
    plain(bare, "update-ref", "-d", SEATS + anna.id)

    for _ in range(2):
        pulled = bert.pull()
        (trouble,) = pulled.troubles
        assert (trouble.seat, trouble.agent) == (anna.id, "")
        assert "no longer shows" in trouble.reason
        assert not pulled.whole
        assert {said[3] for said in says(bert)} == {"(a B)", "(c D)"}

    plain(bare, "update-ref", SEATS + anna.id, tip)
    assert bert.pull().whole
    bert.remotes.remove("origin")
    plain(bare, "update-ref", "-d", SEATS + anna.id)
    bert.remotes.add("origin", str(bare))
    assert bert.pull().whole
    assert {said[3] for said in says(bert)} == {"(a B)", "(c D)"}


def test_bc_066_a_shallow_remote_is_told_and_nothing_of_it_taken(
    sit: Open, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    for number in range(3):
        publish(anna, f"(number {number})")
    shallow = tmp_path / "shallow.git"
    plain(tmp_path, "init", "-q", "--bare", str(shallow))
    everything = f"{SEATS}*:{SEATS}*"
    plain(shallow, "fetch", "-q", "--depth=1", f"file://{bare}", everything)
    bert.remotes.add("shallow", f"file://{shallow}")

    (trouble,) = bert.pull("shallow").troubles

    assert trouble.seat == anna.id
    assert not says(bert)
    assert bert.pull().whole
    assert says(bert) == says(anna)
