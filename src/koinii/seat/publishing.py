"""The files of a seat's ref, as one commit changes them (formats section 3).

Bodies are kept compressed in the store: what is current in `file`, and what
commits changed in `outbox` until git objects hold it.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from typing import TYPE_CHECKING

from koinii.errors import RefusedError
from koinii.history.manifest import ENTRIES, UNLISTED, Listed, write_manifest
from koinii.history.segments import (
    MAX_SEGMENT,
    Merge,
    SegmentPath,
    folder_of,
    format_path,
    merge,
    parse_path,
    plan_merge,
    read_segment,
    write_segment,
)
from koinii.kb.claim import claim_locator

if TYPE_CHECKING:
    from koinii.history.segments import Change
    from koinii.store.files import Files

FAST = 1  # zlib level; segments are text


class Draft:
    """The files of the commit being made, written through to the store."""

    def __init__(self, files: Files, number: int) -> None:
        self._files = files
        self._number = number

    def write(self, path: str, body: bytes) -> None:
        """Set a file."""
        packed = zlib.compress(body, FAST)
        self._files.put(path, sha256(body).hexdigest(), len(body), packed)
        self._files.send(self._number, path, packed)

    def remove(self, path: str) -> None:
        """Take a file away."""
        self._files.remove(path)
        self._files.send(self._number, path, None)

    def read(self, path: str) -> bytes:
        """Return a file as it is now."""
        packed = self._files.body(path)
        assert packed is not None, path  # noqa: S101 - the listing named it
        return zlib.decompress(packed)

    def add_segment(self, agent: str, context: str, changes: list[Change]) -> None:
        """Write a net change of one context, merging what is due to be merged."""
        folder = folder_of(agent, context)
        sizes = {path: size for path, _, size in self._files.listing(folder)}
        plan = self._plan(sizes, write_segment(changes))
        parts = [
            format_path(SegmentPath(agent, context, level, number))
            for level, number in plan.parts
        ]
        layers = [self._changes(part) for part in parts]
        merged = merge([*layers, changes], is_oldest=plan.is_oldest)
        for part in parts:
            self.remove(part)
        if merged:
            path = SegmentPath(agent, context, plan.level, plan.number)
            self.write(format_path(path), write_segment(merged))

    def _plan(self, sizes: dict[str, int], body: bytes) -> Merge:
        """Say what to merge; nothing where the segment would be above its bound."""
        if len(body) > MAX_SEGMENT:
            raise RefusedError(
                f"what changed in one context comes to {len(body)} bytes, and a commit "
                f"carries at most {MAX_SEGMENT}",
                code="koinii/segment-too-large",
                hint="retract a part of it, commit, and say that part again after",
            )
        paths = [parse_path(path) for path in sizes]
        plan = plan_merge([(one.level, one.number) for one in paths], self._number)
        merged = {(one.level, one.number) for one in paths} & set(plan.parts)
        whole = len(body) + sum(
            size for path, size in sizes.items() if parse_path(path)[2:] in merged
        )
        if whole <= MAX_SEGMENT:
            return plan
        return Merge([], 0, self._number, is_oldest=not sizes)

    def _changes(self, path: str) -> list[Change]:
        context = parse_path(path).context
        return read_segment(
            self.read(path), lambda line: claim_locator(context, line), path
        )

    def manifest(self) -> bytes:
        """Return the manifest over every file it lists."""
        return write_manifest(
            {
                path: Listed(size, digest)
                for path, digest, size in self._files.listing()
                if path not in UNLISTED and not path.startswith(ENTRIES)
            }
        )
