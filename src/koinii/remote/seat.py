"""A seat that meets others, and the ways to open one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

from koinii.errors import KoiniiError
from koinii.note import PrivateKey
from koinii.remote import admins, cloning, exchange, recovering
from koinii.remote.address import is_name, whole_address
from koinii.remote.bundles import Bundles
from koinii.remote.exchange import Outgoing, Pulled, Pushed
from koinii.remote.following import forget
from koinii.remote.heads import need_of
from koinii.remote.libgit import choose
from koinii.remote.recovering import Recovered
from koinii.remote.repository import Git
from koinii.seat import clock, founding, instance
from koinii.seat.administering import admin_forget as forget_admin
from koinii.seat.arguments import (
    count,
    flag,
    maybe_count,
    maybe_text,
    path_text,
    text,
)
from koinii.seat.config import add_remote, remove_remote
from koinii.seat.parts import open_parts
from koinii.seat.records import Commit
from koinii.seat.reviewing import review
from koinii.seat.seat import Seat
from koinii.seat.selecting import checked, keep, wanted
from koinii.seat.unpublished import shown_before
from koinii.seat.watching import unwatched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from koinii.history.selection import Selection
    from koinii.remote.collecting import Collected
    from koinii.remote.differing import Difference
    from koinii.remote.exporting import Exported
    from koinii.remote.importing import Imported
    from koinii.remote.rebuilding import Audited
    from koinii.remote.turning import Turns
    from koinii.seat.administering import Admin
    from koinii.seat.watching import Watch


def _is_watched() -> bool:
    """Tell whether a person is there to answer what git may ask."""
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _brought(key: str | PathLike[str] | None) -> PrivateKey | None:
    """Return the key in the file that is named, if one is."""
    return founding.read_key(None if key is None else path_text(key, "key"))


class RemoteSeat(Seat):
    """A seat with the verbs that move commits."""

    cloned: Pulled | None = None  # what `clone` brought to begin with

    # Opening ------------------------------------------------------------------

    @classmethod
    def init(
        cls,
        path: str | PathLike[str],
        *,
        agent: str | None = None,
        key: str | PathLike[str] | None = None,
        now: Callable[[], int] = clock.now_ms,
    ) -> Self:
        """Make a seat in a directory and open it.

        A `seat.toml` there already is kept, and names the agent if none is given.
        `key` names an agent's own OpenSSH key file; without one the agent gets a new
        key, unrelated to any it has elsewhere.
        """
        return cls._founded(path, agent, key, now)

    @classmethod
    def _founded(
        cls,
        path: str | PathLike[str],
        agent: str | None,
        key: str | PathLike[str] | None,
        now: Callable[[], int],
        *,
        cloned: str = "",
        seat_key: PrivateKey | None = None,
    ) -> Self:
        """Make and open a seat, which is to be a clone of an address if one is given.

        A clone needs no agent: nobody speaks there until one is made.
        """
        named = maybe_text(agent, "agent")
        if named is None and cloned and founding.settings_in(path_text(path)) is None:
            named = ""
        was_lost = founding.settings_lost(path_text(path))
        told = {cloning.CLONING: cloned} if cloned else {}
        layout = founding.found(
            path_text(path), named, _brought(key), now, told=told, seat_key=seat_key
        )
        seat = cls.open(layout.directory, now=now)
        if was_lost:
            seat.notices.append(
                f"{layout.config} was lost and is written anew: mode "
                f"{seat.config.mode}, as the store has it, and no remotes; koinii "
                "remote add names them"
            )
        if not (seat.config.agent or seat_key):
            seat.notices.append(
                "nobody speaks at this seat, which only reads; koinii agent new "
                "AgentYou makes who does"
            )
        return seat

    @classmethod
    def open(
        cls, path: str | PathLike[str], *, now: Callable[[], int] = clock.now_ms
    ) -> Self:
        """Open the seat in a directory."""
        return cls(*open_parts(path_text(path)), now)

    @classmethod
    def clone(
        cls,
        url: str,
        path: str | PathLike[str],
        *,
        agent: str | None = None,
        key: str | PathLike[str] | None = None,
        seat_key: str | PathLike[str] | None = None,
        agents: Iterable[str] = (),
        contexts: Iterable[str] = (),
        now: Callable[[], int] = clock.now_ms,
        watch: Watch = unwatched,
    ) -> Self:
        """Make a seat whose remote `origin` is `url`, and pull everything there.

        Or a part, by agents and contexts, as `pull` does. Without an agent nobody
        speaks there: who only reads needs no key. `seat_key` names the key file of a
        seat that was lost, whose history on the remote is gone on with, as `recover`
        does.

        A `url` that is a path is one from the current directory. What came is in
        `cloned`. A remote that cannot be read leaves no seat behind; a clone that was
        killed is gone on with by the same clone.
        `watch` is told what is being done, and how many lines more are done.
        """
        address, place = whole_address(text(url, "url")), path_text(path)
        part = checked(agents, contexts, everything=False)
        before = founding.settings_in(place)
        lost = cloning.lost_key(seat_key, agent, key)
        begun = cloning.is_cut_short(
            place, address, maybe_text(agent, "agent"), _brought(key), lost
        )
        if begun:
            seat = cls.open(path, now=now)
        else:
            seat = cls._founded(path, agent, key, now, cloned=address, seat_key=lost)
        try:
            with cloning.one_at_a_time(seat.layout):
                seat.progress = watch
                _bring(seat, address, before, part, begun=begun, lost=lost is not None)
        except BaseException:
            seat.close()
            raise
        return seat

    # Moving commits -----------------------------------------------------------

    @property
    def git(self) -> Git:
        """The private repository between this seat and its remotes."""
        git = choose(Path(self.layout.git), interactive=_is_watched())
        git.tell(self.progress)
        return git

    def push(self, name: str = "origin") -> Pushed:
        """Show this seat's commits on a remote."""
        return exchange.push(self, self.git, text(name, "name"))

    def rehearse_push(self, name: str = "origin") -> Outgoing:
        """Say what `push` would do, and what the remote holds now."""
        return exchange.rehearse_push(self, self.git, text(name, "name"))

    def rehearse_pull(
        self,
        name: str = "origin",
        *,
        agents: Iterable[str] = (),
        contexts: Iterable[str] = (),
        everything: bool = False,
        require_cosigners: int = 0,
        max_age: int | None = None,
    ) -> Pulled:
        """Say what `pull` would do; the seat stays as it is."""
        need = need_of(require_cosigners, max_age)
        named = checked(agents, contexts, everything=flag(everything, "everything"))
        part = wanted(self) if named is None else named
        return exchange.rehearse_pull(self, self.git, text(name, "name"), need, part)

    def pull(
        self,
        name: str = "origin",
        *,
        agents: Iterable[str] = (),
        contexts: Iterable[str] = (),
        everything: bool = False,
        require_cosigners: int = 0,
        max_age: int | None = None,
    ) -> Pulled:
        """Bring what other seats have shown on a remote.

        Agents and contexts that are named are all that is taken of other seats from
        now on, until others are, or `everything`. A seat whose head fewer than
        `require_cosigners` other followed seats have cosigned, at most `max_age`
        seconds ago, stays where it is.
        """
        need = need_of(require_cosigners, max_age)
        named = checked(agents, contexts, everything=flag(everything, "everything"))
        instance.tell_copied(self)
        if named is not None:
            exchange.address(self, text(name, "name"))  # nothing is kept for a typo
            keep(self, named)
        part = wanted(self)
        return exchange.pull(self, self.git, text(name, "name"), need, part)

    def recover(self, name: str = "origin") -> Recovered:
        """Go on from the history that a remote shows of this seat.

        For a seat that was copied or restored; see `remote.recovering`.
        """
        return recovering.recover(self, self.git, text(name, "name"))

    def rehearse_recover(self, name: str = "origin") -> Recovered:
        """Say what `recover` would do; the seat stays as it is."""
        return recovering.rehearse_recover(self, self.git, text(name, "name"))

    def sync(
        self,
        name: str = "origin",
        *,
        require_cosigners: int = 0,
        max_age: int | None = None,
    ) -> tuple[Pulled, Commit | None, Pushed]:
        """Pull, commit, push.

        Raises:
            PartialError: the push failed after something was pulled or committed;
                `details` hold both, and what is known of the failure.
            KoiniiError: the push failed, and nothing had moved before it.
        """
        pulled = self.pull(name, require_cosigners=require_cosigners, max_age=max_age)
        commit = self.commit()
        try:
            return pulled, commit, self.push(name)
        except KoiniiError as error:
            if not (pulled.moved or commit):
                raise
            raise exchange.not_pushed(error, pulled, commit) from error

    def audit(
        self, seat: str, number: int | None = None, *, from_: str = "origin"
    ) -> Audited:
        """Rebuild what a seat believed from a remote alone, and compare.

        `seat` is an id or its first 8 digits and more, with `@` and a commit's number
        or that number beside it; the newest commit is audited otherwise. `from_` is
        the name of a remote or an address. Of this seat is used only up to which
        commit it has seen the other, which a remote that was rolled back does not show.
        """
        from koinii.remote import auditing  # noqa: PLC0415 - for this verb only

        target = auditing.read_target(text(seat, "seat"), maybe_count(number, "number"))
        url, asks = self._address(from_), _is_watched()
        return auditing.audit(
            url, target, self.progress, interactive=asks, seen=self.seen_at(url)
        )

    def audit_all(self, seat: str, *, from_: str = "origin") -> Iterator[Audited]:
        """Rebuild every commit of a seat as `audit` does one, in order."""
        from koinii.remote import auditing  # noqa: PLC0415 - for this verb only

        target = auditing.read_target(text(seat, "seat"))
        url, asks = self._address(from_), _is_watched()
        return auditing.audit_every(
            url, target, self.progress, interactive=asks, seen=self.seen_at(url)
        )

    def seen_at(self, url: str) -> dict[str, int]:
        """Return up to which commit each seat was met here, by seat.

        This seat itself up to the one that a remote has shown of it.
        """
        met = {head.seat: head.size for head in self.histories.heads()}
        return met | {self.id: shown_before(self, url)}

    def _address(self, from_: str) -> str:
        """Return the address of a remote by its name, or of any other."""
        name = text(from_, "from_")
        url = self.config.remotes.get(name)
        return exchange.address(self, name) if url or is_name(name) else name

    def diff(self, target: str, *, limit: int = 20) -> Difference:
        """Compare what is believed here with a commit that is known here.

        `target` is a seat, `SEAT@N`, the number of an own commit or a commit id.
        `limit` bounds what is listed; the counts are whole.
        """
        from koinii.remote import differing  # noqa: PLC0415 - for this verb only

        bound = count(limit, "limit")
        return differing.diff(self, self.git, text(target, "target"), bound)

    def turns(self, locator: str) -> Turns:
        """Return the commits of this seat with which it came to believe a claim.

        And those with which it ceased to.
        """
        from koinii.remote import turning  # noqa: PLC0415 - for this verb only

        return turning.turns(self, self.git, text(locator, "locator"))

    def new_agent(
        self,
        name: str,
        *,
        key: str | PathLike[str] | None = None,
        mail_names: Iterable[str] = (),
    ) -> None:
        """Give another agent a key at this seat and let it introduce itself.

        Mail names are bound to it in its introduction, for good.
        """
        text(name, "name")
        named = tuple(text(one, "mail_names") for one in mail_names)
        brought = _brought(key) or PrivateKey.generate()
        self.align()
        with self.kb.write():
            founding.introduce(
                None if self.is_rehearsing else self.layout,
                self.database,
                name,
                brought,
                seat=self.id,
                time=self.now(),
                lineage=self.weighing().counting.lineage(name),
                mail_names=named,
            )
            review(self)

    def gc(self) -> Collected:
        """Give back room on the disk: join packs, drop what no ref needs.

        The store is written again where a quarter of it is free.
        """
        from koinii.remote import collecting  # noqa: PLC0415 - for this verb only

        return collecting.collect(self, self.git)

    def rehearse_gc(self) -> Collected:
        """Say what there is to give back."""
        from koinii.remote import collecting  # noqa: PLC0415 - for this verb only

        return collecting.rehearse_collect(self, self.git)

    def export(self, directory: str | PathLike[str]) -> Exported:
        """Write what is said here as text into a directory, absent or empty.

        The same bytes for the same words of the same agents, at whatever seat.
        """
        from koinii.remote import exporting  # noqa: PLC0415 - for this verb only

        return exporting.export(self, path_text(directory, "directory"))

    def rehearse_export(self, directory: str | PathLike[str]) -> Exported:
        """Say what `export` would write."""
        from koinii.remote import exporting  # noqa: PLC0415 - for this verb only

        return exporting.rehearse_export(self, path_text(directory, "directory"))

    def import_(self, directory: str | PathLike[str]) -> Imported:
        """Take an export into this seat, which holds no claims, whole or not at all.

        Agents that have no key here get one.
        """
        from koinii.remote import importing  # noqa: PLC0415 - for this verb only

        return importing.import_(self, path_text(directory, "directory"))

    def admin_init(self) -> Admin:
        """Make an admin whose key lies at this seat; the next push publishes it.

        Raises:
            RefusedError: `koinii/other-admin`: one is pinned here, or a remote that
                can be asked shows one.
        """
        if self.admin() is None:
            admins.check_none_shown(self)
        return super().admin_init()

    def admin_forget(self) -> Admin:
        """Give up the admin made here, which no remote has shown yet."""
        self.align()
        return forget_admin(self)

    @property
    def remotes(self) -> Remotes:
        """The remotes in `seat.toml`."""
        return Remotes(self)

    @property
    def bundles(self) -> Bundles:
        """Commits in files."""
        return Bundles(self, self.git)


