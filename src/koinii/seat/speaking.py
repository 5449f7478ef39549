"""What an agent of this seat says, takes back and loads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import (
    KoiniiError,
    RefusedError,
    SurroundingsError,
    UsageError,
)
from koinii.kb.checking import Moment, is_free, leaving
from koinii.kb.claim import (
    DEFAULT,
    MONOTONIC,
    STRENGTHS,
    check_extras,
    wrapper_bits,
)
from koinii.kb.contexts import UNIVERSE
from koinii.kb.writing import Said
from koinii.seat.authors import make_author, refusal_at_door
from koinii.seat.parts import WHOLE
from koinii.store.sentexes import SHIPPED
from koinii.terms.canonical import canonical, one_of, peel, split_rule, wrap
from koinii.terms.folds import word
from koinii.terms.locator import locate, locator_of, parse_prefix
from koinii.terms.printer import write
from koinii.terms.reader import read
from koinii.terms.shape import STRUCTURAL, check_wrapped
from koinii.terms.term import Symbol
from koinii.trust.boundary import IN_UNIVERSE, admit
from koinii.trust.names import home_context
from koinii.trust.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.kb.operation import Fallen
    from koinii.kb.sentex import Sentex
    from koinii.seat.parts import Parts
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term
    from koinii.trust.boundary import World

BATCH = 500  # so few that they are gone before garbage is collected


class Refused(NamedTuple):
    """A line of a load that was not taken, and why."""

    line: int
    text: str
    code: str
    reason: str


class LoadReport(NamedTuple):
    """What a load did: every line is in exactly one of the counts."""

    new: int
    changed: int
    already: int
    refused: list[Refused]


class RetractReport(NamedTuple):
    """What went: the locator, whole, and own replies that fell with their target."""

    locator: Locator
    fell: list[Fallen]


class Spoken(NamedTuple):
    """A line to be said; without a context it stands in the agent's own.

    Extras, canonical text, replace those of an earlier line of the agent's.
    """

    sentence: Term
    context: str | None = None
    strength: str | None = None
    extras: str | None = None


class EditReport(NamedTuple):
    """What an edit did: locators added, in order, and how many went.

    `fell` are the own replies that went with what they name; none counts as removed.
    """

    added: list[Locator]
    removed: int
    fell: list[Fallen]


class Speaker:
    """One agent of this seat, with the doors it may use."""

    def __init__(self, seat: Parts, agent: str) -> None:
        self._seat = seat
        self.agent = agent
        self.own_context = home_context(agent)

    # Saying ------------------------------------------------------------------

    def assert_one(
        self, sentence: Term, context: str | None, strength: str | None
    ) -> Locator:
        """Put one sentence forward, durably; return its locator.

        Raises:
            RefusedError: with the code of the rule that refuses it.
            UsageError: `koinii/several`: a rule with more than one conclusion.
        """
        sentence = one_of(_sentence(sentence))
        return self.assert_all([sentence], context, strength)[0]

    def assert_all(
        self, sentences: Iterable[Term], context: str | None, strength: str | None
    ) -> list[Locator]:
        """Put sentences forward in one transaction; return their locators."""
        with self._seat.kb.write():
            now = self._seat.now()
            said = [
                one
                for sentence in sentences
                for one in self.said(sentence, context, strength, now)
            ]
            self._check(said, [])
            self._seat.kb.put(self._author(), said, replace=False, journal=True)
            self._weigh_again()
        located = [locate(Symbol(one.context), one.sentence) for one in said]
        return list(dict.fromkeys(located))

    def said(
        self, sentence: Term, context: str | None, strength: str | None, created: int
    ) -> list[Said]:
        """Return an admitted sentence in canonical form, or raise its refusal."""
        self._check_counts()
        world = self._seat.world()
        return [
            self._said(one, context, strength, created, world)
            for one in split_rule(_sentence(sentence))
        ]

    def _said(
        self,
        sentence: Term,
        context: str | None,
        strength: str | None,
        created: int,
        world: World,
    ) -> Said:
        form, wrappers = canonical(sentence), peel(sentence)[1]
        structural = word(form) in STRUCTURAL
        place = self._place(form, context, structural=structural)
        level = _strength(strength, structural=structural)
        check_wrapped(form, wrappers)
        refusal = admit(self.agent, place, form, level, world)
        if refusal is not None:
            raise RefusedError(
                refusal.message,
                code=refusal.code,
                hint=refusal.hint,
                agent=self.agent,
                context=place,
            )
        bits, text = 0, write(form)
        if wrappers:
            bits, text = wrapper_bits(wrappers), write(wrap(form, wrappers))
        return Said(place, form, text, level, created, None, bits)

    def _place(self, form: Term, context: str | None, *, structural: bool) -> str:
        """Return where a sentence stands; some words stand in CxUniverse, always."""
        if structural and word(form) in IN_UNIVERSE:
            return UNIVERSE
        return self.own_context if context is None else context

    def _check(self, said: list[Said], removed: list[bytes]) -> None:
        """Refuse what cannot be said as things stand (A.12)."""
        structure = self._seat.kb.parts.structure
        if len(said) == 1 and is_free(structure, said[0].sentence):
            return
        gone = leaving(self._seat.kb, self.author, removed)
        moment = Moment(self._seat.kb, said, gone)
        for one in said:
            for problem in moment.problems(one):
                raise problem.error()

    @property
    def author(self) -> int | None:
        """This author's row id, None before it has said anything."""
        return self._seat.kb.names.author_id(self.agent, self._seat.id)

    def begin(self) -> int:
        """Return this author's row id, inside a write, if its word counts here.

        Raises:
            RefusedError: what it says would be held at every seat.
        """
        self._check_counts()
        return self._author()

    def _author(self) -> int:
        """Return this author's row id, made inside the write that needs it."""
        self._check_key()
        return make_author(self._seat, self.agent, self._seat.id)

    def _check_key(self) -> None:
        """Refuse what no commit could sign; one look at the directory of keys."""
        path = self._seat.layout.agent_key(self.agent)
        if not os.path.exists(path):  # noqa: PTH110 - start-up path
            raise SurroundingsError(
                f"{self.agent} cannot sign here: its key {path} is not there",
                code="koinii/key-unreadable",
                hint="restore it from a backup; koinii doctor tells what a seat lacks",
                path=path,
                agent=self.agent,
            )

    def _check_counts(self) -> None:
        """Refuse what would be held at every seat, and here."""
        refusal = refusal_at_door(self._seat, self.agent)
        if refusal:
            reason = reason_of(refusal)
            raise RefusedError(
                f"what {self.agent} says does not count here: {reason.why}",
                code=refusal,
                hint=reason.hint.format(agent=self.agent, seat=self._seat.id[:8]),
                agent=self.agent,
            )

    def _weigh_again(self) -> None:
        """Let what was held of this agent count, if it counts with what comes next.

        Its set is signed anew by the next commit, perhaps with a newer key.
        """
        if self._seat.histories.refusal(self.agent, self._seat.id):
            from koinii.seat.reviewing import review  # noqa: PLC0415 - rarely needed

            review(self._seat)

    # Taking back -------------------------------------------------------------

    def retract(self, locator: str) -> RetractReport:
        """Withdraw this agent's own assertion, and with it this seat's replies to it.

        Raises:
            NotFoundError: nothing here has that locator.
            RefusedError: `koinii/not-own-assertion`.
        """
        with self._seat.kb.write():
            before = self._seat.kb.fallen()
            digest = self._seat.resolve(locator, held=True)
            self._withdraw(self._author(), digest)
            self._weigh_again()
            fell = self._fallen_since(before)
        return RetractReport(locator_of(digest), fell)

    def edit(
        self, add: Iterable[Term], remove: Iterable[str], context: str | None
    ) -> EditReport:
        """Add, then remove, in one transaction; anything refused undoes it all."""
        return self.put((Spoken(each, context) for each in add), remove)

    def put(self, add: Iterable[Spoken], remove: Iterable[str]) -> EditReport:
        """Add lines, each with its own place, strength and extras; as `edit` does."""
        with self._seat.kb.write():
            now, before = self._seat.now(), self._seat.kb.fallen()
            said = [one for each in add for one in self._spoken(each, now)]
            digests = [self._seat.resolve(locator, held=True) for locator in remove]
            self._check(said, digests)
            self._seat.kb.put(self._author(), said, replace=False, journal=True)
            for digest in dict.fromkeys(digests):
                self._withdraw(self._author(), digest)
            self._weigh_again()
            fell = self._fallen_since(before)
        added = [locate(Symbol(one.context), one.sentence) for one in said]
        return EditReport(list(dict.fromkeys(added)), len(set(digests)), fell)

    def _spoken(self, spoken: Spoken, created: int) -> list[Said]:
        if spoken.extras is not None:
            check_extras(read(spoken.extras))
        said = self.said(spoken.sentence, spoken.context, spoken.strength, created)
        return [one._replace(extras=spoken.extras) for one in said]

    def _fallen_since(self, before: list[Fallen]) -> list[Fallen]:
        """Settle, and return what has fallen that had not before."""
        self._seat.kb.settle()
        return [one for one in self._seat.kb.fallen() if one not in before]

    def own(self, locator: str) -> bytes:
        """Return the digest of something that this agent may take back.

        Raises as `retract` does.
        """
        digest, author = self._seat.resolve(locator, held=True), self.author
        found = self._seat.kb.find(digest)
        live = [] if found is None else self._seat.kb.asserted_by(found.id)
        held = self._seat.kb.assertions.held()
        authors = {row[1] for row in live}
        authors |= {row[0] for row in held if row[2] == digest}
        if author not in authors:
            raise self._not_own(digest)
        return digest

    def _withdraw(self, author: int, digest: bytes) -> None:
        if self._seat.kb.drop(author, [digest], journal=True):
            return
        if self._seat.drop_held(author, digest):
            return
        raise self._not_own(digest)

    def _not_own(self, digest: bytes) -> RefusedError:
        found = self._seat.kb.find(digest)
        locator = locator_of(digest)
        live = [] if found is None else self._seat.kb.asserted_by(found.id)
        held = [row for row in self._seat.kb.assertions.held() if row[2] == digest]
        numbers = sorted({row[1] for row in live} | {row[0] for row in held})
        whose = [self._seat.kb.names.author(number) for number in numbers]
        authors = [f"{agent} at seat {place}" for agent, place in whose]
        shown = locator if found is None else write(found.sentence)
        by = f"it is asserted by {', '.join(authors)}"
        hint = "an author takes back its own words only; say the opposite instead"
        for agent, place in whose:
            if agent == self.agent:
                hint = (
                    f"koinii agent retire {agent} --seat {place[:8]} withdraws all "
                    "that it said there"
                )
        if found is not None and not authors:
            by, hint = self._by_nobody(found)
        return RefusedError(
            f"{self.agent} does not assert {shown} here; {by}",
            code="koinii/not-own-assertion",
            hint=hint,
            locator=locator,
            authors=authors,
        )

    def _by_nobody(self, found: Sentex) -> tuple[str, str]:
        """Return whose it is, and what may be done instead."""
        if self._seat.kb.sentexes.label(found.id) & SHIPPED:
            return "it is the program's", "the vocabulary stands for everybody, always"
        return "it is concluded", f"koinii why {found.locator[:15]} tells from what"

    # Loading -----------------------------------------------------------------

    def load(
        self, lines: Iterable[str], context: str | None, strength: str | None
    ) -> LoadReport:
        """Put many sentences forward, one a line, in one transaction.

        Lines that are refused are reported and the rest is taken. Blank lines
        and comments count for nothing.
        """
        refused: list[Refused] = []
        taken = new = changed = 0

        def batches() -> Iterator[list[Said]]:
            nonlocal taken
            for batch in self._batches(lines, context, strength, refused):
                taken += len(batch)
                yield batch
                self._seat.progress("loading", len(batch))
            self._seat.progress("finishing", 0)

        with self._seat.kb.write():
            self._check_counts()
            author = self._author()
            for counts in self._seat.kb.put_many(author, batches(), journal=True):
                new, changed = new + counts.new, changed + counts.changed
            self._weigh_again()
        return LoadReport(new, changed, taken - new - changed, refused)

    def _batches(
        self,
        lines: Iterable[str],
        context: str | None,
        strength: str | None,
        refused: list[Refused],
    ) -> Iterator[list[Said]]:
        now, world = self._seat.now(), self._seat.world()
        batch: list[Said] = []
        for number, text in enumerate(lines, start=1):
            line = text.rstrip("\n")
            if not line.strip() or line.lstrip().startswith(";"):
                continue
            try:
                written = split_rule(_sentence(read(line)))
                batch += [
                    self._said(one, context, strength, now, world) for one in written
                ]
            except KoiniiError as error:
                refused.append(_refused(number, line, error))
            if len(batch) >= BATCH:
                yield batch
                batch = []
        if batch:
            yield batch


def digest_of(locator: str) -> bytes | None:
    """Return the digest of a whole locator, None for a prefix."""
    prefix = parse_prefix(locator)
    return bytes.fromhex(prefix) if len(prefix) == WHOLE else None


def _sentence(term: Term) -> Term:
    if not isinstance(term, tuple) or not term:
        raise RefusedError(
            f"a sentence is a list, not {write(term)}",
            code="shape",
            hint='such as "(usesDatabase ProdCluster Postgres)"',
        )
    return term


def _strength(strength: str | None, *, structural: bool) -> int:
    if strength is None:
        return MONOTONIC if structural else DEFAULT
    if strength not in STRENGTHS:
        raise UsageError(
            f"no such strength: {strength}", hint=f"one of {', '.join(STRENGTHS)}"
        )
    return STRENGTHS.index(strength)


def _refused(number: int, line: str, error: KoiniiError) -> Refused:
    return Refused(number, line, error.code, error.message)
