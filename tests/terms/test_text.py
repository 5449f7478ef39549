"""Reader and printer: one spelling per value, and a place for each refusal."""

import sys
from collections.abc import Iterator
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from koinii.errors import ReadError, RefusedError
from koinii.terms import Char, Decimal, Keyword, Ratio, Symbol, Term, read, write
from koinii.terms.reader import read_all, read_canonical
from koinii.terms.spelling import nfc
from koinii.terms.term import same
from strategies import facts, rules, terms

SPELLINGS: list[tuple[Term, str]] = [
    (None, "nil"),
    (True, "true"),
    (False, "false"),
    (0, "0"),
    (-17, "-17"),
    (2**70, "1180591620717411303424"),
    (1.0, "1.0"),
    (0.0, "0.0"),
    (1e16, "1e16"),
    (2.5e-07, "2.5e-07"),
    (-1.5, "-1.5"),
    (5e-324, "5e-324"),
    (Ratio(-22, 7), "-22/7"),
    (Decimal(15, 1), "1.5M"),
    (Decimal(100, 0), "100M"),
    (Decimal(-5, 3), "-0.005M"),
    (Decimal(0, 0), "0M"),
    ("", '""'),
    ('say "no"\\\n\t', '"say \\"no\\"\\\\\\n\\t"'),
    ("\r\x7f\x85\u2028\u2029\ufeff", '"\\u000d\\u007f\\u0085\\u2028\\u2029\\ufeff"'),
    ("日本 é 😀", '"日本 é 😀"'),
    (Char("a"), "\\a"),
    (Char("("), "\\("),
    (Char("\\"), "\\\\"),
    (Char("u"), "\\u"),
    (Char("😀"), "\\😀"),
    (Char(" "), "\\u0020"),
    (Char("\0"), "\\u0000"),
    (Keyword("true"), ":true"),
    (Keyword("red", "ns"), ":ns/red"),
    (Symbol("a"), "a"),
    (Symbol("Café"), "Café"),
    (Symbol("defaultRule", "set"), "set/defaultRule"),
    (Symbol("b/c", "a"), "a/b/c"),
    (Symbol("?x"), "?x"),
    (Symbol("-"), "-"),
    (Symbol("->"), "->"),
    ((), "()"),
    ((Symbol("p"), (Symbol("F"), "x"), 1), '(p (F "x") 1)'),
]
LENIENT = [
    (" ( a\n b\t[ c ]\r\n) ; and so on", "(a b (c))"),
    ("(a;one\n;two\nb)", "(a b)"),
    ("(a(b)c)", "(a (b) c)"),
    ("1.50", "1.5"),
    ("1e5", "100000.0"),
    ("1E+5", "100000.0"),
    ("-0.0", "0.0"),
    ("2/4", "1/2"),
    ("4/2", "2"),
    ("1.500M", "1.5M"),
    ("100.00M", "100M"),
    ("-0M", "0M"),
    ('"e\u0301"', '"é"'),
    ("Cafe\u0301", "Café"),
    ('"a\tb\nc"', '"a\\tb\\nc"'),
    ('"\\u00e9\\U0001F600"', '"é😀"'),
    ("\\u0041", "\\A"),
    ('"\u2028"', '"\\u2028"'),
]
REFUSED = [
    ("", 1, 1, "nothing to read"),
    (" ; only this", 1, 13, "nothing to read"),
    ("(a b", 1, 5, "1 list(s) not closed"),
    ("(a\n (b\n", 3, 1, "2 list(s) not closed"),
    (")", 1, 1, "closes no list"),
    ("(a]", 1, 3, "where ) should"),
    ("(a b))", 1, 6, "more follows"),
    ("a b", 1, 3, "more follows"),
    ('(p "abc', 1, 4, "not closed"),
    ('(p "a\n\\', 1, 4, "not closed"),
    ('"a"b', 1, 4, "a space is missing"),
    ('"\\q"', 1, 2, "no such escape"),
    ('"a\n\\r"', 2, 1, "no such escape"),
    ('"\\ud83d\\ude00"', 1, 2, "U+D83D is no character"),
    ('"\\U00110000"', 1, 2, "U+110000 is no character"),
    ('"\\u0000"', 1, 1, "NUL"),
    ('"ab\x00"', 1, 4, "U+0000 bare"),
    ('"ab\x1b"', 1, 4, "U+001B bare"),
    ('"\x85"', 1, 2, "U+0085 bare"),
    ('"\ud800"', 1, 1, "surrogate"),
    ("\ud800", 1, 1, "U+D800 cannot stand here"),
    ("a\x00", 1, 2, "U+0000 cannot stand here"),
    ("(a\u00a0b)", 1, 3, "U+00A0 cannot stand here"),
    ("(a\u0085b)", 1, 3, "U+0085 cannot stand here"),
    ("\ufeff(a)", 1, 1, "U+FEFF cannot stand here"),
    ("'a", 1, 1, "quote"),
    ("{:a 1}", 1, 1, "maps and sets"),
    ("(a #{1})", 1, 5, "maps and sets"),
    ("##NaN", 1, 1, "NaN and infinities"),
    ("(x 1e400)", 1, 4, "too large"),
    ("-1e-400", 1, 1, "too small"),
    ("+1", 1, 1, "plus sign"),
    ("007", 1, 1, "leading zeros"),
    ("-07.5", 1, 1, "leading zeros"),
    ("-0", 1, 1, "-0 is written 0"),
    ("-0/5", 1, 1, "-0 is written 0"),
    ("7N", 1, 1, "without N"),
    ("1/0", 1, 1, "zero"),
    ("1e3M", 1, 1, "begins as a number"),
    ("0x10", 1, 1, "begins as a number"),
    (".5", 1, 1, "begins as a number"),
    ("1.", 1, 1, "begins as a number"),
    ("(p 2026-11-30)", 1, 4, "begins as a number"),
    (f"1{'0' * 64}M", 1, 1, "64 digits"),
    ("1" * 4301, 1, 1, "4300 digits"),
    ("/", 1, 1, "empty"),
    ("a/", 1, 1, "empty"),
    ("/a", 1, 1, "empty"),
    (":", 1, 1, "empty"),
    ("?a/b", 1, 1, "no namespace"),
    ("\u037e", 1, 1, "no name may hold"),  # NFC makes it a semicolon
    ("\\", 1, 1, "missing after the backslash"),
    ("\\ab", 1, 1, "one code point"),
    ("\\newline", 1, 1, "one code point"),
    ("\\ ", 1, 1, "by its code"),
    ("\\\ud800", 1, 1, "surrogate"),
    ("(" * 65 + ")" * 65, 1, 65, "deeper than 64"),
    ("x" * 65_537, 1, 1, "longer than 65536 bytes"),
    (f'"{"é" * 32_768}"', 1, 1, "longer than 65536 bytes"),
    ("(a\u2028", 1, 3, "U+2028 cannot stand here"),
    ("(a \u2028\n #{)", 1, 4, "U+2028"),
]
NOT_CANONICAL = [
    *(lenient for lenient, _ in LENIENT),
    " a",
    "a ",
    "a\n",
    "( a)",
    "(a )",
    "(a  b)",
    "(a\tb)",
    "[a]",
    "(a) ; b",
    "1.0e16",
    "1e+16",
    "0.0M",
    '"\\u0041"',
    '"\\U0000000d"',
    '"\\u000D"',
    '"\\u000a"',
    "\\u0061",
    "\\U00000020",
]


