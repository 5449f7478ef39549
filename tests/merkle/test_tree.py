"""Roots, frontiers and levels agree with the definition."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.merkle import (
    EMPTY_ROOT,
    Levels,
    append_to_frontier,
    leaf_hash,
    node_hash,
    nodes_for_root,
    root,
    root_of_frontier,
)
from reference.rfc6962 import defined_root

leaf_lists = st.lists(st.binary(max_size=4), max_size=70)


@given(leaf_lists)
def test_root_is_the_defined_root(leaves: list[bytes]) -> None:
    hashes = [leaf_hash(leaf) for leaf in leaves]

    assert root(iter(hashes)) == defined_root(leaves)
    assert Levels(iter(hashes)).root == defined_root(leaves)


@given(leaf_lists)
def test_the_root_folds_from_its_frontier(leaves: list[bytes]) -> None:
    stored = [
        defined_root(leaves[index << level : (index + 1) << level])
        for level, index in nodes_for_root(len(leaves))
    ]

    assert root_of_frontier(stored) == defined_root(leaves)


@given(leaf_lists)
def test_a_frontier_grows_leaf_by_leaf(leaves: list[bytes]) -> None:
    frontier: list[bytes] = []
    for size, leaf in enumerate(leaves):
        frontier = append_to_frontier(size, frontier, leaf_hash(leaf))
        assert root_of_frontier(frontier) == defined_root(leaves[: size + 1])


@pytest.mark.parametrize("size", [4095, 4096, 4097, 8192, 8193, 12_289])
def test_a_root_folded_in_chunks_is_the_defined_root(size: int) -> None:
    leaves = [b"%d" % number for number in range(size)]

    assert root(leaf_hash(leaf) for leaf in leaves) == defined_root(leaves)


@given(st.sets(st.binary(max_size=4), max_size=40), st.binary(max_size=4))
def test_bisection_finds_a_sorted_leaf(leaves: set[bytes], asked: bytes) -> None:
    hashes = sorted(leaf_hash(leaf) for leaf in leaves)
    levels = Levels(hashes)
    leaf = leaf_hash(asked)

    expected = hashes.index(leaf) if asked in leaves else None
    assert levels.index_of(leaf) == expected


def test_a_hash_of_another_length_builds_no_tree() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Levels([leaf_hash(b"a"), b"short"])


def test_a_leaf_outside_the_tree_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        Levels([leaf_hash(b"a")]).leaf(1)


def test_bc_113_a_doubled_last_leaf_is_another_tree() -> None:
    three = [leaf_hash(b"kb-leaf-%d" % number) for number in range(3)]

    assert root(three).hex() == (
        "a11ca1394e84c4d945238cd7320cdcd3ff44fece53ce1130792c09bccc2de4a5"
    )
    assert root([*three, three[-1]]).hex() == (
        "eaa59c75c4d763022935605e16543db50474e6082360e0ab08375af95e8f8a4e"
    )


def test_bc_113_leaves_and_nodes_are_apart() -> None:
    left, right = leaf_hash(b"left"), leaf_hash(b"right")
    parent = node_hash(left, right)

    assert parent != leaf_hash(left + right)
    assert parent != leaf_hash(b"\x01" + left + right)
    assert parent == sha256(b"\x01" + left + right).digest()


def test_bc_129_the_empty_and_the_one_leaf_tree() -> None:
    only = leaf_hash(b"only")

    assert root([]) == Levels([]).root == EMPTY_ROOT == sha256().digest()
    assert root([only]) == Levels([only]).root == only
