"""The refs of a bare repository, in the files where git keeps them.

A ref is a file with an id, or a line of `packed-refs` where there is no such file.
Whoever writes one holds `<file>.lock`, as git does; a write is on the disk before it
counts. Nothing but these files is read, so no configuration has a say.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote.git_failures import failed
from koinii.remote.git_words import check_oid, check_ref
from koinii.store.syncing import sync_folder

_REF = re.compile(rb"([0-9a-f]{40})\n?")
_PACKED = re.compile(r"([0-9a-f]{40}) (refs/\S+)")
_NAMED = ("HEAD", "objects", "refs")  # without these it is no repository


class RefFiles:
    """The refs of the bare repository in a directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def read(self, ref: str) -> str | None:
        """Return the value of a ref, None where it is not there.

        Raises:
            SurroundingsError: its file is torn, or this is no repository any more.
        """
        check_ref(ref)
        self.check()
        file = self._directory / ref
        try:
            found = _REF.fullmatch(file.read_bytes())
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return self._packed().get(ref)
        if found is None:
            raise SurroundingsError(
                f"the ref {ref} is damaged",
                code="koinii/damaged-ref",
                hint="koinii doctor --fix writes it again from the store",
                file=str(file),
            )
        return found[1].decode()

    def below(self, prefix: str) -> dict[str, str]:
        """Return the refs below a prefix, or `refs`, by name; not the torn ones.

        What git packs meanwhile is packed before its file goes: so files come first.
        """
        if prefix != "refs":
            check_ref(prefix)
        self.check()
        files: dict[str, str] = {}
        for folder, _, names in os.walk(self._directory / prefix):  # some may go
            for name in names:
                ref = (Path(folder) / name).relative_to(self._directory).as_posix()
                if not name.endswith(".lock"):
                    with suppress(KoiniiError):
                        files[ref] = self.read(ref) or ""
        refs = {
            ref: oid
            for ref, oid in self._packed().items()
            if ref.startswith(f"{prefix}/")
        }
        return {ref: oid for ref, oid in sorted({**refs, **files}.items()) if oid}

    def torn(self) -> list[str]:
        """Return the names of refs whose files hold no id."""
        files = (self._directory / "refs").rglob("*")
        return [
            file.relative_to(self._directory).as_posix()
            for file in sorted(files)
            if file.is_file()
            and file.suffix != ".lock"
            and not _REF.fullmatch(file.read_bytes())
        ]

    def move(self, ref: str, new: str, old: str | None) -> None:
        """Move a ref from `old` (None: not there yet) to `new`, or refuse."""
        with self._locked(ref):
            found = self.read(ref)
            if found != old:
                raise KoiniiError(
                    f"the ref {ref} is not at the value expected",
                    code="koinii/ref-moved",
                    ref=ref,
                    expected=old,
                    found=found,
                )
            self._write(ref, new)

    def put(self, ref: str, new: str) -> None:
        """Set a ref whatever it holds, a torn file included."""
        with self._locked(ref):
            self._write(ref, new)

    def delete(self, ref: str) -> None:
        """Take a ref away; no change where it is not there."""
        with self._locked(ref):
            self._unpack(ref)
            file = self._directory / ref
            with suppress(FileNotFoundError):
                file.unlink()
                sync_folder(file.parent)

    @contextmanager
    def _locked(self, ref: str) -> Iterator[None]:
        check_ref(ref)
        self.check()
        with _named(f"move {ref}"):
            lock = self._directory / f"{ref}.lock"
            lock.parent.mkdir(parents=True, exist_ok=True)
            _take(lock, f"move {ref}")
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)

    def _write(self, ref: str, oid: str) -> None:
        """Write through the lock file, which becomes the ref."""
        check_oid(oid)
        file = self._directory / ref
        _drop_empty(file)
        _replace(file, f"{oid}\n".encode())

    def _unpack(self, ref: str) -> None:
        """Take a ref out of the packed ones, with the line that peels it."""
        if ref not in self._packed():
            return
        file = self._directory / "packed-refs"
        _take(file.with_name("packed-refs.lock"), f"delete {ref}")
        kept, dropping = [], False
        for line in file.read_text().splitlines(keepends=True):
            dropping = line.rstrip().endswith(f" {ref}") or (
                dropping and line.startswith("^")
            )
            if not dropping:
                kept.append(line)
        _replace(file, "".join(kept).encode())

    def _packed(self) -> dict[str, str]:
        try:
            lines = (self._directory / "packed-refs").read_text().splitlines()
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError as fault:
            raise self._damaged("its packed refs are torn") from fault
        refs = {}
        for line in lines:
            if line.startswith(("#", "^")):
                continue
            found = _PACKED.fullmatch(line)
            if found is None:
                raise self._damaged("its packed refs are torn")
            refs[found[2]] = found[1]
        return refs

    def check(self) -> None:
        """Raise `koinii/damaged-repository` where this is no repository any more."""
        if not all((self._directory / name).exists() for name in _NAMED):
            raise self._damaged("it is no repository any more")

    def _damaged(self, why: str) -> SurroundingsError:
        return SurroundingsError(
            f"{self._directory}: {why}",
            code="koinii/damaged-repository",
            hint="koinii doctor --fix makes it again from the store",
            file=str(self._directory),
        )


def _take(lock: Path, doing: str) -> None:
    """Make a lock file; one that is there is of a git that runs or was killed."""
    try:
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError:
        said = f"fatal: Unable to create '{lock}': File exists."
        raise failed(doing, said) from None


def _replace(file: Path, data: bytes) -> None:
    """Write a file whose lock is held, durably; the lock becomes the file."""
    lock = file.with_name(f"{file.name}.lock")
    with lock.open("wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
    lock.replace(file)
    sync_folder(file.parent)


def _drop_empty(folder: Path) -> None:
    """Remove folders without files where a ref is to stand."""
    if folder.is_dir():
        for below in sorted(folder.rglob("*"), reverse=True):
            below.rmdir()
        folder.rmdir()


@contextmanager
def _named(doing: str) -> Iterator[None]:
    """Make one of our errors of what the file system refuses."""
    try:
        yield
    except OSError as fault:
        full = fault.errno in {errno.ENOSPC, errno.EDQUOT}
        raise SurroundingsError(
            f"cannot {doing}: {fault.strerror}",
            code="koinii/disk-full" if full else "koinii/not-writable",
            hint="free some space" if full else "make the repository writable",
            file=str(fault.filename or ""),
        ) from fault
