"""What an agent of this seat signs about its keys: replaced, revoked, retired.

Each statement joins the agent's file in the store, takes effect here at once and
travels with the next commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import (
    NotFoundError,
    RefusedError,
    UsageError,
    VerificationError,
)
from koinii.note import PrivateKey, Signer
from koinii.note.fields import EVERYWHERE
from koinii.seat import agent_keys
from koinii.seat.authors import next_number, no_agent, refusal_at_door, way_in
from koinii.seat.held import keys_without_effect
from koinii.seat.peers import resolve_peer
from koinii.seat.reviewing import review
from koinii.store.histories import AgentRow
from koinii.trust.names import ADMIN
from koinii.trust.reasons import CONTESTED, REVOKED, reason_of
from koinii.trust.statements import (
    MAX_FILE,
    Known,
    Retirement,
    Revocation,
    Rotation,
    join_statements,
    sign_statement,
    split_statements,
)

if TYPE_CHECKING:
    from koinii.note import PublicKey
    from koinii.seat.parts import Parts


class Decided(NamedTuple):
    """A statement that was signed here, and how many lines moved with it."""

    kind: str
    agent: str
    key: str  # the fingerprint it is about
    seat: str  # a seat id, or * for every seat
    number: int  # the commit from which it holds
    held: int  # lines that counted and are held now
    back: int  # lines that were held and count now


def rotate(seat: Parts, agent: str, brought: PrivateKey | None) -> Decided:
    """Give an agent a new key here; its sets from the next commit on are signed by it.

    Both keys sign. The old key file goes: what it signed stays good.

    Raises:
        NotFoundError, SurroundingsError: the agent, or its key, is not here.
        UsageError: the new key is one it had before.
    """
    new = brought or PrivateKey.generate()
    with seat.kb.write():
        _check_no_admin(agent)
        old = own_key(seat, agent)
        number = next_number(seat)
        _check_counts(seat, agent)
        known = {key for _, key in seat.weighing().known[agent, seat.id].keys}
        if new.public in known:
            raise UsageError(
                f"{agent} has had that key here before",
                code="koinii/same-key",
                hint=f"koinii agent rotate {agent} makes a new one",
            )
        one = Rotation(agent, old.public.key_hash, new.public, seat.id, number)
        if not seat.is_rehearsing:
            agent_keys.prepare(seat.layout, agent, new)
            seat.database.afterwards(
                f"key of {agent}", lambda: agent_keys.finish(seat, agent)
            )
        seat.histories.pin(agent, new.public.key_hash.hex(), decided=True)
        moved = add(seat, agent, one, [old, new])
    return Decided("rotate", agent, new.public.fingerprint, seat.id, number, *moved)


def revoke(
    seat: Parts,
    agent: str,
    fingerprint: str,
    *,
    place: str = EVERYWHERE,
    number: int = 0,
    reason: str,
    by_admin: bool = False,
) -> Decided:
    """Say that what a key of an agent signed, from a commit on, counts no more.

    By the agent itself, with the key it has here, or by the admin of this seat.
    """
    _check_no_admin(agent)
    signer = ADMIN if by_admin else agent
    with seat.kb.write():
        key = own_key(seat, signer)
        about = find_key(seat, agent, fingerprint)
        if signer == agent and about == key.public:
            raise RefusedError(
                f"{agent} signs with that key here: revoked, it could name no other",
                code="koinii/current-key",
                hint=f"koinii agent rotate {agent} first, then revoke the old key",
                agent=agent,
            )
        where = place if place == EVERYWHERE else resolve_peer(seat, place)
        one = Revocation(agent, about.key_hash, where, number, reason)
        moved = add(seat, signer, one, [key])
    return Decided("revoke", agent, about.fingerprint, where, number, *moved)


def retire(seat: Parts, agent: str, place: str, number: int) -> Decided:
    """Withdraw what an agent said at a seat, from a commit on, with its key here."""
    with seat.kb.write():
        key = own_key(seat, agent)
        where = resolve_peer(seat, place)
        _check_elsewhere(seat, agent, where)
        there = seat.histories.agent(agent, where)
        if there is None:
            raise NotFoundError(
                f"{agent} is not known at seat {where}",
                code="koinii/unknown-agent",
                hint="koinii agent lists who is known where",
                agent=agent,
            )
        counting = seat.weighing().counting
        if key.public.key_hash not in counting.lineage(agent):
            raise RefusedError(
                f"the name {agent} stands for another key here",
                code="koinii/name-contested",
                hint=f"koinii agent trust {agent} FINGERPRINT",
                agent=agent,
            )
        one = Retirement(agent, key.public.key_hash, where, number)
        moved = add(seat, agent, one, [key])
    return Decided("retire", agent, key.public.fingerprint, where, number, *moved)


def _check_elsewhere(seat: Parts, agent: str, place: str) -> None:
    """Refuse to retire an agent where it would do so: it could say nothing after."""
    if place == seat.id:
        raise UsageError(
            f"seat {place} is this one, and {agent} would end here for good",
            code="koinii/own-seat",
            hint="koinii retract takes back single claims; koinii agent retire, at "
            "another seat of the agent, ends it here",
            agent=agent,
        )


def add(
    seat: Parts, signer: str, statement: Known, keys: list[PrivateKey]
) -> tuple[int, int]:
    """Sign a statement into an agent's file here, and weigh everything anew.

    Return how many lines are held since, and how many count again.
    """
    row = seat.histories.agent(signer, seat.id)
    assert row is not None  # noqa: S101 - it has a key here
    note = _signed(statement, [Signer.of(signer, key) for key in keys])
    if len(row.statements.encode()) + len(note) >= MAX_FILE:
        raise RefusedError(
            f"{signer} has signed as many statements here as its file holds, 1 MiB",
            code="koinii/statements-full",
            hint="bring its key to another seat: koinii init DIR --as "
            f"{signer} --key FILE",
            agent=signer,
        )
    notes = split_statements(row.statements.encode())
    text = join_statements([*notes, note]).decode()
    before = keys_without_effect(seat)
    newest = keys[-1].public.raw
    seat.histories.put_agent(AgentRow(signer, seat.id, newest, text))
    review(seat)
    after = keys_without_effect(seat)
    return len(after - before), len(before - after)


def _check_counts(seat: Parts, agent: str) -> None:
    """Refuse to rotate a key that is revoked: what it signs leads nowhere."""
    refusal = refusal_at_door(seat, agent)
    if refusal in (REVOKED, CONTESTED):
        raise RefusedError(
            f"the key of {agent} names no other: {reason_of(refusal).why}",
            code=refusal,
            hint=f"koinii admin grant {agent} --key KEY, by the admin; or others "
            f"decide: koinii agent trust {agent} FINGERPRINT",
            agent=agent,
        )


def _signed(statement: Known, signers: list[Signer]) -> bytes:
    """Sign a statement of words that somebody typed."""
    try:
        return sign_statement(statement, *signers)
    except VerificationError as error:
        raise UsageError(error.message) from error


def find_key(seat: Parts, agent: str, fingerprint: str) -> PublicKey:
    """Return a key that an agent of that name has, or had, anywhere.

    Raises:
        NotFoundError: `koinii/unknown-agent`, `koinii/unknown-fingerprint`.
    """
    keys = keys_of(seat, agent)
    if fingerprint not in keys:
        raise NotFoundError(
            f"no {agent} is known with the key {fingerprint}; "
            f"known is {', '.join(sorted(keys))}",
            code="koinii/unknown-fingerprint",
            hint="koinii agent lists names, seats and keys",
            agent=agent,
            known=sorted(keys),
        )
    return keys[fingerprint]


def keys_of(seat: Parts, agent: str) -> dict[str, PublicKey]:
    """Return every key by which a name has spoken, by fingerprint."""
    counting, known = seat.weighing()
    found = [
        key for who, one in known.items() if who[0] == agent for _, key in one.keys
    ]
    if agent in counting.grants:
        found.append(counting.grants[agent].key)
    if not found:
        raise NotFoundError(
            f"nobody named {agent} is known here",
            code="koinii/unknown-agent",
            hint="koinii agent lists those that are",
            agent=agent,
        )
    return {key.fingerprint: key for key in found}


def _check_no_admin(agent: str) -> None:
    if agent == ADMIN:
        raise UsageError(
            "the admin's key is the admin, and is neither replaced nor taken away",
            hint="another admin takes another remote: koinii admin init, at a new seat",
        )


def own_key(seat: Parts, agent: str) -> PrivateKey:
    """Return the key of an agent of this seat, or of the admin.

    Raises:
        NotFoundError: `koinii/unknown-agent`, `koinii/no-admin`: it is not here.
    """
    if seat.histories.agent(agent, seat.id) is None and agent == ADMIN:
        raise NotFoundError(
            "the admin's key is not at this seat",
            code="koinii/no-admin",
            hint=way_in(seat, ADMIN),
        )
    if seat.histories.agent(agent, seat.id) is None:
        raise no_agent(seat, agent)
    return agent_keys.agent_key(seat, agent)
