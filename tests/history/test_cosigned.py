"""The file `cosigned/<seat id>`: read back, whole, and of the seats it names."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from history.sample_forks import (
    KEY,
    ORIGIN,
    SEAT,
    SEAT_ID,
    WATCHER,
    WATCHER_KEY,
    branch,
    cosigned,
    fork,
    head_of,
    signed,
)
from koinii.errors import VerificationError
from koinii.history.cosigned import (
    MAX_COSIGNED,
    Cosigned,
    CosignedHead,
    open_cosigned,
    read_cosigned,
    write_cosigned,
)
from koinii.history.evidence import MAX_HEAD, Branch, Evidence
from koinii.history.evidence_text import write_evidence
from koinii.note import (
    Checkpoint,
    PrivateKey,
    Signer,
    cosign,
    open_checkpoint,
    open_cosignatures,
    parse_note,
    seat_cosigner,
    seat_id,
    seat_verifier,
    sign_checkpoint,
)
from pages import blocks

FORK = fork(branch("abx"), branch("abyz"))
HEAD = cosigned("ab")
PUBLIC = KEY.public
PLAIN = write_cosigned(PUBLIC, HEAD)
BOTH = write_cosigned(PUBLIC, HEAD, FORK.evidence)
BARE = write_cosigned(PUBLIC, None, FORK.evidence)
FILES = [PLAIN, BOTH, BARE]
OTHER = PrivateKey.from_seed(b"o" * 32)


def opened(data: bytes) -> Cosigned:
    return open_cosigned(read_cosigned(data), WATCHER_KEY.public, seat=SEAT_ID)


def refusal(data: bytes) -> str:
    with pytest.raises(VerificationError) as caught:
        opened(data)
    return caught.value.code


def test_what_is_written_opens() -> None:
    head = CosignedHead(head_of("ab"), HEAD, 1_700_000_000)
    for data, checked, shown in [
        (PLAIN, head, None),
        (BOTH, head, FORK),
        (BARE, None, FORK),
    ]:
        expected = Cosigned(SEAT_ID, PUBLIC, WATCHER_KEY.public, checked, shown)
        assert opened(data) == expected
        unverified = read_cosigned(data)
        assert (
            open_cosigned(unverified, WATCHER_KEY.public, seat=SEAT_ID, key=PUBLIC)
            == expected
        )


def test_the_page_shows_what_is_written() -> None:
    shown = blocks("cosigned")

    assert shown["cosigned"].encode() == PLAIN
    assert shown["evidence"].encode() == write_evidence(FORK.evidence)
    assert PLAIN + b"\n" + shown["evidence"].encode() == BOTH


def test_the_head_in_it_is_a_note_for_stock_tools() -> None:
    note = BOTH.split(b"\n\n", 1)[1].split(b"\n\nkoinii.fork/v1\n")[0] + b"\n"

    assert note == HEAD
    assert open_checkpoint(note, [SEAT.verifier], origin=ORIGIN) == head_of("ab")
    [found] = open_cosignatures(note, [seat_cosigner(WATCHER_KEY.public)])
    assert found.seconds == 1_700_000_000


@pytest.mark.parametrize("data", FILES)
def test_any_changed_bit_is_refused(data: bytes) -> None:
    for at in range(len(data)):
        for bit in (0, at % 7 + 1):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            assert refusal(bytes(changed)).startswith("koinii/")


@given(st.sampled_from(FILES), st.data())
def test_any_other_bytes_are_refused(data: bytes, choice: st.DataObject) -> None:
    start = choice.draw(st.integers(0, len(data)))
    end = choice.draw(st.integers(start, len(data)))
    middle = choice.draw(st.binary(max_size=6) | st.just(data[start:end] * 2))
    changed = data[:start] + middle + data[end:]
    assume(changed not in FILES)

    assert refusal(changed).startswith("koinii/")


@given(st.binary(max_size=80))
def test_any_bytes_are_a_refusal(data: bytes) -> None:
    start = PLAIN[: PLAIN.index(b"\n\n") + 2]
    for whole in (data, start + data, PLAIN + data, PLAIN + b"\n" + data):
        if whole not in FILES:
            with pytest.raises(VerificationError):
                read_cosigned(whole)


def test_another_spelling_is_refused() -> None:
    for data in FILES:
        commented = data.replace(b"\n\n", b" a comment\n\n", 1)
        assert refusal(commented) == "koinii/bad-cosigned"
        assert refusal(data.replace(b"cosigned/v1", b"cosigned/v2", 1)) == (
            "koinii/bad-cosigned"
        )


def test_bc_119_a_file_under_another_seats_name_is_refused() -> None:
    unverified = read_cosigned(BOTH)
    watcher = WATCHER_KEY.public
    for seat, key in [(seat_id(watcher), None), (SEAT_ID, watcher), ("", None)]:
        with pytest.raises(VerificationError) as caught:
            open_cosigned(unverified, watcher, seat=seat, key=key)
        assert caught.value.code == "koinii/other-origin"


def test_bc_119_the_head_or_fork_of_another_seat_is_refused() -> None:
    other = OTHER.public
    for note, evidence in [(HEAD, None), (None, FORK.evidence)]:
        with pytest.raises(VerificationError, match="another seat"):
            write_cosigned(other, note, evidence)
        data = write_cosigned(PUBLIC, note, evidence)
        line = PUBLIC.openssh().encode()
        assert refusal(data.replace(line, other.openssh().encode(), 1)) in {
            "koinii/bad-cosigned",
            "koinii/other-origin",
        }


def test_another_seats_cosignature_is_not_this_ones() -> None:
    """A file copied to another seat's ref is not that seat's word."""
    with pytest.raises(VerificationError, match="the seat asked"):
        open_cosigned(read_cosigned(PLAIN), OTHER.public, seat=SEAT_ID)
    assert open_cosigned(read_cosigned(BARE), OTHER.public, seat=SEAT_ID).fork == FORK


def head_with(*lines: object) -> bytes:
    return f"{head_of('ab').text()}\n{''.join(map(str, lines))}".encode()


def test_a_head_has_exactly_its_two_lines_in_order() -> None:
    own, ours = parse_note(HEAD).lines
    self_made = cosign(signed("ab"), SEAT, 5, log=SEAT.verifier)
    third = cosign(
        signed("ab"),
        Signer(seat_verifier(OTHER.public), OTHER.sign),
        5,
        log=SEAT.verifier,
    )
    plain = parse_note(sign_checkpoint(head_of("ab"), [WATCHER])).lines[0]
    for lines in [(own,), (own, ours, third), (own, ours, ours)]:
        with pytest.raises(VerificationError, match="one of another seat"):
            write_cosigned(PUBLIC, head_with(*lines))
    for lines in [(ours, own), (own, third), (own, self_made), (own, own)]:
        data = write_cosigned(PUBLIC, head_with(*lines))
        assert refusal(data) == "koinii/bad-cosigned"
    assert refusal(write_cosigned(PUBLIC, head_with(own, plain))) == (
        "koinii/bad-cosigned"
    )
    with pytest.raises(VerificationError, match="the seat asked"):
        own_file = read_cosigned(write_cosigned(PUBLIC, head_with(own, self_made)))
        open_cosigned(own_file, PUBLIC, seat=SEAT_ID)


def test_signatures_of_another_head_are_refused() -> None:
    own, ours = parse_note(HEAD).lines
    other_own, other_ours = parse_note(cosigned("abq")).lines
    for lines in [(other_own, ours), (own, other_ours)]:
        data = write_cosigned(PUBLIC, head_with(*lines))
        assert refusal(data) == "koinii/bad-signature"


def test_evidence_that_shows_no_fork_is_refused() -> None:
    consistent = Evidence(PUBLIC, (branch("ab"), branch("abx")))
    unknown = Evidence(PUBLIC, (branch("ab"), branch("xyz", leaves=False)))
    for evidence in (consistent, unknown):
        for note in (None, HEAD):
            data = write_cosigned(PUBLIC, note, evidence)
            assert refusal(data) == "koinii/bad-evidence"


def test_an_extension_line_is_not_read_as_evidence() -> None:
    for line in ("koinii.fork/v1", "koinii.cosigned/v1"):
        checkpoint = Checkpoint(ORIGIN, 1, b"r" * 32, (line, "x"))
        note = sign_checkpoint(checkpoint, [SEAT])
        ours = cosign(note, WATCHER, 5, log=SEAT.verifier)
        found = opened(write_cosigned(PUBLIC, note + str(ours).encode()))
        assert found.head is not None
        assert found.head.checkpoint == checkpoint


def test_what_nobody_reads_is_not_written() -> None:
    wide = Checkpoint(ORIGIN, 1, b"r" * 32, ("e" * MAX_HEAD,))
    note = sign_checkpoint(wide, [SEAT, SEAT])
    far = Evidence(PUBLIC, (Branch(note), branch("x")))
    for head, evidence, why in [
        (None, None, "neither"),
        (note, None, "more than"),
        (None, far, "more than"),
        (b"no note\n", None, "signature block"),
    ]:
        with pytest.raises(VerificationError, match=why):
            write_cosigned(PUBLIC, head, evidence)
    with pytest.raises(VerificationError, match="more than"):
        read_cosigned(PLAIN + b"a" * MAX_COSIGNED)
