"""Commit records: what one commit of a seat says, and the leaf of its history.

A record is deterministic CBOR (`cbor.py`), a map with the fields below as text
keys. Hashes and roots are byte strings of 32 bytes. Keys that this version does
not know are kept and written back; a record of another version is kept as it is
and not interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple, TypeVar

from koinii.errors import VerificationError
from koinii.history.cbor import Cbor, decode, encode
from koinii.merkle import leaf_hash

VERSION = 1
MAX_COUNT = 2**64 - 1

_HASH_SIZE = 32
_SEAT_ID = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[!-~\u00a1-\U0010ffff]+")
_T = TypeVar("_T")


class AuthoredRoot(NamedTuple):
    """What an agent signed: its key's hash, the root over its lines, how many."""

    key_hash: bytes
    root: bytes
    size: int


class PostsRoot(NamedTuple):
    """The root over the ids of all posts of the seat, and how many."""

    root: bytes
    size: int


class PeerHead(NamedTuple):
    """A commit of another seat that this one applied: its number and leaf hash."""

    number: int
    leaf: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRecord:
    """One commit. `agents` and `heads` name those that changed with it."""

    seat: str
    number: int
    previous: bytes | None
    time: int
    commit: bytes
    size: int
    inputs: bytes
    agents: Mapping[str, AuthoredRoot]
    agents_root: bytes
    posts: PostsRoot
    heads: Mapping[str, PeerHead]
    heads_root: bytes
    manifest: bytes
    vocabulary: Mapping[str, bytes]
    trust: bytes
    partial: Mapping[str, tuple[str, ...]] | None
    local: tuple[str, ...]
    held: bytes
    rules: int
    software: str
    unknown: Mapping[str, Cbor] = field(default_factory=dict)

    @property
    def commit_id(self) -> str:
        """Return the root over what the seat believes, `sha256:<hex>`."""
        return f"sha256:{self.commit.hex()}"

    def encode(self) -> bytes:
        """Return the record's bytes, which `decode_record` reads back.

        A record that no reader would take is a VerificationError here.
        """
        data = encode({"v": VERSION, **self._known(), **self.unknown})
        if decode_record(data) != self:
            raise _refused("a value of the record has another spelling")
        return data

    @property
    def leaf(self) -> bytes:
        """Return the hash of the record as a leaf of its seat's history."""
        return leaf_hash(self.encode())

    def _known(self) -> dict[str, Cbor]:
        return {one.name: getattr(self, one.name) for one in _FIELDS}


_FIELDS = [one for one in fields(CommitRecord) if one.name != "unknown"]
_KEYS = frozenset({"v", *(one.name for one in _FIELDS)})


@dataclass(frozen=True, slots=True)
class NewerRecord:
    """A record of a version this program does not read; `data` is all of it."""

    version: int
    data: bytes

    @property
    def leaf(self) -> bytes:
        """Return the hash of the record as a leaf of its seat's history."""
        return leaf_hash(self.data)


def decode_record(data: bytes) -> CommitRecord | NewerRecord:
    """Return the record that `data` is; anything else is a VerificationError."""
    value = decode(data)
    if not isinstance(value, dict):
        raise _refused("not a map")
    version = value.get("v")
    if type(version) is not int or not 0 < version <= MAX_COUNT:
        raise _refused("no version")
    if version != VERSION:
        return NewerRecord(version, data)
    missing = _KEYS - value.keys()
    if missing:
        raise _refused(f"no {min(missing)}")
    return _record(value)


def _record(value: Mapping[str, Cbor]) -> CommitRecord:
    record = CommitRecord(
        seat=_seat_id(value["seat"]),
        number=_count(value["number"], least=1),
        previous=None if value["previous"] is None else _hash(value["previous"]),
        time=_count(value["time"]),
        commit=_hash(value["commit"]),
        size=_count(value["size"]),
        inputs=_hash(value["inputs"]),
        agents={_name(k): _authored(v) for k, v in _map(value["agents"]).items()},
        agents_root=_hash(value["agents_root"]),
        posts=_posts(value["posts"]),
        heads={_seat_id(k): _head(v) for k, v in _map(value["heads"]).items()},
        heads_root=_hash(value["heads_root"]),
        manifest=_hash(value["manifest"]),
        vocabulary={_name(k): _hash(v) for k, v in _map(value["vocabulary"]).items()},
        trust=_hash(value["trust"]),
        partial=_partial(value["partial"]),
        local=_names(value["local"]),
        held=_hash(value["held"]),
        rules=_count(value["rules"]),
        software=_text(value["software"]),
        unknown={k: v for k, v in value.items() if k not in _KEYS},
    )
    if (record.number == 1) != (record.previous is None):
        raise _refused("the first record, and no other, has no previous one")
    return record


def _authored(value: Cbor) -> AuthoredRoot:
    key_hash, root, size = _items(value, 3)
    return AuthoredRoot(_hash(key_hash), _hash(root), _count(size))


def _posts(value: Cbor) -> PostsRoot:
    root, size = _items(value, 2)
    return PostsRoot(_hash(root), _count(size))


def _head(value: Cbor) -> PeerHead:
    number, leaf = _items(value, 2)
    return PeerHead(_count(number, least=1), _hash(leaf))


def _partial(value: Cbor) -> Mapping[str, tuple[str, ...]] | None:
    if value is None:
        return None
    return {_name(kind): _names(names) for kind, names in _map(value).items()}


def _names(value: Cbor) -> tuple[str, ...]:
    """Return a list of names, which is sorted and names nothing twice."""
    if not isinstance(value, list):
        raise _refused("no list where one belongs")
    names = tuple(map(_name, value))
    if list(names) != sorted(set(names)):
        raise _refused("a list of names is not sorted")
    return names


def _items(value: Cbor, length: int) -> list[Cbor]:
    if not isinstance(value, list) or len(value) != length:
        raise _refused(f"no list of {length} where one belongs")
    return value


def _map(value: Cbor) -> dict[str, Cbor]:
    if not isinstance(value, dict):
        raise _refused("no map where one belongs")
    return value


def _hash(value: Cbor) -> bytes:
    if not isinstance(value, bytes) or len(value) != _HASH_SIZE:
        raise _refused("no hash of 32 bytes where one belongs")
    return value


def _count(value: Cbor, *, least: int = 0) -> int:
    if type(value) is not int or not least <= value <= MAX_COUNT:
        raise _refused(f"no count from {least} up where one belongs")
    return value


def _text(value: Cbor) -> str:
    if not isinstance(value, str):
        raise _refused("no text where it belongs")
    return value


def _name(value: Cbor) -> str:
    """Return a name that can stand in a line: no space, no control character."""
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _refused("no name where one belongs")
    return value


def _seat_id(value: Cbor) -> str:
    if not isinstance(value, str) or not _SEAT_ID.fullmatch(value):
        raise _refused("no seat id where one belongs")
    return value


def _refused(reason: str) -> VerificationError:
    return VerificationError(f"not a commit record: {reason}", code="koinii/bad-record")
