"""The text and the data of every verb, as scripts rely on them."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from faces.command import SENTENCE, koinii, within
from koinii.history.tlogproof import parse_tlog
from koinii.note import PrivateKey

KEY = PrivateKey.from_seed(b"k" * 32)
LOCATOR = re.compile(r"sha256:[0-9a-f]{64}\n")


def test_assert_prints_the_locator(here: Path) -> None:
    done = within("assert", "(likes Ann Tea)", "--in", "CxAtlas")
    assert LOCATOR.fullmatch(done.out)
    assert (done.code, done.err) == (0, "")
    assert within("locate", "(likes Ann Tea)", "--in", "CxAtlas").out == done.out
    assert within("retract", done.out[7:17]).out == done.out
    again = within("retract", done.out.strip(), "--json")
    assert (again.code, again.error["code"]) == (3, "koinii/unknown-locator")


def test_ask_prints_a_line_for_each_answer_by_content(here: Path) -> None:
    lines = b'(size B 10)\n(size A 2)\n(size A 10)\n(size A "2")\n(size A 1.5)\n'
    within("load", "-", stdin=lines)
    done = within("ask", "(size ?c ?d)")
    assert done.out.splitlines() == [
        "?c=A ?d=1.5",
        "?c=A ?d=2",
        "?c=A ?d=10",
        '?c=A ?d="2"',
        "?c=B ?d=10",
    ]
    limited = within("ask", "(size ?c ?d)", "--limit", "2")
    assert limited.out.splitlines() == done.out.splitlines()[:2]
    assert limited.err == "2 shown, and there are more\n"
    data = within("ask", "(size A ?d)", "--limit", "1", "--json").data
    assert data == {"answers": [{"?d": "1.5"}], "more": True}


def test_ask_a_ground_goal(here: Path) -> None:
    assert within("ask", SENTENCE).out == "true\n"
    assert within("ask", SENTENCE, "--json").data["answers"] == [{}]
    none = within("ask", "(usesDatabase ProdCluster Oracle)")
    assert (none.code, none.out, none.err) == (0, "", "no answers\n")


def test_ask_reads_where_it_is_told(here: Path) -> None:
    within("channel", "new", "CxDeploy")
    goal = "(usesDatabase ?x ?y)"
    assert within("ask", goal, "--in", "CxDeploy").out == ""
    assert within("ask", goal, "--in", "CxDeploy", "--scope", "any").out != ""
    within("join", "CxDeploy")
    assert within("ask", goal, "--in", "CxDeploy").out != ""
    assert within("ask", goal, "--in", "CxDeploy", "--scope", "exact").out == ""
    assert within("channel").out == "CxDeploy\n"
    assert within("channel", "list", "--json").data == {"names": ["CxDeploy"]}
    wrong = within("ask", goal, "--in", "deploy", "--json")
    assert (wrong.code, wrong.error["code"]) == (4, "naming")


def test_a_scope_needs_a_context(here: Path) -> None:
    for scope in ("cone", "exact"):
        done = within("ask", SENTENCE, "--scope", scope, "--json")
        assert (done.code, done.error["details"]) == (2, {"parameter": "--scope"})
        assert "every context" in done.error["message"]
        assert within("ask", SENTENCE, "--in", "CxAtlas", "--scope", scope).out
    assert within("ask", SENTENCE, "--scope", "any").out == "true\n"
    assert "every context" in within("ask", "--help").out


def test_a_context_that_is_not_known_here_is_told(here: Path) -> None:
    told = "no answers\nno context CxAtlsa is known here\n"
    done = within("ask", "(p ?x)", "--in", "CxAtlsa")
    assert (done.code, done.out, done.err) == (0, "", told)
    data = within("ask", "(p ?x)", "--in", "CxAtlsa", "--json").data
    assert data == {"answers": [], "more": False, "unknown_context": "CxAtlsa"}
    within("channel", "new", "CxDeploy")
    argued = within("argue", SENTENCE, "--in", "CxAtlsa")
    assert (argued.code, argued.out) == (0, "unknown\n")
    assert argued.err == "no context CxAtlsa is known here\n"
    within("channel", "new", "CxOther")
    within("join", "CxOther")
    within("agent", "new", "AgentBoreas")
    known = ("CxAtlas", "CxDeploy", "CxOther", "CxBoreas", "CxUniverse")
    for context in (*known, "CxAgentAgentAtlas"):
        assert within("ask", "(p ?x)", "--in", context).err == "no answers\n"
        assert within("argue", "(p X)", "--in", context).err == ""


def test_a_limit_of_nothing_says_nothing_of_what_is_there(here: Path) -> None:
    for verb in ("log", "held"):
        done = within(verb, "--limit", "0")
        assert (done.code, done.out, done.err) == (0, "", "")
    assert within("held").err == "nothing is held\n"


def test_an_edit_of_nothing_is_told(here: Path) -> None:
    done = within("edit", "--json")
    assert (done.code, "nothing to do" in done.error["message"]) == (2, True)


def test_argue_prints_the_verdict_and_both_sides(here: Path) -> None:
    denial = within("assert", f"(not {SENTENCE})").out.strip()
    lines = within("argue", SENTENCE, "--in", "CxAtlas").out.splitlines()
    assert lines[0] == "contradiction"
    assert lines[1].startswith("for      sha256:")
    assert lines[2] == f"against  {denial} CxAtlas (not {SENTENCE})"
    data = within("argue", SENTENCE, "--in", "CxAtlas", "--json").data
    assert data["opposing"] == [
        {"locator": denial, "context": "CxAtlas", "sentence": f"(not {SENTENCE})"}
    ]
    assert within("argue", "(likes Ann Tea)", "--in", "CxAtlas").out == "unknown\n"


def test_a_rehearsal_writes_nothing(here: Path) -> None:
    within("channel", "new", "CxMeeting")
    before = within("status", "--json").data
    goal = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    for words in (
        ["assert", "(likes Ann Tea)"],
        ["retract", goal],
        ["edit", "--add", "(likes Ann Tea)", "--remove", goal],
        ["load", "-"],
        ["channel", "new", "CxDeploy"],
        ["join", "CxMeeting"],
    ):
        done = within(*words, "--dry-run", stdin=b"(likes Ann Tea)\n")
        assert (done.code, done.err.splitlines()[-1]) == (
            0,
            "dry run: nothing was written",
        )
        assert done.out
    assert within("status", "--json").data == before
    refused = within("assert", "-n", "(likes ?x Tea)", "--json")
    assert refused.code == 4


def test_commit_log_and_show(here: Path) -> None:
    assert within("commit").err == "nothing has moved since the last commit\n"
    assert within("commit", "--json").data is None
    within("assert", "(likes Ann Tea)")
    number, identity, size = within("commit").out.split()
    status = within("status", "--json").data
    assert (number, size) == ("2", "2")
    assert status["commit"] == identity
    assert {"commit", "size", "number", "inputs"} <= status.keys()
    log = within("log").out.splitlines()
    assert [line.split()[0] for line in log] == ["2", "1"]
    assert re.fullmatch(rf"2 {identity} 2 \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ", log[0])
    assert within("log", "--limit", "1").out.splitlines() == log[:1]
    newest = within("show", "--json").data
    assert newest["id"] == identity
    assert within("show", "2", "--json").data == newest
    assert f"id           {identity}" in within("show").out


def test_status_is_a_short_block(here: Path) -> None:
    lines = within("status").out.splitlines()
    names = [line.split()[0] for line in lines]
    assert names[:7] == [
        "seat", "directory", "agent", "mode", "commit", "size", "number",
    ]  # fmt: skip
    assert f"directory    {here}" in lines


def test_a_short_or_doubtful_locator_acts_on_nothing(here: Path) -> None:
    """BC-040."""
    whole = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    assert within("retract", whole[7:14], "--json").code == 2
    assert within("retract", whole[7:14] + "z", "--json").code == 2
    assert within("ask", SENTENCE).out == "true\n"
    assert within("show", whole[7:15], "--json").data["locator"] == whole


@pytest.fixture
def proof(here: Path) -> Path:
    """A proof of the one claim, in a file."""
    claim = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    done = within("prove", claim)
    assert json.loads(done.out)["locator"] == claim
    path = here / "proof.json"
    path.write_text(done.out)
    return path


def test_prove_and_verify(
    proof: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = json.loads(proof.read_text())
    claim = document["locator"]
    assert within("prove", claim, "--json").data == document
    monkeypatch.chdir(tmp_path)
    found = within("verify", str(proof))
    assert (found.code, found.err) == (0, "")
    first, *rest = found.out.splitlines()
    assert first == "verified"
    assert {line.split()[0] for line in rest} == {"checked", "assumes", "not"}
    root = document["root"]
    assert within("verify", str(proof), "--root", root).code == 0
    wrong = within("verify", str(proof), "--root", f"sha256:{'0' * 64}", "--json")
    assert (wrong.code, wrong.error["code"]) == (6, "koinii/bad-proof")
    assert wrong.error["details"]["ok"] is False


def test_verify_what_a_file_says_to_trust(proof: Path, tmp_path: Path) -> None:
    document = json.loads(proof.read_text())
    head, key = tmp_path / "head", tmp_path / "key"
    head.write_text(document["head"])
    key.write_text(document["key"] + "\n")
    trust = ["--head", str(head), "--key", str(key)]
    data = within("verify", str(proof), *trust, "--json").data
    assert data["ok"]
    assert data["checked"]
    key.write_text(f"# none\n{document['key']}\n")
    assert within("verify", str(proof), *trust).code == 2
    key.write_text(KEY.public.openssh() + "\n")
    assert within("verify", str(proof), *trust).code == 6
    key.write_text(f"{KEY.public.openssh()}\n{document['key']} mine\n\n")
    assert within("verify", str(proof), *trust).code == 0


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "{", "\x00", '{"v":1}'])
def test_verify_never_succeeds_without_a_check(text: str, here: Path) -> None:
    done = within("verify", "-", "--json", stdin=text.encode())
    assert (done.code, done.error["details"]["checked"]) == (6, [])
    shown = within("verify", "-", stdin=text.encode())
    assert shown.out.splitlines()[0] == "not verified"


def test_an_absence_and_a_stock_form(here: Path) -> None:
    gone = within("locate", "(likes Ann Tea)", "--in", "CxAtlas").out.strip()
    absent = within("prove", gone, "--kind", "absence")
    assert within("verify", "-", stdin=absent.out.encode()).code == 0
    held = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    tlog = within("prove", held, "--format", "tlog")
    assert tlog.out.startswith("c2sp.org/tlog-proof@v1\n")
    assert within("prove", held, "--format", "tlog", "--json").data == tlog.out
    checked = within("verify", "-", "--json", stdin=tlog.out.encode())
    assert "the tlog-proof leads" in checked.data["checked"][-1]


@pytest.mark.parametrize("option", ["--root", "--key", "--head"])
@pytest.mark.parametrize("text", ["", "none", "sha256:c1b2a3d4", "ssh-ed25519 AAAA\n"])
def test_an_argument_that_no_proof_agrees_with_is_named(
    option: str, text: str, proof: Path, tmp_path: Path
) -> None:
    file = tmp_path / "given"
    file.write_text(text)
    value = text if option == "--root" else str(file)
    done = within("verify", str(proof), option, value, "--json")
    assert (done.code, done.error["details"]["parameter"]) == (2, option)
    assert option in done.error["message"]


def test_a_proof_in_its_envelope_is_told(proof: Path) -> None:
    claim = json.loads(proof.read_text())["locator"]
    answer = within("prove", claim, "--json").out
    done = within("verify", "-", "--json", stdin=answer.encode())
    assert (done.code, "--json" in done.error["message"]) == (2, True)
    assert "koinii prove LOCATOR >" in done.error["hint"]


def test_both_halves_of_a_tlog_proof_have_to_hold(here: Path) -> None:
    claim = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    within("assert", "(likes Ann Tea)")
    within("commit")
    text = within("prove", claim, "--format", "tlog").out
    assert within("verify", "-", stdin=text.encode()).code == 0
    tlog = parse_tlog(text)
    inner = json.loads(tlog.extra or b"")
    spoiled = [
        replace(tlog, index=0),
        replace(tlog, path=(b"\0" * 32,)),
        replace(tlog, path=()),
        replace(tlog, extra=None),
        replace(tlog, extra=b"{}"),
        replace(
            tlog, extra=json.dumps({**inner, "index": inner["index"] ^ 1}).encode()
        ),
        replace(tlog, checkpoint=tlog.checkpoint.replace("\n2\n", "\n3\n")),
    ]
    for one in spoiled:
        done = within("verify", "-", "--json", stdin=one.text().encode())
        assert (done.code, done.error["code"]) == (6, "koinii/bad-proof"), one
    cut = within("verify", "-", stdin=text[:90].encode())
    assert (cut.code, cut.out.splitlines()[0]) == (6, "not verified")


def test_markers(here: Path, tmp_path: Path) -> None:
    claim = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    marker = within("marker", claim).out
    assert json.loads(marker)["locator"] == claim
    found = within("deref", "-", stdin=marker.encode())
    assert (found.code, found.out.splitlines()[0]) == (0, "resolved")
    assert within("deref", f"koinii:{claim}", "--json").data["resolved"] is True
    within("retract", claim)
    gone = within("deref", marker)
    assert (gone.code, gone.out) == (3, "not-received\n")
    assert gone.err.startswith("koinii: not-received: ")
    other = json.dumps({**json.loads(marker), "sentence": "(likes Ann Tea)"})
    within("assert", "(likes Ann Tea)")
    mismatch = within("deref", other, "--json")
    assert (mismatch.code, mismatch.error["code"]) == (6, "koinii/locator-mismatch")
    malformed = within("deref", "none", "--json")
    assert (malformed.code, malformed.error["code"]) == (6, "koinii/malformed")


def test_an_edit_lands_whole(here: Path) -> None:
    claim = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    done = within("edit", "--add", "(likes Ann Tea)", "--remove", claim)
    assert LOCATOR.fullmatch(done.out)
    assert done.err == "1 added, 1 removed\n"
    lost = within("edit", "--add", "(likes Bob Tea)", "--remove", claim, "--json")
    assert lost.code == 3
    assert within("ask", "(likes Bob Tea)").out == ""


def test_two_seats_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "--bare", "hub.git"], check=True)
    assert within("init", "a", "--as", "AgentAtlas").code == 0
    assert within("-C", "a", "remote", "add", "origin", "hub.git").code == 0
    claim = within("-C", "a", "assert", SENTENCE).out.strip()
    assert within("-C", "a", "commit").code == 0
    pushed = koinii("-C", "a", "push", "--json")
    assert pushed.data["number"] == 1
    cloned = within("clone", "hub.git", "b", "--as", "AgentBoreas", "--json")
    assert (cloned.code, cloned.data["pulled"]["new"]) == (0, 1)
    assert within("-C", "b", "show", claim).code == 0
    foreign = within("-C", "b", "retract", claim, "--json")
    assert (foreign.code, foreign.error["code"]) == (4, "koinii/not-own-assertion")
    within("-C", "b", "assert", f"(not {SENTENCE})")
    synced = within("-C", "b", "sync", "--json")
    assert (synced.code, synced.data["commit"]["number"]) == (0, 1)
    assert within("-C", "a", "pull").code == 0
    assert len(within("-C", "a", "peers").out.splitlines()) == 1
    assert within("-C", "a", "held").err == "nothing is held\n"
    commits = [within("-C", one, "status", "--json").data["commit"] for one in "ab"]
    assert commits[0] == commits[1]
    agents = within("-C", "a", "agent").out.splitlines()
    assert [line.split()[0] for line in agents] == ["AgentAtlas", "AgentBoreas"]
    missing = within("-C", "a", "pull", "backup", "--json")
    assert (missing.code, missing.error["code"]) == (3, "koinii/unknown-remote")
    assert within("-C", "a", "remote", "rm", "origin").out == "origin\n"


def test_something_held_is_done_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second key for one name: the other's lines are held, and that is told."""
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q", "--bare", "hub.git"], check=True)
    within("init", "a", "--as", "AgentAtlas")
    within("-C", "a", "remote", "add", "origin", "hub.git")
    within("-C", "a", "assert", SENTENCE)
    within("-C", "a", "commit")
    within("-C", "a", "push")
    done = within("clone", "hub.git", "b", "--as", "AgentAtlas", "--json")
    assert done.code == 7
    assert done.data["pulled"]["held"] == 1
    assert "name-contested" in within("-C", "b", "held").out
    assert "contested" in within("-C", "b", "agent").out
