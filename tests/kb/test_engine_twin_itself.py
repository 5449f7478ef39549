"""The naive twin of the engine, against the design's own words.

Small bases made by hand. A line is `Agent Context strength sentence`, said at
seat `here` unless the agent is written `Agent@seat`.
"""

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from kb.engine_game import Game
from kb.engine_moves import Move, beginnings, moves
from koinii.terms import Symbol, Term, encode, locate, read
from koinii.terms.canonical import canonical, peel
from reference.encoding_twin import encoded, locator
from reference.engine_clash_twin import Clash
from reference.engine_frame_twin import Assertion, Sentex, Standing, World
from reference.engine_seat_twin import TwinSeat
from reference.engine_twin import Belief

WRAPPERS = {"inert", "default"}
OWNERS = {
    context: owner
    for name in ("Ann", "Bob", "Eve")
    for context, owner in (
        (f"Cx{name}", (f"Agent{name}", False)),
        (f"CxAgentAgent{name}", (f"Agent{name}", True)),
    )
}
DEPLOY = ("Mod CxUniverse monotonic (channel CxDeploy)",)
JOINED = (
    *DEPLOY,
    "AgentAnn CxUniverse monotonic (genlCx CxDeploy CxAnn)",
    "AgentBob CxUniverse monotonic (genlCx CxDeploy CxBob)",
)
TWEETY = (
    "Mod CxBirds monotonic (genl penguin bird)",
    "Mod CxBirds default (set/defaultRule (implies (bird ?x) (flies ?x)))",
    "Mod CxBirds monotonic (implies (penguin ?x) (not (flies ?x)))",
)


def said(line: str) -> Assertion:
    speaker, context, strength, text = line.split(" ", 3)
    agent, _, seat = speaker.partition("@")
    bare, wrappers = peel(read(text))
    names = frozenset(name.removesuffix("Rule") for name in wrappers)
    return Assertion(
        agent, seat or "here", context, canonical(bare), strength, names & WRAPPERS
    )


def believing(*lines: str, **given: object) -> Belief:
    world = World(tuple(map(said, lines)), OWNERS, **given)  # type: ignore[arg-type]
    return Belief(world)


def at(context: str, text: str) -> str:
    return locator(context, canonical(read(text)))


def label(belief: Belief, context: str, text: str) -> str:
    row = Sentex(context, canonical(read(text)))
    if row not in belief.stored:
        return "absent"
    if row in belief.waiting:
        return "waiting"
    if row in belief.defeated:
        return "defeated"
    if row not in belief.believed:
        return "out"
    return "known" if row in belief.known else "believed"


def verdict(belief: Belief, text: str, context: str) -> str:
    return belief.argue(canonical(read(text)), context)


def kinds(clashes: list[Clash]) -> list[str]:
    return sorted(one.kind for one in clashes)


def mask(speaker: str, context: str, target: str) -> str:
    return f'{speaker} {context} monotonic (except (sentexHandle "{target}"))'


@given(strategies.terms(), strategies.contexts())
def test_bytes_and_addresses_are_those_of_the_terms(term: Term, where: Symbol) -> None:
    assert encoded(term) == encode(term)
    assert locator(where.text, (Symbol("p"), term)) == locate(
        where, (Symbol("p"), term)
    )


@given(beginnings(), st.lists(moves(), max_size=30))
@settings(max_examples=60, deadline=None)
def test_whatever_happens_the_labels_hang_together(
    first: list[Move], then: list[Move]
) -> None:
    game = Game()
    for move in [*first, *then]:
        game.play(move)
    belief = game.twin.belief
    assert belief.known <= belief.believed <= belief.present <= belief.stored
    assert not belief.defeated & (belief.known | belief.believed)
    assert not belief.waiting & belief.frame.shipped
    held_up = {row for row in belief.present if belief.frame.follows(row)}
    here = {row.locator for row in belief.present}
    assert all(row.named() <= here for row in held_up)
    again = Belief(replace(belief.world, assertions=belief.world.assertions[::-1]))
    assert (again.root, again.known) == (belief.root, belief.known)


# Strength and defeat -----------------------------------------------------------


