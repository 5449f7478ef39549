"""`refs/koinii/remote`: what a remote says of itself (formats section 3).

    remote      the format version, and the admin's public key or `-`
    admin       where there is a key: the statement that it signed, a note

The first push writes it, the same bytes from every seat, so that two first
pushes do not race; the seat of the admin replaces the `-`, once.
"""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import SurroundingsError, VerificationError
from koinii.note import PublicKey
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tree import FILE, Entry, write_tree
from koinii.trust.statements import open_remote

REMOTE_REF = "refs/koinii/remote"
VERSION = 1
_NOBODY = "0" * 32
_MOST = 4096


class Face(NamedTuple):
    """What a remote shows of itself."""

    is_there: bool = False
    admin: PublicKey | None = None
    fault: str = ""  # why what it shows of an admin is nothing

    @property
    def is_open(self) -> bool:
        """Whether an admin may still be named there."""
        return self.admin is None and not self.fault


def remote_commit(git: Git, statement: str = "") -> str:
    """Make the commit of a remote, with its admin's statement if there is one."""
    objects = _objects(statement)
    store_pack(git.directory, write_pack(objects))
    return object_id(*objects[-1])


def read_face(git: Git, url: str, there: dict[str, str]) -> Face:
    """Return what a remote says of itself.

    Raises:
        SurroundingsError: `koinii/newer-remote`, a format this program does not know.
    """
    found = there.get(REMOTE_REF)
    if found is None:
        return Face()
    if found == object_id(*_objects("")[-1]):
        return Face(is_there=True)
    if git.list_refs(REMOTE_REF).get(REMOTE_REF) != found:
        git.fetch(url, [f"+{REMOTE_REF}:{REMOTE_REF}"])
    return _read(Objects(git.directory), found)


def _read(objects: Objects, tip: str) -> Face:
    files = objects.list_files(tip)
    texts = {
        path: objects.read(files[path].oid, _MOST, path)
        for path in ("remote", "admin")
        if path in files
    }
    version, *rest = texts.get("remote", b"").split(b"\n")
    if version != str(VERSION).encode():
        raise SurroundingsError(
            f"the remote has format {version.decode(errors='replace')!r}; this "
            f"program knows {VERSION}",
            code="koinii/newer-remote",
            hint="install a newer koinii",
        )
    return _face(rest, texts.get("admin"))


def _face(lines: list[bytes], admin: bytes | None) -> Face:
    if lines == [b"-", b""] and admin is None:
        return Face(is_there=True)
    try:
        statement = open_remote(admin or b"")
    except VerificationError as error:
        return Face(is_there=True, fault=f"its admin has not signed: {error.message}")
    if lines != [statement.key.raw.hex().encode(), b""]:
        return Face(is_there=True, fault="it names another key than signed for it")
    return Face(is_there=True, admin=statement.key)


def _objects(statement: str) -> list[GitObject]:
    """Return the blobs, tree and commit of a remote."""
    shown = "-"
    if statement:
        shown = open_remote(statement.encode()).key.raw.hex()
    bodies = {"remote": f"{VERSION}\n{shown}\n".encode()}
    if statement:
        bodies["admin"] = statement.encode()
    entries = [Entry(n, FILE, object_id(b"blob", b)) for n, b in sorted(bodies.items())]
    tree = write_tree(entries)
    data = commit_object(
        object_id(b"tree", tree), None, "a remote of koinii seats\n", _NOBODY, 0
    )
    blobs: list[GitObject] = [(b"blob", body) for body in bodies.values()]
    return [*blobs, (b"tree", tree), (b"commit", data)]
