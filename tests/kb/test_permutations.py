"""The order in which a seat is told things leaves no trace in what it believes."""

from collections.abc import Iterator

import pytest

from kb.permuted_scenarios import SCENARIOS
from kb.permuting import Ground, orders

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    made = Ground()
    yield made
    made.remove()


@pytest.mark.parametrize("name", BY_NAME)
def test_every_order_ends_the_same(ground: Ground, name: str) -> None:
    assert ground.first_difference(BY_NAME[name]) is None


def test_the_orders_keep_what_is_kept_and_nothing_else() -> None:
    reply = BY_NAME["a retraction takes the replies along, and theirs"]
    free = BY_NAME["a reply waits for its target, and a reply for that reply"]

    assert len(set(orders(free))) == 120
    for order in orders(reply, 100):
        place = {move: at for at, move in enumerate(order)}
        assert place[5] > max(place[0], place[1], place[2], place[3])


def test_there_are_scenarios_enough_and_each_has_its_own_name() -> None:
    assert len(BY_NAME) == len(SCENARIOS) >= 30
    assert all(len(list(orders(one))) > 1 for one in SCENARIOS)


def test_scenarios_end_differently(ground: Ground) -> None:
    """No two scenarios test the same end, and none ends empty."""
    ends = [ground.play(one, range(len(one.moves))) for one in SCENARIOS]

    assert len({end.root for end in ends}) == len(SCENARIOS)
    assert all(end.labels for end in ends)
