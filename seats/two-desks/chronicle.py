"""Print the history of a git repository, one sentence a line.

(committedAt C<12 hex> ms)      when a commit was made
(committedBy C<12 hex> "name")  who made it
(changed C<12 hex> "path")      which files it changed
(lastChanged "path" C<12 hex>)  the newest commit of each file
(declares "pyproject.toml" X)   what the project says it depends on
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

LOG = ("log", "--no-renames", "--name-only", "-z", "--format=%x01%H%x02%ct%x02%an%x02")


def history(repository: Path) -> list[tuple[str, int, str, list[str]]]:
    """Return (commit, seconds, author, files), the newest first."""
    done = subprocess.run(
        ["git", "-C", str(repository), *LOG], capture_output=True, check=True
    )
    commits = []
    for entry in done.stdout.decode(errors="replace").split("\x01")[1:]:
        commit, seconds, author, files = entry.split("\x02")
        names = [name for name in re.split(r"[\0\n]", files) if name]
        commits.append((commit, int(seconds), author, names))
    return commits


def text(value: str) -> str:
    """Return a string as a sentence spells it."""
    plain = "".join(char for char in value if char.isprintable())
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def sentences(repository: Path) -> list[str]:
    """Return what the history and the project file say."""
    lines, seen = [], set()
    for commit, seconds, author, files in history(repository):
        name = f"C{commit[:12]}"
        lines.append(f"(committedAt {name} {seconds * 1000})")
        lines.append(f"(committedBy {name} {text(author)})")
        for file in files:
            lines.append(f"(changed {name} {text(file)})")
            if file not in seen:
                seen.add(file)
                lines.append(f"(lastChanged {text(file)} {name})")
    return lines + declared(repository / "pyproject.toml")


def declared(file: Path) -> list[str]:
    """Return what a project file depends on."""
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[^A-Za-z0-9_.-]", one)[0] for one in project["dependencies"]]
    return [f'(declares "pyproject.toml" {name.lower()})' for name in names]


if __name__ == "__main__":
    print("\n".join(sentences(Path(sys.argv[1]))))
