"""What is said lands whole or not at all, and each refusal says why."""

from __future__ import annotations

import re
import resource
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from koinii.errors import NotFoundError, RefusedError, SurroundingsError, UsageError
from koinii.kb.claim import line_leaf
from koinii.kb.writing import Said
from koinii.seat.seat import Seat
from koinii.terms import Symbol, read
from koinii.terms.locator import raw_digest
from reference import seat_twin as twin
from seat.made import ATLAS, BOREAS, Clock, add_agent, copy_of_two, open_seat

ELSEWHERE = "e" * 32  # another seat's id


@pytest.fixture
def seat(tmp_path: Path) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path)) as seat:
        yield seat


def everything(seat: Seat) -> list[tuple[object, ...]]:
    """All rows of the tables that assertions touch."""
    tables = ("sentex", "argument", "leaf", "assertion", "held", "change", "context")
    return [
        (table, *row)
        for table in tables
        for row in seat.database.connection.execute(f"SELECT * FROM {table}")
    ]


def say_elsewhere(seat: Seat, sentence: str, agent: str = ATLAS) -> str:
    """Let an author at another seat assert a sentence in AgentAtlas's context."""
    with seat.kb.write():
        author = seat.kb.names.make_author(agent, ELSEWHERE)
        said = Said("CxAtlas", read(sentence), sentence, 0, 1, None)
        seat.kb.put(author, [said], replace=True, journal=False)
    return twin.locator("CxAtlas", sentence)


# Edits ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("add", "remove", "code"),
    [
        (["(p A)", "(p ?x)"], [], "not-ground"),
        (["(p A)", "(Not_a b)"], [], "naming"),
        (["(p A)", "(implies (p ?x) (q ?y))"], [], "not-range-restricted"),
        (["(p A)", "(implies (p ?x) (channel CxA))"], [], "shape"),
        (["(p A)", "(channel CxBoreas)"], [], "koinii/foreign-context"),
        (["(p A)"], ["theirs"], "koinii/not-own-assertion"),
        (["(p A)"], ["mine", "nobody"], "koinii/unknown-locator"),
        (["(p A)"], ["mine", "sha256:zz"], "koinii/usage"),
    ],
)
def test_an_edit_of_which_a_part_is_refused_leaves_nothing(
    seat: Seat, add: list[str], remove: list[str], code: str
) -> None:
    names = {
        "mine": seat.assert_("(mine A)"),
        "theirs": seat.assert_("(theirs A)", agent=BOREAS),
        "nobody": twin.locator("CxAtlas", "(nobody A)"),
    }
    before = everything(seat)

    with pytest.raises((RefusedError, NotFoundError, UsageError)) as caught:
        seat.edit(add=add, remove=[names.get(one, one) for one in remove])

    assert caught.value.code == code
    assert everything(seat) == before
    assert seat.edit(add=["(p A)"], remove=[names["mine"]]).removed == 1


def test_an_edit_adds_before_it_removes(seat: Seat) -> None:
    again = seat.assert_("(p A)")

    report = seat.edit(add=["(p A)", "(p B)"], remove=[again, again])

    assert report.added == [again, twin.locator("CxAtlas", "(p B)")]
    assert report.removed == 1
    assert [one.locator for one in seat.believed()] == [report.added[1]]


# Loads ----------------------------------------------------------------------


def test_a_load_takes_the_rest_and_says_what_it_refused(seat: Seat) -> None:
    seat.assert_("(p A)")
    lines = ["(p A)", "", "  ; a note", "(p ?x)", "(p B)", "(p (", "(p B)", "(P C) "]

    report = seat.load([f"{line}\n" for line in lines])

    assert report[:3] == (1, 0, 2)
    assert [(one.line, one.text, one.code) for one in report.refused] == [
        (4, "(p ?x)", "not-ground"),
        (6, "(p (", "koinii/unreadable"),
        (8, "(P C) ", "naming"),
    ]
    assert all(one.reason for one in report.refused)
    assert seat.status().size == 2


