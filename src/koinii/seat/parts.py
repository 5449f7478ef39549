"""What a seat is made of, and the look-ups that every verb shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from koinii.errors import NotFoundError, SurroundingsError, UsageError
from koinii.kb.base import KnowledgeBase
from koinii.seat import clock
from koinii.seat.layout import Layout, without_settings
from koinii.seat.watching import unwatched
from koinii.store import meta
from koinii.store.database import Database, open_store
from koinii.store.files import Files
from koinii.store.heads import Heads
from koinii.store.histories import Histories
from koinii.terms.locator import parse_prefix
from koinii.trust.standing import COOPERATIVE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from koinii.kb.base import Sentex
    from koinii.kb.operation import Writing
    from koinii.seat.config import Config
    from koinii.seat.watching import Watch
    from koinii.seat.weighing import Weighing
    from koinii.trust.boundary import World
    from koinii.trust.standing import Standing

WHOLE = 64  # hex digits of a locator
_OF_STORE = ("database", "kb", "histories", "heads", "files")
LATEST = 10**16 - 1  # ms; the claim line holds sixteen digits


class Parts:
    """An open seat without its verbs: settings, store, base, history, files."""

    home: Path | None = None  # where things outside are; None: the environment says

    def __init__(
        self,
        layout: Layout,
        database: Database,
        now: Callable[[], int] = clock.now_ms,
    ) -> None:
        self.layout = layout
        self._clock = now
        self.progress: Watch = unwatched
        self.is_rehearsing = False  # what is written is undone: key files stay
        self.notices: list[str] = []  # what went wrong beside what was asked for
        self.tell_now: Callable[[str], None] = self.notices.append  # while one waits
        self.database = database
        self.kb = KnowledgeBase(database, self.now, [self._recount])
        self.histories = Histories(database.connection)
        self.heads = Heads(database.connection)
        self.files = Files(database.connection)
        identity = meta.get(database.connection, "seat")
        assert isinstance(identity, str)  # noqa: S101 - made with the store
        self.id = identity
        self._config: Config | None = None
        self._is_aligned = False
        self._world: tuple[int, World] | None = None
        self._weighing: tuple[int, Weighing] | None = None
        database.undone.append(self.forget_weighing)

    def now(self) -> int:
        """Return the time in milliseconds, as claims and records carry it.

        Raises:
            SurroundingsError: `koinii/clock`: it is not one that can be written.
        """
        time: object = self._clock()
        if not isinstance(time, int) or not 0 <= time <= LATEST:
            raise SurroundingsError(
                f"the clock says {time!r}, which is no time a claim can carry",
                code="koinii/clock",
                hint="set the clock; times are milliseconds since 1970",
            )
        return time

    @property
    def config(self) -> Config:
        """What `seat.toml` says, read when first asked for."""
        from koinii.seat.config import read_config  # noqa: PLC0415 - `ask` needs none

        if self._config is None:
            self._config = read_config(self.layout.config)
        return self._config

    def forget_config(self) -> None:
        """Read `seat.toml` again; this seat has just changed it."""
        self._config = None
        self._is_aligned = False

    def close(self) -> None:
        """Close the store; from then on only `id`, `layout` and `config` are there."""
        if "database" in vars(self):
            self.database.close()
            for name in _OF_STORE:
                delattr(self, name)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name not in _OF_STORE:
                kind = type(self).__name__
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            raise UsageError(
                f"the seat in {self.layout.directory} was closed",
                code="koinii/closed",
                hint=f"koinii.open({self.layout.directory!r})",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def resolve(self, locator: str, *, held: bool = False) -> bytes:
        """Return the digest of a stored locator or of an unambiguous prefix.

        `held` also finds lines that are stored and not applied.

        Raises:
            NotFoundError: `koinii/unknown-locator`.
            UsageError: `koinii/ambiguous-locator`, with the candidates.
        """
        prefix = parse_prefix(locator)
        found = {sentex.digest for sentex in self._stored(prefix)}
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

    def _stored(self, prefix: str) -> list[Sentex]:
        if len(prefix) < WHOLE:
            return self.kb.find_prefix(prefix)
        one = self.kb.find(bytes.fromhex(prefix))
        return [] if one is None else [one]

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

    # What decisions rest on --------------------------------------------------

    def world(self) -> World:
        """Return what the write boundary reads: whose contexts are, and standing."""
        from koinii.trust.boundary import world_of  # noqa: PLC0415 - `ask` needs none

        version = meta.data_version(self.database.connection)
        if self._world is None or self._world[0] != version:
            agents = self.kb.structure.rows.agents()
            self._world = (version, world_of(agents, self._standing()))
        return self._world[1]

    def _standing(self) -> dict[str, Standing] | None:
        """Return every agent's standing where it is granted, else None."""
        from koinii.seat.modes import mode_of  # noqa: PLC0415 - off the hot path

        if mode_of(self.database.connection) == COOPERATIVE:
            return None
        counting = self.weighing().counting
        return {agent: counting.standing(agent) for agent in counting.grants}

    def weighing(self) -> Weighing:
        """Return who is known here and how they are weighed; O(agents known)."""
        from koinii.seat.weighing import weigh_all  # noqa: PLC0415 - off the hot path

        version = meta.data_version(self.database.connection)
        if self._weighing is None or self._weighing[0] != version:
            self._weighing = (
                version,
                weigh_all(self.database.connection, self.histories),
            )
        return self._weighing[1]

    def forget_world(self) -> None:
        """Read whose contexts are, and standing, again; this seat changed them."""
        self._world = None

    def forget_weighing(self) -> None:
        """Read statements and decisions again; this seat has just changed them."""
        self._world = self._weighing = None
        self._is_aligned = False

    # What counts have ruled ---------------------------------------------------

    def _recount(self, writing: Writing) -> None:
        """Take tallies again at the end of an operation, where it has moved one."""

    def drop_held(self, author: int, digest: bytes) -> bool:
        """Withdraw an own line that is stored and not applied."""
        rows = [
            row
            for row in self.kb.assertions.held()
            if row[0] == author and row[2] == digest
        ]
        self.kb.assertions.release([(row[0], row[1], row[2]) for row in rows])
        self.kb.writing.writer.journal(
            author, [(context, digest, leaf) for _, context, _, leaf, _, _ in rows]
        )
        return bool(rows)


def open_parts(directory: str) -> tuple[Layout, Database]:
    """Open what a `Seat` is made of.

    Raises:
        SurroundingsError: `koinii/no-seat`, `koinii/no-settings`, or what is wrong
            with its parts.
    """
    layout = Layout(directory)
    if layout.lacks_settings():
        raise without_settings(layout)
    if not layout.is_seat():
        raise SurroundingsError(
            f"{directory} is no seat",
            code="koinii/no-seat",
            hint="koinii init --as AgentYou makes one there",
            path=directory,
        )
    return layout, open_store(layout.store)
