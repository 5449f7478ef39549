"""The process in which libgit2 runs: one verb, and its answer as JSON.

    python -m koinii.remote.libgit_child DIRECTORY SECONDS VERB ARGUMENT…

Whoever starts it bounds it (`remote.git`) as it bounds git, since libgit2 has no
bounds of its own and never ends on some damaged files. A failure is told as git tells
one, on the error output, with exit code 1.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pygit2
from pygit2.enums import ConfigLevel, FetchPrune, Option

from koinii.errors import KoiniiError, VerificationError
from koinii.remote import git_words as words
from koinii.remote.hub_rules import local_path
from koinii.remote.libgit_access import Access, Refused
from koinii.remote.object_graph import Graph
from koinii.remote.pack_files import drop_packs, join_packs, keep_only, packs_in
from koinii.remote.ref_files import RefFiles
from koinii.remote.remote_folder import Folder

# Large objects are not compared for deltas: a fifth of the time, and little memory.
_SETTINGS = Path(__file__).with_name("libgit_settings")
_FAULTS = (pygit2.GitError, KeyError, ValueError, OSError, MemoryError)
_SAID = 3  # faults that are named

Answer = dict[str, Any]
T = TypeVar("T")


def main(arguments: Sequence[str]) -> int:
    """Do one verb; returns 1 where it failed, after saying why."""
    directory, seconds, verb, *rest = arguments
    signal.signal(signal.SIGTERM, _end)  # in a callback, so that locks are dropped
    signal.alarm(int(seconds))  # where nobody is left to end us
    _surroundings()
    try:
        answer = _VERBS[verb](Path(directory), *rest)
    except VerificationError as fault:
        sys.stderr.write(f"\nfatal: fsck error: {fault.message}\n")
        return 1
    except KoiniiError as fault:
        said = fault.details.get("words") or fault.message
        sys.stderr.write(f"\nfatal: {said}\n")
        return 1
    except (Refused, *_FAULTS) as fault:
        sys.stderr.write(f"\nfatal: {str(fault) or type(fault).__name__}\n")
        return 1
    sys.stdout.write(json.dumps(answer))
    return 0


def _end(*_: object) -> NoReturn:
    sys.exit(1)


def _surroundings() -> None:
    """Set what is global in libgit2: durable writes, and the user's settings.

    Those of another file than usual (`GIT_CONFIG_GLOBAL`) libgit2 cannot be given.
    """
    paths = pygit2.settings.search_path
    paths[ConfigLevel.PROGRAMDATA] = str(_SETTINGS)
    pygit2.settings.enable_fsync_gitdir(True)  # noqa: FBT003 - the signature of pygit2
    if os.environ.get("GIT_CONFIG_NOSYSTEM"):
        paths[ConfigLevel.SYSTEM] = ""
    if "GIT_CONFIG_GLOBAL" in os.environ:
        for level in (ConfigLevel.GLOBAL, ConfigLevel.XDG):
            paths[level] = ""
    file, folder = (os.environ.get(f"GIT_SSL_CA{kind}") for kind in ("INFO", "PATH"))
    if file:
        pygit2.settings.ssl_cert_file = file
    if folder:
        pygit2.settings.ssl_cert_dir = folder


def _open(directory: Path) -> pygit2.Repository:
    """Open our own repository, whoever its owner is; a remote's owner counts."""
    pygit2.option(Option.SET_OWNER_VALIDATION, 0)
    repository = pygit2.Repository(str(directory))
    pygit2.option(Option.SET_OWNER_VALIDATION, 1)
    return repository


def _remote(repository: pygit2.Repository, url: str) -> pygit2.Remote:
    """Return a remote without a name; the user's `url.*.insteadOf` apply."""
    remote = repository.remotes.create_anonymous(url)
    kind, is_helper, _ = (remote.url or "").partition("/")[0].partition("::")
    if is_helper:
        raise Refused(f"transport '{kind}' not allowed")
    return remote


# What moves ----------------------------------------------------------------------


def _ls(_: Path, url: str, pattern: str) -> Answer:
    remote = _remote(pygit2.Repository(), url)
    path = local_path(remote.url or "")
    if path:
        return {"refs": Folder(path).shown([pattern])}
    return {"refs": _heads(remote, [pattern])}


def _heads(remote: pygit2.Remote, patterns: Sequence[str]) -> dict[str, str]:
    """Connect, and return the refs that match one of the patterns."""
    remote.connect(Access(remote.url or ""), proxy=True)
    return {
        head.name: str(head.oid)
        for head in remote.list_heads(connect=False)
        if head.name and any(words.matches(head.name, one) for one in patterns)
    }


def _heard(work: Callable[[bool], T]) -> T:
    """Do what a server may comment; pygit2 stumbles over words that are no UTF-8."""
    try:
        return work(True)  # noqa: FBT003 - it listens
    except UnicodeDecodeError:
        return work(False)  # noqa: FBT003


