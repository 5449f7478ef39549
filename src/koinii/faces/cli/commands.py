"""Commands of the command line, each made from the table when it is needed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from koinii.faces.cli.topics import TOPICS
from koinii.faces.operations import FLAG, OPERATIONS, Operation, Parameter, find

if TYPE_CHECKING:
    from collections.abc import Callable

    Seen = Callable[[str, dict[str, Any]], None]

PROGRAM = "koinii"
GROUPS = {
    "bundle": "Commits in files, for where there is no network.",
    "remote": "The git repositories through which seats exchange commits.",
    "agent": "The agents that speak at this seat, and their keys.",
    "admin": "The key that grants standing, and what it has granted.",
    "channel": "The contexts where agents meet.",
    "registry": "What the admin records of agents, for people.",
    "config": "The settings in force.",
}
MORE = ("help", "completion")
SHELLS = ("bash", "zsh", "fish")
_WIDEST = 100


class HelpAsked(Exception):  # noqa: N818 - no error
    """Somebody asked for help; holds the page."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Verb(TyperCommand):
    """A command that shows its usage as the table has it."""

    def __init__(self, usage: str, **settings: Any) -> None:
        super().__init__(usage.split(maxsplit=1)[0], **settings)
        self._usage = usage

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the program's and the groups' names."""
        words = ctx.command_path.count(" ")
        return [" ".join([*self._usage.split()[words:], "[FLAGS]"])]


class Verbs(TyperGroup):
    """A group whose commands are made from the table when one is asked for."""

    def __init__(self, prefix: str, seen: Seen, **settings: Any) -> None:
        super().__init__(invoke_without_command=True, **settings)
        self._prefix = prefix
        self._seen = seen

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the table."""
        del ctx
        return names_under(self._prefix)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, None if there is none."""
        del ctx
        full = f"{self._prefix} {cmd_name}".strip()
        if full in GROUPS:
            return group(full, self._seen)
        operation = find(full)
        if operation is not None:
            return command(operation, self._seen)
        return _MORE[full](self._seen) if full in MORE else None


def names_under(prefix: str) -> list[str]:
    """Return the words that may follow a group's name, or stand first."""
    if prefix:
        own = prefix + " "
        return [
            one.name.removeprefix(own) for one in OPERATIONS if one.name.startswith(own)
        ]
    return [*dict.fromkeys(one.name.split()[0] for one in OPERATIONS), *MORE]


def application(seen: Seen) -> Any:
    """Return the whole command; `seen` is told of every part of a line."""
    return Verbs(
        "",
        seen,
        name=PROGRAM,
        callback=_teller("", seen),
        params=[*_flags(), _version(), _help()],
        help=f"{_SUMMARY}\n\n{_examples(_FIRST_STEPS)}",
        epilog=_EPILOG,
        **_manners(),
    )


def group(name: str, seen: Seen) -> Any:
    """Return the command of a noun, which alone lists."""
    listing = find(f"{name} list")
    assert listing is not None  # noqa: S101 - every noun can be listed
    own = [one for one in OPERATIONS if one.name.startswith(name + " ")]
    return Verbs(
        name,
        seen,
        name=name,
        callback=_teller(name, seen),
        params=[*_options(listing), *_flags(), _help()],
        help=f"{GROUPS[name]}\n\n{_examples([one.examples[0] for one in own])}",
        short_help=GROUPS[name],
        **_manners(),
    )


def command(operation: Operation, seen: Seen) -> Any:
    """Return the command of one operation."""
    own = {one.spelling for one in operation.parameters}
    flags = [one for one in _flags() if not own & set(one.opts)]
    for one in flags:
        one.hidden = one.name == "flag_dry_run" and not operation.rehearsed
    return Verb(
        operation.usage,
        callback=_teller(operation.name, seen),
        params=[*_arguments(operation), *_options(operation), *flags, _help()],
        help=f"{operation.summary}\n\n{_examples(operation.examples)}\n\n"
        f"Result: {operation.result}.",
        short_help=operation.summary,
        **_manners(),
    )


def _help_verb(seen: Seen) -> Any:
    words = TyperArgument(
        param_decls=["words"], type=str, nargs=-1, metavar="[VERB | TOPIC]",
        help="a verb, or one of: " + ", ".join(TOPICS),
    )  # fmt: skip
    return Verb(
        "help [VERB | TOPIC]",
        callback=_teller("help", seen),
        params=[words, *_flags(), _help()],
        help="Show help on a verb or a topic.\n\n"
        + _examples(("koinii help ask", *(f"koinii help {one}" for one in TOPICS))),
        **_manners(),
    )


