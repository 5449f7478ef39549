"""What is said of a key that is missing, of another file, and of a taken name."""

from pathlib import Path

from faces.command import within


def test_a_file_that_is_no_key_keeps_its_mode(here: Path, tmp_path: Path) -> None:
    other = tmp_path / "passwd"
    other.write_text("root:x:0:0:root:/root:/bin/bash\n")
    other.chmod(0o644)
    made = str(tmp_path / "made")
    for words in (["agent", "new", "AgentCleo"], ["init", made, "--as", "AgentCleo"]):
        done = within(*words, "--key", str(other), "--json")
        assert (done.code, done.error["code"]) == (6, "koinii/bad-key-file")
        assert str(other) in done.error["message"]
        assert "chmod" not in done.error["hint"]


def test_an_agent_that_is_here_has_no_other_key(here: Path, tmp_path: Path) -> None:
    done = within("agent", "new", "AgentAtlas", "--json")
    assert (done.code, done.error["code"]) == (2, "koinii/already-an-agent")
    assert done.error["message"] == "AgentAtlas is an agent of this seat already"
    assert within("agent", "new", "AgentCleo", "--json").data["name"] == "AgentCleo"
    key = here / ".koinii/keys/AgentCleo"
    other = within("agent", "new", "AgentAtlas", "--key", str(key), "--json")
    assert other.error["code"] == "koinii/already-an-agent"
    assert "another key" in other.error["message"]


def test_a_key_that_is_gone_is_told_with_what_to_do(here: Path) -> None:
    (here / ".koinii/keys/AgentAtlas").unlink()
    done = within("assert", "(likes Ann Tea)", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/key-unreadable")
    assert "koinii doctor" in done.error["hint"]
    assert within("commit", "--json").code == 0
