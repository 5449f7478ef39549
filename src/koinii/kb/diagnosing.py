"""What is believed and looks wrong, and what was too long to be concluded.

Neither is refused where it was pulled, loaded or derived (design section 5).
Both are worked out from the base as it is, whatever process drew what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.checking import Moment
from koinii.kb.contexts.structure import ARG, word_of
from koinii.kb.momentary import piece_in_row
from koinii.kb.network.reshaping import IMPLIES
from koinii.kb.rows import NEGATION, key_of
from koinii.kb.rules.joining import Joiner, literal_of
from koinii.store.sentexes import BELIEVED
from koinii.terms.locator import locator_of
from koinii.terms.printer import write
from koinii.terms.term import MAX_DEPTH, MAX_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.base import KnowledgeBase, Sentex
    from koinii.kb.network.parts import Parts
    from koinii.kb.rules.rule import Rule
    from koinii.terms.locator import Locator

NOT_DRAWN = "koinii/not-drawn"
_BLOCK = 2_000
_ESCAPES = 3  # characters of text that a byte of an encoding stands for, at most
_LIST_BYTES = 5  # that a list takes beside its elements
_LISTS_OF_DEEPEST = MAX_DEPTH * _LIST_BYTES
_NOT = word_of("not")


class Diagnostic(NamedTuple):
    """Something about a stored sentex that its authors may want to know."""

    code: str  # "arg-type" or "koinii/not-drawn"
    message: str
    hint: str
    locator: Locator
    sentence: str
    context: str


def diagnose(kb: KnowledgeBase) -> list[Diagnostic]:
    """Return what looks wrong, by content.

    O(base); and the joins of those rules that may conclude what is too long.
    """
    found = [*_misfits(kb), *_not_drawn(kb)]
    return sorted(found, key=lambda one: (one.code, one.sentence, one.context))


# Arguments ---------------------------------------------------------------------------


def _misfits(kb: KnowledgeBase) -> Iterator[Diagnostic]:
    """Yield the believed facts with an argument that is known to be something else.

    Each is judged where it stands.
    """
    structure = kb.parts.structure
    rows = structure.rows.of_functors([key_of(ARG)])
    declared = {literal_of(body)[2][0] for _, _, _, body in rows}
    functors = {low for one in declared for low in structure.subs(one)}
    moment = Moment(kb)
    for functor in functors:
        for row in kb.parts.network.facts(
            [key_of(functor)], negative=False, until=kb.sentexes.next_id()
        ):
            if not row[2] & BELIEVED:
                continue
            piece = piece_in_row(kb.names.context(row[1]), row)
            if piece.functor != functor:
                continue
            for one in moment.misfits(piece):
                yield _diagnostic(kb.get(row[0]), one.code, one.message, one.hint)


# Conclusions -------------------------------------------------------------------------


def _not_drawn(kb: KnowledgeBase) -> Iterator[Diagnostic]:
    """Yield the rules of which conclusions are over the limits of a sentence."""
    parts, until = kb.parts, kb.sentexes.next_id()
    rules = [
        number
        for number in kb.sentexes.of_functor(key_of(IMPLIES), until)
        if (flags := parts.network.rule(number)) is not None and flags[1]
    ]
    longest = _longest(kb) if rules else {}
    for number in rules:
        joiner = Joiner(parts.network, parts.sentexes, parts.structure)
        if not _may_exceed(
            joiner.rule(number), len(kb.get(number).body), longest, parts
        ):
            continue
        # What is drawn is there; the joiner counts what is not.
        joiner.from_rule(number, until, lambda _: None)
        if joiner.oversized:
            yield _diagnostic(
                kb.get(number),
                NOT_DRAWN,
                f"{joiner.oversized} conclusions of this rule are longer than "
                f"{MAX_TEXT} bytes or deeper than {MAX_DEPTH} lists, and not drawn",
                "conclude less of what the rule binds",
            )


def _longest(kb: KnowledgeBase) -> dict[int, int]:
    """Return how long the longest sentence of each functor (key) is, in bytes."""
    longest: dict[int, int] = {}
    after = 0
    while rows := kb.sentexes.after(after, _BLOCK):
        for row in rows:
            longest[row[5]] = max(longest.get(row[5], 0), len(row[4]))
        after = rows[-1][0]
    return longest


def _may_exceed(rule: Rule, length: int, longest: dict[int, int], parts: Parts) -> bool:
    """Tell whether facts as long as there are could make too much of a conclusion."""
    facts = max(
        longest.get(key_of(low), 0)
        for literal in rule.literals
        for low in parts.structure.subs(literal.functor)
    )
    first = rule.conclusion[0]
    negated = isinstance(first, bytes) and first.startswith(NEGATION)
    if negated and facts >= _LISTS_OF_DEEPEST:
        return True
    bound = length + sum(isinstance(one, str) for one in rule.conclusion) * facts
    return bound * _ESCAPES > MAX_TEXT


def _diagnostic(sentex: Sentex, code: str, message: str, hint: str) -> Diagnostic:
    return Diagnostic(
        code,
        message,
        hint,
        locator_of(sentex.digest),
        write(sentex.sentence),
        sentex.context,
    )
