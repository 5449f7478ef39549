"""Locators, roots and markers between independent seats (spec B.8, C.8), row by row.

What markers come to in every other case is in tests/seat/test_markers.py.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import koinii
from coordination.quarrel import ATLAS, BOREAS, NOT_P, P
from koinii import terms
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import NotFoundError
from koinii.merkle.steps import prove_steps, verify_locator_steps
from koinii.terms import read, write
from koinii.terms.locator import leaf, raw_digest
from koinii.terms.term import Symbol, Term
from remote.desks import Clock, examples, room
from strategies import contexts, facts

FACTS = [
    "(usesDatabase ProdCluster PostgreSQL14)",
    "(usesDatabase StageCluster RedisCache)",
    "(reliable ProdCluster)",
    "(not (reliable StageCluster))",
    "(implies (reliable ?x) (kept ?x))",
]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[CoordinationSeat, CoordinationSeat]]:
    with (
        koinii.init(tmp_path / "one", agent=ATLAS, now=Clock()) as one,
        koinii.init(tmp_path / "other", agent=BOREAS, now=Clock(5_000)) as other,
    ):
        yield one, other


def pulled(seat: CoordinationSeat, folder: Path) -> CoordinationSeat:
    """Give a seat's words to a new one, through an export."""
    seat.export(folder / "dump")
    copy = koinii.init(folder / "copy", agent="AgentCopy", now=Clock())
    copy.import_(folder / "dump")
    return copy


def proof_of(seat: CoordinationSeat, locator: str) -> str:
    seat.commit()
    return seat.prove(locator)


# Rows ------------------------------------------------------------------------------


