"""What is wrong with a line that cannot be read, and what was perhaps meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from koinii.errors import UsageError
from koinii.faces.cli.commands import GROUPS, PROGRAM, names_under
from koinii.faces.operations import OPERATIONS, find

if TYPE_CHECKING:
    from koinii.faces.operations import Operation

FLAGS = (
    "--help", "--json", "--format", "--quiet", "--verbose", "--dry-run", "--color",
    "--no-input", "-C", "-h", "-q", "-v", "-n",
)  # fmt: skip


def usage_error(error: Any, words: list[str]) -> UsageError:
    """Return the parser's complaint as one of our errors."""
    verb = _verb_of(error) or next((one for one in words if find(one)), "")
    option = getattr(error, "option_name", None)
    if option is not None and type(error).__name__ == "NoSuchOption":
        return _no_such_option(_spelled(option), verb)
    message = error.format_message()
    if "No such command" in message:
        return _no_such_verb(verb, words)
    if type(error).__name__ == "MissingParameter":
        return _missing(error, verb)
    return UsageError(_lowered(message), hint=_see(verb))


def misplaced(verb: str, name: str) -> UsageError:
    """Return the error of a noun's option before a verb that does not take it."""
    spelling = f"--{name.replace('_', '-')}"
    return UsageError(
        f"{spelling} is misplaced after {verb}",
        hint=f"{PROGRAM} {verb} list {spelling}",
        parameter=spelling,
    )


def no_rehearsal(operation: Operation) -> UsageError:
    """Return the error of `--dry-run` where nothing can be undone or is written."""
    reason = (
        "cannot be undone, so it is not rehearsed"
        if operation.writes
        else "writes nothing"
    )
    return UsageError(
        f"--dry-run: {operation.name} {reason}",
        code="koinii/no-dry-run",
        hint=_see(operation.name),
        parameter="--dry-run",
    )


def _no_such_option(option: str, verb: str) -> UsageError:
    operation = find(verb) or find(f"{verb} list")
    own = [one.spelling for one in operation.parameters] if operation else []
    near = get_close_matches(option, [*own, *FLAGS, "--version"], n=1, cutoff=0.6)
    takers = [
        one.name
        for one in OPERATIONS
        if any(option == each.spelling for each in one.parameters)
    ]
    hint = _see(verb)
    if takers:
        hint = f"{option} belongs to {', '.join(takers)}"
    elif near:
        hint = f"did you mean {near[0]}?"
    elif verb:
        hint = f"-- before a text that begins with a dash; {hint}"
    place = f"{verb} takes no" if verb else "there is no"
    return UsageError(
        f"{place} option {option[:80]}", hint=hint, parameter=option, meant=near
    )


def _no_such_verb(noun: str, words: list[str]) -> UsageError:
    known = names_under(noun)
    typed = _unknown_word(noun, known, words)
    near = get_close_matches(typed, known, n=3, cutoff=0.6)
    meant = " or ".join(f"{PROGRAM} {noun} {one}".replace("  ", " ") for one in near)
    hint = f"did you mean {meant}?" if near else f"{PROGRAM} help"
    return UsageError(
        f"there is no verb {f'{noun} {typed}'.strip()[:80]!r}",
        code="koinii/unknown-verb",
        hint=hint,
        verb=typed,
        meant=near,
    )


def _unknown_word(noun: str, known: list[str], words: list[str]) -> str:
    """Return the word that stands where a verb should; values of -C are none."""
    rest = words[words.index(noun) + 1 :] if noun in words else words
    skip = False
    for word in rest:
        if skip:
            skip = False
        elif word in ("-C", "--format", "--color"):
            skip = True
        elif not word.startswith("-") and word not in known:
            return word
    return ""


def _missing(error: Any, verb: str) -> UsageError:
    parameter = getattr(error, "param", None)
    operation = find(verb)
    name = str(getattr(parameter, "name", ""))
    if operation is None:
        return UsageError(f"{verb} needs {name.upper()}", hint=_see(verb))
    (wanted,) = [one for one in operation.parameters if one.name == name]
    return UsageError(
        f"{verb} needs {wanted.spelling}: {wanted.help}",
        hint=operation.examples[0],
        parameter=wanted.spelling,
    )


def _verb_of(error: Any) -> str:
    """Return the words of the command that complained, without the program's."""
    context = getattr(error, "ctx", None)
    path = context.command_path.split() if context is not None else []
    words: list[str] = []
    for word in path[1:]:
        full = " ".join([*words, word])
        if find(full) or full in GROUPS or full in ("help", "completion"):
            words.append(word)
    return " ".join(words)


def _spelled(option: str) -> str:
    return option if option.startswith("-") else f"--{option}"


def _see(verb: str) -> str:
    return f"{PROGRAM} help {verb}".strip()


def _lowered(message: str) -> str:
    return (message[:1].lower() + message[1:]).rstrip(".")
