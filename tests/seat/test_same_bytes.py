"""The same words have the same bytes everywhere, or are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import KoiniiError, RefusedError
from koinii.seat.seat import Seat
from koinii.terms import Symbol
from reference import seat_twin as twin
from seat.children import PROGRAM
from seat.made import copy_of_two, open_seat


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as seat:
        yield seat


COMPOSED, DECOMPOSED = "Caf\u00e9", "Cafe\u0301"


@pytest.mark.parametrize("form", ["(p {} A)", '(p "{}" A)', "(p (Fn {}) A)"])
def test_bc_037_composed_and_decomposed_are_one(seat: Seat, form: str) -> None:
    located = seat.assert_(form.format(DECOMPOSED))

    assert seat.assert_(form.format(COMPOSED)) == located
    assert located == seat.locate(form.format(COMPOSED), "CxAtlas")
    assert seat.status().size == 1
    for spelling in (COMPOSED, DECOMPOSED):
        pattern = form.format(spelling).replace(" A)", " ?x)")
        assert list(seat.ask(pattern)) == [{"?x": Symbol("A")}]
    seat.commit()
    (segment,) = [path for path, _, _ in seat.files.listing() if path.endswith(".kb")]
    assert segment.startswith("agents/AgentAtlas/claims/CxAtlas/")


@pytest.mark.parametrize("name", [COMPOSED, DECOMPOSED])
def test_bc_037_names_of_contexts_have_no_accents(seat: Seat, name: str) -> None:
    with pytest.raises(RefusedError):
        seat.assert_("(p A)", context=f"Cx{name}")
    assert not list(seat.believed())


@pytest.mark.parametrize(
    "value",
    ["nan", "NaN", "inf", "-inf", "Infinity", "-Infinity", "1e999", "-1e999", "##NaN"],
)
def test_bc_126_no_number_without_one_value(seat: Seat, value: str) -> None:
    """Refused, or a plain name that is no number at all."""
    try:
        located = seat.assert_(f"(p {value})")
    except KoiniiError:
        assert not list(seat.believed())
        return
    assert located == twin.locator("CxAtlas", f"(p {value})")  # a symbol's bytes
    assert seat.argue(f"(p {value})", "CxAtlas").verdict == "true"
    assert not list(seat.ask("(and (p ?x) (not (lessThan 0 ?x)) (lessThan ?x 1))"))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_bc_126_a_float_that_is_none_is_refused(seat: Seat, value: float) -> None:
    with pytest.raises(KoiniiError):
        seat.assert_((Symbol("p"), value))
    assert not list(seat.believed())


def test_bc_126_minus_zero_is_zero(seat: Seat) -> None:
    assert seat.assert_("(p -0.0)") == seat.assert_("(p 0.0)")
    assert seat.status().size == 1


SIZES = [0, 1, 23, 24, 255, 256, *range(4085, 4101), 8191, 8192, 65_520, 65_527]


@pytest.mark.parametrize("character", ["x", "\u00e9", "\u65e5", "\U0001f600"])
def test_bc_112_no_length_changes_a_byte(tmp_path: Path, character: str) -> None:
    path = copy_of_two(tmp_path)
    wide = len(character.encode())
    texts = ["y" * (size % wide) + character * (size // wide) for size in SIZES]
    assert [len(text.encode()) for text in texts] == SIZES
    with open_seat(path) as seat:
        located = [seat.assert_((Symbol("p"), text)) for text in texts]
        report = seat.load([f'(q "{text}")\n' for text in texts])
        assert (report.new, report.refused) == (len(texts), [])
        with pytest.raises(RefusedError) as caught:
            seat.assert_((Symbol("p"), "x" * 65_536))
        assert caught.value.code == "shape"
        seat.commit()
    assert located == [twin.locator("CxAtlas", f'(p "{text}")') for text in texts]
    with open_seat(path) as seat:
        assert {row["?x"] for row in seat.ask("(p ?x)")} == set(texts)
        assert {row["?x"] for row in seat.ask("(q ?x)")} == set(texts)


def test_bc_100_times_are_whole_milliseconds(tmp_path: Path) -> None:
    path = copy_of_two(tmp_path)
    moments = [0, 1, 253_402_300_799_999, 2**53 + 1, 10**16 - 1]
    for number, moment in enumerate(moments):
        with open_seat(path, now=lambda moment=moment: moment) as seat:  # type: ignore[misc]
            located = seat.assert_(f"(p {number})")
        with open_seat(path) as seat:
            (found,) = seat.believed()
            assert found.locator == located
            (row,) = seat.kb.asserted_by(found.id)
            assert row[4] == moment
            assert seat.dereference(located).created == moment
            seat.retract(located)


def built(path: Path, **surroundings: str) -> str:
    """What a process of its own makes of the same words."""
    return subprocess.run(
        [sys.executable, str(PROGRAM), "build", str(path)],
        env={**os.environ, **surroundings},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_bc_128_no_seed_and_no_locale_changes_a_byte(tmp_path: Path) -> None:
    surroundings = [{"PYTHONHASHSEED": str(seed)} for seed in (0, 1, 2, 3)]
    surroundings += [{"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}]
    outcomes = set()
    for number, one in enumerate(surroundings):
        directory = tmp_path / str(number)
        directory.mkdir()
        outcomes.add(built(copy_of_two(directory), **one))
    (outcome,) = outcomes
    assert len(outcome.splitlines()) > 10
