"""A hostile seat: whoever's files do not prove what they claim stays where it was."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import koinii
from koinii import RemoteSeat
from koinii.errors import VerificationError
from koinii.history.log import decode_bundle
from koinii.history.manifest import Listed
from koinii.history.record import CommitRecord, decode_record
from koinii.note import PrivateKey, Signer
from koinii.trust.statements import Introduction, sign_statement
from remote.desks import (
    Clock,
    Desk,
    examples,
    hand_over,
    make_desk,
    room,
    says,
    shown,
    take,
)
from remote.forging import BUNDLE, Forger

EVE, FRED = "AgentEve", "AgentFred"
OLD = "agents/AgentEve/claims/CxEve/0/1.kb"
NEW = "agents/AgentEve/claims/CxEve/0/2.kb"
INTRODUCTION = "agents/AgentEve/statements"
CONTEXTS = "agents/AgentEve/contexts"
SIGNATURE = "agents/AgentEve/authored"

Said = set[tuple[str, str, str, str]]
Files = dict[str, bytes]
Forgery = Callable[["Scene"], Files]


class Scene(NamedTuple):
    """A receiver that has applied the first of two good states of a hostile seat."""

    receiver: Path
    hostile: Desk
    forger: Forger
    first: Files
    second: Files
    honest: tuple[str, Files]
    after_first: Said
    after_second: Said

    def __repr__(self) -> str:
        return "Scene"

    @contextmanager
    def meeting(self) -> Iterator[RemoteSeat]:
        """Open a copy of the receiver."""
        with room() as folder:
            shutil.copytree(self.receiver, folder / "receiver")
            with koinii.open(str(folder / "receiver"), now=Clock()) as seat:
                yield seat

    @contextmanager
    def newcomer(self) -> Iterator[RemoteSeat]:
        """Open a seat that has met nobody."""
        with room() as folder:
            desk = make_desk(folder, "newcomer", ["AgentZoe"])
            with koinii.open(str(desk.path), now=Clock()) as seat:
                yield seat

    def heals(self, seat: RemoteSeat, came: Files | None = None) -> None:
        """Check that a good state is applied after what came before."""
        good = self.second if came is None else self.continued(came)
        assert not take(seat, good, self.forger.id).refused
        assert says(seat) == self.after_second
        assert not seat.status().refused
        troubles = {peer.seat: peer.trouble for peer in seat.peers()}
        assert troubles[self.forger.id] == ""

    def continued(self, came: Files) -> Files:
        """Return the good second state, on top of the history that came."""
        if came[BUNDLE] == self.second[BUNDLE]:
            return self.second
        entries = decode_bundle(came[BUNDLE])
        last = decode_record(entries[-1])
        assert isinstance(last, CommitRecord)
        digest = sha256(self.second["manifest"]).digest()
        record = replace(last, number=3, previous=last.leaf, agents={}, manifest=digest)
        return self.forger.headed(self.second, [*entries, record.encode()])


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("hostile")
    hostile = make_desk(folder, "hostile", [EVE, FRED])
    receiver = make_desk(folder, "receiver", ["AgentAnna"])
    honest = make_desk(folder, "honest", ["AgentGood"])
    (folder / "copies").mkdir()
    with (
        koinii.open(str(hostile.path), now=Clock()) as bad,
        koinii.open(str(receiver.path), now=Clock()) as seat,
        koinii.open(str(honest.path), now=Clock()) as good,
    ):
        good.assert_("(isHonest Good)")
        good.commit()
        hand_over(good, seat)
        for agent in (EVE, FRED):
            bad.assert_(f"(first {agent})", agent=agent)
            bad.assert_(f"(isKept {agent})", agent=agent)
        bad.commit()
        first = shown(bad)
        shutil.copytree(hostile.path, folder / "copies" / "hostile")
        hand_over(bad, seat)
        after_first = says(seat)
        for agent in (EVE, FRED):
            bad.retract(
                bad.locate(f"(first {agent})", agent.replace("Agent", "Cx")),
                agent=agent,
            )
            bad.assert_(f"(second {agent})", agent=agent)
        bad.commit()
        forger = Forger(bad, (EVE, FRED))
        made = Scene(
            receiver.path, Desk(folder / "copies" / "hostile", hostile.agents), forger,
            first, shown(bad), (good.id, shown(good)), after_first, set(),
        )  # fmt: skip
    with made.meeting() as seat:
        take(seat, made.second, forger.id)
        yield made._replace(after_second=says(seat))


def of(agent: str, said: Said) -> Said:
    return {one for one in said if one[0] == agent}


def check_seat_stays(scene: Scene, files: Files) -> VerificationError:
    """The seat as a whole is refused, nothing moves, and a good state heals it."""
    with scene.meeting() as seat:
        before = seat.status()

        with pytest.raises(VerificationError) as caught:
            take(seat, files, scene.forger.id)

        assert seat.status() == before
        assert says(seat) == scene.after_first
        scene.heals(seat)
    return caught.value


def check_author_stays(scene: Scene, files: Files, agent: str = EVE) -> tuple[str, str]:
    """One author stays, the others move on, and a good state heals it."""
    with scene.meeting() as seat:
        applied = take(seat, files, scene.forger.id)

        ((name, path, reason),) = applied.refused
        assert name == agent
        assert of(agent, says(seat)) == of(agent, scene.after_first)
        assert says(seat) - of(agent, says(seat)) == scene.after_second - of(
            agent, scene.after_second
        )
        ((shown_name, shown_seat, shown_path, shown_reason),) = seat.status().refused
        assert (shown_name, shown_seat) == (agent, scene.forger.id)
        assert (shown_path, shown_reason) == (path, reason)
        scene.heals(seat, files)
    return path, reason


# Any byte ---------------------------------------------------------------------


@given(st.data())
@settings(max_examples=examples(100))
def test_any_changed_byte_is_noticed_and_its_file_named(
    scene: Scene, data: st.DataObject
) -> None:
    unread = {OLD, OLD.replace("Eve", "Fred")}
    path = data.draw(st.sampled_from(sorted(scene.second.keys() - unread)))
    body = bytearray(scene.second[path])
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= data.draw(st.integers(1, 255))
    files = {**scene.second, path: bytes(body)}

    if path.startswith("agents/"):
        named, _ = check_author_stays(scene, files, path.split("/")[1])
        assert named == path
    elif path == "README.md":
        with scene.meeting() as seat:
            assert not take(seat, files, scene.forger.id).refused
            assert says(seat) == scene.after_second
    else:
        named = str(check_seat_stays(scene, files).details["path"])
        assert named == path or (path, named) == (BUNDLE, "checkpoint")


def test_a_segment_that_is_applied_is_not_read_again_and_a_newcomer_refuses_it(
    scene: Scene,
) -> None:
    files = {**scene.second, OLD: scene.second[OLD].replace(b"first", b"worst")}
    with scene.meeting() as seat:
        assert not take(seat, files, scene.forger.id).refused
        assert says(seat) == scene.after_second
    with scene.newcomer() as fresh:
        ((name, path, _),) = take(fresh, files, scene.forger.id).refused
        assert (name, path) == (EVE, OLD)
        assert says(fresh) == of(FRED, scene.after_second)


@given(st.data())
@settings(max_examples=examples(30))
def test_any_changed_byte_of_an_author_is_noticed_under_a_manifest_that_fits(
    scene: Scene, data: st.DataObject
) -> None:
    """The seat signs for the changed bytes: the author's own signature decides."""
    theirs = [
        path for path in sorted(scene.second) if path.startswith("agents/AgentEve")
    ]
    path = data.draw(st.sampled_from(theirs))
    body = bytearray(scene.second[path])
    at = data.draw(st.integers(0, len(body) - 1))
    body[at] ^= data.draw(st.integers(1, 255))
    files = scene.forger.resealed({**scene.second, path: bytes(body)})
    if path == OLD:  # one of its two lines is gone since, and says nothing any more
        with scene.meeting() as seat:
            if not take(seat, files, scene.forger.id).refused:
                assert says(seat) == scene.after_second
                return

    check_author_stays(scene, files)


