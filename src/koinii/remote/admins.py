"""Whose a remote is: the admin it shows, against the one pinned here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from koinii.errors import KoiniiError, RefusedError
from koinii.note import PublicKey
from koinii.remote.git_words import redact
from koinii.remote.libgit import choose
from koinii.remote.pushing import push_ref
from koinii.remote.remoteref import REMOTE_REF, Face, read_face, remote_commit
from koinii.remote.repository import Git
from koinii.remote.trouble import Trouble
from koinii.seat.administering import SHOWN, STATEMENT, pin_admin
from koinii.seat.modes import admin_of, mode_of
from koinii.seat.seat import Seat
from koinii.store import meta
from koinii.trust.names import ADMIN
from koinii.trust.standing import PROOF_TIER

BAD = "koinii/bad-remote"
OTHER = "koinii/other-admin"
GONE = "koinii/admin-not-shown"
_WHO_DECIDES = (
    "a remote has one admin: whoever runs it says which; koinii admin forget gives up "
    "one made here that no remote has shown, and the seats of another go on with a "
    "remote of their own (koinii remote rm, koinii remote add)"
)


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
            hint="standing is granted by one admin: koinii admin forget gives up one "
            "made here that no remote has shown; or use that admin's remote, or set "
            'mode = "cooperative" in seat.toml',
        )
    return face


def look_at(url: str, there: Mapping[str, str]) -> Face:
    """Return what a remote says of itself, fetched to one side."""
    with TemporaryDirectory() as folder:
        aside = choose(Path(folder, "git"))
        aside.init()
        return read_face(aside, url, there)


def check_none_shown(seat: Seat) -> None:
    """Refuse to make an admin where a remote that can be reached has one.

    Raises:
        RefusedError: `koinii/other-admin`.
    """
    for name, url in sorted(seat.config.remotes.items()):
        try:
            there = choose(Path(seat.layout.state)).ls_remote(url, REMOTE_REF)
            face = look_at(url, there)
        except KoiniiError:
            continue  # it cannot be asked now; a pull tells
        if face.admin is not None:
            raise RefusedError(
                f"remote {name} has an admin already: {face.admin.fingerprint}",
                code=OTHER,
                hint=f"koinii pull {name} pins it; a remote has one admin, for good",
                shown=face.admin.fingerprint,
                remote=name,
            )


def other_admin(seat: Seat, face: Face) -> str:
    """Return what to say where the remote's admin is not the one pinned, else ''."""
    pinned = admin_of(seat.database.connection)
    if face.admin is None or pinned is None or pinned == face.admin.raw:
        return ""
    return (
        f"the remote names the admin {face.admin.fingerprint}, and pinned here is "
        f"{PublicKey(pinned).fingerprint}"
    )


def troubles_of(seat: Seat, face: Face, there: Mapping[str, str]) -> list[Trouble]:
    """Return what is wrong with the admin that a remote shows."""
    found = fault_of(seat, face, there)
    return [Trouble("", ADMIN, REMOTE_REF, *found)] if found else []


def fault_of(
    seat: Seat, face: Face, there: Mapping[str, str]
) -> tuple[str, str] | None:
    """Return what is wrong with what a remote says of itself, and its code."""
    if face.fault:
        return _bad(seat, face), BAD
    other = other_admin(seat, face)
    if other:
        return f"{other}; {_WHO_DECIDES}", OTHER
    pinned = admin_of(seat.database.connection)
    if face.admin is not None or pinned is None or not there:
        return None
    if _shown(seat) == "" and _own(seat):
        return None  # the next push shows it for the first time
    return (
        f"the remote names no admin, and pinned here is "
        f"{PublicKey(pinned).fingerprint}, which stays; {_mending(seat)}"
    ), GONE


def _bad(seat: Seat, face: Face) -> str:
    said = f"what the remote says of itself is nothing: {face.fault}"
    pinned = admin_of(seat.database.connection)
    if pinned is not None:
        said += f"; the admin pinned here stays: {PublicKey(pinned).fingerprint}"
    return f"{said}; {_mending(seat)}" if face.is_junk else said


def _mending(seat: Seat) -> str:
    if admin_of(seat.database.connection) is None or statement_here(seat):
        return "koinii push puts it right"
    return "koinii push of a seat that has the admin's statement puts it right"


def pin_first(seat: Seat, face: Face) -> str:
    """Pin the admin of a remote if none is; return its fingerprint, '' else.

    Its statement is kept, so that any seat can put it back.
    """
    if face.admin is None:
        return ""
    pinned = admin_of(seat.database.connection)
    if pinned == face.admin.raw:
        _keep(seat, face.statement)
    if pinned is not None:
        return ""
    pin_admin(seat, face.admin)
    _keep(seat, face.statement)
    return face.admin.fingerprint


def statement_here(seat: Seat) -> str:
    """Return the pinned admin's statement as it was signed or shown, '' for none."""
    return _own(seat) or _shown(seat)


def _own(seat: Seat) -> str:
    return str(meta.get(seat.database.connection, STATEMENT) or "")


def _shown(seat: Seat) -> str:
    return str(meta.get(seat.database.connection, SHOWN) or "")


def _keep(seat: Seat, statement: str) -> None:
    if _shown(seat) != statement:
        with seat.database.write() as connection:
            meta.put(connection, SHOWN, statement)


def show(seat: Seat, git: Git, url: str, face: Face, there: dict[str, str]) -> bool:
    """Write what the remote says of itself, and tell whether that was written now.

    That is where nobody has or what is there is junk, and where an admin is pinned
    here and none is named. Another seat may do so just now. Nothing is written over
    an admin; nor `-` where one is pinned whose statement is not here.
    """
    statement = statement_here(seat)
    pinned = admin_of(seat.database.connection)
    is_missing = face.is_junk or not (face.is_there or face.fault)
    if not (is_missing or (statement and face.is_open)) or (pinned and not statement):
        return False
    oid = remote_commit(git, statement)
    try:
        old = there.get(REMOTE_REF)
        push_ref(seat, git, url, oid, REMOTE_REF, old, replace=face.is_there)
    except KoiniiError:
        found = git.ls_remote(url, REMOTE_REF).get(REMOTE_REF)
        if found in (None, there.get(REMOTE_REF)):
            raise
        return False  # the next push looks at what another has written
    if statement:
        _keep(seat, statement)
    return True
