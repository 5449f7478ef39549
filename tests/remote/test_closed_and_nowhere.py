"""A path that is none, and a closed seat, are told in the one tree of errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import koinii
from koinii import CoordinationSeat
from koinii.errors import KoiniiError, UsageError
from remote.desks import Clock, room

NO_PATHS = ["", "a\0b", "\ud800"]
NO_STORE = {
    "align", "audit", "audit_all", "close", "dereference", "forget_config",
    "forget_weighing", "forget_world", "locate", "now",
}  # fmt: skip


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as path:
        yield path


@pytest.fixture
def seat(folder: Path) -> Iterator[CoordinationSeat]:
    with koinii.init(folder / "seat", agent="AgentAnna", now=Clock()) as opened:
        opened.assert_("(is anna)")
        opened.commit()
        yield opened


def taking_paths(seat: CoordinationSeat) -> list[Callable[[str], object]]:
    """Return every way to give a path."""
    of, at = "SHA256:x", Path(seat.layout.directory).parent / "new"
    bundles = seat.bundles
    return [
        koinii.open,
        lambda path: koinii.init(path, agent="AgentBert"),
        lambda path: koinii.init(at, agent="AgentBert", key=path),
        lambda path: koinii.clone("/nowhere", path),
        lambda path: koinii.clone("/nowhere", at, agent="AgentBert", key=path),
        lambda path: koinii.clone("/nowhere", at, seat_key=path),
        seat.export, seat.rehearse_export, seat.import_,
        bundles.create, bundles.rehearse_create, bundles.apply,
        bundles.rehearse_apply, bundles.verify,
        lambda path: seat.new_agent("AgentBert", key=path),
        lambda path: seat.rotate_agent("AgentAnna", key=path),
        lambda path: seat.grant(of, key=path),
    ]  # fmt: skip


@pytest.mark.parametrize("path", NO_PATHS)
def test_what_is_no_path_is_a_usage_error_and_writes_nothing(
    seat: CoordinationSeat,
    folder: Path,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder / "here").mkdir()
    monkeypatch.chdir(folder / "here")
    for call in taking_paths(seat):
        with pytest.raises(UsageError) as error:
            call(path)
        assert " is empty" in str(error.value) or "is no path" in str(error.value)
    assert list((folder / "here").iterdir()) == []
    assert not (folder / "new").exists()


def test_a_path_need_not_be_unicode(seat: CoordinationSeat, folder: Path) -> None:
    place = folder / "caf\udce9"
    seat.export(place)
    assert (place / "meta").is_file()


# A closed seat ----------------------------------------------------------------


def verbs(seat: CoordinationSeat) -> dict[str, Callable[[], object]]:
    """Return every public verb, called with texts where it needs arguments."""
    given: dict[str, Any] = {
        "callback": print, "token": 1, "locator": "ab" * 32, "target": "1",
        "seat": "0" * 32,
    }  # fmt: skip
    found: dict[str, Callable[[], object]] = {}
    for name, verb in inspect.getmembers(type(seat), inspect.isfunction):
        needed: dict[str, Any] = {
            one: given.get(one, "CxAnna")
            for one, each in inspect.signature(verb).parameters.items()
            if one != "self" and each.default is each.empty
        }
        if not name.startswith("_"):
            found[name] = lambda verb=verb, needed=needed: verb(seat, **needed)  # type: ignore[misc]
    return found


def test_every_verb_of_a_closed_seat_says_that_it_was_closed(
    seat: CoordinationSeat,
) -> None:
    calls = verbs(seat)
    calls["bundles.holders"] = seat.bundles.holders
    seat.remotes.add("origin", "/nowhere")
    seat.close()
    seat.close()
    answered = set()
    for name, call in calls.items():
        try:
            found = call()
            if isinstance(found, Iterator):
                list(found)
        except KoiniiError as error:
            if error.code == "koinii/closed":
                continue
        answered.add(name)
    assert answered <= NO_STORE
    with pytest.raises(AttributeError):
        seat.nothing_of_that_name  # type: ignore[attr-defined] # noqa: B018 - it is looked for
