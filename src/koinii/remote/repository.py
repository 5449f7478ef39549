"""A private bare repository, and the verbs that move its objects.

Whatever git says becomes one of our errors, with its own words in the details.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, SurroundingsError
from koinii.remote import git_words as words
from koinii.remote.git import PARTS, Done, GitProcess, Limits
from koinii.remote.git_failures import failed, other_hash, refused
from koinii.remote.ref_files import RefFiles

if TYPE_CHECKING:
    from koinii.seat.watching import Watch

OLDEST = (2, 30)
_ALONE = ("-c", "fetch.negotiationAlgorithm=noop")  # says of nothing that it is here
_GEOMETRIC = (2, 32)  # the first that repacks in a geometric progression


class Git:
    """A private bare repository and the verbs that move its objects.

    `interactive` says that a person is there to answer what git may have to ask.
    """

    def __init__(
        self,
        directory: Path,
        *,
        interactive: bool = False,
        environ: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.directory = directory.absolute()
        self.limits = limits or Limits()
        self._git = GitProcess(
            self.directory,
            interactive=interactive,
            environ=environ,
            limits=self.limits,
        )
        self._refs = RefFiles(self.directory)

    def init(self) -> None:
        """Make the repository; where it is one already, nothing changes."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise SurroundingsError(
                f"cannot make {self.directory}: {fault.strerror}",
                code="koinii/not-writable",
                file=str(self.directory),
            ) from fault
        version = self.version()
        if version < OLDEST:
            shown = ".".join(map(str, version))
            raise SurroundingsError(
                f"git {shown} is too old",
                code="koinii/old-git",
                hint="install git 2.30 or newer",
                version=shown,
            )
        make = ("--bare", "-q", "--template=", "--object-format=sha1")
        self._local("make the repository", "init", *make)

    def tell(self, watch: Watch) -> None:
        """Let somebody know how many objects have been received and sent."""
        self._git.watch = watch

    def need_program(self, doing: str) -> None:
        """Refuse what only the `git` program can do, where there is none."""

    def version(self) -> tuple[int, int]:
        """Return the version of git, as far as its second number."""
        text = self._local("ask git for its version", "version").split()[2]
        major, minor = text.split(".")[:2]
        return int(major), int(minor)

    def ls_remote(self, url: str, pattern: str) -> dict[str, str]:
        """Return the refs of a remote by name; a pattern may end in `/*`."""
        words.check_url(url)
        words.check_ref(pattern.removesuffix("/*"))
        doing = f"read the refs of {words.redact(url)}"
        arguments = ("ls-remote", "-q", "--refs", "--end-of-options", url, pattern)
        done = self._git.run(doing, arguments, seconds=self.limits.answer)
        if done.code:
            raise failed(doing, done.words, url=url, code=done.code)
        if words.is_sha256(done.out):
            raise other_hash(doing, url)
        return words.read_refs(done.out, pattern)

    def fetch(self, url: str, refspecs: Sequence[str], *, parts: bool = False) -> bool:
        """Bring refs and what they need; all that came was checked by fsck.

        With `parts` files are left out, for `fetch_objects`; False where the remote
        has sent them all the same. Objects that came before a failure stay, without
        a ref, until `prune`. Objects that are not valid are a `VerificationError`; a
        remote that was cloned in part is `koinii/shallow`, and its refs do not move
        here. A remote that sends all may send differences from what it takes for
        had and was left out before; then it is asked for once more, whole.
        """
        for refspec in refspecs:
            words.check_refspec(refspec)
        how = _without_files(url) if parts else ()
        try:
            done = self._fetch(url, how, refspecs)
        except KoiniiError as error:
            if words.NO_PARTS not in str(error.details.get("words")):
                raise
            done = self._fetch(url, (*_ALONE, *how), refspecs)
        return parts and words.NO_PARTS not in done.words

    def fetch_objects(self, url: str, oids: Sequence[str]) -> None:
        """Bring objects by name, whether or not anything here is said to hold them."""
        for oid in oids:
            words.check_oid(oid)
        self._fetch(url, (*_ALONE, *_without_files(url)), oids)

    def _fetch(self, url: str, how: Sequence[str], wanted: Sequence[str]) -> Done:
        words.check_url(url)
        doing = f"fetch from {words.redact(url)}"
        options = ("--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--progress")
        plain = ("--no-recurse-submodules", "--refmap=", "--end-of-options")
        begin, source = (how, PARTS) if how else (("fetch",), url)
        done = self._transfer(doing, (*begin, *options, *plain, source, *wanted))
        if done.code or words.SHALLOW in done.words:  # git calls that a success
            raise failed(doing, done.words, url=url, code=done.code)
        return done

    def has_parts(self) -> bool:
        """Tell whether objects are missing here that were left out on purpose."""
        return self._git.has_parts()

    def push(
        self,
        url: str,
        oid: str,
        ref: str,
        expected_old: str | None,
        *,
        replace: bool = False,
    ) -> None:
        """Move one ref of a remote from the value expected there to `oid`.

        None expects that the ref is not there. Pushing what is there already is
        no change and no error. `replace` moves it to what does not contain the
        value expected there, for a caller that knows better than git. A ref that
        was refused is a `KoiniiError` with the server's words; `koinii/push-raced`
        where another value was found.
        """
        words.check_url(url)
        words.check_ref(ref)
        words.check_oid(oid)
        if not (replace or expected_old is None or self.is_ancestor(expected_old, oid)):
            raise KoiniiError(
                f"what is to be pushed to {ref} does not contain its former value",
                code="koinii/not-a-descendant",
                hint="pull first: koinii pull",
                ref=ref,
                expected=expected_old,
            )
        doing = f"push to {words.redact(url)}"
        pushed, done = self._send(doing, url, oid, ref, expected_old)
        if pushed is None:
            raise failed(doing, done.words, url=url, code=done.code)
        if pushed.flag == "!" or done.code:
            raise refused(pushed, ref, url, done.words)

    def _send(
        self, doing: str, url: str, oid: str, ref: str, expected_old: str | None
    ) -> tuple[words.Pushed | None, Done]:
        """Push one ref; return what became of it, None where nothing tells."""
        lease = f"--force-with-lease={ref}:{expected_old or ''}"
        plain = ("--porcelain", "--progress", "--no-verify", "--end-of-options")
        done = self._transfer(doing, ("push", lease, *plain, url, f"{oid}:{ref}"))
        return words.read_porcelain(done.out, ref), done

    def drop_there(self, url: str, ref: str, expected_old: str) -> None:
        """Delete a ref of a remote, which is expected to have that value.

        Raises:
            KoiniiError: the remote refused, with its words.
        """
        words.check_url(url)
        words.check_ref(ref)
        doing = f"delete {ref} at {words.redact(url)}"
        pushed, done = self._send(doing, url, "", ref, expected_old)
        if pushed is None:
            raise failed(doing, done.words, url=url, code=done.code)
        if pushed.flag == "!" or done.code:
            raise refused(pushed, ref, url, done.words)

    def push_and_confirm(
        self,
        url: str,
        oid: str,
        ref: str,
        expected_old: str | None,
        *,
        replace: bool = False,
    ) -> None:
        """Push, then read the ref back as any other seat would, and compare.

        What the remote shows decides, also where git says that the push failed: it
        may have ended, or its server, after the ref had moved.
        """
        try:
            self.push(url, oid, ref, expected_old, replace=replace)
        except KoiniiError:
            if self._shown(url, ref) != oid:
                raise
            return
        found = self.ls_remote(url, ref).get(ref)
        if found != oid:
            shown = "does not show it" if found is None else f"shows {found}"
            raise KoiniiError(
                f"{words.redact(url)} took {ref} but {shown}",
                code="koinii/push-unconfirmed",
                hint="ask who runs the remote whether it hides or rewrites refs",
                ref=ref,
                url=words.redact(url),
                expected=oid,
                found=found,
            )

    def _shown(self, url: str, ref: str) -> str | None:
        """Return what a remote shows of a ref, None where that cannot be read."""
        try:
            return self.ls_remote(url, ref).get(ref)
        except KoiniiError:
            return None

    def is_ancestor(self, old: str, new: str) -> bool:
        """Tell whether commit `new` contains `old`; False where one is missing."""
        words.check_oid(old)
        words.check_oid(new)
        arguments = ("merge-base", "--is-ancestor", old, new)
        return self._git.run("compare commits", arguments).code == 0

    def read_ref(self, ref: str) -> str | None:
        """Return the value of an own ref, None where it is not there.

        A ref file that was torn is an `SurroundingsError` with its name.
        """
        return self._refs.read(ref)

    def list_refs(self, prefix: str) -> dict[str, str]:
        """Return the own refs below a prefix such as `refs/koinii`, by name.

        No git is run for it: it is asked at every pull, also of nothing.
        """
        found = self._refs.below(prefix)
        pattern = f"{prefix}/*"
        return {ref: oid for ref, oid in found.items() if words.matches(ref, pattern)}

    def update_ref(self, ref: str, new: str, old: str | None) -> None:
        """Move an own ref from `old` (None: not there yet) to `new`, or refuse."""
        words.check_ref(ref)
        words.check_oid(new)
        arguments = ("update-ref", "--no-deref", ref, new, old or words.ZERO)
        done = self._git.run(f"move {ref}", arguments)
        if not done.code:
            return
        self._check_repository(done)
        if " but expected " in done.words or "already exists" in done.words:
            raise KoiniiError(
                f"the ref {ref} is not at the value expected",
                code="koinii/ref-moved",
                ref=ref,
                expected=old,
                words=done.words,
            )
        raise failed(f"move {ref}", done.words, code=done.code)

    def restore_ref(self, ref: str, oid: str) -> None:
        """Set an own ref whatever it holds, a torn file included."""
        words.check_ref(ref)
        words.check_oid(oid)
        try:
            damaged = self.read_ref(ref) is None
        except SurroundingsError as fault:
            damaged = fault.code == "koinii/damaged-ref"
            if not damaged:
                raise
        if damaged:
            (self.directory / ref).unlink(missing_ok=True)
        self._local(f"set {ref}", "update-ref", "--no-deref", ref, oid)

    def delete_ref(self, ref: str) -> None:
        """Take an own ref away; no change where it is not there."""
        words.check_ref(ref)
        self._local(f"delete {ref}", "update-ref", "--no-deref", "-d", ref)

    def leftovers(self) -> list[Path]:
        """Return the locks and unfinished files here; of a live git or a killed one."""
        return self._git.leftovers()

    def faults(self) -> str:
        """Return what git finds wrong with the refs and objects, '' for nothing.

        Every object is read and hashed again; O(repository).
        """
        plain = ("--no-dangling", "--no-reflogs", "--progress")
        done = self._transfer("check the objects", ("fsck", *plain))
        if not done.code:
            return ""
        said = [line for line in done.out.split("\n") if line]
        return words.redact("; ".join([*done.words.split("\n"), *said][:3]))

    def clear_stale_locks(self) -> list[Path]:
        """Remove what killed gits left in this repository, and say what.

        Call it under the seat's lock; takes up to two seconds.
        """
        return self._git.clear_stale_locks()

    def repack_when(self, count: int) -> bool:
        """Join packs where there are `count` or more; True where it was done."""
        if sum(1 for _ in self.directory.glob("objects/pack/pack-*.pack")) < count:
            return False
        can = self.version() >= _GEOMETRIC and not self.has_parts()
        how = "--geometric=2" if can else "-a"
        self._repack(how)
        return True

    def prune(self) -> None:
        """Drop every object that no ref needs; call it under the seat's lock."""
        self._repack("-a")
        self._local("drop objects", "prune", "--expire=now")

    def _repack(self, how: str) -> None:
        doing = "join packs"
        done = self._transfer(doing, ("repack", how, "-d", "-q"))
        if done.code:
            raise failed(doing, done.words, code=done.code)

    def _check_repository(self, done: Done) -> None:
        if "not a git repository" in done.words:
            raise SurroundingsError(
                f"{self.directory} is no repository any more",
                code="koinii/damaged-repository",
                hint="koinii doctor --fix makes it again from the store",
                file=str(self.directory),
                words=done.words,
            )

    def _local(self, doing: str, *arguments: str) -> str:
        done = self._git.run(doing, arguments)
        if done.code:
            self._check_repository(done)
            raise failed(doing, done.words, code=done.code)
        return done.out

    def _transfer(self, doing: str, arguments: Sequence[str]) -> Done:
        return self._git.run(
            doing, arguments, seconds=self.limits.transfer, quiet=self.limits.quiet
        )


def _without_files(url: str) -> tuple[str, ...]:
    """Return how git begins to fetch where files are left out.

    The remote has a name for once, so that git writes no setting. Over a path the
    other end is ours to start, whatever that repository allows.
    """
    named = ("-c", f"remote.{PARTS}.url={url}", "-c", f"remote.{PARTS}.promisor=true")
    filtered = ("-c", "protocol.version=2", "fetch", "--filter=tree:0")
    local = url.startswith(("/", "file://"))
    serving = "--upload-pack=git -c uploadpack.allowFilter=true upload-pack"
    return (*named, *filtered, *((serving,) if local else ()))
