"""Amounts: bombs, lengths that are not there, more of everything than anybody has.

Each is small where it travels; what counts is the memory of the program that pulls
it, with all the git that it starts.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from hostile.authors import introduced
from hostile.good import EVE, NEW, Good, as_record
from hostile.kind import Ref, commit_of, sealed, tree_of
from hostile.tips import joined
from koinii.note import Signer
from koinii.note.signed import sign_note
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id
from koinii.remote.tree import DIRECTORY, FILE, Entry, read_tree, write_tree

MEGABYTE = 1 << 20
GIT = 1024  # megabytes that git itself may take, as `koinii.remote.git` bounds it
X: GitObject = (b"blob", b"x")


class Amount(NamedTuple):
    """One kind that is about size.

    `few` of it are shown in every run, unless that is none, `many` where there is
    time. `words` are part
    of the reason, `scope` what is refused: "seat", "author", "" for nothing.
    """

    name: str
    forge: Callable[[Good, int], Ref]
    few: int
    many: int
    scope: str = "seat"
    words: str = ""
    most: int = 300  # megabytes


def zeros(good: Good, megabytes: int) -> Ref:
    """A segment of zeros, listed as it is."""
    return commit_of(good, good.made({NEW: bytes(megabytes * MEGABYTE)}))


def lines(good: Good, megabytes: int) -> Ref:
    """A segment of one line, again and again."""
    line = b"+ default 1 (isKept AgentEve)\n"
    body = line * (megabytes * MEGABYTE // len(line))
    return commit_of(good, good.made({NEW: body}))


def readme(good: Good, megabytes: int) -> Ref:
    """A text for people that is all zeros."""
    return commit_of(good, {**good.second, "README.md": bytes(megabytes * MEGABYTE)})


def head(good: Good, megabytes: int) -> Ref:
    """A head that is all zeros."""
    return commit_of(good, {**good.second, "checkpoint": bytes(megabytes * MEGABYTE)})


def manifest(good: Good, megabytes: int) -> Ref:
    """A manifest of zeros, which the record binds."""
    body = bytes(megabytes * MEGABYTE)
    return commit_of(good, good.forger.sealed({**good.second, "manifest": body}))


def history(good: Good, count: int) -> Ref:
    """So many commits, each record nearly as large as may be."""
    entries = good.entries[:1]
    for number in range(2, count + 1):
        more = replace(
            good.record,
            number=number,
            previous=as_record(entries[-1]).leaf,
            software="x" * 15_000,
            agents=good.record.agents if number == 2 else {},
        )
        entries.append(more.encode())
    return commit_of(good, good.healed(entries))


def agents(good: Good, count: int) -> Ref:
    """So many agents that introduce themselves and say nothing."""
    names = [f"AgentM{number}" for number in range(count)]
    more = {
        f"agents/{name}/statements": introduced(name, good.key(), good.seat)
        for name in names
    }
    return commit_of(good, good.made(more))


def statements(good: Good, count: int) -> Ref:
    """So many agents, each with a megabyte of statements of a kind to come."""
    text = "koinii.other/v1\n" + ("x" * 60_000 + "\n") * 17
    more = {}
    for number in range(count):
        name = f"AgentM{number}"
        first = introduced(name, good.key(), good.seat)
        other = sign_note(text, [Signer.of(name, good.key())])
        more[f"agents/{name}/statements"] = first + b"\n" + other
    return commit_of(good, good.made(more))


def contexts(good: Good, count: int) -> Ref:
    """So many contexts, a line in each."""
    line = "default 1 (isHere It)"
    said = {**good.lines[EVE], **{f"CxM{number}": [line] for number in range(count)}}
    files = {
        f"agents/AgentEve/claims/CxM{number}/0/3.kb": f"+ {line}\n".encode()
        for number in range(count)
    }
    shown = good.continued({**good.second, **files}, good.entries, {EVE: said})
    return commit_of(good, shown)


def entries(good: Good, count: int) -> Ref:
    """So many files in one folder, all of them one blob."""
    names = (f"{number:07}" for number in range(count))
    return rooted(good, [folder(Entry(name, FILE, object_id(*X)) for name in names)])


def folders(good: Good, count: int) -> Ref:
    """So many folders, each of them the same thousand files."""
    inner = folder(Entry(f"{n:03}", FILE, object_id(*X)) for n in range(1000))
    oid = object_id(*inner)
    outer = folder(Entry(f"{n:04}", DIRECTORY, oid) for n in range(count))
    return rooted(good, [inner, outer])


def powers(good: Good, levels: int) -> Ref:
    """Sixty names for one folder, and that again at each level."""
    made = [folder([Entry("x", FILE, object_id(*X))])]
    for _ in range(levels):
        oid = object_id(*made[-1])
        made.append(folder(Entry(f"{n:02}", DIRECTORY, oid) for n in range(60)))
    return rooted(good, made)


def chain(good: Good, levels: int) -> Ref:
    """A folder in a folder, so many times."""
    made = [folder([Entry("x", FILE, object_id(*X))])]
    for _ in range(levels):
        made.append(folder([Entry("d", DIRECTORY, object_id(*made[-1]))]))
    return rooted(good, made)


def delta(good: Good, megabytes: int) -> Ref:
    """A segment that travels as a few bytes: one megabyte, again and again."""
    base = bytes(MEGABYTE)
    body = base * megabytes
    objects, root = tree_of(good.made({NEW: body}))
    kept = [one for one in objects if one != (b"blob", body)]
    payload = commit_object(root, None, "c\n", good.seat, 0)
    ref = sealed(good, [*kept, (b"blob", base)], payload)
    change = _size(len(base)) + _size(len(body)) + b"\xc0\x10" * megabytes
    of = bytes.fromhex(object_id(b"blob", base))
    return Ref(joined(ref.pack, 7, change, prefix=of), ref.tip, by_git=True)


def said(good: Good, gigabytes: int) -> Ref:
    """A blob whose header says so many gigabytes, of which a few bytes are there."""
    readme = b"it is not as long as it says\n"
    objects, root = tree_of({**good.second, "README.md": readme})
    payload = commit_object(root, None, "c\n", good.seat, 0)
    ref = sealed(good, [one for one in objects if one[1] != readme], payload)
    oid = object_id(b"blob", readme)
    loose = zlib.compress(b"blob %d\x00" % (gigabytes << 30) + readme)
    return ref._replace(litter={f"objects/{oid[:2]}/{oid[2:]}": loose})


def folder(entries: Iterable[Entry]) -> GitObject:
    return b"tree", write_tree(entries)


def rooted(good: Good, more: list[GitObject]) -> Ref:
    """Return a signed commit whose root has one more folder, the last of these."""
    objects, root = tree_of(good.second)
    data = next(data for kind, data in objects if object_id(kind, data) == root)
    top = Entry("posts", DIRECTORY, object_id(*more[-1]))
    tree = write_tree([*read_tree(data), top])
    payload = commit_object(object_id(b"tree", tree), None, "c\n", good.seat, 0)
    return sealed(good, [*objects, X, *more, (b"tree", tree)], payload)


def _size(value: int) -> bytes:
    """A size as deltas spell it: seven bits a byte, least first."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


