"""Whose key signed a set: from the introduction, by rotations, to the statement.

    introduction -> its key -> rotation signed by that key -> the next key -> …
        -> the key in effect at the commit of the set -> authored statement

A document shows the rotations up to the set's commit, oldest first, and leaves
the list out where there are none. It cannot show that there are no others, nor
that no key was revoked.
"""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import KoiniiError
from koinii.history.document import Fields, refused
from koinii.note.decisions import ADMIN
from koinii.note.keys import PublicKey
from koinii.note.signed import parse_note
from koinii.note.statements import (
    Authored,
    Introduction,
    Rotation,
    open_authored,
    open_introduction,
    open_statement,
    parse_statement,
)

MAX_ROTATIONS = 64
AUTHOR = frozenset({"authored", "introduction"})
ROTATED = frozenset({"rotations"})


class Author(NamedTuple):
    """A signed set, and the agent's keys from the first to the one that signed it."""

    authored: Authored
    keys: tuple[PublicKey, ...]
    numbers: tuple[int, ...]  # of the commits from which the later keys sign

    def told(self) -> list[str]:
        """Return what was checked of the keys, link by link."""
        agent = self.authored.agent
        if not self.numbers:
            return []
        moves = zip(self.keys[1:], self.numbers, strict=True)
        return [
            f"{agent} introduced itself with the key {self.keys[0].fingerprint}",
            *(
                f"the key before it signed that {agent} signs with "
                f"{key.fingerprint} from commit {number} on"
                for key, number in moves
            ),
        ]

    def assumes(self) -> list[str]:
        """Return what rotations leave open."""
        if not self.numbers:
            return []
        return [
            f"the keys of {self.authored.agent} from {self.keys[0].fingerprint} on "
            "were not revoked: revocations are not shown"
        ]


def open_author(fields: Fields) -> Author:
    """Return the signed set of an author, every link from its first key checked."""
    introduction = open_introduction(fields.text("introduction").encode())
    chain = _Chain(introduction)
    for note in _rotations(fields):
        chain.rotate(note.encode())
    authored = open_authored(fields.text("authored").encode(), chain.keys[-1])
    if (authored.agent, authored.seat) != (introduction.agent, introduction.seat):
        raise refused("the statement and the introduction are not of one agent")
    if chain.numbers and chain.numbers[-1] > authored.number:
        raise refused("a key that signs from a later commit on has not signed the set")
    return Author(authored, tuple(chain.keys), tuple(chain.numbers))


def _rotations(fields: Fields) -> list[str]:
    if not fields.has("rotations"):
        return []
    found = fields.words("rotations")
    if not 0 < len(found) <= MAX_ROTATIONS:
        raise refused(f"rotations are none, or more than {MAX_ROTATIONS}")
    return found


class _Chain:
    """The keys of an agent at a seat, as far as its statements lead."""

    def __init__(self, introduction: Introduction) -> None:
        self.keys = [introduction.key]
        self.numbers: list[int] = []
        self._whose = introduction.agent, introduction.seat

    def rotate(self, note: bytes) -> None:
        """Go on to the key that a rotation names, which the newest key signed."""
        one = parse_statement(parse_note(note).claimed_text)
        if not isinstance(one, Rotation):
            raise refused("a rotation is none")
        if (one.agent, one.seat) != self._whose or one.agent == ADMIN:
            raise refused("a rotation is of another agent or seat, or of the admin")
        old = self.keys[-1]
        if one.old_key_hash != old.key_hash or one.key in self.keys:
            raise refused("a rotation does not lead on from the key before it")
        if self.numbers and one.number < self.numbers[-1]:
            raise refused("a rotation is of an earlier commit than the one before it")
        if old not in _signers(note, one, old):
            raise refused("a rotation is not signed by the key before it")
        self.keys.append(one.key)
        self.numbers.append(one.number)


def _signers(note: bytes, one: Rotation, old: PublicKey) -> list[PublicKey]:
    try:
        _, signers = open_statement(note, one.agent, [old, one.key])
    except KoiniiError as error:
        raise refused(f"a rotation: {error.message}") from error
    return list(signers)
