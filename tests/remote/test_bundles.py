"""Bundles carried between seats: whole, incremental, old, twice and out of order."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import koinii
from koinii.errors import KoiniiError, NotFoundError, UsageError, VerificationError
from koinii.remote.bundle_needs import NEEDS
from koinii.remote.carrying import NOTHING_NEW
from koinii.remote.checking_bundles import ALREADY, REFUSED, VERIFIED, verify_alone
from koinii.remote.doctor import examine
from koinii.remote.publish import publish_whole
from remote.bundled import Pair, apart, carry, counts, refs, say, state
from remote.conftest import Plain
from remote.desks import Clock, Desk, carried, examples, make_desk, room, says

ORDERS = st.permutations(range(4))
PARTS = st.lists(st.booleans(), min_size=4, max_size=4)


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Desk]:
    folder = tmp_path_factory.mktemp("desks")
    names = {"anna": "AgentAnna", "bert": "AgentBert"}
    return {name: make_desk(folder, name, [agent]) for name, agent in names.items()}


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with room() as folder:
        yield folder


@pytest.fixture
def pair(desks: dict[str, Desk], tmp_path: Path) -> Iterator[Pair]:
    with apart(desks, tmp_path) as both:
        yield both


# Whole ------------------------------------------------------------------------


def test_what_is_carried_both_ways_ends_in_one_commit_id(pair: Pair) -> None:
    say(pair.anna, *(f"(number {one})" for one in range(20)))
    say(pair.bert, "(is bert)")

    assert carry(pair, pair.anna, pair.bert) == (20, 20, 0, 0)
    assert carry(pair, pair.bert, pair.anna) == (1, 1, 0, 0)

    assert pair.anna.status().commit == pair.bert.status().commit
    assert says(pair.anna) == says(pair.bert)


def test_stock_git_reads_what_is_carried(
    pair: Pair, plain: Plain, bare: Path, tmp_path: Path
) -> None:
    say(pair.anna, "(is anna)")
    made = pair.anna.bundles.create(pair.file("one"))
    assert made.bytes == pair.file("one").stat().st_size
    assert "complete history" in plain(bare, "bundle", "verify", str(pair.file("one")))
    plain(bare, "fetch", "-q", str(pair.file("one")), "refs/koinii/*:refs/koinii/*")
    plain(bare, "fsck", "--strict", "--full")
    assert (
        refs(pair.anna).items()
        <= dict(
            line.split()[::-1] for line in plain(bare, "show-ref").splitlines()
        ).items()
    )
    assert [one.name for one in tmp_path.iterdir() if "part" in one.name] == []


def test_the_same_again_changes_nothing(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    assert carry(pair, pair.anna, pair.bert) == (1, 1, 0, 0)
    before, shown = state(pair.bert), refs(pair.bert)

    assert counts(pair.bert, pair.file("carried")) == (0, 0, 0, 0)

    assert (state(pair.bert), refs(pair.bert)) == (before, shown)


def test_what_is_not_committed_stays_and_is_told(pair: Pair) -> None:
    with pytest.raises(KoiniiError) as nothing:
        pair.anna.bundles.create(pair.file("one"))
    assert nothing.value.code == "koinii/nothing-committed"
    say(pair.anna, "(is anna)")
    pair.anna.assert_("(says more)")
    pair.anna.bundles.create(pair.file("one"))
    assert any("1 line that is not committed" in one for one in pair.anna.notices)
    assert counts(pair.bert, pair.file("one")) == (1, 1, 0, 0)


def test_a_retraction_travels(pair: Pair) -> None:
    say(pair.anna, "(is anna)", "(is wrong)")
    carry(pair, pair.anna, pair.bert)
    pair.anna.retract(pair.anna.locate("(is wrong)", "CxAnna"))
    pair.anna.commit()
    assert carry(pair, pair.anna, pair.bert) == (0, 0, 0, 1)


def test_a_rehearsal_writes_no_file_and_moves_nothing(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    would = pair.anna.bundles.rehearse_create(pair.file("one"))
    assert would.bytes is None
    assert list(pair.stick.iterdir()) == []
    made = pair.anna.bundles.create(pair.file("one"))
    assert [one[:3] for one in made.seats] == [one[:3] for one in would.seats]

    before, shown = state(pair.bert), refs(pair.bert)
    rehearsed = pair.bert.bundles.rehearse_apply(pair.file("one"))
    checked = pair.bert.bundles.verify(pair.file("one"))
    assert (state(pair.bert), refs(pair.bert)) == (before, shown)
    assert not (Path(pair.bert.layout.state) / "git.beside").exists()

    assert rehearsed == checked.pulled == pair.bert.bundles.apply(pair.file("one"))
    assert [one.state for one in checked.seats] == [VERIFIED]


# In part ----------------------------------------------------------------------


def test_since_leaves_out_what_is_there(pair: Pair) -> None:
    say(pair.anna, *(f"(number {one})" for one in range(200)))
    carry(pair, pair.anna, pair.bert)
    say(pair.anna, "(is late)")

    whole = pair.anna.bundles.create(pair.file("whole"))
    part = pair.anna.bundles.create(pair.file("part"), since=1)

    assert [(one.since, one.number) for one in part.seats] == [(1, 2)]
    assert part.bytes and whole.bytes and part.bytes < whole.bytes
    assert counts(pair.bert, pair.file("part")) == (1, 1, 0, 0)
    assert pair.bert.status().commit == pair.anna.status().commit


def test_out_of_order_is_told_and_right_after_the_missing_one(pair: Pair) -> None:
    for number in range(1, 4):
        say(pair.anna, f"(number {number})")
        pair.anna.bundles.create(pair.file(str(number)), since=number - 1)
    counts(pair.bert, pair.file("1"))
    before = state(pair.bert)

    for read in (pair.bert.bundles.apply, pair.bert.bundles.verify):
        with pytest.raises(NotFoundError) as missing:
            read(pair.file("3"))
        assert missing.value.code == NEEDS
        needs: Any = missing.value.details["needs"]
        assert [(one["seat"], one["number"]) for one in needs] == [(pair.anna.id, 2)]
        assert missing.value.hint.endswith("koinii bundle create FILE --since 1")
        assert f"commit 2 of seat {pair.anna.id}" in missing.value.message
    assert state(pair.bert) == before

    assert counts(pair.bert, pair.file("2")) == (1, 1, 0, 0)
    assert counts(pair.bert, pair.file("3")) == (1, 1, 0, 0)
    assert pair.bert.status().commit == pair.anna.status().commit


def test_nothing_new_is_an_error_and_no_file(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    with pytest.raises(KoiniiError) as nothing:
        pair.anna.bundles.create(pair.file("one"), since=1)
    assert nothing.value.code == NOTHING_NEW
    with pytest.raises(NotFoundError):
        pair.anna.bundles.create(pair.file("one"), since=2)
    with pytest.raises(UsageError):
        pair.anna.bundles.create(pair.file("one"), since=1, for_seat=pair.bert.id)
    with pytest.raises(UsageError):
        pair.anna.bundles.create(pair.file("one"), for_seat=pair.anna.id)
    assert list(pair.stick.iterdir()) == []


def test_what_a_seat_says_it_holds_is_left_out(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    carry(pair, pair.anna, pair.bert)
    say(pair.bert, "(is bert)")
    carry(pair, pair.bert, pair.anna)
    assert [(one.number, one.holds) for one in pair.anna.bundles.holders()] == [(1, 1)]
    with pytest.raises(KoiniiError) as nothing:
        pair.anna.bundles.create(pair.file("two"), for_seat=pair.bert.id[:8])
    assert nothing.value.code == NOTHING_NEW

    say(pair.anna, "(is late)")
    made = pair.anna.bundles.create(pair.file("two"), for_seat=pair.bert.id[:8])

    assert [(one.since, one.number) for one in made.seats] == [(1, 2)]
    assert counts(pair.bert, pair.file("two")) == (1, 1, 0, 0)


def test_a_seat_that_has_said_nothing_of_us_gets_all(pair: Pair) -> None:
    say(pair.bert, "(is bert)")
    carry(pair, pair.bert, pair.anna)
    say(pair.anna, "(is anna)")
    made = pair.anna.bundles.create(pair.file("two"), for_seat=pair.bert.id)
    assert [one.since for one in made.seats] == [0]
    assert any("has not said" in one for one in pair.anna.notices)


def test_a_number_that_git_lacks_begins_earlier_and_is_told(pair: Pair) -> None:
    for number in range(1, 5):
        say(pair.anna, f"(number {number})")
        if number == 1:
            pair.anna.bundles.create(pair.file("1"))
    git = pair.anna.git
    first = git.list_refs("refs/koinii")[f"refs/koinii/seats/{pair.anna.id}"]
    publish_whole(pair.anna, git, first)  # commits 2 to 4 in one, as recover makes it

    made = pair.anna.bundles.create(pair.file("late"), since=3)

    assert [(one.since, one.number) for one in made.seats] == [(1, 4)]
    assert any("no git commit here is commit 3" in one for one in pair.anna.notices)
    counts(pair.bert, pair.file("1"))
    assert counts(pair.bert, pair.file("late")) == (3, 3, 0, 0)


# Of others --------------------------------------------------------------------


@pytest.fixture
def cleo(tmp_path: Path) -> Iterator[koinii.RemoteSeat]:
    path = str(tmp_path / "cleo")
    with koinii.init(path, agent="AgentCleo", now=Clock()) as seat:
        yield seat


def test_a_stick_relays_third_seats(pair: Pair, cleo: koinii.RemoteSeat) -> None:
    say(pair.anna, "(is anna)")
    carry(pair, pair.anna, pair.bert)
    say(pair.bert, "(is bert)")

    made = pair.bert.bundles.create(pair.file("all"), all_seats=True)

    assert {one.seat for one in made.seats} == {pair.anna.id, pair.bert.id}
    assert counts(cleo, pair.file("all")) == (2, 2, 0, 0)
    assert cleo.status().commit == pair.bert.status().commit
    found = pair.anna.bundles.verify(pair.file("all"))
    assert {one.seat: one.state for one in found.seats} == {
        pair.anna.id: ALREADY, pair.bert.id: VERIFIED,
    }  # fmt: skip


def test_for_a_seat_what_it_holds_of_others_is_left_out(
    pair: Pair, cleo: koinii.RemoteSeat
) -> None:
    say(pair.anna, "(is anna)")
    carry(pair, pair.anna, pair.bert)
    say(pair.bert, "(is bert)")
    pair.bert.bundles.create(pair.file("all"), all_seats=True)
    counts(cleo, pair.file("all"))
    say(cleo, "(is cleo)")
    carry(pair, cleo, pair.bert)
    say(pair.anna, "(is late)")
    carry(pair, pair.anna, pair.bert)

    made = pair.bert.bundles.create(pair.file("more"), all_seats=True, for_seat=cleo.id)

    assert [(one.seat, one.since) for one in made.seats] == [(pair.anna.id, 1)]
    assert counts(cleo, pair.file("more")) == (1, 1, 0, 0)


def test_the_admin_goes_with_all_seats(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    admin = pair.anna.admin_init()
    pair.anna.commit()
    assert not pair.anna.bundles.create(pair.file("own")).admin
    pair.bert.bundles.apply(pair.file("own"))
    assert pair.bert.admin() is None
    assert pair.anna.bundles.create(pair.file("all"), all_seats=True).admin
    found = pair.bert.bundles.apply(pair.file("all"))
    assert (found.admin, found.troubles) == (admin.fingerprint, [])
    assert pair.bert.bundles.apply(pair.file("own")).troubles == []


# Old and strange --------------------------------------------------------------


def test_an_older_bundle_is_here_already(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    pair.anna.bundles.create(pair.file("old"))
    say(pair.anna, "(is late)")
    carry(pair, pair.anna, pair.bert)
    before, shown = state(pair.bert), refs(pair.bert)

    found = pair.bert.bundles.apply(pair.file("old"))

    assert (found.received, found.moved, found.troubles) == (0, 0, [])
    assert (state(pair.bert), refs(pair.bert)) == (before, shown)
    checked = pair.bert.bundles.verify(pair.file("old"))
    assert [one.state for one in checked.seats] == [ALREADY]


def test_an_older_bundle_from_before_the_history_was_made_again(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    pair.anna.bundles.create(pair.file("old"))
    say(pair.anna, "(is late)")
    publish_whole(pair.anna, pair.anna.git, "")
    carry(pair, pair.anna, pair.bert)
    before, shown = state(pair.bert), refs(pair.bert)

    assert counts(pair.bert, pair.file("old")) == (0, 0, 0, 0)

    assert (state(pair.bert), refs(pair.bert)) == (before, shown)


def test_a_remote_that_does_not_show_what_a_bundle_did_says_nothing(
    pair: Pair, bare: Path
) -> None:
    say(pair.anna, "(is anna)")
    carry(pair, pair.anna, pair.bert)
    pair.bert.remotes.add("origin", str(bare))
    assert pair.bert.pull().troubles == []
    assert len(says(pair.bert)) == 1


def test_a_copy_of_this_seat_is_told(pair: Pair, tmp_path: Path) -> None:
    say(pair.anna, "(is anna)")
    with carried(pair.anna, tmp_path) as copy:
        say(copy, "(is elsewhere)")
        copy.bundles.create(pair.file("copy"))
    found = pair.anna.bundles.apply(pair.file("copy"))
    assert [one.code for one in found.troubles] == ["koinii/seat-copied"]
    with pytest.raises(VerificationError) as nothing:
        pair.anna.bundles.verify(pair.file("copy"))
    assert nothing.value.code == "koinii/bundle-refused"


def test_two_histories_are_evidence_from_a_file_too(pair: Pair, tmp_path: Path) -> None:
    say(pair.anna, "(is anna)")
    with carried(pair.anna, tmp_path) as copy:
        say(copy, "(is elsewhere)")
        copy.bundles.create(pair.file("copy"))
    say(pair.anna, "(is late)")
    carry(pair, pair.anna, pair.bert)
    found = pair.bert.bundles.apply(pair.file("copy"))
    assert [one.code for one in found.troubles] == ["koinii/seat-forked"]
    assert says(pair.bert) == {("AgentAnna", pair.anna.id, "CxAnna", "(is anna)")}


def test_cosigners_are_required_as_of_a_pull(
    pair: Pair, cleo: koinii.RemoteSeat
) -> None:
    say(pair.anna, "(is anna)")
    pair.anna.bundles.create(pair.file("one"))
    found = pair.bert.bundles.apply(pair.file("one"), require_cosigners=1)
    assert [one.code for one in found.troubles] == ["koinii/too-few-cosigners"]
    assert says(pair.bert) == set()
    counts(cleo, pair.file("one"))
    say(cleo, "(is cleo)")
    cleo.bundles.create(pair.file("all"), all_seats=True)
    pair.bert.bundles.apply(pair.file("all"), require_cosigners=1)
    assert {one[0] for one in says(pair.bert)} == {"AgentAnna"}


def test_a_part_of_a_bundle_is_taken_where_a_seat_selects(pair: Pair) -> None:
    say(pair.anna, "(is anna)")
    pair.anna.assert_("(is elsewhere)", context="CxPlain")
    pair.anna.commit()
    pair.bert.remotes.add("origin", str(pair.stick))
    with pytest.raises(KoiniiError):  # the selection is kept, whatever the pull
        pair.bert.pull(contexts=["CxPlain"])
    assert carry(pair, pair.anna, pair.bert) == (1, 1, 0, 0)
    assert {one[2] for one in says(pair.bert)} == {"CxPlain"}


def test_what_a_repository_made_again_lacks_comes_back(
    pair: Pair, cleo: koinii.RemoteSeat
) -> None:
    say(pair.anna, "(is anna)")
    carry(pair, pair.anna, pair.bert)
    say(pair.bert, "(is bert)")
    pair.bert.bundles.create(pair.file("own"))
    shutil.rmtree(pair.bert.layout.git)
    say(pair.anna, "(is late)")
    pair.anna.bundles.create(pair.file("late"), since=1)
    examine(pair.bert.layout, fix=True, upgrade=False, rebuild=False, remotes=False)

    made = pair.bert.bundles.create(pair.file("all"), all_seats=True)
    assert [one.seat for one in made.seats] == [pair.bert.id]
    assert any(pair.anna.id in one for one in pair.bert.notices)
    with pytest.raises(NotFoundError):
        pair.bert.bundles.apply(pair.file("late"))

    assert counts(pair.bert, pair.file("carried")) == (0, 0, 0, 0)
    assert counts(pair.bert, pair.file("late")) == (1, 1, 0, 0)
    pair.bert.bundles.create(pair.file("all"), all_seats=True)
    assert counts(cleo, pair.file("all"))[0] == 3


# Without a seat ---------------------------------------------------------------


def test_without_a_seat_a_whole_bundle_is_verified(pair: Pair, outside: Path) -> None:
    say(pair.anna, "(is anna)")
    pair.anna.bundles.create(pair.file("one"))
    say(pair.anna, "(is late)")
    pair.anna.bundles.create(pair.file("two"), since=1)
    before = sorted(outside.rglob("*"))

    found = verify_alone(str(pair.file("one")))
    with pytest.raises(NotFoundError) as missing:
        verify_alone(str(pair.file("two")))

    assert [one.state for one in found.seats] == [VERIFIED]
    assert found.pulled is None
    assert found.whole
    assert found.not_shown
    assert missing.value.code == NEEDS
    assert sorted(outside.rglob("*")) == before


# Any way ----------------------------------------------------------------------


@settings(
    max_examples=examples(3),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(order=ORDERS, at=PARTS)
def test_any_order_ends_in_the_same(
    order: list[int], at: list[bool], desks: dict[str, Desk]
) -> None:
    """Whole and incremental bundles in any order, each again until it applies."""
    with room() as folder, apart(desks, folder) as pair:
        for number in range(1, 5):
            say(pair.anna, f"(number {number})")
            since = number - 1 if at[number - 1] else 0
            pair.anna.bundles.create(pair.file(str(number)), since=since)
        waiting = [one + 1 for one in order]
        while waiting:
            waiting = [one for one in waiting if not _applies(pair, one)]
        assert pair.bert.status().commit == pair.anna.status().commit
        assert says(pair.bert) == says(pair.anna)


def _applies(pair: Pair, number: int) -> bool:
    try:
        assert pair.bert.bundles.apply(pair.file(str(number))).troubles == []
    except NotFoundError as error:
        assert error.code == NEEDS
        return False
    return True


def test_a_refused_seat_is_told_in_part(pair: Pair, cleo: koinii.RemoteSeat) -> None:
    """Of two seats in a file the one whose head went wrong is named alone."""
    say(cleo, "(is cleo)")
    say(pair.anna, "(is anna)")
    carry(pair, cleo, pair.anna)
    tip = cleo.histories.tip(cleo.id)
    row = pair.anna.histories.head(cleo.id)
    assert row is not None
    with pair.anna.database.write():
        other = pair.anna.histories.tip(pair.anna.id)
        pair.anna.histories.put_head(row._replace(tip=other))
    pair.anna.bundles.create(pair.file("all"), all_seats=True)
    assert tip != other

    found = pair.bert.bundles.verify(pair.file("all"))

    states = {one.seat: one.state for one in found.seats}
    assert states == {pair.anna.id: VERIFIED, cleo.id: REFUSED}
    assert not found.whole
    applied = pair.bert.bundles.apply(pair.file("all"))
    assert [one.seat for one in applied.troubles] == [cleo.id]
    assert f"refs/koinii/incoming/-bundle/{cleo.id}" not in refs(pair.bert)
