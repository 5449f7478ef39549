"""A seat under any sequence of verbs is what a dictionary would be."""

from __future__ import annotations

import random
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from koinii.errors import NotFoundError, RefusedError
from koinii.seat.records import last_record
from koinii.seat.seat import Seat
from koinii.terms import read, write
from koinii.terms.canonical import canonical
from reference import seat_twin as twin
from reference.seat_twin import Live, Place
from seat.made import ATLAS, BOREAS, Clock, copy_of_two, fast_directory, open_seat

OWN = {ATLAS: "CxAtlas", BOREAS: "CxBoreas"}
SENTENCES = (
    "(p A)",
    "(not (p A))",
    "(p B)",
    '(q A "a b" -3)',
    '(q A "a\\"b" 3 4 5)',
    "(r (Fn A) A)",
    "(not (not (p C)))",
    "(not (not (above 2 1)))",
)
BAD_LINES = (
    "(p",
    "(p ?x)",
    "p",
    "(Not_a a b)",
    "(implies (p ?x) (q ?y))",
    "(p A) (p B)",
)

agents = st.sampled_from((ATLAS, BOREAS))
places = st.sampled_from((None, None, "CxDeploy"))
sentences = st.sampled_from(SENTENCES)
strengths = st.sampled_from((None, "default", "monotonic"))


def text_of(sentence: str) -> str:
    return write(canonical(read(sentence)))


def segments_of(seat: Seat, agent: str, context: str) -> list[str]:
    """The bodies of an author's segments in a context, oldest first."""
    folder = f"agents/{agent}/claims/{context}/"
    paths = [path for path, _, _ in seat.files.listing(folder)]
    paths.sort(key=lambda path: int(path.rsplit("/", 1)[1].removesuffix(".kb")))
    return [zlib.decompress(seat.files.body(path) or b"").decode() for path in paths]


