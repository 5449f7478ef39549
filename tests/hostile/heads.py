"""Heads: unsigned, of another log, over something else, old, of a second history."""

from __future__ import annotations

from dataclasses import replace

from hostile.good import Files, Good, as_record
from hostile.kind import Bad, Forge, Forked, Refused, Taken
from hostile.signatures import respelled, signature_of, with_signature, zeros
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.note import Checkpoint, PrivateKey, Signer, sign_checkpoint
from koinii.note.signed import sign_note
from remote.forging import BUNDLE

HEAD = "checkpoint"
STRANGER = PrivateKey.from_seed(b"stranger" * 4)


def refused(words: str, path: str = HEAD) -> Refused:
    return Refused("seat", words, path)


def head(good: Good, **changes: object) -> Checkpoint:
    """Return the second state's head with fields changed, whatever they say."""
    top = tree_root(map(leaf_hash, good.entries))
    return replace(Checkpoint(f"koinii.seat/{good.seat}", 2, top), **changes)  # type: ignore[arg-type]


def showing(good: Good, body: bytes) -> Files:
    return {**good.second, HEAD: body}


def signed_text(text: str, good: Good, key: PrivateKey | None = None) -> bytes:
    """Return a note under the seat's name, whoever signs it."""
    name = f"koinii.seat/{good.seat}"
    return sign_note(text, [Signer.of(name, key or good.forger.key)])


def of_size(size: int) -> Forge:
    return lambda good: good.forger.headed(good.second, good.entries, size)


def saying_size(size: str) -> Forge:
    def forge(good: Good) -> Files:
        text = head(good).text().replace("\n2\n", f"\n{size}\n")
        return showing(good, signed_text(text, good))

    return forge


def unsigned(good: Good) -> Files:
    return showing(good, head(good).text().encode() + b"\n")


def by_a_stranger(good: Good) -> Files:
    return showing(good, signed_text(head(good).text(), good, STRANGER))


def by_an_agent(good: Good) -> Files:
    return showing(good, signed_text(head(good).text(), good, good.key()))


def signed_twice(good: Good) -> Files:
    """One good signature, and one more of the same key that is not."""
    body = good.second[HEAD]
    wrong = signature_of(with_signature(body, bytes(32) + signature_of(body)[32:]))
    line = with_signature(body, wrong).split(b"\n\n")[1]
    return showing(good, body + line)


def signed_by_many(good: Good) -> Files:
    body = good.second[HEAD]
    return showing(good, body + body.split(b"\n\n")[1] * 16)


def of_another_log(good: Good) -> Files:
    text = head(good, origin=f"koinii.seat/{good.honest}").text()
    return showing(good, signed_text(text, good))


def of_the_honest_seat(good: Good) -> Files:
    return showing(good, good.others[HEAD])


def over_another_root(good: Good) -> Files:
    return showing(good, signed_text(head(good, root=b"r" * 32).text(), good))


def with_a_short_root(good: Good) -> Files:
    text = head(good).text().rsplit("\n", 2)[0] + "\nAAAA\n"
    return showing(good, signed_text(text, good))


def with_lines_of_another_system(good: Good) -> Files:
    return showing(good, good.second[HEAD].replace(b"\n", b"\r\n"))


def with_an_extension(good: Good) -> Files:
    body = sign_checkpoint(
        head(good, extensions=("more",)),
        [Signer.of(f"koinii.seat/{good.seat}", good.forger.key)],
    )
    return showing(good, body)


def cosigned_by_garbage(good: Good) -> Files:
    more = "— nobody.example/x AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n".encode()
    return showing(good, good.second[HEAD] + more)


