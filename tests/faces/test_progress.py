"""Long work shows how far it is, on a terminal and nowhere else."""

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import koinii as api
from faces.command import COMMAND, environment, within
from koinii.__main__ import understand
from koinii.faces import performing
from koinii.faces.invocation import Invocation
from koinii.faces.progress import Watcher
from koinii.seat.watching import unwatched

LINES = b"".join(b"(n %d)\n" % number for number in range(20_000))
MORE = b"".join(b"(m %d)\n" % number for number in range(20_000))
LINE = re.compile(r"loading [\d,]+ lines, [\d,]+/s")


def typed(*words: str, slowly: float) -> tuple[int, str, str]:
    """Run a command whose standard error is a terminal; return what both got."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [COMMAND, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(TERM="xterm"),
    ) as child:
        os.close(theirs)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(LINES)
        child.stdin.flush()
        time.sleep(slowly)
        child.stdin.write(MORE)
        child.stdin.close()
        out = child.stdout.read().decode()
        err = _all_of(ours).decode()
    os.close(ours)
    return child.returncode, out, err


def _all_of(descriptor: int) -> bytes:
    found = b""
    try:
        while data := os.read(descriptor, 4096):
            found += data
    except OSError:
        pass  # the other end is closed
    return found


def test_a_long_load_shows_counts_and_rate(here: Path) -> None:
    code, out, err = typed("load", "-", slowly=2.5)
    assert code == 0
    assert out == "new 40000, changed 0, already 0, refused 0\n"
    assert LINE.search(err), err
    assert "\x1b[?25h" in err[err.rindex("\x1b[?25l") :]  # the cursor is back


def test_where_it_is_not_wanted_it_is_not_shown(here: Path) -> None:
    assert typed("load", "-", "-q", slowly=1.5)[::2] == (0, "")


@pytest.mark.parametrize(
    ("line", "terminal", "term", "shown"),
    [
        ("load x", True, "xterm", True),
        ("pull", True, "xterm", True),
        ("clone a b", True, "xterm", True),
        ("load x", False, "xterm", False),
        ("load x", True, "dumb", False),
        ("load x --json", True, "xterm", False),
        ("load x -q", True, "xterm", False),
        ("ask x", True, "xterm", False),
        ("push", True, "xterm", False),
    ],
)
def test_who_is_shown_it(
    *,
    line: str,
    terminal: bool,
    term: str,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(performing, "is_terminal", lambda stream: terminal)
    monkeypatch.setenv("TERM", term)
    asked = understand(line.split())
    assert isinstance(asked, Invocation)
    assert performing._shows_progress(asked) is shown


def test_short_work_shows_and_loads_nothing(here: Path) -> None:
    (here / "few.kb").write_text("(likes Ann Tea)\n")
    script = (
        "import sys; from koinii.__main__ import understand\n"
        "from koinii.faces.performing import run\n"
        "run(['load', 'few.kb'], understand)\n"
        "print(*sorted(one for one in sys.modules if one.startswith('rich')))\n"
    )
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=environment(TERM="xterm"),
        check=True,
    )
    os.close(theirs)
    assert _all_of(ours) == b""
    os.close(ours)
    assert done.stdout.decode().splitlines()[1:] == [""]


def test_a_pull_and_a_clone_tell_what_they_do(tmp_path: Path) -> None:
    told: dict[str, int] = {}

    def watch(doing: str, more: int) -> None:
        told[doing] = told.get(doing, 0) + more

    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
    with api.init(str(tmp_path / "one"), agent="AgentAtlas") as seat:
        seat.progress = watch
        seat.load([f"(n {number})" for number in range(3_000)])
        assert told == {"loading": 3_000, "finishing": 0}
        seat.remotes.add("origin", str(hub))
        seat.commit()
        told.clear()
        seat.push()
        assert told["sending"] >= 10
    told.clear()
    with api.clone(str(hub), str(tmp_path / "two"), agent="AgentBoreas", watch=watch):
        assert told.pop("receiving") >= 10
        assert told == {"reading": 3_000, "applying": 3_000, "settling": 0}
    with api.init(str(tmp_path / "three"), agent="AgentCedar") as seat:
        assert seat.progress is unwatched
        seat.remotes.add("origin", str(hub))
        seat.progress = watch
        assert seat.pull().new == 3_000
    assert told.pop("receiving") >= 10
    assert told == {"reading": 6_000, "applying": 6_000, "settling": 0}


def test_what_ends_early_shows_nothing_later(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ZeroDivisionError), Watcher(0.05) as watch:
        watch("loading", 1)
        raise ZeroDivisionError
    time.sleep(0.3)
    assert capsys.readouterr().err == ""


def test_an_error_within_is_told(here: Path) -> None:
    done = within("load", "gone.kb")
    assert done.code == 3
