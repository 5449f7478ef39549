"""Why another seat's commit id is not ours: the first field of its record that differs.

Belief follows from the fields below, in an order in which a cause stands before
what it causes (decision 7). Records are compared; sentences and hints are about
how things stand now.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from koinii.history.record import CommitRecord, decode_record
from koinii.kb.vocabulary import digests
from koinii.merkle import EMPTY_ROOT
from koinii.seat.differing_inputs import explain_inputs
from koinii.seat.differing_trust import explain_trust
from koinii.seat.records import WAITING, held_lines, last_record
from koinii.seat.two_records import Told, Two, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from koinii.seat.parts import Parts

COMMIT = "commit"  # no field differs, and yet the ids do


class Difference(NamedTuple):
    """Another seat whose newest commit has another id than this seat's newest."""

    seat: str
    number: int
    commit: str  # its id there
    field: str  # the first that differs
    fields: list[str]  # all that differ
    explanation: str  # "they" are that seat, "we" this one
    hint: str  # what to type next


def differences(seat: Parts) -> list[Difference]:
    """Return the followed seats that believe something else, each with the reason.

    None before this seat's first commit. A record that needs a newer koinii is
    compared with nothing.
    """
    own = last_record(seat)
    if own is None:
        return []
    unfollowed = seat.histories.unfollowed()
    found = []
    for head in seat.histories.heads():
        if head.seat == seat.id or head.seat in unfollowed:
            continue
        data = seat.histories.record(head.seat, head.size)
        record = None if data is None else decode_record(data)
        if isinstance(record, CommitRecord) and record.commit != own.commit:
            found.append(_difference(Two(seat, own, record)))
    return found


def _difference(two: Two) -> Difference:
    fields = [
        one for one in _EXPLAINED if getattr(two.own, one) != getattr(two.peer, one)
    ]
    explain = _EXPLAINED[fields[0]] if fields else _explain_commit
    return Difference(
        two.peer.seat,
        two.peer.number,
        two.peer.commit_id,
        fields[0] if fields else COMMIT,
        fields or [COMMIT],
        *explain(two),
    )


def _explain_rules(two: Two) -> Told:
    own, peer = two.own, two.peer
    where = "here" if own.rules < peer.rules else "at that seat"
    return Told(
        f"they derive by version {peer.rules} of the rules ({peer.software}), "
        f"we by version {own.rules} ({own.software})",
        f"install the newer koinii {where}",
    )


def _explain_vocabulary(two: Two) -> Told:
    own, peer = two.own, two.peer
    names = sorted(
        one
        for one in {*own.vocabulary, *peer.vocabulary}
        if own.vocabulary.get(one) != peer.vocabulary.get(one)
    )
    told = (
        f"the vocabulary files of {listed(names)} differ: their commit was made with "
        f"{peer.software}, ours with {own.software}"
    )
    if digests() == peer.vocabulary:
        return Told(f"{told} and other files than this program has", "koinii commit")
    return Told(told, "install the newer koinii, here or at that seat")


def _explain_partial(two: Two) -> Told:
    theirs, ours = _selection(two.peer), _selection(two.own)
    hint = "koinii pull --everything" if two.own.partial else "koinii audit there"
    return Told(f"they apply {theirs}, we {ours}", hint)


def _selection(record: CommitRecord) -> str:
    if record.partial is None:
        return "everything"
    kinds = [f"{kind} {listed(names)}" for kind, names in record.partial.items()]
    return f"only {'; '.join(kinds)}" if kinds else "nothing"


def _explain_local(two: Two) -> Told:
    theirs, ours = listed(two.peer.local) or "none", listed(two.own.local) or "none"
    return Told(
        f"contexts that are local to the seat differ: theirs are {theirs}, "
        f"ours are {ours}",
        "koinii config list",
    )


def _explain_held(two: Two) -> Told:
    rows = two.seat.kb.assertions
    if held_lines(two.seat) == two.peer.held:
        return Told(
            f"this seat holds the same lines as they since its commit {two.own.number}",
            "koinii commit",
        )
    reasons = Counter(row[5] for row in rows.held())
    reasons[WAITING] = sum(not row.local for row in rows.waiting())
    ours = listed(f"{count} for {why}" for why, count in sorted((+reasons).items()))
    theirs = "none" if two.peer.held == EMPTY_ROOT else "others"
    return Told(
        "lines that are held or wait differ: "
        f"here are {ours or 'none'}, there are {theirs}",
        "koinii held",
    )


def _explain_commit(_: Two) -> Told:
    return Told(
        "all that decides belief is the same in both records, and the ids differ: "
        "one of the two seats does not derive what its inputs give",
        "koinii doctor, here and at that seat",
    )


_EXPLAINED: Mapping[str, Callable[[Two], Told]] = {
    "rules": _explain_rules,
    "vocabulary": _explain_vocabulary,
    "trust": explain_trust,
    "partial": _explain_partial,
    "local": _explain_local,
    "inputs": explain_inputs,
    "held": _explain_held,
}