def altered(part: int) -> Forge:
    """Return the head with one bit of its origin, size, root or signature turned."""

    def forge(good: Good) -> Files:
        lines = good.second[HEAD].split(b"\n")
        line = bytearray(lines[part])
        line[-9 if part == 4 else len(line) // 2] ^= 1
        lines[part] = bytes(line)
        return showing(good, b"\n".join(lines))

    return forge


def malleable(good: Good) -> Files:
    """The same signature with the group order added to its S."""
    body = good.second[HEAD]
    return showing(good, with_signature(body, respelled(signature_of(body))))


def all_zero(good: Good) -> Files:
    return showing(good, with_signature(good.second[HEAD], zeros()))


def another_ending(good: Good) -> Files:
    """A second history: the newest record is another one."""
    entries = good.entries
    other = replace(good.record, time=1)
    return good.forger.headed(good.second, [entries[0], other.encode()])


def shorter_and_other(good: Good) -> Files:
    first = as_record(good.entries[0])
    return good.forger.headed(good.first, [replace(first, time=1).encode()])


def another_beginning(good: Good) -> Files:
    first = replace(as_record(good.entries[0]), time=1)
    second = replace(good.record, previous=first.leaf)
    return good.forger.headed(good.second, [first.encode(), second.encode()])


def missing(path: str) -> Forge:
    return lambda good: {
        name: body for name, body in good.second.items() if name != path
    }


def with_body(path: str, body: bytes) -> Forge:
    return lambda good: {**good.second, path: body}


def key_line(change: bytes, by: bytes) -> Forge:
    return lambda good: {
        **good.second, "seat.pub": good.second["seat.pub"].replace(change, by),
    }  # fmt: skip


FORK = "two histories"
FITS = "does not fit"

KINDS = [
    Bad("head: no signature", unsigned, refused("no signature block")),
    Bad(
        "head: signed by a stranger in the seat's name",
        by_a_stranger,
        refused("no known key"),
    ),
    Bad(
        "head: signed by an agent in the seat's name",
        by_an_agent,
        refused("no known key"),
    ),
    Bad(
        "head: a good signature and a bad one of the same key",
        signed_twice,
        refused(FITS),
    ),
    Bad("head: seventeen signatures", signed_by_many, refused("more than 16")),
    Bad("head: a signature with the order added to S", malleable, refused(FITS)),
    Bad("head: a signature of zeros", all_zero, refused(FITS)),
    Bad("head: a bit of its origin", altered(0), refused(FITS)),
    Bad("head: a bit of its size", altered(1), refused(FITS)),
    Bad("head: a bit of its root", altered(2), refused(FITS)),
    Bad("head: a bit of its signature", altered(4), refused("")),
    Bad(
        "head: of another origin, signed by the seat",
        of_another_log,
        refused("another log"),
    ),
    Bad("head: of the honest seat", of_the_honest_seat, refused("no known key")),
    Bad(
        "head: over another root", over_another_root, refused("not that of the records")
    ),
    Bad("head: a root of three bytes", with_a_short_root, refused("")),
    Bad(
        "head: lines that end as another system's",
        with_lines_of_another_system,
        refused("control character"),
    ),
    Bad(
        "head: over nothing",
        of_size(0),
        refused(FORK),
        newcomer=refused("covers no record"),
    ),
    Bad(
        "head: over more records than there are",
        of_size(3),
        refused("holds 2 records", BUNDLE),
    ),
    Bad(
        "head: a jump of a million commits",
        of_size(1_000_000),
        refused("holds 2 records", BUNDLE),
    ),
    Bad(
        "head: over 2^63-1 records",
        of_size(2**63 - 1),
        refused("holds 2 records", BUNDLE),
    ),
    Bad(
        "head: over 2^64-1 records",
        of_size(2**64 - 1),
        refused("holds 2 records", BUNDLE),
    ),
    Bad("head: over 2^64 records", saying_size(str(2**64)), refused("below 2**64")),
    Bad("head: over -1 records", saying_size("-1"), refused("no decimal")),
    Bad("head: a size with a zero before it", saying_size("02"), refused("no decimal")),
    Bad("head: a size in other digits", saying_size("\u0662"), refused("no decimal")),
    Bad("head: of two megabytes", with_body(HEAD, b"x" * (2 << 20)), refused("bytes")),
    Bad("head: not UTF-8", with_body(HEAD, b"\xff\xfe"), refused("UTF-8")),
    Bad("head: missing", missing(HEAD), refused("missing")),
    Bad("head: lines after the root, signed", with_an_extension, Taken()),
    Bad("head: a cosignature of nobody", cosigned_by_garbage, Taken()),
    Bad(
        "head: an old one",
        lambda good: good.first,
        refused("went back from 2 to 1"),
        newcomer=Taken(older=True),
        seen="second",
        heals=False,
    ),
    Bad(
        "head: forked after what was seen",
        another_ending,
        Forked(),
        newcomer=Taken(),
        seen="second",
        heals=False,
    ),
    Bad(
        "head: forked, and shorter than what was seen",
        shorter_and_other,
        Forked(),
        newcomer=Taken(older=True),
        seen="second",
        heals=False,
    ),
    Bad(
        "head: forked before what was seen",
        another_beginning,
        Forked(),
        newcomer=Taken(),
        heals=False,
    ),
    Bad("seat key: missing", missing("seat.pub"), refused("missing", "seat.pub")),
    Bad(
        "seat key: the honest seat's",
        lambda good: {**good.second, "seat.pub": good.others["seat.pub"]},
        refused("not the key of seat", "seat.pub"),
    ),
    Bad(
        "seat key: of another kind",
        key_line(b"ssh-ed25519 ", b"ssh-rsa "),
        refused("no OpenSSH", "seat.pub"),
    ),
    Bad(
        "seat key: two of them",
        key_line(b"\n", b"\nssh-ed25519 AAAA\n"),
        refused("", "seat.pub"),
    ),
    Bad(
        "seat key: a comment with a control character",
        key_line(b"\n", b" \x1b[2J\n"),
        refused("no OpenSSH", "seat.pub"),
    ),
    Bad("readme: missing", missing("README.md"), Taken()),
    Bad(
        "readme: eight megabytes of zeros",
        with_body("README.md", bytes(8 << 20)),
        Taken(),
    ),
    Bad(
        "readme: control characters, markup, a fence of another kind",
        with_body("README.md", b"\x1b]0;x\x07<script>alert(1)</script>\n```\n"),
        Taken(),
    ),
]
