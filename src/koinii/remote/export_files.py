"""An export as it lies in a directory: read with nothing believed of it.

Only regular files are opened, by names that `meta` gives in their one spelling, and
never through a link; what is read is hashed as it goes by.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from koinii.errors import (
    KoiniiError,
    NotFoundError,
    SurroundingsError,
    VerificationError,
)
from koinii.history.exported import (
    MAX_META,
    MAX_RECORD,
    META,
    FileEntry,
    Meta,
    context_of,
    read_meta,
)
from koinii.kb.claim import Claim, parse_claim
from koinii.terms.locator import digest
from koinii.terms.roles import check_context
from koinii.terms.shape import check_sentence
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_BLOCK = 1 << 20


class Record(NamedTuple):
    """One line of an export: who says what where."""

    agent: str
    context: str
    digest: bytes
    line: str  # the claim line
    claim: Claim


class Export:
    """A directory with an export, whole as far as `meta` tells."""

    def __init__(self, directory: str, descriptor: int) -> None:
        self.directory = directory
        self._descriptor = descriptor
        self.meta = self._read_meta()
        self._check_names()

    def _read_meta(self) -> Meta:
        try:
            with self._open(META) as file:
                data = file.read(MAX_META + 1)
        except FileNotFoundError:
            raise NotFoundError(
                f"{self.directory} holds no export, or a part of one: there is no "
                f"{META} in it, which is written last",
                code="koinii/no-export",
                hint="koinii export DIRECTORY writes one",
                path=self.directory,
            ) from None
        if len(data) > MAX_META:
            raise self._bad(META, f"it is longer than {MAX_META} bytes")
        return read_meta(data)

    def _check_names(self) -> None:
        """Refuse a directory that holds more, or less, than `meta` says."""
        missing = {META, *self.meta.files}
        with os.scandir(self._descriptor) as entries:
            for entry in entries:
                if entry.name not in missing:
                    raise self._bad(entry.name, "it is no file of the export")
                missing.discard(entry.name)
        if missing:
            raise self._bad(min(missing), "it is not there")

    def check_files(self) -> None:
        """Hash every file: what was changed is refused before a record is read."""
        for name, entry in self.meta.files.items():
            with self._open(name) as file:
                self._check_size(name, entry, file)
                hashed = sha256()
                while block := file.read(_BLOCK):
                    hashed.update(block)
            self._check_hash(name, entry, hashed.hexdigest())

    def records(self) -> Iterator[Record]:
        """Yield every record, each in its one spelling; the files hashed again."""
        for name, entry in self.meta.files.items():
            yield from self._records(name, entry)

    def _records(self, name: str, entry: FileEntry) -> Iterator[Record]:
        context, hashed, number, last = context_of(name), sha256(), 0, (b"", "")
        with self._open(name) as file:
            self._check_size(name, entry, file)
            while data := file.readline(MAX_RECORD):
                number += 1
                hashed.update(data)
                record = self._record(name, number, context, data)
                if (record.digest, record.agent) <= last:
                    raise self._bad(name, "out of order, or a second time", number)
                last = record.digest, record.agent
                yield record
        self._check_hash(name, entry, hashed.hexdigest())
        if number != entry.lines:
            raise self._bad(name, f"it has {number} lines, {entry.lines} are named")

    def _record(self, name: str, number: int, context: str, data: bytes) -> Record:
        try:
            text = data.decode()
        except UnicodeDecodeError as fault:
            raise self._bad(name, "not UTF-8", number) from fault
        if not text.endswith("\n"):
            raise self._bad(name, "no line end where one must be", number)
        agent, gap, line = text[:-1].partition(" ")
        if not gap or agent not in self.meta.agents:
            raise self._bad(name, f"{agent[:80]!r} is none of the agents", number)
        try:
            claim = parse_claim(line)
            check_sentence(claim.sentence)
            check_context(Symbol(context))
            found = digest(Symbol(context), claim.sentence)
        except KoiniiError as fault:
            raise self._bad(name, fault.message, number) from fault
        return Record(agent, context, found, line, claim)

    @contextmanager
    def _open(self, name: str) -> Iterator[BinaryIO]:
        """Open a regular file of the directory, never through a link."""
        try:
            descriptor = os.open(name, _FLAGS, dir_fd=self._descriptor)
        except FileNotFoundError:
            raise
        except OSError as fault:
            raise self._bad(name, f"it cannot be read: {fault.strerror}") from fault
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise self._bad(name, "it is no regular file")
        with os.fdopen(descriptor, "rb") as file:
            yield file

    def _check_size(self, name: str, entry: FileEntry, file: BinaryIO) -> None:
        size = os.fstat(file.fileno()).st_size
        if size != entry.size:
            raise self._bad(name, f"it has {size} bytes, {entry.size} are named")

    def _check_hash(self, name: str, entry: FileEntry, found: str) -> None:
        if found != entry.sha256:
            raise self._bad(name, f"its SHA-256 is not the one that {META} names")

    def check_agents(self, found: Mapping[str, int]) -> None:
        """Refuse records of other agents, or more or fewer, than `meta` counts."""
        if found != self.meta.agents:
            raise self._bad(META, "its agents are not those of the records")

    def _bad(self, name: str, reason: str, line: int = 0) -> VerificationError:
        where = f"{name}, line {line}" if line else name
        return VerificationError(
            f"{where}: {reason}",
            code="koinii/bad-export",
            hint="nothing was imported; have it exported again",
            path=name,
            line=line,
            reason=reason,
        )


@contextmanager
def opened(directory: str) -> Iterator[Export]:
    """Open an export, its `meta` read and its names checked.

    Raises:
        NotFoundError: `koinii/no-export`: there is no such directory, or no `meta`.
        VerificationError: `koinii/bad-export`, with path, line and reason.
        SurroundingsError: `koinii/cannot-read`; `koinii/newer-export`.
    """
    try:
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no directory {directory}",
            code="koinii/no-export",
            hint="koinii export DIRECTORY writes one",
            path=directory,
        ) from None
    except OSError as error:
        raise SurroundingsError(
            f"{directory} cannot be read: {error.strerror}",
            code="koinii/cannot-read",
            hint="name the directory of an export, which can be read",
            path=directory,
        ) from error
    try:
        yield Export(directory, descriptor)
    finally:
        os.close(descriptor)
