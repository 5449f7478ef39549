"""Every kind of bad ref, through a real pull: named, without effect, healed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hostile import kinds
from hostile.authors import introduced
from hostile.dump import Dump, dump, without
from hostile.good import AUTHORED, EVE, Files, Good, Story, tell
from hostile.kind import Bad, Expect, Forked, Held, Ref, Refused, Taken
from hostile.kinds import KINDS
from hostile.meeting import Came, meet, pull
from koinii import RemoteSeat
from koinii.history.log import decode_bundle
from koinii.history.manifest import ENTRIES
from remote.desks import SOAK, room


def of_whole_seat(expect: Expect) -> bool:
    """Tell whether nothing of a seat is taken, so that one kind leaves no trace."""
    return isinstance(expect, Refused) and expect.scope == "seat" and not expect.beside


READERS = ("receiver", "newcomer")


class Told(NamedTuple):
    """The story, and what each reader comes to where less is wrong."""

    story: Story
    right: dict[tuple[str, str], Came]  # reader and what of the hostile seat is taken

    def __repr__(self) -> str:
        return "Told"


def good_shown(good: Good) -> dict[tuple[str, str], Files | None]:
    """Return what the hostile seat shows where nothing, one author, all is right."""
    damaged = good.made({AUTHORED: b"x"})
    return {
        ("receiver", "nothing"): good.first,
        ("newcomer", "nothing"): None,
        **{(who, "not Eve"): damaged for who in READERS},
        **{(who, "all"): good.second for who in READERS},
        **{(who, "old"): good.first for who in READERS},
    }


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    with room() as folder:
        story = tell(Path(folder))
        right = {}
        for (who, what), files in good_shown(story.good).items():
            with meet(story, who) as (meeting, seat):
                meeting.show(files)
                right[who, what] = pull(seat)
        yield Told(story, right)


def test_the_references_are_what_they_are_called(told: Told) -> None:
    for who in READERS:
        nothing, part, whole = (
            told.right[who, what] for what in ("nothing", "not Eve", "all")
        )
        assert whole.pulled.whole
        assert not part.pulled.whole
        assert nothing.pulled.received < part.pulled.received < whole.pulled.received
        said = [
            {str(row) for row in one.dump if EVE in str(row)} for one in (part, whole)
        ]
        assert any("(second AgentEve)" in row for row in said[1])
        assert not any("(second AgentEve)" in row for row in said[0])
        for came in (nothing, part, whole):
            assert any("TestCluster Sqlite" in str(row) for row in came.dump)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_who_knows_the_seat_names_it_and_nothing_changes(kind: Bad, told: Told) -> None:
    good = told.story.good
    with meet(told.story, "receiver") as (meeting, seat):
        seen = kind.seen == "second"
        if seen:
            meeting.show(good.second)
            assert pull(seat).pulled.whole
        shown = kind.forge(good)
        meeting.show(shown)

        came = pull(seat)

        check(kind.expect, came, told, "receiver", seen=seen)
        check_told(kind.expect, seat, good, shown)
        if kind.heals and (SOAK or not of_whole_seat(kind.expect)):
            meeting.show(healed(good, kind.expect, shown))
            check_healed(pull(seat), told, "receiver")


ALONE = [
    kind for kind in KINDS
    if not (of_whole_seat(kind.newcomer or kind.expect) or kind.met) or SOAK
]  # fmt: skip


@pytest.mark.parametrize("kind", ALONE, ids=lambda kind: kind.name)
def test_a_newcomer_names_it_and_takes_no_more_than_is_right(
    kind: Bad, told: Told
) -> None:
    with meet(told.story, "newcomer") as (meeting, seat):
        shown = kind.forge(told.story.good)
        meeting.show(shown)

        came = pull(seat)

        expect = kind.newcomer or kind.expect
        check(expect, came, told, "newcomer", seen=False)
        check_told(expect, seat, told.story.good, shown)


@pytest.mark.parametrize("area", sorted({kind.name.split(":")[0] for kind in KINDS}))
def test_a_newcomer_shown_one_after_another_takes_nothing_and_is_healed(
    area: str, told: Told
) -> None:
    good = told.story.good
    with meet(told.story, "newcomer") as (meeting, seat):
        for kind in KINDS:
            expect = kind.newcomer or kind.expect
            if not (kind.name.startswith(f"{area}:") and of_whole_seat(expect)):
                continue
            shown = kind.forge(good)
            meeting.show(shown)

            came = pull(seat)

            assert isinstance(expect, Refused), kind.name
            check_refused(expect, came)
            assert came.dump == told.right["newcomer", "nothing"].dump, kind.name
            check_told(expect, seat, good, shown)
        meeting.show(good.second)
        check_healed(pull(seat), told, "newcomer")


def test_no_kind_is_listed_twice() -> None:
    names = [kind.name for kind in KINDS]
    assert len(set(names)) == len(names) >= 60


def test_the_table_of_the_kit_lists_its_files() -> None:
    folder = Path(__file__).parent
    listed = set(re.findall(r"^\| `(\w+\.py)`", str(kinds.__doc__), re.MULTILINE))
    assert listed == {
        path.name
        for path in folder.glob("*.py")
        if re.search(r"^(KINDS|AMOUNTS) = \[", path.read_text(), re.MULTILINE)
    } - {"kinds.py"}


# What has to be so --------------------------------------------------------------------


def check(expect: Expect, came: Came, told: Told, who: str, *, seen: bool) -> None:
    """Compare with what the reader comes to where less is wrong."""
    match expect:
        case Refused():
            right = told.right[who, "all" if seen else taken_beside(expect)]
            check_refused(expect, came)
            check_same(came, right, seen=seen)
        case Forked():
            right = told.right[who, "nothing"]
            check_forked(came, told.story.good, right, seen=seen)
        case Held():
            right = told.right[who, "all"]
            assert [one.reason for one in came.held] == [expect.code] * expect.lines
            check_counts(came, right, held=expect.lines)
            assert came.dump == right.dump
            assert came.commit == right.commit
            assert not came.pulled.troubles
            assert not came.pulled.whole
        case Taken():
            right = told.right[who, "old" if expect.older else "all"]
            check_counts(came, right, new=expect.lines, waiting=expect.waiting)
            check_kept(right.dump, came.dump, sways=expect.sways)
            assert bool(expect.lines + expect.waiting) == (came.dump != right.dump)
            assert [one.path[: len(expect.told)] for one in came.pulled.troubles] == (
                [expect.told] if expect.told else []
            )
            assert came.pulled.whole == (not expect.told)


def check_forked(came: Came, good: Good, right: Came, *, seen: bool) -> None:
    """Check that nothing of the seat stays, and all of the honest one is here."""
    (trouble,) = came.pulled.troubles
    assert (trouble.seat, trouble.path) == (good.seat, "checkpoint")
    assert trouble.code == "koinii/seat-forked"
    assert "two histories" in trouble.reason
    assert came.dump == without(right.dump, good.seat)
    assert len(came.dump) < len(right.dump)
    assert not came.held
    assert came.pulled.removed
    check_counts(came, right, removed=came.pulled.removed, new=-2 if seen else 0)
    assert not came.pulled.whole


def taken_beside(expect: Refused) -> str:
    """Return what of the hostile seat is right where this is refused."""
    if expect.beside or expect.agent != EVE:
        return "all"
    return "nothing" if expect.scope == "seat" else "not Eve"


def check_kept(before: Dump, after: Dump, *, sways: bool) -> None:
    """Check that what was there is there; its labels too, unless it is swayed."""
    assert (before <= after) != sways
    named = [
        {row[:4] for row in rows if row[0] == "sentex"} for rows in (before, after)
    ]
    assert named[0] <= named[1]


def check_refused(expect: Refused, came: Came) -> None:
    (trouble,) = came.pulled.troubles
    assert expect.words in trouble.reason
    assert trouble.path == expect.path
    fetched = not trouble.reason.startswith("cannot fetch")
    assert (trouble.code != "") == (expect.scope == "seat" and fetched)
    assert trouble.agent == (expect.agent if expect.scope == "author" else "")
    assert not came.pulled.whole


def check_same(came: Came, right: Came, *, seen: bool) -> None:
    assert came.dump == right.dump
    assert came.held == right.held
    assert came.commit == right.commit
    if seen:
        assert came.pulled.received == came.pulled.removed == 0
    else:
        check_counts(came, right)


def check_counts(came: Came, right: Came, **more: int) -> None:
    """Check the counts, which are those of `right` and as many lines more."""
    for name in ("new", "already", "waiting", "held", "removed", "set_aside"):
        expected = getattr(right.pulled, name) + more.get(name, 0)
        assert getattr(came.pulled, name) == expected, name


def check_told(
    expect: Expect, seat: RemoteSeat, good: Good, shown: Files | Ref
) -> None:
    """Check that the refusal is told afterwards too."""
    where = shown.seat if isinstance(shown, Ref) and shown.seat else good.seat
    troubles = {peer.seat: peer.trouble for peer in seat.peers()}
    refused = seat.status().refused
    match expect:
        case Refused(scope="seat") | Forked():
            assert troubles[where]
        case Refused():
            assert [(one.agent, one.seat) for one in refused] == [(expect.agent, where)]
        case _:
            assert not refused
            assert not troubles[where]


def healed(good: Good, expect: Expect, shown: Files | Ref) -> Files:
    """Return a good state on top of what readers have applied by now."""
    if isinstance(shown, Ref) or of_whole_seat(expect):
        return good.healed(good.entries)
    bundles = sorted(path for path in shown if path.startswith(ENTRIES))
    entries = [entry for path in bundles for entry in decode_bundle(shown[path])]
    if isinstance(expect, Refused):
        return good.healed(entries)
    grown = {path: body for path, body in shown.items() if path.endswith("/statements")}
    return good.healed(entries, grown)


def check_healed(came: Came, told: Told, who: str) -> None:
    right = told.right[who, "all"]
    assert came.pulled.whole
    assert came.dump == right.dump
    assert came.commit == right.commit
    assert not came.held


# By design, and told --------------------------------------------------------------


def test_a_name_that_takes_a_channel_is_told_and_unfollowing_brings_all_back(
    told: Told,
) -> None:
    """Whoever introduces AgentRoom owns CxRoom, in mode cooperative: its lines wait."""
    good = told.story.good
    with meet(told.story, "receiver") as (meeting, seat):
        before = dump(seat)
        meeting.show(good.made(introducing(good, "AgentRoom")))

        came = pull(seat)

        assert came.pulled.set_aside
        assert {one.path for one in came.pulled.troubles} == {"CxUniverse", "CxRoom"}
        assert {one.reason for one in came.held} == {"koinii/foreign-context"}
        assert not came.pulled.whole

        seat.unfollow(good.seat)

        assert not [one for one in seat.held() if one.seat != good.seat]
        assert before - dump(seat) == before - without(before, good.seat)


def introducing(good: Good, name: str) -> dict[str, bytes]:
    """Return the file in which another agent of Eve's key introduces itself."""
    return {f"agents/{name}/statements": introduced(name, good.key(), good.seat)}
