"""What a seat that selects says of itself, and what a change of selection moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, NotFoundError, RefusedError, UsageError
from koinii.history.record import CommitRecord
from koinii.seat.records import last_record
from koinii.terms import write
from remote.conftest import Plain
from remote.desks import Clock, make_key, room
from remote.parts import check_part, lines_of, of_others
from remote.selected import Part


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


Sit = Callable[..., RemoteSeat]


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    made: list[RemoteSeat] = []

    def one(name: str, *agents: str, key: Path | None = None) -> RemoteSeat:
        agent = f"Agent{name}"
        made.append(koinii.init(str(tmp_path / name), agent=agent, now=Clock()))
        made[-1].remotes.add("origin", str(bare))
        for other in agents:
            made[-1].new_agent(other, key=key)
        return made[-1]

    yield one
    for seat in made:
        seat.close()


def speaker(sit: Sit, name: str) -> RemoteSeat:
    """A seat that shows something in three contexts."""
    seat = sit(name)
    for place in (f"Cx{name}", "CxRoom", "CxPlain"):
        seat.assert_(f"(from {name})", context=place)
    seat.sync()
    return seat


def contexts_of(seat: RemoteSeat) -> set[str]:
    return {line.context for line in of_others(seat)}


def settings(seat: RemoteSeat) -> str:
    return Path(seat.layout.config).read_text()


def test_a_record_and_the_status_say_what_is_taken(sit: Sit) -> None:
    speaker(sit, "Anna")
    part = sit("Part")
    part.pull(agents=["AgentZoe", "AgentAnna"], contexts=["CxRoom"])
    part.commit()

    named = {"agents": ("AgentAnna", "AgentZoe"), "contexts": ("CxRoom",)}
    record = last_record(part)
    assert isinstance(record, CommitRecord)
    assert part.status().partial == record.partial == named
    assert contexts_of(part) == {"CxRoom"}
    part.pull()
    assert part.status().partial == named, "it stays until it is changed"
    part.pull(contexts=["CxPlain"])
    assert part.status().partial == {"contexts": ("CxPlain",)}, "not added to"
    part.pull(everything=True)
    assert part.status().partial is None
    part.commit()
    record = last_record(part)
    assert isinstance(record, CommitRecord)
    assert record.partial is None


def test_a_rehearsal_leaves_settings_and_store_as_they_are(sit: Sit) -> None:
    anna, part = speaker(sit, "Anna"), sit("Part")
    part.pull(contexts=["CxRoom"])
    anna.assert_("(more Here)", context="CxPlain")
    anna.sync()
    before = settings(part), [*part.database.connection.iterdump()], part.status()

    found = part.rehearse_pull(contexts=["CxPlain"])

    assert (found.received, found.new, found.removed) == (2, 2, 1)
    after = settings(part), [*part.database.connection.iterdump()], part.status()
    assert after == before
    assert part.pull(contexts=["CxPlain"]) == found._replace(foreseen=None)
    assert contexts_of(part) == {"CxPlain"}
    assert part.rehearse_pull(contexts=["CxPlain"]).received == 0


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ({"contexts": ["Plain"]}, RefusedError),
        ({"contexts": ["Cx A"]}, KoiniiError),
        ({"contexts": ["C" + "x" * 300]}, RefusedError),
        ({"agents": ["Anna"]}, RefusedError),
        ({"agents": ["AgentMajority"]}, RefusedError),
        ({"agents": "AgentAnna"}, UsageError),
        ({"contexts": ["CxA"], "everything": True}, UsageError),
        ({"contexts": ["CxA"], "name": "nowhere"}, NotFoundError),
    ],
)
def test_what_cannot_be_selected_changes_nothing(
    sit: Sit, named: dict[str, object], error: type[KoiniiError]
) -> None:
    part = sit("Part")
    part.pull(contexts=["CxRoom"])
    before = settings(part)
    for call in (part.pull, part.rehearse_pull):
        with pytest.raises(error):
            call(**named)  # type: ignore[arg-type]
        assert settings(part) == before
        assert part.status().partial == {"contexts": ("CxRoom",)}


def test_a_pull_that_fails_leaves_what_was_selected_before(
    sit: Sit, bare: Path
) -> None:
    """The setting is what is wanted; the store is as the last pull left it."""
    speaker(sit, "Anna")
    part = sit("Part")
    part.pull(contexts=["CxRoom"])
    before = lines_of(part)
    bare.rename(bare.with_suffix(".away"))
    with pytest.raises(KoiniiError):
        part.pull(contexts=["CxPlain"])
    assert lines_of(part) == before
    assert part.status().partial == {"contexts": ("CxRoom",)}
    assert not part.status().refused
    bare.with_suffix(".away").rename(bare)
    part.pull()
    assert contexts_of(part) == {"CxPlain"}


def test_names_that_nobody_has_shown_are_told(sit: Sit) -> None:
    """New, they are a trouble; still selected by later pulls, a notice."""
    speaker(sit, "Anna")
    part = sit("Part")
    part.pull(agents=["AgentAnna"], contexts=["CxPlain"])
    for pull in (part.rehearse_pull, part.pull):
        one = pull(agents=["AgentAnna", "AgentNoone"], contexts=["CxRom"])
        assert [(each.reason, each.code) for each in one.troubles] == [
            (f"nothing was ever shown of {name}: see how it is spelled",
             "koinii/never-shown")
            for name in ("AgentNoone", "CxRom")
        ]  # fmt: skip
        assert not one.whole
    assert part.notices == []
    assert part.status().partial == {
        "agents": ("AgentAnna", "AgentNoone"), "contexts": ("CxRom",),
    }  # fmt: skip
    assert part.pull().whole, "it may come yet"
    assert part.notices == [
        "nothing was ever shown of AgentNoone, CxRom: see how it is spelled"
    ]
    part.notices.clear()
    assert part.pull(agents=["AgentAnna"], contexts=["CxPlain"]).whole
    part.pull()
    assert part.notices == []


def test_what_a_selected_context_sees_and_is_not_taken_is_named(sit: Sit) -> None:
    anna, part, whole = speaker(sit, "Anna"), sit("Part"), sit("Whole")
    anna.assert_("(channel CxRoom)")
    anna.join("CxRoom")
    anna.sync()

    part.pull(contexts=["CxRoom"])

    assert part.status().not_taken == ["CxAnna"]
    part.pull(contexts=["CxRoom", "CxAnna"])
    assert part.status().not_taken == []
    part.pull(agents=["AgentAnna"])
    whole.pull()
    assert part.status().not_taken == whole.status().not_taken == []


def test_own_replies_wait_when_their_targets_leave_and_come_back(sit: Sit) -> None:
    anna, part, whole = speaker(sit, "Anna"), sit("Part"), sit("Whole")
    part.pull()
    target = part.locate("(from Anna)", "CxRoom")
    mine = part.assert_(f'(endorses AgentPart (sentexHandle "{target}"))')
    part.commit()

    narrowed = part.pull(contexts=["CxPlain"])

    assert (narrowed.removed, narrowed.fell) == (2, [])
    assert [one.locator for one in part.waiting()] == [mine]
    assert part.waiting()[0].missing == (target,)
    part.sync()
    whole.pull()
    assert not whole.waiting(), "it is said, and stands where its target is"
    part.pull(everything=True)
    assert not part.waiting()
    anna.retract(target)
    anna.sync()
    part.pull(contexts=["CxPlain"])
    again = part.pull(contexts=["CxRoom"])
    assert [one.locator for one in again.fell] == [], "it left before it was taken back"
    assert [one.locator for one in part.waiting()] == [mine]


def test_an_agent_of_two_seats_is_selected_at_the_other_alone(
    sit: Sit, tmp_path: Path
) -> None:
    key = make_key(tmp_path / "both")
    anna, part = sit("Anna", "AgentBoth", key=key), sit("Part", "AgentBoth", key=key)
    for seat, text in ((anna, "(there)"), (part, "(here)")):
        seat.assert_(text, context="CxRoom", agent="AgentBoth")
        seat.assert_(text, context="CxPlain", agent="AgentBoth")
    anna.sync()

    part.pull(agents=["AgentBoth"], contexts=["CxRoom"])

    said = {(one.context, write(one.sentence)) for one in part.believed()}
    assert said == {
        ("CxRoom", "(there)"), ("CxRoom", "(here)"), ("CxPlain", "(here)"),
    }  # fmt: skip
    part.pull(agents=["AgentPart"])
    said = {(one.context, write(one.sentence)) for one in part.believed()}
    assert said == {("CxRoom", "(here)"), ("CxPlain", "(here)")}


def explained(seat: RemoteSeat, other: RemoteSeat) -> str:
    (found,) = [one for one in seat.status().differences if one.seat == other.id]
    assert found.field == "partial"
    assert "inputs" not in found.fields
    return found.explanation


def test_the_difference_is_explained_at_both_sides(sit: Sit) -> None:
    speaker(sit, "Anna")
    part, whole = sit("Part"), sit("Whole")
    for seat in (part, whole):
        seat.assert_(f"(is {seat.config.agent})")
    part.pull(contexts=["CxRoom"])
    for seat in (part, whole, part, whole):
        seat.sync()

    assert part.status().inputs == whole.status().inputs
    assert part.status().commit != whole.status().commit
    theirs, ours = "only contexts CxRoom", "everything"
    assert explained(whole, part) == f"they apply {theirs}, we {ours}"
    assert explained(part, whole) == f"they apply {ours}, we {theirs}"
    part.pull(everything=True)
    for seat in (part, whole, part):
        seat.sync()
    assert part.status().commit == whole.status().commit
    for seat, other in ((part, whole), (whole, part)):
        assert other.id not in {one.seat for one in seat.status().differences}


def test_a_seat_that_another_remote_shows_waits_for_a_pull_from_there(
    sit: Sit, tmp_path: Path, plain: Plain
) -> None:
    anna, part, whole = speaker(sit, "Anna"), sit("Part"), sit("Whole")
    aside = tmp_path / "aside.git"
    bare = Path(part.config.remotes["origin"])
    bert = speaker(sit, "Bert")
    bare.rename(aside)
    bare.mkdir()
    plain(bare, "init", "-q", "--bare")
    part.remotes.add("aside", str(aside))
    part.pull("aside", contexts=["CxRoom"])
    anna.push()

    part.pull(contexts=["CxPlain"])

    assert {(one.seat, one.context) for one in of_others(part)} == {
        (anna.id, "CxPlain")
    }
    (waits,) = part.status().refused
    assert waits.seat == bert.id
    assert "looks at it again" in waits.reason
    part.pull("aside")
    assert not part.status().refused
    whole.remotes.add("aside", str(aside))
    for name in ("origin", "aside"):
        whole.pull(name)
    check_part(part, whole, Part.of(contexts=["CxPlain"]))