def test_tweety_the_penguin_does_not_fly() -> None:
    belief = believing(*TWEETY, "Mod CxBirds monotonic (penguin Tweety)")
    assert label(belief, "CxBirds", "(not (flies Tweety))") == "known"
    assert label(belief, "CxBirds", "(flies Tweety)") == "defeated"
    assert verdict(belief, "(flies Tweety)", "CxBirds") == "false"
    assert not belief.contradictions
    assert verdict(belief, "(bird Tweety)", "CxBirds") == "true"  # by genl


def test_a_penguin_by_default_is_a_dilemma() -> None:
    belief = believing(*TWEETY, "Mod CxBirds default (penguin Tweety)")
    assert label(belief, "CxBirds", "(not (flies Tweety))") == "believed"
    assert verdict(belief, "(flies Tweety)", "CxBirds") == "contradiction"
    assert kinds(belief.contradictions) == ["rebuttal"]


def test_nixon_stays_open_and_two_knowns_conflict() -> None:
    nixon = (
        "Mod CxMen default (set/defaultRule (implies (quaker ?x) (pacifist ?x)))",
        "Mod CxMen default "
        "(set/defaultRule (implies (republican ?x) (not (pacifist ?x))))",
        "Mod CxMen monotonic (quaker Nixon)",
        "Mod CxMen monotonic (republican Nixon)",
    )
    belief = believing(*nixon)
    assert label(belief, "CxMen", "(pacifist Nixon)") == "believed"
    assert label(belief, "CxMen", "(not (pacifist Nixon))") == "believed"
    assert len(belief.contradictions) == 1
    belief = believing("A CxMen monotonic (p X)", "B CxMen monotonic (not (p X))")
    assert (belief.contradictions, len(belief.conflicts)) == ([], 1)


def test_a_chain_is_as_strong_as_its_weakest_link_and_ends_with_its_ground() -> None:
    chain = (
        "A CxK default (implies (p ?x) (q ?x))",
        "A CxK default (implies (q ?x) (r ?x))",
    )
    belief = believing(*chain, "A CxK default (p X)")
    assert label(belief, "CxK", "(r X)") == "believed"
    belief = believing(*chain, "A CxK monotonic (p X)")
    assert label(belief, "CxK", "(r X)") == "known"
    belief = believing(*chain, "A CxK default (p X)", "B CxK monotonic (not (q X))")
    assert label(belief, "CxK", "(q X)") == "defeated"
    assert label(belief, "CxK", "(r X)") == "out"


def test_a_circle_of_support_holds_nothing_up() -> None:
    circle = (
        "A CxK default (implies (p ?x) (q ?x))",
        "A CxK default (implies (q ?x) (p ?x))",
    )
    belief = believing(*circle, "A CxK default (p X)")
    assert label(belief, "CxK", "(q X)") == "believed"
    assert label(believing(*circle), "CxK", "(p X)") == "absent"
    belief = believing(*circle, "A CxK default (p X)", "B CxK monotonic (not (p X))")
    assert label(belief, "CxK", "(q X)") == "out"


def test_monotonic_and_strict_are_standings_not_words() -> None:
    lines = (
        "Eve CxK monotonic (p X)",
        "Mod CxK default (not (p X))",
        "Eve CxK monotonic (implies (r ?x) (q ?x))",
        "Mod CxK monotonic (r X)",
    )
    stranger = {("Eve", "here"): Standing(arbiter=False)}
    belief = believing(*lines, standing=stranger)
    assert label(belief, "CxK", "(not (p X))") == "believed"
    assert label(belief, "CxK", "(q X)") == "believed"
    belief = believing(*lines)
    assert label(belief, "CxK", "(not (p X))") == "defeated"
    assert label(belief, "CxK", "(q X)") == "known"


# Consent -------------------------------------------------------------------------


def test_a_channel_both_joined_lets_the_known_win_everywhere() -> None:
    belief = believing(
        *JOINED,
        "AgentAnn CxAnn default (p X)",
        "AgentBob CxBob monotonic (not (p X))",
    )
    assert label(belief, "CxAnn", "(p X)") == "defeated"


