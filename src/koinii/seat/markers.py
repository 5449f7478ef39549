"""Markers: untrusted references to sentexes, and looking them up (spec B.8.3).

The payload is never believed: what resolves is what this seat itself holds.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from koinii.errors import KoiniiError, RefusedError, UsageError
from koinii.kb.base import Sentex
from koinii.kb.query import split
from koinii.terms.canonical import canonical
from koinii.terms.encoding import encode
from koinii.terms.folds import word
from koinii.terms.locator import locate, parse_locator, raw_digest
from koinii.terms.printer import write
from koinii.terms.reader import read
from koinii.terms.shape import check_context
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.seat.parts import Parts
    from koinii.terms.term import Term

MAX_MARKER = 128 * 1024
PREFIX = "koinii:"


class Marker(NamedTuple):
    """What is carried: a locator, and what and who is said to be behind it."""

    locator: str
    sentence: str
    context: str
    seat: str | None

    def text(self) -> str:
        """Return the marker as one line of JSON."""
        return json.dumps(self._asdict(), ensure_ascii=False, sort_keys=True)


class Resolution(NamedTuple):
    """What a marker comes to here.

    `reason` is '' when it resolved, else `malformed`, `not-received`,
    `not-believed` or `locator-mismatch`; `seat` and `created` are this seat's own
    knowledge, never the marker's word. Where only the mirror of a symmetric
    predicate's claim is held, `mirrored` says so and the rest is the mirror's.
    """

    resolved: bool
    reason: str
    locator: str | None = None
    actual: str | None = None
    sentence: str | None = None
    context: str | None = None
    truth: bool | None = None
    seat: str | list[str] | None = None
    created: int | None = None
    mirrored: bool = False
    why: dict[str, Any] | None = None  # as `seat.why` tells it, where it was asked for


MALFORMED = Resolution(resolved=False, reason="malformed")


def make_marker(seat: Parts, locator: str) -> Marker:
    """Return a marker for a stored sentex."""
    found = seat.kb.find(seat.resolve(locator))
    assert found is not None  # noqa: S101 - resolve found it
    speakers = _speakers(seat, found)
    shown = " ".join(speakers) if speakers else None
    marker = Marker(found.locator, write(found.sentence), found.context, shown)
    if _size(marker.text()) > MAX_MARKER:
        raise RefusedError(
            "the sentence is too long for a marker, which has at most 128 KiB",
            code="koinii/marker-too-long",
            hint=f"{PREFIX}{found.locator} names it as well",
        )
    return marker


def why_marker(seat: Parts, marker: object, max_depth: int) -> Resolution:
    """Look a marker up, and say why this seat believes what it comes to."""
    from koinii.seat.reasoning import why  # noqa: PLC0415 - for this only

    with seat.kb.view():
        found = dereference(seat, marker)
        if found.locator is None or not found.resolved:
            return found
        digest = raw_digest(parse_locator(found.locator))
        return found._replace(why=why(seat, digest, max_depth))


def dereference(seat: Parts, marker: object) -> Resolution:
    """Look a marker up; whatever is none comes out `malformed`.

    Raises:
        VerificationError: `koinii/row-altered`: this seat's own row is damaged.
    """
    try:
        claimed = _read(marker)
        if claimed.sentence is None:
            return _by_locator(seat, claimed.locator)
        return _by_sentence(seat, claimed)
    except KoiniiError as error:
        if error.exit_code in (2, 4):
            return MALFORMED
        raise


class _Claimed(NamedTuple):
    locator: str
    sentence: str | None
    context: str


def _read(marker: object) -> _Claimed:
    if isinstance(marker, Marker):
        marker = marker._asdict()
    if isinstance(marker, str) and not marker.lstrip().startswith("{"):
        return _Claimed(parse_locator(marker.strip().removeprefix(PREFIX)), None, "")
    fields = _fields(marker)
    return _Claimed(
        parse_locator(fields["locator"]), fields["sentence"], fields["context"]
    )


def _fields(marker: object) -> dict[str, str]:
    if isinstance(marker, str):
        marker = _json(marker)
    wanted = ("locator", "sentence", "context")
    if (
        not isinstance(marker, dict)
        or not all(isinstance(marker.get(name), str) for name in wanted)
        or not isinstance(marker.get("seat"), str | None)
    ):
        raise UsageError("not a marker", code="koinii/bad-marker")
    return {name: marker[name] for name in wanted}


def _json(text: str) -> object:
    if _size(text) > MAX_MARKER:
        raise UsageError("a marker has at most 128 KiB", code="koinii/bad-marker")
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not a marker: {error}", code="koinii/bad-marker") from error


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _by_locator(seat: Parts, locator: str) -> Resolution:
    found = seat.kb.find(raw_digest(parse_locator(locator)))
    if found is None or not seat.kb.is_believed(found):
        return _unresolved("not-received", locator)
    return _resolved(seat, found)


def _by_sentence(seat: Parts, claimed: _Claimed) -> Resolution:
    assert claimed.sentence is not None  # noqa: S101 - the caller looked
    check_context(Symbol(claimed.context))
    sentence = canonical(read(claimed.sentence))
    if not isinstance(sentence, tuple):
        raise UsageError("a sentence is a list", code="koinii/bad-marker")
    actual = locate(Symbol(claimed.context), sentence)
    found = _held(seat, claimed.context, sentence)
    if found is None:
        return _unresolved("not-received", claimed.locator)
    if not seat.kb.is_believed(found):
        return _unresolved("not-believed", claimed.locator)
    if actual != claimed.locator:
        mismatch = _unresolved("locator-mismatch", claimed.locator)
        return mismatch._replace(actual=actual)
    return _resolved(seat, found)._replace(mirrored=found.locator != actual)


def _held(seat: Parts, context: str, sentence: tuple[Term, ...]) -> Sentex | None:
    """Return what is stored of a sentence, or else of its mirror."""
    for one in (sentence, _mirror(seat, sentence)):
        found = one and seat.kb.find(raw_digest(locate(Symbol(context), one)))
        if found:
            return found
    return None


def _mirror(seat: Parts, sentence: tuple[Term, ...]) -> tuple[Term, ...] | None:
    """Return a symmetric predicate's claim with its two arguments swapped."""
    negative, literal = split(sentence)
    if word(literal) == "implies":
        return None
    seat.kb.structure.check()
    if len(literal) != 3 or encode(literal[0]) not in seat.kb.structure.symmetric:  # noqa: PLR2004 - binary
        return None
    functor, first, second = literal
    swapped = (functor, second, first)
    return (sentence[0], swapped) if negative else swapped


def _unresolved(reason: str, locator: str) -> Resolution:
    return Resolution(resolved=False, reason=reason, locator=locator)


def _resolved(seat: Parts, found: Sentex) -> Resolution:
    rows = seat.kb.asserted_by(found.id)
    speakers = _speakers(seat, found)
    negative = isinstance(found.sentence, tuple) and found.sentence[0] == Symbol("not")
    return Resolution(
        resolved=True,
        reason="",
        locator=found.locator,
        sentence=write(found.sentence),
        context=found.context,
        truth=not negative,
        seat=speakers[0] if len(speakers) == 1 else speakers or None,
        created=min((row[4] for row in rows), default=None),
    )


def _speakers(seat: Parts, found: Sentex) -> list[str]:
    rows = seat.kb.asserted_by(found.id)
    return sorted({seat.kb.names.author(row[1])[0] for row in rows})
