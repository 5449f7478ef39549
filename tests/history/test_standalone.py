"""The stand-alone verifier and ours give one verdict on every document."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from history.sample_proofs import (
    AGENT_KEY,
    AUTHORED,
    DOCUMENTS,
    HEAD,
    RECORD,
    SEAT_KEY,
    head_of,
    included,
    log_with,
    text_of,
)
from history.sample_why import VOCABULARY, WHY_DOCUMENTS
from history.stand_alone import ALONE, PROGRAM, alone
from koinii.errors import KoiniiError
from koinii.history.cbor import Cbor, encode
from koinii.history.record import decode_record
from koinii.history.stateproof import not_shown, verify
from koinii.history.tlogproof import to_tlog
from koinii.merkle import Levels, leaf_hash, verify_inclusion
from koinii.note import PrivateKey, PublicKey, open_note, read_public_key
from koinii.note.signed import Verifier
from koinii.terms.locator import digest
from koinii.terms.reader import read_canonical
from koinii.terms.term import Symbol

ALL = {**DOCUMENTS, **WHY_DOCUMENTS}
TEXTS = {name: text_of(document) for name, document in ALL.items()}
SOME = ["inclusion 1", "inclusion 4", "absence", "attribution 1", "attribution 5"]
SOME += ["why", "dispute"]


def both(data: bytes, **expected: Any) -> bool:
    """Return the one verdict of both."""
    ours = verify(data, **expected)
    assert alone(data, **expected) is ours.ok, ours.reason
    return ours.ok


@pytest.mark.parametrize("name", ALL)
def test_good_documents_are_good_for_both(name: str) -> None:
    ours = verify(TEXTS[name])
    kind, checked, assumes = ALONE.verify(TEXTS[name].encode())

    assert ours
    assert (kind, checked, assumes) == (
        ALL[name]["kind"],
        ours.checked,
        ours.assumes,
    )
    assert list(not_shown(kind)) == ALONE.NOT_SHOWN[kind]


@pytest.mark.parametrize("name", SOME)
@settings(max_examples=80)
@given(data=st.data())
def test_a_changed_bit_is_refused_by_both(name: str, data: st.DataObject) -> None:
    changed = bytearray(TEXTS[name].encode())
    bit = data.draw(st.integers(0, 8 * len(changed) - 1))
    changed[bit // 8] ^= 1 << bit % 8

    assert not both(bytes(changed))


@pytest.mark.parametrize("name", SOME)
@settings(max_examples=50)
@given(data=st.data())
def test_a_changed_character_is_refused_by_both(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]))
    if other != text[at]:
        assert not both((text[:at] + other + text[at + 1 :]).encode())


@pytest.mark.parametrize("name", SOME)
@settings(max_examples=50)
@given(data=st.data())
def test_a_missing_or_doubled_character_is_refused_by_both(
    name: str, data: st.DataObject
) -> None:
    text = TEXTS[name]
    at = data.draw(st.integers(0, len(text) - 1))
    for changed in (text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:]):
        assert not both(changed.encode())


@given(st.binary(max_size=120) | st.text(max_size=120).map(str.encode))
def test_bc_127_any_input_is_refused_by_both(data: bytes) -> None:
    assert not both(data)


@pytest.mark.parametrize("name", ["inclusion 1", "absence"])
@pytest.mark.parametrize("after", [" ", "\n", " mine", " \n", "\r", "\t", "  "])
def test_the_key_has_one_spelling_for_both(name: str, after: str) -> None:
    assert not both(edited(name, {"key": DOCUMENTS[name]["key"] + after}))


def edited(name: str, value: Any) -> bytes:
    return text_of({**ALL[name], **value}).encode()


fields = st.sampled_from([(name, key) for name in SOME for key in ALL[name]])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2**65)
    | st.text("abc019 ()/:", max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["index", "size", "path"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(fields, values)
def test_a_field_of_any_kind_gets_one_verdict(
    field: tuple[str, str], value: object
) -> None:
    name, key = field
    data = edited(name, {key: value})
    assert both(data) is (data == TEXTS[name].encode())


# What the caller knows --------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "good"),
    [
        ({"root": RECORD.commit_id}, True),
        ({"root": "sha256:" + "0" * 64}, False),
        ({"root": ""}, False),
        ({"head": HEAD}, True),
        ({"head": head_of(log_with(RECORD, size=6))}, False),
        ({"head": "no head"}, False),
        ({"keys": [SEAT_KEY.public.openssh("mine")]}, True),
        ({"keys": [AGENT_KEY.public.openssh()]}, False),
        ({"keys": []}, False),
        ({"keys": ["no key"]}, False),
    ],
)
def test_what_is_expected_is_compared_by_both(
    expected: dict[str, Any], *, good: bool
) -> None:
    assert both(TEXTS["inclusion 1"].encode(), **expected) is good
    assert both(TEXTS["absence"].encode(), **expected) is good


def test_an_attribution_is_compared_by_both() -> None:
    data = TEXTS["attribution 1"].encode()

    assert both(data, root=f"sha256:{AUTHORED.root.hex()}")
    assert both(data, keys=[AGENT_KEY.public.openssh()])
    assert not both(data, root=RECORD.commit_id)
    assert not both(data, keys=[SEAT_KEY.public.openssh()])
    assert not both(data, head=HEAD)


# Part by part -----------------------------------------------------------------

WORDS = [
    *("(", ")", " ", " ", "a", "B/c", "not", "nil", "true", ":k", ":a/b", "?x"),
    *("0", "-1", "1.5", "1e16", "1e+16", "1.0", "1e5", "2.5e-07", "3/4", "2/4", "5/1"),
    *("1M", "1.50M", "-0M", "0.0", "-0.0", "00", "+1", "1N", "1.M", "1e400", "0/1"),
    *('"', '"a"', '"\\n"', '"\\u0001"', '"\\u0041"', '"\\x"', "\\", "\\a", "\\u0020"),
    *("é", "e\u0301", "\u2028", "\u00a0", "\ufeff", ";", "'", "[", "##NaN", "/", "a/"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809", "x" * 40),
]


def ours_located(context: str, text: str) -> bytes | None:
    try:
        return digest(Symbol(context), read_canonical(text))
    except KoiniiError:
        return None


def alone_located(context: str, text: str) -> bytes | None:
    try:
        located: bytes = ALONE.locate(context, text)
    except ALONE.Refused:
        return None
    return located


def wrapped(parts: list[str]) -> str:
    return f"({' '.join(parts)})"


words = st.sampled_from(WORDS)
sentences = st.one_of(
    st.lists(words, max_size=8).map("".join),
    st.lists(words, max_size=6).map(wrapped),
    st.lists(words | st.lists(words, max_size=3).map(wrapped), max_size=4).map(wrapped),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8).map(
        lambda text: f'(a "{text}")'
    ),
    st.integers().map(lambda number: f"(a {number})"),
    st.floats(allow_nan=False, allow_infinity=False).map(
        lambda number: f"(a {repr(number).replace('e+', 'e')})"
    ),
)


@given(sentences)
@example("(a " + "1" * 4300 + ")")
@example("(a " + "1" * 4301 + ")")
@example("(" * 64 + ")" * 64)
@example("(" * 65 + ")" * 65)
@example('"' + "a" * 70_000 + '"')
def test_both_read_the_same_sentences(text: str) -> None:
    assert alone_located("CxA", text) == ours_located("CxA", text)


@given(words | st.text(max_size=4))
def test_both_read_the_same_contexts(context: str) -> None:
    assert alone_located(context, "(a)") == ours_located(context, "(a)")


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_both_climb_alike(index: int, size: int, whose: int, under: int) -> None:
    """A path of one leaf and tree, shown with another index and size."""
    hashes = [leaf_hash(b"%d" % number) for number in range(10)]
    tree = Levels(hashes[: under + 1])
    path = tree.path(whose % tree.size)
    leaf = hashes[whose % tree.size]

    ours = verify_inclusion(leaf, index, size, path, tree.root)
    assert (ALONE.climb(leaf, index, size, path) == tree.root) is ours
    assert ALONE.climb(leaf, size, size, []) is None


records = st.dictionaries(
    st.sampled_from(["number", "previous", "local", "agents", "partial", "x"]),
    st.sampled_from(
        [None, 1, 4, -1, True, "a", b"p" * 32, [], ["a"], ["b", "a"], {}, {"a": ["b"]}]
    ),
    max_size=2,
)


@given(records, st.integers(0, 4000))
def test_both_read_the_same_records(changes: dict[str, Cbor], bit: int) -> None:
    value = ALONE.decode_cbor(RECORD.encode())
    data = bytearray(encode({**value, **changes}))
    if bit < 8 * len(data):
        data[bit // 8] ^= 1 << bit % 8
    for one in (bytes(data), encode({**value, **changes})):
        assert alone_reads(one) is we_read(one)


def we_read(data: bytes) -> bool:
    try:
        return not hasattr(decode_record(data), "version")
    except KoiniiError:
        return False


def alone_reads(data: bytes) -> bool:
    try:
        ALONE.read_record(data)
    except ALONE.Refused:
        return False
    return True


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=20), st.integers(0, 511))
def test_both_check_the_same_signatures(seed: bytes, message: bytes, bit: int) -> None:
    key = PrivateKey.from_seed(seed)
    good = key.sign(message)
    bad = (int.from_bytes(good) ^ 1 << bit).to_bytes(64)

    assert ALONE.verify_signature(key.public.raw, message, good)
    assert not ALONE.verify_signature(key.public.raw, message, bad)
    assert not ALONE.verify_signature(key.public.raw, message + b"x", good)


small_points = st.integers(0, 40).map(lambda y: y.to_bytes(32, "little"))


@given(st.binary(min_size=32, max_size=32) | small_points)
def test_both_take_the_same_keys(raw: bytes) -> None:
    try:
        PublicKey(raw)
    except KoiniiError:
        assert ALONE.decompress(raw) is None
    else:
        assert ALONE.decompress(raw) is not None


def test_weak_points_have_an_order_that_divides_eight() -> None:
    """By the stand-alone arithmetic: eight times the point is the neutral one."""
    for y in (0, 1, ALONE.P - 1):
        assert ALONE.decompress(y.to_bytes(32, "little")) is None
        assert ALONE.decompress((y | 1 << 255).to_bytes(32, "little")) is None
    assert ALONE.decompress(ALONE.BASE_Y.to_bytes(32, "little")) == ALONE.BASE


notes = st.sampled_from(
    ["\n", "\n\n", "— ", HEAD.split(" ")[1], " ", "AAAA", "AAAAAA==", "a", "\t", "é"]
)


@given(st.lists(notes, max_size=8), st.integers(0, len(HEAD)))
def test_both_read_the_same_notes(parts: list[str], cut: int) -> None:
    name = HEAD.split("\n")[0]
    for text in (HEAD[:cut] + "".join(parts), "".join(parts) + HEAD[cut:]):
        try:
            open_note(text.encode(), [Verifier(name, SEAT_KEY.public)])
            ours = True
        except KoiniiError:
            ours = False
        try:
            ALONE.open_note(text, name, SEAT_KEY.public.raw)
            theirs = True
        except ALONE.Refused:
            theirs = False
        assert ours is theirs


line_parts = st.sampled_from(["ssh-ed25519", " ", "x", "\n", "\t", "é"])


@given(st.lists(line_parts, max_size=4))
def test_both_read_the_same_key_lines(parts: list[str]) -> None:
    line = SEAT_KEY.public.openssh()
    for text in (line + "".join(parts), "".join(parts) + line, "".join(parts)):
        try:
            ours: bytes | None = read_public_key(text).raw
        except KoiniiError:
            ours = None
        try:
            theirs = ALONE.read_key_line(text)
        except ALONE.Refused:
            theirs = None
        assert ours == theirs


# The command ------------------------------------------------------------------


def run(*words: str | Path, stdin: bytes = b"") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-I", PROGRAM, *words],
        input=stdin,
        capture_output=True,
        check=False,
        env={"LC_ALL": "C", "PATH": ""},
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_command_says_what_it_checked(tmp_path: Path) -> None:
    proof, key, head = (tmp_path / name for name in ("p.json", "seat.pub", "head"))
    proof.write_text(TEXTS["absence"])
    key.write_text(SEAT_KEY.public.openssh() + "\n")
    head.write_text(HEAD)

    code, out, err = run(proof)
    assert (code, err) == (0, "")
    assert out.startswith("GOOD: absence\n")
    assert out.count("  checked: ") == 5
    assert out.count("  assumed: ") == 2
    assert out.count("  not shown: ") == 2
    code, out, _ = run(
        proof, "--root", RECORD.commit_id, "--key", key, f"--head={head}"
    )
    assert code == 0
    assert out.count("  checked: ") == 8
    assert out.count("  assumed: ") == 1
    assert run("-", stdin=TEXTS["inclusion 0"].encode())[0] == 0


def test_the_command_refuses_with_six(tmp_path: Path) -> None:
    other = tmp_path / "other.pub"
    other.write_text(AGENT_KEY.public.openssh() + "\n")
    good = text_of(included()).encode()

    for data in (b"", b"\xff", b"[" * 100_000, good[:-1], b"x" * 2_000_000):
        code, out, err = run("-", stdin=data)
        assert (code, err) == (6, "")
        assert out.startswith("REFUSED: ")
    code, out, err = run("-", "--key", other, stdin=good)
    assert (code, out, err) == (
        6,
        "REFUSED: the signer's key is not one expected\n",
        "",
    )


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--root"],
        ["-", "--key"],
        ["-", "-"],
        ["-", "--unknown"],
        ["-", "--head", "/no/such/file"],
        ["/no/such/file"],
        ["/"],
    ],
)
def test_a_command_that_is_off_ends_with_two(words: list[str]) -> None:
    code, out, err = run(*words, stdin=text_of(included()).encode())

    assert (code, out) == (2, "")
    assert err
    assert "Traceback" not in err


def test_help_is_the_text_of_the_file() -> None:
    code, out, err = run("--help")

    assert (code, err) == (0, "")
    assert "--root R" in out


@pytest.mark.parametrize("option", ["--root", "--key", "--head"])
@pytest.mark.parametrize("text", ["", "none", "sha256:c1b2a3d4", "ssh-ed25519 AAAA\n"])
def test_an_argument_that_could_agree_with_nothing_is_named(
    option: str, text: str, tmp_path: Path
) -> None:
    file = tmp_path / "given"
    file.write_text(text)
    value = text if option == "--root" else file
    code, out, err = run("-", option, value, stdin=TEXTS["inclusion 1"].encode())
    assert (code, out) == (2, "")
    assert err.startswith(f"{option}: ")


def test_other_forms_of_a_proof_are_refused_by_name() -> None:
    answer = f'{{"schema_version":1,"ok":true,"data":{TEXTS["absence"]}}}'
    for text, word in ((to_tlog(DOCUMENTS["absence"]), "tlog"), (answer, "--json")):
        assert not both(text.encode())
        code, out, _ = run("-", stdin=text.encode())
        assert (code, word in out) == (6, True)


def test_the_vocabulary_is_looked_up_where_it_is_given(tmp_path: Path) -> None:
    file, other = tmp_path / "words.kb", tmp_path / "other.kb"
    file.write_bytes(VOCABULARY)
    other.write_bytes(b"(a b)\n")
    stdin = TEXTS["why"].encode()

    code, out, _ = run("-", "--vocabulary", other, f"--vocabulary={file}", stdin=stdin)
    assert code == 0
    assert "checked: vocabulary CxSpeechActs sha256:" in out
    code, out, _ = run("-", stdin=stdin)
    assert code == 0
    assert "assumed: vocabulary CxSpeechActs sha256:" in out
    assert run("-", "--vocabulary", "/no/such/file", stdin=stdin)[0] == 2


def test_it_stands_alone() -> None:
    """Only the standard library is imported, so it runs where koinii is not."""
    source = PROGRAM.read_text()
    imports = [line for line in source.splitlines() if line.startswith("import ")]

    assert "from " not in [line[:5] for line in source.splitlines()]
    assert {line.removeprefix("import ") for line in imports} <= sys.stdlib_module_names
    assert json.loads(TEXTS["absence"])["kind"] == "absence"


@pytest.mark.parametrize(("text", "verdict"), [(TEXTS["why"], 0), ("{}", 6)])
def test_a_reader_that_goes_leaves_the_verdict(
    text: str, verdict: int, tmp_path: Path
) -> None:
    proof = tmp_path / "proof.json"
    proof.write_text(text, encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(proof)],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (verdict, b"")


@pytest.mark.parametrize("name", ["inclusion 1", "why", "attribution 1", "dispute"])
@pytest.mark.parametrize(
    "expected",
    [
        *[{"keys": wrong} for wrong in (3, [3], b"x", object())],
        *[{"vocabulary": wrong} for wrong in (3, [3], b"x", "x", object())],
        *[{"root": 3}, {"root": b"x"}],
    ],
)
def test_what_is_expected_of_a_wrong_type_never_raises(
    name: str, expected: dict[str, Any]
) -> None:
    found = verify(TEXTS[name], **expected)
    assert not found
    assert found.reason
