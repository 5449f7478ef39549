"""What decides who counts: the mode, and rows of statements, keys and heads.

Every row is read again from what is stored, signatures and all; one line names each
that is not as it came.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.merkle import root as tree_root
from koinii.note import PublicKey, open_checkpoint, open_cosignatures
from koinii.note.checkpoint import SEAT_ORIGIN, seat_verifier
from koinii.note.cosignature import seat_cosigner
from koinii.note.statements import open_authored
from koinii.seat.aligning import next_mode, to_come
from koinii.seat.check import Check, attention, ok
from koinii.seat.damaged import RESTORE, naming
from koinii.seat.modes import mode_of
from koinii.trust.names import ADMIN
from koinii.trust.presence import Presence, open_presence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.parts import Parts
    from koinii.store.heads import CosignatureRow
    from koinii.store.histories import AgentRow, Head, InputRow

_KEY_HASH = 64  # hex digits


def check_mode(seat: Parts) -> Iterator[Check]:
    """Compare the mode in the settings with the one that all was weighed by."""
    mode = next_mode(seat)
    if mode:
        found = f"what is stored was weighed as {mode_of(seat.database.connection)}"
        yield attention("mode", f"{found}; {to_come(mode)}", "koinii commit")


def check_trust(seat: Parts) -> Iterator[Check]:
    """Read every row that decides who counts; O(agents + heads) signatures."""
    faults: list[Check] = []
    known: dict[tuple[str, str], Presence] = {}
    for agent in seat.histories.agents():
        with _named(faults, f"the statements of {agent.name} at seat {agent.seat}"):
            known[agent.name, agent.seat] = _presence(agent)
    for name in sorted({one for one, _ in known} - {ADMIN}):
        with _named(faults, f"the key that {name} stands for"):
            _check_pin(seat, name)
    for row in seat.histories.inputs():
        who = seat.kb.names.author(row.author)
        if who in known:
            with _named(faults, f"the signed set of {who[0]} at seat {who[1]}"):
                _check_input(row, known[who])
    keys = dict[str, PublicKey]()
    for head in seat.histories.heads():
        with _named(faults, f"the head of seat {head.seat}"):
            if head.size:
                keys[head.seat] = PublicKey(head.public_key)
                _check_head(seat, head, keys[head.seat])
    for cosigned in seat.heads.cosignatures():
        what = f"the cosignature of seat {cosigned.cosigner} on seat {cosigned.seat}"
        with _named(faults, what):
            _check_cosignature(cosigned, keys)
    yield from faults
    if not faults:
        yield ok(
            "trust", f"{len(known)} introductions and {len(keys)} heads, as signed"
        )


@contextmanager
def _named(faults: list[Check], what: str) -> Iterator[None]:
    """Name the row in what is wrong with it."""
    try:
        with naming(what):
            yield
    except VerificationError as error:
        faults.append(attention("trust", error.message, RESTORE))


def _presence(row: AgentRow) -> Presence:
    presence = open_presence(row.statements.encode(), row.name, row.seat)
    if presence.key.raw != row.public_key:
        raise ValueError("its key is not the newest that they name")
    return presence


def _check_pin(seat: Parts, name: str) -> None:
    pin = seat.histories.pins().get(name)
    if pin is None:
        raise ValueError("there is none")
    if (
        len(pin.key_hash) != _KEY_HASH
        or bytes.fromhex(pin.key_hash).hex() != pin.key_hash
    ):
        raise ValueError(f"{pin.key_hash!r} is no hash of a key")


def _check_input(row: InputRow, presence: Presence) -> None:
    key = presence.key_at(row.number)
    authored = open_authored(row.statement.encode(), key)
    stored = (row.number, row.size, row.root)
    if (authored.number, authored.size, authored.root.hex()) != stored:
        raise ValueError("it is of another set")


def _check_head(seat: Parts, head: Head, key: PublicKey) -> None:
    origin = SEAT_ORIGIN + head.seat
    top = open_checkpoint(head.checkpoint.encode(), [seat_verifier(key)], origin=origin)
    leaves = seat.histories.leaves(head.seat)
    if (top.size, len(leaves)) != (head.size, head.size) or tree_root(
        leaves
    ) != top.root:
        raise ValueError("it is not that of the records here")


def _check_cosignature(row: CosignatureRow, keys: dict[str, PublicKey]) -> None:
    """Check what is shown by keys that are known; others nobody counts."""
    note = row.note.encode()
    if row.seat in keys:
        verifier = seat_verifier(keys[row.seat])
        top = open_checkpoint(note, [verifier], origin=SEAT_ORIGIN + row.seat)
        if top.size != row.size:
            raise ValueError("it is of another head")
    if row.cosigner in keys:
        found = open_cosignatures(note, [seat_cosigner(keys[row.cosigner])])
        if row.time not in [one.seconds for one in found]:
            raise ValueError("it is of another time")
