"""BC-073 on a disk that is really full: a small one, in a name space of its own.

Needs Linux, and the right to mount there: that of root, or user name spaces.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cases import test_crash
from cases.test_crash import VERBS
from faces.command import COMMAND

pytestmark = pytest.mark.check

TESTS = Path(__file__).parent.parent
NAME_SPACE = ["unshare", "--mount", *(["--map-root-user"] if os.getuid() else [])]
PROGRAM = """
import sys
from check.test_full_disk import on_a_small_disk
on_a_small_disk(sys.argv[1])
"""
LEFT = [0, 8, 40, 120, 400, 4_000]  # KiB that are free when the commands begin
SIZE = "10m"


def test_bc_073_each_command_on_a_full_disk_works_or_says_so(tmp_path: Path) -> None:
    words = [*NAME_SPACE, sys.executable, "-c", PROGRAM, str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONDONTWRITEBYTECODE": "1"}

    done = subprocess.run(words, capture_output=True, check=False, env=environ)

    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b"whole\n"


def on_a_small_disk(place: str) -> None:
    """Mount a small disk, fill it step by step, and do everything at each step."""
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "none", place], check=True
    )
    folder = Path(place)
    os.environ["KOINII_HOME"] = str(folder / "home")
    subprocess.run(["git", "init", "-q", "--bare", str(folder / "hub.git")], check=True)
    anna = test_crash.make_anna(folder, folder / "hub.git")
    told: dict[str, list[bool]] = {verb: [] for verb in VERBS}
    for step, left in enumerate(LEFT):
        for verb, words in zip(VERBS, test_crash.commands(step), strict=True):
            fill(folder, left << 10)
            told[verb].append(works(words, anna))
    assert not told["assert"][0]
    (folder / "fill").unlink()
    test_crash.check_whole(anna, told)
    print("whole")  # noqa: T201 - the answer


def fill(folder: Path, left: int) -> None:
    """Leave so many bytes free."""
    file = folder / "fill"
    file.unlink(missing_ok=True)
    found = os.statvfs(folder)
    with file.open("wb") as filling:
        os.posix_fallocate(filling.fileno(), 0, found.f_bavail * found.f_frsize - left)


def works(words: list[str], cwd: Path) -> bool:
    """Run a command; where it fails it is for no room, in so many words."""
    done = subprocess.run(
        [COMMAND, *words, "--json"],
        cwd=cwd,
        capture_output=True,
        check=False,
    )
    answer = json.loads(done.stdout)
    if answer["ok"]:
        assert done.returncode in (0, 7)
        return True
    error = answer["error"]
    assert done.returncode == 5, error
    said = error["message"].lower()
    assert error["code"] == "koinii/disk-full" or "no space left" in said, error
    return False
