"""What a seat says of itself: status, log, one commit or one claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, VerificationError
from koinii.history.record import CommitRecord, decode_record
from koinii.history.stateroot import state_leaf, state_root
from koinii.kb.claim import STRENGTHS, wrapper_words
from koinii.kb.vocabulary import digests
from koinii.seat.aligning import next_mode
from koinii.seat.contests import Contest, contests, refused
from koinii.seat.differing import Difference, differences
from koinii.seat.modes import mode_of, selected
from koinii.seat.records import (
    Commit,
    applied_root,
    as_commit,
    last_record,
)
from koinii.seat.unpublished import unpublished
from koinii.seat.witnessing import (
    Cosigner,
    Forked,
    ahead,
    cosigners_of,
    fork_of,
    forks,
)
from koinii.store.histories import AUTHORS
from koinii.store.sentexes import LOCAL
from koinii.terms.printer import write
from koinii.trust.reasons import CONTESTED, COUNTED, reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from koinii.seat.parts import Parts
    from koinii.trust.presence import Presence


class Refusal(NamedTuple):
    """An author whose newest set was refused whole."""

    agent: str
    seat: str
    path: str
    reason: str


class Agent(NamedTuple):
    """One agent at one seat."""

    name: str
    seat: str
    fingerprint: str
    refusal: str  # the code of why its lines are held, '' where they count
    why: str  # that in words
    hint: str  # and the way on
    mail_names: tuple[str, ...]

    @property
    def contested(self) -> bool:
        """Whether the name stands for another key here."""
        return self.refusal == CONTESTED


class Peer(NamedTuple):
    """Another seat: how many of its commits were seen, and what was refused."""

    seat: str
    number: int
    tip: str
    trouble: str
    follows: bool
    cosigned: list[Cosigner]
    fork: Forked | None
    ahead: int  # ms by which its newest commit is dated later than now, 0 for none


class Skew(NamedTuple):
    """Another seat whose newest commit was made under other shipped files."""

    seat: str
    number: int
    vocabulary: list[str]  # the contexts whose files differ


class Status(NamedTuple):
    """Where a seat stands; commit, size and inputs are of what is believed now."""

    seat: str
    directory: str
    agent: str
    mode: str  # by which what is stored was weighed
    next_mode: str  # by which the next write weighs, '' for the same
    commit: str
    size: int
    number: int  # of the newest commit, 0 before the first
    inputs: str
    committed: str | None  # the id that commit has
    uncommitted: int  # lines that the next commit would add, replace or take away
    held: int
    waiting: int  # lines applied, without effect until what they name is here
    refused: list[Refusal]
    contested: list[Contest]
    skew: list[Skew]
    differences: list[Difference]
    cosigned: list[Cosigner]  # heads of this seat, by others
    forks: list[Forked]
    remotes: dict[str, str]
    unpublished: dict[str, int]  # by remote: commits that it was not seen to hold
    partial: Mapping[str, tuple[str, ...]] | None  # what is taken of other seats
    not_taken: list[str]  # contexts that selected ones see, with lines of others


class Author(NamedTuple):
    """One assertion of a claim."""

    agent: str
    seat: str
    strength: str
    created: int
    wrappers: list[str]  # of a rule: inert, default


class Claim(NamedTuple):
    """One stored sentence with everyone who asserts it."""

    locator: str
    context: str
    sentence: str
    authors: list[Author]


def status(seat: Parts) -> Status:
    """Return where the seat stands; O(believed) once after belief moved."""
    root, size = seat.kb.root()
    last = last_record(seat)
    from koinii.seat.redacting import redacted  # noqa: PLC0415 - one verb needs it

    return Status(
        seat=seat.id,
        directory=seat.layout.directory,
        agent=seat.config.agent,
        mode=mode_of(seat.database.connection),
        next_mode=next_mode(seat),
        commit=f"sha256:{root.hex()}",
        size=size,
        number=last.number if last else 0,
        inputs=f"sha256:{applied_root(seat).hex()}",
        committed=last.commit_id if last else None,
        uncommitted=seat.kb.assertions.count_changes(),
        held=len(seat.kb.assertions.held_keys(apart=COUNTED)),
        waiting=len(seat.kb.assertions.waiting()),
        refused=_refused(seat),
        contested=contests(seat),
        skew=_skew(seat),
        differences=differences(seat),
        cosigned=cosigners_of(seat, seat.id),
        forks=forks(seat),
        remotes=redacted(seat.config.remotes),
        unpublished=unpublished(seat),
        partial=selected(seat.database.connection).recorded(),
        not_taken=_not_taken(seat),
    )


def _not_taken(seat: Parts) -> list[str]:
    if not selected(seat.database.connection).contexts:
        return []
    from koinii.seat.selecting import not_taken  # noqa: PLC0415 - rarely needed

    return not_taken(seat)


def _refused(seat: Parts) -> list[Refusal]:
    """Return the authors and whole seats whose newest state was refused."""
    without = seat.histories.unfollowed()
    seats = [
        Refusal("", head.seat, "", head.trouble)
        for head in seat.histories.heads()
        if head.trouble and head.trouble != AUTHORS and head.seat not in without
    ]
    return [*seats, *[Refusal(*row) for row in seat.histories.refusals()]]


def _skew(seat: Parts) -> list[Skew]:
    """Return the seats that derive with another vocabulary than this program's."""
    own = digests()
    found = []
    for head in seat.histories.heads():
        data = seat.histories.record(head.seat, head.size)
        record = None if data is None else decode_record(data)
        if head.seat == seat.id or not isinstance(record, CommitRecord):
            continue
        other = record.vocabulary
        names = sorted(n for n in {*own, *other} if own.get(n) != other.get(n))
        if names:
            found.append(Skew(head.seat, head.size, names))
    return found


