"""What only bundles ask of the git program."""

from __future__ import annotations

from collections.abc import Sequence

from koinii.remote.git import Done, GitProcess
from koinii.remote.repository import Git


def ask(git: Git, doing: str, arguments: Sequence[str]) -> Done:
    """Run git over a repository; it may be silent as long as a transfer may last."""
    program = GitProcess(
        git.directory, interactive=False, environ=None, limits=git.limits
    )
    return program.run(doing, arguments, seconds=git.limits.transfer)
