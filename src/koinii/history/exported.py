"""The bytes of an export: a file of records for each context, and `meta`.

A record is a line `<Agent> <claim line>`; records are sorted by locator and agent,
each pair at most once. `meta` says what the other files are; it is written last, so
an export without it is none.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from koinii.errors import KoiniiError, SurroundingsError, VerificationError
from koinii.history.paths import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Mapping

META = "meta"
FORMAT = "koinii.export"
VERSION = 1
MAX_META = 64 << 20  # bytes
MAX_FILES = 100_000
MAX_RECORD = 71 << 10  # bytes: a claim line, a name, a line end
_ENDING = ".kb"

_COUNT = 10**15
_DIGEST = re.compile("[0-9a-f]{64}")
_FIELDS = {
    "agents", "commit", "files", "format", "lines", "rules", "size", "version",
    "vocabulary",
}  # fmt: skip


class FileEntry(NamedTuple):
    """What `meta` says of a file of records."""

    lines: int
    sha256: str
    size: int  # bytes


class Meta(NamedTuple):
    """What an export holds; `commit` and `size` are those of the belief it gives."""

    commit: str
    size: int
    rules: int  # version of the semantics
    vocabulary: Mapping[str, str]  # digests of the shipped files, by context
    agents: Mapping[str, int]  # records by agent
    files: Mapping[str, FileEntry]  # by name

    @property
    def lines(self) -> int:
        """How many records there are."""
        return sum(one.lines for one in self.files.values())


def file_name(context: str) -> str:
    """Return the name of the file of a context; see `paths.quote`."""
    return quote(context) + _ENDING


def context_of(name: str) -> str:
    """Return the context whose file has this name; another spelling is refused."""
    if not name.endswith(_ENDING):
        raise VerificationError(
            f"{name!r} is no name of a file of an export",
            code="koinii/bad-export",
            path=name,
        )
    return unquote(name.removesuffix(_ENDING))


def write_meta(meta: Meta) -> bytes:
    """Return the one spelling of a `meta` file."""
    value = {
        "agents": dict(meta.agents),
        "commit": meta.commit,
        "files": {name: one._asdict() for name, one in meta.files.items()},
        "format": FORMAT,
        "lines": meta.lines,
        "rules": meta.rules,
        "size": meta.size,
        "version": VERSION,
        "vocabulary": dict(meta.vocabulary),
    }
    return _spelled(value)


def read_meta(data: bytes) -> Meta:
    """Read a `meta` file in its one spelling.

    Raises:
        SurroundingsError: `koinii/newer-export`: a newer koinii has written it.
        VerificationError: `koinii/bad-export`: anything else.
    """
    try:
        value = json.loads(data, parse_float=_no_number, parse_constant=_no_number)
    except (ValueError, RecursionError) as fault:
        raise bad_meta("it is no JSON") from fault
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise bad_meta("it is not that of an export")
    _check_version(value.get("version"))
    if value.keys() != _FIELDS:
        raise bad_meta("it has other fields than belong there")
    meta = _meta(value)
    if write_meta(meta) != data:
        raise bad_meta("it is not in its one spelling")
    return meta


def bad_meta(reason: str) -> VerificationError:
    """Return the refusal of a `meta` file."""
    return VerificationError(
        f"{META}: {reason}", code="koinii/bad-export", path=META, reason=reason
    )


def _check_version(version: object) -> None:
    if type(version) is not int or version < 1:
        raise bad_meta("it has no version")
    if version > VERSION:
        raise SurroundingsError(
            f"the export is of version {version}, and this koinii reads {VERSION}",
            code="koinii/newer-export",
            hint="install a newer koinii",
            version=version,
        )


def _meta(value: dict[str, Any]) -> Meta:
    files = _table(value, "files")
    if len(files) > MAX_FILES:
        raise bad_meta(f"it names more than {MAX_FILES} files")
    entries = {name: _entry(name, one) for name, one in files.items()}
    vocabulary = _table(value, "vocabulary")
    if not all(_is_digest(one) for one in vocabulary.values()):
        raise bad_meta("its vocabulary has no digests")
    agents = _table(value, "agents")
    if not all(_is_count(one, 1) for one in agents.values()):
        raise bad_meta("its agents have no counts")
    commit = value["commit"]
    if not isinstance(commit, str) or not _is_digest(commit.removeprefix("sha256:")):
        raise bad_meta("its commit is no commit id")
    if not _is_count(value["size"]) or not _is_count(value["rules"]):
        raise bad_meta("size and rules are no counts")
    return Meta(commit, value["size"], value["rules"], vocabulary, agents, entries)


def _entry(name: str, value: object) -> FileEntry:
    try:
        context_of(name)
    except KoiniiError as fault:
        raise bad_meta(f"{name[:80]!r} is no name of a file of records") from fault
    if not isinstance(value, dict) or value.keys() != set(FileEntry._fields):
        raise bad_meta(f"{name}: lines, sha256 and size belong there")
    entry = FileEntry(**value)
    if not (_is_count(entry.lines, 1) and _is_count(entry.size, 1)):
        raise bad_meta(f"{name}: lines and size are no counts")
    if not _is_digest(entry.sha256):
        raise bad_meta(f"{name}: no SHA-256 in hex")
    return entry


def _table(value: dict[str, Any], name: str) -> dict[str, Any]:
    table = value[name]
    if not isinstance(table, dict):
        raise bad_meta(f"{name} is no object")
    return table


def _is_count(value: object, least: int = 0) -> bool:
    return type(value) is int and least <= value < _COUNT


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _spelled(value: object) -> bytes:
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    return f"{text}\n".encode(errors="surrogatepass")


def _no_number(text: str) -> None:
    raise ValueError(text)
