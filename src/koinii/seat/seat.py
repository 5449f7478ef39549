"""The seat: one directory's knowledge, authors, history and settings.

An aggregate of parts; each verb's work is in the file of its name. One `Seat`
serves one thread; several processes may hold the same seat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from koinii.errors import UsageError
from koinii.kb.base import Sentex, Verdict
from koinii.kb.contexts import MAJORITY
from koinii.kb.contexts.structure import word_of
from koinii.kb.rows import key_of
from koinii.seat.arguments import (
    count,
    flag,
    lines_of,
    maybe_count,
    maybe_text,
    parse,
    path_text,
    several,
    text,
)
from koinii.seat.modes import mode_of
from koinii.seat.parts import Parts
from koinii.terms.canonical import canonical, one_of
from koinii.terms.locator import Locator, locate
from koinii.terms.printer import write
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike

    from koinii.kb.checking import Problem
    from koinii.kb.diagnosing import Diagnostic
    from koinii.kb.following import Batch, Event, Feed
    from koinii.kb.operation import Writing
    from koinii.kb.query import Bindings
    from koinii.kb.searching import Hits
    from koinii.kb.standing import Clash
    from koinii.seat.administering import Admin, GrantReport
    from koinii.seat.deciding import Decided
    from koinii.seat.held import Held
    from koinii.seat.listening import Listeners
    from koinii.seat.markers import Marker, Resolution
    from koinii.seat.peers import Followed
    from koinii.seat.records import Commit
    from koinii.seat.reporting import Agent, Claim, Peer, Status
    from koinii.seat.speaking import EditReport, LoadReport, Speaker
    from koinii.seat.trusting import Trusted
    from koinii.seat.trying import EditProblem
    from koinii.store.assertions import HeldKey
    from koinii.terms.term import Term

_VOTING = frozenset(
    key_of(word_of(word)) for word in ("votesFor", "votesAgainst", "genlCx", "channel")
)
SHORTEST_PREFIX = 8  # hex digits of a locator


class Seat(Parts):
    """An open seat and its verbs."""

    _listeners: Listeners | None = None

    def align(self) -> frozenset[HeldKey]:
        """Weigh what is stored by the mode in `seat.toml`, if that has changed.

        Return the lines that are held since.
        """
        held: frozenset[HeldKey] = frozenset()
        if self._is_aligned:
            return held
        if self.config.mode != mode_of(self.database.connection):
            from koinii.seat.aligning import align  # noqa: PLC0415 - off the hot path

            held = align(self)
        self._is_aligned = True
        return held

    def _tell_settings(self) -> None:
        from koinii.seat.aligning import tell_settings  # noqa: PLC0415 - off the hot path

        tell_settings(self)

    def _recount(self, writing: Writing) -> None:
        place, held = self.kb.names.context_id(MAJORITY), self.kb.assertions.held_moved
        if place is not None:
            from koinii.seat.counting import has_moved, recount  # noqa: PLC0415 - rarely needed

            if place in held or writing.moves(_VOTING) or has_moved(self, place):
                recount(self)
        held.clear()

    # Saying ------------------------------------------------------------------

    def speaker(self, agent: str | None = None) -> Speaker:
        """Return one of this seat's agents, by default the one in `seat.toml`.

        Raises:
            NotFoundError: `koinii/unknown-agent`: it has no key at this seat.
        """
        from koinii.seat.speaking import Speaker  # noqa: PLC0415 - `ask` needs none

        name = self.config.agent if agent is None else text(agent, "agent")
        self.align()
        if self.histories.agent(name, self.id) is None:
            from koinii.seat.authors import no_agent  # noqa: PLC0415 - off the hot path

            raise no_agent(self, name)
        return Speaker(self, name)

    def assert_(
        self,
        sentence: str | Term,
        *,
        context: str | None = None,
        agent: str | None = None,
        strength: str | None = None,
    ) -> Locator:
        """Put a sentence forward, durably; return its locator.

        It stands in the agent's own context unless another is given; edges and
        some declarations stand in CxUniverse. A rule with several conclusions is
        one rule for each: use `edit`, which returns them all.
        """
        said, place = parse(sentence), maybe_text(context, "context")
        return self.speaker(agent).assert_one(said, place, strength)

    def retract(self, locator: str, *, agent: str | None = None) -> Locator:
        """Withdraw an agent's own assertion; return the whole locator.

        Replies of this seat's agents to it go too; `speaker(agent).retract` tells
        which.
        """
        return self.speaker(agent).retract(locator).locator

    def edit(
        self,
        *,
        add: Iterable[str | Term] = (),
        remove: Iterable[str] = (),
        context: str | None = None,
        agent: str | None = None,
    ) -> EditReport:
        """Add, then remove, in one transaction that lands whole or not at all."""
        added, removed = several(add, "add"), several(remove, "remove")
        place = maybe_text(context, "context")
        return self.speaker(agent).edit(map(parse, added), removed, place)

    def load(
        self,
        lines: Iterable[str],
        *,
        context: str | None = None,
        agent: str | None = None,
        strength: str | None = None,
    ) -> LoadReport:
        """Put many sentences forward, one a line, in one transaction."""
        said, place = lines_of(lines), maybe_text(context, "context")
        return self.speaker(agent).load(said, place, strength)

    def check(
        self,
        sentence: str | Term,
        *,
        context: str | None = None,
        strength: str | None = None,
        agent: str | None = None,
    ) -> list[Problem]:
        """Return why a sentence would be refused; nothing is stored.

        A rule with several conclusions is judged as its several rules.
        """
        from koinii.seat.trying import check  # noqa: PLC0415 - off the hot path

        place = maybe_text(context, "context")
        return check(self, self.speaker(agent), sentence, place, strength)

    def check_edit(
        self,
        *,
        add: Iterable[str | Term] = (),
        remove: Iterable[str] = (),
        context: str | None = None,
        agent: str | None = None,
    ) -> list[EditProblem]:
        """Return what of an edit would be refused, and where; nothing is stored."""
        from koinii.seat.trying import check_edit  # noqa: PLC0415 - off the hot path

        added, removed = several(add, "add"), several(remove, "remove")
        place = maybe_text(context, "context")
        return check_edit(self, self.speaker(agent), added, removed, place)

    def new_channel(self, context: str, *, agent: str | None = None) -> Locator:
        """Declare a context as a channel, where agents meet."""
        sentence = (Symbol("channel"), Symbol(text(context, "context")))
        return self.speaker(agent).assert_one(sentence, None, None)

    def join(self, channel: str, *, agent: str | None = None) -> list[Locator]:
        """Make a channel see what the agent says, and the agent the acts (B.3.2).

        Raises:
            RefusedError: `koinii/no-channel`: nobody has declared it, as far as
                this seat knows.
        """
        speaker = self.speaker(agent)
        if text(channel, "channel") not in self.channels():
            from koinii.seat.undeclared import no_channel  # noqa: PLC0415 - as below

            raise no_channel(self, channel)
        edges = [
            (Symbol("genlCx"), Symbol(channel), Symbol(speaker.own_context)),
            (Symbol("genlCx"), Symbol(speaker.own_context), Symbol("CxSpeechActs")),
        ]
        return speaker.edit(edges, [], None).added

    # Asking ------------------------------------------------------------------

    def ask(
        self, pattern: str | Term, *, context: str | None = None, scope: str = "cone"
    ) -> Iterator[Bindings]:
        """Yield the distinct bindings that make a query hold, as a stream.

        Without a context every context is read.
        """
        return self.kb.ask(parse(pattern), maybe_text(context, "context"), scope)

    def search(
        self,
        words: str,
        *,
        context: str | None = None,
        scope: str = "cone",
        limit: int | None = 100,
    ) -> Hits:
        """Find what is believed by the words in it, the shortest sentences first.

        Every word of `words` has to occur; nothing in it is an operator.
        """
        from koinii.kb.searching import search  # noqa: PLC0415 - `ask` needs none

        return search(
            self.kb,
            self.database,
            text(words, "words"),
            context=maybe_text(context, "context"),
            scope=scope,
            limit=maybe_count(limit, "limit"),
        )

    def argue(self, sentence: str | Term, context: str) -> Verdict:
        """Weigh a ground sentence against its negation, as a context sees both."""
        return self.kb.argue(parse(sentence), text(context, "context"))

    def why(self, locator: str, *, max_depth: int = 256) -> dict[str, Any]:
        """Return why a stored sentex is believed, as a tree; see `kb.explaining`.

        What a count has ruled has `called_by` too, the agents who called it.
        """
        from koinii.seat.reasoning import why  # noqa: PLC0415 - off the hot path

        depth = count(max_depth, "max_depth")
        with self.kb.view():
            return why(self, self.resolve(locator), depth)

    def why_not(self, sentence: str | Term, context: str) -> dict[str, Any]:
        """Return why a context does not give a sentence; see `kb.absence`."""
        from koinii.kb.absence import why_not  # noqa: PLC0415 - off the hot path

        place = text(context, "context")
        with self.kb.view():
            return why_not(self.kb, parse(sentence), place)

    def contradictions(self, context: str | None = None) -> list[Clash]:
        """Return the clashes with both sides believed, not both of them known.

        With a context only those that it sees.
        """
        return self.kb.clashes(known=False, context=maybe_text(context, "context"))

    def conflicts(self, context: str | None = None) -> list[Clash]:
        """Return the clashes with both sides known."""
        return self.kb.clashes(known=True, context=maybe_text(context, "context"))

    def diagnostics(self) -> list[Diagnostic]:
        """Return what is believed and looks wrong, and what was not concluded."""
        from koinii.kb.diagnosing import diagnose  # noqa: PLC0415 - off the hot path

        with self.kb.view():
            return diagnose(self.kb)

    def believed(self, context: str | None = None) -> Iterator[Sentex]:
        """Yield what is believed, in one context or everywhere."""
        return self.kb.believed(maybe_text(context, "context"))

    # Following ---------------------------------------------------------------

    def events(
        self,
        since: int | None = None,
        *,
        goal: str | Term | None = None,
        context: str | None = None,
        wait_ms: int = 0,
        limit: int | None = None,
    ) -> Batch:
        """Return what has moved since an event, by any process, as far as it fits.

        `since` is the cursor of the batch before; without it the cursor is now, and
        nothing has moved yet. `goal` is one literal and `context` who reads it, or a
        variable for every one. Waits at most `wait_ms`, up to 30,000, while nothing
        fits. `limit` is how many events are read at most.
        """
        from koinii.seat.listening import poll  # noqa: PLC0415 - off the hot path

        fits = None if goal is None else parse(goal)
        return poll(
            self._feed(),
            since,
            fits,
            maybe_text(context, "context"),
            wait_ms=count(wait_ms, "wait_ms"),
            limit=maybe_count(limit, "limit"),
        )

    def watch(
        self,
        callback: Callable[[Event], object],
        *,
        goal: str | Term | None = None,
        context: str | None = None,
    ) -> int:
        """Call a listener with each event from now on, once it is durable.

        Returns a token for `unwatch`. See `koinii.seat.listening`.
        """
        fits = None if goal is None else parse(goal)
        return self._listening().add(callback, fits, maybe_text(context, "context"))

    def unwatch(self, token: int) -> bool:
        """Call a listener no more; tell whether it was there."""
        return self._listening().remove(count(token, "token"))

    def watchers(self) -> list[int]:
        """Return the tokens of those that listen, the first first."""
        return self._listening().tokens()

    def _feed(self) -> Feed:
        from koinii.kb.following import Feed  # noqa: PLC0415 - off the hot path

        return Feed(self.kb, self.database.connection)

    def _listening(self) -> Listeners:
        from koinii.seat.listening import Listeners  # noqa: PLC0415 - off the hot path

        if self._listeners is None:
            self._listeners = Listeners(self._feed(), self.database)
        return self._listeners

    # Naming ------------------------------------------------------------------

    def locate(self, sentence: str | Term, context: str) -> Locator:
        """Return the locator a sentence has in a context, stored or not.

        Raises:
            UsageError: `koinii/several`: a rule with more than one conclusion.
        """
        return locate(text(context, "context"), canonical(one_of(parse(sentence))))

    def marker(self, locator: str) -> Marker:
        """Return an untrusted reference to a stored sentex, to be carried by hand."""
        from koinii.seat.markers import make_marker  # noqa: PLC0415 - off the hot path

        return make_marker(self, locator)

    def dereference(
        self, marker: object, *, why: bool = False, max_depth: int = 256
    ) -> Resolution:
        """Look a marker up among what this seat itself holds; never raises.

        A locator, or `koinii:` and one, is a marker as well. `why` tells too why what
        it comes to is believed here.
        """
        from koinii.seat import markers  # noqa: PLC0415 - off the hot path

        if not flag(why, "why"):
            return markers.dereference(self, marker)
        return markers.why_marker(self, marker, count(max_depth, "max_depth"))

    # Committing --------------------------------------------------------------

    def commit(self, *, cosign: bool = False) -> Commit | None:
        """Record what is believed in the signed history; None if nothing moved.

        It carries this seat's cosignatures of the heads of others that have moved;
        `cosign` commits for that alone, and cosigns them all anew.
        """
        from koinii.seat.committing import commit  # noqa: PLC0415 - loads cryptography

        self.align()
        return commit(self, cosign=flag(cosign, "cosign"))

    def state_root(self) -> str:
        """Return the root over belief with its creators and times; O(believed)."""
        from koinii.seat.reporting import state  # noqa: PLC0415 - off the hot path

        return state(self)

    def status(self) -> Status:
        """Return where this seat stands."""
        from koinii.seat.home import may_be_copied  # noqa: PLC0415 - off the hot path
        from koinii.seat.reporting import status  # noqa: PLC0415 - off the hot path

        found = status(self)
        self._tell_settings()
        if may_be_copied(self):
            from koinii.seat.instance import tell_copied  # noqa: PLC0415 - loads cryptography

            tell_copied(self)
        return found

    def log(self, limit: int | None = None) -> list[Commit]:
        """Return this seat's commits, the newest first."""
        from koinii.seat.reporting import log  # noqa: PLC0415 - off the hot path

        return log(self, maybe_count(limit, "limit"))

    def show(self, what: str) -> Commit | Claim:
        """Return one commit by its number, or one claim by its locator."""
        from koinii.seat import reporting  # noqa: PLC0415 - off the hot path

        if text(what, "what").isdecimal() and len(what) < SHORTEST_PREFIX:
            return reporting.show_commit(self, int(what))
        return reporting.show_claim(self, what)

    def held(self) -> list[Held]:
        """Return the lines that are stored and not applied, with their reasons."""
        from koinii.seat.held import held  # noqa: PLC0415 - off the hot path

        self._tell_settings()
        return held(self)

    def waiting(self) -> list[Held]:
        """Return the lines that are applied and wait, with what they wait for."""
        from koinii.seat.held import waiting  # noqa: PLC0415 - off the hot path

        return waiting(self)

    def agents(self) -> list[Agent]:
        """Return every agent known here, by name and seat."""
        from koinii.seat.reporting import agents  # noqa: PLC0415 - off the hot path

        self._tell_settings()
        return agents(self)

    def trust_agent(self, name: str, fingerprint: str) -> Trusted:
        """Make a contested name stand here for the key of that fingerprint."""
        from koinii.seat.trusting import trust_key  # noqa: PLC0415 - off the hot path

        self.align()
        return trust_key(self, text(name, "name"), text(fingerprint, "fingerprint"))

    def rotate_agent(
        self, agent: str, *, key: str | PathLike[str] | None = None
    ) -> Decided:
        """Give an agent of this seat a new key from the next commit on."""
        from koinii.seat.deciding import rotate  # noqa: PLC0415 - loads cryptography
        from koinii.seat.founding import read_key  # noqa: PLC0415 - loads cryptography

        self.align()
        brought = read_key(None if key is None else path_text(key, "key"))
        return rotate(self, text(agent, "agent"), brought)

    def revoke_key(
        self,
        agent: str,
        fingerprint: str,
        *,
        reason: str,
        seat: str = "*",
        number: int = 0,
        by_admin: bool = False,
    ) -> Decided:
        """Say that what a key of an agent signed, from a commit on, counts no more.

        At every seat unless one is given. The agent says it itself, with the key it
        has here, or the admin.
        """
        from koinii.seat.deciding import revoke  # noqa: PLC0415 - loads cryptography

        self.align()
        return revoke(
            self,
            text(agent, "agent"),
            text(fingerprint, "fingerprint"),
            place=text(seat, "seat"),
            number=count(number, "number"),
            reason=text(reason, "reason"),
            by_admin=flag(by_admin, "by_admin"),
        )

    def retire_agent(self, agent: str, seat: str, *, number: int = 0) -> Decided:
        """Withdraw what an agent said at a seat, such as a lost one, from a commit on.

        The agent signs it with the key it has here. Its newest set there is taken
        whole, if it is of that commit or later.
        """
        from koinii.seat.deciding import retire  # noqa: PLC0415 - loads cryptography

        self.align()
        named, place = text(agent, "agent"), text(seat, "seat")
        return retire(self, named, place, count(number, "number"))

    def admin(self) -> Admin | None:
        """Return the admin pinned here with all grants, None for no admin."""
        from koinii.seat.administering import admin  # noqa: PLC0415 - off the hot path

        return admin(self)

    def admin_init(self) -> Admin:
        """Make an admin whose key lies at this seat; the next push publishes it."""
        from koinii.seat import administering  # noqa: PLC0415 - loads cryptography

        self.align()
        return administering.admin_init(self)

    def grant(
        self,
        agent: str,
        standing: Iterable[str] = (),
        *,
        key: str | PathLike[str] | None = None,
        only: bool = False,
    ) -> GrantReport:
        """Grant an agent standing with the admin's key, which lies at this seat.

        `standing`: "member", "moderator", "moderator CxDeploy", "arbiter", beside
        what it has or (`only`) in its place. `key` is a fingerprint, or a public
        key's line or file; it may be left out where the name has one key.
        """
        from koinii.seat import administering  # noqa: PLC0415 - loads cryptography

        self.align()
        words = [text(one, "standing") for one in several(standing, "standing")]
        about = None if key is None else path_text(key, "key")
        name, alone = text(agent, "agent"), flag(only, "only")
        return administering.grant(self, name, words, about, only=alone)

    def peers(self) -> list[Peer]:
        """Return every other seat seen, with its newest head."""
        from koinii.seat.reporting import peers  # noqa: PLC0415 - off the hot path

        return peers(self)

    def follow(self, seat: str) -> Followed:
        """Follow a seat, by its id or the first 8 hex digits of it and more."""
        from koinii.seat.peers import follow  # noqa: PLC0415 - off the hot path

        self.align()
        return follow(self, text(seat, "seat"))

    def unfollow(self, seat: str) -> Followed:
        """Follow a seat no more; all that its authors say is held until `follow`."""
        from koinii.seat.peers import unfollow  # noqa: PLC0415 - off the hot path

        self.align()
        return unfollow(self, text(seat, "seat"))

    def channels(self) -> list[str]:
        """Return the declared channels, sorted."""
        pattern = (Symbol("channel"), Symbol("?c"))
        rows = self.kb.ask(pattern, "CxUniverse", "exact")
        return sorted(write(row["?c"]) for row in rows)

    def prove(
        self,
        locator: str,
        *,
        absence: bool = False,
        attribution: bool = False,
        why: bool = False,
        dispute: bool = False,
        context: str | None = None,
        form: str = "json",
    ) -> str:
        """Return a proof document about the newest commit.

        By default that the claim is believed; `absence` that it is not,
        `attribution` that an author signed it, `why` what it stands on, `dispute`
        who of those that `context` sees holds its negation (by default those that
        the claim's own context sees). Forms `json` and, except for an attribution,
        `tlog`.
        """
        from koinii.seat.proving import prove  # noqa: PLC0415 - loads cryptography

        asked = {
            "absence": absence,
            "attribution": attribution,
            "why": why,
            "dispute": dispute,
        }
        kinds = [kind for kind, is_asked in asked.items() if flag(is_asked, kind)]
        kinds = kinds or ["inclusion"]
        if len(kinds) > 1:
            raise UsageError("a proof shows one thing", hint="ask for two proofs")
        place = maybe_text(context, "context")
        with self.kb.view():
            return prove(self, locator, kinds[0], form, place)
