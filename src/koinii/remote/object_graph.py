"""Commits and what they need, walked in the packs of a repository.

What was fetched without git is checked here the way `git fetch` does it, so that a
ref of ours never stands for less than all it needs, and git finds nothing to
complain about later: every object that a new commit needs is here, of its kind, and
well formed. Their names are true already: whoever stores a pack computes them from
the bytes, and libgit2 hashes again what it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import VerificationError
from koinii.remote.loose import is_whole

if TYPE_CHECKING:
    import pygit2

COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
_KINDS = {COMMIT: "commit", TREE: "tree", BLOB: "blob", TAG: "tag"}
_MOST = {COMMIT: 8 << 20, TREE: 64 << 20, BLOB: 256 << 20, TAG: 1 << 20}  # bytes
_WHO = rb"[^<>\n\0]* ?<[^<>\n\0]*> \d{1,19} [+-]\d{4}\n"
_COMMIT = re.compile(
    rb"tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)"
    rb"author " + _WHO + rb"committer " + _WHO
)
_TAG = re.compile(rb"object ([0-9a-f]{40})\ntype (?:commit|tree|blob|tag)\n")
_MODES = {
    b"100644": BLOB,
    b"100755": BLOB,
    b"120000": BLOB,
    b"40000": TREE,
    b"160000": 0,  # a commit of another repository, which is not needed here
}
_OID = 20  # bytes of an object id inside a tree
_UNSEEN = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")


class Graph:
    """The objects of a repository: those in its packs, or of an `odb` of libgit2.

    Given one, loose objects are read too, each after it was found whole: libgit2 1.9
    does not end on one that is cut short.
    """

    def __init__(self, repository: Path, odb: pygit2.Odb | None = None) -> None:
        import pygit2  # noqa: PLC0415 - 67 ms, only where objects are read

        self._faults = (KeyError, ValueError, OSError, pygit2.GitError)
        self._folder = repository / "objects"
        self._packs = pygit2.Odb()
        self._packs.add_backend(pygit2.OdbBackendPack(str(self._folder)), 1)
        self.odb = odb or self._packs

    def has(self, oid: str) -> bool:
        """Tell whether an object is here."""
        return oid in self.odb

    def is_ancestor(self, old: str, new: str) -> bool:
        """Tell whether commit `new` contains `old`; False where one is missing.

        Costs a read for each commit between them, for all of them if there is none.
        """
        seen, waiting = {new}, [new]
        try:
            self._commit(old)
            while waiting:
                oid = waiting.pop()
                if oid == old:
                    return True
                fresh = [one for one in self._commit(oid)[1] if one not in seen]
                seen.update(fresh)
                waiting += fresh
        except VerificationError:
            return False
        return False

    def needed(
        self, tips: Iterable[str], whole: Set[str] = frozenset(), *, parts: bool = False
    ) -> set[str]:
        """Return the ids of all that tips need, but for `whole` commits and before.

        With `parts` files and trees may be missing. The ids of a million objects take
        100 MB.

        Raises:
            VerificationError: an object is missing, of another kind, ill-formed or
                beyond the limits.
        """
        seen: set[str] = set()
        commits: list[str] = []
        for tip in tips:
            oid, kind = self._peeled(tip, seen)
            if kind == COMMIT:
                commits.append(oid)
            elif kind == TREE:
                self._take_tree(oid, seen, parts=parts)
        for oid in self._commits(commits, whole):
            seen.add(oid)
            self._take_tree(self._commit(oid)[0], seen, parts=parts)
        return seen

    def new(self, tips: Iterable[str], whole: Set[str]) -> set[str]:
        """Return what tips need that is not in a `whole` commit just before them."""
        tips = list(tips)
        needed, there = self.needed(tips, whole), set[str]()
        for oid in needed:
            if self._kind_of(oid)[0] == COMMIT:
                for parent in whole & set(self._commit(oid)[1]):
                    self._take_tree(self._commit(parent)[0], there, parts=True)
        return needed - there

    def damaged(self) -> Iterator[str]:
        """Yield what is wrong with any object here; each is read and hashed again."""
        for oid in self.odb:
            try:
                self.odb.read(oid)
            except self._faults as fault:
                yield f"object {oid}: {fault}"

    def _peeled(self, oid: str, seen: set[str]) -> tuple[str, int]:
        """Follow tags; return what they name, and its kind."""
        while (kind := self._kind_of(oid)[0]) == TAG:
            seen.add(oid)
            found = _TAG.match(self._read(oid, TAG))
            if found is None:
                raise _refused(oid, "it is no tag in a form of git")
            oid = found[1].decode()
        if kind == BLOB:
            seen.add(oid)
        return oid, kind

    def _commits(self, tips: Iterable[str], whole: Set[str]) -> Iterator[str]:
        waiting = [tip for tip in tips if tip not in whole]
        seen = set(waiting)
        while waiting:
            oid = waiting.pop()
            yield oid
            parents = self._commit(oid)[1]
            fresh = [one for one in parents if one not in seen and one not in whole]
            seen.update(fresh)
            waiting += fresh

    def _take_tree(self, root: str, seen: set[str], *, parts: bool) -> None:
        """Add a tree and all below it to what was seen."""
        waiting = [root]
        while waiting:
            tree = waiting.pop()
            if tree in seen or (parts and not self.has(tree)):
                continue
            seen.add(tree)
            for kind, one in _entries(tree, self._read(tree, TREE)):
                if kind == TREE:
                    waiting.append(one)
                elif one not in seen:
                    self._look(one, parts=parts)
                    seen.add(one)

    def _commit(self, oid: str) -> tuple[str, list[str]]:
        """Return the tree and the parents of a commit."""
        found = _COMMIT.match(self._read(oid, COMMIT))
        if found is None:
            raise _refused(oid, "it is no commit in a form of git")
        parents = [line[7:47].decode() for line in found[2].splitlines()]
        return found[1].decode(), parents

    def _look(self, oid: str, *, parts: bool) -> None:
        """Look at the header of a file, and at nothing that was left out."""
        if self.has(oid) or not parts:
            self._kind(oid, BLOB)

    def _read(self, oid: str, kind: int) -> bytes:
        self._kind(oid, kind)
        try:
            return bytes(self.odb.read(oid)[1])
        except self._faults as fault:
            raise _refused(oid, f"it is damaged ({fault})") from fault

    def _kind(self, oid: str, kind: int) -> None:
        """Refuse an object of another kind, or above the limit of its kind."""
        code, size = self._kind_of(oid)
        if code != kind:
            raise _refused(oid, f"it is no {_KINDS[kind]}")
        if size > _MOST[kind]:
            raise _refused(oid, f"it has {size} bytes, above {_MOST[kind]}")

    def _kind_of(self, oid: str) -> tuple[int, int]:
        """Return kind and size of an object, from its header alone."""
        if self.odb is not self._packs and oid not in self._packs:
            file = self._folder / oid[:2] / oid[2:]
            if file.is_file() and not is_whole(file, oid):
                raise _refused(oid, "its file is torn")
        try:
            code, size = self.odb.read_header(oid)
        except KeyError as fault:
            raise _refused(oid, "it is missing") from fault
        except self._faults as fault:
            raise _refused(oid, f"it is damaged ({fault})") from fault
        return int(code), size


def _entries(tree: str, data: bytes) -> list[tuple[int, str]]:
    """Return kind and id of the entries of a tree that git would take."""
    entries: list[tuple[int, str]] = []
    keys: list[bytes] = []
    names: set[bytes] = set()
    position = 0
    while position < len(data):
        space = data.find(b" ", position, position + 8)
        end = data.find(b"\0", space)
        kind = _MODES.get(data[position:space])
        if space < 0 or end < 0 or end + _OID >= len(data) or kind is None:
            raise _refused(tree, "it is no tree in a form of git")
        name = data[space + 1 : end]
        if name in {b"", b".", b".."} or b"/" in name or is_dot_git(name):
            raise _refused(tree, f"the name {name.decode(errors='replace')!r}")
        position = end + 1 + _OID
        names.add(name)
        keys.append(name + b"/" if kind == TREE else name)
        if kind:
            entries.append((kind, data[end + 1 : position].hex()))
    if keys != sorted(keys) or len(names) != len(keys):
        raise _refused(tree, "its entries are out of order or doubled")
    return entries


def is_dot_git(name: bytes) -> bool:
    """Tell whether a file system of any kind would take a name for `.git`.

    NTFS knows it as `git~1` too, and drops dots and spaces at the end and what comes
    after a colon; HFS+ drops characters that are not seen.
    """
    short = re.split(rb"[:\\]", name, maxsplit=1)[0].rstrip(b". ").lower()
    seen = _UNSEEN.sub("", name.decode(errors="replace")).lower()
    return short in {b".git", b"git~1"} or seen == ".git"


def _refused(oid: str, why: str) -> VerificationError:
    return VerificationError(
        f"object {oid}: {why}", code="koinii/bad-objects", object=oid, reason=why
    )
