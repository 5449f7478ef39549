"""Whose word counts, against a twin that works it out the long way."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.trust.counting import Counting, Decisions, Pin
from koinii.trust.presence import Presence, Signed
from koinii.trust.reasons import (
    CONTESTED,
    NOT_ADMIN,
    NOT_GRANTED,
    RETIRED,
    REVOKED,
    UNFOLLOWED,
)
from koinii.trust.statements import (
    Grant,
    Introduction,
    Retirement,
    Revocation,
    Rotation,
    Statement,
    statement_hash,
)
from reference import trust_twin as twin
from trust.made import HASHES, NAMES, PUBLIC, ROOT, SEATS, decisions, presences

ATLAS, BOREAS = NAMES[:2]
HERE, THERE, ELSEWHERE = SEATS
COOPERATIVE = Decisions("cooperative", HASHES[0], {}, frozenset())
PROOF_TIER = COOPERATIVE._replace(mode="proof-tier")


def twins(decided: Decisions, known: list[Presence]) -> twin.Twin:
    return twin.Twin(
        twin.Decisions(
            decided.mode,
            decided.admin,
            {name: tuple(pin) for name, pin in decided.pins.items()},  # type: ignore[misc]
            set(decided.unfollowed),
        ),
        [twin_of(one) for one in known],
    )


def twin_of(one: Presence) -> twin.Presence:
    said = [(each.statement.text(), frozenset(each.signers)) for each in one.statements]
    return twin.Presence(one.agent, one.seat, said)


def weighed(
    decided: Decisions, known: list[Presence]
) -> dict[tuple[str, str, int], str]:
    counting = Counting(decided, known)
    return {
        (one.agent, one.seat, number): counting.weigh(one, number)
        for one in known
        for number in range(7)
    }


# Against the twin -----------------------------------------------------------------


@given(decisions(), presences())
def test_every_author_is_weighed_as_by_the_twin(
    decided: Decisions, known: list[Presence]
) -> None:
    other = twins(decided, known)
    for one in known:
        for number in range(7):
            assert Counting(decided, known).weigh(one, number) == other.weigh(
                twin_of(one), number
            )


@given(decisions(), presences())
def test_names_and_standing_are_those_of_the_twin(
    decided: Decisions, known: list[Presence]
) -> None:
    counting, other = Counting(decided, known), twins(decided, known)
    for name in NAMES:
        assert counting.root(name) == other.root(name)
        assert counting.lineage(name) == other.lineage(name)
        assert tuple(counting.standing(name)) == other.standing(name)
        assert (name in counting.grants) == (other.grant(name) is not None)
    roots = {name: root for name in NAMES if (root := other.root(name)) is not None}
    assert counting.roots() == roots


# What has to hold whatever is signed ----------------------------------------------


@given(decisions(), presences(), st.randoms(use_true_random=False))
def test_the_order_in_which_agents_are_met_decides_nothing(
    decided: Decisions, known: list[Presence], random: st.DataObject
) -> None:
    mixed = list(known)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert weighed(decided, mixed) == weighed(decided, known)
    assert Counting(decided, mixed).grants == Counting(decided, known).grants


@given(decisions(), presences())
def test_an_unfollowed_seat_is_as_one_that_is_not_there(
    decided: Decisions, known: list[Presence]
) -> None:
    left = [one for one in known if one.seat not in decided.unfollowed]
    without = decided._replace(unfollowed=frozenset())
    all_of_them = weighed(decided, known)
    assert weighed(without, left) == {
        who: all_of_them[who] for who in weighed(without, left)
    }


@given(decisions(), presences(), st.data())
def test_a_stranger_decides_nothing_for_a_name(
    decided: Decisions, known: list[Presence], data: st.DataObject
) -> None:
    """What another key signs in a name's own file moves nobody else's lines."""
    known = [one for one in known if one.seat != ELSEWHERE]
    counting = Counting(decided, known)
    strange = [key for key in PUBLIC if key.key_hash not in counting.lineage(ATLAS)]
    if not strange:
        return
    key = data.draw(st.sampled_from(strange))
    said: list[Statement] = [
        Introduction(ATLAS, key, ELSEWHERE, (), 0),
        *(Revocation(ATLAS, digest, "*", 0, "so") for digest in HASHES),
        *(Retirement(ATLAS, key.key_hash, place, 0) for place in SEATS),
    ]
    signed = tuple(Signed(one, (key.key_hash,)) for one in said)
    stranger = Presence(ATLAS, ELSEWHERE, ((0, key),), signed)
    after = weighed(decided, [*known, stranger])
    assert {who: after[who] for who in weighed(decided, known)} == weighed(
        decided, known
    )


@given(decisions(), presences(), st.sampled_from(HASHES), st.integers(0, 5))
def test_a_revocation_never_lets_anybody_count(
    decided: Decisions, known: list[Presence], digest: bytes, number: int
) -> None:
    before = weighed(decided, known)
    more = Signed(Revocation(ATLAS, digest, "*", number, "so"), tuple(HASHES))
    moved = [
        one._replace(statements=(*one.statements, more))
        if one.agent in (ATLAS, ROOT)
        else one
        for one in known
    ]
    after = weighed(decided, moved)
    assert {who for who, why in after.items() if not why} <= {
        who for who, why in before.items() if not why
    }


# One case for each rule -----------------------------------------------------------


def presence(agent: str, seat: str, key: int, *said: Signed) -> Presence:
    first = Introduction(agent, PUBLIC[key], seat, (), 0)
    keys = [(0, PUBLIC[key])]
    for one in said:
        if isinstance(one.statement, Rotation):
            keys.append((one.statement.number, one.statement.key))
    return Presence(
        agent, seat, tuple(keys), (Signed(first, (HASHES[key],)), *said)
    )  # fmt: skip


def rotation(old: int, new: int, number: int, *, both: bool = True) -> Signed:
    one = Rotation(ATLAS, HASHES[old], PUBLIC[new], HERE, number)
    return Signed(one, (HASHES[old], HASHES[new]) if both else (HASHES[old],))


def pinned(key: int, decided: Decisions = COOPERATIVE) -> Decisions:
    return decided._replace(pins={ATLAS: Pin(HASHES[key], decided=True)})


GRANT = Grant(ATLAS, PUBLIC[1], ("member",), None, 5)


def granting(*grants: Grant, by: int = 0) -> Presence:
    said = [Signed(one, (HASHES[by],)) for one in grants]
    return presence(ROOT, THERE, by, *said)


def test_a_rotation_leads_back_only_where_the_new_key_signed() -> None:
    for both, why in ((True, ""), (False, CONTESTED)):
        one = presence(ATLAS, HERE, 1, rotation(1, 2, 3, both=both))
        forward = Counting(pinned(1), [one])
        assert [forward.weigh(one, number) for number in (2, 3)] == ["", ""]
        back = Counting(pinned(2), [one])
        assert [back.weigh(one, number) for number in (2, 3)] == [why, ""]


def test_a_key_is_revoked_from_its_number_on_at_its_seat() -> None:
    for place, codes in ((HERE, ["", REVOKED]), (THERE, ["", ""])):
        signed = Signed(
            Revocation(ATLAS, HASHES[1], place, 4, "lost"), (HASHES[1],)
        )  # fmt: skip
        one = presence(ATLAS, HERE, 1, signed)
        counting = Counting(pinned(1), [one])
        assert [counting.weigh(one, number) for number in (3, 4)] == codes


def test_the_next_key_counts_though_the_old_one_is_revoked() -> None:
    revoked = Signed(Revocation(ATLAS, HASHES[1], "*", 0, "lost"), (HASHES[2],))
    one = presence(ATLAS, HERE, 1, rotation(1, 2, 3), revoked)
    counting = Counting(pinned(1), [one])
    assert [counting.weigh(one, number) for number in (2, 3)] == [REVOKED, ""]


def test_a_retirement_is_heard_from_any_seat() -> None:
    retired = Signed(Retirement(ATLAS, HASHES[1], HERE, 2), (HASHES[1],))
    lost = presence(ATLAS, HERE, 1)
    there = presence(ATLAS, THERE, 1, retired)
    counting = Counting(pinned(1), [lost, there])
    assert [counting.weigh(lost, number) for number in (1, 2)] == ["", RETIRED]
    assert counting.weigh(there, 9) == ""


def test_what_is_signed_at_an_unfollowed_seat_is_not_heard() -> None:
    retired = Signed(Retirement(ATLAS, HASHES[1], HERE, 0), (HASHES[1],))
    lost = presence(ATLAS, HERE, 1)
    known = [lost, presence(ATLAS, THERE, 1, retired), granting(GRANT)]
    decided = pinned(1)
    assert Counting(decided, known).weigh(lost, 1) == RETIRED
    deaf = decided._replace(unfollowed=frozenset({THERE}))
    assert Counting(deaf, known).weigh(lost, 1) == ""
    assert Counting(deaf, known).grants == {}
    assert Counting(deaf, known).weigh(known[1], 1) == UNFOLLOWED


def test_in_proof_tier_nobody_counts_without_a_grant() -> None:
    one, other = presence(ATLAS, HERE, 1), presence(ATLAS, THERE, 2)
    for decided in (PROOF_TIER, pinned(1, PROOF_TIER)):
        assert Counting(decided, [one]).weigh(one, 1) == NOT_GRANTED
    counting = Counting(pinned(2, PROOF_TIER), [one, other, granting(GRANT)])
    assert (counting.weigh(one, 1), counting.weigh(other, 1)) == ("", CONTESTED)
    forged = granting(GRANT, by=3)
    counting = Counting(PROOF_TIER, [one, forged])
    assert counting.weigh(one, 1) == NOT_GRANTED
    assert counting.weigh(forged, 1) == NOT_ADMIN


def test_a_decision_of_the_operator_beats_a_grant_in_cooperative_only() -> None:
    one, other = presence(ATLAS, HERE, 1), presence(ATLAS, THERE, 2)
    known = [one, other, granting(GRANT)]
    met = COOPERATIVE._replace(pins={ATLAS: Pin(HASHES[2], decided=False)})
    assert Counting(met, known).weigh(other, 1) == CONTESTED
    assert Counting(pinned(2), known).weigh(one, 1) == CONTESTED
    assert Counting(pinned(2, PROOF_TIER), known).weigh(one, 1) == ""


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_chains_of_grants_the_longer_counts(*, turned: bool) -> None:
    second = replace(GRANT, standing=("moderator *",), previous=statement_hash(GRANT))
    third = replace(second, standing=("arbiter *",), previous=statement_hash(second))
    late = replace(GRANT, standing=("member", "moderator CxDeploy"), time=99)
    apart = replace(late, agent=BOREAS)  # of another agent, so no link of a chain
    loose = replace(late, previous=statement_hash(apart))
    grants = [third, GRANT, late, second, apart, loose]
    known = [granting(*(reversed(grants) if turned else grants))]
    assert Counting(PROOF_TIER, known).grants == {ATLAS: third, BOREAS: apart}
    known = [granting(GRANT, late)]
    assert Counting(PROOF_TIER, known).grants[ATLAS] == late


def test_standing_is_what_the_grant_says() -> None:
    for words, expected in {
        ("member",): (False, set(), False),
        ("moderator *",): (True, set(), False),
        ("member", "moderator CxDeploy"): (False, {"CxDeploy"}, False),
        ("arbiter *", "member"): (False, set(), True),
    }.items():
        known = [granting(replace(GRANT, standing=words))]
        counting = Counting(PROOF_TIER, known)
        assert tuple(counting.standing(ATLAS)) == expected
        assert tuple(counting.standing(BOREAS)) == (False, set(), False)
        assert tuple(counting.standing(ROOT)) == (False, set(), True)
        assert tuple(Counting(COOPERATIVE, known).standing(ATLAS)) == (
            True,
            set(),
            True,
        )
