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

if TYPE_CHECKING:
    from types import TracebackType
    from typing import BinaryIO

    from koinii.coordination.disputes import Dispute

_STANDARD_ERROR = 2


class Sinks:
    """What a command line names; both are looked for before anything is told."""

    def __init__(self, run: str | None, to: str | None) -> None:
        self._run = None if run is None else _words(run)
        self._to = to
        self._file: BinaryIO | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self._to is not None:
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
