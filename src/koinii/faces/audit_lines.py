"""What is told of rebuilt commits and of two sides, as lines of text and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from koinii.remote.beliefs import Against, Belief, Beliefs, Clashes
    from koinii.remote.differing import Difference
    from koinii.remote.foreseeing import Foreseen
    from koinii.remote.rebuilding import Audited, Missing
    from koinii.remote.turning import Turns

Told = tuple[list[str], list[str]]  # lines for standard output, notes

_SHORT = 8  # hex digits of a seat id


def audited(found: list[Audited]) -> Told:
    """Tell each commit with whether it was rebuilt."""
    return list(map(_audited, found)), []


def _audited(one: Audited) -> str:
    came = "rebuilt"
    if one.missing is not None:
        came = f"not rebuilt: {one.missing.field}: {one.missing.what}"
    return f"{one.number} {one.recorded} {one.size} {came}"


def _missing(one: Missing) -> str:
    return f"{one.field}: {one.what}: {one.why}"


def difference(found: Difference) -> Told:
    """Tell what only one side believes, and what would clash."""
    notes = []
    if found.missing is not None:
        notes = [
            f"what they believe is not all rebuilt: {_missing(found.missing)}",
            f"{found.missing.hint}",
        ]
    lines = [
        f"commit {found.number} of seat {found.seat} {found.commit}",
        *_beliefs("only theirs", "+", found.theirs),
        *_beliefs("only here", "-", found.ours),
        *_clashes("would clash", found.clashes),
    ]
    return lines, notes


def foreseen(found: Foreseen | None) -> list[str]:
    """Tell what a pull would do to belief, if it was rehearsed."""
    if found is None:
        return []
    return [
        *_beliefs("would be believed", "+", found.comes),
        *_beliefs("would cease", "-", found.ceases),
        *_clashes("would clash", found.clashes),
    ]


def turns(found: Turns, time: Callable[[int], str]) -> Told:
    """Tell with which commits belief in a claim turned."""
    lines = [
        f"{one.number} {'believed' if one.believed else 'not believed'} {one.id} "
        f"{time(one.time)}"
        for one in found.turns
    ]
    notes = [] if lines else ["no commit that could be rebuilt believed it"]
    if found.missing is not None:
        numbers = ", ".join(map(str, found.unknown[:5]))
        more = len(found.unknown) - 5
        notes.append(
            f"not known of commit {numbers}{f' and {more} more' * (more > 0)}: "
            f"{_missing(found.missing)}"
        )
    return lines, notes


def _beliefs(title: str, sign: str, found: Beliefs) -> Iterator[str]:
    yield _total(title, found.total, len(found.shown))
    for one in found.shown:
        yield f"  {sign} {_belief(one)}  {_by(one)}"


def _clashes(title: str, found: Clashes) -> Iterator[str]:
    yield _total(title, found.total, len(found.shown))
    yield from map(_against, found.shown)


def _against(one: Against) -> str:
    return f"  ! {one.kind}: {_belief(one.theirs)} against {_belief(one.ours)}"


def _belief(one: Belief) -> str:
    return f"{one.context} {one.sentence}"


def _by(one: Belief) -> str:
    said = ", ".join(f"{by.agent} at {by.seat[:_SHORT]}" for by in one.by)
    return said or "derived"


def _total(title: str, total: int, shown: int) -> str:
    return f"{title} {total}" + (f", the first {shown}" if shown < total else "")
