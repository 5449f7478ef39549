"""Verified sets into the base: boundary first, one transaction a seat.

Each author's lines are rebuilt from the segments it has not shown before and
compared with the root it signed *before* anything is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.roots import author_tree
from koinii.kb.claim import claim_locator, line_leaf, parse_claim
from koinii.kb.writing import Counts, Said
from koinii.merkle import EMPTY_ROOT
from koinii.merkle import root as tree_root
from koinii.remote.names import quote
from koinii.remote.segments import catch_up, read_segment
from koinii.remote.verify import (
    FetchedSeat,
    VerifiedAgent,
    VerifiedSeat,
    bad,
    read_listed,
)
from koinii.seat.reviewing import CONTESTED, contested, review
from koinii.seat.seat import Seat
from koinii.store.assertions import HeldRow
from koinii.store.histories import AgentRow, Head, InputRow
from koinii.terms.locator import Locator, raw_digest
from koinii.trust.boundary import admit

BATCH = 10_000


class ContextChange(NamedTuple):
    """What one context of an author comes to, root and all."""

    context: str
    size: int
    root: bytes
    added: list[tuple[bytes, str]]  # digest, claim line
    removed: list[bytes]
    seen: list[tuple[str, str]]


class Received(NamedTuple):
    """Where the lines of one pull went; `received` is the sum of the next four."""

    received: int = 0
    new: int = 0
    already: int = 0
    waiting: int = 0
    held: int = 0
    removed: int = 0

    def plus(self, other: Received) -> Received:
        """Return the sums, field by field."""
        return Received(*map(sum, zip(self, other, strict=True)))


class Applied(NamedTuple):
    """What became of one seat's ref."""

    counts: Received
    refused: list[tuple[str, str, str]]  # agent, path, reason


def apply_seat(
    seat: Seat, fetched: FetchedSeat, verified: VerifiedSeat, tip: str
) -> Applied:
    """Apply a verified ref in one transaction with one settle."""
    refused = [tuple(one) for one in verified.refused]
    total = Received()
    with seat.kb.write():
        _keep_history(seat, verified, tip)
        _introduce(seat, verified)
        for agent in verified.agents:
            try:
                with seat.database.savepoint():
                    counts = _apply_agent(seat, fetched, verified, agent)
            except VerificationError as error:
                path = str(error.details.get("path") or f"agents/{agent.name}/authored")
                refused.append((agent.name, path, error.message))
                continue
            seat.histories.accept(agent.name, verified.seat)
            total = total.plus(counts)
        for name, path, reason in refused:
            seat.histories.refuse(name, verified.seat, path, reason)
        trouble = "authors" if refused else ""
        seat.histories.set_trouble(verified.seat, trouble)
        review(seat, {agent.name for agent in verified.agents})
    return Applied(total, [(a, p, r) for a, p, r in refused])


def _keep_history(seat: Seat, verified: VerifiedSeat, tip: str) -> None:
    seat.histories.append(verified.seat, verified.records)
    seat.histories.put_head(
        Head(
            verified.seat, verified.key.raw, verified.size, verified.checkpoint,
            tip, "",
        )
    )  # fmt: skip


def _introduce(seat: Seat, verified: VerifiedSeat) -> None:
    """Remember the agents' keys; a name new here stands for the key it came with."""
    pins = seat.histories.pins()
    for agent in verified.agents:
        seat.histories.put_agent(
            AgentRow(agent.name, verified.seat, agent.key.raw, agent.statements)
        )
        if agent.name not in pins:
            seat.histories.pin(agent.name, agent.key.key_hash.hex())
    seat.forget_world()


# One author -------------------------------------------------------------------


def _apply_agent(
    seat: Seat, fetched: FetchedSeat, verified: VerifiedSeat, agent: VerifiedAgent
) -> Received:
    if agent.authored is None:
        return Received()
    author = seat.kb.names.make_author(agent.name, verified.seat)
    changes = list(_changes(seat, fetched, verified, agent, author))
    _check_root(seat, agent, author, changes)
    total = Received()
    for change in changes:
        total = total.plus(_apply_context(seat, agent, author, change))
    seat.histories.put_input(
        InputRow(
            author, agent.authored.number, agent.authored.size,
            agent.authored.root.hex(), agent.statement,
        )
    )  # fmt: skip
    return total


def _changes(
    seat: Seat,
    fetched: FetchedSeat,
    verified: VerifiedSeat,
    agent: VerifiedAgent,
    author: int,
) -> Iterator[ContextChange]:
    """Yield what moved in each context, and contexts that are gone."""
    for context, present in agent.segments.items():
        seen = seat.files.seen(author, _folder(agent.name, context))
        if set(present) != seen:
            plan = catch_up(seen, present)
            last = _last_words(fetched, verified, context, plan.files)
            place = seat.kb.names.make_context(context)
            if plan.refold:
                for digest in seat.kb.assertions.digests(author, place):
                    last.setdefault(digest, None)
            yield _context_change(seat, author, context, last, present)
    for number, _, _ in seat.kb.assertions.published(author):
        context = seat.kb.names.context(number)
        if context not in agent.segments:
            yield _emptied(seat, author, context)


