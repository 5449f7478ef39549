"""The full command line: every verb, help, completion, and what is wrong.

`reading.py` reads a line, `commands.py` makes the commands from the table,
`advice.py` says what was meant, `topics.py` holds help on more than one verb.
"""

from koinii.faces.cli.reading import read_line

__all__ = ["read_line"]
