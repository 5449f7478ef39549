"""BC-053, BC-116, BC-125: what agents and admins sign of keys and standing."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import koinii
from cases.seats import code_of, sit, told
from faces.command import within
from hostile.heads import STRANGER
from hostile.signatures import signature_of, with_signature, zeros
from koinii import RemoteSeat
from koinii.errors import KoiniiError, VerificationError
from koinii.note import PrivateKey, Signer, read_private_key, sign_note, to_base64
from koinii.note.signed import key_id, parse_note
from koinii.remote.taking import known_of
from koinii.remote.verify import verify_seat
from koinii.seat.administering import STATEMENT
from koinii.seat.deciding import add
from koinii.store import meta
from koinii.trust.presence import open_presence
from koinii.trust.statements import (
    Grant,
    Revocation,
    Rotation,
    Statement,
    open_remote,
    parse_statement,
    split_statements,
)
from remote.desks import (
    fetched,
    hand_over,
    make_key,
    room,
    says,
    shown,
    take,
)
from remote.forging import Forger

ONE = (1).to_bytes(32, "little")
WEAK = {
    "the identity": ONE,
    "zeros": bytes(32),
    "beyond the field": b"\xee" + b"\xff" * 30 + b"\x7f",
}

# What is signed --------------------------------------------------------------------

ROOT = "agents/AdminRoot/statements"
OF_ANNA = "agents/AgentAnna/statements"
OF_TWIN = "agents/AgentTwin/statements"


class Signed(NamedTuple):
    """What a seat shows whose agents have signed a statement of every kind."""

    forger: Forger
    files: dict[str, bytes]
    keys: dict[str, PrivateKey]  # of Anna the one that it had first
    remote: bytes  # the statement of the remote

    def __repr__(self) -> str:
        return "Signed"


@pytest.fixture(scope="module")
def signed() -> Iterator[Signed]:
    with room() as made:
        key = make_key(made / "twin")
        with (
            sit(made, "here", "AgentAnna") as seat,
            sit(made, "there", "AgentTwin", key=key) as other,
        ):
            seat.new_agent("AgentTwin", key=str(key))
            other.assert_("(isHere Twin)")
            other.commit()
            hand_over(other, seat)
            anna = private(seat, "AgentAnna")
            seat.admin_init()
            seat.grant("AgentAnna", ["member", "moderator CxDeploy"])
            twin = private(seat, "AgentTwin").public.fingerprint
            seat.revoke_key("AgentTwin", twin, reason="lost", number=9, by_admin=True)
            late = Revocation("AgentAnna", anna.public.key_hash, "*", 99, "old")
            with seat.kb.write():
                add(seat, "AgentAnna", late, [anna])
            seat.retire_agent("AgentTwin", other.id)
            seat.rotate_agent("AgentAnna")
            seat.assert_("(isHere Anna)")
            seat.assert_("(isHere Too)", agent="AgentTwin")
            seat.commit()
            keys = {one: private(seat, one) for one in ("AdminRoot", "AgentTwin")}
            remote = str(meta.get(seat.database.connection, STATEMENT)).encode()
            forger = Forger(seat, ("AgentAnna", "AdminRoot"))
            yield Signed(forger, shown(seat), {**keys, "AgentAnna": anna}, remote)


def private(seat: RemoteSeat, agent: str) -> PrivateKey:
    return read_private_key(Path(seat.layout.agent_key(agent)))


def another(statement: Statement) -> str:
    """Return the statement's text with its last field another one."""
    text = statement.text().removesuffix("\n")
    head, _, last = text.rpartition("\n")
    said = f"{last}x"
    if last.isdecimal():
        said = str(int(last) + 1)
    elif last == "-" or len(last) == len("f" * 64):
        said = "f" * 64
    return f"{head}\n{said}\n"


Way = Callable[[bytes, PrivateKey], bytes]


def body_of(note: bytes) -> bytes:
    return note.split(b"\n\n")[0] + b"\n"


def name_of(note: bytes) -> str:
    return parse_note(note).lines[0].name


def over_another(note: bytes, key: PrivateKey) -> bytes:
    """The right key's signature over what it might have said before."""
    text = another(parse_statement(body_of(note).decode()))
    return with_signature(note, key.sign(text.encode()))


def body_changed(note: bytes, key: PrivateKey) -> bytes:
    text = another(parse_statement(body_of(note).decode()))
    return text.encode() + b"\n" + note.split(b"\n\n")[1]


def of_another_type(note: bytes, key: PrivateKey) -> bytes:
    """The signature says that it is a cosignature."""
    name = name_of(note)
    payload = key_id(name, 4, key.public.raw) + signature_of(note)
    return body_of(note) + f"\n\u2014 {name} {to_base64(payload)}\n".encode()


def emptied(note: bytes, key: PrivateKey) -> bytes:
    return body_of(note) + f"\n\u2014 {name_of(note)} \n".encode()


def by_a_stranger(note: bytes, key: PrivateKey) -> bytes:
    signer = Signer.of(name_of(note), STRANGER)
    return sign_note(body_of(note).decode(), [signer])


