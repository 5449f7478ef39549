"""Git commits at a seat's ref: unsigned, signed by others, odd, or no commits."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from hashlib import sha1, sha256

from hostile.good import FRED, Files, Good
from hostile.heads import STRANGER
from hostile.kind import Bad, Forge, Ref, Refused, Taken, commit_of, pointing, tree_of
from hostile.signatures import respelled
from koinii.note import PrivateKey, sign_ssh, to_base64
from koinii.note.sshsig import _armoured, _blob, _Parts, _signed, _strings
from koinii.remote.commit import commit_object, sign_commit
from koinii.remote.pack import GitObject, object_id, write_pack

NAMESPACE = "git"


def refused(words: str, path: str = "commit") -> Refused:
    return Refused("seat", words, path)


def payload_of(
    good: Good, seat: str = "", time: int = 0
) -> tuple[list[GitObject], bytes]:
    objects, tree = tree_of(good.second)
    return objects, commit_object(tree, None, "commit\n", seat or good.seat, time)


def signed_by(key: Callable[[Good], PrivateKey], namespace: str = NAMESPACE) -> Forge:
    def forge(good: Good) -> Ref:
        objects, payload = payload_of(good)
        armour = sign_ssh(payload, key(good), namespace)
        return pointing(objects, b"commit", sign_commit(payload, armour))

    return forge


def own(good: Good) -> PrivateKey:
    return good.forger.key


def unsigned(good: Good) -> Ref:
    objects, payload = payload_of(good)
    return pointing(objects, b"commit", payload)


def stale(good: Good) -> Ref:
    """The signature is that of an older commit of the same seat."""
    objects, payload = payload_of(good)
    _, tree = tree_of(good.first)
    older = commit_object(tree, None, "commit\n", good.seat, 0)
    return pointing(
        objects, b"commit", sign_commit(payload, sign_ssh(older, own(good), NAMESPACE))
    )


def armoured(change: Callable[[str], str]) -> Forge:
    """Return a commit whose armour is another text."""

    def forge(good: Good) -> Ref:
        objects, payload = payload_of(good)
        armour = change(sign_ssh(payload, own(good), NAMESPACE))
        return pointing(objects, b"commit", sign_commit(payload, armour))

    return forge


def blob(
    change: Callable[[bytes], bytes] = lambda signature: signature,
    hash_name: str = "sha512",
    key: bytes = b"",
    reserved: bytes = b"",
) -> Forge:
    """Return a commit whose signature is put together by hand."""

    def forge(good: Good) -> Ref:
        objects, payload = payload_of(good)
        known = hash_name if hash_name in ("sha256", "sha512") else "sha512"
        raw = change(own(good).sign(_signed(payload, NAMESPACE, known)))
        parts = _Parts(
            _strings(b"ssh-ed25519", key or own(good).public.raw), NAMESPACE.encode(),
            reserved, hash_name.encode(), _strings(b"ssh-ed25519", raw),
        )  # fmt: skip
        return pointing(
            objects, b"commit", sign_commit(payload, _armoured(_blob(parts)))
        )

    return forge


def in_the_name_of_another(good: Good) -> Ref:
    objects, payload = payload_of(good, seat=good.honest)
    armour = sign_ssh(payload, own(good), NAMESPACE)
    return pointing(objects, b"commit", sign_commit(payload, armour))


def spelled(old: bytes, new: bytes) -> Forge:
    """Return a signed commit whose bytes are others than a seat writes."""

    def forge(good: Good) -> Ref:
        objects, payload = payload_of(good)
        assert payload.count(old) >= 1
        changed = payload.replace(old, new, 1)
        armour = sign_ssh(changed, own(good), NAMESPACE)
        return pointing(objects, b"commit", sign_commit(changed, armour))

    return forge


def at(seconds: int) -> Forge:
    def forge(good: Good) -> Ref:
        objects, payload = payload_of(good, time=seconds * 1000)
        armour = sign_ssh(payload, own(good), NAMESPACE)
        return pointing(objects, b"commit", sign_commit(payload, armour))

    return forge


def after(parent: Callable[[Good], str]) -> Forge:
    return lambda good: commit_of(good, good.second, parent(good))


def two_parents(good: Good) -> Ref:
    objects, payload = payload_of(good)
    first = unsigned(good)
    head, rest = payload.split(b"\n", 1)
    line = b"parent " + first.tip.encode() + b"\n"
    changed = head + b"\n" + line + line + rest
    armour = sign_ssh(changed, own(good), NAMESPACE)
    return pointing(
        [*objects, (b"commit", payload)], b"commit", sign_commit(changed, armour)
    )


def in_place(kind: str) -> Forge:
    """Return a ref that points at no commit."""

    def forge(good: Good) -> Ref:
        objects, root = tree_of(good.second)
        if kind == "tree":
            return Ref(write_pack(objects), root)
        if kind == "blob":
            return pointing(objects, b"blob", b"hello\n")
        commit = commit_of(good, good.second)
        tag = (
            f"object {commit.tip}\ntype commit\ntag x\ntagger x <x@y> 0 +0000\n\nx\n"
        ).encode()
        oid = sha1(b"tag %d\x00" % len(tag) + tag, usedforsecurity=False).hexdigest()
        return Ref(joined(commit.pack, 4, tag), oid, by_git=True)

    return forge


def joined(
    pack: bytes, code: int, data: bytes, size: int | None = None, prefix: bytes = b""
) -> bytes:
    """Return the pack with one more object in it, of any kind and any size said.

    `prefix` stands before the packed bytes: the base that a delta is of.
    """
    said = len(data) if size is None else size
    head = bytearray([code << 4 | said & 15])
    said >>= 4
    while said:
        head[-1] |= 0x80
        head.append(said & 0x7F)
        said >>= 7
    count = int.from_bytes(pack[8:12]) + 1
    body = (
        pack[:8]
        + count.to_bytes(4)
        + pack[12:-20]
        + bytes(head)
        + prefix
        + zlib.compress(data)
    )
    return body + sha1(body, usedforsecurity=False).digest()


def nowhere(good: Good) -> Ref:
    """The ref names an object that is not in the remote."""
    return Ref(write_pack([(b"blob", b"x")]), "1" * 40)


def in_part(name: str) -> Forge:
    """Return a commit of which one object is missing."""

    def forge(good: Good) -> Ref:
        readme = f"without the {name}\n".encode()
        objects, tree = tree_of({**good.second, "README.md": readme})
        lost = {"blob": object_id(b"blob", readme), "tree": tree}[name]
        payload = commit_object(tree, None, "commit\n", good.seat, 0)
        data = sign_commit(payload, sign_ssh(payload, own(good), NAMESPACE))
        kept = [one for one in objects if object_id(*one) != lost]
        return pointing(kept, b"commit", data)

    return forge


def littered(good: Good) -> Ref:
    """Loose objects that are garbage, or cut short, lie about in the remote."""
    ref = commit_of(good, good.second)
    return ref._replace(
        litter={
            "objects/12/" + "3" * 38: b"garbage",
            "objects/ab/" + "c" * 38: zlib.compress(b"blob 1073741824\x00x")[:9],
            "objects/pack/tmp_pack_x": b"PACK",
            "objects/pack/pack-" + "0" * 40 + ".pack": b"",
        }
    )


def of_seat_with_a_weak_key(good: Good) -> Ref:
    """A seat whose key is zeros: everybody could sign for it."""
    weak = bytes(32)
    seat = sha256(weak).hexdigest()[:32]
    line = "ssh-ed25519 " + to_base64(_strings(b"ssh-ed25519", weak)) + "\n"
    files: Files = {**good.second, "seat.pub": line.encode()}
    return commit_of(good, files)._replace(seat=seat)


KINDS = [
    Bad("tip: not signed", unsigned, refused("no signature")),
    Bad(
        "tip: signed by a stranger",
        signed_by(lambda _: STRANGER),
        refused("another key"),
    ),
    Bad(
        "tip: signed by an agent of the seat",
        signed_by(lambda good: good.key(FRED)),
        refused("another key"),
    ),
    Bad("tip: the signature of an older commit", stale, refused("does not fit")),
    Bad(
        "tip: signed for another purpose", signed_by(own, "file"), refused("namespace")
    ),
    Bad(
        "tip: a signature with the order added to S",
        blob(respelled),
        refused("group order"),
    ),
    Bad("tip: a signature of zeros", blob(lambda _: bytes(64)), refused("small order")),
    Bad(
        "tip: signed with a hash of another kind",
        blob(hash_name="md5"),
        refused("its hash"),
    ),
    Bad("tip: signed with the shorter hash", blob(hash_name="sha256"), Taken()),
    Bad(
        "tip: a signature with something in reserve",
        blob(reserved=b"x"),
        refused("reserved"),
    ),
    Bad(
        "tip: a signature under a key of zeros",
        blob(key=bytes(32)),
        refused("another key"),
    ),
    Bad(
        "tip: a signature in one long line",
        armoured(
            lambda text: (
                text.replace("\n", "")
                .replace("SIGNATURE-----", "SIGNATURE-----\n", 1)
                .replace("-----END", "\n-----END")
                + "\n"
            )
        ),
        refused("columns"),
    ),
    Bad(
        "tip: a signature of another system's kind",
        armoured(lambda text: text.replace("SSH SIGNATURE", "PGP SIGNATURE")),
        refused("no SSHSIG", ""),
    ),
    Bad("tip: in another seat's name", in_the_name_of_another, refused("one of seat")),
    Bad("tip: by people", spelled(b"<seat@koinii>", b"<eve@example>"), refused("", "")),
    Bad(
        "tip: a header that nobody knows",
        spelled(b"\n\n", b"\nx-header y\n\n"),
        refused("", ""),
    ),
    Bad(
        "tip: an encoding", spelled(b"\n\n", b"\nencoding latin-1\n\n"), refused("", "")
    ),
    Bad("tip: another time zone", spelled(b" 0 +0000", b" 0 +1400"), refused("", "")),
    Bad("tip: a time of -1", spelled(b" 0 +0000", b" -1 +0000"), refused("", "")),
    Bad(
        "tip: a time of 2^63",
        spelled(b" 0 +0000", b" %d +0000" % 2**63),
        refused("", ""),
    ),
    Bad("tip: a time of 2090", at(3_786_912_000), Taken()),
    Bad(
        "tip: control characters in its message",
        spelled(b"commit\n", b"\x1b[2J\x07\r\n"),
        Taken(),
    ),
    Bad(
        "tip: a message of 100 KB",
        spelled(b"commit\n", b"x" * 100_000 + b"\n"),
        refused("bytes"),
    ),
    Bad(
        "tip: after a commit that is not there",
        after(lambda _: "1" * 40),
        refused("", ""),
    ),
    Bad("tip: two parents", two_parents, refused("", "")),
    Bad("tip: a tag", in_place("tag"), refused("no commit")),
    Bad("tip: a tree", in_place("tree"), refused("no commit")),
    Bad("tip: a blob", in_place("blob"), refused("no commit")),
    Bad("tip: nothing at all", nowhere, refused("", "")),
    Bad("tip: without one of its files", in_part("blob"), refused("", "")),
    Bad("tip: without its tree", in_part("tree"), refused("", "")),
    Bad("tip: a remote full of litter", littered, Taken()),
    Bad(
        "tip: of a seat with a key of zeros",
        of_seat_with_a_weak_key,
        Refused("seat", "small order", "seat.pub", beside=True),
        heals=False,
    ),
]