@pytest.mark.parametrize(("value", "text"), SPELLINGS)
def test_a_value_has_one_spelling(value: Term, text: str) -> None:
    assert write(value) == text
    assert same(read(text), value)
    assert same(read_canonical(text), value)


@pytest.mark.parametrize(("text", "canonical"), LENIENT)
def test_what_people_type_is_read(text: str, canonical: str) -> None:
    assert write(read(text)) == canonical


@pytest.mark.parametrize(("text", "line", "column", "reason"), REFUSED)
def test_a_refusal_names_the_place(
    text: str, line: int, column: int, reason: str
) -> None:
    with pytest.raises(ReadError) as refused:
        read(text)
    error = refused.value
    assert reason in error.message
    assert (error.line, error.column) == (line, column)
    assert error.text == text.split("\n")[line - 1]
    with pytest.raises(ReadError):
        read_canonical(text)
    with pytest.raises(ReadError):
        for _ in [*read_all(text), *nothing_more(text)]:
            pass


def nothing_more(text: str) -> Iterator[object]:
    """Refuse what `read_all` accepts and `read` does not: none, or several."""
    if len(list(read_all(text))) != 1:
        raise ReadError("not one term", line=1, column=1, text=text)
    yield None


@pytest.mark.parametrize("text", NOT_CANONICAL)
def test_only_the_canonical_spelling_is_canonical(text: str) -> None:
    spelling = write(read(text))
    with pytest.raises(ReadError) as refused:
        read_canonical(text)
    offset = (
        refused.value.column
        - 1
        + sum(len(line) + 1 for line in text.split("\n")[: refused.value.line - 1])
    )
    assert text[:offset] == spelling[:offset]
    assert text[offset : offset + 1] != spelling[offset : offset + 1]


