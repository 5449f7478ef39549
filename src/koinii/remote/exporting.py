"""Writing what is said here, and by whom, as a directory of text.

What is exported is what is applied: who says what, where, since when and how, with
what waits, is masked or is defeated among it, since each of these is what somebody
says; so are the lines of who called a count, whether they have effect here or not.
Left out are signatures, seats, held lines (they have no part in belief, and
which they are is a decision of this seat) and all that follows from the records:
labels, conclusions and their justifications, which whoever imports works out anew.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import RefusedError
from koinii.history.exported import (
    MAX_FILES,
    FileEntry,
    Meta,
    file_name,
    write_meta,
)
from koinii.kb.claim import parse_claim, stored_line
from koinii.kb.contexts import MAJORITY
from koinii.kb.rows import read_row
from koinii.kb.vocabulary import digests
from koinii.remote.export_folder import Folder, Nowhere, cannot_write, check_empty
from koinii.seat.committing import SEMANTICS
from koinii.seat.held import without_effect
from koinii.store import dumps
from koinii.store.dumps import DumpRow
from koinii.terms.encoder import encode
from koinii.trust.reasons import OF_COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.seat.seat import Seat

_TELL_EVERY = 10_000  # lines


class Exported(NamedTuple):
    """What an export holds; `held` lines of this seat are not in it."""

    directory: str
    files: int
    lines: int
    agents: list[str]
    commit: str
    size: int
    held: int


def export(seat: Seat, directory: str) -> Exported:
    """Write an export into a directory that is absent or empty, durably.

    Memory stays bounded; O(what is applied). What fails leaves nothing behind, and a
    process that is killed leaves no `meta`.

    Raises:
        RefusedError: `koinii/not-empty`; a context whose name is no name of a file.
        SurroundingsError: `koinii/cannot-write`.
    """
    folder = Folder(directory)
    try:
        return _export(seat, directory, folder)
    except OSError as error:
        folder.undo()
        raise cannot_write(directory, error) from error
    except BaseException:
        folder.undo()
        raise


def rehearse_export(seat: Seat, directory: str) -> Exported:
    """Say what an export would hold; nothing is written."""
    check_empty(directory)
    return _export(seat, directory, Nowhere())


def _export(seat: Seat, directory: str, target: Folder | Nowhere) -> Exported:
    with seat.kb.view():
        files: dict[str, FileEntry] = {}
        agents: Counter[str] = Counter()
        connection = seat.database.connection
        named = _contexts(seat)
        _check_count(len(named))
        for context, number in named:
            if context == MAJORITY:
                rows = _calls(seat, number)
            else:
                rows = dumps.rows_of(connection, number)
            counted = _File(seat, context, rows, agents)
            name = file_name(context)
            target.file(name, counted.parts())
            if counted.lines:
                files[name] = counted.entry()
        root, size = seat.kb.root()
        held = sum(row[5] not in OF_COUNTS for row in without_effect(seat))
    commit = f"sha256:{root.hex()}"
    meta = Meta(commit, size, SEMANTICS, _vocabulary(), agents, files)
    target.finish(write_meta(meta))
    return Exported(
        directory, len(files), meta.lines, sorted(agents), commit, size, held
    )


def _check_count(count: int) -> None:
    if count > MAX_FILES:
        raise RefusedError(
            f"{count} contexts are more than the {MAX_FILES} files of an export",
            code="koinii/too-many-contexts",
            hint="koinii push carries them all",
        )


def _vocabulary() -> dict[str, str]:
    return {context: digest.hex() for context, digest in digests().items()}


def _contexts(seat: Seat) -> list[tuple[str, int]]:
    """Return (name, id) of the contexts with lines to give away, by name."""
    named = dict(dumps.contexts(seat.database.connection))
    place = seat.kb.names.context_id(MAJORITY)
    if place is not None and [*_calls(seat, place)]:
        named[MAJORITY] = place
    return sorted(named.items())


def _calls(seat: Seat, place: int) -> Iterator[DumpRow]:
    """Yield the lines of those who called counts, in the place of what they ruled.

    What a count has ruled is the seat's own finding.
    """
    rows = []
    for author, _, digest, _, line, reason in seat.kb.assertions.held_at(place):
        if reason in OF_COUNTS:
            said, agent = parse_claim(line), seat.kb.names.author(author)[0]
            rows.append(
                DumpRow(
                    digest, agent, encode(said.sentence), said.strength, said.created,
                    said.extras, said.wrappers,
                )
            )  # fmt: skip
    yield from sorted(rows, key=lambda row: (row[:2], row.created, row.extras))


# Records ------------------------------------------------------------------------


class _File:
    """The records of one context, counted and hashed as they go by."""

    def __init__(
        self, seat: Seat, context: str, rows: Iterator[DumpRow], agents: Counter[str]
    ) -> None:
        self._seat = seat
        self._context = context
        self._rows = rows
        self._agents = agents
        self._hash = sha256()
        self._size = 0
        self.lines = 0

    def parts(self) -> Iterator[bytes]:
        """Yield the records; what was read is checked against its locator."""
        for (digest, agent), several in groupby(self._rows, lambda row: row[:2]):
            first, *more = several
            read_row(self._context, digest, first.body)  # refuses an altered row
            row = _as_one([first, *more]) if more else first
            line = stored_line(
                row.body, row.strength, row.created, row.extras, row.wrappers
            )
            data = f"{agent} {line}\n".encode()
            self._hash.update(data)
            self._size += len(data)
            self.lines += 1
            self._agents[agent] += 1
            yield data
            if self.lines % _TELL_EVERY == 0:
                self._seat.progress("exporting", _TELL_EVERY)

    def entry(self) -> FileEntry:
        """Return what `meta` says of it, once it has gone by."""
        return FileEntry(self.lines, self._hash.hexdigest(), self._size)


def _as_one(rows: list[DumpRow]) -> DumpRow:
    """Return what one agent says at several seats as one assertion of it.

    As where it says it again at one seat: the stronger, the earlier, a rule as it is
    least bound; the extras of the earliest that has any.
    """
    wrappers = rows[0].wrappers
    for row in rows:
        wrappers &= row.wrappers
    return rows[0]._replace(
        strength=max(row.strength for row in rows),
        created=min(row.created for row in rows),
        extras=next((row.extras for row in rows if row.extras is not None), None),
        wrappers=wrappers,
    )