def _fetch(directory: Path, url: str, parts: str, *sources: str) -> Answer:
    """Bring what the sources need, checked; refs stay where they are.

    Packs of what was refused are taken away again: libgit2 asks a remote for nothing
    that it finds here, whether or not that is all.
    """
    repository, before = _open(directory), packs_in(directory)
    try:
        return {"refs": _bring(repository, url, sources, parts=bool(parts))}
    except (VerificationError, Refused, *_FAULTS) as fault:
        fresh = packs_in(directory) - before
        drop_packs(fresh)
        if fresh or parts or not isinstance(fault, VerificationError):
            raise
    _prune(directory)  # of an earlier fetch that was killed
    return {"refs": _bring(_open(directory), url, sources)}


def _bring(
    repository: pygit2.Repository,
    url: str,
    sources: Sequence[str],
    *,
    parts: bool = False,
) -> dict[str, str]:
    remote, directory = _remote(repository, url), Path(repository.path)
    path = local_path(remote.url or "")
    folder = Folder(path) if path else None
    found = folder.shown(sources) if folder else _heads(remote, sources)
    for one in sources:
        if not (one.endswith("/*") or one in found):
            raise Refused(f"couldn't find remote ref {one}")
    whole = frozenset(RefFiles(directory).below("refs").values())
    if folder:
        folder.bring(directory, found.values(), whole)
    elif found:
        _heard(partial(_take, repository, url, sorted(found)))
    (directory / "FETCH_HEAD").unlink(missing_ok=True)
    if (directory / "shallow").exists():
        (directory / "shallow").unlink()
        raise Refused(words.SHALLOW)
    Graph(directory).needed(found.values(), whole, parts=parts)
    return found


def _take(
    repository: pygit2.Repository,
    url: str,
    refs: list[str],
    listens: bool,  # noqa: FBT001 - bound before
) -> None:
    """Bring the packs; without a right side of their refspecs no ref moves."""
    remote, prune = _remote(repository, url), FetchPrune.NO_PRUNE
    calls = Access(remote.url or "", listens=listens)
    remote.fetch(refs, callbacks=calls, prune=prune, proxy=True)


class _Verdict(Exception):  # noqa: N818 - not always an error
    """What became of a pushed ref, as `git push --porcelain` flags it."""

    def __init__(self, flag: str, reason: str = "") -> None:
        super().__init__(reason)
        self.flag = flag


class _Pushing(Access):
    """A push of one ref from the value expected there, and what became of it."""

    def __init__(self, address: str, expected: str, *, listens: bool) -> None:
        super().__init__(address, listens=listens)
        self._expected = expected
        self.verdict: _Verdict | None = None

    def push_negotiation(self, updates: list[pygit2.remotes.PushUpdate]) -> None:
        """Compare what the remote shows with what is expected; nothing was sent."""
        for one in updates:
            if one.src == one.dst:
                raise _Verdict("=")
            if str(one.src) != self._expected:
                raise _Verdict("!", "stale info")

    def push_update_reference(self, refname: str, message: str | None) -> None:
        """Keep what the remote says; a refusal is told in no other way."""
        self.verdict = _Verdict("!", message) if message else _Verdict(" ")


def _push(directory: Path, url: str, oid: str, ref: str, expected: str) -> Answer:
    repository = _open(directory)

    def send(listens: bool) -> _Verdict | None:  # noqa: FBT001
        remote, old = _remote(repository, url), expected or words.ZERO
        calls = _Pushing(remote.push_url or remote.url or "", old, listens=listens)
        try:
            remote.push([f"+{oid}:{ref}"], calls, proxy=True)
        except _Verdict as verdict:
            return verdict
        return calls.verdict

    remote = _remote(repository, url)
    path = local_path(remote.push_url or remote.url or "")
    if path:
        flag, reason = Folder(path).take(repository, ref, oid, expected or None)
        return {"flag": flag, "reason": reason}
    verdict = _heard(send)
    if verdict is None:
        raise Refused(f"the remote did not say what became of {ref}")
    return {"flag": verdict.flag, "reason": str(verdict)}


# What stays here -------------------------------------------------------------------


def _repack(directory: Path) -> Answer:
    join_packs(_open(directory), directory)
    return {}


def _prune(directory: Path) -> Answer:
    tips = RefFiles(directory).below("refs").values()
    keep_only(_open(directory), directory, Graph(directory).needed(tips))
    return {}


def _faults(directory: Path, parts: str) -> Answer:
    """Read every object, and see that each ref has all it needs."""
    graph, refs = Graph(directory), RefFiles(directory)
    found = [f"{one} is torn" for one in refs.torn()]
    found += islice(graph.damaged(), _SAID)
    for ref, tip in refs.below("refs").items():
        try:
            graph.needed([tip], parts=bool(parts))
        except VerificationError as fault:
            found.append(f"{ref}: {fault.message}")
    return {"faults": found[:_SAID]}


_VERBS: Mapping[str, Callable[..., Answer]] = {
    "ls": _ls,
    "fetch": _fetch,
    "push": _push,
    "repack": _repack,
    "prune": _prune,
    "faults": _faults,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
