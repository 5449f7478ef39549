"""A channel over the local medium (spec B.3, C.3, S1), row by row."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from coordination.quarrel import ATLAS, BOREAS, CID, ROOM, P, gives
from koinii.coordination.channel import Channel, answer_content, join, speaker_of
from koinii.coordination.local import Local
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError, RefusedError
from koinii.kb.following import Event
from koinii.terms import read, write
from remote.desks import says

ASKED = "(whichDatabase ProdCluster)"
ANSWER = "(usesDatabase ProdCluster Postgres)"


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as no:
        call()
    return no.value.code


def said(seat: CoordinationSeat, context: str) -> set[tuple[str, str]]:
    return {(who, text) for who, _, place, text in says(seat) if place == context}


def named(locator: str) -> str:
    return f'(sentexHandle "{locator}")'


@pytest.fixture
def atlas(seat: CoordinationSeat) -> Channel:
    return seat.channel(ROOM)


@pytest.fixture
def boreas(seat: CoordinationSeat) -> Channel:
    return seat.channel(ROOM, agent=BOREAS)


def test_join_lifts_the_agents_own_context_under_the_channel(
    seat: CoordinationSeat,
) -> None:
    room = seat.channel(ROOM, agent=CID)
    assert (room.agent, room.context, room.channel) == (CID, "CxCid", ROOM)
    sees = seat.kb.lattice().sees
    assert sees(ROOM, "CxCid")
    assert sees("CxCid", "CxSpeechActs")
    assert room.assert_(P) == seat.locate(P, "CxCid")
    assert said(seat, "CxCid") == {(CID, P)}
    before = says(seat)
    seat.channel(ROOM, agent=CID)
    join(Local(seat), ROOM, CID)
    assert says(seat) == before
    assert refused(lambda: seat.channel("CxNowhere")) == "koinii/no-channel"


def test_answer_is_a_meta_sentex_recoverable_as_knowledge(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    asked = atlas.pose(ASKED)
    answered = boreas.answer(ANSWER, asked)
    (found,) = atlas.answers_to(asked)
    assert found.locator == answered
    assert write(found.sentence) == f"(answers {BOREAS} {ANSWER} {named(asked)})"
    assert found.context == "CxBoreas"
    assert speaker_of(found) == BOREAS
    assert answer_content(found) == read(ANSWER)
    (question,) = atlas.open_queries()
    assert (question.locator, speaker_of(question)) == (asked, ATLAS)
    assert answer_content(question) is None
    assert seat.show(answered).authors[0].agent == BOREAS  # type: ignore[union-attr]


def test_a_reply_is_idempotent_by_sentence_identity(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    asked = atlas.pose(ASKED)
    first = boreas.answer(ANSWER, asked)
    cursor, before = seat.events().cursor, says(seat)
    assert boreas.answer(ANSWER, asked) == first
    assert says(seat) == before
    assert seat.events(cursor).events == []
    assert len(atlas.answers_to(asked)) == 1


def test_endorsement_survives_first_writer_wins(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    claim = atlas.assert_(P)
    cid = seat.channel(ROOM, agent=CID)
    assert boreas.endorse(claim) != cid.endorse(claim)
    found = atlas.endorsements_of(claim)
    assert sorted(map(speaker_of, found)) == [BOREAS, CID]


def test_dispute_rebuts_and_surfaces_in_contradictions(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    claim = atlas.assert_(P)
    objection = boreas.dispute(claim)
    assert len(seat.contradictions(ROOM)) == 1
    found = boreas.medium.sentex(objection)
    assert (found.context, speaker_of(found)) == ("CxBoreas", BOREAS)
    assert write(found.sentence) == f"(disputes {BOREAS} {named(claim)})"


def test_vote_is_a_ballot_meta_sentex_idempotent_by_identity(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    claim = atlas.assert_(P)
    for room, stance, word in (
        (atlas, "for", "votesFor"),
        (boreas, "against", "votesAgainst"),
    ):
        ballot = room.vote(stance, claim)
        found = room.medium.sentex(ballot)
        assert write(found.sentence) == f"({word} {room.agent} {named(claim)})"
        assert found.context == room.context
        assert room.vote(stance, claim) == ballot
    assert len([*seat.ask("(votesFor ?who ?what)", context=ROOM)]) == 1


def test_justify_offers_a_ground_as_a_meta_sentex(
    atlas: Channel, boreas: Channel
) -> None:
    claim = atlas.assert_(P)
    found = boreas.medium.sentex(boreas.justify("(uptime ProdCluster 400)", claim))
    assert found.context == "CxBoreas"
    assert write(found.sentence) == (
        f"(justifies {BOREAS} (uptime ProdCluster 400) {named(claim)})"
    )


def test_retracting_the_target_tears_down_the_reply_no_dangling_edge(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    asked = atlas.pose(ASKED)
    told = [boreas.answer(ANSWER, asked), boreas.endorse(asked)]
    gone = atlas.retract(asked)
    assert {one.locator for one in gone.fell} == set(told)
    for locator in (asked, *told):
        assert refused(lambda one=locator: seat.show(one)) == "koinii/unknown-locator"  # type: ignore[misc]
    assert atlas.open_queries() == []


def test_a_multi_claim_reply_validates_before_it_commits(
    seat: CoordinationSeat, boreas: Channel
) -> None:
    good = ["(kept ProdCluster)", "(kept StageCluster)"]
    assert len(boreas.reply_many(good).added) == 2
    before, cursor = says(seat), seat.events().cursor
    with pytest.raises(RefusedError) as no:
        boreas.reply_many(["(good One)", 7, "(good Two)"])
    assert no.value.code == "koinii/reply-inadmissible"
    problems = no.value.details["problems"]
    assert isinstance(problems, list)
    assert [one.index for one in problems] == [1]
    assert says(seat) == before
    assert seat.events(cursor).events == []


def test_two_claims_that_only_clash_with_each_other_are_refused_whole(
    seat: CoordinationSeat, boreas: Channel
) -> None:
    seat.assert_("(functional cores)", context="CxBoreas", agent=BOREAS)
    before = says(seat)
    both = ["(cores ProdCluster 8)", "(cores ProdCluster 16)"]
    assert refused(lambda: boreas.reply_many(both)) == "koinii/reply-inadmissible"
    assert says(seat) == before


def test_subscribe_fires_on_a_matching_write_and_stops_when_dropped(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    heard: list[Event] = []
    sub = boreas.subscribe(heard.append, goal="(usesDatabase ?x ?y)")
    assert sub.medium is boreas.medium
    atlas.assert_("(other Thing)")
    atlas.assert_(ANSWER)
    (event,) = heard
    assert [one.locator for one in event.added] == [seat.locate(ANSWER, "CxAtlas")]
    sub.stop()
    sub.stop()
    atlas.assert_("(usesDatabase StageCluster Redis)")
    assert len(heard) == 1
    assert seat.watchers() == []


def test_subscribing_delivers_no_history(atlas: Channel) -> None:
    atlas.assert_(ANSWER)
    heard: list[Event] = []
    atlas.subscribe(heard.append, goal="(usesDatabase ?x ?y)")
    assert heard == []


def test_local_subscribe_with_a_nil_goal_sees_every_change(
    seat: CoordinationSeat, atlas: Channel
) -> None:
    heard: list[Event] = []
    atlas.subscribe(heard.append)
    seat.assert_("(far Away)", context="CxElsewhere")
    seat.assert_("(not (far Away))", context="CxElsewhere", strength="monotonic")
    assert [len(event.removed) for event in heard] == [0, 1]


def test_a_goal_core_watch_refuses_is_refused_here_too(atlas: Channel) -> None:
    goal = "(and (usesDatabase ?x ?y) (kept ?x))"
    assert refused(lambda: atlas.subscribe(print, goal=goal)) == "not-watchable"


def test_a_local_medium_has_no_cursor_feed(seat: CoordinationSeat) -> None:
    medium = Local(seat)
    assert refused(medium.feed_open) == "koinii/no-wire-feed"
    assert refused(lambda: medium.feed_poll(0, goal=None, context=None)) == (
        "koinii/no-wire-feed"
    )


# Rows of C.11 ----------------------------------------------------------------------


def test_s1_a_channel_takes_no_other_creator(
    seat: CoordinationSeat, atlas: Channel
) -> None:
    before = says(seat)
    assert refused(lambda: atlas.assert_(P, creator=BOREAS)) == (
        "koinii/creator-mismatch"
    )
    assert says(seat) == before
    own = atlas.assert_(P, creator=ATLAS, strength="monotonic")
    assert seat.why(own)["strength"] == "monotonic"


# What the rows do not say ------------------------------------------------------------


def test_open_queries_are_all_that_are_believed(
    seat: CoordinationSeat, atlas: Channel, boreas: Channel
) -> None:
    """Answered or not, of whatever channel."""
    asked = [atlas.pose(ASKED), boreas.pose("(whichDatabase StageCluster)")]
    atlas.answer(ANSWER, asked[1])
    seat.new_channel("CxOther")
    elsewhere = seat.channel("CxOther", agent=CID)
    found = {one.locator for one in elsewhere.open_queries()}
    assert found == set(asked)


def test_a_channel_is_asked_like_a_context(
    seat: CoordinationSeat, atlas: Channel
) -> None:
    atlas.assert_(ANSWER)
    (row,) = atlas.query("(usesDatabase ProdCluster ?x)")
    assert write(row["?x"]) == "Postgres"
    assert [*atlas.query("(usesDatabase ?x ?y)", "CxBoreas")] == []
    assert gives(seat, ANSWER)


def test_a_stance_is_for_or_against(atlas: Channel) -> None:
    claim = atlas.assert_(P)
    assert refused(lambda: atlas.vote("perhaps", claim)) == "koinii/no-such-stance"


def test_what_another_said_is_not_taken_back(atlas: Channel, boreas: Channel) -> None:
    claim = atlas.assert_(P)
    assert refused(lambda: boreas.retract(claim)) == "koinii/not-own-assertion"
