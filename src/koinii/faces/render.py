"""Results as text, one function for each operation that has its own form.

Text is for reading and for scripts that take one word a line; programs that
want more ask for JSON. A note for people goes to standard error instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from koinii.faces import (
    audit_lines,
    bundled,
    head_lines,
    keeping,
    reasons,
    talk_lines,
    trust_lines,
)
from koinii.terms.printer import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from koinii.faces.actions import Named
    from koinii.faces.look import Look
    from koinii.kb.base import Sentex
    from koinii.kb.operation import Fallen
    from koinii.remote.collecting import Collected
    from koinii.remote.differing import Difference
    from koinii.remote.rebuilding import Audited
    from koinii.remote.recovering import Recovered
    from koinii.seat.administering import Admin, GrantReport
    from koinii.seat.deciding import Decided
    from koinii.seat.held import Held
    from koinii.seat.markers import Marker, Resolution
    from koinii.seat.peers import Followed
    from koinii.seat.reporting import Agent, Peer
    from koinii.seat.speaking import EditReport, LoadReport, RetractReport
    from koinii.seat.trusting import Trusted

_GREEN, _RED, _YELLOW = "green", "red", "yellow"
_VERDICTS = {"true": _GREEN, "false": _RED, "contradiction": _YELLOW}


class Text(NamedTuple):
    """Lines for standard output, and notes for standard error."""

    lines: list[str]
    notes: list[str] = []  # noqa: RUF012 - never changed


def render(name: str, result: Any, look: Look) -> Text:
    """Return the text of an operation's result."""
    renderer = _RENDERERS.get(name)
    if renderer is None:
        return Text(_block(result))
    return renderer(result, look)


# Saying and asking ------------------------------------------------------------


def _located(result: Named, _: Look) -> Text:
    return Text(result.get("locators") or [result["locator"]])


def _problems(result: Named, _: Look) -> Text:
    lines = [
        f"{one['where']} {one['index'] + 1}  {one['code']}: {_short(one['message'])}"
        for one in result["problems"]
    ]
    return Text(lines, [] if lines else ["nothing of this would be refused"])


def _answers(result: Named, _: Look) -> Text:
    lines = [
        " ".join(f"{name}={text}" for name, text in row.items()) or "true"
        for row in result["answers"]
    ]
    notes = [] if lines else ["no answers"]
    if result["more"]:
        notes = [f"{len(lines)} shown, and there are more"]
    return Text(lines, [*notes, *_unknown_context(result)])


def _believes(result: Named, look: Look) -> Text:
    lines, notes = _answers(result, look)
    return Text(lines, [*notes, *talk_lines.unseen(result)])


def _hits(result: Named, _: Look) -> Text:
    lines = list(map(_sentex, result["found"]))
    notes = [] if lines else ["nothing found"]
    if result["more"]:
        notes = [f"{len(lines)} shown, and there are more"]
    if result["unsearched"]:
        notes.append(
            f"{result['unsearched']} older sentences were not searched: there is no "
            "index of them; koinii search makes one where the seat can be written"
        )
    return Text(lines, [*notes, *_unknown_context(result)])


def _unknown_context(result: Named) -> list[str]:
    name = result.get("unknown_context")
    return [f"no context {name} is known here"] if name else []


def _verdict(result: Named, look: Look) -> Text:
    verdict = result["verdict"]
    color = _VERDICTS.get(verdict)
    return Text(
        [
            look.paint(verdict, color) if color else verdict,
            *(f"for      {_sentex(one)}" for one in result["supporting"]),
            *(f"against  {_sentex(one)}" for one in result["opposing"]),
        ],
        _unknown_context(result),
    )


def _why(result: Named, _: Look) -> Text:
    notes = (
        [] if result["believed"] else ["koinii why-not tells why it is not believed"]
    )
    inert = reasons.draws_nothing(
        one.get("wrappers") for one in result.get("authors", ())
    )
    return Text(list(reasons.tree(result)), [*notes, *inert])


def _why_not(result: Named, _: Look) -> Text:
    return Text(list(reasons.absence(result)), _unknown_context(result))


def _clashes(result: Named, _: Look) -> Text:
    lines = [line for one in result["clashes"] for line in reasons.clash(one)]
    notes = [] if lines else ["none"]
    if result["more"]:
        notes = [f"{len(result['clashes'])} shown, and there are more"]
    return Text(lines, [*notes, *_unknown_context(result)])


