"""A history that this seat's own key signed elsewhere, taken as this seat's own.

Everything here runs inside one write. Lines come in as held ones, and the review
lets in what the boundary lets in, as it does whenever trust has moved.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from koinii.errors import KoiniiError, RefusedError, VerificationError
from koinii.history.record import CommitRecord, decode_record
from koinii.history.roots import author_tree
from koinii.kb.claim import line_leaf, stored_line
from koinii.merkle import root as tree_root
from koinii.note import parse_note, read_private_key
from koinii.remote.fetched import FetchedSeat, bad
from koinii.remote.own_lines import Joined, Lines, Shown, join, shown
from koinii.remote.tree import changed_trees
from koinii.remote.verified_authors import VerifiedAgent
from koinii.remote.verify import VerifiedSeat
from koinii.seat.authors import make_author
from koinii.seat.publishing import FAST
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.histories import AgentRow, Head, InputRow
from koinii.trust.names import ADMIN
from koinii.trust.presence import known_presence, open_presence
from koinii.trust.statements import join_statements, split_statements

MOST = 256 << 20  # bytes of a file


class Adopted(NamedTuple):
    """What taking the history over has done to the lines of our agents."""

    taken: int
    removed: int
    agents: list[str]


class Part(NamedTuple):
    """The lines of one place: what is here, there, and what becomes of them."""

    author: int
    context: int
    here: Lines
    there: Lines
    joined: Joined


def adopt(
    seat: Seat, fetched: FetchedSeat, verified: VerifiedSeat, tip: str, base: Shown
) -> Adopted:
    """Take history, files and lines over, and leave what was said here as changes.

    Raises:
        RefusedError: what was said here cannot be signed here any more.
        VerificationError: the lines there are not the sets that were signed.
    """
    there = shown(
        verified.listed, lambda path: fetched.listed_body(path, verified.listed)
    )
    parts = _parts(seat, verified, base, there)
    _check_keys(seat, verified, parts)
    agents = [_adopt_agent(seat, one) for one in verified.agents]
    _adopt_sets(seat, verified, parts)
    _adopt_lines(seat, parts)
    _adopt_history(seat, verified, tip)
    _adopt_files(seat, fetched)
    return Adopted(
        sum(line is not None for one in parts for line in one.joined.theirs.values()),
        sum(line is None for one in parts for line in one.joined.theirs.values()),
        sorted(filter(None, agents)),
    )


# What becomes of each line ------------------------------------------------------


def _parts(seat: Seat, verified: VerifiedSeat, base: Shown, there: Shown) -> list[Part]:
    parts: list[Part] = []
    for name in _own_agents(seat, verified):
        author = make_author(seat, name, seat.id)
        contexts = {context for agent, context in there.segments if agent == name}
        contexts |= set(_contexts_here(seat, author))
        for context in sorted(contexts):
            number = seat.kb.names.make_context(context)
            here, shows = _here(seat, author, number), there.lines((name, context))
            joined = join(base.lines((name, context)), here, shows)
            parts.append(Part(author, number, here, shows, joined))
    for agent in verified.agents:
        _check_root(seat, agent, parts)
    return parts


def _own_agents(seat: Seat, verified: VerifiedSeat) -> list[str]:
    """Return the agents of this seat, introduced here or in the other copy."""
    names = {row.name for row in seat.histories.agents() if row.seat == seat.id}
    return sorted(names | {one.name for one in verified.agents})


def _contexts_here(seat: Seat, author: int) -> Iterator[str]:
    """Yield where an author has lines or a committed set, local contexts apart."""
    rows = seat.kb.assertions
    held = {context for one, context, _, _, _, _ in rows.held() if one == author}
    signed = {context for context, _, _ in rows.published(author)}
    for context in {*rows.contexts_of(author), *held, *signed}:
        name = seat.kb.names.context(context)
        if name not in seat.kb.structure.locals:
            yield name


def _here(seat: Seat, author: int, context: int) -> Lines:
    """Return an author's live and held lines, by digest."""
    lines = {row[0]: stored_line(*row[1:]) for row in
             seat.kb.assertions.lines(author, context)}  # fmt: skip
    return lines | dict(seat.kb.assertions.held_in(author, context))