def by_a_stranger_as_the_key(note: bytes, key: PrivateKey) -> bytes:
    return with_signature(note, STRANGER.sign(body_of(note)))


WAYS: dict[str, tuple[Way, str]] = {
    "removed": (lambda note, _: body_of(note), "cut short"),
    "removed, gap and all that": (lambda note, _: body_of(note) + b"\n", "cut short"),
    "empty": (emptied, "no signature"),
    "of no bytes": (lambda note, _: with_signature(note, b""), "holds no signature"),
    "zeros": (lambda note, _: with_signature(note, zeros()), "does not fit the text"),
    "of a stranger": (by_a_stranger, "no known key"),
    "of a stranger, as the key's": (by_a_stranger_as_the_key, "does not fit the text"),
    "over what was said before": (over_another, "does not fit the text"),
    "and another body": (body_changed, "does not fit the text"),
    "of another type": (of_another_type, "no known key"),
}  # fmt: skip
STATEMENTS = {  # file, which one in it, who signs it
    "introduction": (OF_ANNA, 0, "AgentAnna"),
    "introduction of the admin": (ROOT, 0, "AdminRoot"),
    "grant": (ROOT, 1, "AdminRoot"),
    "revocation by the admin": (ROOT, 2, "AdminRoot"),
    "revocation": (OF_ANNA, 1, "AgentAnna"),
    "rotation": (OF_ANNA, 2, "AgentAnna"),
    "retirement": (OF_TWIN, 1, "AgentTwin"),
    "authored": ("agents/AgentTwin/authored", 0, "AgentTwin"),
}


@pytest.mark.parametrize("way", WAYS)
def test_bc_053_no_statement_passes_without_its_signature(
    way: str, signed: Signed, folder: Path
) -> None:
    spoil, words = WAYS[way]
    with sit(folder, "zoe", "AgentZoe") as seat:
        before = known_of(seat, signed.forger.id)
        for kind, (path, place, agent) in STATEMENTS.items():
            notes = split_statements(signed.files[path])
            notes[place] = spoil(without_second(notes[place]), signed.keys[agent])
            files = {**signed.files, path: b"\n".join(notes)}
            files = signed.forger.resealed(files)

            (refused,) = verify_seat(fetched(files, signed.forger.id), before).refused

            assert (refused.name, refused.path) == (agent, path), kind
            assert words in refused.reason or way.startswith("removed"), kind
        applied = take(seat, files, signed.forger.id)

        assert [one.name for one in applied.refused] == ["AgentTwin"]
        assert {said[3] for said in says(seat)} == {"(isHere Anna)"}
        assert "AgentTwin" not in [one.name for one in seat.agents()]


def test_bc_053_each_statement_is_of_the_kind_it_is_called(signed: Signed) -> None:
    kinds = []
    for path, place, agent in STATEMENTS.values():
        note = split_statements(signed.files[path])[place]
        kinds.append(note.split(b"/")[0].removeprefix(b"koinii.").decode())
        line = without_second(note)
        assert signed.keys[agent].public.verify(body_of(line), signature_of(line))
    assert kinds == [
        "introduce", "introduce", "grant", "revoke", "revoke", "rotate", "retire",
        "authored",
    ]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_bc_053_no_remote_has_an_admin_that_has_not_signed(
    way: str, signed: Signed
) -> None:
    spoil, _ = WAYS[way]
    assert open_remote(signed.remote).key == signed.keys["AdminRoot"].public
    with pytest.raises(VerificationError):
        open_remote(spoil(signed.remote, signed.keys["AdminRoot"]))


def without_second(note: bytes) -> bytes:
    """Return a rotation as its old key alone has signed it."""
    head, _, block = note.partition(b"\n\n")
    return head + b"\n\n" + block.split(b"\n")[0] + b"\n"


# Weak keys -------------------------------------------------------------------------


def openssh_line(raw: bytes) -> str:
    parts = (b"ssh-ed25519", raw)
    blob = b"".join(struct.pack(">I", len(one)) + one for one in parts)
    return "ssh-ed25519 " + base64.b64encode(blob).decode()


def openssh_file(path: Path, raw: bytes) -> str:
    """Write a private key's file in which the public half is another key."""
    kept = STRANGER.openssh().splitlines()
    body = base64.b64decode(b"".join(kept[1:-1]))
    changed = base64.b64encode(body.replace(STRANGER.public.raw, raw))
    path.write_bytes(b"\n".join([kept[0], changed, kept[-1], b""]))
    path.chmod(0o600)
    return str(path)


