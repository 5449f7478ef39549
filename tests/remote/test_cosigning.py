"""Seats sign each other's heads, and a pull compares them with what it shows."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.history.cosigned import open_cosigned, read_cosigned
from koinii.history.evidence import MAX_HEAD
from koinii.merkle import root as tree_root
from koinii.note import Checkpoint, Signer, sign_checkpoint
from koinii.remote.forks import FORKED
from koinii.remote.heads import BEHIND, TOO_FEW, WENT_BACK
from koinii.remote.publish import SEATS
from koinii.seat.instance import COPIED, kept_head
from koinii.seat.own_key import own_key
from koinii.seat.publishing import Draft
from remote.conftest import Plain
from remote.desks import Clock, room, shown, take
from remote.liars import Remote, number_of, said_by_eve, sync_until_still


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def remote(tmp_path: Path, bare: Path, plain: Plain) -> Iterator[Remote]:
    made = Remote(tmp_path, bare, plain)
    yield made
    made.close()


def cosigned_by(seat: RemoteSeat) -> dict[str, int]:
    """Return the size of the newest head of each seat that one has cosigned."""
    found = {}
    for path, body in shown(seat).items():
        if path.startswith("cosigned/"):
            other = path.removeprefix("cosigned/")
            key = own_key(seat).public
            said = open_cosigned(read_cosigned(body), key, seat=other)
            assert said.head is not None
            found[other] = said.head.checkpoint.size
    return found


def tip_of(remote: Remote, seat: RemoteSeat) -> str:
    return remote.plain(remote.bare, "rev-parse", SEATS + seat.id)


def put_back(remote: Remote, seat: RemoteSeat, tip: str) -> None:
    remote.plain(remote.bare, "update-ref", SEATS + seat.id, tip)


# Commits ----------------------------------------------------------------------


def test_a_commit_carries_the_heads_that_have_moved(remote: Remote) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    anna.sync()
    bert.sync()

    assert cosigned_by(anna) == {}
    assert cosigned_by(bert) == {anna.id: 1}

    anna.assert_("(more Anna)")
    anna.sync()
    assert cosigned_by(anna) == {bert.id: 1}
    bert.pull()
    assert cosigned_by(bert) == {anna.id: 1}, "not before there is a commit"
    bert.assert_("(more Bert)")
    assert bert.commit()
    assert cosigned_by(bert) == {anna.id: 2}


def test_two_seats_that_sync_for_ever_without_news_make_no_commits(
    remote: Remote,
) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    sync_until_still([anna, bert])
    numbers = [len(seat.log()) for seat in (anna, bert)]

    for _ in range(3):
        for seat in (anna, bert):
            pulled, commit, pushed = seat.sync()
            assert pulled.whole
            assert (commit, pushed.moved) == (None, False)

    assert [len(seat.log()) for seat in (anna, bert)] == numbers


def test_a_commit_for_the_cosignatures_alone_says_when(remote: Remote) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    sync_until_still([anna, bert])
    assert bert.commit() is None
    (before,) = [r for r in bert.heads.cosignatures() if r.cosigner == bert.id]

    commit = bert.commit(cosign=True)

    assert commit is not None
    (after,) = [r for r in bert.heads.cosignatures() if r.cosigner == bert.id]
    assert after.size == number_of(bert, anna.id)
    assert after.time >= before.time
    bert.push()
    assert anna.pull().whole
    assert anna.commit() is None


def test_a_seat_that_has_met_nobody_has_nothing_to_cosign(remote: Remote) -> None:
    anna = remote.sit("Anna")
    assert anna.commit()

    assert anna.commit(cosign=True) is None


def test_own_cosignatures_by_others_are_known(remote: Remote) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    sync_until_still([anna, bert])

    rows = [row for row in anna.heads.cosignatures() if row.seat == anna.id]

    assert [(row.cosigner, row.size) for row in rows] == [(bert.id, 1)]


# Pulls ------------------------------------------------------------------------


def test_bc_060_a_third_seat_tells_that_a_remote_is_behind(remote: Remote) -> None:
    """Who was never there before sees an older state, and that Bert saw a newer."""
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    anna.sync()
    old = tip_of(remote, anna)
    anna.assert_("(more Anna)")
    anna.sync()
    bert.sync()
    put_back(remote, anna, old)
    cleo = remote.sit("Cleo")

    pulled = cleo.pull()

    (trouble,) = pulled.troubles
    assert (trouble.seat, trouble.code) == (anna.id, BEHIND)
    assert f"{bert.id} has cosigned commit 2 of seat {anna.id}" in trouble.reason
    assert "shows 1" in trouble.reason
    assert number_of(cleo, anna.id) == 1
    assert cleo.pull().troubles == pulled.troubles, "until it is so no more"
    anna.push()
    assert not cleo.pull().troubles


def test_bc_020_a_third_seat_tells_of_two_histories_it_saw_one_of(
    remote: Remote,
) -> None:
    """Bert cosigned a head of the one history; Cleo is shown the other alone."""
    liar = remote.liar
    liar.begin("(eve Shared1)")
    liar.part("x", "(eve X1)")
    liar.part("y", "(eve Y1)", "(eve Y2)")
    bert = remote.sit("Bert")
    remote.show("x")
    bert.sync()
    remote.show("y")
    cleo = remote.sit("Cleo")

    (trouble,) = cleo.pull().troubles

    assert trouble.code == FORKED
    row = cleo.heads.fork(liar.id)
    assert row is not None
    assert row.prefix is None, "the leaves of the other history are not here yet"
    bert.sync()
    assert said_by_eve(bert) == {"Shared1"}
    cleo.pull()
    row = cleo.heads.fork(liar.id)
    assert row is not None
    assert row.prefix == 1
    assert said_by_eve(cleo) == {"Shared1"}


def test_somebody_has_cosigned_what_is_not_our_history(
    remote: Remote, tmp_path: Path
) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    anna.sync()
    shutil.copytree(anna.layout.directory, tmp_path / "backup")
    old = tip_of(remote, anna)
    anna.assert_("(more Anna)")
    anna.sync()
    bert.sync()
    put_back(remote, anna, old)

    with koinii.open(str(tmp_path / "backup"), now=Clock()) as backup:
        backup.home = tmp_path / "another"
        troubles = backup.pull().troubles

    (trouble,) = troubles
    assert (trouble.seat, trouble.code) == (anna.id, COPIED)
    assert f"{bert.id} has cosigned commit 2" in trouble.reason


def test_a_bad_file_refuses_itself_alone(remote: Remote) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    sync_until_still([anna, bert])
    bert.commit(cosign=True)
    _write(bert, f"cosigned/{anna.id}", b"koinii.cosigned/v2\n\n")
    _write(bert, "cosigned/somebody", b"x\n")
    bert.assert_("(more Bert)")
    assert bert.commit()
    bert.push()

    pulled = anna.pull()

    paths = {one.path: one.code for one in pulled.troubles}
    assert paths == {
        f"cosigned/{anna.id}": "koinii/bad-cosigned",
        "cosigned/somebody": "koinii/bad-cosigned",
    }
    assert pulled.new == 1


def test_a_head_that_no_evidence_could_carry_is_refused(remote: Remote) -> None:
    """Else a seat could tell two histories, and nobody could show it."""
    bert = remote.sit("Bert")
    bert.commit()
    files = shown(bert)
    origin = files["checkpoint"].decode().split("\n")[0]
    head = bert.histories.head(bert.id)
    assert head is not None
    top = tree_root(bert.histories.leaves(bert.id))
    long = Checkpoint(origin, head.size, top, ("x" * MAX_HEAD,))
    signed = sign_checkpoint(long, [Signer.of(origin, own_key(bert))])

    with pytest.raises(VerificationError, match=f"more than {MAX_HEAD} bytes"):
        take(remote.sit("Anna"), {**files, "checkpoint": signed}, bert.id)


def _write(seat: RemoteSeat, path: str, body: bytes) -> None:
    """Put a file into a seat's tree for its next commit."""
    head = seat.histories.head(seat.id)
    assert head is not None
    with seat.database.write():
        Draft(seat.files, head.size + 1).write(path, body)


