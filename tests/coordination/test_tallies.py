"""Tallies and rulings of counts against a twin, whatever is said and taken back."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from coordination.quarrel import ATLAS, BOREAS, CID, DAN, NOT_P, ROOM, P, make_seat
from koinii import RemoteSeat
from koinii.coordination.counts import count_ballots, resolve_by_majority
from koinii.coordination.dispute_id import dispute_id
from koinii.errors import KoiniiError, NotFoundError, RefusedError
from koinii.kb.claim import parse_claim
from koinii.seat.counting import called
from koinii.terms import write
from koinii.terms.locator import locator_of
from reference.tally_twin import Call, in_force, tally
from remote.desks import Clock, examples, room, says

AGENTS = (ATLAS, BOREAS, CID, DAN)
OTHER_ROOM = "CxOther"
MOVES = (
    "join", "leave", "for", "against", "unfor", "unagainst", "say", "unsay", "call",
    "uncall", "close", "open", "forge", "kept", "call", "call", "for", "against",
)  # fmt: skip

moves = st.lists(
    st.tuples(
        st.sampled_from(MOVES),
        st.sampled_from(AGENTS),
        st.sampled_from((ROOM, ROOM, OTHER_ROOM)),
        st.sampled_from((P, P, P, NOT_P)),
    ),
    min_size=15,
    max_size=40,
)


SIDES = ((ATLAS, "CxAtlas", P), (BOREAS, "CxBoreas", NOT_P))


class Game:
    """A seat on which moves are made, and what is read of it."""

    def __init__(self, seat: RemoteSeat) -> None:
        self.seat = seat
        self.claims: dict[str, str] = {
            seat.locate(P, "CxAtlas"): P,
            seat.locate(NOT_P, "CxBoreas"): NOT_P,
        }
        self.at = {sentence: locator for locator, sentence in self.claims.items()}
        self.id = dispute_id(*self.claims)
        self.kept = seat.locate("(kept ProdCluster)", ROOM)
        seat.assert_("(implies (reliable ?x) (kept ?x))", context=ROOM, agent=ATLAS)

    def move(self, kind: str, agent: str, channel: str, claim: str) -> None:
        with suppress(NotFoundError, RefusedError):
            getattr(self, f"_{kind}")(agent, channel, self.at[claim])

    def _join(self, agent: str, channel: str, _: str) -> None:
        self.seat.join(channel, agent=agent)

    def _leave(self, agent: str, channel: str, _: str) -> None:
        own = agent.replace("Agent", "Cx")
        self._take_back(agent, f"(genlCx {channel} {own})", "CxUniverse")

    def _for(self, agent: str, _: str, claim: str) -> None:
        self._ballot(agent, "votesFor", claim)

    def _against(self, agent: str, _: str, claim: str) -> None:
        self._ballot(agent, "votesAgainst", claim)

    def _unfor(self, agent: str, _: str, claim: str) -> None:
        self._take_back(agent, ballot(agent, "votesFor", claim))

    def _unagainst(self, agent: str, _: str, claim: str) -> None:
        self._take_back(agent, ballot(agent, "votesAgainst", claim))

    def _forge(self, agent: str, channel: str, claim: str) -> None:
        """Vote in another's name, and in the own one where it does not count."""
        other = AGENTS[AGENTS.index(agent) - 1]
        self.seat.assert_(ballot(other, "votesFor", claim), agent=agent)
        said = ballot(agent, "votesFor", claim)
        self.seat.assert_(said, agent=agent, context=channel)

    def _say(self, _: str, __: str, claim: str) -> None:
        agent = ATLAS if self.claims[claim] == P else BOREAS
        self.seat.assert_(self.claims[claim], agent=agent)

    def _unsay(self, _: str, __: str, claim: str) -> None:
        agent = ATLAS if self.claims[claim] == P else BOREAS
        self.seat.retract(claim, agent=agent)

    def _close(self, _: str, channel: str, __: str) -> None:
        self._take_back(ATLAS, f"(channel {channel})", "CxUniverse")

    def _open(self, _: str, channel: str, __: str) -> None:
        self.seat.new_channel(channel)

    def _call(self, agent: str, channel: str, claim: str) -> None:
        resolve_by_majority(self.seat, self.id, claim, channel, agent=agent)

    def _uncall(self, agent: str, _: str, claim: str) -> None:
        self._take_back(agent, self.claims[claim], "CxMajority")

    def _kept(self, agent: str, channel: str, _: str) -> None:
        """Count what follows from a claim, or from what a count has ruled."""
        self._ballot(agent, "votesFor", self.kept)
        named = dispute_id(self.kept, self.at[NOT_P])
        resolve_by_majority(self.seat, named, self.kept, channel, agent=agent)

    def _ballot(self, agent: str, word: str, claim: str) -> None:
        self.seat.assert_(ballot(agent, word, claim), agent=agent)

    def _take_back(self, agent: str, sentence: str, context: str = "") -> None:
        place = context or agent.replace("Agent", "Cx")
        self.seat.retract(self.seat.locate(sentence, place), agent=agent)

    # Reading -------------------------------------------------------------------

    def said(self) -> list[tuple[str, str, str]]:
        return [(agent, context, text) for agent, _, context, text in says(self.seat)]

    def calls(self) -> list[Call]:
        found: list[Call] = []
        for row in self.seat.kb.assertions.held():
            line = parse_claim(row[4])
            call = called(line)
            assert call is not None
            counted = locator_of(call.counted.claim), call.counted.channel
            found.append((*counted, write(line.sentence)))
        return found


def ballot(agent: str, word: str, claim: str) -> str:
    return f'({word} {agent} (sentexHandle "{claim}"))'


@given(moves)
@settings(max_examples=examples(60))
def test_a_tally_and_its_rulings_are_those_of_the_twin(
    played: list[tuple[str, str, str, str]],
) -> None:
    with room() as folder, make_seat(Path(folder, "seat"), Clock()) as made:
        made.new_channel(OTHER_ROOM)
        game = Game(made)
        claims = {**game.claims, str(game.kept): "(kept ProdCluster)"}
        game.move("say", ATLAS, ROOM, P)
        game.move("say", BOREAS, ROOM, NOT_P)
        for agent in AGENTS[1:]:
            game.move("join", agent, ROOM, P)
        for one in played:
            game.move(*one)
            said = game.said()
            for claim in game.claims:
                with suppress(KoiniiError):
                    found = count_ballots(made, claim, one[2])
                    assert found[:2] == tally(said, claim, one[2]), one
            rulings = {write(row.sentence) for row in made.believed("CxMajority")}
            assert rulings == in_force(said, claims, game.calls(), SIDES), one
