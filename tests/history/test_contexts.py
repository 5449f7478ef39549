"""An author's contexts have one spelling, and it is what its root is over."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import KoiniiError, VerificationError
from koinii.history.contexts import ContextSet, read_contexts, write_contexts
from koinii.history.paths import quote
from koinii.history.roots import author_tree
from reference.rfc6962 import defined_root


def can_be_published(name: str) -> bool:
    try:
        quote(name)
    except KoiniiError:
        return False
    return True


NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]),
    min_size=1,
    max_size=12,
).filter(can_be_published) | st.sampled_from(
    ["Cx", "CxA", "CxA-", "CxAB", "CxÄ", "ns/C"]
)
SIZES = st.integers(1, 10**15 - 1)
ROOTS = st.binary(min_size=32, max_size=32)
SETS = st.dictionaries(NAMES, st.tuples(SIZES, ROOTS), max_size=6).map(
    lambda rows: [(name, *row) for name, row in rows.items()]
)


@given(SETS)
def test_reading_what_was_written_gives_the_contexts(rows: list[ContextSet]) -> None:
    data = write_contexts(rows)
    assert sorted(read_contexts(data)) == sorted(rows)
    assert write_contexts(read_contexts(data)) == data
    assert write_contexts(reversed(rows)) == data, "whatever their order"


@given(SETS)
def test_the_lines_are_the_leaves_of_the_authored_root(rows: list[ContextSet]) -> None:
    """Formats, section 3: the root over the sorted `<Context> <size> <root hex>`."""
    data = write_contexts(rows)
    lines = data.split(b"\n")[:-1]
    assert lines == sorted(lines)
    assert author_tree(read_contexts(data)).root == defined_root(lines)


@given(SETS.filter(bool), st.data())
def test_any_other_bytes_are_refused_or_are_other_contexts(
    rows: list[ContextSet], data: st.DataObject
) -> None:
    """A byte changed, put in or left out never reads as what it was before."""
    good = write_contexts(rows)
    at = data.draw(st.integers(0, len(good) - 1))
    byte = data.draw(st.binary(max_size=2))
    gone = data.draw(st.integers(0, 2))
    other = good[:at] + byte + good[at + gone :]
    try:
        read = read_contexts(other)
    except VerificationError as error:
        assert error.code == "koinii/bad-contexts"
        assert other != good
        return
    assert write_contexts(read) == other, "there is one spelling"
    assert (sorted(read) == sorted(rows)) == (other == good)


@given(
    st.binary(max_size=90)
    | st.text("Cx0123456789abcdef \n", max_size=90).map(str.encode)
)
def test_whatever_comes_is_read_as_written_or_refused(data: bytes) -> None:
    try:
        assert write_contexts(read_contexts(data)) == data
    except VerificationError as error:
        assert error.code == "koinii/bad-contexts"


TOP = sha256(b"").hexdigest()
GOOD = f"CxA 1 {TOP}\nCxB 2 {TOP}\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"CxB 2 {TOP}\nCxA 1 {TOP}\n", 2),
        (f"CxA 1 {TOP}\nCxA 1 {TOP}\n", 2),
        (f"CxA 1 {TOP}\nCxA 2 {TOP}\n", 2),
        (f"CxA 0 {TOP}\n", 1),
        (f"CxA 01 {TOP}\n", 1),
        (f"CxA -1 {TOP}\n", 1),
        (f"CxA +1 {TOP}\n", 1),
        (f"CxA \u0661 {TOP}\n", 1),
        (f"CxA {10**15} {TOP}\n", 1),
        (f"CxA 1 {TOP.upper()}\n", 1),
        (f"CxA 1 {TOP[:-1]}\n", 1),
        (f"CxA 1 {TOP}0\n", 1),
        (f"CxA 1 {TOP} \n", 1),
        (f"CxA  1 {TOP}\n", 1),
        (f" CxA 1 {TOP}\n", 1),
        (f"CxA 1 {TOP}\r\n", 1),
        (f".hidden 1 {TOP}\n", 1),
        (f"{'C' * 201} 1 {TOP}\n", 1),
        (GOOD[:-1], 2),
        (GOOD + "\n", 3),
        ("\n", 1),
        (f"\n{GOOD}", 1),
    ],
)  # fmt: skip
def test_what_is_refused_is_named_by_its_line(text: str, line: int) -> None:
    assert [row[:2] for row in read_contexts(GOOD.encode())] == [("CxA", 1), ("CxB", 2)]
    with pytest.raises(VerificationError) as caught:
        read_contexts(text.encode())
    assert (caught.value.code, caught.value.details["line"]) == (
        "koinii/bad-contexts",
        line,
    )


def test_nothing_is_the_empty_file() -> None:
    assert write_contexts([]) == b""
    assert read_contexts(b"") == []