def state(seat: Parts) -> str:
    """Return the state root of what is believed; an agent at two seats is one name.

    What is local to the seat, as in `CxDisputes`, is in no root.
    """
    leaves = []
    for found in seat.kb.believed():
        if seat.kb.sentexes.label(found.id) & LOCAL:
            continue
        rows = seat.kb.asserted_by(found.id)
        creators = sorted({seat.kb.names.author(row[1])[0] for row in rows})
        created = min((row[4] for row in rows), default=None)
        leaves.append(state_leaf(creators, created, found.context, found.sentence))
    return state_root(leaves)


def log(seat: Parts, limit: int | None) -> list[Commit]:
    """Return the seat's commits, the newest first."""
    head = seat.histories.head(seat.id)
    last = head.size if head else 0
    first = 1 if limit is None else max(1, last - limit + 1)
    records = seat.histories.records(seat.id, first, last)
    return [as_commit(_known(decode_record(data))) for data in reversed(records)]


def show_commit(seat: Parts, number: int) -> Commit:
    """Return one of the seat's commits."""
    data = seat.histories.record(seat.id, number)
    if data is None:
        raise NotFoundError(
            f"there is no commit {number}",
            code="koinii/unknown-commit",
            hint="koinii log",
            number=number,
        )
    return as_commit(_known(decode_record(data)))


def show_claim(seat: Parts, locator: str) -> Claim:
    """Return one stored sentence with its authors, by agent and seat."""
    found = seat.kb.find(seat.resolve(locator))
    assert found is not None  # noqa: S101 - resolve found it
    authors = [
        Author(
            *seat.kb.names.author(row[1]),
            STRENGTHS[row[3]],
            row[4],
            wrapper_words(row[7]),
        )
        for row in seat.kb.asserted_by(found.id)
    ]
    return Claim(found.locator, found.context, write(found.sentence), sorted(authors))


def agents(seat: Parts) -> list[Agent]:
    """Return every agent known here, with its key and why it does not count."""
    codes = refused(seat)
    return [
        _agent(presence, codes.get(who, ""))
        for who, presence in sorted(seat.weighing().known.items())
    ]


def _agent(presence: Presence, code: str) -> Agent:
    name, seat = presence.agent, presence.seat
    why, hint = reason_of(code) if code else ("", "")
    return Agent(
        name,
        seat,
        presence.key.fingerprint,
        code,
        why,
        hint.format(agent=name, seat=seat[:8]),
        presence.introduction.mail_names,
    )


def peers(seat: Parts) -> list[Peer]:
    """Return every other seat seen or decided on, by id."""
    without = seat.histories.unfollowed()
    decided = without | seat.histories.followed()
    heads = {one.seat: one for one in seat.histories.heads()}
    found = []
    for place in sorted({*heads, *decided} - {seat.id}):
        head, follows = heads.get(place), place not in without
        number, tip, trouble = (
            (head.size, head.tip, head.trouble) if head else (0, "", "")
        )
        found.append(
            Peer(
                place, number, tip, trouble, follows,
                cosigners_of(seat, place), fork_of(seat, place),
                ahead(seat, place, number),
            )
        )  # fmt: skip
    return found


def _known(record: object) -> CommitRecord:
    if not isinstance(record, CommitRecord):
        raise VerificationError(
            "a record of this history needs a newer koinii", code="koinii/newer-record"
        )
    return record
