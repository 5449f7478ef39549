"""What each operation of the table calls: one step on the seat, nothing more.

Those that take `at` need no seat; `at` says where the command runs. What comes
back is what the seat returns, or a dict of names.
"""

from __future__ import annotations

from heapq import nsmallest
from typing import TYPE_CHECKING

import koinii
from koinii.errors import (
    KoiniiError,
    NotFoundError,
    RefusedError,
    UsageError,
    VerificationError,
)
from koinii.faces import audits
from koinii.kb.contexts import UNIVERSE
from koinii.terms.order import content_key
from koinii.terms.printer import write
from koinii.terms.reader import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from koinii.faces.surroundings import Surroundings
    from koinii.kb.query import Bindings
    from koinii.remote.doctor import Examined
    from koinii.remote.exchange import Outgoing, Pulled, Pushed
    from koinii.remote.recovering import Recovered
    from koinii.remote.seat import RemoteSeat
    from koinii.remote.turning import Turns
    from koinii.seat.held import Held
    from koinii.seat.markers import Marker, Resolution
    from koinii.seat.records import Commit
    from koinii.seat.reporting import Claim, Peer, Status
    from koinii.seat.seat import Seat
    from koinii.seat.speaking import EditReport, LoadReport, RetractReport

    Named: TypeAlias = dict[str, Any]

STRENGTH = {True: "monotonic", False: None}  # None is what the sentence's kind takes


# Making and moving ------------------------------------------------------------


def init(
    at: Surroundings, directory: str | None, agent: str | None, key: str | None
) -> Named:
    """Make a seat."""
    path = at.beside(directory or ".")
    with koinii.init(path, agent=at.founder(agent), key=key) as seat:
        at.notices = seat.notices
        return _place(seat)


def clone(
    at: Surroundings,
    url: str,
    directory: str,
    agent: str | None,
    key: str | None,
    *,
    seat_key: str | None,
    agents: list[str],
    contexts: list[str],
) -> Named:
    """Make a seat from a remote."""
    path = at.beside(directory)
    founder = agent if seat_key else at.founder(agent)
    try:
        with koinii.clone(
            url, path, agent=founder, key=key, seat_key=seat_key, agents=agents,
            contexts=contexts, watch=at.watch,
        ) as seat:  # fmt: skip
            at.notices = seat.notices
            return {**_place(seat), "pulled": seat.cloned}
    except UsageError as error:
        if error.code == "koinii/no-agent":
            error.hint = "koinii clone URL DIRECTORY --as AgentYou"
        raise


def _place(seat: Seat) -> Named:
    return {
        "seat": seat.id,
        "directory": seat.layout.directory,
        "agent": seat.config.agent,
    }


def push(seat: RemoteSeat, name: str) -> Pushed:
    """Send commits."""
    return seat.push(name)


def pull(
    seat: RemoteSeat,
    name: str,
    agents: list[str],
    contexts: list[str],
    *,
    everything: bool,
    require_cosigners: int | None,
    max_age: int | None,
) -> Pulled:
    """Fetch and apply commits."""
    return seat.pull(
        name, agents=agents, contexts=contexts, everything=everything,
        require_cosigners=require_cosigners or 0, max_age=max_age,
    )  # fmt: skip


def rehearse_push(seat: RemoteSeat, name: str) -> Outgoing:
    """Say what a push would do."""
    return seat.rehearse_push(name)


def rehearse_pull(
    seat: RemoteSeat,
    name: str,
    agents: list[str],
    contexts: list[str],
    *,
    everything: bool,
    require_cosigners: int | None,
    max_age: int | None,
) -> Pulled:
    """Say what a pull would do."""
    return seat.rehearse_pull(
        name, agents=agents, contexts=contexts, everything=everything,
        require_cosigners=require_cosigners or 0, max_age=max_age,
    )  # fmt: skip


def sync(
    seat: RemoteSeat, name: str, require_cosigners: int | None, max_age: int | None
) -> Named:
    """Pull, commit, push; no commit where nothing had moved."""
    pulled, commit, pushed = seat.sync(
        name, require_cosigners=require_cosigners or 0, max_age=max_age
    )
    return {"pulled": pulled, "commit": commit, "pushed": pushed}


def recover(seat: RemoteSeat, name: str) -> Recovered:
    """Take over what another copy of this seat has pushed."""
    return seat.recover(name)


def rehearse_recover(seat: RemoteSeat, name: str) -> Recovered:
    """Say what a recovery would do."""
    return seat.rehearse_recover(name)


def pulled_in_part(pulled: Pulled) -> bool:
    """Tell whether something that came was not applied."""
    return not pulled.whole


def holds_part(report: Named) -> bool:
    """Tell whether something that came in a larger report was not applied."""
    return not report["pulled"].whole


def loaded_in_part(report: LoadReport) -> bool:
    """Tell whether a line was refused."""
    return bool(report.refused)


