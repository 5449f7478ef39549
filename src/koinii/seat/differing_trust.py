"""Why the trust digests of two seats differ, as far as this seat can know.

A record has only the digest. Where the other seat's decisions can be made up from
what is known here (as ours, with the seats that its records name, or in the other
mode) and give that digest, the difference is certain; else all is named that may
be the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from koinii.history.roots import trust_digest
from koinii.seat.contests import contests
from koinii.seat.modes import mode_of
from koinii.seat.records import trust
from koinii.seat.two_records import Told, Two, bound_heads, listed
from koinii.trust.names import ADMIN
from koinii.trust.standing import COOPERATIVE, PROOF_TIER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.note import PublicKey
    from koinii.seat.parts import Parts

NOTHING: Mapping[str, bytes] = {}
_BOTH = {COOPERATIVE: PROOF_TIER, PROOF_TIER: COOPERATIVE}


def explain_trust(two: Two) -> Told:
    """Name the decisions that differ, or those that may."""
    seat = two.seat
    mode = mode_of(seat.database.connection)
    if trust(seat) == two.peer.trust:
        return Told(
            "this seat has come to the same trust decisions since its commit "
            f"{two.own.number}",
            "koinii commit",
        )
    ours = _followed(seat)
    theirs = {two.peer.seat, *bound_heads(seat, two.peer)}
    follows = _follows(two, ours, theirs)
    if _digest(seat, mode, theirs) == two.peer.trust:
        said = f"trust differs: {'; '.join(follows)}"
        return Told(said, _way_on(two, ours, theirs))
    one = next(_one_decision(two, mode, ours, theirs), None)
    if one is not None:
        return one
    for found, seats in ((_BOTH[mode], ours), (_BOTH[mode], theirs)):
        if _digest(seat, found, seats) == two.peer.trust:
            modes = f"their mode is {found}, ours is {mode}"
            told = [modes, *(follows if seats == theirs else [])]
            return Told(f"trust differs: {'; '.join(told)}", "koinii config list")
    return _may_be(two, mode, follows)


def _one_decision(
    two: Two, mode: str, ours: set[str], theirs: set[str]
) -> Iterator[Told]:
    """Yield what their digest comes to by one decision, all else being as here.

    Or all else but the keys that their agents have rotated to, which stand there for
    their own names.
    """
    seat, wanted = two.seat, two.peer.trust
    own = _own_keys(two)
    for met in (ours, theirs):
        for keys in (NOTHING, own):
            for one in sorted(met - {two.peer.seat}):
                if _digest(seat, mode, met - {one}, met, keys) == wanted:
                    told = f"trust differs: they do not follow {two.place(one)}"
                    yield Told(told, f"koinii follow {one}, at that seat")
        for name, key, is_rotated in _other_keys(seat, mode):
            if _digest(seat, mode, met, met, {name: key.key_hash}) == wanted:
                since = " of those it rotated" if is_rotated else ""
                yield Told(
                    f"trust differs: to them {name} stands for the key "
                    f"{key.fingerprint}{since}, to us for another",
                    _deciding(seat, name),
                )
        if _digest(seat, mode, met, met, own) == wanted:
            names = listed(sorted(own))
            told = f"trust differs: {names} have rotated their keys there"
            yield Told(told, "koinii agent")


def _own_keys(two: Two) -> dict[str, bytes]:
    """Return the newest keys of their agents, as far as they were shown here."""
    return {
        name: one.keys[-1][1].key_hash
        for (name, place), one in two.seat.weighing().known.items()
        if place == two.peer.seat and len(one.keys) > 1
    }


def _other_keys(seat: Parts, mode: str) -> Iterator[tuple[str, PublicKey, bool]]:
    """Yield the keys that names have been met with and do not stand for here.

    And whether the key is one of several that one seat's agent has had.
    """
    stands_for, (_, known) = _keys(seat, mode), seat.weighing()
    for (name, _), one in sorted(known.items()):
        for _, key in one.keys:
            if stands_for.get(name) != key.key_hash:
                yield name, key, len(one.keys) > 1


def _followed(seat: Parts) -> set[str]:
    met = [head.seat for head in seat.histories.heads() if head.public_key]
    return {seat.id, *met} - seat.histories.unfollowed()


def _follows(two: Two, ours: set[str], theirs: set[str]) -> list[str]:
    """Say which seats only one of the two follows, by what their records name."""
    told = []
    for who, others in (("they", ours - theirs), ("we", theirs - ours)):
        if others:
            names = listed(two.place(one) for one in sorted(others))
            told.append(f"{who} do not follow {names}")
    return told


def _way_on(two: Two, ours: set[str], theirs: set[str]) -> str:
    unfollowed = sorted((theirs - ours) & two.seat.histories.unfollowed())
    if unfollowed:
        return f"koinii follow {unfollowed[0]}"
    if theirs - ours:
        return "koinii pull"
    if two.seat.id not in theirs:
        return "koinii push, then koinii pull at that seat"
    return "koinii pull, at that seat"


def _digest(
    seat: Parts,
    mode: str,
    follows: set[str],
    met: set[str] | None = None,
    decided: Mapping[str, bytes] = NOTHING,
) -> bytes:
    """Return the digest of our decisions in a mode, as if we followed these seats.

    And as if the names in `decided` stood for those keys, and we had met just the seats
    in `met`, by default those that we follow: a name stays pinned that was met.
    """
    from koinii.note.statements import statement_hash  # noqa: PLC0415 - rarely needed

    counting, known = seat.weighing()
    names = {ADMIN, *(agent for agent, place in known if place in (met or follows))}
    return trust_digest(
        mode,
        pins=[
            one for one in {**_keys(seat, mode), **decided}.items() if one[0] in names
        ],
        grants=map(statement_hash, counting.grants.values()),
        follows=follows,
    )


def _keys(seat: Parts, mode: str) -> dict[str, bytes]:
    """Return the key that each name stands for, or would stand for in that mode."""
    counting, _ = seat.weighing()
    granted = {name: one.key.key_hash for name, one in counting.grants.items()}
    admin = counting.root(ADMIN)
    fixed = {} if admin is None else {ADMIN: admin}
    if mode == PROOF_TIER:
        return granted | fixed
    pins = seat.histories.pins().items()
    met = {name: bytes.fromhex(pin.key_hash) for name, pin in pins if not pin.decided}
    chosen = {name: bytes.fromhex(pin.key_hash) for name, pin in pins if pin.decided}
    return met | granted | chosen | fixed


def _may_be(two: Two, mode: str, follows: list[str]) -> Told:
    """Name whatever of our decisions can be others elsewhere."""
    seat = two.seat
    contested = contests(seat)
    own = {row.name for row in seat.histories.agents() if row.seat == seat.id}
    parts = [
        *follows,
        *_named("contested here", {one.agent for one in contested}),
        *_named("decided here", _decided(seat, own)),
        *_named("granted", seat.weighing().counting.grants),
        f"our mode is {mode}",
    ]
    told = f"trust digests differ, perhaps since {'; '.join(parts)}"
    return Told(told, _deciding(seat))


def _deciding(seat: Parts, name: str = "") -> str:
    """Return what decides for a contested name, the one that is given or any."""
    own = {row.name for row in seat.histories.agents() if row.seat == seat.id}
    for one in contests(seat):
        if not one.decided and one.agent not in own and name in {"", one.agent}:
            return f"koinii agent trust {one.agent} {one.other}"
    return "koinii agent"


def _decided(seat: Parts, own: set[str]) -> Iterator[str]:
    """Yield the names for which the operator chose a key."""
    return (
        name
        for name, pin in seat.histories.pins().items()
        if pin.decided and name not in own
    )


def _named(what: str, names: Iterable[str]) -> list[str]:
    found = sorted(names)
    return [f"{what}: {listed(found)}"] if found else []
