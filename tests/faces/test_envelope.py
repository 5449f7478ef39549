"""BC-013, BC-104: one JSON object whatever happens, and exit codes that tell."""

import os
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from faces.command import COMMAND, SENTENCE, Done, environment, koinii, strict, within
from koinii.faces.operations import OPERATIONS

LOCATOR = "sha256:" + "0" * 64
GIVEN = {
    "init": [".", "--as", "AgentAtlas"],
    "clone": ["gone.git", "copy", "--as", "AgentBoreas"],
    "show": ["1"],
    "audit": ["5f1d2c3b"],
    "diff": ["5f1d2c3b"],
    "push": ["nowhere"],
    "pull": ["nowhere"],
    "sync": ["nowhere"],
    "export": ["dump"],
    "import": ["dump"],
    "bundle create": ["stick.bundle"],
    "bundle verify": ["gone.bundle"],
    "bundle apply": ["gone.bundle"],
    "remote add": ["hub", "hub.git"],
    "remote rm": ["nowhere"],
    "assert": [SENTENCE],
    "retract": [LOCATOR],
    "edit": ["--add", SENTENCE],
    "load": ["-"],
    "ask": ["(usesDatabase ?x ?y)"],
    "search": ["cluster"],
    "argue": [SENTENCE, "--in", "CxAtlas"],
    "check": [SENTENCE],
    "rule": [f"{LOCATOR}+{LOCATOR}", SENTENCE, "--in", "CxDeploy"],
    "notify": ["--in", "CxDeploy"],
    "quarantine": ["--in", "CxDeploy"],
    "why": [LOCATOR],
    "why-not": [SENTENCE, "--in", "CxAtlas"],
    "watch": ["--once"],
    "locate": [SENTENCE, "--in", "CxAtlas"],
    "marker": [LOCATOR],
    "deref": [f"koinii:{LOCATOR}"],
    "prove": [LOCATOR],
    "verify": ["-"],
    "agent new": ["AgentExtra"],
    "agent trust": ["AgentAtlas", "SHA256:x"],
    "agent revoke": ["--key", "SHA256:x", "--reason", "lost"],
    "agent retire": ["--seat", "5f1d2c3b"],
    "admin grant": ["AgentAtlas"],
    "admin revoke": ["AgentAtlas", "--key", "SHA256:x", "--reason", "lost"],
    "follow": ["5f1d2c3b"],
    "unfollow": ["5f1d2c3b"],
    "channel new": ["CxDeploy"],
    "join": ["CxDeploy"],
    "pose": ["(whichDatabase ProdCluster)"],
    "answer": [LOCATOR, SENTENCE],
    "endorse": [LOCATOR],
    "justify": [LOCATOR, SENTENCE],
    "dispute": [LOCATOR],
    "vote": ["for", LOCATOR],
    "not-understood": [LOCATOR],
    "refuse": [LOCATOR],
    "reply-many": ["-"],
    "majority": [f"{LOCATOR}+{LOCATOR}", LOCATOR, "--in", "CxDeploy"],
    "believes": ["AgentAtlas", SENTENCE],
    "convene": ["CxHearing", "AgentAtlas"],
    "disagreements": ["CxHearing"],
    "registry new": ["AgentAtlas", "--name", "Atlas"],
    "registry trust": ["AgentAtlas", "1"],
}
LINES = {one.name: [*one.name.split(), *GIVEN.get(one.name, [])] for one in OPERATIONS}
CODES = {
    "init": 2, "clone": 5, "push": 3, "pull": 3, "sync": 3, "remote rm": 3,
    "bundle verify": 3, "bundle apply": 3,
    "agent trust": 3, "retract": 3, "marker": 3, "deref": 3, "prove": 3, "verify": 6,
    "join": 4, "why": 3, "agent revoke": 3, "agent retire": 3, "admin grant": 3,
    "admin revoke": 3, "admin forget": 3, "follow": 3, "unfollow": 3, "recover": 3,
    "import": 3, "audit": 3, "diff": 3, "rule": 4, "reply-many": 2,
    "answer": 3, "endorse": 3, "justify": 3, "dispute": 3, "vote": 3,
    "not-understood": 3, "refuse": 3, "majority": 3, "registry new": 3,
    "registry trust": 3,
}  # fmt: skip


def check(done: Done) -> None:
    """Check that the envelope and the exit code agree."""
    assert done.json["ok"] is (done.code in (0, 7)), done
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("words", LINES.values(), ids=LINES)
def test_every_verb_answers_in_json(words: list[str], here: Path) -> None:
    name = next(name for name, line in LINES.items() if line == words)
    before = within("--json", *words)
    check(before)
    assert before.code == CODES.get(name, 0), before
    if before.code:
        assert before.error["code"].startswith("koinii/")
        assert before.err.startswith(f"koinii: {before.error['message']}")
        assert f"hint: {before.error['hint']}" in before.err or not before.error["hint"]


