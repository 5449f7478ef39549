"""What a seat believed at each of its commits, rebuilt in a scratch seat.

One scratch seat goes through the records: to each it applies the heads of other
seats that moved with it and the seat's own sets of that commit, all of them verified
as a pull verifies them. A whole history costs what its changes cost, and a root over
what is believed for each commit that is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from koinii.errors import VerificationError
from koinii.history.record import CommitRecord, PeerHead
from koinii.history.roots import heads_root
from koinii.history.selection import EVERYTHING, selection_of
from koinii.kb.vocabulary import digests
from koinii.note import PublicKey
from koinii.remote.applying import apply_seat, take_in
from koinii.remote.archive import Archive, Commit
from koinii.remote.returning import apply_anew
from koinii.remote.taking import known_of
from koinii.remote.undecided import (
    Undecided,
    decision_of,
    digest_of,
    keep_trust,
    trust_of,
)
from koinii.remote.verify import VerifiedSeat, verify_seat
from koinii.seat.committing import SEMANTICS
from koinii.seat.modes import SELECTION, selected
from koinii.seat.records import applied_root, held_lines
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat
from koinii.seat.selecting import select
from koinii.store import meta

_PULL = "ask for the missing history where the seat pushes to"


class Missing(NamedTuple):
    """The first input of a commit that differs, or is not to be had.

    `field` is one of rules, vocabulary, agents, heads, trust, partial, local, inputs,
    held, commit; `what` names the thing.
    """

    field: str
    what: str
    why: str
    hint: str


class Audited(NamedTuple):
    """One commit as it is recorded and as it was rebuilt."""

    seat: str
    number: int
    recorded: str  # commit ids
    rebuilt: str
    size: int  # of what was rebuilt
    equal: bool
    missing: Missing | None


class _Tree(NamedTuple):
    """A seat at one commit, verified; `back` where more of it was applied before."""

    commit: Commit
    verified: VerifiedSeat
    back: bool


class Rebuilding:
    """Goes through the commits of one seat, in order, once."""

    def __init__(
        self,
        scratch: Seat,
        archive: Archive,
        subject: str,
        admins: Sequence[PublicKey] = (),
    ) -> None:
        """Begin before the first commit.

        Raises:
            VerificationError: no signed tip of the seat shows its history.
        """
        self.scratch = scratch
        self.subject = subject
        self.history = archive.newest(subject)
        self._archive = archive
        self._undecided = Undecided(subject, admins)
        self._bound: dict[str, PeerHead] = {}
        self._lacking: dict[str, Missing] = {}  # by seat
        self._refused: dict[tuple[str, str], str] = {}  # authors, and why

    def steps(self, last: int | None = None) -> Iterator[CommitRecord]:
        """Yield the records up to one, the scratch seat standing at each."""
        for record in self.history.new:
            if last is not None and record.number > last:
                return
            self._take(record)
            yield record

    # One commit -------------------------------------------------------------------

    def _take(self, record: CommitRecord) -> None:
        leaf = self.history.leaves[record.number - 1]
        self._bound |= record.heads
        part = selection_of(record.partial) or EVERYTHING
        is_other_part = part != selected(self.scratch.database.connection)
        heads = self._bound if is_other_part else record.heads
        moved = {self.subject: PeerHead(record.number, leaf)}
        moved |= dict(sorted(heads.items()))
        with self.scratch.kb.write():
            select(self.scratch, part)
            found = [
                self._tree(seat, head, again=is_other_part)
                for seat, head in moved.items()
            ]
            trees = [one for one in found if one is not None]
            self._introduce([one.verified for one in trees], record)
            for one in trees:
                self._apply(one)
        self.scratch.progress("rebuilding", 1)

    def _tree(self, seat: str, head: PeerHead, *, again: bool) -> _Tree | None:
        """Return a seat as a head has it; None where that cannot be had, or is here.

        `again` where other parts of what is here are wanted.
        """
        known = known_of(self.scratch, seat)
        is_here = known.leaves[head.number - 1 :] == [head.leaf]
        if is_here and not again:
            self._lacking.pop(seat, None)
            return None
        back = len(known.leaves) >= head.number and not is_here
        if back:
            known = known._replace(leaves=[], statements={}, sets={})
        try:
            commit = self._archive.commit(seat, head.number)
            verified = verify_seat(commit.fetched, known)
            self._check(verified, head)
        except VerificationError as error:
            self._lacking[seat] = self._not_had(seat, head.number, error)
            return None
        self._lacking.pop(seat, None)
        return _Tree(commit, verified, back)

    def _check(self, verified: VerifiedSeat, head: PeerHead) -> None:
        leaves = verified.history.leaves
        if len(leaves) != head.number or leaves[-1] != head.leaf:
            raise VerificationError("its history there is another one")
        if verified.seat == self.subject and verified.refused:
            raise VerificationError(verified.refused[0].reason)

    def _not_had(self, seat: str, number: int, error: VerificationError) -> Missing:
        field = "agents" if seat == self.subject else "heads"
        hint = self._archive.hint if field == "heads" else ""
        what = f"commit {number} of seat {seat}"
        return Missing(field, what, error.message, hint or _PULL)

    def _introduce(
        self, verified: Sequence[VerifiedSeat], record: CommitRecord
    ) -> None:
        """Take in keys and standing, and the trust that the record has a digest of."""
        scratch = self.scratch
        before, agents = trust_of(scratch), scratch.histories.agents()
        take_in(scratch, verified)
        is_same = agents == scratch.histories.agents()
        if not is_same:
            scratch.forget_weighing()
        trust = self._undecided.find(
            before, scratch.weighing().known, self._follows(), record.trust
        )
        if not is_same or trust != before:
            keep_trust(scratch, trust)
            review(scratch)

    def _follows(self) -> set[str]:
        return {self.subject, *self._bound}

    def _apply(self, one: _Tree) -> None:
        seat = one.verified.seat
        apply = apply_anew if one.back else apply_seat
        with self._whole(seat):
            applied = apply(
                self.scratch, one.commit.fetched, one.verified, one.commit.oid
            )
        for who in [who for who in self._refused if who[1] == seat]:
            del self._refused[who]
        for name, _, reason in applied.refused:
            self._refused[name, seat] = reason
        if seat == self.subject and applied.refused:
            error = VerificationError(applied.refused[0].reason)
            self._lacking[seat] = self._not_had(seat, one.verified.history.size, error)

    @contextmanager
    def _whole(self, seat: str) -> Iterator[None]:
        """Take all that the subject itself says, whatever it takes of others."""
        connection = self.scratch.database.connection
        part = meta.get(connection, SELECTION)
        if seat == self.subject:
            meta.put(connection, SELECTION, "")
        yield
        meta.put(connection, SELECTION, part)

    # Comparing --------------------------------------------------------------------

    def compare(self, record: CommitRecord) -> Audited:
        """Compare where the scratch seat stands with a record; O(believed)."""
        root, size = self.scratch.kb.root()
        missing = next(self._differences(record, root, size), None)
        return Audited(
            self.subject, record.number, record.commit_id, f"sha256:{root.hex()}",
            size, missing is None, missing,
        )  # fmt: skip

    def _differences(
        self, record: CommitRecord, root: bytes, size: int
    ) -> Iterator[Missing]:
        yield from _of_the_program(record)
        yield from self._not_there()
        yield from self._of_heads(record)
        yield from self._of_trust(record)
        yield from _of_the_seat(record)
        if applied_root(self.scratch) != record.inputs:
            refused = sorted(self._refused.items())
            why = "; ".join(
                f"{agent} at seat {seat}: {reason}" for (agent, seat), reason in refused
            )
            yield Missing(
                "inputs", "the sets that were applied",
                why or "those that its heads show come to another root",
                "the seat took what another state of a seat had shown before; that is "
                "in no ref",
            )  # fmt: skip
        if held_lines(self.scratch) != record.held:
            yield Missing(
                "held", "the lines that were held or waited",
                "those that are held or wait here come to another root",
                "koinii audit of the commit before says whether that differs too",
            )  # fmt: skip
        if (root, size) != (record.commit, record.size):
            yield Missing(
                "commit", "what was believed",
                f"every input agrees, and what follows from them are {size} claims, "
                f"not the {record.size} recorded",
                "ask whose seat it is; a commit that many agents share is complete "
                "with the next one",
            )  # fmt: skip

    def _not_there(self) -> Iterator[Missing]:
        own = self._lacking.get(self.subject)
        if own is not None:
            yield own
        yield from (one for _, one in sorted(self._lacking.items()))

    def _of_heads(self, record: CommitRecord) -> Iterator[Missing]:
        rows = [(seat, *head) for seat, head in self._bound.items()]
        if heads_root(rows) != record.heads_root:
            yield Missing(
                "heads", "the heads that were applied",
                "those that the records name come to another root: a seat was taken "
                "back to nothing",
                "koinii peers at that seat says of which a second history is known",
            )  # fmt: skip

    def _of_trust(self, record: CommitRecord) -> Iterator[Missing]:
        trust, known = trust_of(self.scratch), self.scratch.weighing().known
        follows = self._follows()
        if digest_of(trust, known, follows) == record.trust:
            return
        found = decision_of(trust, known, follows, record.trust)
        yield Missing(
            "trust", found or "a decision of the operator",
            "keys that were pinned and seats that were followed are not published, "
            "and a seat that decides nothing comes to another digest",
            "ask whose seat it is what was decided: koinii agent, koinii peers, "
            "koinii admin",
        )  # fmt: skip


def _of_the_program(record: CommitRecord) -> Iterator[Missing]:
    if record.rules != SEMANTICS:
        yield Missing(
            "rules", f"version {record.rules} of the semantics",
            f"this program has version {SEMANTICS}, so it would believe otherwise",
            f"audit it with the program that made it: {record.software}",
        )  # fmt: skip
    mine = digests()
    if record.vocabulary != mine:
        names = [
            n for n in sorted({*mine, *record.vocabulary}) if _differs(n, record, mine)
        ]
        yield Missing(
            "vocabulary", " ".join(names),
            "the program that made the commit has another vocabulary than this one",
            f"audit it with the program that made it: {record.software}",
        )  # fmt: skip


def _differs(name: str, record: CommitRecord, mine: Mapping[str, bytes]) -> bool:
    return mine.get(name) != record.vocabulary.get(name)


def _of_the_seat(record: CommitRecord) -> Iterator[Missing]:
    if selection_of(record.partial) is None:
        yield Missing(
            "partial",
            " ".join(record.partial or ()),
            "the seat takes a part of what others say that this program cannot take",
            f"audit it with the program that made it: {record.software}",
        )
    if record.local:
        yield Missing(
            "local", " ".join(record.local),
            "contexts that were local to the seat are not published",
            "ask whose seat it is",
        )  # fmt: skip
