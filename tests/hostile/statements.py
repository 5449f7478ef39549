"""Statements: keys replaced, standing granted, words withdrawn by who may not."""

from __future__ import annotations

from collections.abc import Callable

from hostile.authors import introduced
from hostile.good import AUTHORED, EVE, FRED, STATEMENTS, Files, Good
from hostile.heads import STRANGER
from hostile.kind import Bad, Forge, Held, Refused, Taken
from koinii.note import PrivateKey, Signer
from koinii.note.signed import sign_note
from koinii.note.statements import Grant, Retirement, Revocation, Rotation
from koinii.trust.statements import open_authored
from remote.forging import signed_by

ADMIN = "AdminRoot"
ADMINS = f"agents/{ADMIN}/statements"
Note = Callable[[Good], bytes]


def refused(words: str, path: str = STATEMENTS) -> Refused:
    return Refused("author", words, path)


def adding(*notes: Note) -> Forge:
    """Return a ref where these stand in Eve's file after her introduction."""
    return lambda good: good.made({STATEMENTS: _file(good, *notes)})


def _file(good: Good, *notes: Note) -> bytes:
    return b"\n".join([good.second[STATEMENTS], *(note(good) for note in notes)])


def whole(change: Callable[[bytes], bytes]) -> Forge:
    return lambda good: good.made({STATEMENTS: change(good.second[STATEMENTS])})


def note(text: str, *keys: PrivateKey, name: str = EVE) -> bytes:
    return sign_note(text, [Signer.of(name, key) for key in keys])


def rotation(good: Good, **changes: object) -> str:
    """Return Eve's rotation to the stranger's key from the next commit on."""
    fields = {
        "agent": EVE, "old_key_hash": good.key().public.key_hash,
        "key": STRANGER.public, "seat": good.seat, "number": 3,
    } | changes  # fmt: skip
    return Rotation(**fields).text()  # type: ignore[arg-type]


def rotated(**changes: object) -> Note:
    return lambda good: note(rotation(good, **changes), good.key(), STRANGER)


def to_a_weak_key(good: Good) -> bytes:
    text = rotation(good).replace(STRANGER.public.raw.hex(), "00" * 32)
    return note(text, good.key())


def back_again(good: Good) -> bytes:
    old = STRANGER.public.key_hash
    text = rotation(good, old_key_hash=old, key=good.key().public, number=4)
    return note(text, STRANGER, good.key())


def after_its_rotation(number: int, key: Callable[[Good], PrivateKey]) -> Forge:
    """Return a rotation from a commit on, and the set of commit 2 under some key."""

    def forge(good: Good) -> Files:
        statement = open_authored(good.second[AUTHORED], good.key().public)
        body = signed_by(key(good), EVE, statement)
        file = _file(good, rotated(number=number))
        return good.made({STATEMENTS: file, AUTHORED: body})

    return forge


def granted(good: Good, agent: str = EVE) -> str:
    return Grant(agent, good.key().public, ("moderator *",), None, 5).text()


def revoked(good: Good, agent: str, key_hash: bytes, seat: str = "*") -> str:
    return Revocation(agent, key_hash, seat, 0, "because").text()


def retired(good: Good, agent: str, seat: str) -> str:
    key_hash = good.key(FRED if agent == FRED else EVE).public.key_hash
    return Retirement(agent, key_hash, seat, 0).text()


def by_eve(text: Callable[[Good], str]) -> Note:
    return lambda good: note(text(good), good.key())


def of_good(good: Good) -> bytes:
    """Return the hash of the honest agent's key."""
    body = good.others["agents/AgentGood/statements"].decode()
    from koinii.note import PublicKey  # noqa: PLC0415

    return PublicKey(bytes.fromhex(body.split("\n")[2])).key_hash


def admin(*notes: Callable[[Good], str]) -> Forge:
    """Return a ref where Eve's key calls itself the admin, and signs these."""

    def forge(good: Good) -> Files:
        parts = [introduced(ADMIN, good.key(), good.seat)]
        parts += [note(text(good), good.key(), name=ADMIN) for text in notes]
        return good.made({ADMINS: b"\n".join(parts)})

    return forge


def admin_says(context: str) -> Forge:
    """Return a third commit, in which a made-up admin writes."""

    def forge(good: Good) -> Files:
        line = "default 1 (isAdmin Eve)"
        path = f"agents/{ADMIN}/claims/{context}/0/3.kb"
        files = {
            **good.second, path: f"+ {line}\n".encode(),
            ADMINS: introduced(ADMIN, good.key(), good.seat),
        }  # fmt: skip
        return good.continued(files, good.entries, {ADMIN: {context: [line]}})

    return forge


BELONGS = "does not belong in the file"

