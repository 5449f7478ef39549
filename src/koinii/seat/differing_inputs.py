"""Why the inputs of two seats differ: what one has applied and the other has not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.history.record import CommitRecord, PeerHead, decode_record
from koinii.seat.contests import refused
from koinii.seat.records import applied_root
from koinii.seat.two_records import Told, Two, bound_heads, listed, short

if TYPE_CHECKING:
    from koinii.seat.parts import Parts


class _Gap(NamedTuple):
    """A seat of which two seats have applied another commit; 0 is none."""

    seat: str
    ours: int
    theirs: int
    is_fork: bool  # theirs is on another branch than ours

    def told(self, two: Two) -> str:
        where = two.place(self.seat)
        if self.is_fork:
            return f"they have applied another commit {self.theirs} of {where} than we"
        theirs = (
            f"commit {self.theirs} of {where}" if self.theirs else f"none of {where}"
        )
        return f"they have applied {theirs}, we have {self.ours or 'none'}"


def explain_inputs(two: Two) -> Told:
    """Name the heads that differ, else the authors that only one of the two applies."""
    now = applied_root(two.seat)
    if now == two.peer.inputs:
        return _uncommitted(two)
    gaps = _gaps(two)
    if gaps:
        told = listed(one.told(two) for one in gaps)
        return Told(f"what was applied differs: {told}", _way_on(two, gaps))
    apart = _apart(two.seat)
    if apart:
        told = f"what was applied differs, by what is not applied here: {listed(apart)}"
        return Told(told, "koinii held")
    if now != two.own.inputs:
        return _uncommitted(two)
    return Told(
        "what was applied differs though the heads do not: one of the two holds or "
        "refuses the lines of an author whom the other applies",
        "koinii held, at that seat",
    )


def _uncommitted(two: Two) -> Told:
    return Told(
        f"what this seat has applied since its commit {two.own.number} is in no "
        "commit of it yet",
        "koinii commit",
    )


def _gaps(two: Two) -> list[_Gap]:
    """Compare our heads with theirs, seat by seat; what moved no set is no gap."""
    ours = {head.seat: head.size for head in two.seat.histories.heads()}
    heads = bound_heads(two.seat, two.peer)
    theirs = {one: head.number for one, head in heads.items()}
    theirs[two.peer.seat] = two.peer.number
    gaps = []
    for one in sorted(ours.keys() | theirs.keys()):
        mine, other = ours.get(one, 0), theirs.get(one, 0)
        is_fork = one in heads and _is_fork(two.seat, one, heads[one], mine)
        if is_fork or (mine != other and _moves(two.seat, one, other, mine)):
            gaps.append(_Gap(one, mine, other, is_fork))
    return gaps


def _is_fork(seat: Parts, one: str, head: PeerHead, ours: int) -> bool:
    """Tell whether a commit that both have applied is not the same."""
    return head.number <= ours and seat.histories.leaf(one, head.number) != head.leaf


def _moves(seat: Parts, one: str, theirs: int, ours: int) -> bool:
    """Tell whether a set may have changed between; what we do not hold may have."""
    if theirs > ours:
        return True
    between = map(decode_record, seat.histories.records(one, theirs + 1, ours))
    return any(not isinstance(one, CommitRecord) or one.agents for one in between)


def _way_on(two: Two, gaps: list[_Gap]) -> str:
    if any(one.is_fork for one in gaps):
        return "koinii peers"
    if any(one.theirs > one.ours for one in gaps):
        return "koinii pull"
    if any(one.seat == two.seat.id for one in gaps):
        return "koinii push, then koinii pull at that seat"
    return "koinii pull, at that seat"


def _apart(seat: Parts) -> list[str]:
    """Return whose newest set is refused or held here, each with the reason."""
    refusals = [
        f"{agent} at {short(place)} (refused)"
        for agent, place, _, _ in seat.histories.refusals()
    ]
    held = [
        f"{agent} at {short(place)} ({reason})"
        for (agent, place), reason in sorted(refused(seat).items())
    ]
    return [*refusals, *held]
