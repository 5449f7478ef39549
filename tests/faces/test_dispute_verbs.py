"""`disputes`, `rule`, `notify` and `quarantine` on the command line."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path

import pytest

from faces.command import SENTENCE, koinii, within

IN = ("--in", "CxDeploy")
DENIED = f"(not {SENTENCE})"


def say(*words: str) -> str:
    done = within(*words)
    assert done.code == 0, done
    return done.out.strip()


@pytest.fixture
def disputed(here: Path) -> str:
    """AgentAtlas says it, AgentBoreas denies it, and both have joined; its id."""
    for name in ("AgentBoreas", "AgentCid"):
        say("agent", "new", name)
    say("channel", "new", "CxDeploy")
    say("join", "CxDeploy")
    say("join", "CxDeploy", "--as", "AgentBoreas")
    denied = say("assert", DENIED, "--as", "AgentBoreas")
    said = say("locate", SENTENCE, "--in", "CxAtlas")
    return " ".join(sorted((said, denied)))


def short(name: str) -> str:
    return "+".join(one[7:19] for one in name.split())


def test_disputes_are_listed(disputed: str) -> None:
    done = within("disputes", *IN)
    head, *sides = done.out.splitlines()
    assert head == f"{short(disputed)}  open contradiction, rebuttal"
    assert {line.split("  ")[1] for line in sides} == {SENTENCE, DENIED}
    (one,) = within("disputes", *IN, "--json").data["disputes"]
    assert one["id"] == disputed
    assert (one["state"], one["dispute_class"]) == ("open", "contradiction")
    assert [side["sentence"] for side in one["sides"]] == [
        line.split("  ")[1] for line in sides
    ]
    assert within("disputes").out == done.out
    assert within("disputes", "--in", "CxAtlas").err == "none\n"
    assert "no context CxDepoly" in within("disputes", "--in", "CxDepoly").err


def test_pages_follow_one_another(disputed: str) -> None:
    for at in range(3):
        say("assert", f"(light Host{at})")
        say("assert", f"(not (light Host{at}))", "--as", "AgentBoreas")
    found: list[str] = []
    after: list[str] = []
    while True:
        page = within("disputes", *IN, "--limit", "3", *after, "--json").data
        found += [one["id"] for one in page["disputes"]]
        assert page["more"] == (page["cursor"] is not None)
        if not page["more"]:
            break
        after = ["--after", page["cursor"]]
    whole = within("disputes", *IN, "--json").data["disputes"]
    assert found == [one["id"] for one in whole]
    assert found[0] == disputed
    assert len(found) == 4
    told = within("disputes", *IN, "--limit", "3")
    assert "3 shown, and there are more\nthe next: --after " in told.err
    wrong = within("disputes", *IN, "--after", "here", "--json")
    assert (wrong.code, wrong.error["code"]) == (2, "bad-cursor")


@pytest.mark.parametrize("upheld", [SENTENCE, ""])
def test_an_arbiter_rules(disputed: str, upheld: str) -> None:
    side = upheld or say("locate", SENTENCE, "--in", "CxAtlas")[7:19]
    asked = ("rule", short(disputed), side, *IN, "--as", "AgentCid")
    rehearsed = within(*asked, "--dry-run")
    assert rehearsed.code == 0
    assert within("disputes", *IN).out
    ruling = say(*asked)
    assert rehearsed.out.strip() == ruling
    assert ruling == say("locate", SENTENCE, "--in", "CxCid")
    assert within("disputes", *IN).out == ""
    assert say("argue", SENTENCE, *IN).splitlines()[0] == "true"
    say("retract", ruling, "--as", "AgentCid")
    assert within("disputes", *IN).out


def test_a_party_and_a_stranger_are_told_so(disputed: str) -> None:
    def code(*words: str) -> tuple[int, str]:
        done = within("rule", *words, "--json")
        return done.code, done.error["code"]

    named = short(disputed)
    assert code(named, SENTENCE, *IN) == (4, "arbiter-is-party")
    cid = (*IN, "--as", "AgentCid")
    assert code(named, "(light Q)", *cid) == (4, "koinii/not-a-side")
    assert code("00000000+11111111", SENTENCE, *cid) == (3, "koinii/unknown-locator")
    assert code(named[:12], SENTENCE, *cid) == (2, "koinii/no-dispute-id")
    said = f"{disputed[:71]}+sha256:{'0' * 64}"
    assert code(said, SENTENCE, *cid) == (3, "koinii/no-such-handle")


def test_notify_adds_to_a_file_once(disputed: str, here: Path) -> None:
    log = here / "told.jsonl"
    would = within("notify", *IN, "--to", str(log), "--dry-run", "--json")
    assert [one["id"] for one in would.data["notified"]] == [disputed]
    assert not log.exists()
    for _ in range(2):
        assert within("notify", *IN, "--to", str(log)).code == 0
    (line,) = log.read_text().splitlines()
    told = json.loads(line)
    assert (told["id"], told["state"]) == (disputed, "notified")
    (shown,) = within("disputes", *IN, "--json").data["disputes"]
    assert shown == told
    assert within("disputes", *IN, "--pending").err == "none\n"
    assert within("notify", *IN).err == "nothing new\n"


def test_notify_adds_to_its_own_lines_alone(disputed: str, here: Path) -> None:
    """Another file, and one of a seat, stays as it is; nothing counts as told."""
    others = {
        "thesis.txt": b"Chapter 1\n", "half.jsonl": b'{"id": "a"}', "a.json": b"[]\n",
        "other.jsonl": b'{"x": 1}\n', "cut.jsonl": b'{"id":1,"sides":[],"state":"o"}',
    }  # fmt: skip
    for name, data in others.items():
        (here / name).write_bytes(data)
    seat = [here / "seat.toml", here / ".koinii" / "store.db", here / ".koinii" / "new"]
    kept = {path: path.read_bytes() for path in seat if path.exists()}
    assert len(kept) == 2
    for path in (*map(here.joinpath, others), here, *seat):
        for more in ((), ("--dry-run",)):
            done = within("notify", *IN, "--to", str(path), "--json", *more)
            code = "koinii/seat-file" if path in seat else "koinii/other-file"
            assert (done.code, done.error["code"]) == (4, code)
    assert {name: (here / name).read_bytes() for name in others} == others
    assert not (here / ".koinii" / "new").exists()
    assert kept.items() <= {(p, p.read_bytes()) for p in seat if p.exists()}
    (here / "empty").touch()
    assert within("notify", *IN, "--to", str(here / "empty")).code == 0
    assert json.loads((here / "empty").read_text())["id"] == disputed


def script(here: Path, text: str) -> str:
    """Write a command in Python; return how it is called."""
    path = here / "told.py"
    path.write_text(f"import sys\n{text}\n")
    return shlex.join([sys.executable, str(path)])


def test_notify_runs_a_command_with_the_dispute_on_its_input(
    disputed: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = script(here, "open('seen', 'a').write(sys.stdin.read()); print('ran')")
    done = within("notify", *IN, "--run", command, "--json")
    assert done.data["notified"][0]["id"] == disputed  # nothing else was printed there
    assert json.loads((here / "seen").read_text()) == done.data["notified"][0]
    assert "ran" in capfd.readouterr().err
    assert within("notify", *IN, "--run", command).code == 0
    assert len((here / "seen").read_text().splitlines()) == 1


def test_a_command_that_fails_leaves_the_rest_open(disputed: str, here: Path) -> None:
    say("assert", "(light Q)")
    say("assert", "(not (light Q))", "--as", "AgentBoreas")
    done = within("notify", *IN, "--run", script(here, "sys.exit(3)"), "--json")
    assert (done.code, done.error["code"]) == (1, "koinii/sink-failed")
    assert done.error["details"]["dispute_id"] == disputed
    (left,) = within("disputes", *IN, "--pending", "--json").data["disputes"]
    assert left["id"] != disputed
    (told,) = within("notify", *IN, "--json").data["notified"]
    assert told["id"] == left["id"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--run", "no-such-program-here"], "koinii/no-program"),
        (["--run", "'"], "koinii/usage"),
        (["--to", "no/such/folder"], "koinii/system"),
        (["--to", "-"], "koinii/usage"),
        (["--timeout", "24h"], "koinii/usage"),
        (["--sweep", "--timeout", "soon"], "koinii/usage"),
        (["--sweep", "--timeout", "1.5h"], "koinii/usage"),
    ],
)
def test_what_cannot_be_told_marks_nothing(
    disputed: str, words: list[str], code: str
) -> None:
    assert within("notify", *IN, *words, "--json").error["code"] == code
    (one,) = within("disputes", *IN, "--pending", "--json").data["disputes"]
    assert one["id"] == disputed


def test_telling_cut_short_names_what_counts_as_told(disputed: str, here: Path) -> None:
    """By SIGTERM as by ^C; `--again` tells that one, and no other, again."""
    kill = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); "
    run = script(here, f"{kill}time.sleep(60)")
    done = koinii("notify", *IN, "--run", run, "--json", cwd=here)
    assert (done.code, done.error["code"]) == (130, "koinii/interrupted")
    assert done.error["details"]["dispute_id"] == disputed
    assert within("notify", *IN).err == "nothing new\n"
    _, _, hint = done.error["hint"].partition("koinii ")
    words = hint.split(" tells it")[0].split()
    assert words == ["notify", *IN, "--again", short(disputed)]
    for more in (["--dry-run"], ["--dry-run"], []):
        (told,) = within(*words, *more, "--json").data["notified"]
        assert told["id"] == disputed
    assert within("notify", *IN).err == "nothing new\n"


def test_what_was_told_before_a_failure_is_in_the_result(
    disputed: str, here: Path
) -> None:
    say("assert", "(light Q)")
    say("assert", "(not (light Q))", "--as", "AgentBoreas")
    once = "import os; os.path.exists('ran') and sys.exit(3); open('ran', 'w')"
    done = within("notify", *IN, "--run", script(here, once), "--json")
    assert done.code == 7
    (told,) = done.data["notified"]
    assert told["id"] == disputed
    failed = done.data["failed"]["dispute_id"]
    assert failed != disputed
    again = ("notify", *IN, "--again", failed)
    assert done.data["failed"]["hint"].count(f"--again {short(failed)}") == 1
    (told,) = within(*again, "--json").data["notified"]
    assert told["id"] == failed
    assert "light Q" in within(*again).out


def test_a_dispute_that_is_not_seen_is_not_told_again(disputed: str) -> None:
    for where in ("CxAtlas", "CxNowhere"):
        again = within("notify", "--in", where, "--again", short(disputed), "--json")
        assert (again.code, again.error["code"]) == (3, "koinii/no-such-handle")
    assert disputed


def test_a_file_that_cannot_be_made_has_a_hint(disputed: str, here: Path) -> None:
    (here / "link").symlink_to(here / "gone" / "far")
    for name in ("link", "gone/x"):
        for more in ((), ("--dry-run",)):
            done = within("notify", *IN, "--to", name, *more, "--json")
            assert (done.code, done.error["code"]) == (5, "koinii/system")
            assert "make the directory" in done.error["hint"]
    assert not (here / "-").exists()
    assert disputed


def test_a_sweep_finds_what_has_stood_too_long(disputed: str, here: Path) -> None:
    log = here / "told.jsonl"
    assert within("notify", *IN, "--sweep", "--json").data["stale"] == []
    time.sleep(0.01)
    asked = ("notify", *IN, "--sweep", "--timeout", "5ms", "--to", str(log), "--json")
    would = within(*asked, "--dry-run").data
    assert [one["state"] for one in would["stale"]] == ["notified"]
    (stale,) = within(*asked).data["stale"]
    assert (stale["id"], stale["stale_reason"]) == (disputed, "TimedOut")
    assert json.loads(log.read_text()) == stale
    assert within("disputes", *IN).out.splitlines()[0].split()[1] == "stale"
    assert within(*asked).data == {"notified": [], "stale": []}


def test_quarantine_and_back(disputed: str) -> None:
    claim = say("locate", SENTENCE, "--in", "CxAtlas")
    assert within("quarantine", *IN).err == "nothing is kept out\n"
    mask = say("quarantine", claim[7:19], *IN)
    assert mask == say("locate", f'(except (sentexHandle "{claim}"))', *IN)
    assert within("disputes", *IN).out == ""
    (kept,) = within("quarantine", *IN, "--json").data["quarantined"]
    assert kept == {"locator": claim, "context": "CxAtlas", "sentence": SENTENCE}
    assert SENTENCE in within("quarantine", *IN).out
    assert say("quarantine", claim[7:19], *IN, "--undo") == mask
    assert within("disputes", *IN).out
    assert within("quarantine", *IN, "--undo", "--json").code == 2
    assert disputed


def test_a_mask_of_what_has_gone_is_listed_and_taken_back(disputed: str) -> None:
    claim, other = disputed.split()
    for one in (claim, other):
        say("quarantine", one, *IN, "--as", "AgentCid")
    gone, owner = say("locate", SENTENCE, "--in", "CxAtlas"), "AgentAtlas"
    say("retract", gone, "--as", owner)

    listed = within("quarantine", *IN, "--json").data["quarantined"]
    by_locator = {one["locator"]: one["sentence"] for one in listed}
    assert by_locator == {gone: None, (({claim, other} - {gone}).pop()): DENIED}
    assert f"{gone} not here" in within("quarantine", *IN).out.splitlines()
    back = within("quarantine", gone[7:19], *IN, "--undo", "--as", "AgentCid")
    assert back.code == 0, back
    assert gone not in within("quarantine", *IN).out
    again = within("quarantine", gone, *IN, "--undo", "--as", "AgentCid", "--json")
    assert (again.code, again.json["error"]["code"]) == (3, "koinii/no-such-handle")


def test_the_mask_of_another_hides_it_still(disputed: str) -> None:
    claim = say("locate", SENTENCE, "--in", "CxAtlas")
    for name in ("AgentBoreas", "AgentCid"):
        say("quarantine", claim, *IN, "--as", name)
    first = within("quarantine", claim, *IN, "--undo", "--as", "AgentCid")
    assert (first.code, "AgentBoreas masked it too" in first.err) == (0, True)
    assert SENTENCE in within("quarantine", *IN).out
    last = within("quarantine", claim, *IN, "--undo", "--as", "AgentBoreas")
    assert (last.code, last.err) == (0, "")
    assert disputed


def test_a_page_has_a_way_on(disputed: str) -> None:
    none = within("disputes", *IN, "--limit", "0", "--json")
    assert (none.code, none.json["error"]["code"]) == (2, "koinii/usage")
    assert disputed
