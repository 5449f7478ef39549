"""Why, why not, who disagrees, and what would be refused, as people read it."""

import re
from pathlib import Path

import pytest

from faces.command import SENTENCE, within

RULE = "(implies (usesDatabase ?c ?d) (stateful ?c))"
DENIAL = f"(not {SENTENCE})"
SHORT = re.compile(r"\b[0-9a-f]{12}\b")


def said(*words: str) -> str:
    """Run a line that succeeds and return the locator it prints."""
    done = within(*words)
    assert done.code == 0, done
    return done.out.strip()


def shown(*words: str) -> list[str]:
    """Return the lines of a success, short locators as dots."""
    done = within(*words)
    assert (done.code, done.err) == (0, ""), done
    return SHORT.sub("...", done.out).splitlines()


@pytest.fixture
def disagreeing(here: Path) -> Path:
    """Two agents in a channel, of which one denies what the other says."""
    within("channel", "new", "CxDeploy")
    within("agent", "new", "AgentBoreas")
    for agent in ("AgentAtlas", "AgentBoreas"):
        within("join", "CxDeploy", "--as", agent)
    said("assert", DENIAL, "--as", "AgentBoreas")
    return here


def test_a_rule_with_several_conclusions_prints_every_locator(here: Path) -> None:
    rule = "(set/defaultRule (implies (p ?x) (and (r ?x) (q ?x))))"
    done = within("assert", rule)
    lines = done.out.splitlines()
    parts = [f"(implies (p ?x) ({one} ?x))" for one in "rq"]
    assert lines == [said("locate", one, "--in", "CxAtlas") for one in parts]
    data = within("assert", rule, "--json").data
    assert data == {"locator": lines[0], "locators": lines}
    assert within("assert", parts[0], "--json").data == {"locator": lines[0]}


def test_an_inert_rule_explains_that_it_draws_nothing(here: Path) -> None:
    within("agent", "new", "AgentBoreas")
    place = ("--in", "CxDeploy")
    inert = f"(set/inertRule (set/defaultRule {RULE}))"
    rule = said("assert", inert, *place)
    for verb in ("why", "show"):
        told = within(verb, rule)
        assert told.err == "an inert rule draws nothing\n"
        assert "(inert default rule)" in told.out
        (author,) = within(verb, rule, "--json").data["authors"]
        assert author["wrappers"] == ["inert", "default"]
    said("assert", RULE, *place, "--as", "AgentBoreas")
    for verb in ("why", "show"):
        told = within(verb, rule)
        assert told.err == ""
        assert told.out.count(" rule)") == 1, "the other says it bare"


def test_what_is_no_rule_has_no_wrappers(here: Path) -> None:
    claim = said("locate", SENTENCE, "--in", "CxAtlas")
    assert within("show", claim, "--json").data["authors"][0]["wrappers"] == []
    assert "wrappers" not in within("why", claim, "--json").data["authors"][0]
    said("assert", f"(implies {SENTENCE} (up ProdCluster))")
    derived = said("locate", "(up ProdCluster)", "--in", "CxAtlas")
    assert shown("show", derived)[-1] == "authors      none"


def test_why_is_a_tree_with_the_sentence_first(here: Path) -> None:
    rule = said("assert", f"(set/defaultRule {RULE})")
    claim = said("locate", "(stateful ProdCluster)", "--in", "CxAtlas")
    assert shown("why", claim) == [
        "(stateful ProdCluster)  CxAtlas ...  default",
        "  from (implies (usesDatabase ?var0 ?var1) (stateful ?var0))  CxAtlas ...  "
        "default, said by AgentAtlas (default rule)",
        f"    {SENTENCE}  CxAtlas ...  default, said by AgentAtlas",
    ]
    assert claim[7:19] in within("why", claim[:15]).out
    data = within("why", claim, "--json").data
    assert (data["locator"], data["premise"]) == (claim, False)
    (reason,) = data["support"]
    assert (reason["rule"], reason["strict"]) == (rule, False)
    assert [one["sentence"] for one in reason["because"]] == [SENTENCE]
    missing = within("why", "sha256:" + "0" * 64, "--json")
    assert (missing.code, missing.error["code"]) == (3, "koinii/unknown-locator")


def test_why_names_how_a_fact_is_read(here: Path) -> None:
    within("assert", "(genl usesDatabase uses)")
    within("assert", "(implies (uses ?c ?d) (needs ?c ?d))", "--in", "CxDeploy")
    within("assert", "(genlCx CxDeploy CxAtlas)")
    claim = said("locate", "(needs ProdCluster Postgres)", "--in", "CxDeploy")
    lines = shown("why", claim)
    assert "    reading (genl usesDatabase uses)" in lines
    assert "    through (genlCx CxDeploy CxAtlas)" in lines


def test_a_long_chain_is_told_in_parts(here: Path) -> None:
    rules = "".join(f"(implies (p{n} ?x) (p{n + 1} ?x))\n" for n in range(90))
    within("load", "-", stdin=f"{rules}(p0 A)\n".encode())
    claim = said("locate", "(p90 A)", "--in", "CxAtlas")
    for words in (["why", claim], ["why", claim, "--json"]):
        done = within(*words)
        assert done.code == 0, done
        assert "(p26 A)" in done.out
        assert "(p25 A)" not in done.out
    assert "its reasons lie deeper: koinii why" in within("why", claim).out


