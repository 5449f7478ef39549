"""What others said is compared and rebuilt after a remote or the repository went."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import VerificationError
from koinii.remote.doctor import examine
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


def test_what_came_of_a_remote_that_was_removed_is_compared_still(
    sit: Sit, bare: Path
) -> None:
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    bert.pull()
    before = bert.diff(anna.id)

    bert.remotes.remove("origin")
    assert bert.diff(anna.id) == before
    bert.gc()
    assert bert.diff(anna.id) == before

    bert.remotes.add("other", str(bare))
    assert bert.pull("other").moved == 0
    assert bert.diff(anna.id) == before


def test_a_pull_fetches_what_a_lost_repository_had(sit: Sit) -> None:
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    bert.pull()
    bert.commit()
    bert.push()
    before = bert.diff(anna.id)
    (claim,) = (one.locator for one in bert.believed() if one.context == "CxAnna")
    turned = bert.turns(claim)
    shutil.rmtree(bert.layout.git)
    examine(bert.layout, fix=True)

    with pytest.raises(VerificationError) as caught:
        bert.diff(anna.id)
    assert caught.value.hint.startswith("koinii pull")
    missing = bert.turns(claim).missing
    assert missing is not None
    assert missing.hint.startswith("koinii pull")

    pulled = bert.pull()
    assert (pulled.moved, pulled.new) == (1, 0)
    assert bert.diff(anna.id) == before
    assert bert.turns(claim) == turned
    assert bert.pull().moved == 0
