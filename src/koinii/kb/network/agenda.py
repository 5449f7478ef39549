"""What the steps of one operation leave for each other to do."""

from __future__ import annotations


class Agenda:
    """Rows, firings and footings that are noted and not dealt with yet."""

    def __init__(self, done: int) -> None:
        self.done = done  # rows up to here are taken in
        self.woken: list[int] = []  # waited, and may have no more to wait for
        self.affected: set[int] = set()  # whose defeat is to be decided
        self.falling: set[int] = set()  # may have lost K or IN
        self.lost: dict[int, set[int]] = {}  # firing: conclusions it loses
        self.dead: set[int] = set()  # firings that go
        self.left: set[int] = set()  # footings that firings have left
        self.weakened: set[int] = set()  # stay, and lost a ground

    @property
    def takes_away(self) -> bool:
        """Whether anything may have to leave the store."""
        return bool(self.lost or self.dead or self.left or self.weakened)

    @property
    def moves_labels(self) -> bool:
        """Whether any label may have to be decided anew."""
        return bool(self.falling or self.weakened or self.affected)

    def take_affected(self) -> set[int]:
        """Return what is affected, and note it no more."""
        affected, self.affected = self.affected, set()
        return affected

    def take_falling(self) -> set[int]:
        """Return what may have lost K or IN, and note it no more."""
        falling = self.falling | self.weakened
        self.falling, self.weakened = set(), set()
        return falling
