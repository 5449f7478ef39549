"""The admin of a remote: a key that grants standing, kept at one seat.

`AdminRoot` is an agent of that seat. Its file of statements holds the grants and
revocations; what it says stands in the registry.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, RefusedError, UsageError, VerificationError
from koinii.note import PrivateKey, PublicKey, Signer, read_public_key
from koinii.seat.contests import refused
from koinii.seat.deciding import add, find_key, keys_of, own_key
from koinii.seat.founding import present
from koinii.seat.modes import ADMIN_KEY, admin_of
from koinii.seat.reviewing import review
from koinii.store import meta
from koinii.terms.shape import check_context
from koinii.terms.term import Symbol
from koinii.trust.names import ADMIN, check_agent
from koinii.trust.statements import (
    Grant,
    RemoteStatement,
    sign_statement,
    statement_hash,
)

if TYPE_CHECKING:
    from koinii.seat.parts import Parts

STATEMENT = "admin-statement"  # of the remote, in the store's single values
SHOWN = "admin-shown"  # the statement as a remote has shown it
VERSION = 1  # of a remote's format
_ROLES = ("member", "moderator", "arbiter")


class Admin(NamedTuple):
    """The admin as this seat has pinned it."""

    fingerprint: str
    is_here: bool  # its key is at this seat
    grants: list[Granted]


class Granted(NamedTuple):
    """What an agent is granted, and for which key."""

    agent: str
    fingerprint: str
    standing: list[str]
    time: int


class GrantReport(NamedTuple):
    """A grant that was signed here, and how many lines moved with it."""

    agent: str
    fingerprint: str
    standing: list[str]
    time: int
    held: int  # lines that counted and are held now
    back: int  # lines that were held and count now
    without: list[str]  # the seats where what the agent says is held all the same


def admin_init(seat: Parts) -> Admin:
    """Make an admin, whose key lies at this seat; the next push publishes it.

    Raises:
        RefusedError: `koinii/other-admin`: one is pinned here already.
    """
    with seat.kb.write() as connection:
        pinned = admin_of(seat.database.connection)
        if pinned is not None:
            raise RefusedError(
                f"an admin is pinned here: {PublicKey(pinned).fingerprint}",
                code="koinii/other-admin",
                hint="koinii admin shows it; a remote has one admin, for good",
                pinned=PublicKey(pinned).fingerprint,
            )
        key, now = PrivateKey.generate(), seat.now()
        statement = RemoteStatement(key.public, VERSION, now)
        signed = sign_statement(statement, Signer.of(ADMIN, key))
        layout = None if seat.is_rehearsing else seat.layout
        present(layout, seat.histories, ADMIN, key, seat=seat.id, time=now)
        meta.put(connection, ADMIN_KEY, key.public.raw)
        meta.put(connection, STATEMENT, signed.decode())
        review(seat)
    return Admin(key.public.fingerprint, is_here=True, grants=[])


def admin(seat: Parts) -> Admin | None:
    """Return the admin pinned here and all grants that are in force."""
    pinned = admin_of(seat.database.connection)
    if pinned is None:
        return None
    row = seat.histories.agent(ADMIN, seat.id)
    grants = seat.weighing().counting.grants
    return Admin(
        PublicKey(pinned).fingerprint,
        is_here=row is not None and row.public_key == pinned,
        grants=[
            Granted(name, one.key.fingerprint, list(one.standing), one.time)
            for name, one in sorted(grants.items())
        ],
    )


def pin_admin(seat: Parts, key: PublicKey) -> None:
    """Take a key for the admin's, on first contact with its remote."""
    with seat.kb.write() as connection:
        meta.put(connection, ADMIN_KEY, key.raw)
        review(seat)


def admin_forget(seat: Parts) -> Admin:
    """Give up the admin made here, which no remote has shown; return what it was.

    No admin is pinned then, and a pull pins the one it meets. The agent stays, with
    its key, and nothing that it says counts.

    Raises:
        NotFoundError: `koinii/no-admin`: none was made here.
        RefusedError: `koinii/admin-published`: others may have pinned it.
    """
    with seat.kb.write() as connection:
        given_up = admin(seat)
        if given_up is None or not meta.get(connection, STATEMENT):
            raise NotFoundError(
                "no admin was made at this seat",
                code="koinii/no-admin",
                hint="koinii admin shows whose is pinned",
            )
        if meta.get(connection, SHOWN):
            raise RefusedError(
                f"a remote has shown the admin {given_up.fingerprint}, and others may "
                "have pinned it",
                code="koinii/admin-published",
                hint="a remote has one admin, for good; begin with another remote",
            )
        meta.put(connection, ADMIN_KEY, None)
        meta.put(connection, STATEMENT, None)
        review(seat)
    return given_up


