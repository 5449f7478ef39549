"""`watch`: one event a line, from a number on, for as long as somebody reads."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from faces.command import COMMAND, SENTENCE, environment, koinii, strict, within


def events(*words: str) -> list[Any]:
    done = within("watch", "--once", "--json", *words)
    assert (done.code, done.err) == (0, "")
    return [strict(line + "\n")["data"] for line in done.out.splitlines()]


def test_what_is_there_is_shown(here: Path) -> None:
    claim = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    assert (
        within("watch", "--once").out == f"1 added premise {claim} CxAtlas {SENTENCE}\n"
    )
    assert events() == [
        {
            "number": 1,
            "added": [
                {
                    "locator": claim,
                    "context": "CxAtlas",
                    "sentence": SENTENCE,
                    "premise": True,
                    "justification": None,
                }
            ],
            "removed": [],
            "lagged": 0,
        }
    ]
    denial = within("assert", f"(not {SENTENCE})", "--monotonic").out.strip()
    assert within("watch", "--once", "--since", "1").out.splitlines() == [
        f"2 added premise {denial} CxAtlas (not {SENTENCE})",
        f"2 removed defeated {claim} CxAtlas {SENTENCE}",
    ]
    assert events("--since", "2") == []


def test_a_goal_and_a_context_choose(here: Path) -> None:
    within("assert", "(p A)", "--in", "CxOther")
    within("edit", "--add", "(p B)", "--add", "(q B)")
    found = events("--goal", "(p ?x)")
    assert [one["number"] for one in found] == [2, 3]
    (third,) = events("--goal", "(p ?x)", "--in", "CxAtlas")
    (entry,) = third["added"]
    assert entry["bindings"] == {"?x": "B"}
    refused = within("watch", "--goal", "(and (p ?x) (q ?x))", "--json")
    assert (refused.code, refused.error["code"]) == (4, "not-watchable")


def test_a_conclusion_has_its_justification(here: Path) -> None:
    rule = within("assert", "(implies (usesDatabase ?c ?d) (stateful ?c))").out.strip()
    (event,) = events("--since", "1", "--goal", "(stateful ?c)")
    (entry,) = event["added"]
    assert entry["premise"] is False
    reason = entry["justification"]
    assert (reason["rule"]["locator"], reason["strict"]) == (rule, True)
    assert [one["sentence"] for one in reason["facts"]] == [SENTENCE]


@pytest.mark.parametrize("since", ["2", "999999999999"])
def test_a_number_that_is_still_to_come(here: Path, since: str) -> None:
    done = within("watch", "--since", since, "--json")
    assert (done.code, done.error["code"]) == (2, "bad-cursor")
    assert within("watch", "--since", "-1").code == 2


def test_what_is_lost_is_counted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koinii.store.events.KEPT", 2)
    for name in "ABC":
        within("assert", f"(p {name})")
    assert [one["number"] for one in events()] == [2, 3, 4]
    assert events()[0] == {"number": 2, "added": [], "removed": [], "lagged": 2}
    assert within("watch", "--once").out.splitlines()[0] == "2 lagged 2"


@contextmanager
def following(here: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a watcher that has begun, and end it in any case."""
    with subprocess.Popen(
        [COMMAND, "watch", *words],
        cwd=here,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watcher:
        try:
            yield watcher
        finally:
            watcher.kill()


def test_it_follows_until_it_is_interrupted(here: Path) -> None:
    with following(here, "--json", "--since", "1") as watcher:
        assert watcher.stdout is not None
        for number, name in ((2, "A"), (3, "B")):
            koinii("assert", f"(p {name})", cwd=here)
            event = strict(watcher.stdout.readline())["data"]
            assert (event["number"], len(event["added"])) == (number, 1)
        watcher.send_signal(signal.SIGINT)
        rest, notes = watcher.communicate(timeout=20)
        assert watcher.returncode == 130
        assert json.loads(rest)["error"]["code"] == "koinii/interrupted"
        assert notes == "koinii: interrupted\n"


def test_without_a_number_it_begins_now(here: Path) -> None:
    with following(here) as watcher:
        assert watcher.stdout is not None
        time.sleep(1)
        koinii("assert", "(p A)", cwd=here)
        assert watcher.stdout.readline().startswith("2 added premise sha256:")


def test_it_ends_when_nobody_reads(here: Path) -> None:
    with following(here) as watcher:
        assert watcher.stdout is not None
        assert watcher.poll() is None
        watcher.stdout.close()
        watcher.wait(timeout=20)
        assert watcher.returncode == 0


def test_what_cannot_change_is_not_followed(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *where: False)
    done = within("watch", "--json")
    assert (done.code, done.error["code"]) == (5, "koinii/read-only")
    assert within("watch", "--once").out.startswith("1 added")
