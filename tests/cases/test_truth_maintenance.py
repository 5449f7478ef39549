"""Reports of others' truth maintenance: what follows, for how long, and who is told.

BC-022, 023, 038, 039, 083 to 087 and 101 to 103.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

import koinii
from faces.command import COMMAND, within
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.kb.claim import STRENGTHS, wrapper_names
from koinii.kb.searching import take_in
from koinii.seat.reporting import Claim
from koinii.seat.seat import Seat
from koinii.terms import write
from koinii.terms.canonical import wrap
from remote.desks import SOAK, Clock, hand_over, make_desk, room
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat

GRAPHS = 200 if SOAK else 8


@pytest.fixture
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    """A seat of AgentAtlas and AgentBoreas."""
    with open_seat(copy_of_two(tmp_path_factory.mktemp("one"))) as made:
        yield made


@pytest.fixture
def three() -> Iterator[list[RemoteSeat]]:
    """Seats of Anna, Bert and Cleo, whose agents have joined one channel."""
    with room() as folder, ExitStack() as stack:
        seats: list[RemoteSeat] = []
        for name in ("Anna", "Bert", "Cleo"):
            desk = make_desk(folder, name.lower(), [f"Agent{name}"])
            seats.append(koinii.open(str(desk.path), now=Clock()))
            stack.enter_context(seats[-1])
        for seat in seats:
            seat.new_channel("CxDeploy")
            seat.join("CxDeploy")
        share(seats)
        yield seats


def share(seats: Sequence[RemoteSeat]) -> None:
    """Carry everybody's newest words to everybody; all then believe the same."""
    for _ in range(2):  # what a retraction takes along travels at the next commit
        for seat in seats:
            seat.commit()
        for source in seats:
            for target in seats:
                if source is not target:
                    hand_over(source, target)
    assert len({seat.status().commit for seat in seats}) == 1


def add(seat: Seat, *lines: str, context: str = "CxDeploy", by: str = "") -> list[str]:
    report = seat.edit(add=lines, context=context, agent=by or None)
    return list(report.added)


def is_in(seat: Seat, text: str, context: str = "CxDeploy") -> bool:
    locator = seat.locate(text, context)
    return locator in {one.locator for one in seat.believed()}


def states(seat: Seat, *texts: str, context: str = "CxDeploy") -> list[bool]:
    return [is_in(seat, text, context) for text in texts]


def stored(seat: Seat, text: str, context: str = "CxDeploy") -> bool:
    return seat.kb.find(bytes.fromhex(seat.locate(text, context)[7:])) is not None


def reasons(seat: Seat, text: str, context: str = "CxDeploy") -> list[str]:
    """The facts of the reasons that `why` lists at its top."""
    tree = seat.why(seat.locate(text, context))
    return sorted(
        " ".join(fact["sentence"] for fact in support["because"])
        for support in tree["support"]
    )


def as_if_new(seat: Seat) -> set[tuple[str, str]]:
    """What a new seat believes that is given every live line at once."""
    lines = []
    for (author,) in seat.database.connection.execute("SELECT id FROM author"):
        agent, _ = seat.kb.names.author(author)
        for context in seat.kb.assertions.contexts_of(author):
            place = seat.kb.names.context(context)
            for row in seat.kb.assertions.lines(author, context):
                lines.append((agent, place, row))
    random.Random(len(lines)).shuffle(lines)
    with room() as folder, open_seat(copy_of_two(folder)) as again:
        with again.kb.write():
            for agent, place, (digest, _, strength, _, _, wrappers) in lines:
                found = seat.kb.find(digest)
                assert found is not None
                again.assert_(
                    wrap(found.sentence, wrapper_names(wrappers)),
                    context=place,
                    agent=agent,
                    strength=STRENGTHS[strength],
                )
        return believed(again)


def believed(seat: Seat) -> set[tuple[str, str]]:
    return {(found.context, write(found.sentence)) for found in seat.believed()}


# BC-022: what leaves with a premise, and what does not -------------------------


