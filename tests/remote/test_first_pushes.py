"""Two seats push to a new remote at once; each writes the ref both need."""

from __future__ import annotations

from pathlib import Path

import koinii
from koinii.remote.remoteref import REMOTE_REF
from remote.conftest import Plain
from remote.desks import Clock
from remote.test_exchange_push import hook, refs, say

LATE = """\
test "$1" = refs/koinii/remote || exit 0
git update-ref refs/koinii/remote {value}
exit 1
"""


def test_the_other_seat_was_first(tmp_path: Path, bare: Path, plain: Plain) -> None:
    """The server's hook stands for the other push: same bytes, a moment earlier."""
    with koinii.init(str(tmp_path / "a"), agent="AgentAnna", now=Clock()) as seat:
        seat.remotes.add("origin", str(bare))
        say(seat, "(a B)")
        seat.push()
        value = refs(plain, bare)[REMOTE_REF]
        plain(bare, "update-ref", "-d", REMOTE_REF)

        hook(bare, LATE.format(value=value))
        seat.push()
        assert refs(plain, bare)[REMOTE_REF] == value

        plain(bare, "update-ref", "-d", REMOTE_REF)
        hook(bare, LATE.format(value=refs(plain, bare)[f"refs/koinii/seats/{seat.id}"]))
        assert not seat.push().face_written  # nor is junk taken for it
        (trouble,) = seat.pull().troubles
        assert trouble.code == "koinii/bad-remote"