@pytest.mark.parametrize("path", ["seat.pub", "checkpoint", "manifest", BUNDLE])
def test_a_seat_without_one_of_its_files_is_refused(scene: Scene, path: str) -> None:
    files = {name: body for name, body in scene.second.items() if name != path}

    assert check_seat_stays(scene, files).details["path"] == path


def test_nothing_at_all_is_refused(scene: Scene) -> None:
    check_seat_stays(scene, {})


# Forged with the seat's own keys: the author is refused -----------------------


def without(scene: Scene, *paths: str) -> Files:
    return {name: body for name, body in scene.second.items() if name not in paths}


def older_segments(scene: Scene) -> Files:
    return scene.forger.resealed(without(scene, NEW))


def older_state(scene: Scene) -> Files:
    older = {path: scene.first[path] for path in (SIGNATURE, CONTEXTS)}
    return scene.forger.resealed({**without(scene, NEW), **older})


def no_folder(scene: Scene) -> Files:
    every = OLD, NEW, INTRODUCTION, SIGNATURE, CONTEXTS
    return scene.forger.resealed(without(scene, *every))


def of_another_agent(scene: Scene) -> Files:
    other = scene.second["agents/AgentFred/authored"]
    return scene.forger.resealed({**scene.second, SIGNATURE: other})


