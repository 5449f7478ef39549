"""What the source of `behaviour.json` saw, in the words of `behaviour_runner.py`.

A step is seen as fields: `result`, and for an operation that writes the delta
(`stored`, `removed`, `became_in`, `became_out`, `changed`) and `root`. A whole
scenario ends with `final`, `contradictions`, `conflicts` and `root`. Sentexes are
told as lines,

    CxA (not (reliable ProdCluster)) premise default in

and by the numbers the source gave them where a sentence names one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Seen = dict[str, object]
Step = dict[str, Any]

DELTA = ("stored", "removed", "became_in", "became_out", "changed")
WRITES = frozenset({":assert", ":retract", ":retract-s", ":edit", ":fwd"})

# Operations of the source that have no counterpart, and why.
UNCOMPARED = {
    ":violations": "koinii keeps no list of refusals; clashes are contradictions",
    ":contested": "tests/coordination/test_contested.py has what rests on a dispute",
}
# Scenarios in which agents talk: `behaviour_talk.py` plays them.
TALKS = {
    "koinii dispute: contested derived, arbiter ruling, reopen": "adjudication",
    "koinii two arbiters conflict": "adjudication",
    "koinii majority vote, tie, swing, spoiled": "adjudication",
    "koinii stale sweep": "disputes",
    "koinii registry trust": "the registry",
    "koinii belief: believe-own, convene, disregard": "stances",
    "koinii reply-many inadmissible": "channels",
    "koinii dispute of a negated claim double-negates away": "channels",
    "koinii ruling defeats globally also outside the channel": "adjudication",
    "koinii three agents two channels": "channels",
}


def theirs(step: Step) -> Seen:
    """Return the fields of a step as the source saw them."""
    name = step["op"][0]
    if name in UNCOMPARED:
        return {}
    seen: Seen = {"result": _their_result(name, step)}
    if name in WRITES:
        delta = step.get("delta") or {}
        seen |= {field: list(map(told, delta.get(field, ()))) for field in DELTA}
        seen["root"] = step["user_root"]
    return seen


def their_end(scenario: Step) -> Seen:
    """Return the fields of a scenario's end as the source saw them."""
    return {
        "final": list(map(told, scenario["final"])),
        "contradictions": _their_clashes(scenario["contradictions"]),
        "conflicts": _their_clashes(scenario["conflicts"]),
        "root": scenario["final_commit_id"] or "",
    }


def told(entry: Step) -> str:
    """Tell an entry of the source as a line."""
    return line(
        entry["context"],
        entry["sentence"],
        entry["defeat_class"] if entry["in"] else None,
        premise=entry["premise"],
    )


def _their_result(name: str, step: Step) -> object:
    if "error" in step:
        return "refused " + step["error"].removeprefix(":")
    convert = _THEIR_RESULTS.get(name)
    return step["result"] if convert is None else convert(step["result"])


def _their_clashes(clashes: list[Step]) -> list[str]:
    return [
        clash_line(
            clash["kind"] or "rebuttal",
            [
                (side["context"], side["sentence"], side["defeat_class"])
                for side in clash["sides"]
            ],
        )
        for clash in clashes
    ]


def _their_bindings(rows: list[dict[str, str]]) -> list[str]:
    return sorted(
        " ".join(f"{name}={value}" for name, value in sorted(row.items()))
        for row in rows
    )


_THEIR_RESULTS: dict[str, Callable[[Any], object]] = {
    ":assert": lambda _: "done",
    ":retract": lambda _: "done",
    ":retract-s": lambda _: "done",
    ":edit": lambda _: "done",
    ":fwd": lambda _: "done",
    ":label": lambda handle: handle is not None,
    ":handle-of": lambda handle: handle is not None,
    ":ask": _their_bindings,
    ":query": _their_bindings,
    ":argue": lambda seen: f"{seen['verdict']} {seen['for_n']}:{seen['against_n']}",
    ":matching": lambda rows: sorted(f"{place} {text}" for text, place in rows),
    ":status": lambda seen: status_text(
        stored=seen["stored?"], believed=seen["in?"], visible=seen["visible?"]
    ),
    ":why": lambda seen: why_text(
        seen["premise"], [support["because"] for support in seen["support"]]
    ),
    ":contradictions": _their_clashes,
    ":conflicts": _their_clashes,
    ":disputes-in": _their_clashes,
    ":marker": lambda seen: f"{seen['locator']} {seen['sentence']} {seen['context']}",
}


# Words for what either saw ----------------------------------------------------


def line(context: str, text: str, strength: str | None, *, premise: bool) -> str:
    kind = "premise" if premise else "derived"
    state = "out" if strength is None else f"{strength} in"
    return f"{context} {text} {kind} {state}"


def clash_line(kind: str, sides: list[tuple[str, str, str]]) -> str:
    return f"{kind}: " + " against ".join(" ".join(side) for side in sides)


def why_text(premise: object, grounds: list[list[object]]) -> str:
    told_grounds = sorted(",".join(map(str, sorted(map(str, g)))) for g in grounds)
    return f"premise={premise} because {' or '.join(told_grounds)}"


def status_text(*, stored: object, believed: object, visible: object) -> str:
    return f"stored={stored} in={believed} visible={visible}"
