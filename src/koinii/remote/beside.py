"""A repository beside the private one: the same objects, and refs of its own.

What is packed for others, or fetched only to be looked at, moves no ref of the
private repository and leaves nothing in it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from koinii.remote.repository import Git
from koinii.seat.seat import Seat

_NAME = "git.beside"


@contextmanager
def beside(seat: Seat, git: Git, refs: Mapping[str, str]) -> Iterator[Git]:
    """Make such a repository, and take it away at the end; call it while `moving`.

    What one that was killed has left is taken away first.
    """
    folder = Path(seat.layout.state, _NAME)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        made = Git(folder)
        made.init()
        _share(git.directory / "objects/pack", folder / "objects/pack")
        lines = [f"{oid} {ref}\n" for ref, oid in sorted(refs.items())]
        (folder / "packed-refs").write_text("".join(lines), encoding="ascii")
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _share(source: Path, target: Path) -> None:
    """Have the same packs in both, the index of each last."""
    target.mkdir(parents=True, exist_ok=True)
    found = [one for one in source.iterdir() if one.name.startswith("pack-")]
    for one in sorted(found, key=lambda path: path.suffix == ".idx"):
        try:
            os.link(one, target / one.name)
        except OSError:  # no file system for links
            shutil.copyfile(one, target / one.name)
