"""The user's own git, moving data for a private bare repository.

This is the only place that starts a process. Git runs with the user's
credentials, ssh and address rewriting, and with nothing else of theirs: no
hooks, no background gc, no variables of a git that runs us. It is bounded in
time, output, memory and file size; whatever it says becomes one of our errors.
Works with git 2.30 and newer.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from koinii.errors import EnvironmentError_, KoiniiError
from koinii.remote import git_words as words

_OLDEST = (2, 30)
_GEOMETRIC = (2, 32)  # the first that repacks in a geometric progression
_LOCK_SECONDS = 2.0  # a lock in a private repository is held for milliseconds
_GRACE = 2.0  # seconds for a git that was asked to end
_CHUNK = 1 << 16

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
    "transfer.fsckObjects": "true",
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


class _Done(NamedTuple):
    code: int
    out: str
    words: str


class Git:
    """A private bare repository and the verbs that move its objects.

    `interactive` says that a person is there to answer prompts: git then stays
    in our process group, and only `transfer` bounds it.
    """

    def __init__(
        self,
        directory: Path,
        *,
        interactive: bool = False,
        environ: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.directory = directory.absolute()
        self.limits = limits or Limits()
        self._interactive = interactive
        self._environ = words.environment(
            os.environ if environ is None else environ, interactive=interactive
        )

    def init(self) -> None:
        """Make the repository; where it is one already, nothing changes."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise EnvironmentError_(
                f"cannot make {self.directory}: {fault.strerror}",
                code="koinii/not-writable",
                file=str(self.directory),
            ) from fault
        version = self.version()
        if version < _OLDEST:
            shown = ".".join(map(str, version))
            raise EnvironmentError_(
                f"git {shown} is too old",
                code="koinii/old-git",
                hint="install git 2.30 or newer",
                version=shown,
            )
        make = ("--bare", "-q", "--template=", "--object-format=sha1")
        self._local("make the repository", "init", *make)

    def version(self) -> tuple[int, int]:
        """Return the version of git, as far as its second number."""
        text = self._local("ask git for its version", "version").split()[2]
        major, minor = text.split(".")[:2]
        return int(major), int(minor)

    def ls_remote(self, url: str, pattern: str) -> dict[str, str]:
        """Return the refs of a remote by name; a pattern may end in `/*`."""
        words.check_url(url)
        words.check_ref(pattern.removesuffix("/*"))
        doing = f"read the refs of {words.redact(url)}"
        arguments = ("ls-remote", "-q", "--refs", "--end-of-options", url, pattern)
        done = self._run(doing, arguments, seconds=self.limits.answer)
        if done.code:
            raise words.failed(doing, done.words, url=url, code=done.code)
        return words.read_refs(done.out, pattern)

    def fetch(self, url: str, refspecs: Sequence[str]) -> None:
        """Bring refs and what they need; all that came was checked by fsck.

        Objects that came before a failure stay, without a ref, until `prune`.
        Objects that are not valid are a `VerificationError`.
        """
        words.check_url(url)
        for refspec in refspecs:
            words.check_refspec(refspec)
        doing = f"fetch from {words.redact(url)}"
        options = ("--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--progress")
        plain = ("--no-recurse-submodules", "--refmap=", "--end-of-options")
        done = self._transfer(doing, ("fetch", *options, *plain, url, *refspecs))
        if done.code:
            raise words.failed(doing, done.words, url=url, code=done.code)

    def push(self, url: str, oid: str, ref: str, expected_old: str | None) -> None:
        """Move one ref of a remote from the value expected there to `oid`.

        None expects that the ref is not there. Pushing what is there already is
        no change and no error. A ref that was refused is a `KoiniiError` with
        the server's words; `koinii/push-raced` where another value was found.
        """
        words.check_url(url)
        words.check_ref(ref)
        words.check_oid(oid)
        if expected_old is not None and not self.is_ancestor(expected_old, oid):
            raise KoiniiError(
                f"what is to be pushed to {ref} does not contain its former value",
                code="koinii/not-a-descendant",
                hint="pull first: koinii pull",
                ref=ref,
                expected=expected_old,
            )
        lease = f"--force-with-lease={ref}:{expected_old or ''}"
        plain = ("--porcelain", "--progress", "--no-verify", "--end-of-options")
        doing = f"push to {words.redact(url)}"
        done = self._transfer(doing, ("push", lease, *plain, url, f"{oid}:{ref}"))
        pushed = words.read_porcelain(done.out, ref)
        if pushed is None:
            raise words.failed(doing, done.words, url=url, code=done.code)
        if pushed.flag == "!" or done.code:
            raise words.refused(pushed, ref, url, done.words)

    def push_and_confirm(
        self, url: str, oid: str, ref: str, expected_old: str | None
    ) -> None:
        """Push, then read the ref back as any other seat would, and compare."""
        self.push(url, oid, ref, expected_old)
        found = self.ls_remote(url, ref).get(ref)
        if found != oid:
            shown = "does not show it" if found is None else f"shows {found}"
            raise KoiniiError(
                f"{words.redact(url)} took {ref} but {shown}",
                code="koinii/push-unconfirmed",
                hint="ask who runs the remote whether it hides or rewrites refs",
                ref=ref,
                url=words.redact(url),
                expected=oid,
                found=found,
            )

    def is_ancestor(self, old: str, new: str) -> bool:
        """Tell whether commit `new` contains `old`; False where one is missing."""
        words.check_oid(old)
        words.check_oid(new)
        arguments = ("merge-base", "--is-ancestor", old, new)
        return self._run("compare commits", arguments).code == 0

    def read_ref(self, ref: str) -> str | None:
        """Return the value of an own ref, None where it is not there.

        A ref file that was torn is an `EnvironmentError_` with its name.
        """
        words.check_ref(ref)
        done = self._run("read a ref", ("show-ref", "--verify", "--", ref))
        if done.code == 0:
            return done.out.split(" ", maxsplit=1)[0]
        self._check_repository(done)
        file = self.directory / ref
        if file.is_file():
            raise EnvironmentError_(
                f"the ref {ref} is damaged",
                code="koinii/damaged-ref",
                hint="koinii doctor --fix writes it again from the store",
                file=str(file),
                words=done.words,
            )
        return None

    def list_refs(self, prefix: str) -> dict[str, str]:
        """Return the own refs below a prefix such as `refs/koinii`, by name."""
        words.check_ref(prefix)
        form = "--format=%(objectname)%09%(refname)"
        out = self._local("list the refs", "for-each-ref", form, prefix)
        return words.read_refs(out, f"{prefix}/*")

    def update_ref(self, ref: str, new: str, old: str | None) -> None:
        """Move an own ref from `old` (None: not there yet) to `new`, or refuse."""
        words.check_ref(ref)
        words.check_oid(new)
        arguments = ("update-ref", "--no-deref", ref, new, old or words.ZERO)
        done = self._run(f"move {ref}", arguments)
        if not done.code:
            return
        self._check_repository(done)
        if " but expected " in done.words or "already exists" in done.words:
            raise KoiniiError(
                f"the ref {ref} is not at the value expected",
                code="koinii/ref-moved",
                ref=ref,
                expected=old,
                words=done.words,
            )
        raise words.failed(f"move {ref}", done.words, code=done.code)

    def restore_ref(self, ref: str, oid: str) -> None:
        """Set an own ref whatever it holds, a torn file included."""
        words.check_ref(ref)
        words.check_oid(oid)
        try:
            damaged = self.read_ref(ref) is None
        except EnvironmentError_ as fault:
            damaged = fault.code == "koinii/damaged-ref"
            if not damaged:
                raise
        if damaged:
            (self.directory / ref).unlink(missing_ok=True)
        self._local(f"set {ref}", "update-ref", "--no-deref", ref, oid)

    def delete_ref(self, ref: str) -> None:
        """Take an own ref away; no change where it is not there."""
        words.check_ref(ref)
        self._local(f"delete {ref}", "update-ref", "--no-deref", "-d", ref)

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
        found = [*self._locks(), *self.directory.glob("objects/pack/tmp_*")]
        found += self.directory.glob("objects/[0-9a-f][0-9a-f]/tmp_obj_*")
        for file in found:
            file.unlink(missing_ok=True)
        return found

    def repack_when(self, count: int) -> bool:
        """Join packs where there are `count` or more; True where it was done."""
        if sum(1 for _ in self.directory.glob("objects/pack/pack-*.pack")) < count:
            return False
        how = "--geometric=2" if self.version() >= _GEOMETRIC else "-a"
        self._repack(how)
        return True

    def prune(self) -> None:
        """Drop every object that no ref needs; call it under the seat's lock."""
        self._repack("-a")
        self._local("drop objects", "prune", "--expire=now")

    def _repack(self, how: str) -> None:
        doing = "join packs"
        done = self._transfer(doing, ("repack", how, "-d", "-q"))
        if done.code:
            raise words.failed(doing, done.words, code=done.code)

    def _locks(self) -> list[Path]:
        top = [
            *self.directory.glob("*.lock"),
            *self.directory.glob("objects/**/*.lock"),
        ]
        return top + list(self.directory.glob("refs/**/*.lock"))

    def _check_repository(self, done: _Done) -> None:
        if "not a git repository" in done.words:
            raise EnvironmentError_(
                f"{self.directory} is no repository any more",
                code="koinii/damaged-repository",
                hint="koinii doctor --fix makes it again from the store",
                file=str(self.directory),
                words=done.words,
            )

    def _local(self, doing: str, *arguments: str) -> str:
        done = self._run(doing, arguments)
        if done.code:
            self._check_repository(done)
            raise words.failed(doing, done.words, code=done.code)
        return done.out

    def _transfer(self, doing: str, arguments: Sequence[str]) -> _Done:
        return self._run(
            doing, arguments, seconds=self.limits.transfer, quiet=self.limits.quiet
        )

    def _run(
        self,
        doing: str,
        arguments: Sequence[str],
        *,
        seconds: float | None = None,
        quiet: float | None = None,
    ) -> _Done:
        """Run git to its end, or end it where a limit is reached."""
        if self._interactive:
            seconds, quiet = self.limits.transfer, None
        with self._child(doing, arguments) as child:
            reader = _Reader(doing, child, self.limits.output)
            out, err = reader.read(seconds or self.limits.answer, quiet)
            return _Done(
                child.wait(), out.decode(errors="replace"), words.words_of(err)
            )

    @contextmanager
    def _child(
        self, doing: str, arguments: Sequence[str]
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Start git, and leave no process behind whatever happens."""
        command = ["git", *_SETTINGS, f"--git-dir={self.directory}", *arguments]
        try:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.directory,
                env=self._environ,
                start_new_session=not self._interactive,
            )
        except OSError as fault:
            raise self._not_started(doing, fault) from fault
        try:
            _bound(child.pid, self.limits)
            yield child
        finally:
            self._end(child)

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        """End a git that still runs, kindly first so that it drops its locks."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if child.poll() is not None:
                break
            with suppress(ProcessLookupError):
                if self._interactive:
                    child.send_signal(number)
                else:
                    os.killpg(child.pid, number)
            with suppress(subprocess.TimeoutExpired):
                child.wait(_GRACE)
        for pipe in (child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()

    def _not_started(self, doing: str, fault: OSError) -> EnvironmentError_:
        if not self.directory.is_dir():
            return EnvironmentError_(
                f"cannot {doing}: {self.directory} is not there",
                code="koinii/damaged-repository",
                hint="koinii doctor --fix makes it again from the store",
                file=str(self.directory),
            )
        return EnvironmentError_(
            f"cannot {doing}: git cannot be started ({fault.strerror})",
            code="koinii/no-git",
            hint="install git 2.30 or newer, and see that it is on the PATH",
        )


class _Reader:
    """Both outputs of a child, read as they come, bounded in time and size."""

    def __init__(self, doing: str, child: subprocess.Popen[bytes], most: int) -> None:
        self._doing = doing
        self._child = child
        self._most = most
        self._out = bytearray()
        self._err = bytearray()

    def read(self, seconds: float, quiet: float | None) -> tuple[bytes, str]:
        """Return output and words; raises where a bound is reached."""
        now = time.monotonic()
        deadline, silence = now + seconds, quiet or seconds
        heard = now
        with selectors.DefaultSelector() as selector:
            for pipe, kept in self._pipes():
                selector.register(pipe, selectors.EVENT_READ, kept)
            while selector.get_map():
                ready = selector.select(0.25)
                now = time.monotonic()
                if not ready and self._child.poll() is not None:
                    break  # a helper that lives on holds the pipe open
                if ready:
                    heard = now
                if now > deadline or now - heard > silence:
                    raise self._timed_out(
                        now - (heard if now <= deadline else deadline)
                    )
                for key, _ in ready:
                    if not self._take(key.fd, key.data):
                        selector.unregister(key.fileobj)
        return bytes(self._out), self._err.decode(errors="replace")

    def _pipes(self) -> Iterator[tuple[IO[bytes], bytearray]]:
        if self._child.stdout is None or self._child.stderr is None:
            raise AssertionError("a child without pipes")
        yield self._child.stdout, self._out
        yield self._child.stderr, self._err

    def _take(self, descriptor: int, kept: bytearray) -> bool:
        data = os.read(descriptor, _CHUNK)
        kept += data
        if kept is self._err:
            del kept[: -2 * _CHUNK]  # the last words are the ones that matter
        elif len(kept) > self._most:
            raise EnvironmentError_(
                f"cannot {self._doing}: the answer is above {self._most} bytes",
                code="koinii/answer-too-large",
                hint="the remote offers too much; ask who runs it",
            )
        return bool(data)

    def _timed_out(self, seconds: float) -> EnvironmentError_:
        said = words.words_of(self._err.decode(errors="replace"))
        return EnvironmentError_(
            f"cannot {self._doing}: timed out, nothing heard for {seconds:.0f} seconds",
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


def _age(file: Path) -> float:
    """Return how many seconds ago the file was written; infinite if it is gone."""
    try:
        return max(0.0, time.time() - file.stat().st_mtime)
    except FileNotFoundError:
        return float("inf")
