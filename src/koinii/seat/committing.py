"""One commit: what is believed, who said what, and the signed record of both.

Inside one transaction: the authored root of every agent whose set changed, the
segments and statements those changes write, the manifest over all files, the
record that binds them, the history it is appended to and the checkpoint over
it. Nothing that is signed leaves the store before that transaction is durable.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from koinii.history.log import BUNDLE_SIZE, Log, bundle_name, encode_bundle
from koinii.history.paths import quote
from koinii.history.record import (
    AuthoredRoot,
    CommitRecord,
    PeerHead,
    PostsRoot,
    decode_record,
)
from koinii.history.roots import (
    agents_root,
    author_tree,
    heads_root,
    held_root,
    inputs_root,
    posts_root,
    trust_digest,
)
from koinii.kb.claim import stored_line
from koinii.merkle import root as tree_root
from koinii.note import Checkpoint, PrivateKey, Signer, read_private_key, seat_id
from koinii.note.checkpoint import SEAT_ORIGIN, sign_checkpoint
from koinii.seat.publishing import HISTORY, Draft
from koinii.seat.summary import summary
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.histories import Head, InputRow
from koinii.terms.locator import locator_of
from koinii.trust.statements import (
    Authored,
    open_authored,
    sign_statement,
    statement_hash,
)

if TYPE_CHECKING:
    from koinii.history.segments import Change
    from koinii.seat.parts import Parts

SOFTWARE = "koinii/0.1.0"
SEMANTICS = 1


class Commit(NamedTuple):
    """One entry of a seat's history, as people and programs read it."""

    id: str
    number: int
    size: int
    inputs: str
    time: int
    seat: str


class Inputs(NamedTuple):
    """What is applied here, as a record binds it."""

    agents: dict[str, AuthoredRoot]  # our own agents' newest sets, all of them
    root: bytes


def commit(seat: Parts) -> Commit | None:
    """Record what is believed; None if nothing moved since the last commit.

    O(believed) after belief has moved, plus what changed.
    """
    with seat.kb.write():
        head = seat.histories.head(seat.id)
        number = head.size + 1 if head else 1
        draft = Draft(seat.files, number)
        changed = _author_sets(seat, draft, number)
        record = _record(seat, draft, number, changed)
        last = last_record(seat)
        seat.kb.assertions.clear_changes()
        if last is not None and _same(record, last):
            return None
        _append(seat, draft, record)
    return as_commit(record)


def as_commit(record: CommitRecord) -> Commit:
    """Return a record as people read it."""
    return Commit(
        record.commit_id,
        record.number,
        record.size,
        f"sha256:{record.inputs.hex()}",
        record.time,
        record.seat,
    )


def last_record(seat: Parts) -> CommitRecord | None:
    """Return this seat's newest record."""
    head = seat.histories.head(seat.id)
    data = None if head is None else seat.histories.record(seat.id, head.size)
    record = None if data is None else decode_record(data)
    return record if isinstance(record, CommitRecord) else None


def _same(record: CommitRecord, last: CommitRecord) -> bool:
    """Tell whether a commit would say nothing new; other heads alone are no news."""
    return (
        record.commit == last.commit
        and record.inputs == last.inputs
        and record.held == last.held
        and record.manifest == last.manifest
    )


# What each agent asserts ------------------------------------------------------


def _author_sets(seat: Parts, draft: Draft, number: int) -> dict[str, AuthoredRoot]:
    """Sign the sets that changed; return their roots by agent."""
    touched: dict[int, list[int]] = {}
    for author, context in seat.kb.assertions.dirty():
        touched.setdefault(author, []).append(context)
    changed: dict[str, AuthoredRoot] = {}
    for author, contexts in touched.items():
        agent, _ = seat.kb.names.author(author)
        moved = [_context_set(seat, draft, author, context) for context in contexts]
        if any(moved):
            changed[agent] = _sign_set(seat, draft, author, number)
    return changed


