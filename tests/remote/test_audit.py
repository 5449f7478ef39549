"""Audit names the first input that is missing, and reads the remote alone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import koinii
from faces.command import koinii as typed
from koinii import RemoteSeat
from koinii.coordination.counts import resolve_by_majority
from koinii.errors import KoiniiError, VerificationError
from koinii.note import sign_ssh
from koinii.remote.commit import commit_object, open_commit, sign_commit
from koinii.remote.publish import own_ref, publish_whole
from koinii.remote.rebuilding import Audited
from koinii.remote.tip import NAMESPACE
from koinii.seat import committing
from koinii.seat.own_key import own_key
from koinii.terms import write
from remote.conftest import Plain
from remote.desks import Sit, carried, room, sitting


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def exchange(*seats: RemoteSeat) -> None:
    """Let everybody hear of everybody, and record it."""
    for one in (*seats, *seats):
        one.sync()


def audited(bare: Path, seat: RemoteSeat) -> list[Audited]:
    return list(koinii.audit_all(str(bare), seat.id))


def first_missing(found: list[Audited]) -> tuple[int, str, str]:
    """Return number, field and thing of the first commit that does not agree."""
    one = next(one for one in found if not one.equal)
    assert one.missing is not None
    assert one.missing.why
    assert one.missing.hint
    return one.number, one.missing.field, one.missing.what


# What agrees -------------------------------------------------------------------


def test_a_commit_is_rebuilt_from_its_remote(sit: Sit, bare: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    exchange(anna, bert)
    newest = anna.log(1)[0]
    found = koinii.audit(str(bare), anna.id)
    assert (found.seat, found.number, found.size) == (anna.id, newest.number, 2)
    assert (found.recorded, found.rebuilt) == (newest.id, newest.id)
    assert (found.equal, found.missing) == (True, None)
    first = koinii.audit(str(bare), f"{anna.id[:8]}@1")
    assert (first.number, first.size, first.equal) == (1, 1, True)
    assert first == koinii.audit(str(bare), anna.id[:8], 1)
    assert first == bert.audit(f"{anna.id}@1") == bert.audit(anna.id, 1, from_="origin")
    assert bert.audit(bert.id, from_=str(bare)).equal
    every = list(bert.audit_all(anna.id))
    assert [every[0], every[-1]] == [first, found]
    assert [*koinii.audit_all(str(bare), f"{anna.id}@1")] == [first]


def test_nothing_of_an_own_store_is_used(sit: Sit, bare: Path, tmp_path: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    exchange(anna, bert)
    before = audited(bare, anna)
    outside = sorted(Path(os.environ["KOINII_HOME"]).rglob("*"))
    for name in ("anna", "bert"):
        state = tmp_path / name / ".koinii"
        (state / "store.db").write_bytes(b"nothing" * 2000)
        shutil.rmtree(state / "git")
        shutil.rmtree(state / "keys")
    assert audited(bare, anna) == before
    done = typed("audit", anna.id[:8], "--json", cwd=tmp_path / "bert")
    assert (done.code, done.data[0]["rebuilt"]) == (0, before[-1].recorded)
    done = typed("audit", anna.id[:8], "--all", "--from", str(bare), cwd=tmp_path)
    assert (done.code, len(done.out.splitlines())) == (0, len(before))
    assert all(line.endswith(" rebuilt") for line in done.out.splitlines())
    assert sorted(Path(os.environ["KOINII_HOME"]).rglob("*")) == outside


def test_a_part_of_what_others_say_is_rebuilt_as_a_part(sit: Sit, bare: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.assert_("(is elsewhere)", context="CxPlain")
    exchange(bert, anna)
    anna.pull(contexts=["CxBert"])
    anna.assert_("(is elsewhere)", context="CxAnna")
    exchange(anna)
    anna.pull(everything=True)
    exchange(anna)
    sizes = [one.size for one in audited(bare, anna)]
    assert all(one.equal for one in audited(bare, anna))
    assert sizes == [1, 3, 3, 4]


def test_what_a_count_has_ruled_is_counted_again(sit: Sit, bare: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    anna.new_channel("CxDeploy")
    exchange(anna, bert)
    for one in (anna, bert):
        one.join("CxDeploy")
    sides = [
        anna.assert_("(runs Prod)", context="CxDeploy"),
        anna.assert_("(not (runs Prod))", context="CxDeploy"),
    ]
    exchange(anna, bert)
    votes = [
        one.assert_(f'(votesFor {agent} (sentexHandle "{sides[0]}"))')
        for one, agent in ((anna, "AgentAnna"), (bert, "AgentBert"))
    ]
    exchange(anna, bert)
    outcome = resolve_by_majority(anna, (sides[0], sides[1]), sides[0], "CxDeploy")
    assert outcome.outcome == "for"
    exchange(anna, bert)
    assert [write(one.sentence) for one in bert.believed("CxMajority")]
    bert.retract(votes[1])
    anna.retract(votes[0])
    exchange(anna, bert)
    assert not [*bert.believed("CxMajority")]
    for seat in (anna, bert):
        found = audited(bare, seat)
        assert [one.missing for one in found] == [None] * len(found)


def test_a_seat_that_was_taken_back_is_taken_back(
    sit: Sit, bare: Path, tmp_path: Path, plain: Plain
) -> None:
    """A seat whose second history was met goes back to what both share."""
    anna, bert = sit("anna"), sit("bert")
    bert.push()
    copy = carried(bert, tmp_path / "other")
    bert.assert_("(told here)")
    exchange(bert, anna)
    other = tmp_path / "other.git"
    plain(tmp_path, "init", "-q", "--bare", str(other))
    copy.remotes.add("other", str(other))
    copy.assert_("(told there)")
    copy.commit()
    copy.push("other")
    copy.close()
    anna.remotes.add("other", str(other))
    assert anna.pull("other").troubles
    anna.assert_("(is warned)")
    anna.commit()
    anna.push()
    found = audited(bare, anna)
    assert [one.missing for one in found] == [None] * len(found)
    assert [one.size for one in found][-2:] == [3, 3]


# What is missing ---------------------------------------------------------------


def test_a_seat_that_the_remote_does_not_show_any_more(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    exchange(anna, bert, cleo)
    plain(bare, "update-ref", "-d", own_ref(bert))
    found = audited(bare, anna)
    assert found[0].equal, "it had met nobody then"
    _, field, what = first_missing(found)
    assert field == "heads"
    assert bert.id in what
    assert not found[-1].equal


def test_an_old_tree_that_is_lost(sit: Sit, bare: Path) -> None:
    """A seat whose repository was lost shows its past in its history alone."""
    anna, bert = sit("anna"), sit("bert")
    exchange(anna, bert)
    publish_whole(anna, anna.git, "")
    anna.assert_("(goes on)")
    anna.commit()
    anna.push()
    found = audited(bare, anna)
    assert first_missing(found) == (1, "agents", f"commit 1 of seat {anna.id}")
    whole = [one.number for one in found if one.equal]
    assert whole == [len(found) - 1, len(found)]


def test_a_pin_that_was_decided(sit: Sit, bare: Path) -> None:
    anna, bert, cleo = sit("anna"), sit("bert"), sit("cleo")
    for one in (bert, cleo):
        one.new_agent("AgentTwin")
        one.assert_("(speaks twin)", agent="AgentTwin", context="CxPlain")
        one.commit()
        one.push()
    exchange(anna)
    (contest,) = anna.status().contested
    assert all(one.equal for one in audited(bare, anna))
    anna.trust_agent("AgentTwin", contest.other)
    exchange(anna)
    number, field, what = first_missing(audited(bare, anna))
    assert (number, field) == (anna.log(1)[0].number, "trust")
    assert contest.other in what


@pytest.mark.parametrize("order", [1, -1])
def test_two_seats_met_between_two_commits(sit: Sit, bare: Path, order: int) -> None:
    """Whichever of two keys of one name was met first, the digest tells."""
    anna, *others = sit("anna"), sit("bert"), sit("cleo")
    others.sort(key=lambda one: one.id)
    for one in others[::order]:
        one.new_agent("AgentTwin")
        one.assert_("(speaks twin)", agent="AgentTwin")
        one.commit()
        one.push()
        anna.pull()
    exchange(anna)
    assert [one.missing for one in audited(bare, anna)] == [None, None]


def test_a_seat_that_is_not_followed(sit: Sit, bare: Path) -> None:
    anna, bert = sit("anna"), sit("bert")
    exchange(anna, bert)
    number = anna.log(1)[0].number
    anna.unfollow(bert.id)
    exchange(anna)
    found = audited(bare, anna)
    assert first_missing(found) == (
        number + 1, "trust", f"seat {bert.id} was not followed",
    )  # fmt: skip
    anna.follow(bert.id)
    exchange(anna)
    assert audited(bare, anna)[-1].equal


@pytest.mark.parametrize("whose", ["anna", "bert"])
def test_a_flipped_segment(sit: Sit, bare: Path, plain: Plain, whose: str) -> None:
    """Files that an old commit shows otherwise than its manifest are named."""
    anna, bert = sit("anna"), sit("bert")
    exchange(bert, anna)
    before = len(anna.log())
    seat = {"anna": anna, "bert": bert}[whose]
    path = f"agents/Agent{whose.capitalize()}/claims/Cx{whose.capitalize()}/0/"
    flip(plain, bare, seat, path)
    found = audited(bare, anna)
    one = next(one for one in found if not one.equal)
    assert one.missing is not None
    assert one.missing.field == ("agents" if whose == "anna" else "inputs")
    assert path in one.missing.why
    assert len(found) == before


def flip(plain: Plain, bare: Path, seat: RemoteSeat, path: str) -> None:
    """Write a seat's ref again with one letter of its segments changed, signed."""
    ref = own_ref(seat)
    oids = plain(bare, "rev-list", "--reverse", ref).split()
    parent: str | None = None
    for oid in oids:
        listed = plain(bare, "ls-tree", "-r", oid)
        rows = []
        for line in listed.splitlines():
            start, name = line.split("\t")
            if name.startswith(path):
                body = plain(bare, "cat-file", "-p", start.split()[2]) + "\n"
                changed = body.replace("(is ", "(iz ").encode()
                blob = plain(bare, "hash-object", "-w", "--stdin", data=changed)
                start = f"100644 blob {blob}"
            rows.append((start, name))
        tree = written(plain, bare, rows)
        commit = open_commit(plain_commit(bare, plain, oid))
        time = commit.seconds * 1000
        data = commit_object(tree, parent, commit.message, seat.id, time)
        if oid == oids[-1]:
            data = sign_commit(data, sign_ssh(data, own_key(seat), NAMESPACE))
        parent = plain(bare, "hash-object", "-t", "commit", "-w", "--stdin", data=data)
    plain(bare, "update-ref", ref, str(parent))


