"""Proofs of inclusion, made and checked, beside the hashes of one path."""

import json
import random
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import koinii
from bench.harness import Harness, Trial, Within, say
from bench.sample import facts, seat_of
from koinii.merkle import prove_inclusion, verify_inclusion
from koinii.remote.seat import RemoteSeat
from koinii.terms.locator import Locator, leaf, raw_digest

FIGURE = 5
SIZES = (100_000, 1_000_000)
TINY = (50,)
COUNT = 500
STATE_BYTES, DOCUMENT_BYTES = 1_536, 4_096
STATE = ("root", "size", "index", "path")  # what leads from a leaf to the root


def run(harness: Harness, sizes: Sequence[int]) -> None:
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            seat = seat_of(Path(name), size)
            seat.commit()
            locators = chosen(seat, size)
            for title, mine, reach in (
                ("path, warm", paths(seat, locators), 50e-6),
                ("path checked, no signature", path_checks(seat, locators), 25e-6),
                ("whole document, warm", documents(seat, locators), 1e-3),
                ("whole document checked, signature", checks(seat, locators), 1e-3),
            ):
                harness.measure(
                    title, mine, hashed(size), reach=Within(reach, COUNT),
                    size=size, count=COUNT,
                )  # fmt: skip
            sizes_of(seat, locators)
            seat.close()


def chosen(seat: RemoteSeat, size: int) -> list[Locator]:
    sentences = list(facts(size))
    picked = random.Random(5).choices(sentences, k=COUNT)
    return [seat.locate(one, "CxAtlas") for one in picked]


def paths(seat: RemoteSeat, locators: list[Locator]) -> Trial:
    """Find each leaf's place and take its path."""

    def work() -> None:
        for locator in locators:
            tree = seat.kb.tree()
            index = tree.index_of(leaf(raw_digest(locator)))
            assert index is not None
            prove_inclusion(tree, index)

    return lambda: work


def path_checks(seat: RemoteSeat, locators: list[Locator]) -> Trial:
    """Check each path against the root."""
    tree = seat.kb.tree()
    proofs = []
    for locator in locators:
        hashed_leaf = leaf(raw_digest(locator))
        index = tree.index_of(hashed_leaf)
        assert index is not None
        proofs.append((hashed_leaf, index, prove_inclusion(tree, index)))

    def work() -> None:
        for hashed_leaf, index, path in proofs:
            assert verify_inclusion(hashed_leaf, index, tree.size, path, tree.root)

    return lambda: work


def documents(seat: RemoteSeat, locators: list[Locator]) -> Trial:
    """Make each whole document, with sentence, record and head."""
    return lambda: lambda: [seat.prove(locator) for locator in locators]


def checks(seat: RemoteSeat, locators: list[Locator]) -> Trial:
    """Check each whole document, signature included."""
    made = [seat.prove(locator) for locator in locators]

    def work() -> None:
        for document in made:
            assert koinii.verify(document)

    return lambda: work


def hashed(size: int) -> Trial:
    """Hash as many nodes as a path has, for each proof: the least a check does."""
    depth = max(1, (size - 1).bit_length())

    def work() -> None:
        for _ in range(COUNT):
            node = bytes(32)
            for _ in range(depth):
                node = sha256(b"\x01" + node + node).digest()

    return lambda: work


def sizes_of(seat: RemoteSeat, locators: list[Locator]) -> None:
    """Say how long the longest documents are, and hold them to their bounds."""
    made = [seat.prove(locator) for locator in locators]
    inner = [
        {name: value for name, value in json.loads(one).items() if name in STATE}
        for one in made
    ]
    state = max(len(json.dumps(one, separators=(",", ":"))) for one in inner)
    whole = max(map(len, made))
    say(f"    longest state path {state} bytes (<= {STATE_BYTES}), "
        f"document {whole} (<= {DOCUMENT_BYTES})")  # fmt: skip
    assert state <= STATE_BYTES
    assert whole <= DOCUMENT_BYTES
