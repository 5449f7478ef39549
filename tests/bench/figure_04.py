"""The commit id, beside a sorted scan of leaf hashes and a plain hashlib loop."""

import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import koinii
from bench.harness import Harness, Times, Trial, Within, Work
from bench.sample import facts, fresh, seat_of
from koinii.remote.seat import RemoteSeat
from koinii.store import meta

FIGURE = 4
SIZES = (100_000, 1_000_000)
TINY = (3, 50)
MANY = 100


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            seat = seat_of(Path(name) / "ours", size)
            raw = scanned(Path(name) / "raw", size)
            rounds = 3 if size >= 1_000_000 else 5
            harness.measure(
                "commit id", ours(seat), raw, rounds, reach=Times(1.5), size=size
            )
            harness.measure(
                "commit id, belief unchanged", unchanged(seat), raw, rounds,
                reach=Within(0.001, MANY), size=size, count=MANY,
            )  # fmt: skip
            seat.close()


def ours(seat: RemoteSeat) -> Trial:
    """Work out the root of what is believed as if belief had just moved."""
    path = seat.layout.directory

    def trial() -> Work:
        again = koinii.open(path)
        with again.database.write() as connection:
            meta.advance_epoch(connection)
        return again.kb.root

    return trial


def unchanged(seat: RemoteSeat) -> Trial:
    """Ask for the root again where belief has not moved since the commit."""
    seat.commit()
    return lambda: lambda: [seat.kb.root() for _ in range(MANY)]


def scanned(folder: Path, size: int) -> Trial:
    """Read the leaf hashes in order from a table made for it, and fold them."""
    path = fresh(folder) / "leaves.sqlite"
    hashes = sorted(sha256(fact.encode()).digest() for fact in facts(size))
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE leaf (hash BLOB PRIMARY KEY) WITHOUT ROWID")
        base.executemany("INSERT INTO leaf VALUES (?)", ((one,) for one in hashes))
    return lambda: lambda: root_of_table(path)


def root_of_table(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as base:
        rows = base.execute("SELECT hash FROM leaf ORDER BY hash")
        return root_of_hashes([one for (one,) in rows])


def root_of_hashes(level: list[bytes]) -> bytes:
    """Return the RFC 6962 root over leaf hashes, level by level.

    A last node without a partner moves up as it is.
    """
    if not level:
        return sha256().digest()
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
        level = above + level[-1:] if len(level) % 2 else above
    return level[0]
