"""What would be refused, found without saying anything (A.8, A.9.1).

The same checks as `assert` and `edit`, in the same order; the first stage that
finds something is the last: the words of the sentence, then the moment.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import KoiniiError
from koinii.kb.checking import Moment, Problem, leaving
from koinii.seat.arguments import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from koinii.kb.writing import Said
    from koinii.seat.parts import Parts
    from koinii.seat.speaking import Speaker
    from koinii.terms.term import Term

    T = TypeVar("T")


class EditProblem(NamedTuple):
    """What is wrong with one entry of an edit."""

    where: str  # "add" or "remove"
    index: int  # type: ignore[assignment]  # from 0, among those; hides tuple.index
    code: str
    message: str
    hint: str


def check(
    seat: Parts,
    speaker: Speaker,
    sentence: str | Term,
    context: str | None,
    strength: str | None,
) -> list[Problem]:
    """Return why a sentence would be refused; empty if it would be taken."""
    said = _tried(partial(_said, speaker, sentence, context, strength))
    if isinstance(said, Problem):
        return [said]
    moment = Moment(seat.kb, added=said)
    return [problem for one in said for problem in moment.problems(one)]


def check_edit(
    seat: Parts,
    speaker: Speaker,
    add: Iterable[str | Term],
    remove: Iterable[str],
    context: str | None,
) -> list[EditProblem]:
    """Return what of an edit would be refused; empty if it would be done."""
    adds = [_tried(partial(_said, speaker, one, context, None)) for one in add]
    removes = [_tried(partial(speaker.own, one)) for one in remove]
    found = [*_refused("add", adds), *_refused("remove", removes)]
    if found:
        return found
    said = [[] if isinstance(one, Problem) else one for one in adds]
    digests = [one for one in removes if isinstance(one, bytes)]
    moment = Moment(
        seat.kb,
        added=[one for each in said for one in each],
        gone=leaving(seat.kb, speaker.author, digests),
    )
    return [
        _edit_problem("add", index, problem)
        for index, each in enumerate(said)
        for one in each
        for problem in moment.problems(one)
    ]


def _said(
    speaker: Speaker, sentence: str | Term, context: str | None, strength: str | None
) -> list[Said]:
    return speaker.said(parse(sentence), context, strength, 0)


def _tried(work: Callable[[], T]) -> T | Problem:
    """Return what comes of it, or the refusal."""
    try:
        return work()
    except KoiniiError as error:
        return Problem(error.code, error.message, error.hint, error.details)


def _refused(where: str, tried: list[T | Problem]) -> list[EditProblem]:
    return [
        _edit_problem(where, index, one)
        for index, one in enumerate(tried)
        if isinstance(one, Problem)
    ]


def _edit_problem(where: str, index: int, problem: Problem) -> EditProblem:
    return EditProblem(where, index, problem.code, problem.message, problem.hint)
