"""What an agent signs about its keys: replaced, revoked, retired."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import (
    NotFoundError,
    RefusedError,
    SurroundingsError,
    UsageError,
    VerificationError,
)
from koinii.note import PrivateKey, read_private_key, write_private_key
from koinii.seat import agent_keys, deciding
from koinii.seat.check_keys import check_keys
from koinii.trust.presence import check_grown, open_presence
from koinii.trust.statements import open_authored
from remote.desks import Clock, hand_over, make_desk, make_key, room, says
from seat.children import child

ATLAS = "AgentAtlas"
REVOKED, RETIRED = "koinii/key-revoked", "koinii/retired"
WHY = "the laptop was lost"


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def sit(folder: Path, name: str, agent: str, key: Path | None = None) -> RemoteSeat:
    keys = {} if key is None else {agent: key}
    return koinii.open(str(make_desk(folder, name, [agent], keys).path), now=Clock())


@pytest.fixture
def seat(folder: Path) -> Iterator[RemoteSeat]:
    with sit(folder, "seat", ATLAS) as made:
        made.assert_("(p A)")
        made.commit()
        yield made


@pytest.fixture
def watch(folder: Path, seat: RemoteSeat) -> Iterator[RemoteSeat]:
    """A seat that has met the other."""
    with sit(folder, "watch", "AgentWatch") as made:
        hand_over(seat, made)
        yield made


def key_of(seat: RemoteSeat, agent: str = ATLAS) -> PrivateKey:
    return read_private_key(path_of(seat, agent))


def path_of(seat: RemoteSeat, agent: str = ATLAS) -> Path:
    return Path(seat.layout.agent_key(agent))


def statements(seat: RemoteSeat, agent: str = ATLAS) -> str:
    row = seat.histories.agent(agent, seat.id)
    assert row is not None
    return row.statements


def sentences(seat: RemoteSeat) -> set[str]:
    return {sentence for agent, _, _, sentence in says(seat) if agent == ATLAS}


def reasons(seat: RemoteSeat) -> dict[str, str]:
    return {one.line.split(" ", 2)[2]: one.reason for one in seat.held()}


def agree(*seats: RemoteSeat) -> bool:
    now = [(one.status().commit, one.status().inputs) for one in seats]
    return len(set(now)) == 1


# Rotation -------------------------------------------------------------------------


def test_the_new_key_signs_from_the_next_commit_on(
    seat: RemoteSeat, watch: RemoteSeat
) -> None:
    old = key_of(seat)
    done = seat.rotate_agent(ATLAS)
    new = key_of(seat)
    assert (done.key, done.number) == (new.public.fingerprint, 2)
    assert (done.held, done.back) == (0, 0)
    assert new != old
    seat.assert_("(p B)")
    seat.commit()

    data = statements(seat).encode()
    presence = open_presence(data, ATLAS, seat.id)
    assert [key for _, key in presence.keys] == [old.public, new.public]
    assert [presence.key_at(number) for number in (1, 2, 9)] == [
        old.public, new.public, new.public,
    ]  # fmt: skip
    assert set(presence.statements[1].signers) == {
        old.public.key_hash,
        new.public.key_hash,
    }
    (signed,) = [row.statement for row in seat.histories.inputs()]
    assert open_authored(signed.encode(), new.public).number == 2
    with pytest.raises(VerificationError):
        open_authored(signed.encode(), old.public)

    hand_over(seat, watch)
    assert sentences(watch) == {"(p A)", "(p B)"}
    assert watch.status().contested == []
    assert seat.check("(p C)") == []


def test_a_key_is_brought_and_never_taken_twice(seat: RemoteSeat, folder: Path) -> None:
    first, brought = path_of(seat).read_bytes(), make_key(folder / "brought")
    seat.rotate_agent(ATLAS, key=brought)
    assert key_of(seat) == read_private_key(brought)
    (folder / "first").write_bytes(first)
    (folder / "first").chmod(0o600)
    before = statements(seat)
    for path in (brought, folder / "first"):
        with pytest.raises(UsageError) as caught:
            seat.rotate_agent(ATLAS, key=path)
        assert caught.value.code == "koinii/same-key"
    assert statements(seat) == before
    with pytest.raises(NotFoundError):
        seat.rotate_agent("AgentBoreas")


def test_rotations_before_one_commit(seat: RemoteSeat, watch: RemoteSeat) -> None:
    for _ in range(3):
        seat.rotate_agent(ATLAS)
    seat.assert_("(p B)")
    seat.commit()
    hand_over(seat, watch)
    assert sentences(watch) == {"(p A)", "(p B)"}


def test_a_rotation_cut_short_is_finished_by_who_reads(
    seat: RemoteSeat, watch: RemoteSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the store was written and before the files were."""
    before = path_of(seat).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(agent_keys, "finish", lambda seat, agent: None)
        done = seat.rotate_agent(ATLAS)
    beside = path_of(seat).with_name("AgentAtlas.next")
    assert path_of(seat).read_bytes() == before
    assert read_private_key(beside).public.fingerprint == done.key
    assert {one.state for one in check_keys(seat)} == {"ok"}

    seat.assert_("(p B)")
    seat.commit()
    assert not beside.exists()
    assert key_of(seat).public.fingerprint == done.key
    hand_over(seat, watch)
    assert sentences(watch) == {"(p A)", "(p B)"}


