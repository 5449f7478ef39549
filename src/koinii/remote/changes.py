"""What an author's newest set changes here, worked out before anything is written.

Lines are rebuilt from the segments not applied yet; the root they come to is
compared with the one the author signed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from koinii.history.manifest import Listed
from koinii.history.paths import quote
from koinii.history.segments import catch_up, folder_of, scan_segment
from koinii.kb.claim import claim_locator, line_leaf
from koinii.merkle import EMPTY_ROOT
from koinii.merkle import root as tree_root
from koinii.remote.fetched import FetchedSeat, bad
from koinii.remote.verified_authors import VerifiedAgent
from koinii.seat.modes import selected
from koinii.seat.seat import Seat
from koinii.terms.locator import Locator, raw_digest


class ContextChange(NamedTuple):
    """What one context of an author comes to, root and all."""

    context: str
    size: int
    root: bytes
    added: list[tuple[bytes, str]]  # digest, claim line
    removed: list[bytes]
    seen: list[tuple[str, str]]


class Changes:
    """Reads one author's segments against what is applied of it here."""

    def __init__(
        self,
        seat: Seat,
        fetched: FetchedSeat,
        listed: Mapping[str, Listed],
        agent: VerifiedAgent,
        author: int,
    ) -> None:
        self._seat = seat
        self._fetched = fetched
        self._listed = listed
        self._agent = agent
        self._author = author
        self._selection = selected(seat.database.connection)
        rows = seat.kb.assertions.published(author)
        self._applied = {
            seat.kb.names.context(number): (size, root) for number, size, root in rows
        }

    def read(self) -> list[ContextChange]:
        """Return what moved in each context.

        Raises:
            VerificationError: a segment is not written as it has to be, or the
                lines are not the set that was signed.
        """
        changes = [*self._moved(), *self._emptied()]
        self._check_root(changes)
        return changes

    def _moved(self) -> Iterator[ContextChange]:
        for context, present in self._agent.segments.items():
            if not self._selection.takes(self._agent.name, context):
                continue
            folder = folder_of(self._agent.name, context)
            seen = self._seat.files.seen(self._author, folder)
            if set(present) == seen:
                continue
            plan = catch_up(seen, present)
            last = self._last_words(context, plan.files)
            if plan.refold:
                for digest in self._digests(context):
                    last.setdefault(digest, None)
            yield self._change(context, last, present)

    def _emptied(self) -> Iterator[ContextChange]:
        """Yield the contexts that have no file any more."""
        for context in self._applied.keys() - self._agent.segments.keys():
            removed = self._digests(context)
            yield ContextChange(context, 0, EMPTY_ROOT, [], removed, [])

    def _digests(self, context: str) -> list[bytes]:
        place = self._seat.kb.names.make_context(context)
        return self._seat.kb.assertions.digests(self._author, place)

    def _last_words(
        self, context: str, files: Sequence[tuple[str, str]]
    ) -> dict[bytes, str | None]:
        """Return what the segments, oldest first, say last of each locator."""
        last: dict[bytes, str | None] = {}
        for path, _ in files:
            self._seat.progress("reading", 0)
            count = 0
            for locator, line in scan_segment(
                self._fetched.listed_body(path, self._listed),
                lambda line: claim_locator(context, line),
                path,
            ):
                last[raw_digest(Locator(locator))] = line
                count += 1
            self._seat.progress("reading", count)
        return last

    def _change(
        self,
        context: str,
        last: dict[bytes, str | None],
        present: list[tuple[str, str]],
    ) -> ContextChange:
        """Work out a context's root as the last words on each locator leave it."""
        place = self._seat.kb.names.make_context(context)
        rows = self._seat.kb.assertions
        added = [(digest, line) for digest, line in last.items() if line is not None]
        removed = [digest for digest, line in last.items() if line is None]
        after = set(rows.line_leaves(self._author, place))
        after.difference_update(rows.leaves_of(self._author, place, list(last)))
        after.update(line_leaf(line) for _, line in added)
        root = tree_root(sorted(after))
        return ContextChange(context, len(after), root, added, removed, present)

    def _check_root(self, changes: list[ContextChange]) -> None:
        """Compare what each context comes to with what its author signed."""
        sets = self._applied | {one.context: (one.size, one.root) for one in changes}
        none = 0, EMPTY_ROOT
        signed = {context: (size, root) for context, size, root in self._agent.contexts}
        for context in sets.keys() | signed.keys():
            is_taken = self._selection.takes(self._agent.name, context)
            if is_taken and sets.get(context, none) != signed.get(context, none):
                raise bad(
                    f"agents/{quote(self._agent.name)}/authored",
                    "the claims are not the set that was signed",
                )
