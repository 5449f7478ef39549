"""Signed text and the keys that sign it.

Read `keys.py` first (what a good key is), then `signed.py` (C2SP signed notes),
then `checkpoint.py` (the head of a log), `cosignature.py` (who else saw it) and
`statements.py` (what agents sign).
`sshsig.py` is the other form, the one git takes. `keyfile.py` keeps private keys,
`ed25519.py` holds the checks that libraries leave out, `base64_text.py` the one
spelling of bytes.
"""

from koinii.note.base64_text import from_base64, to_base64
from koinii.note.checkpoint import (
    SEAT_ORIGIN,
    Checkpoint,
    open_checkpoint,
    parse_checkpoint,
    seat_id,
    seat_verifier,
    sign_checkpoint,
)
from koinii.note.cosignature import (
    Cosignature,
    Cosigner,
    add_cosignatures,
    cosign,
    merge_cosignatures,
    open_cosignatures,
    parse_cosigner,
    seat_cosigner,
)
from koinii.note.keyfile import read_private_key, write_private_key
from koinii.note.keys import PrivateKey, PublicKey, read_public_key
from koinii.note.signed import (
    Note,
    SignatureLine,
    Signer,
    UnverifiedNote,
    Verifier,
    open_note,
    parse_note,
    parse_vkey,
    sign_note,
)
from koinii.note.sshsig import sign_ssh, verify_ssh

__all__ = [
    "SEAT_ORIGIN",
    "Checkpoint",
    "Cosignature",
    "Cosigner",
    "Note",
    "PrivateKey",
    "PublicKey",
    "SignatureLine",
    "Signer",
    "UnverifiedNote",
    "Verifier",
    "add_cosignatures",
    "cosign",
    "from_base64",
    "merge_cosignatures",
    "open_checkpoint",
    "open_cosignatures",
    "open_note",
    "parse_checkpoint",
    "parse_cosigner",
    "parse_note",
    "parse_vkey",
    "read_private_key",
    "read_public_key",
    "seat_cosigner",
    "seat_id",
    "seat_verifier",
    "sign_checkpoint",
    "sign_note",
    "sign_ssh",
    "to_base64",
    "verify_ssh",
    "write_private_key",
]
