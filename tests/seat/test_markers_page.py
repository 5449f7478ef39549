"""The examples of docs/formats/markers.md are what a seat answers."""

from pathlib import Path

import pytest

from koinii.seat.markers import MAX_MARKER
from pages import FORMATS, blocks, pairs
from seat.made import make_seat

SHOWN = blocks("markers")
CLAIM = "(usesDatabase ProdCluster Postgres)"


def test_the_forms_of_a_marker(tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat") as seat:
        locator = seat.assert_(CLAIM)
        assert seat.marker(locator).text() + "\n" == SHOWN["marker"]
        for form in ("marker", "short"):
            found = seat.dereference(SHOWN[form])
            assert (found.resolved, found.locator) == (True, locator)
            assert (found.sentence, found.truth) == (CLAIM, True)
            assert found.seat == "AgentAtlas"


@pytest.mark.parametrize(("marker", "answer"), pairs(SHOWN["answers"], "→"))
def test_what_looking_up_answers(marker: str, answer: str, tmp_path: Path) -> None:
    with make_seat(tmp_path / "seat") as seat:
        seat.assert_(CLAIM)
        found = seat.dereference(marker)
    assert (found.reason or "resolved") == answer
    assert found.resolved == (answer == "resolved")


def test_the_bound_is_that_of_the_code() -> None:
    assert MAX_MARKER == 128 << 10
    assert "128 KiB" in (FORMATS / "markers.md").read_text(encoding="utf-8")
