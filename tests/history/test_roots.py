"""List roots are RFC 6962 over the lines of the format, in any order of rows."""

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from koinii.history import (
    agents_root,
    author_tree,
    context_line,
    context_tree,
    heads_root,
    held_root,
    inputs_root,
    posts_root,
    trust_digest,
)
from koinii.merkle import leaf_hash
from reference.rfc6962 import defined_root

K, R = b"k" * 32, b"r" * 32
HEX_K, HEX_R = K.hex(), R.hex()

names = st.text("ABCabcß\U0001f98a", min_size=1, max_size=6)
hashes = st.binary(min_size=32, max_size=32)


def over(*lines: str) -> bytes:
    return defined_root(sorted(line.encode() for line in lines))


def test_the_lines_of_each_list() -> None:
    agents = [("AgentB", K, R, 3), ("AgentA", R, K, 0)]
    assert agents_root(agents) == over(
        f"AgentA {HEX_R} {HEX_K} 0", f"AgentB {HEX_K} {HEX_R} 3"
    )
    assert heads_root([("5" * 32, 7, R)]) == over(f"{'5' * 32} 7 {HEX_R}")
    assert held_root([("waiting", "AgentA", "5" * 32, K)]) == over(
        f"waiting AgentA {'5' * 32} {HEX_K}"
    )
    assert inputs_root([("AgentA", "5" * 32, 12, R)]) == over(
        f"AgentA {'5' * 32} 12 {HEX_R}"
    )
    assert author_tree([("CxB", 2, R), ("CxA", 1, K)]).root == over(
        f"CxA 1 {HEX_K}", f"CxB 2 {HEX_R}"
    )
    assert context_line("CxA", 1, K) == f"CxA 1 {HEX_K}"


@given(st.lists(st.tuples(names, hashes, hashes, st.integers(0, 99)), max_size=8))
def test_the_order_of_rows_does_not_matter(
    rows: list[tuple[str, bytes, bytes, int]],
) -> None:
    expected = over(*(f"{a} {k.hex()} {r.hex()} {n}" for a, k, r, n in rows))

    assert agents_root(rows) == agents_root(reversed(rows)) == expected


@given(st.lists(names, max_size=12))
def test_lines_and_posts_are_sorted_by_leaf_hash(lines: list[str]) -> None:
    leaves = sorted((line.encode() for line in lines), key=leaf_hash)

    assert context_tree(lines).root == posts_root(lines) == defined_root(leaves)


def test_the_trust_digest_is_over_sorted_lines() -> None:
    lines = f"follow {'5' * 32}\ngrant {HEX_R}\nmode cooperative\npin AgentA {HEX_K}\n"
    digest = trust_digest(
        "cooperative", pins=[("AgentA", K)], grants=[R], follows=["5" * 32]
    )

    assert digest == sha256(lines.encode()).digest()
    assert trust_digest("proof-tier") == sha256(b"mode proof-tier\n").digest()
