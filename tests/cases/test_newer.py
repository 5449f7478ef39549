"""BC-122: what a newer program writes is named, kept, and concerns its seat alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from koinii.errors import VerificationError
from koinii.history.log import decode_bundle
from koinii.remote.seat import RemoteSeat
from remote.desks import make_desk, room, says, shown, take
from remote.forging import BUNDLE, Forger


def of_version_two(record: bytes) -> bytes:
    """Return the record as a program that knows more might have written it."""
    assert record.count(b"\x61v\x01") == 1
    return record.replace(b"\x61v\x01", b"\x61v\x02")


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


def test_bc_122_a_newer_record_holds_its_seat_alone_until_it_is_known(
    folder: Path,
) -> None:
    """Its seat stays as it was, others go on; back at the old level it goes on too."""
    desks = [
        make_desk(folder / "made", name, [agent])
        for name, agent in (("n", "AgentNew"), ("o", "AgentOld"), ("r", "AgentReader"))
    ]
    new, old, reader = (desk.copy_to(folder) for desk in desks)
    with new, old, reader:
        forger = Forger(new, ("AgentNew",))
        say(new, "(p One)")
        take(reader, shown(new), new.id)
        say(new, "(p Two)")
        second = shown(new)
        before = says(reader)

        *older, last = decode_bundle(second[BUNDLE])
        newer = forger.headed(second, [*older, of_version_two(last)])
        with pytest.raises(VerificationError) as caught:
            take(reader, newer, new.id)

        assert caught.value.code == "koinii/newer-record"
        assert "newer koinii" in caught.value.hint
        assert says(reader) == before
        say(old, "(q One)")
        take(reader, shown(old), old.id)
        take(reader, second, new.id)
        assert says(reader) == {
            ("AgentNew", new.id, "CxNew", "(p One)"),
            ("AgentNew", new.id, "CxNew", "(p Two)"),
            ("AgentOld", old.id, "CxOld", "(q One)"),
        }


def say(seat: RemoteSeat, sentence: str) -> None:
    seat.assert_(sentence)
    assert seat.commit()


def test_bc_122_a_newer_record_in_the_own_history_is_named(folder: Path) -> None:
    """As after a step back to an older program; reading goes on, nothing is lost."""
    with make_desk(folder, "seat", ["AgentAtlas"]).copy_to(folder / "copy") as seat:
        say(seat, "(p One)")
        record = seat.histories.record(seat.id, 1)
        assert record is not None
        with seat.database.write() as connection:
            connection.execute(
                "UPDATE history SET record = ?", [of_version_two(record)]
            )
        for asking in (lambda: seat.show("1"), seat.log):
            with pytest.raises(VerificationError) as caught:
                asking()
            assert caught.value.code == "koinii/newer-record"
        assert [str(row["?x"]) for row in seat.ask("(p ?x)")]
        assert seat.histories.record(seat.id, 1) == of_version_two(record)
