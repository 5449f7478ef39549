"""Verified sets into the base: boundary first, one transaction a seat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.contexts import ContextSet
from koinii.history.segments import folder_of
from koinii.kb.claim import line_leaf, parse_claim
from koinii.kb.operation import Fallen
from koinii.kb.writing import Counts, Said
from koinii.merkle import EMPTY_ROOT
from koinii.remote.changes import Changes, ContextChange
from koinii.remote.fetched import FetchedSeat
from koinii.remote.verified_authors import RefusedAgent, VerifiedAgent
from koinii.remote.verify import VerifiedSeat
from koinii.seat.authors import make_author
from koinii.seat.reviewing import review, review_author
from koinii.seat.seat import Seat
from koinii.store.assertions import HeldRow
from koinii.store.histories import AUTHORS, AgentRow, Head, InputRow
from koinii.trust.boundary import admit
from koinii.trust.names import ADMIN

BATCH = 10_000
NO_LINES = 0, EMPTY_ROOT
HANDLE = "(sentexHandle "


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


class Reply(NamedTuple):
    """A line that was applied and names a locator, so that it may wait for it."""

    author: int
    digest: bytes
    was_here: bool  # just as it came


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
    changes = Changes(seat, fetched, verified.listed, agent, author).read()
    refusal = review_author(seat, who, agent.authored.number)
    total, replies = Received(), list[Reply]()
    for change in changes:
        replies += _replies(seat, author, change)
        total = total.plus(_apply_context(seat, who, change, refusal, back=back))
    _note_sets(seat, author, agent.contexts)
    seat.histories.put_input(
        InputRow(
            author, agent.authored.number, agent.authored.size,
            agent.authored.root.hex(), agent.statement,
        )
    )  # fmt: skip
    return total, replies


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


def _replies(seat: Seat, author: int, change: ContextChange) -> list[Reply]:
    """Return which of the lines that come may have to wait, before they are put."""
    return [
        Reply(author, digest, _leaf_of(seat, author, digest) == line_leaf(line))
        for digest, line in change.added
        if HANDLE in line
    ]


def _leaf_of(seat: Seat, author: int, digest: bytes) -> bytes | None:
    row = seat.kb.assertions.line(author, digest)
    return row and row[-1]


def _apply_context(
    seat: Seat,
    who: tuple[str, str],
    change: ContextChange,
    refusal: str,
    *,
    back: bool,
) -> Received:
    author = seat.kb.names.make_author(*who)
    place = seat.kb.names.make_context(change.context)
    rows = seat.kb.assertions
    allowed, held = _sorted_out(seat, who, change, refusal)
    rows.release([(author, place, digest) for digest, _ in change.added])
    refused = [digest for _, _, digest, _, _, _ in held]
    aside = seat.kb.set_aside(author, refused)
    rows.hold(held)
    counts = Counts()
    for start in range(0, len(allowed), BATCH):
        batch = allowed[start : start + BATCH]
        put = seat.kb.put(author, batch, replace=True, journal=False)
        seat.progress("applying", len(batch))
        counts = Counts(*map(sum, zip(counts, put, strict=True)))
    if back:
        gone = seat.kb.set_aside(author, change.removed)
    else:
        gone = seat.kb.drop(author, change.removed, journal=False)
    gone += rows.release([(author, place, digest) for digest in change.removed])
    seat.files.see(author, folder_of(who[0], change.context), change.seen)
    return Received(
        received=len(change.added),
        new=counts.new + counts.changed,
        already=counts.already,
        held=len(held),
        removed=gone,
        set_aside=aside,
    )


def _sorted_out(
    seat: Seat, who: tuple[str, str], change: ContextChange, refusal: str
) -> tuple[list[Said], list[HeldRow]]:
    """Let the boundary decide on each line; a refused one is held alone.

    `refusal` is why no line of this author counts, '' where they do.
    """
    world = seat.world()
    author = seat.kb.names.make_author(*who)
    place = seat.kb.names.make_context(change.context)
    allowed: list[Said] = []
    held: list[HeldRow] = []
    for digest, line in change.added:
        claim = parse_claim(line)
        said = Said(
            change.context, claim.sentence, claim.text, claim.strength,
            claim.created, claim.extras, claim.wrappers,
        )  # fmt: skip
        found = admit(who[0], said.context, said.sentence, said.strength, world)
        reason = refusal or (found.code if found else "")
        if reason:
            held.append((author, place, digest, line_leaf(line), line, reason))
        else:
            allowed.append(said)
    return allowed, held
