"""Why a context does not give a sentence: the first reason that is so (A.17).

    believed     it does                    sentexes
    masked       seen and masked            masks
    waiting      for what it names          missing, as locators
    defeated     a clash made it fall       contradicted_by, sides in content order
    unsupported  its grounds have fallen    missing, as sentexes; in_force: False
    held         a line has it, unapplied   held
    elsewhere    believed, and not seen     contexts
    not-stored   nothing here has it

The reason is about what stands in the context itself, else about something it sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from koinii.kb import query
from koinii.kb.explaining import authors_of
from koinii.kb.network.replies import targets_of
from koinii.kb.rows import stored_form
from koinii.kb.rules.joining import literal_of
from koinii.kb.standing import clash_of
from koinii.store.clashes import HI_FALLS, LO_FALLS, VISIBLE
from koinii.store.sentexes import BELIEVED, DEFEATED, KNOWN, LOCAL, WAITING
from koinii.terms.canonical import canonical
from koinii.terms.encoding import encode
from koinii.terms.folds import word
from koinii.terms.locator import locate, locator_of
from koinii.terms.order import content_key
from koinii.terms.printer import write
from koinii.terms.shape import STRUCTURAL, check_rule
from koinii.terms.slices import join
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from koinii.kb.base import KnowledgeBase, Sentex
    from koinii.kb.standing import Side
    from koinii.terms.term import Term

    Facts: TypeAlias = dict[str, Any]

BINARY = 2
_ORDER = ("masked", "waiting", "defeated", "unsupported")


def why_not(kb: KnowledgeBase, sentence: Term, context: str) -> Facts:
    """Return why a context does not give a ground sentence, or a rule.

    O(contexts + held lines), and what the sentence's own clashes and reasons are.

    Raises:
        RefusedError: it is neither one ground literal nor a rule.
    """
    form = canonical(sentence)
    is_rule = word(form) == "implies"
    if is_rule:
        check_rule(form)
    else:
        form = query.one_ground(form)
    return _Question(kb, form, context, is_rule=is_rule).answer()


class _Question:
    """One sentence, asked of one context."""

    def __init__(
        self, kb: KnowledgeBase, form: Term, context: str, *, is_rule: bool
    ) -> None:
        self._kb = kb
        self._parts = kb.parts  # also takes in what others have written
        self._form = form
        self._context = context
        self._is_rule = is_rule
        self._bodies = self._spellings(encode(form))

    def _spellings(self, body: bytes) -> list[bytes]:
        """Return the sentence, and its mirror where the two are read alike."""
        if self._is_rule:
            return [body]
        negative, functor, arguments = literal_of(body)
        if len(arguments) != BINARY or functor not in self._kb.structure.symmetric:
            return [body]
        mirror = join([functor, *arguments[::-1]])
        if negative:
            mirror = join([encode(Symbol("not")), mirror])
        return list(dict.fromkeys((body, mirror)))

    def answer(self) -> Facts:
        seen = self._stored(sorted(self._kb.structure.lattice.seen_from(self._context)))
        return (
            self._believed(seen)
            or self._of_what_is_seen(seen)
            or self._held()
            or self._elsewhere()
            or self._facts("not-stored")
        )

    def _facts(self, reason: str) -> Facts:
        return {
            "reason": reason,
            "locator": locate(Symbol(self._context), self._form),
            "sentence": write(self._form),
            "context": self._context,
        }

    def _digests(self, contexts: Iterable[str]) -> list[bytes]:
        return [
            stored_form(context, body).digest
            for context in contexts
            for body in self._bodies
        ]

    def _stored(self, contexts: Iterable[str]) -> list[Sentex]:
        ids = self._kb.sentexes.ids(self._digests(contexts)).values()
        return [self._kb.get(one) for one in sorted(ids)]

    # What it gives ---------------------------------------------------------------

    def _believed(self, seen: list[Sentex]) -> Facts | None:
        if self._is_rule:
            is_masked = self._kb.structure.masked
            giving = [
                one
                for one in seen
                if self._kb.is_believed(one)
                and not is_masked(one.digest, self._context)
            ]
            holds = bool(giving)
        else:
            holds = any(True for _ in self._kb.ask(self._form, self._context))
            giving = self._kb.matching(self._form, self._context, "cone")
        if not holds:
            return None
        return {**self._facts("believed"), "sentexes": _listed(giving)}

    # What it sees ----------------------------------------------------------------

    def _of_what_is_seen(self, seen: list[Sentex]) -> Facts | None:
        found = [(one, self._reason_of(one)) for one in seen]
        if not found:
            return None
        sentex, reason = min(
            found,
            key=lambda pair: (
                pair[0].context != self._context,
                _ORDER.index(pair[1]),
                pair[0].context,
                pair[0].digest,
            ),
        )
        more = {
            "masked": self._masks,
            "waiting": self._awaited,
            "defeated": self._victors,
            "unsupported": self._fallen,
        }
        return {
            "reason": reason,
            "locator": sentex.locator,
            "sentence": write(sentex.sentence),
            "context": sentex.context,
            **more[reason](sentex),
        }

    def _reason_of(self, sentex: Sentex) -> str:
        label = self._kb.sentexes.label(sentex.id)
        if label & WAITING:
            return "waiting"
        if label & DEFEATED:
            return "defeated"
        return "masked" if label & BELIEVED else "unsupported"

    def _masks(self, sentex: Sentex) -> Facts:
        structure = self._kb.structure
        on = [
            self._kb.get(one.id)
            for one in structure.masks_of(sentex.digest)
            if structure.shows(one, self._context)
        ]
        return {
            "masks": [
                {**told, "authors": authors_of(self._kb, one.id)}
                for one, told in zip(_sorted(on), _listed(on), strict=True)
            ]
        }

    def _awaited(self, sentex: Sentex) -> Facts:
        sentexes = self._kb.sentexes
        is_local = sentexes.label(sentex.id) & LOCAL
        missing = []
        for digest in targets_of(sentex.body):
            found = self._kb.find(digest)
            label = WAITING if found is None else sentexes.label(found.id)
            if label & WAITING or (label & LOCAL and not is_local):
                missing.append(locator_of(digest))
        return {"missing": sorted(missing)}

    def _victors(self, sentex: Sentex) -> Facts:
        """Return what is known and makes the sentex fall."""
        clashes, label = self._parts.clashes, self._kb.sentexes.label
        sides: list[tuple[str, Side]] = []
        for pair in clashes.of(sentex.id):
            falls = LO_FALLS if pair[0] == sentex.id else HI_FALLS
            state = clashes.sight_row(pair[3])[1]
            other = pair[1] if pair[0] == sentex.id else pair[0]
            if state & VISIBLE and state & falls and label(other) & KNOWN:
                clash = clash_of(self._parts, pair)
                sides += [
                    (clash.kind, side)
                    for side in clash.sides
                    if side.locator != sentex.locator
                ]
        sides.sort(key=lambda one: (content_key(one[1].sentence), one[1].context))
        return {"contradicted_by": [_told(kind, side) for kind, side in sides]}

    def _fallen(self, sentex: Sentex) -> Facts:
        """Return the grounds that are not believed, of all its reasons.

        A structural statement has none: nobody who may has put it in force.
        """
        if word(sentex.sentence) in STRUCTURAL:
            return {"missing": [], "in_force": False}
        fallen = {
            fact.id: fact
            for support in self._kb.supports(sentex.id)
            for fact in support.facts
            if not self._kb.is_believed(fact)
        }
        return {"missing": _listed(fallen.values())}

    # What it does not see --------------------------------------------------------

    def _held(self) -> Facts | None:
        contexts = self._kb.structure.lattice.seen_from(self._context)
        digests = set(self._digests(contexts))
        held = []
        for author, context, digest, _, _, reason in self._kb.assertions.held():
            if digest in digests and not self._is_believed(digest):
                agent, seat = self._kb.names.author(author)
                held.append(
                    {
                        "locator": locator_of(digest),
                        "context": self._kb.names.context(context),
                        "agent": agent,
                        "seat": seat,
                        "reason": reason,
                    }
                )
        return {**self._facts("held"), "held": held} if held else None

    def _is_believed(self, digest: bytes) -> bool:
        found = self._kb.find(digest)
        return found is not None and self._kb.is_believed(found)

    def _elsewhere(self) -> Facts | None:
        seen = self._kb.structure.lattice.seen_from(self._context)
        others = [one for one in self._kb.names.contexts() if one not in seen]
        believed = filter(self._kb.is_believed, self._stored(others))
        contexts = sorted({one.context for one in believed})
        return {**self._facts("elsewhere"), "contexts": contexts} if contexts else None


def _sorted(sentexes: Iterable[Sentex]) -> list[Sentex]:
    return sorted(sentexes, key=lambda one: (content_key(one.sentence), one.context))


def _listed(sentexes: Iterable[Sentex]) -> list[Facts]:
    """Return sentexes as data, in the order of content."""
    return [
        {
            "locator": one.locator,
            "sentence": write(one.sentence),
            "context": one.context,
        }
        for one in _sorted(sentexes)
    ]


def _told(kind: str, side: Side) -> Facts:
    return {
        "locator": side.locator,
        "sentence": write(side.sentence),
        "context": side.context,
        "strength": side.strength,
        "believed": side.believed,
        "kind": kind,
    }
