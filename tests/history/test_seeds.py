"""BC-128: records, trees and proofs are the same bytes in every process."""

import os
import subprocess
import sys
from hashlib import sha256

from history.sample_proofs import DOCUMENTS, RECORD, text_of

SHOW = """
from hashlib import sha256
from history.sample_proofs import DOCUMENTS, RECORD, text_of
texts = "".join(map(text_of, DOCUMENTS.values()))
print(sha256(RECORD.encode() + texts.encode()).hexdigest())
"""


def test_bc_128_no_output_depends_on_the_hash_seed() -> None:
    texts = "".join(map(text_of, DOCUMENTS.values()))
    here = sha256(RECORD.encode() + texts.encode()).hexdigest()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", SHOW],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == here