def test_bc_022_a_conclusion_goes_with_its_last_reason(three: list[RemoteSeat]) -> None:
    anna, bert, cleo = three
    (first,) = add(anna, "(evidenceA X)", context="CxAnna")
    (second,) = add(bert, "(evidenceB X)", context="CxBert")
    add(anna, "(implies (evidenceA ?x) (claim ?x))")
    add(bert, "(implies (evidenceB ?x) (claim ?x))")
    add(cleo, "(implies (claim ?x) (consequence ?x))")

    def check(claim: bool, because: list[str]) -> None:  # noqa: FBT001 - a table of it
        share(three)
        for seat in three:
            expected = [claim, claim]
            assert states(seat, "(claim X)", "(consequence X)") == expected
            assert stored(seat, "(claim X)") == claim
            if claim:
                assert reasons(seat, "(claim X)") == because

    check(claim=True, because=["(evidenceA X)", "(evidenceB X)"])
    anna.retract(first)
    check(claim=True, because=["(evidenceB X)"])
    bert.retract(second)
    check(claim=False, because=[])
    add(anna, "(evidenceA X)", context="CxAnna")
    check(claim=True, because=["(evidenceA X)"])
    (own,) = add(cleo, "(claim X)")
    anna.retract(first)
    share(three)
    assert states(bert, "(claim X)", "(consequence X)") == [True, True]
    (author,) = bert.why(own)["authors"]
    assert (author["agent"], author["seat"]) == ("AgentCleo", cleo.id)
    cleo.retract(own)
    check(claim=False, because=[])


# BC-023: circles ---------------------------------------------------------------


def circle(*names: str) -> list[str]:
    """Rules by which each of these follows from the one before, round and round."""
    after = [*names[1:], names[0]]
    return [
        f"(implies ({low} ?x) ({high} ?x))"
        for low, high in zip(names, after, strict=True)
    ]


LONG = [f"step{number}" for number in range(50)]


@pytest.mark.parametrize(
    ("rules", "entry", "members"),
    [
        (["(implies (e ?x) (a ?x))", *circle("a", "b"), "(implies (b ?x) (c ?x))"],
         "e", ["a", "b", "c"]),
        ([f"(implies (e ?x) ({LONG[0]} ?x))", *circle(*LONG)], "e", LONG),
        (["(implies (e ?x) (a ?x))", *circle("a", "b", "c"), *circle("a", "d", "f")],
         "e", ["a", "b", "c", "d", "f"]),
        (["(implies (a ?x) (a ?x))", "(implies (e ?x) (a ?x))"], "e", ["a"]),
        (["(implies (e ?x) (a ?x Y))", "(implies (a ?x ?y) (a ?y ?x))"],
         "e", ["a"]),
    ],
    ids=["two", "fifty", "eight", "itself", "mirror"],
)  # fmt: skip
def test_bc_023_a_circle_falls_with_what_entered_it(
    one: Seat, rules: list[str], entry: str, members: list[str]
) -> None:
    add(one, *rules)
    texts = [f"({name} X)" for name in members]
    if "Y))" in rules[0]:
        texts = ["(a X Y)", "(a Y X)"]

    def check(expected: bool) -> None:  # noqa: FBT001 - the one thing said
        assert states(one, *texts) == [expected] * len(texts)
        assert [stored(one, text) for text in texts] == [expected] * len(texts)
        assert believed(one) == as_if_new(one)

    check(expected=False)
    (outside,) = add(one, f"({entry} X)")
    check(expected=True)
    one.retract(outside)
    check(expected=False)
    (inside,) = add(one, texts[0])
    check(expected=True)
    one.retract(inside)
    check(expected=False)
    add(one, f"({entry} X)", texts[0])
    one.edit(remove=[outside, one.locate(texts[0], "CxDeploy")])
    check(expected=False)


