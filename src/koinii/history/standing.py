"""Whether a locator is a leaf of a commit's tree, or absent from it.

inclusion   {"index", "path"}: the path leads to the root
absence     {"left", "right"}: the leaves beside its place are neighbours,
            which shows it absent only if the seat sorted its leaves
"""

from __future__ import annotations

from typing import NamedTuple

from koinii.history.document import Fields, refused
from koinii.merkle import Neighbour, leaf_hash, verify_absence, verify_inclusion

_HELD = {"index", "path"}
_ABSENT = {"left", "right"}


class Tree(NamedTuple):
    """The root of a commit and how many leaves it covers."""

    root: bytes
    size: int


def check_held(fields: Fields, locator: bytes, tree: Tree) -> None:
    """Refuse unless the index and path given show the locator to be a leaf."""
    if not verify_inclusion(
        _leaf(locator),
        fields.count("index"),
        tree.size,
        fields.path("path"),
        tree.root,
    ):
        raise refused("the path does not lead from the locator to the root")


def check_absent(fields: Fields, locator: bytes, tree: Tree) -> None:
    """Refuse unless the neighbours given enclose the place of the locator."""
    if not verify_absence(
        _leaf(locator),
        tree.size,
        _neighbour(fields, "left"),
        _neighbour(fields, "right"),
        tree.root,
    ):
        raise refused("the neighbours do not enclose the locator under the root")


def is_held(outer: Fields, name: str, locator: bytes, tree: Tree) -> bool:
    """Return which of the two the object `name` shows of the locator."""
    if outer.object_has(name, "index"):
        check_held(outer.object(name, _HELD), locator, tree)
        return True
    check_absent(outer.object(name, _ABSENT), locator, tree)
    return False


def _neighbour(fields: Fields, name: str) -> Neighbour | None:
    if fields.is_null(name):
        return None
    inner = fields.object(name, {"index", "leaf", "path"})
    return Neighbour(inner.count("index"), inner.hash("leaf"), inner.path("path"))


def _leaf(locator: bytes) -> bytes:
    return leaf_hash(b"sha256:" + locator.hex().encode())
