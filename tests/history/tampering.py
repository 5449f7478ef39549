"""Documents with one thing changed, and what a verifier says of them."""

import copy
from typing import Any

from history.stand_alone import verify


def reason(document: object, **expected: Any) -> str:
    """Return why a document is refused, by ours and the stand-alone verifier."""
    verdict = verify(document, **expected)
    assert not verdict
    assert verdict.assumes == []
    assert verdict.reason
    return verdict.reason


def place_of(document: dict[str, Any], path: str) -> tuple[Any, Any]:
    """Return what holds the field at `a.0.b`, and its name there."""
    *outer, name = path.split(".")
    place: Any = document
    for one in outer:
        place = place[int(one) if isinstance(place, list) else one]
    return place, int(name) if isinstance(place, list) else name


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy with the field at `a.0.b` set."""
    whole = copy.deepcopy(document)
    place, name = place_of(whole, path)
    place[name] = value
    return whole


def fields(value: object, path: str = "") -> list[str]:
    """Return the path of every field and item of a document."""
    inner: list[tuple[str, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = [(str(at), one) for at, one in enumerate(value)]
    found = [f"{path}{name}" for name, _ in inner]
    return found + [
        deep for name, one in inner for deep in fields(one, f"{path}{name}.")
    ]
