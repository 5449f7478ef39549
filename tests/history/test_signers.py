"""From an agent's first key to the one that signed: every link is checked."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.sample_proofs import (
    INTRODUCTION,
    RECORD,
    SEAT_KEY,
    text_of,
)
from history.sample_proofs import (
    attributed as plain,
)
from history.sample_rotations import (
    AGENT,
    FIRST,
    SECOND,
    THIRD,
    TO_SECOND,
    TO_THIRD,
    attributed,
    authored_by,
    premised,
    rotation,
    signed,
)
from history.sample_why import AUTHORED as SHORTER
from history.stand_alone import ALONE, verify
from history.tampering import changed, reason
from koinii.history.signers import MAX_ROTATIONS
from koinii.history.stateproof import not_shown
from koinii.note import PrivateKey
from koinii.note.decisions import ADMIN, Retirement

GOOD = attributed()
WHY = premised()


def told(document: dict[str, Any], **expected: Any) -> tuple[list[str], list[str]]:
    """Return what both verifiers say, in the same words."""
    found = verify(document, **expected)
    assert found, found.reason
    _, checked, assumes = ALONE.verify(text_of(document).encode(), **expected)
    assert (checked, assumes) == (found.checked, found.assumes)
    return checked, assumes


def rotated(*notes: str, by: PrivateKey = THIRD) -> dict[str, Any]:
    return attributed(rotations=notes, authored=signed(authored_by(by), by))


# What is told -------------------------------------------------------------------


def test_each_link_is_told_from_the_first_key_on() -> None:
    first, second, third = (key.public.fingerprint for key in (FIRST, SECOND, THIRD))
    checked, assumes = told(GOOD)

    assert checked[2:-2] == [
        f"AgentAtlas introduced itself with the key {first}",
        f"the key before it signed that AgentAtlas signs with {second} "
        "from commit 2 on",
        f"the key before it signed that AgentAtlas signs with {third} from commit 3 on",
    ]
    assert checked[-2] == "the set of commit 4 is signed by AgentAtlas"
    assert assumes == [
        f"the keys of AgentAtlas from {first} on were not revoked: "
        "revocations are not shown",
        f"nothing outside the proof was compared: the first key {first} is the one "
        "you mean",
    ]


def test_without_rotations_nothing_is_new() -> None:
    checked, assumes = told(plain())

    assert "rotations" not in plain()
    assert len(checked) == 4
    assert len(assumes) == 1
    for kind in ("attribution", "why"):
        assert any("revoked" in line for line in not_shown(kind))


def test_a_proof_of_why_tells_it_too() -> None:
    checked, assumes = told(WHY)

    at = checked.index(f"lines in the set of commit 3 that {AGENT} signed: 1")
    assert checked[at - 3 : at] == told(GOOD)[0][2:5]
    assert "revocations are not shown" in assumes[0]


def test_any_key_on_the_way_is_one_to_compare() -> None:
    for key in (FIRST, SECOND, THIRD):
        _, assumes = told(GOOD, keys=[key.public.openssh()])
        assert len(assumes) == 1
    assert "key" in reason(GOOD, keys=[SEAT_KEY.public.openssh()])
    assert "key" in reason(plain(), keys=[SECOND.public.openssh()])
    assert "root" in reason(GOOD, root=RECORD.commit_id)


# Every link ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "notes",
    [
        (),
        (TO_SECOND,),
        (TO_THIRD,),
        (TO_THIRD, TO_SECOND),
        (TO_SECOND, TO_SECOND, TO_THIRD),
        (TO_SECOND, TO_THIRD, TO_THIRD),
    ],
)
def test_every_rotation_is_there_once_and_in_order(notes: tuple[str, ...]) -> None:
    assert reason(rotated(*notes))


@pytest.mark.parametrize("key", [FIRST, SECOND])
def test_a_key_that_was_replaced_signs_no_more(key: PrivateKey) -> None:
    assert "another key" in reason(rotated(TO_SECOND, TO_THIRD, by=key))


def test_a_key_signs_from_its_commit_on_and_not_before() -> None:
    number = authored_by(SECOND).number
    for start in (1, number - 1, number):
        note = signed(rotation(FIRST, SECOND, start), FIRST)
        assert verify(rotated(note, by=SECOND))
    late = signed(rotation(FIRST, SECOND, number + 1), FIRST)
    assert "later commit" in reason(rotated(late, by=SECOND))
    assert reason(rotated(late, by=FIRST))


def test_commits_do_not_go_back() -> None:
    same = signed(rotation(SECOND, THIRD, 2), SECOND)
    earlier = signed(rotation(SECOND, THIRD, 1), SECOND)

    assert verify(rotated(TO_SECOND, same))
    assert "earlier commit" in reason(rotated(TO_SECOND, earlier))


def test_the_key_before_it_has_to_sign() -> None:
    one = rotation(FIRST, SECOND, 2)

    assert verify(rotated(signed(one, FIRST), by=SECOND))
    assert verify(rotated(signed(one, SECOND, FIRST), by=SECOND))
    assert verify(rotated(signed(one, FIRST, THIRD), by=SECOND))
    assert "not signed by the key before" in reason(
        rotated(signed(one, SECOND), by=SECOND)
    )
    for keys in ([THIRD], [THIRD, SECOND]):
        assert reason(rotated(signed(one, *keys), by=SECOND))
    assert reason(rotated(signed(one, FIRST, name="AgentBoreas"), by=SECOND))


def test_a_line_of_the_new_key_that_is_not_good_refuses_it() -> None:
    text, lines = TO_SECOND.split("\n\n")
    first, second = lines.splitlines()
    name = second.split(" ")
    other = signed(rotation(FIRST, SECOND, 1), FIRST, SECOND).splitlines()[-1]
    assert other.split(" ")[:2] == name[:2]

    assert verify(rotated(f"{text}\n\n{first}\n", by=SECOND))
    assert "does not fit" in reason(rotated(f"{text}\n\n{first}\n{other}\n", by=SECOND))


def test_it_is_of_one_agent_at_one_seat() -> None:
    for one in (
        rotation(FIRST, SECOND, 2, agent="AgentBoreas"),
        rotation(FIRST, SECOND, 2, seat="0" * 32),
    ):
        for name in (AGENT, "AgentBoreas"):
            note = signed(one, FIRST, SECOND, name=name)
            assert "another agent or seat" in reason(rotated(note, by=SECOND))


def test_it_follows_on_the_key_before_it_to_a_new_one() -> None:
    for one in (
        rotation(THIRD, SECOND, 2),
        rotation(FIRST, FIRST, 2),
    ):
        assert "lead on" in reason(rotated(signed(one, FIRST, THIRD), by=SECOND))
    back = signed(rotation(SECOND, FIRST, 3), SECOND, FIRST)
    assert "lead on" in reason(rotated(TO_SECOND, back, by=FIRST))


def test_the_admin_has_one_key() -> None:
    introduction = replace(INTRODUCTION, agent=ADMIN)
    one = rotation(FIRST, SECOND, 2, agent=ADMIN)
    document = attributed(
        introduction=signed(introduction, FIRST, name=ADMIN),
        rotations=(signed(one, FIRST, SECOND, name=ADMIN),),
        authored=signed(replace(authored_by(SECOND), agent=ADMIN), SECOND, name=ADMIN),
    )

    assert "admin" in reason(document)


@pytest.mark.parametrize(
    "other",
    [
        signed(INTRODUCTION, FIRST),
        signed(authored_by(FIRST), FIRST),
        signed(Retirement(AGENT, FIRST.public.key_hash, INTRODUCTION.seat, 2), FIRST),
        "",
        TO_SECOND[:-1],
        TO_SECOND.replace("\n2\n", "\n02\n"),
        TO_SECOND.replace("\n2\n", "\n0\n"),
        TO_SECOND.replace("\n2\n", "\n2\n2\n"),
        TO_SECOND.split("\n\n")[0] + "\n",
    ],
)
def test_another_statement_is_none(other: str) -> None:
    assert reason(rotated(other, TO_THIRD))
    assert reason(rotated(other, by=SECOND))


@pytest.mark.parametrize(
    "value", [[], None, TO_SECOND, {}, [None], [1, 2], [[TO_SECOND, TO_THIRD]]]
)
def test_rotations_are_a_list_of_texts_or_left_out(value: object) -> None:
    assert reason(changed(GOOD, "rotations", value))
    assert reason(changed(WHY, "authors.0.rotations", value))
    assert reason({**plain(), "rotations": value})


def test_as_many_as_are_read() -> None:
    keys = [FIRST, *(PrivateKey.from_seed(bytes([n]) * 32) for n in range(65))]
    moves = pairwise(keys)
    notes = [signed(rotation(old, new, 2), old) for old, new in moves]

    assert verify(rotated(*notes[:MAX_ROTATIONS], by=keys[MAX_ROTATIONS]))
    assert "more than 64" in reason(rotated(*notes, by=keys[65]))


def test_a_proof_of_why_refuses_what_an_attribution_does() -> None:
    by_second = signed(authored_by(SECOND, SHORTER), SECOND)

    assert reason(changed(WHY, "authors.0.rotations", [TO_THIRD, TO_SECOND]))
    assert reason(changed(WHY, "authors.0.rotations", [TO_SECOND]))
    assert reason(changed(WHY, "authors.0.authored", by_second))
    assert reason(changed(WHY, "authors.0.introduction", TO_SECOND))
    bare = {
        name: text for name, text in WHY["authors"][0].items() if name != "rotations"
    }
    assert reason(changed(WHY, "authors.0", bare))
    assert reason({**WHY, "rotations": [TO_SECOND, TO_THIRD]})


# Whatever else ------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([0, 1]), st.data())
def test_a_changed_bit_of_a_rotation_is_refused(at: int, data: st.DataObject) -> None:
    """Of one with one signature; what more stands there may be of anybody."""
    alone = signed(rotation(FIRST, SECOND, 2), FIRST)
    text = bytearray((alone, TO_THIRD)[at].encode())
    bit = data.draw(st.integers(0, 8 * len(text) - 1))
    text[bit // 8] ^= 1 << bit % 8
    note = text.decode(errors="replace")

    assert reason(changed(GOOD, f"rotations.{at}", note))
    assert reason(changed(WHY, f"authors.0.rotations.{at}", note))


pieces = st.sampled_from([*TO_SECOND.splitlines(keepends=True), "\n", "— ", "x", "0"])


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces, max_size=12).map("".join))
def test_both_read_the_same_rotations(text: str) -> None:
    """Whatever is made of the lines of a good one gets one verdict."""
    verify(rotated(text, by=SECOND))
