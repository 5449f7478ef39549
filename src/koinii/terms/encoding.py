"""Terms as bytes, and the bytes that name a sentence (koinii B.8.1).

`encode` is in `encoder.py`, its strict inverse `decode` in `decoder.py`.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from koinii.terms.decoder import MAX_ENCODED, decode, decode_known
from koinii.terms.encoder import encode, encode_symbol
from koinii.terms.term import Keyword, Symbol, Term

__all__ = [
    "MAX_ENCODED",
    "decode",
    "decode_known",
    "encode",
    "encode_symbol",
    "identity",
    "term_key",
]

_NOT = Symbol("not")


def identity(context: Symbol, sentence: Term) -> bytes:
    """Return what a locator digests: context, truth, and the whole sentence.

    A sentence that begins with `not` is false and keeps its `not`.
    """
    negative = type(sentence) is tuple and bool(sentence) and sentence[0] == _NOT
    return _before_sentence(context, negative) + encode(sentence)


def term_key(encoded: bytes) -> int:
    """Return the 64-bit signed key by which rows that hold a term are found.

    Equal keys are candidates only: compare the encodings.
    """
    return int.from_bytes(sha256(encoded).digest()[:8], "big", signed=True)


@lru_cache(maxsize=1024)
def _before_sentence(context: Symbol, negative: bool) -> bytes:  # noqa: FBT001
    truth = Keyword("false" if negative else "true")
    return b"\x0b\0\0\0\3" + encode_symbol(context) + encode(truth)
