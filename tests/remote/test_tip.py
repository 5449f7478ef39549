"""Only the commit that a seat's own key signed shows what the seat says."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from markdown_it import MarkdownIt

import koinii
from history.sample_proofs import SEAT, SEAT_KEY
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.note import PrivateKey, seat_id, sign_ssh, verify_ssh
from koinii.remote.commit import commit_object, open_commit, sign_commit
from koinii.remote.doctor import examine
from koinii.remote.pack import object_id, store_pack, write_pack
from koinii.seat.own_key import own_key
from remote.conftest import Plain
from remote.desks import Desk, make_desk, room, says, shown
from remote.forging import store_commit

SEATS = "refs/koinii/seats/"
PAGE = Path(__file__).parents[2] / "docs" / "formats" / "seat-ref.md"
OTHER = PrivateKey.from_seed(b"o" * 32)


class Meeting(NamedTuple):
    """Two seats that have pushed, one of which will be shown otherwise; a reader."""

    bare: Path
    anna: RemoteSeat
    cleo: RemoteSeat
    bert: RemoteSeat
    plain: Plain

    def tip(self, seat: RemoteSeat) -> str:
        return self.plain(self.bare, "rev-parse", SEATS + seat.id)

    def data(self, commit: str) -> bytes:
        """Return the bytes of a commit; `plain` takes its last line end away."""
        return self.plain(self.bare, "cat-file", "commit", commit).encode() + b"\n"

    def show(self, data: bytes) -> None:
        """Put a commit at Anna's ref, as whoever can push can."""
        store_pack(self.bare, write_pack([(b"commit", data)]))
        self.point(object_id(b"commit", data))

    def point(self, oid: str) -> None:
        self.plain(self.bare, "update-ref", SEATS + self.anna.id, oid)


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Desk]:
    folder = tmp_path_factory.mktemp("desks")
    names = {"anna": "AgentAnna", "bert": "AgentBert", "cleo": "AgentCleo"}
    return {name: make_desk(folder, name, [agent]) for name, agent in names.items()}


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def meeting(
    desks: dict[str, Desk], tmp_path: Path, bare: Path, plain: Plain
) -> Iterator[Meeting]:
    with (
        desks["anna"].copy_to(tmp_path) as anna,
        desks["bert"].copy_to(tmp_path) as bert,
        desks["cleo"].copy_to(tmp_path) as cleo,
    ):
        for seat in (anna, bert, cleo):
            seat.remotes.add("origin", str(bare))
        say(anna, "(first Claim)")
        say(anna, "(second Claim)")
        anna.push()
        say(cleo, "(from Cleo)")
        cleo.push()
        yield Meeting(bare, anna, cleo, bert, plain)


def say(seat: RemoteSeat, text: str) -> None:
    seat.assert_(text)
    assert seat.commit()


# Ways to show a tip that its seat has not signed ---------------------------------


def payload(meeting: Meeting) -> bytes:
    return open_commit(meeting.data(meeting.tip(meeting.anna))).signed


def unsigned(meeting: Meeting) -> bytes:
    return payload(meeting)


def emptied(meeting: Meeting) -> bytes:
    data = sign_commit(payload(meeting), "-----BEGIN SSH SIGNATURE-----\n")
    return data.replace(b"-----BEGIN SSH SIGNATURE-----", b"")


def of_another(meeting: Meeting) -> bytes:
    """Signed by a key that is another seat's, and good."""
    key = own_key(meeting.cleo)
    return sign_commit(payload(meeting), sign_ssh(payload(meeting), key, "git"))


def changed(meeting: Meeting, change: Callable[[bytes], bytes]) -> bytes:
    """Return the tip with its signature changed, in a good armour again."""
    armour = open_commit(meeting.data(meeting.tip(meeting.anna))).armour
    assert armour
    begin, *lines, end = armour.splitlines()
    text = base64.b64encode(change(base64.b64decode("".join(lines)))).decode()
    body = [text[at : at + 70] for at in range(0, len(text), 70)]
    return sign_commit(payload(meeting), "\n".join([begin, *body, end]))


def zeroed(meeting: Meeting) -> bytes:
    return changed(meeting, lambda blob: blob[:-64] + bytes(64))


def other_hash_name(meeting: Meeting) -> bytes:
    return changed(meeting, lambda blob: blob.replace(b"sha512", b"sha513"))


def of_the_one_before(meeting: Meeting) -> bytes:
    """A good signature of the right key, from the commit before."""
    before = open_commit(meeting.data(meeting.tip(meeting.anna)))
    assert before.armour
    say(meeting.anna, "(third Claim)")
    meeting.anna.push()
    return sign_commit(payload(meeting), before.armour)


def reworded(meeting: Meeting) -> bytes:
    data = meeting.data(meeting.tip(meeting.anna))
    return data.replace(b"\n\ncommit 2", b"\n\ncommit 3")


def other_namespace(meeting: Meeting) -> bytes:
    armour = sign_ssh(payload(meeting), own_key(meeting.anna), "file")
    return sign_commit(payload(meeting), armour)


def in_anothers_name(meeting: Meeting) -> bytes:
    """Signed by the right key, and says to be a commit of another seat."""
    said = payload(meeting).replace(meeting.anna.id.encode(), meeting.cleo.id.encode())
    return sign_commit(said, sign_ssh(said, own_key(meeting.anna), "git"))


