"""An empty base that is filled ends as one into which the same is put."""

from collections.abc import Iterable
from pathlib import Path

import pytest

import koinii
from koinii.kb import vocabulary
from koinii.kb.claim import format_claim
from koinii.kb.line import read_line
from koinii.kb.writing import Said
from koinii.terms import write

TABLES = {
    "sentex": "context, functor, first, second, negative, label, digest, body",
    "leaf": "hash",
    "assertion": "author, context, strength, created, extras, leaf, wrappers",
}
LINES = [
    *(f"default {at} (likes Ann Thing{at})" for at in range(1, 40)),
    "monotonic 41 (not (likes Ann Rain))",
    "default 42 (likes Ann Rain)",
    "monotonic 43 (functional likes)",
    "default 44 (implies (likes ?var0 Thing7) (happy ?var0))",
    "default 45 (measured Site 1 2 3)",
]


def rows(seat: koinii.RemoteSeat) -> dict[str, list[tuple[object, ...]]]:
    ask = seat.database.connection.execute
    return {
        table: sorted(ask(f"SELECT {columns} FROM {table}").fetchall(), key=repr)
        for table, columns in TABLES.items()
    }


def put(seat: koinii.RemoteSeat, said: Iterable[Said], size: int) -> None:
    batch = list(said)
    parts = [batch[at : at + size] for at in range(0, len(batch), size)]
    with seat.kb.write():
        author = seat.kb.names.make_author("AgentAnn", "0" * 32)
        counts = list(seat.kb.put_many(author, parts, replace=True, journal=False))
        assert sum(one.new for one in counts) == len(batch)
        assert sum(one.already for one in counts) == 0


@pytest.mark.parametrize("size", [1, 7, 100])
def test_filled_and_put_are_equal(tmp_path: Path, size: int) -> None:
    said = [read_line("CxAnn", line) for line in LINES]
    found = []
    for name, before in (("filled", ()), ("put", LINES[:1])):
        with koinii.init(str(tmp_path / name), agent="AgentAtlas") as seat:
            assert seat.kb.sentexes.is_empty()
            rest = said
            if before:  # so it is not empty
                put(seat, said[:1], 1)
                rest = said[1:]
            put(seat, rest, size)
            found.append((rows(seat), seat.kb.root()))
    assert found[0] == found[1]


def test_what_is_shipped_is_asserted_once_more(tmp_path: Path) -> None:
    """The admin says in CxRegistry what the program ships there."""
    context, sentence = next(iter(vocabulary.sentences()))
    said = read_line(context, format_claim(1, 5, write(sentence), None))
    with koinii.init(str(tmp_path / "seat"), agent="AgentAtlas") as seat:
        before = rows(seat)
        put(seat, [said], 1)
        after = rows(seat)
        assert after["sentex"] == before["sentex"]
        assert len(after["assertion"]) == 1
        assert seat.kb.sentexes.ids([digest_of(said)])
        author = seat.kb.names.make_author("AgentAnn", "0" * 32)
        assert seat.kb.assertions.line(author, digest_of(said)) is not None


def digest_of(said: Said) -> bytes:
    assert said.stored is not None
    return said.stored.digest
