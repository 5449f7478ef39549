"""Checking attributions: an agent's signed set of lines holds this one.

    line -> path -> root of its context -> steps -> root of the author's lines
        -> authored statement -> signature -> key, which `signers` leads to from the
        author's introduction

The sentence of the document is the line's without the words that say how a rule
runs, which are not part of what it says.
"""

from __future__ import annotations

import re

from koinii.history.document import Fields, refused
from koinii.history.roots import context_line
from koinii.history.signers import open_author
from koinii.history.verdict import Expected
from koinii.merkle import leaf_hash, verify_inclusion, verify_steps
from koinii.note.statements import Authored

_HEAD = re.compile(r"(default|monotonic) (0|[1-9][0-9]{0,15}) ")
_WRAPPERS = (
    "{}",
    "(set/inertRule {})",
    "(set/defaultRule {})",
    "(set/inertRule (set/defaultRule {}))",
)


def check_attribution(
    fields: Fields, expected: Expected, checked: list[str]
) -> list[str]:
    """Check every link, noting each in `checked`; return what is assumed."""
    _check_sentence(fields, fields.text("sentence"))
    checked.append("the line is one of the sentence")
    author = open_author(fields)
    authored = author.authored
    checked += author.told()
    checked.append(f"the set of commit {authored.number} is signed by {authored.agent}")
    _check_line(fields, authored, fields.text("context"))
    checked.append("the line is in the signed set")
    if expected.head is not None:
        raise refused("an attribution has no head to compare")
    expected.compare_root(f"sha256:{authored.root.hex()}", checked)
    expected.compare_keys(author.keys, checked)
    first = "the first key" if author.numbers else "the key"
    whose = f"{first} {author.keys[0].fingerprint}"
    return [*author.assumes(), *expected.assumes(whose)]


def check_said(fields: Fields, context: str, sentence: str, authored: Authored) -> None:
    """Refuse unless the signed set holds the line given, one of the sentence."""
    _check_sentence(fields, sentence)
    _check_line(fields, authored, context)


def _check_sentence(fields: Fields, sentence: str) -> None:
    if not _is_line_of(fields.text("line"), sentence):
        raise refused("the line is not one of the sentence")


def _is_line_of(line: str, sentence: str) -> bool:
    head = _HEAD.match(line)
    if not head:
        return False
    rest = line[head.end() :]
    for wrapper in _WRAPPERS:
        text = wrapper.format(sentence)
        if rest == text or (rest.startswith(text + " (") and rest.endswith(")")):
            return True
    return False


def _check_line(fields: Fields, authored: Authored, context: str) -> None:
    claims = fields.object("claims", {"root", "size", "index", "path"})
    size, root = claims.count("size"), claims.hash("root")
    place = claims.count("index"), size, claims.path("path")
    if not verify_inclusion(leaf_hash(fields.text("line").encode()), *place, root):
        raise refused("the path does not lead from the line to its context's root")
    node = context_line(context, size, root)
    steps = fields.steps("contexts")
    if not verify_steps(leaf_hash(node.encode()), steps, authored.root):
        raise refused("the steps do not lead from the context to the signed root")
