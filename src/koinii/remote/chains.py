"""The chain of an author's sets: each names the one before it by its hash.

The records of a history bind key, root and size of every set, so that all
statements between one that is known and the newest can be written again, and
hashed. Who signed the newest has signed that chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

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
        ends = _ends(fetched, history, moved, known)
        for name, one in moved.items():
            if ends[name] != statement_hash(one):
                faults[name] = "it does not follow on the sets that were signed before"
    return faults


def _ends(
    fetched: FetchedSeat,
    history: History,
    moved: Mapping[str, Authored],
    known: Mapping[str, Applied],
) -> dict[str, bytes | None]:
    """Return the hash that each newest statement has if its chain leads to it."""
    ends = {name: known.get(name, START).digest for name in moved}
    since = {name: known.get(name, START).number for name in moved}
    for record in records_since(fetched, history, min(since.values())):
        for name in moved.keys() & record.agents.keys():
            if since[name] < record.number <= moved[name].number:
                row = record.agents[name]
                one = Authored(
                    name, row.key_hash, moved[name].seat, record.number,
                    row.size, row.root, ends[name],
                )  # fmt: skip
                ends[name] = statement_hash(one)
    return ends
