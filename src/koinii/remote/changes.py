"""What an author's newest set changes here, read line by line.

The segments of a context that are not applied yet are merged by locator as they
are read, so each line is parsed once and none is kept. What the lines come to is
compared with what the author signed once they are in the base; until then they are
a part of a write that can be undone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, NamedTuple, TypeAlias

from koinii.errors import SurroundingsError
from koinii.history.manifest import Listed
from koinii.history.paths import quote
from koinii.history.segments import catch_up, folder_of, scan_segment
from koinii.kb.line import read_line
from koinii.kb.writing import Said
from koinii.merkle import EMPTY_ROOT
from koinii.merkle import root as tree_root
from koinii.remote.fetched import FetchedSeat, bad
from koinii.remote.verified_authors import VerifiedAgent
from koinii.seat.modes import selected
from koinii.seat.seat import Seat
from koinii.terms.locator import locator_of

DIGEST = 32  # bytes
IN_MEMORY = 8 << 20  # bytes of a file that is read from there
NO_LINES = 0, EMPTY_ROOT

Word: TypeAlias = tuple[bytes, Said | None]  # digest; None: it is gone
_Dated: TypeAlias = tuple[bytes, int, Said | None]  # the later of two counts


class Moved(NamedTuple):
    """A context whose files are others than those that are applied.

    With `anew`, what is here and not in the files to read is gone.
    """

    context: str
    files: list[str]  # to read, oldest first
    present: list[tuple[str, str]]  # (path, sha256) of all there are
    anew: bool


class Changes:
    """Reads one author's segments against what is applied of it here."""

    def __init__(
        self,
        seat: Seat,
        fetched: FetchedSeat,
        listed: Mapping[str, Listed],
        agent: VerifiedAgent,
        author: int,
    ) -> None:
        self._seat = seat
        self._fetched = fetched
        self._listed = listed
        self._agent = agent
        self._author = author
        self._selection = selected(seat.database.connection)
        rows = seat.kb.assertions.published(author)
        self._applied = {
            seat.kb.names.context(number): (size, root) for number, size, root in rows
        }

    def moved(self) -> list[Moved]:
        """Return the contexts in which something has moved."""
        gone = [
            context
            for context in self._applied.keys() - self._agent.segments.keys()
            if self._selection.takes(self._agent.name, context)
        ]
        return [*self._changed(), *(Moved(one, [], [], anew=True) for one in gone)]

    def _changed(self) -> Iterator[Moved]:
        for context, present in self._agent.segments.items():
            if not self._selection.takes(self._agent.name, context):
                continue
            folder = folder_of(self._agent.name, context)
            seen = self._seat.files.seen(self._author, folder)
            if set(present) != seen:
                plan = catch_up(seen, present)
                files = [path for path, _ in plan.files]
                yield Moved(context, files, present, anew=plan.refold)

    # Reading ----------------------------------------------------------------------

    def words(self, moved: Moved) -> Iterator[Word]:
        """Yield the last word on each locator of a context, by locator.

        Raises:
            VerificationError: a segment is not written as it has to be. What was
                yielded before is of no account then.
        """
        streams = [
            self._segment(moved.context, path, age)
            for age, path in enumerate(moved.files, start=1)
        ]
        if moved.anew:
            streams.insert(0, self._taken_back(moved.context))
        return _last_words(streams)

    def _taken_back(self, context: str) -> Iterator[_Dated]:
        """Yield all that is here as gone, older than any file."""
        digests = self._seat.kb.assertions.digests(self._author, self._place(context))
        every = b"".join(sorted(digests))
        del digests
        for start in range(0, len(every), DIGEST):
            yield every[start : start + DIGEST], 0, None

    def _segment(self, context: str, path: str, age: int) -> Iterator[_Dated]:
        reader = _Reader(context)
        with _opened(self._fetched.listed_body(path, self._listed)) as body:
            for locator, line in scan_segment(body, reader.locate, path):
                if line is None:
                    yield bytes.fromhex(locator[7:]), age, None
                else:
                    yield reader.digest, age, reader.said

    def _place(self, context: str) -> int:
        return self._seat.kb.names.make_context(context)

    # Comparing --------------------------------------------------------------------

    def check(self, removed: Mapping[str, list[bytes]]) -> None:
        """Compare what each context comes to with what its author signed.

        Its lines are in the base; `removed` are those that go, by context moved.

        Raises:
            VerificationError: they are not the set that was signed.
        """
        sets = dict(self._applied)
        for context, digests in removed.items():
            sets[context] = self._comes_to(self._place(context), digests)
        signed = {context: (size, root) for context, size, root in self._agent.contexts}
        for context in sets.keys() | signed.keys():
            is_taken = self._selection.takes(self._agent.name, context)
            if is_taken and sets.get(context, NO_LINES) != signed.get(
                context, NO_LINES
            ):
                raise bad(
                    f"agents/{quote(self._agent.name)}/authored",
                    "the claims are not the set that was signed",
                )

    def _comes_to(self, place: int, removed: list[bytes]) -> tuple[int, bytes]:
        """Return size and root of the lines in a context without some of them."""
        rows = self._seat.kb.assertions
        gone = frozenset(rows.leaves_of(self._author, place, removed))
        size = 0

        def leaves() -> Iterator[bytes]:
            nonlocal size
            for leaf in rows.line_leaves(self._author, place):
                if leaf not in gone:
                    size += 1
                    yield leaf

        root = tree_root(leaves())
        return size, root


def _opened(body: bytes) -> IO[bytes]:
    """Return a file's bytes to be read by lines; those of a large one lie on disk.

    Raises:
        SurroundingsError: `koinii/disk-full`.
    """
    if len(body) <= IN_MEMORY:
        return BytesIO(body)
    try:
        aside = TemporaryFile()  # noqa: SIM115 - whoever reads it closes it
        aside.write(body)
        aside.seek(0)
    except OSError as fault:
        raise SurroundingsError(
            f"there is no room for a temporary file: {fault.strerror}",
            code="koinii/disk-full",
            hint="free some space, or set TMPDIR to where there is more",
        ) from fault
    return aside


class _Reader:
    """Reads the lines of a context, and keeps the newest."""

    said: Said
    digest: bytes

    def __init__(self, context: str) -> None:
        self._context = context

    def locate(self, line: str) -> str:
        """Read a line and return its locator."""
        said = read_line(self._context, line)
        assert said.stored is not None  # noqa: S101 - it was just worked out
        self.said, self.digest = said, said.stored.digest
        return locator_of(self.digest)


def _last_words(streams: Sequence[Iterator[_Dated]]) -> Iterator[Word]:
    """Merge words by digest, the last on each alone."""
    if len(streams) == 1:
        yield from ((digest, said) for digest, _, said in streams[0])
        return
    newest: Word | None = None
    for digest, _, said in merge(*streams):
        if newest is not None and newest[0] != digest:
            yield newest
        newest = digest, said
    if newest is not None:
        yield newest
