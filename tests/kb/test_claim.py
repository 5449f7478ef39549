"""A claim line has one spelling, and what it says comes back exactly."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import KoiniiError, RefusedError
from koinii.kb.claim import (
    MAX_EXTRAS_BYTES,
    STRENGTHS,
    claim_locator,
    format_claim,
    line_leaf,
    parse_claim,
    stored_line,
)
from koinii.terms import Term, encode, read, write
from koinii.terms.canonical import canonical
from reference import seat_twin as twin
from strategies import facts, sentences, terms

LINE = "default 1750000000000 (p A)"
LAST = 10**16 - 1  # the latest time that a line can hold
times = st.one_of(st.integers(0, LAST), st.sampled_from([0, 1, 2**53 + 1, LAST]))
strengths = st.sampled_from([0, 1])


def extras() -> st.SearchStrategy[str | None]:
    pairs = st.dictionaries(st.sampled_from("abcxyz"), terms(), min_size=1, max_size=3)
    return st.one_of(
        st.none(),
        pairs.map(
            lambda made: write(tuple((read(key), made[key]) for key in sorted(made)))
        ),
    )


@given(sentences(), strengths, times, extras())
def test_a_line_says_what_was_put_into_it(
    sentence: Term, strength: int, created: int, more: str | None
) -> None:
    try:
        form = canonical(sentence)
    except RefusedError:
        return
    line = format_claim(strength, created, write(form), more)

    claim = parse_claim(line)

    assert (claim.strength, claim.created, claim.extras) == (strength, created, more)
    assert claim.text == write(form)
    assert encode(claim.sentence) == encode(form)
    assert stored_line(encode(form), strength, created, more, 0) == line
    assert line_leaf(line) == sha256(b"\0" + line.encode()).digest()


@given(facts())
def test_the_locator_of_a_line_is_its_sentences(sentence: Term) -> None:
    text = write(canonical(sentence))
    located = claim_locator("CxAtlas", f"monotonic 0 {text}")
    assert located == claim_locator("CxAtlas", f"default 7 {text}")
    assert located != claim_locator("CxBoreas", f"default 7 {text}")
    assert claim_locator("CxAtlas", LINE) == twin.locator("CxAtlas", "(p A)")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "default",
        "default 1",
        "(p A)",
        "Default 1 (p A)",
        "certain 1 (p A)",
        "default (p A)",
        "default  1 (p A)",
        "default 1  (p A)",
        " default 1 (p A)",
        "default 1 (p A) ",
        "default 1 (p  A)",
        "default 1 ( p A)",
        "default 1 [p A]",
        "default 1 (p A)\n",
        "default 1 (p A)\r",
        "default 1\t(p A)",
        "default 1 (p A) ; a note",
        "default 1 p",
        "default 1 (p A",
        "default 1 (p A))",
        "default 1 (p A) (q A)",
        "default 1 (p A) ((a 1)) ((b 1))",
        # other times, as BC-100 has them
        "default 01 (p A)",
        "default +1 (p A)",
        "default -1 (p A)",
        "default 1.0 (p A)",
        "default 1e3 (p A)",
        "default \u0661 (p A)",
        "default 10000000000000000 (p A)",
        # other spellings of one sentence (BC-055)
        "default 1 (not (not (p A)))",
        "default 1 (greaterThan 2 1)",
        "default 1 (p 1.50M)",
        "default 1 (p 2/4)",
        "default 1 (p -0.0)",
        "default 1 (p 1e+16)",
        "default 1 (p 01)",
        'default 1 (p "\\u0041")',
        'default 1 (p "Cafe\u0301")',
        "default 1 (p Cafe\u0301)",
        "default 1 (implies (p ?x) (q ?x))",
        "default 1 (set/forwardRule (implies (p ?var0) (q ?var0)))",
        "default 1 (set/defaultRule (set/inertRule (implies (p ?var0) (q ?var0))))",
        # extras
        "default 1 (p A) ()",
        "default 1 (p A) (a 1)",
        "default 1 (p A) ((a))",
        "default 1 (p A) ((a 1 2))",
        "default 1 (p A) ((b 1) (a 1))",
        "default 1 (p A) ((a 1) (a 2))",
        "default 1 (p A) ((a  1))",
        f'default 1 (p A) ((a "{"x" * MAX_EXTRAS_BYTES}"))',
    ],
)
def test_bc_055_any_other_spelling_is_refused(line: str) -> None:
    with pytest.raises(KoiniiError) as caught:
        parse_claim(line)
    assert caught.value.exit_code in (2, 4)


def test_a_rule_keeps_its_wrappers_and_loses_them_in_its_identity() -> None:
    rule = "(implies (p ?var0) (q ?var0))"
    for wrapped in (
        f"(set/inertRule {rule})",
        f"(set/defaultRule {rule})",
        f"(set/inertRule (set/defaultRule {rule}))",
    ):
        claim = parse_claim(f"default 1 {wrapped}")
        assert (claim.text, write(claim.sentence)) == (wrapped, rule)


@st.composite
def broken_lines(draw: st.DrawFn) -> str:
    """A good line with a piece taken out, doubled or put in."""
    more = draw(extras())
    line = format_claim(
        draw(strengths), draw(times), write(canonical(draw(facts()))), more
    )
    at = draw(st.integers(0, len(line)))
    end = draw(st.integers(at, min(len(line), at + 4)))
    odd = st.text(st.sampled_from(' ()"\\;0.Aa?/:\u0301\n\0\ud800'), max_size=2)
    return line[:at] + draw(st.one_of(odd, st.just(line[at:end] * 2))) + line[end:]


@given(st.one_of(broken_lines(), st.text()))
def test_bc_127_what_is_taken_would_be_written_the_same(line: str) -> None:
    try:
        claim = parse_claim(line)
    except KoiniiError:
        return
    assert STRENGTHS[claim.strength] in line
    assert format_claim(claim.strength, claim.created, claim.text, claim.extras) == line


def test_extras_may_have_their_full_length() -> None:
    empty = len('((a ""))')
    more = f'((a "{"x" * (MAX_EXTRAS_BYTES - empty)}"))'
    assert parse_claim(f"{LINE} {more}").extras == more
    with pytest.raises(RefusedError):
        parse_claim(f'{LINE} ((a "{"x" * (MAX_EXTRAS_BYTES - empty + 1)}"))')