def test_a_mere_reader_sees_the_clash_and_defeats_nothing() -> None:
    reading = (
        "AgentEve CxUniverse monotonic (genlCx CxEve CxAnn)",
        "AgentEve CxUniverse monotonic (genlCx CxEve CxBob)",
        "AgentAnn CxAnn default (p X)",
        "AgentBob CxBob monotonic (not (p X))",
    )
    belief = believing(*reading)
    assert label(belief, "CxAnn", "(p X)") == "believed"
    assert len(belief.contradictions) == 1
    apart = believing(*reading[2:])
    assert not apart.contradictions  # nobody sees both


@pytest.mark.parametrize("own", ["default", "monotonic"])
def test_in_an_own_context_only_what_stands_there_falls(own: str) -> None:
    plain = "monotonic" if own == "default" else "default"
    belief = believing(
        "AgentAnn CxUniverse monotonic (genlCx CxAnn CxPlain)",
        f"AgentAnn CxAnn {own} (p X)",
        f"Mod CxPlain {plain} (not (p X))",
    )
    falls = own == "default"
    assert (label(belief, "CxAnn", "(p X)") == "defeated") is falls
    assert (label(belief, "CxPlain", "(not (p X))") == "defeated") is False
    assert len(belief.contradictions) == (not falls)


def test_a_moderators_edge_consents_in_a_channel_and_standing_is_read_now() -> None:
    lines = (
        *DEPLOY,
        "Mod CxUniverse monotonic (genlCx CxDeploy CxAnn)",
        "AgentAnn CxAnn default (p X)",
        "Mod CxDeploy monotonic (not (p X))",
    )
    assert label(believing(*lines), "CxAnn", "(p X)") == "defeated"
    undeclared = believing(*lines[1:])
    assert label(undeclared, "CxAnn", "(p X)") == "believed"
    member = {("Mod", "here"): Standing(moderator=False)}
    belief = believing(*lines, standing=member)
    assert label(belief, "CxAnn", "(p X)") == "believed"


def test_the_owner_of_a_member_consents_anywhere_by_an_edge_of_its_own() -> None:
    lines = (
        "AgentAnn CxAnn default (p X)",
        "Mod CxPlain monotonic (not (p X))",
    )
    for speaker, outcome in (("AgentAnn", "defeated"), ("Mod", "believed")):
        edge = f"{speaker} CxUniverse monotonic (genlCx CxPlain CxAnn)"
        assert label(believing(*lines, edge), "CxAnn", "(p X)") == outcome


# Masks ---------------------------------------------------------------------------


def test_a_mask_hides_here_and_below_and_a_mask_of_it_lifts_it() -> None:
    lines = (
        "Mod CxUniverse monotonic (genlCx CxLow CxMid)",
        "Mod CxUniverse monotonic (genlCx CxMid CxTop)",
        "Mod CxTop default (p X)",
        "Mod CxTop default (implies (p ?x) (q ?x))",
        mask("Mod", "CxMid", at("CxTop", "(p X)")),
    )
    belief = believing(*lines)
    assert [verdict(belief, "(p X)", one) for one in ("CxTop", "CxMid", "CxLow")] == [
        *("true", "unknown", "unknown")
    ]
    assert label(belief, "CxTop", "(p X)") == "believed"
    mask_at = at("CxMid", f'(except (sentexHandle "{at("CxTop", "(p X)")}"))')
    belief = believing(*lines, mask("Mod", "CxLow", mask_at))
    assert verdict(belief, "(p X)", "CxMid") == "unknown"
    assert verdict(belief, "(p X)", "CxLow") == "true"
    assert belief.masked(mask_at, "CxLow")


def test_a_masked_fact_places_no_conclusion_and_a_masked_side_no_clash() -> None:
    lines = (
        "Mod CxUniverse monotonic (genlCx CxLow CxTop)",
        "Mod CxTop default (p X)",
        "Mod CxLow default (implies (p ?x) (q ?x))",
        "Mod CxLow monotonic (not (p X))",
    )
    hidden = mask("Mod", "CxLow", at("CxTop", "(p X)"))
    assert label(believing(*lines), "CxLow", "(q X)") == "out"
    assert label(believing(*lines), "CxTop", "(p X)") == "defeated"
    belief = believing(*lines, hidden)
    assert label(belief, "CxLow", "(q X)") == "absent"
    assert label(belief, "CxTop", "(p X)") == "believed"
    assert not belief.contradictions


