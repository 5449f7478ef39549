"""Statements: one spelling, signed by the agent they name, kept when unknown."""

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.note import PrivateKey, Signer, parse_note, sign_note
from koinii.trust.statements import (
    Authored,
    Introduction,
    OtherStatement,
    Statement,
    join_statements,
    open_authored,
    open_introduction,
    parse_statement,
    sign_statement,
    split_statements,
    statement_hash,
)

KEY = PrivateKey.from_seed(b"a" * 32)
OTHER = PrivateKey.from_seed(b"b" * 32)
ATLAS = Signer.of("AgentAtlas", KEY)
SEAT = "5" * 32
INTRODUCTION = Introduction(
    "AgentAtlas", KEY.public, SEAT, ("worker-atlas", "atlas"), 1_760_000_000_000
)
AUTHORED = Authored("AgentAtlas", KEY.public.key_hash, SEAT, 3, 12, b"r" * 32, None)

names = st.text(
    st.characters(min_codepoint=33, exclude_categories=["Cs", "Z", "C"]),
    min_size=1,
    max_size=8,
).filter(lambda name: "+" not in name and name != "-")
counts = st.integers(0, 2**64 - 1)
hashes = st.binary(min_size=32, max_size=32)
seats = st.text("0123456789abcdef", min_size=32, max_size=32)
introductions = st.builds(
    Introduction,
    names,
    st.just(KEY.public),
    seats,
    st.lists(names, max_size=3, unique=True).map(tuple),
    counts,
)
authored = st.builds(
    Authored,
    names,
    hashes,
    seats,
    st.integers(1, 2**64 - 1),
    counts,
    hashes,
    st.none() | hashes,
)


def test_the_lines_of_each_statement() -> None:
    assert INTRODUCTION.text() == (
        f"koinii.introduce/v1\nAgentAtlas\n{KEY.public.raw.hex()}\n{SEAT}\n"
        "worker-atlas atlas\n1760000000000\n"
    )
    assert replace(INTRODUCTION, mail_names=()).text().splitlines()[4] == "-"
    assert AUTHORED.text() == (
        f"koinii.authored/v1\nAgentAtlas\n{KEY.public.key_hash.hex()}\n{SEAT}\n"
        f"3\n12\n{(b'r' * 32).hex()}\n-\n"
    )
    assert statement_hash(AUTHORED) == sha256(AUTHORED.text().encode()).digest()


@given(introductions | authored)
def test_a_statement_is_read_back(statement: Statement) -> None:
    assert parse_statement(statement.text()) == statement


@given(st.text("koini./v12-\n abc0", max_size=60))
def test_any_text_is_a_statement_or_a_refusal(text: str) -> None:
    for whole in (text, "koinii.introduce/v1\n" + text, "koinii.authored/v1\n" + text):
        try:
            statement = parse_statement(whole)
        except VerificationError:
            continue
        assert statement.text() == whole


def test_a_signed_statement_opens() -> None:
    introduction = sign_statement(INTRODUCTION, ATLAS)
    signed = sign_statement(AUTHORED, ATLAS)

    assert open_introduction(introduction) == INTRODUCTION
    assert open_authored(signed, KEY.public) == AUTHORED
    assert parse_note(signed).lines[0].name == "AgentAtlas"


@given(st.data())
def test_a_changed_bit_never_opens(data: st.DataObject) -> None:
    for signed in (
        sign_statement(INTRODUCTION, ATLAS),
        sign_statement(AUTHORED, ATLAS),
    ):
        changed = bytearray(signed)
        bit = data.draw(st.integers(0, 8 * len(signed) - 1))
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(VerificationError):
            open_introduction(bytes(changed))
        with pytest.raises(VerificationError):
            open_authored(bytes(changed), KEY.public)


@pytest.mark.parametrize(
    ("statement", "signer"),
    [
        (INTRODUCTION, Signer.of("AgentAtlas", OTHER)),
        (INTRODUCTION, Signer.of("AgentBoreas", KEY)),
        (AUTHORED, Signer.of("AgentAtlas", OTHER)),
        (AUTHORED, Signer.of("AgentBoreas", KEY)),
        (replace(AUTHORED, number=0), ATLAS),
        (replace(AUTHORED, root=b"short"), ATLAS),
        (replace(AUTHORED, seat="5"), ATLAS),
        (replace(AUTHORED, size=-1), ATLAS),
        (replace(AUTHORED, size=2**64), ATLAS),
        (replace(INTRODUCTION, mail_names=("a b",)), ATLAS),
        (replace(INTRODUCTION, mail_names=("a", "a")), ATLAS),
        (replace(INTRODUCTION, mail_names=("-",)), ATLAS),
        (replace(INTRODUCTION, mail_names=("",)), ATLAS),
        (replace(INTRODUCTION, seat=SEAT + "\nx"), ATLAS),
    ],
)
def test_bc_125_what_nobody_opens_is_not_signed(
    statement: Introduction | Authored, signer: Signer
) -> None:
    with pytest.raises(VerificationError):
        sign_statement(statement, signer)


