"""What a seat's records say, and what the next one would bind.

Nothing here signs anything, so status and log load no cryptography.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import VerificationError
from koinii.history.record import (
    AuthoredRoot,
    CommitRecord,
    PeerHead,
    decode_record,
)
from koinii.history.roots import held_root, inputs_root, trust_digest
from koinii.kb.claim import stored_line
from koinii.seat.contests import refused
from koinii.seat.damaged import naming
from koinii.seat.modes import mode_of
from koinii.trust.reasons import COUNTED

if TYPE_CHECKING:
    from koinii.seat.parts import Parts
    from koinii.store.assertions import WaitingRow
    from koinii.store.histories import InputRow

WAITING = "waiting"  # a line's state, and the reason why it has no effect
MOST_HEADS = 64  # that moved, in one record


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


def applied_root(seat: Parts) -> bytes:
    """Return the root over the sets that are applied here and count."""
    without = refused(seat)
    rows = [(*seat.kb.names.author(row.author), row) for row in seat.histories.inputs()]
    return inputs_root(
        (agent, place, row.number, bytes.fromhex(row.root))
        for agent, place, row in rows
        if (agent, place) not in without
    )


def gather_inputs(seat: Parts) -> Inputs:
    """Return what is applied here, and our own agents' sets, whether they count."""
    mine: dict[str, AuthoredRoot] = {}
    for row in seat.histories.inputs():
        agent, place = seat.kb.names.author(row.author)
        if place == seat.id:
            with naming(f"the signed set of {agent} at seat {place}"):
                mine[agent] = signed_root(row)
    return Inputs(mine, applied_root(seat))


def signed_root(row: InputRow) -> AuthoredRoot:
    """Return what an applied statement signs.

    Raises:
        VerificationError: it is no authored statement.
    """
    from koinii.note.signed import parse_note  # noqa: PLC0415 - status needs no keys
    from koinii.note.statements import (  # noqa: PLC0415 - as above
        Authored,
        parse_statement,
    )

    signed = parse_statement(parse_note(row.statement.encode()).claimed_text)
    if not isinstance(signed, Authored):
        raise VerificationError("it is another statement")
    return AuthoredRoot(signed.key_hash, signed.root, signed.size)


def bind_heads(seat: Parts) -> tuple[dict[str, PeerHead], dict[str, PeerHead]]:
    """Return the heads of other seats the next record binds, and those that moved.

    Of more that moved than one record holds, the others stay as they were bound.
    """
    bound = seat.histories.bound_heads()
    sizes = {one.seat: one.size for one in seat.histories.heads() if one.size}
    sizes.pop(seat.id, None)
    moved = [one for one, size in sizes.items() if bound.get(one) != size]
    for one in moved[MOST_HEADS:]:
        sizes[one] = bound.get(one, 0)
    heads = {
        one: PeerHead(size, seat.histories.leaf(one, size))
        for one, size in sizes.items()
        if size
    }
    return heads, {one: heads[one] for one in moved[:MOST_HEADS]}


def trust(seat: Parts) -> bytes:
    """Return the digest of this seat's trust decisions.

    A seat follows itself, so that seats that follow each other say the same. A ref
    of which nothing has ever verified is nobody to follow.
    """
    from koinii.note.statements import statement_hash  # noqa: PLC0415 - as above

    counting = seat.weighing().counting
    heads = seat.histories.heads()
    follows = {seat.id, *(head.seat for head in heads if head.public_key)}
    return trust_digest(
        mode_of(seat.database.connection),
        pins=counting.roots().items(),
        grants=map(statement_hash, counting.grants.values()),
        follows=follows - seat.histories.unfollowed(),
    )


def held_lines(seat: Parts) -> bytes:
    """Return the root over the lines without effect, those local to the seat apart."""
    rows = seat.kb.assertions
    held = [
        ("held", author, line)
        for author, _, _, _, line, reason in rows.held()
        if reason != COUNTED
    ]
    waiting = [
        (WAITING, row.author, waiting_line(row))
        for row in rows.waiting()
        if not row.local
    ]
    return held_root(
        (state, *seat.kb.names.author(author), sha256(line.encode()).digest())
        for state, author, line in held + waiting
    )


def waiting_line(row: WaitingRow) -> str:
    """Return the claim line of an assertion that waits."""
    return stored_line(row.body, row.strength, row.created, row.extras, row.wrappers)
