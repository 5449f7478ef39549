"""The chain of an author's sets: each names the one before it by its hash.

The records of a history bind key, root and size of every set, so that all
statements between one that is known and the newest can be written again, and
hashed. Who signed the newest has signed that chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

from koinii.history.record import CommitRecord
from koinii.note import parse_note
from koinii.remote.fetched import FetchedSeat
from koinii.remote.verified_history import History, records_since
from koinii.trust.statements import Authored, statement_hash


class Applied(NamedTuple):
    """The set of an author that is applied here: its commit, its statement's hash."""

    number: int
    digest: bytes | None


START = Applied(0, None)


def applied(number: int, statement: str) -> Applied:
    """Return what is applied, by the statement that is stored."""
    text = parse_note(statement.encode()).claimed_text
    return Applied(number, sha256(text.encode()).digest())


def check_chains(
    fetched: FetchedSeat,
    history: History,
    newest: Iterable[Authored],
    known: Mapping[str, Applied],
) -> dict[str, str]:
    """Return what is wrong with the chains of authors, by name; nothing usually.

    O(records since the oldest set that is applied here and has moved).
    """
    faults = {}
    moved: dict[str, Authored] = {}
    for one in newest:
        before = known.get(one.agent, START)
        if before.number < one.number:
            moved[one.agent] = one
        elif before != (one.number, statement_hash(one)):
            faults[one.agent] = "another set was signed for that commit before"
    if moved:
        since = min(known.get(name, START).number for name in moved)
        records = list(records_since(fetched, history, since))
        for name, one in moved.items():
            if _end(one, known.get(name, START), records) != statement_hash(one):
                faults[name] = "it does not follow on the sets that were signed before"
    return faults


def _end(
    newest: Authored, before: Applied, records: Iterable[CommitRecord]
) -> bytes | None:
    """Return the hash that the newest statement has if the chain leads to it."""
    digest = before.digest
    for record in records:
        row = record.agents.get(newest.agent)
        if row is not None and before.number < record.number <= newest.number:
            one = Authored(
                newest.agent, row.key_hash, newest.seat, record.number,
                row.size, row.root, digest,
            )  # fmt: skip
            digest = statement_hash(one)
    return digest
