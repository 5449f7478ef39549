"""Who disputes a claim, of those that a channel sees by the edges in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, RefusedError
from koinii.history import explaining
from koinii.history.disputeproof import may_mirror, opposite
from koinii.seat.grounds import Gathering, as_sentence
from koinii.terms.folds import functor
from koinii.terms.printer import write
from koinii.terms.reader import read

if TYPE_CHECKING:
    from koinii.history.proving import Commitment, Document
    from koinii.kb.base import Sentex
    from koinii.merkle import Levels
    from koinii.seat.parts import Parts


def prove_dispute(
    seat: Parts, claim: Sentex, channel: str, tree: Levels, commitment: Commitment
) -> Document:
    """Return the proof of how each context that `channel` sees stands to a claim.

    Raises:
        RefusedError: `koinii/not-seen`; `koinii/local`: no tree covers what is local
            to the seat; `koinii/no-negation`: nobody could say it.
    """
    _check_denial(claim)
    seen = seat.kb.lattice().seen_from(channel)
    if claim.context not in seen:
        raise RefusedError(
            f"{channel} does not see {claim.context}, where the claim stands",
            code="koinii/not-seen",
            hint=f"koinii prove {claim.locator} --dispute --in {claim.context}",
        )
    local = seen.intersection(commitment.record.local)
    if local:
        raise RefusedError(
            f"{min(local)} is local to this seat: no commit covers it",
            code="koinii/local",
        )
    gathering = Gathering(seat, commitment.record.vocabulary)
    gathering.tree_of(channel)
    if may_mirror(claim.sentence):
        declared = gathering.symmetric(functor(claim.sentence))
        if declared is not None and gathering.is_shipped(declared):
            gathering.take(declared)
    return explaining.dispute(
        as_sentence(claim), channel, gathering.grounds(), tree, commitment
    )


def _check_denial(claim: Sentex) -> None:
    """Refuse a claim whose negation is longer or deeper than sentences may be."""
    denial = opposite(claim.sentence)
    try:
        read(write(denial))
    except KoiniiError as error:
        raise RefusedError(
            "nobody can say the negation of this claim: with it the sentence is longer "
            "or deeper than one may be",
            code="koinii/no-negation",
            hint=f"koinii prove {claim.locator}",
        ) from error
