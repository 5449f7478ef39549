"""A seat's ref as it came from a remote: nothing in it has been checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from koinii.errors import VerificationError
from koinii.history.manifest import Listed
from koinii.remote.reading import Blob, Wanted, everything

MAX_SMALL = 1 << 20  # bytes of a key, a checkpoint

Read: TypeAlias = Callable[[str, int], bytes]  # path, most bytes → body


class FetchedSeat(NamedTuple):
    """The files of one ref, their bytes unread, and the way to read them."""

    seat: str
    files: Mapping[str, Blob]
    read: Read
    wants: Wanted = everything  # others may have been left out

    def body(self, path: str, most: int) -> bytes:
        """Return a file of at most `most` bytes, which must be there."""
        if path not in self.files:
            raise bad(path, "it is missing")
        return self.read(path, most)

    def text(self, path: str) -> str:
        """Return a small file as text."""
        try:
            return self.body(path, MAX_SMALL).decode()
        except UnicodeDecodeError as error:
            raise bad(path, "it is not UTF-8") from error

    def listed_body(self, path: str, listed: Mapping[str, Listed]) -> bytes:
        """Return a file after comparing it with the manifest, which lists it."""
        body = self.read(path, listed[path].size)
        if sha256(body).hexdigest() != listed[path].sha256:
            raise bad(path, "its hash is not the one the manifest lists")
        return body


def bad(path: str, reason: str) -> VerificationError:
    """Return the refusal of one file."""
    return VerificationError(
        f"{path}: {reason}",
        code="koinii/not-verified",
        hint="nothing of it was applied; ask whose seat it is",
        path=path,
        reason=reason,
    )


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Name the file in a refusal that does not know it."""
    try:
        yield
    except VerificationError as error:
        if error.details.get("path"):
            raise
        raise bad(path, error.message) from error
