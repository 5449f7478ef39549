"""What a remote shows, recomputed with `git show` and hashlib alone.

Every rule is written from formats sections 2 to 5; nothing of koinii is used, and
no signature is checked. Reads symbols, plain strings, small integers and lists.
"""

from __future__ import annotations

import base64
import re
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from reference.rfc6962 import defined_root

BESIDE = {"README.md", "seat.pub", "checkpoint", "manifest"}


class Twin(NamedTuple):
    """A remote as the twin reads it."""

    commit: str
    inputs: str
    newest: dict[str, Any]  # seat id → newest record
    claims: set[tuple[str, str, str, str]]  # agent, seat, context, line


def read_remote(remote: Path) -> Twin:
    """Check every seat's ref and return what all of them together come to."""
    refs = git(remote, "for-each-ref", "--format=%(refname)", "refs/koinii/seats")
    newest: dict[str, Any] = {}
    claims: set[tuple[str, str, str, str]] = set()
    inputs: list[bytes] = []
    for ref in refs.decode().split():
        seat = ref.rpartition("/")[2]
        records = check_history(remote, ref, seat)
        newest[seat] = records[-1]
        said, authored = check_authors(remote, ref, seat, records)
        claims |= said
        inputs += authored
    locators = {locator(context, sentence_of(line)) for _, _, context, line in claims}
    return Twin(
        commit=root_of_leaves([one.encode() for one in locators]),
        inputs=f"sha256:{defined_root(sorted(inputs)).hex()}",
        newest=newest,
        claims=claims,
    )


# Git --------------------------------------------------------------------------


