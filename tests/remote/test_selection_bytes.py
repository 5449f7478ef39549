"""What a part moves: its share of the whole, and little beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from remote import failing_calls
from remote.desks import Clock, make_desk, room
from remote.journeys import make_hub
from remote.parts import check_part
from remote.selected import Part

CONTEXTS, EACH = 20, 1_000  # contexts, and claims in each of them
BESIDE = 10_240  # bytes that a part may cost beside its share, and 1 % of that


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


def sit(folder: Path, name: str, hub: Path) -> RemoteSeat:
    desk = make_desk(folder, name, [f"Agent{name}"])
    seat = koinii.open(str(desk.path), now=Clock())
    seat.remotes.add("origin", str(hub))
    return seat


def speak(seat: RemoteSeat, contexts: int, each: int) -> None:
    """Say as much in every context, nothing of it like the rest."""
    source = Random(contexts)
    for place in range(contexts):
        lines = [
            f"(measured Site{source.randrange(10**6)} {source.randrange(10**6)} {at})"
            for at in range(each)
        ]
        seat.load(lines, context=f"CxPlace{place}")
    seat.commit()
    seat.push()


def lying(seat: RemoteSeat) -> dict[str, int]:
    """Return the packs in a seat's private repository, with their sizes."""
    packs = Path(seat.layout.git).glob("objects/pack/pack-*.pack")
    return {pack.name: pack.stat().st_size for pack in packs}


def moved(seat: RemoteSeat) -> int:
    return sum(lying(seat).values())


def test_one_context_costs_its_share(tmp_path: Path) -> None:
    hub = make_hub(tmp_path)
    with (
        sit(tmp_path, "Anna", hub) as anna,
        sit(tmp_path, "Part", hub) as part,
        sit(tmp_path, "Whole", hub) as whole,
    ):
        speak(anna, CONTEXTS, EACH)
        whole.pull()
        share = moved(whole) / CONTEXTS

        part.pull(contexts=["CxPlace7"])

        assert share / 2 < moved(part) <= share * 1.01 + BESIDE
        check_part(part, whole, Part.of(contexts=["CxPlace7"]))
        before = lying(part)
        for _ in range(3):
            assert part.pull().moved == 0
        assert lying(part) == before
        part.pull(contexts=["CxPlace7", "CxPlace8"])
        assert share / 2 < moved(part) - sum(before.values()) < share * 1.01 + BESIDE


# Cut short -------------------------------------------------------------------------

MANY = 1_300  # files, more than are asked for at once


def cut_after(tools: Path, fetches: int) -> None:
    """Put a git on the path that is killed at every fetch after so many."""
    tools.mkdir()
    file = tools / "git"
    file.write_text(
        f"""#!/bin/sh
        case " $* " in
          *" fetch "*)
            echo >>"{tools}/fetches"
            [ "$(wc -l <"{tools}/fetches")" -le {fetches} ] || kill -9 $$ ;;
        esac
        exec {failing_calls.GIT} "$@"
        """
    )
    file.chmod(0o755)


def test_a_pull_that_was_cut_goes_on_with_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = make_hub(tmp_path)
    with (
        sit(tmp_path, "Anna", hub) as anna,
        sit(tmp_path, "Part", hub) as part,
        sit(tmp_path, "Whole", hub) as whole,
    ):
        speak(anna, MANY, 2)
        before = os.environ["PATH"]
        cut_after(tmp_path / "tools", 10)
        monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}{os.pathsep}{before}")

        with pytest.raises(KoiniiError):
            part.pull(agents=["AgentAnna"])

        assert part.status().partial is None
        monkeypatch.setenv("PATH", before)
        came = lying(part)
        assert len(came) == 10, "the folders, and the first files by name"

        pulled = part.pull()

        assert pulled.received == 2 * MANY
        after = lying(part)
        assert after.items() >= came.items(), "nothing came a second time"
        (rest,) = after.keys() - came.keys()
        assert after[rest] < sum(came.values()) / 4
        whole.pull()
        check_part(part, whole, Part.of(["AgentAnna"]))
