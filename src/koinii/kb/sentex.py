"""A stored sentence as the rest of koinii handles it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rows import read_row

if TYPE_CHECKING:
    from koinii.store.names import Names
    from koinii.terms.term import Term


class Sentex(NamedTuple):
    """A stored sentence with its place and its content address."""

    id: int
    context: str
    digest: bytes
    sentence: Term
    body: bytes  # the sentence's encoding

    @property
    def locator(self) -> str:
        """The content address, `sha256:` and 64 hex digits."""
        return f"sha256:{self.digest.hex()}"


def sentex_of(
    names: Names, number: int, context_id: int, digest: bytes, body: bytes
) -> Sentex:
    """Return a row as a sentex, rehashed against its locator.

    Raises:
        VerificationError: `koinii/row-altered`.
    """
    context = names.context(context_id)
    return Sentex(number, context, digest, read_row(context, digest, body), body)
