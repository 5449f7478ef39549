"""Segments merged as they are read, against a dictionary that has them all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.kb.line import read_line, write_line
from koinii.kb.writing import Said
from koinii.remote import changes
from koinii.remote.changes import _last_words, _opened

WORDS = [
    read_line("CxAnn", f"default {time} (likes Ann {what})")
    for what in ("Tea", "Milk", "Rain", "Snow")
    for time in (1, 2)
]
segments = st.lists(
    st.dictionaries(
        st.sampled_from([one.stored.digest for one in WORDS[::2] if one.stored]),
        st.sampled_from([None, *WORDS]),
    ),
    max_size=5,
)


@given(segments)
def test_the_last_word_on_each_counts(
    found: list[dict[bytes, Said | None]],
) -> None:
    """Each segment is sorted, and a later one has the last word."""
    streams = [
        iter([(digest, age, one[digest]) for digest in sorted(one)])
        for age, one in enumerate(found)
    ]
    last: dict[bytes, Said | None] = {}
    for one in found:
        last |= one
    assert list(_last_words(streams)) == sorted(last.items(), key=lambda pair: pair[0])


@given(st.sampled_from(WORDS))
def test_a_line_comes_back(said: Said) -> None:
    assert read_line("CxAnn", write_line(said)) == said


def test_a_large_file_is_read_from_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"one\ntwo\n" * 1_000
    found = []
    for most in (len(body), len(body) - 1):
        monkeypatch.setattr(changes, "IN_MEMORY", most)
        with _opened(body) as lines:
            found.append((lines.seekable() and hasattr(lines, "getvalue"), [*lines]))
    assert [kept for kept, _ in found] == [True, False]
    assert found[0][1] == found[1][1] == body.splitlines(keepends=True)
