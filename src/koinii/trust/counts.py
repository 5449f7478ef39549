"""A count's ruling as a line of whoever called the count (decision 10).

It stands in `CxMajority`, is monotonic, and is one only with extras of this spelling:

    ((ballots "<root, hex>") (channel CxC) (claim "<locator>") (context CxAtlas)
     (disputes ("<lo> <hi>" ...)))

on one line, each dispute once, sorted, where the sentence is that of the claim, which
stands in the context, or its opposite. So the line itself says what was counted, and
whether it has effect does not hang on what else is here. It has none by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import KoiniiError
from koinii.kb.claim import MONOTONIC
from koinii.kb.contexts import MAJORITY
from koinii.terms.canonical import canonical
from koinii.terms.folds import word
from koinii.terms.locator import locate, parse_locator, raw_digest
from koinii.terms.printer import write
from koinii.terms.reader import read_canonical
from koinii.terms.shape import check_context, check_sentence
from koinii.terms.structural import STRUCTURAL
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.terms.term import Term

MAJORITY_AGENT = "AgentMajority"
FOR, AGAINST = "for", "against"
_KEYS = ("ballots", "channel", "claim", "context", "disputes")
_NO_CLAIMS = STRUCTURAL | {"implies"}


class Count(NamedTuple):
    """What a ruling says was counted."""

    ballots: bytes  # root over the ballots that were counted
    channel: str
    claim: bytes  # its locator's digest
    context: str  # where the claim stands
    disputes: tuple[tuple[bytes, bytes], ...]  # of digests, the lesser first

    def extras(self) -> str:
        """Return the extras that say it."""
        disputes = sorted(" ".join(map(_locator, one)) for one in self.disputes)
        pairs: Term = (
            (Symbol("ballots"), self.ballots.hex()),
            (Symbol("channel"), Symbol(self.channel)),
            (Symbol("claim"), _locator(self.claim)),
            (Symbol("context"), Symbol(self.context)),
            (Symbol("disputes"), tuple(disputes)),
        )
        return write(pairs)


class Call(NamedTuple):
    """What a line says of a count: what was counted, and how that came out."""

    counted: Count
    outcome: str  # "for": the sentence is the claim's; "against": its opposite


def opposite(sentence: Term) -> Term:
    """Return the denial of a sentence, in canonical form."""
    return canonical((Symbol("not"), sentence))


def call_of(sentence: Term, strength: int, extras: str | None) -> Call | None:
    """Return what a line in `CxMajority` says of a count, None if it is no ruling.

    It is one of a claim that stands elsewhere, is a side of each dispute, and could
    be said by anybody.
    """
    if strength != MONOTONIC or extras is None:
        return None
    try:
        found = _read(extras)
        outcome = _outcome(sentence, found)
    except (KoiniiError, ValueError):
        return None
    is_of_claim = all(found.claim in one for one in found.disputes)
    is_spelled_so = bool(found.disputes) and is_of_claim and found.extras() == extras
    return Call(found, outcome) if outcome and is_spelled_so else None


def _outcome(sentence: Term, count: Count) -> str:
    """Return how the count came out where the sentence is a ruling of it, else ''."""
    check_context(Symbol(count.channel))
    check_context(Symbol(count.context))
    if count.context == MAJORITY:
        return ""
    for outcome, claim in ((FOR, sentence), (AGAINST, opposite(sentence))):
        check_sentence(claim)
        if word(claim) in _NO_CLAIMS:
            return ""
        if raw_digest(locate(Symbol(count.context), claim)) == count.claim:
            return outcome
    return ""


def _read(extras: str) -> Count:
    pairs = read_canonical(extras)
    assert isinstance(pairs, tuple)  # noqa: S101 - extras are a list of pairs
    said = {write(pair[0]): pair[1] for pair in pairs if isinstance(pair, tuple)}
    ballots, channel, claim, context, disputes = (said.get(key) for key in _KEYS)
    if not (isinstance(channel, Symbol) and isinstance(context, Symbol)):
        raise ValueError("no channel")  # noqa: TRY004 - of the text, not the caller
    if not isinstance(disputes, tuple):
        raise ValueError("no disputes")  # noqa: TRY004 - of the text, not the caller
    return Count(
        _digest(f"sha256:{ballots}"),
        channel.name,
        _digest(claim),
        context.name,
        tuple(map(_sides, disputes)),
    )


def _sides(dispute: Term) -> tuple[bytes, bytes]:
    first, second = sorted(_digest(one) for one in str(dispute).split(" "))
    return first, second


def _locator(digest: bytes) -> str:
    return f"sha256:{digest.hex()}"


def _digest(locator: Term) -> bytes:
    return raw_digest(parse_locator(str(locator)))