def test_a_load_stronger_than_before_changes(seat: Seat) -> None:
    seat.load(["(p A)", "(p B)"], strength="monotonic")

    report = seat.load(["(p A)", "(p C)", "(p C)"])
    assert report == (1, 0, 2, [])
    assert seat.load(["(p C)", "(p A)"], strength="monotonic") == (0, 1, 1, [])


def test_a_load_whose_lines_fail_leaves_nothing(seat: Seat) -> None:
    def lines() -> Iterable[str]:
        yield from (f"(p {number})" for number in range(21_000))
        raise InterruptedError

    def indexes() -> set[tuple[str, str]]:
        return set(
            seat.database.connection.execute(
                "SELECT name, sql FROM sqlite_schema"
                " WHERE type = 'index' AND sql IS NOT NULL"
            )
        )

    before, indexed = everything(seat), indexes()
    for _ in range(2):
        with pytest.raises(InterruptedError):
            seat.load(lines())
        assert everything(seat) == before
        assert indexes() == indexed
    seat.load(["(p 1)"])
    assert indexes() == indexed
    assert indexed
    assert not list(seat.ask("(p 2)"))


# Strength and time ------------------------------------------------------------


def test_said_again_it_keeps_the_stronger_strength_and_the_earlier_time(
    seat: Seat,
) -> None:
    clock = seat._clock
    assert isinstance(clock, Clock)
    clock.time = 1000
    located = seat.assert_("(p A)")
    clock.time = 500  # a clock that was put back
    seat.assert_("(p A)", strength="monotonic")
    clock.time = 2000
    seat.assert_("(p A)", strength="default")

    claim = seat.show(located)
    assert claim[3] == [(ATLAS, seat.id, "monotonic", 501, [])]

    seat.retract(located)
    seat.assert_("(p A)")
    assert seat.show(located)[3] == [(ATLAS, seat.id, "default", 2002, [])]


def test_a_strength_is_one_of_two(seat: Seat) -> None:
    with pytest.raises(UsageError, match="no such strength"):
        seat.assert_("(p A)", strength="certain")


# Others' words ----------------------------------------------------------------


def test_nobody_takes_back_anothers_words(seat: Seat) -> None:
    theirs = seat.assert_("(p A)", agent=BOREAS)
    elsewhere = say_elsewhere(seat, "(q A)")

    for locator, author in ((theirs, BOREAS), (elsewhere, ELSEWHERE)):
        with pytest.raises(RefusedError, match=author) as caught:
            seat.retract(locator)
        assert caught.value.code == "koinii/not-own-assertion"
        assert caught.value.hint
    assert seat.status().size == 2


def test_what_two_say_stands_until_both_take_it_back(seat: Seat) -> None:
    located = seat.assert_("(p A)", context="CxDeploy")
    assert seat.assert_("(p A)", context="CxDeploy", agent=BOREAS) == located

    seat.retract(located)
    assert seat.status().size == 1
    with pytest.raises(RefusedError):
        seat.retract(located)
    seat.retract(located, agent=BOREAS)
    assert seat.status().size == 0


def test_a_held_line_of_another_is_not_ones_own_either(seat: Seat) -> None:
    line = "default 1 (p A)"
    located = twin.locator("CxAtlas", "(p A)")
    with seat.kb.write():
        author = seat.kb.names.make_author(BOREAS, ELSEWHERE)
        context = seat.kb.names.make_context("CxAtlas")
        digest = bytes.fromhex(located[7:])
        row = (author, context, digest, line_leaf(line), line, "koinii/foreign-context")
        seat.kb.assertions.hold([row])

    with pytest.raises(RefusedError, match=ELSEWHERE) as caught:
        seat.retract(located)
    assert caught.value.code == "koinii/not-own-assertion"


def test_what_nobody_asserts_is_nobodys_to_take_back(seat: Seat) -> None:
    """The error tells the vocabulary from a conclusion, and how to go on."""
    seat.load(["(implies (p ?x) (q ?x))", "(p A)"])
    for sentence, context, told, hint in (
        ("(genl agent thing)", "CxRegistry", "the program's", "vocabulary"),
        ("(q A)", "CxAtlas", "concluded", "koinii why sha256:"),
    ):
        with pytest.raises(RefusedError, match=told) as caught:
            seat.retract(seat.locate(sentence, context))
        assert caught.value.code == "koinii/not-own-assertion"
        assert caught.value.details["authors"] == []
        assert hint in caught.value.hint


