"""The engine rows E1 to E14 of the acceptance list (spec C.10), a test for each.

Where the design (sections 4 to 6) or decision 6 changes a row, its test follows
the design:

E6   `retract` returns the locator, so the two that go are counted in the store.
E7   a reply goes at home only: see tests/remote for what another seat keeps.
E9   masks are structural, always monotonic and never negated: no default mask and
     no denial of one. What comes back has its old locator, which is its handle.
E10  a listener's fault is a warning, since nobody reads a log of it.
E11  there are no tokens to reap: the ring is rows of the store and a cursor a
     number that every process keeps itself. Tokens and parked polls over HTTP
     come with the wire.
E12  creator, time and extras belong to each assertion; nobody merges into
     another's (A.11 is void). An author's own repeated word keeps the first time.
E13  the conclusion of a firing in an agent's own context stands there only if the
     rule or a fact does.
E14  one scene here, forwards and backwards; `test_permutations.py` has one for each
     of the rows above.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path

import pytest

from koinii.errors import KoiniiError, NotFoundError, RefusedError, UsageError
from koinii.kb.following import Event
from koinii.seat.reporting import Author, Claim
from koinii.seat.seat import Seat
from koinii.store.events import KEPT, Events
from koinii.store.sentexes import KNOWN
from koinii.terms import write
from koinii.terms.locator import raw_digest
from seat.made import ATLAS, BOREAS, Clock, copy_of_two, open_seat


@pytest.fixture
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    with new_seat(tmp_path_factory) as made:
        yield made


def new_seat(factory: pytest.TempPathFactory) -> Seat:
    return open_seat(copy_of_two(factory.mktemp("seat")), now=Clock())


def say(
    seat: Seat, text: str, context: str = "CxA", *, known: bool = False, by: str = ATLAS
) -> str:
    strength = "monotonic" if known else None
    return seat.assert_(text, context=context, agent=by, strength=strength)


def edge(seat: Seat, sub: str, above: str, by: str = ATLAS) -> str:
    return seat.assert_(f"(genlCx {sub} {above})", agent=by)


def is_in(seat: Seat, text: str, context: str = "CxA") -> bool:
    """Whether it is believed, and a leaf of the commit tree exactly then."""
    found = seat.kb.find(raw_digest(seat.locate(text, context)))
    believed = found is not None and seat.kb.is_believed(found)
    leaves = {one.locator for one in seat.believed()}
    assert (seat.locate(text, context) in leaves) == believed
    return believed


def is_stored(seat: Seat, text: str, context: str = "CxA") -> bool:
    return seat.kb.find(raw_digest(seat.locate(text, context))) is not None


def is_known(seat: Seat, text: str, context: str = "CxA") -> bool:
    found = seat.kb.find(raw_digest(seat.locate(text, context)))
    assert found is not None
    return bool(seat.kb.sentexes.label(found.id) & KNOWN)


def reply(word: str, target: str) -> str:
    return f'({word} Somebody (sentexHandle "{target}"))'


def mask(target: str) -> str:
    return f'(except (sentexHandle "{target}"))'


def everything(seat: Seat) -> set[tuple[str, str]]:
    return {(one.context, write(one.sentence)) for one in seat.believed()}


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as caught:
        call()
    return caught.value.code


# E1 to E5: who wins ---------------------------------------------------------------


def test_e1_a_conclusion_goes_when_its_denial_is_known_and_revives(seat: Seat) -> None:
    say(seat, "(set/defaultRule (implies (p ?x) (q ?x)))")
    say(seat, "(implies (q ?x) (r ?x))")
    say(seat, "(p A)", known=True)
    assert is_in(seat, "(q A)")

    denial = say(seat, "(not (q A))", known=True, by=BOREAS)

    assert not is_in(seat, "(q A)")
    assert not is_in(seat, "(r A)"), "what rests on it goes too"
    assert is_stored(seat, "(r A)"), "and stays stored, since it may revive"
    seat.retract(denial, agent=BOREAS)
    assert is_in(seat, "(q A)")
    assert is_in(seat, "(r A)")


def test_e2_defaults_tie_in_contradictions_and_the_known_in_conflicts(
    seat: Seat,
) -> None:
    say(seat, "(p A)")
    say(seat, "(not (p A))", by=BOREAS)
    assert is_in(seat, "(p A)")
    assert is_in(seat, "(not (p A))")
    (tie,) = seat.contradictions()
    assert [write(side.sentence) for side in tie.sides] == ["(not (p A))", "(p A)"]
    assert seat.conflicts() == []

    say(seat, "(p A)", known=True)
    assert (seat.contradictions(), seat.conflicts()) == ([], [])
    assert not is_in(seat, "(not (p A))")

    say(seat, "(not (p A))", known=True, by=BOREAS)
    assert seat.contradictions() == []
    (conflict,) = seat.conflicts()
    assert {side.strength for side in conflict.sides} == {"monotonic"}
    assert is_in(seat, "(p A)")
    assert is_in(seat, "(not (p A))")


@pytest.mark.parametrize("known", [False, True])
def test_e3_a_clash_needs_somebody_who_sees_both_sides(
    seat: Seat, *, known: bool
) -> None:
    def seen() -> int:
        return len(seat.conflicts() if known else seat.contradictions())

    say(seat, "(p A)", "CxA", known=known)
    say(seat, "(not (p A))", "CxB", known=known, by=BOREAS)
    assert seen() == 0
    over = edge(seat, "CxA", "CxB")
    assert seen() == 1
    seat.retract(over)
    assert seen() == 0
    edge(seat, "CxD", "CxA")
    assert seen() == 0
    below = edge(seat, "CxD", "CxB")
    assert seen() == 1
    edge(seat, "CxE", "CxD")
    assert seen() == 1, "reported once, however many see it"
    seat.retract(below)
    assert seen() == 0


def test_e3_siblings_lose_where_the_channel_below_may_decide(seat: Seat) -> None:
    say(seat, "(p A)", "CxAtlas", known=True)
    say(seat, "(not (p A))", "CxBoreas", by=BOREAS)
    edge(seat, "CxLooker", "CxAtlas")
    edge(seat, "CxLooker", "CxBoreas")
    assert is_in(seat, "(not (p A))", "CxBoreas"), "a mere reader defeats nothing"
    assert len(seat.contradictions()) == 1

    seat.new_channel("CxDeploy")
    for agent in (ATLAS, BOREAS):
        seat.join("CxDeploy", agent=agent)

    assert not is_in(seat, "(not (p A))", "CxBoreas")
    assert seat.contradictions() == []
    assert seat.argue("(p A)", "CxDeploy").verdict == "true"


def test_e4_saying_it_again_never_weakens_and_may_strengthen(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    moves: list[tuple[str, bool, str]] = [
        ("(p A)", False, ATLAS),
        ("(p A)", True, ATLAS),
        ("(p A)", False, BOREAS),
        ("(not (p A))", False, BOREAS),
    ]
    ends = []
    for order in permutations(moves):
        with new_seat(tmp_path_factory) as seat:
            for text, known, agent in order:
                say(seat, text, known=known, by=agent)
            assert is_known(seat, "(p A)")
            assert not is_in(seat, "(not (p A))")
            ends.append((seat.kb.root(), [a.strength for a in authors(seat)]))
    assert len(ends) == 24
    assert all(end == ends[0] for end in ends)
    assert ends[0][1] == ["monotonic", "default"]


def authors(seat: Seat) -> list[Author]:
    claim = seat.show(seat.locate("(p A)", "CxA"))
    assert isinstance(claim, Claim)
    return claim.authors


def test_e4_the_weaker_word_takes_a_retraction_first(seat: Seat) -> None:
    say(seat, "(not (p A))", by=BOREAS)
    located = say(seat, "(p A)", known=True)
    say(seat, "(p A)")
    assert not is_in(seat, "(not (p A))")
    seat.retract(located)
    assert is_in(seat, "(not (p A))")
    say(seat, "(p A)")
    assert is_in(seat, "(not (p A))")
    assert not is_known(seat, "(p A)")


def test_e5_a_conclusion_is_as_known_as_its_rule_and_facts(seat: Seat) -> None:
    say(seat, "(implies (p ?x) (strict ?x))", known=True)
    say(seat, "(set/defaultRule (implies (p ?x) (loose ?x)))", known=True)
    say(seat, "(implies (strict ?x) (far ?x))", known=True)
    say(seat, "(implies (loose ?x) (farther ?x))", known=True)
    say(seat, "(implies (and (p ?x) (extra ?x)) (both ?x))", known=True)
    say(seat, "(p Loose)")
    say(seat, "(p Firm)", known=True)
    say(seat, "(extra Firm)")

    assert is_known(seat, "(strict Firm)")
    assert is_known(seat, "(far Firm)")
    for text in (
        "(strict Loose)", "(far Loose)", "(loose Firm)", "(farther Firm)",
        "(both Firm)",
    ):  # fmt: skip
        assert is_in(seat, text)
        assert not is_known(seat, text), text
    say(seat, "(extra Firm)", known=True)
    assert is_known(seat, "(both Firm)")
    say(seat, "(implies (p ?x) (loose ?x))", by=BOREAS)
    assert is_known(seat, "(loose Firm)"), "strict beats defeasible"
    assert is_known(seat, "(farther Firm)")
    assert not is_known(seat, "(loose Loose)")


# E6 to E8: what leaves --------------------------------------------------------------


def test_e6_a_defeated_conclusion_goes_with_its_support(seat: Seat) -> None:
    say(seat, "(implies (p ?x) (q ?x))")
    fact = say(seat, "(p A)")
    say(seat, "(not (q A))", known=True)
    assert is_stored(seat, "(q A)")
    assert not is_in(seat, "(q A)")
    before = seat.kb.sentexes.count()

    assert seat.retract(fact) == fact

    assert seat.kb.sentexes.count() == before - 2
    assert not is_stored(seat, "(q A)")
    assert code_of(lambda: seat.why(seat.locate("(q A)", "CxA"))) == (
        "koinii/unknown-locator"
    )


@pytest.fixture
def talk(seat: Seat) -> Seat:
    """A claim, endorsed twice, and an endorsement that is endorsed itself."""
    seat.assert_("(targetFollowingPredicate echoes)")
    claim = say(seat, "(claim One)")
    other = say(seat, "(claim Two)")
    first = say(seat, reply("echoes", claim), by=BOREAS)
    say(seat, reply("echoes", first))
    say(seat, reply("echoes", other))
    say(seat, reply("remarks", claim))
    return seat


def replies(seat: Seat) -> int:
    return sum(one[1].startswith("(echoes") for one in everything(seat))


def test_e7_replies_go_with_their_target_and_others_stay(talk: Seat) -> None:
    assert replies(talk) == 3
    talk.retract(talk.locate("(claim One)", "CxA"))
    assert replies(talk) == 1
    claim = talk.locate("(claim One)", "CxA")
    assert is_in(talk, reply("remarks", claim)), "without the mark it is an orphan"
    assert not talk.waiting(), "they are withdrawn, not left to wait"
    say(talk, "(claim One)")
    assert replies(talk) == 1


def test_e7_a_single_reply_may_go_alone(talk: Seat) -> None:
    first = talk.locate(reply("echoes", talk.locate("(claim One)", "CxA")), "CxA")
    talk.retract(first, agent=BOREAS)
    assert replies(talk) == 1
    assert is_in(talk, "(claim One)")


def test_e7_without_the_mark_nothing_follows(talk: Seat) -> None:
    talk.retract(talk.locate("(targetFollowingPredicate echoes)", "CxUniverse"))
    talk.retract(talk.locate("(claim One)", "CxA"))
    assert replies(talk) == 3


def test_e7_through_an_edit_and_after_a_restart(talk: Seat) -> None:
    with open_seat(Path(talk.layout.directory)) as again:
        report = again.edit(
            add=["(claim Three)"], remove=[again.locate("(claim One)", "CxA")]
        )
        assert report.removed == 1
        assert replies(again) == 1
    assert replies(talk) == 1


def test_e7_replies_to_a_conclusion_go_with_its_fact_and_stay_when_it_is_defeated(
    talk: Seat,
) -> None:
    say(talk, "(implies (p ?x) (q ?x))")
    fact = say(talk, "(p A)")
    conclusion = talk.locate("(q A)", "CxA")
    say(talk, reply("echoes", conclusion), by=BOREAS)
    denial = say(talk, "(not (q A))", known=True)
    assert not is_in(talk, "(q A)")
    assert replies(talk) == 4, "it follows what leaves the store, not belief"
    talk.retract(denial)
    talk.retract(fact)
    assert replies(talk) == 3


def test_e8_an_edit_adds_before_it_removes_and_nothing_flickers(seat: Seat) -> None:
    say(seat, "(implies (p ?x) (q ?x))")
    old = say(seat, "(p A)")
    say(seat, "(implies (pp ?x) (q ?x))")
    cursor = seat.events().cursor

    report = seat.edit(add=["(pp A)"], remove=[old], context="CxA")

    assert report.removed == 1
    batch = seat.events(cursor)
    (event,) = batch.events
    assert [write(one.sentence) for one in event.added] == ["(pp A)"]
    assert event.removed == [], "the old premise is gone, the conclusion never went"
    assert is_in(seat, "(q A)")
    assert seat.edit(add=["(pp A)"], remove=report.added, context="CxA").removed == 1
    assert not is_stored(seat, "(q A)")


def test_e8_what_is_refused_is_refused_before_anything_is_written(seat: Seat) -> None:
    mine = say(seat, "(p A)")
    theirs = say(seat, "(q A)", by=BOREAS)
    before, cursor = everything(seat), seat.events().cursor
    for add, remove, wrong in (
        (["(r A)", "(r ?x)"], [mine], RefusedError),
        (["(r A)", "(implies (p ?x) (symmetric ?x))"], [], RefusedError),
        (["(r A)"], [mine, theirs], RefusedError),
        (["(r A)"], [mine, seat.locate("(no Where)", "CxA")], NotFoundError),
        (["(r A)"], [mine, "nonsense"], UsageError),
    ):
        with pytest.raises(wrong):
            seat.edit(add=add, remove=remove)
        assert everything(seat) == before
    assert seat.events(cursor).events == []


# E9: masks ------------------------------------------------------------------------


@pytest.fixture
def tower(seat: Seat) -> Seat:
    """CxLow sees CxMid sees CxHigh; a fact above, a rule in the middle."""
    edge(seat, "CxLow", "CxMid")
    edge(seat, "CxMid", "CxHigh")
    say(seat, "(p A)", "CxHigh")
    say(seat, "(implies (p ?x) (q ?x))", "CxMid")
    return seat


def sees(seat: Seat, text: str) -> list[str]:
    return [
        context
        for context in ("CxHigh", "CxMid", "CxLow")
        if list(seat.ask(text, context=context))
    ]


def test_e9_a_mask_hides_here_and_below_and_gives_back_what_it_hid(tower: Seat) -> None:
    target = tower.locate("(p A)", "CxHigh")
    assert sees(tower, "(p A)") == ["CxHigh", "CxMid", "CxLow"]
    assert sees(tower, "(q A)") == ["CxMid", "CxLow"]
    root = tower.kb.root()

    masked = say(tower, mask(target), "CxMid")

    assert sees(tower, "(p A)") == ["CxHigh"]
    assert sees(tower, "(q A)") == []
    assert not is_stored(tower, "(q A)", "CxMid"), "what stood on it there is gone"
    assert is_in(tower, "(p A)", "CxHigh"), "it is believed as before"
    assert list(tower.ask("(p A)")), "and any-context reads find it"
    assert tower.argue("(p A)", "CxLow").verdict == "unknown"
    tower.retract(masked)
    assert sees(tower, "(q A)") == ["CxMid", "CxLow"]
    assert tower.kb.root() == root, "at its old locator"


def test_e9_a_mask_of_a_mask_switches_it_off_where_it_is_seen(tower: Seat) -> None:
    inner = say(tower, mask(tower.locate("(p A)", "CxHigh")), "CxMid")
    outer = say(tower, mask(inner), "CxLow")
    assert sees(tower, "(p A)") == ["CxHigh", "CxLow"]
    assert is_in(tower, "(q A)", "CxLow"), "drawn where all of it is seen"
    assert not is_stored(tower, "(q A)", "CxMid")
    innermost = say(tower, mask(outer), "CxLow")
    assert sees(tower, "(p A)") == ["CxHigh"]
    tower.retract(innermost)
    assert sees(tower, "(p A)") == ["CxHigh", "CxLow"]
    tower.retract(outer)
    assert sees(tower, "(p A)") == ["CxHigh"]
    assert not is_stored(tower, "(q A)", "CxLow")


def test_e9_a_moved_edge_is_a_moved_mask(tower: Seat) -> None:
    say(tower, mask(tower.locate("(p A)", "CxHigh")), "CxMid")
    say(tower, "(implies (p ?x) (q ?x))", "CxLow")
    assert sees(tower, "(q A)") == []
    tower.edit(
        add=["(genlCx CxLow CxHigh)"],
        remove=[tower.locate("(genlCx CxLow CxMid)", "CxUniverse")],
    )
    assert sees(tower, "(p A)") == ["CxHigh", "CxLow"]
    assert is_in(tower, "(q A)", "CxLow")
    edge(tower, "CxLow", "CxMid")
    assert sees(tower, "(p A)") == ["CxHigh"]
    assert not is_stored(tower, "(q A)", "CxLow")


def test_e9_a_mask_is_never_a_default_and_never_denied(tower: Seat) -> None:
    masked = mask(tower.locate("(p A)", "CxHigh"))
    assert code_of(lambda: tower.assert_(masked, strength="default")) == "shape"
    assert code_of(lambda: tower.assert_(f"(not {masked})")) == "shape"


def test_e9_a_clash_of_which_one_side_is_masked_is_none(seat: Seat) -> None:
    edge(seat, "CxA", "CxB")
    say(seat, "(p A)", "CxA")
    known = say(seat, "(not (p A))", "CxB", known=True)
    assert not is_in(seat, "(p A)")
    masked = say(seat, mask(known), "CxA")
    assert is_in(seat, "(p A)")
    assert seat.contradictions() == []
    seat.retract(masked)
    assert not is_in(seat, "(p A)")


# E10, E11: the feed -----------------------------------------------------------------


def texts(event: Event) -> tuple[list[str], list[tuple[str, str]]]:
    return (
        [write(one.sentence) for one in event.added],
        [(write(one.sentence), one.reason) for one in event.removed],
    )


def test_e10_an_operation_is_one_event_of_what_it_moved(seat: Seat) -> None:
    told: list[Event] = []
    seat.watch(told.append)
    say(seat, "(implies (p ?x) (q ?x))")
    seat.load(["(p A)", "(p B)"], context="CxA")
    denial = say(seat, "(not (q A))", known=True)
    seat.retract(denial)
    say(seat, "(p A)")
    seat.retract(seat.locate("(p B)", "CxA"))

    assert [texts(one) for one in told] == [
        (["(implies (p ?var0) (q ?var0))"], []),
        (["(p A)", "(p B)", "(q A)", "(q B)"], []),
        (["(not (q A))"], [("(q A)", "defeated")]),
        (["(q A)"], []),
    ], "what is no longer stored is not told, and no change is no event"


def test_e10_faults_writes_and_farewells_of_listeners(seat: Seat) -> None:
    told: list[list[str]] = []

    def thrower(_: Event) -> None:
        raise ZeroDivisionError

    def echo(event: Event) -> None:
        told.append(texts(event)[0])
        if told[-1] == ["(p A)"]:
            say(seat, "(q A)")

    token = seat.watch(thrower)
    listening = seat.watch(echo)
    with pytest.warns(RuntimeWarning, match="listener"):
        say(seat, "(p A)")
    assert told == [["(p A)"], ["(q A)"]], "its own write is a second event"
    assert is_in(seat, "(p A)")
    assert seat.unwatch(token)
    assert not seat.unwatch(token)
    assert seat.unwatch(listening)
    say(seat, "(r A)")
    assert len(told) == 2


def test_e11_a_cursor_goes_forward_and_never_repeats(seat: Seat) -> None:
    start = seat.events()
    assert start.events == []
    say(seat, "(p A)")
    say(seat, "(p B)")
    first = seat.events(start.cursor, limit=1)
    second = seat.events(first.cursor)
    assert [texts(one)[0] for one in first.events + second.events] == [
        ["(p A)"], ["(p B)"],
    ]  # fmt: skip
    assert seat.events(second.cursor) == ([], second.cursor, 0)
    with open_seat(Path(seat.layout.directory)) as other:
        assert other.events(start.cursor) == seat.events(start.cursor)
        say(other, "(p C)")
    assert [texts(one)[0] for one in seat.events(second.cursor).events] == [["(p C)"]]
    for bad in (-1, second.cursor + 2, True, "1", 1.0, None.__class__):
        assert code_of(lambda bad=bad: seat.events(bad)) == "bad-cursor"  # type: ignore[misc]


def test_e11_what_the_ring_has_passed_is_counted(seat: Seat) -> None:
    say(seat, "(p A)")
    start = seat.events().cursor
    with seat.database.write() as connection:
        rows = Events(connection)
        ((_, body),) = rows.after(start - 1)
        for _ in range(KEPT + 3):
            rows.append(body)
    batch = seat.events(start)
    assert batch.lagged == 3
    assert batch.cursor == start + KEPT + 3
    assert sum(len(one.added) for one in batch.events) == KEPT
    assert seat.events(batch.cursor) == ([], batch.cursor, 0)


def test_e11_a_parked_reader_blocks_no_writer_and_wakes(seat: Seat) -> None:
    cursor = seat.events().cursor
    woken: list[Event] = []

    def park() -> None:
        with open_seat(Path(seat.layout.directory)) as reader:
            woken.extend(reader.events(cursor, wait_ms=20_000).events)

    thread = threading.Thread(target=park)
    thread.start()
    say(seat, "(p A)")
    thread.join(timeout=20)
    assert not thread.is_alive()
    assert [texts(one)[0] for one in woken] == [["(p A)"]]


# E12: provenance --------------------------------------------------------------------


def test_e12_each_assertion_has_its_own_author_and_first_time(seat: Seat) -> None:
    located = say(seat, "(p A)")
    (first,) = authors(seat)
    say(seat, "(p A)")
    say(seat, "(p A)", known=True, by=BOREAS)
    (mine, theirs) = authors(seat)
    assert mine == first, "saying it again keeps the first time"
    assert theirs.created > mine.created
    assert (theirs.agent, theirs.strength) == (BOREAS, "monotonic")

    seat.retract(located)
    assert authors(seat) == [theirs], "another's word stays"
    seat.retract(located, agent=BOREAS)
    assert code_of(lambda: seat.show(located)) == "koinii/unknown-locator"
    say(seat, "(p A)")
    (again,) = authors(seat)
    assert again.created > theirs.created, "made anew, it has a new time"


def test_e12_a_conclusion_has_no_author_until_somebody_says_it(seat: Seat) -> None:
    say(seat, "(implies (q ?x) (p ?x))")
    fact = say(seat, "(q A)")
    assert authors(seat) == []
    said = say(seat, "(p A)", by=BOREAS)
    (one,) = authors(seat)
    assert one.agent == BOREAS
    seat.retract(fact)
    assert is_in(seat, "(p A)")
    say(seat, "(q A)")
    seat.retract(said, agent=BOREAS)
    assert is_in(seat, "(p A)"), "still derived"
    assert code_of(lambda: seat.retract(said)) == "koinii/not-own-assertion"


# E13: placement ---------------------------------------------------------------------


def places(seat: Seat, text: str) -> set[str]:
    return {context for context, sentence in everything(seat) if sentence == text}


def test_e13_a_conclusion_stands_where_all_of_it_is_first_seen(seat: Seat) -> None:
    seat.new_channel("CxDeploy")
    for agent in (ATLAS, BOREAS):
        seat.join("CxDeploy", agent=agent)
    say(seat, "(implies (p ?x) (q ?x))", "CxDeploy")
    say(seat, "(p A)", "CxAtlas")
    assert places(seat, "(q A)") == {"CxDeploy"}
    say(seat, "(implies (r ?x) (s ?x))", "CxAtlas")
    say(seat, "(r A)", "CxAtlas")
    assert places(seat, "(s A)") == {"CxAtlas"}
    claim = say(seat, "(claim A)", "CxAtlas")
    say(seat, reply("disputes", claim), "CxBoreas", by=BOREAS)
    assert places(seat, f'(contested (sentexHandle "{claim}"))') == {"CxBoreas"}
    say(seat, "(implies (and (u ?x) (v ?x)) (w ?x))", "CxAtlas")
    say(seat, "(u A)", "CxAtlas")
    say(seat, "(v A)", "CxBoreas", by=BOREAS)
    assert places(seat, "(w A)") == {"CxDeploy"}
    seat.new_channel("CxOther")
    for agent in (ATLAS, BOREAS):
        seat.join("CxOther", agent=agent)
    assert places(seat, "(w A)") == {"CxDeploy", "CxOther"}, "incomparable: in both"


def test_e13_without_a_place_nothing_is_stored(seat: Seat) -> None:
    say(seat, "(implies (and (u ?x) (v ?x)) (w ?x))", "CxA")
    say(seat, "(u A)", "CxA")
    say(seat, "(v A)", "CxB")
    assert not list(seat.ask("(w ?x)"))
    edge(seat, "CxC", "CxA")
    edge(seat, "CxC", "CxB")
    assert places(seat, "(w A)") == {"CxC"}


def test_e13_nobody_attracts_the_conclusions_of_others(seat: Seat) -> None:
    """An agent's own context that sees a channel is no place for what it says."""
    edge(seat, "CxAtlas", "CxLore")
    edge(seat, "CxAtlas", "CxData")
    say(seat, "(implies (p ?x) (q ?x))", "CxLore")
    say(seat, "(p A)", "CxData")
    assert not list(seat.ask("(q ?x)"))
    say(seat, "(p B)", "CxAtlas")
    assert places(seat, "(q B)") == {"CxAtlas"}