WAYS: list[tuple[Callable[[Meeting], bytes], str]] = [
    (unsigned, "there is no signature"),
    (emptied, "a signature that is no SSHSIG"),
    (zeroed, "small order"),
    (of_another, "signed by another key"),
    (of_the_one_before, "does not fit"),
    (reworded, "does not fit"),
    (other_hash_name, "its hash is 'sha513'"),
    (other_namespace, "namespace 'file'"),
    (in_anothers_name, "it is one of seat"),
]


@pytest.mark.parametrize(("way", "reason"), WAYS, ids=[way.__name__ for way, _ in WAYS])
def test_bc_053_a_tip_that_its_seat_has_not_signed_is_refused(
    way: Callable[[Meeting], bytes], reason: str, meeting: Meeting
) -> None:
    data = way(meeting)
    good = meeting.tip(meeting.anna)
    assert object_id(b"commit", data) != good
    meeting.show(data)

    first, again = meeting.bert.pull(), meeting.bert.pull()

    ((seat, agent, path, why, _),) = first.troubles
    assert (seat, agent, reason in why) == (meeting.anna.id, "", True), why
    assert path in ("", "commit")
    assert again.troubles == first.troubles
    assert not first.whole
    assert {said[3] for said in says(meeting.bert)} == {"(from Cleo)"}
    assert [one.trouble for one in meeting.bert.peers() if one.seat == seat] == [why]

    say(meeting.anna, "(one More)")
    assert meeting.anna.push().moved
    assert meeting.bert.pull().whole
    assert says(meeting.bert) >= says(meeting.anna)


def test_what_was_applied_stays_when_a_tip_is_refused(meeting: Meeting) -> None:
    """A foreign commit on top of ours, of our own files: nothing moves."""
    meeting.bert.pull()
    before = says(meeting.bert), meeting.bert.status().commit
    say(meeting.anna, "(third Claim)")
    meeting.anna.push()
    files, parent = shown(meeting.anna), meeting.tip(meeting.anna)
    meeting.point(store_commit(meeting.bare, meeting.anna.id, files, parent))

    (trouble,) = meeting.bert.pull().troubles

    assert (trouble.seat, trouble.path) == (meeting.anna.id, "commit")
    assert (says(meeting.bert), meeting.bert.status().commit) == before
    meeting.point(store_commit(
        meeting.bare, meeting.anna.id, files, parent, own_key(meeting.anna)
    ))  # fmt: skip
    assert meeting.bert.pull().whole


def test_a_clone_takes_nothing_of_an_unsigned_tip(
    meeting: Meeting, tmp_path: Path
) -> None:
    meeting.show(unsigned(meeting))
    path = str(tmp_path / "new")
    with koinii.clone(str(meeting.bare), path, agent="AgentZoe") as fresh:
        assert fresh.cloned
        ((seat, *_, why, _),) = fresh.cloned.troubles
        assert (seat, "no signature" in why) == (meeting.anna.id, True)
        assert {said[3] for said in says(fresh)} == {"(from Cleo)"}


# What is signed --------------------------------------------------------------------


def test_every_tip_that_was_pushed_is_signed_and_no_other(meeting: Meeting) -> None:
    say(meeting.anna, "(third Claim)")
    meeting.anna.push()
    key = own_key(meeting.anna).public
    tip = meeting.tip(meeting.anna)
    third, second, first = (
        open_commit(meeting.data(f"{tip}~{back}")) for back in range(3)
    )

    assert first.armour is None
    for one in (second, third):
        assert one.seat_id == meeting.anna.id
        verify_ssh(one.signed, one.armour, key, "git")


def test_a_tip_made_again_from_the_store_is_signed(
    meeting: Meeting, tmp_path: Path
) -> None:
    """All git objects are lost; the mended seat shows what others take."""
    say(meeting.anna, "(third Claim)")
    meeting.anna.push()
    for place in (Path(meeting.anna.layout.git), meeting.bare):
        place.rename(tmp_path / f"lost-{place.name}")
    meeting.plain(tmp_path, "init", "-q", "--bare", str(meeting.bare))
    examine(meeting.anna.layout, fix=True)

    assert meeting.anna.push().moved
    meeting.cleo.push()
    assert meeting.bert.pull().whole
    assert says(meeting.bert) >= says(meeting.anna)


def test_a_seat_without_its_key_pushes_nothing_unsigned(
    meeting: Meeting, tmp_path: Path
) -> None:
    say(meeting.anna, "(third Claim)")
    before = meeting.tip(meeting.anna)
    path = Path(meeting.anna.layout.seat_key)
    kept = path.rename(tmp_path / "kept")
    with pytest.raises(KoiniiError) as lost:
        meeting.anna.push()
    path.write_bytes(OTHER.openssh())
    path.chmod(0o600)
    with pytest.raises(KoiniiError) as other:
        meeting.anna.push()

    assert lost.value.code == "koinii/key-unreadable"
    assert other.value.code == "koinii/other-key"
    assert meeting.tip(meeting.anna) == before
    kept.replace(path)
    assert meeting.anna.push().moved
    assert meeting.bert.pull().whole


def test_the_commit_on_the_page() -> None:
    message = "commit 5: 3 claims believed\n\nKoinii-Commit: 5\n"
    name = seat_id(SEAT.verifier.key)
    data = commit_object("4" * 40, "5" * 40, message, name, 1_750_000_000_000)
    blocks = [
        one.content
        for one in MarkdownIt().parse(PAGE.read_text())
        if one.type == "fence" and one.info == "text signed-commit"
    ]

    assert blocks == [sign_commit(data, sign_ssh(data, SEAT_KEY, "git")).decode()]
