"""Why, why not, and who disagrees, as lines of text: the sentence comes first.

A locator is cut to its first digits, which are enough to name it. What stands
deeper stands on the right of what it supports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from koinii.faces.actions import Named

_DIGITS = 12
_MARKS = {
    "shipped": "of the vocabulary",
    "waiting": "waiting for what it names",
    "cycle": "stands on itself, as above",
    "again": "as above",
    "truncated": "its reasons lie deeper: koinii why",
}


def tree(node: Named) -> Iterator[str]:
    """Yield a tree of reasons, one claim or rule a line."""
    if node.get("stored") is False:
        yield f"{_short(node['locator'])}  not stored here"
        return
    yield f"{_claim(node)}  {', '.join(_notes(node))}"
    for reason in node["support"]:
        yield f"  from {_rule(reason)}"
        yield from (f"    reading {need}" for need in reason["needs"])
        yield from (f"    through {edge}" for edge in reason["edges"])
        for below in reason["because"]:
            yield from (f"    {line}" for line in tree(below))


def absence(found: Named) -> Iterator[str]:
    """Yield why a context does not give a sentence."""
    yield found["reason"]
    yield f"sentence  {_claim(found)}"
    for name, label in _PARTS.items():
        for one in found.get(name, ()):
            yield f"{label:8}  {_part(one)}"


def clash(found: Named) -> list[str]:
    """Return a clash: its kind, and its two sides below."""
    return [found["kind"], *(f"  {_side(one)}" for one in found["sides"])]


def dispute(found: Named) -> list[str]:
    """Return a dispute: its id as `rule` takes it, how it stands, and its sides."""
    named = "+".join(map(_short, found["id"].split()))
    head = f"{named}  {found['state']} {found['dispute_class']}, {found['kind']}"
    return [head, *(f"  {_side(one)}" for one in found["sides"])]


def event(found: Named) -> Iterator[str]:
    """Yield what an event moved, one claim a line."""
    number = found["number"]
    if found["lagged"]:
        yield f"{number} lagged {found['lagged']}"
    for one in found["added"]:
        kind = "premise" if one["premise"] else "derived"
        yield f"{number} added {kind} {_whole(one)}"
    for one in found["removed"]:
        yield f"{number} removed {one['reason']} {_whole(one)}"


_PARTS = {  # what a reason is about, and how it is called
    "sentexes": "given by",
    "masks": "mask",
    "contradicted_by": "against",
    "missing": "missing",
    "held": "held",
    "contexts": "in",
}


def _part(part: str | Named) -> str:
    if isinstance(part, str):
        return part
    if "sentence" not in part:
        where = f"{part['agent']} at {part['seat']} in {part['context']}"
        return f"{part['reason']}: {where}"
    if "kind" in part:
        return f"{_side(part)}, {part['kind']}"
    said = _said_by(part)
    return f"{_claim(part)}  {said}" if said else _claim(part)


def _side(side: Named) -> str:
    return f"{_claim(side)}  {side['strength']}"


def _claim(claim: Named) -> str:
    return f"{claim['sentence']}  {claim['context']} {_short(claim['locator'])}"


def _whole(entry: Named) -> str:
    return f"{entry['locator']} {entry['context']} {entry['sentence']}"


def _rule(reason: Named) -> str:
    rule = {**reason, "locator": reason["rule"]}
    said = _MARKS["shipped"] if "shipped" in reason else _said_by(reason)
    strict = "strict" if reason["strict"] else "default"
    return f"{_claim(rule)}  {', '.join(filter(None, (strict, said)))}"


def _notes(node: Named) -> Iterable[str]:
    """Yield what there is to say of a claim besides itself."""
    if not node["believed"]:
        yield "not believed"
    yield node["strength"]
    if node["authors"]:
        yield _said_by(node)
    if node.get("called_by"):
        yield f"a count called by {', '.join(node['called_by'])}"
    yield from (text for mark, text in _MARKS.items() if node.get(mark))


def _said_by(node: Named) -> str:
    agents = dict.fromkeys(
        one["agent"] + manner(one.get("wrappers")) for one in node.get("authors", ())
    )
    return f"said by {', '.join(agents)}" if agents else ""


def manner(wrappers: list[str] | None) -> str:
    """Return how an author says a rule, as what follows its name; '' if bare."""
    return f" ({' '.join(wrappers)} rule)" if wrappers else ""


def draws_nothing(authors: Iterable[list[str] | None]) -> list[str]:
    """Return a note, where all authors of a rule say it inert."""
    told = list(authors)
    inert = bool(told) and all("inert" in (one or ()) for one in told)
    return ["an inert rule draws nothing"] if inert else []


def _short(locator: str) -> str:
    return locator.removeprefix("sha256:")[:_DIGITS]