def test_an_own_mask_needs_a_sole_assertion() -> None:
    target = at("CxDeploy", "(p X)")
    hidden = mask("AgentAnn", "CxAnn", target)
    lines = (
        "AgentAnn CxUniverse monotonic (genlCx CxAnn CxDeploy)",
        "AgentAnn CxDeploy default (p X)",
        hidden,
    )
    alone = believing(*lines)
    assert alone.masked(target, "CxAnn")
    text = f'(except (sentexHandle "{target}"))'
    assert label(alone, "CxAnn", text) == "known"
    for other in ("AgentBob", "AgentAnn@elsewhere"):
        belief = believing(*lines, f"{other} CxDeploy default (p X)")
        assert not belief.masked(target, "CxAnn")
        assert label(belief, "CxAnn", text) == "out"
        assert at("CxAnn", text) not in belief.leaves


# Places --------------------------------------------------------------------------


def test_a_conclusion_stands_in_the_most_general_contexts_that_see_all() -> None:
    lines = (
        "Mod CxUniverse monotonic (genlCx CxDeploy CxAnn)",
        "Mod CxUniverse monotonic (genlCx CxLower CxDeploy)",
        "Mod CxDeploy default (implies (p ?x) (q ?x))",
        "AgentAnn CxAnn default (p X)",
    )
    belief = believing(*lines)
    assert [
        label(belief, one, "(q X)") for one in ("CxDeploy", "CxLower", "CxAnn")
    ] == [*("believed", "absent", "absent")]
    # Without the edge nobody sees both.
    assert label(believing(*lines[1:]), "CxDeploy", "(q X)") == "absent"


def test_two_contexts_that_do_not_see_each_other_both_get_it() -> None:
    lines = (
        *(f"Mod CxUniverse monotonic (genlCx {low} CxAnn)" for low in ("CxA", "CxB")),
        *(f"Mod CxUniverse monotonic (genlCx {low} CxBob)" for low in ("CxA", "CxB")),
        "AgentAnn CxAnn default (implies (p ?x) (q ?x))",
        "AgentBob CxBob default (p X)",
    )
    belief = believing(*lines)
    assert {label(belief, one, "(q X)") for one in ("CxA", "CxB")} == {"believed"}


def test_an_own_context_attracts_nothing_that_stands_elsewhere() -> None:
    apart = (
        "Mod CxRules default (implies (p ?x) (q ?x))",
        "Mod CxFacts default (p X)",
        "AgentEve CxUniverse monotonic (genlCx CxEve CxRules)",
        "AgentEve CxUniverse monotonic (genlCx CxEve CxFacts)",
    )
    assert label(believing(*apart), "CxEve", "(q X)") == "absent"
    own = (*apart, "AgentEve CxEve default (p Y)")
    assert label(believing(*own), "CxEve", "(q Y)") == "believed"
    below = "AgentEve CxUniverse monotonic (genlCx CxAgentAgentEve CxEve)"
    assert label(believing(*apart, below), "CxAgentAgentEve", "(q X)") == "believed"


def test_a_circle_of_contexts_keeps_one_place() -> None:
    circle = (
        "Mod CxUniverse monotonic (genlCx CxA CxB)",
        "Mod CxUniverse monotonic (genlCx CxB CxC)",
        "Mod CxUniverse monotonic (genlCx CxC CxA)",
    )
    for ground, place in (("CxC", "CxC"), ("CxTop", "CxA")):
        lines = (
            *circle,
            "Mod CxUniverse monotonic (genlCx CxB CxTop)",
            f"Mod {ground} default (p X)",
            f"Mod {ground} default (implies (p ?x) (q ?x))",
        )
        belief = believing(*lines)
        placed = [
            one
            for one in ("CxA", "CxB", "CxC", "CxTop")
            if label(belief, one, "(q X)") == "believed"
        ]
        assert placed == [ground if ground == "CxTop" else place]
    apart = (
        *circle,
        "Mod CxUniverse monotonic (genlCx CxB CxOne)",
        "Mod CxUniverse monotonic (genlCx CxB CxTwo)",
        "Mod CxOne default (p X)",
        "Mod CxTwo default (implies (p ?x) (q ?x))",
    )
    assert label(believing(*apart), "CxA", "(q X)") == "believed"
    channel = "Mod CxUniverse monotonic (channel CxB)"
    belief = believing(*apart, channel)
    assert label(belief, "CxB", "(q X)") == "believed"
    assert label(belief, "CxA", "(q X)") == "absent"


