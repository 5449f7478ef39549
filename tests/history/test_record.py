"""Commit records: one encoding, unknown keys kept, other versions left alone."""

from dataclasses import replace
from typing import Any

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.history import (
    AuthoredRoot,
    CommitRecord,
    NewerRecord,
    PeerHead,
    PostsRoot,
    decode_record,
)
from koinii.merkle import EMPTY_ROOT, leaf_hash

RECORD = CommitRecord(
    seat="5" * 32,
    number=2,
    previous=b"p" * 32,
    time=1_760_000_000_000,
    commit=b"c" * 32,
    size=7,
    inputs=b"i" * 32,
    agents={"AgentAtlas": AuthoredRoot(b"k" * 32, b"r" * 32, 7)},
    agents_root=b"a" * 32,
    posts=PostsRoot(EMPTY_ROOT, 0),
    heads={"6" * 32: PeerHead(4, b"l" * 32)},
    heads_root=b"h" * 32,
    manifest=b"m" * 32,
    vocabulary={"CxCore": b"v" * 32},
    trust=b"t" * 32,
    partial={"agents": ("AgentAtlas",)},
    local=("CxDisputes",),
    held=EMPTY_ROOT,
    rules=1,
    software="koinii/0.1.0",
)


def as_map(record: CommitRecord = RECORD) -> dict[str, Any]:
    value = cbor2.loads(record.encode())
    assert isinstance(value, dict)
    return value


def refusal(value: object) -> str:
    with pytest.raises(VerificationError) as caught:
        decode_record(cbor2.dumps(value, canonical=True))
    return str(caught.value)


def test_a_record_is_read_back() -> None:
    data = RECORD.encode()

    assert decode_record(data) == RECORD
    assert RECORD.leaf == leaf_hash(data)
    assert RECORD.commit_id == "sha256:" + (b"c" * 32).hex()


def test_the_keys_are_those_of_the_format() -> None:
    assert as_map().keys() == {
        "v",
        "seat",
        "number",
        "previous",
        "time",
        "commit",
        "size",
        "inputs",
        "agents",
        "agents_root",
        "posts",
        "heads",
        "heads_root",
        "manifest",
        "vocabulary",
        "trust",
        "partial",
        "local",
        "held",
        "rules",
        "software",
    }
    assert as_map()["agents"] == {"AgentAtlas": [b"k" * 32, b"r" * 32, 7]}
    assert as_map()["heads"] == {"6" * 32: [4, b"l" * 32]}


def test_the_order_of_names_does_not_matter() -> None:
    one, two = (
        AuthoredRoot(b"1" * 32, b"2" * 32, 1),
        AuthoredRoot(b"3" * 32, b"4" * 32, 2),
    )
    there = replace(RECORD, agents={"AgentA": one, "AgentBoreas": two})
    back = replace(RECORD, agents={"AgentBoreas": two, "AgentA": one})

    assert there.encode() == back.encode()


def test_unknown_keys_are_kept_and_written_back() -> None:
    newer = replace(RECORD, unknown={"colour": "red", "zz": [1, {"a": None}]})
    data = newer.encode()

    assert decode_record(data) == newer
    assert as_map(newer)["colour"] == "red"


def test_another_version_is_kept_and_not_interpreted() -> None:
    data = cbor2.dumps({"v": 2, "seat": 5}, canonical=True)
    record = decode_record(data)

    assert record == NewerRecord(2, data)
    assert record.leaf == leaf_hash(data)


@pytest.mark.parametrize("version", [0, -1, None, "1", True, 2**64 - 2**65])
def test_what_is_no_version_is_refused(version: object) -> None:
    assert "version" in refusal(as_map() | {"v": version})


def test_every_key_is_needed() -> None:
    for key in as_map().keys() - {"v"}:
        assert refusal({k: v for k, v in as_map().items() if k != key}).endswith(key)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seat", "5" * 31),
        ("seat", "G" * 32),
        ("seat", b"5" * 32),
        ("number", 0),
        ("number", 1),
        ("number", True),
        ("number", -1),
        ("number", "2"),
        ("previous", None),
        ("previous", b"p" * 31),
        ("previous", "p" * 32),
        ("time", -1),
        ("commit", None),
        ("commit", "sha256:" + "0" * 64),
        ("size", None),
        ("agents", []),
        ("agents", {"AgentAtlas": [b"k" * 32, b"r" * 32]}),
        ("agents", {"AgentAtlas": [b"k" * 32, b"r" * 32, -1]}),
        ("agents", {"Agent Atlas": [b"k" * 32, b"r" * 32, 7]}),
        ("agents", {"": [b"k" * 32, b"r" * 32, 7]}),
        ("agents", {"Agent\x1b": [b"k" * 32, b"r" * 32, 7]}),
        ("posts", {"root": EMPTY_ROOT}),
        ("posts", [EMPTY_ROOT, 0, 0]),
        ("heads", {"6" * 32: [0, b"l" * 32]}),
        ("heads", {"short": [1, b"l" * 32]}),
        ("vocabulary", {"CxCore": b"v"}),
        ("partial", []),
        ("partial", {"agents": "AgentAtlas"}),
        ("partial", {"agents": ["b", "a"]}),
        ("local", ["CxB", "CxA"]),
        ("local", ["CxA", "CxA"]),
        ("local", None),
        ("held", b""),
        ("rules", None),
        ("software", None),
    ],
)
def test_a_field_of_another_kind_is_refused(key: str, value: object) -> None:
    assert refusal(as_map() | {key: value}).startswith("not a commit record")


@pytest.mark.parametrize("value", [None, 1, "text", [], {}])
def test_what_is_no_map_is_refused(value: object) -> None:
    assert refusal(value)


@pytest.mark.parametrize(
    "change",
    [
        {"number": 1},
        {"previous": None},
        {"local": ("CxB", "CxA")},
        {"seat": "x"},
        {"commit": b"short"},
        {"unknown": {"seat": "7" * 32}},
        {"unknown": {"v": 2}},
        {"time": 1.5},
        {"software": "\ud800"},
        {"agents": {f"Agent{n}": RECORD.agents["AgentAtlas"] for n in range(250)}},
    ],
)
def test_bc_125_what_nobody_reads_is_not_written(change: dict[str, Any]) -> None:
    with pytest.raises(VerificationError):
        replace(RECORD, **change).encode()


@given(st.integers(0, 8 * len(RECORD.encode()) - 1))
def test_a_changed_bit_is_another_leaf_or_a_refusal(bit: int) -> None:
    data = bytearray(RECORD.encode())
    data[bit // 8] ^= 1 << bit % 8
    try:
        record = decode_record(bytes(data))
    except VerificationError:
        return
    assert record != RECORD
    assert record.leaf == leaf_hash(bytes(data))


def test_a_whole_pull_has_no_selection() -> None:
    whole = replace(RECORD, partial=None)

    assert decode_record(whole.encode()) == whole
