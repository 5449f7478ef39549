"""One commit: what is believed, who said what, and the signed record of both.

Inside one transaction: the authored root of every agent whose set changed, the
segments and statements those changes write, the manifest over all files, the
record that binds them, the history it is appended to and the checkpoint over
it. Nothing that is signed leaves the store before that transaction is durable.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from koinii.history.log import BUNDLE_SIZE, Log, bundle_name, encode_bundle
from koinii.history.manifest import ENTRIES
from koinii.history.paths import quote
from koinii.history.record import AuthoredRoot, CommitRecord, PostsRoot
from koinii.history.roots import agents_root, heads_root, posts_root
from koinii.kb.vocabulary import digests
from koinii.note import Checkpoint, Signer
from koinii.note.checkpoint import SEAT_ORIGIN, sign_checkpoint
from koinii.seat import cosigning, instance
from koinii.seat.authoring import sign_sets
from koinii.seat.modes import LIMITS, selected
from koinii.seat.own_key import own_key
from koinii.seat.publishing import Draft
from koinii.seat.records import (
    Commit,
    as_commit,
    bind_heads,
    gather_inputs,
    held_lines,
    last_record,
    trust,
)
from koinii.seat.rereading import check_history, check_lines
from koinii.seat.reviewing import review
from koinii.seat.summary import summary
from koinii.store import meta
from koinii.store.histories import Head

if TYPE_CHECKING:
    from koinii.seat.parts import Parts

SOFTWARE = "koinii/0.1.0"
SEMANTICS = 1
_NEWS = (
    "commit", "inputs", "held", "manifest", "vocabulary", "trust", "partial", "local",
    "rules",
)  # fmt: skip


def commit(seat: Parts, *, cosign: bool = False) -> Commit | None:
    """Record what is believed; None if nothing moved since the last commit.

    `cosign` is a reason by itself where there are heads of other seats to cosign.

    Where more agents changed than one record holds, several commits are made at
    once and the last is returned. O(believed) after belief has moved, plus what
    changed.

    Raises:
        VerificationError: `koinii/seat-copied`: this directory is a copy of a seat
            that went on elsewhere, or an older state of it; `koinii/row-altered`,
            `koinii/history-altered`: what is stored is not what was written.
    """
    newest = None
    with seat.kb.write():
        instance.check(seat)
        check_history(seat)
        check_lines(seat)
        newest = _commit_some(seat, cosign=cosign)
        while seat.kb.assertions.dirty():
            newest = _commit_some(seat) or newest
        if newest is not None:
            instance.renew(seat)
    return newest


def _commit_some(seat: Parts, *, cosign: bool = False) -> Commit | None:
    head = seat.histories.head(seat.id)
    number = head.size + 1 if head else 1
    draft = Draft(seat.files, number)
    changed = sign_sets(seat, draft, number)
    if meta.get(seat.database.connection, LIMITS):
        review(seat)  # a set may count until this commit, or from it on
    seat.kb.conclude()  # what is believed at the end of this write is what is signed
    record = _record(seat, draft, number, changed)
    last = last_record(seat)
    is_due = last is None or cosigning.is_due(seat, asked=cosign)
    if last is not None and not is_due and _same(record, last):
        return None
    record = cosigning.carry(seat, draft, record, afresh=cosign)
    _append(seat, draft, record)
    return as_commit(record)


def _same(record: CommitRecord, last: CommitRecord) -> bool:
    """Tell whether a commit would say nothing new; other heads alone are no news."""
    return all(getattr(record, one) == getattr(last, one) for one in _NEWS)


# The record -------------------------------------------------------------------


def _record(
    seat: Parts, draft: Draft, number: int, changed: dict[str, AuthoredRoot]
) -> CommitRecord:
    _statements(seat, draft)
    last = last_record(seat)
    root, size = seat.kb.keep_root(None if last is None else (last.commit, last.size))
    inputs = gather_inputs(seat)
    heads, moved = bind_heads(seat)
    return CommitRecord(
        seat=seat.id,
        number=number,
        previous=None if last is None else last.leaf,
        time=seat.now(),
        commit=root,
        size=size,
        inputs=inputs.root,
        agents=changed,
        agents_root=agents_root((a, *row) for a, row in inputs.agents.items()),
        posts=PostsRoot(posts_root([]), 0),
        heads=moved,
        heads_root=heads_root((s, *row) for s, row in heads.items()),
        manifest=sha256(draft.manifest()).digest(),
        vocabulary=digests(),
        trust=trust(seat),
        partial=selected(seat.database.connection).recorded(),
        local=(),
        held=held_lines(seat),
        rules=SEMANTICS,
        software=SOFTWARE,
    )


def _statements(seat: Parts, draft: Draft) -> None:
    """Write the statements of our agents that no commit holds yet."""
    known = {path: digest for path, digest, _ in seat.files.listing("agents/")}
    for row in seat.histories.agents():
        path, body = f"agents/{quote(row.name)}/statements", row.statements.encode()
        if row.seat == seat.id and known.get(path) != sha256(body).hexdigest():
            draft.write(path, body)


# The history ------------------------------------------------------------------


def _append(seat: Parts, draft: Draft, record: CommitRecord) -> None:
    """Append the record, sign the new head and write the files that show both."""
    key = own_key(seat)
    seat.histories.append(seat.id, [(record.number, record.encode(), record.leaf)])
    seat.histories.bind_heads({s: row.number for s, row in record.heads.items()})
    log = Log(seat.histories.leaves(seat.id))
    origin = SEAT_ORIGIN + seat.id
    checkpoint = sign_checkpoint(
        Checkpoint(origin, record.number, log.root()), [Signer.of(origin, key)]
    ).decode()
    seat.histories.put_head(
        Head(
            seat.id, key.public.raw, record.number, checkpoint,
            seat.histories.tip(seat.id), "",
        )
    )  # fmt: skip
    _bundle(seat, draft, record.number)
    draft.write("manifest", draft.manifest())
    draft.write("checkpoint", checkpoint.encode())
    draft.write("seat.pub", (key.public.openssh() + "\n").encode())
    draft.write("README.md", summary(record, log.root()).encode())


def _bundle(seat: Parts, draft: Draft, number: int) -> None:
    first = (number - 1) // BUNDLE_SIZE * BUNDLE_SIZE + 1
    entries = seat.histories.records(seat.id, first, number)
    draft.write(ENTRIES + bundle_name(number), encode_bundle(entries))
