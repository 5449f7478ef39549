"""A count's ruling as a line of whoever called the count (decision 10).

It stands in `CxMajority`, is monotonic, and is one only with extras of this spelling:

    ((ballots "<root, hex>") (channel CxC) (claim "<locator>") (dispute "<lo> <hi>"))

where the sentence is that of the claim or its opposite. It has no effect by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import KoiniiError
from koinii.kb.claim import MONOTONIC
from koinii.terms.folds import word
from koinii.terms.locator import parse_locator, raw_digest
from koinii.terms.printer import write
from koinii.terms.reader import read_canonical
from koinii.terms.structural import STRUCTURAL
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from koinii.terms.term import Term

MAJORITY_AGENT = "AgentMajority"
_KEYS = ("ballots", "channel", "claim", "dispute")
_ROOT = 64  # hex digits


class Count(NamedTuple):
    """What a ruling says was counted."""

    ballots: bytes  # root over the ballots that were counted
    channel: str
    claim: bytes  # its locator's digest
    dispute: tuple[bytes, bytes]  # digests, the lesser first

    def extras(self) -> str:
        """Return the extras that say it."""
        first, second = (f"sha256:{side.hex()}" for side in self.dispute)
        pairs: Term = (
            (Symbol("ballots"), self.ballots.hex()),
            (Symbol("channel"), Symbol(self.channel)),
            (Symbol("claim"), f"sha256:{self.claim.hex()}"),
            (Symbol("dispute"), f"{first} {second}"),
        )
        return write(pairs)


def count_of(sentence: Term, strength: int, extras: str | None) -> Count | None:
    """Return what a line in `CxMajority` says was counted, None if it is no ruling."""
    if strength != MONOTONIC or extras is None or word(sentence) in STRUCTURAL:
        return None
    try:
        found = _read(extras)
    except (KoiniiError, ValueError):
        return None
    return found if found.extras() == extras else None


def _read(extras: str) -> Count:
    pairs = read_canonical(extras)
    assert isinstance(pairs, tuple)  # noqa: S101 - extras are a list of pairs
    said = {write(pair[0]): pair[1] for pair in pairs if isinstance(pair, tuple)}
    ballots, channel, claim, dispute = (said.get(key) for key in _KEYS)
    if not isinstance(channel, Symbol):
        raise ValueError("no channel")  # noqa: TRY004 - of the text, not the caller
    sides = sorted(_digest(one) for one in str(dispute).split(" "))
    first, second = sides
    return Count(
        bytes.fromhex(str(ballots)), channel.name, _digest(claim), (first, second)
    )


def _digest(locator: Term) -> bytes:
    return raw_digest(parse_locator(str(locator)))
