"""BC-046: which seat and agent are meant, and that nothing else is taken."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import koinii
from faces.command import COMMAND, within
from faces.command import koinii as command


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another seat, of another agent."""
    folder = tmp_path / "other"
    koinii.init(str(folder), agent="AgentBoreas").close()
    return folder


def where(*words: str) -> str:
    """Return the directory of the seat a command is about."""
    done = within("status", "--json", *words)
    assert done.code == 0, done
    return str(done.data["directory"])


@pytest.mark.parametrize("place", [".", "src", "src/deep/er"])
def test_bc_046_from_a_subfolder(
    place: str, seat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seat / "src/deep/er").mkdir(parents=True)
    monkeypatch.chdir(seat / place)
    assert where() == str(seat)
    assert str(seat / place).removesuffix("/.") in within("status", "-v").out


def test_bc_046_through_a_symbolic_link(
    seat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seat / "src").mkdir()
    (tmp_path / "link").symlink_to(seat / "src")
    monkeypatch.chdir(tmp_path / "link")
    assert where() == str(seat)
    monkeypatch.chdir(tmp_path)
    assert where("-C", "link") == str(seat)


def test_bc_046_the_inner_seat_is_meant(
    seat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = seat / "vendor/inner"
    koinii.init(str(inner), agent="AgentBoreas").close()
    (inner / "src").mkdir()
    monkeypatch.chdir(inner / "src")
    assert where() == str(inner)


def test_bc_046_in_a_linked_worktree(
    seat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where only the file that git tracks appears."""
    worktree = seat / "worktree"
    worktree.mkdir()
    (worktree / ".git").write_text(f"gitdir: {seat}/.git/worktrees/worktree\n")
    shutil.copy(seat / "seat.toml", worktree)
    monkeypatch.chdir(worktree)
    assert where() == str(seat)


def test_bc_046_in_a_git_repository(
    seat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seat / "src").mkdir()
    for line in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(seat), *line], check=True)
    listed = subprocess.run(
        ["git", "-C", str(seat), "ls-files"], capture_output=True, check=True, text=True
    )
    assert ".koinii" not in listed.stdout
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.chdir(seat / "src")
    assert where() == str(seat)


def test_bc_046_named_by_flag_or_environment(
    seat: Path, other: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(seat)
    monkeypatch.setenv("KOINII_SEAT", str(other))
    assert where() == str(other)
    assert where("-C", str(seat)) == str(seat)


@pytest.mark.parametrize("name", ["gone", "empty", ""])
@pytest.mark.parametrize("how", ["-C", "KOINII_SEAT"])
def test_bc_046_what_is_named_and_no_seat_is_an_error(
    name: str, how: str, seat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(seat)
    if how == "-C":
        done = within("-C", name and str(tmp_path / name), "assert", "(p A)", "--json")
    else:
        monkeypatch.setenv("KOINII_SEAT", name and str(tmp_path / name))
        done = within("assert", "(p A)", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/no-seat")
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == []
    monkeypatch.delenv("KOINII_SEAT", raising=False)
    assert within("ask", "(p A)").out == ""


def test_bc_046_nothing_is_made_without_init(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (["assert", "(p A)"], ["commit"], ["pull"], ["config"]):
        assert within(*words).code == 5
    assert list(tmp_path.iterdir()) == []


def test_bc_046_the_current_directory_is_gone(seat: Path, tmp_path: Path) -> None:
    script = (
        f'cd "$1" && rmdir "$1" && "{COMMAND}" status --json; "{COMMAND}" -C "$2" log'
    )
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        ["bash", "-c", script, "-", str(gone), str(seat)],
        capture_output=True,
        check=False,
        text=True,
    )
    assert '"koinii/no-directory"' in done.stdout
    assert "Traceback" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("words", [["init"], ["init", "desk"], ["-C", ".", "init"]])
def test_a_seat_is_not_made_where_the_directory_is_gone(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = within(*words, "--as", "AgentAtlas", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/no-directory")
    assert "cd to one that exists" in done.error["hint"]


def test_init_beside_and_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "desk").mkdir()
    assert within("-C", "desk", "init", "--as", "AgentAtlas").code == 0
    assert within("init", "desk2", "--as", "AgentAtlas").code == 0
    again = within("init", "desk", "--as", "AgentAtlas", "--json")
    assert (again.code, again.error["code"]) == (2, "koinii/already-a-seat")
    assert {path.name for path in tmp_path.iterdir()} == {"desk", "desk2"}


def test_the_acting_agent(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert within("agent", "new", "AgentBoreas").code == 0

    def speaker(*words: str) -> str:
        located = within("assert", "(likes Ann Tea)", *words).out.strip()
        (author,) = within("show", located, "--json").data["authors"]
        within("retract", located, "--as", author["agent"])
        return str(author["agent"])

    assert speaker() == "AgentAtlas"
    monkeypatch.setenv("KOINII_AGENT", "AgentBoreas")
    assert speaker() == "AgentBoreas"
    assert speaker("--as", "AgentAtlas") == "AgentAtlas"
    monkeypatch.setenv("KOINII_AGENT", "AgentNobody")
    done = within("assert", "(p A)", "--json")
    assert (done.code, done.error["code"]) == (3, "koinii/unknown-agent")


def test_settings_and_their_origins(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def origins() -> dict[str, tuple[str, str]]:
        listed = within("config", "--show-origin", "--json").data["settings"]
        return {one["name"]: (one["value"], one["origin"]) for one in listed}

    toml = str(here / "seat.toml")
    assert origins() == {
        "seat": (str(here), f"searching upward from {here}"),
        "agent": ("AgentAtlas", toml),
        "mode": ("cooperative", toml),
        "color": ("auto", "default"),
    }
    monkeypatch.setenv("KOINII_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text('color = "never"\nagent = "AgentMine"\n')
    assert origins()["color"] == ("never", str(tmp_path / "config.toml"))
    monkeypatch.setenv("KOINII_AGENT", "AgentBoreas")
    assert origins()["agent"] == ("AgentBoreas", "KOINII_AGENT")
    assert "(KOINII_AGENT)" in within("config", "list", "--show-origin").out
    assert "(" not in within("config", "list").out


def test_the_users_agent_founds_a_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "koinii").mkdir()
    (tmp_path / "koinii/config.toml").write_text('agent = "AgentMine"\n')
    made = within("init", str(tmp_path / "desk"), "--json")
    assert made.data["agent"] == "AgentMine"


@pytest.mark.parametrize(
    "text", ["colour = 'never'", "color = 3", "color = 'red'", "x"]
)
def test_a_users_file_that_is_wrong(
    text: str, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOINII_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text(text)
    done = within("log", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/bad-config")
    assert str(tmp_path / "config.toml") in done.error["message"]


def test_bc_045_no_git_is_one_sentence(here: Path) -> None:
    """Where only git will do; a push goes without, and misses the place."""
    env: dict[str, str | None] = {"PATH": "/nowhere"}
    assert within("remote", "add", "origin", "hub.git").code == 0
    assert command("ask", "(p ?x)", env=env).code == 0
    done = command("push", "--json", env=env)
    assert (done.code, done.error["code"]) == (5, "koinii/no-repository")
    done = command("bundle", "create", "out.bundle", "--json", env=env)
    assert (done.code, done.error["code"]) == (5, "koinii/no-git")
    assert "git" in done.error["message"]
    assert os.fspath(here) == where()


def test_a_path_of_a_remote_means_the_same_from_everywhere(here: Path) -> None:
    assert within("remote", "add", "origin", "../hub.git").code == 0
    assert within("remote", "add", "far", "ann@host.example:hub.git").code == 0
    assert within("remote", "--json").data == {
        "far": "ann@host.example:hub.git",
        "origin": str(here.parent / "hub.git"),
    }
