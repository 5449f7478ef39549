"""`docs/operations.md`, made from the table: `python -m koinii.faces.page`."""

from __future__ import annotations

import sys

from koinii.faces.operations import OPERATIONS, Operation, Parameter

_HEAD = """\
# Operations

Made from the table in `src/koinii/faces/operations.py` by
`python -m koinii.faces.page > docs/operations.md`; a test compares the two.

Every verb also takes `-C DIR`, `--json` (or `--format json`), `-q`, `-v`,
`--color`, `--no-input` and `--help`, before or after its name; those that say so
take `--dry-run`, which does the work, shows the result and undoes it. `--` ends
options; `-` is standard input where a table says so. `koinii help TOPIC` tells of
`coordination`, `exit-codes`, `formats`, `rules`, `settings` and the `threat-model`.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([_HEAD, *map(_section, OPERATIONS)])


def _section(operation: Operation) -> str:
    examples = "\n".join(operation.examples)
    rows = "".join(map(_row, operation.parameters))
    table = (
        f"\n| argument | takes | what |\n| --- | --- | --- |\n{rows}" if rows else ""
    )
    return (
        f"## `koinii {operation.usage}`\n\n{operation.summary}\n\n"
        f"```text\n{examples}\n```\n{table}\n"
        f"Result: {operation.result}.{_remarks(operation)}\n"
    )


def _row(one: Parameter) -> str:
    notes = [one.help]
    if one.repeatable:
        notes.append("may be given several times")
    if one.default is not None:
        notes.append(f"default `{one.default}`")
    takes = f"`{one.takes}`".replace("|", "\\|") if one.takes else ""
    return f"| `{one.spelling}` | {takes} | {'; '.join(notes)} |\n"


def _remarks(operation: Operation) -> str:
    remarks = ""
    if operation.writes:
        remarks += " It writes"
        remarks += "; takes `--dry-run`." if operation.rehearsed else "."
    if operation.partial is not None:
        remarks += " Exit code 7 where it was done in part."
    return remarks


if __name__ == "__main__":
    sys.stdout.write(page())