# Names of sentences -----------------------------------------------------------


def test_a_prefix_that_begins_two_locators_lists_both(seat: Seat) -> None:
    located = [seat.assert_(f"(n {number})") for number in (1665, 25142)]
    prefix = located[0][:15]
    assert located[1].startswith(prefix)

    with pytest.raises(UsageError) as caught:
        seat.retract(prefix)
    assert caught.value.code == "koinii/ambiguous-locator"
    assert caught.value.details["candidates"] == sorted(located)

    assert seat.retract(located[0][7:18]) == located[0]
    assert seat.retract(prefix) == located[1]


@pytest.mark.parametrize(
    ("locator", "error", "code"),
    [
        ("sha256:" + "0" * 64, NotFoundError, "koinii/unknown-locator"),
        ("00000000", NotFoundError, "koinii/unknown-locator"),
        ("0000000", UsageError, "koinii/usage"),
        ("0" * 65, UsageError, "koinii/usage"),
        ("sha256:" + "A" * 64, UsageError, "koinii/usage"),
        ("", UsageError, "koinii/usage"),
        ("%", UsageError, "koinii/usage"),
    ],
)
def test_what_names_nothing_is_refused(
    seat: Seat, locator: str, error: type[Exception], code: str
) -> None:
    seat.assert_("(p A)")
    with pytest.raises(error) as caught:
        seat.retract(locator)
    assert getattr(caught.value, "code", "") == code


def test_an_agent_without_a_key_here_is_unknown(seat: Seat) -> None:
    with pytest.raises(NotFoundError) as caught:
        seat.assert_("(p A)", agent="AgentNobody")
    assert caught.value.code == "koinii/unknown-agent"
    assert "koinii agent new AgentNobody" in caught.value.hint


# Edges and channels -----------------------------------------------------------


def test_edges_and_channels_stand_in_the_universe_and_are_monotonic(
    seat: Seat,
) -> None:
    located = seat.new_channel("CxDeploy")
    edge = seat.assert_("(genlCx CxAtlas CxLore)", context="CxElsewhere")

    assert located == twin.locator("CxUniverse", "(channel CxDeploy)")
    assert edge == twin.locator("CxUniverse", "(genlCx CxAtlas CxLore)")
    assert seat.channels() == ["CxDeploy"]
    assert {row[2] for row in seat.show(edge)[3]} == {"monotonic"}
    with pytest.raises(RefusedError, match="always monotonic") as caught:
        seat.assert_("(genlCx CxAtlas CxLore)", strength="default")
    assert caught.value.code == "shape"


def test_to_join_is_the_two_edges(seat: Seat) -> None:
    seat.new_channel("CxDeploy")

    first = seat.join("CxDeploy")
    second = seat.join("CxDeploy")

    assert first == second
    assert first == [
        twin.locator("CxUniverse", "(genlCx CxDeploy CxAtlas)"),
        twin.locator("CxUniverse", "(genlCx CxAtlas CxSpeechActs)"),
    ]
    seat.assert_("(p A)")
    assert list(seat.ask("(p ?x)", context="CxDeploy")) == [{"?x": Symbol("A")}]
    seat.retract(first[0])
    assert not list(seat.ask("(p ?x)", context="CxDeploy"))


def test_opposite_claims_stand_side_by_side(seat: Seat) -> None:
    seat.new_channel("CxDeploy")
    for agent in (ATLAS, BOREAS):
        seat.join("CxDeploy", agent=agent)
    seat.assert_("(reliable ProdCluster)")
    seat.assert_("(not (reliable ProdCluster))", agent=BOREAS)

    found = seat.argue("(reliable ProdCluster)", "CxDeploy")

    assert found.verdict == "contradiction"
    assert [one.context for one in found.supporting] == ["CxAtlas"]
    assert [one.context for one in found.opposing] == ["CxBoreas"]
    assert seat.argue("(reliable ProdCluster)", "CxAtlas").verdict == "true"
    assert seat.argue("(reliable ProdCluster)", "CxBoreas").verdict == "false"