def test_bc_023_a_circle_through_three_seats(three: list[RemoteSeat]) -> None:
    names = ["a", "b", "c"]
    for seat, rule in zip(three, circle(*names), strict=True):
        add(seat, rule)
    (entry,) = add(three[0], "(a X)")
    share(three)
    for seat in three:
        assert states(seat, "(a X)", "(b X)", "(c X)") == [True] * 3
    three[0].retract(entry)
    share(three)
    for seat in three:
        assert states(seat, "(a X)", "(b X)", "(c X)") == [False] * 3
        assert not list(seat.ask("(c ?x)"))


# BC-038: every reader says the same --------------------------------------------


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_bc_038_every_reading_agrees_about_every_claim(one: Seat, seed: int) -> None:
    rng = random.Random(seed)
    replica: set[str] = set()
    cursor = one.events().cursor
    names = [f"c{number}" for number in range(20)]
    add(one, "(genlCx CxLow CxDeploy)")
    live: list[tuple[str, str]] = []
    for _ in range(45):
        text, known = some_move(rng, names)
        agent = rng.choice([ATLAS, BOREAS])
        if live and rng.random() < 0.3:
            gone, by = live.pop(rng.randrange(len(live)))
            one.retract(gone, agent=by)
        else:
            strength = "monotonic" if known else None
            context = rng.choice(["CxDeploy", "CxLow"])
            located = one.assert_(text, context=context, agent=agent, strength=strength)
            if (located, agent) not in live:
                live.append((located, agent))
        batch = one.events(cursor)
        cursor = batch.cursor
        for event in batch.events:
            replica |= {entry.locator for entry in event.added}
            replica -= {entry.locator for entry in event.removed}
    there = {found.locator for found in one.believed()}
    assert there <= replica
    assert not [left for left in replica - there if is_stored(one, left)]
    take_in(one.kb, one.database)
    for name in names:
        for context in ("CxDeploy", "CxLow"):
            for text in (f"({name} X)", f"(not ({name} X))"):
                check_every_reading(one, text, context, there)
    assert believed(one) == as_if_new(one)


def some_move(rng: random.Random, names: list[str]) -> tuple[str, bool]:
    """A claim, a denial, or a rule between two of the claims."""
    low, high, other = rng.sample(names, 3)
    kind = rng.randrange(6)
    if kind < 2:
        return f"({low} X)", rng.random() < 0.3
    if kind == 2:
        return f"(not ({low} X))", rng.random() < 0.5
    if kind == 3:
        return f"(implies (and ({low} ?x) ({other} ?x)) ({high} ?x))", False
    if kind == 4:
        return f"(implies ({low} ?x) (not ({high} ?x)))", rng.random() < 0.5
    return f"(implies ({low} ?x) ({high} ?x))", rng.random() < 0.5


def is_stored(seat: Seat, locator: str) -> bool:
    return seat.kb.find(bytes.fromhex(locator[7:])) is not None


def check_every_reading(seat: Seat, text: str, context: str, there: set[str]) -> None:
    locator = seat.locate(text, context)
    expected = locator in there
    assert bool(list(seat.ask(text, context=context, scope="exact"))) == expected
    assert (
        any(
            found.locator == locator
            for found in seat.search(text, context=context, scope="exact").found
        )
        == expected
    )
    argued = seat.argue(text, context)
    assert (locator in {found.locator for found in argued.supporting}) == expected
    assert seat.dereference(locator).resolved == expected
    if not is_stored(seat, locator):
        assert not expected
        return
    tree = seat.why(locator)
    assert tree["believed"] == expected
    told = seat.why_not(text, context)
    seen = bool(list(seat.ask(text, context=context)))
    assert (told["reason"] == "believed") == seen
    for reported in seat.contradictions() + seat.conflicts():
        for side in reported.sides:
            assert side.believed == (side.locator in there) == True  # noqa: E712 - both
    claim = seat.show(locator)
    assert isinstance(claim, Claim)
    assert bool(claim.authors) == tree["premise"]


# BC-039: two who settle the same thing -----------------------------------------


