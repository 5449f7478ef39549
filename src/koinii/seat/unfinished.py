"""What is made beside its place and moved there: `<place>.<process>.part`."""

from __future__ import annotations

import os
import shutil

UNFINISHED = ".part"


def unfinished(place: str) -> str:
    """Return where this process makes what shall be at `place`."""
    return f"{place}.{os.getpid()}{UNFINISHED}"


def clear_unfinished(place: str) -> None:
    """Take away what attempts at `place` left behind whose processes are gone."""
    directory, base = os.path.split(place)
    for name in os.listdir(directory or "."):
        process = name.removeprefix(base + ".").removesuffix(UNFINISHED)
        if name != f"{base}.{process}{UNFINISHED}" or not process.isdecimal():
            continue
        if int(process) == os.getpid() or not _runs(int(process)):
            _remove(os.path.join(directory, name))


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