def test_e13_an_edge_that_goes_takes_what_stood_on_it_and_another_path_keeps_it(
    seat: Seat,
) -> None:
    say(seat, "(implies (p ?x) (q ?x))", "CxLow")
    say(seat, "(p A)", "CxHigh")
    straight = edge(seat, "CxLow", "CxHigh")
    assert places(seat, "(q A)") == {"CxLow"}
    located = seat.locate("(q A)", "CxLow")
    edge(seat, "CxLow", "CxMid")
    edge(seat, "CxMid", "CxHigh")
    seat.retract(straight)
    assert places(seat, "(q A)") == {"CxLow"}, "by the other path"
    seat.retract(seat.locate("(genlCx CxMid CxHigh)", "CxUniverse"))
    assert not is_stored(seat, "(q A)", "CxLow")
    edge(seat, "CxLow", "CxHigh")
    assert located in {one.locator for one in seat.believed()}


def test_e13_a_more_general_place_takes_over(seat: Seat) -> None:
    say(seat, "(implies (p ?x) (q ?x))", "CxLore")
    say(seat, "(p A)", "CxData")
    edge(seat, "CxLow", "CxMid")
    edge(seat, "CxLow", "CxLore")
    edge(seat, "CxLow", "CxData")
    assert places(seat, "(q A)") == {"CxLow"}
    edge(seat, "CxMid", "CxLore")
    edge(seat, "CxMid", "CxData")
    assert places(seat, "(q A)") == {"CxMid"}