@pytest.mark.parametrize("words", LINES.values(), ids=LINES)
def test_where_there_is_no_seat(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = within(*words, "--json")
    check(done)
    needs_none = ("init", "clone", "load", "verify", "version")
    if words[0] not in needs_none and words[:2] != ["bundle", "verify"]:
        assert (done.code, done.error["code"]) == (5, "koinii/no-seat")
        assert str(tmp_path) in done.error["details"]["looked"]


@pytest.mark.parametrize("words", LINES.values(), ids=LINES)
def test_a_usage_error_of_every_verb(words: list[str], here: Path) -> None:
    done = within(*words, "--no-such-flag", "--json")
    assert (done.code, done.error["code"]) == (2, "koinii/usage")
    assert "--no-such-flag" in done.error["message"]


@pytest.mark.parametrize(
    "words",
    [
        ["--json"],
        ["--format", "json"],
        ["--format=json", "nonsense"],
        ["nonsense", "--json"],
        ["remote", "nonsense", "--json"],
        ["help", "nonsense", "--json"],
        ["help", "ask", "--json"],
        ["help", "formats", "--json"],
        ["ask", "--help", "--json"],
        ["--version", "--json"],
        ["completion", "bash", "--json"],
        ["completion", "tcsh", "--json"],
        ["ask", "--in", "--json"],
        ["--format", "yaml", "--json", "ask", "(p ?x)"],
        ["--json", "--format", "text", "ask", "(p ?x)"],
        ["ask", "(p ?x)", "--color", "blue", "--json"],
        ["ask", "\N{LATIN SMALL LETTER E WITH ACUTE}", "--json"],
    ],
    ids=" ".join,
)
def test_any_line_with_json_answers_in_json(words: list[str], here: Path) -> None:
    check(within(*words))


def test_after_two_dashes_it_is_text(here: Path) -> None:
    done = within("ask", "--", "--json")
    assert done.code == 4
    assert done.out == ""


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"TERM": None}, []),
        ({"NO_COLOR": "1"}, ["-v"]),
        ({"CLICOLOR_FORCE": "1"}, ["--color", "never"]),
        ({"PYTHONWARNINGS": "always"}, []),
        ({"PYTHONDEVMODE": "1"}, ["-q"]),
        ({"COLUMNS": "40", "LC_ALL": "C"}, []),
    ],
)
def test_bc_013_surroundings_do_not_show(
    env: dict[str, str | None], words: list[str], here: Path
) -> None:
    done = koinii("ask", "(usesDatabase ?x ?y)", "--json", *words, env=env)
    assert done.data["answers"] == [{"?x": "ProdCluster", "?y": "Postgres"}]
    check(koinii("show", "99", "--json", *words, env=env))


def test_bc_013_into_a_file(here: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([COMMAND, "status", "--json"], stdout=out, check=True)
    strict((tmp_path / "out").read_text())


def test_bc_013_a_damaged_store(here: Path) -> None:
    store = here / ".koinii/store.db"
    store.write_bytes(b"no database" * 1000)
    done = within("ask", "(p ?x)", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/damaged-store")


def test_bc_013_a_bad_configuration(here: Path) -> None:
    (here / "seat.toml").write_text("format = 1\nagent = 3\n")
    done = within("status", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/bad-config")


def test_bc_104_nothing_found_no_seat_and_failed_differ(
    here: Path, tmp_path: Path
) -> None:
    nothing = within("ask", "(nothing ?x)")
    missing = within("-C", str(tmp_path), "ask", "(nothing ?x)")
    wrong = within("ask", "(nothing")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "no answers\n")
    assert (missing.code, wrong.code) == (5, 2)
    assert within("ask", "(nothing ?x)", "--json").data["answers"] == []


@pytest.mark.parametrize("words", [["--json"], []])
def test_ctrl_c(words: list[str], here: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "ask", "-", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    wait_until_it_reads(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err == b"koinii: interrupted\n"
    if words:
        assert strict(out.decode())["error"]["code"] == "koinii/interrupted"
    else:
        assert out == b""


def wait_until_it_reads(pid: int) -> None:
    """Wait until a process waits for its standard input, a pipe."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        call = Path(f"/proc/{pid}/syscall")
        words = call.read_text().split() if call.exists() else []
        if words[:2] == [str(READ), "0x0"]:
            return
        if not call.exists():
            time.sleep(1)
            return
        time.sleep(0.01)
    pytest.fail("it never read")


READ = {"x86_64": 0, "aarch64": 63}.get(os.uname().machine, 0)


def test_a_fault_of_ours_is_one_line(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import sys\n"
        "from koinii.seat.seat import Seat\n"
        "def ask(*_, **__):\n    raise ZeroDivisionError('one\\ntwo')\n"
        "Seat.ask = ask\n"
        "sys.argv = ['koinii', *sys.argv[1:]]\n"
        "from koinii.__main__ import main\n"
        "main()\n"
    )
    command = [str(Path(COMMAND).with_name("python")), "-c", script]
    line = [*command, "ask", "(p ?x)", "--json"]
    done = subprocess.run(line, capture_output=True, check=False, text=True)
    assert done.returncode == 1
    assert strict(done.stdout)["error"]["code"] == "koinii/internal"
    first, hint = done.stderr.splitlines()
    assert first == "koinii: a fault of koinii itself: ZeroDivisionError: one two"
    assert "report" in hint
    monkeypatch.setenv("KOINII_DEBUG", "1")
    shown = subprocess.run(line, capture_output=True, check=False, text=True)
    assert "Traceback" in shown.stderr
    strict(shown.stdout)


def test_a_part_that_was_refused_is_told(here: Path) -> None:
    done = within(
        "load", "-", "--json", stdin=b"(likes Ann Tea)\n(likes\n(likes ?x A)\n"
    )
    assert done.code == 7
    assert (done.data["new"], len(done.data["refused"])) == (1, 2)
    text = within("load", "-", stdin=b"(likes Ann Tea)\n(likes\n")
    assert (text.code, text.out) == (7, "new 0, changed 0, already 1, refused 1\n")
    assert text.err.startswith("line 2: koinii/unreadable: column ")


def test_a_system_error_is_of_the_environment(here: Path) -> None:
    """A key that is a directory, which no layer expects."""
    key = here / ".koinii/keys/AgentAtlas"
    key.unlink()
    key.mkdir()
    within("assert", "(likes Ann Tea)")
    done = within("commit", "--json")
    assert done.code in (5, 6)
    assert stat.S_ISDIR(key.stat().st_mode)
