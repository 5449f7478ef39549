"""The lines of this seat's own agents, as the files of one of its commits have them.

Three states are put together line by line: what both copies began with, what is
here, and what the remote shows. A line that was changed here stands as it is here,
taken back where it was taken back here; any other as the remote has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from koinii.history.manifest import read_manifest
from koinii.history.segments import parse_path, read_segment
from koinii.kb.claim import (
    claim_locator,
    format_claim,
    parse_claim,
    wrapper_names,
)
from koinii.remote.fetched import FetchedSeat, bad
from koinii.terms.canonical import wrap
from koinii.terms.locator import Locator, raw_digest
from koinii.terms.printer import write

Place: TypeAlias = tuple[str, str]  # agent, context
Lines: TypeAlias = dict[bytes, str]  # digest → claim line
Read: TypeAlias = Callable[[str], bytes]

MAX_MANIFEST = 64 << 20  # bytes


class Shown(NamedTuple):
    """The segments of a commit by place, the oldest first, and how to read them."""

    segments: Mapping[Place, list[str]]
    read: Read

    def lines(self, place: Place) -> Lines:
        """Return what an agent has in a context there."""
        context, lines = place[1], Lines()
        for path in self.segments.get(place, []):
            body = self.read(path)
            words = read_segment(body, lambda line: claim_locator(context, line), path)
            for locator, line in words:
                digest = raw_digest(Locator(locator))
                if line is None:
                    lines.pop(digest, None)
                else:
                    lines[digest] = line
        return lines


NOTHING = Shown({}, lambda path: b"")


class Joined(NamedTuple):
    """What becomes of the lines of one place; None takes a line back.

    `theirs` are those the remote has changed, `ours` those that were changed here.
    """

    theirs: dict[bytes, str | None]
    ours: dict[bytes, str | None]


def join(base: Lines, here: Lines, there: Lines) -> Joined:
    """Decide line by line which state counts."""
    joined = Joined({}, {})
    for digest in here.keys() | there.keys():
        mine, other = here.get(digest), there.get(digest)
        if mine == other:
            continue
        is_changed = mine != base.get(digest)
        if mine and other and digest not in base:
            mine = _said_twice(other, mine)
        if is_changed and mine != other:
            joined.ours[digest] = mine
        else:
            joined.theirs[digest] = other
    return joined


def _said_twice(first: str, again: str) -> str:
    """Return the line of an author who said the same in both copies (design 5)."""
    before, after = parse_claim(first), parse_claim(again)
    wrappers = wrapper_names(before.wrappers & after.wrappers)
    return format_claim(
        max(before.strength, after.strength),
        min(before.created, after.created),
        write(wrap(after.sentence, wrappers)),
        before.extras if after.extras is None else after.extras,
    )


def shown(paths: Iterable[str], read: Read) -> Shown:
    """Return the segments among these files."""
    found: dict[Place, list[tuple[int, str]]] = {}
    for path in paths:
        if path.startswith("agents/") and "/claims/" in path:
            one = parse_path(path)
            found.setdefault((one.agent, one.context), []).append((one.number, path))
    segments = {
        place: [path for _, path in sorted(rows)] for place, rows in found.items()
    }
    return Shown(segments, read)


def shown_at(fetched: FetchedSeat, manifest: bytes) -> Shown:
    """Return the segments of a commit whose record binds this manifest.

    Raises:
        VerificationError: a file is missing, or is another one.
    """
    body = fetched.body("manifest", MAX_MANIFEST)
    if sha256(body).digest() != manifest:
        raise bad("manifest", "its hash is not the one that the record binds")
    listed = read_manifest(body)
    for path in listed:
        if path not in fetched.files:
            raise bad(path, "it is missing")
    return shown(listed, lambda path: fetched.listed_body(path, listed))
