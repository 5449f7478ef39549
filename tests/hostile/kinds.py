"""The kit: kinds of bad refs that a hostile seat, or a hostile remote, can show.

Each is one good ref (`good.py`: two agents, several contexts, two commits, rules,
edges, replies and masks), made bad in one way and signed again with the seat's own
keys wherever that is the harder case. `test_kinds.py` pulls every one of them over
real git, by a reader who knows the seat and by one who has met nobody, beside an
honest seat with new claims. `amounts.py` has those that are about size; they are
pulled by a program of its own, whose memory is measured.

| file | what is bad |
| --- | --- |
| `heads.py` | the signed head: its signature, origin, size, root; old and forked ones |
| `tips.py` | the git commit that the ref points at, and what is no commit |
| `trees.py` | git trees, names and paths, files beside the claims |
| `records.py` | records as bytes and as numbers; the history; the manifest |
| `authors.py` | an author's files, sets, signatures, keys and names |
| `statements.py` | rotations, grants, revocations, made-up admins |
| `lines.py` | claim lines; structure without standing; what is right all the same |
| `amounts.py` | bombs, lengths that are not there, ten thousand agents |

What has to become of a kind is one of three (`kind.py`): `Refused`, a seat or one of
its authors stays where it was; `Held`, a line alone has no effect; `Taken`, nothing is
wrong with it, and what was there before is as it was.
"""

from __future__ import annotations

from hostile import authors, heads, lines, records, statements, tips, trees

KINDS = [
    *heads.KINDS,
    *tips.KINDS,
    *trees.KINDS,
    *records.KINDS,
    *authors.KINDS,
    *statements.KINDS,
    *lines.KINDS,
]
