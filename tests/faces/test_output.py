"""BC-107: output on any stream, in any locale, at any width."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from faces.command import COMMAND, environment, koinii, strict, within

WORDS = "\N{GRINNING FACE} \u6f22 \N{HEBREW LETTER ALEF} e\N{COMBINING ACUTE ACCENT}"
TEXT = f'(says Ann "{WORDS}")'
LOCALES: list[dict[str, str | None]] = [
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONIOENCODING": "ascii"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "POSIX"},
    {"LC_ALL": "C.UTF-8"},
]


@pytest.fixture
def spoken(here: Path) -> str:
    """A seat that holds a text beyond ASCII; return its locator."""
    return within("assert", TEXT).out.strip()


@pytest.mark.parametrize("env", LOCALES)
def test_bc_107_any_locale(env: dict[str, str | None], spoken: str) -> None:
    encoding = env.get("PYTHONIOENCODING") or "utf-8"
    asked = koinii("ask", "(says ?who ?what)", env=env, encoding=encoding)
    assert asked.code == 0
    assert asked.out.startswith('?who=Ann ?what="')
    shown = koinii("show", spoken, "--json", env=env, encoding=encoding)
    assert "\N{GRINNING FACE}" in shown.data["sentence"]
    wrong = koinii("ask", TEXT[:-1], "--json", env=env, encoding=encoding)
    assert (wrong.code, wrong.error["code"]) == (2, "koinii/unreadable")


def test_bc_107_what_has_no_spelling_is_escaped(spoken: str) -> None:
    env: dict[str, str | None] = {"PYTHONIOENCODING": "ascii"}
    done = koinii("ask", "(says ?who ?what)", env=env)
    assert "\\U0001f600 \\u6f22 \\u05d0 \\xe9" in done.out
    assert koinii("ask", "(says Ann ?x)", "--json", env=env).out.isascii()
    assert "\N{GRINNING FACE}" in koinii("ask", "(says Ann ?x)", "--json").out


@pytest.mark.parametrize("env", LOCALES)
def test_words_are_utf_8_whatever_the_locale(
    env: dict[str, str | None], here: Path
) -> None:
    done = koinii("assert", TEXT.encode(), env=env)
    assert done.out == within("locate", TEXT, "--in", "CxAtlas").out


def test_words_that_are_not_utf_8(here: Path) -> None:
    done = koinii("ask", b"(p \xff)", "--json")
    assert (done.code, done.error["code"]) == (2, "koinii/not-utf-8")
    assert "byte 3" in done.error["message"]


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        ('(p A)\n(says Ann "\u00e9")\n'.encode("cp1252"), 17),
        ("(p A)\n".encode("utf-16"), 0),
    ],
)
@pytest.mark.parametrize("name", ["-", "facts.kb"])
def test_bc_107_a_file_in_another_encoding(
    data: bytes, offset: int, name: str, here: Path
) -> None:
    (here / "facts.kb").write_bytes(data)
    done = within("load", name, "--json", stdin=data)
    assert (done.code, done.error["code"]) == (2, "koinii/not-utf-8")
    assert done.error["details"]["offset"] == offset
    assert within("ask", "(p A)").out == ""


ANY_LINES = [["status"], ["help"], ["ask", "(p", "--json"], ["log", "--json"]]


@pytest.mark.parametrize("words", ANY_LINES, ids=" ".join)
def test_bc_107_a_reader_that_is_gone(words: list[str], here: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout and process.stderr
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert process.wait(30) == (2 if "(p" in words else 0)
    assert told == (koinii(*words).err.encode())


@pytest.mark.parametrize("words", [["ask", "(likes ?x ?y)"], ["help"]])
def test_bc_107_head_1(words: list[str], here: Path) -> None:
    lines = [f'(likes P{number} "{"tea" * 130}")\n' for number in range(1000)]
    assert within("load", "-", stdin="".join(lines).encode()).code == 0
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f'"{COMMAND}" "$@" | head -1', "-", *words],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize(
    ("closed", "words"),
    [
        (">&-", ["ask", "(usesDatabase ?x ?y)"]),
        (">&-", ["commit"]),
        (">&- 2>&-", ["assert", "(likes Ann Tea)"]),
        (">&- 2>&-", ["push", "--json"]),
        ("2>&-", ["ask", "(p", "--json"]),
        ("<&-", ["push"]),
        ("<&- >&- 2>&-", ["ask", "(p"]),
        ("<&- >&- 2>&-", ["--help"]),
    ],
)
def test_bc_107_closed_streams(closed: str, words: list[str], here: Path) -> None:
    store = here / ".koinii/store.db"
    done = subprocess.run(
        ["bash", "-c", f'"{COMMAND}" "$@" {closed}', "-", *words],
        capture_output=True,
        check=False,
    )
    expected = koinii(*words)
    lost = ">&-" in closed.split() and expected.out and not expected.code
    assert done.returncode == (5 if lost else expected.code)
    assert b"Traceback" not in done.stderr
    assert b"fault" not in done.stderr
    assert store.read_bytes()[:15] == b"SQLite format 3"


def test_no_file_becomes_a_standard_stream() -> None:
    script = (
        "from koinii.faces.streams import open_standard_streams\n"
        "open_standard_streams()\n"
        "import os\n"
        "raise SystemExit(os.open(os.devnull, os.O_RDONLY))\n"
    )
    line = f"'{sys.executable}' -c \"$1\" <&- >&- 2>&-"
    done = subprocess.run(["bash", "-c", line, "-", script], check=False)
    assert done.returncode >= 3


def test_standard_input_that_is_closed(here: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"{COMMAND}" ask - --json <&-'],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert strict(done.stdout.decode())["error"]["code"] == "koinii/no-input"


def test_a_full_disk_under_standard_output(here: Path) -> None:
    for words in (["status"], ["ask", "(p", "--json"], ["status", "--json"]):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert done.returncode == (2 if "(p" in words else 5)
        assert b"standard output cannot be written: No space left" in done.stderr
        assert b"Traceback" not in done.stderr


def test_40_columns(here: Path) -> None:
    for words in (["help", "ask"], ["--help"], ["help", "remote"]):
        done = koinii(*words, env={"COLUMNS": "40"})
        assert done.code == 0
        shown = [line for line in done.out.splitlines() if "koinii " not in line]
        assert max(map(len, shown)) <= 40


def test_control_characters_of_others_are_spelled(here: Path) -> None:
    done = within("-C", "a\x1b[31m", "status")
    assert "\x1b" not in done.err
    assert "\\x1b[31m" in done.err


HIDDEN = [
    *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x61C,
    0xAD, 0x200B, 0x200D, 0x2060, 0x180E, 0xE0041,
]  # fmt: skip


@pytest.mark.parametrize("code", HIDDEN, ids=hex)
@pytest.mark.parametrize("color", ["never", "always"])
def test_what_turns_or_hides_text_is_spelled(code: int, color: str, here: Path) -> None:
    """In strings and in symbols, in data, notes and errors; in JSON it stays."""
    hidden = chr(code)
    escaped = f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    located = within("assert", f'(says A{hidden}n "x{hidden}y")').out.strip()
    within("commit")
    lines = (
        ["ask", "(says ?who ?what)"],
        ["show", located],
        ["argue", f'(says A{hidden}n "x{hidden}y")', "--in", "CxAtlas"],
        ["assert", f"(says ?x{hidden})"],
        ["ask", "(p ?x)", "--in", f"Cx{hidden}"],
        ["load", "-"],
    )
    for words in lines:
        done = within(*words, "--color", color, stdin=f"(p ?x{hidden})".encode())
        assert hidden not in done.out + done.err, words
        assert escaped in done.out + done.err, words
    (answer,) = within("ask", "(says ?who ?what)", "--json").data["answers"]
    assert answer == {"?who": f"A{hidden}n", "?what": f'"x{hidden}y"'}
    proof = within("prove", located).out
    assert within("verify", "-", stdin=proof.encode()).code == 0


def test_colour(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in within("log").out
    assert "\x1b[33m" in within("log", "--color", "always").out
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\x1b[33m" in within("log").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in within("log").out
    plain = within("log", "--color", "never").out
    colored = within("log", "--color", "always").out
    assert colored.replace("\x1b[33m", "").replace("\x1b[0m", "") == plain


def test_quiet_and_verbose(here: Path) -> None:
    assert within("ask", "(nothing ?x)", "-q").err == ""
    assert within("-q", "ask", "(nothing").err.startswith("koinii: ")
    assert "found by" in within("status", "-v").out
    assert "found by" not in within("status").out


def test_a_command_as_a_module(here: Path) -> None:
    module = (sys.executable, "-m", "koinii")
    for words in (["ask", "(usesDatabase ?x ?y)"], ["log"], ["ask", "(p"], ["help"]):
        assert koinii(*words, command=module) == koinii(*words)
    assert environment()["HOME"] == os.environ["HOME"]
