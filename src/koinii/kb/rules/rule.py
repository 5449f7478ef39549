"""A stored rule, ready to be run over the encodings of facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rows import key_of
from koinii.terms.encoding import decode_known, encode
from koinii.terms.filters import passes
from koinii.terms.folds import conjuncts, is_filter, unnegated
from koinii.terms.slices import fill, part_of, template_of

if TYPE_CHECKING:
    from koinii.terms.slices import Bound, Part, Template
    from koinii.terms.term import Term


class Literal(NamedTuple):
    """An antecedent that binds: its sign, its functor and its arguments."""

    negative: bool
    functor: bytes
    arguments: tuple[Part, ...]


class Rule(NamedTuple):
    """`(implies antecedent conclusion)` with its antecedents told apart."""

    id: int
    context: int
    digest: bytes
    literals: tuple[Literal, ...]
    filters: tuple[Template, ...]  # antecedents that only test
    conclusion: Template

    def admits(self, bound: Bound) -> bool:
        """Tell whether every test is passed, all variables being bound."""
        return all(passes(decode_known(fill(one, bound))) for one in self.filters)

    def triggers(self) -> list[tuple[int, int, int, int]]:
        """Return (functor key, negative, rule, position) of its literals."""
        return [
            (key_of(one.functor), int(one.negative), self.id, position)
            for position, one in enumerate(self.literals)
        ]


def read_rule(rule: int, context: int, digest: bytes, body: bytes) -> Rule:
    """Return the rule that a stored sentence is."""
    sentence = decode_known(body)
    assert isinstance(sentence, tuple)  # noqa: S101 - its shape was checked
    antecedents = conjuncts(sentence[1])
    return Rule(
        rule,
        context,
        digest,
        tuple(_literal(one) for one in antecedents if not is_filter(one)),
        tuple(template_of(part_of(one)) for one in antecedents if is_filter(one)),
        template_of(part_of(sentence[2])),
    )


def _literal(sentence: Term) -> Literal:
    negative, literal = unnegated(sentence)
    assert isinstance(literal, tuple)  # noqa: S101 - its shape was checked
    return Literal(negative, encode(literal[0]), tuple(map(part_of, literal[1:])))
