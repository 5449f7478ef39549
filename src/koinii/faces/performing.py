"""From a line of words to an exit code: read it, perform it, tell the outcome."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, cast

import koinii
from koinii.errors import KoiniiError, UsageError
from koinii.faces.invocation import Page, wants_json
from koinii.faces.look import Look, is_colored
from koinii.faces.operations import AGENT, NO_SEAT, REMOTE_SEAT
from koinii.faces.outcome import (
    DONE,
    StoppedError,
    from_exception,
    partial_code,
    tell_data,
    tell_error,
)
from koinii.faces.streams import is_read, is_terminal, put_data, put_note, visible
from koinii.faces.surroundings import Surroundings
from koinii.faces.values import arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from koinii.faces.invocation import Invocation
    from koinii.faces.operations import Operation
    from koinii.seat.seat import Seat


_DOCUMENTS = ("prove", "marker")  # their text is for programs, as JSON is


def run(words: list[str], understand: Callable[[list[str]], Invocation | Page]) -> int:
    """Do what a line says and return the exit code; nothing is raised."""
    look = Look(color=_color_before_reading())
    as_json = wants_json(words)
    try:
        try:
            return _run(understand([_exact(word) for word in words]))
        except KeyboardInterrupt:
            raise StoppedError("interrupted") from None
    except Exception as error:  # noqa: BLE001 - the last handler: told, never lost
        if os.environ.get("KOINII_DEBUG"):
            _show_where(error)
        return _tell_error(from_exception(error), look, as_json=as_json)


def _run(asked: Invocation | Page) -> int:
    if isinstance(asked, Page):
        _tell_page(asked)
        return DONE
    at = Surroundings(asked.flags, os.environ)
    look = Look(
        color=is_colored(at.color()[0]),
        verbose=asked.flags.verbose,
        shows_none=set(str(asked.given.get("limit"))) == {"0"},
    )
    if asked.operation.streamed:
        return _stream(asked, at, look)
    result = perform(asked, at)
    if asked.operation.name == "status":
        look = look._replace(found_by=at.why())
    return tell(asked, result, look)


def perform(asked: Invocation, at: Surroundings) -> object:
    """Run the operation on the seat that is meant and return its result."""
    if not _shows_progress(asked):
        return _perform(asked, at)
    from koinii.faces.progress import Watcher  # noqa: PLC0415 - on a terminal only

    with Watcher() as at.watch:
        return _perform(asked, at)


def _stream(asked: Invocation, at: Surroundings, look: Look) -> int:
    """Tell one answer after another, as long as somebody reads them."""
    operation, flags = asked.operation, asked.flags
    values = arguments(operation, asked.given)
    with _open(at, remotes=operation.needs == REMOTE_SEAT) as seat:
        for answer in cast("Iterator[object]", operation.run(seat, **values)):
            if answer is not None and flags.json:
                _tell_json(operation.name, answer, rehearsed=False)
            elif answer is not None:
                _tell_text(operation.name, answer, look, quiet=flags.quiet)
            if not is_read():
                break
    return DONE


def _shows_progress(asked: Invocation) -> bool:
    flags = asked.flags
    return asked.operation.long and not (flags.json or flags.quiet) and _is_watched()


def _is_watched() -> bool:
    return is_terminal(sys.stderr) and os.environ.get("TERM", "dumb") != "dumb"


def _perform(asked: Invocation, at: Surroundings) -> object:
    operation = asked.operation
    values = arguments(operation, asked.given)
    if asked.flags.no_input or sys.stdin is None:
        _ask_nobody()
    if operation.needs == NO_SEAT:
        result = operation.run(at, **values)
        _tell_notices(at.notices, quiet=asked.flags.quiet)
        return result
    for parameter in operation.parameters:
        if parameter.kind == AGENT:
            values[parameter.name] = _agent(at, values[parameter.name])
    with _open(at, remotes=operation.needs == REMOTE_SEAT) as seat:
        seat.progress = at.watch
        if not asked.flags.quiet:
            seat.tell_now = _tell_notice
        try:
            if asked.flags.dry_run:
                return _rehearse(operation, seat, values)
            return operation.run(seat, **values)
        finally:
            _tell_notices(seat.notices, quiet=asked.flags.quiet)


def _tell_notices(notices: list[str], *, quiet: bool) -> None:
    """Tell what went wrong beside what was asked for, whatever came of that."""
    for notice in () if quiet else notices:
        _tell_notice(notice)


def _tell_notice(notice: str) -> None:
    put_note(f"{visible(notice)}\n")


def _agent(at: Surroundings, flag: object) -> str | None:
    """Return the agent that acts; a name that no agent can have is refused first."""
    from koinii.trust.names import ADMIN, check_agent  # noqa: PLC0415 - not for `ask`

    assert flag is None or isinstance(flag, str)  # noqa: S101 - as the table has it
    name = at.agent(flag)
    if name not in (None, ADMIN):
        check_agent(name)
    return name


def _ask_nobody() -> None:
    """Let nothing from here on, git least of all, ask on a terminal or in a window."""
    os.environ.update(
        GCM_INTERACTIVE="never",
        GIT_ASKPASS="",
        GIT_TERMINAL_PROMPT="0",
        SSH_ASKPASS_REQUIRE="never",
    )
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - for the rest of the process


def _open(at: Surroundings, *, remotes: bool) -> Seat:
    directory = at.layout().directory
    if remotes:
        return koinii.open(directory)
    from koinii.seat.parts import open_parts  # noqa: PLC0415 - not for `version`
    from koinii.seat.seat import Seat  # noqa: PLC0415 - not for `version`

    return Seat(*open_parts(directory))


def _rehearse(operation: Operation, seat: Seat, values: dict[str, object]) -> object:
    """Return what the operation would come to."""
    if operation.rehearsal is not None:
        return operation.rehearsal(seat, **values)
    from koinii.seat.rehearsing import rehearse  # noqa: PLC0415 - for `--dry-run` only

    return rehearse(seat, lambda: operation.run(seat, **values))


def tell(asked: Invocation, result: object, look: Look) -> int:
    """Write a result as it was asked for and return the exit code."""
    operation, flags = asked.operation, asked.flags
    failure = operation.failure(result) if operation.failure else None
    if flags.json:
        if failure is not None:
            return tell_error(failure, look, as_json=True)
        _tell_json(operation.name, result, rehearsed=flags.dry_run)
    else:
        _tell_text(operation.name, result, look, quiet=flags.quiet)
    if flags.dry_run and not flags.quiet:
        put_note("dry run: nothing was written\n")
    if failure is not None:
        return tell_error(failure, look, as_json=False)
    in_part = operation.partial is not None and operation.partial(result)
    return partial_code() if in_part else DONE


def _tell_json(name: str, result: object, *, rehearsed: bool) -> None:
    from koinii.faces.data import to_data  # noqa: PLC0415 - for JSON only

    if name == "prove":
        import json  # noqa: PLC0415 - for JSON only

        assert isinstance(result, str)  # noqa: S101 - a proof is a document
        tell_data(json.loads(result) if result.startswith("{") else result)
        return
    tell_data(to_data(result), rehearsed=rehearsed)


def _tell_text(name: str, result: object, look: Look, *, quiet: bool) -> None:
    from koinii.faces.render import render  # noqa: PLC0415 - for text only

    text = render(name, result, look)
    if text.lines:
        whole = "\n".join(text.lines) + "\n"
        put_data(whole if name in _DOCUMENTS else look.shown(whole))
    if text.notes and not quiet:
        put_note("".join(f"{visible(note)}\n" for note in text.notes))


def _tell_page(page: Page) -> None:
    if page.flags.json:
        tell_data({"text": page.text})
    else:
        put_data(page.text)


def _tell_error(error: KoiniiError, look: Look, *, as_json: bool) -> int:
    """Tell an error; that standard output is full cannot be told there."""
    try:
        return tell_error(error, look, as_json=as_json)
    except KoiniiError as second:
        if second.code != error.code:
            tell_error(second, look, as_json=False)
        return error.exit_code


def _exact(word: str) -> str:
    """Return a word as the UTF-8 it was typed in, whatever the locale.

    Raises:
        UsageError: it is not UTF-8.
    """
    if word.isascii():
        return word
    data = os.fsencode(word)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"an argument is not UTF-8: byte {error.start} of {word[:40]!a}",
            code="koinii/not-utf-8",
            hint="give a text on standard input, in UTF-8: koinii ... -; give a file a "
            "name in UTF-8",
        ) from None


def _color_before_reading() -> bool:
    """Tell whether to colour the error of a line that could not be read."""
    if os.environ.get("NO_COLOR") or "--color=never" in sys.argv:
        return False
    return is_colored("auto")


def _show_where(error: Exception) -> None:
    import traceback  # noqa: PLC0415 - for debugging only

    put_note(visible("".join(traceback.format_exception(error))))
