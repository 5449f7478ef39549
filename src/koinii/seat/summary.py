"""The README of a seat's ref: what a person finds there, and how to check it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from koinii.history.record import CommitRecord


def summary(record: CommitRecord, head: bytes) -> str:
    """Return the page for the newest commit."""
    return f"""# Seat {record.seat}

Commit {record.number} believes {record.size} claims: `{record.commit_id}`.
The history's head over {record.number} commits is `{head.hex()}`.

What each agent claims stands in `agents/<Agent>/claims/<Context>/`, one claim a
line; `git log -p` reads like the conversation. `- ` takes a claim back.

| file | what it is |
|---|---|
| `checkpoint` | the signed head of the history (C2SP checkpoint) |
| `history/entries/` | its records, 256 a file, each two bytes of length and CBOR |
| `manifest` | SHA-256, size and path of each file; the newest record binds it |
| `agents/<Agent>/authored` | the agent's signature under the root of its claims |
| `agents/<Agent>/contexts` | the root and number of its claims in each context |
| `agents/<Agent>/statements` | the agent's introduction with its key |
| `seat.pub` | this seat's key; the seat's name is the start of its SHA-256 |

The newest git commit is signed by that key. With git, OpenSSH and this ref at hand:

```sh
ref=refs/koinii/seats/{record.seat}
git show $ref:seat.pub > seat.pub
echo "{record.seat} namespaces=\\"git\\" $(cat seat.pub)" > allowed_signers
cut -d' ' -f2 seat.pub | base64 -d | tail -c 32 | sha256sum
git show -s --format='%an, %cn' $ref
git -c gpg.ssh.allowedSignersFile="$PWD/allowed_signers" verify-commit $ref
```

The sum begins with the seat's name, author and committer are this seat (git does not
compare them with the key), and the last command ends with exit code 0: trust that code,
not the text.
"""
