"""The engine under the deeds of a game, at the level of its base.

What the boundary decides is the twin's to say: the lines that it applies and no
longer holds, or the other way round, are handed over; everything that follows
from them is the engine's.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from functools import cache
from pathlib import Path

from kb.engine_game import INTRODUCED, LOCAL, Deed, Game, Merged, Said, TakenBack, do
from kb.engine_moves import HERE, Introduce, Trust
from koinii.kb.base import KnowledgeBase
from koinii.kb.claim import STRENGTHS, wrapper_bits
from koinii.kb.contexts import belief_context, own_context
from koinii.kb.writing import Said as Line
from koinii.store import meta
from koinii.store.database import Database, create, open_store
from koinii.store.histories import AgentRow, Histories
from koinii.terms import write
from koinii.terms.canonical import wrap
from reference.encoding_twin import locator
from reference.engine_frame_twin import Assertion
from reference.engine_seat_twin import line_of
from seat.made import fast_directory

Lines = dict[tuple[str, str, str, bytes], Assertion]
NAMES = {"inert": "inertRule", "default": "defaultRule"}


class Driver:
    """One base in a file of its own."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(dir=fast_directory()))
        shutil.copy(_template(), self.directory / "store.db")
        self.database = open_store(str(self.directory / "store.db"))
        self.kb = KnowledgeBase(self.database)

    def close(self) -> None:
        self.database.close()
        shutil.rmtree(self.directory)

    def reopen(self) -> None:
        """Another process: nothing is remembered."""
        self.database.close()
        self.database = open_store(str(self.directory / "store.db"))
        self.kb = KnowledgeBase(self.database)

    @property
    def connection(self) -> sqlite3.Connection:
        return self.database.connection

    # Deeds -----------------------------------------------------------------------

    def play(self, game: Game, deed: Deed) -> None:
        """Let the twin do a deed, and do it here; then move what it holds."""
        before = applied(game)
        do(game.twin, deed)
        after = applied(game)
        with self.kb.write():
            self._do(deed, before, after)
            if isinstance(deed, Trust | Introduce):
                self._review(before, after)

    def _do(self, deed: Deed, before: Lines, after: Lines) -> None:
        if isinstance(deed, Said):
            self.put(deed.line, replace=False)
        elif isinstance(deed, TakenBack):
            self.drop((deed.agent, HERE), [deed.locator])
        elif isinstance(deed, Merged):
            self.merge(before, after, deed)
        elif isinstance(deed, Trust):
            author = self.kb.names.make_author(deed.agent, deed.seat)
            self.kb.set_standing(author, arbiter=deed.arbiter, moderator=deed.moderator)
        else:
            introduce(self.database, deed.agent)
            self.kb.own({own_context(deed.agent), belief_context(deed.agent)})

    def _review(self, before: Lines, after: Lines) -> None:
        """Move lines to held and back as the twin's boundary decided."""
        for line, one in before.items():
            if line not in after:
                author = self.kb.names.make_author(*one.author)
                self.kb.set_aside(author, [digest(one)])
        for line, one in after.items():
            if line not in before:
                self.put(one, replace=True)

    def put(self, one: Assertion, *, replace: bool) -> None:
        names = tuple(NAMES[name] for name in one.wrappers)
        said = Line(
            one.context,
            one.sentence,
            write(wrap(one.sentence, names)),
            STRENGTHS.index(one.strength),
            1,
            None,
            wrapper_bits(names),
        )
        author = self.kb.names.make_author(one.agent, one.seat)
        self.kb.put(author, [said], replace=replace, journal=False)

    def drop(self, author: tuple[str, str], locators: list[str]) -> None:
        number = self.kb.names.make_author(*author)
        digests = [bytes.fromhex(one[7:]) for one in locators]
        self.kb.drop(number, digests, journal=False)

    def merge(self, before: Lines, after: Lines, deed: Merged) -> None:
        """Additions, then withdrawals, of the other seat's applied lines."""
        said = {line_of(one): one for one in deed.lines}
        for line, one in said.items():
            if line in after:
                self.put(one, replace=True)
        for line, one in before.items():
            if one.seat == deed.seat and line not in said:
                self.drop(one.author, [locator(one.context, one.sentence)])


def applied(game: Game) -> Lines:
    """The lines that the twin applies."""
    return {line_of(one): one for one in game.twin.world().assertions}


def digest(one: Assertion) -> bytes:
    return bytes.fromhex(locator(one.context, one.sentence)[7:])


def introduce(database: Database, agent: str) -> None:
    histories = Histories(database.connection)
    histories.put_agent(AgentRow(agent, HERE, b"", ""))
    histories.weigh(agent, HERE, "", owns=True)


@cache
def _template() -> Path:
    path = Path(tempfile.mkdtemp(dir=fast_directory())) / "store.db"
    database = create(str(path))
    kb = KnowledgeBase(database)
    with kb.write() as connection:
        meta.put(connection, "seat", HERE)
        for agent in INTRODUCED:
            introduce(database, agent)
        for context in LOCAL:
            kb.structure.rows.make_local(kb.names.make_context(context))
        kb.structure.forget()
    database.close()
    return path
