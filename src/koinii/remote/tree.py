"""Published trees: what a seat's ref holds, and the git trees that say so.

Nothing here reads anything. A stored directory is a list of entries; to
publish, give `changed_trees` the changed files and a reader of directories: it
reads only the directories that are touched, and returns the new tree objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from koinii.errors import VerificationError
from koinii.remote.pack import GitObject, object_id

FILE = 0o100644
DIRECTORY = 0o40000

_MODES = {b"100644": FILE, b"40000": DIRECTORY}
_OID = 20  # bytes of an object id inside a tree


class Published(NamedTuple):
    """One published file, as the mapping path → file of a tree keeps it."""

    oid: str
    size: int
    sha256: str


class Entry(NamedTuple):
    """One name in a directory; `mode` is `FILE` or `DIRECTORY`."""

    name: str
    mode: int
    oid: str


Tree: TypeAlias = Mapping[str, Published]


class Changed(NamedTuple):
    """What `changed_trees` found: the new root and what to write and keep.

    `directories` holds the new entries of every touched directory by path, the
    root's path being empty; a directory without entries is gone.
    """

    root: str
    objects: list[GitObject]
    directories: dict[str, list[Entry]]


def changed_trees(
    entries_of: Callable[[str], Iterable[tuple[str, int, str]]],
    changes: Mapping[str, str | None],
) -> Changed:
    """Return the tree after the files in `changes` have new ids, or none.

    `entries_of(directory)` lists a stored directory, and is asked once for each
    directory that holds a change, or holds one that does; an unknown directory
    has no entries. A file where a directory stands, or the other way round, is
    a fault of the caller.
    """
    touched = _by_directory(changes)
    objects: list[GitObject] = []
    directories: dict[str, list[Entry]] = {}
    root = ""
    for directory in sorted(touched, key=_depth, reverse=True):
        before = {entry[0]: Entry(*entry) for entry in entries_of(directory)}
        after = _sorted(_apply(before, touched[directory], directory))
        directories[directory] = after
        data = write_tree(after)
        root = object_id(b"tree", data)
        if directory:
            parent, _, name = directory.rpartition("/")
            if touched[parent].get(name) is not None:
                raise AssertionError(f"{directory}: a file and a directory")
            touched[parent][name] = Entry(name, DIRECTORY, root) if after else None
        if after or not directory:
            objects.append((b"tree", data))
    return Changed(root, objects, directories)


def write_tree(entries: Iterable[Entry]) -> bytes:
    """Return the bytes of the tree object; directories sort as name + "/"."""
    return b"".join(
        b"%o %s\x00%s" % (mode, name.encode(), bytes.fromhex(oid))
        for name, mode, oid in _sorted(entries)
    )


def read_tree(data: bytes, path: str = "") -> list[Entry]:
    """Return the entries of a tree object in the one order git allows.

    Raises `VerificationError`, naming `path`, on anything but plain files and
    directories: links, submodules, executables, names that are no UTF-8 or
    that a checkout would follow out of its folder, wrong order, duplicates.
    """
    entries: list[Entry] = []
    position = 0
    while position < len(data):
        space = data.find(b" ", position, position + 8)
        end = data.find(b"\x00", space)
        if space < 0 or end < 0 or end + _OID >= len(data):
            raise _bad_tree("it is cut short", path)
        mode = _MODES.get(data[position:space])
        name = _name(data[space + 1 : end], path)
        if mode is None:
            shown = data[position:space].decode("ascii", "replace")
            raise _bad_tree(f"{name!r} has mode {shown}, no plain file", path)
        position = end + 1 + _OID
        entries.append(Entry(name, mode, data[end + 1 : position].hex()))
    keys = [_sort_key(entry) for entry in entries]
    names = {entry.name for entry in entries}
    if keys != sorted(keys) or len(names) != len(entries):
        raise _bad_tree("its entries are out of order or doubled", path)
    return entries


def _by_directory(
    changes: Mapping[str, str | None],
) -> dict[str, dict[str, Entry | None]]:
    touched: dict[str, dict[str, Entry | None]] = {"": {}}
    for path, oid in changes.items():
        directory, _, name = path.rpartition("/")
        change = None if oid is None else Entry(name, FILE, oid)
        touched.setdefault(directory, {})[name] = change
        while directory:
            directory = directory.rpartition("/")[0]
            touched.setdefault(directory, {})
    return touched


def _apply(
    before: dict[str, Entry], changes: dict[str, Entry | None], directory: str
) -> list[Entry]:
    after = dict(before)
    for name, change in changes.items():
        old = after.pop(name, None)
        if change is not None:
            if old is not None and old.mode != change.mode:
                raise AssertionError(f"{directory}/{name}: a file and a directory")
            after[name] = change
    return list(after.values())


def _depth(directory: str) -> int:
    return directory.count("/") + 1 if directory else 0


def _sorted(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=_sort_key)


def _sort_key(entry: Entry) -> bytes:
    return entry.name.encode() + (b"/" if entry.mode == DIRECTORY else b"")


def _name(raw: bytes, path: str) -> str:
    try:
        name = raw.decode()
    except UnicodeDecodeError as fault:
        raise _bad_tree("a name is no UTF-8", path) from fault
    if name in {"", ".", ".."} or "/" in name or name.lower() == ".git":
        raise _bad_tree(f"the name {name!r} is not allowed", path)
    return name


def _bad_tree(reason: str, path: str) -> VerificationError:
    return VerificationError(
        f"the tree {path or '/'} is refused: {reason}",
        code="koinii/bad-tree",
        path=path,
        reason=reason,
    )
