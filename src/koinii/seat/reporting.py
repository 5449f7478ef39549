"""What a seat says of itself: status, log, one commit or one claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import NotFoundError, VerificationError
from koinii.history.record import CommitRecord, decode_record
from koinii.history.stateroot import state_leaf, state_root
from koinii.kb.claim import STRENGTHS, wrapper_words
from koinii.kb.network.replies import targets_of
from koinii.kb.vocabulary import digests
from koinii.seat.differing import Difference, differences
from koinii.seat.records import (
    WAITING,
    Commit,
    as_commit,
    gather_inputs,
    last_record,
    waiting_line,
)
from koinii.seat.reviewing import Contest, contests, refused
from koinii.store.histories import AUTHORS
from koinii.terms.locator import locator_of
from koinii.terms.printer import write
from koinii.trust.reasons import CONTESTED

if TYPE_CHECKING:
    from koinii.seat.parts import Parts
    from koinii.store.assertions import WaitingRow


class Held(NamedTuple):
    """A line that is stored and has no effect: not applied, or waiting."""

    agent: str
    seat: str
    context: str
    locator: str
    line: str
    reason: str
    missing: tuple[str, ...] = ()  # the locators it waits for


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
    remotes: dict[str, str]


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
    return Status(
        seat=seat.id,
        directory=seat.layout.directory,
        agent=seat.config.agent,
        commit=f"sha256:{root.hex()}",
        size=size,
        number=last.number if last else 0,
        inputs=f"sha256:{gather_inputs(seat).root.hex()}",
        committed=last.commit_id if last else None,
        uncommitted=seat.kb.assertions.count_changes(),
        held=len(seat.kb.assertions.held()),
        waiting=len(seat.kb.assertions.waiting()),
        refused=_refused(seat),
        contested=contests(seat),
        skew=_skew(seat),
        differences=differences(seat),
        remotes=seat.config.remotes,
    )


def _refused(seat: Parts) -> list[Refusal]:
    """Return the authors and whole seats whose newest state was refused."""
    seats = [
        Refusal("", head.seat, "", head.trouble)
        for head in seat.histories.heads()
        if head.trouble and head.trouble != AUTHORS
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
    """Return the state root of what is believed."""
    leaves = []
    for found in seat.kb.believed():
        rows = seat.kb.asserted_by(found.id)
        creators = sorted({seat.kb.names.author(row[1]) for row in rows})
        created = min((row[4] for row in rows), default=None)
        names = [agent for agent, _ in creators]
        leaves.append(state_leaf(names, created, found.context, found.sentence))
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


def held(seat: Parts) -> list[Held]:
    """Return the lines that are stored and not applied, by author and context."""
    names = seat.kb.names
    return sorted(
        Held(*names.author(author), names.context(context),
             f"sha256:{digest.hex()}", line, reason)
        for author, context, digest, _, line, reason in seat.kb.assertions.held()
    )  # fmt: skip


def waiting(seat: Parts) -> list[Held]:
    """Return the lines that wait for what they name, by author and context."""
    names = seat.kb.names
    return sorted(
        Held(
            *names.author(row.author),
            names.context(row.context),
            f"sha256:{row.digest.hex()}",
            waiting_line(row),
            WAITING,
            tuple(_missing(seat, row)),
        )
        for row in seat.kb.assertions.waiting()
    )


def _missing(seat: Parts, row: WaitingRow) -> list[str]:
    """Return what a reply names that is not in the store, as far as it can tell.

    What waits itself is not, nor is what is local to one that is not.
    """
    return [
        locator_of(digest)
        for digest in targets_of(row.body)
        if not seat.kb.sentexes.is_present(digest, local=bool(row.local))
    ]


def agents(seat: Parts) -> list[Agent]:
    """Return every agent known here, with its key and whether the name is its."""
    from koinii.note import PublicKey  # noqa: PLC0415 - status needs no keys

    reasons = refused(seat)
    return [
        Agent(
            row.name,
            row.seat,
            PublicKey(row.public_key).fingerprint,
            reasons.get((row.name, row.seat), ""),
        )
        for row in seat.histories.agents()
    ]


def peers(seat: Parts) -> list[Peer]:
    """Return every other seat seen, by id."""
    return [
        Peer(head.seat, head.size, head.tip, head.trouble)
        for head in seat.histories.heads()
        if head.seat != seat.id
    ]


def _known(record: object) -> CommitRecord:
    if not isinstance(record, CommitRecord):
        raise VerificationError(
            "a record of this history needs a newer koinii", code="koinii/newer-record"
        )
    return record
