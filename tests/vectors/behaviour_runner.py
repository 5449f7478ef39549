"""Plays one scenario of `behaviour.json` on a seat and says what was seen.

In the words of `behaviour_source.py`, field by field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, NamedTuple

from koinii.errors import KoiniiError
from koinii.seat.seat import Seat
from koinii.terms import Keyword, Term, read, write
from koinii.terms.encoding import decode
from koinii.terms.match import substitute
from reference.rfc6962 import defined_root
from vectors.behaviour_source import (
    UNCOMPARED,
    WRITES,
    Seen,
    Step,
    clash_line,
    line,
    status_text,
    told,
    why_text,
)

START, TICK = 1_750_000_000_000, 1_000  # ms: the clock of the source
AGENT = "AgentKeeper"
BELIEVED, KNOWN, SHIPPED, WAITING = 1, 2, 8, 16
OVER_BELIEVED = "the root over what is believed"

_HANDLE = re.compile(r"\(H (:[a-z0-9]+)\)")
_NAMED = re.compile(r'\(sentexHandle "([^"]+)"\)')


class SentexSeen(NamedTuple):
    """A stored sentex as the source tells of one."""

    line: str
    believed: bool


class Ticking:
    """The source's clock: every reading is a second later."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> int:
        self.time += TICK
        return self.time


def options(text: str) -> dict[str, Term]:
    """Read a map of the source, `{:strength :monotonic}`; Term by its key."""
    listed = read(text.replace("{", "(").replace("}", ")").replace(",", " "))
    assert isinstance(listed, tuple)
    keys, values = listed[::2], listed[1::2]
    return {
        write(key).removeprefix(":"): value
        for key, value in zip(keys, values, strict=True)
    }


def strength_of(given: dict[str, Term]) -> str | None:
    named = given.get("strength")
    return write(named).removeprefix(":") if isinstance(named, Keyword) else None


