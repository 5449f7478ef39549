"""`seat.toml`: the few settings of a seat, in a file that people edit."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any, NamedTuple

from koinii.errors import EnvironmentError_, NotFoundError, UsageError

FORMAT = 1
_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TABLE = "[remotes]"
_KNOWN = frozenset({"format", "agent", "mode", "remotes"})


class Config(NamedTuple):
    """What `seat.toml` says."""

    agent: str
    mode: str
    remotes: dict[str, str]


def template(agent: str) -> str:
    """Return the file of a new seat."""
    return (
        "# A koinii seat. Edit this file; the state lies in .koinii/.\n"
        f"format = {FORMAT}\n"
        f'agent = "{agent}"        # who speaks when no --as is given\n'
        'mode = "cooperative"\n'
        "\n"
        f"{_TABLE}\n"
    )


def read_config(path: str) -> Config:
    """Read and check a seat's settings.

    Raises:
        EnvironmentError_: `koinii/bad-config`, naming the setting.
    """
    try:
        with open(path, "rb") as file:
            values = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _bad(path, str(error)) from error
    unknown = sorted(set(values) - _KNOWN)
    if unknown:
        raise _bad(path, f"unknown setting {unknown[0]}")
    if values.get("format") != FORMAT:
        raise _bad(path, f"format is {values.get('format')!r}, not {FORMAT}")
    if values.get("mode", "cooperative") != "cooperative":
        raise _bad(path, f"mode {values['mode']!r} is not known; use cooperative")
    return Config(_text(path, values, "agent"), "cooperative", _remotes(path, values))


def add_remote(path: str, name: str, url: str) -> None:
    """Add a remote's line to the file, leaving all else as people wrote it."""
    if not _REMOTE.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a remote", hint="such as origin")
    if not url or url.startswith("-") or any(ord(char) < 32 for char in url):  # noqa: PLR2004 - controls
        raise UsageError(f"{url!r} is no address of a remote")
    if name in read_config(path).remotes:
        raise UsageError(
            f"there is a remote {name} already", hint=f"koinii remote rm {name}"
        )
    _rewrite(path, lambda lines: _with_remote(lines, f"{name} = {_quoted(url)}"))


def remove_remote(path: str, name: str) -> None:
    """Take a remote's line out of the file."""
    if name not in read_config(path).remotes:
        raise NotFoundError(f"there is no remote {name}", hint="koinii remote")
    line = re.compile(rf"\s*{re.escape(name)}\s*=")
    _rewrite(path, lambda lines: _without(lines, line))
    if name in read_config(path).remotes:
        raise _bad(path, f"remote {name} is not on a line of its own; edit the file")


def _with_remote(lines: list[str], line: str) -> list[str]:
    if _TABLE not in [one.strip() for one in lines]:
        return [*lines, "", _TABLE, line]
    after = [one.strip() for one in lines].index(_TABLE) + 1
    return [*lines[:after], line, *lines[after:]]


def _without(lines: list[str], line: re.Pattern[str]) -> list[str]:
    start = [one.strip() for one in lines].index(_TABLE) if _TABLE in lines else 0
    return [one for at, one in enumerate(lines) if at <= start or not line.match(one)]


def _rewrite(path: str, change: Any) -> None:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    write_file(path, "\n".join(change(lines)) + "\n")


def write_file(path: str, text: str) -> None:
    """Replace a file whole and durably, or not at all."""
    unfinished = f"{path}.{os.getpid()}.part"
    try:
        with open(unfinished, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        raise EnvironmentError_(
            f"{path} cannot be written: {error.strerror}",
            code="koinii/cannot-write",
            path=path,
        ) from error


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _text(path: str, values: dict[str, Any], key: str) -> str:
    value = values.get(key)
    if not isinstance(value, str):
        raise _bad(path, f"{key} is {value!r}, not a text")
    return value


def _remotes(path: str, values: dict[str, Any]) -> dict[str, str]:
    remotes = values.get("remotes", {})
    if not isinstance(remotes, dict) or not all(
        isinstance(url, str) and _REMOTE.fullmatch(name)
        for name, url in remotes.items()
    ):
        raise _bad(path, 'remotes are lines name = "address"')
    return dict(remotes)


def _bad(path: str, reason: str) -> EnvironmentError_:
    return EnvironmentError_(
        f"{path}: {reason}",
        code="koinii/bad-config",
        hint="mend that line of the file",
        path=path,
    )
