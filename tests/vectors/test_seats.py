"""Rows that an independent implementation published and pulled, and took back equal.

Compared are rows and equalities. The bytes of its files are its own, and its roots
cover stored records; ours cover what is believed, so only where all is believed they
have to be the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.terms import write

VECTORS = json.loads((Path(__file__).parent / "seats.json").read_text(encoding="utf-8"))
CASES: dict[str, dict[str, Any]] = {one["name"]: one for one in VECTORS["cases"]}
NOBODY = "AgentNobody"  # says what has no creator there

# Cases with a sentence that is refused here, and the code.
REFUSED = {
    "meta sentex": ("(endorses AgentB (sentexHandle 3))", "koinii/no-such-handle"),
    "exceptWhen": ("(exceptWhen (penguin ?var0) (sentexHandle 1))", "shape"),
    "skolem": ("(implies (person ?x) (motherOf ?x ?y))", "not-range-restricted"),
    "NaN/bigint/neg zero": ("(h1 T ##NaN)", "koinii/unreadable"),
}
PLAYED = [name for name in CASES if name not in REFUSED]
# Structural statements are always monotonic (design 6); there they were defaults.
STRUCTURAL = "(symmetric siblingOf)"
# A new edge places what it makes visible (design 6); there it did not.
PLACED = {"order B placement: does recover re-fire?": ("CxD", "(pc X1)", "", None)}

Row = tuple[str, str, str, int | None]  # context, sentence, strength, created
Made = Callable[[str], RemoteSeat]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return lambda name: koinii.init(
        tmp_path / name, agent=NOBODY, now=lambda: 1_750_000_000_000
    )


def rows_there(case: dict[str, Any], which: str) -> set[tuple[str, Row, bool]]:
    """Return (locator, row, believed) as the source lists them."""
    found = set()
    for one in case[which]:
        strength = (one["strength"] or "").removeprefix(":")
        if one["sentence"] == STRUCTURAL or one["sentence"].startswith("(genlCx"):
            strength = "monotonic"
        row = one["context"], one["sentence"], strength, one["created"]
        found.add((one["locator"], row, one["in"]))
    return found


def rows_here(seat: RemoteSeat) -> set[tuple[str, Row, bool]]:
    shipped = "SELECT id FROM sentex WHERE NOT label & 8"
    found = set()
    for (number,) in seat.database.connection.execute(shipped).fetchall():
        one = seat.kb.get(number)
        said = seat.kb.asserted_by(number)
        strength = ("default", "monotonic")[said[0][3]] if said else ""
        created = said[0][4] if said else None
        row = one.context, write(one.sentence), strength, created
        found.add((one.locator, row, seat.kb.is_believed(one)))
    return found


def say(seat: RemoteSeat, case: dict[str, Any]) -> None:
    for one in case["source_rows"]:
        if not one["premise"]:
            continue
        agent = one["creator"] or NOBODY
        if agent not in {known.name for known in seat.agents()}:
            seat.new_agent(agent)
        known = one["strength"] == ":monotonic"
        seat.assert_(
            one["sentence"],
            context=one["context"],
            agent=agent,
            strength="monotonic" if known else None,
        )


@pytest.mark.parametrize("name", PLAYED)
def test_what_is_published_is_pulled_row_by_row(
    name: str, made: Made, tmp_path: Path
) -> None:
    case = CASES[name]
    expected = rows_there(case, "source_rows")
    assert rows_there(case, "pulled_rows") == expected
    if name in PLACED:
        context, sentence, *_ = PLACED[name]
        expected.add((koinii.terms.locate(context, sentence), PLACED[name], True))
    with made("source") as source, made("copy") as copy:
        say(source, case)
        assert rows_here(source) == expected
        source.export(tmp_path / "dump")
        copy.import_(tmp_path / "dump")
        assert rows_here(copy) == expected
        assert (copy.status().commit == source.status().commit) is case["commit_equal"]
        assert (copy.state_root() == source.state_root()) is case["state_equal"]
        if name not in PLACED and all(one["in"] for one in case["source_rows"]):
            assert source.status().commit == case["commit_a"] == case["commit_b"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_played_is_refused(name: str, made: Made) -> None:
    sentence, code = REFUSED[name]
    with made("source") as seat, pytest.raises(KoiniiError) as refusal:
        seat.assert_(sentence)
    assert refusal.value.code == code


def test_a_reply_has_one_locator_at_two_seats(made: Made) -> None:
    """There a reply names a number of the seat, so that two seats differ (design 4)."""
    (target, one), (again, other) = VECTORS["endorse_two_seats"]
    assert target == again
    assert one != other
    found = []
    for name in ("one", "two"):
        with made(name) as seat:
            if name == "two":
                seat.assert_("(p0 A)")
            assert seat.assert_("(p1 A)", context="CxA") == target
            found.append(seat.assert_(f'(endorses AgentB (sentexHandle "{target}"))'))
    assert found[0] == found[1]
