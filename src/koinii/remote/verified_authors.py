"""The authors of a fetched seat, each checked alone.

An author's files have to be those the manifest lists, introduced and signed by
its key, and signed for the newest commit that binds a set of it. Whoever fails
is refused, and the others are not held up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from koinii.errors import KoiniiError
from koinii.history.contexts import MAX_CONTEXTS, ContextSet, read_contexts
from koinii.history.manifest import ENTRIES, Listed
from koinii.history.record import AuthoredRoot
from koinii.history.roots import agents_root, author_tree
from koinii.history.segments import MAX_READ, parse_path
from koinii.note import parse_note
from koinii.remote.chains import Applied, check_chains
from koinii.remote.fetched import FetchedSeat, bad, naming
from koinii.remote.reading import ABSENT
from koinii.remote.verified_history import (
    History,
    bound_sets,
    record_of,
)
from koinii.trust.names import ADMIN, check_agent
from koinii.trust.presence import Presence, check_grown, open_presence
from koinii.trust.statements import Authored, open_authored, parse_statement

MAX_STATEMENTS = 4 << 20  # bytes of all that the agents of a seat have signed

Numbers: TypeAlias = Mapping[str, int]  # agent → commit of the set applied here


class VerifiedAgent(NamedTuple):
    """One author: who it is, and the set it signed (None: it has said nothing)."""

    name: str
    presence: Presence
    statements: str
    authored: Authored | None
    statement: str
    contexts: list[ContextSet]  # what the authored root is over
    segments: dict[str, list[tuple[str, str]]]  # context → (path, sha256)


class RefusedAgent(NamedTuple):
    """An author whose files do not prove what they claim."""

    name: str
    path: str
    reason: str


class Paths(NamedTuple):
    """The files of one author: those that are there, and those that are listed."""

    there: list[str]
    listed: list[str]


class Author:
    """Checks the files of one author."""

    def __init__(
        self,
        fetched: FetchedSeat,
        name: str,
        listed: Mapping[str, Listed],
        paths: Paths,
    ) -> None:
        self._fetched = fetched
        self._name = name
        self._listed = listed
        self._paths = paths
        self._statements = f"agents/{name}/statements"
        self._signature = f"agents/{name}/authored"
        self._contexts = f"agents/{name}/contexts"

    def verify(self, history: History, before: str | None) -> VerifiedAgent:
        """Return the author; `before` is the file of its statements seen before."""
        self._check_files()
        if self._name != ADMIN:
            check_agent(self._name)
        presence, statements = self._presented(before)
        if self._signature not in self._fetched.files:
            if any(path != self._statements for path in self._paths.there):
                raise bad(self._signature, "there are claims and no signature")
            return VerifiedAgent(self._name, presence, statements, None, "", [], {})
        authored, statement = self._signed(presence)
        self._bound(history, authored)
        return VerifiedAgent(
            self._name, presence, statements, authored, statement,
            self._contexts_of(authored), self._segments(),
        )  # fmt: skip

    def _check_files(self) -> None:
        """Check that the files are those listed, with their sizes, within bounds."""
        there, listed = self._paths
        for path in sorted(set(listed).symmetric_difference(there)):
            if path not in self._listed or self._fetched.wants(path):
                raise bad(path, "it is not both listed and there")
        for path in there:
            size = self._fetched.files[path].size
            if size not in (self._listed[path].size, ABSENT):
                raise bad(path, "its size is not the one listed")
            if size > MAX_READ:
                raise bad(path, f"it has {size} bytes, above {MAX_READ}")

    def _presented(self, before: str | None) -> tuple[Presence, str]:
        path = self._statements
        if path not in self._listed:
            raise bad(path, "the agent has not introduced itself")
        body = self._fetched.listed_body(path, self._listed)
        with naming(path):
            presence = open_presence(body, self._name, self._fetched.seat)
            if before is not None:
                check_grown(before, body)
        return presence, body.decode()

    def _signed(self, presence: Presence) -> tuple[Authored, str]:
        """Return the newest set as the key signed it that signs at its commit."""
        path = self._signature
        body = self._fetched.listed_body(path, self._listed)
        with naming(path):
            claimed = parse_statement(parse_note(body).claimed_text)
            number = claimed.number if isinstance(claimed, Authored) else 0
            authored = open_authored(body, presence.key_at(number))
        if (authored.agent, authored.seat) != (self._name, self._fetched.seat):
            raise bad(path, "it is signed for another agent or seat")
        return authored, body.decode()

    def _bound(self, history: History, authored: Authored) -> None:
        """Check that the record of that commit names this set."""
        record = record_of(self._fetched, history.leaves, authored.number)
        entry = record.agents.get(self._name)
        if entry != AuthoredRoot(authored.key_hash, authored.root, authored.size):
            raise bad(
                self._signature, f"commit {authored.number} does not bind this set"
            )

    def _contexts_of(self, authored: Authored) -> list[ContextSet]:
        """Return the author's contexts, which have to come to the signed root."""
        path = self._contexts
        if path not in self._listed:
            raise bad(path, "it is missing")
        if self._listed[path].size > MAX_CONTEXTS:
            raise bad(path, f"it has more than {MAX_CONTEXTS} bytes")
        with naming(path):
            rows = read_contexts(self._fetched.listed_body(path, self._listed))
        size = sum(row[1] for row in rows)
        if (author_tree(rows).root, size) != (authored.root, authored.size):
            raise bad(path, "they are not those that were signed")
        return rows

    def _segments(self) -> dict[str, list[tuple[str, str]]]:
        segments: dict[str, list[tuple[str, str]]] = {}
        for path in self._paths.there:
            if path not in (self._statements, self._signature, self._contexts):
                with naming(path):
                    context = parse_path(path).context
                segments.setdefault(context, []).append(
                    (path, self._listed[path].sha256)
                )
        return segments


