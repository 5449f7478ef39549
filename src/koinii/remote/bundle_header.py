"""The header of a git bundle (formats section 9): what is in it, what it needs.

    # v2 git bundle
    -<commit> <words>          the reader has to have this commit
    <commit> <ref>
    an empty line, then a git pack

It is hostile: bounded before it is kept, and read in the order in which git writes
it. Of version 3 only what says nothing new is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple

from koinii.errors import VerificationError
from koinii.remote.git_words import matches

NOT_A_BUNDLE = "koinii/not-a-bundle"
MAX_LINES = 20_000
MAX_LINE = 1024  # bytes
_PLAIN = 2
BEGIN = b"# v2 git bundle\n"  # of what is written here
_FIRST = {BEGIN: _PLAIN, b"# v3 git bundle\n": 3}
_SAYS_NOTHING = b"@object-format=sha1\n"
_NEEDS = re.compile(r"-([0-9a-f]{40})(?: (.*))?\n")
_REF = re.compile(r"([0-9a-f]{40}) (refs/.+|HEAD)\n")
_NEEDED = re.compile(r"seat ([0-9a-f]{32}) commit ([1-9][0-9]{0,15})")


class Needed(NamedTuple):
    """A commit that has to be here already, and whose it is said to be."""

    oid: str
    words: str  # '' for none; anybody's

    @property
    def said(self) -> tuple[str, int] | None:
        """The seat and the number of its commit, where the words say them."""
        found = _NEEDED.fullmatch(self.words)
        return None if found is None else (found[1], int(found[2]))


class Header(NamedTuple):
    """What a bundle says of itself; `refs` are those named as seats name theirs."""

    needs: list[Needed]
    refs: Mapping[str, str]  # ref → commit
    others: list[str]  # refs that are not below refs/koinii
    length: int  # bytes, with the empty line


def write_header(needs: list[Needed], refs: Mapping[str, str]) -> bytes:
    """Return the header of a bundle, version 2."""
    lines = ["# v2 git bundle"]
    lines += [f"-{one.oid} {one.words}" for one in needs]
    lines += [f"{oid} {ref}" for ref, oid in sorted(refs.items())]
    return "\n".join([*lines, "", ""]).encode()


def needed(oid: str, seat: str, number: int) -> Needed:
    """Return a commit of a seat as what the reader has to have."""
    return Needed(oid, f"seat {seat} commit {number}")


def read_header(file: BinaryIO) -> Header:
    """Read a header from where the file stands, which is then at its pack.

    Raises:
        VerificationError: `koinii/not-a-bundle`, with the reason.
    """
    first = file.readline(MAX_LINE)
    if first not in _FIRST:
        raise no_bundle("it does not begin as one does")
    reader = _Lines(_FIRST[first])
    length = len(first)
    for _ in range(MAX_LINES):
        line = file.readline(MAX_LINE)
        length += len(line)
        if not line.endswith(b"\n"):
            raise no_bundle("its header has no end, or a line is too long")
        if line == b"\n":
            return Header(reader.needs, reader.refs, reader.others, length)
        reader.take(line)
    raise no_bundle(f"its header has more than {MAX_LINES} lines")


def no_bundle(reason: str) -> VerificationError:
    """Return the refusal of a file that is no bundle of seats."""
    return VerificationError(
        f"it is no bundle that is read here: {reason}",
        code=NOT_A_BUNDLE,
        hint="koinii bundle create makes one",
        reason=reason,
    )


class _Lines:
    """The lines of a header below the first, in their order."""

    def __init__(self, version: int) -> None:
        self._version = version
        self._seen: set[str] = set()
        self.needs: list[Needed] = []
        self.refs: dict[str, str] = {}
        self.others: list[str] = []

    def take(self, line: bytes) -> None:
        """Take in one line."""
        if line.startswith(b"@"):
            self._capability(line)
            return
        text = line.decode("utf-8", "replace")
        need = _NEEDS.fullmatch(text)
        if need is not None and not self._seen:
            self.needs.append(Needed(need[1], need[2] or ""))
            return
        ref = _REF.fullmatch(text)
        if ref is None or ref[2] in self._seen:
            raise no_bundle(f"a line of its header is off: {text[:80]!a}")
        self._seen.add(ref[2])
        if matches(ref[2], "refs/koinii/*"):
            self.refs[ref[2]] = ref[1]
        else:
            self.others.append(ref[2])

    def _capability(self, line: bytes) -> None:
        is_first = not (self.needs or self._seen)
        if self._version == _PLAIN or line != _SAYS_NOTHING or not is_first:
            said = line.decode("ascii", "replace")[:80]
            raise no_bundle(f"it asks for what is not done here: {said!a}")
