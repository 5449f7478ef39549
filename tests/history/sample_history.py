"""A seat's history of some length as files, and another one that forks from it."""

from dataclasses import replace
from functools import cache

from history.sample_proofs import RECORD, SEAT, head_of
from koinii.history import Log
from koinii.history.log import BUNDLE_SIZE, encode_bundle
from koinii.history.record import CommitRecord
from koinii.note import Signer

MOST = BUNDLE_SIZE + 2  # two files


@cache
def records(size: int = MOST, forked: int = 0) -> tuple[CommitRecord, ...]:
    """Records in line; from `forked` on, if not 0, other ones than without."""
    found: list[CommitRecord] = []
    for number in range(1, size + 1):
        time = RECORD.time + number + (forked > 0 and number >= forked)
        previous = found[-1].leaf if found else None
        found.append(replace(RECORD, number=number, previous=previous, time=time))
    return tuple(found)


def files(given: tuple[CommitRecord, ...]) -> list[bytes]:
    """Return the files of records, 256 in each."""
    starts = range(0, len(given), BUNDLE_SIZE)
    return [
        encode_bundle([one.encode() for one in given[start : start + BUNDLE_SIZE]])
        for start in starts
    ]


def head(given: tuple[CommitRecord, ...], signer: Signer = SEAT) -> str:
    return head_of(Log([one.leaf for one in given]), signer)
