"""Checking state proofs: was a claim believed, absent, said, derived, disputed.

A document links a sentence to a signed head, each link checked here:

    sentence, context -> locator -> path -> root and size in a commit record
        -> path -> root and size in a checkpoint -> signature -> seat key -> seat id

An attribution has links of its own (`attribution.py`); `whyproof.py` and
`disputeproof.py` are about several leaves. Documents come from strangers:
`verify` answers, it never raises, and it says yes only after every link held.
What no document of a kind can show is in `not_shown`.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.errors import KoiniiError
from koinii.history.anchor import check_anchor
from koinii.history.attribution import check_attribution
from koinii.history.disputeproof import SORTED, check_dispute
from koinii.history.document import LOCATOR, Fields, read, refused
from koinii.history.headproof import KIND, NOT_SHOWN, check_history, is_head
from koinii.history.signers import ROTATED
from koinii.history.standing import Tree, check_absent, check_held
from koinii.history.verdict import Expected, Verification
from koinii.history.whyproof import check_why
from koinii.note.keys import PublicKey
from koinii.terms.locator import digest
from koinii.terms.reader import read_canonical
from koinii.terms.term import Symbol

__all__ = ["SORTED", "Verification", "not_shown", "verify"]

VERSION = 1

_SENTENCE = frozenset({"context", "sentence"})
_COMMON = {"v", "kind", "locator"}
_STATE = {*_COMMON, "root", "size", "record", "history", "head", "key"}
_STANDS_ON = {*_SENTENCE, "leaves", "vocabulary", "authors"}
_NAMES = {
    "inclusion": {*_STATE, "index", "path"},
    "absence": {*_STATE, "left", "right", "assumes"},
    "attribution": {
        *(*_COMMON, *_SENTENCE),
        *("line", "claims", "contexts", "authored", "introduction"),
    },
    "why": {*_STATE, *_STANDS_ON, "index", "path", "steps"},
    "dispute": {*_STATE, *_STANDS_ON, "in", "claim", "seen", "assumes"},
}
_OPTIONAL = {
    "attribution": ROTATED,
    "why": frozenset({"said"}),
    "dispute": frozenset({"symmetric"}),
}

_NOT_SHOWN = {
    "inclusion": (
        "that the claim is true, or why it is believed",
        "that the seat believes it still: the head may be old",
    ),
    "absence": (
        "that the seat sorted its leaves: an inclusion of this locator under this "
        "head would be evidence against it",
        "that the claim is false, or absent still: the head may be old",
    ),
    "attribution": (
        "who the agent is: whoever could use its key said it",
        "that no key which signed was revoked, or replaced before by another",
        "that any seat believes the claim, or that it still stands",
    ),
    "why": (
        "that the claim stands where it is most general, or that nothing else "
        "supports it",
        "that no mask hides what it stands on, or that nothing speaks against it",
        "that what an author signed still stands, that its keys were not revoked, or "
        "that the claim is true",
        "that the seat believes it still: the head may be old",
    ),
    "dispute": (
        "clashes that are no rebuttal: values of a functional predicate, disjoint "
        "types",
        "what the channel sees by edges that are not given",
        "that no mask hides a side, or which side should fall",
        "that the seat sorted its leaves, or believes so still: the head may be old",
    ),
}


def verify(
    document: object,
    root: str | None = None,
    head: str | bytes | None = None,
    keys: Iterable[PublicKey | str] | None = None,
    vocabulary: Iterable[bytes] | None = None,
    *,
    entries: Iterable[bytes] | None = None,
    since: str | bytes | None = None,
) -> Verification:
    """Check a proof document (JSON text, bytes or object) and say what held.

    `root` is a commit id, `sha256:<hex>` (of an attribution, the root the author
    signed), `head` a signed checkpoint, `keys` OpenSSH lines or keys, one of
    which has to be the signer's. What is given has to agree. `vocabulary` are
    the bytes of vocabulary files, by default those of this program; what is named
    of other files is assumed.

    A document that is a seat's signed head is checked with the files of records under
    it, `entries`, in order, and the seat's key among `keys`; `since` is an older head,
    which it has to extend.
    """
    checked: list[str] = []
    assumes: list[str] = []
    try:
        expected = Expected(root, head, keys, vocabulary)
        if isinstance(document, str | bytes) and is_head(document):
            check_history(document, entries, since, expected, checked)
        elif entries is not None or since is not None:
            raise refused("records and an older head go with a head, not with a proof")
        else:
            assumes = _verify(read(document), expected, checked)
    except KoiniiError as refusal:
        return Verification(ok=False, reason=refusal.message, checked=checked)
    return Verification(ok=True, checked=checked, assumes=assumes)


def not_shown(kind: str) -> tuple[str, ...]:
    """Return what a good proof of this kind still does not show."""
    return NOT_SHOWN if kind == KIND else _NOT_SHOWN.get(kind, ())


def _verify(fields: Fields, expected: Expected, checked: list[str]) -> list[str]:
    """Check every link, noting each in `checked`; return what is assumed."""
    if fields.count("v") != VERSION:
        raise refused("the proof is of a version that a newer koinii reads")
    kind = fields.text("kind")
    if kind not in _NAMES:
        raise refused(f"unknown kind of proof: {kind[:40]}")
    fields.check_names(_NAMES[kind], _SENTENCE | _OPTIONAL.get(kind, frozenset()))
    _check_locator(fields, checked)
    if kind == "attribution":
        return check_attribution(fields, expected, checked)
    assumes = _check_content(kind, fields, expected, checked)
    return [*assumes, *check_anchor(fields, expected, checked)]


def _check_content(
    kind: str, fields: Fields, expected: Expected, checked: list[str]
) -> list[str]:
    """Check what a state proof shows of its root; return what is assumed."""
    if kind == "why":
        return check_why(fields, expected.vocabulary, checked)
    if kind == "dispute":
        return check_dispute(fields, expected.vocabulary, checked)
    tree = Tree(fields.hash("root", LOCATOR), fields.count("size"))
    locator = fields.hash("locator", LOCATOR)
    if kind == "inclusion":
        check_held(fields, locator, tree)
        checked.append("the locator is a leaf under the root")
        return []
    if fields.words("assumes") != [SORTED]:
        raise refused("an absence assumes that leaves are sorted, and nothing else")
    check_absent(fields, locator, tree)
    checked.append("the leaves beside the locator's place are neighbours")
    return [SORTED]


def _check_locator(fields: Fields, checked: list[str]) -> None:
    """Hash the sentence where there is one; a locator alone is taken as it is."""
    locator = fields.hash("locator", LOCATOR)
    if fields.has("context") != fields.has("sentence"):
        raise refused("a sentence and its context come together")
    if not fields.has("sentence"):
        return
    context = Symbol(fields.text("context"))
    sentence = read_canonical(fields.text("sentence"))
    if digest(context, sentence) != locator:
        raise refused("the locator is not that of the sentence in its context")
    checked.append("the locator is the hash of the sentence in its context")
