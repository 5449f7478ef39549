"""Keys, statements and presences for the tests of trust."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from hypothesis import strategies as st

from koinii.note import PrivateKey, PublicKey
from koinii.trust.counting import Decisions, Pin
from koinii.trust.presence import Presence, Signed
from koinii.trust.statements import (
    Grant,
    Introduction,
    OtherStatement,
    Retirement,
    Revocation,
    Rotation,
    Statement,
    statement_hash,
)

ROOT = "AdminRoot"
NAMES = ("AgentAtlas", "AgentBoreas", ROOT)
SEATS = tuple(digit * 32 for digit in "123")
KEYS = [PrivateKey.from_seed(bytes([number]) * 32) for number in range(1, 6)]
PUBLIC = [key.public for key in KEYS]
HASHES = [sha256(key.raw).digest() for key in PUBLIC]
STANDINGS = (
    ("member",),
    ("arbiter *", "member"),
    ("moderator *",),
    ("member", "moderator CxDeploy"),
    ("arbiter *", "moderator *", "moderator CxOps"),
)

numbers = st.integers(0, 5)


@st.composite
def presences(draw: st.DrawFn) -> list[Presence]:
    """Return what some agents have signed at some seats, each file a good one."""
    who = draw(
        st.lists(
            st.tuples(st.sampled_from(NAMES), st.sampled_from(SEATS)),
            unique=True,
            max_size=6,
        )
    )
    hashes: list[bytes] = []  # of all grants so far
    return [draw(_presence(agent, seat, hashes)) for agent, seat in who]


@st.composite
def _presence(draw: st.DrawFn, agent: str, seat: str, hashes: list[bytes]) -> Presence:
    key = draw(st.sampled_from(PUBLIC))
    keys = [(0, key)]
    first = Introduction(agent, key, seat, (), 0)
    signed = [Signed(first, (key.key_hash,))]
    for _ in range(draw(st.integers(0, 4))):
        one = draw(_statement(agent, seat, keys, hashes))
        old = keys[-1][1].key_hash
        mine = [key.key_hash for _, key in keys]
        if isinstance(one, Rotation):
            keys.append((one.number, one.key))
            both = draw(st.booleans())
            signers = (old, one.key.key_hash) if both else (old,)
        else:
            signers = (draw(st.sampled_from(mine)),)
        signed.append(Signed(one, signers))
    return Presence(agent, seat, tuple(keys), tuple(signed))


@st.composite
def _statement(
    draw: st.DrawFn,
    agent: str,
    seat: str,
    keys: Sequence[tuple[int, PublicKey]],
    hashes: list[bytes],
) -> Statement:
    fresh = [key for key in PUBLIC if key not in [one for _, one in keys]]
    kinds = ["revoke", "retire", "other"]
    if agent == ROOT:
        kinds += ["grant"] * 5
    elif fresh:
        kinds += ["rotate"] * 3
    kind = draw(st.sampled_from(kinds))
    number = draw(numbers)
    if kind == "rotate":
        old = keys[-1][1]
        start = max(keys[-1][0], number, 1)
        return Rotation(agent, old.key_hash, draw(st.sampled_from(fresh)), seat, start)
    if kind == "revoke":
        about = draw(st.sampled_from(NAMES)) if agent == ROOT else agent
        place = draw(st.sampled_from(["*", *SEATS]))
        digest = draw(st.sampled_from(HASHES))
        return Revocation(about, digest, place, number, "lost")
    if kind == "retire":
        return Retirement(
            agent, draw(st.sampled_from(HASHES)), draw(st.sampled_from(SEATS)), number
        )
    if kind == "grant":
        before = draw(st.sampled_from([None, b"?" * 32, *hashes[-3:]]))
        one = Grant(
            draw(st.sampled_from(NAMES[:2])),
            draw(st.sampled_from(PUBLIC)),
            draw(st.sampled_from(STANDINGS)),
            before,
            draw(st.integers(0, 2)),
        )
        hashes.append(statement_hash(one))
        return one
    return OtherStatement("koinii.later/v1", "koinii.later/v1\nx\n")


@st.composite
def decisions(draw: st.DrawFn) -> Decisions:
    """Return what an operator may have decided."""
    pinned = draw(
        st.dictionaries(
            st.sampled_from(NAMES[:2]),
            st.builds(Pin, st.sampled_from(HASHES), st.booleans()),
        )
    )
    return Decisions(
        mode=draw(st.sampled_from(["cooperative", "proof-tier"])),
        admin=draw(st.sampled_from([None, *HASHES[:2]])),
        pins=pinned,
        unfollowed=frozenset(draw(st.sets(st.sampled_from(SEATS), max_size=1))),
    )