def test_bc_039_two_resolutions_are_both_there_and_clash(
    three: list[RemoteSeat],
) -> None:
    anna, bert, _ = three
    for seat in three:
        add(seat, "(functional resolution)", context="CxDeploy")
    share(three)
    upheld = anna.assert_('(resolution D1 "upheld: r1")')
    rejected = bert.assert_('(resolution D1 "rejected: r2")')
    share(three)

    reports = [seat.contradictions("CxDeploy") for seat in three]
    assert reports[0] == reports[1] == reports[2]
    (clash,) = reports[0]
    assert clash.kind == "functional"
    assert {side.locator for side in clash.sides} == {upheld, rejected}
    for seat in three:
        assert states(seat, '(resolution D1 "upheld: r1")', context="CxAnna") == [True]
        for located, agent in ((upheld, "AgentAnna"), (rejected, "AgentBert")):
            claim = seat.show(located)
            assert isinstance(claim, Claim)
            assert [author.agent for author in claim.authors] == [agent]


def test_bc_039_ten_processes_say_their_word_at_once(here: Path) -> None:
    with koinii.open(str(here)) as seat:
        claim = seat.assert_("(claim One)")
    comments = [f'(remarks N{n} (sentexHandle "{claim}"))' for n in range(10)]
    running = [
        subprocess.Popen(
            [COMMAND, "assert", text], cwd=here, stdout=subprocess.PIPE, text=True
        )
        for text in comments
    ]
    printed = [process.communicate(timeout=60)[0].strip() for process in running]
    assert [process.returncode for process in running] == [0] * 10
    with koinii.open(str(here)) as seat:
        assert {found.locator for found in seat.believed()} >= set(printed)
        assert len(list(seat.ask("(remarks ?who ?what)"))) == 10


def test_bc_039_who_loses_a_change_is_told(one: Seat) -> None:
    """Two processes change one tag, each from what it read; one has to read again."""
    tag = one.assert_("(tag Claim X)")
    with open_seat(Path(one.layout.directory)) as other:
        one.edit(add=["(tag Claim Y)"], remove=[tag])
        with pytest.raises(KoiniiError) as caught:
            other.edit(add=["(tag Claim Z)"], remove=[tag])
        assert (caught.value.code, caught.value.exit_code) == (
            "koinii/unknown-locator", 3,
        )  # fmt: skip
        assert [write(row["?t"]) for row in other.ask("(tag Claim ?t)")] == ["Y"]


# BC-083: several reasons against -----------------------------------------------


@pytest.mark.parametrize("last", [ATLAS, BOREAS])
def test_bc_083_what_several_stand_against_stays_out_until_all_have_gone(
    one: Seat, last: str
) -> None:
    claim = one.assert_("(claim X)", context="CxDeploy")
    for agent in (ATLAS, BOREAS):
        one.assert_(
            "(not (claim X))", context="CxDeploy", agent=agent, strength="monotonic"
        )
        one.new_channel("CxTalk", agent=agent)
        one.join("CxTalk", agent=agent)
        one.assert_(f'(disputes {agent} (sentexHandle "{claim}"))', agent=agent)
    contested = f'(contested (sentexHandle "{claim}"))'
    first = BOREAS if last == ATLAS else ATLAS

    for agent, stands in ((first, True), (last, False)):
        one.retract(one.locate("(not (claim X))", "CxDeploy"), agent=agent)
        one.retract(
            one.locate(
                f'(disputes {agent} (sentexHandle "{claim}"))', f"Cx{agent[5:]}"
            ),
            agent=agent,
        )
        assert is_in(one, "(claim X)") != stands
        assert bool(list(one.ask(contested, context="CxTalk"))) == stands
    assert believed(one) == as_if_new(one)


