"""Cosignatures: what opens, what is refused, and one note whatever the order."""

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.note import (
    Checkpoint,
    Cosigner,
    PrivateKey,
    SignatureLine,
    Signer,
    add_cosignatures,
    cosign,
    merge_cosignatures,
    open_checkpoint,
    open_cosignatures,
    open_note,
    parse_cosigner,
    parse_note,
    parse_vkey,
    seat_cosigner,
    seat_verifier,
    sign_checkpoint,
    sign_note,
)
from koinii.note.cosignature import MAX_TIME, cosigned_message
from reference.ed25519_twin import sign


def seat(seed: int) -> Signer:
    key = PrivateKey.from_seed(bytes([seed]) * 32)
    return Signer(seat_verifier(key.public), key.sign)


SEAT = seat(1)
LOG = SEAT.verifier
HEAD = Checkpoint(LOG.name, 7, b"r" * 32)
SIGNED = sign_checkpoint(HEAD, [SEAT])
OTHERS = [seat(seed) for seed in range(2, 22)]
COSIGNERS = [seat_cosigner(one.verifier.key) for one in OTHERS]
WITNESS = OTHERS[0]

seconds_of = st.integers(0, MAX_TIME)
moments = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=8
)


def cosigned(*pairs: tuple[int, int]) -> bytes:
    """Return the head with the cosignatures of (cosigner, seconds)."""
    lines = [cosign(SIGNED, OTHERS[at], time, log=LOG) for at, time in pairs]
    return SIGNED + "".join(map(str, lines)).encode()


def times(note: bytes) -> dict[str, int]:
    return {
        one.cosigner.name: one.seconds for one in open_cosignatures(note, COSIGNERS)
    }


def refusal(note: bytes, *known: Cosigner) -> str:
    with pytest.raises(VerificationError) as caught:
        open_cosignatures(note, known or COSIGNERS)
    return caught.value.code


@given(seconds_of)
def test_what_is_cosigned_opens(seconds: int) -> None:
    line = cosign(SIGNED, WITNESS, seconds, log=LOG)
    note = SIGNED + str(line).encode()

    assert open_cosignatures(note, COSIGNERS) == [(COSIGNERS[0], seconds, line)]
    assert open_checkpoint(note, [LOG], origin=LOG.name) == HEAD
    assert open_note(note, [LOG]).unknown == (line,)


def test_the_message_is_the_whole_text_with_its_extension_lines() -> None:
    head = Checkpoint(LOG.name, 7, b"r" * 32, ("more", "yet more"))
    line = cosign(sign_checkpoint(head, [SEAT]), WITNESS, 5, log=LOG)
    message = f"cosignature/v1\ntime 5\n{head.text()}".encode()

    assert WITNESS.verifier.key.verify(message, line.signature[8:])
    assert int.from_bytes(line.signature[:8]) == 5
    assert refusal(SIGNED + str(line).encode()) == "koinii/bad-signature"


COSIGNED = cosigned((0, 1_700_000_000))
OWN_LINE = COSIGNED.index(b"\n\n") + 2