def _context_change(
    seat: Seat,
    author: int,
    context: str,
    last: dict[bytes, str | None],
    present: list[tuple[str, str]],
) -> ContextChange:
    """Work out a context's root as the last words on each locator leave it."""
    place = seat.kb.names.make_context(context)
    rows = seat.kb.assertions
    added = [(digest, line) for digest, line in last.items() if line is not None]
    removed = [digest for digest, line in last.items() if line is None]
    after = set(rows.line_leaves(author, place))
    after.difference_update(rows.leaves_of(author, place, list(last)))
    after.update(line_leaf(line) for _, line in added)
    root = tree_root(sorted(after))
    return ContextChange(context, len(after), root, added, removed, present)


def _last_words(
    fetched: FetchedSeat,
    verified: VerifiedSeat,
    context: str,
    files: Sequence[tuple[str, str]],
) -> dict[bytes, str | None]:
    """Return what the segments, oldest first, say last of each locator."""
    last: dict[bytes, str | None] = {}
    for path, _ in files:
        body = read_listed(fetched, path, verified.listed)
        for locator, line in read_segment(
            body, lambda line: claim_locator(context, line), path
        ):
            last[raw_digest(Locator(locator))] = line
    return last


def _emptied(seat: Seat, author: int, context: str) -> ContextChange:
    place = seat.kb.names.make_context(context)
    removed = seat.kb.assertions.digests(author, place)
    return ContextChange(context, 0, EMPTY_ROOT, [], removed, [])


def _check_root(
    seat: Seat, agent: VerifiedAgent, author: int, changes: list[ContextChange]
) -> None:
    """Compare what the author's set would be with the root it signed."""
    assert agent.authored is not None  # noqa: S101 - the caller looked
    sets = {
        seat.kb.names.context(number): (size, root)
        for number, size, root in seat.kb.assertions.published(author)
    }
    sets |= {change.context: (change.size, change.root) for change in changes}
    rows = [(context, *row) for context, row in sets.items() if row[0]]
    root, size = author_tree(rows).root, sum(size for _, size, _ in rows)
    if (root, size) != (agent.authored.root, agent.authored.size):
        raise bad(
            f"agents/{quote(agent.name)}/authored",
            "the claims are not the set that was signed",
        )


def _apply_context(
    seat: Seat, agent: VerifiedAgent, author: int, change: ContextChange
) -> Received:
    place = seat.kb.names.make_context(change.context)
    rows = seat.kb.assertions
    gone = seat.kb.drop(author, change.removed, journal=False)
    gone += rows.release([(author, place, digest) for digest in change.removed])
    allowed, held = _sorted_out(seat, agent, author, change)
    rows.release([(author, place, digest) for digest, _ in change.added])
    seat.kb.drop(author, [digest for _, _, digest, _, _, _ in held], journal=False)
    rows.hold(held)
    counts = Counts()
    for start in range(0, len(allowed), BATCH):
        batch = allowed[start : start + BATCH]
        put = seat.kb.put(author, batch, replace=True, journal=False)
        counts = Counts(*map(sum, zip(counts, put, strict=True)))
    rows.publish(author, place, change.size, change.root)
    seat.files.see(author, _folder(agent.name, change.context), change.seen)
    return Received(
        received=len(change.added),
        new=counts.new + counts.changed,
        already=counts.already,
        held=len(held),
        removed=gone,
    )


def _sorted_out(
    seat: Seat, agent: VerifiedAgent, author: int, change: ContextChange
) -> tuple[list[Said], list[HeldRow]]:
    """Let the boundary decide on each line; a refused one is held alone."""
    world = seat.world()
    place = seat.kb.names.make_context(change.context)
    disputed = (agent.name, _seat_of(seat, author)) in contested(seat)
    allowed: list[Said] = []
    held: list[HeldRow] = []
    for digest, line in change.added:
        claim = parse_claim(line)
        said = Said(
            change.context, claim.sentence, claim.text, claim.strength,
            claim.created, claim.extras,
        )  # fmt: skip
        refusal = admit(agent.name, said.context, said.sentence, said.strength, world)
        reason = CONTESTED if disputed else refusal.code if refusal else ""
        if reason:
            held.append((author, place, digest, line_leaf(line), line, reason))
        else:
            allowed.append(said)
    return allowed, held


def _seat_of(seat: Seat, author: int) -> str:
    return seat.kb.names.author(author)[1]


def _folder(agent: str, context: str) -> str:
    return f"agents/{quote(agent)}/claims/{quote(context)}/"
