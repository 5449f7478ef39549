"""Runs the command line, as a process of its own or within this one."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from koinii.__main__ import understand
from koinii.faces.cli import read_line
from koinii.faces.performing import run

COMMAND = str(Path(sys.executable).with_name("koinii"))
FAULT = "a fault of koinii itself"
SENTENCE = "(usesDatabase ProdCluster Postgres)"


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        return strict(self.out)

    @property
    def data(self) -> Any:
        """The data of a success."""
        answer = self.json
        assert answer["ok"] is True, answer
        return answer["data"]

    @property
    def error(self) -> Any:
        """The error of a failure."""
        answer = self.json
        assert answer["ok"] is False, answer
        return answer["error"]


def strict(text: str) -> Any:
    """Read one line that is one JSON object, by the letter of RFC 8259."""
    assert text.endswith("\n"), text
    assert text.count("\n") == 1, text
    value = json.loads(text, parse_constant=pytest.fail, object_pairs_hook=_once)
    assert value["schema_version"] == 1
    keys = {"schema_version", "ok", "data" if value["ok"] else "error"}
    assert value.keys() - {"rehearsed"} == keys
    assert value.get("rehearsed", True) is True
    if not value["ok"]:
        assert value["error"].keys() == {"code", "message", "hint", "details"}
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), names
    return dict(pairs)


def environment(**changes: str | None) -> dict[str, str]:
    """Return this process's environment with changes; None takes a name out."""
    merged: dict[str, str | None] = {**os.environ, **changes}
    return {name: value for name, value in merged.items() if value is not None}


def koinii(
    *words: str | bytes,
    cwd: Path | str | None = None,
    stdin: bytes = b"",
    env: Mapping[str, str | None] | None = None,
    encoding: str = "utf-8",
    command: tuple[str, ...] = (COMMAND,),
) -> Done:
    """Run the command as a process."""
    done = subprocess.run(
        [*command, *words],
        cwd=cwd,
        input=stdin,
        env=environment(**(env or {})),
        capture_output=True,
        check=False,
        timeout=60,
    )
    ended = Done(
        done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding)
    )
    assert FAULT not in ended.err, ended.err
    assert "Traceback" not in ended.err, ended.err
    return ended


def within(*words: str, stdin: bytes = b"", full: bool = False) -> Done:
    """Run the command in this process; `full` leaves the plain forms out."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    sys.stdout, sys.stderr = out, err
    try:
        code = run(list(words), read_line if full else understand)
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    ended = Done(code, _written(out), _written(err))
    assert FAULT not in ended.err, ended.err
    return ended


def _written(stream: io.TextIOWrapper) -> str:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()