def plain_commit(bare: Path, plain: Plain, oid: str) -> bytes:
    text = plain(bare, "cat-file", "commit", oid)
    return (text + "\n").encode()


def written(plain: Plain, bare: Path, rows: list[tuple[str, str]]) -> str:
    index = "".join(f"{start}\t{name}\n" for start, name in rows).encode()
    plain(bare, "read-tree", "--empty")
    plain(bare, "update-index", "--index-info", data=index)
    return plain(bare, "write-tree")


def test_another_program(sit: Sit, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = sit("anna")
    with monkeypatch.context() as patch:
        patch.setattr(committing, "SEMANTICS", 2)
        anna.assert_("(is newer)")
        anna.commit()
    with monkeypatch.context() as patch:
        patch.setattr(committing, "digests", lambda: {"CxCore": bytes(32)})
        anna.assert_("(is older)")
        anna.commit()
    anna.push()
    _, rules, words = audited(bare, anna)
    assert rules.missing is not None
    assert rules.missing.field == "rules"
    assert words.missing is not None
    assert (words.missing.field, words.missing.what) == (
        "vocabulary", "CxCore CxRegistry CxSpeechActs",
    )  # fmt: skip


# What is refused ---------------------------------------------------------------


def test_what_is_not_there(sit: Sit, bare: Path, tmp_path: Path) -> None:
    anna = sit("anna")
    anna.push()
    for target, code, exits in [
        ("0" * 8, "koinii/unknown-seat", 3),
        (f"{anna.id}@9", "koinii/unknown-commit", 3),
        ("anna", "koinii/usage", 2),
        (f"{anna.id}@0", "koinii/usage", 2),
    ]:
        with pytest.raises(KoiniiError) as caught:
            koinii.audit(str(bare), target)
        assert (caught.value.code, caught.value.exit_code) == (code, exits)
        done = typed("audit", target, "--json", cwd=tmp_path / "anna")
        assert (done.code, done.error["code"]) == (exits, code)
    with pytest.raises(KoiniiError, match="no remote nowhere"):
        anna.audit(anna.id, from_="nowhere")
    done = typed("audit", anna.id, "--from", "nowhere", cwd=tmp_path / "anna")
    assert done.code == 3


def test_a_tip_that_the_seat_has_not_signed(sit: Sit, bare: Path, plain: Plain) -> None:
    anna, bert = sit("anna"), sit("bert")
    exchange(anna, bert)
    plain(bare, "update-ref", own_ref(anna), plain(bare, "rev-parse", own_ref(bert)))
    with pytest.raises(VerificationError):
        koinii.audit(str(bare), anna.id)


def test_the_command_names_what_is_missing(
    sit: Sit, bare: Path, tmp_path: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    exchange(anna, bert)
    plain(bare, "update-ref", "-d", own_ref(bert))
    done = typed("audit", anna.id[:8], "--json", cwd=tmp_path / "anna")
    assert (done.code, done.error["code"]) == (6, "koinii/not-rebuilt")
    assert done.error["details"]["missing"]["field"] == "heads"
    assert done.error["hint"]
    every = typed("audit", anna.id[:8], "--all", cwd=tmp_path / "anna")
    assert every.code == 6
    assert every.out.splitlines()[0].endswith("rebuilt")
    assert "not rebuilt: heads" in every.out.splitlines()[-1]
    assert "the commit before it agrees" in every.err
