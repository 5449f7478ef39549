"""The only place that starts a process: the user's own git, bounded.

Git runs with the user's credentials, ssh and address rewriting, and with
nothing else of theirs: no hooks, no background gc, no variables of a git that
runs us. It is bounded in time, output, memory and file size, and leaves no
process behind. Works with git 2.30 and newer.
"""

from __future__ import annotations

import os
import re
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from koinii.errors import SurroundingsError
from koinii.remote.git_failures import bad_settings, needs_person
from koinii.remote.git_words import environment, unasked, words_of
from koinii.seat.watching import unwatched

if TYPE_CHECKING:
    from koinii.seat.watching import Watch

_LOCK_SECONDS = 2.0  # a lock in a private repository is held for milliseconds
_GRACE = 2.0  # seconds for a git that was asked to end
_CHUNK = 1 << 16
_TICK = 0.25  # seconds between looks at a silent child

# What git says of its progress; the other end's words begin with `remote:`.
_MOVES = {b"Receiving": "receiving", b"Writing": "sending"}
_MOVING = re.compile(rb"(?:^|[\r\n])(Receiving|Writing) objects: +\d+% \((\d{1,9})/")

_CONFIG = {
    "core.hooksPath": "/dev/null",
    "core.fsync": "all",
    "core.fsmonitor": "false",
    "core.filesRefLockTimeout": "1000",
    "core.packedRefsTimeout": "1000",
    "core.alternateRefsCommand": "true",
    "core.bigFileThreshold": "4m",  # larger blobs are streamed, never inflated whole
    "color.ui": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "init.defaultRefFormat": "files",
    "fetch.fsckObjects": "true",
    "fetch.prune": "false",
    "fetch.unpackLimit": "1",  # always packs, which git fsyncs
    "fetch.writeCommitGraph": "false",
    "protocol.ext.allow": "never",
    "protocol.fd.allow": "never",
    "protocol.file.allow": "always",
    "push.followTags": "false",
    "push.gpgSign": "false",
    "push.pushOption": "",
    "push.recurseSubmodules": "no",
    "repack.updateServerInfo": "false",
    "repack.writeBitmaps": "false",
    "submodule.recurse": "false",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "60",
}
_SETTINGS = [word for name in _CONFIG.items() for word in ("-c", "=".join(name))]

# A repository that has taken parts: what its packs promise is nowhere asked for.
PARTS = "parts"
_PARTS = ("-c", f"remote.{PARTS}.promisor=true")


class Limits(NamedTuple):
    """What one run of git may take; seconds and bytes.

    `quiet` bounds the silence of a transfer that nobody watches; `memory` and
    `file` bound what a hostile remote can make git allocate and write.
    """

    answer: float = 30
    quiet: float = 60
    transfer: float = 3600
    output: int = 16 << 20
    memory: int = 1 << 30
    file: int = 4 << 30


class Done(NamedTuple):
    """How git ended: exit code, output, and its words without progress."""

    code: int
    out: str
    words: str