def test_a_locator_is_a_function_of_the_assertion_not_the_handle(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    one, other = two
    other.assert_("(something Before)")
    first = one.assert_(P, context="CxDeploy")
    assert other.assert_(P, context="CxDeploy") == first == one.locate(P, "CxDeploy")
    others = {
        one.locate(P, "CxElsewhere"),
        one.locate(NOT_P, "CxDeploy"),
        one.locate("(reliable StageCluster)", "CxDeploy"),
    }
    assert len(others | {first}) == 4
    assert re.fullmatch("sha256:[0-9a-f]{64}", first)


def test_locators_fold_mirror_spellings_so_seats_agree(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    """The lesser is folded into the greater; a symmetric fact keeps its spelling."""
    one, other = two
    assert one.locate("(lessThan 1 2)", "CxDeploy") == one.locate(
        "(greaterThan 2 1)", "CxDeploy"
    )
    for seat in two:
        seat.assert_("(symmetric near)", context="CxUniverse")
    said = one.assert_("(near A B)", context="CxDeploy")
    mirror = other.assert_("(near B A)", context="CxDeploy")
    assert said != mirror
    found = other.dereference(one.marker(said))
    assert (found.resolved, found.mirrored, found.locator) == (True, True, mirror)


def test_a_commit_id_is_a_function_of_state(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    one, other = two
    for fact in FACTS:
        one.assert_(fact, context="CxDeploy")
    for fact in reversed(FACTS):
        other.assert_(fact, context="CxDeploy")
    assert one.status().commit == other.status().commit
    one.assert_("(one More)", context="CxDeploy")
    assert one.status().commit != other.status().commit


def test_publishing_the_same_state_twice_yields_byte_identical_record_streams(
    two: tuple[CoordinationSeat, CoordinationSeat], tmp_path: Path
) -> None:
    one, _ = two
    one.edit(add=FACTS, context="CxDeploy")
    for name in ("first", "second"):
        one.export(tmp_path / name)
    names = sorted(path.name for path in (tmp_path / "first").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "second").iterdir())
    for name in names:
        first, second = (tmp_path / place / name for place in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_two_seats_pull_one_commit_and_resolve_the_same_sentence(
    two: tuple[CoordinationSeat, CoordinationSeat], tmp_path: Path
) -> None:
    one, _ = two
    one.edit(add=FACTS)
    marker = one.marker(one.locate(FACTS[0], "CxAtlas"))
    with pulled(one, tmp_path) as copy:
        assert copy.status().commit == one.status().commit
        assert copy.state_root() == one.state_root()
        found = copy.dereference(marker)
        assert found[:2] == (True, "")
        assert (found.sentence, found.context, found.truth) == (
            FACTS[0],
            "CxAtlas",
            True,
        )
        assert found.seat == ATLAS
        assert copy.dereference(marker.locator) == found


def test_a_tampered_or_unreceived_marker_is_rejected_and_the_kb_is_the_authority(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    one, other = two
    marker = one.marker(one.assert_(P, context="CxDeploy"))
    other.assert_(P, context="CxDeploy")
    hexadecimal = marker.locator.removeprefix("sha256:")
    forged = marker._replace(locator=f"sha256:{hexadecimal[::-1]}")
    found = other.dereference(forged)
    assert (found.reason, found.actual) == ("locator-mismatch", marker.locator)
    assert other.dereference(forged.locator).reason == "not-received"
    unknown = one.marker(one.assert_("(only Here)"))
    assert other.dereference(unknown).reason == "not-received"
    lying = marker._replace(seat="AgentNobody")
    assert other.dereference(lying).seat == BOREAS


def test_why_marker_hands_off_to_the_seats_own_proof(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    one, other = two
    said = one.assert_(P, context="CxDeploy")
    found = one.dereference(one.marker(said), why=True)
    assert found.why is not None
    assert (found.why["believed"], found.why["premise"]) == (True, True)
    assert found.why == one.why(said)
    assert one.dereference(one.marker(said)).why is None
    absent = other.dereference(one.marker(said), why=True)
    assert (absent.resolved, absent.why) == (False, None)
    assert other.dereference("no marker", why=True).reason == "malformed"


def test_a_negative_fact_round_trips_and_dereferences(
    two: tuple[CoordinationSeat, CoordinationSeat], tmp_path: Path
) -> None:
    one, _ = two
    marker = one.marker(one.assert_(NOT_P))
    assert marker.sentence == NOT_P
    with pulled(one, tmp_path) as copy:
        found = copy.dereference(marker.text())
        assert (found.resolved, found.truth, found.sentence) == (True, False, NOT_P)


def test_the_encoder_handles_chars_and_doubles_without_poisoning_the_commit(
    two: tuple[CoordinationSeat, CoordinationSeat], tmp_path: Path
) -> None:
    one, _ = two
    odd = [
        r"(grade Paper \a)",
        r"(grade Paper \b)",
        "(ratio Paper 0.1)",
        "(big N 1e300)",
    ]
    assert len({one.assert_(fact) for fact in odd}) == len(odd)
    with pulled(one, tmp_path) as copy:
        assert copy.status().commit == one.status().commit
    assert one.commit() is not None


def test_commit_id_covers_derived_records_and_state_root_tolerates_nil_provenance(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    one, _ = two
    one.edit(add=["(implies (up ?x) (reliable ?x))", "(up ProdCluster)"])
    derived = one.locate(P, "CxAtlas")
    proof = proof_of(one, derived)
    assert koinii.verify(proof, root=one.status().commit).ok
    assert re.fullmatch("sha256:[0-9a-f]{64}", one.state_root())
    one.assert_(NOT_P, strength="monotonic")
    one.commit()
    with pytest.raises(koinii.KoiniiError):
        one.prove(derived)


def test_verify_inclusion_rejects_malformed_proofs_without_throwing(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    """The list of steps; tests/history looks at documents."""
    one, _ = two
    one.edit(add=FACTS)
    tree, root = one.kb.tree(), one.status().commit
    said = one.locate(FACTS[0], "CxAtlas")
    hashes = [*one.kb.sentexes.leaf_hashes()]
    steps = prove_steps(tree, hashes.index(leaf(raw_digest(said))))
    assert verify_locator_steps(said, steps, root)
    first, *rest = steps
    for wrong in (
        [{**first, "hash": "zz"}, *rest],
        [{**first, "hash": first["hash"].upper()}, *rest],
        [{"side": first["side"]}, *rest],
        [{**first, "side": "up"}, *rest],
        {"hash": "0" * 64},
        "steps",
        rest,
    ):
        assert not verify_locator_steps(said, wrong, root)
    assert not verify_locator_steps(said, steps, f"sha256:{'0' * 64}")
    assert not verify_locator_steps(7, steps, root)


def test_marker_refuses_a_handle_that_names_no_record(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    with pytest.raises(NotFoundError) as no:
        two[0].marker(f"sha256:{'0' * 64}")
    assert no.value.code == "koinii/unknown-locator"


def test_s12_what_is_stored_and_out_is_not_believed_by_marker_and_not_received(
    two: tuple[CoordinationSeat, CoordinationSeat],
) -> None:
    one, _ = two
    said = one.assert_(P)
    marker = one.marker(said)
    one.assert_(NOT_P, strength="monotonic")
    assert one.dereference(marker).reason == "not-believed"
    assert one.dereference(said).reason == "not-received"


# Properties --------------------------------------------------------------------------


Pair = tuple[Symbol, Term]
pairs = st.lists(st.tuples(contexts(), facts()), min_size=1, max_size=6)


@given(pairs)
def test_prop_locator_is_content_addressed_and_handle_independent(
    said: list[Pair],
) -> None:
    once = [terms.locate(context, terms.canonical(fact)) for context, fact in said]
    texts = [(context.name, write(terms.canonical(fact))) for context, fact in said]
    again = [terms.locate(Symbol(context), read(text)) for context, text in texts]
    assert once == again


@given(pairs)
def test_prop_locators_are_injective_over_the_sample(said: list[Pair]) -> None:
    contents = {
        (context.name, write(terms.canonical(fact))): terms.locate(
            context, terms.canonical(fact)
        )
        for context, fact in said
    }
    assert len(set(contents.values())) == len(contents)
    for context, fact in said:
        form = terms.canonical(fact)
        denied = terms.canonical((Symbol("not"), form))
        moved = Symbol(context.name + "x")
        assert len({terms.locate(context, form), terms.locate(context, denied),
                    terms.locate(moved, form)}) == 3  # fmt: skip


@given(st.permutations(FACTS), st.randoms(use_true_random=False))
@settings(max_examples=examples(15))
def test_prop_commit_id_is_an_order_independent_function_of_state(
    order: list[str], source: random.Random
) -> None:
    with room() as folder:
        roots = []
        for name, facts_ in (("one", FACTS), ("other", order)):
            with koinii.init(folder / name, agent=ATLAS, now=Clock()) as seat:
                cut = source.randrange(len(facts_))
                seat.edit(add=facts_[:cut])
                seat.edit(add=facts_[cut:])
                roots.append(seat.status().commit)
                seat.assert_("(one More)")
                assert seat.status().commit != roots[-1]
        assert len(set(roots)) == 1


def test_prop_commit_id_is_knowledge_and_state_root_is_snapshot(
    two: tuple[CoordinationSeat, CoordinationSeat], tmp_path: Path
) -> None:
    one, other = two
    for seat in two:
        seat.edit(add=FACTS, context="CxDeploy")
    assert one.status().commit == other.status().commit
    assert one.state_root() != other.state_root()
    with pulled(one, tmp_path) as copy:
        assert copy.status().commit == one.status().commit
        assert copy.state_root() == one.state_root()


@given(st.sets(facts(), min_size=1, max_size=8), st.data())
@settings(max_examples=examples(12))
def test_prop_inclusion_proofs_are_sound_and_complete(
    said: set[Term], data: st.DataObject
) -> None:
    with (
        room() as folder,
        koinii.init(folder / "seat", agent=ATLAS, now=Clock()) as seat,
    ):
        for fact in said:
            seat.assert_(fact, context="CxDeploy")
        seat.commit()
        root = seat.status().commit
        believed = [one.locator for one in seat.believed()]
        for locator in believed:
            proof = json.loads(seat.prove(locator))
            assert koinii.verify(proof, root=root).ok
            assert not koinii.verify(proof, root=f"sha256:{'1' * 64}").ok
            if proof["path"]:
                at = data.draw(st.integers(0, len(proof["path"]) - 1))
                proof["path"][at] = "f" * 64
                assert not koinii.verify(proof, root=root).ok
        with pytest.raises(koinii.KoiniiError):
            seat.prove(seat.locate("(never Said)", "CxDeploy"))


@given(st.sets(facts(), min_size=2, max_size=6))
@settings(max_examples=examples(12))
def test_prop_markers_are_untrusted(said: set[Term]) -> None:
    with (
        room() as folder,
        koinii.init(folder / "one", agent=ATLAS, now=Clock()) as one,
        koinii.init(folder / "other", agent=BOREAS, now=Clock()) as other,
    ):
        locators = [
            one.assert_(fact, context="CxDeploy") for fact in sorted(said, key=write)
        ]
        markers = [one.marker(locator) for locator in locators]
        for fact in said:
            other.assert_(fact, context="CxDeploy")
        for marker, wrong in zip(markers, [*markers[1:], markers[0]], strict=True):
            if other.dereference(marker).reason == "not-believed":
                continue  # a pair that clashes within the sample
            assert other.dereference(marker).seat == BOREAS
            if marker.locator != wrong.locator:
                swapped = marker._replace(locator=wrong.locator)
                assert other.dereference(swapped).reason == "locator-mismatch"
            gone = marker._replace(context="CxNowhere")
            assert other.dereference(gone).reason == "not-received"
