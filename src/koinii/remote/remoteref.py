"""`refs/koinii/remote`: what a remote says of itself (formats section 3).

    remote      the format version, and the admin's public key or `-`
    admin       where there is a key: the statement that it signed, a note

The first push writes it, the same bytes from every seat, so that two first
pushes do not race; the seat of the admin replaces the `-`, once. Anybody who can
push can write anything there: what is no face of a remote is told, stands in the
way of nothing, and is replaced by a push.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.note import PublicKey
from koinii.remote.commit import commit_object
from koinii.remote.fetching import OF_ALL
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tree import FILE, Entry, write_tree
from koinii.trust.statements import open_remote

REMOTE_REF = "refs/koinii/remote"
NEWER = "koinii/newer-remote"
VERSION = 1
_ABOVE = "refs/koinii"
_NOBODY = "0" * 32
_MOST = 4096
_NEWER = re.compile(rb"[1-9][0-9]{0,8}")
_OF_THE_WAY = OF_ALL | {"koinii/network"}  # to the remote, whatever it shows


class Face(NamedTuple):
    """What a remote shows of itself; `statement` is its admin's, as it stands there."""

    is_there: bool = False
    admin: PublicKey | None = None
    statement: str = ""
    fault: str = ""  # why what it shows is nothing
    is_junk: bool = False  # a fault that a push may replace

    @property
    def is_open(self) -> bool:
        """Whether an admin may still be named there."""
        return self.admin is None and (self.is_junk or not self.fault)


def remote_commit(git: Git, statement: str = "") -> str:
    """Make the commit of a remote, with its admin's statement if there is one."""
    objects = _objects(statement)
    store_pack(git.directory, write_pack(objects))
    return object_id(*objects[-1])


def read_face(git: Git, url: str, there: Mapping[str, str]) -> Face:
    """Return what a remote says of itself.

    Raises:
        SurroundingsError: `koinii/newer-remote`, a format this program does not know;
            no network, no credentials, no space.
    """
    found = there.get(REMOTE_REF)
    if found is None:
        return _absent(there)
    if found == object_id(*_objects("")[-1]):
        return Face(is_there=True)
    try:
        if git.list_refs(_ABOVE).get(REMOTE_REF) != found:
            git.fetch(url, [f"+{REMOTE_REF}:{REMOTE_REF}"])
        return _read(Objects(git.directory), found)
    except VerificationError as error:
        return _junk(error.message)
    except KoiniiError as error:
        if error.code in _OF_THE_WAY or error.code == NEWER:
            raise
        return Face(is_there=True, fault=error.message)


def _absent(there: Mapping[str, str]) -> Face:
    below = sorted(ref for ref in there if ref.startswith(f"{REMOTE_REF}/"))
    if not below:
        return Face()
    return Face(fault=f"{below[0]} is in its way; git push ADDRESS :{below[0]}")


def _junk(fault: str) -> Face:
    return Face(is_there=True, fault=fault, is_junk=True)


def _read(objects: Objects, tip: str) -> Face:
    files = objects.list_files(tip)
    texts = {
        path: objects.read(files[path].oid, _MOST, path)
        for path in ("remote", "admin")
        if path in files
    }
    version, *rest = texts.get("remote", b"").split(b"\n")
    if rest and _NEWER.fullmatch(version) and int(version) > VERSION:
        raise SurroundingsError(
            f"the remote has format {version.decode()}; this program knows {VERSION}",
            code=NEWER,
            hint="install a newer koinii",
        )
    if version != str(VERSION).encode():
        return _junk("its file `remote` does not begin with the version of a format")
    return _face(rest, texts.get("admin"))


def _face(lines: list[bytes], admin: bytes | None) -> Face:
    if lines == [b"-", b""] and admin is None:
        return Face(is_there=True)
    try:
        statement = open_remote(admin or b"")
    except VerificationError as error:
        return _junk(f"its admin has not signed: {error.message}")
    if lines != [statement.key.raw.hex().encode(), b""]:
        return _junk("it names another key than signed for it")
    return Face(is_there=True, admin=statement.key, statement=(admin or b"").decode())


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
