"""A copied or restored seat goes on from what the other copy has pushed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import koinii
from koinii import RemoteSeat
from koinii.errors import (
    KoiniiError,
    NotFoundError,
    RefusedError,
    SurroundingsError,
    VerificationError,
)
from koinii.remote.mending import mend
from koinii.seat import instance
from koinii.seat.home import home_of
from koinii.store import meta
from koinii.terms import write
from remote.conftest import Plain
from remote.desks import Clock, carried, examples, room, says, shown
from remote.forging import store_commit
from remote.test_exchange_push import own, refs, say

ANNA, BERT = "AgentAnna", "AgentBert"


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


def sit(folder: Path, agent: str, bare: Path) -> RemoteSeat:
    seat = koinii.init(str(folder / agent), agent=agent, now=Clock())
    seat.remotes.add("origin", str(bare))
    return seat


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    with sit(tmp_path, ANNA, bare) as made:
        say(made, "(a B)")
        made.push()
        yield made


@pytest.fixture
def reader(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    with sit(tmp_path, BERT, bare) as made:
        yield made


def beside(seat: RemoteSeat, folder: Path) -> RemoteSeat:
    """Copy a seat on the same machine."""
    shutil.copytree(seat.layout.directory, folder / "copy")
    return koinii.open(str(folder / "copy"), now=Clock(1_800_000_000_000))


def sentences(seat: RemoteSeat) -> set[str]:
    return {said[3] for said in says(seat)}


def state(seat: RemoteSeat) -> object:
    """All of the store that tells anything, and what is outside."""
    tables = ("history", "head", "agent", "pin", "input", "file", "outbox", "change",
              "published", "held", "assertion", "bound", "entry", "event")  # fmt: skip
    rows = [
        seat.database.connection.execute(f"SELECT * FROM {table}").fetchall()
        for table in tables
    ]
    token = meta.get(seat.database.connection, "instance")
    return rows, token, instance.read_outside(seat)


def copied(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as caught:
        call()
    assert caught.value.code in ("koinii/seat-copied", "koinii/push-raced")
    assert "koinii recover" in caught.value.hint
    return caught.value.code


def agree(reader: RemoteSeat, seat: RemoteSeat) -> None:
    """A third seat takes it all, whole, and believes the same."""
    assert reader.pull().whole
    assert says(reader) >= {one for one in says(seat) if one[1] == seat.id}
    rows = {row.author: row for row in reader.histories.inputs()}
    assert rows
    head = reader.histories.head(seat.id)
    mine = seat.histories.head(seat.id)
    assert head is not None
    assert mine is not None
    assert (head.size, head.checkpoint) == (mine.size, mine.checkpoint)


# Copies -------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("machine", [beside, carried])
def test_bc_020_two_copies_become_one_history_in_both_orders(
    machine: Callable[[RemoteSeat, Path], RemoteSeat],
    first: int,
    seat: RemoteSeat,
    reader: RemoteSeat,
    tmp_path: Path,
) -> None:
    with machine(seat, tmp_path) as copy:
        ahead, behind = (seat, copy) if first == 0 else (copy, seat)
        ahead.assert_("(in TheFirst)")
        behind.assert_("(in TheSecond)")
        ahead.sync()
        assert copied(behind.sync) == (
            "koinii/seat-copied" if machine is beside else "koinii/push-raced"
        )

        done = behind.recover()

        assert (done.number, done.common, done.moved) == (2, 1, True)
        assert (done.taken, done.removed, done.kept) == (1, 0, 1)
        assert sentences(behind) == {"(a B)", "(in TheFirst)", "(in TheSecond)"}
        _, commit, pushed = behind.sync()
        assert commit is not None
        assert (commit.number, pushed.moved) == (3, True)
        agree(reader, behind)

        ahead.assert_("(once More)")
        copied(ahead.sync)
        assert ahead.recover().kept == 1
        ahead.sync()
        agree(reader, ahead)
        assert sentences(reader) == sentences(behind) | {"(once More)"}


def test_recovering_once_more_changes_nothing(seat: RemoteSeat, tmp_path: Path) -> None:
    with beside(seat, tmp_path) as copy:
        seat.assert_("(in TheSecond)")
        copy.assert_("(in TheFirst)")
        copy.sync()
        assert seat.recover().moved
        before = state(seat)
        again = seat.recover()
        assert (again.moved, again.number, again.common) == (False, 2, 2)
        assert state(seat) == before


@pytest.mark.parametrize("damage", [b"", b"x", b"\xff\xfe", b"[1]"])
def test_what_is_damaged_outside_is_replaced(damage: bytes, seat: RemoteSeat) -> None:
    path = home_of(seat).path("instance")
    path.write_bytes(damage)
    with pytest.raises(SurroundingsError) as caught:
        say(seat, "(c D)")
    assert caught.value.code == "koinii/bad-home"
    assert "koinii recover" in caught.value.hint
    seat.recover()
    assert not seat.notices
    assert path.read_bytes() != damage
    assert seat.commit() is not None
    assert seat.push().moved


def test_a_pull_tells_a_copy(seat: RemoteSeat, tmp_path: Path) -> None:
    with beside(seat, tmp_path) as copy:
        say(seat, "(c D)")
        copy.pull()
        assert [one for one in copy.notices if one.startswith("koinii/seat-copied")]
        seat.pull()
        assert not seat.notices


def test_where_nothing_is_to_be_recovered_nothing_changes(seat: RemoteSeat) -> None:
    say(seat, "(c D)")
    before = state(seat)
    done = seat.recover()
    assert (done.moved, done.number, done.common, done.elsewhere) == (False, 2, 1, "")
    assert state(seat) == before
    assert seat.push().number == 2


def test_a_copy_that_pushed_nothing_gives_way(
    seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    """The other copy has committed and not pushed: it finds out, and recovers."""
    with beside(seat, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        seat.assert_("(in TheFirst)")
        copied(seat.commit)

        done = seat.recover()
        assert not done.moved
        assert done.elsewhere == str(tmp_path / "copy")
        seat.sync()

        copied(copy.push)
        assert copy.recover().kept == 1
        copy.sync()
        agree(reader, copy)
        assert sentences(reader) == {"(a B)", "(in TheFirst)", "(in TheCopy)"}


def test_bc_020_commits_that_nobody_has_seen_are_made_again(
    seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    """Copies on two machines: each has committed several times when one pushes."""
    for text in ("(x One)", "(x Two)", "(x Three)"):
        say(seat, text)
    with carried(seat, tmp_path) as copy:
        for number in range(3):
            say(copy, f"(in TheCopy {number})")
        copy.retract(copy.locate("(x One)", "CxAnna"))
        say(copy, "(in TheCopy 9)")
        copy.push()
        say(seat, "(in TheFirst)")
        seat.retract(seat.locate("(x Two)", "CxAnna"))
        say(seat, "(in TheFirst 2)")
        copied(seat.push)

        done = seat.recover()

        assert (done.number, done.common) == (8, 4)
        assert (done.taken, done.removed, done.kept) == (4, 1, 3)
        wanted = {"(a B)", "(x Three)", "(in TheFirst)", "(in TheFirst 2)"}
        wanted |= {f"(in TheCopy {number})" for number in (0, 1, 2, 9)}
        assert sentences(seat) == wanted
        seat.sync()
        agree(reader, seat)
        assert sentences(reader) == wanted


# Backups ------------------------------------------------------------------------


@pytest.mark.parametrize("claims", [0, 1])
def test_bc_072_a_restored_backup_goes_on_from_the_remote(
    claims: int, seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    say(seat, "(to BeRetracted)")
    path = Path(seat.layout.directory)
    shutil.copytree(path, tmp_path / "backup")
    seat.retract(seat.locate("(to BeRetracted)", "CxAnna"))
    for number in range(5):
        say(seat, f"(later {number})")
    seat.push()
    wanted = sentences(seat)
    seat.close()
    shutil.rmtree(path)
    shutil.copytree(tmp_path / "backup", path)
    with koinii.open(str(path), now=Clock(1_800_000_000_000)) as restored:
        if claims:
            restored.assert_("(new Claim)")
            copied(restored.sync)

        done = restored.recover()

        assert (done.number, done.common, done.removed) == (7, 2, 1)
        assert (done.taken, done.kept) == (5, claims)
        assert restored.status().number == 7
        restored.assert_("(the Next)")
        _, commit, _ = restored.sync()
        assert commit is not None
        assert commit.number == 8
        agree(reader, restored)
        assert "(to BeRetracted)" not in sentences(reader)
        new = {"(new Claim)"} if claims else set()
        assert sentences(reader) == wanted | new | {"(the Next)"}


def test_a_rehearsal_tells_and_changes_nothing(
    seat: RemoteSeat, tmp_path: Path
) -> None:
    with beside(seat, tmp_path) as copy:
        seat.assert_("(in TheFirst)")
        say(copy, "(in TheCopy)")
        copy.push()
        before, refs_before = state(seat), seat.git.read_ref(own(seat))
        told = seat.rehearse_recover()
        assert (told.moved, told.taken, told.kept) == (True, 1, 1)
        assert state(seat) == before
        assert seat.git.read_ref(own(seat)) == refs_before
        assert seat.recover() == told


def test_an_agent_that_the_other_copy_introduced_stays_and_needs_no_key(
    seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    with beside(seat, tmp_path) as copy:
        copy.new_agent("AgentCleo")
        copy.assert_("(from Cleo)", agent="AgentCleo")
        copy.sync()
        seat.new_agent("AgentDora")
        seat.assert_("(from Dora)", agent="AgentDora")
        copied(seat.commit)

        done = seat.recover()
        assert (done.agents, done.keyless) == (["AgentCleo"], ["AgentCleo"])

        seat.sync()
        agree(reader, seat)
        assert sentences(reader) == {"(a B)", "(from Cleo)", "(from Dora)"}
        with pytest.raises(KoiniiError) as caught:
            seat.assert_("(c D)", agent="AgentCleo")
        assert caught.value.code == "koinii/key-unreadable"
        seat.assert_("(c D)")
        assert seat.commit() is not None


def test_an_agent_with_two_keys_is_refused_until_the_key_is_here(
    seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    with beside(seat, tmp_path) as copy:
        copy.new_agent("AgentCleo")
        copy.assert_("(from CleoThere)", agent="AgentCleo")
        copy.sync()
        seat.new_agent("AgentCleo")
        seat.assert_("(from CleoHere)", agent="AgentCleo")
        before = state(seat)
        with pytest.raises(RefusedError) as caught:
            seat.recover()
        assert caught.value.code == "koinii/other-key"
        assert state(seat) == before

        there = copy.layout.agent_key("AgentCleo")
        shutil.copy(there, seat.layout.agent_key("AgentCleo"))
        seat.recover()
        seat.sync()
        agree(reader, seat)
        assert sentences(reader) == {"(a B)", "(from CleoThere)", "(from CleoHere)"}


def test_own_replies_fall_with_what_was_taken_back_here(
    seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    target = seat.locate("(a B)", "CxAnna")
    with beside(seat, tmp_path) as copy:
        copy.assert_(f'(endorses AgentAnna (sentexHandle "{target}"))')
        say(copy, "(in TheCopy)")
        copy.push()
        seat.retract(target)
        done = seat.recover()
        assert len(done.fell) == 1
        assert sentences(seat) == {"(in TheCopy)"}
        seat.sync()
        agree(reader, seat)
        assert reader.waiting() == []


def test_a_reply_to_what_was_taken_back_there_waits(
    seat: RemoteSeat, reader: RemoteSeat, tmp_path: Path
) -> None:
    target = seat.locate("(a B)", "CxAnna")
    with beside(seat, tmp_path) as copy:
        copy.retract(target)
        say(copy, "(in TheCopy)")
        copy.push()
        seat.assert_(f'(endorses AgentAnna (sentexHandle "{target}"))')
        done = seat.recover()
        assert (done.removed, done.kept) == (1, 1)
        (waiting,) = seat.waiting()
        assert list(waiting.missing) == [target]
        seat.sync()
        agree(reader, seat)


def test_held_lines_are_lines(seat: RemoteSeat, tmp_path: Path, bare: Path) -> None:
    """What an agent said where another has its own context since: held, and kept."""
    with koinii.init(str(tmp_path / "cleo"), agent="AgentCleo", now=Clock()) as cleo:
        cleo.remotes.add("origin", str(bare))
        seat.assert_("(before Both)", context="CxCleo")
        say(seat, "(before Gone)")
        seat.assert_("(there Gone)", context="CxCleo")
        seat.commit()
        seat.push()
        say(cleo, "(from Cleo)")
        cleo.push()
        assert seat.pull().troubles
        assert len(seat.held()) == 2
        with beside(seat, tmp_path) as copy:
            copy.retract(copy.locate("(there Gone)", "CxCleo"))
            say(copy, "(in TheCopy)")
            copy.push()
            seat.assert_("(in TheFirst)")
            done = seat.recover()
            assert (done.removed, done.kept) == (1, 1)
            assert [one.line.split(" ", 2)[2] for one in seat.held()] == [
                "(before Both)"
            ]
            seat.sync()
            assert cleo.pull().held == 1
            assert seat.status().number == 5


# What cannot be -----------------------------------------------------------------


def test_a_remote_that_shows_nothing_of_us(reader: RemoteSeat) -> None:
    say(reader, "(a B)")
    with pytest.raises(NotFoundError) as caught:
        reader.recover()
    assert caught.value.code == "koinii/nothing-to-recover"


def test_what_our_key_did_not_sign_is_not_taken(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    with beside(seat, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        files = shown(copy)
    plain(bare, "update-ref", own(seat), store_commit(bare, seat.id, files))
    before = state(seat)
    with pytest.raises(VerificationError):
        seat.recover()
    assert state(seat) == before


def test_where_gits_past_is_lost_it_says_how_to_go_on(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    with carried(seat, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        shutil.rmtree(copy.layout.git)
        plain(bare, "update-ref", "-d", own(seat))
        mend(copy, copy.git)
        copy.push()
    say(seat, "(in TheFirst)")
    shutil.rmtree(seat.layout.git)
    with pytest.raises(RefusedError) as caught:
        seat.recover()
    assert caught.value.code == "koinii/past-lost"
    assert "--key" in caught.value.hint


def test_killed_before_the_ref_moves_the_next_push_mends_it(
    seat: RemoteSeat, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    with beside(seat, tmp_path) as copy:
        say(copy, "(in TheCopy)")
        copy.push()
        seat.assert_("(in TheFirst)")
        old = seat.git.read_ref(own(seat))
        seat.recover()
        assert old is not None
        seat.git.restore_ref(own(seat), old)
        seat.sync()
        assert refs(plain, bare)[own(seat)] == seat.histories.tip(seat.id)


# Any edits ----------------------------------------------------------------------

Said = dict[tuple[str, str], str]  # agent, sentence → claim line without its time


class Edit(NamedTuple):
    agent: str
    sentence: str
    strength: str | None = None
    retract: bool = False


edits = st.lists(
    st.builds(
        Edit,
        st.sampled_from([ANNA, BERT]),
        st.sampled_from([f"(word {number})" for number in range(6)]),
        st.sampled_from([None, "monotonic"]),
        st.booleans(),
    ),
    max_size=6,
)
BASE = [Edit(who, f"(word {n})") for n in range(3) for who in (ANNA, BERT)]


def said(seat: RemoteSeat) -> Said:
    rows = seat.database.connection.execute(
        "SELECT sentex, author, strength FROM assertion"
    )
    return {
        (seat.kb.names.author(by)[0], write(seat.kb.get(one).sentence)): (
            "monotonic" if strength else "default"
        )
        for one, by, strength in rows.fetchall()
    }


def edit(seat: RemoteSeat, changes: Iterable[Edit], *, commits: bool = False) -> None:
    for one in changes:
        if not one.retract:
            seat.assert_(one.sentence, agent=one.agent, strength=one.strength)
        elif (one.agent, one.sentence) in said(seat):
            place = seat.speaker(one.agent).own_context
            seat.retract(seat.locate(one.sentence, place), agent=one.agent)
        if commits:
            seat.commit()


def net(base: Said, now: Said) -> Iterator[Edit]:
    """What was done, as one would do it again: weaker means taken back first."""
    for (agent, sentence), strength in base.items():
        if now.get((agent, sentence)) != strength:
            yield Edit(agent, sentence, retract=True)
    for (agent, sentence), strength in now.items():
        if base.get((agent, sentence)) != strength:
            yield Edit(agent, sentence, strength)


@pytest.fixture(scope="module")
def desk() -> Iterator[Path]:
    """A seat of two agents that has committed."""
    with room() as folder:
        path = str(folder / "seat")
        with koinii.init(path, agent=ANNA, now=Clock()) as made:
            made.new_agent(BERT)
            edit(made, BASE)
            made.commit()
        yield folder / "seat"


@settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(there=edits, here=edits, commits=st.sampled_from(["", "each"]))
def test_two_copies_come_to_what_one_seat_comes_to_that_does_both(
    there: list[Edit], here: list[Edit], commits: str, desk: Path, plain: Plain
) -> None:
    with room() as folder, ExitStack() as stack:
        plain(folder, "init", "-q", "--bare", "hub.git")
        seats = []
        for number, name in enumerate(("other", "mine", "alone"), start=1):
            shutil.copytree(desk, folder / name)
            clock = Clock(1_700_000_000_000 + number * 10**9)
            seat = stack.enter_context(koinii.open(str(folder / name), now=clock))
            seat.home = folder / f"home of {name}"
            seat.remotes.add("origin", str(folder / "hub.git"))
            seats.append(seat)
        other, mine, alone = seats
        base = said(mine)
        edit(other, there)
        other.commit()
        other.push()
        edit(mine, here, commits=bool(commits))
        changes = list(net(base, said(mine)))

        mine.recover()

        edit(alone, there)
        edit(alone, changes)
        assert said(mine) == said(alone)
        assert mine.status().commit == alone.status().commit
        mine.commit()
        assert mine.push().number == mine.status().number
        assert mine.status().uncommitted == 0
