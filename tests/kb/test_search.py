"""Text search finds what a reader of every sentence finds, index or no index."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import monotonic
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from koinii.errors import (
    KoiniiError,
    SurroundingsError,
    UsageError,
    VerificationError,
)
from koinii.kb import vocabulary, words
from koinii.kb.searching import FEW, Hits, search, take_in
from koinii.seat.layout import Layout
from koinii.seat.seat import Seat
from koinii.store import database, meta
from koinii.store import search as store
from koinii.store.database import LOCK_WAIT_SECONDS
from koinii.store.lock import WriterLock
from koinii.store.sentexes import SHIPPED
from koinii.terms import Symbol, Term, read, write
from reference import search_twin as twin
from seat.made import copy_of_two, fast_directory, open_seat
from strategies import facts, names, sentences, strings

# Words, pieces of words, and what a query language would take for an operator.
PIECES = (
    "Ann", "ann", "ANN", "é", "Café", "CAFE", "cafe\u0301", "Cluster", "ProdCluster",
    "prod_cluster", "HTTPServer2", "http", "2", "set/x", "日本", "ß", "ss", "SS", "İ",
    "ﬁ", "कि", "क", "ǅ", "Ⅷ", "x", "?x", "likes", "usesDatabase", "NEAR", "OR", "AND",
    "NOT", '"', "'", "*", "-", "^", "(", ")", "{", "}", ":", "+", "words:x", "\0", ";",
)  # fmt: skip
OPERATORS = (
    "x OR nothing", "x AND NEAR", "NOT x", "x NOT y", "NEAR(x y)", "NEAR(x y, 5)", "x*",
    "*", "no*", "-x", "x -y", "+x", "^x", "words:x", "words : x", "{words}: x",
    "-words:x",
    '"', 'x"', '"x', '"x y"', '"x" OR "nothing"', '""', "'", "';--",
    "'; DROP TABLE sentex;",
    "x + y", "(x", "x)", "(x OR y) AND z", "\\", "%", "_", "x\0y", "?", "?1", ":most",
    "@x", "x,y", "rank MATCH 'bm25'", "searched", "-", "--", "x y z OR",
)  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(" ".join)


@pytest.fixture
def seat() -> Iterator[Seat]:
    folder = Path(tempfile.mkdtemp(dir=fast_directory()))
    with open_seat(copy_of_two(folder)) as opened:
        yield opened
    shutil.rmtree(folder)


def found(hits: Hits) -> list[str]:
    return [write(one.sentence) for one in hits.found]


def clusters(*numbers: int) -> list[str]:
    return [f"(uses Cluster{at} Postgres)" for at in numbers]


# The same as a naive twin --------------------------------------------------------


class Searched(RuleBasedStateMachine):
    """A seat that changes, and searches, with or without its index."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=fast_directory()))

    @initialize()
    def begin(self) -> None:
        self.path = copy_of_two(self.folder)
        self.seat = open_seat(self.path)

    @rule(
        texts=st.lists(TEXT, min_size=1, max_size=4),
        context=st.sampled_from(["CxAtlas", "CxBoreas"]),
    )
    def say(self, texts: list[str], context: str) -> None:
        agent = context.replace("Cx", "Agent")
        self.seat.edit(
            add=[
                (Symbol("said"), normalize("NFC", text.replace("\0", "")))
                for text in texts
            ],
            context=context,
            agent=agent,
        )

    @rule(name=names().filter(lambda one: "?" not in one and "_" not in one))
    def name(self, name: str) -> None:
        try:
            self.seat.assert_((Symbol("likes"), Symbol(name)))
        except KoiniiError:
            return

    @rule(position=st.sampled_from(["last", "first"]))
    def take_back(self, position: str) -> None:
        """The newest row's id is given out again; an older one's is not."""
        said = sorted(self.seat.believed("CxAtlas"))
        if said:
            self.seat.retract(said[-1 if position == "last" else 0].locator)

    @rule()
    def take_in(self) -> None:
        take_in(self.seat.kb, self.seat.database)
        assert not index(self.seat).has_fresh(0)

    @rule()
    def undo(self) -> None:
        with pytest.raises(ZeroDivisionError), self.seat.database.write():
            for one in list(self.seat.believed("CxAtlas")):
                self.seat.retract(one.locator)
            self.seat.assert_("(undone Ann Cluster)")
            raise ZeroDivisionError

    @rule()
    def reopen(self) -> None:
        self.seat.close()
        self.seat = open_seat(self.path)

    @rule(text=TEXT, context=st.sampled_from([None, "CxAtlas"]))
    def search(self, text: str, context: str | None) -> None:
        if not twin.words(text):
            with pytest.raises(UsageError, match="no word"):
                self.seat.search(text)
            return
        believed = [(one.locator, one.sentence) for one in self.seat.believed(context)]
        hits = self.seat.search(text, context=context, scope="exact", limit=None)
        assert [one.locator for one in hits.found] == twin.search(text, believed)
        assert (hits.more, hits.unsearched) == (False, 0)

    @invariant()
    def a_few_words_are_found(self) -> None:
        for text in ("ann", "cluster", "x", "2"):
            self.search(text, None)

    def teardown(self) -> None:
        self.seat.close()
        shutil.rmtree(self.folder)


