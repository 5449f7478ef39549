"""Where disputes are told: a command's standard input, the end of a file.

Each is one JSON object. A file's lines are on the disk before the next is told. What a
command prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess  # noqa: TID251 - runs what the user names, and nothing else
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from koinii.errors import KoiniiError, SurroundingsError, UsageError
from koinii.faces.disputed import told
from koinii.seat.named_files import check_outside, other_file

if TYPE_CHECKING:
    from types import TracebackType
    from typing import BinaryIO

    from koinii.coordination.disputes import Dispute

_STANDARD_ERROR = 2
_LONGEST = 16 << 20  # bytes of one line
_OF_A_DISPUTE = frozenset({"id", "sides", "state"})


class Sinks:
    """What a command line names; both are looked for before anything is told."""

    def __init__(self, run: str | None, to: str | None) -> None:
        self._run = None if run is None else _words(run)
        self._to = to
        self._file: BinaryIO | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self._to is not None:
            check_file(self._to)
            self._file = self._open.enter_context(Path(self._to).open("ab"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def tell(self, dispute: Dispute) -> None:
        """Tell of one dispute.

        Raises:
            KoiniiError: `koinii/sink-failed`.
        """
        line = json.dumps(told(dispute), separators=(",", ":")).encode() + b"\n"
        try:
            if self._file is not None:
                self._file.write(line)
                self._file.flush()
                os.fsync(self._file.fileno())
            if self._run is not None:
                subprocess.run(  # noqa: S603 - what the user named, no shell
                    self._run, input=line, stdout=_STANDARD_ERROR, check=True
                )
        except (OSError, subprocess.CalledProcessError) as error:
            raise _failed(dispute, error) from error


def check_file(name: str) -> None:
    """Refuse a file to add to that holds anything else than what was told before.

    Raises:
        RefusedError: `koinii/seat-file`, `koinii/other-file`.
    """
    check_outside(name)
    path = Path(name)
    if not path.exists():
        return
    if not path.is_file():
        raise other_file(name, "no plain file")
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _LONGEST))
        end = file.read()
    if end and not _is_told(end):
        raise other_file(name, "no list of disputes, a line of JSON each")


def _is_told(end: bytes) -> bool:
    """Tell whether the last line is whole, and one of a dispute."""
    *_, last, rest = [b"", *end.split(b"\n")]
    try:
        dispute = json.loads(last)
    except (ValueError, RecursionError):
        return False
    return not rest and isinstance(dispute, dict) and dispute.keys() >= _OF_A_DISPUTE


def _words(command: str) -> list[str]:
    """Return the words of a command whose program is there."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"--run takes a command, not {command[:80]!r}: {error}",
            hint="quote it as a shell would; the dispute is on its standard input",
            parameter="--run",
        ) from None
    if not words or shutil.which(words[0]) is None:
        raise SurroundingsError(
            f"there is no program {words[0] if words else command!r} to run",
            code="koinii/no-program",
            hint="nothing was told; give --run a command that is there",
            command=command,
        )
    return words


def _failed(dispute: Dispute, error: Exception) -> KoiniiError:
    return KoiniiError(
        f"telling of a dispute failed: {error}",
        code="koinii/sink-failed",
        hint="this one counts as told, koinii disputes shows it; koinii notify goes on "
        "with the rest",
        dispute_id=dispute.id.text,
    )
