"""What is said to git and what git says, as plain values; nothing runs here.

Addresses, refs and refspecs are checked before they become arguments. What git
prints is cut to what a person needs, without secrets; `git_failures` makes
errors of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from koinii.errors import UsageError
from koinii.seat.redacting import redact as redact  # noqa: PLC0414 - used from here

ZERO = "0" * 40
SHALLOW = "shallow roots are not allowed"
NO_PARTS = "filtering not recognized by server"

# What a user sets on purpose to reach a remote. Every other GIT_* variable may
# come from a git that runs us (a hook, an alias) and speaks of its repository.
_KEPT = frozenset(
    {
        "GIT_ASKPASS",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_PROXY_COMMAND",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSH_VARIANT",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_SSL_CERT",
        "GIT_SSL_KEY",
        "GIT_TERMINAL_PROMPT",
    }
)
_MAX_ADDRESS = 4096
_MAX_WORDS = 2000
_OID = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"^[0-9a-f]{64}\t", re.MULTILINE)
_REF = re.compile(r"(?!.*\.\.)refs(/(?!\.)[A-Za-z0-9._-]+(?<!\.lock)(?<!\.))+")
_PROGRESS = re.compile(r"(remote: )?[A-Z][a-z]+( [a-z]+)*: +(\d+% \(|\d+[,.]|\d+$)")


class Pushed(NamedTuple):
    """What git says of one pushed ref; `flag` is `!` where it was refused."""

    flag: str
    summary: str
    reason: str


def environment(environ: Mapping[str, str], *, interactive: bool) -> dict[str, str]:
    """Return the variables git runs with: the user's, none of another git."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in _KEPT
    }
    kept.pop("LANGUAGE", None)
    kept["LC_ALL"] = "C"
    kept["GIT_NO_LAZY_FETCH"] = "1"
    if not interactive:
        kept["GIT_TERMINAL_PROMPT"] = "0"
    return kept


def unasked(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a git that opens no window to ask in, nor does ssh."""
    return {
        **environ,
        "GCM_INTERACTIVE": "never",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
    }


def check_url(url: str) -> None:
    """Refuse an address that git could take for an option or a relative path."""
    bad = url.startswith("-") or not url.isprintable() or len(url) > _MAX_ADDRESS
    before_slash = url.split("/", maxsplit=1)[0]
    relative = not url.startswith("/") and ":" not in before_slash
    if bad or relative or not url:
        raise UsageError(
            f"{redact(url)!r} is no address of a remote",
            code="koinii/bad-address",
            hint="give an absolute path, or an address of ssh, https or git",
            url=redact(url),
        )


def check_ref(ref: str) -> None:
    """Refuse a name that is not `refs/…` in plain ASCII parts."""
    if not _REF.fullmatch(ref):
        raise UsageError(f"{ref!r} is no name of a ref", code="koinii/bad-ref", ref=ref)


def check_refspec(refspec: str) -> None:
    """Refuse a refspec whose sides are not both refs; `*` may end both."""
    sides = refspec.removeprefix("+").split(":")
    stars = {side.endswith("/*") for side in sides}
    if len(sides) != len("ab") or len(stars) != 1:
        raise UsageError(f"{refspec!r} is no refspec", code="koinii/bad-ref")
    for side in sides:
        check_ref(side.removesuffix("/*"))


def check_oid(oid: str) -> None:
    """Refuse what is no object id; it is a fault of ours."""
    if not _OID.fullmatch(oid):
        raise AssertionError(f"{oid!r} is no object id")


def words_of(output: str) -> str:
    """Return what git and the server said, without progress and secrets."""
    lines = (line.rstrip().split("\r")[-1] for line in output.split("\n"))
    kept = [line for line in lines if line and not _PROGRESS.match(line)]
    return redact("\n".join(kept))[-_MAX_WORDS:]


def read_refs(output: str, pattern: str) -> dict[str, str]:
    """Return the refs that match out of the lines `<oid> TAB <ref>`."""
    refs = {}
    for line in output.split("\n"):
        oid, _, ref = line.partition("\t")
        if _OID.fullmatch(oid) and matches(ref, pattern):
            refs[ref] = oid
    return refs


def is_sha256(output: str) -> bool:
    """Tell whether the lines `<oid> TAB <ref>` are of a SHA-256 repository."""
    return _SHA256.search(output) is not None


def matches(ref: str, pattern: str) -> bool:
    """Tell whether a ref is the pattern, or is below it where it ends in `/*`."""
    if pattern.endswith("/*"):
        return ref.startswith(pattern[:-1]) and bool(_REF.fullmatch(ref))
    return ref == pattern


def read_porcelain(output: str, ref: str) -> Pushed | None:
    """Return what `git push --porcelain` says of the ref, or None if nothing."""
    for line in output.split("\n"):
        flag, _, rest = line.partition("\t")
        refs, _, summary = rest.partition("\t")
        if len(flag) == 1 and refs.endswith(f":{ref}"):
            summary, _, reason = summary.partition(" (")
            return Pushed(flag, summary, reason.removesuffix(")"))
    return None
