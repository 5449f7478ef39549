"""Encodings: injective, strict, bounded; locators and keys made of them."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import RefusedError, UsageError
from koinii.terms import (
    Char,
    Keyword,
    Ratio,
    Symbol,
    Term,
    decode,
    encode,
    locate,
    read,
    write,
)
from koinii.terms.encoding import identity, term_key
from koinii.terms.locator import (
    digest,
    leaf,
    locator_of,
    parse_locator,
    parse_prefix,
    raw_digest,
)
from koinii.terms.term import same
from strategies import contexts, facts, terms

INT64 = "03ffffffffffffffff"
NOT_ENCODINGS = [
    "",
    "0d",
    "ff",
    "0000",  # more follows
    "03ffffffffffffff",  # seven bytes of eight
    "04000000010f",  # fits in 64 bits
    "0400000009ff8000000000000000",  # so does the smallest of them
    "040000000a00010000000000000000",  # a needless zero byte
    "05fff0000000000000",  # minus infinity
    "057ff8000000000000",  # NaN
    "057ff8000000000001",  # NaN with payload
    "05fff8000000000000",  # NaN with sign
    "058000000000000000",  # -0.0
    "0600000001020000000104",  # 2/4
    "0600000001010000000101",  # 1/1
    "06000000010100000001ff",  # 1/-1
    "070000000101ffffffff",  # scale -1
    "07000000010a00000001",  # 10 of scale 1
    "0700000001010000ffff",  # 1 of scale 65535
    "080000000165cc81",  # length does not fit
    "080000000365cc81",  # not NFC
    "0800000001ff",  # not UTF-8
    "0800000003eda080",  # a surrogate
    "080000000100",  # NUL
    "08ffffffff",
    "0a0000000000",  # empty name
    "0a0200000000",  # a flag that is none
    "0a000000000131",  # symbol that reads as 1
    "0a00000000036e696c",  # symbol that reads as nil
    "0a00000000013a",
    "0a0100000000000000000161",  # empty namespace
    "0900000000",
    "0b00000001",
    "0bffffffff",
    "0b7fffffff00",
    "0b0000000103",
    "0c0000d800",
    "0c00110000",
    "0cffffffff",
    "0b00000001" * 65 + "00",
]


@given(terms())
def test_what_is_encoded_is_decoded(term: Term) -> None:
    encoded = encode(term)

    assert same(decode(encoded), term)
    assert encode(decode(encoded)) == encoded


@given(terms(), terms())
def test_unequal_values_have_unequal_bytes(left: Term, right: Term) -> None:
    assert (encode(left) == encode(right)) == (write(left) == write(right))


@given(st.lists(terms(), min_size=2, max_size=6))
def test_no_encoding_begins_another(made: list[Term]) -> None:
    """So a sequence of encodings can be taken apart in one way only."""
    encodings = {encode(term) for term in made}
    for one in encodings:
        assert not any(other.startswith(one) for other in encodings - {one})


@pytest.mark.parametrize("data", NOT_ENCODINGS)
def test_other_bytes_are_refused(data: str) -> None:
    with pytest.raises(RefusedError) as refused:
        decode(bytes.fromhex(data))
    assert refused.value.code == "koinii/uncanonical-value"


@pytest.mark.parametrize("tag", ["04", "06", "07", "08", "0900", "0a00", "0b"])
@pytest.mark.parametrize("length", ["00000002", "7fffffff", "ffffffff"])
def test_a_length_is_compared_with_what_is_there(tag: str, length: str) -> None:
    with pytest.raises(RefusedError, match="a length goes beyond the end"):
        decode(bytes.fromhex(f"{tag}{length}61"))


@given(terms(), st.data())
def test_one_changed_byte_is_refused_or_another_value(
    term: Term, data: st.DataObject
) -> None:
    encoded = bytearray(encode(term))
    at = data.draw(st.integers(0, len(encoded) - 1))
    encoded[at] ^= data.draw(st.integers(1, 255))
    try:
        other = decode(bytes(encoded))
    except RefusedError:
        return
    assert not same(other, term)
    assert encode(other) == bytes(encoded)


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("-inf"), "e\u0301", "\ud800", "a\0", (10**4300,), [1], b"x"],
)
def test_a_python_value_that_is_no_term_has_no_bytes(value: Term) -> None:
    with pytest.raises(RefusedError) as refused:
        encode(value)
    assert refused.value.code == "koinii/uncanonical-value"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (2**63 - 1, "037fffffffffffffff"),
        (-(2**63), "038000000000000000"),
        (2**63, "0400000009008000000000000000"),
        (-(2**63) - 1, "0400000009ff7fffffffffffffff"),
        (2**64 - 1, "040000000900ffffffffffffffff"),
        (-1, INT64),
        (Ratio(-128, 255), "0600000001800000000200ff"),
        (-0.0, "050000000000000000"),
        (Char("\0"), "0c00000000"),
    ],
)
def test_numbers_are_minimal(number: Term, expected: str) -> None:
    assert encode(number).hex() == expected


def test_lists_nest_to_64() -> None:
    term: Term = ()
    for _ in range(63):
        term = (term,)
    assert same(decode(encode(term)), term)
    with pytest.raises(RefusedError):
        encode((term,))


def test_bytes_are_bounded_before_they_are_read() -> None:
    encoded = encode("x" * 400_000)
    with pytest.raises(RefusedError, match="more than 327680 bytes"):
        decode(encoded)
    assert decode(encoded, limit=500_000) == "x" * 400_000


@given(contexts(), facts())
def test_a_locator_is_the_hash_of_the_identity(context: Symbol, fact: Term) -> None:
    assert isinstance(fact, tuple)
    truth = Keyword("false" if fact[0] == Symbol("not") else "true")
    whole = encode((context, truth, fact))

    assert identity(context, fact) == whole
    assert locate(context, fact) == f"sha256:{sha256(whole).hexdigest()}"
    assert locator_of(digest(context, fact)) == locate(context, fact)
    assert raw_digest(locate(context, fact)) == digest(context, fact)


@given(contexts(), facts())
def test_a_leaf_is_the_hash_of_the_locators_text(context: Symbol, fact: Term) -> None:
    text = locate(context, fact).encode()
    assert leaf(digest(context, fact)) == sha256(b"\0" + text).digest()


@given(terms())
def test_a_key_is_eight_signed_bytes_of_the_hash(term: Term) -> None:
    key = term_key(encode(term))
    assert key.to_bytes(8, "big", signed=True) == sha256(encode(term)).digest()[:8]


def test_text_is_read_and_made_canonical_before_it_is_located() -> None:
    told = locate("CxA", "[not (not (greaterThan 5 3))] ; loosely")
    assert told == locate(Symbol("CxA"), read("(lessThan 3 5)"))


LOCATOR = "sha256:" + "0123456789abcdef" * 4


def test_a_whole_locator_is_parsed() -> None:
    assert parse_locator(LOCATOR) == LOCATOR
    assert parse_prefix(LOCATOR) == LOCATOR[7:]
    assert parse_prefix("sha256:01234567") == "01234567"
    assert parse_prefix("0123456789a") == "0123456789a"


@pytest.mark.parametrize(
    "text",
    ["", "sha256:", "0123456", "sha256:0123456", LOCATOR + "0", LOCATOR.upper(),
     "0123456G", "sha1:01234567", " 01234567", "01234567\n", "SHA256:01234567"],
)  # fmt: skip
def test_no_locator_and_no_beginning_of_one(text: str) -> None:
    with pytest.raises(UsageError):
        parse_prefix(text)
    with pytest.raises(UsageError):
        parse_locator(text)


@pytest.mark.parametrize("text", [LOCATOR[:-1], LOCATOR[7:], LOCATOR + "\n"])
def test_a_part_is_no_whole_locator(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_locator(text)
    assert refused.value.details["given"] == text