def _disputes(result: Named, _: Look) -> Text:
    lines = [line for one in result["disputes"] for line in reasons.dispute(one)]
    notes = [] if lines else ["none"]
    if result["more"]:
        notes = [f"{len(result['disputes'])} shown, and there are more"]
    if result["cursor"]:
        notes.append(f"the next: --after {result['cursor']}")
    return Text(lines, [*notes, *_unknown_context(result)])


def _notified(result: Named, _: Look) -> Text:
    found = [*result["notified"], *result["stale"]]
    lines = [line for one in found for line in reasons.dispute(one)]
    notes = [] if lines else ["nothing new"]
    if failed := result.get("failed"):
        notes += [failed["message"], f"hint: {failed['hint']}"]
    return Text(lines, [*notes, *_unknown_context(result)])


def _kept_out(result: Named, look: Look) -> Text:
    if "locator" in result:
        return _located(result, look)
    lines = list(map(_masked, result["quarantined"]))
    notes = [] if lines else ["nothing is kept out"]
    return Text(lines, [*notes, *_unknown_context(result)])


def _masked(found: Sentex | Named) -> str:
    return f"{found['locator']} not here" if isinstance(found, dict) else _sentex(found)


def _diagnostics(result: Named, _: Look) -> Text:
    lines = [
        f"{one['code']}: {_short(one['message'])}" for one in result["diagnostics"]
    ]
    notes = [] if lines else ["nothing looks wrong"]
    if result["more"]:
        notes = [f"{len(lines)} shown, and there are more"]
    return Text(lines, notes)


def _event(result: Named, _: Look) -> Text:
    return Text(list(reasons.event(result)))


def _sentex(sentex: Sentex) -> str:
    return f"{sentex.locator} {sentex.context} {write(sentex.sentence)}"


def _retracted(result: RetractReport, _: Look) -> Text:
    return Text([result.locator], list(map(_fallen, result.fell)))


def _edited(result: EditReport, _: Look) -> Text:
    counts = f"{len(result.added)} added, {result.removed} removed"
    return Text(list(result.added), [counts, *map(_fallen, result.fell)])


def _fallen(one: Fallen) -> str:
    did = "hid" if one.sentence.startswith("(except ") else "answered"
    return (
        f"also withdrawn, since it {did} that: {one.sentence} in {one.context} "
        f"by {one.agent}"
    )


def _loaded(result: LoadReport, _: Look) -> Text:
    counts = (
        f"new {result.new}, changed {result.changed}, already {result.already}, "
        f"refused {len(result.refused)}"
    )
    notes = [
        f"line {row.line}: {row.code}: {_short(row.reason.removeprefix('line 1, '))}"
        for row in result.refused
    ]
    return Text([counts], notes)


def _added(result: Named, _: Look) -> Text:
    return Text(result["locators"])


def _names(result: Named, _: Look) -> Text:
    return Text(result["names"])


def _marker(result: Marker, _: Look) -> Text:
    return Text([result.text()])


def _resolution(result: Resolution, look: Look) -> Text:
    if not result.resolved:
        return Text([result.reason])
    fields = ("locator", "context", "sentence", "truth", "seat", "created")
    shown = {name: getattr(result, name) for name in fields}
    notes = ["the predicate is symmetric: only this mirror of it is held here"]
    resolved = [look.paint("resolved", _GREEN), *_fields(shown)]
    if result.why is not None:
        resolved += reasons.tree(result.why)
    return Text(resolved, notes if result.mirrored else [])


# Committing -------------------------------------------------------------------


def _commit(result: Any, look: Look) -> Text:
    if result is None:
        return Text([], ["nothing has moved since the last commit"])
    return Text([_commit_line(result, look)])


def _log(result: Any, look: Look) -> Text:
    if not isinstance(result, list):
        return Text(*audit_lines.turns(result, _time))
    notes = [] if result or look.shows_none else ["no commits yet"]
    return Text(
        [f"{_commit_line(one, look)} {_time(one.time)}" for one in result], notes
    )


def _audited(result: list[Audited], _: Look) -> Text:
    return Text(*audit_lines.audited(result))


def _differs(result: Difference, _: Look) -> Text:
    return Text(*audit_lines.difference(result))


