"""Who sits at the table of `test_adversary`, and what each of them can sign.

    office     AdminRoot; AgentBob, moderator; AgentCid, member and arbiter
    harbour    AgentAnn, member; AgentDan, member and moderator of CxOps
    lair       the adversary: its own AgentEve, and whatever name it likes
    den        the same, where it makes trees by hand
    plain, exposed    receive in mode proof-tier; exposed hears the lair too

An adversary's seat is moved below its own boundary: what it puts there was never
asked of anybody, and what it signs is signed with keys that are its own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.kb.claim import STRENGTHS, wrapper_bits
from koinii.kb.writing import Said
from koinii.note import PrivateKey, Signer, read_private_key
from koinii.note.keys import PublicKey
from koinii.note.signed import sign_note
from koinii.remote.applying import Applied
from koinii.seat import administering
from koinii.seat.modes import admin_of
from koinii.terms import Term, write
from koinii.terms.canonical import wrap
from koinii.trust.statements import Known, join_statements, split_statements
from remote.desks import Clock, hand_over, make_desk, shown, take
from remote.forging import Forger
from seat.made import fast_directory

OFFICE, HARBOUR, LAIR, DEN = "office", "harbour", "lair", "den"
PLAIN, EXPOSED = "plain", "exposed"
SEATS = (OFFICE, HARBOUR, LAIR, DEN, PLAIN, EXPOSED)
HONEST = {
    "AgentBob": OFFICE,
    "AgentCid": OFFICE,
    "AgentAnn": HARBOUR,
    "AgentDan": HARBOUR,
}
EVE = "AgentEve"
# Names that the adversary speaks under; CxDeploy is a channel, or will be one.
NAMES = (EVE, *sorted(HONEST), "AgentDeploy", "AgentRoot")
WRAPPERS = {"inert": "inertRule", "default": "defaultRule"}


class Line(NamedTuple):
    """What is said where; of a rule with the names of its wrappers."""

    agent: str
    context: str
    sentence: Term
    strength: str
    wrappers: frozenset[str] = frozenset()


# Making the table ----------------------------------------------------------------


@cache
def laid(*, is_granted: bool) -> Path:
    """Make the seats once; Eve is a member only where she is granted that."""
    folder = Path(tempfile.mkdtemp(dir=fast_directory()))
    make_desk(folder, OFFICE, ["AgentBob", "AgentCid"])
    make_desk(folder, HARBOUR, ["AgentAnn", "AgentDan"])
    for name in (LAIR, DEN):
        make_desk(folder, name, NAMES)
    for name in (PLAIN, EXPOSED):
        make_desk(folder, name, ["AgentWatch"])
        settings = folder / name / "seat.toml"
        text = settings.read_text()
        assert text.count('"cooperative"') == 1
        settings.write_text(text.replace('"cooperative"', '"proof-tier"'))
    with _opened(folder) as seats:
        office, harbour, lair = seats[OFFICE], seats[HARBOUR], seats[LAIR]
        office.admin_init()
        office.grant("AgentBob", ["moderator"])
        office.grant("AgentCid", ["arbiter"])
        office.grant("AgentAnn", ["member"], key=public(harbour, "AgentAnn"))
        office.grant("AgentDan", ["moderator CxOps"], key=public(harbour, "AgentDan"))
        if is_granted:
            office.grant(EVE, ["member"], key=public(lair, EVE))
        lair.admin_init()
        for name in NAMES:
            lair.grant(name, ["moderator", "arbiter"])
        for seat, agent in (
            (office, "AgentBob"),
            (harbour, "AgentAnn"),
            (lair, EVE),
            (seats[DEN], EVE),
        ):
            put(seat, [Line(agent, f"Cx{agent[5:]}", _HELLO, "default")])
            seat.commit()
        admin = admin_of(office.database.connection)
        assert admin is not None
        for name in (PLAIN, EXPOSED):
            seats[name].align()
            administering.pin_admin(seats[name], PublicKey(admin))
            for seat in (office, harbour):
                hand_over(seat, seats[name])
    return folder


_HELLO = (koinii.terms.Symbol("hello"), "World")


@contextmanager
def seated(*, is_granted: bool) -> Iterator[dict[str, RemoteSeat]]:
    """Open copies of all seats, with a place of their own outside of them."""
    folder = Path(tempfile.mkdtemp(dir=fast_directory()))
    try:
        for name in SEATS:
            shutil.copytree(laid(is_granted=is_granted) / name, folder / name)
        with _opened(folder) as seats:
            for seat in seats.values():
                seat.home = folder / "outside"
            yield seats
    finally:
        shutil.rmtree(folder)


@contextmanager
def _opened(folder: Path) -> Iterator[dict[str, RemoteSeat]]:
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(koinii.open(str(folder / name), now=Clock()))
            for name in SEATS
        }


def key_of(seat: RemoteSeat, agent: str) -> PrivateKey:
    return read_private_key(Path(seat.layout.agent_key(agent)))


def public(seat: RemoteSeat, agent: str) -> str:
    return key_of(seat, agent).public.openssh()


# What is said --------------------------------------------------------------------


def put(seat: RemoteSeat, lines: Sequence[Line]) -> None:
    """Put lines into a seat below its boundary; the next commit carries them."""
    with seat.kb.write():
        for one in lines:
            names = tuple(WRAPPERS[name] for name in sorted(one.wrappers))
            said = Said(
                one.context,
                one.sentence,
                write(wrap(one.sentence, names)),
                STRENGTHS.index(one.strength),
                1,
                None,
                wrapper_bits(names),
            )
            author = seat.kb.names.make_author(one.agent, seat.id)
            seat.kb.put(author, [said], replace=False, journal=True)


def drop(seat: RemoteSeat, agent: str, digest: bytes) -> None:
    author = seat.kb.names.make_author(agent, seat.id)
    with seat.kb.write():
        seat.kb.drop(author, [digest], journal=True)


def said_at(seat: RemoteSeat) -> list[tuple[str, bytes]]:
    """Return (agent, locator) of all that the agents of a seat say, sorted."""
    rows = seat.database.connection.execute(
        "SELECT w.agent, s.digest FROM assertion a JOIN author w ON w.id = a.author"
        " JOIN sentex s ON s.id = a.sentex WHERE w.seat = ? ORDER BY 1, 2",
        (seat.id,),
    )
    return rows.fetchall()


# What is signed ------------------------------------------------------------------


def signed_file(seat: RemoteSeat, agent: str, statement: Known) -> bytes:
    """Return an agent's file at a seat with one more statement, whatever it says."""
    row = seat.histories.agent(agent, seat.id)
    assert row is not None
    note = sign_note(statement.text(), [Signer.of(agent, key_of(seat, agent))])
    return join_statements([*split_statements(row.statements.encode()), note])