def remote_list(seat: Seat) -> dict[str, str]:
    """Return addresses by name."""
    from koinii.seat.redacting import redacted  # noqa: PLC0415 - one verb needs it

    return redacted(seat.config.remotes)


def remote_add(seat: RemoteSeat, name: str, url: str) -> Named:
    """Name a remote."""
    from koinii.seat.redacting import redact  # noqa: PLC0415 - one verb needs it

    seat.remotes.add(name, url)
    return {"name": name, "url": redact(url)}


def remote_rm(seat: RemoteSeat, name: str) -> Named:
    """Forget a remote."""
    seat.remotes.remove(name)
    return {"name": name}


def held(seat: Seat, limit: int | None) -> list[Held]:
    """Return the lines without effect: not applied, or waiting."""
    return [*seat.held(), *seat.waiting()][:limit]


def peers(seat: Seat) -> list[Peer]:
    """Return the other seats known here."""
    return seat.peers()


# Saying -----------------------------------------------------------------------


def assert_(
    seat: Seat,
    sentence: str,
    context: str | None,
    agent: str | None,
    *,
    monotonic: bool,
) -> Named:
    """Put a sentence forward; a rule with several conclusions is several rules."""
    first, *more = seat.speaker(agent).assert_all(
        [read(sentence)], context, STRENGTH[monotonic]
    )
    return (
        {"locator": first, "locators": [first, *more]} if more else {"locator": first}
    )


def retract(seat: Seat, locator: str, agent: str | None) -> RetractReport:
    """Take an own assertion back."""
    return seat.speaker(agent).retract(locator)


def edit(
    seat: Seat,
    add: list[str],
    remove: list[str],
    context: str | None,
    agent: str | None,
) -> EditReport:
    """Add and take back at once."""
    if not add and not remove:
        raise UsageError(
            "edit has nothing to do: give --add or --remove",
            hint="koinii edit --add SENTENCE --remove LOCATOR",
        )
    return seat.edit(add=add, remove=remove, context=context, agent=agent)


def load(
    seat: Seat,
    lines: Iterable[str],
    context: str | None,
    agent: str | None,
    *,
    monotonic: bool,
) -> LoadReport:
    """Put many sentences forward."""
    return seat.load(lines, context=context, agent=agent, strength=STRENGTH[monotonic])


def channel_new(seat: Seat, channel: str, agent: str | None) -> Named:
    """Declare a channel."""
    return {"locator": seat.new_channel(channel, agent=agent)}


def channel_list(seat: Seat) -> Named:
    """Return the declared channels."""
    return {"names": seat.channels()}


def join(seat: Seat, channel: str, agent: str | None) -> Named:
    """Let a channel see an agent."""
    return {"locators": list(seat.join(channel, agent=agent))}


# Asking -----------------------------------------------------------------------


def ask(
    seat: Seat, pattern: str, context: str | None, scope: str | None, limit: int | None
) -> Named:
    """Return the answers by content; all are found before the first is told.

    With a limit, only so many are kept in memory.
    """
    _check_scope("ask PATTERN", context, scope)
    found = seat.ask(pattern, context=context, scope=scope or "cone")
    if limit is None:
        rows = sorted(found, key=_content)
    else:
        rows = nsmallest(limit + 1, found, key=_content)
    told = [{name: write(term) for name, term in row.items()} for row in rows[:limit]]
    answers: Named = {"answers": told, "more": len(told) < len(rows)}
    if not rows and context is not None and not is_known(seat, context):
        answers["unknown_context"] = context
    return answers


def search(
    seat: Seat,
    words: list[str],
    context: str | None,
    scope: str | None,
    limit: int | None,
) -> Named:
    """Return the claims with these words."""
    _check_scope("search WORDS", context, scope)
    hits = seat.search(
        " ".join(words), context=context, scope=scope or "cone", limit=limit
    )
    answers: Named = hits._asdict()
    if not (hits.found or hits.more or context is None or is_known(seat, context)):
        answers["unknown_context"] = context
    return answers


def searched_in_part(result: Named) -> bool:
    """Tell whether some sentences were not looked at."""
    return bool(result["unsearched"])


def _check_scope(line: str, context: str | None, scope: str | None) -> None:
    if context is None and scope not in (None, "any"):
        raise UsageError(
            f"--scope {scope} needs --in: without it every context is read",
            hint=f"koinii {line} --in CONTEXT --scope {scope}",
            parameter="--scope",
        )


def is_known(seat: Seat, context: str) -> bool:
    """Tell whether a row, an edge, a channel or an agent here names a context."""
    if context == UNIVERSE or seat.kb.names.context_id(context) is not None:
        return True
    edges = seat.ask("(genlCx ?sub ?super)", context=UNIVERSE, scope="exact")
    named = {write(term) for row in edges for term in row.values()}
    named.update(seat.channels(), *_contexts_of(seat))
    return context in named


def _contexts_of(seat: Seat) -> list[tuple[str, str]]:
    from koinii.trust.names import (  # noqa: PLC0415 - where nothing was found
        belief_context,
        own_context,
    )

    return [(own_context(one.name), belief_context(one.name)) for one in seat.agents()]


