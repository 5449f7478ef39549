"""Why a conclusion is there: its firings, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rules.placing import read_key
from koinii.kb.sentex import sentex_of
from koinii.terms.encoding import decode_known
from koinii.terms.order import content_key

if TYPE_CHECKING:
    from koinii.kb.network.parts import Parts
    from koinii.kb.sentex import Sentex
    from koinii.terms.term import Term


class Support(NamedTuple):
    """One reason for a conclusion."""

    firing: int
    rule: Sentex
    facts: list[Sentex]  # in the order of the rule's literals that bind
    # ("climb" | "mirror", functor of a fact, functor of its literal)
    needs: list[tuple[str, Term, Term]]
    strict: bool


def supports(parts: Parts, sentex: int) -> list[Support]:
    """Return the reasons for a sentex, in the order of content."""

    def get(number: int) -> Sentex:
        return sentex_of(parts.names, *parts.sentexes.by_id(number))

    found = [
        Support(
            reason.firing,
            get(reason.rule),
            list(map(get, reason.facts)),
            _needs(parts, parts.network.firing(reason.firing).footing),
            reason.strict,
        )
        for reason in parts.network.grounds(sentex)
    ]
    return sorted(found, key=_by_content)


def _needs(parts: Parts, footing: int) -> list[tuple[str, Term, Term]]:
    key = parts.network.footing_row(footing)[1]
    return [
        (kind, decode_known(low), decode_known(high))
        for kind, low, high in read_key(key).needs
    ]


def _by_content(support: Support) -> tuple[object, ...]:
    return (
        content_key(support.rule.sentence),
        [(content_key(fact.sentence), fact.context) for fact in support.facts],
    )
