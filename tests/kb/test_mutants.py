"""The permutation check finds what it is there to find."""

from collections.abc import Iterator

import pytest

from kb.mutants import MUTANTS, Mutant
from kb.permuted_scenarios import SCENARIOS
from kb.permuting import Ground

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.remove()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.plant.__name__)
def test_a_planted_fault_is_shown_by_its_scenario(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, mutant: Mutant
) -> None:
    scenario = BY_NAME[mutant.shown_by]
    with monkeypatch.context() as patch:
        mutant.plant(patch)
        assert ground.first_difference(scenario) is not None
