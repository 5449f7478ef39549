"""Conclusions: firings stored, placed, and their sentexes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.errors import RefusedError
from koinii.kb.network.replies import targets_of
from koinii.kb.rows import argument_rows, sentex_row, stored_form
from koinii.store.network import pack
from koinii.store.sentexes import BELIEVED, KNOWN, LOCAL, WAITING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.kb.network.nodes import Nodes
    from koinii.kb.network.parts import Parts
    from koinii.kb.rows import Stored
    from koinii.kb.rules.joining import Draft
    from koinii.store.network import Firing

MAX_FIRINGS = 10_000_000  # new ones in one operation; part of the semantics version
BATCH = 5_000


class Drawer:
    """Stores what rules conclude in one operation."""

    def __init__(self, parts: Parts, nodes: Nodes) -> None:
        self._parts = parts
        self.nodes = nodes
        self._batch: list[Draft] = []
        self._strict: dict[int, bool] = {}
        self._footings: dict[object, tuple[int, list[int]]] = {}
        self._next_firing = 0
        self._drawn = 0
        self.rising: list[int] = []  # stored before, and have one more ground

    def forget_places(self) -> None:
        """Read footings again; some were placed anew."""
        self._footings.clear()
        self._strict.clear()

    def take(self, draft: Draft) -> None:
        """Store a firing, sooner or later; `flush` at the latest."""
        self._batch.append(draft)
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Store the firings taken so far."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        self._count(len(batch))
        number = self._next_firing or self._parts.network.next_firing()
        footings = [self._footing(draft) for draft in batch]
        wanted = [
            (at, place) for at, (_, places) in enumerate(footings) for place in places
        ]
        bodies = [(place, batch[at].body) for at, place in wanted]
        confers = [self._confers(batch[at]) for at, _ in wanted]
        ids = self._conclude(bodies, confers)
        concluded: list[list[int]] = [[] for _ in batch]
        for (at, _), sentex in zip(wanted, ids, strict=True):
            concluded[at].append(sentex)
        self._store(number, batch, footings, concluded)
        self._next_firing = number + len(batch)

    def _count(self, more: int) -> None:
        self._drawn += more
        if self._drawn > MAX_FIRINGS:
            raise RefusedError(
                f"the rules draw more than {MAX_FIRINGS} conclusions at once",
                code="koinii/too-many-firings",
                hint="narrow the rule, or say less at once: nothing of this was kept",
                limit=MAX_FIRINGS,
            )

    def _footing(self, draft: Draft) -> tuple[int, list[int]]:
        placer = self._parts.placer
        if self._parts.structure.any_masks:
            return placer.stored(placer.footing_of(draft))
        short = (draft.rule.id, *[fact[1] for fact in draft.facts], *draft.needs)
        known = self._footings.get(short)
        if known is None:
            known = self._footings[short] = placer.stored(placer.footing_of(draft))
        return known

    def _confers(self, draft: Draft) -> int:
        strict = self._strict.get(draft.rule.id)
        if strict is None:
            row = self._parts.network.rule(draft.rule.id)
            strict = self._strict[draft.rule.id] = row is not None and row[0]
        bits = KNOWN | BELIEVED if strict else BELIEVED
        for fact in draft.facts:
            bits &= self.nodes.label_now(fact[0], fact[2])
        return bits

    def _store(
        self,
        number: int,
        batch: list[Draft],
        footings: list[tuple[int, list[int]]],
        concluded: list[list[int]],
    ) -> None:
        network = self._parts.network
        firings: list[tuple[int, int, bytes, bytes, bytes]] = []
        ingredients: list[tuple[int, int]] = []
        justifications: list[tuple[int, int]] = []
        for at, draft in enumerate(batch):
            facts = [fact[0] for fact in draft.facts]
            own = number + at
            firings.append(
                (own, footings[at][0], pack(facts), pack(concluded[at]), draft.body)
            )
            ingredients.extend((fact, own) for fact in facts)
            justifications.extend((sentex, own) for sentex in concluded[at])
        network.insert_firings(firings)
        network.insert_ingredients(ingredients)
        network.insert_justifications(justifications)

    # Conclusions ---------------------------------------------------------------------

    def place_more(self, firing: Firing, places: Iterable[int], confers: int) -> None:
        """Conclude a stored firing at further places."""
        bodies = [(place, firing.body) for place in places]
        ids = self._conclude(bodies, [confers] * len(bodies))
        network = self._parts.network
        network.insert_justifications([(sentex, firing.id) for sentex in ids])
        network.set_conclusions([(pack([*firing.conclusions, *ids]), firing.id)])

    def _conclude(
        self, bodies: list[tuple[int, bytes]], confers: list[int]
    ) -> list[int]:
        """Return the ids of sentences in contexts, stored where they are new."""
        name_of = self._parts.names.context
        forms = [stored_form(name_of(place), body) for place, body in bodies]
        known = self._parts.sentexes.ids([form.digest for form in forms])
        fresh: dict[bytes, int] = {}
        rows: list[tuple[int, int, Stored, int]] = []
        number = self._parts.sentexes.next_id()
        ids: list[int] = []
        for (place, _), form, bits in zip(bodies, forms, confers, strict=True):
            sentex = known.get(form.digest) or fresh.get(form.digest)
            if sentex is None:
                sentex = fresh[form.digest] = number
                rows.append((sentex, place, form, self._first_label(place, form, bits)))
                number += 1
            else:
                self.rising.append(sentex)
            ids.append(sentex)
        self._insert(rows)
        return ids

    def _first_label(self, place: int, form: Stored, bits: int) -> int:
        structure = self._parts.structure
        local = LOCAL if self._parts.names.context(place) in structure.locals else 0
        follows = not form.negative and form.keys[0] in structure.following_keys
        if follows and targets_of(form.body):
            return WAITING | local
        return bits | local

    def _insert(self, rows: list[tuple[int, int, Stored, int]]) -> None:
        if not rows:
            return
        arguments: list[tuple[int, int, int]] = []
        targets: list[tuple[bytes, int]] = []
        for sentex, _, form, _ in rows:
            if len(form.keys) > 3:  # noqa: PLR2004 - the first three have columns
                arguments.extend(argument_rows(sentex, form.keys))
            targets.extend((digest, sentex) for digest in targets_of(form.body))
        stored = [sentex_row(*row) for row in rows]
        self._parts.sentexes.insert(stored, arguments)
        if targets:
            self._parts.structure.name_targets(targets)
        self.nodes.came(stored)
