"""What the operations about disputes call: list, rule, notify, quarantine.

As in `actions`: one step on the seat, nothing more; terms come back as text.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

from koinii.errors import UsageError
from koinii.faces.actions import is_known
from koinii.faces.disputed import told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from koinii.coordination.disputes import Dispute
    from koinii.faces.actions import Named
    from koinii.seat.seat import Seat

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


def notify(
    seat: Seat,
    channel: str,
    timeout: str | None,
    run: str | None,
    to: str | None,
    *,
    sweep: bool,
) -> Named:
    """Tell of open disputes once, and of those that were left too long."""
    from koinii.coordination.adjudication import Adjudication  # noqa: PLC0415 - verb
    from koinii.faces.sinks import Sinks  # noqa: PLC0415 - for this verb only

    limit = _timeout(timeout, sweep=sweep)
    with ExitStack() as stack:
        sinks = stack.enter_context(Sinks(run, to))
        policy = Adjudication(
            seat, timeout_ms=limit, notify_sink=sinks.tell, stale_sink=sinks.tell
        )
        notified = policy.notify(channel)
        stale = policy.sweep(channel) if sweep else []
    return _tick(seat, channel, notified, stale)


def rehearse_notify(
    seat: Seat,
    channel: str,
    timeout: str | None,
    run: str | None,
    to: str | None,
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
    policy = Adjudication(seat, timeout_ms=_timeout(timeout, sweep=sweep))
    overdue = policy.overdue(channel, seat.now()) if sweep else []
    return _tick(seat, channel, Disputes(seat).pending(channel), overdue)


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
        found = [
            *map(seat.kb.find, map(seat.resolve, masks.quarantined(seat, channel)))
        ]
    return {"quarantined": found, **_unknown(seat, channel)}