class SeatMachine(RuleBasedStateMachine):
    """Two agents at one seat, through two open connections."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.mkdtemp(dir=fast_directory())
        self.clock = Clock()
        self.path = copy_of_two(Path(self.directory))
        self.seats = [open_seat(self.path, now=self.clock) for _ in range(2)]
        self.live: twin.Seat = {}
        self.committed: twin.Seat | None = None
        self.commits = 0

    def teardown(self) -> None:
        for seat in self.seats:
            seat.close()
        shutil.rmtree(self.directory)

    @property
    def seat(self) -> Seat:
        """One of the two connections, in turn; what it is told next has this time."""
        self.seats.reverse()
        self.said_at = self.clock.time + 1
        return self.seats[0]

    def place(self, agent: str, context: str | None, sentence: str) -> Place:
        return Place(agent, context or OWN[agent], text_of(sentence))

    def say(self, place: Place, strength: str | None) -> str:
        """Put it into the dictionary; tell what that did."""
        level = 0 if strength is None else twin.STRENGTHS.index(strength)
        earlier = self.live.get(place)
        self.live[place] = twin.said_again(earlier, Live(level, self.said_at))
        if earlier == self.live[place]:
            return "already"
        return "new" if earlier is None else "changed"

    def unsay(self, place: Place) -> None:
        del self.live[place]

    def code_of_retract(self, place: Place) -> str:
        """What a retraction is refused with; '' where it is not."""
        if place in self.live:
            return ""
        sides = {(other.context, other.sentence) for other in self.live}
        known = (place.context, place.sentence) in sides
        return "koinii/not-own-assertion" if known else "koinii/unknown-locator"

    @rule(agent=agents, context=places, sentence=sentences, strength=strengths)
    def assert_(
        self, agent: str, context: str | None, sentence: str, strength: str | None
    ) -> None:
        located = self.seat.assert_(
            sentence, agent=agent, context=context, strength=strength
        )

        place = self.place(agent, context, sentence)
        self.say(place, strength)
        assert located == twin.locator(place.context, place.sentence)

    @rule(agent=agents, sentence=sentences, other=agents)
    def assert_elsewhere(self, agent: str, sentence: str, other: str) -> None:
        if agent == other:
            return
        with pytest.raises(RefusedError) as caught:
            self.seat.assert_(sentence, agent=agent, context=OWN[other])
        assert caught.value.code == "koinii/foreign-context"

    @rule(
        agent=agents,
        context=st.sampled_from(("CxAtlas", "CxBoreas", "CxDeploy")),
        sentence=sentences,
        digits=st.sampled_from((8, 64)),
    )
    def retract(self, agent: str, context: str, sentence: str, digits: int) -> None:
        place = self.place(agent, context, sentence)
        locator = twin.locator(context, place.sentence)
        code = self.code_of_retract(place)
        if code:
            with pytest.raises((RefusedError, NotFoundError)) as caught:
                self.seat.retract(locator[: 7 + digits], agent=agent)
            assert caught.value.code == code
            return
        assert self.seat.retract(locator[: 7 + digits], agent=agent) == locator
        self.unsay(place)

    @rule(
        agent=agents,
        context=places,
        add=st.lists(st.one_of(sentences, sentences, st.just("(p ?x)")), max_size=3),
        remove=st.lists(
            st.tuples(st.sampled_from(("CxAtlas", "CxDeploy")), sentences), max_size=2
        ),
    )
    def edit(
        self,
        agent: str,
        context: str | None,
        add: list[str],
        remove: list[tuple[str, str]],
    ) -> None:
        adding = [self.place(agent, context, one) for one in add if "?" not in one]
        removing = dict.fromkeys(self.place(agent, *one) for one in remove)
        locators = [twin.locator(one.context, one.sentence) for one in removing]
        stored = {(one.context, one.sentence) for one in self.live}
        lives = {*self.live, *adding}
        works = (
            len(adding) == len(add)
            and all((one.context, one.sentence) in stored for one in removing)
            and all(one in lives for one in removing)
        )
        if not works:
            with pytest.raises((RefusedError, NotFoundError)):
                self.seat.edit(add=add, remove=locators, context=context, agent=agent)
            return
        report = self.seat.edit(add=add, remove=locators, context=context, agent=agent)
        for place in adding:
            self.say(place, None)
        for place in removing:
            self.unsay(place)
        assert report.removed == len(removing)
        assert report.added == [
            twin.locator(one.context, one.sentence) for one in dict.fromkeys(adding)
        ]

    @rule(
        agent=agents,
        context=places,
        lines=st.lists(
            st.sampled_from((*SENTENCES, *BAD_LINES, "", "; note")), max_size=9
        ),
        strength=strengths,
    )
    def load(
        self, agent: str, context: str | None, lines: list[str], strength: str | None
    ) -> None:
        report = self.seat.load(
            [f"{line}\n" for line in lines],
            context=context,
            agent=agent,
            strength=strength,
        )

        counts = {"new": 0, "changed": 0, "already": 0}
        for line in lines:
            if line in SENTENCES:
                counts[self.say(self.place(agent, context, line), strength)] += 1
        assert counts == {name: getattr(report, name) for name in counts}
        assert [(one.line, one.text) for one in report.refused] == [
            (number, line)
            for number, line in enumerate(lines, start=1)
            if line in BAD_LINES
        ]

    @rule()
    def reopen(self) -> None:
        for seat in self.seats:
            seat.close()
        self.seats = [open_seat(self.path, now=self.clock) for _ in range(2)]

    @rule()
    def commit(self) -> None:
        seat = self.seat
        done = seat.commit()

        assert (done is None) == (self.committed == self.live)
        self.committed = dict(self.live)
        if done is not None:
            self.commits += 1
            assert (done.number, done.id) == (self.commits, twin.commit_root(self.live))
            assert done.size == len(twin.believed(self.live))
        self.check_authored(seat)
        self.check_segments(seat)

    def check_authored(self, seat: Seat) -> None:
        record = last_record(seat)
        assert record is not None
        for agent in OWN:
            author = seat.kb.names.author_id(agent, seat.id)
            row = None if author is None else seat.histories.input(author)
            if row is None:
                assert not any(place.agent == agent for place in self.live)
                continue
            assert (row.root, row.size) == twin.authored(self.live, agent)
            if row.number == record.number:
                entry = record.agents[agent]
                assert (entry.root.hex(), entry.size) == (row.root, row.size)

    def check_segments(self, seat: Seat) -> None:
        for agent, own in OWN.items():
            for context in (own, "CxDeploy"):
                expected = twin.lines(self.live, agent, context)
                segments = segments_of(seat, agent, context)
                assert twin.folded(segments, context) == expected

    @invariant()
    def believes_what_is_asserted(self) -> None:
        seat = self.seat
        assert sorted(
            (one.context, write(one.sentence), one.locator) for one in seat.believed()
        ) == sorted((*one, twin.locator(*one)) for one in twin.believed(self.live))

    @invariant()
    def says_where_it_stands(self) -> None:
        status = self.seat.status()
        assert status.commit == twin.commit_root(self.live)
        assert status.size == len(twin.believed(self.live))
        assert status.number == self.commits
        before = self.committed or {}
        moved = [place for place in {*before, *self.live}
                 if before.get(place) != self.live.get(place)]  # fmt: skip
        assert status.uncommitted == len(moved)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def show(self, data: Any) -> None:
        place = data.draw(st.sampled_from(sorted(self.live)))
        claim: Any = self.seat.show(twin.locator(place.context, place.sentence))
        assert [(one.agent, one.strength, one.created) for one in claim.authors] == [
            (other.agent, twin.STRENGTHS[live.strength], live.created)
            for other, live in sorted(self.live.items())
            if other[1:] == place[1:]
        ]


TestSeatMachine = SeatMachine.TestCase
if settings.get_current_profile_name() == "ci":
    TestSeatMachine.settings = settings(max_examples=50, stateful_step_count=25)


def test_segments_merge_past_eight_and_sixty_four_commits(tmp_path: Path) -> None:
    rng = random.Random(64)
    clock = Clock()
    with open_seat(copy_of_two(tmp_path), now=clock) as seat:
        live: twin.Seat = {}
        for number in range(1, 74):
            for _ in range(3):
                place = Place(ATLAS, "CxAtlas", f"(p {rng.randrange(12)})")
                if place in live and rng.random() < 0.6:
                    seat.retract(twin.locator(place.context, place.sentence))
                    del live[place]
                else:
                    said = Live(0, clock.time + 1)
                    seat.assert_(place.sentence)
                    live[place] = twin.said_again(live.get(place), said)
            said = Live(0, clock.time + 1)
            seat.assert_(f"(round {number})")
            live[Place(ATLAS, "CxAtlas", f"(round {number})")] = said
            done = seat.commit()

            assert done is not None
            assert done.id == twin.commit_root(live)
            segments = segments_of(seat, ATLAS, "CxAtlas")
            assert twin.folded(segments, "CxAtlas") == twin.lines(
                live, ATLAS, "CxAtlas"
            )
            assert len(segments) == sum(map(int, f"{number:o}"))