def test_a_key_prepared_for_nothing_is_left_alone(seat: RemoteSeat) -> None:
    """Killed after the key was written and before the store was."""
    beside = path_of(seat).with_name("AgentAtlas.next")
    write_private_key(beside, PrivateKey.generate())
    before = path_of(seat).read_bytes()
    seat.assert_("(p B)")
    assert seat.commit() is not None
    assert path_of(seat).read_bytes() == before
    done = seat.rotate_agent(ATLAS)
    assert key_of(seat).public.fingerprint == done.key
    assert not beside.exists()


def test_a_rotation_that_fails_changes_nothing(
    seat: RemoteSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path_of(seat).read_bytes(), statements(seat)
    with monkeypatch.context() as patch:
        patch.setattr(deciding, "review", lambda seat: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            seat.rotate_agent(ATLAS)
    assert (path_of(seat).read_bytes(), statements(seat)) == before
    seat.assert_("(p B)")
    assert seat.commit() is not None


def test_another_key_in_its_place_is_told(seat: RemoteSeat, folder: Path) -> None:
    path_of(seat).unlink()
    write_private_key(path_of(seat), PrivateKey.generate())
    with pytest.raises(SurroundingsError) as caught:
        seat.rotate_agent(ATLAS)
    assert caught.value.code == "koinii/other-key"
    assert "attention" in {one.state for one in check_keys(seat)}


def test_a_rotated_name_can_be_trusted_by_any_of_its_keys(
    folder: Path, seat: RemoteSeat, watch: RemoteSeat
) -> None:
    """The lineage counts: the first key leads to the second, and back."""
    with sit(folder, "other", ATLAS) as other:
        other.assert_("(p Other)")
        other.commit()
        hand_over(other, watch)
        first = key_of(seat).public.fingerprint
        second = seat.rotate_agent(ATLAS).key
        seat.assert_("(p B)")
        seat.commit()
        hand_over(seat, watch)
        mine, theirs = {"(p A)", "(p B)"}, {"(p Other)"}
        assert sentences(watch) == mine
        for key, seats, said in (
            (key_of(other).public.fingerprint, [other.id], theirs),
            (first, [seat.id], mine),
            (key_of(other).public.fingerprint, [other.id], theirs),
            (second, [seat.id], mine),
        ):
            assert watch.trust_agent(ATLAS, key).seats == seats
            assert sentences(watch) == said
        assert seat.trust_agent(ATLAS, first).seats == [seat.id]
        hand_over(other, seat)
        with pytest.raises(RefusedError) as caught:
            seat.trust_agent(ATLAS, key_of(other).public.fingerprint)
        assert caught.value.code == "koinii/own-agent"
        assert sentences(seat) == mine


# Revocation -----------------------------------------------------------------------


def test_a_key_is_revoked_from_a_commit_on(
    folder: Path, seat: RemoteSeat, watch: RemoteSeat
) -> None:
    """One that was stolen signs no more; what stood before it did is unharmed."""
    stolen = key_of(seat).public.fingerprint
    seat.rotate_agent(ATLAS)
    before = seat.revoke_key(ATLAS, stolen, reason=WHY, number=2)
    assert (before.held, sentences(seat)) == (0, {"(p A)"})
    seat.commit()
    hand_over(seat, watch)
    assert sentences(watch) == {"(p A)"}
    assert agree(seat, watch)

    seat.assert_("(p B)")
    seat.commit()
    hand_over(seat, watch)
    assert sentences(watch) == sentences(seat) == {"(p A)", "(p B)"}
    assert agree(seat, watch)


def test_what_the_admin_has_revoked_speaks_and_rotates_no_more(
    seat: RemoteSeat, watch: RemoteSeat
) -> None:
    """A grant for another key is the way back."""
    own = key_of(seat).public.fingerprint
    seat.admin_init()
    seat.revoke_key(ATLAS, own, reason=WHY, number=2, by_admin=True)
    assert sentences(seat) == {"(p A)"}
    for verb in (
        lambda: seat.assert_("(p B)"),
        lambda: seat.load(["(p B)"]),
        lambda: seat.rotate_agent(ATLAS),
    ):
        with pytest.raises(RefusedError) as caught:
            verb()
        assert caught.value.code == REVOKED
    seat.commit()
    hand_over(seat, watch)
    assert sentences(watch) == {"(p A)"}


def test_a_whole_key_is_revoked_and_the_next_commit_signs_all_anew(
    seat: RemoteSeat, watch: RemoteSeat
) -> None:
    stolen = key_of(seat).public.fingerprint
    seat.rotate_agent(ATLAS)
    done = seat.revoke_key(ATLAS, stolen, reason=WHY)
    assert (done.seat, done.number, done.held) == ("*", 0, 1)
    assert (sentences(seat), reasons(seat)) == (set(), {"(p A)": REVOKED})
    commit = seat.commit()
    assert commit is not None
    assert commit.id == seat.status().commit
    assert (sentences(seat), reasons(seat)) == ({"(p A)"}, {})
    hand_over(seat, watch)
    assert (sentences(watch), reasons(watch)) == ({"(p A)"}, {})
    assert agree(seat, watch)
    assert seat.commit() is None


def test_a_commit_signs_what_is_believed_after_it(tmp_path: Path) -> None:
    """What comes back by the new signature stands in the record that has it."""
    with koinii.init(tmp_path / "seat", agent="AgentBob", now=Clock()) as seat:
        seat.new_channel("CxOps")
        seat.join("CxOps")
        seat.assert_("(q A)")
        seat.commit()
        (before,) = [one.fingerprint for one in seat.agents()]
        seat.rotate_agent("AgentBob")
        seat.revoke_key("AgentBob", before, number=0, reason="lost")

        done = seat.commit()

        assert done is not None
        assert (done.id, done.size) == (seat.status().commit, 4)
        assert seat.commit() is None


def test_the_key_in_use_is_not_revoked_by_itself(seat: RemoteSeat) -> None:
    with pytest.raises(RefusedError) as caught:
        seat.revoke_key(ATLAS, key_of(seat).public.fingerprint, reason=WHY)
    assert caught.value.code == "koinii/current-key"


def test_who_stole_a_key_that_is_revoked_names_no_other(
    folder: Path, seat: RemoteSeat, watch: RemoteSeat
) -> None:
    """It rotates, revokes and retires with it, and nothing of that counts."""
    copied = folder / "stolen"
    shutil.copy(path_of(seat), copied)
    stolen = key_of(seat).public.fingerprint
    own = seat.rotate_agent(ATLAS).key
    seat.revoke_key(ATLAS, stolen, reason=WHY)
    seat.commit()
    path = folder / "thief"
    with koinii.init(str(path), agent=ATLAS, key=copied, now=Clock()) as thief:
        hand_over(seat, thief)
        assert sentences(thief) == {"(p A)"}
        with pytest.raises(RefusedError):
            thief.rotate_agent(ATLAS)
    for knows in (True, False):
        with koinii.init(
            str(folder / f"thief{knows}"), agent=ATLAS, key=copied, now=Clock()
        ) as thief:
            thief.rotate_agent(ATLAS)
            thief.assert_("(p Evil)")
            thief.commit()
            if knows:
                hand_over(seat, thief)
                thief.retire_agent(ATLAS, seat.id)
                thief.revoke_key(ATLAS, own, reason="mine now")
                thief.commit()
            hand_over(thief, watch)
            hand_over(seat, watch)
            hand_over(thief, seat)
        for one in (seat, watch):
            assert sentences(one) == {"(p A)"}
            assert set(reasons(one).values()) <= {REVOKED}


def test_two_that_follow_on_one_key_and_revoke_it_are_contested(
    folder: Path, seat: RemoteSeat, watch: RemoteSeat
) -> None:
    """Nobody can tell which is the thief, until somebody decides."""
    copied = folder / "stolen"
    shutil.copy(path_of(seat), copied)
    stolen = key_of(seat).public.fingerprint
    path = folder / "thief"
    with koinii.init(str(path), agent=ATLAS, key=copied, now=Clock()) as thief:
        keys = {}
        for one in (seat, thief):
            keys[one.id] = one.rotate_agent(ATLAS).key
            one.revoke_key(ATLAS, stolen, reason=WHY)
        thief.assert_("(p Evil)")
        for one in (seat, thief):
            one.commit()
            hand_over(one, watch)
        assert sentences(watch) == set()
        assert set(reasons(watch).values()) == {"koinii/name-contested"}
        watch.trust_agent(ATLAS, keys[seat.id])
        assert sentences(watch) == {"(p A)"}
        hand_over(thief, seat)
        assert sentences(seat) == {"(p A)"}


def test_a_line_of_a_revoked_key_can_be_taken_back(
    seat: RemoteSeat, watch: RemoteSeat
) -> None:
    stolen = key_of(seat).public.fingerprint
    locator = seat.locate("(p A)", "CxAtlas")
    seat.load(["(p B)"])
    seat.commit()
    seat.rotate_agent(ATLAS)
    seat.revoke_key(ATLAS, stolen, reason=WHY)
    assert set(reasons(seat)) == {"(p A)", "(p B)"}
    seat.retract(locator)
    assert (sentences(seat), reasons(seat)) == ({"(p B)"}, {})
    seat.commit()
    hand_over(seat, watch)
    assert (sentences(watch), reasons(watch)) == ({"(p B)"}, {})


def test_revocations_are_of_known_keys_and_agents(seat: RemoteSeat) -> None:
    own = key_of(seat).public.fingerprint
    newer, before = seat.rotate_agent(ATLAS).key, statements(seat)
    other = PrivateKey.generate().public.fingerprint
    with pytest.raises(NotFoundError) as caught:
        seat.revoke_key(ATLAS, other, reason=WHY)
    assert caught.value.code == "koinii/unknown-fingerprint"
    assert caught.value.details["known"] == sorted([own, newer])
    with pytest.raises(NotFoundError):
        seat.revoke_key(ATLAS, own, reason=WHY, by_admin=True)
    with pytest.raises(NotFoundError):
        seat.revoke_key(ATLAS, own, reason=WHY, seat="0" * 32)
    for reason in ("", "two\nlines", "a\u2028b", "a\x07b", "a" * 1001, " a"):
        with pytest.raises(UsageError):
            seat.revoke_key(ATLAS, own, reason=reason)
    assert statements(seat) == before


# Retirement -----------------------------------------------------------------------


@pytest.fixture
def second(folder: Path, seat: RemoteSeat) -> Iterator[RemoteSeat]:
    """Another seat of the same agent, with the same key, which has met the first."""
    key = folder / "brought"
    shutil.copy(path_of(seat), key)
    with sit(folder, "second", ATLAS, key) as made:
        made.assert_("(p Second)")
        made.commit()
        hand_over(seat, made)
        yield made


def test_what_was_said_at_a_lost_seat_is_withdrawn(
    seat: RemoteSeat, second: RemoteSeat, watch: RemoteSeat
) -> None:
    hand_over(second, watch)
    assert sentences(watch) == {"(p A)", "(p Second)"}
    with pytest.raises(RefusedError) as caught:
        second.retract(second.locate("(p A)", "CxAtlas"))
    assert caught.value.code == "koinii/not-own-assertion"
    hint = f"koinii agent retire AgentAtlas --seat {seat.id[:8]} "
    assert caught.value.hint.startswith(hint)

    later = second.retire_agent(ATLAS, seat.id[:8], number=2)
    assert (later.held, later.number) == (0, 2)
    done = second.retire_agent(ATLAS, seat.id[:8])
    assert (done.kind, done.seat, done.held) == ("retire", seat.id, 1)
    assert sentences(second) == {"(p Second)"}
    second.commit()
    hand_over(second, watch)
    assert sentences(watch) == {"(p Second)"}
    assert reasons(watch) == {"(p A)": RETIRED}

    hand_over(second, seat)  # the lost seat comes back
    assert reasons(seat) == {"(p A)": RETIRED}
    with pytest.raises(RefusedError) as caught:
        seat.assert_("(p B)")
    assert caught.value.code == RETIRED


def test_only_who_the_name_stands_for_retires(
    folder: Path, seat: RemoteSeat, watch: RemoteSeat
) -> None:
    with sit(folder, "other", ATLAS) as other:  # with a key of its own
        hand_over(seat, other)
        other.retire_agent(ATLAS, seat.id)
        other.assert_("(p Other)")
        other.commit()
        hand_over(other, watch)
    assert sentences(watch) == {"(p A)"}
    with pytest.raises(NotFoundError):
        seat.retire_agent(ATLAS, "0" * 32)
    with pytest.raises(NotFoundError):
        watch.retire_agent(ATLAS, seat.id)
    with pytest.raises(NotFoundError):
        seat.retire_agent(ATLAS, "f" * 8)


def test_no_agent_is_retired_from_where_it_would_end(
    seat: RemoteSeat, second: RemoteSeat
) -> None:
    for place in (seat.id, seat.id[:8]):
        with pytest.raises(UsageError) as caught:
            seat.retire_agent(ATLAS, place)
        assert caught.value.code == "koinii/own-seat"
        assert "koinii retract" in caught.value.hint
    assert not reasons(seat)
    second.retire_agent(ATLAS, seat.id)
    seat.assert_("(p Goes)")


def test_processes_that_rotate_at_once_go_one_after_another(seat: RemoteSeat) -> None:
    before = key_of(seat).public
    with ExitStack() as stack:
        rotating = [
            stack.enter_context(child("rotate", Path(seat.layout.directory)))
            for _ in range(4)
        ]
        ended = [one.communicate(timeout=60) for one in rotating]
    assert [one.returncode for one in rotating] == [0] * 4, ended
    told = {line for out, _ in ended for line in out.split()}
    assert len(told) == 8
    assert key_of(seat).public.fingerprint in told
    presence = open_presence(statements(seat).encode(), ATLAS, seat.id)
    assert presence.keys[0][1] == before
    assert {key.fingerprint for _, key in presence.keys[1:]} == told
    assert presence.key == key_of(seat).public
    assert {one.state for one in check_keys(seat)} == {"ok"}
    assert seat.commit() is not None


# The file -------------------------------------------------------------------------


def test_the_file_only_grows(seat: RemoteSeat, second: RemoteSeat) -> None:
    texts = [statements(second)]
    second.rotate_agent(ATLAS)
    texts.append(statements(second))
    second.revoke_key(ATLAS, key_of(seat).public.fingerprint, reason=WHY, number=9)
    texts.append(statements(second))
    second.retire_agent(ATLAS, seat.id)
    texts.append(statements(second))
    for number, text in enumerate(texts):
        presence = open_presence(text.encode(), ATLAS, second.id)
        assert len(presence.statements) == number + 1
        for before in texts[: number + 1]:
            assert text.startswith(before)
            check_grown(before, text.encode())
        for after in texts[number + 1 :]:
            with pytest.raises(VerificationError):
                check_grown(after, text.encode())


def test_the_file_is_carried_to_others_as_it_stands(
    seat: RemoteSeat, watch: RemoteSeat
) -> None:
    old = key_of(seat).public.fingerprint
    seat.rotate_agent(ATLAS)
    seat.revoke_key(ATLAS, old, reason=WHY, number=5)
    seat.commit()
    hand_over(seat, watch)
    known = watch.histories.agent(ATLAS, seat.id)
    assert known is not None
    assert known.statements == statements(seat)
