"""Runs the ```console blocks of a Markdown file and compares what they print.

Read `parse` first, then `run_markdown`; `expectation` says what a line matches.

    $ command              run by bash; the commands of a file share one shell
    > more of it           continues the command above
    expected output        standard output, then standard error
    ...                    any number of lines
    [exit 4]               the exit code, where it is not 0

Placeholders in expected output: `<hash>` 64 hex, `<short>` 8 to 16 hex, `<id>`
32 hex, `<n>` a number, `<time>` a date, a time or both, `<word>` no spaces. With
a name, as in `<hash:claim>`, all uses in one file stand for one text.
"""

import difflib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select

from markdown_it import MarkdownIt

DATE = r"\d{4}-\d\d-\d\d"
CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
PLACEHOLDERS = {
    "hash": r"[0-9a-f]{64}",
    "short": r"[0-9a-f]{8,16}",
    "id": r"[0-9a-f]{32}",
    "n": r"-?\d+(?:\.\d+)?",
    "time": rf"(?:{DATE}(?:[T ]{CLOCK})?|{CLOCK})",
    "word": r"\S+",
}
HOLE = re.compile(rf"<({'|'.join(PLACEHOLDERS)})(?::([a-z][a-z0-9-]*))?>")
EXIT = re.compile(r"\[exit (\d+)\]")


class ConsoleError(AssertionError):
    """What a document shows is not what happens; names the file and the line."""


@dataclass(frozen=True)
class Command:
    """A command of a document, with what the document says it prints."""

    line: int
    text: str
    output: tuple[str, ...]
    exit_code: int


@dataclass
class Block:
    """The lines of a command while its block is read."""

    line: int
    typed: list[str]
    printed: list[str] = field(default_factory=list)

    def command(self) -> Command:
        printed = stripped(self.printed)
        ending = EXIT.fullmatch(printed[-1]) if printed else None
        code = int(ending[1]) if ending else 0
        shown = stripped(printed[:-1]) if ending else printed
        return Command(self.line, "\n".join(self.typed), tuple(shown), code)


def stripped(lines: list[str]) -> list[str]:
    """Return the lines without spaces at their ends and empty ones at the end."""
    kept = [line.rstrip() for line in lines]
    while kept and not kept[-1]:
        kept.pop()
    return kept


def lines_of(text: str) -> list[str]:
    """Return the lines, which only a line feed ends."""
    return text.removesuffix("\n").split("\n") if text else []


def parse(path: Path) -> list[Command]:
    """Return the commands of all console blocks, in order."""
    commands: list[Command] = []
    for token in MarkdownIt().parse(path.read_text(encoding="utf-8")):
        if token.type == "fence" and token.info.split()[:1] == ["console"]:
            first = (token.map or [0])[0] + 2
            blocks = blocks_of(path, first, lines_of(token.content))
            commands += [block.command() for block in blocks]
    return commands


def blocks_of(path: Path, first: int, lines: list[str]) -> list[Block]:
    blocks: list[Block] = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            blocks.append(Block(number, [line[2:]]))
        elif not blocks:
            raise ConsoleError(f"{path}:{number}: a block begins with a `$ ` command")
        elif line.startswith("> ") and not blocks[-1].printed:
            blocks[-1].typed.append(line[2:])
        else:
            blocks[-1].printed.append(line)
    return blocks


class Shell:
    """One bash for a whole document; each command has a limit in seconds."""

    def __init__(self, folder: Path, private: Path, limit: float) -> None:
        self.files = (private / "stdout", private / "stderr")
        self.limit = limit
        self.codes, told = os.pipe()
        self.bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            stdin=subprocess.PIPE,
            cwd=folder,
            env=environment(private),
            pass_fds=[told],
            start_new_session=True,
        )
        os.close(told)
        self.told = told

    def run(self, text: str) -> tuple[list[str], int]:
        """Return the lines printed and the exit code; TimeoutError past the limit."""
        out, err = (shlex.quote(str(name)) for name in self.files)
        quiet = f"</dev/null >{out} 2>{err} {self.told}>&-"
        line = f"eval {shlex.quote(text)} {quiet}\necho $? >&{self.told}\n"
        assert self.bash.stdin
        self.bash.stdin.write(line.encode())
        self.bash.stdin.flush()
        code = self.answer()
        texts = [name.read_text("utf-8", "replace") for name in self.files]
        return stripped([line for text in texts for line in lines_of(text)]), code

    def answer(self) -> int:
        ready, _, _ = select([self.codes], [], [], self.limit)
        if not ready:
            raise TimeoutError
        told = os.read(self.codes, 16)
        return int(told) if told else self.bash.wait(self.limit)

    def close(self) -> None:
        """End bash and all that it started, in whatever state they are."""
        with suppress(ProcessLookupError, BrokenPipeError):
            os.killpg(self.bash.pid, signal.SIGKILL)
        assert self.bash.stdin
        with suppress(ProcessLookupError, BrokenPipeError):
            self.bash.stdin.close()
        self.bash.wait()
        os.close(self.codes)


