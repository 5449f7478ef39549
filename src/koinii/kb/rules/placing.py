"""Where conclusions stand: the most general contexts that see their grounds.

Firings with the same rule, contexts, needs and masked ingredients share one
footing. A footing is placed anew only when something it depends on moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.rows import key_of
from koinii.kb.rules.joining import CLIMB
from koinii.store.network import ON_CONTEXT, ON_FUNCTOR, ON_LATTICE, ON_SENTEX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.kb.contexts.structure import Structure
    from koinii.kb.rules.joining import Draft, Need
    from koinii.store.names import Names
    from koinii.store.network import Network
    from koinii.store.sentexes import Sentexes


class Footing(NamedTuple):
    """What a placement depends on besides the lattice and the masks themselves."""

    rule: int
    contexts: tuple[int, ...]  # of the rule and the facts
    needs: tuple[Need, ...]
    masked: tuple[int, ...]  # those of the rule and the facts that have a mask

    def key(self) -> bytes:
        """Return a text that only an equal footing has."""
        needs = [f"{kind} {low.hex()} {high.hex()}" for kind, low, high in self.needs]
        parts = (
            str(self.rule),
            " ".join(map(str, self.contexts)),
            ",".join(needs),
            " ".join(map(str, self.masked)),
        )
        return "|".join(parts).encode()

    def depends_on(self) -> set[tuple[int, int]]:
        """Return the things (kind, thing) whose move places it anew."""
        on = {(ON_CONTEXT, context) for context in self.contexts}
        on |= {(ON_SENTEX, one) for one in self.masked}
        for _, low, high in self.needs:
            on |= {(ON_FUNCTOR, key_of(low)), (ON_FUNCTOR, key_of(high))}
        if self.needs or self.masked:
            on.add((ON_LATTICE, 0))
        return on


def read_key(key: bytes) -> Footing:
    """Return the footing that has a key."""
    rule, contexts, needs, masked = key.decode().split("|")
    return Footing(
        int(rule),
        tuple(map(int, contexts.split())),
        tuple(map(_need, needs.split(","))) if needs else (),
        tuple(map(int, masked.split())),
    )


def _need(text: str) -> Need:
    kind, low, high = text.split()
    return kind, bytes.fromhex(low), bytes.fromhex(high)


class Placer:
    """Places footings under the lattice as it is now."""

    def __init__(
        self,
        network: Network,
        names: Names,
        structure: Structure,
        sentexes: Sentexes,
    ) -> None:
        self._network = network
        self._names = names
        self._structure = structure
        self._sentexes = sentexes
        self._known: dict[bytes, tuple[int, list[int]]] = {}

    def forget(self) -> None:
        """Read footings again; some were placed anew."""
        self._known.clear()

    def footing_of(self, draft: Draft) -> Footing:
        """Return the footing of a firing that is not stored yet."""
        rule = draft.rule
        contexts = {rule.context, *[fact[1] for fact in draft.facts]}
        return Footing(
            rule.id,
            tuple(sorted(contexts)),
            tuple(sorted(draft.needs)),
            self._masked(
                [(rule.id, rule.digest), *[(one[0], one[3]) for one in draft.facts]]
            ),
        )

    def footing_again(self, footing: Footing, facts: list[int]) -> Footing:
        """Return the footing of a stored firing after masks came or went."""
        digests = self._sentexes.digests([footing.rule, *facts])
        return footing._replace(masked=self._masked(digests.items()))

    def _masked(self, ingredients: Iterable[tuple[int, bytes]]) -> tuple[int, ...]:
        if not self._structure.any_masks:
            return ()
        masks_of = self._structure.masks_of
        return tuple(sorted({one for one, digest in ingredients if masks_of(digest)}))

    def stored(self, footing: Footing) -> tuple[int, list[int]]:
        """Return (id, places) of a footing, stored and placed if it is new."""
        key = footing.key()
        known = self._known.get(key) or self._network.footing(key)
        if known is None:
            places = self.places(footing)
            on = footing.depends_on()
            known = self._network.make_footing(footing.rule, key, places, on), places
        self._known[key] = known
        return known

    # Places ------------------------------------------------------------------------

    def holds(self, footing: Footing) -> bool:
        """Tell whether the needs of a footing are met anywhere."""
        structure = self._structure
        for kind, low, high in footing.needs:
            if kind == CLIMB:
                if high not in structure.supers(low):
                    return False
            elif not {low, high} & structure.symmetric:
                return False
        return True

    def places(self, footing: Footing) -> list[int]:
        """Return the most general contexts that see all of a footing, by id."""
        name_of = self._names.context
        standing = frozenset(map(name_of, footing.contexts))
        candidates = self._candidates(footing, standing)
        seen_from = self._structure.lattice.seen_from
        chosen: dict[frozenset[str], str] = {}
        for one in candidates:
            others = seen_from(one) & candidates
            peers = frozenset(two for two in others if one in seen_from(two))
            if peers == others:
                least = min(peers, key=lambda peer: self._rank(peer, standing))
                chosen[peers] = least
        return sorted(map(self._names.make_context, chosen.values()))

    def _rank(self, context: str, standing: frozenset[str]) -> tuple[bool, bool, str]:
        is_channel = context in self._structure.channels
        return context not in standing, not is_channel, context

    def _candidates(self, footing: Footing, standing: frozenset[str]) -> frozenset[str]:
        structure = self._structure
        candidates = structure.lattice.seers_of_all(standing)
        owners, local = structure.owners, structure.locals
        is_local = bool(standing & local)
        digests = self._sentexes.digests(footing.masked) if footing.masked else {}

        def sees(context: str) -> bool:
            owner = owners.get(context)
            if owner is not None and not owner.belief and context not in standing:
                return False
            if is_local and context not in local:
                return False
            if any(structure.masked(one, context) for one in digests.values()):
                return False
            return all(
                structure.climbs(low, high, context)
                for kind, low, high in footing.needs
                if kind == CLIMB
            )

        return frozenset(filter(sees, candidates))