# Readings and definitional clashes -----------------------------------------------


def test_symmetry_and_its_facts_come_in_any_order() -> None:
    lines = (
        "Mod CxUniverse monotonic (symmetric near)",
        "A CxK default (near X Y)",
        "B CxK monotonic (not (near Y X))",
        "A CxK default (implies (near Z ?x) (found ?x))",
        "A CxK default (near W Z)",
    )
    roots = {believing(*order).root for order in permutations(lines)}
    assert len(roots) == 1
    belief = believing(*lines)
    assert label(belief, "CxK", "(near X Y)") == "defeated"
    assert label(belief, "CxK", "(found W)") == "believed"
    assert verdict(belief, "(near Z W)", "CxK") == "true"
    assert verdict(believing(*lines[1:]), "(near X Y)", "CxK") == "true"


def test_a_fact_is_mirrored_if_its_functor_or_the_one_it_climbs_to_is() -> None:
    lines = (
        "A CxK monotonic (genl wed near)",
        "A CxK default (wed Ann Bob)",
        "A CxK default (implies (near Bob ?x) (found ?x))",
    )
    for marked, outcome in (
        ("wed", "believed"),
        ("near", "believed"),
        ("far", "absent"),
    ):
        belief = believing(*lines, f"A CxUniverse monotonic (symmetric {marked})")
        assert label(belief, "CxK", "(found Ann)") == outcome


def test_a_negative_antecedent_is_met_by_a_negative_fact_only() -> None:
    rule = "A CxK default (implies (and (p ?x) (not (q ?x))) (r ?x))"
    assert label(believing(rule, "A CxK default (p X)"), "CxK", "(r X)") == "absent"
    belief = believing(rule, "A CxK default (p X)", "A CxK default (not (q X))")
    assert label(belief, "CxK", "(r X)") == "believed"
    under = ("A CxK monotonic (genl s q)", "A CxK default (not (s X))")
    belief = believing(rule, "A CxK default (p X)", *under)
    assert label(belief, "CxK", "(r X)") == "absent"


def test_filters_compare_numbers_exactly_and_contents_by_bytes() -> None:
    rule = "A CxK default (implies (and (p ?x ?y) (lessThan ?x ?y)) (less ?x ?y))"
    other = "A CxK default (implies (and (p ?x ?y) (different ?x ?y)) (other ?x ?y))"
    facts = (
        "A CxK default (p 1 2.5)",
        "A CxK default (p 1 1.0)",
        'A CxK default (p 1 "2")',
    )
    belief = believing(rule, other, *facts)
    assert label(belief, "CxK", "(less 1 2.5)") == "believed"
    assert label(belief, "CxK", "(less 1 1.0)") == "absent"
    assert label(belief, "CxK", '(less 1 "2")') == "absent"
    assert label(belief, "CxK", "(other 1 1.0)") == "believed"


def test_two_values_of_a_functional_clash_where_the_declaration_is_seen() -> None:
    lines = (
        *JOINED,
        "AgentAnn CxAnn default (port Web 80)",
        "AgentBob CxBob monotonic (port Web 81)",
    )
    assert not believing(*lines).clashes
    seen = believing(*lines, "Mod CxDeploy monotonic (functional port)")
    assert label(seen, "CxAnn", "(port Web 80)") == "defeated"
    elsewhere = believing(*lines, "Mod CxElse monotonic (functional port)")
    assert [one.visible for one in elsewhere.clashes] == [False]
    assert label(elsewhere, "CxAnn", "(port Web 80)") == "believed"
    swapped = believing(
        "Mod CxUniverse monotonic (symmetric wed)",
        "A CxK monotonic (functional wed)",
        "A CxK default (wed Ann Bob)",
        "A CxK default (wed Bob Ann)",
        "A CxK default (wed Cid Ann)",
    )
    assert kinds(swapped.contradictions) == ["functional", "functional"]


