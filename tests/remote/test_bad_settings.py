"""Settings of git that cannot be read are nobody's seat's fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import SurroundingsError
from remote.desks import Clock, room
from remote.test_exchange_push import say


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    path = str(tmp_path / "seat")
    with koinii.init(path, agent="AgentAnna", now=Clock()) as made:
        made.remotes.add("origin", str(bare))
        say(made, "(a B)")
        made.push()
        yield made


VERBS: dict[str, Callable[[RemoteSeat], object]] = {
    "push": RemoteSeat.push,
    "pull": RemoteSeat.pull,
    "diff": lambda seat: seat.diff("1"),
    "gc": RemoteSeat.gc,
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("text", ["[x", "[core]\n\tbare = perhaps\n"])
def test_settings_that_cannot_be_read_are_named(
    text: str,
    verb: str,
    seat: RemoteSeat,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    say(seat, "(a C)")
    settings = tmp_path / "bad.cfg"
    settings.write_text(text)
    with monkeypatch.context() as bad:
        bad.setenv("GIT_CONFIG_GLOBAL", str(settings))
        with pytest.raises(SurroundingsError) as caught:
            VERBS[verb](seat)
    assert caught.value.code == "koinii/git-config"
    assert caught.value.exit_code == 5
    assert "config" in caught.value.message
    assert "mend the file" in caught.value.hint

    VERBS[verb](seat)
