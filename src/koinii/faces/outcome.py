"""The answer of a command: its text or its one JSON object, and its exit code.

    0 done         3 not found               6 verification failed
    1 failed       4 refused by a rule       7 done in part
    2 usage        5 environment             130 interrupted

With `--json` standard output holds exactly one object whatever happens:
`{"schema_version":1,"ok":true,"data":…}` where the exit code is 0 or 7, else
`{"schema_version":1,"ok":false,"error":{"code","message","hint","details"}}`. A
`sync` that could not push what it has done is such an error too, with 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, PartialError, ReadError, SurroundingsError
from koinii.faces.streams import put_data, put_note, spells, visible

if TYPE_CHECKING:
    from koinii.faces.look import Look

SCHEMA_VERSION = 1
DONE = 0
INTERRUPTED_CODE = 130


class StoppedError(KoiniiError):
    """The user pressed Ctrl-C; a write that had begun landed whole or not at all."""

    exit_code = INTERRUPTED_CODE
    code = "koinii/interrupted"


class InternalError(KoiniiError):
    """Something of ours is broken."""

    code = "koinii/internal"


def tell_data(data: object, *, rehearsed: bool = False) -> None:
    """Write the one JSON object of a success."""
    answer = {"schema_version": SCHEMA_VERSION, "ok": True, "data": data}
    _tell({**answer, "rehearsed": True} if rehearsed else answer)


def tell_error(error: KoiniiError, look: Look, *, as_json: bool) -> int:
    """Write an error, for people and, where asked, for programs; return its code."""
    put_note(error_text(error, look))
    if as_json:
        _tell(error_object(error))
    return error.exit_code


def error_object(error: KoiniiError) -> dict[str, object]:
    """Return the JSON object of an error."""
    from koinii.faces.data import to_data  # noqa: PLC0415 - for JSON only

    return {
        "schema_version": SCHEMA_VERSION,
        "ok": False,
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "details": to_data(error.details),
        },
    }


def error_text(error: KoiniiError, look: Look) -> str:
    """Return an error as lines: what, where in the text, and what to type next.

    The words of git and of the server, where there are any, stand between.
    """
    lines = [f"{look.paint('koinii:', 'red')} {visible(error.message)}"]
    if isinstance(error, ReadError):
        lines.append(visible(error.caret()))
    words = str(error.details.get("words") or "")
    lines += [f"  | {visible(line)}" for line in words.splitlines()]
    if error.hint:
        lines.append(f"{look.paint('hint:', 'cyan')} {visible(error.hint)}")
    return "\n".join(lines) + "\n"


def from_exception(error: Exception) -> KoiniiError:
    """Return what an exception that nobody expected comes to."""
    if isinstance(error, KoiniiError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        name = "" if error.filename is None else f"{error.filename}: "
        return SurroundingsError(
            f"{name}{error.strerror}", code="koinii/system", errno=error.errno
        )
    if isinstance(error, MemoryError):
        return SurroundingsError("memory ran out", code="koinii/memory")
    said = " ".join(str(error).split())[:200]
    return InternalError(
        f"a fault of koinii itself: {type(error).__name__}: {said}",
        hint="please report it; KOINII_DEBUG=1 shows where it happened",
        exception=type(error).__name__,
    )


def _tell(value: dict[str, object]) -> None:
    import json  # noqa: PLC0415 - for JSON only

    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if not spells(text):
        text = json.dumps(value, separators=(",", ":"))
    put_data(text + "\n")


def partial_code() -> int:
    """Return the exit code of what was done in part."""
    return PartialError.exit_code