def verify_authors(
    fetched: FetchedSeat,
    history: History,
    listed: Mapping[str, Listed],
    statements: Mapping[str, str],
    known: Mapping[str, Applied],
) -> tuple[list[VerifiedAgent], list[RefusedAgent]]:
    """Check every author that the ref shows or the history binds.

    Raises:
        VerificationError: the history binds sets that are not its own.
    """
    agents: list[VerifiedAgent] = []
    refused: dict[str, RefusedAgent] = {}
    room = MAX_STATEMENTS
    for name, paths in _homes(fetched, listed).items():
        try:
            room -= _size_of(fetched, f"agents/{name}/statements", room)
            author = Author(fetched, name, listed, paths)
            agents.append(author.verify(history, statements.get(name)))
        except KoiniiError as error:
            path = str(error.details.get("path") or f"agents/{name}")
            refused[name] = RefusedAgent(name, path, error.message)
    sets = [one.authored for one in agents if one.authored is not None]
    for name, reason in check_chains(fetched, history, sets, known).items():
        path = f"agents/{name}/authored"
        refused[name] = RefusedAgent(name, path, f"{path}: {reason}")
    numbers = {name: one.number for name, one in known.items()}
    if refused or not _are_bound(agents, history, numbers):
        refused |= _not_bound(fetched, history, agents, refused)
        agents = [agent for agent in agents if agent.name not in refused]
    return agents, list(refused.values())


def _homes(fetched: FetchedSeat, listed: Mapping[str, Listed]) -> dict[str, Paths]:
    """Return the files of every author, by name; O(files)."""
    homes: dict[str, Paths] = {}
    for at, paths in enumerate((fetched.files, listed)):
        for path in sorted(paths):
            if path.startswith("agents/"):
                name = path.split("/")[1]
                homes.setdefault(name, Paths([], []))[at].append(path)
    return dict(sorted(homes.items()))


def _size_of(fetched: FetchedSeat, path: str, room: int) -> int:
    """Return how much a file takes of the room that all of its kind have."""
    size = fetched.files[path].size if path in fetched.files else 0
    if size > room:
        raise bad(
            path,
            f"with it the agents' statements are more than {MAX_STATEMENTS} bytes",
        )
    return size


def _are_bound(agents: list[VerifiedAgent], history: History, numbers: Numbers) -> bool:
    """Tell whether these are all sets that the newest record binds, the newest each.

    What the records seen before bind is taken from `numbers`.
    """
    newest = {**numbers, **history.bound}
    shown = {one.name: one.authored for one in agents if one.authored is not None}
    rows = [(name, one.key_hash, one.root, one.size) for name, one in shown.items()]
    return {name: one.number for name, one in shown.items()} == newest and (
        agents_root(rows) == history.newest.agents_root
    )


def _not_bound(
    fetched: FetchedSeat,
    history: History,
    agents: list[VerifiedAgent],
    refused: Mapping[str, RefusedAgent],
) -> dict[str, RefusedAgent]:
    """Compare each author with what the whole history binds; O(history)."""
    sets = bound_sets(fetched, history.leaves)
    if agents_root((n, *row) for n, (_, row) in sets.items()) != (
        history.newest.agents_root
    ):
        raise bad(ENTRIES, "the newest record does not bind the sets of the others")
    shown = {one.name: one.authored for one in agents}
    wrong = {}
    for name in (shown.keys() | sets.keys()) - refused.keys():
        path = f"agents/{name}/authored"
        authored = shown.get(name)
        number = None if authored is None else authored.number
        if number != (sets[name][0] if name in sets else None):
            reason = "it is not the newest set that the history binds"
            wrong[name] = RefusedAgent(name, path, f"{path}: {reason}")
    return wrong
