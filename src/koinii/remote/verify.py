"""What another seat's ref shows, verified before any of it is used.

`Fetched…` is what git brought; `Verified…` exists only once every hash, root,
path and signature of it has been checked. A fault of one author's files refuses
that author alone; a fault of the head, the history or the manifest refuses the
seat. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from koinii.history.manifest import UNLISTED, Listed, read_manifest
from koinii.remote.chains import Applied
from koinii.remote.fetched import FetchedSeat, bad, naming
from koinii.remote.verified_authors import (
    RefusedAgent,
    VerifiedAgent,
    verify_authors,
)
from koinii.remote.verified_history import History, verify_history

MAX_MANIFEST = 64 << 20  # bytes


class Known(NamedTuple):
    """What this seat has seen of the other before."""

    public_key: bytes | None
    leaves: list[bytes]
    statements: Mapping[str, str]  # agent → the file of its statements
    sets: Mapping[str, Applied]  # agent → the set applied here


class VerifiedSeat(NamedTuple):
    """A seat's history with everything that hangs from its head."""

    seat: str
    history: History
    agents: list[VerifiedAgent]
    refused: list[RefusedAgent]
    listed: Mapping[str, Listed]


def verify_seat(fetched: FetchedSeat, known: Known) -> VerifiedSeat:
    """Check a whole ref against its seat id and what was seen before.

    Raises:
        VerificationError: the seat as a whole is not what it claims; `path` in
            the details names the file.
    """
    history = verify_history(fetched, known.public_key, known.leaves)
    listed = _manifest(fetched, history)
    agents, refused = verify_authors(
        fetched, history, listed, known.statements, known.sets
    )
    return VerifiedSeat(fetched.seat, history, agents, refused, listed)


def _manifest(fetched: FetchedSeat, history: History) -> Mapping[str, Listed]:
    """Return what the manifest lists; beside the authors', files match exactly."""
    body = fetched.body("manifest", MAX_MANIFEST)
    if sha256(body).digest() != history.newest.manifest:
        raise bad("manifest", "its hash is not the one the newest record binds")
    with naming("manifest"):
        listed = read_manifest(body)
    there = set(fetched.files) - UNLISTED - history.paths
    for path in sorted(there.symmetric_difference(listed)):
        if not path.startswith("agents/"):
            raise bad(path, "it is not both listed and there")
    return listed