@given(terms())
def test_what_is_written_is_read_back(term: Term) -> None:
    text = write(term)

    assert same(read(text), term)
    assert same(read_canonical(text), term)
    assert [found for found, _, _ in read_all(text)] == [term]


@given(st.one_of(facts(), rules()), st.randoms(use_true_random=False))
def test_layout_does_not_change_a_term(term: Term, random: object) -> None:
    loose = write(term).replace("(", " ( ;(\n").replace(")", "\t)\r\n")
    if '"' not in loose and "\\" not in loose:
        assert same(read(loose), term)


MARKED = "ae\u0301\u0316\u0345\u0344\u0f73\u0f71\u1100\u1161\u212b\u00c5"


@given(st.text(MARKED, min_size=1))
def test_long_text_is_normalised_as_short_text_is(text: str) -> None:
    long = text * (1 + 1001 // len(text))
    assert nfc(long) == normalize("NFC", long)
    assert nfc(text) == normalize("NFC", text)


@given(st.text(max_size=30))
@example("(a . b)")
@example("\\\u0301")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        term = read(text)
    except ReadError:
        return
    assert same(read_canonical(write(term)), term)


@given(st.lists(st.sampled_from(["(a b)", '"x\ny\u2028"', "; c\n", "\n", "7"])))
def test_read_all_places_terms_where_they_begin(parts: list[str]) -> None:
    text = " ".join(parts)
    lines = text.split("\n")
    places = []
    for term, line, column in read_all(text):
        rest = "\n".join(lines[line - 1 :])[column - 1 :]
        assert rest.startswith(write(term).replace("\\n", "\n")[:4])
        places.append((line, column))
    assert places == sorted(set(places))
    assert len(places) == sum(part.strip() not in ("", "; c") for part in parts)


def test_read_all_gives_what_comes_before_a_fault() -> None:
    found = []
    with pytest.raises(ReadError) as refused:
        for term, line, _ in read_all("(a)\n; b\n(c)\n(d\n"):
            found.append((write(term), line))
    assert found == [("(a)", 1), ("(c)", 3)]
    assert refused.value.line == 5


def test_a_term_of_a_file_is_bounded_and_the_file_is_not() -> None:
    text = "(comment A)\n" * 10_000
    assert sum(1 for _ in read_all(text)) == 10_000
    with pytest.raises(ReadError) as refused:
        list(read_all("(a)\n" + "x" * 65_537))
    assert (refused.value.line, refused.value.column) == (2, 1)


def test_a_longer_text_is_read_where_the_caller_allows_it() -> None:
    text = f'"{"é" * 40_000}"'
    assert len(str(read(text, limit=100_000))) == 40_000
    assert len(str(read_canonical(text, limit=100_000))) == 40_000
    with pytest.raises(ReadError):
        read_canonical(text)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        "e\u0301",
        "\ud800",
        "a\0",
        (10**4300,),
        [1],
        {1: 2},
        b"bytes",
        1j,
        type("Text", (str,), {})("a"),
        (1, [2]),
    ],
)
def test_a_python_value_without_spelling_is_not_written(value: Term) -> None:
    with pytest.raises(RefusedError) as refused:
        write(value)
    assert refused.value.code == "koinii/uncanonical-value"


@pytest.fixture
def few_digits() -> Iterator[None]:
    """Python with the lowest limit on converting digits that it knows."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.usefixtures("few_digits")
@pytest.mark.parametrize("size", [599, 600, 601, 640, 641, 1200, 4299, 4300])
def test_long_integers_are_read_whatever_python_allows(size: int) -> None:
    for text in ("9" * size, "-1" + "0" * (size - 1), f"1/{'3' * size}"):
        assert write(read(text)) == text
    assert read("1" + "0" * (size - 1)) == 10 ** (size - 1)