def test_bc_083_what_comes_and_goes_in_one_edit_was_never_there(one: Seat) -> None:
    rule = "(implies (y ?x) (z ?x))"
    cursor = one.events().cursor
    with one.kb.write():
        add(one, "(y A)", rule)
        one.retract(one.locate("(y A)", "CxDeploy"))

    events = one.events(cursor).events
    told = [write(entry.sentence) for event in events for entry in event.added]
    assert told == ["(implies (y ?var0) (z ?var0))"]
    assert not any(event.removed for event in events)
    assert not stored(one, "(z A)")
    assert believed(one) == as_if_new(one)


# BC-084: nothing acts on what was withdrawn ------------------------------------


def test_bc_084_no_index_keeps_what_was_withdrawn(one: Seat) -> None:
    told: list[str] = []
    add(one, "(implies (tag ?c t) (notice ?c))")
    token = one.watch(
        lambda event: told.extend(write(entry.sentence) for entry in event.added),
        goal="(notice ?c)",
        context="CxDeploy",
    )
    for number in range(100):
        name = f"Claim{number}"
        (claim, tag) = add(one, f"(claim {name})", f"(tag {name} t)")
        (other,) = one.edit(
            add=[f"(tag {name} u)"], remove=[tag], context="CxDeploy"
        ).added
        if number == 50:
            take_in(one.kb, one.database)
        one.edit(remove=[claim, other])
    one.unwatch(token)

    assert told == [f"(notice Claim{number})" for number in range(100)]
    for pattern in (
        "(tag ?c t)",
        "(tag ?c u)",
        "(claim ?c)",
        "(notice ?c)",
        "(?p ?c t)",
    ):
        assert not list(one.ask(pattern, context="CxDeploy")), pattern
    take_in(one.kb, one.database)
    for word in ("Claim3", "claim99", "u"):
        assert one.search(word).found == []
    assert believed(one) == {("CxDeploy", "(implies (tag ?var0 t) (notice ?var0))")}
    rows = one.database.connection.execute(
        "SELECT (SELECT count(*) FROM firing) + (SELECT count(*) FROM ingredient)"
        " + (SELECT count(*) FROM justification) + (SELECT count(*) FROM clash)"
    ).fetchone()
    assert rows == (0,)


# BC-085: a narrower rule -------------------------------------------------------


def test_bc_085_what_a_narrower_rule_does_not_give_is_gone_at_once(one: Seat) -> None:
    wide, narrow = (
        "(implies (seen ?x) (trusted ?x))",
        "(implies (and (seen ?x) (signed ?x)) (trusted ?x))",
    )
    (rule,) = add(one, wide)
    add(one, "(seen A)", "(seen B)", "(signed B)", "(implies (trusted ?x) (used ?x))")
    assert states(one, "(used A)", "(used B)") == [True, True]

    (after,) = one.edit(add=[narrow], remove=[rule], context="CxDeploy").added

    assert states(one, "(trusted A)", "(used A)") == [False, False]
    assert states(one, "(trusted B)", "(used B)") == [True, True]
    cited = {
        s["rule"] for s in one.why(one.locate("(trusted B)", "CxDeploy"))["support"]
    }
    assert cited == {after}
    assert believed(one) == as_if_new(one)


def test_bc_085_less_standing_has_its_effect_at_once(one: Seat) -> None:
    """What an arbiter knew is a default when it is one no more, and back."""
    one.assert_("(not (p X))", context="CxDeploy", agent=BOREAS)
    known = one.assert_("(p X)", context="CxDeploy", strength="monotonic")
    add(one, "(implies (p ?x) (q ?x))")
    author = one.kb.names.author_id(ATLAS, one.id)
    assert author is not None
    for arbiter in (True, False, True):
        with one.kb.write():
            one.kb.set_standing(author, arbiter=arbiter, moderator=True)
        assert is_in(one, "(not (p X))") != arbiter
        assert one.why(known)["strength"] == ("monotonic" if arbiter else "default")
        assert len(one.contradictions()) == (0 if arbiter else 1)
        assert one.why(one.locate("(q X)", "CxDeploy"))["strength"] == (
            "monotonic" if arbiter else "default"
        )


# BC-086: one justification from two --------------------------------------------