# Heads kept outside -----------------------------------------------------------


def test_a_restored_store_does_not_take_an_older_history_for_the_newest(
    remote: Remote, tmp_path: Path
) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    anna.sync()
    old = tip_of(remote, anna)
    shutil.copytree(bert.layout.directory, tmp_path / "backup")
    anna.assert_("(more Anna)")
    anna.sync()
    bert.pull()
    kept = kept_head(bert, anna.id)
    assert kept is not None
    assert kept.split("\n")[1] == "2"
    put_back(remote, anna, old)

    with koinii.open(str(tmp_path / "backup"), now=Clock()) as backup:
        for _ in range(2):
            (trouble,) = backup.pull().troubles
            assert (trouble.seat, trouble.code) == (anna.id, WENT_BACK)
            assert f"commit 2 of seat {anna.id} was seen" in trouble.reason
            assert number_of(backup, anna.id) == 0
        anna.push()
        assert not backup.pull().troubles


def test_a_restored_store_meets_another_history(remote: Remote, tmp_path: Path) -> None:
    liar = remote.liar
    liar.begin("(eve Shared1)")
    liar.part("x", "(eve X1)")
    liar.part("y", "(eve Y1)", "(eve Y2)")
    bert = remote.sit("Bert")
    shutil.copytree(bert.layout.directory, tmp_path / "backup")
    remote.show("x")
    bert.pull()
    remote.show("y")

    with koinii.open(str(tmp_path / "backup"), now=Clock()) as backup:
        (trouble,) = backup.pull().troubles

        assert trouble.code == FORKED
        assert said_by_eve(backup) == set()