@given(st.integers(0, 8 * len(COSIGNED) - 1))
def test_a_changed_bit_is_refused_or_passed_over(bit: int) -> None:
    changed = bytearray(COSIGNED)
    changed[bit // 8] ^= 1 << bit % 8
    try:
        found = open_cosignatures(bytes(changed), COSIGNERS)
    except VerificationError:
        return
    in_own_line = OWN_LINE <= bit // 8 < len(SIGNED)
    assert found == [] or in_own_line


@given(st.integers(0, len(COSIGNED) - 1), st.binary(max_size=3))
def test_other_bytes_are_a_refusal_or_no_cosignature(end: int, tail: bytes) -> None:
    changed = COSIGNED[:end] + tail
    if changed == COSIGNED:
        return
    try:
        assert open_cosignatures(changed, COSIGNERS) == []
    except VerificationError as fault:
        assert fault.code.startswith("koinii/")


def test_a_known_line_that_fails_refuses_the_note() -> None:
    other = sign_checkpoint(Checkpoint(LOG.name, 8, b"s" * 32), [SEAT])
    moved = cosign(other, WITNESS, 5, log=LOG)
    note = cosigned((1, 5)) + str(moved).encode()

    assert refusal(note) == "koinii/bad-signature"
    assert times(cosigned((1, 5))) == {COSIGNERS[1].name: 5}
    assert open_cosignatures(note, COSIGNERS[1:2])[0].seconds == 5
    assert open_cosignatures(note, COSIGNERS[5:]) == []


@pytest.mark.parametrize("length", [1, 7, 8, 63, 64, 71, 73, 2428])
def test_a_payload_of_another_length_is_refused(length: int) -> None:
    good = cosign(SIGNED, WITNESS, 5, log=LOG)
    payload = (good.signature * 40)[:length]
    line = SignatureLine(good.name, good.key_id, payload)

    assert refusal(SIGNED + str(line).encode()) == "koinii/bad-signature"


def test_another_time_is_refused() -> None:
    good = cosign(SIGNED, WITNESS, 5, log=LOG)
    for time in (b"\0" * 7 + b"\6", b"\xff" * 8):
        line = SignatureLine(good.name, good.key_id, time + good.signature[8:])
        assert refusal(SIGNED + str(line).encode()) == "koinii/bad-signature"
    late = WITNESS.sign(cosigned_message(HEAD.text(), 2**63))
    line = SignatureLine(good.name, good.key_id, (2**63).to_bytes(8) + late)
    assert refusal(SIGNED + str(line).encode()) == "koinii/bad-signature"


# One key, two kinds of line ---------------------------------------------------


def test_one_name_and_key_has_another_id_of_each_type() -> None:
    verifier, cosigner = WITNESS.verifier, COSIGNERS[0]

    assert (verifier.name, verifier.key) == (cosigner.name, cosigner.key)
    assert verifier.key_id != cosigner.key_id
    assert parse_cosigner(cosigner.vkey) == cosigner
    with pytest.raises(VerificationError, match="type"):
        parse_cosigner(verifier.vkey)
    with pytest.raises(VerificationError, match="type"):
        parse_vkey(cosigner.vkey)


def test_an_id_that_is_not_the_keys_is_refused() -> None:
    good = COSIGNERS[0].vkey
    for wrong in (
        good.replace(COSIGNERS[0].key_id.hex(), "00000000"),
        good.replace(COSIGNERS[0].key_id.hex(), WITNESS.verifier.key_id.hex()),
        "x" + good,
    ):
        with pytest.raises(VerificationError, match="not that of its key"):
            parse_cosigner(wrong)


def test_a_signature_is_no_cosignature() -> None:
    """The same key has signed the head as a note; its line is moved."""
    plain = parse_note(sign_note(HEAD.text(), [WITNESS])).lines[0].signature
    name, hint = WITNESS.verifier.name, COSIGNERS[0].key_id
    for payload in (plain, bytes(8) + plain):
        line = SignatureLine(name, hint, payload)
        assert refusal(SIGNED + str(line).encode()) == "koinii/bad-signature"
    note = SIGNED + str(SignatureLine(name, WITNESS.verifier.key_id, plain)).encode()
    assert open_cosignatures(note, COSIGNERS) == []


def test_a_cosignature_is_no_signature() -> None:
    payload = cosign(SIGNED, WITNESS, 5, log=LOG).signature
    body = HEAD.text().encode() + b"\n"
    for signature in (payload, payload[8:]):
        line = SignatureLine(LOG.name, WITNESS.verifier.key_id, signature)
        renamed = SignatureLine(
            WITNESS.verifier.name, WITNESS.verifier.key_id, signature
        )
        for one in (line, renamed):
            with pytest.raises(VerificationError):
                open_note(body + str(one).encode(), [WITNESS.verifier])
    whole = cosigned_message(HEAD.text(), 5) + b"\n" + str(renamed).encode()
    assert open_note(whole, [WITNESS.verifier]).text.startswith("cosignature/v1\n")
    with pytest.raises(VerificationError, match="no decimal"):
        open_checkpoint(whole, [WITNESS.verifier], origin=WITNESS.verifier.name)
    with pytest.raises(VerificationError, match="no decimal"):
        open_cosignatures(whole, COSIGNERS)


# What is cosigned --------------------------------------------------------------


def test_bc_119_only_the_head_of_the_named_log_is_cosigned() -> None:
    other = Checkpoint("koinii.seat/other", 7, b"r" * 32)
    for note in (
        sign_checkpoint(other, [SEAT]),
        sign_checkpoint(HEAD, [WITNESS]),
        sign_note("no checkpoint\n", [SEAT]),
        SIGNED.replace(b"\n7\n", b"\n8\n"),
    ):
        with pytest.raises(VerificationError):
            cosign(note, WITNESS, 5, log=LOG)


@pytest.mark.parametrize("seconds", [-1, 2**63, 2**64])
def test_bc_125_a_time_that_nobody_opens_is_not_signed(seconds: int) -> None:
    with pytest.raises(VerificationError, match="time"):
        cosign(SIGNED, WITNESS, seconds, log=LOG)


def test_bc_125_a_cosignature_that_fails_is_not_released() -> None:
    broken = Signer(WITNESS.verifier, lambda _message: bytes(64))
    with pytest.raises(VerificationError, match="does not fit"):
        cosign(SIGNED, broken, 5, log=LOG)


# Many in one note ----------------------------------------------------------------


@settings(max_examples=40)
@given(moments)
def test_a_note_has_the_newest_of_each_by_name(pairs: list[tuple[int, int]]) -> None:
    newest = {at: max(time for who, time in pairs if who == at) for at, _ in pairs}
    merged = merge_cosignatures([cosigned(*pairs)], log=LOG, cosigners=COSIGNERS)
    lines = parse_note(merged).lines

    assert times(merged) == {COSIGNERS[at].name: newest[at] for at in newest}
    assert len(lines) == 1 + len(newest)
    assert lines[0].name == LOG.name
    names = [line.name for line in lines[1:]]
    assert names == sorted(names)
    assert times(cosigned(*pairs)) == times(merged)


@settings(max_examples=20)
@given(moments, moments, moments)
def test_merging_knows_no_order(
    first: list[tuple[int, int]],
    second: list[tuple[int, int]],
    third: list[tuple[int, int]],
) -> None:
    notes = [cosigned(*pairs) for pairs in (first, second, third)]
    whole = merge_cosignatures(notes, log=LOG, cosigners=COSIGNERS)
    for one, two, three in permutations(notes):
        inner = merge_cosignatures([one, two], log=LOG, cosigners=COSIGNERS)
        steps = [inner, three]
        assert merge_cosignatures(steps, log=LOG, cosigners=COSIGNERS) == whole


def test_of_more_than_fifteen_the_newest_stay() -> None:
    notes = [cosigned((at, 100 + at % 17)) for at in range(20)]
    merged = merge_cosignatures(notes, log=LOG, cosigners=COSIGNERS)
    by_age = sorted(range(20), key=lambda at: (-(at % 17), COSIGNERS[at].name))

    assert len(parse_note(merged).lines) == 16
    assert times(merged).keys() == {COSIGNERS[at].name for at in by_age[:15]}
    grown = SIGNED
    for note in reversed(notes):
        lines = parse_note(note).lines
        grown = add_cosignatures(grown, lines, log=LOG, cosigners=COSIGNERS)
    assert grown == merged
    assert open_checkpoint(merged, [LOG], origin=LOG.name) == HEAD


@pytest.mark.parametrize("nonce", range(2, 8))
def test_of_two_signatures_of_the_log_the_least_stays(nonce: int) -> None:
    """A log can sign a text in many ways; every order gives the same note."""
    own = parse_note(SIGNED).lines[0]
    second = replace(own, signature=sign(bytes([1]) * 32, HEAD.text().encode(), nonce))
    notes = [f"{HEAD.text()}\n{line}".encode() for line in (own, second)]
    least = min(own, second, key=lambda line: line.signature)
    for pair in permutations(notes):
        merged = merge_cosignatures(pair, log=LOG, cosigners=COSIGNERS)
        assert parse_note(merged).lines == (least,)


def test_of_two_cosignatures_of_one_time_the_least_stays() -> None:
    first = cosign(SIGNED, WITNESS, 5, log=LOG)
    other = sign(bytes([2]) * 32, cosigned_message(HEAD.text(), 5), 9)
    second = replace(first, signature=(5).to_bytes(8) + other)
    least = min(first, second, key=lambda line: line.signature)
    for pair in permutations((first, second)):
        merged = add_cosignatures(SIGNED, pair, log=LOG, cosigners=COSIGNERS)
        assert parse_note(merged).lines[1:] == (least,)


def test_lines_of_unknown_keys_are_left_out() -> None:
    note = cosigned((0, 1), (1, 2))
    lines = parse_note(note).lines

    assert add_cosignatures(SIGNED, lines, log=LOG, cosigners=[]) == SIGNED
    assert add_cosignatures(
        SIGNED, lines, log=LOG, cosigners=COSIGNERS[1:]
    ) == cosigned((1, 2))


def test_what_does_not_belong_is_not_merged() -> None:
    other = sign_checkpoint(Checkpoint(LOG.name, 8, b"s" * 32), [SEAT])
    stray = cosign(other, WITNESS, 5, log=LOG)
    broken = SIGNED.replace(b"\n7\n", b"\n8\n")
    with pytest.raises(VerificationError, match="does not fit"):
        add_cosignatures(SIGNED, [stray], log=LOG, cosigners=COSIGNERS)
    with pytest.raises(VerificationError, match="2 checkpoints"):
        merge_cosignatures([SIGNED, other], log=LOG, cosigners=COSIGNERS)
    with pytest.raises(VerificationError, match="0 checkpoints"):
        merge_cosignatures([], log=LOG, cosigners=COSIGNERS)
    with pytest.raises(VerificationError, match="does not fit"):
        merge_cosignatures([broken], log=LOG, cosigners=COSIGNERS)
    with pytest.raises(VerificationError, match="has not signed"):
        merge_cosignatures([SIGNED], log=WITNESS.verifier, cosigners=COSIGNERS)


def test_keys_that_share_a_hint_are_told_apart() -> None:
    """A four-byte id can be forged; the signature decides which key it was."""

    class Colliding(Cosigner):
        __slots__ = ()

        @property
        def key_id(self) -> bytes:
            return COSIGNERS[0].key_id

    other = Colliding(COSIGNERS[0].name, COSIGNERS[1].key)

    [found] = open_cosignatures(COSIGNED, [other, COSIGNERS[0]])
    assert found.cosigner == COSIGNERS[0]
    assert refusal(COSIGNED, other) == "koinii/bad-signature"


@given(st.text(max_size=90))
def test_any_text_is_no_cosigner(text: str) -> None:
    for whole in (text, COSIGNERS[0].vkey + text + "="):
        with pytest.raises(VerificationError):
            parse_cosigner(whole)
