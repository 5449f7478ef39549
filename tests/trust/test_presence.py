"""The file of what one agent has signed at one seat: what it may hold, in order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.note import Signer, Verifier, sign_note
from koinii.trust.presence import (
    Presence,
    check_grown,
    known_presence,
    open_presence,
)
from koinii.trust.statements import (
    Authored,
    Grant,
    Introduction,
    OtherStatement,
    RemoteStatement,
    Retirement,
    Revocation,
    Rotation,
    Statement,
    join_statements,
    sign_statement,
    split_statements,
)
from trust.made import HASHES, KEYS, NAMES, PUBLIC, ROOT, SEATS, presences

ATLAS, BOREAS = NAMES[:2]
HERE, THERE = SEATS[:2]
FIRST = Introduction(ATLAS, PUBLIC[0], HERE, ("atlas",), 5)
TURN = Rotation(ATLAS, HASHES[0], PUBLIC[1], HERE, 3)
LOST = Revocation(ATLAS, HASHES[0], "*", 2, "the laptop was lost")
LEFT = Retirement(ATLAS, HASHES[0], THERE, 0)
GIVEN = Grant(BOREAS, PUBLIC[3], ("member",), None, 7)
ADMIN = Introduction(ROOT, PUBLIC[0], HERE, (), 5)


def note(one: Statement, *keys: int, name: str = ATLAS) -> bytes:
    """Sign a statement as whoever it is of, even where nobody would."""
    return sign_note(one.text(), [Signer.of(name, KEYS[key]) for key in keys])


LATER = "koinii.later/v1\nwhat comes\n"
FILE = [
    note(FIRST, 0),
    note(TURN, 0, 1),
    note(LOST, 1),
    note(LEFT, 0),
    sign_note(LATER, [Signer.of(ATLAS, KEYS[0])]),
]


def opened(notes: list[bytes], agent: str = ATLAS, seat: str = HERE) -> Presence:
    return open_presence(join_statements(notes), agent, seat)


def test_a_file_of_every_kind() -> None:
    found = opened(FILE)
    assert found.introduction == FIRST
    assert found.keys == ((0, PUBLIC[0]), (3, PUBLIC[1]))
    assert found.key == PUBLIC[1]
    assert [found.key_at(number) for number in (0, 2, 3, 99)] == [
        PUBLIC[0], PUBLIC[0], PUBLIC[1], PUBLIC[1],
    ]  # fmt: skip
    assert [set(one.signers) for one in found.statements] == [
        {HASHES[0]}, {HASHES[0], HASHES[1]}, {HASHES[1]}, {HASHES[0]}, {HASHES[0]},
    ]  # fmt: skip
    one_key = opened([note(FIRST, 0), note(TURN, 0)])
    assert one_key.statements[1].signers == (HASHES[0],)


def test_a_kind_that_is_not_known_is_signed_by_the_agent_all_the_same() -> None:
    for name, key in ((ATLAS, KEYS[4]), (BOREAS, KEYS[0])):
        stranger = sign_note(LATER, [Signer.of(name, key)])
        with pytest.raises(VerificationError):
            opened([note(FIRST, 0), stranger])


def test_the_file_of_an_admin() -> None:
    about = Revocation(BOREAS, HASHES[3], HERE, 1, "so")
    found = opened(
        [
            note(ADMIN, 0, name=ROOT),
            note(GIVEN, 0, name=ROOT),
            note(about, 0, name=ROOT),
        ],
        ROOT,
    )
    assert [one.statement for one in found.statements] == [ADMIN, GIVEN, about]


def test_it_is_of_one_agent_at_one_seat() -> None:
    for agent, seat in ((BOREAS, HERE), (ATLAS, THERE)):
        with pytest.raises(VerificationError) as caught:
            opened(FILE, agent, seat)
        assert caught.value.code == "koinii/bad-statements"


def changed(spoil: Callable[[list[bytes]], list[bytes]]) -> list[bytes]:
    return spoil(list(FILE))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda f: [],  # empty
        lambda f: f[1:],  # cut at the front
        lambda f: [f[1], f[0], *f[2:]],  # the introduction second
        lambda f: [f[0], f[2], f[1]],  # by a key that it has not got yet
        lambda f: [f[0], f[0]],  # introduced twice
        lambda f: [*f, f[1]],  # rotated twice the same way
        lambda f: [note(FIRST, 1)],  # by another key than it names
        lambda f: [note(FIRST, 0, name=BOREAS)],
        lambda f: [f[0], note(TURN, 1)],  # by the new key alone
        lambda f: [f[0], note(TURN, 2)],
        lambda f: [f[0], note(LOST, 2)],
        lambda f: [f[0], note(LEFT, 2)],
        lambda f: [f[0], note(LOST, 0, name=BOREAS)],
    ],
)
def test_whatever_does_not_verify_refuses_all_of_it(
    spoil: Callable[[list[bytes]], list[bytes]],
) -> None:
    with pytest.raises(VerificationError):
        opened(changed(spoil))


@pytest.mark.parametrize(
    "one",
    [
        Rotation(ATLAS, HASHES[0], PUBLIC[1], THERE, 3),  # said at another seat
        Rotation(BOREAS, HASHES[0], PUBLIC[1], HERE, 3),  # of another agent
        Rotation(ATLAS, HASHES[2], PUBLIC[1], HERE, 3),  # from another key
        Rotation(ATLAS, HASHES[0], PUBLIC[0], HERE, 3),  # to the same key
        Revocation(BOREAS, HASHES[0], "*", 0, "so"),  # of another agent
        Retirement(BOREAS, HASHES[0], HERE, 0),
        GIVEN,  # only the admin grants
        RemoteStatement(PUBLIC[0], 1, 5),
        Authored(ATLAS, HASHES[0], HERE, 1, 0, b"r" * 32, None),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_belongs_in_no_file_of_an_agent(one: Statement) -> None:
    assert opened([FILE[0]])
    with pytest.raises(VerificationError) as caught:
        opened([FILE[0], note(one, 0, 1)])
    assert caught.value.code == "koinii/bad-statements"


@pytest.mark.parametrize(
    "one",
    [
        Rotation(ATLAS, HASHES[1], PUBLIC[0], HERE, 4),  # back to an earlier key
        Rotation(ATLAS, HASHES[1], PUBLIC[2], HERE, 2),  # before the one before
    ],
)
def test_rotations_go_one_way(one: Rotation) -> None:
    with pytest.raises(VerificationError):
        opened([*FILE[:2], note(one, 0, 1, 2)])
    later = Rotation(ATLAS, HASHES[1], PUBLIC[2], HERE, 3)
    assert opened([*FILE[:2], note(later, 1)]).key == PUBLIC[2]


def test_an_admin_has_one_key() -> None:
    turn = Rotation(ROOT, HASHES[0], PUBLIC[1], HERE, 3)
    with pytest.raises(VerificationError):
        opened([note(ADMIN, 0, name=ROOT), note(turn, 0, 1, name=ROOT)], ROOT)


def test_a_changed_bit_is_noticed() -> None:
    """Or makes it a statement of a kind that is kept and says nothing."""
    data = bytearray(join_statements([FILE[0], note(TURN, 0), *FILE[2:4]]))
    refused = 0
    for place in range(0, len(data), 7):
        data[place] ^= 1
        try:
            found = open_presence(bytes(data), ATLAS, HERE)
        except VerificationError:
            refused += 1
        else:
            (other,) = [
                one
                for one in found.statements
                if isinstance(one.statement, OtherStatement)
            ]
            assert other.signers == ()
        data[place] ^= 1
    assert refused > 0.9 * len(data) / 7
    assert open_presence(bytes(data), ATLAS, HERE)


# A file that only grows -----------------------------------------------------------


def test_a_file_has_all_that_stood_there_before() -> None:
    for size in range(len(FILE) + 1):
        before = join_statements(FILE[:size]).decode()
        for more in range(size, len(FILE) + 1):
            check_grown(before, join_statements(FILE[:more]))
        for fewer in range(size):
            with pytest.raises(VerificationError):
                check_grown(before, join_statements(FILE[:fewer]))
    before = join_statements(FILE[:4]).decode()
    with pytest.raises(VerificationError):
        check_grown(before, join_statements([*FILE[:2], FILE[3], FILE[2]]))


def test_signatures_may_come_again() -> None:
    """The texts are what counts: a signature is made anew and is no less good."""
    before = join_statements(FILE[:2]).decode()
    check_grown(before, join_statements([FILE[0], note(TURN, 0)]))


# What is known is read as what comes ----------------------------------------------


@given(presences(), st.data())
def test_a_known_file_is_read_as_a_new_one(
    known: list[Presence], data: st.DataObject
) -> None:
    for one in known:
        notes = [
            note(each.statement, *map(HASHES.index, each.signers), name=one.agent)
            for each in one.statements
        ]
        text = join_statements(notes)
        found = open_presence(text, one.agent, one.seat)
        assert found.keys == one.keys
        assert [each.statement for each in found.statements] == [
            each.statement for each in one.statements
        ]
        assert known_presence(text.decode(), one.agent, one.seat) == found
        size = data.draw(st.integers(0, len(notes)))
        check_grown(join_statements(notes[:size]).decode(), text)
        assert split_statements(text) == notes


@given(presences())
def test_what_is_signed_here_is_what_is_opened(known: list[Presence]) -> None:
    for one in known:
        for statement, signers in one.statements:
            if isinstance(statement, OtherStatement):
                continue
            numbers = list(map(HASHES.index, signers))
            made = [Signer.of(one.agent, KEYS[number]) for number in numbers]
            signed = sign_statement(statement, *made)
            assert signed == note(statement, *numbers, name=one.agent)


def test_a_hint_that_fits_two_keys_is_no_signature(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever makes a key with the key id of another's has not its signature."""
    monkeypatch.setattr(Verifier, "key_id", property(lambda _: b"same"))
    data = join_statements([note(FIRST, 0), note(TURN, 0)])

    read = open_presence(data, ATLAS, HERE)
    again = known_presence(data.decode(), ATLAS, HERE)

    assert again == read
    assert again.statements[1].signers == (HASHES[0],)