Searched.TestCase.settings = settings(max_examples=25, stateful_step_count=12)
TestSearched = Searched.TestCase


def index(seat: Seat) -> store.WordIndex:
    return store.WordIndex(seat.database.connection, words.READING)


@given(st.one_of(sentences(), facts(), strings()))
def test_the_words_of_a_sentence_are_those_of_the_twin(sentence: Term) -> None:
    assert words.words_of(sentence) == twin.words_in(sentence)


@given(st.text())
def test_any_text_is_words_and_what_separates_them(text: str) -> None:
    read_words = words.words(text)
    assert set(read_words) == twin.words(text)
    assert words.words(" ".join(read_words)) == read_words
    assert words.words(text.upper().lower()) == words.words(text.upper())


# What a word is ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "symbol", "is_in"),
    [
        ("cluster", "ProdCluster", True),
        ("PRODCLUSTER", "ProdCluster", True),
        ("prod cluster", "ProdCluster", True),
        ("clust", "ProdCluster", False),
        ("prodclust", "ProdCluster", False),
        ("cluster*", "ProdCluster", True),
        ("clust*", "ProdCluster", False),
        ("cluster", "prod_cluster7", True),
        ("7 cluster7", "prod_cluster7", True),
        ("server http https", "HTTPServer", False),
        ("server http", "HTTPServer", True),
        ("ecole", "GrandeÉcole", True),
        ("école", "grande-Ecole", True),
        ("STRASSE", "Straße", True),
        ("और", "और", True),
    ],
)
def test_a_symbol_is_found_by_its_parts(
    seat: Seat, text: str, symbol: str, *, is_in: bool
) -> None:
    seat.assert_((Symbol("likes"), Symbol(symbol)))
    assert len(seat.search(text).found) == is_in
    take_in(seat.kb, seat.database)
    assert len(seat.search(text).found) == is_in


def test_numbers_and_variables_are_no_words() -> None:
    sentence = read('(p 42 ?var ?Cluster :key 1.5 true nil "a 7" (q (r B)))')
    assert words.words_of(sentence) == {"p", "a", "7", "q", "r", "b"}


# Hostile words -------------------------------------------------------------------


@pytest.mark.parametrize("text", OPERATORS)
def test_an_operator_is_text(seat: Seat, text: str) -> None:
    said = ["x y z", "x", "near x and y or z not most 1 5", "or drop table sentex"]
    seat.edit(add=[(Symbol("said"), one) for one in said])
    claims = [(one.locator, one.sentence) for one in seat.believed()]
    for _ in range(2):
        if twin.words(text):
            hits = seat.search(text)
            assert [one.locator for one in hits.found] == twin.search(text, claims)
        else:
            with pytest.raises(UsageError) as caught:
                seat.search(text)
            assert caught.value.code == "koinii/no-words"
            assert "koinii search" in caught.value.hint
        take_in(seat.kb, seat.database)


