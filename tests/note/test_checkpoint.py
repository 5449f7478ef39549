"""Checkpoints: one spelling, one log each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.note import (
    Checkpoint,
    PrivateKey,
    Signer,
    open_checkpoint,
    parse_checkpoint,
    seat_id,
    seat_verifier,
    sign_checkpoint,
)

KEY = PrivateKey.from_seed(b"s" * 32)
SEAT = Signer(seat_verifier(KEY.public), KEY.sign)
ORIGIN = SEAT.verifier.name

one_line = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Cs"]), min_size=1, max_size=8
)
checkpoints = st.builds(
    Checkpoint,
    one_line,
    st.integers(0, 2**64 - 1),
    st.binary(min_size=32, max_size=32),
    st.lists(one_line, max_size=2).map(tuple),
)


@given(checkpoints)
def test_a_checkpoint_is_read_back(checkpoint: Checkpoint) -> None:
    assert parse_checkpoint(checkpoint.text()) == checkpoint


@given(st.text(max_size=80))
def test_any_text_is_a_checkpoint_or_a_refusal(text: str) -> None:
    try:
        checkpoint = parse_checkpoint(text)
    except VerificationError:
        return
    assert checkpoint.text() == text


def test_a_signed_checkpoint_opens() -> None:
    head = Checkpoint(ORIGIN, 7, b"r" * 32)

    signed = sign_checkpoint(head, [SEAT])
    assert open_checkpoint(signed, [SEAT.verifier], origin=ORIGIN) == head


def test_bc_119_the_head_of_another_log_is_refused() -> None:
    """One key, two logs: the origin inside the signed text tells them apart."""
    signed = sign_checkpoint(Checkpoint("koinii.seat/other", 7, b"r" * 32), [SEAT])
    with pytest.raises(VerificationError) as caught:
        open_checkpoint(signed, [SEAT.verifier], origin=ORIGIN)
    assert caught.value.code == "koinii/other-origin"


def test_a_seat_id_is_the_start_of_its_keys_hash() -> None:
    assert seat_id(KEY.public) == KEY.public.key_hash.hex()[:32]
    assert f"koinii.seat/{seat_id(KEY.public)}" == ORIGIN


@pytest.mark.parametrize(
    ("origin", "size", "root", "extensions"),
    [
        ("", 1, bytes(32), ()),
        ("a\nb", 1, bytes(32), ()),
        ("a", -1, bytes(32), ()),
        ("a", 2**64, bytes(32), ()),
        ("a", 1, bytes(31), ()),
        ("a", 1, bytes(32), ("",)),
        ("a", 1, bytes(32), ("a\nb",)),
    ],
)
def test_bc_125_what_nobody_reads_is_no_checkpoint(
    origin: str, size: int, root: bytes, extensions: tuple[str, ...]
) -> None:
    with pytest.raises(VerificationError):
        Checkpoint(origin, size, root, extensions)