def test_why_not_has_a_reason(disagreeing: Path) -> None:
    assert shown("why-not", SENTENCE, "--in", "CxBoreas") == [
        "elsewhere", f"sentence  {SENTENCE}  CxBoreas ...", "in        CxAtlas",
    ]  # fmt: skip
    said("assert", RULE)
    loser = said("locate", SENTENCE, "--in", "CxAtlas")
    said("assert", DENIAL, "--monotonic")
    assert shown("why-not", SENTENCE, "--in", "CxDeploy") == [
        "defeated",
        f"sentence  {SENTENCE}  CxAtlas ...",
        f"against   {DENIAL}  CxAtlas ...  monotonic, rebuttal",
    ]
    assert shown("why-not", "(stateful ProdCluster)", "--in", "CxAtlas") == [
        "unsupported",
        "sentence  (stateful ProdCluster)  CxAtlas ...",
        f"missing   {SENTENCE}  CxAtlas ...",
    ]
    assert shown("why-not", DENIAL, "--in", "CxAtlas")[::2] == [
        "believed", f"given by  {DENIAL}  CxAtlas ...",
    ]  # fmt: skip
    lost = within("why", loser)
    assert "not believed, default, said by AgentAtlas" in lost.out
    assert lost.err == "koinii why-not tells why it is not believed\n"
    unknown = within("why-not", "(p A)", "--in", "CxAtlsa")
    assert (unknown.code, unknown.out.splitlines()[0]) == (0, "not-stored")
    assert unknown.err == "no context CxAtlsa is known here\n"


def test_why_not_names_masks_and_what_is_awaited(here: Path) -> None:
    claim = said("locate", SENTENCE, "--in", "CxAtlas")
    mask = f'(except (sentexHandle "{claim}"))'
    said("assert", mask)
    assert shown("why-not", SENTENCE, "--in", "CxAtlas") == [
        "masked",
        f"sentence  {SENTENCE}  CxAtlas ...",
        f"mask      {mask}  CxAtlas ...  said by AgentAtlas",
    ]


def test_a_clash_is_one_head_and_two_sides(disagreeing: Path) -> None:
    sides = [
        f"  {DENIAL}  CxBoreas ...  default",
        f"  {SENTENCE}  CxAtlas ...  default",
    ]
    assert shown("contradictions") == ["rebuttal", *sides]
    assert shown("contradictions", "--in", "CxDeploy") == ["rebuttal", *sides]
    assert within("contradictions", "--in", "CxAtlas").err == "none\n"
    assert within("conflicts").err == "none\n"
    data = within("contradictions", "--json").data
    assert data["more"] is False
    assert data["clashes"][0]["kind"] == "rebuttal"
    assert data["clashes"][0]["sides"][1] == {
        "locator": said("locate", SENTENCE, "--in", "CxAtlas"),
        "sentence": SENTENCE,
        "context": "CxAtlas",
        "strength": "default",
        "believed": True,
    }
    none = within("contradictions", "--limit", "0", "--json").data
    assert none == {"clashes": [], "more": True}
    lost = within("conflicts", "--in", "CxDeplay")
    assert lost.err == "none\nno context CxDeplay is known here\n"


def test_a_conflict_is_of_what_is_known(disagreeing: Path) -> None:
    said("assert", SENTENCE, "--monotonic")
    said("assert", DENIAL, "--monotonic", "--as", "AgentBoreas")
    assert within("contradictions").out == ""
    assert [line.split()[-1] for line in shown("conflicts")] == [
        "rebuttal", "monotonic", "monotonic",
    ]  # fmt: skip


def test_check_says_what_would_be_refused(here: Path) -> None:
    fine = within("check", "(p A)")
    assert (fine.code, fine.out, fine.err) == (
        0, "", "nothing of this would be refused\n",
    )  # fmt: skip
    assert within("check", "(p A)", "--json").data == {"problems": []}
    wrong = within("check", "(p ?x)")
    assert (wrong.code, wrong.out) == (
        4, "add 1  not-ground: a fact has no variables: (p ?x)\n",
    )  # fmt: skip
    assert wrong.err.startswith("koinii: this would be refused; nothing was written\n")
    assert within("check", "(p A)", "--in", "CxCore", "--json").code == 4
    assert within("ask", "(p ?x)").out == ""


def test_check_takes_an_edit(here: Path) -> None:
    said("assert", "(functional size)", "--in", "CxAtlas")
    old = said("assert", "(size ProdCluster 3)")
    second = "(size ProdCluster 4)"
    done = within("check", second, "--json")
    (problem,) = done.error["details"]["problems"]
    assert done.error["code"] == "koinii/would-be-refused"
    assert (problem["where"], problem["index"], problem["code"]) == (
        "add", 0, "functional",
    )  # fmt: skip
    assert within("check", second, "--remove", old).code == 0
    both = within("check", "(p A)", "(p ?x)", "--remove", "12345678")
    assert [line.split(":")[0] for line in both.out.splitlines()] == [
        "add 2  not-ground", "remove 1  koinii/unknown-locator",
    ]  # fmt: skip
    assert "2 of these would be refused" in both.err
    assert within("check").code == 2
    assert within("check", "(p A)", "(p B)", "--monotonic").code == 2


def test_diagnostics_list_what_looks_wrong(here: Path) -> None:
    assert within("diagnostics").err == "nothing looks wrong\n"
    assert within("diagnostics", "--json").data == {"diagnostics": [], "more": False}
    within("load", "-", stdin=b"(arg runsOn 2 character_string)\n(runsOn Ann 3)\n")
    (line,) = within("diagnostics").out.splitlines()
    assert line.startswith("arg-type: ")
    (found,) = within("diagnostics", "--json").data["diagnostics"]
    assert found["sentence"] == "(runsOn Ann 3)"
