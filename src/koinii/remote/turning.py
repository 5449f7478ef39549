"""When a claim came to be believed at this seat and when it ceased to be."""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import NotFoundError, UsageError
from koinii.remote.differing import rebuilding_here
from koinii.remote.rebuilding import Missing, Rebuilding
from koinii.remote.repository import Git
from koinii.seat.seat import Seat
from koinii.terms.locator import leaf, locator_of, parse_prefix

_WHOLE = 64  # hex digits


class Turn(NamedTuple):
    """A commit with which a claim came to be believed, or ceased to be."""

    number: int
    id: str
    time: int
    believed: bool


class Turns(NamedTuple):
    """All of them, the newest first; `unknown` commits could not be rebuilt."""

    locator: str
    turns: list[Turn]
    unknown: list[int]
    missing: Missing | None  # of the first of those


def turns(seat: Seat, git: Git, locator: str) -> Turns:
    """Go through this seat's commits and say where belief in one claim turned.

    Raises:
        NotFoundError: `koinii/unknown-locator`: no commit believed it, and nothing
            here has it.
        UsageError: `koinii/ambiguous-locator`.
    """
    stored = _stored(seat, locator)
    if not seat.log(1):
        if stored is None:
            raise _unknown(locator)
        return Turns(locator_of(stored), [], [], None)
    prefix = parse_prefix(locator)
    digest = stored or (bytes.fromhex(prefix) if len(prefix) == _WHOLE else None)
    if digest is None:
        with rebuilding_here(seat, git, seat.id, seat.progress) as rebuilding:
            digest = _seen(rebuilding, locator)
    with rebuilding_here(seat, git, seat.id, seat.progress) as rebuilding:
        found = _turns(rebuilding, digest)
    if stored is None and not (found.turns or found.unknown):
        raise _unknown(locator)
    return found


def _stored(seat: Seat, locator: str) -> bytes | None:
    """Return the digest of what is stored here, None for nothing."""
    try:
        return seat.resolve(locator, held=True)
    except NotFoundError:
        return None


def _seen(rebuilding: Rebuilding, locator: str) -> bytes:
    """Return the digest that begins so of what any commit believed."""
    kb, prefix, found = rebuilding.scratch.kb, parse_prefix(locator), set[bytes]()
    for _ in rebuilding.steps():
        rows = kb.find_prefix(prefix)
        found |= {one.digest for one in rows if kb.is_believed(one)}
    if not found:
        raise _unknown(locator)
    if len(found) > 1:
        candidates = sorted(map(locator_of, found))
        raise UsageError(
            f"{locator} begins {len(found)} locators: {', '.join(candidates)}",
            code="koinii/ambiguous-locator",
            hint="give more digits",
            candidates=candidates,
        )
    return found.pop()


def _unknown(locator: str) -> NotFoundError:
    return NotFoundError(
        f"no commit of this seat believed what has the locator {locator}",
        code="koinii/unknown-locator",
        hint="koinii log lists the commits",
        locator=locator,
    )


def _turns(rebuilding: Rebuilding, digest: bytes) -> Turns:
    found, unknown = list[Turn](), list[int]()
    missing: Missing | None = None
    is_believed = False
    for record in rebuilding.steps():
        audited = rebuilding.compare(record)
        if not audited.equal:
            unknown.append(record.number)
            missing = missing or audited.missing
            continue
        now = rebuilding.scratch.kb.sentexes.has_leaf(leaf(digest))
        if now != is_believed:
            found.append(Turn(record.number, record.commit_id, record.time, now))
        is_believed = now
    return Turns(locator_of(digest), found[::-1], unknown, missing)
