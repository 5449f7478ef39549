"""Refs that verify to nothing: they take nobody's place and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from koinii.note import PrivateKey, seat_id
from koinii.remote import following
from koinii.remote.following import INCOMING, MAX_SEATS, MAX_TRIED
from koinii.remote.publish import SEATS
from koinii.seat.check_contents import check_waiting
from koinii.seat.records import trust
from remote.conftest import Plain
from remote.desks import Sit, room, says, sitting
from remote.forging import store_commit


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def put(bare: Path, plain: Plain, names: Iterable[str], oid: str) -> None:
    """Let refs of seats show an object."""
    lines = "".join(f"update {SEATS}{name} {oid}\n" for name in names)
    plain(bare, "update-ref", "--stdin", data=lines.encode())


def junk(count: int) -> list[str]:
    """Return ids of seats that are none, before all others in order."""
    return [f"{number:032x}" for number in range(count)]


def strange_key(bare: Path) -> str:
    """Store a commit whose `seat.pub` is another seat's; return its id."""
    key = PrivateKey.generate()
    files = {"seat.pub": f"{key.public.openssh()}\n".encode()}
    return store_commit(bare, seat_id(key.public), files, key=key)


def test_junk_takes_no_place_of_a_seat(sit: Sit, bare: Path, plain: Plain) -> None:
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    put(bare, plain, junk(MAX_SEATS + 20), strange_key(bare))

    pulled = bert.pull()

    assert pulled.new == 1
    assert ("AgentAnna", anna.id) in {one[:2] for one in says(bert)}
    assert len(pulled.troubles) == MAX_SEATS + 20
    assert not [one for one in pulled.troubles if "not followed" in one.reason]


def test_one_pull_tries_so_many_and_the_next_goes_on(
    sit: Sit, bare: Path, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MAX_TRIED", 20)
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    put(bare, plain, junk(30), strange_key(bare))

    first = bert.pull()

    assert first.new == 0
    assert len(first.troubles) == 20 + 1
    (told,) = [one for one in first.troubles if "not looked at" in one.reason]
    assert told.reason.startswith("11 refs")
    assert bert.pull().new == 1


def test_what_failed_before_is_looked_at_again_in_turn(
    sit: Sit, bare: Path, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seat whose objects came back is found among junk, whatever its place."""
    monkeypatch.setattr(following, "MAX_TRIED", 10)
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    put(bare, plain, junk(24), strange_key(bare))
    tip = plain(bare, "rev-parse", SEATS + anna.id)
    put(bare, plain, [anna.id], strange_key(bare))
    left = []
    for _ in range(3):
        told = [one.reason for one in bert.pull().troubles]
        left += [one.split()[0] for one in told if "not looked at" in one]
    assert left == ["15", "5"]  # fewer each time, and then none

    put(bare, plain, [anna.id], tip)
    assert sum(bert.pull().new for _ in range(3)) == 1


def test_a_part_that_may_be_among_refs_not_looked_at_is_not_called_misspelt(
    sit: Sit, bare: Path, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MAX_TRIED", 10)
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    put(bare, plain, junk(15), strange_key(bare))

    told = [one.reason for one in bert.pull(contexts=["CxAnna"]).troubles]
    (told_of,) = [one for one in told if "CxAnna" in one]
    assert "6 refs were not looked at" in told_of
    told = [one.reason for one in bert.pull(contexts=["CxAnna", "CxNo"]).troubles]
    assert [one for one in told if "Cx" in one] == [
        "nothing was ever shown of CxNo: see how it is spelled"
    ]


def test_the_places_of_new_seats_are_counted(
    sit: Sit, bare: Path, plain: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "MAX_SEATS", 2)
    seats = sorted((sit(name) for name in "abcd"), key=lambda one: one.id)
    for seat in seats:
        seat.push()
    reader = sit("reader")
    put(bare, plain, junk(3), strange_key(bare))

    pulled = reader.pull()

    left = [one for one in pulled.troubles if "not followed" in one.reason]
    assert pulled.new == 2
    assert [one.seat for one in left] == [seats[2].id]
    assert "1 others neither" in left[0].reason
    reader.follow(seats[3].id)
    assert reader.pull().new == 1


def test_bounds() -> None:
    assert (MAX_SEATS, MAX_TRIED) == (64, 256)


def test_junk_that_is_gone_is_forgotten(sit: Sit, bare: Path, plain: Plain) -> None:
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    assert bert.pull().whole
    before = trust(bert)
    put(bare, plain, junk(2), strange_key(bare))

    assert len(bert.pull().troubles) == 2
    assert len(bert.status().refused) == 2
    assert len(bert.peers()) == 3
    assert trust(bert) == before
    for name in junk(2):
        plain(bare, "update-ref", "-d", SEATS + name)

    assert bert.rehearse_pull().whole
    assert len(bert.peers()) == 3
    assert bert.pull().whole
    assert [one.seat for one in bert.peers()] == [anna.id]
    assert bert.status().refused == []
    assert len(bert.git.list_refs(f"{INCOMING}origin")) == 1


def test_junk_is_silenced_while_it_is_shown(sit: Sit, bare: Path, plain: Plain) -> None:
    anna, bert = sit("anna"), sit("bert")
    anna.push()
    (name,) = junk(1)
    put(bare, plain, [name], strange_key(bare))
    assert not bert.pull().whole

    bert.unfollow(name)

    assert bert.status().refused == []
    assert [one.name for one in check_waiting(bert)] == ["received"]
    assert bert.pull().whole
    plain(bare, "update-ref", "-d", SEATS + name)
    assert bert.pull().whole


def test_what_another_remote_shows_is_not_forgotten(
    sit: Sit, tmp_path: Path, bare: Path, plain: Plain
) -> None:
    bert = sit("bert")
    put(bare, plain, junk(1), strange_key(bare))
    plain(tmp_path, "init", "-q", "--bare", "second.git")
    bert.remotes.add("second", str(tmp_path / "second.git"))
    assert len(bert.pull().troubles) == 1

    assert bert.pull("second").whole

    assert len(bert.peers()) == 1
    bert.remotes.remove("origin")
    assert bert.peers() == []
