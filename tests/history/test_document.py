"""Reading documents: every field of its kind, every refusal with its reason."""

from collections.abc import Callable

import pytest

from koinii.errors import VerificationError
from koinii.history.document import Fields, read, write

HEX = "0a" * 32
OUTER: dict[str, object] = {
    "text": "words",
    "count": 2**64 - 1,
    "hash": HEX,
    "prefixed": "sha256:" + HEX,
    "path": [HEX] * 63,
    "steps": [{"hash": HEX, "side": "left"}],
    "words": ["a", "b"],
    "object": {"inner": 1},
    "null": None,
}


def test_fields_of_their_kind_are_given() -> None:
    fields = read(OUTER)
    hash_ = bytes.fromhex(HEX)

    assert fields.text("text") == "words"
    assert fields.count("count") == 2**64 - 1
    assert fields.hash("hash") == hash_
    assert fields.hash("prefixed", "sha256:") == hash_
    assert fields.path("path") == [hash_] * 63
    assert fields.steps("steps") == [{"hash": HEX, "side": "left"}]
    assert fields.words("words") == ["a", "b"]
    assert fields.object("object", {"inner"}).count("inner") == 1
    assert fields.has("null")
    assert fields.is_null("null")
    assert not fields.has("none")
    assert not fields.is_null("none")
    assert not fields.is_null("text")


@pytest.mark.parametrize(
    ("ask", "values", "why"),
    [
        (lambda one: one.text("x"), [1, None, ["a"], {}], "no text"),
        (lambda one: one.count("x"), ["1", True, None, [], 2**64], "no number"),
        (lambda one: one.hash("x"), [HEX[1:], HEX.upper(), HEX + "0"], "64 lower"),
        (lambda one: one.hash("x"), [1, None], "no text"),
        (lambda one: one.hash("x", "sha256:"), [HEX, "SHA256:" + HEX], "begin with"),
        (lambda one: one.hash("x", "sha256:"), ["sha256:" + HEX[1:]], "64 lower"),
        (lambda one: one.path("x"), [HEX, None, {}, [HEX] * 64], "no list"),
        (lambda one: one.path("x"), [[1], [HEX[1:]], [None]], "64 lower"),
        (lambda one: one.steps("x"), [None, "left", {}, [None] * 64], "no list"),
        (lambda one: one.steps("x"), [[1], [None]], "no object"),
        (lambda one: one.steps("x"), [[{"hash": HEX}]], "has no side"),
        (
            lambda one: one.steps("x"),
            [[{"hash": HEX, "side": "left", "more": 1}]],
            "no meaning",
        ),
        (lambda one: one.words("x"), [None, "a", ["a", 1], {}], "no list"),
        (lambda one: one.object("x", {"a"}), [None, [], "a"], "no object"),
        (lambda one: one.object("x", {"a"}), [{}], "has no a"),
        (lambda one: one.object("x", {"a"}), [{"a": 1, "b": 2}], "no meaning"),
    ],
)
def test_fields_of_another_kind_are_refused(
    ask: Callable[[Fields], object], values: list[object], why: str
) -> None:
    for value in values:
        with pytest.raises(VerificationError, match=why):
            ask(read({"x": value}) if value != 2**64 else Fields({"x": 2**64}))
    with pytest.raises(VerificationError, match="no "):
        ask(read({}))


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("[1]", "no object"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"v":1,"v":1}', "twice"),
        ('{"a":{"v":1,"v":1}}', "twice"),
        ('{"v":NaN}', "no whole number"),
        ('{"v":-Infinity}', "no whole number"),
        ('{"v":1.0}', "no whole number"),
        ('{"v":1e2}', "no whole number"),
        ('{"v":-1}', "no whole number"),
        ('{"v":-0}', "no whole number"),
        ('{"v":123456789012345678901}', "no whole number"),
        ('{"v":"\\ud800"}', "no UTF-8"),
        ('{"\\ud800":[]}', "no UTF-8"),
        ('{"v":[{"a":"\\udfff"}]}', "no UTF-8"),
        ("\ud800", "no UTF-8"),
        ('{"v":[[[[[[1]]]]]]}', "nested deeper"),
        (b"\xff", "no JSON"),
        (b"x" * 1_048_577, "1048576 bytes"),
        (7, "no JSON text"),
        ({1: object()}, "no JSON"),
        ({"v": float("nan")}, "no JSON"),
    ],
)
def test_what_is_no_document_is_refused(document: object, why: str) -> None:
    with pytest.raises(VerificationError, match=why):
        read(document)


def test_the_depth_that_is_needed_is_allowed() -> None:
    assert read('{"v":[[[[1]]]]}').has("v")


def test_text_is_written_as_it_is() -> None:
    assert write({"a": "Zürich", "b": [1, None]}) == '{"a":"Zürich","b":[1,null]}'
    with pytest.raises(VerificationError, match="no JSON"):
        write({"a": {1, 2}})
