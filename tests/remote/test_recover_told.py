"""What a recovery tells: whose the ref is, what is kept, where else, and whose keys."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError, UsageError, VerificationError
from koinii.remote.publish import SEATS
from remote.conftest import Plain
from remote.desks import Clock, room
from remote.forging import store_commit


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def seat(tmp_path: Path, bare: Path) -> Iterator[RemoteSeat]:
    path = str(tmp_path / "anna")
    with koinii.init(path, agent="AgentAnna", now=Clock()) as made:
        made.remotes.add("origin", str(bare))
        made.assert_("(a B)")
        made.commit()
        made.push()
        yield made


def test_a_forged_own_ref_is_named_and_a_push_mends_it(
    seat: RemoteSeat, bare: Path, plain: Plain
) -> None:
    ref = SEATS + seat.id
    blob = plain(bare, "hash-object", "-w", "--stdin", data=b"junk")
    commit = store_commit(bare, seat.id, {"seat.pub": b"junk\n"})
    for oid in (blob, commit):
        plain(bare, "update-ref", ref, oid)

        with pytest.raises(VerificationError) as caught:
            seat.recover()

        assert ref in caught.value.message
        assert caught.value.hint.startswith("koinii push origin")
        assert seat.push().moved
        assert not seat.recover().moved


def test_kept_is_what_waits_for_the_next_commit(
    seat: RemoteSeat, tmp_path: Path
) -> None:
    assert seat.recover().kept == 0
    seat.assert_("(c D)")
    seat.assert_("(e F)")

    done = seat.recover()

    assert (done.moved, done.kept) == (False, 2)
    assert seat.status().uncommitted == 2


def test_this_directory_is_nowhere_else(seat: RemoteSeat, tmp_path: Path) -> None:
    """A backup that was put back where it came from."""
    backup = tmp_path / "backup"
    shutil.copytree(seat.layout.directory, backup)
    seat.assert_("(c D)")
    seat.commit()
    place = Path(seat.layout.directory)
    seat.close()
    shutil.rmtree(place)
    shutil.copytree(backup, place)

    with koinii.open(str(place), now=Clock()) as restored:
        with pytest.raises(KoiniiError) as caught:
            restored.push()
        assert caught.value.code == "koinii/seat-copied"
        assert restored.recover().elsewhere == ""

    shutil.copytree(backup, tmp_path / "copy")
    with koinii.open(str(tmp_path / "copy"), now=Clock()) as copy:
        assert copy.rehearse_recover().elsewhere == ""


def test_what_was_made_in_another_directory_is_told(
    seat: RemoteSeat, tmp_path: Path
) -> None:
    shutil.copytree(seat.layout.directory, tmp_path / "copy")
    seat.assert_("(c D)")
    seat.commit()

    with koinii.open(str(tmp_path / "copy"), now=Clock()) as copy:
        assert copy.recover().elsewhere == str(Path(seat.layout.directory).resolve())


@pytest.mark.parametrize("verb", ["assert", "edit", "load", "retract"])
def test_who_cannot_sign_is_refused_at_once_and_the_others_go_on(
    verb: str, seat: RemoteSeat
) -> None:
    seat.new_agent("AgentBert")
    said = seat.assert_("(from Bert)", agent="AgentBert")
    seat.commit()
    Path(seat.layout.agent_key("AgentBert")).unlink()

    with pytest.raises(KoiniiError) as caught:
        match verb:
            case "assert":
                seat.assert_("(more Bert)", agent="AgentBert")
            case "edit":
                seat.edit(add=["(more Bert)"], agent="AgentBert")
            case "load":
                seat.load(["(more Bert)"], agent="AgentBert")
            case _:
                seat.retract(said, agent="AgentBert")

    assert caught.value.code == "koinii/key-unreadable"
    assert seat.recover().keyless == ["AgentBert"]
    seat.assert_("(c D)")
    assert seat.commit() is not None


def test_an_age_of_cosignatures_needs_cosigners(seat: RemoteSeat) -> None:
    for verb in (seat.pull, seat.rehearse_pull, seat.sync):
        with pytest.raises(UsageError) as caught:
            verb(max_age=60)
        assert "--require-cosigners" in caught.value.hint
    assert seat.pull(require_cosigners=1, max_age=2**63 - 1).whole
    with pytest.raises(UsageError):
        seat.pull(require_cosigners=2**63)
