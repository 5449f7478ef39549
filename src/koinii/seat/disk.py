"""The kind of disk a seat lies on; one behind a network cannot be relied on."""

from __future__ import annotations

import os
import re
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
NETWORKED = frozenset(
    {
        "9p", "afs", "ceph", "cifs", "coda", "fuse.ceph", "fuse.glusterfs",
        "fuse.s3fs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4",
        "smb3", "smbfs", "vboxsf",
    }
)  # fmt: skip
_ESCAPE = re.compile(r"\\([0-7]{3})")


def kind_of_disk(path: str) -> str | None:
    """Return the kind of file system a path is on, None where nothing tells."""
    if not MOUNTS.exists():
        return None
    mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    return file_system_of(os.path.realpath(path), mounts)


def file_system_of(path: str, mounts: str) -> str:
    """Return the kind of file system a path is on, after a table of mounts."""
    best = kind = ""
    for line in mounts.splitlines():
        words = line.split(" ")
        if len(words) < len(("device", "place", "kind")):
            continue
        place = _ESCAPE.sub(lambda found: chr(int(found[1], 8)), words[1])
        inside = path == place or path.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):  # what is mounted last is on top
            best, kind = place, words[2]
    return kind