# As many as are required ------------------------------------------------------


def test_a_head_that_too_few_have_cosigned_is_not_applied(remote: Remote) -> None:
    anna, bert, cleo = (remote.sit(name) for name in ("Anna", "Bert", "Cleo"))
    anna.sync()

    pulled = cleo.pull(require_cosigners=1)

    (trouble,) = pulled.troubles
    assert (trouble.seat, trouble.code) == (anna.id, TOO_FEW)
    assert pulled.received == 0
    assert number_of(cleo, anna.id) == 0
    bert.sync()
    pulled = cleo.pull(require_cosigners=1)
    assert [(one.seat, one.code) for one in pulled.troubles] == [(bert.id, TOO_FEW)]
    assert number_of(cleo, anna.id) == 1
    assert number_of(cleo, bert.id) == 0


def test_our_own_cosignature_and_an_old_one_do_not_count(remote: Remote) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    clock = Clock()
    cleo = remote.sit("Cleo", clock)
    sync_until_still([anna, bert, cleo])
    bert.commit(cosign=True)
    bert.push()
    cleo.pull()
    cleo.commit(cosign=True)
    assert _lacking(cleo, max_age=3600, cosigners=2) == {anna.id, bert.id}
    assert _lacking(cleo, max_age=3600) == {bert.id}

    clock.now += 7_200_000

    assert _lacking(cleo, max_age=3600) == {anna.id, bert.id}
    assert _lacking(cleo, max_age=86_400) == {bert.id}


def _lacking(seat: RemoteSeat, max_age: int, cosigners: int = 1) -> set[str]:
    pulled = seat.pull(require_cosigners=cosigners, max_age=max_age)
    assert {one.code for one in pulled.troubles} <= {TOO_FEW}
    return {one.seat for one in pulled.troubles}


# What is shown ------------------------------------------------------------------


def test_status_and_peers_show_who_has_cosigned_what(remote: Remote) -> None:
    anna, bert = remote.sit("Anna"), remote.sit("Bert")
    sync_until_still([anna, bert])

    (mine,) = anna.status().cosigned
    assert (mine.seat, mine.number) == (bert.id, 1)
    assert mine.time // 1_000_000 == 1_700_000, "in milliseconds"
    (peer,) = bert.peers()
    assert [(one.seat, one.number) for one in peer.cosigned] == [(bert.id, 1)]
    assert peer.fork is None
    bert.unfollow(anna.id)
    anna.unfollow(bert.id)
    assert anna.status().cosigned == []


def test_status_and_peers_show_both_heads_of_a_fork(remote: Remote) -> None:
    liar = remote.liar
    liar.begin("(eve Shared1)")
    liar.part("x", "(eve X1)")
    liar.part("y", "(eve Y1)", "(eve Y2)")
    anna = remote.sit("Anna")
    for name in "xy":
        remote.show(name)
        anna.pull()

    (fork,) = anna.status().forks

    assert fork.seat == liar.id
    assert [one.number for one in fork.heads] == [2, 3]
    assert (fork.prefix, fork.decided) == (1, False)
    (peer,) = anna.peers()
    assert peer.fork == fork
    path = str(anna.layout.directory)
    anna.close()
    status, code = told(path, "status")
    assert "signed two histories, with the heads 2 sha256:" in status
    assert "the same up to commit 1" in status
    assert code == 0
    assert "the same up to commit 1" in told(path, "peers")[0]
    told(path, "follow", liar.id)
    pulled, code = told(path, "pull", "--require-cosigners", "1")
    assert "cosignatures of followed seats, and 1 is required" in pulled
    assert code == 7
    told(path, "pull")
    assert "and is followed all the same" in told(path, "peers")[0]


def told(path: str, *words: str) -> tuple[str, int]:
    """Return what a command prints, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "koinii", "-C", path, *words],
        capture_output=True,
        check=False,
        text=True,
    )
    return done.stdout + done.stderr, done.returncode
