"""Proofs agree with the definition; everything else is False, never an error."""

from hashlib import sha256
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.merkle import (
    Absence,
    Levels,
    Neighbour,
    leaf_hash,
    prove_absence,
    prove_consistency,
    prove_inclusion,
    verify_absence,
    verify_consistency,
    verify_inclusion,
)
from reference.rfc6962 import defined_path, defined_proof

LEAVES = [b"kb-leaf-%d" % number for number in range(70)]
HASHES = [leaf_hash(leaf) for leaf in LEAVES]
TREES = [Levels(HASHES[:size]) for size in range(71)]
ROOTS = [tree.root for tree in TREES]

junk = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=33),
    st.lists(st.binary(min_size=32, max_size=32), max_size=2),
    st.tuples(st.integers(), st.binary(), st.lists(st.binary())),
)


def test_bc_120_every_path_up_to_70_is_the_defined_one() -> None:
    for size in range(1, 71):
        for index in range(size):
            path = prove_inclusion(TREES[size], index)

            assert path == defined_path(index, LEAVES[:size])
            assert verify_inclusion(HASHES[index], index, size, path, ROOTS[size])


def test_bc_120_every_consistency_up_to_70_is_the_defined_one() -> None:
    for size2 in range(1, 71):
        for size1 in range(1, size2 + 1):
            path = prove_consistency(TREES[size2], size1)

            assert path == defined_proof(size1, LEAVES[:size2])
            assert verify_consistency(size1, size2, ROOTS[size1], ROOTS[size2], path)


@given(st.data())
def test_bc_120_a_changed_inclusion_proof_is_refused(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 70))
    index = data.draw(st.integers(0, size - 1))
    good = [HASHES[index], *prove_inclusion(TREES[size], index), ROOTS[size]]
    which = data.draw(st.integers(0, len(good) - 1))
    bit = data.draw(st.integers(0, 255))
    changed = int.from_bytes(good[which]) ^ 1 << bit
    bent = [*good[:which], changed.to_bytes(32), *good[which + 1 :]]

    assert not verify_inclusion(bent[0], index, size, bent[1:-1], bent[-1])


@given(st.data())
def test_bc_120_a_changed_consistency_proof_is_refused(data: st.DataObject) -> None:
    size2 = data.draw(st.integers(2, 70))
    size1 = data.draw(st.integers(1, size2 - 1))
    path = prove_consistency(TREES[size2], size1)
    good = [ROOTS[size1], *path, ROOTS[size2]]
    which = data.draw(st.integers(0, len(good) - 1))
    changed = int.from_bytes(good[which]) ^ 1 << data.draw(st.integers(0, 255))
    bent = [*good[:which], changed.to_bytes(32), *good[which + 1 :]]

    assert not verify_consistency(size1, size2, bent[0], bent[-1], bent[1:-1])


@given(st.data())
def test_a_path_of_another_length_is_refused(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 70))
    index = data.draw(st.integers(0, size - 1))
    path = prove_inclusion(TREES[size], index)

    assert not verify_inclusion(
        HASHES[index], index, size, [*path, ROOTS[1]], ROOTS[size]
    )
    for cut in range(len(path)):
        assert not verify_inclusion(HASHES[index], index, size, path[:cut], ROOTS[size])


@given(junk, junk, junk, junk, junk)
def test_verifiers_never_raise(
    one: object, two: object, three: object, four: object, five: object
) -> None:
    assert not verify_inclusion(one, two, three, four, five)
    assert not verify_consistency(one, two, three, four, five)
    assert not verify_absence(one, two, three, four, five)


@pytest.mark.parametrize(
    ("index", "size"),
    [(True, 2), (1, True), (1.0, 2), (-1, 2), (2, 2), (1, 2**64), (1, "2")],
)
def test_an_index_or_size_of_another_kind_is_refused(
    index: object, size: object
) -> None:
    path = prove_inclusion(TREES[2], 1)

    assert verify_inclusion(HASHES[1], 1, 2, path, ROOTS[2])
    assert not verify_inclusion(HASHES[1], index, size, path, ROOTS[2])


def test_the_largest_tree_and_the_longest_path() -> None:
    """The last of 2**63 + 1 leaves has one sibling; a path has at most 63."""
    leaf, sibling = HASHES[0], HASHES[1]
    above = sha256(b"\x01" + sibling + leaf).digest()
    assert verify_inclusion(leaf, 2**63, 2**63 + 1, [sibling], above)

    top = leaf
    for _ in range(63):
        top = sha256(b"\x01" + top + sibling).digest()
    assert verify_inclusion(leaf, 0, 2**63, [sibling] * 63, top)
    top = sha256(b"\x01" + top + sibling).digest()
    assert not verify_inclusion(leaf, 0, 2**64 - 1, [sibling] * 64, top)


@given(junk)
def test_a_path_of_another_kind_is_refused(path: object) -> None:
    assert verify_inclusion(HASHES[1], 1, 2, [HASHES[0]], ROOTS[2])
    assert not verify_inclusion(HASHES[1], 1, 2, path, ROOTS[2])
    assert not verify_inclusion(HASHES[1], 1, 2, [path], ROOTS[2])
    assert not verify_consistency(1, 2, ROOTS[1], ROOTS[2], path)
    assert not verify_consistency(1, 2, ROOTS[1], ROOTS[2], [path])


