"""An arbiter rules on a dispute (spec B.5, decision 10).

A ruling is an ordinary line of the arbiter's own. What it does is done by the engine:
it is known, so defaults that deny it fall wherever both are seen with consent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.dispute_id import Disputed, DisputeId, find_id
from koinii.coordination.meeting import declared
from koinii.coordination.rulings import disputes_of, ruled_in, with_disputes
from koinii.coordination.sides import sides_of
from koinii.errors import RefusedError
from koinii.seat.speaking import Spoken
from koinii.terms.canonical import canonical
from koinii.terms.encoding import encode
from koinii.terms.locator import Locator, locate, locator_of, parse_prefix, raw_digest
from koinii.terms.printer import write
from koinii.terms.reader import read
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat
    from koinii.seat.speaking import Speaker
    from koinii.store.assertions import AssertionRow
    from koinii.terms.term import Term

_GENL_CX, _SPEECH_ACTS, _NOT = map(Symbol, ("genlCx", "CxSpeechActs", "not"))
_BINARY = 3  # a functor and two arguments


def rule(
    seat: Seat, arbiter: str, dispute: Disputed, upheld: str | Term, channel: str
) -> Locator:
    """Uphold one side of a dispute as an arbiter; return the ruling's locator.

    `upheld` is a side, as a sentence or by its locator. The arbiter joins the
    channel, and its other rulings on that dispute are withdrawn, in one operation;
    whatever is refused undoes all of it.

    Raises:
        NotFoundError: `koinii/no-such-handle`: a side is not stored here, or the two
            do not clash.
        RefusedError: `koinii/no-standing`, `arbiter-is-party`, `koinii/not-a-side`,
            `koinii/no-channel`.
    """
    speaker = seat.speaker(arbiter)
    with seat.kb.write():
        place, named = declared(seat, channel), find_id(seat, dispute)
        sides = sides_of(seat, named)
        _check_standing(seat, speaker)
        said = [*_said_by(seat, speaker, sides)]
        sentence = _upheld(sides, upheld)
        ruling = locate(speaker.own_context, sentence)
        own = _own_rulings(seat, speaker, said)
        carried = own.get(ruling)
        if named not in disputes_of(carried):
            _check_no_party(seat, speaker, named, said)
        extras = with_disputes(carried, {*disputes_of(carried), named})
        others = [
            one for one, said in own.items()
            if one != ruling and named in disputes_of(said)
        ]  # fmt: skip
        line = Spoken(sentence, None, "monotonic", extras)
        speaker.put([*_joining(speaker, place), line], others)
    return ruling


def _check_standing(seat: Seat, speaker: Speaker) -> None:
    if not seat.kb.structure.is_arbiter(speaker.begin()):
        raise RefusedError(
            f"{speaker.agent} is no arbiter here",
            code="koinii/no-standing",
            hint=f"koinii admin grant {speaker.agent} arbiter, by the admin",
            agent=speaker.agent,
        )


def _check_no_party(
    seat: Seat, speaker: Speaker, dispute: DisputeId, said: list[Sentex]
) -> None:
    """Refuse an arbiter that believes a side otherwise than by having ruled so.

    At whatever seat it said so. Who only repeats a ruling is not asked: a claim of the
    arbiter's elsewhere that was out is believed again by the ruling itself.
    """
    for one in said:
        rows = seat.kb.asserted_by(one.id)
        is_ruling = bool(rows) and all(ruled_in(seat, one, row) for row in rows)
        if is_ruling or not seat.kb.is_believed(one):
            continue
        raise RefusedError(
            f"{speaker.agent} holds a side itself: {write(one.sentence)}",
            code="arbiter-is-party",
            hint="let an agent rule that holds neither side",
            arbiter=speaker.agent,
            dispute_id=dispute.text,
            locator=one.locator,
        )


def _said_by(seat: Seat, speaker: Speaker, sides: list[Sentex]) -> Iterator[Sentex]:
    """Yield what stands in the arbiter's own context and is one of the sides."""
    for form in {form for side in sides for form in _forms(seat, side.sentence)}:
        found = seat.kb.find(raw_digest(locate(speaker.own_context, form)))
        if found is not None:
            yield found


def _forms(seat: Seat, sentence: Term) -> Iterator[Term]:
    """Yield a sentence and, of a symmetric predicate, its mirror."""
    yield sentence
    assert isinstance(sentence, tuple)  # noqa: S101 - a stored sentence
    denied = sentence[0] == _NOT
    literal = sentence[1] if denied else sentence
    if isinstance(literal, tuple) and len(literal) == _BINARY:
        functor, one, other = literal
        if encode(functor) in seat.kb.structure.symmetric:
            mirror = functor, other, one
            yield (_NOT, mirror) if denied else mirror


def _upheld(sides: list[Sentex], upheld: str | Term) -> Term:
    """Return the sentence of the side that is meant."""
    if isinstance(upheld, str) and not upheld.lstrip().startswith("("):
        prefix = parse_prefix(upheld)
        found = [one for one in sides if one.digest.hex().startswith(prefix)]
    else:
        form = canonical(read(upheld) if isinstance(upheld, str) else upheld)
        found = [one for one in sides if one.sentence == form][:1]
    if len(found) != 1:
        shown = upheld if isinstance(upheld, str) else write(upheld)
        raise RefusedError(
            f"{shown} is no side of that dispute",
            code="koinii/not-a-side",
            hint=" or ".join(write(one.sentence) for one in sides),
            sides=[one.locator for one in sides],
        )
    return found[0].sentence


def _own_rulings(
    seat: Seat, speaker: Speaker, said: list[Sentex]
) -> dict[Locator, str | None]:
    """Return what the arbiter asserts of the sides at this seat, with its extras.

    No ruling stands elsewhere in its context: it upholds a side.
    """
    rows = [
        (one, row) for one in said for row in seat.kb.asserted_by(one.id)
        if row[1] == speaker.author
    ]  # fmt: skip
    return {locator_of(one.digest): _tag(seat, one, row) for one, row in rows}


def _tag(seat: Seat, found: Sentex, row: AssertionRow) -> str | None:
    """Return the extras of a ruling; a claim that became one begins without."""
    return row[5] if ruled_in(seat, found, row) else None


def _joining(speaker: Speaker, channel: str) -> list[Spoken]:
    own = Symbol(speaker.own_context)
    edges: list[Term] = [
        (_GENL_CX, Symbol(channel), own),
        (_GENL_CX, own, _SPEECH_ACTS),
    ]
    return [Spoken(edge) for edge in edges]
