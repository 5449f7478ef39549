"""The verbs of `Git` where there is no git: libgit2 moves the data.

What libgit2 does runs in a child process with the bounds that git has
(`libgit_child`); refs are read and written here, as the files they are.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote import git_words as words
from koinii.remote.git import Done, GitProcess, Limits
from koinii.remote.git_failures import failed
from koinii.remote.repository import Git

if TYPE_CHECKING:
    from koinii.remote.object_graph import Graph

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
_FOLDERS = ("refs/heads", "refs/tags", "objects/pack", "objects/info")  # in this order
_LOGIN = (
    "credentials are needed: without git these are the keys of ssh-agent, those in "
    "~/.ssh that have no passphrase, and name and password in an https address; "
    "with git installed its credential helpers are asked too"
)
_HOST_KEY = "connect with ssh once, so that ~/.ssh/known_hosts names the host"


def choose(
    directory: Path,
    *,
    interactive: bool = False,
    environ: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> Git:
    """Return the way to move data: by the user's git where the PATH has one."""
    path = (os.environ if environ is None else environ).get("PATH")
    kind = Git if shutil.which("git", path=path) else Libgit
    return kind(directory, interactive=interactive, environ=environ, limits=limits)


class _LibgitProcess(GitProcess):
    """libgit2 over one bare repository directory; it never asks anybody."""

    def _program(self) -> list[str]:
        module = "koinii.remote.libgit_child"
        seconds = str(math.ceil(self.limits.transfer) + 60)
        return [sys.executable, "-P", "-m", module, str(self.directory), seconds]


