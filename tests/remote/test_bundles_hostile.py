"""Files that are no bundle, or a hostile one: refused with a code, nothing believed."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from hashlib import sha1
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koinii.errors import KoiniiError, SurroundingsError, UsageError, VerificationError
from koinii.remote.bundle_header import read_header, write_header
from koinii.remote.checking_bundles import verify_alone
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id, write_pack
from koinii.remote.tree import FILE, Entry, write_tree
from remote.bundled import Pair, apart, counts, refs, say, state
from remote.conftest import Plain
from remote.desks import Desk, examples, make_desk, room, says

CODES = {"koinii/not-a-bundle", "koinii/damaged-bundle", "koinii/bundle-refused"}
GONE = CODES | {"koinii/bundle-needs", "koinii/bad-objects", "koinii/git-failed"}


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
        say(both.anna, "(is anna)")
        both.anna.bundles.create(both.file("good"))
        yield both


@pytest.fixture(scope="module")
def shared(desks: dict[str, Desk]) -> Iterator[Pair]:
    """A pair whose reader no example changes."""
    with room() as folder, apart(desks, folder) as both:
        say(both.anna, *(f"(number {one})" for one in range(30)))
        both.anna.bundles.create(both.file("good"))
        say(both.anna, "(is late)")
        both.anna.bundles.create(both.file("late"), since=1)
        yield both


def refused(pair: Pair, file: Path, codes: set[str] = CODES) -> KoiniiError:
    """Check that every way to read a file refuses it, and nothing is believed."""
    before, shown = state(pair.bert), refs(pair.bert)
    found = []
    for read in (pair.bert.bundles.apply, pair.bert.bundles.verify, alone):
        with pytest.raises(KoiniiError) as error:
            read(file)
        found.append(error.value)
    assert {one.code for one in found} <= codes
    assert (state(pair.bert), refs(pair.bert)) == (before, shown)
    return found[0]


def alone(file: Path) -> object:
    return verify_alone(str(file))


# Files ------------------------------------------------------------------------


def test_what_is_no_plain_file_is_refused(pair: Pair) -> None:
    link, pipe = pair.file("link"), pair.file("pipe")
    link.symlink_to(pair.file("good"))
    os.mkfifo(pipe)
    for file in (link, pipe, pair.stick, pair.file("gone")):
        error = refused(pair, file, {"koinii/no-file"})
        assert isinstance(error, SurroundingsError) or file.name == "gone"
        if file != pair.file("gone"):
            with pytest.raises(UsageError):
                pair.anna.bundles.create(file)
    assert link.is_symlink()
    assert pipe.is_fifo()


def test_a_file_that_was_there_is_replaced_whole(pair: Pair) -> None:
    pair.file("old").write_bytes(b"# v2 git bundle\n" + b"an older file" * 1000)
    pair.anna.bundles.create(pair.file("old"))
    assert pair.file("old").read_bytes() == pair.file("good").read_bytes()


def test_a_place_that_cannot_be_written_is_told(pair: Pair) -> None:
    with pytest.raises(SurroundingsError) as error:
        pair.anna.bundles.create(pair.file("no/such/folder"))
    assert error.value.code == "koinii/cannot-write"


def test_without_git_it_is_said_so(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(pair.stick))
    refused(pair, pair.file("good"), {"koinii/no-git"})
    with pytest.raises(SurroundingsError) as error:
        pair.anna.bundles.create(pair.file("one"))
    assert error.value.code == "koinii/no-git"


# Bytes ------------------------------------------------------------------------


@settings(max_examples=examples(25))
@given(st.randoms(use_true_random=False), st.sampled_from(["good", "late"]))
def test_a_flipped_bit_is_refused_or_changes_nothing(
    shared: Pair, chance: random.Random, name: str
) -> None:
    """In the header, where the seat's signature does not reach, or in the pack."""
    data = bytearray(shared.file(name).read_bytes())
    with shared.file(name).open("rb") as file:
        length = read_header(file).length
    at = chance.choice([chance.randrange(length), chance.randrange(len(data))])
    data[at] ^= 1 << chance.randrange(8)
    shared.file("flipped").write_bytes(data)
    before, shown = state(shared.bert), refs(shared.bert)

    try:
        found = shared.bert.bundles.rehearse_apply(shared.file("flipped"))
    except KoiniiError as error:
        assert error.code in (GONE if at < length else {"koinii/damaged-bundle"})
    else:
        assert at < length
        assert found.received in (0, 30)

    assert (state(shared.bert), refs(shared.bert)) == (before, shown)


@settings(max_examples=examples(25))
@given(st.floats(0, 1, exclude_max=True))
def test_a_truncated_file_is_refused(shared: Pair, part: float) -> None:
    data = shared.file("good").read_bytes()
    shared.file("cut").write_bytes(data[: int(part * len(data))])
    with pytest.raises(VerificationError) as error:
        shared.bert.bundles.apply(shared.file("cut"))
    assert error.value.code in {"koinii/not-a-bundle", "koinii/damaged-bundle"}
    assert says(shared.bert) == set()


