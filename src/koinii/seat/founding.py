"""Making a seat, and giving an agent its key there.

Everything is made beside its place and moved there, so that a seat exists whole
or not at all; `init` again finishes what was cut short between the last steps.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from koinii.errors import RefusedError, SurroundingsError, UsageError
from koinii.kb.base import KnowledgeBase
from koinii.note import PrivateKey, Signer, read_private_key, write_private_key
from koinii.note.checkpoint import seat_id
from koinii.seat.config import read_config, template, write_file
from koinii.seat.disk import NETWORKED, kind_of_disk
from koinii.seat.instance import INSTANCE, new_token
from koinii.seat.layout import Layout
from koinii.seat.modes import mode_of
from koinii.seat.unfinished import clear_unfinished, unfinished
from koinii.store import meta
from koinii.store.database import create, open_store
from koinii.store.histories import AgentRow, Histories
from koinii.store.sentexes import Sentexes
from koinii.terms.locator import digest
from koinii.terms.term import Symbol
from koinii.trust.names import ADMIN, check_agent, check_mail_name, own_context
from koinii.trust.presence import known_presence
from koinii.trust.standing import COOPERATIVE
from koinii.trust.statements import Introduction, join_statements, sign_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from koinii.store.database import Database


def found(
    directory: str,
    agent: str | None,
    key: PrivateKey | None,
    now: Callable[[], int],
    *,
    told: Mapping[str, str] = MappingProxyType({}),
    seat_key: PrivateKey | None = None,
) -> Layout:
    """Make a seat in a directory, which may exist and hold other things.

    A `seat.toml` that is there already is kept as people wrote it, and names the
    agent; '' is nobody, at a seat that only reads. `told` is kept in the store from
    its first moment on. With `seat_key` it is the seat of that key, which was lost;
    its agents come with its history.

    Raises:
        UsageError: a seat is there already; no agent is named, or another one.
        SurroundingsError: the directory cannot be written.
    """
    layout = Layout(os.path.realpath(directory))
    _check_is_none(layout)
    name = "" if seat_key else _first_agent(layout, agent)
    if name:
        check_agent(name)
    elif key is not None:
        raise UsageError(
            "a key is brought, and no agent is named whose it is",
            code="koinii/no-agent",
            hint="--as AgentYou names the agent",
        )
    _check_disk(layout)
    try:
        os.makedirs(layout.directory, exist_ok=True)
        with _one_at_a_time(layout.directory):
            _check_is_none(layout)
            _make(layout, name, key, now, told=told, seat_key=seat_key)
    except OSError as error:
        raise SurroundingsError(
            f"no seat can be made in {directory}: {error.strerror}",
            code="koinii/cannot-write",
            path=directory,
        ) from error
    return layout


def _check_is_none(layout: Layout) -> None:
    if layout.is_seat():
        raise UsageError(
            f"{layout.directory} is a seat already",
            code="koinii/already-a-seat",
            hint=f"koinii -C {layout.directory} status",
        )


@contextmanager
def _one_at_a_time(directory: str) -> Iterator[None]:
    """Keep other processes from making a seat in a directory meanwhile.

    The kernel drops the lock when a process dies; where there are none, there is none.
    """
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _check_disk(layout: Layout) -> None:
    """Refuse a disk behind a network, whose locks and syncs may not hold."""
    kind = kind_of_disk(layout.directory)
    allowed = os.path.exists(layout.config) and read_config(layout.config).network_disk
    if kind in NETWORKED and not allowed:
        raise SurroundingsError(
            f"{layout.directory} is on {kind}, where a store's locks and what the disk "
            "says it has written may not hold",
            code="koinii/network-disk",
            hint="make the seat on a disk of this machine; or write `network_disk = "
            "true` into its seat.toml first, at your own risk",
            kind=kind,
        )


def _first_agent(layout: Layout, asked: str | None) -> str:
    written = (
        read_config(layout.config).agent if os.path.exists(layout.config) else None
    )
    if asked is None and written is None:
        raise UsageError(
            "a seat needs an agent who speaks there",
            code="koinii/no-agent",
            hint="koinii init --as AgentYou",
        )
    if None not in (asked, written) and asked != written:
        _check_is_none(layout)  # another process may just have made it
        raise UsageError(
            f"{layout.config} names {written}, not {asked}",
            code="koinii/other-agent",
            hint="mend that line of the file, or leave --as out",
        )
    return written or asked or ""


def settings_in(directory: str) -> str | None:
    """Return the text of a `seat.toml` that lies ready, None where there is none."""
    path = Path(Layout(os.path.realpath(directory)).config)
    return path.read_text(encoding="utf-8") if path.exists() else None


def settings_lost(directory: str) -> bool:
    """Tell whether a seat's state is there and its `seat.toml` is not."""
    layout = Layout(os.path.realpath(directory))
    return os.path.exists(layout.store) and not os.path.exists(layout.config)


