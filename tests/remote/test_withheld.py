"""A remote that was rolled back is told to whoever audits or pushes there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from faces.command import koinii as typed
from koinii.remote.publish import own_ref
from remote.conftest import Plain
from remote.desks import Sit, room, sitting


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def test_a_commit_that_another_seat_has_cosigned_there(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.push()
    bert.assert_("(later)")
    bert.commit()
    bert.push()
    anna.pull()
    anna.commit()
    anna.push()
    assert all(one.equal for one in koinii.audit_all(str(bare), bert.id))
    plain(bare, "update-ref", own_ref(bert), f"{own_ref(bert)}~1")

    found = koinii.audit(str(bare), bert.id)
    assert (found.number, found.equal) == (2, False)
    assert found.missing is not None
    assert found.missing.field == "history"
    assert found.missing.why == f"seat {anna.id} has seen it, and the remote shows 1"
    every = list(koinii.audit_all(str(bare), bert.id))
    assert [one.equal for one in every] == [True, False]
    assert every[-1] == found
    assert koinii.audit(str(bare), bert.id, 1).equal
    assert typed("audit", bert.id, "--all", "--from", str(bare)).code == 6


def test_a_commit_that_the_seat_that_asks_has_met(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.push()
    bert.assert_("(later)")
    bert.commit()
    bert.push()
    anna.pull()
    plain(bare, "update-ref", own_ref(bert), f"{own_ref(bert)}~1")

    assert koinii.audit(str(bare), bert.id).equal  # nobody there has seen more
    found = anna.audit(bert.id)
    assert found.missing is not None
    assert found.missing.why == "the seat that asks has seen it, and the remote shows 1"
    place = anna.layout.directory
    done = typed("audit", bert.id, "-C", place, "--json")
    assert (done.code, done.error["code"]) == (6, "koinii/not-rebuilt")
    done = typed("audit", bert.id, "-C", bert.layout.directory, "--all", "--json")
    assert (done.code, done.error["code"]) == (6, "koinii/not-rebuilt")


def test_what_was_not_pushed_yet_is_not_missed(sit: Sit) -> None:
    anna = sit("anna")
    anna.push()
    anna.assert_("(later)")
    anna.commit()
    assert anna.audit(anna.id).equal