def test_bc_086_a_rule_of_two_seats_stands_until_both_have_withdrawn_it(
    three: list[RemoteSeat],
) -> None:
    anna, bert, cleo = three
    rule = "(implies (p ?x) (c ?x))"
    add(cleo, "(p X)")
    located = {add(seat, rule)[0] for seat in (anna, bert)}
    assert len(located) == 1, "byte for byte the same"
    (locator,) = located
    share(three)
    for seat in three:
        assert len(reasons(seat, "(c X)")) == 1, "one reason, of two authors"
        assert len(seat.why(locator)["authors"]) == 2
    for withdrawing, expected in ((anna, True), (bert, False)):
        withdrawing.retract(locator)
        share(three)
        assert [is_in(seat, "(c X)") for seat in three] == [expected] * 3
    add(anna, rule)
    add(anna, rule)
    add(bert, rule)
    share(three)
    assert [is_in(seat, "(c X)") for seat in three] == [True] * 3
    anna.retract(locator)
    bert.retract(locator)
    share(three)
    assert [is_in(seat, "(c X)") for seat in three] == [False] * 3, "one is enough"


# BC-087: copies of a conclusion ------------------------------------------------


@pytest.mark.parametrize("indexed", [False, True])
def test_bc_087_a_withdrawn_conclusion_is_served_nowhere(
    three: list[RemoteSeat], monkeypatch: pytest.MonkeyPatch, *, indexed: bool
) -> None:
    anna, bert, _ = three
    (premise,) = add(anna, "(measured Boiler Overpressure)")
    add(bert, "(implies (measured ?x ?y) (needsInspection ?x))")
    share(three)
    conclusion = bert.locate("(needsInspection Boiler)", "CxDeploy")
    monkeypatch.chdir(bert.layout.directory)
    if indexed:
        take_in(bert.kb, bert.database)

    def served() -> list[bool]:
        words = within("search", "needsInspection", "--json").data
        asked = within("ask", "(needsInspection ?x)", "--json").data
        return [
            conclusion in {found.locator for found in bert.search("boiler").found},
            bool(list(bert.ask("(needsInspection ?x)", context="CxDeploy"))),
            conclusion in str(words),
            bool(asked["answers"]),
            within("deref", f"koinii:{conclusion}").code == 0,
            within("why", conclusion, "--json").code == 0,
            bert.argue("(needsInspection Boiler)", "CxDeploy").verdict == "true",
        ]

    assert served() == [True] * 7
    anna.retract(premise)
    anna.commit()
    hand_over(anna, bert)
    assert served() == [False] * 7
    assert "measured" not in within("why", conclusion).out


# BC-101: which way an arrow points ---------------------------------------------


def test_bc_101_edges_and_kinds_point_as_their_words_say(one: Seat) -> None:
    """The shipped words of what each means are what happens."""
    words = {
        write(row["?w"]): row["?t"]
        for row in one.ask("(comment ?w ?t)", context="CxUniverse")
    }
    if not words:  # nothing was written yet, so nothing is shipped
        one.assert_("(any Thing)")
        words = {
            write(row["?w"]): row["?t"]
            for row in one.ask("(comment ?w ?t)", context="CxUniverse")
        }
    assert "context A sees all that context B sees" in str(words["genlCx"])
    assert "whatever P is true of, Q is true of" in str(words["genl"])
    assert "makes THEN true" in str(words["implies"])
    one.assert_("(genlCx CxA CxB)")
    add(one, "(inB X)", context="CxB")
    add(one, "(inA X)", context="CxA")
    assert list(one.ask("(inB ?x)", context="CxA"))
    assert not list(one.ask("(inA ?x)", context="CxB"))
    add(one, "(genl dog animal)", "(dog Rex)", "(animal Tom)")
    names = [write(row["?x"]) for row in one.ask("(animal ?x)", context="CxDeploy")]
    assert sorted(names) == ["Rex", "Tom"]
    assert [write(r["?x"]) for r in one.ask("(dog ?x)", context="CxDeploy")] == ["Rex"]
    add(one, "(implies (cause ?x) (effect ?x))", "(cause A)", "(effect B)")
    assert states(one, "(effect A)", "(cause B)") == [True, False]


