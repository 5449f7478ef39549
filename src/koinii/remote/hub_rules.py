"""What a repository on a path rules for those who push, with no git to heed it.

Over a path there is no server: hooks are not run. What is ruled there is refused here
instead, so that a push without git never does what one with git may not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    import pygit2

# Those of a push; the samples that git puts there are not executable names.
_HOOKS = (
    "pre-receive", "update", "proc-receive", "reference-transaction",
    "post-receive", "post-update",
)  # fmt: skip


def local_path(url: str) -> str:
    """Return the path that an address is, '' for one of a server."""
    if url.startswith("/"):
        return url
    return unquote(urlsplit(url).path) if url.startswith("file://") else ""


def is_shallow(repository: pygit2.Repository) -> bool:
    """Tell whether the history in a repository on a path is cut short."""
    return Path(repository.path, "shallow").exists()


def refusal(hub: pygit2.Repository, ref: str, *, forced: bool) -> str:
    """Return why a repository on a path would not take a push, '' where it would.

    `forced` tells that the new value does not contain the old one.
    """
    for name in _hooks(hub):
        return (
            f"it has the hook {name}, which only git runs: install git here, or "
            "use an address of ssh or https"
        )
    if is_hidden(hub, ref, "receive"):
        return "deny updating a hidden ref"
    if forced and "true" in _all(hub, "receive.denynonfastforwards")[-1:]:
        return "non-fast-forward"
    return ""


def is_hidden(hub: pygit2.Repository, ref: str, service: str) -> bool:
    """Tell whether a repository on a path hides a ref from `service`."""
    hidden = _all(hub, "transfer.hiderefs", f"{service}.hiderefs")
    return any(_covers(one, ref) for one in hidden)


def share(hub: pygit2.Repository) -> None:
    """Let the files that this process makes be as open as `core.sharedRepository`."""
    shared = "".join(_all(hub, "core.sharedrepository")[-1:]).lower()
    mask = os.umask(0o077)
    if shared in {"group", "true", "1"}:
        mask &= 0o707
    elif shared in {"all", "world", "everybody", "2"}:
        mask &= 0o702
    elif shared.startswith("0") and shared.isdigit():
        mask = ~int(shared, 8) & 0o777
    os.umask(mask)


def _hooks(hub: pygit2.Repository) -> Iterator[str]:
    named = _all(hub, "core.hookspath")[-1:]
    folder = Path(hub.path, *named or ["hooks"]).expanduser()
    for name in _HOOKS:
        if (folder / name).is_file() and os.access(folder / name, os.X_OK):
            yield name


def _covers(hidden: str, ref: str) -> bool:
    """Tell whether a line of `hideRefs` is about a ref; `!` is taken for hidden."""
    prefix = hidden.lstrip("!^").rstrip("/")
    return ref == prefix or ref.startswith(f"{prefix}/")


def _all(hub: pygit2.Repository, *names: str) -> list[str]:
    found = (value for name in names for value in hub.config.get_multivar(name))
    return [value for value in found if value is not None]