def own_agents(layout: Layout) -> list[str]:
    """Return the agents that a store has introduced, the admin left out.

    Raises:
        SurroundingsError: it cannot be opened.
    """
    database = open_store(layout.store)
    try:
        seat = meta.get(database.connection, "seat")
        rows = Histories(database.connection).agents()
    finally:
        database.close()
    return [row.name for row in rows if row.seat == seat and row.name != ADMIN]


def undo(layout: Layout, settings: str | None) -> None:
    """Take away a seat that was just made, and its directory if that is empty.

    Settings that lay ready before are put back.
    """
    shutil.rmtree(layout.state)
    if settings is not None:
        write_file(layout.config, settings)
        return
    os.unlink(layout.config)
    with suppress(OSError):
        os.rmdir(layout.directory)


def _make(
    layout: Layout,
    agent: str,
    key: PrivateKey | None,
    now: Callable[[], int],
    *,
    told: Mapping[str, str],
    seat_key: PrivateKey | None,
) -> None:
    clear_unfinished(layout.state)
    clear_unfinished(layout.config)
    mode = COOPERATIVE
    if os.path.exists(layout.store):
        mode = check_unfinished(layout, agent, key)
    else:
        beside = Layout(unfinished(layout.state))
        try:
            made = key or PrivateKey.generate()
            whose = seat_key or PrivateKey.generate()
            _make_state(beside, agent, made, now, told=told, seat_key=whose)
            os.rename(beside.state, layout.state)
        finally:
            shutil.rmtree(beside.directory, ignore_errors=True)
    if not os.path.exists(layout.config):
        write_file(layout.config, template(agent, mode))


def check_unfinished(layout: Layout, agent: str, key: PrivateKey | None) -> str:
    """Refuse to finish a seat for another agent or key than it was begun for.

    Return the mode by which its store was weighed.
    """
    database = open_store(layout.store)
    try:
        seat = meta.get(database.connection, "seat")
        agents = [
            row
            for row in Histories(database.connection).agents()
            if row.seat == seat and row.name != ADMIN
        ]
        mode = mode_of(database.connection)
    finally:
        database.close()
    mine = [row for row in agents if row.name == agent]
    if not agents and not agent:
        return mode
    if not agents:
        raise UsageError(
            f"{layout.state} holds a seat where nobody speaks",
            code="koinii/other-agent",
            hint='put its seat.toml back, with the line: agent = ""',
        )
    if not mine or (key is not None and mine[0].public_key != key.public.raw):
        names = ", ".join(row.name for row in agents)
        raise UsageError(
            f"{layout.state} holds a seat of {names} with its own key",
            code="koinii/other-agent",
            hint=f"koinii init --as {agents[0].name} puts its seat.toml back",
        )
    return mode


def _make_state(
    layout: Layout,
    agent: str,
    key: PrivateKey,
    now: Callable[[], int],
    *,
    told: Mapping[str, str],
    seat_key: PrivateKey,
) -> None:
    os.makedirs(layout.keys, mode=0o700)
    os.chmod(layout.state, 0o700)
    write_file(os.path.join(layout.state, ".gitignore"), "*\n")
    write_private_key(Path(layout.seat_key), seat_key)
    seat = seat_id(seat_key.public)
    database = create(layout.store)
    try:
        with KnowledgeBase(database).write() as connection:
            meta.put(connection, "seat", seat)
            meta.put(connection, INSTANCE, new_token())
            for name, value in told.items():
                meta.put(connection, name, value)
            if agent:
                introduce(layout, database, agent, key, seat=seat, time=now())
                Histories(connection).weigh(agent, seat, "", owns=True)
    finally:
        database.close()


