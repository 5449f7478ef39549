"""The sentences that a document stands on: believed leaves and vocabulary.

    leaves      [{"context", "sentence", "index", "path", "said"?}]
    vocabulary  [{"context", "sentence", "digest"}]: the file of that context, by
                the digest that the commit record binds
    authors     [{"authored", "introduction", "rotations"?}], which a leaf's `said`
                counts from 0

Each is hashed here and found by its locator. The vocabulary is in no tree: who
has the file looks the sentence up in it, others are told what they assume.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

from koinii.history.attribution import check_said
from koinii.history.document import LOCATOR, Fields, refused
from koinii.history.shipped import shipped_files
from koinii.history.signers import AUTHOR, ROTATED, Author, open_author
from koinii.history.standing import Tree, check_held
from koinii.terms.encoding import encode
from koinii.terms.folds import word
from koinii.terms.locator import digest
from koinii.terms.reader import read_canonical
from koinii.terms.term import Symbol, Term

UNIVERSE = "CxUniverse"
MAX_WORK = 1 << 22  # bytes of encodings that the checks of one document look at

_LEAF = {"context", "sentence", "index", "path"}
_SAID = {"author", "line", "claims", "contexts"}
_VOCABULARY = {"context", "sentence", "digest"}


class Statement(NamedTuple):
    """A sentence in its context, shown to be believed or named as vocabulary."""

    context: str
    sentence: Term
    shipped: bool = False
    size: int = 0  # bytes of its encoding

    @property
    def is_global(self) -> bool:
        """Whether a declaration made here holds for every context."""
        return self.shipped or self.context == UNIVERSE


class Work:
    """What the checks of a document may still look at."""

    def __init__(self) -> None:
        self._left = MAX_WORK

    def spend(self, size: int) -> None:
        """Refuse once the checks have looked at too many bytes."""
        self._left -= size
        if self._left < 0:
            raise refused(f"its checks look at more than {MAX_WORK} bytes")


class Stated:
    """Every statement of a document by locator, and who is shown to have said it."""

    def __init__(self, fields: Fields, tree: Tree, checked: list[str]) -> None:
        """Hash and place each leaf; an unlike or repeated one is refused."""
        self.known: dict[bytes, Statement] = {}
        self.said: set[bytes] = set()
        self._lines: dict[int, int] = {}
        self._authors = self._open_authors(fields)
        leaves = fields.objects("leaves", _LEAF, frozenset({"said"}))
        for one in leaves:
            context, text = one.text("context"), one.text("sentence")
            check_held(one, self.add(context, text), tree)
            self.note_said(one)
        if leaves:
            checked.append(f"leaves under the root that it stands on: {len(leaves)}")

    def add(self, context: str, text: str, *, shipped: bool = False) -> bytes:
        """Take a statement in under the digest of its locator."""
        sentence = read_canonical(text)
        if shipped and word(sentence) == "genlCx":
            context = UNIVERSE  # where edges stand, whatever file has them
        locator = digest(Symbol(context), sentence)
        if locator in self.known:
            raise refused("a sentence is stated twice")
        size = len(encode(sentence))
        self.known[locator] = Statement(context, sentence, shipped, size)
        return locator

    def note_said(self, fields: Fields) -> None:
        """Check the signed line of a statement where the document has one."""
        if not fields.has("said"):
            return
        context, text = fields.text("context"), fields.text("sentence")
        said = fields.object("said", _SAID)
        number = said.count("author")
        if number >= len(self._authors):
            raise refused("a line is of an author that the document does not have")
        check_said(said, context, text, self._authors[number].authored)
        self.said.add(digest(Symbol(context), read_canonical(text)))
        self._lines[number] = self._lines.get(number, 0) + 1

    def tell_authors(self, checked: list[str]) -> list[str]:
        """Note who signed lines, refusing an author of none; return what is assumed."""
        assumes: list[str] = []
        for number, author in enumerate(self._authors):
            if number not in self._lines:
                raise refused("an author is given who said none of it")
            checked += author.told()
            checked.append(
                f"lines in the set of commit {author.authored.number} that "
                f"{author.authored.agent} signed: {self._lines[number]}"
            )
            assumes += author.assumes()
        return list(dict.fromkeys(assumes))

    def _open_authors(self, fields: Fields) -> list[Author]:
        given = fields.objects("authors", set(AUTHOR), ROTATED)
        found = [open_author(one) for one in given]
        if len({one.authored.text() for one in found}) < len(found):
            raise refused("an author is given twice")
        return found

    def add_vocabulary(
        self,
        fields: Fields,
        bound: Mapping[str, bytes],
        files: Iterable[bytes] | None,
        checked: list[str],
    ) -> list[str]:
        """Take in what is named as vocabulary; return what of it is assumed."""
        wanted: dict[str, list[str]] = {}
        for one in fields.objects("vocabulary", _VOCABULARY):
            context, text = one.text("context"), one.text("sentence")
            if bound.get(context) != one.hash("digest", LOCATOR):
                raise refused(f"the record binds no such vocabulary of {context[:40]}")
            self.add(context, text, shipped=True)
            wanted.setdefault(context, []).append(text)
        if files is None:
            files = shipped_files() if wanted else ()
        shipped = {sha256(file).digest(): file for file in files}
        assumes = []
        for context in sorted(wanted):
            name = f"vocabulary {context} sha256:{bound[context].hex()}"
            if bound[context] not in shipped:
                assumes.append(name)
                continue
            _look_up(wanted[context], shipped[bound[context]], context)
            checked.append(f"{name} has the sentences named")
        return assumes


def _look_up(texts: list[str], file: bytes, context: str) -> None:
    """Refuse what is no line of a vocabulary file, one sentence to a line."""
    missing = {text.encode() for text in texts} - set(file.split(b"\n"))
    if missing:
        raise refused(f"the vocabulary {context} has no such sentence")