def test_bc_057_degenerate_consistency() -> None:
    five, other = ROOTS[5], ROOTS[6]
    good = prove_consistency(TREES[7], 3)
    powers = prove_consistency(TREES[8], 4)

    assert verify_consistency(5, 5, five, five, [])
    assert verify_consistency(3, 7, ROOTS[3], ROOTS[7], good)
    assert verify_consistency(4, 8, ROOTS[4], ROOTS[8], powers)
    for size1, size2, root1, root2, path in [
        (0, 5, ROOTS[0], five, []),
        (0, 0, ROOTS[0], ROOTS[0], []),
        (0, 0, five, five, []),
        (5, 5, five, other, []),
        (5, 5, five, five, [other]),
        (5, 3, five, ROOTS[3], good),
        (3, 7, ROOTS[3], ROOTS[7], []),
        (4, 8, ROOTS[4], ROOTS[8], [ROOTS[4], *powers]),
        (4, 8, ROOTS[4], ROOTS[8], [powers[0], *powers]),
    ]:
        assert not verify_consistency(size1, size2, root1, root2, path)


def test_bc_057_known_answers() -> None:
    assert [one.hex()[:8] for one in prove_consistency(TREES[7], 3)] == [
        "9b55fd17",
        "51e371b5",
        "4a681130",
        "485d6946",
    ]
    assert [one.hex()[:8] for one in prove_consistency(TREES[8], 4)] == ["df2be4ef"]


@pytest.mark.parametrize("size1", [0, -1, 8])
def test_no_consistency_proof_where_nothing_can_be_proven(size1: int) -> None:
    with pytest.raises(ValueError, match="no consistency proof"):
        prove_consistency(TREES[7], size1)


def test_bc_058_the_arithmetic_alone_does_not_bind_the_size() -> None:
    """So size and root have to come from one signed head."""
    path = prove_inclusion(TREES[2], 1)
    fitting = [
        (index, size)
        for index, size in product(range(10), range(1, 10))
        if verify_inclusion(HASHES[1], index, size, path, ROOTS[2])
    ]

    assert fitting == [(1, 2), (2, 3), (4, 5), (8, 9)]


def test_bc_113_two_hashes_are_no_leaf() -> None:
    path = prove_inclusion(TREES[4], 0)[1:]
    for forged in (HASHES[0] + HASHES[1], b"\x01" + HASHES[0] + HASHES[1]):
        assert not verify_inclusion(leaf_hash(forged), 0, 2, path, ROOTS[4])


def test_bc_129_the_first_leaf_needs_an_empty_path() -> None:
    only = HASHES[0]

    assert prove_inclusion([only], 0) == []
    assert verify_inclusion(only, 0, 1, [], only)
    assert not verify_inclusion(only, 1, 1, [], only)
    assert not verify_inclusion(only, 0, 0, [], only)
    assert not verify_inclusion(only, 0, 1, [only], only)
    with pytest.raises(IndexError):
        prove_inclusion([], 0)


@given(st.sets(st.binary(max_size=2), max_size=40), st.binary(max_size=2))
def test_absence_is_provable_exactly_when_absent(
    leaves: set[bytes], asked: bytes
) -> None:
    levels = Levels(sorted(leaf_hash(leaf) for leaf in leaves))
    leaf = leaf_hash(asked)
    if asked in leaves:
        with pytest.raises(ValueError, match="in the tree"):
            prove_absence(levels, leaf)
        return
    left, right = prove_absence(levels, leaf)

    assert verify_absence(leaf, levels.size, left, right, levels.root)
    for present in range(levels.size):
        there = levels.leaf(present)
        assert not verify_absence(there, levels.size, left, right, levels.root)


def test_absence_needs_both_neighbours_side_by_side() -> None:
    levels = Levels(sorted(HASHES[:8]))
    absent = bytes([levels.leaf(3)[0], *b"\xff" * 31])
    left, right = prove_absence(levels, absent)
    assert left is not None
    assert right is not None
    far = Neighbour(right.at + 1, levels.leaf(right.at + 1), levels.path(right.at + 1))
    bent = left._replace(path=right.path)
    top = levels.root

    assert verify_absence(absent, 8, left, right, top)
    for one, two in [
        (left, far),
        (None, right),
        (left, None),
        (None, None),
        (right, left),
        (bent, right),
        (list(left), right),
    ]:
        assert not verify_absence(absent, 8, one, two, top)
    assert not verify_absence(absent, 9, left, right, top)


def test_absence_from_the_empty_tree() -> None:
    absent = leaf_hash(b"absent")

    assert prove_absence([], absent) == Absence(None, None)
    assert verify_absence(absent, 0, None, None, ROOTS[0])
    assert not verify_absence(absent, 0, None, None, ROOTS[1])


def test_what_is_no_hash_proves_nothing() -> None:
    """A short `root` would fit the arithmetic: lengths are checked first."""
    short, sibling = b"x", HASHES[0]
    above = sha256(b"\x01" + short + sibling).digest()

    assert not verify_consistency(1, 2, short, above, [sibling])
    assert not verify_inclusion(short, 0, 2, [sibling], above)
    assert not verify_absence(short, 0, None, None, ROOTS[0])
    beside = Neighbour(0, sibling, [])
    assert not verify_absence(HASHES[1], 0, beside, None, ROOTS[0])
    assert not verify_absence(HASHES[1], 0, None, beside, ROOTS[0])