def _shown(result: Any, _: Look) -> Text:
    """Return a commit, or a claim with how each author says it."""
    authors = getattr(result, "authors", None)
    if not authors:
        return Text(_block(result))
    said = [
        f"  {one.agent} {one.seat} {one.strength} {one.created}"
        f"{reasons.manner(one.wrappers)}"
        for one in authors
    ]
    claim = {name: getattr(result, name) for name in ("locator", "context", "sentence")}
    notes = reasons.draws_nothing(one.wrappers for one in authors)
    return Text([*_fields(claim), "authors", *said], notes)


def _commit_line(commit: Any, look: Look) -> str:
    return f"{commit.number} {look.paint(commit.id, _YELLOW)} {commit.size}"


def _status(result: Any, look: Look) -> Text:
    told = [line for one in result.differences for line in _difference(one)]
    heads = {
        "cosigned": head_lines.cosigned(result.cosigned, _time),
        "forks": head_lines.forks(result.forks),
    }
    named = {**result._asdict(), "differences": told, **heads}
    for name in ("next_mode", "partial", "not_taken"):
        if not named[name]:
            del named[name]
    lines = _fields(named)
    if look.verbose and look.found_by:
        lines.append(f"{'found by':12} {look.found_by}")
    notes = [*_contests(result), *_skews(result), *head_lines.undecided(result.forks)]
    return Text(lines, notes)


def _difference(one: Any) -> list[str]:
    return [
        f"{one.seat} commit {one.number} {one.commit}",
        f"  {one.explanation}",
        f"  next: {one.hint}",
    ]


def _pulled(result: Any, _: Look) -> Text:
    told = audit_lines.foreseen(result.foreseen)
    return Text([*_fields(_came(result)), *told], _of_trust(result))


def _applied(result: Any, look: Look) -> Text:
    lines, notes = _pulled(result, look)
    return Text([f"{'bundle':12} {result.remote}", *lines[1:]], notes)


def _carries(result: Any, _: Look) -> Text:
    lines = [f"  {line}" for line in bundled.carried_lines(result)]
    place = {"file": result.file, "bytes": result.bytes}
    return Text([*_fields(place), "seats", *lines])


def _holders(result: Any, _: Look) -> Text:
    lines = bundled.holder_lines(result)
    return Text(lines, [] if lines else ["no other seat is known here"])


def _bundle(result: Any, look: Look) -> Text:
    verdict = look.paint("verified", _GREEN)
    if not result.whole:
        verdict = look.paint("verified in part", _YELLOW)
    checked = [f"checked    {line}" for line in result.checked]
    rest = [f"not shown  {line}" for line in result.not_shown]
    if result.pulled is None:
        return Text([verdict, *checked, *rest])
    would, notes = _pulled(result.pulled, look)
    return Text([verdict, *checked, *rest, *would[1:]], notes)


def _came(report: Any) -> dict[str, Any]:
    """Return what a pull came to, with an admin where it met its first."""
    named: dict[str, Any] = report._asdict()
    del named["foreseen"]
    if not report.admin:
        del named["admin"]
    return named


def _of_trust(report: Any) -> list[str]:
    """Return what the operator has to compare or to decide."""
    if not report.admin:
        return _contests(report)
    met = f"the admin of {report.remote} is pinned here from now on; compare its key"
    return [f"{met} once: {report.admin}", *_contests(report)]


def _recovered(result: Recovered, _: Look) -> Text:
    notes = []
    if not result.moved:
        notes.append(f"{result.remote} shows nothing of this seat that is not here")
    if result.elsewhere:
        notes.append(
            f"commits made at {result.elsewhere} are not on {result.remote}; "
            "koinii recover there brings what was said with them"
        )
    if result.kept:
        changes = "1 change" if result.kept == 1 else f"{result.kept} changes"
        waits = "waits" if result.kept == 1 else "wait"
        notes.append(f"{changes} made here {waits} for koinii commit")
    if result.keyless:
        notes.append(
            f"the keys of {', '.join(result.keyless)} are not here, so nothing they "
            "say can be signed: bring .koinii/keys/NAME from the other copy"
        )
    return Text(_block(result), notes)


def _pushed(result: Any, _: Look) -> Text:
    return Text(_fields(_left(result)))


def _left(report: Any) -> dict[str, Any]:
    """Return what a push left, with the remote's own ref where it wrote that too."""
    named: dict[str, Any] = report._asdict()
    if named.pop("face_written", False):
        named["also"] = "refs/koinii/remote, what the remote says of itself"
    return named