@pytest.mark.parametrize("name", WEAK)
def test_bc_116_no_seat_has_a_weak_key(name: str, folder: Path) -> None:
    """A key file's secret says which key it is, whatever stands beside it."""
    raw, given = WEAK[name], openssh_file(folder / "weak", WEAK[name])
    founded = within("init", str(folder / "a"), "--as", "AgentAnna", "--key", given)
    with sit(folder, "b", "AgentBert") as seat:
        within("-C", str(folder / "b"), "agent", "new", "AgentNew", "--key", given)
        within("-C", str(folder / "b"), "agent", "rotate", "AgentBert", "--key", given)
        with suppress(KoiniiError):
            seat.rotate_agent("AgentBert", key=given)
        seats = [seat] if founded.code else [seat, koinii.open(str(folder / "a"))]
        for one in seats:
            for row in one.histories.agents():
                assert row.public_key != raw
                presence = open_presence(row.statements.encode(), row.name, row.seat)
                assert raw not in {key.raw for _, key in presence.keys}
        seats[-1].close()


@pytest.mark.parametrize("name", WEAK)
def test_bc_116_no_weak_key_is_granted(name: str, folder: Path) -> None:
    line = openssh_line(WEAK[name])
    (folder / "key.pub").write_text(line + "\n")
    with sit(folder, "a", "AgentAnna") as seat:
        seat.admin_init()
        for given in (line, str(folder / "key.pub")):
            refused = code_of(partial(seat.grant, "AgentBert", ["member"], key=given))
            assert refused == "koinii/weak-key"
        admin = seat.admin()
        assert admin is not None
        assert admin.grants == []


@pytest.mark.parametrize("name", WEAK)
def test_bc_116_no_statement_of_another_names_a_weak_key(
    name: str, signed: Signed
) -> None:
    """Introduced, granted, rotated to, an admin's: whoever has signed it."""
    notes = [
        split_statements(signed.files[path])[at] for path, at, _ in STATEMENTS.values()
    ]
    tried = set()
    for note in [*notes, signed.remote]:
        statement = parse_statement(body_of(note).decode())
        key = getattr(statement, "key", None)
        if key is not None:
            text = statement.text().replace(key.raw.hex(), WEAK[name].hex())
            assert code_of(partial(parse_statement, text)) == "koinii/weak-key"
            tried.add(text.split("\n")[0])
    assert tried == {
        "koinii.introduce/v1", "koinii.grant/v1", "koinii.rotate/v1",
        "koinii.remote/v1",
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["grant", "rotation"])
def test_bc_116_a_weak_key_that_a_remote_shows_is_refused(
    kind: str, signed: Signed, folder: Path
) -> None:
    """With the signature that fits every text under it."""
    path, place, agent = STATEMENTS[kind]
    notes = split_statements(signed.files[path])
    statement = parse_statement(body_of(notes[place]).decode())
    assert isinstance(statement, Grant | Rotation)
    key = statement.key.raw.hex().encode()
    spoilt = without_second(notes[place]).replace(key, ONE.hex().encode())
    notes[place] = with_signature(spoilt, ONE + bytes(32))
    files = signed.forger.resealed({**signed.files, path: b"\n".join(notes)})
    with sit(folder, "zoe", "AgentZoe") as seat:
        (refused,) = take(seat, files, signed.forger.id).refused

        assert (refused.name, refused.path) == (agent, path)
        assert "small order" in refused.reason
        assert agent not in [one.name for one in seat.agents()]


# What an operator decides ---------------------------------------------------


def test_bc_125_no_decision_is_signed_that_readers_refuse(folder: Path) -> None:
    """A reason, a number, a standing, a name: refused, and the file stays."""
    with sit(folder, "a", "AgentAnna") as seat:
        seat.admin_init()
        key = next(one.fingerprint for one in seat.agents() if one.name == "AgentAnna")
        seat.rotate_agent("AgentAnna")
        before = seat.histories.agents()
        reasons = ["", " ", "a\nb", "a\x1b[2J", "\ud800", "x" * 1_001]
        calls: list[Callable[[], object]] = [
            *(partial(seat.revoke_key, "AgentAnna", key, reason=a) for a in reasons),
            *(
                partial(seat.revoke_key, "AgentAnna", key, reason="x", number=one)
                for one in (-1, 2**64)
            ),
            partial(seat.revoke_key, "AgentAnna", key, reason="x", seat="nowhere"),
            partial(seat.revoke_key, "AgentAnna", "SHA256:other", reason="x"),
            *(
                partial(seat.grant, "AgentAnna", [one])
                for one in ("king", "member *", "arbiter CxA", "moderator Deploy",
                            "moderator Cx A", "moderator CxA, arbiter *", "")
            ),
            *(
                partial(seat.grant, one, ["member"])
                for one in ("Anna", "Agent\u00c4nna", "AgentMajority", "AgentUniverse")
            ),
            partial(seat.retire_agent, "AgentAnna", "0" * 32),
            partial(seat.rotate_agent, "AgentAnna", key=str(folder / "none")),
            partial(seat.new_agent, "AgentNew", mail_names=["a b"]),
            partial(seat.new_agent, "AgentNew", mail_names=["operator"]),
            partial(seat.new_agent, "AgentRegistry"),
        ]  # fmt: skip
        for call in calls:
            assert code_of(call), call
        assert seat.histories.agents() == before
        seat.assert_("(goes On)")
        seat.commit()
        with sit(folder, "b", "AgentBert") as other:
            hand_over(seat, other)
            assert told(other) == {"(goes On)"}
