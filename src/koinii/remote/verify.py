"""What another seat's ref shows, verified before any of it is used.

`Fetched…` is what git brought; `Verified…` exists only once every hash, root,
path and signature of it has been checked. A fault of one author's files refuses
that author alone; a fault of the head, the history or the manifest refuses the
seat. Nothing here writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from koinii.errors import KoiniiError, VerificationError
from koinii.history.log import BUNDLE_SIZE, bundle_name, decode_bundle
from koinii.history.record import CommitRecord, decode_record
from koinii.history.roots import agents_root
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.note import PublicKey, open_checkpoint, read_public_key
from koinii.note.checkpoint import SEAT_ORIGIN, seat_id, seat_verifier
from koinii.remote.manifest import Listed, read_manifest
from koinii.remote.names import quote
from koinii.remote.reading import Blob
from koinii.remote.segments import parse_path
from koinii.trust.names import check_agent
from koinii.trust.statements import (
    Authored,
    Introduction,
    open_authored,
    open_introduction,
    split_statements,
    statement_hash,
)

MAX_SMALL = 1 << 20  # bytes of a key, checkpoint, statement file
MAX_MANIFEST = 64 << 20
MAX_BUNDLE = BUNDLE_SIZE * (2 + (16 << 10))
ENTRIES = "history/entries/"
UNLISTED = frozenset({"README.md", "seat.pub", "checkpoint", "manifest"})

Read: TypeAlias = Callable[[str, int], bytes]  # path, most bytes → body


class Known(NamedTuple):
    """What this seat has seen of the other before."""

    public_key: bytes | None
    leaves: list[bytes]
    keys: Mapping[str, bytes]  # agent → raw public key
    sets: Mapping[str, tuple[int, bytes]]  # agent → number, hash of its statement


class VerifiedAgent(NamedTuple):
    """One author: who it is, and the set it signed (None: it has said nothing)."""

    name: str
    key: PublicKey
    statements: str
    authored: Authored | None
    statement: str
    segments: dict[str, list[tuple[str, str]]]  # context → (path, sha256)


class RefusedAgent(NamedTuple):
    """An author whose files do not prove what they claim."""

    name: str
    path: str
    reason: str


class VerifiedSeat(NamedTuple):
    """A seat's head with everything that hangs from it."""

    seat: str
    key: PublicKey
    checkpoint: str
    size: int
    records: list[tuple[int, bytes, bytes]]  # new ones: number, record, leaf
    agents: list[VerifiedAgent]
    refused: list[RefusedAgent]
    listed: dict[str, Listed]


class FetchedSeat(NamedTuple):
    """A seat's ref as it came; nothing in it has been checked."""

    seat: str
    files: Mapping[str, Blob]
    read: Read


def verify_seat(fetched: FetchedSeat, known: Known) -> VerifiedSeat:
    """Check a whole ref against its seat id and what was seen before.

    Raises:
        VerificationError: the seat as a whole is not what it claims; `path` in
            the details names the file.
    """
    key = _key(fetched, known)
    checkpoint, size, top = _checkpoint(fetched, key)
    records = _history(fetched, known, size, top)
    newest = _newest(records, fetched, size)
    listed = _manifest(fetched, newest)
    checked = [_agent(fetched, known, name, listed) for name in _agents(fetched)]
    agents = [one for one in checked if isinstance(one, VerifiedAgent)]
    refused = [one for one in checked if isinstance(one, RefusedAgent)]
    if not refused:
        _agents_root(agents, newest)
    return VerifiedSeat(
        fetched.seat, key, checkpoint, size, records[len(known.leaves) :],
        agents, refused, listed,
    )  # fmt: skip


# The head ---------------------------------------------------------------------


def _key(fetched: FetchedSeat, known: Known) -> PublicKey:
    with _Naming("seat.pub"):
        key = read_public_key(_text(fetched, "seat.pub"))
    if seat_id(key) != fetched.seat:
        raise bad("seat.pub", f"it is not the key of seat {fetched.seat}")
    if known.public_key not in (None, key.raw):
        raise bad("seat.pub", "the seat had another key before")
    return key


def _checkpoint(fetched: FetchedSeat, key: PublicKey) -> tuple[str, int, bytes]:
    text = _text(fetched, "checkpoint")
    with _Naming("checkpoint"):
        checkpoint = open_checkpoint(
            text.encode(), [seat_verifier(key)], origin=SEAT_ORIGIN + fetched.seat
        )
    return text, checkpoint.size, checkpoint.root


