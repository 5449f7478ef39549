"""BC-117: a record's bytes come from the definition, whatever the library does."""

import tomllib
from importlib.metadata import version
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from koinii.history.cbor import Cbor, decode, encode

ROOT = Path(__file__).parent.parent.parent
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
VALUES: st.SearchStrategy[Cbor] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64 - 1)
    | KEYS
    | st.binary(max_size=300),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5)
    ),
    max_leaves=20,
)


def head(major: int, number: int) -> bytes:
    """Return the shortest head, RFC 8949 section 3."""
    if number < 24:
        return bytes([major << 5 | number])
    size = next(size for size in range(4) if number < 1 << (8 << size))
    return bytes([major << 5 | 24 + size]) + number.to_bytes(1 << size, "big")


def defined(value: object) -> bytes:
    """Return the deterministic encoding of RFC 8949 section 4.2.1."""
    match value:
        case None:
            return b"\xf6"
        case bool():
            return b"\xf5" if value else b"\xf4"
        case int():
            return head(0, value) if value >= 0 else head(1, -1 - value)
        case bytes():
            return head(2, len(value)) + value
        case str():
            return head(3, len(value.encode())) + value.encode()
        case list():
            return head(4, len(value)) + b"".join(map(defined, value))
        case dict():
            pairs = sorted((defined(key), defined(one)) for key, one in value.items())
            return head(5, len(pairs)) + b"".join(key + one for key, one in pairs)
    raise AssertionError(value)


@given(VALUES)
def test_bc_117_the_bytes_are_those_of_the_definition(value: Cbor) -> None:
    assert encode(value) == defined(value)
    assert decode(defined(value)) == value


def test_bc_117_the_codec_is_one_that_was_tried() -> None:
    """The installed version is within the bounds that `pyproject.toml` sets."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (pin,) = [one for one in project["project"]["dependencies"] if "cbor2" in one]
    least, below = pin.removeprefix("cbor2>=").split(",<")
    installed = tuple(map(int, version("cbor2").split(".")[:2]))
    assert tuple(map(int, least.split("."))) <= installed
    assert installed < (int(below), 0)