def _synced(result: Named, _: Look) -> Text:
    pulled, pushed = _came(result["pulled"]), _left(result["pushed"])
    lines = _fields({**result, "pulled": pulled, "pushed": pushed})
    return Text(lines, _of_trust(result["pulled"]))


def _contests(report: Any) -> list[str]:
    """Return what to type about each name that has two keys."""
    return [
        f"the name {one.agent} stands for {one.pinned or 'another key'} here, and the "
        f"lines of another key at seat {one.seat} are held; {one.hint}"
        for one in report.contested
        if not one.decided
    ]


def _skews(report: Any) -> list[str]:
    """Return what differs where seats run other versions of the program."""
    return [
        f"version skew: vocabulary differs: {_short(_word(one.vocabulary))}: seat "
        f"{one.seat} made its commit {one.number} with another koinii"
        for one in report.skew
    ]


def _document(result: str, _: Look) -> Text:
    return Text([result.removesuffix("\n")])


def _checked(result: Named, look: Look) -> Text:
    verdict = look.paint("verified", _GREEN) if result["ok"] else "not verified"
    return Text(
        [
            verdict,
            *(f"checked    {_short(line)}" for line in result["checked"]),
            *(f"assumes    {_short(line)}" for line in result["assumes"]),
            *(f"not shown  {_short(line)}" for line in result["not_shown"]),
        ]
    )


# The seat and the program -----------------------------------------------------


def _place(result: Named, _: Look) -> Text:
    who = result["agent"] or "nobody"
    return Text([f"{who} at seat {result['seat']} in {result['directory']}"])


def _cloned(result: Named, look: Look) -> Text:
    pulled = result["pulled"]
    lines = [*_place(result, look).lines, *_fields(_came(pulled))]
    return Text(lines, _of_trust(pulled))


def _agents(result: list[Agent], _: Look) -> Text:
    return Text(*trust_lines.agents(result))


def _agent(result: Agent, _: Look) -> Text:
    return Text(*trust_lines.agents([result]))


def _trusted(result: Trusted, _: Look) -> Text:
    return Text(*trust_lines.trusted(result))


def _decided(result: Decided, _: Look) -> Text:
    return Text(*trust_lines.decided(result))


def _admin(result: Admin | None, _: Look) -> Text:
    return Text(*trust_lines.admin(result))


def _founded(result: Admin, _: Look) -> Text:
    return Text(*trust_lines.founded(result))


def _given_up(result: Admin, _: Look) -> Text:
    gone = f"no admin is pinned here; given up: {result.fingerprint}"
    return Text([gone], ["koinii pull pins the one of the remote"])


def _granted(result: GrantReport, _: Look) -> Text:
    return Text(*trust_lines.granted(result))


def _followed(result: Followed, _: Look) -> Text:
    return Text(*trust_lines.followed(result))


def _peers(result: list[Peer], _: Look) -> Text:
    lines = [line for one in result for line in head_lines.peer(one, _time)]
    return Text(lines, [] if lines else ["no other seat is known here"])


def _held(result: list[Held], look: Look) -> Text:
    lines = trust_lines.held(result)
    return Text(lines, [] if lines or look.shows_none else ["nothing is held"])


def _remotes(result: dict[str, str], _: Look) -> Text:
    notes = [] if result else ["no remotes"]
    return Text([f"{name} {url}" for name, url in sorted(result.items())], notes)


def _remote(result: Named, _: Look) -> Text:
    return Text([" ".join(result.values())])


def _settings(result: Named, _: Look) -> Text:
    return Text(
        [
            f"{one.name}={one.value}"
            + (f"  ({one.origin})" if result["origins"] else "")
            for one in result["settings"]
        ]
    )


def _examined(result: Any, look: Look) -> Text:
    lines = [f"{look.paint('done'.ljust(9), _GREEN)}  {one}" for one in result.done]
    return Text([*lines, *(_check(one, look) for one in result.checks)])


def _check(check: Any, look: Look) -> str:
    state = check.state.ljust(9)
    if check.state == "attention":
        state = look.paint(state, _YELLOW)
    line = f"{state}  {check.name}: {_short(check.found)}"
    return f"{line}; next: {check.next}" if check.next else line


def _version(result: Named, _: Look) -> Text:
    return Text([f"koinii {result['version']}"])


# Any shape --------------------------------------------------------------------


def _block(value: object) -> list[str]:
    """Return any result as lines: fields one a line, a list one row a line."""
    named = _named(value)
    if named is not None:
        return _fields(named)
    if isinstance(value, list | tuple):
        return [line for item in value for line in _row(item)]
    return [] if value is None else [_word(value)]