def environment(private: Path) -> dict[str, str]:
    """Return an environment that knows no user: an empty home, no settings."""
    home, temporary = private / "home", private / "tmp"
    home.mkdir()
    temporary.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        "PATH": path,
        "HOME": str(home),
        "TMPDIR": str(temporary),
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
    }


def run_markdown(path: Path, workdir: Path, limit: float = 60.0) -> None:
    """Run the commands of `path` in `workdir`; ConsoleError at the first surprise."""
    bound: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as private:
        shell = Shell(workdir, Path(private), limit)
        try:
            for command in parse(path):
                bound = check(path, command, shell, bound)
        finally:
            shell.close()


def check(
    path: Path, command: Command, shell: Shell, bound: dict[str, str]
) -> dict[str, str]:
    """Run one command; return the named placeholders with those it adds."""
    place = f"{path}:{command.line}: $ {command.text}"
    try:
        printed, code = shell.run(command.text)
    except TimeoutError:
        message = f"{place}\nstill running after {shell.limit:g} seconds"
        raise ConsoleError(message) from None
    except BrokenPipeError:
        message = f"{place}\nan earlier command has ended the shell"
        raise ConsoleError(message) from None
    found = match(command.output, printed, bound)
    if found is None:
        raise ConsoleError(f"{place}\n{difference(command.output, printed, bound)}")
    if code != command.exit_code:
        shown = "\n".join(printed)
        raise ConsoleError(
            f"{place}\nexit code {code}, not {command.exit_code}\n{shown}"
        )
    return found


def match(
    expected: tuple[str, ...], printed: list[str], bound: dict[str, str]
) -> dict[str, str] | None:
    """Return the placeholders bound so far and here, or None where they differ."""
    if not expected:
        return None if printed else bound
    if expected[0] == "...":
        rests = (printed[skipped:] for skipped in range(len(printed) + 1))
        found = (match(expected[1:], rest, bound) for rest in rests)
        return next((one for one in found if one is not None), None)
    here = expectation(expected[0], bound).fullmatch(printed[0]) if printed else None
    if not here:
        return None
    return match(expected[1:], printed[1:], bound | names(expected[0], here))


def expectation(line: str, bound: dict[str, str]) -> re.Pattern[str]:
    """Return the pattern of one expected line."""
    parts: list[str] = []
    seen: set[str] = set()
    end = 0
    for hole in HOLE.finditer(line):
        parts.append(re.escape(line[end : hole.start()]))
        parts.append(pattern_of(hole, bound, seen))
        end = hole.end()
    parts.append(re.escape(line[end:]))
    return re.compile("".join(parts))


def pattern_of(hole: re.Match[str], bound: dict[str, str], seen: set[str]) -> str:
    text, kind, name = hole[0], hole[1], hole[2]
    if name is None:
        return f"(?:{PLACEHOLDERS[kind]})"
    if text in bound:
        return re.escape(bound[text])
    if text in seen:
        return f"(?P={group(text)})"
    seen.add(text)
    return f"(?P<{group(text)}>{PLACEHOLDERS[kind]})"


def group(text: str) -> str:
    return re.sub(r"\W", "_", text)


def names(line: str, found: re.Match[str]) -> dict[str, str]:
    """Return the text that each named placeholder of a matched line stood for."""
    texts = {hole[0] for hole in HOLE.finditer(line) if hole[2]}
    groups = found.groupdict()
    return {text: groups[group(text)] for text in texts if group(text) in groups}


def difference(
    expected: tuple[str, ...], printed: list[str], bound: dict[str, str]
) -> str:
    """Return a diff in which expected lines that match are shown as printed."""
    left = list(printed)
    shown: list[str] = []
    for line in expected:
        pattern = expectation(line, bound)
        same = next((one for one in left if pattern.fullmatch(one)), None)
        if same is not None:
            left.remove(same)
        shown.append(line if same is None else same)
    lines = difflib.unified_diff(shown, printed, "the document", "printed", lineterm="")
    return "\n".join(lines)
