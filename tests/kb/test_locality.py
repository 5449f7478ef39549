"""Locality: what an operation costs follows what it touches, never the base.

Counted in steps of SQLite's machine, at two sizes of base, not timed.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

import koinii
from koinii.remote.seat import RemoteSeat
from koinii.seat.reviewing import review

SMALL, LARGE = 300, 9_000
GRAIN = 25  # steps between two counts
SLACK = 1.3  # trees grow a level deeper, no more


def seat_of(path: Path, size: int) -> RemoteSeat:
    seat = koinii.init(str(path), agent="AgentAtlas")
    seat.new_channel("CxDeploy")
    seat.join("CxDeploy")
    seat.load(f"(uses Cluster{at} Database{at % 7})" for at in range(size))
    seat.load(
        (f"(seen Host{at} A Part{at} Rack{at})" for at in range(size)),
        context="CxDeploy",
    )
    seat.assert_("(uses Known Postgres)")
    seat.assert_("(not (uses Known Postgres))", context="CxDeploy")
    seat.commit()
    return seat


def steps_of(seat: RemoteSeat, work: Callable[[RemoteSeat], object]) -> int:
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    seat.database.connection.set_progress_handler(count, GRAIN)
    try:
        work(seat)
    finally:
        seat.database.connection.set_progress_handler(None, GRAIN)
    return counted * GRAIN


def everything(seat: RemoteSeat) -> int:
    return sum(1 for _ in seat.believed())


def reviewed(seat: RemoteSeat) -> None:
    with seat.database.write():
        review(seat, {"AgentStranger"})


WORK: dict[str, Callable[[RemoteSeat], object]] = {
    "assert": lambda seat: seat.assert_("(uses New Postgres)"),
    "assert again": lambda seat: seat.assert_("(uses Known Postgres)"),
    "assert in a channel": lambda seat: seat.assert_(
        "(uses New X)", context="CxDeploy"
    ),
    "assert many words": lambda seat: seat.assert_("(seen Host A B C D E)"),
    "retract": lambda seat: seat.retract(
        seat.locate("(uses Cluster3 Database3)", "CxAtlas")
    ),
    "retract many words": lambda seat: seat.retract(
        seat.locate("(seen Host3 A Part3 Rack3)", "CxDeploy")
    ),
    "edit": lambda seat: seat.edit(
        add=["(uses Newer Y)"],
        remove=[seat.locate("(uses Cluster4 Database4)", "CxAtlas")],
    ),
    "edge": lambda seat: seat.assert_("(genlCx CxDeploy CxElsewhere)"),
    "a first argument": lambda seat: list(seat.ask("(uses Cluster9 ?what)")),
    "a second argument": lambda seat: list(seat.ask("(uses ?who Postgres)")),
    "a third argument": lambda seat: list(seat.ask("(seen ?host ?x Part9 ?y)")),
    "a fourth argument": lambda seat: list(seat.ask("(seen ?host ?x ?y Rack9)")),
    "from a channel": lambda seat: list(
        seat.ask("(uses Cluster9 ?what)", context="CxDeploy")
    ),
    "argue": lambda seat: seat.argue("(uses Known Postgres)", "CxDeploy"),
    "locate and show": lambda seat: seat.show(
        seat.locate("(uses Known Postgres)", "CxAtlas")
    ),
    "a stranger is introduced": reviewed,
}


@pytest.fixture(scope="module")
def seats(tmp_path_factory: pytest.TempPathFactory) -> tuple[RemoteSeat, RemoteSeat]:
    folder = tmp_path_factory.mktemp("locality")
    return seat_of(folder / "small", SMALL), seat_of(folder / "large", LARGE)


@pytest.mark.parametrize("name", WORK)
def test_cost_follows_what_is_touched(
    seats: tuple[RemoteSeat, RemoteSeat], name: str
) -> None:
    small, large = (steps_of(seat, everything) for seat in seats)

    assert large > 10 * small