def signed_with(**changes: object) -> Forgery:
    def forge(scene: Scene) -> Files:
        body = scene.forger.authored(scene.second, EVE, changes)
        return scene.forger.resealed({**scene.second, SIGNATURE: body})

    return forge


def introduced_elsewhere(scene: Scene) -> Files:
    return scene.forger.resealed(
        {**scene.second, INTRODUCTION: introduction(scene.forger.agents[EVE], "0" * 32)}
    )


def introduction(key: PrivateKey, seat: str, agent: str = EVE) -> bytes:
    made = Introduction(agent, key.public, seat, (), 5)
    return sign_statement(made, Signer.of(agent, key))


def another_key(scene: Scene) -> Files:
    key = PrivateKey.from_seed(b"k" * 32)
    return scene.forger.resealed(
        {**scene.second, INTRODUCTION: introduction(key, scene.forger.id)}
    )


def weak_key(scene: Scene) -> Files:
    """BC-116: a key under which one signature fits every text."""
    body = scene.second[INTRODUCTION].decode().split("\n")
    body[2] = "01" + "00" * 31
    return scene.forger.resealed(
        {**scene.second, INTRODUCTION: "\n".join(body).encode()}
    )


def renamed_to(path: str) -> Forgery:
    def forge(scene: Scene) -> Files:
        files = {**without(scene, NEW), path: scene.second[NEW]}
        return scene.forger.resealed(files)

    return forge


def with_segment(body: bytes, path: str = NEW) -> Forgery:
    return lambda scene: scene.forger.resealed({**scene.second, path: body})


def unlisted(path: str) -> Forgery:
    return lambda scene: {**scene.second, path: b"x\n"}


def missing(path: str) -> Forgery:
    return lambda scene: without(scene, path)


