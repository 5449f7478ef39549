"""The vocabulary shipped with the program: no author says it, nobody takes it back.

A folder for each version, a file for each context, one sentence a line in its
one spelling. A released file never changes a byte: commit records name its
digest. New words are a new folder with all of its files.
"""
# ruff: noqa: PTH118, PTH120, PTH123 - pathlib is slow, and this is start-up

from __future__ import annotations

import os
from hashlib import sha256

from koinii.errors import SurroundingsError
from koinii.terms.folds import word
from koinii.terms.reader import read_canonical
from koinii.terms.term import Term

VERSION = 1
CONTEXTS = ("CxCore", "CxRegistry", "CxSpeechActs")

_DIRECTORY = os.path.join(
    os.path.dirname(os.path.dirname(__file__)), "vocabulary", str(VERSION)
)
_EDGES = "CxUniverse"


def sentences() -> list[tuple[str, Term]]:
    """Return every sentence with the context it is in force in.

    Canonical and rules bare; an edge stands in CxUniverse whatever file has it.
    """
    return [
        (_EDGES if word(sentence) == "genlCx" else context, sentence)
        for context in CONTEXTS
        for sentence in _read(context)
    ]


def digests() -> dict[str, bytes]:
    """Return the SHA-256 of each context's file, as a commit record binds them."""
    return {context: sha256(_shipped(context)).digest() for context in CONTEXTS}


def digest() -> str:
    """Return one SHA-256 in hex over all files: that of their names and digests."""
    lines = [f"{context} {one.hex()}\n" for context, one in digests().items()]
    return sha256("".join(lines).encode()).hexdigest()


def _read(context: str) -> list[Term]:
    lines = _shipped(context).decode().split("\n")
    return [read_canonical(line) for line in lines if line and line[0] != ";"]


def _shipped(context: str) -> bytes:
    """Return a file's bytes; SurroundingsError (`koinii/missing-seed`) without it."""
    path = os.path.join(_DIRECTORY, f"{context}.kb")
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise SurroundingsError(
            f"the vocabulary cannot be read: {path}: {error.strerror}",
            code="koinii/missing-seed",
            hint="the program is damaged: install it again",
            path=path,
        ) from error
