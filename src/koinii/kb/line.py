"""A claim line as what is put forward, read once."""

from __future__ import annotations

from koinii.kb.claim import format_claim, line_leaf, parse_claim
from koinii.kb.rows import store_form
from koinii.kb.writing import Said


def read_line(context: str, line: str) -> Said:
    """Return what a claim line puts forward in a context, with all that follows.

    Raises:
        ReadError, RefusedError: as `parse_claim`.
    """
    claim = parse_claim(line)
    return Said(
        context, claim.sentence, claim.text, claim.strength, claim.created,
        claim.extras, claim.wrappers, store_form(context, claim.sentence),
        line_leaf(line),
    )  # fmt: skip


def write_line(said: Said) -> str:
    """Return the claim line of what was put forward."""
    return format_claim(said.strength, said.created, said.text, said.extras)
