"""Known answers of others: RFC 6962 vectors and the seed's commit trees."""

import json
from pathlib import Path
from typing import Any

import pytest

from koinii.merkle import (
    Levels,
    leaf_hash,
    prove_consistency,
    prove_inclusion,
    prove_steps,
    root,
    verify_consistency,
    verify_inclusion,
    verify_locator_steps,
    verify_steps,
)

VECTORS = Path(__file__).parent.parent / "vectors"
RFC: dict[str, Any] = json.loads((VECTORS / "rfc6962.json").read_text())
SEED: dict[str, Any] = json.loads((VECTORS / "merkle.json").read_text())

INCLUSION = [
    *RFC["inclusion_upstream"],
    *RFC["inclusion_all"],
    *RFC["seq"]["inclusion"],
]
CONSISTENCY = [
    *RFC["consistency_upstream"],
    *RFC["consistency_all"],
    *RFC["seq"]["consistency"],
]


def unhex(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def test_the_vectors_are_all_here() -> None:
    assert len(INCLUSION) == 98 + 36 + 10
    assert len(CONSISTENCY) == 98 + 36 + 11
    assert len(SEED["trees"]) == 27
    assert sum(len(tree["proofs"]) for tree in SEED["trees"]) == 270
    assert len(SEED["verify_cases"]) == len(SEED_CASES) == 15


def test_inclusion_verdicts() -> None:
    for case in INCLUSION:
        verdict = verify_inclusion(
            bytes.fromhex(case["leaf_hash"]),
            case["leaf_index"],
            case["tree_size"],
            unhex(case["proof"]),
            bytes.fromhex(case["root"]),
        )
        assert verdict is case["valid"], case.get("id", case)


def test_consistency_verdicts() -> None:
    for case in CONSISTENCY:
        verdict = verify_consistency(
            case["size1"],
            case["size2"],
            bytes.fromhex(case["root1"]),
            bytes.fromhex(case["root2"]),
            unhex(case["proof"]),
        )
        assert verdict is case["valid"], case.get("id", case)


def test_the_canonical_tree_is_ours() -> None:
    canonical = RFC["canonical"]
    hashes = [leaf_hash(leaf) for leaf in unhex(canonical["leaves"])]

    assert [hash_.hex() for hash_ in hashes] == canonical["leaf_hashes"]
    assert [root(hashes[:size]).hex() for size in range(9)] == canonical[
        "roots_by_size"
    ]
    for case in RFC["inclusion_all"]:
        path = prove_inclusion(hashes[: case["tree_size"]], case["leaf_index"])
        assert path == unhex(case["proof"])
    for case in RFC["consistency_all"]:
        path = prove_consistency(hashes[: case["size2"]], case["size1"])
        assert path == unhex(case["proof"])


def test_the_counted_tree_is_ours() -> None:
    seq = RFC["seq"]
    hashes = [leaf_hash(number.to_bytes(8)) for number in range(1025)]
    for one in seq["roots"]:
        assert root(hashes[: one["tree_size"]]).hex() == one["root"]
    for case in seq["inclusion"]:
        path = prove_inclusion(hashes[: case["tree_size"]], case["leaf_index"])
        assert path == unhex(case["proof"])
    for case in seq["consistency"]:
        path = prove_consistency(hashes[: case["size2"]], case["size1"])
        assert path == unhex(case["proof"])


def test_the_seed_trees_are_ours() -> None:
    for tree in SEED["trees"]:
        hashes = sorted(leaf_hash(locator.encode()) for locator in tree["locators"])
        levels = Levels(hashes)

        assert [hash_.hex() for hash_ in hashes] == tree["sorted_leaf_hashes"]
        assert f"sha256:{levels.root.hex()}" == tree["commit_id"]
        for proof in tree["proofs"]:
            index = levels.index_of(leaf_hash(proof["locator"].encode()))
            assert index == proof["index"]
            assert prove_steps(levels, proof["index"]) == proof["proof"]
            assert verify_locator_steps(
                proof["locator"], proof["proof"], tree["commit_id"]
            )


def test_the_seed_hashes_are_ours() -> None:
    misc = SEED["misc"]

    assert leaf_hash(b"").hex() == misc["leaf_hash_of_empty_string"]
    assert leaf_hash(b"hello").hex() == misc["leaf_hash_hello"]
    assert f"sha256:{root([leaf_hash(b'hello')]).hex()}" == misc["root_hello"]
    assert f"sha256:{root([]).hex()}" == misc["root_empty"]
    twice = [leaf_hash(b"hello")] * 2
    assert f"sha256:{root(twice).hex()}" == misc["root_dup2"]


TREE = SEED["trees"][3]
LOCATOR: str = TREE["proofs"][0]["locator"]
STEPS: list[dict[str, str]] = TREE["proofs"][0]["proof"]
ROOT: str = TREE["commit_id"]
FIRST, *REST = STEPS
ONE = SEED["trees"][1]

SEED_CASES: dict[str, tuple[object, object, object]] = {
    "ok": (LOCATOR, STEPS, ROOT),
    "proof as list": (LOCATOR, tuple(STEPS), ROOT),
    "uppercase hex sibling": (
        LOCATOR,
        [{**FIRST, "hash": FIRST["hash"].upper()}, *REST],
        ROOT,
    ),
    "flipped side": (LOCATOR, [{**FIRST, "side": "left"}, *REST], ROOT),
    "string side": (LOCATOR, [{**FIRST, "side": ":right"}, *REST], ROOT),
    "nil proof": (LOCATOR, None, ROOT),
    "map proof": (LOCATOR, {"hash": FIRST["hash"], "side": "right"}, ROOT),
    "short hash": (LOCATOR, [{**FIRST, "hash": FIRST["hash"][:-2]}, *REST], ROOT),
    "extra key": (LOCATOR, [{**FIRST, "note": "kept out"}, *REST], ROOT),
    "nil locator": (None, STEPS, ROOT),
    "root without prefix": (LOCATOR, STEPS, ROOT.removeprefix("sha256:")),
    "root upper": (LOCATOR, STEPS, "sha256:" + ROOT[7:].upper()),
    "nil root": (LOCATOR, STEPS, None),
    "empty proof single leaf": (ONE["locators"][0], [], ONE["commit_id"]),
    "non-sha locator string still just utf8 bytes": (
        "hello",
        [],
        SEED["misc"]["root_hello"],
    ),
}


@pytest.mark.parametrize("case", SEED["verify_cases"], ids=lambda case: case["name"])
def test_step_verdicts(case: dict[str, Any]) -> None:
    assert verify_locator_steps(*SEED_CASES[case["name"]]) is case["result"]


@pytest.mark.parametrize(
    "steps",
    [
        [*STEPS, 1],
        [*STEPS, None],
        [{"hash": FIRST["hash"]}, *REST],
        [{"side": "right"}, *REST],
        [{"hash": 5, "side": "right"}, *REST],
        [{"hash": FIRST["hash"], "side": ["right"]}, *REST],
        [FIRST] * 64,
        "left",
    ],
)
def test_steps_of_another_shape_are_refused(steps: object) -> None:
    leaf = leaf_hash(LOCATOR.encode())

    assert verify_steps(leaf, STEPS, bytes.fromhex(ROOT[7:]))
    assert not verify_steps(leaf, steps, bytes.fromhex(ROOT[7:]))


def test_what_is_no_utf8_is_no_locator() -> None:
    assert not verify_locator_steps("\ud800", STEPS, ROOT)
    assert not verify_steps("leaf", STEPS, ROOT)


def test_a_root_of_another_kind_is_refused() -> None:
    assert verify_locator_steps(LOCATOR, STEPS, ROOT)
    assert not verify_locator_steps(LOCATOR, STEPS, "sha512:" + ROOT[7:])
    assert not verify_locator_steps(LOCATOR, STEPS, ROOT + "0")
