"""Taking an export into an empty seat, all of it or nothing.

The records become assertions of agents of this seat. Who has no key here gets one:
nothing in an export is signed, so what its agents said is what the operator says they
said. Each record goes through the reader and the write boundary as a pulled line does:
one that is not canonical refuses the import, one that a rule refuses is held alone.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, RefusedError
from koinii.kb.claim import line_leaf
from koinii.kb.contexts import MAJORITY
from koinii.kb.vocabulary import digests
from koinii.kb.writing import Said
from koinii.merkle import root as tree_root
from koinii.note import PrivateKey
from koinii.remote.export_files import Record, opened
from koinii.seat.authors import make_author
from koinii.seat.committing import SEMANTICS
from koinii.seat.counting import is_call
from koinii.seat.founding import introduce
from koinii.seat.held import without_effect
from koinii.seat.reviewing import review
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.trust.boundary import admit
from koinii.trust.names import ADMIN
from koinii.trust.reasons import DISAGREES, OF_COUNTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.history.exported import Meta
    from koinii.seat.seat import Seat

BATCH = 20_000  # lines


class Imported(NamedTuple):
    """What became of the records: `lines` are the sum of applied and held.

    `waiting` of those applied wait for what they name. `expected` is the commit id
    where it was exported.
    """

    directory: str
    lines: int
    applied: int
    waiting: int
    held: int
    agents: list[str]  # that got a key of this seat
    commit: str
    size: int
    expected: str
    skew: list[str]  # vocabulary that differs, and `rules`
    of_counts: int  # lines of those held that call counts, which come to something else

    @property
    def whole(self) -> bool:
        """Whether this seat believes what the exporting one did."""
        return self.held == self.of_counts and self.commit == self.expected


def import_(seat: Seat, directory: str) -> Imported:
    """Take an export in, in one transaction.

    Raises:
        RefusedError: `koinii/not-empty`: the seat holds claims.
        NotFoundError: `koinii/no-export`; `koinii/no-admin`: the admin's records are
            among it, and its key is not here.
        VerificationError: `koinii/bad-export`, with path, line and reason.
    """
    seat.align()
    with opened(directory) as export, seat.kb.write():
        _check_is_empty(seat)
        export.check_files()
        new = _introduce(seat, export.meta)
        counts, found = _Taking(seat).take(export.records()), export.meta
        export.check_agents(counts.agents)
        seat.kb.conclude()
        root = tree_root(seat.kb.sentexes.leaf_hashes())
        size = seat.kb.sentexes.count_leaves()
        waiting, rows = len(seat.kb.assertions.waiting()), without_effect(seat)
        held, of_counts = len(rows), sum(row[5] in OF_COUNTS for row in rows)
    if new:
        seat.notices.append(_notice(new))
    report = Imported(
        directory, counts.lines, counts.lines - held, waiting, held,
        new, f"sha256:{root.hex()}", size, found.commit, _skew(found),
        of_counts,
    )  # fmt: skip
    if report.commit != report.expected:
        seat.notices.append(_difference(report))
    return report


def _check_is_empty(seat: Seat) -> None:
    if seat.kb.sentexes.is_empty() and not seat.kb.assertions.held_keys():
        return
    raise RefusedError(
        "an export is imported into a seat without claims, and this one has some",
        code="koinii/not-empty",
        hint="koinii init DIRECTORY --as AgentYou, and koinii -C DIRECTORY import",
        path=seat.layout.directory,
    )


def _introduce(seat: Seat, meta: Meta) -> list[str]:
    """Give each agent that has no key here one, and weigh who counts."""
    here = {row.name for row in seat.histories.agents() if row.seat == seat.id}
    new = sorted(meta.agents.keys() - here)
    if ADMIN in new:
        raise NotFoundError(
            "it holds what an admin says, and the admin's key is not at this seat",
            code="koinii/no-admin",
            hint="koinii admin init, which makes one whose words these are then",
        )
    for name in new:
        introduce(
            None if seat.is_rehearsing else seat.layout,
            seat.database,
            name,
            PrivateKey.generate(),
            seat=seat.id,
            time=seat.now(),
            lineage=seat.weighing().counting.lineage(name),
        )
    if new:
        review(seat)
    return new


def _notice(new: list[str]) -> str:
    shown = ", ".join(new[:5]) + (f" and {len(new) - 5} more" if len(new) > 5 else "")  # noqa: PLR2004 - names
    return (
        f"new keys of this seat for {shown}: an export is not signed, so these lines "
        "are what you say those agents said"
    )


def _difference(report: Imported) -> str:
    """Return why belief is another here than where it was exported."""
    why = f"{report.held} lines are held (koinii held)" if report.held else ""
    if report.skew:
        why = f"{', '.join(report.skew)} differ between the two programs"
    why = why or "the export says of itself what its records do not give"
    return f"the commit id here is not the one where it was exported: {why}"


def _skew(meta: Meta) -> list[str]:
    """Return what this program derives with that differs from the exporting one's."""
    own = {context: one.hex() for context, one in digests().items()}
    names = {*own, *meta.vocabulary}
    differ = sorted(n for n in names if own.get(n) != meta.vocabulary.get(n))
    return [*differ, *(["rules"] if meta.rules != SEMANTICS else [])]


