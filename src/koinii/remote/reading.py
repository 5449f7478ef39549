"""Fetched objects, hostile until verified: bounded before they are inflated.

Only the packs are opened, never a repository, so no configuration and no
ownership rule of libgit2 has a say, and no loose object is read (libgit2 1.9
does not end on one that is cut short; fetching and storing here make packs
only). An object's header tells its kind and size without inflating it, and what
is read is hashed again by libgit2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from koinii.errors import VerificationError
from koinii.remote.commit import Commit, open_commit
from koinii.remote.pack import Kind
from koinii.remote.tree import DIRECTORY, Entry, read_tree

if TYPE_CHECKING:
    import pygit2

_MAX_COMMIT = 64 << 10  # bytes
_MAX_TREE = 8 << 20
_KINDS: dict[int, Kind] = {1: b"commit", 2: b"tree", 3: b"blob"}


class Bounds(NamedTuple):
    """What one published tree may hold; sizes in bytes."""

    depth: int = 8
    entries: int = 200_000
    path: int = 1024
    file: int = 256 << 20
    total: int = 4 << 30


Wanted: TypeAlias = Callable[[str], bool]  # by path; that of a folder ends in /
ABSENT = -1


class Blob(NamedTuple):
    """A file of a tree; its bytes are not read yet."""

    oid: str
    size: int  # bytes, `ABSENT` where it was left out


def everything(_: str) -> bool:
    """Want every file."""
    return True


class Objects:
    """The objects of a bare repository, read one by one within bounds.

    Every refusal is a `VerificationError` that names the path or the object:
    missing, damaged, of another kind, too large, or not what a seat publishes.
    Files that are not `wanted` may be missing; `ask` brings others by name.
    """

    def __init__(
        self,
        repository: Path,
        bounds: Bounds | None = None,
        wanted: Wanted = everything,
        ask: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self._wanted = wanted
        self._ask = ask
        self._folder = repository / "objects"
        self._bounds = bounds or Bounds()
        self._odb: pygit2.Odb | None = None
        self._fault: type[Exception] = KeyError

    def read_commit(self, oid: str) -> Commit:
        """Return a commit in the one spelling of a seat; its signature is unchecked."""
        return open_commit(self._read(oid, b"commit", _MAX_COMMIT, "commit"))

    def list_files(self, commit_oid: str) -> dict[str, Blob]:
        """Return the files of a commit's tree by path, their bytes unread.

        Costs one read for each directory and one header for each file.
        """
        files: dict[str, Blob] = {}
        total = 0
        for path, oid in self._walk(commit_oid):
            files[path] = self._blob(oid, path)
            total += max(0, files[path].size)
            if total > self._bounds.total:
                raise _refused(path, "the tree is too large", "total")
        return files

    def complete(self, commit_oids: Sequence[str]) -> None:
        """Have the wanted files of commits here, asked for one level after another.

        Where nothing can be asked for, nothing is done.

        Raises:
            KoiniiError: they cannot be had.
        """
        if self._ask is None:
            return
        for _ in range(self._bounds.depth + 2):
            lacking = {oid for one in commit_oids for oid in self._lacking(one)}
            if not lacking:
                return
            self._ask(sorted(lacking))
            self._odb = None  # it has more packs now

    def _lacking(self, commit_oid: str) -> Iterator[str]:
        """Yield wanted files, and folders on the way to them, that are not here."""
        root = self.read_commit(commit_oid).tree
        if not self._has(root):
            yield root
            return
        for path, entry in self._entries(root):
            if self._wanted(path) and not self._has(entry.oid):
                yield entry.oid

    def wants(self, path: str) -> bool:
        """Tell whether a file has to be here."""
        return self._wanted(path)

    def _walk(self, commit_oid: str) -> Iterator[tuple[str, str]]:
        """Yield path and id of each file of a commit, of folders left out none."""
        for path, entry in self._entries(self.read_commit(commit_oid).tree):
            if entry.mode != DIRECTORY:
                yield path, entry.oid
            elif self._wanted(path):
                self._size(entry.oid, b"tree", path)

    def _entries(self, root: str) -> Iterator[tuple[str, Entry]]:
        """Yield what is below a tree, by path, that of a folder with / at its end.

        A folder that is not here is yielded and not looked into.
        """
        waiting = [("", root)]
        seen = 0
        while waiting:
            folder, oid = waiting.pop()
            for entry in read_tree(self._read(oid, b"tree", _MAX_TREE, folder), folder):
                seen += 1
                path = self._path_of(folder, entry, seen)
                if entry.mode != DIRECTORY:
                    yield path, entry
                    continue
                yield f"{path}/", entry
                if self._has(entry.oid):
                    waiting.append((path, entry.oid))

    def read(self, oid: str, limit: int, path: str = "") -> bytes:
        """Return the bytes of a blob of at most `limit` bytes."""
        return self._read(oid, b"blob", limit, path)

    def _path_of(self, folder: str, entry: Entry, seen: int) -> str:
        """Return the path of an entry, within the bounds of a tree."""
        path = f"{folder}/{entry.name}" if folder else entry.name
        if seen > self._bounds.entries:
            raise _refused(path, "the tree has too many entries", "entries")
        if path.count("/") >= self._bounds.depth:
            raise _refused(path, "the tree is too deep", "depth")
        if len(path.encode()) > self._bounds.path:
            raise _refused(path[:80], "the path is too long", "path")
        return path

    def _has(self, oid: str) -> bool:
        return oid in self._open()

    def _blob(self, oid: str, path: str) -> Blob:
        if not (self._wanted(path) or self._has(oid)):
            return Blob(oid, ABSENT)
        size = self._size(oid, b"blob", path)
        if size > self._bounds.file:
            raise _refused(path, f"the file has {size} bytes", "file")
        return Blob(oid, size)

    def _read(self, oid: str, kind: Kind, limit: int, path: str) -> bytes:
        size = self._size(oid, kind, path)
        if size > limit:
            raise _refused(path or oid, f"it has {size} bytes, above {limit}", "size")
        try:
            return bytes(self._open().read(oid)[1])
        except (KeyError, ValueError, OSError, self._fault) as fault:
            raise _refused(
                path or oid, f"it is damaged ({fault})", "damaged"
            ) from fault

    def _size(self, oid: str, kind: Kind, path: str) -> int:
        """Return the size of an object of the wanted kind, from its header alone."""
        odb = self._open()
        try:
            code, size = odb.read_header(oid)
        except KeyError as fault:
            raise _refused(
                path or oid, f"the object {oid} is missing", "missing"
            ) from fault
        except (ValueError, OSError, self._fault) as fault:
            raise _refused(
                path or oid, f"it is damaged ({fault})", "damaged"
            ) from fault
        if _KINDS.get(int(code)) != kind:
            raise _refused(path or oid, f"it is no {kind.decode()}", "kind")
        return size

    def _open(self) -> pygit2.Odb:
        if self._odb is None:
            import pygit2  # noqa: PLC0415 - 67 ms, only where objects are read

            self._fault = pygit2.GitError
            self._odb = pygit2.Odb()
            self._odb.add_backend(pygit2.OdbBackendPack(str(self._folder)), 1)
        return self._odb


def _refused(path: str, reason: str, what: str) -> VerificationError:
    return VerificationError(
        f"{path or '/'} is refused: {reason}",
        code="koinii/bad-object",
        path=path,
        reason=reason,
        what=what,
    )
