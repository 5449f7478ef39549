"""Measures ours beside a raw baseline, in turns, so that only their ratio counts.

A `Trial` prepares one round untimed and returns the work that is timed. Ours and
the baseline take turns, and who goes first changes with every round, so a machine
that slows down slows both. What is kept of the rounds is the median.
"""

import gc
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TypeAlias

from bench.drawing import draw

Work: TypeAlias = Callable[[], object]
Trial: TypeAlias = Callable[[], Work]


@dataclass(frozen=True)
class Speed:
    """Ours works at this part of the baseline's speed, or more."""

    part: float

    def ratio(self, ours: float, baseline: float) -> float:
        return baseline / ours

    def reached(self, ours: float, baseline: float) -> bool:
        return self.ratio(ours, baseline) >= self.part

    def __str__(self) -> str:
        return f">= {self.part:g}"


@dataclass(frozen=True)
class Times:
    """Ours takes this many times the baseline's time, or less."""

    times: float

    def ratio(self, ours: float, baseline: float) -> float:
        return ours / baseline

    def reached(self, ours: float, baseline: float) -> bool:
        return self.ratio(ours, baseline) <= self.times

    def __str__(self) -> str:
        return f"<= {self.times:g}"


@dataclass(frozen=True)
class Within:
    """Ours takes so many seconds for one operation, or less; no ratio counts."""

    seconds: float
    count: int = 1

    def ratio(self, ours: float, baseline: float) -> float:
        return ours / baseline

    def reached(self, ours: float, baseline: float) -> bool:
        del baseline
        return ours / self.count <= self.seconds

    def __str__(self) -> str:
        return f"<= {duration(self.seconds).replace(' ', '')}"


@dataclass(frozen=True)
class Most:
    """Ours takes so many bytes of memory, or less; no ratio counts."""

    size: int

    def ratio(self, ours: float, baseline: float) -> float:
        return ours / baseline

    def reached(self, ours: float, baseline: float) -> bool:
        del baseline
        return ours <= self.size

    def __str__(self) -> str:
        return f"<= {weight(self.size).replace(' ', '')}"


@dataclass(frozen=True)
class Row:
    """One line of the table; times are medians in seconds, for `count` operations.

    Where the unit is bytes, they are no times but memory.
    """

    figure: int
    work: str
    size: int
    count: int
    ours: float | None
    baseline: float
    ratio: float | None
    reach: str
    reached: bool | None
    ours_rounds: list[float]
    baseline_rounds: list[float]
    unit: str = "seconds"

    def shown(self, amount: float | None) -> str:
        """Return a time or an amount of memory as it is read."""
        if self.unit == "bytes" and amount is not None:
            return weight(amount)
        return duration(amount, self.count)


class Harness:
    """The rows of one figure, and where they are written."""

    def __init__(self, figure: int, out: Path, drawings: Path) -> None:
        self.figure = figure
        self.out = out
        self.drawings = drawings
        self.rows: list[Row] = []

    def measure(
        self,
        name: str,
        ours: Trial | None,
        baseline: Trial,
        rounds: int = 5,
        *,
        reach: Speed | Times | Within,
        size: int,
        count: int = 1,
    ) -> Row:
        """Measure, print and keep one row; without `ours` the baseline stands alone.

        `count` is the number of operations in one round, by which times are shown.
        """
        at_least = 3 if size >= 1_000_000 else 5
        assert rounds >= at_least, f"a median wants {at_least} rounds or more"
        ours_rounds, baseline_rounds = take_turns(ours, baseline, rounds)
        mine = median(ours_rounds) if ours_rounds else None
        raw = median(baseline_rounds)
        row = Row(
            figure=self.figure,
            work=name,
            size=size,
            count=count,
            ours=mine,
            baseline=raw,
            ratio=None if mine is None else reach.ratio(mine, raw),
            reach=str(reach),
            reached=None if mine is None else reach.reached(mine, raw),
            ours_rounds=ours_rounds,
            baseline_rounds=baseline_rounds,
        )
        return self._keep(row)

    def weigh(
        self,
        name: str,
        ours: Callable[[], float],
        baseline: Callable[[], float],
        *,
        reach: Most,
        size: int,
    ) -> Row:
        """Weigh, print and keep one row of memory, which repeats: each once."""
        raw, mine = baseline(), ours()
        row = Row(
            figure=self.figure,
            work=name,
            size=size,
            count=1,
            ours=mine,
            baseline=raw,
            ratio=reach.ratio(mine, raw),
            reach=str(reach),
            reached=reach.reached(mine, raw),
            ours_rounds=[mine],
            baseline_rounds=[raw],
            unit="bytes",
        )
        return self._keep(row)

    def _keep(self, row: Row) -> Row:
        if not self.rows:
            say(HEADER)
        say(line_of(row))
        self.rows.append(row)
        return row

    def write(self) -> None:
        """Write the rows as JSON, and their drawing where ours was measured."""
        name = f"figure_{self.figure:02}"
        self.out.mkdir(parents=True, exist_ok=True)
        document = {"machine": machine(), "rows": [asdict(row) for row in self.rows]}
        text = json.dumps(document, indent=2)
        (self.out / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        bars = [bars_of(row) for row in self.rows if row.ours is not None]
        if bars:
            self.drawings.mkdir(parents=True, exist_ok=True)
            picture = draw(f"Figure {self.figure}", bars)
            (self.drawings / f"{name}.svg").write_text(picture, encoding="utf-8")


def take_turns(
    ours: Trial | None, baseline: Trial, rounds: int
) -> tuple[list[float], list[float]]:
    """Return the seconds of each round of both, after one round that is not kept."""
    kept: tuple[list[float], list[float]] = ([], [])
    turns = [(ours, kept[0]), (baseline, kept[1])]
    for number in range(rounds + 1):
        for trial, seconds in turns if number % 2 else reversed(turns):
            if trial is not None:
                seconds.append(timed(trial))
    return kept[0][1:], kept[1][1:]


def timed(trial: Trial) -> float:
    work = trial()
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def machine() -> dict[str, object]:
    """Return what a ratio may depend on, and nothing that names the machine."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


LAYOUT = "{:>2}  {:<38} {:>9}  {:>10} {:>10}  {:>8}  {:>8}  {}"
HEADER = LAYOUT.format(
    "#", "work", "size", "ours", "baseline", "ratio", "reach", "reached"
)


def line_of(row: Row) -> str:
    return LAYOUT.format(
        row.figure,
        row.work,
        f"{row.size:,}",
        row.shown(row.ours),
        row.shown(row.baseline),
        "-" if row.ratio is None else f"{row.ratio:.3g}",
        row.reach,
        {True: "yes", False: "NO", None: "-"}[row.reached],
    )


def bars_of(row: Row) -> tuple[str, list[tuple[str, float, str]]]:
    """Return a row as the drawing wants it: a title and its two labelled bars."""
    assert row.ours is not None
    title = f"{row.work}, {row.size:,}: {row.ratio:.3g} (reach {row.reach})"
    pair = [("ours", row.ours), ("baseline", row.baseline)]
    return title, [(who, amount, row.shown(amount)) for who, amount in pair]


def duration(seconds: float | None, count: int = 1) -> str:
    """Return the time of one of `count` operations, in the unit that suits it."""
    if seconds is None:
        return "-"
    each = seconds / count
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if each * scale >= 1:
            return f"{each * scale:.3g} {unit}"
    return f"{each * 1e9:.3g} ns"


def weight(size: float) -> str:
    """Return an amount of memory in megabytes."""
    return f"{size / 1e6:.3g} MB"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