def _history(
    fetched: FetchedSeat, known: Known, size: int, top: bytes
) -> list[tuple[int, bytes, bytes]]:
    """Return every record as (number, bytes, leaf); old ones without their bytes.

    The root over the leaves seen before and the new ones is the signed one, so
    the new head contains the old: consistency, by recomputation.
    """
    seen = known.leaves
    if size < len(seen):
        raise bad("checkpoint", f"the history went back from {len(seen)} to {size}")
    rows = [(at, b"", leaf) for at, leaf in enumerate(seen, start=1)]
    first = len(seen) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    for start in range(first, size + 1, BUNDLE_SIZE):
        for number, data in _bundle(fetched, start, size):
            leaf = leaf_hash(data)
            if number > len(seen):
                rows.append((number, data, leaf))
            elif leaf != seen[number - 1]:
                raise bad(
                    ENTRIES + bundle_name(number),
                    f"record {number} is not the one seen before: two histories",
                )
    if tree_root(leaf for _, _, leaf in rows) != top:
        raise bad("checkpoint", "its root is not that of the records")
    return rows


def _bundle(fetched: FetchedSeat, start: int, size: int) -> list[tuple[int, bytes]]:
    path = ENTRIES + bundle_name(start)
    with _Naming(path):
        entries = decode_bundle(_body(fetched, path, MAX_BUNDLE))
    if len(entries) != min(BUNDLE_SIZE, size - start + 1):
        raise bad(path, f"it holds {len(entries)} records")
    return list(enumerate(entries, start=start))


def _newest(
    rows: list[tuple[int, bytes, bytes]], fetched: FetchedSeat, size: int
) -> CommitRecord:
    """Check that each new record follows the one before; return the last of all."""
    if not rows:
        raise bad("checkpoint", "it covers no record")
    newest = _record(fetched.seat, size, rows[-1][1] or _stored(fetched, size))
    for number, data, _ in rows:
        record = _record(fetched.seat, number, data) if data else None
        before = rows[number - 2][2] if number > 1 else None
        if record is not None and record.previous != before:
            raise bad(ENTRIES + bundle_name(number), f"record {number} is out of line")
    return newest


def _stored(fetched: FetchedSeat, number: int) -> bytes:
    """Return one record of the history as the ref shows it."""
    start = (number - 1) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    path = ENTRIES + bundle_name(number)
    with _Naming(path):
        entries = decode_bundle(_body(fetched, path, MAX_BUNDLE))
    if number - start >= len(entries):
        raise bad(path, f"there is no record {number}")
    return entries[number - start]


def _record(seat: str, number: int, data: bytes) -> CommitRecord:
    path = ENTRIES + bundle_name(number)
    with _Naming(path):
        record = decode_record(data)
    if not isinstance(record, CommitRecord):
        raise VerificationError(
            f"record {number} of seat {seat} needs a newer koinii",
            code="koinii/newer-record",
            hint="install a newer koinii; nothing of that seat was changed",
            path=path,
        )
    if (record.seat, record.number) != (seat, number):
        raise bad(path, f"record {number} names another seat or number")
    return record


def _manifest(fetched: FetchedSeat, newest: CommitRecord) -> dict[str, Listed]:
    body = _body(fetched, "manifest", MAX_MANIFEST)
    if sha256(body).digest() != newest.manifest:
        raise bad("manifest", "its hash is not the one the newest record binds")
    listed = read_manifest(body)
    for path in fetched.files:
        beside = path in UNLISTED or path.startswith(ENTRIES)
        if not beside and path not in listed and not path.startswith("agents/"):
            raise bad(path, "the manifest does not list it")
    return listed


def _agents_root(agents: list[VerifiedAgent], newest: CommitRecord) -> None:
    rows = [
        (one.name, one.key.key_hash, one.authored.root, one.authored.size)
        for one in agents
        if one.authored is not None
    ]
    if agents_root(rows) != newest.agents_root:
        raise bad("manifest", "the agents are not those the newest record binds")


# Authors ----------------------------------------------------------------------


def _agents(fetched: FetchedSeat) -> list[str]:
    """Return the agents that have files, by the names of their folders."""
    return sorted(
        {path.split("/")[1] for path in fetched.files if path.startswith("agents/")}
    )


def _agent(
    fetched: FetchedSeat, known: Known, folder: str, listed: Mapping[str, Listed]
) -> VerifiedAgent | RefusedAgent:
    try:
        return _checked_agent(fetched, known, folder, listed)
    except KoiniiError as error:
        path = str(error.details.get("path") or f"agents/{folder}")
        return RefusedAgent(folder, path, error.message)