def grant(
    seat: Parts, agent: str, standing: list[str], key: str | None, *, only: bool
) -> GrantReport:
    """Grant an agent standing, beside what it has or (`only`) in its place.

    `standing` are words such as `member`, `moderator` (everywhere), `moderator
    CxDeploy`, `arbiter`. `key` is the fingerprint of a key known here, or an OpenSSH
    public key (its line, or the file it is in); it may be left out where the name
    has one key.

    Raises:
        NotFoundError: `koinii/no-admin`: the admin's key is not at this seat.
    """
    check_agent(agent)
    words = {_standing(one) for one in standing or ["member"]}
    with seat.kb.write():
        admin_key = own_key(seat, ADMIN)
        before = seat.weighing().counting.grants.get(agent)
        about = _key_about(seat, agent, key, before)
        if before is not None and not only and before.key == about:
            words |= set(before.standing)
        previous = None if before is None else statement_hash(before)
        one = Grant(agent, about, tuple(sorted(words)), previous, seat.now())
        moved = add(seat, ADMIN, one, [admin_key])
    without = [place for name, place in sorted(refused(seat)) if name == agent]
    given = list(one.standing)
    return GrantReport(agent, about.fingerprint, given, one.time, *moved, without)


def _standing(text: str) -> str:
    """Return a standing as a grant spells it."""
    role, _, where = text.strip().partition(" ")
    if role not in _ROLES or (where and role == "member"):
        raise UsageError(
            f"{text!r} is no standing",
            hint='member, moderator, "moderator CxDeploy", arbiter',
        )
    if role == "member":
        return role
    where = where or "*"
    if where != "*" and role == "arbiter":
        raise UsageError("an arbiter is one everywhere", hint="arbiter")
    if where != "*":
        check_context(Symbol(where))
    return f"{role} {where}"


def _key_about(
    seat: Parts, agent: str, key: str | None, before: Grant | None
) -> PublicKey:
    if key is None and before is not None:
        return before.key
    if key is None:
        keys = _keys_met(seat, agent)
        if len(keys) > 1:
            raise UsageError(
                f"{agent} is known with {len(keys)} keys: {', '.join(sorted(keys))}",
                code="koinii/several-keys",
                hint=f"koinii admin grant {agent} --key {min(keys)}",
                known=sorted(keys),
            )
        return next(iter(keys.values()))
    if key.startswith("SHA256:"):
        return find_key(seat, agent, key)
    try:
        return read_public_key(_line(key))
    except VerificationError as error:
        if key.startswith("ssh-"):
            raise
        raise VerificationError(
            f"{key if Path(key).is_file() else key[:80]} holds no public key: "
            f"{error.message}",
            code=error.code,
            hint="the file that ends in .pub, one line: ssh-ed25519 …",
            path=key,
        ) from error


def _keys_met(seat: Parts, agent: str) -> dict[str, PublicKey]:
    """Return the keys with which an agent of that name signs now, at any seat."""
    known = seat.weighing().known.items()
    keys = [one.key for (name, _), one in known if name == agent]
    try:
        return {key.fingerprint: key for key in keys} or keys_of(seat, agent)
    except NotFoundError as error:
        error.hint = (
            f"koinii pull, if another seat has it; or koinii admin grant {agent} "
            "--key FILE, with its public key"
        )
        raise


def _line(key: str) -> str:
    """Return the line of a public key that was given, or of the file it is in."""
    if key.startswith("ssh-"):
        return key
    try:
        return Path(key).read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise UsageError(
            f"{key[:80]!r} is no fingerprint, no public key and no file that can be "
            "read",
            hint="SHA256:…, as koinii agent shows it; or the file of a public key",
        ) from None


__all__ = [
    "SHOWN",
    "STATEMENT",
    "Admin",
    "GrantReport",
    "Granted",
    "admin",
    "admin_forget",
    "admin_init",
    "grant",
    "pin_admin",
]
