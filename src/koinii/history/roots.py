"""Roots over lists: RFC 6962 over lines, a leaf for each.

Most lists are lines sorted bytewise. The lines of one author in one context,
and the ids of posts, are sorted by leaf hash, so that absence from them can be
proven. Hashes come as 32 bytes and stand in lines as hex.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from koinii.merkle import Levels, leaf_hash, root


def agents_root(rows: Iterable[tuple[str, bytes, bytes, int]]) -> bytes:
    """Return the root over (agent, key hash, authored root, size) of all agents."""
    return _sorted_lines(
        f"{agent} {key.hex()} {top.hex()} {size}" for agent, key, top, size in rows
    ).root


def heads_root(rows: Iterable[tuple[str, int, bytes]]) -> bytes:
    """Return the root over (seat id, number, leaf hash) of all seats applied."""
    return _sorted_lines(
        f"{seat} {number} {leaf.hex()}" for seat, number, leaf in rows
    ).root


def held_root(rows: Iterable[tuple[str, str, str, bytes]]) -> bytes:
    """Return the root over (state, agent, seat id, SHA-256 of the line)."""
    return _sorted_lines(
        f"{state} {agent} {seat} {line.hex()}" for state, agent, seat, line in rows
    ).root


def inputs_root(rows: Iterable[tuple[str, str, int, bytes]]) -> bytes:
    """Return the root over (agent, seat id, number, authored root) applied."""
    return _sorted_lines(
        f"{agent} {seat} {number} {top.hex()}" for agent, seat, number, top in rows
    ).root


def posts_root(ids: Iterable[str]) -> bytes:
    """Return the root over the ids of a seat's posts."""
    return root(sorted(leaf_hash(one.encode()) for one in ids))


def context_tree(lines: Iterable[str]) -> Levels:
    """Return the tree over an author's live lines in one context."""
    return Levels(sorted(leaf_hash(line.encode()) for line in lines))


def author_tree(rows: Iterable[tuple[str, int, bytes]]) -> Levels:
    """Return the tree over (context, size, root) of all contexts of an author."""
    return _sorted_lines(context_line(*row) for row in rows)


def context_line(context: str, size: int, top: bytes) -> str:
    """Return the leaf of the author's tree that stands for one context."""
    return f"{context} {size} {top.hex()}"


def trust_digest(
    mode: str,
    *,
    pins: Iterable[tuple[str, bytes]] = (),
    grants: Iterable[bytes] = (),
    follows: Iterable[str] = (),
) -> bytes:
    """Return the SHA-256 of the sorted lines of all trust decisions, each with LF."""
    lines = [
        f"mode {mode}",
        *(f"pin {agent} {key.hex()}" for agent, key in pins),
        *(f"grant {statement.hex()}" for statement in grants),
        *(f"follow {seat}" for seat in follows),
    ]
    text = "".join(line + "\n" for line in sorted(lines, key=str.encode))
    return sha256(text.encode()).digest()


def _sorted_lines(lines: Iterable[str]) -> Levels:
    return Levels(leaf_hash(line) for line in sorted(line.encode() for line in lines))
