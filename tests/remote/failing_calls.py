"""The ways in which a call to git fails, none of them made up: something is broken
for as long as the call lasts, in git itself, on the server, or on the way there.

Some fail before anything was done, some after all of it was, some never show.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pygit2

GIT = shutil.which("git") or "git"
ASKED = ["ls-remote", "fetch", "push", "update-ref", "for-each-ref", "show-ref"]
CASES = ["*", *(f'*" {word} "*' for word in ASKED)]  # which calls of git are broken


class Place(NamedTuple):
    """What a call uses: the shared repository, the seat's own one, and its ref."""

    bare: Path
    private: Path
    ref: str
    tools: Path  # an empty directory, put first on the PATH


Failure = Callable[[Place, Random], AbstractContextManager[None]]


# In git itself ------------------------------------------------------------------

BROKEN = {
    "git ends before its work": "exit 128",
    "git ends after its work": f'{GIT} "$@"; exit 1',
    "git is killed before its work": "kill -9 $$",
    "git is killed after its work": f'{GIT} "$@"; kill -9 $$',
    "git may write nothing": f'ulimit -f 0; exec {GIT} "$@"',
    "git finds no space": 'echo "fatal: write: No space left on device" >&2; exit 128',
    "git finds locks": (
        "find refs -type f ! -name '*.lock' -exec touch {}.lock ';'\n"
        f'exec {GIT} "$@"'
    ),
}


def broken(script: str) -> Failure:
    """One call of git of some kind is broken so, or two, or all from then on."""

    @contextmanager
    def fails(place: Place, source: Random) -> Iterator[None]:
        left, file = place.tools / "left", place.tools / "git"
        left.write_text(f"{source.choice([1, 1, 1, 2])}\n")
        case, more = source.choice(CASES), source.choice([0, 1, 99])
        file.write_text(
            f"""#!/bin/sh
            case " $* " in {case}) ;; *) exec {GIT} "$@" ;; esac
            left=$(($(cat "{left}") - 1))
            echo "$left" >"{left}"
            [ "$left" -le 0 ] && [ "$left" -ge -{more} ] || exec {GIT} "$@"
            {script}
            """
        )
        file.chmod(0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{place.tools}{os.pathsep}{path}"
        try:
            yield
        finally:
            os.environ["PATH"] = path
            file.unlink()
            for lock in place.private.glob("refs/**/*.lock"):
                lock.unlink()

    return fails


# On the server ------------------------------------------------------------------

HOOKS = {
    "a hook refuses": ("update", "echo closed on Sundays >&2; exit 1"),
    "the server kills what takes the push": ("pre-receive", "kill -9 $PPID"),
    "the server is killed when all is done": ("post-receive", "kill -9 $PPID"),
    "the server has no space": (
        "pre-receive", "echo fatal: write: No space left on device >&2; exit 1",
    ),
    "what was taken is hidden": (
        "post-receive", "git config transfer.hideRefs refs/koinii/seats",
    ),
}  # fmt: skip


def hooked(name: str, script: str) -> Failure:
    """A hook of the shared repository does this."""

    @contextmanager
    def fails(place: Place, _: Random) -> Iterator[None]:
        file = place.bare / "hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        try:
            yield
        finally:
            file.unlink()
            _show(place.bare)

    return fails


def _show(bare: Path) -> None:
    config = pygit2.Repository(str(bare)).config
    if "transfer.hiderefs" in config:
        del config["transfer.hiderefs"]


@contextmanager
def hidden(place: Place, _: Random) -> Iterator[None]:
    """The shared repository shows nothing of us."""
    pygit2.Repository(str(place.bare)).config["transfer.hideRefs"] = "refs/koinii"
    try:
        yield
    finally:
        _show(place.bare)


@contextmanager
def locked(place: Place, _: Random) -> Iterator[None]:
    """Somebody was killed there and has left a lock on our ref."""
    lock = place.bare / f"{place.ref}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.touch()
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def away(part: str) -> Failure:
    """The shared repository, or a part of it, cannot be read."""

    @contextmanager
    def fails(place: Place, _: Random) -> Iterator[None]:
        here = place.bare / part
        there = place.bare.parent / "away"
        here.rename(there)
        try:
            yield
        finally:
            if here.is_dir():  # what was taken meanwhile stays
                shutil.copytree(here, there, dirs_exist_ok=True)
                shutil.rmtree(here)
            there.rename(here)

    return fails


# On this side -------------------------------------------------------------------


@contextmanager
def left_behind(place: Place, _: Random) -> Iterator[None]:
    """A git that was killed long ago has left its lock and half a pack here."""
    for name in (f"{place.ref}.lock", "packed-refs.lock", "objects/pack/tmp_pack_x"):
        file = place.private / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (0, 0))
    yield


FAILURES: dict[str, Failure] = {
    **{name: broken(script) for name, script in BROKEN.items()},
    **{name: hooked(*hook) for name, hook in HOOKS.items()},
    "the refs are hidden": hidden,
    "the ref is locked there": locked,
    "the repository is away": away(""),
    "its head cannot be read": away("HEAD"),
    "its objects are away": away("objects"),
    "its packs and objects are torn": away("objects/pack"),
    "a lock was left behind here": left_behind,
}
