"""Plays the scenarios of `behaviour.json` in which agents talk, and says what was seen.

Of each step the result, in the words below; at the end what agents have said in their
own contexts, and the clashes. Handles, roots and marks are this program's own, and
channels are declared before the first step, which the source does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import koinii
from koinii.coordination.adjudication import Adjudication
from koinii.coordination.dispute_id import DisputeId
from koinii.coordination.seat import CoordinationSeat
from koinii.terms import read, write
from vectors.behaviour_runner import Player, Ticking
from vectors.behaviour_source import Seen, Step, their_end, theirs

CALLER = "AgentCaller"  # who calls counts: the source's majority has no agent
_PLACES = ("CxUniverse", "CxDisputes", "CxSpeechActs", "CxRegistry", "CxCore")


def agents_of(scenario: Step) -> list[str]:
    """Return the agents that a scenario names, and who calls counts."""
    words = {
        word.strip("[]")
        for step in scenario["steps"]
        for part in step["op"][1:]
        if isinstance(part, str)
        for word in part.split()
    }
    return sorted({one for one in words if one.startswith("Agent")} | {CALLER})


def channels_of(scenario: Step) -> list[str]:
    ops = [step["op"] for step in scenario["steps"]]
    return sorted({op[2] for op in ops if op[0] == ":join"})


def make_room(path: Path, scenario: Step) -> CoordinationSeat:
    """Make a seat with the agents and channels of a scenario, and an admin."""
    first, *others = agents_of(scenario)
    seat = koinii.init(path, agent=first, now=Ticking())
    for name in others:
        seat.new_agent(name)
    for name in channels_of(scenario):
        seat.new_channel(name)
    seat.admin_init()
    return seat


class Talker(Player):
    """A seat whose agents play the steps of a conversation."""

    def __init__(self, seat: CoordinationSeat) -> None:
        super().__init__(seat)
        self.room = seat
        self._dispute: DisputeId | None = None
        self._labels = self._locators
        self._play |= {
            ":join": self._join,
            ":say": self._say,
            ":dispute": lambda label, agent, target: self._label_act(
                label, self._voice(agent).dispute(self._labels[target])
            ),
            ":vote": lambda label, agent, stance, target: self._label_act(
                label, self._voice(agent).vote(stance[1:], self._labels[target])
            ),
            ":reply-many": self._reply_many,
            ":save-dispute": self._save,
            ":dispute-state": lambda: self.room.disputes.state(self.saved),
            ":notify": lambda channel: len(self.room.adjudication.notify(channel)),
            ":sweep": lambda channel, most: len(
                Adjudication(self.room, timeout_ms=most).sweep(channel)
            ),
            ":pending": lambda channel: len([*self.room.disputes.pending(channel)]),
            ":rule": self._rule,
            ":who-ruled": self._who_ruled,
            ":tally": lambda label: self._tally(self._labels[label]),
            ":majority": self._majority,
            ":register": self._register,
            ":trust-of": self.room.registry.trust_of,
            ":agents": self.room.registry.agents,
            ":set-trust": self._set_trust,
            ":believe-own": lambda agent: self.room.stances.believe_own(agent=agent),
            ":would-believe": self.room.stances.would_believe,
            ":project": self._project,
            ":convene": self._convene,
            ":disagreements": self._disagreements,
            ":disregard": self._disregard,
            ":restore": self._restore,
            ":retract": self._take_back,
            ":argue": self._verdict,
        }

    @property
    def saved(self) -> DisputeId:
        assert self._dispute is not None
        return self._dispute

    def end(self, scenario: Step) -> Seen:
        return {
            "final": [
                one.line
                for one in self.stored().values()
                if not one.line.startswith(_PLACES) and " premise " in one.line
            ],
            "contradictions": self.clashes(self.seat.contradictions()),
            "conflicts": self.clashes(self.seat.conflicts()),
        }

    def step(self, step: Step) -> Seen:
        name, *words = step["op"]
        return {"result": self.step_named(name, words, step.get("result"))}

    def step_named(self, name: str, words: list[Any], handle: object) -> object:
        before = {*self._labels}
        seen = super().step_named(name, words, handle)
        for label in {*self._labels} - before:
            if isinstance(handle, int):
                self._numbers[self._labels[label]] = handle
        return seen

    # Acts ----------------------------------------------------------------------

    def _voice(self, agent: str) -> Any:
        (channel, *_) = self.room.channels()
        return self.room.channel(channel, agent=agent)

    def _label_act(self, label: str, locator: str) -> str:
        self._labels[label] = locator
        return "done"

    def _join(self, agent: str, channel: str) -> str:
        return self.room.channel(channel, agent=agent).context

    def _say(self, label: str, agent: str, sentence: str) -> str:
        return self._label_act(label, self.room.assert_(sentence, agent=agent))

    def _reply_many(self, agent: str, sentences: str) -> str:
        said = read(sentences.replace("[", "(").replace("]", ")"))
        assert isinstance(said, tuple)
        self._voice(agent).reply_many(said)
        return "done"

    def _take_back(self, label: str) -> str:
        locator = self._labels[label]
        (first, *_) = self.room.show(locator).authors  # type: ignore[union-attr]
        self.room.retract(locator, agent=first.agent)
        return "done"

    def _verdict(self, text: str, context: str) -> str:
        found = self.room.argue(text, context)
        sides = bool(found.supporting), bool(found.opposing)
        return f"{found.verdict} {sides[0]:d}:{sides[1]:d}"

    # Settling --------------------------------------------------------------------

    def _save(self, channel: str) -> str:
        (found,) = self.room.disputes.every(channel)
        self._dispute = found.id
        return "done"

    def _rule(self, label: str, arbiter: str, upheld: str, channel: str) -> str:
        ruled = self.room.adjudication.rule(arbiter, self.saved, upheld, channel)
        return self._label_act(label, ruled)

    def _who_ruled(self, label: str) -> str | None:
        found = self.room.adjudication.who_ruled(self._labels[label])
        return found and f"{found.arbiter} {len(found.dispute_ids)}"

    def _tally(self, claim: str) -> str:
        (channel,) = self.room.channels()
        found = self.room.adjudication.tally(claim, channel)
        return f"for {found.for_} against {found.against}"

    def _majority(self, _: str, claim: str, channel: str) -> str:
        found = self.room.adjudication.resolve_by_majority(
            self.saved, self._labels[claim], channel, agent=CALLER
        )
        return (
            f"for {found.for_} against {found.against} {found.outcome}"
            f" ruling={found.ruling is not None} withdrawn={len(found.withdrawn)}"
        )

    # Stances and the registry ------------------------------------------------------

    def _register(self, agent: str, name: str, trust: int) -> str:
        self.room.registry.register(agent, name, trust)
        return agent

    def _set_trust(self, agent: str, trust: int) -> str:
        self.room.registry.set_trust(agent, trust)
        return "done"

    def _project(self, agent: str, goal: str) -> list[str]:
        rows = self.room.stances.project(agent, goal)
        return sorted(f"{name}={write(row[name])}" for row in rows for name in row)

    def _convene(self, context: str, agents: str) -> str:
        self.room.stances.convene(context, agents.strip("[]").split())
        return context

    def _disagreements(self, context: str) -> list[str]:
        return [
            " and ".join(f"{one.agent} {write(one.sentence)}" for one in found.sides)
            for found in self.room.stances.disagreements(context)
        ]

    def _disregard(self, label: str, agent: str, target: str) -> str:
        mask = self.room.stances.disregard(self._labels[target], agent=agent)
        return self._label_act(label, mask)

    def _restore(self, label: str) -> str:
        return self._take_back(label)


# What the source saw --------------------------------------------------------------


def they_saw(step: Step) -> Seen:
    """Return the result of a step as the source saw it, in the words above."""
    convert = _RESULTS.get(step["op"][0])
    if "error" in step or convert is None:
        return {"result": theirs(step)["result"]}
    return {"result": convert(step["result"])}


def they_ended(scenario: Step) -> Seen:
    """Return the end of a scenario as the source saw it, in the words above."""
    seen = their_end(scenario)
    lines = seen["final"]
    assert isinstance(lines, list)
    return {
        "final": [
            one for one in lines if not one.startswith(_PLACES) and " premise " in one
        ],
        "contradictions": seen["contradictions"],
        "conflicts": seen["conflicts"],
    }


def _count(found: dict[str, Any]) -> str:
    told = f"for {found['for']} against {found['against']}"
    if "outcome" not in found:
        return told
    ruling = found["ruling"] is not None
    gone = len(found["withdrawn"])
    return f"{told} {found['outcome']} ruling={ruling} withdrawn={gone}"


def _differences(found: list[dict[str, Any]]) -> list[str]:
    return [
        " and ".join(f"{side['agent']} {side['sentence']}" for side in one["sides"])
        for one in found
    ]


def _done(_: object) -> str:
    return "done"


_RESULTS: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(
        (":say", ":dispute", ":vote", ":reply-many", ":save-dispute", ":rule"), _done
    ),
    **dict.fromkeys((":set-trust", ":disregard", ":restore"), _done),
    **dict.fromkeys((":notify", ":sweep", ":pending"), len),
    **dict.fromkeys((":tally", ":majority"), _count),
    ":who-ruled": lambda found: f"{found['arbiter']} {len(found['dispute-ids'])}",
    ":agents": lambda text: sorted(text.strip("()").split()),
    ":project": lambda rows: sorted(f"{k}={v}" for row in rows for k, v in row.items()),
    ":disagreements": _differences,
}
