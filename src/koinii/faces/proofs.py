"""Checking a proof as it was typed: which form it has, and what it is held to.

An argument that could agree with no proof is a UsageError that names it; a proof
that does not hold is a result.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

import koinii
from koinii.errors import KoiniiError, UsageError, VerificationError
from koinii.history.document import Fields, read
from koinii.history.headproof import KIND, is_head
from koinii.history.stateproof import not_shown
from koinii.history.tlogproof import parse_tlog, verify_tlog
from koinii.history.verdict import Verification
from koinii.merkle import leaf_hash
from koinii.note.base64_text import from_base64
from koinii.note.checkpoint import SEAT_ORIGIN, parse_checkpoint, seat_id, seat_verifier
from koinii.note.keys import PublicKey, read_public_key
from koinii.note.signed import parse_note

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

Read = TypeVar("Read")

_TLOG = "c2sp.org/tlog-proof@"
_ENVELOPE = re.compile(r'\s*\{\s*"schema_version"\s*:')
_ROOT = re.compile("sha256:[0-9a-f]{64}")


def check(
    text: str,
    root: str | None,
    head: str | None,
    keys: list[str],
    *,
    entries: list[bytes],
    since: str | None,
) -> dict[str, Any]:
    """Return what held of a JSON proof, a tlog-proof or a head, and what did not."""
    _check_root(root)
    for option, given in (("--head", head), ("--since", since)):
        if given is not None:
            _as_argument(option, "signed checkpoint", _read_head, given)
    known = [key for lines in keys for key in _read_keys(lines)]
    if _ENVELOPE.match(text):
        raise UsageError(
            "this is the answer of a command under --json; the proof is its data",
            hint="write the proof without --json: koinii prove LOCATOR > proof.json",
            parameter="PROOF",
        )
    if is_head(text):
        found = koinii.verify(
            text, root=root, head=head, keys=known, entries=entries, since=since
        )
        return {**asdict(found), "not_shown": list(not_shown(KIND) if found.ok else ())}
    if entries or since is not None:
        raise UsageError(
            "records and an older head go with a head, not with a proof",
            hint="koinii verify CHECKPOINT --key FILE --entries FILE",
            parameter="--entries" if entries else "--since",
        )
    try:
        document = _inner(text) if text.startswith(_TLOG) else text
        found = koinii.verify(document, root=root, head=head, keys=known or None)
        if found.ok and document is not text:
            found.checked.append(_check_outer(text, read(document)))
    except VerificationError as refusal:
        found = Verification(ok=False, reason=refusal.message)
    kind = read(document).text("kind") if found.ok else ""
    return {**asdict(found), "not_shown": list(not_shown(kind))}


def _inner(text: str) -> bytes:
    """Return the state proof that a tlog-proof of ours carries."""
    extra = parse_tlog(text).extra
    if extra is None:
        raise VerificationError("the tlog-proof carries no state proof")
    return extra


def _check_outer(text: str, fields: Fields) -> str:
    """Check the tlog-proof around a state proof that holds; both have one head."""
    proof, key = parse_tlog(text), read_public_key(fields.text("key"))
    if _read_head(proof.checkpoint) != _read_head(fields.text("head")):
        raise VerificationError("the tlog-proof's checkpoint is not the proof's head")
    leaf = leaf_hash(from_base64(fields.text("record")))
    verify_tlog(proof, leaf, [seat_verifier(key)], origin=SEAT_ORIGIN + seat_id(key))
    return "the tlog-proof leads from the record to the same head"


def _check_root(root: str | None) -> None:
    if root is not None and not _ROOT.fullmatch(root):
        raise UsageError(
            f"--root takes a commit id, sha256: and 64 hex digits, not {root[:80]!r}",
            hint="koinii log shows the commit ids of a seat",
            parameter="--root",
        )


def _read_head(text: str) -> str:
    """Return what a checkpoint's signatures are over."""
    signed = parse_note(text.encode()).claimed_text
    parse_checkpoint(signed)
    return signed


def _read_keys(text: str) -> list[PublicKey]:
    lines = [line.strip() for line in text.split("\n") if line.strip()] or [""]
    return [
        _as_argument("--key", "file of OpenSSH public key lines", read_public_key, line)
        for line in lines
    ]


def _as_argument(
    option: str, what: str, reader: Callable[[str], Read], text: str
) -> Read:
    """Return what an option's text reads as; what it cannot be is a usage error."""
    try:
        return reader(text)
    except KoiniiError as fault:
        raise UsageError(
            f"{option} takes a {what}: {fault.message}",
            hint="koinii help verify",
            parameter=option,
        ) from fault
