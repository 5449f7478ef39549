"""A seat kept as one dictionary of live assertions, and what follows from it.

Shares no code with `koinii`: lines, locators (spec B.8.1) and both kinds of root
are worked out here, for sentences of symbols, strings, small integers and lists.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from reference.rfc6962 import defined_root

STRENGTHS = ("default", "monotonic")
_TOKEN = re.compile(r'\(|\)|"(?:[^"\\]|\\.)*"|[^\s()"]+')


class Place(NamedTuple):
    """Where one author's assertion stands."""

    agent: str
    context: str
    sentence: str  # its canonical text


class Live(NamedTuple):
    strength: int
    created: int


Seat = dict[Place, Live]


def said_again(earlier: Live | None, later: Live) -> Live:
    """An author's repeated assertion: the stronger strength, the earlier time."""
    if earlier is None:
        return later
    return Live(
        max(earlier.strength, later.strength), min(earlier.created, later.created)
    )


def line(sentence: str, live: Live) -> str:
    return f"{STRENGTHS[live.strength]} {live.created} {sentence}"


def lines(seat: Seat, agent: str, context: str) -> dict[str, str]:
    """The live lines of one author in one context, by locator."""
    return {
        locator(context, place.sentence): line(place.sentence, live)
        for place, live in seat.items()
        if (place.agent, place.context) == (agent, context)
    }


def believed(seat: Seat) -> set[tuple[str, str]]:
    """What is said, without the defaults whose negation is known in their context.

    For seats without rules or edges, whose agents are all arbiters: a context is
    seen from nowhere but itself.
    """
    said = {(place.context, place.sentence) for place in seat}
    known = {place[1:] for place, live in seat.items() if live.strength}
    return {
        one for one in said if one in known or (one[0], negation(one[1])) not in known
    }


def negation(sentence: str) -> str:
    inner = re.fullmatch(r"\(not (.*)\)", sentence)
    return f"(not {sentence})" if inner is None else inner[1]


def commit_root(seat: Seat) -> str:
    """The root over the locators of what is believed, sorted by leaf hash."""
    leaves = [locator(*one).encode() for one in believed(seat)]
    return f"sha256:{sorted_root(leaves).hex()}"


def authored(seat: Seat, agent: str) -> tuple[str, int]:
    """The two-level root over an author's live lines (formats section 3)."""
    tops = []
    for context in {place.context for place in seat if place.agent == agent}:
        mine = [one.encode() for one in lines(seat, agent, context).values()]
        tops.append(f"{context} {len(mine)} {sorted_root(mine).hex()}".encode())
    size = sum(place.agent == agent for place in seat)
    return defined_root(sorted(tops)).hex(), size


def sorted_root(leaves: list[bytes]) -> bytes:
    return defined_root(sorted(leaves, key=lambda data: sha256(b"\0" + data).digest()))


def locator(context: str, sentence: str) -> str:
    truth = b"\x09\x00" + sized(b"false" if sentence.startswith("(not ") else b"true")
    body = b"\x0b\x00\x00\x00\x03" + symbol(context) + truth + encoded(sentence)
    return f"sha256:{sha256(body).hexdigest()}"


def encoded(text: str) -> bytes:
    """The encoding of a sentence, from its text."""
    stack: list[list[bytes]] = [[]]
    for piece in _TOKEN.findall(text):
        if piece == "(":
            stack.append([])
        elif piece == ")":
            parts = stack.pop()
            count = len(parts).to_bytes(4, "big")
            stack[-1].append(b"\x0b" + count + b"".join(parts))
        else:
            stack[-1].append(atom(piece))
    return stack[0][0]


def atom(piece: str) -> bytes:
    if piece[0] == '"':
        inner = piece[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        return b"\x08" + sized(inner.encode())
    if piece.lstrip("-").isdecimal():
        return b"\x03" + int(piece).to_bytes(8, "big", signed=True)
    return symbol(piece)


def symbol(text: str) -> bytes:
    return b"\x0a\x00" + sized(text.encode())


def sized(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def folded(segments: list[str], context: str) -> dict[str, str]:
    """The live lines that segments, oldest first, come to."""
    live: dict[str, str] = {}
    for segment in segments:
        for change in segment.splitlines():
            if change.startswith("- "):
                live.pop(change[2:], None)
            else:
                sentence = change.split(" ", 3)[3]
                live[locator(context, sentence)] = change[2:]
    return live