LONG = b"+ default 1 (says " + b"x" * (70 << 10) + b")\n"
FORGED_AUTHORS: dict[str, tuple[Forgery, str]] = {
    "a segment is missing": (missing(NEW), NEW),
    "an older segment is missing": (missing(OLD), OLD),
    "the signature is missing": (missing(SIGNATURE), SIGNATURE),
    "the introduction is missing": (missing(INTRODUCTION), INTRODUCTION),
    "a file is added": (unlisted("agents/AgentEve/more"), "agents/AgentEve/more"),
    "the segments of an older state": (older_segments, SIGNATURE),
    "an older state, signed then": (older_state, SIGNATURE),
    "the author is gone": (no_folder, SIGNATURE),
    "the signature of another agent": (of_another_agent, SIGNATURE),
    "a signature for another agent": (signed_with(agent=FRED), SIGNATURE),
    "a signature for another seat": (signed_with(seat="0" * 32), SIGNATURE),
    "a signature for an older commit": (signed_with(number=1), SIGNATURE),
    "a signature for no commit": (signed_with(number=3), "history/entries/0000"),
    "a signature for the last commit there can be": (
        signed_with(number=2**64 - 1),
        "history/entries/",
    ),
    "a signature under another root": (signed_with(root=b"r" * 32), SIGNATURE),
    "a signature under another size": (signed_with(size=2**64 - 1), SIGNATURE),
    "an introduction at another seat": (introduced_elsewhere, INTRODUCTION),
    "another key for the same agent": (another_key, INTRODUCTION),
    "a weak key": (weak_key, INTRODUCTION),
    "a segment that is a context": (
        renamed_to("agents/AgentEve/claims/CxEve"),
        "agents/AgentEve/claims/CxEve",
    ),
    "a context that is not quoted": (
        renamed_to("agents/AgentEve/claims/Cx%zz/0/2.kb"),
        "agents/AgentEve/claims/Cx%zz/0/2.kb",
    ),
    "a context with a slash in its name": (
        renamed_to("agents/AgentEve/claims/Cx%2F/0/2.kb"),
        "agents/AgentEve/claims/Cx%2F/0/2.kb",
    ),
    "a context that is no symbol": (
        renamed_to("agents/AgentEve/claims/Cx%20Eve/0/2.kb"),
        "agents/AgentEve/claims/Cx%20Eve/0/2.kb",
    ),
    "a level beyond the last": (
        renamed_to("agents/AgentEve/claims/CxEve/21/2.kb"),
        "agents/AgentEve/claims/CxEve/21/2.kb",
    ),
    "lines that are no claims": (with_segment(b"+ hello\n"), NEW),
    "lines without an end": (with_segment(b"+ default 1 (a B)"), NEW),
    "lines that are not UTF-8": (with_segment(b"+ default 1 (a \xff)\n"), NEW),
    "a line that is too long": (with_segment(LONG), NEW),
    "an empty segment": (with_segment(b""), SIGNATURE),
    "one segment twice": (
        lambda scene: scene.forger.resealed(
            {**scene.second, OLD.replace("1.kb", "3.kb"): scene.second[OLD]}
        ),
        SIGNATURE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED_AUTHORS)
def test_a_forged_author_stays_and_the_others_move_on(scene: Scene, name: str) -> None:
    forge, named = FORGED_AUTHORS[name]

    path, reason = check_author_stays(scene, forge(scene))

    assert named in path
    assert reason


def test_two_forged_authors_are_two_refusals(scene: Scene) -> None:
    files = {**scene.second, SIGNATURE: b"x"}
    files["agents/AgentFred/authored"] = b"y"

    with scene.meeting() as seat:
        applied = take(seat, files, scene.forger.id)

        assert [one.name for one in applied.refused] == [EVE, FRED]
        assert says(seat) == scene.after_first
        scene.heals(seat)


@pytest.mark.parametrize("name", ["an older state, signed then", "the author is gone"])
def test_a_newcomer_is_not_shown_an_older_author_beside_a_damaged_one(
    scene: Scene, name: str
) -> None:
    """Nobody here has seen Eve before; what the records bind tells her newest set."""
    forge, _ = FORGED_AUTHORS[name]
    files = {**forge(scene), "agents/AgentFred/statements": b"x"}

    with scene.newcomer() as fresh:
        applied = take(fresh, files, scene.forger.id)

        assert [one.name for one in applied.refused] == [FRED, EVE]
        assert not says(fresh)
        assert not take(fresh, scene.continued(files), scene.forger.id).refused


@pytest.mark.parametrize("name", ["eve", "AgentMajority", "AgentAgentEve", "AgentÉve"])
def test_an_agent_with_a_bad_name_is_refused_alone(scene: Scene, name: str) -> None:
    """BC-124: one bad name never blocks the others, however well it is signed."""
    note = introduction(scene.forger.agents[EVE], scene.forger.id, name)
    files = scene.forger.resealed({**scene.second, f"agents/{name}/statements": note})
    with scene.meeting() as seat:
        applied = take(seat, files, scene.forger.id)

        assert [one.name for one in applied.refused] == [name]
        assert says(seat) == scene.after_second
        assert name not in {row.name for row in seat.agents()}


# Forged with the seat's own keys: the seat is refused -------------------------


def last_record(scene: Scene) -> tuple[list[bytes], CommitRecord]:
    entries = decode_bundle(scene.second[BUNDLE])
    record = decode_record(entries[-1])
    assert isinstance(record, CommitRecord)
    return entries[:-1], record


def record_with(**changes: object) -> Forgery:
    return lambda scene: scene.forger.sealed(scene.second, **changes)


def newer_record(scene: Scene) -> Files:
    entries, record = last_record(scene)
    return scene.forger.headed(scene.second, [*entries, _version_two(record.encode())])


def _version_two(data: bytes) -> bytes:
    assert data.count(b"\x61v\x01") == 1
    return data.replace(b"\x61v\x01", b"\x61v\x02")


def head_of_size(size: int) -> Forgery:
    def forge(scene: Scene) -> Files:
        entries = decode_bundle(scene.second[BUNDLE])
        return scene.forger.headed(scene.second, entries, size)

    return forge


def another_seat(scene: Scene) -> Files:
    return scene.honest[1]


def head_of_another_seat(scene: Scene) -> Files:
    return {**scene.second, "checkpoint": scene.honest[1]["checkpoint"]}


def key_of_another_seat(scene: Scene) -> Files:
    return {**scene.second, "seat.pub": scene.honest[1]["seat.pub"]}


def another_history(scene: Scene) -> Files:
    """A fork: the copy of the seat that went on from its first state in another way."""
    with room() as folder, scene.hostile.copy_to(folder) as copy:
        copy.assert_("(other Eve)", agent=EVE)
        copy.commit()
        copy.assert_("(another Eve)", agent=EVE)
        copy.commit()
        return shown(copy)


def lists_more(scene: Scene) -> Files:
    ghost = Listed(3, "0" * 64)
    return scene.forger.sealed(
        scene.forger.listed(scene.second, **{"posts/9.kb": ghost})
    )


def lists_a_way_out(scene: Scene) -> Files:
    body = scene.second["manifest"] + b"0" * 64 + b" 1 sources/../../x\n"
    return scene.forger.sealed({**scene.second, "manifest": body})


FORGED_SEATS: dict[str, tuple[Forgery, str]] = {
    "no agents root": (record_with(agents_root=b"r" * 32), "does not bind"),
    "a record after another": (record_with(previous=b"p" * 32), "out of line"),
    "a record of another number": (record_with(number=3), "another seat or number"),
    "a record of the last number there is": (
        record_with(number=2**64 - 1), "another seat or number",
    ),
    "a record of another seat": (record_with(seat="0" * 32), "another seat or number"),
    "a record that needs a newer version": (newer_record, "newer koinii"),
    "a record that binds no manifest": (record_with(manifest=b"m" * 32), "binds"),
    "a head over more records": (head_of_size(3), "holds 2 records"),
    "a head over 2^63 records": (head_of_size(2**63), "holds 2 records"),
    "a head over 2^64-1 records": (head_of_size(2**64 - 1), "holds 2 records"),
    "a head over nothing": (head_of_size(0), "two histories"),
    "another seat's ref": (another_seat, "not the key of seat"),
    "another seat's head": (head_of_another_seat, "no known key"),
    "another seat's key": (key_of_another_seat, "not the key of seat"),
    "a manifest that lists what is not there": (lists_more, "both listed and there"),
    "a manifest that leads out of its folder": (lists_a_way_out, "the path"),
    "a file that no manifest lists": (unlisted("posts/1.kb"), "both listed and there"),
    "a file in no folder": (unlisted("evil"), "both listed and there"),
    "another file of history": (unlisted("history/entries/0001"), "both listed"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED_SEATS)
def test_a_forged_seat_is_refused_whole(scene: Scene, name: str) -> None:
    forge, reason = FORGED_SEATS[name]

    error = check_seat_stays(scene, forge(scene))

    assert reason in error.message
    assert error.details["path"]


def test_bc_060_a_history_that_went_back_is_said_and_not_followed(scene: Scene) -> None:
    with scene.meeting() as seat:
        scene.heals(seat)

        with pytest.raises(VerificationError, match="went back from 2 to 1"):
            take(seat, scene.first, scene.forger.id)

        assert says(seat) == scene.after_second


def test_bc_020_a_second_history_of_one_seat_is_a_fork(scene: Scene) -> None:
    with scene.meeting() as seat:
        scene.heals(seat)

        with pytest.raises(VerificationError, match="two histories"):
            take(seat, another_history(scene), scene.forger.id)

        assert says(seat) == scene.after_second


def test_a_shorter_second_history_is_a_fork_and_no_step_back(scene: Scene) -> None:
    _, record = last_record(scene)
    other = replace(record, number=1, previous=None)
    files = scene.forger.headed(scene.second, [other.encode()])
    with scene.meeting() as seat:
        scene.heals(seat)

        with pytest.raises(VerificationError, match="two histories"):
            take(seat, files, scene.forger.id)


def test_the_readme_is_for_people_and_decides_nothing(scene: Scene) -> None:
    files = {**scene.second, "README.md": b"\x00" * (8 << 20)}
    with scene.meeting() as seat:
        assert not take(seat, files, scene.forger.id).refused
        assert says(seat) == scene.after_second
