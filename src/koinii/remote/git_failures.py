"""What it means that git did not do what it was asked, as one of our errors.

The message says git's own reason, the line of its words that matters; all of
its words are in the details.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from koinii.errors import (
    KoiniiError,
    NotFoundError,
    SurroundingsError,
    VerificationError,
)
from koinii.remote.git_words import SHALLOW, Pushed, redact
from koinii.seat.clock import now_ms

COPIED = (
    "koinii recover takes over what the other copy pushed, and puts what was said "
    "here on top; koinii clone ADDRESS DIR --as AgentYou makes a seat of its own"
)

_LOCK = re.compile(
    r"(?:Unable to create|failed to lock file) '([^']+\.lock)'"
    r"(?:: File exists| for writing)"
)

_EMPTY = (
    "koinii/no-repository",
    "check the address; git init --bare DIRECTORY makes a repository where none is",
)
_NOT_SERVED = (
    "koinii/no-repository",
    "check the address; a server also answers so where it does not allow this: ask "
    "who runs it",
)
_NETWORK = "koinii/network", "check the network and the address, then try again"
_LOGIN = (
    "koinii/credentials",
    "credentials are needed: log in with git once (git ls-remote ADDRESS), or set "
    "up a credential helper or ssh key, then try again",
)
_OWNER = (
    "koinii/git-ownership",
    "the repository belongs to another user: if you trust it, run "
    "git config --global --add safe.directory DIRECTORY",
)
_FULL = "koinii/disk-full", "free some space and try again; nothing is lost"

_HOST_KEY = "koinii/host-key", "connect with ssh once"
_NOT_OFFERED = (
    "koinii/git-failed",
    "the server does not offer this by that address: ask who runs it",
)

# The first phrase found in git's words (lower case) names the failure.
_FAILURES: tuple[tuple[str, tuple[str, str]], ...] = (
    ("dubious ownership", _OWNER),
    ("no space left", _FULL),
    ("not allowed", ("koinii/transport", "use a path, ssh or https address")),
    ("host key verification failed", _HOST_KEY),
    ("service not enabled", _NOT_OFFERED),
    ("authentication failed", _LOGIN),
    ("could not read username", _LOGIN),
    ("could not read password", _LOGIN),
    ("terminal prompts disabled", _LOGIN),
    ("permission denied (", _LOGIN),
    ("error: 403", _LOGIN),
    ("could not resolve", _NETWORK),
    ("connection refused", _NETWORK),
    ("connection timed out", _NETWORK),
    ("connection reset", _NETWORK),
    ("unable to connect", _NETWORK),
    ("failed to connect", _NETWORK),
    ("network is unreachable", _NETWORK),
    ("does not appear to be a git repository", _EMPTY),
    ("not a git repository", _EMPTY),
    ("does not exist", _EMPTY),
    ("invalid gitfile", _EMPTY),
    ("not found", _NOT_SERVED),
    ("not exported", _NOT_SERVED),
    ("no such file or directory", _EMPTY),
    ("hung up", _NETWORK),
    ("unable to access", _NETWORK),
    ("early eof", _NETWORK),
    # in libgit2's words
    ("not owned by current user", _OWNER),
    ("could not find repository", _EMPTY),
    ("http status code: 404", _NOT_SERVED),
    ("http status code: 403", _LOGIN),
    ("http status code", _NETWORK),
    ("failed to resolve address", _NETWORK),
    ("ssl error", _NETWORK),
    ("from socket", _NETWORK),
)
# The connection ended, where nothing else is said.
_CUT = (
    "could not read from remote repository", "unexpected disconnect",
    "sideband demultiplexer", "bad pack header",
)  # fmt: skip
_UNKNOWN = "koinii/git-failed", "the words of git tell more"
_HOSTILE = (
    "fsck error", "index-pack", "unpack-objects", "bad object", "invalid pack",
    "out of memory", "extend packfile",
)  # fmt: skip
# The remote shows a ref and lacks, or cannot read, what the ref needs.
_BROKEN = re.compile(
    r"could not read [0-9a-f]{40}|object [0-9a-f]{40} not a (?:tree|commit|blob)"
    r"|bad tree object|not our ref|did not send all necessary objects"
    r"|pack-objects died|stored in \./objects\S*\) is corrupt"
)
# The ref has another value than the push was made for.
_MOVED = (" but expected ", "': reference already exists")
_OTHER_HASH = ("mismatched algorithms", "hash algorithm", "object format")

# Git, or libgit2, cannot read what somebody has set.
_SETTINGS = re.compile(
    r"bad (?:\w+ )?config (?:line|value|variable)"
    r"|unable to parse .*config|while reading the configuration files"
    r"|failed to parse config file",
    re.IGNORECASE,
)

# What git adds below the line that says why.
_ADDED = (
    "could not read from remote repository",
    "please make sure you have the correct access rights",
    "and the repository exists.",
    "the remote end hung up",
    "failed to push some refs",
)
_SAYS_WHY = ("fatal:", "error:", "remote:")


def needs_person(words: str) -> bool:
    """Tell whether git failed for what a person can answer."""
    return _known(words.lower()) in (_LOGIN, _HOST_KEY)


def bad_settings(doing: str, words: str, directory: Path) -> SurroundingsError | None:
    """Return the error for settings that cannot be read, None where it is not that.

    Those of the private repository in `directory` are not meant: they are ours.
    """
    lines = [line for line in words.split("\n") if _SETTINGS.search(line)]
    if not lines or str(directory) in lines[0]:
        return None
    return SurroundingsError(
        f"cannot {doing}: git says: {lines[0].removeprefix('fatal: ')}",
        code="koinii/git-config",
        hint="mend the file of settings that git names: git config --list "
        "--show-origin shows them",
        words=words,
    )


def refused(pushed: Pushed, ref: str, url: str, words: str) -> KoiniiError:
    """Return the error for a ref the remote did not take."""
    details: dict[str, Any] = {
        "ref": ref,
        "url": redact(url),
        "reason": pushed.reason,
        "words": words,
    }
    lock = _LOCK.search(words)
    if lock:
        return _locked(lock[1], ref, url, details)
    if pushed.reason == "stale info" or any(one in words for one in _MOVED):
        return KoiniiError(
            f"another copy of this seat pushed {ref}: {redact(url)} does not hold "
            "the value expected there",
            code="koinii/push-raced",
            hint=COPIED,
            **details,
        )
    return KoiniiError(
        f"{redact(url)} refused {ref}: {pushed.reason or pushed.summary}",
        code="koinii/push-refused",
        hint="the words of the server say why; ask who runs the remote",
        **details,
    )


def _locked(
    file: str, ref: str, url: str, details: Mapping[str, Any]
) -> SurroundingsError:
    """Return the error for a lock that lies at a remote, where it is left alone."""
    age = _age(file) if url.startswith(("/", "file://")) else None
    old = "" if age is None else f", {in_words(age)} ago"
    tells = f"ls -l {file} there tells its age; " if age is None else ""
    return SurroundingsError(
        f"{redact(url)} has a lock on {ref} from a push that runs or was killed{old}",
        code="koinii/remote-locked",
        hint=f"try again; {tells}if no push is running there, remove {file}",
        file=file,
        age=age,
        **details,
    )


def _age(file: str) -> int | None:
    """Return how many seconds ago a file was made, None where it is not there."""
    try:
        return max(0, now_ms() // 1000 - int(Path(file).stat().st_mtime))
    except OSError:
        return None


def in_words(seconds: int) -> str:
    """Return a span of time for people, cut to its largest unit."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}s"
    return "1 second" if seconds == 1 else f"{seconds} seconds"