def _context_set(seat: Parts, draft: Draft, author: int, context: int) -> bool:
    """Write one context's net change; False if it comes to nothing."""
    rows = seat.kb.assertions
    changes = _net_changes(seat, author, context)
    if not changes:
        return False
    agent, _ = seat.kb.names.author(author)
    draft.add_segment(agent, seat.kb.names.context(context), changes)
    leaves = rows.line_leaves(author, context)
    rows.publish(author, context, len(leaves), tree_root(leaves))
    return True


def _net_changes(seat: Parts, author: int, context: int) -> list[Change]:
    rows = seat.kb.assertions
    touched = rows.changes(author, context)
    if any(digest == WHOLE_CONTEXT for digest, _ in touched):
        return _whole_context(seat, author, context)
    changes: list[Change] = []
    for digest, before in touched:
        now = _line(seat, author, digest)
        if now is None and before is not None:
            changes.append((locator_of(digest), None))
        elif now is not None and now[1] != before:
            changes.append((locator_of(digest), now[0]))
    return changes


def _whole_context(seat: Parts, author: int, context: int) -> list[Change]:
    rows = seat.kb.assertions
    changes: list[Change] = [
        (locator_of(digest), stored_line(body, strength, created, extras))
        for digest, body, strength, created, extras in rows.lines(author, context)
    ]
    changes += [
        (locator_of(digest), line)
        for holder, place, digest, _, line, _ in rows.held()
        if (holder, place) == (author, context)
    ]
    return changes


def _line(seat: Parts, author: int, digest: bytes) -> tuple[str, bytes] | None:
    """Return an author's live line of one locator and its leaf."""
    row = seat.kb.assertions.line(author, digest)
    if row is not None:
        body, strength, created, extras, leaf = row
        return stored_line(body, strength, created, extras), leaf
    for holder, _, held, leaf, line, _ in seat.kb.assertions.held():
        if (holder, held) == (author, digest):
            return line, leaf
    return None


def _sign_set(seat: Parts, draft: Draft, author: int, number: int) -> AuthoredRoot:
    agent, _ = seat.kb.names.author(author)
    contexts = [
        (seat.kb.names.context(context), size, root)
        for context, size, root in seat.kb.assertions.published(author)
    ]
    root = author_tree(contexts).root
    size = sum(size for _, size, _ in contexts)
    key = _agent_key(seat, agent)
    before = seat.histories.input(author)
    statement = Authored(
        agent=agent,
        key_hash=key.public.key_hash,
        seat=seat.id,
        number=number,
        size=size,
        root=root,
        previous=_previous(before, key),
    )
    signed = sign_statement(statement, Signer.of(agent, key)).decode()
    seat.histories.put_input(InputRow(author, number, size, root.hex(), signed))
    draft.write(f"agents/{quote(agent)}/authored", signed.encode())
    return AuthoredRoot(key.public.key_hash, root, size)


def _previous(before: InputRow | None, key: PrivateKey) -> bytes | None:
    if before is None:
        return None
    return statement_hash(open_authored(before.statement.encode(), key.public))


def _agent_key(seat: Parts, agent: str) -> PrivateKey:
    return read_private_key(Path(seat.layout.agent_key(agent)))


# The record -------------------------------------------------------------------


def _record(
    seat: Parts, draft: Draft, number: int, changed: dict[str, AuthoredRoot]
) -> CommitRecord:
    _statements(seat, draft)
    root, size = seat.kb.keep_root()
    inputs = gather_inputs(seat)
    last = last_record(seat)
    heads = peer_heads(seat)
    return CommitRecord(
        seat=seat.id,
        number=number,
        previous=None if last is None else last.leaf,
        time=seat.now(),
        commit=root,
        size=size,
        inputs=inputs.root,
        agents=changed,
        agents_root=agents_root((a, *row) for a, row in inputs.agents.items()),
        posts=PostsRoot(posts_root([]), 0),
        heads=_changed_heads(seat, heads),
        heads_root=heads_root((s, *row) for s, row in heads.items()),
        manifest=sha256(draft.manifest()).digest(),
        vocabulary={},
        trust=trust(seat),
        partial=None,
        local=(),
        held=held_lines(seat),
        rules=SEMANTICS,
        software=SOFTWARE,
    )


