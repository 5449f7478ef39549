"""A remote that is a directory, read and written without git and without a server.

Nothing of libgit2's own transport is used for these: it runs no checks of ours on
what it takes, refuses all of a repository for one ref that it cannot read, and does
not compare the ref that it writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pygit2

from koinii.errors import KoiniiError
from koinii.remote.git_words import SHALLOW, matches
from koinii.remote.hub_rules import is_hidden, is_shallow, refusal, share
from koinii.remote.libgit_access import Refused
from koinii.remote.object_graph import Graph
from koinii.remote.pack_files import write_objects
from koinii.remote.ref_files import RefFiles


class Folder:
    """A repository of somebody in a directory.

    Raises:
        pygit2.GitError: it is none, or another user's.
    """

    def __init__(self, path: str) -> None:
        if not Path(path).exists():
            raise Refused(f"'{path}' does not exist")
        self._repository = pygit2.Repository(path)
        self._directory = Path(self._repository.path)
        self._refs = RefFiles(self._directory)
        self._graph = Graph(self._directory, self._repository.odb)

    def shown(self, patterns: Sequence[str]) -> dict[str, str]:
        """Return the refs that match one of the patterns and are not hidden."""
        return {
            ref: oid
            for ref, oid in self._refs.below("refs").items()
            if any(matches(ref, one) for one in patterns)
            and not is_hidden(self._repository, ref, "uploadpack")
        }

    def bring(self, own: Path, tips: Iterable[str], whole: frozenset[str]) -> None:
        """Take what tips need into our own repository, once all of it is seen.

        Raises:
            VerificationError: not all is there, or not as git would take it.
        """
        if is_shallow(self._repository):
            raise Refused(SHALLOW)
        write_objects(self._repository, own, self._graph.new(tips, whole))

    def take(
        self, own: pygit2.Repository, ref: str, new: str, old: str | None
    ) -> tuple[str, str]:
        """Write a ref here with what it needs; return a flag and a reason as git."""
        found = self._refs.read(ref)
        if found == new:
            return "=", ""
        if found != old:
            return "!", "stale info"
        ours = Graph(Path(own.path))
        forced = old is not None and not ours.is_ancestor(old, new)
        if reason := refusal(self._repository, ref, forced=forced):
            return "!", reason
        share(self._repository)
        there = frozenset(self._refs.below("refs").values())
        known = frozenset(one for one in there if ours.has(one) and self._has(one))
        write_objects(own, self._directory, ours.new([new], known))
        try:
            self._refs.move(ref, new, old)
        except KoiniiError as fault:
            stale = fault.code == "koinii/ref-moved"
            return "!", "stale info" if stale else _reason(fault)
        return " ", ""

    def _has(self, oid: str) -> bool:
        return self._graph.has(oid)


def _reason(fault: KoiniiError) -> str:
    return str(fault.details.get("words") or fault.message)
