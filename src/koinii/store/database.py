"""One seat's SQLite file: opening it, reading it, and one writer at a time.

Readers take no lock and never change the file. A write is one transaction:
the fair lock first, then `BEGIN IMMEDIATE`, so that writes have one order and
SQLite never has to wait. `synchronous=FULL`: what was acknowledged is on disk.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from koinii.errors import SurroundingsError
from koinii.store import migrations
from koinii.store.lock import WriterLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Connection = sqlite3.Connection
CACHE_KIB = 64 * 1024
LOG_PAGES = 4096  # folded into the file when there are so many: 32 MB
LOCK_WAIT_SECONDS = 30.0
_FIXED = "mode=ro&immutable=1"
_NO_INDEX = ("CANTOPEN", "CANTINIT", "READONLY_RECOVERY", "READONLY_DIRECTORY")


class Database:
    """A connection to one seat's store, for one thread."""

    def __init__(
        self, connection: sqlite3.Connection, lock: WriterLock | None, path: str
    ) -> None:
        self.connection = connection
        self.path = path
        self.before_write: list[Callable[[], None]] = []
        self.undone: list[Callable[[], None]] = []  # caches forget
        self.committed: list[Callable[[], None]] = []  # told when all is durable
        self._lock = lock
        self._writing = False
        self._afterwards: dict[str, Callable[[], None]] = {}

    @property
    def writable(self) -> bool:
        """Whether this seat can be written at all from here."""
        return self._lock is not None

    def quick_check(self) -> list[str]:
        """Return what SQLite finds wrong with the file; O(store)."""
        rows = self.connection.execute("PRAGMA quick_check(10)")
        return [text for (text,) in rows if text != "ok"]

    def version(self) -> int:
        """Return the version of the tables."""
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def close(self) -> None:
        """Close the connection; the last one of all folds the log into the file."""
        self.connection.close()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Run one durable transaction; an exception leaves nothing of it.

        Inside another `write` this is a part of that one.

        Raises:
            SurroundingsError: locked, read-only, disk full, damaged.
        """
        if self._writing:
            yield self.connection
            return
        if self._lock is None:
            raise self._read_only()
        try:
            self._lock.acquire()
            for prepare in self.before_write:
                prepare()
            with explained(self.path), self._transaction() as connection:
                yield connection
        finally:
            self._lock.release()
        afterwards, self._afterwards = self._afterwards, {}
        for tell in [*self.committed, *afterwards.values()]:
            tell()

    def afterwards(self, name: str, call: Callable[[], None]) -> None:
        """Call once when the write under way is durable; undone with any part of it.

        Of several calls of one name the last counts.
        """
        self._afterwards[name] = call

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep others from writing the store, without writing it.

        Raises:
            SurroundingsError: locked, read-only.
        """
        if self._lock is None:
            raise self._read_only()
        if self._writing:
            yield
            return
        try:
            self._lock.acquire()
            yield
        finally:
            self._lock.release()

    def _read_only(self) -> SurroundingsError:
        return SurroundingsError(
            f"{self.path} is read-only here",
            code="koinii/read-only",
            hint="write where the seat's directory is writable",
            path=self.path,
        )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self.connection.execute("BEGIN IMMEDIATE")
        self._writing = True
        try:
            yield self.connection
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            self._forget()
            raise
        finally:
            self._writing = False

    def _forget(self) -> None:
        self._afterwards.clear()
        for forget in self.undone:
            forget()

    @contextmanager
    def view(self) -> Iterator[None]:
        """Read all there is to read from one state of the store.

        Others may write meanwhile. Within a write, or another view, it is that one.
        """
        if self.connection.in_transaction:
            yield
            return
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            self.connection.execute("COMMIT")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Run a part of a write that may fail alone, leaving the rest."""
        self.connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO part")
                self.connection.execute("RELEASE part")
            self._forget()
            raise
        self.connection.execute("RELEASE part")


def create(path: str, *, lock_wait: float = LOCK_WAIT_SECONDS) -> Database:
    """Make a new, empty store at `path`, which must not exist."""
    with explained(path):
        connection = _connect(_address(path, "mode=rwc"))
        try:
            connection.execute("PRAGMA page_size = 8192")
            connection.execute("PRAGMA journal_mode = WAL")
            _configure(connection)
            migrations.create(connection)
        except BaseException:
            connection.close()
            raise
    return Database(
        connection, WriterLock(path + ".lock", wait_seconds=lock_wait), path
    )


def open_store(path: str, *, lock_wait: float = LOCK_WAIT_SECONDS) -> Database:
    """Open an existing store, for writing where the directory allows it.

    Raises:
        SurroundingsError: no store there, made by a newer program, needs an
            upgrade (`koinii/old-store`), or damaged. Nothing is changed.
    """
    try:
        os.stat(path)
    except FileNotFoundError as error:
        raise SurroundingsError(
            f"the seat's store {path} is missing",
            code="koinii/no-store",
            hint=migrations.LOST,
            path=path,
        ) from error
    except OSError as error:
        raise SurroundingsError(
            f"{path} cannot be reached: {error.strerror}",
            code="koinii/cannot-read",
            hint="check the directories above it and their permissions",
            path=path,
        ) from error
    directory = os.path.dirname(path) or "."
    writable = os.access(path, os.W_OK) and os.access(directory, os.W_OK)
    with explained(path):
        connection = _opened(path, writable=writable)
    lock = WriterLock(path + ".lock", wait_seconds=lock_wait) if writable else None
    return Database(connection, lock, path)


class Upgraded(NamedTuple):
    """The versions before and after, and the copy of what was before, '' for none."""

    before: int
    after: int
    backup: str


def upgrade_store(path: str, *, lock_wait: float = LOCK_WAIT_SECONDS) -> Upgraded:
    """Bring an older store to this program's version, under the writer lock.

    Raises:
        SurroundingsError: no store, a newer one, or one that is busy; nothing
            was changed.
    """
    lock = WriterLock(path + ".lock", wait_seconds=lock_wait)
    try:
        lock.acquire()
        with explained(path), closing(_connect(_address(path, "mode=rw"))) as opened:
            _configure(opened)
            before = migrations.upgrade_to_newest(opened, path)
    finally:
        lock.release()
    newest = len(migrations.STEPS)
    backup = migrations.backup_path(path, before) if before < newest else ""
    return Upgraded(before, newest, backup)


def _opened(path: str, *, writable: bool) -> sqlite3.Connection:
    """Open what can only be read as fixed, unless a log shows that it is in use."""
    if writable:
        return _checked(path, "mode=rw")
    log = path + "-wal"
    if not os.path.exists(log):
        return _checked(path, _FIXED)
    try:
        return _checked(path, "mode=ro")
    except sqlite3.OperationalError as error:
        if not str(getattr(error, "sqlite_errorname", "")).endswith(_NO_INDEX):
            raise
        if os.path.getsize(log) == 0:
            return _checked(path, _FIXED)
        raise SurroundingsError(
            f"{path} was not closed, and cannot be mended where it is read-only",
            code="koinii/unfolded-log",
            hint="copy the whole directory to where you can write, and read it there",
            path=path,
        ) from error


def _checked(path: str, mode: str) -> sqlite3.Connection:
    connection = _connect(_address(path, mode))
    try:
        _configure(connection)
        migrations.check(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _address(path: str, mode: str) -> str:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?{mode}"


def _connect(address: str) -> sqlite3.Connection:
    return sqlite3.connect(
        address, uri=True, isolation_level=None, cached_statements=256, timeout=5.0
    )


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA trusted_schema = OFF")


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn SQLite's errors about the file into ours, with the next step."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _operational(error, path) from error
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise
        raise SurroundingsError(
            f"{path} is damaged or no store: {error}",
            code="koinii/damaged-store",
            hint=migrations.LOST,
            path=path,
        ) from error


def _operational(error: sqlite3.OperationalError, path: str) -> Exception:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_IOERR") and _is_full(path):
        name = "SQLITE_FULL"
    for prefix, (code, said, hint) in _CAUSES.items():
        if name.startswith(prefix):
            return SurroundingsError(
                f"{path}: {said} ({error})", code=code, hint=hint, path=path
            )
    return error


def _is_full(path: str) -> bool:
    """Tell whether the disk has no room for a page more."""
    try:
        place = os.statvfs(os.path.dirname(path) or ".")
    except OSError:
        return False
    return place.f_bavail * place.f_frsize < _LEAST_FREE


_LEAST_FREE = 256 * 1024  # bytes
_CAUSES = {
    "SQLITE_FULL": ("koinii/disk-full", "the disk is full", "free some space"),
    "SQLITE_IOERR": (
        "koinii/disk",
        "the disk failed",
        "check the disk, then try again",
    ),
    "SQLITE_READONLY": ("koinii/read-only", "it is read-only", "check its permissions"),
    "SQLITE_CANTOPEN": (
        "koinii/no-store",
        "it cannot be opened",
        "check its permissions",
    ),
    "SQLITE_BUSY": ("koinii/locked", "another program holds it", "try again"),
    "SQLITE_PERM": ("koinii/permission", "no permission", "check its permissions"),
}
