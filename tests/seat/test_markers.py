"""A marker is a stranger's word: only what this seat holds answers it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import NotFoundError, RefusedError, UsageError
from koinii.kb.writing import Said
from koinii.seat.markers import MAX_MARKER, Marker, Resolution
from koinii.seat.seat import Seat
from koinii.terms import read, write
from reference import seat_twin as twin
from seat.made import ATLAS, BOREAS, START, copy_of_two, open_seat
from strategies import contexts, facts

MALFORMED = Resolution(resolved=False, reason="malformed")
POSITIVE, NEGATIVE = "(p A)", "(not (p B))"


@pytest.fixture(scope="module")
def seat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seat]:
    with open_seat(copy_of_two(tmp_path_factory.mktemp("markers"))) as seat:
        seat.load([POSITIVE, NEGATIVE])
        yield seat


def payload(sentence: str = POSITIVE, context: str = "CxAtlas") -> dict[str, Any]:
    return {
        "locator": twin.locator(context, sentence),
        "sentence": sentence,
        "context": context,
        "seat": "AgentImpostor",
    }


def unresolved(reason: str, locator: str, actual: str | None = None) -> Resolution:
    return Resolution(resolved=False, reason=reason, locator=locator, actual=actual)


# Made and resolved --------------------------------------------------------------


def test_a_marker_says_what_and_where(seat: Seat) -> None:
    marker = seat.marker(twin.locator("CxAtlas", NEGATIVE)[7:17])
    assert marker == Marker(
        twin.locator("CxAtlas", NEGATIVE), NEGATIVE, "CxAtlas", ATLAS
    )
    assert json.loads(marker.text()) == marker._asdict()


def test_no_marker_without_a_sentex(seat: Seat) -> None:
    with pytest.raises(NotFoundError):
        seat.marker(twin.locator("CxAtlas", "(p Nowhere)"))


@pytest.mark.parametrize("sentence", [POSITIVE, NEGATIVE])
def test_every_form_of_a_marker_resolves(seat: Seat, sentence: str) -> None:
    locator = twin.locator("CxAtlas", sentence)
    marker = seat.marker(locator)
    forms: list[object] = [
        marker,
        marker.text(),
        f" {marker.text()}\n",
        marker._asdict(),
        payload(sentence),
        json.dumps(payload(sentence)),
        locator,
        f"koinii:{locator}",
        f"koinii:{locator}\n",
    ]
    for form in forms:
        found = seat.dereference(form)
        assert found.resolved
        assert found.reason == ""
        assert (found.locator, found.sentence) == (locator, sentence)
        assert (found.context, found.truth) == ("CxAtlas", sentence == POSITIVE)


def test_the_speaker_is_this_seats_own_knowledge(seat: Seat) -> None:
    found = seat.dereference(payload())
    assert found.seat == ATLAS
    assert found.created is not None
    assert START < found.created < START + 1000


def test_all_who_say_it_are_shown(tmp_path: Path) -> None:
    with open_seat(copy_of_two(tmp_path)) as seat:
        for agent in (BOREAS, ATLAS):
            located = seat.assert_("(p A)", context="CxDeploy", agent=agent)
        assert seat.dereference(located).seat == [ATLAS, BOREAS]
        assert seat.marker(located).seat == f"{ATLAS} {BOREAS}"
        seat.retract(located, agent=BOREAS)
        found = seat.dereference(located)
        assert found.seat == ATLAS
        assert seat.marker(located).seat == ATLAS


def test_another_spelling_of_the_same_sentence_resolves(seat: Seat) -> None:
    assert seat.dereference(payload() | {"sentence": "( p   A )"}).resolved
    assert seat.dereference(payload() | {"sentence": "(not (not (p A)))"}).resolved


# Mirrors of a symmetric predicate ------------------------------------------------


@pytest.fixture
def couple(tmp_path: Path) -> Iterator[Seat]:
    """A seat where marriage is symmetric, and said of Ann and Bob in that order."""
    with open_seat(copy_of_two(tmp_path)) as seat:
        seat.assert_("(symmetric married)")
        seat.load(["(married Ann Bob)", "(not (married Ann Cleo))", "(near A B)"])
        seat.load(["(married Ann Bob Church)"])
        yield seat


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("(married Bob Ann)", "(married Ann Bob)"),
        ("(not (married Cleo Ann))", "(not (married Ann Cleo))"),
    ],
)
def test_a_marker_of_a_mirror_resolves_to_what_is_held_and_says_so(
    couple: Seat, asked: str, held: str
) -> None:
    found = couple.dereference(payload(asked))

    assert (found.resolved, found.mirrored) == (True, True)
    assert (found.sentence, found.locator) == (held, twin.locator("CxAtlas", held))
    assert found.truth == (not held.startswith("(not"))
    assert found.seat == ATLAS
    assert not couple.dereference(payload(held)).mirrored
    both = couple.assert_(asked)
    assert couple.dereference(payload(asked)).locator == both
    assert not couple.dereference(payload(asked)).mirrored


@pytest.mark.parametrize(
    ("sentence", "context"),
    [
        ("(near B A)", "CxAtlas"),
        ("(married Bob Ann)", "CxBoreas"),
        ("(not (married Bob Ann))", "CxAtlas"),
        ("(married Cleo Ann)", "CxAtlas"),
        ("(married Bob Ann Church)", "CxAtlas"),
    ],
)
def test_nothing_else_is_a_mirror(couple: Seat, sentence: str, context: str) -> None:
    marker = payload(sentence, context)
    assert couple.dereference(marker) == unresolved("not-received", marker["locator"])


def test_a_marker_of_a_mirror_is_looked_at_like_any_other(couple: Seat) -> None:
    marker = payload("(married Bob Ann)")
    wrong = marker | {"locator": twin.locator("CxAtlas", "(married Ann Bob)")}
    assert couple.dereference(wrong) == unresolved(
        "locator-mismatch", wrong["locator"], actual=marker["locator"]
    )
    assert couple.dereference(marker["locator"]).reason == "not-received"

    beaten = couple.assert_("(not (married Bob Ann))", strength="monotonic")
    assert couple.dereference(marker) == unresolved("not-believed", marker["locator"])
    couple.retract(beaten)
    assert couple.dereference(marker).resolved

    couple.retract(twin.locator("CxUniverse", "(symmetric married)"))
    assert couple.dereference(marker).reason == "not-received"


def test_a_rule_has_no_mirror(couple: Seat) -> None:
    couple.assert_("(symmetric implies)")
    couple.assert_("(implies (p ?x) (q ?x))")
    rule = "(implies (q ?var0) (p ?var0))"
    marker = payload() | {"sentence": rule, "locator": couple.locate(rule, "CxAtlas")}
    assert couple.dereference(marker).reason == "not-received"


# Who says it, and who believes it ---------------------------------------------------


def test_a_conclusion_resolves_and_nobody_said_it(tmp_path: Path) -> None:
    with open_seat(copy_of_two(tmp_path)) as seat:
        seat.load(["(implies (p ?x) (q ?x))", "(p A)"])
        marker = seat.marker(twin.locator("CxAtlas", "(q A)"))
        found = seat.dereference(marker)
        assert (found.resolved, found.seat, found.created) == (True, None, None)
        assert marker.seat is None


def test_what_is_out_is_not_believed_and_its_locator_not_received(
    tmp_path: Path,
) -> None:
    """C.11 S12: defeated, unsupported, waiting and masked are told apart by belief."""
    with open_seat(copy_of_two(tmp_path)) as seat:
        lines = ["(implies (p ?x) (q ?x))", POSITIVE]
        seat.load(lines)
        seat.assert_("(targetFollowingPredicate replies)")
        absent = twin.locator("CxAtlas", "(later A)")
        waiting = f'(replies Atlas (sentexHandle "{absent}"))'
        seat.load([waiting])
        beater = seat.assert_(f"(not {POSITIVE})", strength="monotonic")
        out = [payload(POSITIVE), payload("(q A)"), payload(waiting)]
        for marker in out:
            locator = marker["locator"]
            assert seat.dereference(marker) == unresolved("not-believed", locator)
            assert seat.dereference(locator) == unresolved("not-received", locator)

        seat.retract(beater)
        seat.assert_("(later A)")

        assert all(seat.dereference(marker).resolved for marker in out)
        seat.assert_(f'(except (sentexHandle "{twin.locator("CxAtlas", "(q A)")}"))')
        assert seat.dereference(payload("(q A)")).resolved, "a mask moves no belief"


# Not resolved -------------------------------------------------------------------


def test_what_is_not_here_was_not_received(seat: Seat) -> None:
    for marker in (
        payload("(p Nowhere)"),
        payload(POSITIVE, "CxNowhere"),
        payload(f"(not {POSITIVE})"),
    ):
        expected = unresolved("not-received", marker["locator"])
        assert seat.dereference(marker) == expected
        assert seat.dereference(marker["locator"]) == expected
        assert seat.dereference("koinii:" + marker["locator"]) == expected


def test_a_locator_of_something_else_is_a_mismatch(seat: Seat) -> None:
    locator = twin.locator("CxAtlas", POSITIVE)
    for wrong in (
        "sha256:" + locator[:6:-1],
        twin.locator("CxAtlas", NEGATIVE),
        twin.locator("CxAtlas", "(p Nowhere)"),
    ):
        marker = payload() | {"locator": wrong}
        assert seat.dereference(marker) == unresolved(
            "locator-mismatch", wrong, actual=locator
        )


def test_what_is_not_here_comes_before_a_mismatch(seat: Seat) -> None:
    marker = payload("(p Nowhere)") | {"locator": twin.locator("CxAtlas", POSITIVE)}
    assert seat.dereference(marker).reason == "not-received"


def test_what_is_not_believed_is_told_apart(tmp_path: Path) -> None:
    with open_seat(copy_of_two(tmp_path)) as seat:
        located = seat.assert_(POSITIVE)
        with seat.kb.write() as connection:
            connection.execute("UPDATE sentex SET label = 4")  # defeated
        assert seat.dereference(payload()) == unresolved("not-believed", located)
        assert seat.dereference(located) == unresolved("not-received", located)


L = twin.locator("CxAtlas", POSITIVE)
FIELDS = ("locator", "sentence", "context")
VALUES: list[object] = [None, 7, [], {}, b"x", "", "\ud800", "\0", "(", "x" * 200_000]
JUNK: list[object] = [
    *(None, True, 7, 1.5, b"koinii:", [], (), {}, object(), set(), "", " ", "{", "{}"),
    *("null", "[]", "7", '"text"', "koinii:", "koinii: " + L, "KOINII:" + L),
    *(L[:-1], L + "0", L.upper(), L.replace("sha256", "sha512"), L[7:]),
    *("{" + L + "}", "[" * 100_000, '{"a":' * 100_000, '{"a":' + "[" * 100_000),
    *(json.dumps([payload()]), json.dumps(payload())[:-1], json.dumps(payload()) + "}"),
    json.dumps(payload())[:-1] + ', "locator": "x"}',  # a name twice (BC-054)
    json.dumps(payload())[:-1] + f', "sentence": "{POSITIVE}"' + "}",
    json.dumps(payload() | {"seat": "x" * MAX_MARKER}),
    json.dumps(payload() | {"seat": 10**4000})[:-1] + "0" * 5000 + "}",
    Marker(None, None, None, None),  # type: ignore[arg-type]
    Marker(L, POSITIVE, 7, None),  # type: ignore[arg-type]
    *(payload() | {name: value} for name in FIELDS for value in VALUES),
    *({n: v for n, v in payload().items() if n != name} for name in FIELDS),
    *(payload() | {"sentence": text} for text in ("(p A) (p B)", "(p A", "A", '"A"',
      "(" * 100 + ")" * 100, "(p " + "x" * 70_000 + ")")),
    *(payload() | {"context": text} for text in ("Atlas", "cxAtlas", "Cx", "CxA B")),
]  # fmt: skip


def name_of(marker: object) -> str:
    """Return the same name in every process."""
    return "object" if type(marker) is object else repr(marker)[:40]


@pytest.mark.parametrize("marker", JUNK, ids=name_of)
def test_junk_is_malformed(seat: Seat, marker: object) -> None:
    assert seat.dereference(marker) == MALFORMED


def json_values() -> st.SearchStrategy[object]:
    atoms = st.one_of(st.none(), st.booleans(), st.floats(), st.text(), st.integers())
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["locator", "sentence", "context", "seat"]), inner
            ),
        ),
        max_leaves=8,
    )


@given(st.one_of(json_values(), st.text(), st.binary(), json_values().map(json.dumps)))
def test_no_payload_raises(seat: Seat, marker: object) -> None:
    found = seat.dereference(marker)
    assert not found.resolved
    assert found.reason in ("malformed", "not-received")


@given(facts(), contexts())
def test_an_honest_marker_resolves_and_a_changed_one_does_not(
    seat: Seat, sentence: Any, context: Any
) -> None:
    class UndoneError(Exception):
        pass

    form = read(write(sentence))
    with pytest.raises(UndoneError), seat.kb.write():
        author = seat.kb.names.make_author("AgentElsewhere", "e" * 32)
        said = Said(context.text, form, write(form), 0, 7, None)
        seat.kb.put(author, [said], replace=True, journal=False)
        locator = seat.locate(form, context.text)
        marker = seat.marker(locator)

        found = seat.dereference(marker.text())
        assert (found.resolved, found.seat, found.created) == (
            True,
            "AgentElsewhere",
            7,
        )
        assert (found.sentence, found.context) == (write(form), context.text)
        elsewhere = marker._replace(context="CxElsewhere")
        assert seat.dereference(elsewhere).reason == "not-received"
        flipped = marker._replace(locator="sha256:" + locator[:6:-1])
        assert seat.dereference(flipped).actual == locator
        raise UndoneError


def test_a_sentence_too_long_for_a_marker_says_so(tmp_path: Path) -> None:
    with open_seat(copy_of_two(tmp_path)) as seat:
        fits = seat.assert_('(p "' + "x" * 65_000 + '")')
        assert seat.dereference(seat.marker(fits).text()).resolved
        located = seat.assert_('(p "' + '\\"' * 32_760 + '")')
        with pytest.raises(RefusedError) as caught:
            seat.marker(located)
        assert caught.value.code == "koinii/marker-too-long"
        assert f"koinii:{located}" in caught.value.hint
        assert seat.dereference(f"koinii:{located}").resolved


def test_a_locator_in_words_is_checked_before_it_is_looked_up(seat: Seat) -> None:
    with pytest.raises(UsageError):
        seat.marker("koinii:" + L)