def test_disjoint_types_clash_through_what_lies_below_them() -> None:
    lines = (
        "A CxK monotonic (disjoint animal plant)",
        "A CxK monotonic (genl dog animal)",
        "A CxK monotonic (dog Rex)",
        "A CxK default (plant Rex)",
        "A CxK default (animal Rex)",
    )
    belief = believing(*lines)
    assert label(belief, "CxK", "(plant Rex)") == "defeated"
    assert kinds(belief.clashes) == ["disjoint", "disjoint"]
    apart = believing(*lines[:1], *lines[2:4])
    assert not apart.clashes


def test_need_of_a_genl_is_seen_where_the_conclusion_stands() -> None:
    lines = (
        "A CxTop default (implies (bird ?x) (flies ?x))",
        "A CxTop default (penguin Tweety)",
        "A CxUniverse monotonic (genlCx CxLow CxTop)",
        "A CxLow monotonic (genl penguin bird)",
    )
    belief = believing(*lines)
    assert label(belief, "CxLow", "(flies Tweety)") == "believed"
    assert label(belief, "CxTop", "(flies Tweety)") == "absent"
    hidden = mask("A", "CxLow", at("CxLow", "(genl penguin bird)"))
    assert label(believing(*lines, hidden), "CxLow", "(flies Tweety)") == "absent"


# Replies -------------------------------------------------------------------------

FOLLOWING = "Mod CxUniverse monotonic (targetFollowingPredicate endorses)"


def endorsing(speaker: str, context: str, target: str) -> str:
    return f'{speaker} {context} default (endorses Me (sentexHandle "{target}"))'


def sentence(line: str) -> str:
    return line.split(" ", 3)[3]


def test_a_reply_waits_for_its_target_and_no_reply_holds_up_its_own() -> None:
    claim = "AgentAnn CxAnn default (p X)"
    first = endorsing("AgentBob", "CxBob", at("CxAnn", "(p X)"))
    second = endorsing("AgentAnn", "CxAnn", at("CxBob", sentence(first)))
    belief = believing(FOLLOWING, first, second)
    assert label(belief, "CxBob", sentence(first)) == "waiting"
    assert label(belief, "CxAnn", sentence(second)) == "waiting"
    assert len(belief.leaves) == 1
    belief = believing(FOLLOWING, first, second, claim)
    assert label(belief, "CxAnn", sentence(second)) == "believed"
    assert label(believing(first, second), "CxAnn", sentence(second)) == "believed"
    # A reply that would derive its own target gives itself no ground.
    target = at("CxBob", "(p X)")
    circular = (
        FOLLOWING,
        endorsing("AgentBob", "CxBob", target),
        "AgentBob CxBob default (implies (endorses ?a ?t) (p X))",
    )
    belief = believing(*circular)
    assert label(belief, "CxBob", sentence(circular[1])) == "waiting"
    assert label(belief, "CxBob", "(p X)") == "absent"


def test_the_membrane_keeps_local_things_in() -> None:
    lines = (
        FOLLOWING,
        "A CxDisputes default (mark X)",
        "A CxK default (p X)",
        "A CxUniverse monotonic (genlCx CxDisputes CxK)",
        "A CxUniverse monotonic (genlCx CxK CxDisputes)",
        "A CxK default (implies (and (mark ?x) (p ?x)) (q ?x))",
        "A CxDisputes monotonic (not (p X))",
        endorsing("AgentAnn", "CxAnn", at("CxDisputes", "(mark X)")),
    )
    edge = believing(lines[3], "A CxUniverse default (implies (genlCx ?a ?b) (q ?a))")
    assert label(edge, "CxUniverse", "(q CxDisputes)") == "absent"
    belief = believing(*lines)
    assert label(belief, "CxK", "(p X)") == "believed"  # no local side defeats it
    assert label(belief, "CxDisputes", "(q X)") == "believed"
    assert label(belief, "CxK", "(q X)") == "absent"
    assert label(belief, "CxUniverse", "(genlCx CxK CxDisputes)") == "out"
    assert label(belief, "CxAnn", sentence(lines[-1])) == "waiting"
    assert belief.leaves == believing(lines[0], lines[2], lines[5]).leaves


