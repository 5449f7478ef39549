"""The private keys of this seat's agents, one file each.

A new key is written beside the old one before the store names it, and takes its
place after; a kill between the two is finished by whoever reads the key next.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import SurroundingsError
from koinii.note import PrivateKey, read_private_key, write_private_key

if TYPE_CHECKING:
    from koinii.seat.layout import Layout
    from koinii.seat.parts import Parts

_NEXT = ".next"


def agent_key(seat: Parts, agent: str) -> PrivateKey:
    """Return the key that an agent of this seat signs with now.

    Raises:
        SurroundingsError: `koinii/other-key`, or what is wrong with the file.
    """
    path = seat.layout.agent_key(agent)
    known = seat.histories.agent(agent, seat.id)
    key = read_private_key(Path(path))
    if known is not None and known.public_key != key.public.raw:
        key = _finished(seat.layout, agent, known.public_key) or key
    if known is None or known.public_key != key.public.raw:
        raise SurroundingsError(
            f"{path} is not the key that {agent} introduced here",
            code="koinii/other-key",
            hint="put the agent's own key back; koinii doctor says which it is",
            path=path,
        )
    return key


def prepare(layout: Layout, agent: str, key: PrivateKey) -> None:
    """Write the key that is to follow an agent's present one."""
    beside = Path(layout.agent_key(agent) + _NEXT)
    beside.unlink(missing_ok=True)
    write_private_key(beside, key)


def finish(seat: Parts, agent: str) -> None:
    """Let the prepared key take the place of the present one, which goes.

    Call it once the store names that key. Nobody else prepares one meanwhile; who
    has since has finished this one.
    """
    with seat.database.alone():
        agent_key(seat, agent)


def _replace(layout: Layout, agent: str) -> None:
    path = layout.agent_key(agent)
    Path(path + _NEXT).replace(path)


def following(layout: Layout, agent: str) -> bytes | None:
    """Return the public key of the one that is prepared, None for none."""
    beside = Path(layout.agent_key(agent) + _NEXT)
    return read_private_key(beside).public.raw if beside.exists() else None


def _finished(layout: Layout, agent: str, public: bytes) -> PrivateKey | None:
    """Return the prepared key if it is the one wanted, put in its place."""
    if following(layout, agent) != public:
        return None
    _replace(layout, agent)
    return read_private_key(Path(layout.agent_key(agent)))
