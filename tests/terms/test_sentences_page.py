"""The examples of docs/formats/sentences.md are what the code makes."""

from hashlib import sha256
from itertools import pairwise

import pytest

from koinii.errors import ReadError, RefusedError
from koinii.terms import canonical, decode, encode, locate, read, write
from koinii.terms.encoding import identity
from koinii.terms.order import content_key
from koinii.terms.rules import MAX_LOOKED_AT, MAX_PREFIXES
from koinii.terms.shape import check_sentence
from koinii.terms.term import (
    MAX_DECIMAL_DIGITS,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_TEXT,
    Symbol,
)
from pages import FORMATS, blocks, pairs
from reference.rfc6962 import defined_root

SHOWN = blocks("sentences")
TEXT = (FORMATS / "sentences.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("typed", "spelled"), pairs(SHOWN["spellings"], "→"))
def test_what_is_typed_has_one_spelling(typed: str, spelled: str) -> None:
    assert write(read(typed)) == spelled != typed


@pytest.mark.parametrize(("typed", "reason"), pairs(SHOWN["refused-text"], "✗"))
def test_what_is_no_value_is_refused(typed: str, reason: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(typed)
    assert caught.value.reason == reason


@pytest.mark.parametrize(("typed", "code"), pairs(SHOWN["refused-sentences"], "✗"))
def test_what_may_not_be_asserted_is_refused(typed: str, code: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_sentence(canonical(read(typed)))
    assert caught.value.code == code


@pytest.mark.parametrize(("typed", "form"), pairs(SHOWN["canonical"], "→"))
def test_the_canonical_form(typed: str, form: str) -> None:
    assert write(canonical(read(typed))) == form == write(canonical(read(form)))


def test_values_ascend() -> None:
    keys = [content_key(read(line)) for line in SHOWN["ascending"].splitlines()]
    assert all(one < two for one, two in pairwise(keys))


@pytest.mark.parametrize(("text", "shown"), pairs(SHOWN["bytes"], "→"))
def test_the_bytes_of_a_value(text: str, shown: str) -> None:
    assert encode(read(text)) == bytes.fromhex(shown)
    assert write(decode(bytes.fromhex(shown))) == text


def test_every_tag_is_shown() -> None:
    assert {shown[:2] for _, shown in pairs(SHOWN["bytes"], "→")} == {
        f"{tag:02x}" for tag in range(0x0D)
    }


def test_the_worked_example() -> None:
    lines = [line.split("  ")[0] for line in SHOWN["identity"].splitlines()]
    data = bytes.fromhex("".join(lines))
    context, sentence, locator, _ = located()[0]
    assert data == identity(Symbol(context), read(sentence))
    assert locator == f"sha256:{sha256(data).hexdigest()}"


def located() -> list[tuple[str, str, str, str]]:
    """Return context, sentence, locator and leaf of the claims shown."""
    lines = SHOWN["locators"].splitlines()
    triples = zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    return [(*claim.split(" ", 1), name, leaf) for claim, name, leaf in triples]  # type: ignore[misc]


def test_locators_leaves_and_roots() -> None:
    leaves = []
    for context, sentence, locator, leaf in located():
        assert locate(context, sentence) == locator
        assert sha256(b"\0" + locator.encode()).hexdigest() == leaf
        leaves.append((leaf, locator.encode()))
    ordered = [data for _, data in sorted(leaves)]
    for line in SHOWN["commit-ids"].splitlines():
        size, commit = line.split()
        assert commit == f"sha256:{defined_root(ordered[: int(size)]).hex()}"


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (MAX_PREFIXES, MAX_LOOKED_AT, MAX_TEXT, MAX_DIGITS):
        assert f"{bound:,}" in TEXT
    assert f"{MAX_DECIMAL_DIGITS} digits, no exponent" in TEXT
    assert f"depth {MAX_DEPTH}" in TEXT
