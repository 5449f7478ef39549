"""One encoding a value: written so, and nothing else is read."""

import math

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.history.cbor import MAX_BYTES, Cbor, decode, encode

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
plain: st.SearchStrategy[Cbor] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**64), 2**64 - 1),
        texts,
        st.binary(max_size=30),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=12,
).filter(lambda value: depth(value) <= 8)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def refused(text: str) -> bool:
    try:
        decode(bytes.fromhex(text))
    except VerificationError:
        return True
    return False


@given(plain)
def test_what_is_written_is_read(value: Cbor) -> None:
    data = encode(value)

    assert decode(data) == value
    assert encode(decode(data)) == data


@given(st.binary(max_size=64))
def test_bc_127_any_bytes_are_a_value_or_a_refusal(data: bytes) -> None:
    try:
        value = decode(data)
    except VerificationError:
        return
    assert encode(value) == data


@given(plain, st.data())
def test_bc_127_mutated_bytes_are_a_value_or_a_refusal(
    value: Cbor, data: st.DataObject
) -> None:
    whole = bytearray(encode(value))
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        other = decode(bytes(whole))
    except VerificationError:
        return
    assert encode(other) == whole


@pytest.mark.parametrize("data", ["a2616101616102", "a16162a2616101616102"])
def test_bc_054_a_repeated_key_is_refused(data: str) -> None:
    assert refused(data)


@pytest.mark.parametrize(
    "data",
    [
        "a2616201616102",  # keys not sorted
        "1801",  # 1 in two bytes
        "1900ff",
        "1a0000ffff",
        "1b00000000ffffffff",
        "780161",
        "9f01ff",  # indefinite lengths
        "bfff",
        "7f61616162ff",
        "5fff",
        "c24101",  # a big number
        "fb3ff0000000000000",  # floats
        "f93c00",
        "fa3f800000",
        "0100",  # one byte more
        "",
        "f0",  # simple values
        "f7",
        "f8ff",
        "ff",
        "1c",  # reserved
        "62c328",  # not UTF-8
        "63eda080",  # a surrogate
        "a10102",  # a key that is no text
        "a1f601",
        "a1416101",
        "8201",  # cut short
        "a16161",
        "4201",
        "19ff",
        "5bffffffffffffffff",  # lengths that were made up
        "9bffffffffffffffff",
        "bbffffffffffffffff",
        "9b0000000100000000" + "00" * 64,
    ],
)
def test_bc_055_another_spelling_is_refused(data: str) -> None:
    assert refused(data)


@pytest.mark.parametrize(
    "data",
    [
        "d81c81d81d00",
        "82d81c81d81d00d81d00",
        "d901008263616161d81900",
        "c06161",
        "c1616e",
        "c2616e",
        "c48201",
        "d8236128",
        "f7",
        "e0",
    ],
)
def test_bc_118_tags_and_references_are_refused(data: str) -> None:
    assert refused(data)


@pytest.mark.parametrize(
    "data", ["f97e00", "f9fe00", "fa7fc00000", "fb7ff8000000000001", "f97c00", "f98000"]
)
def test_bc_126_no_float_in_any_form(data: str) -> None:
    assert refused(data)
    for value in (math.nan, -math.nan, math.inf, -0.0, 1.0, 5e-324):
        with pytest.raises(VerificationError, match="type float"):
            encode(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        2**64,
        -(2**64) - 1,
        {1: 2},
        {"a": {b"k": 1}},
        {"a"},
        "\ud800",
        {"\ud800": 1},
        bytearray(b"x"),
        object(),
    ],
)
def test_what_is_not_plain_is_not_written(value: object) -> None:
    with pytest.raises(VerificationError):
        encode(value)  # type: ignore[arg-type]


def test_bc_077_both_orders_agree_on_text_keys() -> None:
    """Shorter keys come first, in the old order and in the bytewise one."""
    keys = ["b", "z", "aa", *("k" * size for size in (23, 24, 255, 256))]
    data = encode(dict.fromkeys(reversed(keys), 0))
    heads = [cbor2.dumps(key) for key in keys]

    assert heads == sorted(heads) == sorted(heads, key=lambda head: (len(head), head))
    assert data == bytes([0xA0 | len(keys)]) + b"".join(head + b"\0" for head in heads)


@pytest.mark.parametrize(
    "size", [0, 23, 24, 255, 256, *range(4085, 4101), MAX_BYTES - 3]
)
def test_bc_112_no_length_is_special(size: int) -> None:
    for value in (b"\xa5" * size, "a" * size):
        data = encode(value)
        assert decode(data) == value
        assert data.endswith(value.encode() if isinstance(value, str) else value)
    if size >= 2:
        text = "a" * (size - 2) + "ü"
        assert decode(encode(text)) == text


def test_the_bound_comes_before_decoding() -> None:
    longest = encode(b"x" * (MAX_BYTES - 3))

    assert len(longest) == MAX_BYTES
    with pytest.raises(VerificationError, match="16384 at most"):
        encode(b"x" * (MAX_BYTES - 2))
    with pytest.raises(VerificationError, match="16384 at most"):
        decode(longest + b"\0")


def test_depth_is_bounded_both_ways() -> None:
    value: Cbor = 0
    for _ in range(8):
        value = [value]

    assert decode(encode(value)) == value
    with pytest.raises(VerificationError, match="deeper"):
        encode([value])
    assert refused("81" * 9 + "00")
    assert refused("81" * 16_000 + "00")


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[Cbor] = []
    loop.append(loop)
    with pytest.raises(VerificationError):
        encode(loop)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("c101", "a tag"),
        ("f93c00", "a float"),
        ("f7", "unknown simple"),
        ("a10102", "a key that is no text"),
        ("a1", "a key that is no text"),
        ("0100", "does not end where"),
        ("4201", "does not end where"),
        ("9f01ff", "indefinite"),
        ("19ff", "cut short"),
        ("8201", "cut short"),
        ("1801", "not in the deterministic"),
        ("a2616201616102", "not in the deterministic"),
    ],
)
def test_a_refusal_says_what_was_found(data: str, why: str) -> None:
    with pytest.raises(VerificationError, match=why) as caught:
        decode(bytes.fromhex(data))
    assert caught.value.code == "koinii/bad-cbor"