class _Taking:
    """Records on their way into the store, in batches of many authors."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._world = seat.world()
        self._authors: dict[str, tuple[int, str]] = {}
        self.agents: Counter[str] = Counter()
        self.lines = 0

    def take(self, records: Iterable[Record]) -> _Taking:
        """Take all of them; return this, which has counted them."""
        for batch in _batches(records):
            allowed: dict[int, list[Said]] = {}
            held: list[tuple[int, Record, str]] = []
            called: list[tuple[int, Record, str]] = []
            for one in batch:
                self._sort_out(one, allowed, held, called)
            for author, said in allowed.items():
                self._seat.kb.put(author, said, replace=False, journal=True)
            self._hold(held)
            self._hold(called)
            self.lines += len(batch)
            self._seat.progress("importing", len(batch))
        self._seat.progress("finishing", 0)
        return self

    def _sort_out(
        self,
        one: Record,
        allowed: dict[int, list[Said]],
        held: list[tuple[int, Record, str]],
        called: list[tuple[int, Record, str]],
    ) -> None:
        author, refusal = self._author(one.agent)
        self.agents[one.agent] += 1
        claim = one.claim
        if not (refusal or is_call(one.context, claim)):
            found = admit(
                one.agent, one.context, claim.sentence, claim.strength, self._world
            )
            refusal = found.code if found else ""
        if refusal:
            held.append((author, one, refusal))
            return
        if one.context == MAJORITY:
            called.append((author, one, DISAGREES))  # until it is counted here
            return
        said = Said(
            one.context, claim.sentence, claim.text, claim.strength, claim.created,
            claim.extras, claim.wrappers,
        )  # fmt: skip
        allowed.setdefault(author, []).append(said)

    def _author(self, name: str) -> tuple[int, str]:
        """Return an agent's row id here, and why no line of it counts, '' for none."""
        if name not in self._authors:
            number = make_author(self._seat, name, self._seat.id)
            refusal = self._seat.histories.refusal(name, self._seat.id)
            self._authors[name] = number, refusal
        return self._authors[name]

    def _hold(self, held: list[tuple[int, Record, str]]) -> None:
        """Store lines without effect, as parts of what their authors say."""
        rows = self._seat.kb.assertions
        for author, one, reason in held:
            place = self._seat.kb.names.make_context(one.context)
            leaf = line_leaf(one.line)
            rows.hold([(author, place, one.digest, leaf, one.line, reason)])
            known = rows.is_published(author, place)
            touched = one.digest if known else WHOLE_CONTEXT
            rows.note_changes([(author, place, touched, None)])


def _batches(records: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for one in records:
        batch.append(one)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
