"""Whose a remote is: the admin it shows, against the one pinned here."""

from __future__ import annotations

from koinii.errors import KoiniiError, RefusedError
from koinii.note import PublicKey
from koinii.remote.git_words import redact
from koinii.remote.remoteref import REMOTE_REF, Face, read_face, remote_commit
from koinii.remote.repository import Git
from koinii.remote.trouble import Trouble
from koinii.seat.administering import STATEMENT, pin_admin
from koinii.seat.modes import admin_of, mode_of
from koinii.seat.seat import Seat
from koinii.store import meta
from koinii.trust.names import ADMIN
from koinii.trust.standing import PROOF_TIER


def meet(seat: Seat, git: Git, url: str, there: dict[str, str]) -> Face:
    """Return what a remote says of itself, before anything of it is used.

    Raises:
        RefusedError: `koinii/other-admin`, in mode proof-tier.
        SurroundingsError: `koinii/newer-remote`.
    """
    face = read_face(git, url, there)
    if other_admin(seat, face) and mode_of(seat.database.connection) == PROOF_TIER:
        raise RefusedError(
            f"{redact(url)}: {other_admin(seat, face)}",
            code="koinii/other-admin",
            hint="standing is granted by one admin: use that admin's remote, or set "
            'mode = "cooperative" in seat.toml',
        )
    return face


def other_admin(seat: Seat, face: Face) -> str:
    """Return what to say where the remote's admin is not the one pinned, else ''."""
    pinned = admin_of(seat.database.connection)
    if face.admin is None or pinned in (None, face.admin.raw):
        return ""
    assert pinned is not None  # noqa: S101 - just looked
    return (
        f"the remote names the admin {face.admin.fingerprint}, and pinned here is "
        f"{PublicKey(pinned).fingerprint}"
    )


def troubles_of(seat: Seat, face: Face) -> list[Trouble]:
    """Return what is wrong with the admin that a remote shows."""
    said = other_admin(seat, face) or face.fault
    return [Trouble("", ADMIN, REMOTE_REF, said)] if said else []


def pin_first(seat: Seat, face: Face) -> str:
    """Pin the admin of a remote if none is; return its fingerprint, '' else."""
    if face.admin is None or admin_of(seat.database.connection) is not None:
        return ""
    pin_admin(seat, face.admin)
    return face.admin.fingerprint


def show(seat: Seat, git: Git, url: str, face: Face, there: dict[str, str]) -> None:
    """Write what the remote says of itself, where it is for this seat to say.

    That is where nobody has, and where the admin's key is here and none is named.
    Another seat may do so just now.
    """
    statement = str(meta.get(seat.database.connection, STATEMENT) or "")
    if face.is_there and not (statement and face.is_open):
        return
    oid = remote_commit(git, statement)
    try:
        git.push_and_confirm(
            url, oid, REMOTE_REF, there.get(REMOTE_REF), replace=face.is_there
        )
    except KoiniiError:
        if git.ls_remote(url, REMOTE_REF).get(REMOTE_REF) != oid:
            raise
