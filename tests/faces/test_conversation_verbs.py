"""Acts, counts, stances and the registry on the command line."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from faces.command import SENTENCE, koinii, within

IN = ("--in", "CxDeploy")
BOREAS = ("--as", "AgentBoreas")
DENIED = f"(not {SENTENCE})"


def say(*words: str, stdin: str = "") -> str:
    done = within(*words, stdin=stdin.encode())
    assert done.code == 0, done
    return done.out.strip()


@pytest.fixture
def claim(here: Path) -> str:
    """AgentAtlas has said it, and AgentBoreas has joined as well; its locator."""
    say("agent", "new", "AgentBoreas")
    say("channel", "new", "CxDeploy")
    say("join", "CxDeploy")
    say("join", "CxDeploy", *BOREAS)
    return say("locate", SENTENCE, "--in", "CxAtlas")


def shown(locator: str) -> str:
    return str(within("show", locator, "--json").data["sentence"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["answer", "L", "(yes It)"], "(answers AgentBoreas (yes It) {})"),
        (["endorse", "L"], "(endorses AgentBoreas {})"),
        (["justify", "L", "(seen It)"], "(justifies AgentBoreas (seen It) {})"),
        (["dispute", "L"], "(disputes AgentBoreas {})"),
        (["vote", "for", "L"], "(votesFor AgentBoreas {})"),
        (["vote", "against", "L"], "(votesAgainst AgentBoreas {})"),
        (["not-understood", "L"], "(notUnderstood AgentBoreas {})"),
        (["refuse", "L"], "(refuse AgentBoreas {})"),
    ],
)
def test_an_act_says_its_sentence(claim: str, words: list[str], said: str) -> None:
    short = claim[7:19]
    typed = [short if word == "L" else word for word in words]
    rehearsed = within(*typed, *BOREAS, "--dry-run", "--json")
    locator = say(*typed, *BOREAS)
    assert rehearsed.data["locator"] == locator
    assert shown(locator) == said.format(f'(sentexHandle "{claim}")')
    assert say(*typed, *BOREAS) == locator


def test_a_question_is_posed(claim: str) -> None:
    asked = say("pose", "(whichDatabase ProdCluster)")
    assert shown(asked) == "(queries AgentAtlas (whichDatabase ProdCluster))"


def test_several_things_are_said_at_once_or_none(claim: str) -> None:
    good = "; replies\n(good One)\n\n(good Two)\n"
    assert len(say("reply-many", "-", stdin=good).splitlines()) == 2
    refused = within("reply-many", "-", "--json", stdin=b"(good Three)\n(bad ?x)\n")
    assert (refused.code, refused.error["code"]) == (4, "koinii/reply-inadmissible")
    assert [one["index"] for one in refused.error["details"]["problems"]] == [1]
    assert within("ask", "(good Three)").err == "no answers\n"


def test_a_count_is_called_and_rehearsed(claim: str) -> None:
    say("dispute", claim, *BOREAS)
    denied = say("locate", DENIED, "--in", "CxBoreas")
    say("vote", "for", claim)
    asked = ("majority", f"{denied[7:19]}+{claim[7:19]}", claim[:19], *IN)
    rehearsed = within(*asked, "--dry-run")
    assert rehearsed.out.splitlines()[0] == "for 1  against 0  for"
    assert "dry run: nothing was written" in rehearsed.err
    assert say("argue", SENTENCE, *IN).startswith("contradiction")

    done = within(*asked, "--json")

    assert (done.data["for"], done.data["against"]) == (1, 0)
    assert (done.data["outcome"], done.data["voters_verified"]) == ("for", False)
    assert say("argue", SENTENCE, *IN).startswith("true")
    told = say("why", done.data["ruling"])
    assert "said by AgentMajority, a count called by AgentAtlas" in told
    say("vote", "against", claim, *BOREAS)
    tie = within(*asked)
    assert tie.out == f"for 1  against 1  tie\nwithdrawn  {done.data['ruling']}\n"
    assert "voters unverified" in tie.err


def test_what_an_agent_would_answer(claim: str) -> None:
    asked = ("believes", "AgentAtlas", "(usesDatabase ProdCluster ?x)")
    assert within(*asked).err.startswith("no answers\n")
    say("assert", "(genlCx CxAgentAgentAtlas CxAtlas)")
    assert say(*asked) == "?x=Postgres"
    assert within(*asked, "--json").data["believes"] is True
    assert say("believes", "AgentAtlas", SENTENCE) == "true"


def test_gathered_agents_disagree(claim: str) -> None:
    say("assert", DENIED, *BOREAS)
    for agent in ("Atlas", "Boreas"):
        edge = f"(genlCx CxAgentAgent{agent} Cx{agent})"
        say("assert", edge, "--as", f"Agent{agent}")
    assert within("convene", "CxHearing").err == "nobody is gathered there\n"
    gathered = ["AgentAtlas", "AgentBoreas"]
    assert say("convene", "CxHearing", *gathered).splitlines() == gathered
    head, *sides = say("disagreements", "CxHearing").splitlines()
    assert head == "AgentAtlas and AgentBoreas"
    assert {line.split("  ")[2] for line in sides} == {SENTENCE, DENIED}
    elsewhere = within("disagreements", "CxElsewhere")
    assert elsewhere.err.splitlines()[0] == "none"
    assert "nobody is gathered there" in elsewhere.err


def test_what_hides_a_stance_is_told_and_can_be_said(claim: str) -> None:
    say("assert", DENIED, *BOREAS)
    say("convene", "CxHearing", "AgentAtlas", "AgentBoreas")
    told = within("disagreements", "CxHearing").err.splitlines()
    assert told[0] == "none"
    assert len(told) == 3
    asked = ("believes", "AgentAtlas", SENTENCE)
    assert within(*asked).err.splitlines() == ["no answers", told[1]]
    for note in told[1:]:
        _, _, line = note.partition(": koinii ")
        say(*shlex.split(line))
    assert within(*asked) == (0, "true\n", "")
    assert within("disagreements", "CxHearing").out
    assert within("disagreements", "CxHearing").err == ""


def test_nobody_is_gathered_whom_nobody_has_met(claim: str) -> None:
    refused = within("convene", "CxHearing", "AgentAtlas", "AgentNobody", "--json")
    assert (refused.code, refused.error["code"]) == (3, "koinii/unknown-agent")
    assert within("convene", "CxHearing").err == "nobody is gathered there\n"
    asked = within("believes", "AgentNobody", SENTENCE)
    assert asked.err == "no answers\nnobody named AgentNobody is known here\n"


def test_a_name_in_the_registry_forges_no_line(claim: str) -> None:
    say("admin", "init")
    forged = "Atlas\nAgentBoreas  Boreas\t9\x1b[2J"
    say("registry", "new", "AgentAtlas", "--name", forged, "--trust", "1")
    shown = r"AgentAtlas  Atlas\x0aAgentBoreas  Boreas\x099\x1b[2J  1"
    assert within("registry").out == f"{shown}\n"
    assert within("registry", "--json").data[0]["display_name"] == forged


def test_what_says_nothing_is_told_so(claim: str) -> None:
    refused = within("reply-many", "-", "--json", stdin=b"; nothing\n\n")
    assert (refused.code, refused.error["code"]) == (2, "koinii/usage")
    rule = say("assert", "(implies (seen ?x) (known ?x))")
    refused = within("dispute", rule, *BOREAS, "--json")
    assert (refused.code, refused.error["code"]) == (4, "not-well-formed")
    assert refused.error["hint"].startswith("dispute a claim")


def test_a_statement_is_disregarded_and_shown_again(claim: str) -> None:
    refused = within("disregard", claim, *BOREAS, "--json")
    assert refused.error["code"] == "koinii/not-own-statement"
    mask = say("disregard", claim[:19])
    assert say("disregard") == f"{mask}  of {claim}"
    assert within("ask", SENTENCE, *IN).err == "no answers\n"
    assert say("disregard", claim[:19], "--undo") == mask
    assert say("ask", SENTENCE, *IN) == "true"
    assert within("disregard").err == "nothing is disregarded\n"
    again = within("disregard", claim, "--undo", "--json")
    assert (again.code, again.error["code"]) == (3, "koinii/not-disregarded")
    assert within("disregard", "--undo").code == 2


def test_the_registry(claim: str) -> None:
    assert within("registry").err == "nobody is recorded\n"
    refused = within("registry", "new", "AgentAtlas", "--name", "Atlas", "--json")
    assert not refused.json["ok"]
    say("admin", "init")
    said = say("registry", "new", "AgentAtlas", "--name", "Atlas", "--trust", "0.9")
    assert len(said.splitlines()) == 3
    assert say("registry") == "AgentAtlas  Atlas  0.9"
    say("registry", "trust", "AgentAtlas", "2")
    (one,) = within("registry", "--json").data
    assert one == {"agent": "AgentAtlas", "display_name": "Atlas", "trust": "2"}


@pytest.mark.parametrize("given", ["abc", "nan", "true", '"1"', "(a b)", "nil"])
def test_trust_is_a_number(claim: str, given: str) -> None:
    say("admin", "init")
    new = ("registry", "new", "AgentAtlas", "--name", "Atlas", "--trust", given)
    assert within(*new, "--json").error["code"] == "koinii/usage"
    assert within("registry").err == "nobody is recorded\n"
    say(*new[:-2])
    refused = within("registry", "trust", "AgentAtlas", given, "--json")
    assert (refused.code, refused.error["code"]) == (2, "koinii/usage")
    for number in ("1/3", "0.25M", "7", "1.5"):
        say("registry", "trust", "AgentAtlas", number)
        assert say("registry") == f"AgentAtlas  Atlas  {number}"


def test_trust_is_of_a_recorded_agent(claim: str) -> None:
    say("admin", "init")
    refused = within("registry", "trust", "AgentQ", "3", "--json")
    assert (refused.code, refused.error["code"]) == (3, "koinii/unknown-agent")
    hint = refused.error["hint"]
    assert hint == "koinii registry new AgentQ --name NAME --trust 3"
    say(*hint.split()[1:])
    assert say("registry") == "AgentQ  NAME  3"


def test_what_a_refused_record_hints_at_works(claim: str) -> None:
    say("admin", "init")
    new = ("registry", "new", "AgentAtlas", "--name")
    say(*new, "Atlas", "--trust", "1")
    other = (*new, "Other", "--trust", "2")
    refused = within(*other, "--json")
    assert (refused.code, refused.error["code"]) == (4, "functional")
    for way in refused.error["hint"].split("; "):
        say(*way.removeprefix("koinii ").split(",")[0].split())
    say(*other)
    assert say("registry") == "AgentAtlas  Other  2"


def test_the_admin_of_another_seat_is_named(
    claim: str, here: Path, tmp_path: Path
) -> None:
    """To make one here would be refused, so nothing hints at that."""
    say("admin", "init")
    admin = within("admin", "--json").data["fingerprint"]
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r")], check=True)
    say("remote", "add", "origin", str(tmp_path / "r"))
    say("push")
    away = str(tmp_path / "away")
    assert koinii("clone", str(tmp_path / "r"), away, "--as", "AgentZ").code == 0
    new = ("registry", "new", "AgentAtlas", "--name", "Atlas", "--json")
    refused = koinii("-C", away, *new)
    assert refused.code == 3
    assert refused.error["hint"] == (
        f"the admin here is {admin}; say it at the seat that has that key"
    )


def test_a_marker_is_looked_up_with_its_reasons(claim: str) -> None:
    told = say("deref", claim, "--why")
    assert f"{SENTENCE}  CxAtlas {claim[7:19]}  default, said by AgentAtlas" in told
    found = within("deref", claim, "--why", "--json").data
    assert found["why"]["believed"] is True
    assert within("deref", claim, "--json").data["why"] is None
