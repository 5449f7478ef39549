"""Checking why a claim is believed: rules, facts and edges, instance by instance.

The claim is a leaf. So is each rule, fact, edge and declaration it stands on,
unless it is vocabulary. A step's conclusion is the claim or another leaf:

    conclusion    its locator
    rule          locator
    values        {"?var0": text}: one for each variable of the rule
    facts         [{"fact": locator, "climbs"?: [locators], "mirror"?: locator}], one
                  for each literal that binds, in the rule's order
    sees          {context: [locators of edges]}: how the conclusion's context sees
                  each other context in which the rule, a fact or a climb stands

A step stands on what no step concludes, or on what an earlier one did, so there
is no circle. Everything stated is used; a claim without steps is a premise.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.history.anchor import record_of
from koinii.history.document import LOCATOR, Fields, refused
from koinii.history.instances import Instance, Reading, check_instance
from koinii.history.sight import check_path
from koinii.history.standing import Tree, check_held
from koinii.history.stated import Stated, Statement, Work
from koinii.terms.reader import read_canonical

_STEP = {"conclusion", "rule", "values", "facts", "sees"}
_READINGS = frozenset({"climbs", "mirror"})


def check_why(
    fields: Fields, files: Iterable[bytes] | None, checked: list[str]
) -> list[str]:
    """Check every step, noting each in `checked`; return what is assumed."""
    record = record_of(fields)
    tree = Tree(record.commit, record.size)
    claim = fields.hash("locator", LOCATOR)
    check_held(fields, claim, tree)
    checked.append("the locator is a leaf under the root")
    stated = Stated(fields, tree, checked)
    stated.add(fields.text("context"), fields.text("sentence"))
    stated.note_said(fields)
    assumes = stated.add_vocabulary(fields, record.vocabulary, files, checked)
    steps = _Steps(fields, stated)
    steps.check(claim)
    if steps.count:
        checked.append(f"steps that are instances of their rules: {steps.count}")
    assumes += stated.tell_authors(checked)
    return [*assumes, *steps.unsaid()]


class _Steps:
    """The steps of a document, over what it states."""

    def __init__(self, fields: Fields, stated: Stated) -> None:
        self._stated = stated
        self._steps = fields.objects("steps", _STEP)
        self._conclusions = [one.hash("conclusion", LOCATOR) for one in self._steps]
        self._ready = stated.known.keys() - set(self._conclusions)
        self._used: set[bytes] = set()
        self._work = Work()
        self.count = len(self._steps)

    def check(self, claim: bytes) -> None:
        """Refuse unless the steps lead from what is stated to the claim."""
        grounds = set(self._ready)
        for step, conclusion in zip(self._steps, self._conclusions, strict=True):
            if conclusion in self._ready or conclusion not in self._stated.known:
                raise refused("a step concludes what is stated otherwise, or not")
            self._check(step, conclusion)
            self._ready.add(conclusion)
        if self._conclusions and self._conclusions[-1] != claim:
            raise refused("the last step does not conclude the claim")
        if self._stated.known.keys() - self._used != {claim}:
            raise refused("the claim does not stand on all that is stated")
        self._grounds = grounds

    def unsaid(self) -> list[str]:
        """Return an assumption for the grounds of which no author is shown."""
        known = self._stated.known
        silent = [
            one for one in self._grounds - self._stated.said if not known[one].shipped
        ]
        return [f"leaves of which no author is shown: {len(silent)}"] if silent else []

    def _check(self, step: Fields, conclusion: bytes) -> None:
        rule = self._use(step.hash("rule", LOCATOR))
        facts = step.objects("facts", {"fact"}, _READINGS)
        there = self._stated.known[conclusion]
        self._work.spend(there.size)
        standing = {rule.context}
        readings = [self._reading(one, standing) for one in facts]
        self._check_sight(step.table("sees"), there.context, standing)
        values = step.table("values")
        given = {one: read_canonical(values.text(one)) for one in values.names()}
        check_instance(
            Instance(rule.sentence, given, readings, there.sentence),
            self._work.spend,
        )

    def _reading(self, fields: Fields, standing: set[str]) -> Reading:
        """Return a fact as it is read; note in `standing` what has to be seen."""
        fact = self._use(fields.hash("fact", LOCATOR))
        standing.add(fact.context)
        climbs = [self._use(one) for one in _some(fields, "climbs")]
        standing.update(one.context for one in climbs)
        path = tuple(one.sentence for one in climbs)
        if not fields.has("mirror"):
            return Reading(fact.sentence, path)
        mirror = self._use(fields.hash("mirror", LOCATOR))
        if not mirror.is_global:
            raise refused("a functor is declared symmetric in CxUniverse only")
        return Reading(fact.sentence, path, mirror.sentence)

    def _check_sight(self, sees: Fields, viewer: str, standing: set[str]) -> None:
        if sees.names() != standing - {viewer}:
            raise refused("the contexts seen are not those that a step stands on")
        for context in sorted(sees.names()):
            check_path(viewer, context, map(self._use, sees.hashes(context)))

    def _use(self, locator: bytes) -> Statement:
        if locator not in self._ready:
            raise refused("a step stands on what is neither stated nor concluded")
        self._used.add(locator)
        found = self._stated.known[locator]
        self._work.spend(found.size)
        return found


def _some(fields: Fields, name: str) -> list[bytes]:
    """Return the locators of a list that is left out where it is empty."""
    if not fields.has(name):
        return []
    found = fields.hashes(name)
    if not found:
        raise refused(f"{name} is left out where it is empty")
    return found
