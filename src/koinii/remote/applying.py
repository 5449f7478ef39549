"""Verified sets into the base: boundary first, one transaction a seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.contexts import ContextSet
from koinii.history.segments import folder_of
from koinii.kb.operation import Fallen
from koinii.remote.changes import NO_LINES, Changes
from koinii.remote.fetched import FetchedSeat
from koinii.remote.intake import Intake, Reply
from koinii.remote.verified_authors import RefusedAgent, VerifiedAgent
from koinii.remote.verify import VerifiedSeat
from koinii.seat.authors import make_author
from koinii.seat.reviewing import review, review_author
from koinii.seat.seat import Seat
from koinii.store.histories import AUTHORS, AgentRow, Head, InputRow
from koinii.trust.names import ADMIN


class Received(NamedTuple):
    """Where the lines of one pull went; `received` is the sum of the next four.

    `set_aside` counts lines of other seats that were applied before and are held
    now, whether they came again or not.
    """

    received: int = 0
    new: int = 0
    already: int = 0
    waiting: int = 0
    held: int = 0
    removed: int = 0
    set_aside: int = 0

    def plus(self, other: Received) -> Received:
        """Return the sums, field by field."""
        return Received(*map(sum, zip(self, other, strict=True)))


class Applied(NamedTuple):
    """What became of one seat's ref; its replies, and which of them wait as yet."""

    counts: Received
    refused: list[RefusedAgent]
    replies: list[Reply]
    waiting: list[Reply]
    fell: list[Fallen]


def introduce(seat: Seat, verified: Iterable[VerifiedSeat]) -> None:
    """Take in what agents have signed of keys and standing, in one transaction.

    A name new here stands for the key it was introduced with. What is stored is
    reviewed in the light of it, before any line of theirs is decided on.
    """
    verified = list(verified)
    rows = _introductions(verified)
    if set(seat.histories.agents()).issuperset(rows):
        return
    with seat.kb.write():
        take_in(seat, verified)
        review(seat)


def take_in(seat: Seat, verified: Iterable[VerifiedSeat]) -> None:
    """Store what agents have signed of keys; who calls it reviews what is stored."""
    verified = list(verified)
    for row in _introductions(verified):
        seat.histories.put_agent(row)
    _pin_first(seat, [agent for one in verified for agent in one.agents])


def _introductions(verified: Iterable[VerifiedSeat]) -> list[AgentRow]:
    return [
        AgentRow(agent.name, one.seat, agent.presence.key.raw, agent.statements)
        for one in verified
        for agent in one.agents
    ]


def _pin_first(seat: Seat, agents: Iterable[VerifiedAgent]) -> None:
    """Let each name that is new here stand for the key that it came with first."""
    pinned = {ADMIN, *seat.histories.pins()}
    for agent in agents:
        if agent.name not in pinned:
            first = agent.presence.introduction.key
            seat.histories.pin(agent.name, first.key_hash.hex(), decided=False)
            pinned.add(agent.name)


def apply_seat(
    seat: Seat,
    fetched: FetchedSeat,
    verified: VerifiedSeat,
    tip: str,
    *,
    back: bool = False,
) -> Applied:
    """Apply a verified ref in one transaction with one settle.

    `back` says that nobody has taken anything back: what is not there any more is
    of a history that is not followed, and own replies to it only wait.
    """
    refused = list(verified.refused)
    total, replies = Received(), list[Reply]()
    with seat.kb.write():
        before = seat.kb.fallen()
        for agent in verified.agents:
            try:
                with seat.database.savepoint():
                    counts, named = _apply_agent(
                        seat, fetched, verified, agent, back=back
                    )
            except VerificationError as error:
                path = str(error.details.get("path") or f"agents/{agent.name}/authored")
                refused.append(RefusedAgent(agent.name, path, error.message))
                continue
            seat.histories.accept(agent.name, verified.seat)
            total, replies = total.plus(counts), replies + named
        for name, path, reason in refused:
            seat.histories.refuse(name, verified.seat, path, reason)
        _keep_head(seat, verified, tip, AUTHORS if refused else "")
        seat.progress("settling", 0)
        seat.kb.settle()
        waiting = waiting_of(seat, replies)
        fell = [one for one in seat.kb.fallen() if one not in before]
    counts = total.plus(as_waiting(waiting))
    return Applied(counts, refused, replies, waiting, fell)