def _completion_verb(seen: Seen) -> Any:
    shell = TyperArgument(
        param_decls=["shell"], type=str, required=True, metavar="SHELL",
        help=", ".join(SHELLS),
    )  # fmt: skip
    return Verb(
        "completion SHELL",
        callback=_teller("completion", seen),
        params=[shell, *_flags(), _help()],
        help="Write the script that completes koinii's words in a shell.\n\n"
        + _examples(('eval "$(koinii completion bash)"',)),
        **_manners(),
    )


_MORE = {"help": _help_verb, "completion": _completion_verb}


# Parameters -------------------------------------------------------------------


def _arguments(operation: Operation) -> list[Any]:
    return [
        TyperArgument(
            param_decls=[one.name],
            type=str,
            required=one.required,
            metavar=one.spelling,
            help=one.help,
            nargs=-1 if one.repeatable else 1,
            default=None,
        )
        for one in operation.parameters
        if one.positional
    ]


def _options(operation: Operation) -> list[Any]:
    return [_option(one) for one in operation.parameters if not one.positional]


def _option(one: Parameter) -> Any:
    """Return an option; given twice, it is refused unless it is repeatable."""
    if one.kind == FLAG:
        return TyperOption(
            param_decls=[one.spelling, one.name], is_flag=True, help=one.help
        )
    shown = f" [default: {one.default}]" if one.default is not None else ""
    needed = " [required]" if one.required else ""
    return TyperOption(
        param_decls=[one.spelling, one.name],
        type=str,
        multiple=True,
        metavar=one.takes,
        help=f"{one.help}{shown}{needed}",
    )


def _flags() -> list[Any]:
    """Return the flags that every verb takes, before or after its name."""
    return [
        TyperOption(
            param_decls=["-C", "flag_directory"], type=str, multiple=True,
            metavar="DIR", help="the seat in or above this directory",
        ),
        _switch("flag_json", "one JSON object", "--json"),
        TyperOption(
            param_decls=["--format", "flag_format"], type=str, multiple=True,
            metavar="text|json", help="--format json is --json",
        ),
        _switch("flag_quiet", "no notes, errors only", "-q", "--quiet"),
        _switch("flag_verbose", "more detail", "-v", "--verbose"),
        _switch("flag_dry_run", "do it, show it, undo it", "-n", "--dry-run"),
        TyperOption(
            param_decls=["--color", "flag_color"], type=str, multiple=True,
            metavar="auto|always|never", help="colour",
        ),
        _switch("flag_no_input", "never ask for anything", "--no-input"),
    ]  # fmt: skip


def _switch(name: str, text: str, *spellings: str) -> Any:
    return TyperOption(param_decls=[*spellings, name], is_flag=True, help=text)


def _version() -> Any:
    return _switch("flag_version", "the version of this program", "--version")


def _help() -> Any:
    return TyperOption(
        param_decls=["-h", "--help", "flag_help"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_help,
        help="this page",
    )


def _show_help(ctx: Any, param: Any, value: Any) -> None:
    del param
    if value and not ctx.resilient_parsing:
        raise HelpAsked(ctx.get_help() + "\n")


def _teller(name: str, seen: Seen) -> Callable[..., None]:
    def tell(**given: Any) -> None:
        seen(name, given)

    return tell


# Pages ------------------------------------------------------------------------


def _examples(lines: Any) -> str:
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


def _manners() -> dict[str, Any]:
    columns = shutil.get_terminal_size().columns
    width = max(20, min(columns, _WIDEST))
    return {
        "add_help_option": False,
        "rich_markup_mode": None,
        "context_settings": {"terminal_width": width},
    }


def complete() -> None:
    """Answer a shell that completes a line, and end the process."""
    import typer.completion  # noqa: PLC0415 - rarely needed

    typer.completion.completion_init()  # type: ignore[attr-defined] # of a submodule
    application(lambda name, given: None).main(
        [], prog_name=PROGRAM, complete_var=COMPLETE_VARIABLE
    )


def completion_script(shell: str) -> str:
    """Return the script that makes a shell complete our words."""
    import typer.completion  # noqa: PLC0415 - rarely needed

    script: str = typer.completion.get_completion_script(  # type: ignore[attr-defined]
        prog_name=PROGRAM, complete_var=COMPLETE_VARIABLE, shell=shell
    )
    return script + "\n"


def is_completing() -> bool:
    """Tell whether a shell runs this process to complete a line."""
    return COMPLETE_VARIABLE in os.environ


COMPLETE_VARIABLE = "_KOINII_COMPLETE"
_SUMMARY = "Shared, signed, argued knowledge for agents that work apart."
_FIRST_STEPS = (
    "koinii init --as AgentAtlas",
    'koinii assert "(usesDatabase ProdCluster Postgres)"',
    'koinii ask "(usesDatabase ?system ?database)"',
    "koinii commit",
)
_EPILOG = "koinii help VERB shows a verb, koinii help TOPIC one of:\n\n" + ", ".join(
    TOPICS
)