@pytest.mark.parametrize("own", [True, False])
def test_a_retraction_takes_own_replies_and_lets_others_wait(*, own: bool) -> None:
    here, seat = TwinSeat("here"), "here" if own else "there"
    target = at("CxK", "(q X)")
    reply = said(endorsing(f"AgentBob@{seat}", "CxBob", target))
    for line in (
        FOLLOWING,
        "Ann CxK default (p X)",
        "Ann CxK default (implies (p ?x) (q ?x))",
    ):
        one = said(line)
        here.assert_(one.agent, one.context, one.sentence, one.strength)
    if own:
        here.assert_(reply.agent, reply.context, reply.sentence)
    else:
        here.merge("there", [reply])
    row = Sentex("CxBob", reply.sentence)
    assert row in here.belief.believed
    event = here.retract("Ann", at("CxK", "(p X)"))
    assert event.removed == {at("CxK", "(p X)"), target, row.locator}
    assert (row in here.belief.stored, row in here.belief.waiting) == (not own, not own)
    here.assert_("Ann", "CxK", (Symbol("p"), Symbol("X")))
    assert (row in here.belief.believed) is not own


def test_own_masks_go_with_the_assertion_they_hide_and_held_lines_only_wait() -> None:
    here = TwinSeat("here")
    here.introduce("AgentAnn")
    target = at("CxAnn", "(p X)")
    for line in (
        FOLLOWING,
        "AgentAnn CxAnn default (p X)",
        mask("AgentAnn", "CxAnn", target),
        "Mod CxBob default (q X)",
        endorsing("AgentAnn", "CxAnn", at("CxBob", "(q X)")),
    ):
        one = said(line)
        here.assert_(one.agent, one.context, one.sentence, one.strength)
    assert here.belief.masked(target, "CxAnn")
    other = said(mask("Mod", "CxPlain", target))
    here.assert_("Mod", "CxPlain", other.sentence)
    here.retract("AgentAnn", target)
    masks = [one for one in here.lines.values() if "except" in repr(one)]
    assert [one.agent for one in masks] == ["Mod"]
    assert not here.belief.waiting
    here.introduce("AgentBob")  # what Mod said in CxBob is now held
    assert len(here.belief.waiting) == 1


def test_saying_it_again_takes_the_stronger_of_both() -> None:
    here = TwinSeat("here")
    rule = canonical(read("(implies (p ?x) (q ?x))"))
    here.assert_("Ann", "CxK", (Symbol("p"), Symbol("X")), "monotonic")
    here.assert_("Ann", "CxK", (Symbol("p"), Symbol("X")), "default")
    here.assert_("Ann", "CxK", rule, wrappers=["inert", "default"])
    assert label(here.belief, "CxK", "(q X)") == "absent"
    here.assert_("Ann", "CxK", rule, wrappers=["default"])
    assert label(here.belief, "CxK", "(q X)") == "believed"
    here.assert_("Ann", "CxK", rule, wrappers=["inert"])
    assert label(here.belief, "CxK", "(q X)") == "known"


def test_the_vocabulary_is_known_everywhere_and_no_leaf() -> None:
    rule = at("CxSpeechActs", "(implies (disputes ?a ?t) (contested ?t))")
    shipped = (
        ("CxSpeechActs", canonical(read("(implies (disputes ?a ?t) (contested ?t))"))),
        ("CxUniverse", read("(genlCx CxUniverse CxCore)")),
    )
    lines = (
        "AgentBob CxUniverse monotonic (genlCx CxBob CxSpeechActs)",
        "AgentBob CxBob monotonic (disputes AgentBob X)",
        mask(
            "Mod",
            "CxBob2",
            rule,
        ),
    )
    belief = believing(*lines, vocabulary=shipped)
    assert label(belief, "CxBob", "(contested X)") == "known"
    assert label(belief, "CxUniverse", "(genlCx CxUniverse CxCore)") == "known"
    assert believing(vocabulary=shipped).leaves == set()
    assert not belief.masked(rule, "CxBob2")


def test_beliefs_are_asked_of_the_agent_in_its_own_belief_context() -> None:
    lines = (
        "Mod CxUniverse monotonic (modalPredicate believes)",
        "AgentBob CxAgentAgentBob default (p X)",
    )
    belief = believing(*lines)
    assert verdict(belief, "(believes AgentBob (p X))", "CxElse") == "true"
    assert verdict(belief, "(believes AgentBob (q X))", "CxElse") == "unknown"
    assert verdict(belief, "(p X)", "CxElse") == "unknown"
