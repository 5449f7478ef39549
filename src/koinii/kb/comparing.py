"""What is stored, compared with what follows from the live assertions.

Everything is worked out anew in a copy (`kb.recomputing`); what the seat has is
only read. Firings, places and clashes are named by content, for the ids of what
is derived depend on the order in which it was.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.base import KnowledgeBase
from koinii.kb.network import clashes
from koinii.kb.recomputing import lost, rebuild
from koinii.kb.rules import placing
from koinii.merkle import root as tree_root
from koinii.store import meta
from koinii.store.clashes import HI_FALLS, LO_FALLS, VISIBLE
from koinii.store.derived import Derived
from koinii.store.differences import Told, differing, tell
from koinii.store.network import ON_CONTEXT, ON_SENTEX
from koinii.store.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.kb.recomputing import Progress
    from koinii.store.clashes import Pair
    from koinii.store.database import Connection, Database
    from koinii.store.derived import DerivedFiring
    from koinii.store.differences import Row

MOST = 20  # differences that are named
_BITS = ("believed", "known", "defeated", "shipped", "waiting", "local")


class Difference(NamedTuple):
    """One row that is not as it should be."""

    kind: str  # "label", "first", "leaf", "firing", "clash", …
    locator: str  # of the sentence it is about; '' where none is known
    stored: str
    due: str


class Comparison(NamedTuple):
    """How a store compares with what follows from what is asserted in it."""

    lost: list[str]  # assertions that were altered, with the reasons
    differences: list[Difference]  # the first of them
    total: int  # of all differences
    root: tuple[bytes, int]  # the commit root and its size, as they should be

    @property
    def is_whole(self) -> bool:
        """Whether nothing differs and nothing is lost."""
        return not self.lost and not self.total


def compare(base: KnowledgeBase, database: Database, progress: Progress) -> Comparison:
    """Work everything out anew beside the store; takes twice its room on disk.

    Where an assertion was altered, nothing can be worked out: only those are
    named then.
    """
    progress("copying", 0)
    with scratch(database.connection) as copy:
        again = KnowledgeBase(copy.database)
        with again.write():
            pass  # a newer program's vocabulary comes with its first write
        altered = [f"{one.name}: {one.why}" for one in lost(again, progress)]
        if altered:
            return Comparison(altered, [], 0, base.root())
        was = copy.keep()
        rebuilt = rebuild(again, copy.database, progress, is_checked=True)
        progress("comparing", 0)
        for connection in (was, copy.database.connection):
            tell(connection, _Telling(connection).told())
        rows = differing(copy.database.connection)
        named, count = _bounded([*_kept_root(was)], rows)
        return Comparison([], named, count, rebuilt.after)


def _bounded(
    first: list[Difference], rows: Iterable[Row]
) -> tuple[list[Difference], int]:
    named, count = first, len(first)
    for row in rows:
        count += 1
        if len(named) < MOST:
            named.append(_difference(row))
    return named, count


def _difference(row: Row) -> Difference:
    locator = "" if row.digest is None else f"sha256:{row.digest.hex()}"
    return Difference(
        row.kind, locator, _shown(row.kind, row.stored), _shown(row.kind, row.due)
    )


def _shown(kind: str, value: object) -> str:
    if kind == "label" and isinstance(value, int):
        bits = (name for at, name in enumerate(_BITS) if value >> at & 1)
        return " ".join(bits) or "not believed"
    if isinstance(value, bytes):
        return value.hex()
    return "none" if value is None else str(value)


def _kept_root(connection: Connection) -> Iterator[Difference]:
    """Yield the root that is kept beside the leaves, if it is not theirs."""
    kept = meta.get(connection, "root")
    if not isinstance(kept, str):
        return
    epoch, *stored = kept.split()
    if int(epoch) != meta.epoch(connection):
        return
    base = Derived(connection)
    due = [tree_root(base.leaf_hashes()).hex(), str(base.count_leaves())]
    if stored != due:
        yield Difference("root", "", " of ".join(stored), " of ".join(due))


class _Telling:
    """Names what is derived in one store by content."""

    def __init__(self, connection: Connection) -> None:
        self._rows = Derived(connection)
        self._contexts = self._rows.contexts()
        self._footings: dict[int, tuple[int, str, str]] = {}

    def told(self) -> Iterator[Told]:
        """Yield each footing, firing and clash."""
        for block in self._rows.firings():
            yield from self._firings(block)
        for pairs in self._rows.pairs():
            yield from self._pairs(pairs)
        for kind, key in self._rows.unused():
            yield Told(f"{kind} of nothing", _hash(key.hex()), None, repr(key))

    # Firings -------------------------------------------------------------------------

    def _firings(self, block: list[DerivedFiring]) -> Iterator[Told]:
        ids = {one for firing in block for one in firing.named()}
        footings = {firing.footing: self._footing(firing.footing) for firing in block}
        ids |= {rule for rule, _, _ in footings.values()}
        names = self._rows.digests(ids)
        for firing in block:
            rule, needs, places = footings[firing.footing]
            body = hashlib.sha256(firing.body).hexdigest()[:16]
            facts = _several(names, firing.facts)
            said = (
                f"over {facts}: concludes {_together(names, firing.conclusions)}"
                f", justifies {_together(names, firing.justified)}"
                f", rests on {_together(names, firing.ingredients)}, {places}"
            )
            digest = names.get(rule)
            key = _hash(f"{digest and digest.hex()} {facts} {needs} {body}")
            yield Told("firing", key, digest, said)

    def _footing(self, number: int) -> tuple[int, str, str]:
        """Return the rule of a footing, its needs, and what else it says."""
        known = self._footings.get(number)
        if known is None:
            known = self._footings[number] = self._read_footing(number)
        return known

    def _read_footing(self, number: int) -> tuple[int, str, str]:
        row = self._rows.footing(number)
        if row is None:
            return 0, "", "its footing is gone"
        rule, key, places = row
        try:
            footing = placing.read_key(key)
        except ValueError:
            return rule, "", "its footing cannot be read"
        names = self._rows.digests({footing.rule, *footing.masked})
        said = (
            f"stands in {self._places(places)}, grounds in "
            f"{self._places(list(footing.contexts))}"
            f", masked {_together(names, footing.masked)}"
            f", moves with {self._on('footing', number)}"
            + ("" if footing.rule == rule else ", under another rule")
        )
        return rule, repr(footing.needs), said

    def _places(self, contexts: list[int]) -> str:
        return " ".join(sorted(self._contexts.get(one, str(one)) for one in contexts))

    def _on(self, what: str, number: int) -> str:
        """Return the things whose move a footing or sight is looked at again for."""
        on = self._rows.depends_on(what, number)
        names = self._rows.digests({thing for kind, thing in on if kind == ON_SENTEX})
        told: list[str] = []
        for kind, thing in on:
            if kind == ON_CONTEXT:
                told.append(self._places([thing]))
            elif kind == ON_SENTEX:
                told.append(_several(names, [thing]))
            else:
                told.append(f"{kind}:{thing}")
        return " ".join(sorted(told))

    # Clashes -------------------------------------------------------------------------

    def _pairs(self, pairs: list[Pair]) -> Iterator[Told]:
        names = self._rows.digests({one for pair in pairs for one in pair[:2]})
        for pair in pairs:
            digests = [names.get(one, b"") for one in pair[:2]]
            swap = digests[0] > digests[1]
            key = _hash(f"{pair[2]} {' '.join(sorted(one.hex() for one in digests))}")
            said = self._sight(pair[3], swap=swap)
            yield Told(
                "clash", key, min(digests), f"with {_short(max(digests))} {said}"
            )

    def _sight(self, number: int, *, swap: bool) -> str:
        """Return what a sight says of its pairs, those of least content first."""
        row = self._rows.sight(number)
        if row is None:
            return "of no sight"
        state = row[1]
        try:
            sight = clashes.read_key(row[0])
        except ValueError:
            return "of a sight that cannot be read"
        falls = [bool(state & LO_FALLS), bool(state & HI_FALLS)]
        names = self._rows.digests({one for one in sight.masked if one})
        masked = [names[one].hex() if one in names else "" for one in sight.masked]
        places = [self._places([one]) for one in (sight.lo, sight.hi)]
        words = [one.hex() for one in sight.words]
        sides = list(zip(falls, places, masked, words, strict=True))
        seen = "seen" if state & VISIBLE else "unseen"
        told = [
            f"{'may fall' if one else 'stands'} in {place}, masked {mask}, as {word}"
            for one, place, mask, word in (sides[::-1] if swap else sides)
        ]
        return f"{seen}; {'; '.join(told)}; moves with {self._on('sight', number)}"


def _several(names: dict[int, bytes], ids: Iterable[int]) -> str:
    return " ".join(_short(names.get(one, b"")) for one in ids) or "nothing"


def _together(names: dict[int, bytes], ids: Iterable[int]) -> str:
    """Tell of several in an order that is the same in every store."""
    return _several(names, sorted(ids, key=lambda one: names.get(one, b"")))


def _short(digest: bytes) -> str:
    return digest.hex()[:16] or "what is not there"


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]
