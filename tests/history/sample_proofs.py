"""One small seat with known keys, and a good document of every kind."""

import json
from dataclasses import replace
from typing import Any

from koinii.history import Log, author_tree, context_tree
from koinii.history.proving import (
    Commitment,
    Said,
    Sentence,
    absence,
    attribution,
    inclusion,
)
from koinii.history.record import AuthoredRoot, CommitRecord, PostsRoot
from koinii.merkle import EMPTY_ROOT, Levels, leaf_hash
from koinii.note import Checkpoint, PrivateKey, Signer, seat_verifier, sign_checkpoint
from koinii.terms import locate, read
from koinii.terms.term import Symbol
from koinii.trust.statements import Authored, Introduction, sign_statement

SEAT_KEY = PrivateKey.from_seed(b"s" * 32)
AGENT_KEY = PrivateKey.from_seed(b"a" * 32)
SEAT = Signer(seat_verifier(SEAT_KEY.public), SEAT_KEY.sign)
ORIGIN = SEAT.verifier.name
SEAT_ID = ORIGIN.removeprefix("koinii.seat/")
ATLAS = Signer.of("AgentAtlas", AGENT_KEY)

CONTEXT = "CxAtlas"
TEXTS = [
    '(note Item "Zürich \\"q\\" \\\\ \\n \U0001f98a \\u2028")',
    "(usesDatabase ProdCluster Postgres)",
    "(not (reliable ProdCluster))",
    "(numbers 0 -5 9223372036854775808 1.5 1e16 2.5e-07 3/4 -1.5M 100M)",
    "(others nil true false :key :ns/key ns/name \\a \\u0020 () (deep (er ())))",
    "(implies (and (p ?var0) (q ?var0 ?var1)) (r ?var1))",
    "(big 123456789012345678901234567890 -170141183460469231731687303715884105728)",
    "(fact Item0 0)",
    "(fact Item1 1)",
]
ABSENT = "(fact Item2 2)"


def locator_of(text: str, context: str = CONTEXT) -> str:
    return locate(Symbol(context), read(text))


def tree_over(locators: list[str]) -> Levels:
    return Levels(sorted(leaf_hash(locator.encode()) for locator in locators))


LOCATORS = [locator_of(text) for text in TEXTS]
TREE = tree_over(LOCATORS)
EMPTY = tree_over([])

RECORD = CommitRecord(
    seat=SEAT_ID,
    number=4,
    previous=b"p" * 32,
    time=1_760_000_000_000,
    commit=TREE.root,
    size=TREE.size,
    inputs=b"i" * 32,
    agents={"AgentAtlas": AuthoredRoot(AGENT_KEY.public.key_hash, b"r" * 32, 9)},
    agents_root=b"a" * 32,
    posts=PostsRoot(EMPTY_ROOT, 0),
    heads={},
    heads_root=EMPTY_ROOT,
    manifest=b"m" * 32,
    vocabulary=dict.fromkeys(("CxCore", "CxRegistry", "CxSpeechActs"), b"v" * 32),
    trust=b"t" * 32,
    partial=None,
    local=("CxDisputes",),
    held=EMPTY_ROOT,
    rules=1,
    software="koinii/0.1.0",
)


def head_of(log: Log, signer: Signer = SEAT, origin: str = ORIGIN) -> str:
    return sign_checkpoint(Checkpoint(origin, log.size, log.root()), [signer]).decode()


def log_with(record: CommitRecord, size: int = 5) -> Log:
    """Return a history of `size` commits with `record` at its number."""
    leaves = [leaf_hash(b"other %d" % number) for number in range(size)]
    leaves[record.number - 1] = record.leaf
    return Log(leaves)


def commitment_of(record: CommitRecord, size: int = 5) -> Commitment:
    log = log_with(record, size)
    path = log.prove(record.number)
    return Commitment(record.encode(), path, head_of(log), SEAT_KEY.public)


COMMITMENT = commitment_of(RECORD)
EMPTY_COMMITMENT = commitment_of(
    replace(RECORD, number=1, previous=None, commit=EMPTY_ROOT, size=0), size=1
)
HEAD = head_of(log_with(RECORD))

LINES = [f"default {1_760_000_000_000 + n} {text}" for n, text in enumerate(TEXTS)]
LINES[1] += ' (("k" 1) ("l" 2))'
LINES[5] = f"monotonic 5 (set/inertRule (set/defaultRule {TEXTS[5]}))"
CLAIMS = context_tree(LINES)
ROWS = [(CONTEXT, CLAIMS.size, CLAIMS.root)]
ROWS += [(f"Cx{name}", 1, b"o" * 32) for name in ("Deploy", "Zed")]
CONTEXTS = author_tree(ROWS)
AUTHORED = Authored(
    "AgentAtlas", AGENT_KEY.public.key_hash, SEAT_ID, 4, 11, CONTEXTS.root, b"b" * 32
)
INTRODUCTION = Introduction("AgentAtlas", AGENT_KEY.public, SEAT_ID, ("atlas",), 5)


def said(line: str, **changes: Any) -> Said:
    signed = {
        "authored": sign_statement(AUTHORED, ATLAS).decode(),
        "introduction": sign_statement(INTRODUCTION, ATLAS).decode(),
    }
    return Said(line, CLAIMS, CONTEXTS, 0, **{**signed, **changes})


def attributed(number: int = 1) -> dict[str, Any]:
    sentence = Sentence(CONTEXT, TEXTS[number])
    return attribution(LOCATORS[number], sentence, said(LINES[number]))


def included(number: int = 1) -> dict[str, Any]:
    return inclusion(
        LOCATORS[number], TREE, COMMITMENT, Sentence(CONTEXT, TEXTS[number])
    )


def absent(text: str = ABSENT) -> dict[str, Any]:
    return absence(locator_of(text), TREE, COMMITMENT, Sentence(CONTEXT, text))


def end_texts() -> tuple[str, str]:
    """Return sentences whose leaves would be the first and the last of the tree."""
    first = last = ""
    number = 0
    while not (first and last):
        text = f"(fact Item{number} end)"
        place = TREE.position(leaf_hash(locator_of(text).encode()))
        first = first or (text if place == 0 else "")
        last = last or (text if place == TREE.size else "")
        number += 1
    return first, last


FIRST, LAST = end_texts()

DOCUMENTS: dict[str, dict[str, Any]] = {
    **{f"inclusion {number}": included(number) for number in range(len(TEXTS))},
    "inclusion without sentence": inclusion(LOCATORS[1], TREE, COMMITMENT),
    "absence": absent(),
    "absence without sentence": absence(locator_of(ABSENT), TREE, COMMITMENT),
    "absence before the first": absent(FIRST),
    "absence after the last": absent(LAST),
    "absence from nothing": absence(locator_of(ABSENT), EMPTY, EMPTY_COMMITMENT),
    **{f"attribution {number}": attributed(number) for number in (0, 1, 2, 5, 8)},
}


def text_of(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
