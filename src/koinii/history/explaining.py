"""Making proofs of why a claim is believed, and of who disputes it.

Sentences come as canonical text with their context. What they stand on is given;
finding it is the business of who has a base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from koinii.errors import RefusedError
from koinii.history.disputeproof import SORTED, may_mirror, mirrored, opposite
from koinii.history.document import MAX_BYTES, MAX_ITEMS, write
from koinii.history.proving import (
    Commitment,
    Document,
    Said,
    Sentence,
    author_fields,
    claim_fields,
    place_of,
    said_fields,
    standing_of,
)
from koinii.history.sight import seen_by
from koinii.history.stated import UNIVERSE, Statement
from koinii.merkle import Levels
from koinii.terms.folds import functor, word
from koinii.terms.printer import write as write_term
from koinii.terms.reader import read_canonical


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact's locator, and those of the declarations by which it is read."""

    fact: str
    climbs: Sequence[str] = ()
    mirror: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """An instance of a rule: locators, and the text of each variable's value."""

    conclusion: str
    rule: str
    values: Mapping[str, str]
    facts: Sequence[Fact]
    sees: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a proof stands on besides its claim.

    `vocabulary` holds sentences under the context whose file has them; `said` the
    signed line of whichever statement has one, by locator.
    """

    leaves: Sequence[Sentence] = ()
    vocabulary: Sequence[Sentence] = ()
    said: Mapping[str, Said] = field(default_factory=dict)


def why(
    claim: Sentence,
    steps: Sequence[Step],
    grounds: Grounds,
    tree: Levels,
    commitment: Commitment,
) -> Document:
    """Return the proof of why a claim is believed; NotFoundError if it is not."""
    stated = _Stating(grounds, tree, commitment)
    locator = claim.locator
    return _bounded(
        {
            **claim_fields("why", locator, claim),
            **place_of(locator, tree, commitment),
            **stated.said(locator),
            **stated.fields(),
            "steps": [_step(one) for one in steps],
            **commitment.fields(tree),
        }
    )


def dispute(
    claim: Sentence,
    channel: str,
    grounds: Grounds,
    tree: Levels,
    commitment: Commitment,
) -> Document:
    """Return the proof of how each context seen stands to the claim's negation.

    `grounds` are the edges by which `channel` sees the others and, where the
    vocabulary declares the claim's functor symmetric, that declaration.
    """
    literal = read_canonical(claim.text)
    denials = {"negation": write_term(opposite(literal))}
    symmetric: Document = {}
    if may_mirror(literal):
        text = f"(symmetric {write_term(functor(literal))})"
        declared = [one for one in grounds.vocabulary if one.text == text]
        declaration = Sentence(UNIVERSE, text).locator
        if not declared:
            symmetric = {"symmetric": standing_of(declaration, tree)}
        if declared or "index" in standing_of(declaration, tree):
            denials["mirror"] = write_term(mirrored(literal))
    locator = claim.locator
    return _bounded(
        {
            **claim_fields("dispute", locator, claim),
            "in": channel,
            "claim": standing_of(locator, tree),
            **symmetric,
            "seen": [_stance(one, denials, tree) for one in _seen(channel, grounds)],
            "assumes": [SORTED],
            **_Stating(grounds, tree, commitment).fields(),
            **commitment.fields(tree),
        }
    )


def _seen(channel: str, grounds: Grounds) -> list[str]:
    terms = [read_canonical(one.text) for one in (*grounds.leaves, *grounds.vocabulary)]
    edges = [Statement(UNIVERSE, one) for one in terms if word(one) == "genlCx"]
    return sorted(seen_by(channel, edges))


def _stance(context: str, denials: Mapping[str, str], tree: Levels) -> Document:
    """Return how each denial stands in a context."""
    return {
        "context": context,
        **{
            name: standing_of(Sentence(context, text).locator, tree)
            for name, text in denials.items()
        },
    }


class _Stating:
    """The statements of a document as its fields, each author once."""

    def __init__(self, grounds: Grounds, tree: Levels, commitment: Commitment) -> None:
        self._grounds = grounds
        self._tree = tree
        self._commitment = commitment
        self._authors = {
            one.authored: author_fields(one) for one in grounds.said.values()
        }

    def fields(self) -> Document:
        """Return the statements, and who said those that were signed."""
        bound = self._commitment.record.vocabulary
        return {
            "leaves": [self._leaf(one) for one in self._grounds.leaves],
            "vocabulary": [
                {
                    "context": one.context,
                    "sentence": one.text,
                    "digest": f"sha256:{bound[one.context].hex()}",
                }
                for one in self._grounds.vocabulary
            ],
            "authors": list(self._authors.values()),
        }

    def said(self, locator: str) -> Document:
        """Return the signed line of a statement, where it has one."""
        said = self._grounds.said.get(locator)
        if said is None:
            return {}
        number = list(self._authors).index(said.authored)
        return {"said": {"author": number, **said_fields(said, locator)}}

    def _leaf(self, one: Sentence) -> Document:
        locator = one.locator
        return {
            "context": one.context,
            "sentence": one.text,
            **place_of(locator, self._tree, self._commitment),
            **self.said(locator),
        }


def _step(step: Step) -> Document:
    return {
        "conclusion": step.conclusion,
        "rule": step.rule,
        "values": dict(step.values),
        "facts": [_fact(one) for one in step.facts],
        "sees": {context: list(path) for context, path in step.sees.items()},
    }


def _fact(one: Fact) -> Document:
    fact: Document = {"fact": one.fact}
    if one.climbs:
        fact["climbs"] = list(one.climbs)
    if one.mirror:
        fact["mirror"] = one.mirror
    return fact


def _bounded(document: Document) -> Document:
    """Refuse a document that no verifier would read."""
    lists = [one for one in document.values() if isinstance(one, list)]
    if max(map(len, lists)) > MAX_ITEMS or len(write(document).encode()) > MAX_BYTES:
        raise RefusedError(
            "the proof would be larger than verifiers read: "
            f"{MAX_BYTES} bytes, {MAX_ITEMS} statements or steps",
            code="koinii/proof-too-large",
            hint="prove what it stands on first, claim by claim",
        )
    return document
