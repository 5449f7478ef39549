"""How a ruling is spelled, and what is none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordination.quarrel import ATLAS, CID, DAN, NOT_P, ROOM, P, clash, verdict
from koinii import RemoteSeat
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.dispute_id import DisputeId
from koinii.coordination.rulings import disputes_of, with_disputes
from koinii.errors import RefusedError
from koinii.kb.claim import check_extras
from koinii.seat.speaking import Spoken
from koinii.terms import read
from pages import FORMATS, blocks

SHOWN = blocks("claims")
DIGEST = st.binary(min_size=32, max_size=32)
PAIR = st.tuples(DIGEST, DIGEST).filter(lambda pair: pair[0] != pair[1])
IDS = st.sets(PAIR.map(lambda pair: DisputeId(*sorted(pair))), min_size=1, max_size=9)


@given(IDS)
def test_what_is_written_is_read(ids: set[DisputeId]) -> None:
    text = with_disputes(None, ids)
    check_extras(read(text))
    assert disputes_of(text) == ids
    assert text.count("adjudication") == 1


@given(IDS, IDS)
def test_other_extras_stay(ids: set[DisputeId], more: set[DisputeId]) -> None:
    text = with_disputes('((a 1) (reason "as measured"))', ids)
    both = with_disputes(text, ids | more)
    check_extras(read(both))
    assert disputes_of(both) == ids | more
    assert "(a 1)" in both
    assert '(reason "as measured")' in both


@pytest.mark.parametrize("extras", SHOWN["rulings"].splitlines())
def test_the_rulings_of_the_page(extras: str) -> None:
    check_extras(read(extras))
    found = disputes_of(extras)
    assert {text for one in found for text in one.locators} == set(
        re.findall("sha256:[0-9a-f]{64}", extras)
    )
    assert with_disputes(extras, found) == extras


@pytest.mark.parametrize("extras", SHOWN["no-rulings"].splitlines())
def test_the_claims_of_the_page(extras: str) -> None:
    check_extras(read(extras))
    assert not disputes_of(extras)


def test_a_line_names_as_many_as_the_page_says() -> None:
    ids = [DisputeId(bytes(32), bytes([one]) * 32) for one in range(1, 40)]
    most = next(
        number - 1 for number in range(1, 40) if not fits(ids[:number])
    )  # fmt: skip
    page = (FORMATS / "claims.md").read_text(encoding="utf-8")
    assert f"{most} where there are no others" in page


def fits(ids: list[DisputeId]) -> bool:
    try:
        with_disputes(None, ids)
    except RefusedError as error:
        assert error.code == "koinii/ruling-full"
        return False
    return True


def lines(seat: RemoteSeat) -> list[Spoken]:
    """What of the dispute looks like a ruling by Cid and is none."""
    tag = with_disputes(None, [clash(seat).id])
    return [
        Spoken(P, None, "default", tag),
        Spoken(P, None, "monotonic", "((adjudication ()))"),
        Spoken(P, None, "monotonic", tag.replace("sha256", "sha512")),
        Spoken(P, None, "monotonic", '((reason "as measured"))'),
    ]


@pytest.mark.parametrize("which", range(4))
def test_what_only_looks_like_a_ruling_takes_a_side(
    seat: RemoteSeat, which: int
) -> None:
    line = lines(seat)[which]._replace(sentence=read(P))
    (said,) = seat.speaker(CID).put([line], []).added
    adjudication = Adjudication(seat)
    made = clash(seat)
    assert adjudication.who_ruled(said) is None
    assert not adjudication.standing_rulings(CID, made.id)
    with pytest.raises(RefusedError) as no:
        adjudication.rule(CID, made.id, NOT_P, ROOM)
    assert no.value.code == "arbiter-is-party"


def test_a_ruling_stands_in_its_arbiters_own_context(seat: RemoteSeat) -> None:
    """In a channel that nobody owns there is no telling whose it is."""
    made = clash(seat)
    line = Spoken(read(P), ROOM, "monotonic", with_disputes(None, [made.id]))
    (said,) = seat.speaker(CID).put([line], []).added
    assert Adjudication(seat).who_ruled(said) is None


def test_what_is_said_again_stays_a_ruling(seat: RemoteSeat) -> None:
    made, adjudication = clash(seat), Adjudication(seat)
    ruling = adjudication.rule(CID, made.id, P, ROOM)
    before = adjudication.who_ruled(ruling)
    seat.assert_(P, agent=CID)
    assert adjudication.who_ruled(ruling) == before
    adjudication.rule(CID, made.id, NOT_P, ROOM)
    assert verdict(seat) == "false"


def test_a_ruling_that_is_full_is_refused_whole(seat: RemoteSeat) -> None:
    made = clash(seat)
    full = [DisputeId(bytes(32), bytes([one]) * 32) for one in range(1, 28)]
    line = Spoken(read(P), None, "monotonic", with_disputes(None, full))
    seat.speaker(CID).put([line], [])
    with pytest.raises(RefusedError) as no:
        Adjudication(seat).rule(CID, made.id, P, ROOM)
    assert no.value.code == "koinii/ruling-full"
    Adjudication(seat).rule(DAN, made.id, P, ROOM)


@pytest.mark.parametrize("extras", ["(a 1)", "((b 1) (a 1))", "()", "x"])
def test_extras_have_their_one_shape(seat: RemoteSeat, extras: str) -> None:
    with pytest.raises(RefusedError) as no:
        seat.speaker(ATLAS).put([Spoken(read(P), extras=extras)], [])
    assert no.value.code == "koinii/bad-line"