@pytest.mark.parametrize("text", ["", " ", "\n", "😀", "«»", "…", "\u200b", "()"])
def test_a_text_without_words_is_refused(seat: Seat, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        seat.search(text)
    assert (caught.value.code, caught.value.exit_code) == ("koinii/no-words", 2)


def test_very_many_and_very_long_words(seat: Seat) -> None:
    many = " ".join(f"w{at}" for at in range(5000))
    seat.edit(add=[(Symbol("said"), many), (Symbol("said"), "a" * 40_000)])
    take_in(seat.kb, seat.database)
    assert len(seat.search(many).found) == 1
    assert seat.search(f"{many} missing").found == []
    assert len(seat.search("A" * 40_000).found) == 1
    assert seat.search("a" * 39_999).found == []


# What is shown -------------------------------------------------------------------


def test_a_limit_says_that_there_is_more(seat: Seat) -> None:
    seat.load(clusters(*range(150)))
    everything = seat.search("cluster", limit=None)
    assert (len(everything.found), everything.more) == (150, False)
    for limit in (0, 1, 100, 149):
        hits = seat.search("cluster", limit=limit)
        assert (hits.found, hits.more) == (everything.found[:limit], True)
    assert seat.search("cluster", limit=150) == everything
    assert len(seat.search("cluster").found) == 100


def test_scopes_are_those_of_ask(seat: Seat) -> None:
    seat.new_channel("CxDeploy")
    seat.join("CxDeploy")
    seat.edit(add=["(q Word One)"])
    seat.edit(add=["(q Word Three)"], context="CxDeploy")
    seat.edit(add=["(q Word Elsewhere)"], agent="AgentBoreas")
    for scope in ("cone", "exact", "any"):
        for context in (None, "CxDeploy", "CxAtlas", "CxNowhere"):
            rows = seat.ask("(q Word ?x)", context=context, scope=scope)
            asked = sorted(f"(q Word {write(row['?x'])})" for row in rows)
            for _ in range(2):
                hits = seat.search("word", context=context, scope=scope)
                assert sorted(found(hits)) == asked
                take_in(seat.kb, seat.database)
    with pytest.raises(UsageError, match="no such scope"):
        seat.search("word", context="CxAtlas", scope="wide")


def test_what_is_masked_is_left_out(seat: Seat) -> None:
    seat.load(clusters(1, 2, 3))
    masked = seat.search("cluster2").found[0]
    seat.assert_(f'(except (sentexHandle "{masked.locator}"))')
    for _ in range(2):
        hits = seat.search("cluster", context="CxAtlas", limit=1)
        assert (len(hits.found), hits.more) == (1, True)
        assert masked not in seat.search("cluster", context="CxAtlas").found
        assert masked in seat.search("cluster", scope="any").found
        take_in(seat.kb, seat.database)


@pytest.mark.parametrize("label", [0, 4, 16, SHIPPED | 1])
def test_only_claims_that_are_believed_are_found(seat: Seat, label: int) -> None:
    seat.load(clusters(1, 2))
    gone = seat.kb.find_prefix(seat.search("cluster2").found[0].locator[7:])[0]
    for build in (False, True):
        if build:
            take_in(seat.kb, seat.database)
        for bits, count in ((label, 1), (1, 2)):
            with seat.database.write() as connection:
                connection.execute(
                    "UPDATE sentex SET label = ? WHERE id = ?", (bits, gone.id)
                )
            assert len(seat.search("cluster").found) == count


# What leaves ---------------------------------------------------------------------


def test_an_id_that_is_given_out_again_has_its_own_words(seat: Seat) -> None:
    seat.assert_("(uses Alpha Postgres)")
    old = seat.assert_("(uses Beta Postgres)")
    take_in(seat.kb, seat.database)
    number = seat.search("beta").found[0].id
    seat.retract(old)
    assert seat.search("beta").found == []
    seat.assert_("(uses Gamma Postgres)")
    for _ in range(2):
        assert [one.id for one in seat.search("gamma postgres").found] == [number]
        assert seat.search("beta").found == []
        assert len(seat.search("postgres").found) == 2
        take_in(seat.kb, seat.database)
    rows = seat.database.connection.execute("SELECT words FROM searched")
    assert not any("beta" in row for (row,) in rows)


def test_an_emptied_seat_is_filled_again(seat: Seat) -> None:
    """Filling drops indexes, and ids begin anew."""
    seat.load(clusters(*range(10)))
    take_in(seat.kb, seat.database)
    for one in list(seat.believed()):
        seat.retract(one.locator)
    seat.load(f"(uses Server{at} Redis)" for at in (1, 1, 2))
    for _ in range(2):
        assert seat.search("cluster").found == []
        assert len(seat.search("server redis").found) == 2
        take_in(seat.kb, seat.database)


def test_leaving_is_noted_only_for_what_is_in_the_index(seat: Seat) -> None:
    connection = seat.database.connection
    seat.retract(seat.assert_("(p A)"))
    assert tables(connection) == set()
    seat.retract(seat.assert_("(p A)"))
    seat.load(clusters(1))
    take_in(seat.kb, seat.database)
    seat.retract(seat.assert_("(p A)"))
    assert connection.execute("SELECT count(*) FROM search_gone").fetchone() == (0,)


def tables(connection: sqlite3.Connection) -> set[str]:
    rows = connection.execute(
        "SELECT name FROM sqlite_schema WHERE name LIKE 'search%'"
    )
    return {name for (name,) in rows}


def test_a_dropped_index_leaves_nothing(seat: Seat) -> None:
    seat.load(clusters(1, 2))
    take_in(seat.kb, seat.database)
    assert tables(seat.database.connection)
    with seat.database.write():
        index(seat).drop()
    assert tables(seat.database.connection) == set()
    assert len(seat.search("cluster").found) == 2


def test_an_index_made_by_another_unicode_counts_as_none(seat: Seat) -> None:
    seat.load(clusters(1, 2))
    take_in(seat.kb, seat.database)
    with seat.database.write() as connection:
        meta.put(connection, "searched by", "0")
        connection.execute("UPDATE searched SET words = 'other'")
    assert not index(seat).is_built()
    for _ in range(2):
        assert len(seat.search("cluster").found) == 2
        assert seat.search("other").found == []
        take_in(seat.kb, seat.database)
    assert index(seat).is_built()


def test_an_index_that_lies_finds_nothing_wrong(seat: Seat) -> None:
    seat.load(clusters(1, 2))
    take_in(seat.kb, seat.database)
    with seat.database.write() as connection:
        connection.execute("UPDATE searched SET words = words || ' other'")
    assert seat.search("other").found == []


@pytest.mark.parametrize("is_indexed", [False, True])
def test_an_altered_row_is_an_error(seat: Seat, *, is_indexed: bool) -> None:
    seat.load(clusters(1, 2))
    if is_indexed:
        take_in(seat.kb, seat.database)
    with seat.database.write() as connection:
        connection.execute("UPDATE sentex SET body = (SELECT body FROM sentex LIMIT 1)")
    with pytest.raises(VerificationError) as caught:
        seat.search("cluster")
    assert caught.value.code == "koinii/row-altered"


# Reading, and when the index is written ------------------------------------------


def test_a_search_writes_only_when_there_is_much_to_read(seat: Seat) -> None:
    seat.load(clusters(*range(FEW - len(vocabulary.sentences()))))
    before = checksums(seat)
    assert seat.search("cluster7").unsearched == 0
    assert checksums(seat) == before
    seat.load(clusters(*range(FEW, FEW + 20)))
    assert len(seat.search("cluster7").found) == 1
    assert not index(seat).has_fresh(0)


def checksums(seat: Seat) -> dict[str, str]:
    state = Path(seat.layout.store).parent
    return {
        one.name: sha256(one.read_bytes()).hexdigest()
        for one in state.iterdir()
        if one.is_file() and not one.name.endswith("-shm")
    }


def read_only(seat: Seat) -> Seat:
    path = seat.layout.store
    connection = database._opened(path, writable=False)
    return Seat(
        Layout(seat.layout.directory), database.Database(connection, None, path)
    )


def test_a_read_only_seat_is_searched_without_an_index(seat: Seat) -> None:
    """Also beyond it, and where what was indexed has left since."""
    seat.load(clusters(*range(FEW + 50)))
    for _ in range(2):
        with read_only(seat) as reader:
            assert len(reader.search("postgres", limit=None).found) == FEW + 50
            assert found(reader.search("cluster17")) == clusters(17)
            assert not reader.database.writable
        assert seat.search("cluster17").found
    seat.retract(seat.search("cluster17").found[0].locator)
    seat.load(clusters(FEW + 60))
    with read_only(seat) as reader:
        assert reader.search("cluster17").found == []
        assert len(reader.search("postgres", limit=None).found) == FEW + 50


def test_what_was_not_searched_is_counted(seat: Seat) -> None:
    seat.load(clusters(*range(50)))
    with closing(read_only(seat)) as reader:
        hits = search(reader.kb, reader.database, "postgres", many=20)
        assert (len(hits.found), hits.more, hits.unsearched) == (20, False, 30)
        whole = search(reader.kb, reader.database, "postgres", many=50)
        assert (len(whole.found), whole.unsearched) == (50, 0)
        elsewhere = search(
            reader.kb, reader.database, "postgres", context="CxBoreas", many=20
        )
        assert elsewhere == Hits([], False, 0)  # noqa: FBT003 - of a named tuple


def test_a_busy_seat_is_searched_at_once(seat: Seat) -> None:
    seat.load(clusters(*range(FEW + 50)))
    lock = WriterLock(seat.layout.store + ".lock", wait_seconds=0)
    lock.acquire()
    begun = monotonic()
    try:
        assert found(seat.search("cluster17")) == clusters(17)
        assert monotonic() - begun < LOCK_WAIT_SECONDS / 2
    finally:
        lock.release()
    assert not index(seat).is_built()


def test_inside_a_write_what_it_wrote_is_found(seat: Seat) -> None:
    with seat.database.write():
        seat.load(clusters(1))
        assert found(seat.search("cluster1")) == clusters(1)


def test_without_fts5_it_says_how(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MODULE", "fts0")
    with pytest.raises(SurroundingsError) as caught:
        seat.search("cluster")
    assert (caught.value.code, caught.value.exit_code) == ("koinii/no-fts", 5)
    assert "Python" in caught.value.hint


# Cost ----------------------------------------------------------------------------

SMALL, LARGE, MORE = 600, 6_000, 200


@pytest.fixture(scope="module")
def sizes() -> Iterator[tuple[Seat, Seat]]:
    folder = Path(tempfile.mkdtemp(dir=fast_directory()))
    opened = []
    for size in (SMALL, LARGE):
        one = open_seat(copy_of_two(folder / str(size)))
        one.load(clusters(*range(size)))
        take_in(one.kb, one.database)
        opened.append(one)
    yield opened[0], opened[1]
    for one in opened:
        one.close()
    shutil.rmtree(folder)


def steps_of(seat: Seat, work: Callable[[Seat], object]) -> int:
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    seat.database.connection.set_progress_handler(count, 25)
    try:
        work(seat)
    finally:
        seat.database.connection.set_progress_handler(None, 25)
    return counted * 25


def grow(seat: Seat) -> None:
    seat.load(f"(more Thing{at} Other)" for at in range(MORE))


WORK: dict[str, Callable[[Seat], object]] = {
    "a rare word": lambda seat: seat.search("cluster9"),
    "the new ones": lambda seat: take_in(seat.kb, seat.database),
    "a word of the new ones": lambda seat: seat.search("thing"),
    "a retraction": lambda seat: seat.retract(seat.search("thing3").found[0].locator),
    "what has left": lambda seat: take_in(seat.kb, seat.database),
}


def test_cost_follows_what_is_new_or_found(sizes: tuple[Seat, Seat]) -> None:
    for seat in sizes:
        grow(seat)
    for name, work in WORK.items():
        small, large = (steps_of(seat, work) for seat in sizes)
        assert small <= large * 1.3 + 100, name
        assert large <= small * 1.3 + 100, name
    small, large = (
        steps_of(seat, lambda seat: seat.search("postgres")) for seat in sizes
    )
    assert large > 5 * small
