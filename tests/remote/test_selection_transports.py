"""Parts over every transport, from servers that leave files out and from others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from random import Random

import pytest

from koinii import RemoteSeat
from remote.desks import room
from remote.journeys import HUB, at, make_hub, seat
from remote.parts import check_part
from remote.selected import Part
from remote.servers import git_daemon, http_backend

SMALL, BIG = "CxPlain", "CxNotes"
ALL_THE_SAME = "does not send parts"


@contextmanager
def path(folder: Path) -> Iterator[str]:
    yield str(folder / HUB)


@contextmanager
def file(folder: Path) -> Iterator[str]:
    yield f"file://{folder / HUB}"


@contextmanager
def git(folder: Path) -> Iterator[str]:
    with git_daemon(folder) as server:
        yield server.url(HUB)


@contextmanager
def http(folder: Path) -> Iterator[str]:
    with http_backend(folder) as server:
        yield server.url(HUB)


Transport = Callable[[Path], AbstractContextManager[str]]
OVER_A_WIRE = pytest.mark.parametrize(
    "transport", [git, http], ids=lambda one: one.__name__
)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    (tmp_path / "served").mkdir()
    return make_hub(tmp_path / "served")


def say(speaker: RemoteSeat, number: int) -> None:
    """Say something small in one context, and much that cannot be packed in another."""
    source = Random(number)
    speaker.assert_(f"(said {number})", context=SMALL)
    speaker.load(
        [f"(noted {number} {at} {source.getrandbits(400)})" for at in range(300)],
        context=BIG,
    )
    speaker.commit()
    speaker.push()


def repeat(speaker: RemoteSeat, strength: str) -> None:
    """Say the same again in another way, so that git packs it as a difference."""
    speaker.assert_(f"(said {strength.title()})", context=SMALL)
    lines = [f"(noted {number})" for number in range(300)]
    speaker.load(lines, context=BIG, strength=strength)
    speaker.commit()
    speaker.push()


def came(who: RemoteSeat) -> int:
    """Return how many bytes of packs lie in a seat's private repository."""
    packs = Path(who.layout.git).glob("objects/pack/pack-*.pack")
    return sum(pack.stat().st_size for pack in packs)


def moved_by(who: RemoteSeat, **named: object) -> int:
    before = came(who)
    who.pull(**named)  # type: ignore[arg-type]
    return came(who) - before


BIG_ONE = 30_000  # bytes: 300 notes of 50 random bytes each, as digits, and more


@pytest.mark.parametrize(
    ("transport", "filters"),
    [
        (path, False),
        (file, False),
        *((o, f) for o in (git, http) for f in (True, False)),
    ],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_the_right_lines_come_whatever_the_server_can(
    transport: Transport, hub: Path, tmp_path: Path, *, filters: bool
) -> None:
    if filters:
        at(hub, "config", "uploadpack.allowFilter", "true")
    sends_parts = filters or transport in (path, file)
    with ExitStack() as stack:
        url = stack.enter_context(transport(hub.parent))
        one, part, whole = (
            stack.enter_context(seat(tmp_path, name, url))
            for name in ("one", "part", "whole")
        )
        say(one, 1)

        first = moved_by(part, contexts=[SMALL])

        assert (first < BIG_ONE // 4) == sends_parts
        assert any(ALL_THE_SAME in note for note in part.notices) != sends_parts
        part.notices.clear()
        assert moved_by(part) == 0
        assert part.notices == []
        say(one, 2)
        second = moved_by(part)
        assert (second < BIG_ONE // 4) == sends_parts
        whole.pull()
        check_part(part, whole, Part.of(contexts=[SMALL]))

        third = moved_by(part, contexts=[BIG, SMALL])

        assert (third > BIG_ONE) == sends_parts, "what came is not moved again"
        check_part(part, whole, Part.of(contexts=[BIG, SMALL]))
        say(one, 3)
        for who in (part, whole):
            who.pull(everything=True)
        check_part(part, whole, Part())
        assert part.status().commit == whole.status().commit


@OVER_A_WIRE
def test_a_server_that_no_longer_leaves_files_out(
    transport: Transport, hub: Path, tmp_path: Path
) -> None:
    """It takes for had what was left out, and packs what is new as differences."""
    at(hub, "config", "uploadpack.allowFilter", "true")
    with ExitStack() as stack:
        url = stack.enter_context(transport(hub.parent))
        one, part, whole = (
            stack.enter_context(seat(tmp_path, name, url))
            for name in ("one", "part", "whole")
        )
        repeat(one, "default")
        part.pull(contexts=[SMALL])
        at(hub, "config", "uploadpack.allowFilter", "false")
        repeat(one, "monotonic")

        pulled = part.pull()

        assert pulled.whole, pulled.troubles
        assert any(ALL_THE_SAME in note for note in part.notices)
        whole.pull()
        check_part(part, whole, Part.of(contexts=[SMALL]))
        part.pull(everything=True)
        check_part(part, whole, Part())
