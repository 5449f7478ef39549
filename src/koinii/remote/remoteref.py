"""`refs/koinii/remote`: what a remote says of itself (formats section 3).

One file: the format version, and the admin's key or `-`. The first push writes
it, the same bytes from every seat, so that two first pushes do not race.
"""

from __future__ import annotations

from koinii.errors import SurroundingsError
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.reading import Objects
from koinii.remote.repository import Git
from koinii.remote.tree import FILE, Entry, write_tree

REMOTE_REF = "refs/koinii/remote"
VERSION = 1
_TEXT = f"{VERSION}\n-\n".encode()
_NOBODY = "0" * 32
_MOST = 4096


def remote_commit(git: Git) -> str:
    """Make the commit that a remote without admin shows; return its id."""
    objects = _objects()
    store_pack(git.directory, write_pack(objects))
    return object_id(*objects[-1])


def check_remote(git: Git, url: str, there: dict[str, str]) -> None:
    """Refuse a remote whose format this program does not know."""
    found = there.get(REMOTE_REF)
    if found in (None, object_id(*_objects()[-1])):
        return
    git.fetch(url, [f"+{REMOTE_REF}:{REMOTE_REF}"])
    objects = Objects(git.directory)
    file = objects.list_files(found).get("remote")
    text = b"" if file is None else objects.read(file.oid, _MOST, "remote")
    version = text.split(b"\n", 1)[0].decode(errors="replace")
    if version != str(VERSION):
        raise SurroundingsError(
            f"the remote has format {version!r}; this program knows {VERSION}",
            code="koinii/newer-remote",
            hint="install a newer koinii",
        )


def _objects() -> list[GitObject]:
    """Return the blob, tree and commit of a remote without admin."""
    tree = write_tree([Entry("remote", FILE, object_id(b"blob", _TEXT))])
    data = commit_object(
        object_id(b"tree", tree), None, "a remote of koinii seats\n", _NOBODY, 0
    )
    return [(b"blob", _TEXT), (b"tree", tree), (b"commit", data)]