def waiting_of(seat: Seat, replies: Iterable[Reply]) -> list[Reply]:
    """Return those that wait, as far as is settled."""
    waits = seat.kb.assertions.waits
    return [one for one in replies if waits(one.author, one.digest)]


def as_waiting(replies: list[Reply], sign: int = 1) -> Received:
    """Return what it adds to the counts that these wait; -1 takes it back."""
    here = sign * sum(one.was_here for one in replies)
    every = sign * len(replies)
    return Received(new=here - every, already=-here, waiting=every)


def _keep_head(seat: Seat, verified: VerifiedSeat, tip: str, trouble: str) -> None:
    history = verified.history
    first = history.size - len(history.new) + 1
    seat.histories.cut(verified.seat, first - 1)
    seat.histories.append(
        verified.seat,
        (
            (number, data, history.leaves[number - 1])
            for number, data in enumerate(history.entries, start=first)
        ),
    )
    seat.histories.put_head(
        Head(
            verified.seat, history.key.raw, history.size, history.checkpoint,
            tip, trouble,
        )
    )  # fmt: skip


# One author -------------------------------------------------------------------


def _apply_agent(
    seat: Seat,
    fetched: FetchedSeat,
    verified: VerifiedSeat,
    agent: VerifiedAgent,
    *,
    back: bool,
) -> tuple[Received, list[Reply]]:
    if agent.authored is None:
        return Received(), []
    who = agent.name, verified.seat
    author = make_author(seat, *who)
    changes = Changes(seat, fetched, verified.listed, agent, author)
    refusal = review_author(seat, who, agent.authored.number)
    intake = Intake(seat, agent.name, author, refusal)
    moved = changes.moved()
    intake.take(changes, moved)
    changes.check(intake.removed)
    gone = _take_out(seat, author, intake.removed, back=back)
    for one in moved:
        seat.files.see(author, folder_of(agent.name, one.context), one.present)
    _note_sets(seat, author, agent.contexts)
    seat.histories.put_input(
        InputRow(
            author, agent.authored.number, agent.authored.size,
            agent.authored.root.hex(), agent.statement,
        )
    )  # fmt: skip
    counts = Received(
        received=intake.received,
        new=intake.counts.new + intake.counts.changed,
        already=intake.counts.already,
        held=intake.held,
        removed=gone,
        set_aside=intake.set_aside,
    )
    return counts, intake.replies


def _take_out(
    seat: Seat, author: int, removed: Mapping[str, list[bytes]], *, back: bool
) -> int:
    """Take out the lines that are gone; return how many there were."""
    gone = 0
    for context, digests in removed.items():
        if digests and back:
            gone += seat.kb.set_aside(author, digests)
        elif digests:
            gone += seat.kb.drop(author, digests, journal=False)
        place = seat.kb.names.make_context(context)
        gone += seat.kb.assertions.release([(author, place, one) for one in digests])
    return gone


def _note_sets(seat: Seat, author: int, contexts: Iterable[ContextSet]) -> None:
    """Note what an author's root is over, contexts that are not taken included."""
    rows = seat.kb.assertions
    before = {place: (size, root) for place, size, root in rows.published(author)}
    after = {
        seat.kb.names.make_context(context): (size, root)
        for context, size, root in contexts
    }
    for place in before.keys() | after.keys():
        now = after.get(place, NO_LINES)
        if now != before.get(place):
            rows.publish(author, place, *now)
