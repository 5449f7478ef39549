"""The seat: one directory's knowledge, authors, history and settings.

An aggregate of parts; each verb's work is in the file of its name. One `Seat`
serves one thread; several processes may hold the same seat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import EnvironmentError_, NotFoundError, UsageError
from koinii.kb.base import KnowledgeBase, Sentex, Verdict
from koinii.seat import clock
from koinii.seat.config import Config, read_config
from koinii.seat.layout import Layout
from koinii.seat.speaking import (
    EditReport,
    LoadReport,
    Speaker,
    parse,
)
from koinii.store import meta
from koinii.store.database import Database, open_store
from koinii.store.files import Files
from koinii.store.histories import Histories
from koinii.terms.canonical import canonical
from koinii.terms.locator import Locator, locate, parse_prefix
from koinii.terms.term import Symbol
from koinii.trust.boundary import World, world_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

    from koinii.kb.query import Bindings
    from koinii.seat.committing import Commit
    from koinii.seat.markers import Marker, Resolution
    from koinii.seat.reporting import Agent, Claim, Held, Peer, Status
    from koinii.terms.term import Term

SHORTEST_PREFIX = 8  # hex digits of a locator


class Seat:
    """An open seat."""

    def __init__(
        self,
        layout: Layout,
        database: Database,
        config: Config,
        now: Callable[[], int] = clock.now_ms,
    ) -> None:
        self.layout = layout
        self.config = config
        self.now = now
        self.database = database
        self.kb = KnowledgeBase(database)
        self.histories = Histories(database.connection)
        self.files = Files(database.connection)
        identity = meta.get(database.connection, "seat")
        assert isinstance(identity, str)  # noqa: S101 - made with the store
        self.id = identity
        self._world: tuple[int, World] | None = None

    def close(self) -> None:
        """Close the store."""
        self.database.close()

    def __enter__(self) -> Seat:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Saying ------------------------------------------------------------------

    def speaker(self, agent: str | None = None) -> Speaker:
        """Return one of this seat's agents, by default the one in `seat.toml`.

        Raises:
            NotFoundError: `koinii/unknown-agent`: it has no key at this seat.
        """
        name = agent or self.config.agent
        if self.histories.agent(name, self.id) is None:
            raise NotFoundError(
                f"{name} is no agent of this seat",
                code="koinii/unknown-agent",
                hint=f"koinii agent new {name}",
                agent=name,
            )
        return Speaker(self, name)

    def assert_(
        self,
        sentence: str | Term,
        *,
        context: str | None = None,
        agent: str | None = None,
        strength: str | None = None,
    ) -> Locator:
        """Put a sentence forward, durably; return its locator.

        It stands in the agent's own context unless another is given; edges and
        channel declarations stand in CxUniverse.
        """
        return self.speaker(agent).assert_(parse(sentence), context, strength)

    def retract(self, locator: str, *, agent: str | None = None) -> Locator:
        """Withdraw an agent's own assertion; return the whole locator."""
        return self.speaker(agent).retract(locator)

    def edit(
        self,
        *,
        add: Iterable[str | Term] = (),
        remove: Iterable[str] = (),
        context: str | None = None,
        agent: str | None = None,
    ) -> EditReport:
        """Add, then remove, in one transaction that lands whole or not at all."""
        return self.speaker(agent).edit(map(parse, add), remove, context)

    def load(
        self,
        lines: Iterable[str],
        *,
        context: str | None = None,
        agent: str | None = None,
        strength: str | None = None,
    ) -> LoadReport:
        """Put many sentences forward, one a line, in one transaction."""
        return self.speaker(agent).load(lines, context, strength)

    def new_channel(self, context: str, *, agent: str | None = None) -> Locator:
        """Declare a context as a channel, where agents meet."""
        sentence = (Symbol("channel"), Symbol(context))
        return self.speaker(agent).assert_(sentence, None, None)

    def join(self, channel: str, *, agent: str | None = None) -> list[Locator]:
        """Make a channel see what the agent says, and the agent the acts (B.3.2)."""
        speaker = self.speaker(agent)
        edges = [
            (Symbol("genlCx"), Symbol(channel), Symbol(speaker.own_context)),
            (Symbol("genlCx"), Symbol(speaker.own_context), Symbol("CxSpeechActs")),
        ]
        return speaker.edit(edges, [], None).added

    # Asking ------------------------------------------------------------------

    def ask(
        self, pattern: str | Term, *, context: str | None = None, scope: str = "cone"
    ) -> Iterator[Bindings]:
        """Yield the distinct bindings that make a query hold, as a stream.

        Without a context every context is read.
        """
        return self.kb.ask(parse(pattern), context, scope)

    def argue(self, sentence: str | Term, context: str) -> Verdict:
        """Weigh a ground sentence against its negation, as a context sees both."""
        return self.kb.argue(parse(sentence), context)

    def believed(self, context: str | None = None) -> Iterator[Sentex]:
        """Yield what is believed, in one context or everywhere."""
        return self.kb.believed(context)

    # Naming ------------------------------------------------------------------

    def locate(self, sentence: str | Term, context: str) -> Locator:
        """Return the locator a sentence has in a context, stored or not."""
        return locate(Symbol(context), canonical(parse(sentence)))

    def resolve(self, locator: str, *, held: bool = False) -> bytes:
        """Return the digest of a stored locator or of an unambiguous prefix.

        `held` also finds lines that are stored and not applied.

        Raises:
            NotFoundError: `koinii/unknown-locator`.
            UsageError: `koinii/ambiguous-locator`, with the candidates.
        """
        prefix = parse_prefix(locator)
        found = {sentex.digest for sentex in self.kb.find_prefix(prefix)}
        if held:
            found |= self._held_digests(prefix)
        if not found:
            raise NotFoundError(
                f"nothing here has the locator {locator}",
                code="koinii/unknown-locator",
                hint="koinii pull, if another seat has it",
                locator=locator,
            )
        if len(found) > 1:
            raise self._ambiguous(locator, sorted(found))
        return found.pop()

    def _held_digests(self, prefix: str) -> set[bytes]:
        rows = self.kb.assertions.held()
        return {row[2] for row in rows if row[2].hex().startswith(prefix)}

    def _ambiguous(self, locator: str, digests: list[bytes]) -> UsageError:
        candidates = [f"sha256:{digest.hex()}" for digest in digests]
        return UsageError(
            f"{locator} begins {len(digests)} locators: {', '.join(candidates)}",
            code="koinii/ambiguous-locator",
            hint="give more digits",
            candidates=candidates,
        )

    def marker(self, locator: str) -> Marker:
        """Return an untrusted reference to a stored sentex, to be carried by hand."""
        from koinii.seat.markers import make_marker  # noqa: PLC0415 - off the hot path

        return make_marker(self, locator)

    def dereference(self, marker: object) -> Resolution:
        """Look a marker up among what this seat itself holds; never raises."""
        from koinii.seat.markers import dereference  # noqa: PLC0415 - off the hot path

        return dereference(self, marker)

    # Committing --------------------------------------------------------------

    def commit(self) -> Commit | None:
        """Record what is believed in the signed history; None if nothing moved."""
        from koinii.seat.committing import commit  # noqa: PLC0415 - loads cryptography

        return commit(self)

    def status(self) -> Status:
        """Return where this seat stands."""
        from koinii.seat.reporting import status  # noqa: PLC0415 - off the hot path

        return status(self)

    def log(self, limit: int | None = None) -> list[Commit]:
        """Return this seat's commits, the newest first."""
        from koinii.seat.reporting import log  # noqa: PLC0415 - off the hot path

        return log(self, limit)

    def show(self, what: str) -> Commit | Claim:
        """Return one commit by its number, or one claim by its locator."""
        from koinii.seat import reporting  # noqa: PLC0415 - off the hot path

        if what.isdecimal() and len(what) < SHORTEST_PREFIX:
            return reporting.show_commit(self, int(what))
        return reporting.show_claim(self, what)

    def held(self) -> list[Held]:
        """Return the lines that are stored and not applied, with their reasons."""
        from koinii.seat.reporting import held  # noqa: PLC0415 - off the hot path

        return held(self)

    def agents(self) -> list[Agent]:
        """Return every agent known here, by name and seat."""
        from koinii.seat.reporting import agents  # noqa: PLC0415 - off the hot path

        return agents(self)

    def peers(self) -> list[Peer]:
        """Return every other seat seen, with its newest head."""
        from koinii.seat.reporting import peers  # noqa: PLC0415 - off the hot path

        return peers(self)

    def channels(self) -> list[str]:
        """Return the declared channels, sorted."""
        pattern = (Symbol("channel"), Symbol("?c"))
        rows = self.kb.ask(pattern, "CxUniverse", "exact")
        return sorted(str(row["?c"]) for row in rows)

    def prove(
        self, locator: str, *, kind: str = "inclusion", form: str = "json"
    ) -> str:
        """Return a proof document about the newest commit.

        Kinds `inclusion`, `absence` and `attribution`; forms `json` and, for the
        first two, `tlog`.
        """
        from koinii.seat.proving import prove  # noqa: PLC0415 - loads cryptography

        return prove(self, locator, kind, form)

    # What decisions rest on --------------------------------------------------

    def world(self) -> World:
        """Return what the write boundary reads: who is introduced here."""
        version = meta.data_version(self.database.connection)
        if self._world is None or self._world[0] != version:
            agents = {row.name for row in self.histories.agents()}
            self._world = (version, world_of(agents))
        return self._world[1]

    def forget_world(self) -> None:
        """Read the introductions again; this seat has just changed them."""
        self._world = None

    def drop_held(self, author: int, digest: bytes) -> bool:
        """Withdraw an own line that is stored and not applied."""
        rows = [
            row
            for row in self.kb.assertions.held()
            if row[0] == author and row[2] == digest
        ]
        self.kb.assertions.release([(row[0], row[1], row[2]) for row in rows])
        self.kb.assertions.note_changes(
            [(author, context, digest, leaf) for _, context, _, leaf, _, _ in rows]
        )
        return bool(rows)


def open_parts(directory: str) -> tuple[Layout, Database, Config]:
    """Open what a `Seat` is made of.

    Raises:
        EnvironmentError_: `koinii/no-seat`, or what is wrong with its parts.
    """
    layout = Layout(directory)
    if not layout.is_seat():
        raise EnvironmentError_(
            f"{directory} is no seat",
            code="koinii/no-seat",
            hint="koinii init --as AgentYou makes one there",
            path=directory,
        )
    return layout, open_store(layout.store), read_config(layout.config)