def _statements(seat: Parts, draft: Draft) -> None:
    """Write the statements of our agents that no commit holds yet."""
    known = {path for path, _, _ in seat.files.listing("agents/")}
    for row in seat.histories.agents():
        path = f"agents/{quote(row.name)}/statements"
        if row.seat == seat.id and path not in known:
            draft.write(path, row.statements.encode())


def gather_inputs(seat: Parts) -> Inputs:
    """Return what is applied here, and our own agents' part of it."""
    mine: dict[str, AuthoredRoot] = {}
    rows: list[tuple[str, str, int, bytes]] = []
    for row in seat.histories.inputs():
        agent, place = seat.kb.names.author(row.author)
        rows.append((agent, place, row.number, bytes.fromhex(row.root)))
        if place == seat.id:
            known = seat.histories.agent(agent, place)
            assert known is not None  # noqa: S101 - it signed here
            hashed = sha256(known.public_key).digest()
            mine[agent] = AuthoredRoot(hashed, bytes.fromhex(row.root), row.size)
    return Inputs(mine, inputs_root(rows))


def peer_heads(seat: Parts) -> dict[str, PeerHead]:
    """Return the newest applied commit of every other seat."""
    heads = {}
    for head in seat.histories.heads():
        if head.seat != seat.id and head.size:
            leaf = seat.histories.leaf(head.seat, head.size)
            heads[head.seat] = PeerHead(head.size, leaf)
    return heads


def _changed_heads(seat: Parts, heads: dict[str, PeerHead]) -> dict[str, PeerHead]:
    """Return the heads that moved since our last commit, as the store keeps them."""
    bound = seat.histories.bound_heads()
    return {one: row for one, row in heads.items() if bound.get(one) != row.number}


def trust(seat: Parts) -> bytes:
    """Return the digest of this seat's trust decisions."""
    pins = seat.histories.pins().items()
    return trust_digest(
        seat.config.mode,
        pins=[(agent, bytes.fromhex(key)) for agent, key in pins],
        follows=[head.seat for head in seat.histories.heads() if head.seat != seat.id],
    )


def held_lines(seat: Parts) -> bytes:
    """Return the root over what is stored and not applied."""
    return held_root(
        ("held", *seat.kb.names.author(author), sha256(line.encode()).digest())
        for author, _, _, _, line, _ in seat.kb.assertions.held()
    )


# The history ------------------------------------------------------------------


def _append(seat: Parts, draft: Draft, record: CommitRecord) -> None:
    """Append the record, sign the new head and write the files that show both."""
    key = read_private_key(Path(seat.layout.seat_key))
    assert seat_id(key.public) == seat.id  # noqa: S101 - the key names the seat
    seat.histories.append(seat.id, [(record.number, record.encode(), record.leaf)])
    seat.histories.bind_heads({s: row.number for s, row in record.heads.items()})
    log = Log(seat.histories.leaves(seat.id))
    origin = SEAT_ORIGIN + seat.id
    checkpoint = sign_checkpoint(
        Checkpoint(origin, record.number, log.root()), [Signer.of(origin, key)]
    ).decode()
    seat.histories.put_head(
        Head(
            seat.id, key.public.raw, record.number, checkpoint,
            seat.histories.tip(seat.id), "",
        )
    )  # fmt: skip
    _bundle(seat, draft, record.number)
    draft.write("manifest", draft.manifest())
    draft.write("checkpoint", checkpoint.encode())
    draft.write("seat.pub", (key.public.openssh() + "\n").encode())
    draft.write("README.md", summary(record, log.root()).encode())


def _bundle(seat: Parts, draft: Draft, number: int) -> None:
    first = (number - 1) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    entries = seat.histories.records(seat.id, first, number)
    draft.write(HISTORY + bundle_name(number), encode_bundle(entries))
