"""One commit: what is believed, who said what, and the signed record of both.

Inside one transaction: the authored root of every agent whose set changed, the
segments and statements those changes write, the manifest over all files, the
record that binds them, the history it is appended to and the checkpoint over
it. Nothing signed leaves this file before that transaction is durable.
"""

from __future__ import annotations

import zlib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from koinii import merkle
from koinii.history.log import Log
from koinii.history.record import CommitRecord
from koinii.history.roots import agents_root, heads_root, held_root, inputs_root
from koinii.kb.claim import format_claim
from koinii.note import Checkpoint, Signer, read_private_key, sign_checkpoint
from koinii.note.checkpoint import SEAT_ORIGIN
from koinii.seat import publishing
from koinii.store import meta
from koinii.store.assertions import WHOLE_CONTEXT
from koinii.store.histories import Head, InputRow
from koinii.terms.encoding import decode
from koinii.terms.locator import locator_of
from koinii.terms.printer import write
from koinii.trust.digest import trust_digest
from koinii.trust.statements import Authored, sign_statement, write_statements

if TYPE_CHECKING:
    from koinii.note import PrivateKey
    from koinii.seat.seat import Seat

SOFTWARE = "koinii/0.1.0"
SEMANTICS = 1
ENTRIES_A_FILE = 256
EMPTY = merkle.EMPTY_ROOT
