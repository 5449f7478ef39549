"""Records: bytes that are no CBOR of ours, fields out of line, made-up counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

from hostile.good import AUTHORED, EVE, Files, Good, as_record, sets_of
from hostile.kind import Bad, Forge, Refused, Taken
from koinii.history.log import decode_bundle
from koinii.history.record import AuthoredRoot, PeerHead, PostsRoot
from koinii.history.roots import agents_root
from koinii.merkle import EMPTY_ROOT
from remote.forging import BUNDLE


def refused(words: str, path: str = BUNDLE) -> Refused:
    return Refused("seat", words, path)


def spelled(change: Callable[[bytes], bytes]) -> Forge:
    """Return a history whose newest record has other bytes, under a signed head."""

    def forge(good: Good) -> Files:
        first, last = good.entries
        return good.forger.headed(good.second, [first, change(last)])

    return forge


def replaced(old: bytes, new: bytes) -> Forge:
    def change(data: bytes) -> bytes:
        assert data.count(old) == 1, data
        return data.replace(old, new)

    return spelled(change)


def with_fields(**changes: Any) -> Forge:
    return lambda good: good.forger.sealed(good.second, **changes)


def field(name: str, value: bytes) -> Forge:
    """Return a record in which the value of a field is these bytes of CBOR."""

    def change(data: bytes) -> bytes:
        key = bytes([0x60 + len(name)]) + name.encode()
        start = data.index(key) + len(key)
        end = start + _length(data[start:])
        return data[:start] + value + data[end:]

    return spelled(change)


def _length(data: bytes) -> int:
    """Return how long a number or a byte string is, head and all."""
    major, short = data[0] >> 5, data[0] & 31
    size = 1 if short < 24 else 1 + (1 << short - 24)
    if major == 2:
        return size + int.from_bytes(data[1:size] or bytes([short]))
    assert major in (0, 7), data[:10]
    return size


def bundle(change: Callable[[bytes], bytes]) -> Forge:
    return lambda good: {**good.second, BUNDLE: change(good.second[BUNDLE])}


def jumped(good: Good) -> Files:
    """Record 2 says that it is the millionth."""
    return good.forger.sealed(good.second, number=1_000_001)


def follows_itself(good: Good) -> Files:
    return good.forger.sealed(good.second, previous=good.record.leaf)


def first_again(good: Good) -> Files:
    """The newest record is the first once more."""
    return good.forger.headed(good.second, [good.entries[0], good.entries[0]])


def of_the_honest_seat(good: Good) -> Files:
    theirs = decode_bundle(good.others[BUNDLE])[-1]
    return good.forger.headed(good.second, [good.entries[0], theirs])


def binding(good: Good, **rows: AuthoredRoot) -> Files:
    """Return a newest record that binds other sets, roots and all."""
    sets = sets_of(good.entries) | rows
    return good.forger.sealed(
        good.second,
        agents={**good.record.agents, **rows},
        agents_root=agents_root((name, *row) for name, row in sets.items()),
    )


def binds_another_size(good: Good) -> Files:
    return binding(good, AgentEve=good.record.agents[EVE]._replace(size=2**64 - 1))


def binds_another_key(good: Good) -> Files:
    return binding(good, AgentEve=good.record.agents[EVE]._replace(key_hash=b"k" * 32))


def binds_a_ghost(good: Good) -> Files:
    return binding(good, AgentGhost=AuthoredRoot(b"k" * 32, EMPTY_ROOT, 0))


def root_of_other_sizes(good: Good) -> Files:
    rows = sets_of(good.entries).items()
    wrong = agents_root((name, *row._replace(size=1)) for name, row in rows)
    return good.forger.sealed(good.second, agents_root=wrong)


def manifest_of(change: Callable[[bytes], bytes]) -> Forge:
    """Return a ref whose record binds a manifest with other bytes."""

    def forge(good: Good) -> Files:
        body = change(good.second["manifest"])
        return good.forger.sealed({**good.second, "manifest": body})

    return forge


def sized(path: str) -> Forge:
    """Return a manifest in which one file has another size than it has."""

    def change(body: bytes) -> bytes:
        lines = body.split(b"\n")
        at = next(n for n, line in enumerate(lines) if line.endswith(path.encode()))
        digest, size, name = lines[at].split(b" ")
        lines[at] = b" ".join((digest, b"%d" % (int(size) + 1), name))
        return b"\n".join(lines)

    return manifest_of(change)


def unlisted(path: str) -> Forge:
    return lambda good: {**good.second, path: b"x\n"}


def older_manifest(good: Good) -> Files:
    return {**good.second, "manifest": good.first["manifest"]}


def many_records(good: Good) -> Files:
    """A history of 257 records, in two files."""
    entries = list(good.entries)
    while len(entries) < 256:
        last = as_record(entries[-1])
        more = replace(last, number=last.number + 1, previous=last.leaf, agents={})
        entries.append(more.encode())
    return good.healed(entries)


def garbage() -> dict[str, Any]:
    """Return fields that say what nobody can check: they decide nothing here."""
    return {
        "commit": b"c" * 32, "size": 2**64 - 1, "inputs": b"i" * 32,
        "posts": PostsRoot(b"p" * 32, 2**64 - 1),
        "heads": {"0" * 32: PeerHead(2**64 - 1, b"h" * 32)}, "heads_root": b"h" * 32,
        "vocabulary": {"CxNone": b"v" * 32}, "trust": b"t" * 32, "held": b"h" * 32,
        "rules": 2**64 - 1, "local": ("CxGood", "CxRoom"),
        "partial": {"agents": ("AgentGood",)},
        "software": "\x1b[2J\u202e\u2028" + "x" * 5000,
    }  # fmt: skip


HUGE = b"\x5a\x40\x00\x00\x00"  # a byte string of 1 GiB
HUGER = b"\x5b" + b"\xff" * 8

KINDS = [
    Bad("record: a key twice", replaced(b"\x64size", b"\x64seat"), refused("CBOR")),
    Bad(
        "record: a map whose keys are not in order",
        spelled(lambda data: data[:1] + data[3:5] + data[1:3] + data[5:]),
        refused("CBOR"),
    ),
    Bad(
        "record: a number in a long form",
        field("rules", b"\x18\x01"),
        refused("deterministic"),
    ),
    Bad(
        "record: a number in the longest form",
        field("size", b"\x1b" + bytes(7) + b"\x01"),
        refused("deterministic"),
    ),
    Bad(
        "record: an indefinite map",
        spelled(lambda data: b"\xbf" + data[1:] + b"\xff"),
        refused("indefinite"),
    ),
    Bad(
        "record: an indefinite string",
        field("trust", b"\x5f\x41x\xff"),
        refused("indefinite"),
    ),
    Bad("record: a tag", field("time", b"\xc1\x01"), refused("a tag")),
    Bad("record: a shared reference", field("time", b"\xd8\x1d\x00"), refused("a tag")),
    Bad(
        "record: a big number",
        field("size", b"\xc2\x49\x01" + bytes(8)),
        refused("a tag"),
    ),
    Bad("record: a float", field("time", b"\xf9\x3c\x00"), refused("float")),
    Bad("record: not a number", field("time", b"\xf9\x7e\x00"), refused("float")),
    Bad(
        "record: nested 10,000 deep",
        field("partial", b"\x81" * 10_000 + b"\x80"),
        refused("nested"),
    ),
    Bad(
        "record: a string of 1 GiB that is not there",
        field("trust", HUGE),
        refused("CBOR"),
    ),
    Bad("record: a string of 2^64-1 bytes", field("trust", HUGER), refused("CBOR")),
    Bad(
        "record: a list of 1 GiB entries",
        field("partial", b"\x9a\x40\x00\x00\x00"),
        refused("CBOR"),
    ),
    Bad(
        "record: text that is not UTF-8",
        replaced(b"\x64size", b"\x64\xff\xfe\xfd\xfc"),
        refused("CBOR"),
    ),
    Bad(
        "record: bytes after its end",
        spelled(lambda data: data + b"\x00"),
        refused("does not end"),
    ),
    Bad("record: a list", spelled(lambda _: b"\x80"), refused("not a map")),
    Bad("record: nothing in it", spelled(lambda _: b"\xa0"), refused("no version")),
    Bad(
        "record: a field is missing",
        replaced(b"\x64held", b"\x64holt"),
        refused("no held"),
    ),
    Bad(
        "record: of a version to come",
        replaced(b"\x61v\x01", b"\x61v\x02"),
        refused("newer koinii"),
    ),
    Bad(
        "record: of version nought",
        replaced(b"\x61v\x01", b"\x61v\x00"),
        refused("no version"),
    ),
    Bad(
        "record: a root of 31 bytes",
        field("trust", b"\x58\x1f" + bytes(31)),
        refused("no hash"),
    ),
    Bad("record: number nought", field("number", b"\x00"), refused("no count")),
    Bad("record: number -1", field("number", b"\x20"), refused("no count")),
    Bad(
        "record: number 2^63-1",
        with_fields(number=2**63 - 1),
        refused("another seat or number"),
    ),
    Bad(
        "record: number 2^64-1",
        with_fields(number=2**64 - 1),
        refused("another seat or number"),
    ),
    Bad("record: a jump of a million", jumped, refused("another seat or number")),
    Bad(
        "record: of the honest seat",
        of_the_honest_seat,
        refused("another seat or number"),
    ),
    Bad(
        "record: in another seat's name",
        with_fields(seat="0" * 32),
        refused("another seat or number"),
    ),
    Bad(
        "record: a seat that is no id",
        field("number", b"\x02\x64seat\x61x"),
        refused(""),
    ),
    Bad(
        "record: after another one",
        with_fields(previous=b"p" * 32),
        refused("out of line"),
    ),
    Bad("record: after itself", follows_itself, refused("out of line")),
    Bad("record: the first one again", first_again, refused("another seat or number")),
    Bad(
        "record: no manifest of this ref",
        with_fields(manifest=b"m" * 32),
        refused("binds", "manifest"),
    ),
    Bad(
        "record: binds sets that are not its agents'",
        with_fields(agents_root=b"r" * 32),
        refused("does not bind", "history/entries/"),
    ),
    Bad(
        "record: sizes of sets that are others",
        root_of_other_sizes,
        refused("does not bind", "history/entries/"),
    ),
    Bad(
        "record: another size of a set",
        binds_another_size,
        Refused("author", "does not bind this set", AUTHORED),
    ),
    Bad(
        "record: another key of an agent",
        binds_another_key,
        Refused("author", "does not bind this set", AUTHORED),
    ),
    Bad(
        "record: binds an agent that is not shown",
        binds_a_ghost,
        Refused("author", "newest set", "agents/AgentGhost/authored", "AgentGhost"),
        heals=False,
    ),
    Bad(
        "record: a name with a line end",
        replaced(b"\x68AgentEve", b"\x68Agent\nve"),
        refused("no name"),
    ),
    Bad("record: the time is 1970", with_fields(time=0), Taken()),
    Bad("record: the time is 2090", with_fields(time=3_786_912_000_000), Taken()),
    Bad("record: the time is 2^63 and more", with_fields(time=2**64 - 1), Taken()),
    Bad("record: the time is before 1970", field("time", b"\x20"), refused("no count")),
    Bad(
        "record: roots and counts that nobody can check",
        with_fields(**garbage()),
        Taken(),
    ),
    Bad(
        "record: keys of a version to come",
        with_fields(unknown={"zzz": {"a": ["x", None, -(2**64)]}}),
        Taken(),
    ),
    Bad(
        "history: missing",
        lambda good: {p: b for p, b in good.second.items() if p != BUNDLE},
        refused("missing"),
    ),
    Bad("history: empty", bundle(lambda _: b""), refused("entry")),
    Bad("history: cut short", bundle(lambda body: body[:-1]), refused("cut short")),
    Bad(
        "history: an entry longer than the file",
        bundle(lambda body: b"\xff\xff" + body[2:]),
        refused("cut short"),
    ),
    Bad(
        "history: an empty entry",
        bundle(lambda body: body + bytes(2)),
        refused("0 bytes"),
    ),
    Bad(
        "history: an entry more than the head covers",
        bundle(lambda body: body + b"\x00\x01x"),
        refused("holds 3 records"),
    ),
    Bad(
        "history: a thousand entries",
        bundle(lambda body: b"\x00\x01x" * 1000),
        refused("more than 256"),
    ),
    Bad(
        "history: a bit of its first record",
        bundle(lambda body: body[:40] + bytes([body[40] ^ 1]) + body[41:]),
        refused("not the one seen before"),
        newcomer=refused("its root", "checkpoint"),
    ),
    Bad(
        "history: a bit of its newest record",
        bundle(lambda body: body[:-40] + bytes([body[-40] ^ 1]) + body[-39:]),
        refused("its root", "checkpoint"),
    ),
    Bad(
        "history: another file of it",
        unlisted("history/entries/0001"),
        refused("both listed", "history/entries/0001"),
    ),
    Bad("history: 257 records at once", many_records, Taken()),
    Bad(
        "manifest: missing",
        lambda good: {p: b for p, b in good.second.items() if p != "manifest"},
        refused("missing", "manifest"),
    ),
    Bad("manifest: an older one", older_manifest, refused("not the one", "manifest")),
    Bad(
        "manifest: another size of an author's file",
        sized(AUTHORED),
        Refused("author", "its size", AUTHORED),
    ),
    Bad(
        "manifest: another hash of an author's file",
        manifest_of(
            lambda body: body.replace(sha256(b"").hexdigest().encode(), b"0" * 64)
        ),
        Taken(),
    ),
    Bad(
        "manifest: lists what is not there",
        manifest_of(lambda body: body + b"0" * 64 + b" 3 posts/9.kb\n"),
        refused("both listed", "posts/9.kb"),
    ),
    Bad(
        "manifest: does not list what is there",
        unlisted("posts/1.kb"),
        refused("both listed", "posts/1.kb"),
    ),
    Bad(
        "manifest: leads out of the ref",
        manifest_of(lambda body: body + b"0" * 64 + b" 1 sources/../../x\n"),
        refused("the path", "manifest"),
    ),
    Bad(
        "manifest: a path from the root",
        manifest_of(lambda body: b"0" * 64 + b" 1 /etc/passwd\n" + body),
        refused("the path", "manifest"),
    ),
    Bad(
        "manifest: a path twice",
        manifest_of(lambda body: body + body[body.rindex(b"\n", 0, -1) + 1 :]),
        refused("second time", "manifest"),
    ),
    Bad(
        "manifest: out of order",
        manifest_of(lambda body: b"".join(reversed(body.splitlines(keepends=True)))),
        refused("out of order", "manifest"),
    ),
    Bad(
        "manifest: a size that is no number",
        manifest_of(
            lambda body: body.replace(b" 81", b" 0081") + b"0" * 64 + b" -1 posts/9\n"
        ),
        refused("", "manifest"),
    ),
    Bad(
        "manifest: ends without a line end",
        manifest_of(lambda body: body[:-1]),
        refused("line end", "manifest"),
    ),
]
