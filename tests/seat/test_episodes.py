"""Since when a clash stands here, and what goes with it (decision 10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.kb.recomputing import rebuild
from koinii.kb.writing import Said
from koinii.store.episodes import Episode, Episodes
from koinii.terms import read, write
from koinii.terms.canonical import canonical
from remote.desks import Clock

DENIED, SAID = "(not (reliable P))", "(reliable P)"


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[RemoteSeat]:
    with koinii.init(tmp_path / "seat", agent="AgentAnn", now=Clock()) as seat:
        for name in ("AgentBob", "AgentCid"):
            seat.new_agent(name)
        seat.new_channel("CxRoom")
        for name in ("AgentAnn", "AgentBob", "AgentCid"):
            seat.join("CxRoom", agent=name)
        yield seat


def episodes(seat: RemoteSeat) -> list[Episode]:
    rows = seat.database.connection.execute("SELECT * FROM episode ORDER BY 1, 2, 3")
    return [*map(Episode._make, rows)]


def clash(seat: RemoteSeat) -> tuple[str, str]:
    return (
        seat.assert_(SAID, agent="AgentAnn"),
        seat.assert_(DENIED, agent="AgentBob"),
    )


def test_it_begins_when_both_sides_are_believed(seat: RemoteSeat) -> None:
    seat.assert_(SAID, agent="AgentAnn")
    assert not episodes(seat)
    before = seat.now()
    locator = seat.assert_(DENIED, agent="AgentBob")

    (one,) = episodes(seat)
    assert before < one.since < seat.now()
    assert f"sha256:{one.first.hex()}" < f"sha256:{one.second.hex()}"
    assert bytes.fromhex(locator[7:]) in (one.first, one.second)


def test_it_lasts_while_other_things_move(seat: RemoteSeat) -> None:
    clash(seat)
    (one,) = episodes(seat)
    seat.assert_("(other P)")
    seat.assert_(SAID, agent="AgentAnn")  # again
    seat.assert_("(genlCx CxBob CxHere)", agent="AgentBob")

    assert episodes(seat) == [one]


def test_a_side_that_loses_ends_it_and_one_that_returns_begins_another(
    seat: RemoteSeat,
) -> None:
    """Nothing of the pair itself moves but the label of one side."""
    clash(seat)
    (one,) = episodes(seat)
    ruling = seat.assert_(DENIED, agent="AgentCid", strength="monotonic")
    assert not episodes(seat)

    seat.retract(ruling, agent="AgentCid")
    (again,) = episodes(seat)
    assert again.key == one.key
    assert again.since > one.since


def test_a_mask_ends_it_and_its_end_begins_another(seat: RemoteSeat) -> None:
    said, _ = clash(seat)
    (one,) = episodes(seat)
    mask = seat.assert_(f'(except (sentexHandle "{said}"))', agent="AgentAnn")
    assert not episodes(seat)

    seat.retract(mask, agent="AgentAnn")
    assert [again.key for again in episodes(seat)] == [one.key]


def test_an_edge_ends_it(seat: RemoteSeat) -> None:
    clash(seat)
    edge = seat.locate("(genlCx CxRoom CxBob)", "CxUniverse")
    seat.retract(edge, agent="AgentBob")

    assert not episodes(seat)


def test_derived_sides_too(seat: RemoteSeat) -> None:
    seat.assert_("(implies (old ?x) (not (reliable ?x)))", context="CxRoom")
    seat.assert_(SAID, agent="AgentAnn")
    fact = seat.assert_("(old P)", agent="AgentBob")
    assert len(episodes(seat)) == 1

    seat.retract(fact, agent="AgentBob")
    assert not episodes(seat)


def mark(seat: RemoteSeat, one: Episode, word: str = "disputeNotified") -> bytes:
    """Put a mark on a dispute, as the seat itself does."""
    pair = " ".join(
        f'(sentexHandle "sha256:{side.hex()}")' for side in (one.first, one.second)
    )
    form = canonical(read(f"({word} (dispute {pair}) 7)"))
    with seat.kb.write():
        author = seat.kb.names.make_author("koinii", seat.id)
        said = Said("CxDisputes", form, write(form), 0, 1, None, 0)
        seat.kb.put(author, [said], replace=False, journal=False)
    return bytes.fromhex(seat.locate(form, "CxDisputes")[7:])


@pytest.mark.parametrize("word", ["disputeNotified", "disputeStale"])
def test_marks_end_with_it_and_move_no_commit(seat: RemoteSeat, word: str) -> None:
    said, _ = clash(seat)
    seat.assert_("(reliable Q)", agent="AgentAnn")
    seat.assert_("(not (reliable Q))", agent="AgentBob")
    seat.commit()
    before = seat.status().commit
    marks = {one.key: mark(seat, one, word) for one in episodes(seat)}
    assert seat.status().commit == before
    assert seat.commit() is None

    seat.retract(said, agent="AgentAnn")

    (left,) = episodes(seat)
    there = {key for key, digest in marks.items() if seat.kb.find(digest)}
    assert there == {left.key}


def test_a_rebuild_keeps_the_time(seat: RemoteSeat) -> None:
    clash(seat)
    derived(seat)
    before = episodes(seat)
    rebuild(seat.kb, seat.database, lambda _, __: None)
    after = episodes(seat)

    assert [(one.key, one.since) for one in after] == [
        (one.key, one.since) for one in before
    ]
    for said in (SAID, "(light Q)"):
        seat.retract(seat.locate(said, "CxAnn"), agent="AgentAnn")
    assert not episodes(seat)


def test_what_was_noted_wrong_is_mended_by_a_rebuild(seat: RemoteSeat) -> None:
    clash(seat)
    derived(seat)
    one, other = episodes(seat)
    with seat.database.write() as connection:
        rows = Episodes(connection)
        rows.drop(other.key)
        rows.put(other._replace(first=bytes(32)))  # nothing has that locator
    rebuild(seat.kb, seat.database, lambda _, __: None)

    assert [row.key for row in episodes(seat)] == [one.key, other.key]


def derived(seat: RemoteSeat) -> None:
    """A second clash, of a conclusion, whose row is another after a rebuild."""
    seat.assert_("(gone X)")
    seat.assert_("(implies (old ?x) (not (light ?x)))", context="CxRoom")
    seat.assert_("(light Q)", agent="AgentAnn")
    seat.assert_("(old Q)", agent="AgentBob")
