"""The refusal catalogue (spec B.9): each code that this version has is raised once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from coordination.quarrel import ATLAS, BOREAS, CID, NOT_P, ROOM, P, clash
from faces.codes import codes
from koinii.coordination.channel import join
from koinii.coordination.counts import resolve_by_majority
from koinii.coordination.identity import (
    Request,
    admin_principal,
    authenticate,
    check_write_boundary,
)
from koinii.coordination.local import Local
from koinii.coordination.seat import CoordinationSeat
from koinii.errors import KoiniiError
from koinii.kb import vocabulary
from koinii.kb.network import drawing
from koinii.terms import canonical, read

NOWHERE = "sha256:" + "0" * 64
PAIRS = "(implies (and (p ?x) (q ?y)) (pair ?x ?y))"

Raise = Callable[[CoordinationSeat, pytest.MonkeyPatch], object]


def proof_tier(seat: CoordinationSeat) -> None:
    """Let the admin grant two agents what members may."""
    seat.admin_init()
    for name in (ATLAS, BOREAS):
        seat.grant(name)
    settings = Path(seat.layout.config)
    settings.write_text(settings.read_text().replace('"cooperative"', '"proof-tier"'))
    seat.forget_config()


def no_standing(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    proof_tier(seat)
    seat.assert_(P, context=ROOM)


def missing_seed(_: CoordinationSeat, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(vocabulary, "_DIRECTORY", "/nowhere")
    vocabulary.digests()


def too_many(seat: CoordinationSeat, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(drawing, "MAX_FIRINGS", 3)
    seat.edit(add=["(p A)", "(p B)", "(q A)", "(q B)", PAIRS])


def ruled_by_a_party(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    made = clash(seat)
    seat.adjudication.rule(ATLAS, made.id, P, ROOM)


def not_a_side(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    made = clash(seat)
    seat.adjudication.rule(CID, made.id, "(something Else)", ROOM)


def counted_again(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    made = clash(seat)
    seat.channel(ROOM).vote("for", made.said)
    ruled = resolve_by_majority(seat, made.id, made.said, ROOM).ruling
    assert ruled is not None
    resolve_by_majority(seat, (ruled, made.denied), ruled, ROOM)


def functional(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    seat.assert_("(functional cores)", context=ROOM)
    for number in (8, 16):
        seat.assert_(f"(cores ProdCluster {number})", context=ROOM)


def arg_type(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    said = ["(arg owns 1 agent)", "(genl dog animal)", "(dog Rex)"]
    seat.edit(add=said, context=ROOM)
    seat.assert_("(owns Rex Bone)", context=ROOM)


def disjoint(seat: CoordinationSeat, _: pytest.MonkeyPatch) -> None:
    said = ["(disjoint machine person)", "(person Ann)", "(machine Ann)"]
    for one in said:
        seat.assert_(one, context=ROOM)


RAISED: dict[str, Raise] = {
    "koinii/missing-seed": missing_seed,
    "koinii/unknown-policy": lambda *_: authenticate(Request(ATLAS), policy="trust"),
    "koinii/identity-unverified": lambda *_: authenticate(
        Request(ATLAS), policy="proof-tier"
    ),
    "koinii/registry-forbidden": lambda *_: check_write_boundary(
        authenticate(Request(ATLAS)), "CxRegistry"
    ),
    "koinii/admin-off-registry": lambda *_: check_write_boundary(
        admin_principal(), "CxAtlas"
    ),
    "koinii/foreign-context": lambda seat, _: seat.assert_(P, context="CxBoreas"),
    "koinii/creator-mismatch": lambda seat, _: seat.channel(ROOM).assert_(
        P, creator=BOREAS
    ),
    "koinii/reply-inadmissible": lambda seat, _: seat.channel(ROOM).reply_many(["?x"]),
    "koinii/no-wire-feed": lambda seat, _: Local(seat).feed_open(),
    "koinii/not-own-statement": lambda seat, _: seat.stances.disregard(
        seat.assert_(P), agent=BOREAS
    ),
    "koinii/uncanonical-value": lambda seat, _: seat.assert_(("p", {})),  # type: ignore[arg-type]
    "koinii/no-such-handle": lambda seat, _: seat.channel(ROOM).endorse(NOWHERE),
    "koinii/unknown-locator": lambda seat, _: seat.marker(NOWHERE),
    "arbiter-is-party": ruled_by_a_party,
    "koinii/not-own-assertion": lambda seat, _: seat.retract(
        seat.assert_(P), agent=BOREAS
    ),
    "koinii/no-standing": no_standing,
    "koinii/no-such-stance": lambda seat, _: seat.channel(ROOM).vote("yes", NOWHERE),
    "koinii/not-a-side": not_a_side,
    "koinii/reserved-name": lambda seat, _: join(Local(seat), ROOM, "AgentMajority"),
    "koinii/not-counted": counted_again,
    "koinii/no-channel": lambda seat, _: seat.channel("CxNowhere"),
    "too-symmetric": lambda *_: canonical(
        read(f"(implies (and {' '.join(f'(f ?v{n})' for n in range(7))}) (g ?v0))")
    ),
    "koinii/too-many-firings": too_many,
    "shape": lambda seat, _: seat.assert_("(channel CxX)", strength="default"),
    "naming": lambda seat, _: seat.assert_(P, context="lower"),
    "not-ground": lambda seat, _: seat.assert_("(p ?x)"),
    "not-well-formed": lambda seat, _: [*seat.ask("(not)")],
    "not-range-restricted": lambda seat, _: seat.assert_("(implies (p ?x) (q ?y))"),
    "not-indexable": lambda seat, _: seat.assert_("(implies (?p ?x) (q ?x))"),
    "functional": functional,
    "arg-type": arg_type,
    "disjoint": disjoint,
    "not-watchable": lambda seat, _: seat.watch(print, goal="(and (p ?x) (q ?x))"),
    "bad-cursor": lambda seat, _: seat.events(999_999),
}

# What the catalogue has and this version has not.
INSTEAD = {
    "count-limit": "koinii/too-many-firings: the limit of one operation",
    "unknown-option": "arguments are checked by their names: koinii/usage",
    "bad-handle": "koinii/usage: what is no locator is no handle",
    "unknown-handle": "koinii/unknown-locator: a handle is the locator",
}
OF_THE_DAEMON = (
    "koinii/feed-error", "koinii/no-cursor", "unknown-subscription",
    "too-many-subscriptions", "too-many-waiters", "unauthorized", "unknown-op",
    "bad-args", "body-too-large", "not-found", "internal-error",
)  # fmt: skip


@pytest.mark.parametrize("code", RAISED)
def test_each_refusal_is_raised_with_its_code(
    seat: CoordinationSeat, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KoiniiError) as no:
        RAISED[code](seat, monkeypatch)
    assert no.value.code == code
    assert no.value.message


def test_what_is_not_raised_is_nowhere_in_the_source() -> None:
    found = codes()
    assert not found.keys() & {*INSTEAD, *OF_THE_DAEMON}
    for instead in INSTEAD.values():
        name = next(word for word in instead.split() if word.startswith("koinii/"))
        assert name.rstrip(":") in found, instead


def test_a_refusal_leaves_nothing_behind(seat: CoordinationSeat) -> None:
    seat.assert_(NOT_P)
    before = seat.status(), [*seat.believed()]
    for code in ("koinii/creator-mismatch", "koinii/reply-inadmissible", "not-ground"):
        with pytest.raises(KoiniiError):
            RAISED[code](seat, pytest.MonkeyPatch())
    assert (seat.status(), [*seat.believed()]) == before
