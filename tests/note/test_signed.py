"""Signed notes: what opens, what is refused, and never unverified text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.note import (
    Note,
    PrivateKey,
    SignatureLine,
    Signer,
    UnverifiedNote,
    Verifier,
    open_note,
    parse_note,
    parse_vkey,
    sign_note,
    to_base64,
)
from koinii.note.signed import key_id

ATLAS = Signer.of("AgentAtlas", PrivateKey.from_seed(b"a" * 32))
BOREAS = Signer.of("AgentBoreas", PrivateKey.from_seed(b"b" * 32))
OTHER_ATLAS = Signer.of("AgentAtlas", PrivateKey.from_seed(b"c" * 32))
TEXT = "first\n\nsecond Zürich \U0001f98a \u2028\n"
NOTE = sign_note(TEXT, [ATLAS])

lines = st.lists(
    st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=8)
)


@given(lines)
def test_what_is_signed_opens(parts: list[str]) -> None:
    text = "".join(part + "\n" for part in [*parts, "end"])
    note = open_note(sign_note(text, [ATLAS, BOREAS]), [BOREAS.verifier])

    assert note.text == text
    assert note.signers == (BOREAS.verifier,)
    assert [line.name for line in note.unknown] == ["AgentAtlas"]


@given(st.integers(0, 8 * len(NOTE) - 1))
def test_a_changed_bit_never_opens(bit: int) -> None:
    changed = bytearray(NOTE)
    changed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(VerificationError):
        open_note(bytes(changed), [ATLAS.verifier])


@given(st.integers(0, len(NOTE) - 1))
def test_a_cut_note_never_opens(end: int) -> None:
    with pytest.raises(VerificationError):
        open_note(NOTE[:end], [ATLAS.verifier])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_refusal(data: bytes) -> None:
    for whole in (data, NOTE + data[:1], TEXT.encode() + b"\n" + data):
        if whole != NOTE:
            with pytest.raises(VerificationError):
                open_note(whole, [ATLAS.verifier])


def refusal(data: bytes, *known: Signer) -> str:
    with pytest.raises(VerificationError) as caught:
        open_note(data, [signer.verifier for signer in known])
    return caught.value.code


def test_bc_053_each_way_to_lose_a_signature_has_its_reason() -> None:
    body = TEXT.encode() + b"\n"
    zero = str(SignatureLine("AgentAtlas", ATLAS.verifier.key_id, bytes(64)))

    assert refusal(TEXT.encode(), ATLAS) == "koinii/bad-note"
    assert refusal(body, ATLAS) == "koinii/bad-note"
    assert refusal(body + b"\xe2\x80\x94 AgentAtlas \n", ATLAS) == "koinii/bad-note"
    assert refusal(body + zero.encode(), ATLAS) == "koinii/bad-signature"
    assert refusal(sign_note(TEXT, [BOREAS]), ATLAS) == "koinii/unknown-key"
    assert refusal(sign_note(TEXT, [OTHER_ATLAS]), ATLAS) == "koinii/unknown-key"
    previous = sign_note("before\n", [ATLAS]).decode().splitlines(keepends=True)[-1]
    assert refusal(body + previous.encode(), ATLAS) == "koinii/bad-signature"
    assert refusal(NOTE.replace(b"first", b"First"), ATLAS) == "koinii/bad-signature"


def test_a_known_key_that_fails_refuses_a_note_another_key_signed() -> None:
    note = sign_note(TEXT, [BOREAS]) + sign_note("x\n", [ATLAS]).split(b"\n\n")[1]

    assert refusal(note, ATLAS, BOREAS) == "koinii/bad-signature"
    assert open_note(note, [BOREAS.verifier]).text == TEXT


def test_keys_that_share_a_hint_are_told_apart() -> None:
    """A four-byte id can be forged; the signature decides which key it was."""

    class Colliding(Verifier):
        __slots__ = ()

        @property
        def key_id(self) -> bytes:
            return ATLAS.verifier.key_id

    other = Colliding("AgentAtlas", OTHER_ATLAS.verifier.key)

    assert open_note(NOTE, [other, ATLAS.verifier]).signers == (ATLAS.verifier,)
    with pytest.raises(VerificationError):
        open_note(NOTE, [other])


def test_a_repeated_signature_is_one_signer() -> None:
    line = NOTE[NOTE.rindex(b"\n\n") + 2 :]

    assert open_note(NOTE + line, [ATLAS.verifier]).signers == (ATLAS.verifier,)
    assert refusal(NOTE + line * 16, ATLAS) == "koinii/bad-note"


def test_unverified_text_is_another_type() -> None:
    unverified = parse_note(NOTE)

    assert isinstance(unverified, UnverifiedNote)
    assert not issubclass(UnverifiedNote, Note)
    assert not hasattr(unverified, "text")
    assert "".join(map(str, unverified.lines)).encode() in NOTE


def test_a_note_over_a_mebibyte_is_not_read() -> None:
    with pytest.raises(VerificationError, match="1 MiB"):
        parse_note(b"a" * 2**20 + NOTE)


@pytest.mark.parametrize(
    "text", ["", "no end", "tab\tline\n", "cr\r\n", "nul\0\n", "\ud800\n"]
)
def test_bc_125_what_nobody_opens_is_not_signed(text: str) -> None:
    with pytest.raises(VerificationError):
        sign_note(text, [ATLAS])


def test_bc_125_a_signature_that_fails_is_not_released() -> None:
    broken = Signer(ATLAS.verifier, lambda _message: bytes(64))
    with pytest.raises(VerificationError, match="does not verify"):
        sign_note(TEXT, [broken])
    with pytest.raises(VerificationError, match="1 to 16"):
        sign_note(TEXT, [])
    with pytest.raises(VerificationError, match="1 to 16"):
        sign_note(TEXT, [ATLAS] * 17)


@pytest.mark.parametrize(
    "name", ["", "a b", "a+b", "a\u00a0b", "a\n", "\x01", "\ud800"]
)
def test_a_name_that_breaks_the_line_is_refused(name: str) -> None:
    with pytest.raises(VerificationError):
        Verifier(name, ATLAS.verifier.key)


def test_a_verifier_key_is_read_back() -> None:
    assert parse_vkey(ATLAS.verifier.vkey) == ATLAS.verifier


@given(st.text(max_size=90))
def test_any_text_is_no_verifier_key(text: str) -> None:
    with pytest.raises(VerificationError):
        parse_vkey(text)


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("— \x01 AAAAAAA=\n", "control"),
        ("— a AAAAAA==\n", "holds no signature"),
        ("— a AAAA\n", "holds no signature"),
        ("— a+b AAAAAAA=\n", "is no signature"),
        ("- a AAAAAAA=\n", "is no signature"),
        ("", "no signature block"),
        ("— a AAAAAAA=", "ends with a line end"),
        ("— a AAAAAAB=\n", "strict base64"),
    ],
)
def test_a_refusal_says_what_was_found(block: str, why: str) -> None:
    with pytest.raises(VerificationError, match=why):
        parse_note(f"text\n\n{block}".encode())


def test_keys_of_other_types_are_refused_as_that() -> None:
    name = ATLAS.verifier.name
    for kind in (0, 2, 4, 6):
        raw = ATLAS.verifier.key.raw
        typed = to_base64(bytes([kind]) + raw)
        hint = key_id(name, kind, raw).hex()
        with pytest.raises(VerificationError) as caught:
            parse_vkey(f"{name}+{hint}+{typed}")
        assert caught.value.code == "koinii/unknown-key-type"


def test_what_a_cosignature_signs_is_signed_as_no_note() -> None:
    signer = Signer.of("a", PrivateKey.generate())
    with pytest.raises(VerificationError):
        sign_note("cosignature/v1\ntime 1\nkoinii.seat/x\n1\nAAAA\n", [signer])
