"""What a seat committed, and proofs about it.

Read `record.py` first (one commit), then `log.py` (the history of them) and
`roots.py` (the lists a record binds); `cbor.py` is the strict encoding.
`segments.py` and `manifest.py` are the text that a commit publishes.
`evidence.py` is about two histories of one seat, `cosigned.py` about the file with
what one seat has checked of another.
"""

from koinii.history.log import (
    BUNDLE_SIZE,
    Log,
    bundle_name,
    decode_bundle,
    encode_bundle,
)
from koinii.history.record import (
    AuthoredRoot,
    CommitRecord,
    NewerRecord,
    PeerHead,
    PostsRoot,
    decode_record,
)
from koinii.history.roots import (
    agents_root,
    author_tree,
    context_line,
    context_tree,
    heads_root,
    held_root,
    inputs_root,
    posts_root,
    trust_digest,
)

__all__ = [
    "BUNDLE_SIZE",
    "AuthoredRoot",
    "CommitRecord",
    "Log",
    "NewerRecord",
    "PeerHead",
    "PostsRoot",
    "agents_root",
    "author_tree",
    "bundle_name",
    "context_line",
    "context_tree",
    "decode_bundle",
    "decode_record",
    "encode_bundle",
    "heads_root",
    "held_root",
    "inputs_root",
    "posts_root",
    "trust_digest",
]