def _checked_agent(
    fetched: FetchedSeat, known: Known, folder: str, listed: Mapping[str, Listed]
) -> VerifiedAgent:
    home = f"agents/{folder}/"
    check_files(fetched, home, listed)
    check_agent(folder)
    introduction, statements = _introduction(fetched, folder, listed)
    key = introduction.key
    if known.keys.get(folder, key.raw) != key.raw:
        raise bad(f"{home}statements", "the agent had another key here before")
    if f"{home}authored" not in fetched.files:
        if any(path.startswith(home + "claims/") for path in fetched.files):
            raise bad(f"{home}authored", "there are claims and no signature")
        return VerifiedAgent(folder, key, statements, None, "", {})
    authored, statement = _authored(fetched, folder, key, listed)
    _follows(known, authored, f"{home}authored")
    segments = _segments(fetched, folder, listed)
    return VerifiedAgent(folder, key, statements, authored, statement, segments)


def check_files(fetched: FetchedSeat, home: str, listed: Mapping[str, Listed]) -> None:
    """Check that the files of one author are those listed, with their sizes."""
    there = {path for path in fetched.files if path.startswith(home)}
    named = {path for path in listed if path.startswith(home)}
    for path in sorted(there ^ named):
        raise bad(path, "it is not both listed and there")
    for path in sorted(there):
        if fetched.files[path].size != listed[path].size:
            raise bad(path, "its size is not the one listed")


def read_listed(fetched: FetchedSeat, path: str, listed: Mapping[str, Listed]) -> bytes:
    """Return a file's bytes after comparing them with the manifest."""
    body = fetched.read(path, listed[path].size)
    if sha256(body).hexdigest() != listed[path].sha256:
        raise bad(path, "its hash is not the one the manifest lists")
    return body


def _introduction(
    fetched: FetchedSeat, agent: str, listed: Mapping[str, Listed]
) -> tuple[Introduction, str]:
    path = f"agents/{agent}/statements"
    if path not in listed:
        raise bad(path, "the agent has not introduced itself")
    body = read_listed(fetched, path, listed)
    with _Naming(path):
        notes = split_statements(body)
        introduction = open_introduction(notes[0]) if notes else None
    if introduction is None or (introduction.agent, introduction.seat) != (
        agent,
        fetched.seat,
    ):
        raise bad(path, f"it does not introduce {agent} at this seat")
    return introduction, body.decode()


def _authored(
    fetched: FetchedSeat, agent: str, key: PublicKey, listed: Mapping[str, Listed]
) -> tuple[Authored, str]:
    path = f"agents/{agent}/authored"
    body = read_listed(fetched, path, listed)
    with _Naming(path):
        authored = open_authored(body, key)
    if (authored.agent, authored.seat) != (agent, fetched.seat):
        raise bad(path, "it is signed for another agent or seat")
    _bound(fetched, authored, path)
    return authored, body.decode()


def _bound(fetched: FetchedSeat, authored: Authored, path: str) -> None:
    """Check that the record of that commit names this set."""
    record = _record(fetched.seat, authored.number, _stored(fetched, authored.number))
    entry = record.agents.get(authored.agent)
    signed = (authored.key_hash, authored.root, authored.size)
    if entry is None or (entry.key_hash, entry.root, entry.size) != signed:
        raise bad(path, f"commit {authored.number} does not bind this set")


def _follows(known: Known, authored: Authored, path: str) -> None:
    number, before = known.sets.get(authored.agent, (0, b""))
    if authored.number < number:
        raise bad(path, "an older set than the one seen before")
    if authored.number == number and statement_hash(authored) != before:
        raise bad(path, "two sets were signed for one commit")


def _segments(
    fetched: FetchedSeat, agent: str, listed: Mapping[str, Listed]
) -> dict[str, list[tuple[str, str]]]:
    segments: dict[str, list[tuple[str, str]]] = {}
    home = f"agents/{quote(agent)}/"
    for path in sorted(fetched.files):
        if not path.startswith(home) or path in (
            f"{home}statements",
            f"{home}authored",
        ):
            continue
        with _Naming(path):
            context = parse_path(path).context
        segments.setdefault(context, []).append((path, listed[path].sha256))
    return segments


# Reading ----------------------------------------------------------------------


def _body(fetched: FetchedSeat, path: str, most: int) -> bytes:
    if path not in fetched.files:
        raise bad(path, "it is missing")
    return fetched.read(path, most)


def _text(fetched: FetchedSeat, path: str) -> str:
    try:
        return _body(fetched, path, MAX_SMALL).decode()
    except UnicodeDecodeError as error:
        raise bad(path, "it is not UTF-8") from error


def bad(path: str, reason: str) -> VerificationError:
    """Return the refusal of one file."""
    return VerificationError(
        f"{path}: {reason}",
        code="koinii/not-verified",
        hint="nothing of it was applied; ask whose seat it is",
        path=path,
        reason=reason,
    )


class _Naming:
    """Names the file in a refusal that does not know it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, VerificationError) and "path" not in error.details:
            raise bad(self._path, error.message) from error
