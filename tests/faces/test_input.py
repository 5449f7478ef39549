"""BC-108, BC-127: texts on their way in arrive byte for byte, or are refused."""

import random
from pathlib import Path

import pytest

from faces.command import koinii, within
from koinii.terms import write

TEXTS = [
    "-rf", "--help", "", " ", "=", "a=b c=d", "two\nlines", "ends in a newline\n",
    "crlf\r\nhere", "tab\there", "$(reboot) `ls` ; | & > <", "'single' and \"double\"",
    "back\\slash \\n", "\u2028\u2029\u0085\ufeff", "\N{GRINNING FACE}" * 50, "-", "--",
    "%s {0} ${HOME}", "x" * 60_000,
]  # fmt: skip


def sentence(text: str) -> str:
    """Return a sentence that holds a text, in canonical spelling."""
    return f"(says Ann {write(text)})"


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:12]))
def test_bc_108_a_text_in_a_sentence(text: str, here: Path) -> None:
    by_argument = koinii("assert", sentence(text))
    assert by_argument.code == 0
    locator = by_argument.out
    said = sentence(text).encode()
    assert within("assert", "-", stdin=said).out == locator
    assert within("assert", "-", stdin=said + b"\r\n").out == locator
    (here / "one.kb").write_bytes(said + b"\n")
    loaded = within("load", "one.kb", "--json").data
    assert (loaded["new"], loaded["already"]) == (0, 1)
    (answer,) = within("ask", "(says Ann ?x)", "--json").data["answers"]
    assert answer["?x"] == write(text)


@pytest.mark.parametrize("text", TEXTS[:-2], ids=lambda text: ascii(text[:12]))
def test_bc_108_a_text_that_is_no_sentence(text: str, here: Path) -> None:
    """Never taken for a flag after `--`, never cut: refused with what is wrong."""
    done = within("assert", "--json", "--", text, stdin=b"also none")
    assert done.code in (2, 4)
    assert within("ask", "(says ?x ?y)").out == ""
    assert within("assert", text, stdin=b"").code in (0, 2, 4)


def test_bc_108_a_dash_is_not_swallowed(here: Path) -> None:
    done = within("assert", "-rf", "--json")
    assert (done.code, done.error["code"]) == (2, "koinii/usage")
    assert "--" in done.error["hint"]


@pytest.mark.parametrize("size", [65_537, 200_000, 2_000_000])
def test_bc_108_too_long(size: int, here: Path, tmp_path: Path) -> None:
    said = f'(says Ann "{"x" * size}")'
    (here / "long.kb").write_text(said)
    for done in (
        within("assert", said, "--json"),
        within("assert", "-", "--json", stdin=said.encode()),
    ):
        assert done.code == 2
        assert "longer than" in done.error["message"]
        assert any(limit in done.error["message"] for limit in ("65536", "1048576"))
    loaded = within("load", "long.kb", "--json")
    assert loaded.code == (7 if size < 1 << 20 else 2)
    assert within("ask", "(says Ann ?x)").out == ""


def test_several_values_of_one_flag_are_not_dropped(here: Path) -> None:
    done = within("ask", "(p ?x)", "--in", "CxA", "--in", "CxB", "--json")
    assert (done.code, done.error["code"]) == (2, "koinii/usage")
    assert "twice" in done.error["message"]
    extra = within("retract", "12345678", "23456789", "--json")
    assert extra.code == 2
    both = within("edit", "--add", "(p A)", "--add", "(p B)", "--json")
    assert len(both.data["added"]) == 2


@pytest.mark.parametrize("name", ["gone.kb", ".", "a\nb", "no/such/file"])
def test_files_that_cannot_be_read(name: str, here: Path) -> None:
    for verb in ("load", "verify"):
        done = within(verb, name, "--json")
        assert done.code == (5 if name == "." else 3)
        assert done.error["code"] == "koinii/no-file"


def test_a_file_named_like_a_flag(here: Path) -> None:
    (here / "-n").write_text("(likes Ann Tea)\n")
    assert within("load", "--", "-n").out.startswith("new 1,")


def mutated(source: random.Random, seed: bytes) -> bytes:
    """Return a text with a few bytes changed, cut or doubled."""
    data = bytearray(seed)
    for _ in range(source.randrange(1, 5)):
        at = source.randrange(len(data) or 1)
        choice = source.randrange(4)
        if choice == 0:
            data[at : at + 1] = bytes([source.randrange(256)])
        elif choice == 1:
            del data[at : at + source.randrange(1, 20)]
        elif choice == 2:
            data[at:at] = data[at : at + source.randrange(1, 20)]
        else:
            data[at:at] = source.choice([b"(", b'"', b"\\", b"\x00", b"9" * 5000, b"["])
    return bytes(data)


def test_bc_127_only_our_own_refusals(here: Path) -> None:
    """`within` fails on what is not one of our errors."""
    source = random.Random(127)
    locator = within("locate", "(usesDatabase ProdCluster Postgres)", "--in", "CxAtlas")
    proof = within("prove", locator.out.strip()).out.encode()
    marker = within("marker", locator.out.strip()).out.encode()
    line = b'(says Ann "caf\xc3\xa9" (list 1 2.5 3/4 1.5M :k \\c nil)) ; note'
    for _ in range(150):
        checked = within("verify", "-", "--json", stdin=mutated(source, proof))
        assert checked.code in (2, 6)
        found = within("deref", "-", "--json", stdin=mutated(source, marker))
        assert found.code in (0, 2, 3, 4, 6)
        loaded = within("load", "-", "-n", "--json", stdin=mutated(source, line))
        assert loaded.code in (0, 2, 7)
        asked = within("ask", "-", "--json", stdin=mutated(source, line))
        assert asked.code in (0, 2, 4)
        assert all(done.json for done in (checked, found, loaded, asked))


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (str(2**63), f"at most {2**63 - 1}"),
        ("9" * 5000, f"at most {2**63 - 1}"),
        ("-1", ""),
        ("x", "0 or more"),
        ("\N{SUPERSCRIPT TWO}", "0 or more"),
    ],
    ids=["beyond", "long", "less", "word", "digit"],
)
def test_a_number_that_is_refused(number: str, told: str, here: Path) -> None:
    done = within("log", "--limit", number, "--json")

    assert (done.code, done.error["code"]) == (2, "koinii/usage")
    assert told in done.error["message"]


def test_the_greatest_number_is_one(here: Path) -> None:
    for number in (str(2**63 - 1), "0" * 30 + "1"):
        assert within("log", "--limit", number, "--json").code == 0
        assert within("watch", "--once", "--since", number, "--json").code in (0, 2)