KINDS = [
    Bad(
        "statements: a rotation signed by a stranger",
        adding(lambda good: note(rotation(good, key=good.key(FRED).public), STRANGER)),
        refused("no known key"),
    ),
    Bad(
        "statements: a rotation signed by the new key alone",
        adding(lambda good: note(rotation(good), STRANGER)),
        refused("not signed by the old key"),
    ),
    Bad(
        "statements: a rotation at another seat",
        adding(rotated(seat="0" * 32)),
        refused("another agent or seat"),
    ),
    Bad(
        "statements: a rotation of another agent",
        adding(rotated(agent=FRED)),
        refused("another agent or seat"),
    ),
    Bad(
        "statements: a rotation of a key that is not the one before",
        adding(rotated(old_key_hash=b"k" * 32)),
        refused("does not follow"),
    ),
    Bad(
        "statements: a rotation back",
        adding(rotated(), back_again),
        refused("goes back"),
    ),
    Bad(
        "statements: a rotation twice",
        adding(rotated(), rotated()),
        refused("does not follow"),
    ),
    Bad(
        "statements: a rotation to a key of zeros",
        adding(to_a_weak_key),
        refused("small order"),
    ),
    Bad(
        "statements: a rotation and no introduction",
        lambda good: good.made({STATEMENTS: rotated()(good)}),
        refused("does not begin with an introduction"),
    ),
    Bad(
        "statements: a rotation, and the old key goes on",
        after_its_rotation(2, lambda good: good.key()),
        refused("another key", AUTHORED),
    ),
    Bad(
        "statements: a rotation, and the new key signs before it",
        after_its_rotation(3, lambda _: STRANGER),
        refused("no known key", AUTHORED),
    ),
    Bad(
        "statements: a rotation from commit 2^64-1 on",
        adding(rotated(number=2**64 - 1)),
        Taken(),
    ),
    Bad("statements: a grant by an agent", adding(by_eve(granted)), refused(BELONGS)),
    Bad(
        "statements: a grant by nobody",
        adding(lambda good: granted(good).encode() + b"\n"),
        refused(""),
    ),
    Bad(
        "statements: a revocation of another agent",
        adding(
            by_eve(lambda good: revoked(good, FRED, good.key(FRED).public.key_hash))
        ),
        refused(BELONGS),
    ),
    Bad(
        "statements: a revocation of the honest agent",
        adding(by_eve(lambda good: revoked(good, "AgentGood", of_good(good)))),
        refused(BELONGS),
    ),
    Bad(
        "statements: a revocation of the honest agent's key as its own",
        adding(by_eve(lambda good: revoked(good, EVE, of_good(good)))),
        Taken(),
    ),
    Bad(
        "statements: another agent retired",
        adding(by_eve(lambda good: retired(good, FRED, good.seat))),
        refused(BELONGS),
    ),
    Bad(
        "statements: itself retired at the honest seat",
        adding(by_eve(lambda good: retired(good, EVE, good.honest))),
        Taken(),
    ),
    Bad(
        "statements: its set among them",
        lambda good: good.made(
            {STATEMENTS: good.second[STATEMENTS] + b"\n" + good.second[AUTHORED]}
        ),
        refused(BELONGS),
    ),
    Bad(
        "statements: the introduction twice",
        whole(lambda body: body + b"\n" + body),
        refused(BELONGS),
    ),
    Bad(
        "statements: the introduction another one by the same key",
        lambda good: good.made({STATEMENTS: introduced(EVE, good.key(), good.seat, 7)}),
        refused("gone or changed"),
        newcomer=Taken(),
    ),
    Bad("statements: none", whole(lambda _: b""), refused("empty")),
    Bad("statements: cut short", whole(lambda body: body[:-20]), refused("")),
    Bad(
        "statements: more than a megabyte",
        whole(lambda body: body + bytes(1 << 20)),
        refused("1 MiB"),
    ),
    Bad(
        "statements: of a kind to come",
        adding(by_eve(lambda _: "koinii.future/v7\nwhatever\n")),
        Taken(),
    ),
    Bad("statements: a made-up admin", admin(), Taken()),
    Bad("statements: a made-up admin grants all", admin(granted), Taken()),
    Bad(
        "statements: a made-up admin revokes the honest agent",
        admin(lambda good: revoked(good, "AgentGood", of_good(good))),
        Taken(),
    ),
    Bad(
        "statements: a made-up admin in the registry",
        admin_says("CxRegistry"),
        Held("koinii/not-admin"),
        heals=False,
    ),
    Bad(
        "statements: a made-up admin in a channel",
        admin_says("CxRoom"),
        Held("koinii/not-admin"),
        heals=False,
    ),
]
