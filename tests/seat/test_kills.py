"""Killed at any moment, a seat has lost nothing it acknowledged and halved nothing."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from random import Random

from hypothesis import settings

from koinii.seat.records import last_record
from koinii.seat.seat import Seat
from koinii.terms import write
from reference import seat_twin as twin
from reference.seat_twin import Live, Place
from seat.child import BATCH, CREATED
from seat.children import child, line_of
from seat.made import ATLAS, copy_of_two, open_seat

ROUNDS = 50 if settings.get_current_profile_name() == "ci" else 1000
SLOWEST = 5.0  # seconds for the next command (BC-007)

locator = cache(twin.locator)


class Diary:
    """What a child said it began and finished."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.said: set[str] = set()
        self.last = ""  # the newest single sentence, which `gone` takes back
        self.pending = ""
        self.numbers: dict[int, str] = {}

    def read(self, line: str) -> None:
        mark, first, second = line.split()
        if mark == "?":
            self.pending = f"{first} {second}"
        elif mark == "=":
            if first != "-":
                self.numbers[int(first)] = second
        else:
            self.said = self.after(first, second)
            self.pending = ""
            if first in ("one", "gone"):
                self.last = f"(one {self.name} {second})" if first == "one" else ""

    def after(self, verb: str, number: str) -> set[str]:
        """What is said once an operation is done."""
        if verb == "one":
            return self.said | {f"(one {self.name} {number})"}
        if verb == "many":
            return self.said | {
                f"(many {self.name} {number} {part})" for part in range(BATCH)
            }
        return self.said - {self.last} if verb == "gone" else self.said

    def possible(self) -> list[set[str]]:
        """What may be there: all that was acknowledged, the pending one or not."""
        if not self.pending:
            return [self.said]
        verb, number = self.pending.split()
        return [self.said, self.after(verb, number)]


def killed(path: Path, name: str, rng: Random) -> Diary:
    """Let a child work, kill it at a moment of its own and read its diary."""
    diary = Diary(name)
    lines = rng.randrange(1, 40)
    pause = rng.random() * 0.02
    with child("churn", path, name) as process:
        for _ in range(lines):
            diary.read(line_of(process))
        time.sleep(pause)
        process.kill()
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout.read().splitlines(keepends=True):
            if line.endswith("\n"):  # the kill may cut the last one short
                diary.read(line)
        assert process.stderr.read() == ""
    return diary


def check(seat: Seat, known: set[str], numbers: dict[int, str], diary: Diary) -> None:
    """Whole, with all that was acknowledged; then the next commands work."""
    connection = seat.database.connection
    assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    believed = {write(one.sentence) for one in seat.believed()}
    assert believed - known in diary.possible()
    known |= believed
    known &= believed

    log = {one.number: one.id for one in seat.log()}
    assert sorted(log) == list(range(1, len(log) + 1))
    assert log.items() >= (numbers | diary.numbers).items()
    pending = diary.pending.startswith("commit")
    assert len(log) - len(numbers | diary.numbers) in ((0, 1) if pending else (0,))

    live = {Place(ATLAS, "CxAtlas", one): Live(0, CREATED) for one in known}
    seat.assert_(f"(next {diary.name})")
    known.add(f"(next {diary.name})")
    live[Place(ATLAS, "CxAtlas", f"(next {diary.name})")] = Live(0, CREATED)
    done = seat.commit()
    record = last_record(seat)
    assert done is not None
    assert record is not None
    assert done.id == twin.commit_root(live)
    entry = record.agents[ATLAS]
    assert (entry.root.hex(), entry.size) == twin.authored(live, ATLAS)
    numbers.clear()
    numbers.update(log)
    numbers[done.number] = done.id


def test_bc_007_killed_at_fifty_moments_nothing_is_lost_or_halved(
    tmp_path: Path,
) -> None:
    rng = Random(2024)
    path = copy_of_two(tmp_path)
    known: set[str] = set()
    numbers: dict[int, str] = {}
    for number in range(ROUNDS):
        diary = killed(path, f"R{number}", rng)
        begun = time.monotonic()
        with open_seat(path, now=lambda: CREATED) as seat:
            assert seat.status().seat
            opened = time.monotonic() - begun
            check(seat, known, numbers, diary)
        assert opened < SLOWEST
