"""A seat that shows what it likes: files changed by hand, then signed by its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from koinii import RemoteSeat
from koinii.history.log import (
    BUNDLE_SIZE,
    bundle_name,
    decode_bundle,
    encode_bundle,
)
from koinii.history.manifest import ENTRIES, Listed, write_manifest
from koinii.history.record import CommitRecord, decode_record
from koinii.merkle import leaf_hash
from koinii.merkle import root as tree_root
from koinii.note import (
    Checkpoint,
    PrivateKey,
    Signer,
    read_private_key,
    sign_checkpoint,
    sign_ssh,
)
from koinii.note.signed import sign_note
from koinii.remote.commit import commit_object, sign_commit
from koinii.remote.pack import GitObject, object_id, store_pack, write_pack
from koinii.remote.tree import changed_trees
from koinii.trust.statements import Authored, open_authored

BUNDLE = "history/entries/0000"
BESIDE = ("README.md", "seat.pub", "checkpoint", "manifest")


class Forger:
    """Holds a seat's keys and makes trees that the seat never committed."""

    def __init__(self, seat: RemoteSeat, agents: tuple[str, ...]) -> None:
        self.id = seat.id
        self.key = read_private_key(Path(seat.layout.seat_key))
        self.agents = {
            agent: read_private_key(Path(seat.layout.agent_key(agent)))
            for agent in agents
        }

    def listed(self, files: Mapping[str, bytes], **more: Listed) -> dict[str, bytes]:
        """Return the files with a manifest that fits them, and lists `more`."""
        rows = {
            path: Listed(len(body), sha256(body).hexdigest())
            for path, body in files.items()
            if path not in BESIDE and not path.startswith("history/")
        }
        return {**files, "manifest": write_manifest(rows | more)}

    def sealed(self, files: Mapping[str, bytes], **changes: Any) -> dict[str, bytes]:
        """Return the files under a new last record, signed; `changes` go into it."""
        entries = decode_bundle(files[BUNDLE])
        last = decode_record(entries[-1])
        assert isinstance(last, CommitRecord)
        digest = sha256(files["manifest"]).digest()
        record = replace(last, **({"manifest": digest} | changes))
        return self.headed(files, [*entries[:-1], record.encode()])

    def headed(
        self, files: Mapping[str, bytes], entries: list[bytes], size: int | None = None
    ) -> dict[str, bytes]:
        """Return the files with this history under a signed head."""
        origin = f"koinii.seat/{self.id}"
        top = tree_root(map(leaf_hash, entries))
        head = Checkpoint(origin, len(entries) if size is None else size, top)
        signed = sign_checkpoint(head, [Signer.of(origin, self.key)])
        return {**files, **bundles(entries), "checkpoint": signed}

    def resealed(self, files: Mapping[str, bytes], **changes: Any) -> dict[str, bytes]:
        """Return the files with manifest, record and head made to fit them."""
        return self.sealed(self.listed(files), **changes)

    def authored(
        self, files: Mapping[str, bytes], signer: str, changes: Mapping[str, Any]
    ) -> bytes:
        """Return an agent's signature under another statement than it made."""
        key = self.agents[signer]
        body = files[f"agents/{signer}/authored"]
        statement = replace(open_authored(body, key.public), **changes)
        return signed_by(key, signer, statement)


def bundles(entries: list[bytes]) -> dict[str, bytes]:
    """Return the files that hold a history."""
    return {
        ENTRIES + bundle_name(start + 1): encode_bundle(
            entries[start : start + BUNDLE_SIZE]
        )
        for start in range(0, max(1, len(entries)), BUNDLE_SIZE)
    }


def signed_by(key: PrivateKey, agent: str, statement: Authored) -> bytes:
    """Sign a statement, whatever it says."""
    return sign_note(statement.text(), [Signer.of(agent, key)])


def store_commit(
    repository: Path,
    seat_id: str,
    files: Mapping[str, bytes],
    parent: str | None = None,
    key: PrivateKey | None = None,
) -> str:
    """Store a commit of the files in a bare repository, signed by `key` if given."""
    blobs = {path: object_id(b"blob", body) for path, body in files.items()}
    changed = changed_trees(lambda _: [], blobs)
    data = commit_object(changed.root, parent, "commit\n", seat_id, 0)
    if key is not None:
        data = sign_commit(data, sign_ssh(data, key, "git"))
    objects: list[GitObject] = [(b"blob", body) for body in files.values()]
    store_pack(repository, write_pack([*objects, *changed.objects, (b"commit", data)]))
    return object_id(b"commit", data)
