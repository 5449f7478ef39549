"""The trust of a seat that decides nothing, as far as its records leave it open.

Names stand for the key they were met with first, an agent's own name for its own
key, every seat that was met is followed. What a record leaves open is the order in
which two seats of one pull were met, the mode, and since when an admin is pinned:
there the choice counts whose digest the record has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product
from typing import NamedTuple

from koinii.history.roots import trust_digest
from koinii.note import PublicKey
from koinii.seat.modes import ADMIN_KEY, MODE, admin_of, mode_of
from koinii.seat.seat import Seat
from koinii.store import meta
from koinii.trust.counting import Counting, Decisions, Pin
from koinii.trust.names import ADMIN
from koinii.trust.presence import Presence
from koinii.trust.standing import MODES
from koinii.trust.statements import statement_hash

MOST_TRIED = 4096  # choices

Known = Mapping[tuple[str, str], Presence]


class Trust(NamedTuple):
    """What a digest is of, besides what agents have signed."""

    mode: str
    admin: bytes | None  # raw key
    pins: Mapping[str, Pin]

    def decisions(self, unfollowed: Iterable[str] = ()) -> Decisions:
        """Return it as what authors are weighed by."""
        admin = None if self.admin is None else PublicKey(self.admin).key_hash
        return Decisions(self.mode, admin, self.pins, frozenset(unfollowed))


def digest_of(trust: Trust, known: Known, follows: Iterable[str]) -> bytes:
    """Return the digest that a seat with this trust records."""
    return _digest(trust.decisions(), known, follows)


def trust_of(scratch: Seat) -> Trust:
    """Return the trust that a scratch seat weighs by."""
    connection = scratch.database.connection
    pins = {
        name: Pin(bytes.fromhex(one.key_hash), one.decided)
        for name, one in scratch.histories.pins().items()
    }
    return Trust(mode_of(connection), admin_of(connection), pins)


def keep_trust(scratch: Seat, trust: Trust) -> None:
    """Let a scratch seat weigh by this trust from its next review on."""
    connection = scratch.database.connection
    meta.put(connection, MODE, trust.mode)
    meta.put(connection, ADMIN_KEY, trust.admin)
    for name, pin in trust.pins.items():
        scratch.histories.pin(name, pin.key_hash.hex(), decided=pin.decided)


class Undecided:
    """Finds the trust of one seat's records, one after the other."""

    def __init__(self, subject: str, admins: Iterable[PublicKey]) -> None:
        """`admins` are those that a remote shows."""
        self._subject = subject
        self._shown = [one.raw for one in admins]

    def find(
        self, before: Trust, known: Known, follows: Iterable[str], wanted: bytes
    ) -> Trust:
        """Return the trust whose digest is wanted, else that of the first choice.

        `before` is the trust of the record before; names that it does not have are
        new in this one.
        """
        follows = list(follows)
        first: Trust | None = None
        for trust in islice(self._choices(before, known), MOST_TRIED):
            if digest_of(trust, known, follows) == wanted:
                return trust
            first = first or trust
        assert first is not None  # noqa: S101 - there is always one
        return first

    def _choices(self, before: Trust, known: Known) -> Iterator[Trust]:
        """Yield what the trust may be, the likeliest first."""
        options = self._keys(before, known)
        admins = dict.fromkeys([before.admin, None, *self._shown, *_own_admins(known)])
        modes = dict.fromkeys([before.mode, *MODES])
        kept = {n: pin for n, pin in before.pins.items() if n not in options}
        for keys in product(*options.values()):
            pins = kept | dict(zip(options, keys, strict=True))
            for mode, admin in product(modes, admins):
                yield Trust(mode, admin, pins)

    def _keys(self, before: Trust, known: Known) -> dict[str, list[Pin]]:
        """Return for which keys names may stand, where that is not as it was."""
        mine: dict[str, list[Pin]] = {}
        met: dict[str, dict[bytes, Pin]] = {}
        for (name, place), one in known.items():
            if name == ADMIN:
                continue
            if place == self._subject:
                keys = reversed(one.keys)
                mine[name] = [Pin(key.key_hash, decided=True) for _, key in keys]
            elif name not in before.pins:
                first = one.introduction.key.key_hash
                met.setdefault(name, {})[first] = Pin(first, decided=False)
        return {name: [*pins.values()] for name, pins in met.items()} | mine


def _own_admins(known: Known) -> Iterator[bytes]:
    for (name, _), one in known.items():
        if name == ADMIN:
            yield one.introduction.key.raw


def decision_of(
    trust: Trust, known: Known, follows: Iterable[str], wanted: bytes
) -> str:
    """Return the one decision of an operator that explains a digest, '' for none."""
    follows = list(follows)
    for one in follows:
        rest = [other for other in follows if other != one]
        decisions = trust.decisions([one])
        if _digest(decisions, known, rest) == wanted:
            return f"seat {one} was not followed"
    for (name, _), presence in known.items():
        for _, key in presence.keys:
            pins = {**trust.pins, name: Pin(key.key_hash, decided=True)}
            if digest_of(trust._replace(pins=pins), known, follows) == wanted:
                return f"{name} was made to stand for the key {key.fingerprint}"
    return ""


def _digest(decisions: Decisions, known: Known, follows: Iterable[str]) -> bytes:
    counting = Counting(decisions, known.values())
    return trust_digest(
        decisions.mode,
        pins=counting.roots().items(),
        grants=map(statement_hash, counting.grants.values()),
        follows=follows,
    )