def test_bc_019_the_name_is_that_of_the_signing_key() -> None:
    """A statement about one agent under the signature of another opens nowhere."""
    forged = sign_note(INTRODUCTION.text(), [Signer.of("AgentBoreas", KEY)])
    stolen = sign_note(AUTHORED.text(), [Signer.of("AgentAtlas", OTHER)])

    with pytest.raises(VerificationError, match="no known key"):
        open_introduction(forged)
    with pytest.raises(VerificationError, match="another key"):
        open_authored(stolen, OTHER.public)
    with pytest.raises(VerificationError, match="no known key"):
        open_authored(stolen, KEY.public)


def test_one_kind_is_not_taken_for_another() -> None:
    introduction = sign_statement(INTRODUCTION, ATLAS)
    signed = sign_statement(AUTHORED, ATLAS)

    with pytest.raises(VerificationError, match="not an introduction"):
        open_introduction(signed)
    with pytest.raises(VerificationError, match="not an authored"):
        open_authored(introduction, KEY.public)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "koinii.introduce/v1\n",
        INTRODUCTION.text()[:-1],
        INTRODUCTION.text() + "more\n",
        INTRODUCTION.text() + "\n",
        INTRODUCTION.text().replace("1760000000000", "01760000000000"),
        INTRODUCTION.text().replace("1760000000000", "+1760000000000"),
        INTRODUCTION.text().replace("1760000000000", "\u0661"),
        INTRODUCTION.text().replace(SEAT, SEAT[1:]),
        INTRODUCTION.text().replace("worker-atlas atlas", "worker-atlas  atlas"),
        INTRODUCTION.text().replace("worker-atlas atlas", "atlas atlas"),
        INTRODUCTION.text().replace(KEY.public.raw.hex(), KEY.public.raw.hex().upper()),
        INTRODUCTION.text().replace(KEY.public.raw.hex(), "01" + "0" * 62),
        AUTHORED.text().replace("\n3\n", "\n0\n"),
        AUTHORED.text().replace("\n3\n", "\n18446744073709551616\n"),
        "unknown/v1\nx\n",
        "koinii.grant/v0\nx\n",
        "koinii.later/v1\n\nx\n",
    ],
)
def test_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(VerificationError):
        parse_statement(text)


def test_an_unknown_kind_is_kept_and_not_interpreted() -> None:
    text = "koinii.later/v1\nAgentAtlas\nmember\n"
    statement = parse_statement(text)

    assert statement == OtherStatement("koinii.later/v1", text)
    assert statement.text() == text
    assert isinstance(parse_statement("koinii.introduce/v2\nx\n"), OtherStatement)


def test_a_file_of_statements_is_read_back() -> None:
    grant = sign_note("koinii.later/v1\nAgentAtlas\nmember\n", [ATLAS])
    notes = [
        sign_statement(INTRODUCTION, ATLAS),
        grant,
        sign_statement(AUTHORED, ATLAS),
    ]

    assert split_statements(join_statements(notes)) == notes
    assert split_statements(join_statements(notes[:1])) == notes[:1]
    assert join_statements([]) == b""
    assert split_statements(b"") == []
    assert join_statements(notes).count(b"\n\n") == 5


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data + b"\n",
        lambda data: b"\n" + data,
        lambda data: data[:-1],
        lambda data: data + b"x\n",
        lambda data: data.replace(b"\n\n", b"\n\n\n", 1),
        lambda data: data.replace(b"\n\n", b"\n", 1),
        lambda data: data + b"\n" + data.split(b"\n\n")[0] + b"\n",
        lambda data: data + b"\nno statement\n\n" + data.split(b"\n\n")[1] + b"\n",
        lambda data: b"a" * 2**20 + data,
    ],
)
def test_a_file_of_another_form_is_refused(spoil: object) -> None:
    assert callable(spoil)
    data = join_statements(
        [sign_statement(INTRODUCTION, ATLAS), sign_statement(AUTHORED, ATLAS)]
    )
    with pytest.raises(VerificationError):
        split_statements(spoil(data))


def test_a_note_that_holds_an_empty_line_is_in_no_file() -> None:
    note = sign_note("koinii.later/v1\na\n\nb\n", [ATLAS])
    with pytest.raises(VerificationError):
        join_statements([note])


def test_a_statement_names_an_agent() -> None:
    for statement in (INTRODUCTION, AUTHORED):
        text = statement.text().replace("AgentAtlas", "-")
        with pytest.raises(VerificationError, match="a name is missing"):
            parse_statement(text)


def test_a_file_of_statements_is_bounded() -> None:
    with pytest.raises(VerificationError, match="1 MiB"):
        split_statements(b"a" * (2**20 + 1))
