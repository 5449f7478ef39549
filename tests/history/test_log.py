"""The log of records: numbers from 1, proofs that verify, strict bundles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.history import Log, bundle_name, decode_bundle, encode_bundle
from koinii.merkle import EMPTY_ROOT, leaf_hash, verify_consistency, verify_inclusion
from reference.rfc6962 import defined_path, defined_proof, defined_root

RECORDS = [b"record %d" % number for number in range(1, 21)]
LOG = Log(map(leaf_hash, RECORDS))

bundles = st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=6)


def test_appending_gives_the_same_log() -> None:
    log = Log()
    for number, record in enumerate(RECORDS, start=1):
        assert log.append(leaf_hash(record)) == number
        assert log.root() == LOG.root(number) == defined_root(RECORDS[:number])
    assert log.size == LOG.size == 20
    assert Log().root() == EMPTY_ROOT


@given(st.data())
def test_a_commit_is_proven_under_every_later_head(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 20))
    number = data.draw(st.integers(1, size))
    path = LOG.prove(number, size)

    assert path == defined_path(number - 1, RECORDS[:size])
    assert verify_inclusion(LOG.leaf(number), number - 1, size, path, LOG.root(size))


@given(st.data())
def test_each_head_is_a_prefix_of_every_later_one(data: st.DataObject) -> None:
    size2 = data.draw(st.integers(1, 20))
    size1 = data.draw(st.integers(1, size2))
    path = LOG.prove_consistency(size1, size2)

    assert path == defined_proof(size1, RECORDS[:size2])
    assert verify_consistency(size1, size2, LOG.root(size1), LOG.root(size2), path)


def test_a_commit_that_is_not_there_has_no_proof() -> None:
    for number, size in [(0, 5), (6, 5), (21, 20), (1, 21), (1, 0), (-1, 3)]:
        with pytest.raises(IndexError):
            LOG.prove(number, size)
    with pytest.raises(IndexError):
        LOG.root(21)
    with pytest.raises(IndexError):
        LOG.leaf(0)


@given(bundles)
def test_a_bundle_is_read_back(entries: list[bytes]) -> None:
    assert decode_bundle(encode_bundle(entries)) == entries


@given(st.binary(max_size=80))
def test_any_bytes_are_a_bundle_or_a_refusal(data: bytes) -> None:
    try:
        entries = decode_bundle(data)
    except VerificationError:
        return
    assert encode_bundle(entries) == data


@given(bundles, st.integers(1, 20))
def test_a_cut_bundle_is_refused_or_shorter(entries: list[bytes], cut: int) -> None:
    data = encode_bundle(entries)[:-cut]
    try:
        left = decode_bundle(data)
    except VerificationError:
        return
    assert left == entries[: len(left)]
    assert len(left) < len(entries)


@pytest.mark.parametrize(
    "entries", [[], [b""], [b"x"] * 257, [b"x" * 16_385], [b"ok", b""]]
)
def test_a_bundle_holds_1_to_256_records(entries: list[bytes]) -> None:
    with pytest.raises(VerificationError):
        encode_bundle(entries)


@pytest.mark.parametrize("data", [b"", b"\0", b"\0\0", b"\0\1", b"\0\1x" * 257])
def test_a_bundle_of_another_form_is_refused(data: bytes) -> None:
    with pytest.raises(VerificationError):
        decode_bundle(data)


def test_bundles_are_named_by_their_place() -> None:
    numbers = [1, 256, 257, 512, 513, 256 * 10_000 + 1]

    assert [bundle_name(number) for number in numbers] == [
        "0000",
        "0000",
        "0001",
        "0001",
        "0002",
        "10000",
    ]


def test_a_refusal_says_what_was_found() -> None:
    for data, why in [
        (b"\0\5abc", "cut short"),
        (b"\0", "one spelling|cut short"),
        (b"\0\1x" * 257, "more than 256"),
        (b"\0\0", "an entry of 0 bytes"),
    ]:
        with pytest.raises(VerificationError, match=why):
            decode_bundle(data)