def git(remote: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(remote), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


def show(remote: Path, tree: str, path: str) -> bytes:
    return git(remote, "show", f"{tree}:{path}")


def listing(remote: Path, tree: str) -> list[str]:
    return (
        git(remote, "ls-tree", "-r", "-z", "--name-only", tree)
        .decode()
        .split("\0")[:-1]
    )


# History, records, manifests --------------------------------------------------


def check_history(remote: Path, ref: str, seat: str) -> list[Any]:
    """Return the records of a seat after checking key, head and manifests."""
    blob = base64.b64decode(show(remote, ref, "seat.pub").split()[1])
    assert sha256(blob[-32:]).hexdigest()[:32] == seat
    entries: list[bytes] = []
    for path in listing(remote, ref):
        if path.startswith("history/entries/"):
            entries += split_bundle(show(remote, ref, path))
    origin, size, top, *_ = show(remote, ref, "checkpoint").decode().split("\n")
    assert (origin, int(size)) == (f"koinii.seat/{seat}", len(entries))
    assert base64.b64decode(top) == defined_root(entries)
    records = [read_cbor(entry)[0] for entry in entries]
    before = None
    for number, (record, entry) in enumerate(zip(records, entries, strict=True), 1):
        assert (record["seat"], record["number"]) == (seat, number)
        assert record["previous"] == before
        before = sha256(b"\x00" + entry).digest()
    commits = git(remote, "rev-list", "--reverse", ref).decode().split()
    assert len(commits) == len(records)
    for commit, record in zip(commits, records, strict=True):
        check_manifest(remote, commit, record["manifest"])
        trailer = git(
            remote, "log", "-1", "--format=%(trailers:key=Koinii-Commit)", commit
        )
        assert trailer.decode().strip() == f"Koinii-Commit: {record['number']}"
    return records


def split_bundle(data: bytes) -> list[bytes]:
    entries = []
    while data:
        length = int.from_bytes(data[:2], "big")
        entries.append(data[2 : 2 + length])
        data = data[2 + length :]
    return entries


def check_manifest(remote: Path, tree: str, digest: bytes) -> None:
    body = show(remote, tree, "manifest")
    assert sha256(body).digest() == digest
    listed = set()
    for line in body.decode().split("\n")[:-1]:
        hashed, size, path = line.split(" ", 2)
        file = show(remote, tree, path)
        assert (sha256(file).hexdigest(), len(file)) == (hashed, int(size))
        listed.add(path)
    there = {
        path
        for path in listing(remote, tree)
        if path not in BESIDE and not path.startswith("history/")
    }
    assert listed == there


# Authors ----------------------------------------------------------------------


def check_authors(
    remote: Path, ref: str, seat: str, records: list[Any]
) -> tuple[set[tuple[str, str, str, str]], list[bytes]]:
    """Return a seat's claims and its lines of the inputs root."""
    paths = listing(remote, ref)
    claims: set[tuple[str, str, str, str]] = set()
    inputs: list[bytes] = []
    agents: list[bytes] = []
    for agent in sorted(
        {path.split("/")[1] for path in paths if path[:7] == "agents/"}
    ):
        home = f"agents/{agent}"
        if f"{home}/authored" not in paths:
            continue
        introduced = show(remote, ref, f"{home}/statements").decode().split("\n")
        assert (introduced[1], introduced[3]) == (agent, seat)
        key_hash = sha256(bytes.fromhex(introduced[2]))
        contexts = fold(
            remote, ref, [p for p in paths if p.startswith(f"{home}/claims/")]
        )
        lines = [
            f"{context} {len(live)} {root_of(live)}".encode()
            for context, live in contexts.items()
            if live
        ]
        top = defined_root(sorted(lines))
        total = sum(map(len, contexts.values()))
        signed = show(remote, ref, f"{home}/authored").decode().split("\n")
        assert signed[:4] == ["koinii.authored/v1", agent, key_hash.hexdigest(), seat]
        number = int(signed[4])
        assert signed[5:7] == [str(total), top.hex()]
        assert records[number - 1]["agents"][agent] == [key_hash.digest(), top, total]
        assert not any(agent in record["agents"] for record in records[number:])
        claims |= {
            (agent, seat, context, line)
            for context, live in contexts.items()
            for line in live
        }
        inputs.append(f"{agent} {seat} {number} {top.hex()}".encode())
        agents.append(f"{agent} {key_hash.hexdigest()} {top.hex()} {total}".encode())
    assert records[-1]["agents_root"] == defined_root(sorted(agents))
    return claims, inputs


def fold(remote: Path, ref: str, paths: list[str]) -> dict[str, list[str]]:
    """Return the live lines of each context, segment by segment in their order."""
    contexts: dict[str, dict[str, str]] = {}
    for path in sorted(paths, key=lambda one: int(one.split("/")[-1][:-3])):
        context = path.split("/")[3]
        live = contexts.setdefault(context, {})
        for line in show(remote, ref, path).decode().split("\n")[:-1]:
            if line[:2] == "+ ":
                live[locator(context, sentence_of(line[2:]))] = line[2:]
            else:
                live.pop(line[2:], None)
    return {context: list(live.values()) for context, live in contexts.items()}


def root_of(lines: list[str]) -> str:
    return root_of_leaves([line.encode() for line in lines]).removeprefix("sha256:")


def root_of_leaves(leaves: list[bytes]) -> str:
    ordered = sorted(leaves, key=lambda leaf: sha256(b"\x00" + leaf).digest())
    return f"sha256:{defined_root(ordered).hex()}"


# Locators ---------------------------------------------------------------------


def sentence_of(line: str) -> str:
    """Return the sentence of a claim line `<strength> <created> <sentence>`."""
    return line.split(" ", 2)[2]


def locator(context: str, sentence: str) -> str:
    """Return the content address: a digest over context, truth and sentence."""
    truth = b"false" if sentence.startswith("(not ") else b"true"
    whole = [name(b"\x0a", context.encode()), name(b"\x09", truth), encoded(sentence)]
    return "sha256:" + sha256(b"\x0b\x00\x00\x00\x03" + b"".join(whole)).hexdigest()


def encoded(text: str) -> bytes:
    stack: list[list[bytes]] = [[]]
    for word in re.findall(r'[()]|"[^"\\]*"|[^\s()"]+', text):
        if word == "(":
            stack.append([])
        elif word == ")":
            items = stack.pop()
            stack[-1].append(b"\x0b" + len(items).to_bytes(4, "big") + b"".join(items))
        elif word[0] == '"':
            body = word[1:-1].encode()
            stack[-1].append(b"\x08" + len(body).to_bytes(4, "big") + body)
        elif re.fullmatch(r"-?[0-9]+", word):
            stack[-1].append(b"\x03" + int(word).to_bytes(8, "big", signed=True))
        else:
            stack[-1].append(name(b"\x0a", word.encode()))
    ((term,),) = stack
    return term


def name(tag: bytes, text: bytes) -> bytes:
    return tag + b"\x00" + len(text).to_bytes(4, "big") + text


# CBOR, as far as records need it ----------------------------------------------


def read_cbor(data: bytes) -> tuple[Any, bytes]:
    """Return the first value and what stands after it."""
    major, low = data[0] >> 5, data[0] & 31
    if data[0] == 0xF6:
        return None, data[1:]
    width = {24: 1, 25: 2, 26: 4, 27: 8}.get(low, 0)
    number = int.from_bytes(data[1 : 1 + width], "big") if width else low
    rest = data[1 + width :]
    if major == 0:
        return number, rest
    if major in (2, 3):
        body = rest[:number]
        return body.decode() if major == 3 else body, rest[number:]
    items = []
    for _ in range(number * (2 if major == 5 else 1)):
        item, rest = read_cbor(rest)
        items.append(item)
    if major == 4:
        return items, rest
    return dict(zip(items[::2], items[1::2], strict=True)), rest
