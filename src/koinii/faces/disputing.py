"""What the operations about disputes call: list, rule, notify, quarantine.

As in `actions`: one step on the seat, nothing more; terms come back as text.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

from koinii.errors import KoiniiError, NotFoundError, UsageError
from koinii.faces.actions import is_known
from koinii.faces.disputed import told
from koinii.terms.locator import raw_digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.coordination.adjudication import Adjudication
    from koinii.coordination.disputes import Dispute, Disputes
    from koinii.faces.actions import Named
    from koinii.kb.base import Sentex
    from koinii.seat.seat import Seat
    from koinii.terms.locator import Locator

_DURATION = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def disputes(
    seat: Seat,
    context: str | None,
    limit: int | None,
    after: str | None,
    *,
    pending: bool,
) -> Named:
    """Return what is in dispute, the oldest first."""
    from koinii.coordination.disputes import Disputes  # noqa: PLC0415 - for this verb

    if limit == 0:
        raise UsageError("--limit is at least 1", parameter="--limit")
    known = Disputes(seat)
    every = known.pending if pending else known.every
    most = None if limit is None else limit + 1
    with seat.kb.view():
        found = [*islice(every(context, after=after), most)]
    shown = found[:limit]
    cursor = shown[-1].cursor if shown and len(shown) < len(found) else None
    return {
        "disputes": [*map(told, shown)],
        "cursor": cursor,
        "more": len(shown) < len(found),
        **_unknown(seat, context),
    }


def _unknown(seat: Seat, context: str | None) -> Named:
    if context is None or is_known(seat, context):
        return {}
    return {"unknown_context": context}


def rule(
    seat: Seat, dispute: str, upheld: str, channel: str, agent: str | None
) -> Named:
    """Uphold one side, as an arbiter."""
    from koinii.coordination.judging import rule as uphold  # noqa: PLC0415 - this verb

    return {"locator": uphold(seat, _agent(seat, agent), dispute, upheld, channel)}


def _agent(seat: Seat, agent: str | None) -> str:
    return seat.speaker(agent).agent


# Telling -----------------------------------------------------------------------


def notify(  # noqa: PLR0917 - by name, from the table
    seat: Seat,
    channel: str,
    timeout: str | None,
    run: str | None,
    to: str | None,
    again: str | None,
    *,
    sweep: bool,
) -> Named:
    """Tell of open disputes once, and of those that were left too long.

    Where telling of one fails after others were told, the result says both.
    """
    from koinii.coordination.adjudication import Adjudication  # noqa: PLC0415 - verb
    from koinii.coordination.disputes import Disputes  # noqa: PLC0415 - this verb
    from koinii.faces.sinks import Sinks  # noqa: PLC0415 - for this verb only

    limit = _timeout(timeout, sweep=sweep)
    known, reopened = Disputes(seat), []
    if again is not None:
        reopened = [_standing(known, again, channel)]
    with ExitStack() as stack:
        sinks = stack.enter_context(Sinks(channel, run, to))
        policy = Adjudication(
            seat, timeout_ms=limit, notify_sink=sinks.tell, stale_sink=sinks.tell
        )
        for one in reopened:
            known.reopen(one.id)
        return _told_by(policy, seat, channel, sweep=sweep)


def _told_by(policy: Adjudication, seat: Seat, channel: str, *, sweep: bool) -> Named:
    notified: list[Dispute] = []
    stale: list[Dispute] = []
    try:
        notified.extend(policy.notifying(channel))
        if sweep:
            stale.extend(policy.sweeping(channel))
    except KoiniiError as error:
        if error.code != "koinii/sink-failed" or not (notified or stale):
            raise
        failed = {"message": error.message, "hint": error.hint, **error.details}
        return {**_tick(seat, channel, notified, stale), "failed": failed}
    return _tick(seat, channel, notified, stale)


def _standing(known: Disputes, dispute: str, channel: str) -> Dispute:
    """Return a dispute that a channel sees.

    Raises:
        NotFoundError: `koinii/no-such-handle`: it does not, or none stands.
    """
    found = known.find(dispute)
    if found is None or all(one.id != found.id for one in known.every(channel)):
        raise NotFoundError(
            f"{channel} sees no dispute {dispute}",
            code="koinii/no-such-handle",
            hint=f"koinii disputes --in {channel} lists those that it sees",
            dispute=dispute,
        )
    return found


def told_in_part(result: Named) -> bool:
    """Tell whether telling failed after some were told."""
    return "failed" in result


def rehearse_notify(  # noqa: PLR0917 - by name, from the table
    seat: Seat,
    channel: str,
    timeout: str | None,
    run: str | None,
    to: str | None,
    again: str | None,
    *,
    sweep: bool,
) -> Named:
    """Say what would be told; nothing is marked, run or written."""
    from koinii.coordination.adjudication import Adjudication  # noqa: PLC0415 - verb
    from koinii.coordination.disputes import Disputes  # noqa: PLC0415 - this verb
    from koinii.faces.sinks import check_file  # noqa: PLC0415 - for this verb only

    del run
    if to is not None:
        check_file(to)
    known, at = Disputes(seat), seat.now()
    policy = Adjudication(seat, timeout_ms=_timeout(timeout, sweep=sweep))
    pending = [*known.pending(channel)]
    overdue = [*policy.overdue(channel, at)] if sweep else []
    if again is not None:
        fresh = _reopened(_standing(known, again, channel))
        pending = _once(pending, fresh)
        if sweep and fresh.since < at - policy.timeout_ms:
            overdue = _once(overdue, fresh)
    return _tick(seat, channel, pending, overdue)


def _reopened(dispute: Dispute) -> Dispute:
    return dispute._replace(
        state="open", notified_at=None, stale_at=None, stale_reason=None
    )


def _once(found: list[Dispute], fresh: Dispute) -> list[Dispute]:
    """Return disputes with one more, in the order of telling."""
    others = [one for one in found if one.id != fresh.id]
    return sorted([*others, fresh], key=lambda one: (one.since, one.id))


def _tick(
    seat: Seat, channel: str, notified: Iterable[Dispute], stale: Iterable[Dispute]
) -> Named:
    return {
        "notified": [*map(told, notified)],
        "stale": [*map(told, stale)],
        **_unknown(seat, channel),
    }


def _timeout(text: str | None, *, sweep: bool) -> int:
    """Return a duration in ms: `90s`, `30m`, `24h`, `7d`."""
    from koinii.coordination.adjudication import TIMEOUT_MS  # noqa: PLC0415 - verb

    if text is None:
        return TIMEOUT_MS
    if not sweep:
        raise UsageError(
            "--timeout says when --sweep finds a dispute old",
            hint="koinii notify --in CHANNEL --sweep --timeout 24h",
            parameter="--timeout",
        )
    found = _DURATION.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--timeout takes a number and ms, s, m, h or d, not {text[:80]!r}",
            hint="such as 90s, 30m, 24h or 7d",
            parameter="--timeout",
        )
    return int(found[1]) * _UNITS[found[2]]


# Keeping out -------------------------------------------------------------------


def quarantine(
    seat: Seat, locator: str | None, channel: str, agent: str | None, *, undo: bool
) -> Named:
    """Mask a claim in a channel, take that back, or list what is masked."""
    from koinii.coordination import quarantine as masks  # noqa: PLC0415 - this verb

    if locator is not None:
        change = masks.unquarantine if undo else masks.quarantine
        return {"locator": change(seat, locator, channel, agent=agent)}
    if undo:
        raise UsageError(
            "--undo takes the mask of one claim back: give its locator",
            hint="koinii quarantine --in CHANNEL lists what is masked",
            parameter="--undo",
        )
    with seat.kb.view():
        found = [_masked(seat, one) for one in masks.quarantined(seat, channel)]
    return {"quarantined": found, **_unknown(seat, channel)}


def _masked(seat: Seat, locator: Locator) -> Sentex | Named:
    """Return what a mask hides, its locator alone where it is not here any more."""
    found = seat.kb.find(raw_digest(locator))
    return found or {"locator": locator, "context": None, "sentence": None}
