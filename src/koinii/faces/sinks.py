"""Where disputes are told: a command's standard input, the end of a file.

Each is one JSON object. A file's lines are on the disk before the next is told. What a
command prints goes to standard error. A dispute is marked before it is told, so one
whose telling failed or was cut short counts as told; the error names it.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
import subprocess  # noqa: TID251 - runs what the user names, and nothing else
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from koinii.errors import KoiniiError, SurroundingsError, UsageError
from koinii.faces.disputed import told
from koinii.faces.outcome import StoppedError
from koinii.seat.named_files import check_outside, hint_of, other_file

if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import BinaryIO, NoReturn

    from koinii.coordination.disputes import Dispute

_STANDARD_ERROR = 2
_LONGEST = 16 << 20  # bytes of one line
_OF_A_DISPUTE = frozenset({"id", "sides", "state"})


class Sinks:
    """What a command line names; both are looked for before anything is told."""

    def __init__(self, channel: str, run: str | None, to: str | None) -> None:
        self._channel = channel
        self._run = None if run is None else _words(run)
        self._to = to
        self._file: BinaryIO | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self._to is not None:
            check_file(self._to)
            self._file = self._open.enter_context(_add_to(self._to))
        if threading.current_thread() is threading.main_thread():
            former = signal.signal(signal.SIGTERM, _stop)
            self._open.callback(signal.signal, signal.SIGTERM, former or signal.SIG_DFL)
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
            KoiniiError: `koinii/sink-failed`; `koinii/interrupted`, by ^C or SIGTERM.
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
            raise self._failed(dispute, error) from error
        except KeyboardInterrupt:
            raise self._stopped(dispute) from None

    def _failed(self, dispute: Dispute, error: Exception) -> KoiniiError:
        return KoiniiError(
            f"telling of {_short(dispute)} failed: {error}",
            code="koinii/sink-failed",
            hint=f"it counts as told; {self._again(dispute)} tells it again, and the "
            "rest",
            dispute_id=dispute.id.text,
        )

    def _stopped(self, dispute: Dispute) -> KoiniiError:
        return StoppedError(
            f"interrupted while {_short(dispute)} was told",
            hint=f"it counts as told; {self._again(dispute)} tells it again, and the "
            "rest",
            dispute_id=dispute.id.text,
        )

    def _again(self, dispute: Dispute) -> str:
        sweep = " --sweep" if dispute.stale_at is not None else ""
        return f"koinii notify --in {self._channel} --again {_short(dispute)}{sweep}"


def _stop(_: int, __: FrameType | None) -> NoReturn:
    """End as ^C does, so that what counts as told can be named."""
    raise KeyboardInterrupt


def _short(dispute: Dispute) -> str:
    """Return a dispute's id as `koinii disputes` shows it."""
    return "+".join(one[7:19] for one in dispute.id.locators)


def _add_to(name: str) -> BinaryIO:
    try:
        return Path(name).open("ab")
    except OSError as error:
        raise _unwritable(name, error) from error


def _unwritable(name: str, error: OSError) -> SurroundingsError:
    return SurroundingsError(
        f"{name}: {error.strerror}; nothing was told",
        code="koinii/system",
        hint=hint_of(error),
        errno=error.errno,
        path=name,
    )


def check_file(name: str) -> None:
    """Refuse a file to add to that holds anything else than what was told before.

    Raises:
        RefusedError: `koinii/seat-file`, `koinii/other-file`.
        SurroundingsError: `koinii/system`: it is in no directory.
        UsageError: `-`, which is no file.
    """
    if name == "-":
        raise UsageError(
            "--to adds to a file; what was told is on standard output anyhow",
            hint="leave --to out, with --json for a program; --to ./- is a file",
            parameter="--to",
        )
    check_outside(name)
    path = Path(name)
    if not path.exists():
        if not path.resolve().parent.is_dir():
            raise _unwritable(name, OSError(errno.ENOENT, os.strerror(errno.ENOENT)))
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