class Libgit(Git):
    """A private bare repository where there is no git program."""

    def __init__(
        self,
        directory: Path,
        *,
        interactive: bool = False,
        environ: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(
            directory, interactive=interactive, environ=environ, limits=limits
        )
        self._git = _LibgitProcess(
            self.directory, interactive=False, environ=environ, limits=self.limits
        )

    def need_program(self, doing: str) -> None:
        """Refuse what only the `git` program can do.

        Raises:
            SurroundingsError: `koinii/no-git`.
        """
        raise SurroundingsError(
            f"cannot {doing} without git",
            code="koinii/no-git",
            hint="install git 2.30 or newer, and see that it is on the PATH",
        )

    def init(self) -> None:
        """Make the repository as git does; where it is one already, nothing changes."""
        made: Path = self.directory
        try:
            for made in (self.directory / one for one in _FOLDERS[:-1]):
                made.mkdir(parents=True, exist_ok=True)
            for name, text in (
                ("config", _CONFIG),
                ("HEAD", "ref: refs/heads/master\n"),
            ):
                made = self.directory / name
                if not made.exists():
                    made.write_text(text)
            made = self.directory / _FOLDERS[-1]
            made.mkdir(exist_ok=True)
        except OSError as fault:
            raise SurroundingsError(
                f"cannot make {made}: {fault.strerror}",
                code="koinii/not-writable",
                file=str(made),
            ) from fault

    def version(self) -> tuple[int, int]:
        """Return the version of libgit2, as far as its second number."""
        import pygit2  # noqa: PLC0415 - 67 ms, only where it is asked for

        return pygit2.LIBGIT2_VER[:2]

    def ls_remote(self, url: str, pattern: str) -> dict[str, str]:
        """Return the refs of a remote by name; a pattern may end in `/*`."""
        words.check_url(url)
        words.check_ref(pattern.removesuffix("/*"))
        doing = f"read the refs of {words.redact(url)}"
        done = self._git.run(doing, ("ls", url, pattern))
        return _refs(_answer(done, doing, url))

    def fetch(self, url: str, refspecs: Sequence[str], *, parts: bool = False) -> bool:
        """Bring refs and what they need, all of it checked before a ref moves.

        git has fsck look at each object. Here libgit2 names objects by the bytes that
        came; `Graph.needed` sees that all are here that a ref needs, of their kinds,
        and in forms that git takes; and what a seat may show beyond that, `reading`
        and `verify` decide, which are stricter than fsck and ask nothing of either.

        `parts` is not known to libgit2: all comes, and False says so. Raises as
        `Git.fetch` does; objects that were refused are taken away again.
        """
        words.check_url(url)
        for refspec in refspecs:
            words.check_refspec(refspec)
        doing = f"fetch from {words.redact(url)}"
        mapped = [one.removeprefix("+").partition(":") for one in refspecs]
        has_parts = "parts" if parts or self.has_parts() else ""
        sources = [source for source, _, _ in mapped]
        done = self._transfer(doing, ("fetch", url, has_parts, *sources))
        found = _refs(_answer(done, doing, url))
        for refspec, (source, _, target) in zip(refspecs, mapped, strict=True):
            for ref, oid in found.items():
                if words.matches(ref, source):
                    below = ref.removeprefix(source.removesuffix("*"))
                    here = target.removesuffix("*") + below
                    self._follow(here, oid, forced=refspec.startswith("+"))
        return False

    def _follow(self, ref: str, oid: str, *, forced: bool) -> None:
        old = self._refs.read(ref) if not forced else None
        if old is not None and not self.is_ancestor(old, oid):
            raise failed(f"move {ref}", "fatal: it does not contain its former value")
        self._refs.put(ref, oid)

    def fetch_objects(self, url: str, oids: Sequence[str]) -> None:
        """Refuse: libgit2 asks for no object by name.

        Raises:
            SurroundingsError: `koinii/no-git`.
        """
        self.need_program(f"fetch {len(oids)} files by name from {words.redact(url)}")

    def _send(
        self, doing: str, url: str, oid: str, ref: str, expected_old: str | None
    ) -> tuple[words.Pushed | None, Done]:
        done = self._transfer(doing, ("push", url, oid, ref, expected_old or ""))
        answer = _answer(done, doing, url)
        flag, reason = str(answer["flag"]), str(answer["reason"])
        return words.Pushed(flag, reason, reason), done._replace(
            words=f"{done.words}\n{reason}".strip()
        )

    def is_ancestor(self, old: str, new: str) -> bool:
        """Tell whether commit `new` contains `old`; False where one is missing."""
        words.check_oid(old)
        words.check_oid(new)
        return self._graph().is_ancestor(old, new)

    def update_ref(self, ref: str, new: str, old: str | None) -> None:
        """Move an own ref from `old` (None: not there yet) to `new`, or refuse."""
        self._check_here(ref, new)
        self._refs.move(ref, new, old)

    def restore_ref(self, ref: str, oid: str) -> None:
        """Set an own ref whatever it holds, a torn file included."""
        self._check_here(ref, oid)
        self._refs.put(ref, oid)

    def delete_ref(self, ref: str) -> None:
        """Take an own ref away; no change where it is not there."""
        self._refs.delete(ref)

    def faults(self) -> str:
        """Return what is wrong with the refs and objects, '' for nothing.

        Every object is read and hashed again; O(repository).
        """
        doing = "check the objects"
        parts = "parts" if self.has_parts() else ""
        found = _answer(self._transfer(doing, ("faults", parts)), doing)["faults"]
        return words.redact("; ".join(map(str, found)))  # type: ignore[call-overload]

    def repack_when(self, count: int) -> bool:
        """Join packs where there are `count` or more; True where it was done.

        Parts stay as they are: only git keeps apart what was left out on purpose.
        """
        packs = sum(1 for _ in self.directory.glob("objects/pack/pack-*.pack"))
        if packs < count or self.has_parts():
            return False
        self._join("repack")
        return True

    def prune(self) -> None:
        """Drop every object that no ref needs; call it under the seat's lock."""
        if not self.has_parts():
            self._join("prune")

    def _join(self, verb: str) -> None:
        doing = "join packs"
        _answer(self._transfer(doing, (verb,)), doing)

    def _check_here(self, ref: str, oid: str) -> None:
        """Refuse to let a ref name what is not here, as git does."""
        words.check_oid(oid)
        self._refs.check()
        if not self._graph().has(oid):
            raise failed(f"move {ref}", f"fatal: bad object {oid}")

    def _graph(self) -> Graph:
        from koinii.remote.object_graph import (  # noqa: PLC0415 - pygit2, 67 ms
            Graph,
        )

        return Graph(self.directory)


def _answer(done: Done, doing: str, url: str = "") -> Mapping[str, object]:
    """Return what the child answered, or raise what it means that it failed."""
    if not done.code:
        answer: Mapping[str, object] = json.loads(done.out)
        return answer
    error = failed(doing, done.words, url=url, code=done.code)
    raise _told_for_libgit(error)


def _told_for_libgit(error: KoiniiError) -> KoiniiError:
    """Return the error with the next step that helps where there is no git."""
    hints = {"koinii/credentials": _LOGIN, "koinii/host-key": _HOST_KEY}
    error.hint = hints.get(error.code, error.hint)
    return error


def _refs(answer: Mapping[str, object]) -> dict[str, str]:
    found = answer["refs"]
    if not isinstance(found, dict):
        raise AssertionError("an answer without refs")  # noqa: TRY004 - a fault of ours
    return {str(ref): str(oid) for ref, oid in found.items()}
