"""The name of a dispute: the two sentexes that clash, by their locators.

It follows from the clash alone, so every seat has the same one. Its text is

    <locator> <locator>

the lesser first: what the extras of rulings hold (docs/formats/claims.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import UsageError
from koinii.terms.locator import Locator, locator_of, parse_locator, raw_digest
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from typing import TypeAlias

    from koinii.seat.seat import Seat
    from koinii.terms.term import Term

_DISPUTE, _HANDLE = Symbol("dispute"), Symbol("sentexHandle")
_BYTES = 32  # of a digest
_BETWEEN = " +"  # either of these, where people type one


class DisputeId(NamedTuple):
    """The digests of two locators, ascending."""

    first: bytes
    second: bytes

    @property
    def locators(self) -> tuple[Locator, Locator]:
        """Both sides, the lesser first."""
        return locator_of(self.first), locator_of(self.second)

    @property
    def text(self) -> str:
        """Its one spelling."""
        return " ".join(self.locators)

    def term(self) -> Term:
        """Return it as a term: `(dispute (sentexHandle lo) (sentexHandle hi))`."""
        first, second = self.locators
        return _DISPUTE, (_HANDLE, first), (_HANDLE, second)


Disputed: TypeAlias = "DisputeId | str | tuple[str, str]"


def dispute_id(one: str, other: str) -> DisputeId:
    """Return the id of a clash between two whole locators, in either order."""
    first, second = sorted(raw_digest(parse_locator(side)) for side in (one, other))
    return DisputeId(first, second)


def read_id(text: str) -> DisputeId:
    """Read the one spelling.

    Raises:
        UsageError: it is another.
    """
    one, _, other = text.partition(" ")
    found = dispute_id(one, other)
    if found.text != text or found.first == found.second:
        raise _no_id(text)
    return found


def find_id(seat: Seat, named: Disputed) -> DisputeId:
    """Return the id that somebody names, by whole locators or their beginnings.

    As text the two stand in either order, with a space or a `+` between.

    Raises:
        NotFoundError: `koinii/unknown-locator`: what begins so is not stored here.
        UsageError: it names no two locators, or `koinii/ambiguous-locator`.
    """
    if isinstance(named, DisputeId):
        digests: tuple[object, ...] = named
        if not all(isinstance(one, bytes) and len(one) == _BYTES for one in digests):
            raise _no_id(digests)
        return named
    sides: object = _words(named) if isinstance(named, str) else named
    if not isinstance(sides, tuple | list) or len(sides) != 2:  # noqa: PLR2004 - a pair
        raise _no_id(named)
    first, second = sorted(_digest(seat, side) for side in sides)
    return DisputeId(first, second)


def _words(text: str) -> list[str]:
    for one in _BETWEEN[1:]:
        text = text.replace(one, _BETWEEN[0])
    return text.split()


def _digest(seat: Seat, side: str) -> bytes:
    from koinii.seat.speaking import digest_of  # noqa: PLC0415 - off the hot path

    return digest_of(side) or seat.resolve(side)


def _no_id(named: object) -> UsageError:
    shown = ascii(named[:200]) if isinstance(named, str) else type(named).__name__
    return UsageError(
        f"not a dispute: {shown}",
        code="koinii/no-dispute-id",
        hint="two locators with a + between, as koinii disputes shows them",
    )
