"""Git commits of a seat's ref: one spelling each, signed or not.

A commit says its tree, the commit before it, the seat and the time; author and
committer are the seat. `open_commit` accepts exactly what `commit_object` and
`sign_commit` write: it reads, writes again and compares.
"""

from __future__ import annotations

from typing import NamedTuple

from koinii.errors import VerificationError

_HINT = "nothing of it was taken; ask whose seat it is what wrote it"
_SIGNATURE = b"gpgsig "
_BEGIN = "-----BEGIN SSH SIGNATURE-----\n"
_END = "\n-----END SSH SIGNATURE-----\n"
_MAX_SECONDS = 1 << 40  # about the year 36,800


class Commit(NamedTuple):
    """What a commit says; that `armour` signs `signed` is not checked yet."""

    tree: str
    parent: str | None
    message: str
    seat_id: str
    seconds: int
    signed: bytes
    armour: str | None


def commit_object(
    tree: str, parent: str | None, message: str, seat_id: str, time_ms: int
) -> bytes:
    """Return the bytes of a commit; the time is UTC, cut to whole seconds."""
    return _payload(tree, parent, message, seat_id, time_ms // 1000)


def sign_commit(payload: bytes, armour: str) -> bytes:
    """Return the commit with its SSHSIG armour, as git itself would store it.

    The armour is of the namespace `git` over `payload`; git keeps it without its
    last newline.
    """
    header, _, message = payload.partition(b"\n\n")
    lines = armour.removesuffix("\n").encode("ascii").replace(b"\n", b"\n ")
    return b"%s\n%s%s\n\n%s" % (header, _SIGNATURE, lines, message)


def open_commit(data: bytes) -> Commit:
    """Read a commit of a seat; any other spelling is a `VerificationError`.

    The signature is not checked here: `tip.py` does.
    """
    try:
        commit = _parse(data)
    except (ValueError, IndexError) as fault:
        raise VerificationError(
            f"a git commit is not written as a seat writes it: {fault}",
            code="koinii/bad-commit",
            hint=_HINT,
        ) from fault
    again = commit.signed
    if commit.armour is not None:
        again = sign_commit(again, commit.armour)
    if again != data:
        raise VerificationError(
            "a git commit is not in its one spelling",
            code="koinii/bad-commit",
            hint=_HINT,
        )
    return commit


def _payload(
    tree: str, parent: str | None, message: str, seat_id: str, seconds: int
) -> bytes:
    who = f"koinii seat {seat_id} <seat@koinii> {seconds} +0000"
    lines = [f"tree {tree}"]
    if parent is not None:
        lines.append(f"parent {parent}")
    lines += [f"author {who}", f"committer {who}", "", message]
    text = "\n".join(lines)
    return (text if text.endswith("\n") else text + "\n").encode()


def _parse(data: bytes) -> Commit:
    header, _, message = data.partition(b"\n\n")
    lines = header.decode("ascii").split("\n")
    tree = _field(lines.pop(0), "tree ")
    parent = None
    if lines[0].startswith("parent "):
        parent = _hex(_field(lines.pop(0), "parent "), 40)
    words = _field(lines.pop(0), "author ").split(" ")
    lines.pop(0)
    seat_id, seconds = _hex(words[2], 32), int(words[4])
    if not 0 <= seconds < _MAX_SECONDS:
        raise ValueError("a time out of range")
    armour = None
    if lines:
        armour = _field("\n".join(lines), "gpgsig ").replace("\n ", "\n") + "\n"
        if not (armour.startswith(_BEGIN) and armour.endswith(_END)):
            raise ValueError("a signature that is no SSHSIG")
    text = message.decode()
    signed = _payload(_hex(tree, 40), parent, text, seat_id, seconds)
    return Commit(tree, parent, text, seat_id, seconds, signed, armour)


def _field(line: str, name: str) -> str:
    if not line.startswith(name):
        raise ValueError(f"no {name.strip()} where one belongs")
    return line.removeprefix(name)


def _hex(text: str, length: int) -> str:
    if len(text) != length or set(text) - set("0123456789abcdef"):
        raise ValueError("a name that is no hash")
    return text
