"""What only bundles ask of git, of which the program alone is capable."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from koinii.errors import SurroundingsError
from koinii.remote.git import Done, GitProcess
from koinii.remote.repository import Git


def need_git(doing: str) -> None:
    """Refuse where there is no git program.

    Raises:
        SurroundingsError: `koinii/no-git`.
    """
    if shutil.which("git") is None:
        raise SurroundingsError(
            f"cannot {doing}: there is no git program, and bundles need it",
            code="koinii/no-git",
            hint="install git 2.30 or newer, and see that it is on the PATH",
        )


def ask(git: Git, doing: str, arguments: Sequence[str]) -> Done:
    """Run git over a repository; it may be silent as long as a transfer may last."""
    program = GitProcess(
        git.directory, interactive=False, environ=None, limits=git.limits
    )
    return program.run(doing, arguments, seconds=git.limits.transfer)
