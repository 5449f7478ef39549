"""What a conclusion rests on that is in dispute (spec B.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.coordination.observing import Observer
from koinii.kb.query import one_ground
from koinii.seat.arguments import parse, text
from koinii.terms.order import content_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.base import KnowledgeBase
    from koinii.kb.sentex import Sentex
    from koinii.seat.seat import Seat
    from koinii.terms.order import Key
    from koinii.terms.term import Term


def contested_premises(seat: Seat, sentence: str | Term, context: str) -> list[Sentex]:
    """Return what a sentence rests on that the context sees in dispute, by content.

    All that the context gives of the sentence is looked into, down to what somebody
    asserts; the sentence itself counts not. O(what it rests on, and its clashes).
    """
    goal, place = one_ground(parse(sentence)), text(context, "context")
    with seat.kb.view():
        given = seat.kb.matching(goal, place, "cone")
        observer = Observer(seat.kb.parts, place)
        found = [one for one in _grounds(seat.kb, given) if observer.disputes(one.id)]
    return sorted(found, key=_by_content)


def rests_on_contested(seat: Seat, sentence: str | Term, context: str) -> bool:
    """Tell whether anything that a sentence rests on is in dispute."""
    return bool(contested_premises(seat, sentence, context))


def _grounds(kb: KnowledgeBase, given: list[Sentex]) -> Iterator[Sentex]:
    """Yield what these rest on, each once, themselves apart."""
    met = {one.id for one in given}
    waiting = [*given]
    while waiting:
        for fact in _because(kb, waiting.pop()):
            if fact.id not in met:
                met.add(fact.id)
                waiting.append(fact)
                yield fact


def _because(kb: KnowledgeBase, sentex: Sentex) -> Iterator[Sentex]:
    """Yield the facts of the reasons that hold; of what is asserted there are none."""
    if kb.asserted_by(sentex.id):
        return
    for support in kb.supports(sentex.id):
        if all(map(kb.is_believed, support.facts)):
            yield from support.facts


def _by_content(sentex: Sentex) -> tuple[Key, str]:
    return content_key(sentex.sentence), sentex.context