class GitProcess:
    """Git over one bare repository directory.

    Git has a session of its own, without a terminal to ask on. `interactive` says
    that a person is there: a git that has no credentials, or meets a host it does
    not know, is run once more in our process group, where it may ask, and only
    `transfer` bounds it.
    """

    def __init__(
        self,
        directory: Path,
        *,
        interactive: bool,
        environ: Mapping[str, str] | None,
        limits: Limits,
    ) -> None:
        self.directory = directory.absolute()
        self.limits = limits
        self._interactive = interactive
        self._asks = False  # somebody had to answer, and will be asked again
        self.watch: Watch = unwatched  # is told how many objects have moved
        self._given = os.environ if environ is None else environ

    def run(
        self,
        doing: str,
        arguments: Sequence[str],
        *,
        seconds: float | None = None,
        quiet: float | None = None,
    ) -> Done:
        """Run git to its end, or end it where a limit is reached.

        Raises:
            SurroundingsError: `koinii/git-config`: git cannot read somebody's settings
                and does nothing at all. And where a limit is reached, or no git is.
        """
        done = self._answered(doing, arguments, seconds, quiet)
        fault = bad_settings(doing, done.words, self.directory) if done.code else None
        if fault is not None:
            raise fault
        return done

    def _answered(
        self,
        doing: str,
        arguments: Sequence[str],
        seconds: float | None,
        quiet: float | None,
    ) -> Done:
        if not self._asks:
            done = self._once(doing, arguments, seconds or self.limits.answer, quiet)
            if not (done.code and self._interactive and needs_person(done.words)):
                return done
            self._asks = True
        return self._once(doing, arguments, self.limits.transfer, None)

    def _once(
        self, doing: str, arguments: Sequence[str], seconds: float, quiet: float | None
    ) -> Done:
        with self._child(doing, arguments) as child:
            reader = _Reader(doing, child, self.limits.output, self.watch)
            return reader.read(seconds, quiet)

    def _environment(self) -> dict[str, str]:
        """Return git's variables; only in a second run does it open a window."""
        environ = environment(self._given, interactive=self._asks)
        return unasked(environ) if self._interactive and not self._asks else environ

    @contextmanager
    def _child(
        self, doing: str, arguments: Sequence[str]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Start git, and leave no process behind whatever happens."""
        try:
            child = subprocess.Popen(  # noqa: S603 - arguments are checked before
                [*self._program(), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.directory,
                env=self._environment(),
                start_new_session=not self._asks,
            )
        except OSError as fault:
            raise self._not_started(doing, fault) from fault
        try:
            _bound(child.pid, self.limits)
            yield child
        finally:
            self._end(child)

    def _program(self) -> list[str]:
        """Return the words that start the program, before those of a verb."""
        parts = _PARTS if self.has_parts() else ()
        return ["git", *_SETTINGS, *parts, f"--git-dir={self.directory}"]

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        """End a git that still runs, kindly first so that it drops its locks."""
        signals = (signal.SIGTERM, signal.SIGKILL) if child.poll() is None else ()
        for number in signals:
            with suppress(ProcessLookupError):
                if self._asks:
                    child.send_signal(number)
                else:
                    os.killpg(child.pid, number)  # what git started as well
            with suppress(subprocess.TimeoutExpired):
                child.wait(_GRACE)
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()

    def _not_started(self, doing: str, fault: OSError) -> SurroundingsError:
        if not self.directory.is_dir():
            return SurroundingsError(
                f"cannot {doing}: {self.directory} is not there",
                code="koinii/damaged-repository",
                hint="koinii doctor --fix makes it again from the store",
                file=str(self.directory),
            )
        return SurroundingsError(
            f"cannot {doing}: git cannot be started ({fault.strerror})",
            code="koinii/no-git",
            hint="install git 2.30 or newer, and see that it is on the PATH",
        )

    def has_parts(self) -> bool:
        """Tell whether objects are missing here that were left out on purpose."""
        return any(self.directory.glob("objects/pack/*.promisor"))

    def clear_stale_locks(self) -> list[Path]:
        """Remove what killed gits left in this repository, and say what.

        Call it under the seat's lock. A lock younger than two seconds gets that
        long to go by itself; no live git here holds one longer.
        """
        deadline = time.monotonic() + _LOCK_SECONDS
        while any(_age(lock) < _LOCK_SECONDS for lock in self._locks()):
            if time.monotonic() > deadline:
                break
            time.sleep(0.05)
        found = self.leftovers()
        for file in found:
            file.unlink(missing_ok=True)
        return found

    def leftovers(self) -> list[Path]:
        """Return the locks and unfinished files that lie in this repository."""
        found = [*self._locks(), *self.directory.glob("objects/pack/tmp_*")]
        found += self.directory.glob("objects/pack/*_git2_*")  # of libgit2
        found += self.directory.glob("objects/tmp_koinii_*/*")
        found += self.directory.glob("objects/[0-9a-f][0-9a-f]/tmp_obj_*")
        return found

    def _locks(self) -> list[Path]:
        top = [
            *self.directory.glob("*.lock"),
            *self.directory.glob("objects/**/*.lock"),
        ]
        return top + list(self.directory.glob("refs/**/*.lock"))


class _Reader:
    """Both outputs of a child, read as they come, bounded in time and size."""

    def __init__(
        self, doing: str, child: subprocess.Popen[bytes], most: int, watch: Watch
    ) -> None:
        self._doing = doing
        self._child = child
        self._most = most
        self._watch = watch
        self._moved: dict[bytes, int] = {}  # objects that were told of, by verb
        self._out = bytearray()
        self._err = bytearray()

    def read(self, seconds: float, quiet: float | None) -> Done:
        """Wait for the end; raises after `seconds`, or `quiet` without a word."""
        start = heard = time.monotonic()
        silence = seconds if quiet is None else quiet
        with selectors.DefaultSelector() as selector:
            for pipe, kept in self._pipes():
                selector.register(pipe, selectors.EVENT_READ, kept)
            while selector.get_map():
                ready = selector.select(_TICK)
                now = time.monotonic()
                if not ready and self._child.poll() is not None:
                    break  # a helper that lives on holds the pipe open
                heard = now if ready else heard
                if now - start > seconds or now - heard > silence:
                    raise self._timed_out(min(seconds, silence))
                for key, _ in ready:
                    if not self._take(key.fd, key.data):
                        selector.unregister(key.fileobj)
        try:
            code = self._child.wait(_GRACE)  # it has closed its outputs
        except subprocess.TimeoutExpired as fault:
            raise self._timed_out(_GRACE) from fault
        out, err = (kept.decode(errors="replace") for kept in (self._out, self._err))
        return Done(code, out, words_of(err))

    def _pipes(self) -> Iterator[tuple[IO[bytes], bytearray]]:
        if self._child.stdout is None or self._child.stderr is None:
            raise AssertionError("a child without pipes")
        yield self._child.stdout, self._out
        yield self._child.stderr, self._err

    def _take(self, descriptor: int, kept: bytearray) -> bool:
        data = os.read(descriptor, _CHUNK)
        kept += data
        if kept is self._err:
            self._tell(data)
            del kept[: -2 * _CHUNK]  # the last words are the ones that matter
        elif len(kept) > self._most:
            raise SurroundingsError(
                f"cannot {self._doing}: the answer is above {self._most} bytes",
                code="koinii/answer-too-large",
                hint="the remote offers too much; ask who runs it",
            )
        return bool(data)

    def _tell(self, words: bytes) -> None:
        """Tell how many more objects have moved, as git counts them."""
        for verb, count in _MOVING.findall(words):
            more = int(count) - self._moved.get(verb, 0)
            self._moved[verb] = int(count)
            self._watch(_MOVES[verb], more)

    def _timed_out(self, seconds: float) -> SurroundingsError:
        said = words_of(self._err.decode(errors="replace"))
        return SurroundingsError(
            f"cannot {self._doing}: timed out, no answer in {seconds:g} seconds",
            code="koinii/timed-out",
            hint="check the address and the network; credentials may be needed",
            words=said,
        )


def _bound(pid: int, limits: Limits) -> None:
    """Bound memory and file size of a child and all it starts, where Linux can."""
    if not hasattr(resource, "prlimit"):
        return
    wanted = {
        resource.RLIMIT_DATA: limits.memory,
        resource.RLIMIT_FSIZE: limits.file,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in wanted.items():
        with suppress(ProcessLookupError):
            hard = resource.prlimit(pid, kind)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.prlimit(pid, kind, (most, hard))


def remove_unless_moved(lock: Path) -> bool:
    """Remove a lock that stays as it is for two seconds; tell whether it did."""
    deadline, before = time.monotonic() + _LOCK_SECONDS, _state(lock)
    while time.monotonic() < deadline:
        time.sleep(0.05)
        if _state(lock) != before:
            return False
    lock.unlink(missing_ok=True)
    return True


def _state(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def _age(file: Path) -> float:
    """Return how many seconds ago the file was written; infinite if it is gone."""
    try:
        return max(0.0, time.time() - file.stat().st_mtime)
    except FileNotFoundError:
        return float("inf")
