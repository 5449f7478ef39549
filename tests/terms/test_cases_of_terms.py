"""Public reports that values, text and bytes can meet, by their case id."""

import os
import random
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from koinii.errors import ReadError, RefusedError
from koinii.terms import Term, canonical, decode, encode, locate, read, write
from koinii.terms.encoding import MAX_ENCODED
from koinii.terms.reader import read_all, read_canonical
from koinii.terms.term import MAX_TEXT, same

COMPOSED, DECOMPOSED = "Caf\u00e9", "Cafe\u0301"
SIZES = [0, 23, 24, 255, 256, *range(4085, 4101), *range(65_534, 65_542), 2**20]
FAULTS = 20_000
LENGTHS = [b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff"]


def test_bc_037_composed_and_decomposed_accents_are_one_name() -> None:
    for sentence in ("(locatedIn {} Paris)", '(comment Place "{}")', "(p {}/x)"):
        first = locate("CxA", sentence.format(COMPOSED))
        assert locate("CxA", sentence.format(DECOMPOSED)) == first
    with pytest.raises(ReadError):
        read_canonical(f"(locatedIn {DECOMPOSED} Paris)")
    with pytest.raises(RefusedError):
        encode(DECOMPOSED)


@pytest.mark.parametrize("size", SIZES)
def test_bc_112_text_of_any_length_comes_back_byte_for_byte(size: int) -> None:
    """Also with a character of several bytes across each edge."""
    for text in ("x" * size, "x" * max(0, size - 2) + "日x", "x" * size + "😀"):
        data = text.encode()
        encoded = encode(text)
        assert encoded == b"\x08" + len(data).to_bytes(4, "big") + data
        assert decode(encoded, limit=2**21) == text
        spelled = write(text)
        assert read_canonical(spelled, limit=2**21) == text
        locator = sha256(b"\x0b\0\0\0\1" + encoded).hexdigest()
        assert sha256(encode((text,))).hexdigest() == locator


@pytest.mark.parametrize(
    "text", ["##NaN", "##Inf", "##-Inf", "1e999", "-1e309", "1.#INF"]
)
def test_bc_126_text_has_no_nan_and_no_infinities(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


@pytest.mark.parametrize("value", [1e308 * 10, -1e308 * 10, float("nan")])
def test_bc_126_values_are_never_nan_or_infinite(value: float) -> None:
    for made in (value, -value, (value,)):
        with pytest.raises(RefusedError):
            encode(made)
        with pytest.raises(RefusedError):
            write(made)


@pytest.mark.parametrize(
    "bits",
    ["7ff8000000000000", "fff8000000000000", "7ff8000000000001", "7ff0000000000000",
     "fff0000000000000", "8000000000000000", "7ff0000000000001"],
)  # fmt: skip
def test_bc_126_bytes_have_one_form_of_zero_and_no_nan(bits: str) -> None:
    with pytest.raises(RefusedError):
        decode(b"\x05" + bytes.fromhex(bits))


def test_bc_126_minus_zero_is_zero_and_the_smallest_float_stays() -> None:
    assert encode(-0.0) == encode(0.0)
    assert write(-0.0) == write(read("-0.0")) == "0.0"
    assert read("5e-324") == 5e-324
    assert decode(encode(5e-324)) == 5e-324


SAMPLES = [
    "(usesDatabase ProdCluster Postgres)",
    '(comment Café "日本 \\"x\\" \\u2028 😀")',
    "(p nil true false -1 9223372036854775808 1.5e-07 -22/7 -0.005M \\u0000 \\日 :a/b)",
    "(implies (and (p ?x (F ?y)) (not (q ?y)) (lessThan ?x 3)) (set/x ?x))",
    "(((((((((())))))))))",
    f"(big {'7' * 400} {'(a ' * 40}{')' * 40})",
]


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            changed[at:at] = bytes([chance.randrange(256)])
        elif kind == 1:
            del changed[at : at + chance.randint(1, 9)]
        elif kind == 2:
            start = chance.randrange(len(data))
            changed[at:at] = data[start : start + chance.randint(1, 30)]
        elif kind == 3:
            changed[at : at + 4] = chance.choice(
                [b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff"]
            )
        elif at < len(changed):
            changed[at] ^= 1 << chance.randrange(8)
    return bytes(changed)


def test_bc_127_bytes_raise_only_our_refusal() -> None:
    chance = random.Random(127)
    encodings = [encode(read(sample)) for sample in SAMPLES]
    accepted = 0
    for _ in range(FAULTS):
        data = mutated(chance.choice(encodings), chance)
        try:
            term = decode(data)
        except RefusedError:
            continue
        accepted += 1
        assert encode(term) == data
    assert 0 < accepted < FAULTS


def test_bc_127_text_raises_only_our_refusal() -> None:
    chance = random.Random(128)
    samples = [sample.encode() for sample in SAMPLES]
    accepted = 0
    for _ in range(FAULTS):
        data = mutated(chance.choice(samples), chance)
        text = data.decode("utf-8", chance.choice(["surrogateescape", "replace"]))
        try:
            term = read(text)
        except ReadError as refused:
            assert refused.line <= text.count("\n") + 1
            assert refused.column <= len(refused.text) + 1
            continue
        accepted += 1
        assert same(read_canonical(write(term)), term)
    assert 0 < accepted < FAULTS


HASH_SEED_SCRIPT = """
import json, sys
from hashlib import sha256
from koinii.terms import Symbol, canonical, encode, locate, read, write
from koinii.terms.order import sort_by_content
from koinii.terms.match import variables

cases = json.load(open(sys.argv[1], encoding="utf-8"))["cases"]
texts = [case["input"].replace("7N", "7") for case in cases]
forms = [canonical(read(text)) for text in texts]
lines = [write(form) for form in sort_by_content(forms)]
lines += [locate(Symbol("CxTest"), form) for form in forms]
lines += [repr(variables(form)) for form in forms]
print(sha256("\\n".join(lines).encode()).hexdigest(), len(lines))
"""


def test_bc_128_output_does_not_depend_on_hash_seed_or_locale() -> None:
    vectors = Path(__file__).parent.parent / "vectors" / "canonical-random.json"
    outputs = set()
    for seed in range(10):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": str(seed),
            "LC_ALL": ["C", "C.UTF-8"][seed % 2],
        }
        done = subprocess.run(
            [sys.executable, "-c", HASH_SEED_SCRIPT, str(vectors)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    (output,) = outputs
    assert output.split()[1] == "600"


HOSTILE = {
    "digits": "9" * MAX_TEXT,
    "places": f"1.{'5' * 65_000}",
    "exponent": f"1e{'9' * 65_000}",
    "integers": f"({'1 ' * 32_000})",
    "longest integers": f"({('9' * 4300 + ' ') * 15})",
    "longest ratios": f"({('9' * 4300 + '/' + '7' * 4300 + ' ') * 7})",
    "names": f"({' '.join(f'a{n}' for n in range(9_000))})",
    "slashes": "a/" * 32_000,
    "backslashes": '"' + "\\" * 65_000,
    "escapes": f'"{chr(92)}n' * 16_000 + '"',
    "comments": ";\n" * 32_000,
    "open lists": "(" * MAX_TEXT,
    "empty lists": f"({'()' * 32_000})",
    "marks in turn": '"a' + "\u0301\u0316" * 16_000 + '"',
    "marks that come apart": '"' + "\u0f73" * 21_000 + '"',
    "jamo": '"' + "\u1100\u1161" * 10_000 + '"',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_bc_131_no_text_takes_long(name: str) -> None:
    """A second is some ten times what the slowest takes on a slow machine."""
    text = HOSTILE[name]
    started = time.process_time()
    for way in (read, read_canonical, lambda given: list(read_all(given))):
        try:
            way(text)
        except ReadError:
            continue
    assert time.process_time() - started < 3


def test_bc_131_one_line_of_many_terms_is_linear() -> None:
    def taken(count: int) -> float:
        text = "7 " * count
        started = time.process_time()
        assert sum(1 for _ in read_all(text)) == count
        return time.process_time() - started

    taken(1_000)
    assert taken(160_000) < 40 * taken(16_000) + 0.05


def test_bc_131_a_rule_within_the_limits_takes_bounded_time() -> None:
    shared = " ".join(f"?{n}" for n in range(26))
    turned = [f"{shared[n * 3 % 70 :]} {shared[: n * 3 % 70]}" for n in range(64)]
    literals = [f"(f {' '.join(turn.split())} ?v{n})" for n, turn in enumerate(turned)]
    rule = read(f"(implies (and {' '.join(literals)}) (g ?v1))")
    started = time.process_time()
    try:
        canonical(rule)
    except RefusedError as refused:
        assert refused.code == "too-symmetric"
    assert time.process_time() - started < 10


def test_what_can_be_read_can_be_encoded_within_the_limit() -> None:
    """The limit on bytes is never what refuses a sentence."""
    words = ["1 ", "a ", "() ", "\\a ", "nil ", ":a ", "0.0 ", "1M "]
    widest: list[Term] = [read(f"({word * (65_000 // len(word))})") for word in words]
    for term in widest:
        assert len(encode(term)) <= MAX_ENCODED
        assert same(decode(encode(term)), term)
