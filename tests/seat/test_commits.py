"""A commit carries the net change since the last one, and nothing else."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.seat.records import last_record
from koinii.seat.seat import Seat
from reference import seat_twin as twin
from reference.rfc6962 import defined_root
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat

FOLDER = "agents/AgentAtlas/claims/CxAtlas/"


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as seat:
        yield seat


def segments(seat: Seat) -> dict[str, list[str]]:
    """The lines of the segments of AgentAtlas's own context."""
    return {
        path.removeprefix(FOLDER): zlib.decompress(seat.files.body(path) or b"")
        .decode()
        .splitlines()
        for path, _, _ in seat.files.listing(FOLDER)
    }


def test_an_empty_seat_has_the_empty_root(seat: Seat) -> None:
    done = seat.commit()
    assert done is not None
    assert (done.number, done.size) == (1, 0)
    assert done.id == f"sha256:{defined_root([]).hex()}"
    assert seat.commit() is None
    assert [one.number for one in seat.log()] == [1]


def test_what_was_said_and_taken_back_is_no_news(seat: Seat) -> None:
    kept = seat.assert_("(p Kept)")
    seat.commit()
    before = segments(seat)

    for _ in range(2):
        seat.retract(seat.assert_("(p Gone)"))
        seat.retract(seat.assert_("(q Gone)", context="CxDeploy"))
    assert seat.status().uncommitted == 0
    assert seat.commit() is None
    assert seat.status().uncommitted == 0
    assert segments(seat) == before
    assert seat.show(kept)


def test_a_segment_is_the_net_change(seat: Seat) -> None:
    located = {name: seat.assert_(f"(p {name})") for name in ("A", "B", "C")}
    seat.commit()
    seat.assert_("(p A)", strength="monotonic")
    seat.retract(located["B"])
    seat.retract(located["C"])
    seat.assert_("(p C)")
    located["D"] = seat.assert_("(p D)")
    seat.retract(seat.assert_("(p E)"))
    seat.commit()

    (lines,) = [lines for path, lines in segments(seat).items() if path == "0/2.kb"]
    signs = {}
    for line in lines:
        sentence = line.split(" ", 3)[-1]
        signs[line[2:] if line[0] == "-" else twin.locator("CxAtlas", sentence)] = line
    assert sorted(signs) == sorted(located.values())
    assert signs[located["A"]].startswith("+ monotonic ")
    assert signs[located["B"]] == f"- {located['B']}"
    assert signs[located["C"]].startswith("+ default ")
    assert [line for _, line in sorted(signs.items())] == lines


def test_a_context_that_is_empty_again_leaves_the_authored_root(seat: Seat) -> None:
    located = seat.assert_("(p A)")
    elsewhere = seat.assert_("(p A)", context="CxDeploy")
    seat.commit()
    seat.retract(located)
    done = seat.commit()
    assert done is not None
    assert done.size == 1
    live = live_of(seat)
    assert set(live) == {twin.Place(ATLAS, "CxDeploy", "(p A)")}
    assert authored(seat) == twin.authored(live, ATLAS)

    seat.assert_("(p B)")
    seat.commit()
    assert authored(seat) == twin.authored(live_of(seat), ATLAS)
    assert twin.folded(
        ["\n".join(lines) for _, lines in sorted(segments(seat).items())], "CxAtlas"
    ) == twin.lines(live_of(seat), ATLAS, "CxAtlas")
    seat.retract(elsewhere)
    seat.retract(twin.locator("CxAtlas", "(p B)"))
    done = seat.commit()
    assert done is not None
    assert (done.size, done.id) == (0, twin.commit_root({}))
    assert authored(seat) == (defined_root([]).hex(), 0)


def live_of(seat: Seat) -> twin.Seat:
    """What the rows of this seat say lives."""
    live = {}
    for one in seat.believed():
        for row in seat.kb.asserted_by(one.id):
            text = twin_text(seat, one.locator)
            agent, _ = seat.kb.names.author(row[1])
            live[twin.Place(agent, one.context, text)] = twin.Live(row[3], row[4])
    return live


def twin_text(seat: Seat, locator: str) -> str:
    return str(json.loads(seat.marker(locator).text())["sentence"])


def authored(seat: Seat) -> tuple[str, int]:
    author = seat.kb.names.author_id(ATLAS, seat.id)
    assert author is not None
    row = seat.histories.input(author)
    assert row is not None
    return row.root, row.size


def test_only_who_changed_signs(seat: Seat) -> None:
    seat.assert_("(p A)")
    seat.assert_("(p A)", agent=BOREAS)
    seat.commit()
    first = last_record(seat)
    seat.assert_("(p B)", agent=BOREAS)
    seat.commit()
    second = last_record(seat)
    assert first is not None
    assert second is not None
    assert set(first.agents) == {ATLAS, BOREAS}
    assert set(second.agents) == {BOREAS}
    assert second.previous == first.leaf
    assert second.inputs != first.inputs
