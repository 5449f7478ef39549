"""Standard output and standard error, whatever they are connected to.

What a stream cannot spell is written as an escape; a reader that went away ends
the output in silence; a standard output that is closed or full is an error.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError

if TYPE_CHECKING:
    from typing import TextIO

_SHOWN = dict.fromkeys([*range(32), *range(127, 160)])
_ESCAPES = {code: f"\\x{code:02x}" for code in _SHOWN if code not in (9, 10)}
_INVISIBLE = (  # they reorder, hide or split what stands around them
    (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F),
    (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE007F),
)  # fmt: skip
_abandoned: list[TextIO] = []  # nobody reads them
_LOWEST = 3  # the first descriptor that is no standard stream


def open_standard_streams() -> None:
    """Put the null device where a standard stream is closed.

    Otherwise the next file that is opened, the store perhaps, would be what some
    program takes for its standard output.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) < _LOWEST:
            pass
        os.close(descriptor)


def put_data(text: str) -> None:
    """Write to standard output, whole and flushed.

    Raises:
        SurroundingsError: `koinii/output`: the disk is full, or the like.
    """
    if sys.stdout is None:
        raise _unwritten("it is closed")
    try:
        _put(sys.stdout, text)
    except BrokenPipeError:
        _abandon(sys.stdout)
    except OSError as error:
        _abandon(sys.stdout)
        raise _unwritten(str(error.strerror)) from error


def is_read() -> bool:
    """Tell whether somebody may still read standard output: a pipe has an end."""
    if sys.stdout is None or sys.stdout in _abandoned:
        return False
    import select  # noqa: PLC0415 - for what is streamed only

    try:
        looking = select.poll()
        looking.register(sys.stdout.fileno(), 0)
        return not looking.poll(0)
    except (OSError, ValueError):  # not a file of the system: nothing is known of it
        return True


def _unwritten(reason: str) -> SurroundingsError:
    return SurroundingsError(
        f"standard output cannot be written: {reason}",
        code="koinii/output",
        hint="what was asked for is done; ask again for what it printed",
    )


def put_note(text: str) -> None:
    """Write to standard error, as well as it goes; control characters are shown."""
    try:
        _put(sys.stderr, text)
    except OSError:
        _abandon(sys.stderr)


def visible(text: str) -> str:
    """Return a text whose control characters, but tabs and newlines, are spelled.

    So are the characters that turn the direction of a text or cannot be seen.
    """
    if not text.isascii():
        text = "".join(map(_seen, text))
    return text.translate(_ESCAPES)


def on_a_line(text: str) -> str:
    """Return a text as `visible` does, with its tabs and newlines spelled as well.

    What others wrote cannot begin a line or a column of its own then.
    """
    return visible(text).replace("\t", "\\x09").replace("\n", "\\x0a")


def _seen(character: str) -> str:
    code = ord(character)
    if code < _INVISIBLE[0][0] or not any(
        first <= code <= last for first, last in _INVISIBLE
    ):
        return character
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - as Python spells it


def spells(text: str) -> bool:
    """Tell whether standard output has a spelling for every character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a person reads this stream as it is written."""
    return stream is not None and stream.isatty()


def _put(stream: TextIO | None, text: str) -> None:
    if stream is None:
        return
    data = text.encode(stream.encoding or "utf-8", "backslashreplace")
    stream.flush()
    stream.buffer.write(data)
    stream.flush()


def _abandon(stream: TextIO) -> None:
    """Send what is left in the stream's buffer nowhere, so that exit is quiet."""
    _abandoned.append(stream)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