# E14: any order ---------------------------------------------------------------------

RULE = ("(implies (p ?x) (q ?x))", "CxDeploy", False, ATLAS)
FACT = ("(p A)", "CxBoreas", False, BOREAS)
EDGE = ("(genlCx CxDeploy CxBoreas)", "CxUniverse", False, BOREAS)
DEFEATER = ("(not (q A))", "CxDeploy", True, ATLAS)
DRAWN = ("CxDeploy", "(q A)")


def play(seat: Seat, moves: list[tuple[str, str, bool, str]]) -> None:
    for text, context, known, agent in moves:
        strength = "monotonic" if known else None
        seat.assert_(text, context=context, agent=agent, strength=strength)


def test_e14_rule_fact_edge_and_defeater_in_any_order(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    moves = [RULE, FACT, EDGE, DEFEATER]
    with new_seat(tmp_path_factory) as seat:
        ends = set()
        for order in permutations(moves):
            play(seat, list(order))
            assert DRAWN not in everything(seat)
            assert is_stored(seat, "(q A)", "CxDeploy")
            ends.add((seat.kb.root(), *sorted(everything(seat))))
            for text, context, _, agent in order:
                seat.retract(seat.locate(text, context), agent=agent)
            assert not everything(seat), "and nothing is left of it"
            assert seat.kb.sentexes.count() == shipped(seat)
        assert len(ends) == 1


@pytest.mark.parametrize("missing", [RULE, FACT, EDGE, DEFEATER])
def test_e14_withdrawn_in_any_order_is_as_never_said(
    tmp_path_factory: pytest.TempPathFactory, missing: tuple[str, str, bool, str]
) -> None:
    others = [one for one in (RULE, FACT, EDGE, DEFEATER) if one != missing]
    with new_seat(tmp_path_factory) as seat:
        play(seat, others)
        expected = (seat.kb.root(), everything(seat))
    assert (DRAWN in expected[1]) == (missing == DEFEATER)
    for at in range(4):
        with new_seat(tmp_path_factory) as seat:
            play(seat, [*others[:at], missing, *others[at:]])
            seat.retract(seat.locate(missing[0], missing[1]), agent=missing[3])
            assert (seat.kb.root(), everything(seat)) == expected


def shipped(seat: Seat) -> int:
    row = seat.database.connection.execute(
        "SELECT count(*) FROM sentex WHERE label & 8"
    ).fetchone()
    return int(row[0])


# S10, S11: belief and the commit (C.11) -------------------------------------------


def test_s10_the_commit_is_over_what_is_believed_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with new_seat(tmp_path_factory) as seat, new_seat(tmp_path_factory) as other:
        say(seat, "(not (p A))", known=True)
        root, state = seat.kb.root(), seat.state_root()
        beaten = say(seat, "(p A)", by=BOREAS)
        assert not is_in(seat, "(p A)")
        assert (seat.kb.root(), seat.state_root()) == (root, state)
        seat.retract(beaten, agent=BOREAS)
        assert (seat.kb.root(), seat.state_root()) == (root, state)

        say(other, "(p A)", by=BOREAS)
        say(other, "(q A)")
        before = other.kb.root()
        known = say(other, "(not (p A))", known=True)
        other.retract(other.locate("(q A)", "CxA"))
        assert other.kb.root() == root, "a defeat is as the loser's retraction"
        other.retract(known)
        say(other, "(q A)")
        assert other.kb.root() == before, "and a revival as its saying"


def test_s11_what_is_not_believed_has_no_inclusion_proof(seat: Seat) -> None:
    beaten = say(seat, "(p A)")
    kept = say(seat, "(not (p A))", known=True)
    seat.commit()
    assert seat.prove(kept)
    assert code_of(lambda: seat.prove(beaten)) == "koinii/not-believed"
    assert seat.prove(beaten, absence=True)