def _check_root(seat: Seat, agent: VerifiedAgent, parts: Iterable[Part]) -> None:
    author = make_author(seat, agent.name, seat.id)
    rows = [
        (seat.kb.names.context(one.context), *_root(one.there))
        for one in parts
        if one.author == author and one.there
    ]
    size = sum(size for _, size, _ in rows)
    signed = agent.authored
    if signed is not None and (author_tree(rows).root, size) != (
        signed.root,
        signed.size,
    ):
        raise bad(f"agents/{agent.name}/authored", "the claims are not the set signed")


def _root(lines: Lines) -> tuple[int, bytes]:
    return len(lines), tree_root(sorted(map(line_leaf, lines.values())))


# Agents and their sets ----------------------------------------------------------


def _check_keys(seat: Seat, verified: VerifiedSeat, parts: Iterable[Part]) -> None:
    """Refuse where an agent has changes here and another key there."""
    changed = {one.author for one in parts if one.joined.ours}
    for agent in verified.agents:
        row = seat.histories.agent(agent.name, seat.id)
        wanted = agent.presence.key.raw
        if row is None or row.public_key == wanted:
            continue
        if make_author(seat, agent.name, seat.id) in changed and (
            _key_here(seat, agent.name) != wanted
        ):
            path = seat.layout.agent_key(agent.name)
            raise RefusedError(
                f"{agent.name} has another key in the history on the remote, so what "
                "it said here cannot be signed",
                code="koinii/other-key",
                hint=f"put its key of the other copy at {path}; or go on in a seat of "
                "your own: koinii init DIRECTORY",
                agent=agent.name,
                path=path,
            )


def _key_here(seat: Seat, agent: str) -> bytes | None:
    try:
        return read_private_key(Path(seat.layout.agent_key(agent))).public.raw
    except KoiniiError:
        return None


def _adopt_agent(seat: Seat, agent: VerifiedAgent) -> str:
    """Take over what an agent has signed there; return its name if it is new here."""
    row = seat.histories.agent(agent.name, seat.id)
    statements, key = agent.statements, agent.presence.key
    if row is not None:
        statements = _grown(agent.statements, row.statements)
        try:
            key = open_presence(statements.encode(), agent.name, seat.id).key
        except VerificationError as error:
            raise RefusedError(
                f"what {agent.name} signed here does not go on from what it signed in "
                f"the other copy: {error.message}",
                code="koinii/other-statements",
                hint="go on in a seat of your own: koinii init DIRECTORY",
                agent=agent.name,
            ) from error
    seat.histories.put_agent(AgentRow(agent.name, seat.id, key.raw, statements))
    if agent.name != ADMIN:
        _pin(seat, agent, row)
    return agent.name if row is None else ""


def _pin(seat: Seat, agent: VerifiedAgent, row: AgentRow | None) -> None:
    """Let the name stand for the key there, unless it stands for somebody else's."""
    pin = seat.histories.pins().get(agent.name)
    mine = (
        None
        if row is None
        else known_presence(row.statements, agent.name, seat.id).introduction.key
    )
    if pin is None or (mine is not None and pin.key_hash == mine.key_hash.hex()):
        first = agent.presence.introduction.key
        seat.histories.pin(agent.name, first.key_hash.hex(), decided=True)


def _grown(there: str, here: str) -> str:
    """Return the statements there, and then what was signed here only."""
    notes = split_statements(there.encode())
    known = {parse_note(note).claimed_text for note in notes}
    more = [
        note
        for note in split_statements(here.encode())[1:]
        if parse_note(note).claimed_text not in known
    ]
    return join_statements([*notes, *more]).decode()


