"""A seat that told several histories: heads of any of its branches, with leaves."""

from hashlib import sha256

from koinii.history.evidence import Branch, Fork, gather_evidence
from koinii.merkle import root
from koinii.note import (
    Checkpoint,
    PrivateKey,
    Signer,
    add_cosignatures,
    cosign,
    seat_cosigner,
    seat_verifier,
    sign_checkpoint,
)

SEED = b"f" * 32
KEY = PrivateKey.from_seed(SEED)
SEAT = Signer(seat_verifier(KEY.public), KEY.sign)
ORIGIN = SEAT.verifier.name
SEAT_ID = ORIGIN.removeprefix("koinii.seat/")
WATCHER_KEY = PrivateKey.from_seed(b"w" * 32)
WATCHER = Signer(seat_verifier(WATCHER_KEY.public), WATCHER_KEY.sign)


def history(story: str) -> tuple[bytes, ...]:
    """Return a history of one leaf a letter; stories that begin alike agree so far."""
    starts = (story[:end] for end in range(1, len(story) + 1))
    return tuple(sha256(start.encode()).digest() for start in starts)


def head_of(story: str) -> Checkpoint:
    leaves = history(story)
    return Checkpoint(ORIGIN, len(leaves), root(leaves))


def signed(story: str) -> bytes:
    return sign_checkpoint(head_of(story), [SEAT])


def branch(story: str, *, leaves: bool = True) -> Branch:
    return Branch(signed(story), history(story) if leaves else None)


def fork(one: Branch, other: Branch) -> Fork:
    return gather_evidence(KEY.public, one, other)


def cosigned(story: str, seconds: int = 1_700_000_000) -> bytes:
    """Return the head as the watcher publishes it."""
    note = signed(story)
    line = cosign(note, WATCHER, seconds, log=SEAT.verifier)
    own = seat_cosigner(WATCHER_KEY.public)
    return add_cosignatures(note, [line], log=SEAT.verifier, cosigners=[own])
