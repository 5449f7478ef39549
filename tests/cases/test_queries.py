"""Reports of others' queries: short ids, times, circles, old copies, empty answers.

BC-040, 049, 088, 089 and 104.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from faces.command import Done, within
from faces.command import koinii as run
from koinii.errors import KoiniiError
from koinii.seat.seat import Seat
from koinii.terms import write
from seat.made import ATLAS, BOREAS, copy_of_two, open_seat


@pytest.fixture
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path_factory.mktemp("one"))) as made:
        yield made


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(KoiniiError) as caught:
        call()
    return caught.value.code


# BC-040: ids that are short or mistyped ----------------------------------------


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    """A thousand claims, two of which begin with the same eight digits."""
    with open_seat(copy_of_two(tmp_path_factory.mktemp("many"))) as made:
        made.load([f"(n {number})" for number in (*range(998), 1665, 25142)])
        yield made


VERBS: dict[str, Callable[[Seat, str], object]] = {
    "show": lambda seat, locator: seat.show(locator),
    "why": lambda seat, locator: seat.why(locator),
    "marker": lambda seat, locator: seat.marker(locator),
    "prove": lambda seat, locator: seat.prove(locator),
    "retract": lambda seat, locator: seat.retract(locator),
}


def mistyped(seat: Seat) -> dict[str, tuple[str, str]]:
    """Ids that name nothing, each with the code it is refused with."""
    locator = seat.locate("(n 7)", "CxAtlas")
    digits = locator[7:]
    other = "0" if digits[20] != "0" else "1"
    return {
        "one digit changed": (
            f"{digits[:20]}{other}{digits[21:]}", "koinii/unknown-locator",
        ),
        "a middle fragment": (digits[8:24], "koinii/unknown-locator"),
        "the end of it": (digits[-16:], "koinii/unknown-locator"),
        "a seat": (seat.id, "koinii/unknown-locator"),
        "seven digits": (digits[:7], "koinii/usage"),
        "capitals": (digits[:16].upper().replace("0", "A"), "koinii/usage"),
        "blanks": (f"{digits[:8]} {digits[8:16]}", "koinii/usage"),
        "a longer one": (digits + "0", "koinii/usage"),
        "nothing": ("", "koinii/usage"),
        "a pattern": (f"{digits[:10]}%", "koinii/usage"),
        "an agent": (ATLAS, "koinii/usage"),
    }  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_bc_040_what_is_no_leading_prefix_names_nothing(
    thousand: Seat, verb: str
) -> None:
    thousand.commit()
    before = thousand.kb.root()
    for name, (given, code) in mistyped(thousand).items():
        if verb == "show" and given == "":
            continue
        assert code_of(lambda given=given: VERBS[verb](thousand, given)) == code, name  # type: ignore[misc]
    shared = thousand.locate("(n 1665)", "CxAtlas")[:15]
    with pytest.raises(KoiniiError) as caught:
        VERBS[verb](thousand, shared)
    assert caught.value.code == "koinii/ambiguous-locator"
    assert caught.value.details["candidates"] == sorted(
        thousand.locate(f"(n {number})", "CxAtlas") for number in (1665, 25142)
    )
    assert thousand.kb.root() == before


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "retract"])
def test_bc_040_a_whole_id_and_any_prefix_of_eight_are_the_same(
    thousand: Seat, verb: str
) -> None:
    thousand.commit()
    for number in (7, 500, 997):
        locator = thousand.locate(f"(n {number})", "CxAtlas")
        whole = VERBS[verb](thousand, locator)
        for given in (locator[7:], locator[:15], locator[7:15], locator[7:40]):
            assert VERBS[verb](thousand, given) == whole


def test_bc_040_a_prefix_takes_back_only_what_it_begins(thousand: Seat) -> None:
    rng = random.Random(40)
    for number in rng.sample(range(100, 900), 20):
        locator = thousand.locate(f"(n {number})", "CxAtlas")
        before = {found.locator for found in thousand.believed()}
        assert thousand.retract(locator[: rng.randint(15, 71)]) == locator
        assert before - {found.locator for found in thousand.believed()} == {locator}


# BC-049: times -----------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        "2026-01-02T03:04:05Z", "2026-01-02", "2h", "24:00", "10000-01-01", "garbage",
        "-1", "1.5", "1e3", "٣", " 1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
def test_bc_049_since_takes_the_number_of_an_event_and_nothing_else(
    here: Path, monkeypatch: pytest.MonkeyPatch, given: str, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    done = within("watch", f"--since={given}", "--once", "--json")
    assert done.code == 2
    assert done.error["message"]
    monkeypatch.undo()
    time.tzset()


def test_bc_049_a_time_is_the_same_in_every_zone(here: Path) -> None:
    """What is shown of a time is UTC, and says so."""
    shown = [
        run("log", cwd=here, env={"TZ": zone}).out
        for zone in ("UTC", "Asia/Kolkata", "America/St_Johns")
    ]
    assert len(set(shown)) == 1
    assert shown[0].rstrip().endswith("Z")


# BC-088: circles and long ways -------------------------------------------------


def reached(edges: set[tuple[int, int]], start: int) -> set[int]:
    """What a breadth-first search reaches."""
    found, fringe = set[int](), [start]
    while fringe:
        fringe = [b for a, b in edges if a in fringe and b not in found]
        found |= set(fringe)
    return found


def test_bc_088_all_that_is_reached_through_circles(one: Seat) -> None:
    rng = random.Random(88)
    edges = {(rng.randrange(30), rng.randrange(30)) for _ in range(90)}
    rules = [
        "(implies (supports ?x ?y) (reaches ?x ?y))",
        "(implies (and (reaches ?x ?y) (supports ?y ?z)) (reaches ?x ?z))",
    ]
    started = time.monotonic()
    one.load([*rules, *(f"(supports N{a} N{b})" for a, b in edges)])
    for start in range(30):
        rows = one.ask(f"(reaches N{start} ?x)", context="CxAtlas")
        found = [int(write(row["?x"])[1:]) for row in rows]
        assert sorted(found) == sorted(reached(edges, start))
        ancestors = one.ask(f"(reaches ?x N{start})", context="CxAtlas")
        back = {(b, a) for a, b in edges}
        assert {int(write(row["?x"])[1:]) for row in ancestors} == reached(back, start)
    (low, high) = min(edges)
    tree = one.why(one.locate(f"(reaches N{low} N{high})", "CxAtlas"))
    assert nodes(tree) < 5_000, "each conclusion is explained once"
    assert time.monotonic() - started < 20
    one.retract(one.locate(rules[0], "CxAtlas"))
    assert not list(one.ask("(reaches ?x ?y)"))


def nodes(tree: dict[str, object]) -> int:
    """How many nodes a tree has, without recursion."""
    count, waiting = 0, [tree]
    for node in waiting:
        count += 1
        support = node["support"]
        assert isinstance(support, list)
        waiting.extend(child for one in support for child in one["because"])
    return count


LONG = 300


def test_bc_088_a_long_chain_of_kinds_contexts_and_steps(one: Seat) -> None:
    """Kinds of kinds, contexts that see contexts, rules upon rules."""
    kinds = [f"(genl kind{n} kind{n + 1})" for n in range(LONG)]
    edges = [f"(genlCx CxAt{n} CxAt{n + 1})" for n in range(LONG)]
    steps = [f"(implies (step{n} ?x) (step{n + 1} ?x))" for n in range(LONG)]
    assert one.load(kinds + edges + steps).refused == []
    one.load(["(kind0 Rex)", "(step0 Rex)"])
    one.assert_("(far Away)", context=f"CxAt{LONG}")

    assert list(one.ask(f"(kind{LONG} ?x)", context="CxAtlas"))
    assert not list(one.ask("(kind0 Tom)", context="CxAtlas"))
    assert list(one.ask("(far ?x)", context="CxAt0"))
    last = one.locate(f"(step{LONG} Rex)", "CxAtlas")
    tree = one.why(last)
    assert nodes(tree) == 257, "cut off, and told so"
    assert "truncated" in str(deepest(tree))
    whole = one.why(last, max_depth=2 * LONG)
    assert nodes(whole) == LONG + 1
    assert deepest(whole)["sentence"] == "(step0 Rex)"
    one.assert_(f"(genl kind{LONG} kind0)")
    assert list(one.ask(f"(kind{LONG // 2} ?x)", context="CxAtlas"))


def deepest(tree: dict[str, object]) -> dict[str, object]:
    """The last node down a chain."""
    while tree["support"]:
        support = tree["support"]
        assert isinstance(support, list)
        tree = support[0]["because"][0]
    return tree


# BC-089: old copies ------------------------------------------------------------


def test_bc_089_what_one_process_writes_every_other_reads_at_once(one: Seat) -> None:
    """Whatever a reader keeps of a base, it notices that another has written."""
    with open_seat(Path(one.layout.directory)) as reader:

        def answers(pattern: str, context: str = "CxDeploy") -> list[str]:
            rows = reader.ask(pattern, context=context)
            return sorted(write(row["?x"]) for row in rows)

        assert answers("(married ?x Ann)") == []
        one.load(["(married Ann Bob)", "(dog Rex)"], context="CxDeploy")
        assert answers("(married Ann ?x)") == ["Bob"]
        assert answers("(married ?x Ann)") == []
        one.assert_("(symmetric married)")
        assert answers("(married ?x Ann)") == ["Bob"]
        one.assert_("(genl dog animal)", context="CxDeploy")
        assert answers("(animal ?x)") == ["Rex"]
        one.assert_("(implies (animal ?x) (alive ?x))", context="CxDeploy")
        assert answers("(alive ?x)") == ["Rex"]
        assert answers("(alive ?x)", "CxLow") == []
        one.assert_("(genlCx CxLow CxDeploy)")
        assert answers("(alive ?x)", "CxLow") == ["Rex"]
        masked = one.locate("(dog Rex)", "CxDeploy")
        one.assert_(f'(except (sentexHandle "{masked}"))', context="CxLow")
        assert answers("(dog ?x)", "CxLow") == []
        assert answers("(dog ?x)") == ["Rex"]
        one.assert_(
            "(not (alive Rex))", context="CxDeploy", agent=BOREAS, strength="monotonic"
        )
        assert answers("(alive ?x)") == []
        assert reader.why_not("(alive Rex)", "CxDeploy")["reason"] == "defeated"
        one.commit()
        assert reader.status() == one.status()
        assert reader.contradictions() == one.contradictions()
        assert list(reader.believed()) == list(one.believed())
        assert reader.log() == one.log()


def test_bc_089_a_command_reads_what_the_one_before_has_written(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    with koinii.open(str(here)) as library:
        for number in range(3):
            typed = run("assert", f"(typed N{number})", cwd=here).out.strip()
            assert typed in {found.locator for found in library.believed()}
            said = library.assert_(f"(said N{number})")
            asked = within("ask", f"(said N{number})", "--json").data["answers"]
            assert len(asked) == 1
            assert within("show", said).code == 0
            status = within("status", "--json").data
            assert status["commit"] == library.status().commit
            assert status["size"] == library.status().size


# BC-104: nothing, nowhere, failed ----------------------------------------------


READS = {
    "ask": ["(nothing ?x)"],
    "search": ["nothing"],
    "held": [],
    "log": [],
    "contradictions": [],
    "conflicts": [],
    "peers": [],
}


@pytest.mark.parametrize("verb", READS)
def test_bc_104_nothing_no_seat_and_a_damaged_one_are_told_apart(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.chdir(here)
    words = [verb, *READS[verb]]
    found = within(*words)
    assert found.code == 0
    assert found.out or found.err, "nothing is said so"
    empty = tmp_path / "empty"
    empty.mkdir()
    nowhere = within("-C", str(empty), *words, "--json")
    assert (nowhere.code, nowhere.error["code"]) == (5, "koinii/no-seat")
    wrong = within(*words, "--no-such-flag", "--json")
    assert (wrong.code, wrong.error["code"]) == (2, "koinii/usage")
    (here / ".koinii/store.db").write_bytes(b"no database" * 1000)
    damaged = within(*words, "--json")
    assert (damaged.code, damaged.error["code"]) == (5, "koinii/damaged-store")


def test_bc_104_a_misspelt_choice_is_an_error_that_lists_them(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    done = within("ask", "(p ?x)", "--in", "CxAtlas", "--scope", "conne", "--json")
    assert done.code == 2
    told = f"{done.error['message']} {done.error['hint']}"
    assert all(scope in told for scope in ("cone", "exact", "any"))


def test_bc_104_an_unknown_agent_context_and_seat_are_no_empty_answers(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    missing: list[Done] = [
        within("assert", "(p A)", "--as", "AgentNobody", "--json"),
        within("show", "00000000", "--json"),
        within("why", "0" * 64, "--json"),
        within("pull", "nowhere", "--json"),
    ]
    assert [done.code for done in missing] == [3] * len(missing)
    assert len({done.error["code"] for done in missing}) >= 3
    told = within("ask", "(p ?x)", "--in", "CxNobodyKnows")
    assert (told.code, told.out) == (0, "")
    assert "CxNobodyKnows" in told.err