def introduce(
    layout: Layout | None,
    database: Database,
    agent: str,
    key: PrivateKey,
    *,
    seat: str,
    time: int,
    lineage: frozenset[bytes] = frozenset(),
    mail_names: tuple[str, ...] = (),
) -> None:
    """Keep an agent's key at a seat and let it introduce itself, in a write.

    Without a layout the key is kept nowhere: a rehearsal.
    `lineage` are the keys that speak for the name as far as is known here.
    """
    check_agent(agent)
    _check_no_channel(database, agent)
    histories = Histories(database.connection)
    known = histories.agent(agent, seat)
    if known is not None and known.public_key != key.public.raw:
        raise UsageError(
            f"{agent} is an agent of this seat already, with another key",
            code="koinii/already-an-agent",
            hint=f"koinii agent rotate {agent} gives it a new one",
            agent=agent,
        )
    if known is None:
        _check_name_is_free(histories, agent, key, lineage)
    _check_mail_names(histories, agent, mail_names)
    present(layout, histories, agent, key, seat=seat, time=time, mail_names=mail_names)
    histories.pin(agent, key.public.key_hash.hex(), decided=True)


def _check_name_is_free(
    histories: Histories, agent: str, key: PrivateKey, lineage: Iterable[bytes]
) -> None:
    """Refuse a name that stands, or stood when it was first met, for another key."""
    pin = histories.pins().get(agent)
    theirs = set(lineage) or ({bytes.fromhex(pin.key_hash)} if pin else set())
    if theirs and key.public.key_hash not in theirs:
        raise RefusedError(
            f"the name {agent} stands for another key here",
            code="koinii/name-contested",
            hint="bring that agent's own key with --key FILE, or choose another name",
            agent=agent,
            pinned=sorted(one.hex() for one in theirs),
        )


def present(
    layout: Layout | None,
    histories: Histories,
    agent: str,
    key: PrivateKey,
    *,
    seat: str,
    time: int,
    mail_names: tuple[str, ...] = (),
) -> None:
    """Write an agent's key, and its introduction unless that is here already."""
    if layout is not None:
        _keep_key(layout.agent_key(agent), key)
    if histories.agent(agent, seat) is not None:
        return
    signed = sign_statement(
        Introduction(agent, key.public, seat, mail_names, time), Signer.of(agent, key)
    )
    statements = join_statements([signed]).decode()
    histories.put_agent(AgentRow(agent, seat, key.public.raw, statements))


def _check_mail_names(
    histories: Histories, agent: str, mail_names: tuple[str, ...]
) -> None:
    """Refuse mail names that are none, or that another agent here has."""
    for name in mail_names:
        check_mail_name(name)
    for row in histories.agents() if mail_names else ():
        presence = known_presence(row.statements, row.name, row.seat)
        taken = set(mail_names) & set(presence.introduction.mail_names)
        if taken and row.name != agent:
            raise RefusedError(
                f"the mail name {min(taken)} is that of {row.name}",
                code="koinii/mail-name-taken",
                hint="choose another name",
                name=min(taken),
                agent=row.name,
            )


def _check_no_channel(database: Database, agent: str) -> None:
    """Refuse a name whose own context is where agents meet."""
    context = own_context(agent)
    channel = digest(Symbol("CxUniverse"), (Symbol("channel"), Symbol(context)))
    if Sentexes(database.connection).by_digest(channel) is not None:
        raise RefusedError(
            f"{context} is a channel, so no agent speaks there alone",
            code="koinii/reserved-name",
            hint="choose another name",
            agent=agent,
        )


def _keep_key(path: str, key: PrivateKey) -> None:
    """Write an agent's key; one left by a cut short introduction is replaced."""
    kept = Path(path)
    if not kept.exists():
        write_private_key(kept, key)
        return
    written = kept.with_name(f".{kept.name}.{os.getpid()}")
    written.unlink(missing_ok=True)
    write_private_key(written, key)
    written.replace(kept)


def read_key(path: str | None) -> PrivateKey | None:
    """Return the key in a file that an agent brings, None for none."""
    return None if path is None else read_private_key(Path(path))
