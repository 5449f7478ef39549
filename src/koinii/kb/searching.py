"""Searching what is believed for words.

The user's words are text, never a query language: each of their words has to
occur as a whole word of the sentence, and all else in them only separates. The
shortest sentences come first, being the most about what was asked, then by
locator: an order that depends on nothing but the sentences. Shipped vocabulary
is not searched.

A search reads. Only where more rows than `FEW` are not in the index, and nobody
else writes, it brings the index up to date first; otherwise it reads those rows
one by one, at most `MANY` of them, and says how many are left.
"""

from __future__ import annotations

from contextlib import closing, suppress
from heapq import merge
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import SurroundingsError, UsageError
from koinii.kb.rows import read_row
from koinii.kb.words import READING, words, words_of
from koinii.store.lock import holder_of
from koinii.store.search import WordIndex, require_fts5

if TYPE_CHECKING:
    from collections.abc import Iterator

    from koinii.kb.base import KnowledgeBase, Sentex
    from koinii.kb.reading import Place
    from koinii.store.database import Database
    from koinii.store.sentexes import Found

FEW = 2_000  # rows that are read faster than the index is written
MANY = 200_000  # rows that are read at most
CHUNK = 20_000  # rows taken into the index in one transaction


class Hits(NamedTuple):
    """What a search found.

    `more` tells that the limit left some out, `unsearched` how many sentences
    were not looked at: 0 but where a large seat has no index and cannot get it.
    """

    found: list[Sentex]
    more: bool
    unsearched: int


def search(
    kb: KnowledgeBase,
    database: Database,
    text: str,
    *,
    context: str | None = None,
    scope: str = "cone",
    limit: int | None = 100,
    many: int = MANY,
) -> Hits:
    """Return the believed sentences in which every word of a text occurs.

    Contexts are read as in `ask`, without what is masked there.

    Raises:
        UsageError: `koinii/no-words`: there is no letter or digit in the text.
        SurroundingsError: `koinii/no-fts`.
    """
    wanted = _wanted(text)
    require_fts5(database.connection)
    index = WordIndex(database.connection, READING)
    if index.has_fresh(FEW) and _may_write(database):
        with suppress(SurroundingsError):  # then without
            take_in(kb, database)
    with database.view():
        place = kb.place(context, scope)
        contexts = kb.reader.contexts(place)
        fresh = index.fresh(contexts, many)
        read = _matching(kb, fresh, wanted)
        with closing(index.hits(sorted(wanted), contexts)) as hits:
            found = _some(kb, merge(hits, read), wanted, limit, place)
        left = index.count_fresh(contexts) - many if len(fresh) == many else 0
    more = limit is not None and len(found) > limit
    return Hits(found[:limit], more, left)


def take_in(kb: KnowledgeBase, database: Database) -> None:
    """Bring the index up to date, in transactions that let others in between."""
    index = WordIndex(database.connection, READING)
    is_done = False
    while not is_done:
        with database.write():
            is_done = index.take_in(CHUNK, lambda row: sorted(_row_words(kb, row)))


def _wanted(text: str) -> frozenset[str]:
    wanted = frozenset(words(text))
    if not wanted:
        raise UsageError(
            f"there is no word in {text[:80]!r}: no letter and no digit",
            code="koinii/no-words",
            hint='koinii search cluster; for other marks: koinii ask "(?p ?x)"',
        )
    return wanted


def _may_write(database: Database) -> bool:
    """Tell whether the writer lock is to be had at once."""
    if not database.writable:
        return False
    try:
        return holder_of(database.path + ".lock") is None
    except OSError:
        return False


def _matching(
    kb: KnowledgeBase, rows: list[Found], wanted: frozenset[str]
) -> list[tuple[int, bytes, int]]:
    return sorted(
        (len(body), digest, number)
        for number, context, digest, body in rows
        if wanted <= _row_words(kb, (number, context, digest, body))
    )


def _row_words(kb: KnowledgeBase, row: Found) -> frozenset[str]:
    _, context, digest, body = row
    return words_of(read_row(kb.names.context(context), digest, body))


def _some(
    kb: KnowledgeBase,
    hits: Iterator[tuple[int, bytes, int]],
    wanted: frozenset[str],
    limit: int | None,
    place: Place,
) -> list[Sentex]:
    """Return the first sentences, and one more than the limit if there is one."""
    found: list[Sentex] = []
    for _, _, number in hits:
        sentex = kb.get(number)
        if wanted <= words_of(sentex.sentence) and kb.reader.is_seen(
            sentex.digest, place
        ):
            found.append(sentex)
        if limit is not None and len(found) > limit:
            break
    return found