# The disk ---------------------------------------------------------------------


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file of this process grow past `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def check_whole(path: Path, seat: Seat, before: list[tuple[object, ...]]) -> None:
    """Both connections agree, the file is sound and the next command works."""
    assert everything(seat) == before
    with open_seat(path) as again:
        connection = again.database.connection
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert everything(again) == before
        again.retract(again.assert_("(next A)"))
    seat.retract(seat.assert_("(next B)"))


@pytest.mark.parametrize("room", [0, 1, 4, 16])
def test_bc_073_a_full_disk_leaves_the_store_whole(tmp_path: Path, room: int) -> None:
    path = copy_of_two(tmp_path)
    with open_seat(path) as seat:
        located = seat.assert_("(p A)")
        seat.commit()
        before = everything(seat)
        pages = seat.database.connection.execute("PRAGMA page_count").fetchone()[0]
        seat.database.connection.execute(f"PRAGMA max_page_count = {pages + room}")

        with pytest.raises(SurroundingsError, match="disk is full") as caught:
            seat.load([f"(p {'x' * 40} N{number})" for number in range(5000)])

        assert caught.value.code == "koinii/disk-full"
        assert caught.value.exit_code == 5
        seat.database.connection.execute("PRAGMA max_page_count = 100000")
        check_whole(path, seat, before)
        assert seat.show(located)


@pytest.mark.parametrize("size", [8192, 150_000, 300_000])
def test_bc_073_a_log_that_cannot_grow_leaves_the_store_whole(
    tmp_path: Path, size: int
) -> None:
    path = copy_of_two(tmp_path)
    with open_seat(path) as seat:
        seat.load(["(p A)", "(p B)"])
        seat.commit()
        before = everything(seat)

        with files_of_at_most(size), pytest.raises(SurroundingsError) as caught:
            seat.load([f"(p {'x' * 40} N{number})" for number in range(5000)])

        assert caught.value.code in ("koinii/disk", "koinii/disk-full")
        check_whole(path, seat, before)


def test_bc_073_a_commit_without_room_is_none(tmp_path: Path) -> None:
    with open_seat(copy_of_two(tmp_path)) as seat:
        seat.load([f"(p N{number})" for number in range(3000)])
        seat.commit()
        seat.load([f"(q N{number})" for number in range(3000)])
        before = seat.status()
        connection = seat.database.connection
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

        with pytest.raises(SurroundingsError, match="disk is full"):
            seat.commit()

        assert seat.status() == before
        connection.execute("PRAGMA max_page_count = 100000")
        done = seat.commit()
        assert done is not None
        assert (done.number, done.id) == (2, before.commit)


def test_a_claim_is_admitted_under_the_lock(tmp_path: Path) -> None:
    """An owner whom another process introduced meanwhile is not written over."""
    path = copy_of_two(tmp_path)
    outcome: list[str] = []

    def say() -> None:
        with open_seat(path) as seat:
            try:
                outcome.append(seat.assert_("(p A)", context="CxCedar"))
            except RefusedError as error:
                outcome.append(error.code)

    waiter = threading.Thread(target=say)
    with open_seat(path) as other:
        with other.database.write():
            waiter.start()
            waiter.join(0.3)  # it waits for the lock by now
            assert outcome == []
            add_agent(other, "AgentCedar")
        waiter.join()
    assert outcome == ["koinii/foreign-context"]


def test_refusals_name_the_rule_and_the_next_step(seat: Seat) -> None:
    with pytest.raises(RefusedError) as caught:
        seat.assert_("(p A)", context="CxBoreas")
    assert caught.value.code == "koinii/foreign-context"
    assert re.search("CxBoreas belongs to AgentBoreas", caught.value.message)
    assert "CxAtlas" in caught.value.hint
    assert raw_digest(seat.locate("(p A)", "CxAtlas"))