def resealed(file: Path, change: Callable[[bytearray], None]) -> bytes:
    """Return a bundle whose pack was changed and has the right checksum again."""
    with file.open("rb") as opened:
        header = read_header(opened)
        pack = bytearray(opened.read()[:-20])
    change(pack)
    sealed = bytes(pack) + sha1(pack, usedforsecurity=False).digest()
    return write_header(header.needs, header.refs) + sealed


@pytest.mark.parametrize("at", [5, 11, 12, 40, 200, -3])
def test_a_pack_that_was_sealed_again_is_refused(pair: Pair, at: int) -> None:
    def change(pack: bytearray) -> None:
        pack[at] ^= 0x41

    pair.file("bad").write_bytes(resealed(pair.file("good"), change))
    error = refused(pair, pair.file("bad"), GONE)
    assert isinstance(error, VerificationError), (error.code, error.message)


# Refs -------------------------------------------------------------------------


def forged(seat: str, files: dict[str, bytes]) -> bytes:
    """Return a bundle of a commit that nobody has signed, for a seat."""
    blobs: list[GitObject] = [(b"blob", body) for body in files.values()]
    entries = [Entry(n, FILE, object_id(b"blob", b)) for n, b in sorted(files.items())]
    tree = write_tree(entries)
    commit = commit_object(
        object_id(b"tree", tree), None, "x\n\nKoinii-Commit: 1\n", seat, 0
    )
    pack = write_pack([*blobs, (b"tree", tree), (b"commit", commit)])
    shown = {f"refs/koinii/seats/{seat}": object_id(b"commit", commit)}
    return write_header([], shown) + pack


def test_what_no_seat_has_signed_is_believed_by_nobody(pair: Pair) -> None:
    """Neither for a new seat, nor in place of one that is known."""
    before = says(pair.bert)
    pair.file("bad").write_bytes(forged("0" * 32, {"seat.pub": b"x"}))
    found = pair.bert.bundles.apply(pair.file("bad"))
    assert len(found.troubles) == 1
    assert (says(pair.bert), refs(pair.bert)) == (before, {})

    counts(pair.bert, pair.file("good"))
    shown, before = refs(pair.bert), says(pair.bert)
    pair.file("bad").write_bytes(forged(pair.anna.id, {"seat.pub": b"x"}))
    found = pair.bert.bundles.apply(pair.file("bad"))
    assert [one.seat for one in found.troubles] == [pair.anna.id]
    assert (says(pair.bert), refs(pair.bert)) == (before, shown)
    with pytest.raises(VerificationError) as error:
        pair.bert.bundles.verify(pair.file("bad"))
    assert error.value.code == "koinii/bundle-refused"
    assert counts(pair.bert, pair.file("good")) == (0, 0, 0, 0)


def test_refs_of_others_are_named_and_not_looked_at(
    pair: Pair, bare: Path, plain: Plain
) -> None:
    plain(bare, "fetch", "-q", str(pair.file("good")), "refs/koinii/*:refs/koinii/*")
    oid = plain(bare, "rev-parse", f"refs/koinii/seats/{pair.anna.id}")
    for ref in ("heads/main", "koinii/other", "koinii/seats/odd"):
        plain(bare, "update-ref", f"refs/{ref}", oid)
    plain(bare, "bundle", "create", "-q", str(pair.file("hub")), "--all")

    found = pair.bert.bundles.apply(pair.file("hub"))

    assert found.new == 1
    assert [one.seat for one in found.troubles] == ["odd"]
    (told,) = (one for one in pair.bert.notices if "refs of the bundle" in one)
    assert "refs/heads/main" in told
    assert "refs/koinii/other" in told
    assert list(refs(pair.bert)) == [f"refs/koinii/incoming/-bundle/{pair.anna.id}"]


def test_a_crowd_of_refs_is_refused(pair: Pair) -> None:
    with pair.file("good").open("rb") as file:
        header = read_header(file)
        pack = file.read()
    (oid,) = header.refs.values()
    crowd = {f"refs/koinii/seats/{one:032x}": oid for one in range(100_000)}
    pair.file("crowd").write_bytes(write_header([], crowd) + pack)
    assert refused(pair, pair.file("crowd")).code == "koinii/not-a-bundle"


def test_made_up_refs_take_no_place_of_a_seat(pair: Pair) -> None:
    """Hundreds of refs at one commit: the one seat that signed it is taken."""
    with pair.file("good").open("rb") as file:
        header = read_header(file)
        pack = file.read()
    (oid,) = header.refs.values()
    crowd = {f"refs/koinii/seats/{one:032x}": oid for one in range(100)}
    pair.file("crowd").write_bytes(write_header([], {**crowd, **header.refs}) + pack)

    found = pair.bert.bundles.apply(pair.file("crowd"))

    assert found.new == 1
    assert len(found.troubles) == 100
    assert list(refs(pair.bert)) == [f"refs/koinii/incoming/-bundle/{pair.anna.id}"]


def test_a_bundle_without_refs_verifies_nothing(pair: Pair) -> None:
    pair.file("none").write_bytes(write_header([], {}) + write_pack([]))
    for call in (pair.bert.bundles.verify, pair.bert.bundles.apply):
        with pytest.raises(VerificationError) as error:
            call(pair.file("none"))
        assert error.value.code == "koinii/bundle-refused"