def sign_in(seat: RemoteSeat, agent: str, statement: Known) -> None:
    """Put a statement into an agent's file in the store, as it is."""
    row = seat.histories.agent(agent, seat.id)
    assert row is not None
    text = signed_file(seat, agent, statement).decode()
    with seat.kb.write():
        seat.histories.put_agent(row._replace(statements=text))


# What is shown -------------------------------------------------------------------


def strike(lair: RemoteSeat, target: RemoteSeat) -> Applied | None:
    """Commit and show the lair to a seat, which may refuse any of it, or all."""
    try:
        lair.commit()
        return take(target, shown(lair), lair.id)
    except KoiniiError:
        return None  # the lair refuses to sign it, or the target to take it


def replayed(lair: RemoteSeat, honest: RemoteSeat, agent: str) -> Mapping[str, bytes]:
    """Return the lair's tree with an honest agent's files in it, sealed anew."""
    theirs = {
        path: body
        for path, body in shown(honest).items()
        if path.startswith(f"agents/{agent}/")
    }
    kept = {
        path: body
        for path, body in shown(lair).items()
        if not path.startswith(f"agents/{agent}/")
    }
    return Forger(lair, ()).resealed({**kept, **theirs})


def misfiled(lair: RemoteSeat, agent: str, statement: Known) -> Mapping[str, bytes]:
    """Return the lair's tree with a statement where it does not belong, sealed anew."""
    body = signed_file(lair, agent, statement)
    files = {**shown(lair), f"agents/{agent}/statements": body}
    return Forger(lair, ()).resealed(files)
