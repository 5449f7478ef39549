"""A seat's history: the log of its commit records, numbered from 1.

The leaf of commit n has index n - 1, so a head of size n covers commits 1 to n.
Everything here is pure: leaf hashes come in, paths and roots go out. Entry
bundles are the files that records travel in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from koinii.errors import VerificationError
from koinii.history.cbor import MAX_BYTES
from koinii.merkle import Levels, prove_consistency, prove_inclusion, root

BUNDLE_SIZE = 256

_LENGTH = 2  # bytes before each entry, big-endian


class Log:
    """A history, as the hashes of its leaves; 0.5 µs a leaf for each root."""

    def __init__(self, leaf_hashes: Iterable[bytes] = ()) -> None:
        """Start from the stored leaf hashes, that of commit 1 first."""
        self._leaves = list(leaf_hashes)
        self._tree = Levels(())

    @property
    def size(self) -> int:
        """Return how many commits there are."""
        return len(self._leaves)

    def append(self, leaf: bytes) -> int:
        """Add the leaf hash of the next record and return its commit number."""
        self._leaves.append(leaf)
        return len(self._leaves)

    def leaf(self, number: int) -> bytes:
        """Return the leaf hash of commit `number`; IndexError when there is none."""
        if not 1 <= number <= self.size:
            raise IndexError(f"commit {number} of {self.size}")
        return self._leaves[number - 1]

    def root(self, size: int | None = None) -> bytes:
        """Return the root of the first `size` commits, by default of all."""
        return root(self._leaves[: self._checked(size)])

    def prove(self, number: int, size: int | None = None) -> list[bytes]:
        """Return the path of commit `number` under the head of `size` commits."""
        return prove_inclusion(self._levels(self._checked(size)), number - 1)

    def prove_consistency(self, size1: int, size2: int | None = None) -> list[bytes]:
        """Return the proof that the head of `size1` is a prefix of that of `size2`."""
        return prove_consistency(self._levels(self._checked(size2)), size1)

    def _checked(self, size: int | None) -> int:
        size = self.size if size is None else size
        if not 0 <= size <= self.size:
            raise IndexError(f"size {size} of {self.size}")
        return size

    def _levels(self, size: int) -> Levels:
        """Return the tree of `size` leaves, kept until another size is asked for."""
        if self._tree.size != size:
            self._tree = Levels(self._leaves[:size])
        return self._tree


def bundle_name(number: int) -> str:
    """Return the name of the bundle that holds commit `number`, from `0000` on."""
    return f"{(number - 1) // BUNDLE_SIZE:04d}"


def encode_bundle(entries: Sequence[bytes]) -> bytes:
    """Return up to 256 records as one file: each a uint16 length and its bytes."""
    if not 0 < len(entries) <= BUNDLE_SIZE:
        raise _refused(f"{len(entries)} entries, 1 to {BUNDLE_SIZE} belong in one")
    for entry in entries:
        if not 0 < len(entry) <= MAX_BYTES:
            raise _refused(f"an entry of {len(entry)} bytes, 1 to {MAX_BYTES} may be")
    return b"".join(len(entry).to_bytes(_LENGTH) + entry for entry in entries)


def decode_bundle(data: bytes) -> list[bytes]:
    """Return the records of a bundle; anything else is a VerificationError."""
    entries: list[bytes] = []
    at = 0
    while at < len(data):
        start = at + _LENGTH
        at = start + int.from_bytes(data[at:start])
        if at > len(data):
            raise _refused("cut short")
        entries.append(data[start:at])
        if len(entries) > BUNDLE_SIZE:
            raise _refused(f"more than {BUNDLE_SIZE} entries")
    if encode_bundle(entries) != data:
        raise _refused("not in its one spelling")
    return entries


def _refused(reason: str) -> VerificationError:
    return VerificationError(f"not an entry bundle: {reason}", code="koinii/bad-bundle")
