"""`seat.toml`: the few settings of a seat, in a file that people edit."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from koinii.errors import (
    NotFoundError,
    ReadError,
    RefusedError,
    SurroundingsError,
    UsageError,
)
from koinii.seat.select_names import check_selected
from koinii.seat.unfinished import clear_unfinished, unfinished
from koinii.trust.standing import MODES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

FORMAT = 1
_REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TABLE = "[remotes]"
_TABLE_LINE = re.compile(r"^[ \t]*\[[ \t]*remotes[ \t]*\][^\n]*\n?", re.MULTILINE)
_KNOWN = frozenset({"format", "agent", "mode", "network_disk", "remotes", "select"})
_KINDS = ("agents", "contexts")
_SELECT = re.compile(
    r"^[ \t]*\[[ \t]*select[ \t]*\](?P<said>[^\n]*)\n?(?P<below>.*?)(?=^[ \t]*\[|\Z)",
    re.MULTILINE | re.DOTALL,
)
_NAMES = re.compile(  # a line of the table, and those its list goes on in
    r"""^[ \t]*(?:agents|contexts)[ \t]*=[ \t]*
    \[ (?: \#[^\n]* | "(?:[^"\\\n]|\\.)*" | '[^'\n]*' | [^]"'#] )* \] [^\n]*\n?""",
    re.MULTILINE | re.VERBOSE,
)


class Config(NamedTuple):
    """What `seat.toml` says."""

    agent: str
    mode: str
    remotes: dict[str, str]
    network_disk: bool = False  # the store may lie on one
    agents: tuple[str, ...] = ()  # whose lines are taken of other seats, all if empty
    contexts: tuple[str, ...] = ()  # and in which contexts


def template(agent: str, mode: str = MODES[0]) -> str:
    """Return the file of a new seat."""
    return (
        "# A koinii seat. Edit this file; the state lies in .koinii/.\n"
        f"format = {FORMAT}\n"
        f'agent = "{agent}"        # who speaks when no --as is given\n'
        f'mode = "{mode}"\n'
        "\n"
        f"{_TABLE}\n"
    )


def read_config(path: str) -> Config:
    """Read and check a seat's settings.

    Raises:
        SurroundingsError: `koinii/bad-config`, naming the setting.
    """
    try:
        with open(path, "rb") as file:
            values = tomllib.load(file)
    except (ValueError, RecursionError) as error:  # numbers and lists without end too
        raise _bad(path, str(error)) from error
    except OSError as error:
        raise SurroundingsError(
            f"{path} cannot be read: {error.strerror}",
            code="koinii/cannot-read",
            path=path,
        ) from error
    unknown = sorted(set(values) - _KNOWN)
    if unknown:
        raise _unknown(path, unknown[0])
    if type(values.get("format")) is not int or values["format"] != FORMAT:
        shown = repr(values["format"]) if "format" in values else "missing"
        raise _bad(path, f"format is {shown}, not {FORMAT}")
    mode = values.get("mode", MODES[0])
    if mode not in MODES:
        raise _bad(path, f"mode {mode!r} is not known; use {' or '.join(MODES)}")
    network_disk = values.get("network_disk", False)
    if not isinstance(network_disk, bool):
        raise _bad(path, f"network_disk is {network_disk!r}, not true or false")
    agent, remotes = _text(path, values, "agent"), _remotes(path, values)
    agents, contexts = _select(path, values)
    return Config(agent, mode, remotes, network_disk, agents, contexts)


def add_remote(path: str, name: str, url: str) -> None:
    """Add a remote's line to the file, leaving all else as people wrote it.

    Where the address has a name or password in it, only the owner reads the file then.
    """
    if not _REMOTE.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a remote", hint="such as origin")
    if not _is_address(url):
        raise UsageError(f"{url!r} is no address of a remote")
    if name in read_config(path).remotes:
        raise UsageError(
            f"there is a remote {name} already", hint=f"koinii remote rm {name}"
        )
    wanted = {"remotes": {**read_config(path).remotes, name: url}}
    from koinii.seat.redacting import redact  # noqa: PLC0415 - not to say something

    is_secret = redact(url) != url
    _rewrite(
        path, wanted, lambda text: _with_remote(text, name, url), private=is_secret
    )


def remove_remote(path: str, name: str) -> None:
    """Take a remote's line out of the file."""
    wanted = dict(read_config(path).remotes)
    if wanted.pop(name, None) is None:
        raise NotFoundError(f"there is no remote {name}", hint="koinii remote")
    line = re.compile(rf"^[ \t]*\"?{re.escape(name)}\"?[ \t]*=.*\n?", re.MULTILINE)
    _rewrite(path, {"remotes": wanted}, lambda text: line.sub("", text))


def set_selection(path: str, agents: Iterable[str], contexts: Iterable[str]) -> None:
    """Write what is taken of other seats; nothing named takes everything."""
    named = dict(zip(_KINDS, (sorted(set(agents)), sorted(set(contexts))), strict=True))
    wanted = {kind: names for kind, names in named.items() if names}
    _rewrite(path, {"select": wanted}, lambda text: _with_selection(text, wanted))


def _with_remote(text: str, name: str, url: str) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    line = f"{name} = {_quoted(url)}{end}"
    table = _TABLE_LINE.search(text)
    if table is None:
        return f"{text}{end}{_TABLE}{end}{line}"
    before, after = text[: table.end()], text[table.end() :]
    return before + ("" if before.endswith("\n") else end) + line + after


def _with_selection(text: str, wanted: dict[str, list[str]]) -> str:
    """Change the lines of the table alone; one that says nothing more goes."""
    end = "\r\n" if "\r\n" in text else "\n"
    listed = {kind: ", ".join(map(_quoted, names)) for kind, names in wanted.items()}
    lines = "".join(f"{kind} = [{names}]{end}" for kind, names in listed.items())
    table = _SELECT.search(text)
    if table is None:
        return text + (f"{end}[select]{end}{lines}" if wanted else "")
    before, after = text[: table.start()], text[table.end() :]
    below = _NAMES.sub("", table["below"])
    if not wanted and not (table["said"] + below).strip():
        return before.removesuffix(end) + below + after
    head = text[table.start() : table.start("below")]
    return before + head.rstrip("\r\n") + end + lines + below + after


def _rewrite(
    path: str,
    wanted: Mapping[str, object],
    change: Callable[[str], str],
    *,
    private: bool = False,
) -> None:
    """Change the file's text if that comes to the wanted tables and no more."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    changed = change(text)
    try:
        values = tomllib.loads(changed)
    except tomllib.TOMLDecodeError:
        values = {}
    (table,) = wanted
    if {table: {}, **values} != {**tomllib.loads(text), **wanted}:
        raise _bad(path, f"[{table}] is not one a line; change it in the file")
    write_file(path, changed, private=private)


def write_file(path: str, text: str, *, private: bool = False) -> None:
    """Replace a file whole and durably, or not at all.

    A link stays one, and permissions stay; a `private` one is its owner's alone.
    """
    mode = 0o600 if private else 0o666
    target = os.path.realpath(path)
    beside = unfinished(target)
    try:
        clear_unfinished(target)
        try:
            with open(
                beside, "w", encoding="utf-8", newline="",
                opener=lambda name, flags: os.open(name, flags, mode),
            ) as file:  # fmt: skip
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(target) and not private:
                shutil.copymode(target, beside)
            os.replace(beside, target)
        finally:
            with suppress(FileNotFoundError):
                os.remove(beside)
    except OSError as error:
        raise SurroundingsError(
            f"{path} cannot be written: {error.strerror}",
            code="koinii/cannot-write",
            path=path,
        ) from error


def _is_address(url: str) -> bool:
    """Tell whether git may be given it: no option, nothing that hides in a line."""
    return bool(url) and not url.startswith("-") and url.isprintable()


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
        isinstance(url, str) and _is_address(url) and _REMOTE.fullmatch(name)
        for name, url in remotes.items()
    ):
        raise _bad(path, 'remotes are lines name = "address"')
    return dict(remotes)


def _select(path: str, values: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the agents and the contexts that are selected."""
    select = values.get("select", {})
    if not isinstance(select, dict) or set(select) - set(_KINDS):
        raise _bad(path, f"[select] has {' and '.join(_KINDS)}, and nothing else")
    for kind, names in select.items():
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise _bad(path, f"{kind} of [select] are a list of names")
    agents, contexts = (tuple(sorted(set(select.get(kind, ())))) for kind in _KINDS)
    try:
        check_selected(agents, contexts)
    except (RefusedError, ReadError) as error:
        raise _bad(path, f"[select]: {error.message}") from error
    return [agents, contexts]


def _unknown(path: str, name: str) -> SurroundingsError:
    """Return the error of a setting that is none, with the nearest that is one."""
    from difflib import get_close_matches  # noqa: PLC0415 - off the start-up path

    near = get_close_matches(name, sorted(_KNOWN), n=1)
    meant = f": did you mean {near[0]}?" if near else ""
    return _bad(path, f"unknown setting {name}{meant}")


def _bad(path: str, reason: str) -> SurroundingsError:
    return SurroundingsError(
        f"{path}: {reason}",
        code="koinii/bad-config",
        hint="mend that line of the file",
        path=path,
    )
