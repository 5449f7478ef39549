"""BC-013, BC-027: every verb, in circumstances that are not the usual ones."""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from faces.command import SENTENCE, Done, koinii, within
from faces.test_envelope import LINES
from koinii.faces.operations import OPERATIONS
from koinii.store.database import open_store

NEED_NO_SEAT = {one.name for one in OPERATIONS if one.needs == "none"}
WRITERS = {one.name for one in OPERATIONS if one.writes}
REMOTE_VERBS = ("push", "pull", "sync")
CLAIM = "(likes Ann Tea)"


def checked(name: str, *more: str) -> Done:
    """Run a verb with --json; its answer is one object that agrees with its code."""
    done = within(*LINES[name], "--json", *more, stdin=CLAIM.encode())
    assert done.json["ok"] is (done.code in (0, 7)), done
    assert "\x1b" not in done.out + done.err
    if not done.json["ok"]:
        assert done.error["code"] != "koinii/internal", done
        assert done.err.startswith(f"koinii: {done.error['message']}"[:60])
    return done


def store(here: Path) -> Path:
    return here / ".koinii" / "store.db"


def at_version(number: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {number}")

    return change


def overwritten(path: Path) -> None:
    path.write_bytes(b"no store" * 2000)


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


STORES: dict[str, tuple[Callable[[Path], None], set[str]]] = {
    "newer": (at_version(99), {"koinii/newer-store"}),
    "old": (at_version(0), {"koinii/old-store"}),
    "damaged": (overwritten, {"koinii/damaged-store"}),
    "torn": (torn, {"koinii/damaged-store", "koinii/no-store"}),
    "gone": (Path.unlink, {"koinii/no-store"}),
}


@pytest.mark.parametrize("state", STORES)
def test_bc_013_every_verb_where_the_store_is_none(state: str, here: Path) -> None:
    change, codes = STORES[state]
    change(store(here))
    before = files(here)
    for name in LINES.keys() - NEED_NO_SEAT - {"agent trust"}:
        done = checked(name)
        assert (done.code, done.error["code"] in codes) == (5, True), (name, done)
    assert files(here) == before


def test_bc_013_every_verb_in_odd_surroundings(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data is the same whatever the terminal, and no notice gets among it."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    monkeypatch.delenv("TERM", raising=False)
    for name in LINES.keys() - WRITERS:
        plain = checked(name)
        loud = checked(name, "-v")
        assert (plain.code, plain.json) == (loud.code, loud.json), name


def test_bc_013_every_write_where_the_store_is_locked(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_store.__kwdefaults__
    monkeypatch.setitem(open_store.__kwdefaults__, "lock_wait", 0.05)
    within("remote", "add", "hub", "hub.git")
    with locked(here):
        for name in ("assert", "edit", "load", "commit", "channel new", "agent new"):
            done = checked(name)
            assert (done.code, done.error["code"]) == (5, "koinii/locked"), name
            assert done.error["details"]["holder"]
        for name in LINES.keys() - WRITERS:
            reading = checked(name)
            assert reading.json["ok"] or reading.error["code"] != "koinii/locked", name
    assert within("ask", CLAIM).out == ""


@contextmanager
def locked(here: Path) -> Iterator[None]:
    """Hold the writer's lock as another process would."""
    descriptor = os.open(f"{store(here)}.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    "url", ["gone.git", "http://localhost:1/x", "file:///dev/null"]
)
def test_bc_013_every_verb_where_the_remote_is_down(here: Path, url: str) -> None:
    within("remote", "add", "origin", url)
    for verb in REMOTE_VERBS:
        done = koinii(verb, "--json", cwd=here)
        assert done.code in (1, 5), done
        assert done.error["code"].startswith("koinii/")
        assert done.error["code"] != "koinii/internal"
    cloned = koinii("clone", url, "copy", "--as", "AgentBoreas", "--json", cwd=here)
    assert cloned.code in (1, 5)
    assert cloned.error["code"] != "koinii/internal"
    assert within("ask", "(usesDatabase ?x ?y)", "--json").data["answers"]


def files(here: Path) -> dict[str, str]:
    """Return the checksum of every file of a seat, but of the lock's."""
    return {
        one.relative_to(here).as_posix(): sha256(one.read_bytes()).hexdigest()
        for one in sorted(here.rglob("*"))
        if one.is_file() and not one.name.endswith((".lock", "-shm"))
    }


def test_bc_027_no_reading_verb_changes_a_file(here: Path) -> None:
    """Also a second time, and where the answer is an error."""
    locator = within("locate", SENTENCE, "--in", "CxAtlas").out.strip()
    before = files(here)
    for _ in range(2):
        for name in LINES.keys() - WRITERS:
            checked(name)
            assert files(here) == before, name
        for words in (["show", locator], ["marker", locator], ["prove", locator]):
            assert within(*words).code == 0
            assert files(here) == before, words


def test_bc_027_a_rehearsal_leaves_what_is_there(here: Path) -> None:
    """The database may be written and undone: its rows stay, and the root."""
    status = within("status", "--json").data
    for one in OPERATIONS:
        if one.rehearsed:
            checked(one.name, "--dry-run")
            assert within("status", "--json").data == status, one.name
