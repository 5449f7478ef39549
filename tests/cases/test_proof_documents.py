"""BC-058, BC-059, BC-120: nothing in a proof is another, of any kind and size."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from faces.command import within
from history.sample_proofs import (
    LOCATORS,
    RECORD,
    SEAT_KEY,
    absent,
    attributed,
    commitment_of,
    included,
    text_of,
    tree_over,
)
from history.sample_why import disputed, explained
from history.stand_alone import ALONE, verify
from hostile.heads import STRANGER
from koinii.history import stateproof
from koinii.history.proving import inclusion
from koinii.merkle import (
    Levels,
    leaf_hash,
    prove_consistency,
    prove_inclusion,
    verify_consistency,
    verify_inclusion,
)
from reference.rfc6962 import defined_path, defined_proof
from remote.desks import SOAK

# Proof documents of every kind -------------------------------------------------------

DOCUMENTS = {
    "inclusion": included(),
    "absence": absent(),
    "attribution": attributed(),
    "why": explained(),
    "dispute": disputed(),
}


def places(value: object, *here: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to every value in a document that holds no others."""
    inner: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    elif value is not None:
        yield here
    for name, one in inner:
        yield from places(one, *here, name)


def changed(
    document: dict[str, Any], way: tuple[str | int, ...], value: object
) -> dict[str, Any]:
    whole: Any = copy.deepcopy(document)
    place = whole
    for one in way[:-1]:
        place = place[one]
    place[way[-1]] = value
    return dict(whole)


def value_at(document: dict[str, Any], way: tuple[str | int, ...]) -> Any:
    found: Any = document
    for one in way:
        found = found[one]
    return found


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_bc_058_no_size_and_no_place_is_another(kind: str) -> None:
    """Every number of a document is bound, alone and together with its size."""
    document = DOCUMENTS[kind]
    assert verify(document).ok
    numbers = [
        way for way in places(document) if isinstance(value_at(document, way), int)
    ]
    assert len(numbers) > 2
    for way in numbers:
        number = value_at(document, way)
        assert not verify(changed(document, way, number + 1)).ok, way
        for other in {0, 1, number - 1, 2 * number, 2**63} - {number}:
            assert not stateproof.verify(changed(document, way, other)).ok, (way, other)


@pytest.mark.parametrize("size", range(1, 10))
def test_bc_058_all_pairs_of_index_and_size_of_small_trees(size: int) -> None:
    record = replace(RECORD, **bound(size))
    tree = tree_over(LOCATORS[:size])
    for number in range(size):
        good = inclusion(LOCATORS[number], tree, commitment_of(record))
        pairs = [
            (index, told)
            for index in range(10)
            for told in range(10)
            if stateproof.verify({**good, "index": index, "size": told}).ok
        ]
        assert pairs == [(good["index"], size)]
        history: dict[str, Any] = dict(good["history"])  # type: ignore[call-overload]
        pairs = [
            (index, told)
            for index in range(10)
            for told in range(10)
            if stateproof.verify(
                {**good, "history": {**history, "index": index, "size": told}}
            ).ok
        ]
        assert pairs == [(history["index"], history["size"])]


def bound(size: int) -> dict[str, Any]:
    tree = tree_over(LOCATORS[:size])
    return {"commit": tree.root, "size": tree.size}


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_bc_059_every_text_and_hash_is_tied_to_the_rest(kind: str) -> None:
    """One letter or digit of anything: refused by both, each with its reason."""
    document = DOCUMENTS[kind]
    texts = [
        way for way in places(document) if isinstance(value_at(document, way), str)
    ]
    for way in texts:
        text = value_at(document, way)
        at = len(text) // 2
        digit = "1" if text[at : at + 1] == "0" else "0"
        found = verify(changed(document, way, text[:at] + digit + text[at + 1 :]))
        assert not found.ok, way
        assert found.reason
        for other in ("", text + "x", text[1:]):
            assert not stateproof.verify(changed(document, way, other)).ok, way


def test_bc_059_a_stranger_is_told_from_what_is_invalid(folder: Path) -> None:
    """Whose key it is, is another reason than that something does not fit."""
    mine, other = SEAT_KEY.public.openssh(), STRANGER.public.openssh()
    (folder / "mine").write_text(mine + "\n")
    (folder / "other").write_text(other + "\n")
    for kind in ("inclusion", "absence", "why", "dispute"):
        document = DOCUMENTS[kind]
        (folder / "proof").write_text(text_of(document))
        told = [
            within("verify", str(folder / "proof"), "--json", *words)
            for words in (
                [],
                ["--key", str(folder / "mine")],
                ["--key", str(folder / "other")],
            )
        ]
        (folder / "proof").write_text(text_of({**document, "size": 5}))
        wrong = within("verify", str(folder / "proof"), "--json")

        assert [one.code for one in told] == [0, 0, 6]
        assert told[0].data["assumes"][-1].startswith("nothing outside")
        assert "nothing outside" not in str(told[1].data["assumes"])
        assert "key is not one expected" in told[2].error["message"]
        assert wrong.code == 6
        assert "key" not in wrong.error["message"]


# Trees of any size -------------------------------------------------------------


def climbs(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> bool:
    """Return the verdict of the one-file verifier, which shares no code with ours."""
    return bool(ALONE.climb(leaf, index, size, path) == root)


def test_bc_120_large_trees_agree_with_the_definition() -> None:
    """Ours against the text of the RFC and the one-file verifier, both ways."""
    chance = Random(120)
    for _ in range(20 if SOAK else 3):
        size = chance.randrange(71, 100_000)
        leaves = [b"%d" % number for number in range(size)]
        tree = Levels([leaf_hash(leaf) for leaf in leaves])
        for index in (0, size - 1, chance.randrange(size)):
            path = prove_inclusion(tree, index)
            leaf = leaf_hash(leaves[index])
            assert path == defined_path(index, leaves)
            assert verify_inclusion(leaf, index, size, path, tree.root)
            assert climbs(leaf, index, size, path, tree.root)
            for other, told, steps in (
                (index ^ 1, size, path),
                (index, size + 1, path),
                (index, size - 1, path),
                (index, size, path[:-1]),
                (index, size, [*path, leaf]),
                (index, size, path[::-1]),
            ):
                ours = verify_inclusion(leaf, other, told, steps, tree.root)
                assert climbs(leaf, other, told, steps, tree.root) == ours
        first = chance.randrange(1, size)
        before = Levels([leaf_hash(leaf) for leaf in leaves[:first]]).root
        proof = prove_consistency(tree, first)
        assert proof == defined_proof(first, leaves)
        assert verify_consistency(first, size, before, tree.root, proof)
        assert not verify_consistency(first, size, before, tree.root, proof[1:])
