"""A seat that selects, where something is damaged, lost, copied, forked or a lie."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.history.contexts import read_contexts, write_contexts
from koinii.remote.doctor import examine
from koinii.remote.publish import PACKS, SEATS
from remote.conftest import Plain
from remote.desks import Clock, Files, carried, room, shown
from remote.forging import Forger, store_commit
from remote.liars import Remote, number_of, said_by_eve, sync_until_still
from remote.parts import check_part, lines_of, of_others
from remote.selected import Part

ROOM = Part.of(contexts=["CxRoom"])
PLACES = ("CxAnna", "CxRoom", "CxPlain")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


Sit = Callable[[str], RemoteSeat]


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    made: list[RemoteSeat] = []

    def one(name: str) -> RemoteSeat:
        agent = f"Agent{name}"
        made.append(koinii.init(str(tmp_path / name), agent=agent, now=Clock()))
        made[-1].remotes.add("origin", str(bare))
        return made[-1]

    yield one
    for seat in made:
        seat.close()


def say(seat: RemoteSeat, text: str) -> None:
    """Say something in three contexts and show it."""
    for place in PLACES:
        seat.assert_(text, context=place, agent=seat.config.agent)
    seat.sync()


def packs(seat: RemoteSeat) -> list[Path]:
    return sorted(Path(seat.layout.git).glob("objects/pack/pack-*.pack"))


def still_exchanges(anna: RemoteSeat, part: RemoteSeat, whole: RemoteSeat) -> None:
    """What is said next comes, and the whole can be had."""
    say(anna, "(later)")
    for seat in (part, whole):
        assert seat.pull().whole
    check_part(part, whole, ROOM)
    part.assert_("(mine)")
    part.sync()
    assert whole.pull().whole
    assert part.pull(everything=True).whole
    check_part(part, whole, Part())
    assert part.status().commit == whole.status().commit


@pytest.fixture
def three(sit: Sit) -> tuple[RemoteSeat, RemoteSeat, RemoteSeat]:
    """One that speaks, one that has taken a part of it, one that takes all."""
    anna, part, whole = sit("Anna"), sit("Part"), sit("Whole")
    for number in range(3):
        say(anna, f"(said {number})")
    part.assert_("(is Part)")
    part.pull(contexts=["CxRoom"])
    part.sync()
    return anna, part, whole


Three = tuple[RemoteSeat, RemoteSeat, RemoteSeat]


# The private repository -----------------------------------------------------------


def test_the_doctor_finds_nothing_wrong(three: Three) -> None:
    _, part, _ = three
    found = examine(part.layout, remotes=True)
    assert [one for one in found.checks if one.state != "ok"] == []


def test_a_damaged_repository_is_made_again(three: Three) -> None:
    anna, part, whole = three
    for pack in packs(part):
        body = bytearray(pack.read_bytes())
        body[len(body) // 2] ^= 0x40
        pack.chmod(0o600)
        pack.write_bytes(body)
    found = examine(part.layout)
    assert [one.name for one in found.checks if one.state != "ok"] == ["repository"]

    done = examine(part.layout, fix=True, remotes=True)

    assert [one for one in done.checks if one.state != "ok"] == [], done.done
    still_exchanges(anna, part, whole)


def test_a_repository_that_is_gone_is_made_by_the_next_pull(three: Three) -> None:
    anna, part, whole = three
    say(anna, "(new)")
    part.commit()
    examine(part.layout, fix=True)
    shutil.rmtree(part.layout.git)
    examine(part.layout, fix=True)
    assert part.pull().whole
    whole.pull()
    check_part(part, whole, ROOM)
    still_exchanges(anna, part, whole)


def test_a_listener_whose_repository_is_gone_pulls_on(three: Three, sit: Sit) -> None:
    """One that has committed nothing needs no doctor."""
    anna, _, whole = three
    listener = sit("Ear")
    listener.pull(contexts=["CxRoom"])
    shutil.rmtree(listener.layout.git)
    assert listener.pull().received == 0
    say(anna, "(new)")
    listener.pull()
    whole.pull()
    check_part(listener, whole, ROOM)
    shutil.rmtree(listener.layout.git)
    listener.pull(everything=True)
    check_part(listener, whole, Part())


def test_packs_are_joined_and_what_was_left_out_stays_out(three: Three) -> None:
    anna, part, whole = three
    before = sum(pack.stat().st_size for pack in packs(part))

    assert part.git.repack_when(2)

    assert len(packs(part)) == 2, "what came, and what is our own"
    assert sum(pack.stat().st_size for pack in packs(part)) <= before
    assert part.git.has_parts()
    part.git.prune()
    assert not part.git.faults()
    still_exchanges(anna, part, whole)


def test_so_many_pulls_that_packs_are_joined(three: Three) -> None:
    anna, part, whole = three
    most = 0
    for number in range(PACKS // 2 + 3):
        anna.assert_(f"(more {number})", context="CxRoom")
        anna.commit()
        anna.push()
        part.pull()
        most = max(most, len(packs(part)))
    assert most > PACKS - 4
    part.assert_("(again)")
    part.sync()
    assert len(packs(part)) < PACKS
    still_exchanges(anna, part, whole)


# Seats ------------------------------------------------------------------------------


def test_unfollowing_and_following_takes_the_part_again(three: Three) -> None:
    anna, part, whole = three
    part.unfollow(anna.id)
    say(anna, "(while away)")
    part.pull()
    assert not [line for line in of_others(part) if not line.held]
    part.pull(contexts=["CxPlain"])

    part.follow(anna.id)

    whole.pull()
    part.pull()
    check_part(part, whole, Part.of(contexts=["CxPlain"]))


def test_a_copy_recovers_and_keeps_its_part(three: Three, tmp_path: Path) -> None:
    anna, part, whole = three
    with carried(part, tmp_path / "elsewhere") as copy:
        part.assert_("(after the copy)")
        say(anna, "(new)")
        part.sync()
        part.close()

        recovered = copy.recover()

        assert recovered.moved
        assert copy.status().partial == {"contexts": ("CxRoom",)}
        copy.pull()
        whole.pull()
        check_part(copy, whole, ROOM)
        still_exchanges(anna, copy, whole)


@pytest.mark.parametrize("looks_first", [True, False])
def test_own_files_that_another_seat_shows_too_are_asked_for(
    sit: Sit, bare: Path, plain: Plain, tmp_path: Path, *, looks_first: bool
) -> None:
    """A remote may take them for had, with a ref that was taken without its files."""
    part, thief = sit("Part"), sit("Thief")
    part.pull(contexts=["CxNowhere"])
    say(part, "(mine)")
    with carried(part, tmp_path / "elsewhere") as copy:
        say(part, "(more)")
        part.close()
        tree = plain(bare, "rev-parse", f"{SEATS}{part.id}^{{tree}}")
        named = ("-c", "user.name=x", "-c", "user.email=x@x")
        commit = plain(bare, *named, "commit-tree", tree, "-m", "x")
        plain(bare, "update-ref", f"{SEATS}{thief.id}", commit)
        own = plain(bare, "rev-parse", f"{SEATS}{part.id}")
        plain(bare, "update-ref", "-d", f"{SEATS}{part.id}")
        copy.pull()
        assert copy.git.has_parts()
        plain(bare, "update-ref", f"{SEATS}{part.id}", own)

        if looks_first:
            (told,) = [one for one in copy.pull().troubles if one.seat == copy.id]
            assert "it was copied" in told.reason
        recovered = copy.recover()

        assert (recovered.moved, recovered.number) == (True, 2)


# Forks ------------------------------------------------------------------------------


@pytest.fixture
def remote(tmp_path: Path, bare: Path, plain: Plain) -> Iterator[Remote]:
    made = Remote(tmp_path, bare, plain)
    yield made
    made.close()


def test_a_seat_that_selects_goes_back_as_far_as_others(remote: Remote) -> None:
    """The files of the common prefix were never asked for, and are now."""
    liar = remote.liar
    liar.begin("(eve Shared1)", "(eve Shared2)")
    liar.part("x", "(eve X1)", "(eve X2)")
    liar.part("y", "(eve Y1)")
    anna, part = remote.sit("Anna"), remote.sit("Part")
    remote.show("x")
    anna.sync()
    part.pull(contexts=["CxEve"])
    remote.show("y")

    sync_until_still([anna, part])

    for seat in (anna, part):
        assert said_by_eve(seat) == {"Shared1", "Shared2"}
        assert number_of(seat, liar.id) == 2
    check_part(part, anna, Part.of(contexts=["CxEve"]))
    part.pull(contexts=["CxNowhere"])
    assert said_by_eve(part) == set()
    part.follow(liar.id)
    part.pull(everything=True)
    assert said_by_eve(part) == {"Shared1", "Shared2", "Y1"}


# Grants -----------------------------------------------------------------------------


def test_grants_come_whatever_is_selected(sit: Sit) -> None:
    root, part, whole = sit("Root"), sit("Part"), sit("Whole")
    root.admin_init()
    root.grant("AgentRoot", ["moderator", "arbiter"])
    say(root, "(granted)")
    root.assert_(
        "(holdsOffice AgentRoot Chair)", context="CxRegistry", agent="AdminRoot"
    )
    root.sync()
    for seat in (part, whole):
        path = Path(seat.layout.config)
        path.write_text(path.read_text().replace("cooperative", "proof-tier"))
        seat.forget_config()
    whole.pull()

    part.pull(agents=["AgentRoot"], contexts=["CxRoom"])

    check_part(part, whole, Part.of(["AgentRoot"], ["CxRoom"]))
    assert {line.context for line in of_others(part)} == {"CxRoom", "CxRegistry"}
    assert not any(line.held for line in of_others(part))
    assert part.status().mode == "proof-tier"


# A lying remote ---------------------------------------------------------------------

FILES = "agents/AgentAnna"


def show(bare: Path, plain: Plain, anna: RemoteSeat, files: Files) -> None:
    """Have the remote show these files for a seat, signed by its key."""
    forger = Forger(anna, ("AgentAnna",))
    tip = plain(bare, "rev-parse", SEATS + anna.id)
    oid = store_commit(bare, anna.id, files, tip, forger.key)
    plain(bare, "update-ref", SEATS + anna.id, oid)


def segment_of(files: Files, context: str) -> str:
    return max(path for path in files if path.startswith(f"{FILES}/claims/{context}/"))


def refused(seat: RemoteSeat) -> list[str]:
    return [one.agent for one in seat.status().refused]


def test_segments_exchanged_between_contexts_are_refused(
    three: Three, bare: Path, plain: Plain
) -> None:
    anna, part, whole = three
    say(anna, "(new)")
    files = shown(anna)
    one, other = segment_of(files, "CxRoom"), segment_of(files, "CxPlain")
    before = lines_of(part)
    forger = Forger(anna, ("AgentAnna",))
    swapped = {**files, one: files[other] + files[one], other: files[one]}
    show(bare, plain, anna, forger.resealed(swapped))

    part.pull()
    whole.pull()

    assert refused(part) == refused(whole) == ["AgentAnna"]
    assert lines_of(part) == before


def test_contexts_of_another_set_are_refused(
    three: Three, bare: Path, plain: Plain
) -> None:
    anna, part, whole = three
    say(anna, "(new)")
    files, before = shown(anna), lines_of(part)
    rows = read_contexts(files[f"{FILES}/contexts"])
    kept = write_contexts(row for row in rows if row[0] != "CxPlain")
    forger = Forger(anna, ("AgentAnna",))
    show(bare, plain, anna, forger.resealed({**files, f"{FILES}/contexts": kept}))

    part.pull()
    whole.pull()

    assert refused(part) == refused(whole) == ["AgentAnna"]
    assert lines_of(part) == before


def test_damage_in_what_is_not_selected_is_not_seen_and_the_difference_explained(
    three: Three, bare: Path, plain: Plain
) -> None:
    """The seat that takes all refuses the author whole; each says why they differ."""
    anna, part, whole = three
    whole.pull()
    say(anna, "(new)")
    files = shown(anna)
    path = segment_of(files, "CxPlain")
    forger = Forger(anna, ("AgentAnna",))
    body = files[path].replace(b"(new)", b"(old)")
    show(bare, plain, anna, forger.resealed({**files, path: body}))

    assert part.pull().whole
    assert refused(part) == []
    assert {line.context for line in of_others(part, whole)} == {"CxRoom"}
    assert not whole.pull().whole
    assert refused(whole) == ["AgentAnna"]

    whole.assert_("(is Whole)")
    for seat in (part, whole, part, whole):
        seat.sync()
    assert part.status().inputs != whole.status().inputs
    for seat, other in ((part, whole), (whole, part)):
        (found,) = [one for one in seat.status().differences if one.seat == other.id]
        assert found.fields[:2] == ["partial", "inputs"]
        assert "only contexts CxRoom" in found.explanation
    (trouble,) = whole.status().refused
    assert (trouble.agent, trouble.seat) == ("AgentAnna", anna.id)

    part.pull(everything=True)
    assert refused(part) == ["AgentAnna"]
