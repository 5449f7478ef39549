"""Claim segments: the net change of one context by one commit, as text.

A segment holds lines sorted by locator, each locator at most once: `+ <line>`
adds or replaces the author's claim line, `- <locator>` removes it. Folding the
segments of a context from the oldest to the newest gives the live lines.

Eight segments of a level merge into one of the next level, which keeps the
last word on each locator and the number of its newest part, so a context of n
commits has about 7 log8(n) files, and their order is the order of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from io import BytesIO
from typing import IO, NamedTuple, TypeAlias

from koinii.errors import KoiniiError, VerificationError
from koinii.history.paths import quote, read_number, unquote

Change: TypeAlias = tuple[str, str | None]  # locator, claim line or removed
Locate: TypeAlias = Callable[[str], str]  # the locator of a claim line

FAN = 8  # segments of a level that become one of the next
MAX_LEVEL = 20
MAX_SEGMENT = 104 << 20  # bytes of a segment that a seat writes; readers bear more
MAX_READ = 112 << 20  # bytes of one that is read; twice that while it is inflated
MAX_LINE = 70 << 10  # bytes; a sentence is at most 64 KiB, extras 4 KiB

_LINE_END = 0x0A
_PREFIX = "sha256:"
_LOCATOR = len(_PREFIX) + 64  # characters
_PARTS = 6  # of a segment's path
_HEX = frozenset("0123456789abcdef")


class SegmentPath(NamedTuple):
    """Whose segment of which context; `number` is that of its newest commit."""

    agent: str
    context: str
    level: int
    number: int


class Merge(NamedTuple):
    """How a new segment is written: `parts` (oldest first) go into it, and go.

    `level` and `number` name the file to write. Where `is_oldest`, it is the
    oldest of its context, so it needs no `-` lines, and without lines no file.
    """

    parts: list[tuple[int, int]]
    level: int
    number: int
    is_oldest: bool


class CatchUp(NamedTuple):
    """What to read, oldest first; with `refold`, onto nothing."""

    refold: bool
    files: list[tuple[str, str]]


def write_segment(changes: Iterable[Change]) -> bytes:
    """Return the segment of the changes, which may come in any order.

    The locator of an added line is taken as given: it is not computed here.
    """
    ordered = sorted(changes)
    if len({locator for locator, _ in ordered}) != len(ordered):
        raise AssertionError("two changes of one locator in a segment")
    return "".join(
        f"- {locator}\n" if line is None else f"+ {line}\n" for locator, line in ordered
    ).encode()


def read_segment(data: bytes, locate: Locate, path: str = "") -> list[Change]:
    """Return the changes of a segment, all of it checked; see `scan_segment`."""
    return list(scan_segment(BytesIO(data), locate, path))


def scan_segment(data: IO[bytes], locate: Locate, path: str = "") -> Iterator[Change]:
    """Yield the changes of a segment line by line, in little memory.

    `locate` gives the locator of a claim line, or refuses it with any
    `KoiniiError`. Raises `VerificationError` with `path` and the line number on
    the first line that is out of order, doubled, too long or not canonical; the
    lines before it have been yielded by then.
    """
    number, previous = 0, ""
    while line := data.readline(MAX_LINE):
        number += 1
        if line[-1] != _LINE_END:
            raise _bad_line("no line end where one must be", path, number)
        try:
            text = line[:-1].decode()
        except UnicodeDecodeError as fault:
            raise _bad_line("not UTF-8", path, number) from fault
        change = _read_line(text, locate, path, number)
        if change[0] <= previous:
            raise _bad_line("out of order, or a second time", path, number)
        yield change
        previous = change[0]


def is_locator(text: str) -> bool:
    """Tell whether the text is `sha256:` and 64 lower-case hex digits."""
    return (
        len(text) == _LOCATOR
        and text.startswith(_PREFIX)
        and _HEX.issuperset(text[len(_PREFIX) :])
    )


def fold(segments: Iterable[Iterable[Change]]) -> dict[str, str]:
    """Return the live lines by locator after the segments, oldest first."""
    lines: dict[str, str] = {}
    for changes in segments:
        for locator, line in changes:
            if line is None:
                lines.pop(locator, None)
            else:
                lines[locator] = line
    return lines


def merge(segments: Iterable[Iterable[Change]], *, is_oldest: bool) -> list[Change]:
    """Return the last word of the segments, oldest first, on each locator.

    A removal is dropped where nothing older could hold the line.
    """
    last = {locator: line for changes in segments for locator, line in changes}
    return sorted(
        change for change in last.items() if change[1] is not None or not is_oldest
    )


def plan_merge(existing: Iterable[tuple[int, int]], new_number: int) -> Merge:
    """Say where the segment of commit `new_number` goes, given (level, number)s.

    The seven newest of a level and the one that arrives become one of the next
    level, and so on upward.
    """
    older = sorted(existing, key=lambda file: file[1])
    if older and older[-1][1] >= new_number:
        raise AssertionError(f"segment {new_number} is not the newest")
    level, kept = 0, len(older)
    while level < MAX_LEVEL and _is_full(older[:kept], level):
        kept -= FAN - 1
        level += 1
    return Merge(older[kept:], level, new_number, is_oldest=kept == 0)


def catch_up(
    seen: AbstractSet[tuple[str, str]], present: Iterable[tuple[str, str]]
) -> CatchUp:
    """Say how a reader follows one context from the files it has applied.

    Both are (path, sha256) of segments of one context. Where the oldest files
    present are seen ones and the others unseen and newer than all it has seen,
    only the others are read; otherwise the context is folded again from
    nothing, since a merge into the oldest file drops removals.
    """
    files = sorted(present, key=_number)
    if not seen:
        return CatchUp(refold=False, files=files)
    known = [file in seen for file in files]
    count = known.index(False) if False in known else len(files)
    newest = max(_number(file) for file in seen)
    follows = count > 0 and not any(known[count:]) and _number(files[-1]) >= newest
    return CatchUp(refold=not follows, files=files[count:] if follows else files)


def folder_of(agent: str, context: str) -> str:
    """Return where an author's segments of one context stand."""
    return f"agents/{quote(agent)}/claims/{quote(context)}/"