def test_bc_101_joining_makes_the_channel_see_the_agent(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    within("channel", "new", "CxDeploy")
    within("join", "CxDeploy")
    within("assert", "(mine X)")
    within("assert", "(theirs X)", "--in", "CxDeploy")
    assert within("ask", "(mine ?x)", "--in", "CxDeploy", "--json").data["answers"]
    found = within("ask", "(theirs ?x)", "--in", "CxAtlas", "--json").data["answers"]
    assert found == []


def test_bc_101_a_dispute_contests_its_target_and_not_its_author(one: Seat) -> None:
    one.new_channel("CxTalk")
    for agent in (ATLAS, BOREAS):
        one.join("CxTalk", agent=agent)
    mine = one.assert_("(claim Mine)")
    theirs = one.assert_("(claim Theirs)", agent=BOREAS)
    one.assert_(f'(disputes {BOREAS} (sentexHandle "{mine}"))', agent=BOREAS)

    rows = list(one.ask("(contested ?what)", context="CxTalk"))
    assert [write(row["?what"]) for row in rows] == [f'(sentexHandle "{mine}")']
    assert theirs not in str(rows)
    tree = one.why(one.locate(f'(contested (sentexHandle "{mine}"))', "CxBoreas"))
    fields = tree["support"][0]["because"][0]
    assert fields["sentence"] == f'(disputes {BOREAS} (sentexHandle "{mine}"))'
    assert [author["agent"] for author in fields["authors"]] == [BOREAS]


# BC-102: what waits for another ------------------------------------------------


def reply(target: str, word: str = "endorses") -> str:
    return f'({word} Somebody (sentexHandle "{target}"))'


def test_bc_102_no_two_sentences_can_wait_for_each_other(one: Seat) -> None:
    """A reply names its target by content, so a ring of them cannot be written.

    What there is are chains; each link is listed with what it waits for.
    """
    absent = one.locate("(claim Absent)", "CxDeploy")
    chain = [reply(absent)]
    for _ in range(3):
        chain.append(reply(one.locate(chain[-1], "CxDeploy")))
    for text in reversed(chain):
        one.load([text], context="CxDeploy")

    rows = {row.locator: row for row in one.waiting()}
    expected = [absent, *[one.locate(text, "CxDeploy") for text in chain[:-1]]]
    for text, missing in zip(chain, expected, strict=True):
        assert rows[one.locate(text, "CxDeploy")].missing == (missing,)
        told = one.why_not(text, "CxDeploy")
        assert (told["reason"], told["missing"]) == ("waiting", [missing])
    assert one.status().waiting == 4
    add(one, "(claim Absent)")
    assert one.status().waiting == 0
    assert states(one, *chain) == [True] * 4


def test_bc_102_the_command_line_lists_what_waits_with_ids(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    with koinii.open(str(here)) as seat:
        absent = seat.locate("(claim Absent)", "CxAtlas")
        waiting = reply(absent)
        seat.load([waiting])
        locator = seat.locate(waiting, "CxAtlas")
    assert within("status", "--json").data["waiting"] == 1
    (row,) = within("held", "--json").data
    assert (row["locator"], row["missing"]) == (locator, [absent])
    assert row["reason"] == "waiting"
    printed = within("held").out
    assert absent in printed
    assert "AgentAtlas" in printed


@pytest.mark.parametrize("size", [2, 3])
def test_bc_102_a_ring_of_seats_that_wait_comes_to_rest(
    three: list[RemoteSeat], size: int
) -> None:
    """Each seat's word needs another's; nobody has the first, and all are told."""
    ring = three[:size]
    names = [f"ready{number}" for number in range(size)]
    for seat, rule in zip(ring, circle(*names), strict=True):
        add(seat, rule)
    replies = []
    for number, seat in enumerate(ring):
        other = ring[(number + 1) % size]
        place = f"Cx{other.config.agent[5:]}"
        absent = seat.locate("(said Nowhere)", place)
        seat.load([reply(absent)])
        replies.append(absent)
    share(three)
    for seat in three:
        assert not any(states(seat, *(f"({name} X)" for name in names)))
        assert sorted(row.missing for row in seat.waiting()) == sorted(
            (absent,) for absent in replies
        )
        told = seat.why_not("(ready0 X)", "CxDeploy")
        assert told["reason"] == "not-stored"
        assert seat.commit() is None, "at rest"
    add(ring[0], "(ready0 X)")
    share(three)
    for seat in three:
        assert all(states(seat, *(f"({name} X)" for name in names)))


# BC-103: what names nothing ----------------------------------------------------


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as caught:
        call()
    return caught.value.code


def test_bc_103_a_reply_to_what_is_not_here_is_refused_at_the_keyboard(
    one: Seat,
) -> None:
    absent = one.locate("(claim Absent)", "CxDeploy")
    before = believed(one)
    for word in ("disputes", "endorses", "votesFor", "justifies", "answers"):
        text = f'({word} {ATLAS} Content (sentexHandle "{absent}"))'
        assert code_of(lambda text=text: one.assert_(text)) == "koinii/no-such-handle"  # type: ignore[misc]
        assert [p.code for p in one.check(text)] == ["koinii/no-such-handle"]
    assert code_of(lambda: one.retract(absent)) == "koinii/unknown-locator"
    assert code_of(lambda: one.retract(absent[:12])) == "koinii/usage"
    assert code_of(lambda: one.retract(one.id)) == "koinii/unknown-locator"
    assert believed(one) == before


def test_bc_103_a_reply_by_anything_but_a_whole_locator_is_refused(one: Seat) -> None:
    """A typed id that is cut short, or of another kind, would answer nothing."""
    claim = one.assert_("(claim Mine)")
    for named in (
        f'"{claim[:10]}"', f'"{claim[:-1]}"', f'"{claim[7:]}"', f'"{claim.upper()}"',
        f'"{one.id}"', f'"koinii:{claim}"', '""', claim, "7", f'("{claim}")',
    ):  # fmt: skip
        text = f"(disputes {ATLAS} (sentexHandle {named}))"
        assert code_of(lambda text=text: one.assert_(text)) == "koinii/no-such-handle"  # type: ignore[misc]
    assert one.assert_(f'(disputes {ATLAS} (sentexHandle "{claim}"))')


def test_bc_103_nobody_takes_back_the_words_of_another_or_its_own_twice(
    one: Seat,
) -> None:
    theirs = one.assert_("(claim Theirs)", agent=BOREAS)
    mine = one.assert_("(claim Mine)")
    assert code_of(lambda: one.retract(theirs)) == "koinii/not-own-assertion"
    one.retract(mine)
    assert code_of(lambda: one.retract(mine)) == "koinii/unknown-locator"
    shipped = one.locate("(genl agent thing)", "CxRegistry")
    assert code_of(lambda: one.retract(shipped)) == "koinii/not-own-assertion"
    assert is_in(one, "(claim Theirs)", "CxBoreas")


def test_bc_103_a_peers_reply_waits_for_its_target_and_takes_effect_with_it(
    three: list[RemoteSeat],
) -> None:
    anna, bert, cleo = three
    (claim,) = add(anna, "(claim X)", context="CxAnna")
    anna.commit()
    hand_over(anna, bert)
    dispute = bert.assert_(reply(claim, "disputes"))
    bert.commit()

    hand_over(bert, cleo)

    (row,) = cleo.waiting()
    assert (row.locator, row.missing) == (dispute, (claim,))
    assert not list(cleo.ask("(contested ?x)", context="CxDeploy"))
    hand_over(anna, cleo)
    assert cleo.waiting() == []
    assert list(cleo.ask("(contested ?x)", context="CxDeploy"))