class Player:
    """One seat on which the steps of a scenario are played in turn."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self._locators: dict[str, str] = {}  # by the source's label
        self._numbers: dict[str, object] = {}  # the source's handles, by locator
        self._play: dict[str, Callable[..., object]] = {
            ":assert": self._assert,
            ":retract": self._retract,
            ":retract-s": self._retract_sentence,
            ":edit": self._edit,
            ":fwd": lambda: "done",  # every firing is drawn when it can be
            ":label": self._label,
            ":ask?": lambda goal, context: bool(self._ask(goal, context)),
            ":ask": self._ask,
            ":query": lambda goal, context, _depth: self._ask(goal, context),
            ":argue": self._argue,
            ":in?": self._is_believed,
            ":sees": self._sees,
            ":isa": self._isa,
            ":handle-of": lambda text, context: self._is_stored(
                self.seat.locate(text, context)
            ),
            ":matching": self._matching,
            ":status": self._status,
            ":why": self._why,
            ":contradictions": lambda: self.clashes(seat.contradictions()),
            ":conflicts": lambda: self.clashes(seat.conflicts()),
            ":disputes-in": lambda context: [
                *self.clashes(seat.contradictions(context)),
                *self.clashes(seat.conflicts(context)),
            ],
            ":locator-of": self._locator_of,
            ":locate": seat.locate,
            ":marker": self._marker,
        }

    @property
    def operations(self) -> frozenset[str]:
        """The operations that can be played."""
        return frozenset(self._play)

    # Steps -------------------------------------------------------------------

    def step(self, step: Step) -> Seen:
        """Play one step; say what was seen of it."""
        name, *words = step["op"]
        if name in UNCOMPARED:
            return {}
        before = self.stored()
        seen: Seen = {"result": self.step_named(name, words, step.get("result"))}
        if name in WRITES:
            seen |= self._delta(before, self.stored())
            seen["root"] = self.root(step["user_root"])
        return seen

    def end(self, scenario: Step) -> Seen:
        """Say how the seat stands after the last step."""
        self._check_locators(scenario["final"])
        return {
            "final": [one.line for one in self.stored().values()],
            "contradictions": self.clashes(self.seat.contradictions()),
            "conflicts": self.clashes(self.seat.conflicts()),
            "root": self.root(scenario["final_commit_id"] or ""),
        }

    def step_named(self, name: str, words: list[Any], handle: object) -> object:
        """Play one operation; `handle` is the source's for what it asserts."""
        given = [self.named(word) if isinstance(word, str) else word for word in words]
        try:
            if name in (":assert", ":label"):
                return self._play[name](handle, *given)
            return self._play[name](*given)
        except KoiniiError as error:
            return f"refused {error.code}"

    def named(self, text: str) -> str:
        """Put locators where the source's text has (H :label)."""
        return _HANDLE.sub(
            lambda found: f'(sentexHandle "{self._locators[found[1]]}")', text
        )

    # Writing -----------------------------------------------------------------

    def _assert(
        self,
        handle: object,
        label: str,
        text: str,
        context: str = "CxUniverse",
        given: str = "{}",
    ) -> str:
        strength = strength_of(options(given))
        if isinstance(handle, list):  # one rule for each conclusion
            self.seat.edit(add=[text], context=context)
            return "done"
        self._locators[label] = self.seat.locate(text, context)
        said = self.seat.assert_(text, context=context, strength=strength)
        self._locators[label] = said
        if handle is not None:
            self._numbers[said] = handle
        return "done"

    def _label(self, handle: object, label: str, text: str, context: str) -> bool:
        self._locators[label] = self.seat.locate(text, context)
        self._numbers[self._locators[label]] = handle
        return self._is_stored(self._locators[label])

    def _retract(self, label: str) -> str:
        self.seat.retract(self._locators[label])
        return "done"

    def _retract_sentence(self, text: str, context: str) -> str:
        self.seat.retract(self.seat.locate(text, context))
        return "done"

    def _edit(self, text: str) -> str:
        batch = options(text)
        add, remove = batch["add"], batch["remove"]
        assert isinstance(add, tuple)
        assert isinstance(remove, tuple)
        with self.seat.kb.write():  # one operation: `edit` takes no strengths
            for entry in add:
                assert isinstance(entry, tuple)
                sentence, context, *given = entry
                self.seat.assert_(
                    sentence, context=write(context), strength=_strength_in(given)
                )
            self.seat.edit(remove=[self._locators[write(label)] for label in remove])
        return "done"

    # Reading -----------------------------------------------------------------

    def _ask(self, goal: str, context: str | None) -> list[str]:
        return sorted(
            " ".join(f"{name}={write(value)}" for name, value in sorted(row.items()))
            for row in self.seat.ask(goal, context=context)
        )

    def _isa(self, one: str, kind: str) -> bool:
        places = {sentex.context for sentex in self.seat.believed()}
        return any(self._ask(f"({kind} {one})", place) for place in places)

    def _argue(self, text: str, context: str, _depth: str = "") -> str:
        verdict = self.seat.argue(text, context)
        return f"{verdict.verdict} {len(verdict.supporting)}:{len(verdict.opposing)}"

    def _is_believed(self, label: str) -> bool:
        wanted = self._locators[label]
        return any(one.locator == wanted for one in self.seat.believed())

    def _sees(self, context: str, other: str) -> bool:
        return self.seat.kb.lattice().sees(context, other)

    def _matching(self, pattern: str, context: str) -> list[str]:
        assert context == "?ctx"
        goal = read(pattern)
        return sorted(
            f"{place} {write(substitute(goal, row))}"
            for place in {one.context for one in self.seat.believed()}
            for row in self.seat.ask(goal, context=place, scope="exact")
        )

    def _status(self, label: str, context: str) -> str:
        text = self.stored()[self._locators[label]].line.split(" ", 1)[1]
        sentence = text.rsplit(" ", 3)[0]
        return status_text(
            stored=self._is_stored(self._locators[label]),
            believed=self._is_believed(label),
            visible=bool(list(self.seat.ask(sentence, context=context))),
        )

    def _why(self, label: str) -> str:
        tree = self.seat.why(self._locators[label])
        grounds = [
            [self._numbers[child["locator"]] for child in support["because"]]
            for support in tree["support"]
        ]
        return why_text(tree["premise"], grounds)

    def _is_stored(self, locator: str) -> bool:
        return locator in self.stored()

    def _locator_of(self, label: str) -> str | None:
        locator = self._locators.get(label)
        return locator if locator and self._is_stored(locator) else None

    def _marker(self, label: str) -> str:
        marker = self.seat.marker(self._locators[label])
        return f"{marker.locator} {marker.sentence} {marker.context}"

    def clashes(self, clashes: Iterable[Any]) -> list[str]:
        """Tell clashes as lines, in the order given, and so their sides."""
        return [
            clash_line(
                clash.kind,
                [
                    (side.context, self.tell(_text(side.sentence)), side.strength)
                    for side in clash.sides
                ],
            )
            for clash in clashes
        ]

    # What is stored ----------------------------------------------------------

    def stored(self) -> dict[str, SentexSeen]:
        """Return what is stored by locator, as the source counts: not what waits."""
        rows = self.seat.database.connection.execute(
            "SELECT context.name, digest, body, label, EXISTS"
            " (SELECT 1 FROM assertion WHERE assertion.sentex = sentex.id)"
            " FROM sentex JOIN context ON context.id = sentex.context"
            " WHERE label & ? = 0",
            (SHIPPED | WAITING,),
        )
        return {
            f"sha256:{digest.hex()}": SentexSeen(
                line(
                    context,
                    self.tell(write(decode(body))),
                    _class_of(label),
                    premise=bool(premise),
                ),
                bool(label & BELIEVED),
            )
            for context, digest, body, label, premise in rows
        }

    def tell(self, text: str) -> str:
        """Put the source's handles where our text names locators."""
        return _NAMED.sub(
            lambda found: f"(sentexHandle {self._numbers.get(found[1], '?')})", text
        )

    def _delta(
        self, before: dict[str, SentexSeen], after: dict[str, SentexSeen]
    ) -> Seen:
        kept = before.keys() & after.keys()
        changed = [one for one in kept if before[one] != after[one]]
        entered = [one for one in changed if not before[one].believed]
        left = [one for one in changed if not after[one].believed]
        return {
            "stored": [after[one].line for one in after.keys() - kept],
            "removed": [before[one].line for one in before.keys() - kept],
            "became_in": [after[one].line for one in entered if after[one].believed],
            "became_out": [after[one].line for one in left if before[one].believed],
            "changed": [after[one].line for one in changed],
        }

    def root(self, theirs: str) -> str:
        """Return the source's root where it is ours; ours is over the believed."""
        root, size = self.seat.kb.root()
        believed = [at for at, one in self.stored().items() if one.believed]
        leaves = sorted((at.encode() for at in believed), key=_leaf_hash)
        assert (root, size) == (defined_root(leaves), len(leaves))
        return theirs if theirs == f"sha256:{root.hex()}" else OVER_BELIEVED

    def _check_locators(self, final: list[Step]) -> None:
        """Hold the source's locators to ours where a sentence names no handle."""
        ours = {one.line: at for at, one in self.stored().items()}
        for entry in final:
            locator = ours.get(told(entry))
            if locator is not None and "sentexHandle" not in entry["sentence"]:
                assert locator == entry["locator"], entry


def _class_of(label: int) -> str | None:
    if not label & BELIEVED:
        return None
    return "monotonic" if label & KNOWN else "default"


def _text(sentence: str | Term) -> str:
    return sentence if isinstance(sentence, str) else write(sentence)


def _strength_in(given: list[Term]) -> str | None:
    return strength_of(options(write(given[0]))) if given else None


def _leaf_hash(locator: bytes) -> bytes:
    return sha256(b"\x00" + locator).digest()