def _row(value: object) -> list[str]:
    named = _named(value)
    if named is None:
        return [_word(value)]
    if any(isinstance(item, list) and item for item in named.values()):
        return _fields(named)
    return [" ".join(_word(item) for item in named.values())]


def _fields(named: dict[str, Any]) -> list[str]:
    lines = []
    for name, value in named.items():
        inner = _named(value)
        nested = inner is not None or isinstance(value, list | tuple)
        if nested and value:
            lines.append(_label(name))
            lines += [f"  {line}" for line in _block(inner or value)]
        else:
            lines.append(f"{_label(name):12} {_word(value)}".rstrip())
    return lines


def _named(value: object) -> dict[str, Any] | None:
    if isinstance(value, dict):
        return {_word(name): item for name, item in value.items()}
    fields = getattr(type(value), "_fields", None)
    if fields is None:
        fields = getattr(type(value), "__dataclass_fields__", None)
    return None if fields is None else {name: getattr(value, name) for name in fields}


def _label(name: str) -> str:
    return name.replace("_", " ")


def _word(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list | tuple | dict):
        return " ".join(map(_word, value)) or "none"
    return str(value)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:197]}..."  # noqa: PLR2004 - a line


def _time(milliseconds: int) -> str:
    """Return a time as RFC 3339, UTC, whole seconds."""
    from datetime import UTC, datetime  # noqa: PLC0415, TID251 - formats, reads no clock

    try:
        moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return f"{milliseconds}ms"
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _counted(result: Named, _: Look) -> Text:
    return Text(*talk_lines.counted(result))


def _gathered(result: Named, _: Look) -> Text:
    return Text(*talk_lines.gathered(result))


def _disagreements(result: Named, _: Look) -> Text:
    return Text(*talk_lines.disagreements(result))


def _disregarded(result: Named, _: Look) -> Text:
    return Text(*talk_lines.disregarded(result))


def _registry(result: list[Named], _: Look) -> Text:
    return Text(*talk_lines.registry(result))


def _collected(result: Collected, _: Look) -> Text:
    return Text(keeping.lines(result))


_RENDERERS: dict[str, Callable[[Any, Look], Text]] = {
    "init": _place,
    "clone": _cloned,
    "status": _status,
    "log": _log,
    "audit": _audited,
    "diff": _differs,
    "show": _shown,
    "commit": _commit,
    "pull": _pulled,
    "bundle list": _holders,
    "bundle create": _carries,
    "bundle verify": _bundle,
    "bundle apply": _applied,
    "recover": _recovered,
    "push": _pushed,
    "sync": _synced,
    "remote list": _remotes,
    "remote add": _remote,
    "remote rm": _remote,
    "assert": _located,
    "check": _problems,
    "retract": _retracted,
    "edit": _edited,
    "load": _loaded,
    "ask": _answers,
    "search": _hits,
    "argue": _verdict,
    "why": _why,
    "why-not": _why_not,
    "contradictions": _clashes,
    "conflicts": _clashes,
    "disputes": _disputes,
    "rule": _located,
    "notify": _notified,
    "quarantine": _kept_out,
    "diagnostics": _diagnostics,
    "watch": _event,
    "locate": _located,
    "marker": _marker,
    "deref": _resolution,
    "prove": _document,
    "verify": _checked,
    "agent list": _agents,
    "agent new": _agent,
    "agent trust": _trusted,
    "agent rotate": _decided,
    "agent revoke": _decided,
    "agent retire": _decided,
    "admin list": _admin,
    "admin init": _founded,
    "admin forget": _given_up,
    "admin grant": _granted,
    "admin revoke": _decided,
    "follow": _followed,
    "unfollow": _followed,
    "held": _held,
    "peers": _peers,
    "channel list": _names,
    "channel new": _located,
    "join": _added,
    **dict.fromkeys(
        ("pose", "answer", "endorse", "justify", "dispute", "vote"), _located
    ),
    "not-understood": _located,
    "refuse": _located,
    "reply-many": _added,
    "majority": _counted,
    "believes": _believes,
    "convene": _gathered,
    "disagreements": _disagreements,
    "disregard": _disregarded,
    "registry list": _registry,
    "registry new": _added,
    "registry trust": _located,
    "doctor": _examined,
    "gc": _collected,
    "config list": _settings,
    "version": _version,
}