def _content(row: Bindings) -> list[tuple[str, object]]:
    return [(name, content_key(term)) for name, term in row.items()]


def argue(seat: Seat, sentence: str, context: str) -> Named:
    """Weigh both sides."""
    found = seat.argue(sentence, context)
    sides: Named = found._asdict()
    if found.verdict == "unknown" and not is_known(seat, context):
        sides["unknown_context"] = context
    return sides


def locate(seat: Seat, sentence: str, context: str) -> Named:
    """Return a sentence's locator."""
    return {"locator": seat.locate(sentence, context)}


def marker(seat: Seat, locator: str) -> Marker:
    """Return a marker."""
    return seat.marker(locator)


def deref(seat: Seat, marker: str, *, why: bool) -> Resolution:
    """Look a marker up."""
    return seat.dereference(marker.strip(), why=why, max_depth=64)


def unresolved(found: Resolution) -> KoiniiError | None:
    """Return what it means that a marker did not resolve."""
    if found.resolved:
        return None
    kind, message = _UNRESOLVED[found.reason]
    return kind(
        f"{found.reason}: {message}",
        code=f"koinii/{found.reason}",
        **found._asdict(),
    )


_UNRESOLVED: dict[str, tuple[type[KoiniiError], str]] = {
    "not-received": (NotFoundError, "nothing here has that locator"),
    "not-believed": (RefusedError, "it is stored here and not believed"),
    "locator-mismatch": (
        VerificationError,
        "the sentence it quotes has another locator",
    ),
    "malformed": (VerificationError, "this is no marker"),
}


# Committing -------------------------------------------------------------------


def status(seat: Seat) -> Status:
    """Return where the seat stands."""
    return seat.status()


def has_contested(found: Status) -> bool:
    """Tell whether a name waits for somebody to decide whose it is."""
    return any(not one.decided for one in found.contested)


def log(seat: Seat, limit: int | None, belief: str | None) -> list[Commit] | Turns:
    """Return the commits, the newest first; those with which a belief turned."""
    if belief is not None:
        return audits.belief(seat, belief, limit)
    return seat.log(limit)


def show(seat: Seat, what: str | None) -> Commit | Claim:
    """Return a commit, by default the newest, or a claim."""
    if what is not None:
        return seat.show(what)
    newest = seat.log(1)
    if not newest:
        raise NotFoundError(
            "there are no commits yet",
            code="koinii/unknown-commit",
            hint="koinii commit",
        )
    return newest[0]


def commit(seat: Seat, *, cosign: bool) -> Commit | None:
    """Record what is believed."""
    return seat.commit(cosign=cosign)


def prove(  # noqa: PLR0917 - by name, from the table
    seat: Seat,
    locator: str,
    kind: str | None,
    why: bool,  # noqa: FBT001 - by name, from the table
    dispute: bool,  # noqa: FBT001 - by name, from the table
    context: str | None,
    form: str,
) -> str:
    """Return a proof document."""
    asked = dict.fromkeys([kind] if kind and kind != "inclusion" else [], True)
    if why:
        asked["why"] = True
    if dispute:
        asked["dispute"] = True
    if kind == "inclusion" and asked:
        raise UsageError("a proof shows one thing", hint="ask for two proofs")
    return seat.prove(locator, context=context, form=form, **asked)


def verify(  # noqa: PLR0917 - by name, from the table
    at: Surroundings,
    proof: str,
    root: str | None,
    head: str | None,
    keys: list[str],
    entries: list[bytes],
    since: str | None,
) -> Named:
    """Check a proof document, or a head over the records under it."""
    from koinii.faces.proofs import check  # noqa: PLC0415 - loads json

    del at
    return check(proof, root, head, keys, entries=entries, since=since)


def unverified(found: Named) -> KoiniiError | None:
    """Return what it means that a proof did not check."""
    if found["ok"] and found["checked"]:
        return None
    return VerificationError(
        f"the proof does not check: {found['reason'] or 'nothing was checked'}",
        code="koinii/bad-proof",
        **found,
    )


# The program ------------------------------------------------------------------


def config_list(at: Surroundings, *, show_origin: bool) -> Named:
    """Return the settings in force."""
    return {"settings": at.settings(), "origins": show_origin}


def doctor(
    at: Surroundings, *, fix: bool, upgrade: bool, rebuild: bool, remotes: bool
) -> Examined:
    """Look at the seat, and mend it."""
    from koinii.remote.doctor import examine  # noqa: PLC0415 - for this verb only

    return examine(
        at.layout_at_least(),
        fix=fix,
        upgrade=upgrade,
        rebuild=rebuild,
        remotes=remotes,
        watch=at.watch,
    )


def wants_attention(found: Examined) -> bool:
    """Tell whether something is left to do."""
    return not found.whole


def version(at: Surroundings) -> Named:
    """Return the version."""
    del at
    return {"version": koinii.__version__}