class Remotes:
    """The remotes of a seat, as lines of its `seat.toml`."""

    def __init__(self, seat: RemoteSeat) -> None:
        self._seat = seat

    def add(self, name: str, url: str) -> None:
        """Name a remote; a path is one from the current directory."""
        address = whole_address(text(url, "url"))
        add_remote(self._seat.layout.config, text(name, "name"), address)
        self._seat.forget_config()

    def remove(self, name: str) -> None:
        """Take a remote out; what was pulled from it stays."""
        remove_remote(self._seat.layout.config, text(name, "name"))
        self._seat.forget_config()
        forget(self._seat, self._seat.git, name)

    def addresses(self) -> dict[str, str]:
        """Return each remote's address by its name."""
        return dict(self._seat.config.remotes)


def _bring(
    seat: RemoteSeat,
    address: str,
    settings: str | None,
    part: Selection | None,
    *,
    begun: bool,
    lost: bool,
) -> None:
    """Pull into a clone; a seat made for it goes where that fails."""
    try:
        if part is not None:
            keep(seat, part)
        if seat.config.remotes.get("origin") != address:
            seat.remotes.add("origin", address)
        if lost:
            cloning.tell_recovered(seat, seat.recover("origin"))
        seat.cloned = seat.pull("origin")
        cloning.ended(seat.database)
    except BaseException:
        seat.close()
        if not begun:
            founding.undo(seat.layout, settings)
        raise


def audit(
    url: str, seat: str, number: int | None = None, *, watch: Watch = unwatched
) -> Audited:
    """Rebuild what a seat believed from a remote alone, with no seat of one's own.

    As `RemoteSeat.audit`; `url` is the remote's address.
    """
    from koinii.remote import auditing  # noqa: PLC0415 - for this verb only

    target = auditing.read_target(text(seat, "seat"), maybe_count(number, "number"))
    return auditing.audit(text(url, "url"), target, watch, interactive=_is_watched())


def audit_all(url: str, seat: str, *, watch: Watch = unwatched) -> Iterator[Audited]:
    """Rebuild every commit of a seat as `audit` does one, in order."""
    from koinii.remote import auditing  # noqa: PLC0415 - for this verb only

    target = auditing.read_target(text(seat, "seat"))
    return auditing.audit_every(
        text(url, "url"), target, watch, interactive=_is_watched()
    )