def format_path(path: SegmentPath) -> str:
    """Return the path of a segment inside the published tree."""
    return f"{folder_of(path.agent, path.context)}{path.level}/{path.number}.kb"


def parse_path(text: str) -> SegmentPath:
    """Read the path of a segment; another spelling is a `VerificationError`."""
    parts = text.split("/")
    if len(parts) != _PARTS or parts[0] != "agents" or parts[2] != "claims":
        raise _bad_path(text)
    _, agent, _, context, level, file = parts
    number = read_number(file.removesuffix(".kb"))
    depth = read_number(level)
    if number is None or depth is None or not file.endswith(".kb"):
        raise _bad_path(text)
    if number < 1 or depth > MAX_LEVEL:
        raise _bad_path(text)
    return SegmentPath(unquote(agent), unquote(context), depth, number)


def _read_line(text: str, locate: Locate, path: str, number: int) -> Change:
    sign, rest = text[:2], text[2:]
    if sign == "+ ":
        try:
            return locate(rest), rest
        except KoiniiError as fault:
            raise _bad_line(fault.message, path, number) from fault
    if sign == "- " and is_locator(rest):
        return rest, None
    raise _bad_line("neither `+ <line>` nor `- <locator>`", path, number)


def _is_full(older: Sequence[tuple[int, int]], level: int) -> bool:
    newest = older[-(FAN - 1) :]
    return len(newest) == FAN - 1 and all(file[0] == level for file in newest)


def _number(file: tuple[str, str]) -> int:
    return parse_path(file[0]).number


def _bad_line(reason: str, path: str, number: int) -> VerificationError:
    return VerificationError(
        f"{path or 'segment'}, line {number}: {reason}",
        code="koinii/bad-segment",
        path=path,
        line=number,
        reason=reason,
    )


def _bad_path(text: str) -> VerificationError:
    return VerificationError(
        f"{text!r} is no path of a segment", code="koinii/bad-path", path=text
    )