def failed(doing: str, words: str, *, url: str = "", code: int = 1) -> KoiniiError:
    """Return the error for a git that ended without doing what was asked."""
    said = words.lower()
    details: dict[str, Any] = {"words": words, "url": redact(url), "exit": code}
    lock = _LOCK.search(words)
    if lock:
        return SurroundingsError(
            f"cannot {doing}: {lock[1]} is there, of a git that runs or was killed",
            code="koinii/git-locked",
            hint="try again; if it stays: koinii doctor --fix",
            file=lock[1],
            **details,
        )
    if SHALLOW in words:
        return KoiniiError(
            f"cannot {doing}: the history there is cut short",
            code="koinii/shallow",
            hint="complete it there: git fetch --unshallow",
            **details,
        )
    if "couldn't find remote ref" in said:
        return NotFoundError(
            f"cannot {doing}: the ref is not there", code="koinii/no-ref", **details
        )
    if any(phrase in said for phrase in _OTHER_HASH):
        return other_hash(doing, url, words=words)
    known = _known(said)
    hostile = known is None and any(phrase in said for phrase in _HOSTILE)
    if hostile or (_BROKEN.search(said) and "no space left" not in said):
        return VerificationError(
            f"cannot {doing}: the objects that came are damaged, not allowed or "
            "beyond the limits",
            code="koinii/bad-objects",
            **details,
        )
    is_cut = any(phrase in said for phrase in _CUT)
    name, hint = known or (_NETWORK if is_cut else _UNKNOWN)
    return SurroundingsError(
        f"cannot {doing}: {reason_of(words)}", code=name, hint=hint, **details
    )


def other_hash(doing: str, url: str, **details: object) -> SurroundingsError:
    """Return the error for a repository whose objects have SHA-256 names."""
    return SurroundingsError(
        f"cannot {doing}: it is a SHA-256 repository, and seats meet in SHA-1 ones",
        code="koinii/other-hash",
        hint="make another: git init --bare --object-format=sha1 DIRECTORY",
        **{"url": redact(url), **details},
    )


def reason_of(words: str) -> str:
    """Return the line that says why: the first known one, or the first error.

    What git adds to every failure counts only where nothing else was said.
    """
    lines = [line.strip() for line in words.split("\n") if line.strip()]
    own = [line for line in lines if not _is_added(line)] or lines[:1]
    known = (line for phrase, _ in _FAILURES for line in own if phrase in line.lower())
    errors = (line for line in own if line.lower().startswith(_SAYS_WHY))
    found = (
        next(known, None) or next(errors, None) or next(iter(own), "git gave no reason")
    )
    return found.removeprefix("fatal: ").removeprefix("error: ")


def _known(said: str) -> tuple[str, str] | None:
    """Return the code and the hint of what git said in lower case, if it is known."""
    return next((known for phrase, known in _FAILURES if phrase in said), None)


def _is_added(line: str) -> bool:
    said = line.lower()
    return any(phrase in said for phrase in _ADDED)
