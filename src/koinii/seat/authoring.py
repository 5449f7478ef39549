"""What each agent of this seat asserts: net changes, signed roots, segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.history.contexts import write_contexts
from koinii.history.paths import quote
from koinii.history.record import AuthoredRoot
from koinii.history.roots import author_tree
from koinii.kb.claim import stored_line
from koinii.merkle import root as tree_root
from koinii.note import Signer, parse_note
from koinii.seat.agent_keys import agent_key
from koinii.seat.modes import LIMITS
from koinii.store import meta
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.histories import InputRow
from koinii.terms.locator import locator_of
from koinii.trust.reasons import REVOKED
from koinii.trust.statements import (
    Authored,
    parse_statement,
    sign_statement,
    statement_hash,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.history.segments import Change
    from koinii.seat.parts import Parts
    from koinii.seat.publishing import Draft


MOST = 100  # agents in one record,
MOST_BYTES = 8192  # and bytes of their entries there: a record has 16 KiB
_ENTRY = 88  # bytes of an entry besides the name


def sign_sets(seat: Parts, draft: Draft, number: int) -> dict[str, AuthoredRoot]:
    """Sign the sets that changed, as many as a record holds; return their roots.

    Those that are left stay touched, for the next commit.
    """
    changed: dict[str, AuthoredRoot] = {}
    for author, contexts in _next_authors(seat).items():
        agent, _ = seat.kb.names.author(author)
        moved = [_context_set(seat, draft, author, context) for context in contexts]
        if any(moved):
            changed[agent] = _sign_set(seat, draft, author, number)
        seat.kb.assertions.clear_changes(author)
    for author, agent in _to_sign_anew(seat, number):
        if agent not in changed and len(changed) < MOST:
            changed[agent] = _sign_set(seat, draft, author, number)
    return changed


def _to_sign_anew(seat: Parts, number: int) -> Iterator[tuple[int, str]]:
    """Yield our authors whose newest set is signed by a revoked key that was replaced.

    Their set has not changed; with its next signature it counts again.
    """
    if not meta.get(seat.database.connection, LIMITS):
        return
    counting, known = seat.weighing()
    for row in seat.histories.inputs():
        who = seat.kb.names.author(row.author)
        if who[1] != seat.id:
            continue
        before, now = (counting.weigh(known[who], at) for at in (row.number, number))
        if before == REVOKED and not now:
            yield row.author, who[0]


def _next_authors(seat: Parts) -> dict[int, list[int]]:
    """Return the authors that one record has room for, with contexts touched."""
    touched: dict[int, list[int]] = {}
    room = MOST_BYTES
    for author, context in seat.kb.assertions.dirty():
        if author not in touched:
            agent, _ = seat.kb.names.author(author)
            room -= len(agent) + _ENTRY
            if room < 0 or len(touched) == MOST:
                break
        touched.setdefault(author, []).append(context)
    return touched


def _context_set(seat: Parts, draft: Draft, author: int, context: int) -> bool:
    """Write one context's net change; False if it comes to nothing."""
    rows = seat.kb.assertions
    changes = _net_changes(seat, author, context)
    if not changes:
        return False
    agent, _ = seat.kb.names.author(author)
    draft.add_segment(agent, seat.kb.names.context(context), changes)
    leaves = list(rows.line_leaves(author, context))
    rows.publish(author, context, len(leaves), tree_root(leaves))
    return True


def _net_changes(seat: Parts, author: int, context: int) -> list[Change]:
    rows = seat.kb.assertions
    touched = rows.changes(author, context)
    if any(digest == WHOLE_CONTEXT for digest, _ in touched):
        return _whole_context(seat, author, context)
    changes: list[Change] = []
    for digest, before in touched:
        now = _line(seat, author, context, digest)
        if now is None and before is not None:
            changes.append((locator_of(digest), None))
        elif now is not None and now[1] != before:
            changes.append((locator_of(digest), now[0]))
    return changes


def _whole_context(seat: Parts, author: int, context: int) -> list[Change]:
    rows = seat.kb.assertions
    changes: list[Change] = [
        (locator_of(digest), stored_line(body, strength, created, extras, wrappers))
        for digest, body, strength, created, extras, wrappers in rows.lines(
            author, context
        )
    ]
    held = rows.held_in(author, context)
    return [*changes, *[(locator_of(digest), line) for digest, line in held]]


def _line(
    seat: Parts, author: int, context: int, digest: bytes
) -> tuple[str, bytes] | None:
    """Return an author's live line of one locator and its leaf."""
    row = seat.kb.assertions.line(author, digest)
    if row is not None:
        body, strength, created, extras, wrappers, leaf = row
        return stored_line(body, strength, created, extras, wrappers), leaf
    return seat.kb.assertions.held_line(author, context, digest)


def _sign_set(seat: Parts, draft: Draft, author: int, number: int) -> AuthoredRoot:
    agent, _ = seat.kb.names.author(author)
    contexts = [
        (seat.kb.names.context(context), size, root)
        for context, size, root in seat.kb.assertions.published(author)
    ]
    root = author_tree(contexts).root
    size = sum(size for _, size, _ in contexts)
    key = agent_key(seat, agent)
    before = seat.histories.input(author)
    statement = Authored(
        agent=agent,
        key_hash=key.public.key_hash,
        seat=seat.id,
        number=number,
        size=size,
        root=root,
        previous=_previous(before),
    )
    signed = sign_statement(statement, Signer.of(agent, key)).decode()
    seat.histories.put_input(InputRow(author, number, size, root.hex(), signed))
    draft.write(f"agents/{quote(agent)}/authored", signed.encode())
    draft.write(f"agents/{quote(agent)}/contexts", write_contexts(contexts))
    return AuthoredRoot(key.public.key_hash, root, size)


def _previous(before: InputRow | None) -> bytes | None:
    if before is None:
        return None
    text = parse_note(before.statement.encode()).claimed_text
    return statement_hash(parse_statement(text))
