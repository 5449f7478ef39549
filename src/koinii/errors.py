"""The one tree of errors.

    KoiniiError                exit 1   failed
    ├── UsageError             exit 2   the words of a call are off
    │   └── ReadError                   text that is no term: line, column, text
    ├── NotFoundError          exit 3   no such locator, seat record, remote name
    ├── RefusedError           exit 4   a rule says no: shape, naming, boundary
    ├── SurroundingsError      exit 5   no seat, locked, disk, git, network
    ├── VerificationError      exit 6   a hash, root, proof or signature is wrong
    └── PartialError           exit 7   done in part; the details say which part

Every error carries a stable `code`, facts in `details`, a message that names
what was refused, and a `hint` with the next command. Callers tell errors apart
by class and code, never by the message. A fault of ours is an `AssertionError`.
"""

from __future__ import annotations


class KoiniiError(Exception):
    """The root of the tree; `code` is stable, `details` hold facts by name."""

    exit_code = 1
    code = "koinii/failed"

    def __init__(
        self, message: str, *, code: str = "", hint: str = "", **details: object
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.hint = hint
        self.details = details

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r}, code={self.code!r})"


class UsageError(KoiniiError):
    """The call itself is off; calling again, corrected, can succeed."""

    exit_code = 2
    code = "koinii/usage"


class ReadError(UsageError):
    """Text that is no term; `details` hold line, column (from 1) and the text."""

    code = "koinii/unreadable"

    def __init__(
        self, reason: str, *, line: int, column: int, text: str, hint: str = ""
    ) -> None:
        super().__init__(
            f"line {line}, column {column}: {reason}",
            hint=hint,
            reason=reason,
            line=line,
            column=column,
            text=text,
        )
        self.reason = reason
        self.line = line
        self.column = column
        self.text = text

    def caret(self) -> str:
        """Return the offending line with a caret below the column, two lines."""
        start = max(0, self.column - 60)
        shown = self.text[start : start + 78]
        return f"{shown}\n{' ' * (self.column - 1 - start)}^"


class NotFoundError(KoiniiError):
    """What was named is not here."""

    exit_code = 3
    code = "koinii/not-found"


class RefusedError(KoiniiError):
    """A rule refuses it; `code` is the rule's name in the refusal catalogue."""

    exit_code = 4
    code = "koinii/refused"


class SurroundingsError(KoiniiError):
    """Nothing is wrong with the call; the surroundings do not allow it."""

    exit_code = 5
    code = "koinii/environment"


class VerificationError(KoiniiError):
    """Bytes that do not prove what they claim; nothing of them was used."""

    exit_code = 6
    code = "koinii/verification-failed"


class PartialError(KoiniiError):
    """Some of it was done; `details` count what was and what was not."""

    exit_code = 7
    code = "koinii/partial"
