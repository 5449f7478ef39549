"""Locality: what an operation costs follows what it touches, never the base.

Counted at two sizes of base, not timed: the rows that the store returns and
writes are the same, and SQLite's steps but for trees a level deeper.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import koinii
from kb.counting import Counts, counting_connections, counts_of
from koinii.remote.seat import RemoteSeat
from koinii.seat.reviewing import review
from seat.made import fast_directory

SMALL, LARGE = 1_000, 100_000
SLACK = 1.3  # trees grow a level deeper, no more
RULES = (
    "(implies (and (uses ?x ?y) (on ?y ?z)) (reaches ?x ?z))",
    "(implies (and (reaches ?x ?z) (watched ?x)) (alarmed ?x))",
)
DEPENDENTS = 9


def facts(size: int) -> Iterator[str]:
    """Yield a third that uses, a third that is on: each pair draws a conclusion."""
    for at in range(size // 3):
        yield f"(uses Cluster{at} Database{at})"
        yield f"(on Database{at} Rack{at})"
        yield f"(seen Host{at} A Part{at} Rack{at})"
    for at in range(DEPENDENTS):
        yield f"(uses Spoke{at} Hub)"
    yield "(on Hub RackH)"
    yield "(watched Cluster20)"
    yield "(watched Cluster21)"


def seat_of(path: Path, size: int) -> RemoteSeat:
    """A seat of so many facts, most of which have drawn a conclusion."""
    seat = koinii.init(str(path), agent="AgentAtlas")
    assert seat.load(facts(size)).new >= size
    seat.new_channel("CxDeploy")
    seat.join("CxDeploy")
    for rule in RULES:
        seat.assert_(rule, context="CxDeploy")
    (firings,) = seat.database.connection.execute(
        "SELECT count(*) FROM firing"
    ).fetchone()
    assert firings == size // 3 + DEPENDENTS + 2
    seat.new_channel("CxElse")
    seat.assert_("(uses Known Postgres)")
    seat.assert_("(not (uses Known Postgres))", context="CxDeploy")
    seat.assert_("(said Once)")
    seat.commit()
    return seat


def counted(seat: RemoteSeat, work: Callable[[RemoteSeat], object]) -> Counts:
    return counts_of(seat.database.connection, lambda: work(seat))


def everything(seat: RemoteSeat) -> int:
    return sum(1 for _ in seat.believed())


def reviewed(seat: RemoteSeat) -> None:
    with seat.kb.write():
        review(seat)


def at(seat: RemoteSeat, sentence: str, context: str = "CxAtlas") -> str:
    return seat.locate(sentence, context)


def replied(seat: RemoteSeat) -> None:
    target = at(seat, "(said Once)")
    seat.assert_(f'(endorses AgentAtlas (sentexHandle "{target}"))', context="CxDeploy")


def masked(seat: RemoteSeat, sentence: str) -> None:
    seat.assert_(f'(except (sentexHandle "{at(seat, sentence)}"))', context="CxDeploy")


def believes(seat: RemoteSeat, pattern: str) -> int:
    return len(list(seat.ask(pattern)))


Work = Callable[[RemoteSeat], object]
WORK: dict[str, Work] = {
    "assert": lambda seat: seat.assert_("(uses New Nothing)"),
    "assert again": lambda seat: seat.assert_("(uses Known Postgres)"),
    "assert in a channel": lambda seat: seat.assert_(
        "(uses New X)", context="CxDeploy"
    ),
    "assert many words": lambda seat: seat.assert_("(seen Host A B C D E)"),
    "assert what fires a rule": lambda seat: seat.assert_("(uses New Database30)"),
    "assert what fires rules in turn": lambda seat: seat.assert_("(watched Cluster31)"),
    "retract": lambda seat: seat.retract(at(seat, "(watched Cluster21)")),
    "retract with dependents": lambda seat: seat.retract(at(seat, "(on Hub RackH)")),
    "retract many words": lambda seat: seat.retract(
        at(seat, "(seen Host3 A Part3 Rack3)")
    ),
    "edit": lambda seat: seat.edit(
        add=["(uses Newer Y)"], remove=[at(seat, "(uses Cluster4 Database4)")]
    ),
    "a ruling": lambda seat: seat.assert_(
        "(not (reaches Cluster20 Rack20))", context="CxDeploy", strength="monotonic"
    ),
    "a ruling withdrawn": lambda seat: seat.retract(
        at(seat, "(not (reaches Cluster20 Rack20))", "CxDeploy")
    ),
    "a reply": replied,
    "its target retracted": lambda seat: seat.retract(at(seat, "(said Once)")),
    "a mask": lambda seat: masked(seat, "(uses Cluster20 Database20)"),
    "assert where there are masks": lambda seat: seat.assert_("(uses Late Database39)"),
    "retract where there are masks": lambda seat: seat.retract(
        at(seat, "(uses Late Database39)")
    ),
    "an edge to nothing": lambda seat: seat.assert_("(genlCx CxDeploy CxElsewhere)"),
    "joining a second channel": lambda seat: seat.join("CxElse"),
    "an edge withdrawn": lambda seat: seat.retract(
        at(seat, "(genlCx CxElse CxAtlas)", "CxUniverse")
    ),
    "a first argument": lambda seat: believes(seat, "(uses Cluster9 ?what)"),
    "a second argument": lambda seat: believes(seat, "(uses ?who Postgres)"),
    "a third argument": lambda seat: believes(seat, "(seen ?host ?x Part9 ?y)"),
    "a fourth argument": lambda seat: believes(seat, "(seen ?host ?x ?y Rack9)"),
    "from a channel": lambda seat: list(
        seat.ask("(uses Cluster9 ?what)", context="CxDeploy")
    ),
    "argue": lambda seat: seat.argue("(uses Known Postgres)", "CxDeploy"),
    "contradictions": lambda seat: seat.contradictions(),
    "locate and show": lambda seat: seat.show(at(seat, "(uses Known Postgres)")),
    "a stranger is introduced": reviewed,
}


@pytest.fixture(scope="module")
def seats() -> Iterator[tuple[RemoteSeat, RemoteSeat]]:
    with (
        TemporaryDirectory(dir=fast_directory()) as folder,
        counting_connections(),
        seat_of(Path(folder) / "small", SMALL) as small,
        seat_of(Path(folder) / "large", LARGE) as large,
    ):
        yield small, large


@pytest.mark.parametrize("name", WORK)
def test_cost_follows_what_is_touched(
    seats: tuple[RemoteSeat, RemoteSeat], name: str
) -> None:
    small, large = (counted(seat, WORK[name]) for seat in seats)

    assert (large.returned, large.written) == (small.returned, small.written)
    assert small.steps > 0
    assert large.steps <= small.steps * SLACK + 100


def test_a_scan_is_noticed(seats: tuple[RemoteSeat, RemoteSeat]) -> None:
    small, large = (counted(seat, everything) for seat in seats)

    assert large.returned > 50 * small.returned
    assert large.steps > 10 * small.steps


def test_the_work_does_what_it_says(tmp_path: Path) -> None:
    with seat_of(tmp_path / "seat", 120) as seat:
        conclusions = believes(seat, "(reaches ?x ?z)")
        assert conclusions == 120 // 3 + DEPENDENTS
        found = {}
        for name, work in WORK.items():
            before = everything(seat)
            work(seat)
            found[name] = everything(seat) - before
    moved = {
        "assert what fires a rule": 2,
        "assert what fires rules in turn": 2,
        "retract": -2,
        "retract with dependents": -1 - DEPENDENTS,
        "a ruling": 1 - 2,
        "a ruling withdrawn": 1,
        "a reply": 1,
        "its target retracted": -2,
        "a mask": 1 - 2,
        "assert where there are masks": 2,
    }
    assert {name: found[name] for name in moved} == moved