def _adopt_sets(seat: Seat, verified: VerifiedSeat, parts: Iterable[Part]) -> None:
    """Make the sets there the ones committed, and note what differs from them."""
    rows = seat.kb.assertions
    for name in _own_agents(seat, verified):
        author = make_author(seat, name, seat.id)
        rows.clear_changes(author)
        seat.histories.drop_input(author)
    for agent in verified.agents:
        if agent.authored is not None:
            one, author = agent.authored, make_author(seat, agent.name, seat.id)
            row = (author, one.number, one.size, one.root.hex(), agent.statement)
            seat.histories.put_input(InputRow(*row))
    for part in parts:
        rows.publish(part.author, part.context, *_root(part.there))
        rows.note_changes(_changes(part))


def _changes(part: Part) -> list[tuple[int, int, bytes, bytes | None]]:
    """Return what the next commit carries of a place, as the journal has it."""
    if part.joined.ours and not part.there:
        return [(part.author, part.context, WHOLE_CONTEXT, None)]
    return [
        (part.author, part.context, digest, _leaf(part.there.get(digest)))
        for digest in part.joined.ours
    ]


def _leaf(line: str | None) -> bytes | None:
    return None if line is None else line_leaf(line)


# Lines --------------------------------------------------------------------------


def _adopt_lines(seat: Seat, parts: list[Part]) -> None:
    """Bring every line to what it is there, then do again what was done here.

    What was taken back here goes with our own replies to it, as it did then; what
    was said here is put last, since it may answer what has gone.
    """
    for part in parts:
        wanted = dict(part.joined.theirs)
        wanted |= {d: part.there[d] for d in part.joined.ours if d in part.there}
        _set(seat, part, wanted)
    review(seat)
    for part in parts:
        gone = [d for d, line in part.joined.ours.items() if line is None]
        seat.kb.drop(part.author, gone, journal=False)
        seat.kb.assertions.release([(part.author, part.context, d) for d in gone])
    seat.kb.settle()
    for part in parts:
        _set(seat, part, {d: one for d, one in part.joined.ours.items() if one})
    review(seat)


def _set(seat: Seat, part: Part, wanted: Mapping[bytes, str | None]) -> None:
    """Take the lines out that are others here, and hold the ones wanted."""
    now = _here(seat, part.author, part.context)
    moved = {d: line for d, line in wanted.items() if now.get(d) != line}
    seat.kb.set_aside(part.author, [d for d in moved if d in now])
    keys = [(part.author, part.context, digest) for digest in moved]
    seat.kb.assertions.release(keys)
    seat.kb.assertions.hold(
        [
            (part.author, part.context, digest, line_leaf(line), line, "")
            for digest, line in moved.items()
            if line is not None
        ]
    )


# History and files --------------------------------------------------------------


def _adopt_history(seat: Seat, verified: VerifiedSeat, tip: str) -> None:
    history = verified.history
    seat.histories.cut(seat.id, 0)
    numbered = zip(history.entries, history.leaves, strict=True)
    seat.histories.append(
        seat.id, [(n, data, leaf) for n, (data, leaf) in enumerate(numbered, start=1)]
    )
    seat.histories.put_head(
        Head(seat.id, history.key.raw, history.size, history.checkpoint, tip, "")
    )
    bound: dict[str, int] = {}
    for data in history.entries:
        record = decode_record(data)
        assert isinstance(record, CommitRecord)  # noqa: S101 - it was verified
        bound |= {one: head.number for one, head in record.heads.items()}
    seat.histories.clear_bound()
    seat.histories.bind_heads(bound)


def _adopt_files(seat: Seat, fetched: FetchedSeat) -> None:
    """Take the files of the signed tip as ours, and its git tree as the newest."""
    here = {path: digest for path, digest, _ in seat.files.listing()}
    for path in here.keys() - fetched.files.keys():
        seat.files.remove(path)
    for path in fetched.files:
        body = fetched.read(path, MOST)
        digest = sha256(body).hexdigest()
        if here.get(path) != digest:
            seat.files.put(path, digest, len(body), zlib.compress(body, FAST))
    blobs = {path: blob.oid for path, blob in fetched.files.items()}
    seat.files.clear_entries()
    for folder, entries in changed_trees(lambda _: [], blobs).directories.items():
        seat.files.put_entries(folder, entries)
    seat.files.sent(seat.files.unsent())
