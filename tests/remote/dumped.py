"""Exports as tests look at them: every byte, and what was done to one."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

Harm = Callable[[Path], None]


def files_of(directory: Path) -> dict[str, bytes]:
    """Return every file by name."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def meta_of(directory: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((directory / "meta").read_bytes())
    return value


def put_meta(directory: Path, value: object) -> None:
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    (directory / "meta").write_bytes(f"{text}\n".encode(errors="surrogatepass"))


def with_meta(**changes: Any) -> Harm:
    """Change fields of `meta`; None takes one out."""

    def harm(directory: Path) -> None:
        value = {**meta_of(directory), **changes}
        put_meta(directory, {k: v for k, v in value.items() if v is not None})

    return harm


def with_lines(name: str, *lines: str, **counts: int) -> Harm:
    """Put other records into a file, and into `meta` what they are."""

    def harm(directory: Path) -> None:
        meta, data = meta_of(directory), "".join(lines).encode()
        (directory / name).write_bytes(data)
        entry = {
            "lines": data.count(b"\n"),
            "sha256": sha256(data).hexdigest(),
            "size": len(data),
        }
        meta["files"][name] = entry
        meta["agents"] = {**meta["agents"], **counts}
        meta["lines"] = sum(one["lines"] for one in meta["files"].values())
        put_meta(directory, meta)

    return harm


def with_bytes(name: str, data: bytes) -> Harm:
    """Put other bytes into a file, and into `meta` their size and hash alone."""

    def harm(directory: Path) -> None:
        meta = meta_of(directory)
        (directory / name).write_bytes(data)
        entry = {"size": len(data), "sha256": sha256(data).hexdigest()}
        meta["files"][name] |= entry
        put_meta(directory, meta)

    return harm


def renamed(name: str, other: str) -> Harm:
    """Let `meta` name a file otherwise, wherever that leads."""

    def harm(directory: Path) -> None:
        meta = meta_of(directory)
        meta["files"][other] = meta["files"].pop(name)
        put_meta(directory, meta)
        target = directory / other
        if not {"\0", "\ud800"} & set(other) and target.parent.is_dir():
            (directory / name).rename(target)

    return harm