AMOUNTS = [
    Amount("zeros as a segment", zeros, 112, 112, "author", "no line end"),
    Amount("more zeros as a segment", zeros, 113, 250, "author", "above"),
    Amount("still more zeros as a segment", zeros, 0, 600, "seat", "bytes"),
    Amount("one line a million times", lines, 16, 110, "author", "second time"),
    Amount("zeros as a readme", readme, 50, 250, ""),
    Amount("zeros as a head", head, 20, 250, "seat", "bytes"),
    Amount("zeros as a manifest", manifest, 20, 64, "seat", "line end"),
    Amount("more zeros as a manifest", manifest, 65, 200, "seat", "bytes"),
    Amount("a history of large records", history, 1000, 5000, ""),
    Amount("agents that say nothing", agents, 300, 10_000, ""),
    Amount("statements of a kind to come", statements, 12, 60, "others", "statements"),
    Amount("contexts", contexts, 500, 50_000, ""),
    Amount("more contexts than files may be", contexts, 0, 100_000, "seat", "many"),
    Amount(
        "a million files in one folder", entries, 300_000, 1_000_000, "seat", "bytes"
    ),
    Amount("a million files in folders", folders, 1000, 10_000, "seat", "too many"),
    Amount("folders that multiply", powers, 4, 7, "seat", ""),
    Amount("a chain of folders", chain, 5000, 20_000, "seat", "too deep", GIT),
    Amount("a delta that grows", delta, 64, 250, "author", "", GIT),
    Amount("a blob that says it has gigabytes", said, 1, 64, "seat", "cannot fetch"),
]
