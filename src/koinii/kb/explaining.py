"""Why a sentex is believed: its reasons, down to what somebody asserts (A.17).

The tree is plain data. A node has `locator`, `sentence`, `context`, `believed`,
`strength` (its class: monotonic where it is known), `premise`, `authors` and
`support`, the reasons in the order of content; a reason has the `rule` (its
locator), its `sentence`, `context`, `authors` and whether it is `strict`, the
`needs` and `edges` by which the conclusion's context reads it and its facts, and
`because`, a node for each fact. Marks are there only where they hold:

    shipped    of the vocabulary, by nobody      waiting    for what it names
    cycle      stands on itself, further up      again      explained elsewhere
    truncated  its reasons lie too deep          stored     False: not here
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from koinii.kb.claim import STRENGTHS, wrapper_words
from koinii.kb.contexts.sightlines import Sightlines
from koinii.kb.rules.joining import CLIMB
from koinii.store.sentexes import BELIEVED, KNOWN, SHIPPED, WAITING
from koinii.terms.encoding import decode_known, encode
from koinii.terms.locator import locator_of
from koinii.terms.printer import write
from koinii.terms.term import Symbol

if TYPE_CHECKING:
    from typing import TypeAlias

    from koinii.kb.base import KnowledgeBase, Sentex
    from koinii.kb.supporting import Support
    from koinii.terms.term import Term

    Node: TypeAlias = dict[str, Any]

MAX_DEPTH = 256
_GENL, _GENL_CX, _SYMMETRIC = map(Symbol, ("genl", "genlCx", "symmetric"))


def why(kb: KnowledgeBase, digest: bytes, max_depth: int = MAX_DEPTH) -> Node:
    """Return why a sentex is believed, as a tree.

    Every conclusion is explained once, nearest to the root: the tree is no larger
    than what it explains, and is built level by level. Of what is believed the
    reasons are those that hold; what is not is explained at the root only.
    """
    found = kb.find(digest)
    if found is None:
        return {"locator": locator_of(digest), "stored": False, "believed": False}
    return _Tree(kb, max_depth).grow(found)


def described(kb: KnowledgeBase, sentex: Sentex) -> Node:
    """Return a node without its reasons."""
    label = kb.sentexes.label(sentex.id)
    authors = authors_of(kb, sentex.id)
    node: Node = {
        "locator": sentex.locator,
        "sentence": write(sentex.sentence),
        "context": sentex.context,
        "believed": bool(label & BELIEVED),
        "strength": STRENGTHS[bool(label & KNOWN)],
        "premise": bool(authors),
        "authors": authors,
        "support": [],
    }
    marks = {"shipped": SHIPPED, "waiting": WAITING}
    node |= {mark: True for mark, bit in marks.items() if label & bit}
    return node


def authors_of(kb: KnowledgeBase, sentex: int) -> list[dict[str, Any]]:
    """Return who asserts a sentex, by agent and seat; of a rule, how: `wrappers`."""
    found = []
    for row in kb.asserted_by(sentex):
        agent, seat = kb.names.author(row[1])
        one: dict[str, Any] = {"agent": agent, "seat": seat}
        one |= {"strength": STRENGTHS[row[3]], "created": row[4]}
        if row[7]:
            one["wrappers"] = wrapper_words(row[7])
        found.append(one)
    return sorted(found, key=lambda one: (one["agent"], one["seat"]))


class _Branch(NamedTuple):
    """A node whose reasons are still to be found."""

    sentex: Sentex
    node: Node
    depth: int
    parent: _Branch | None

    def is_within_itself(self) -> bool:
        """Tell whether the way up to the root passes the same sentex."""
        above = self.parent
        while above is not None:
            if above.sentex.id == self.sentex.id:
                return True
            above = above.parent
        return False


class _Tree:
    """One explanation as it grows."""

    def __init__(self, kb: KnowledgeBase, max_depth: int) -> None:
        self._kb = kb
        self._max_depth = max_depth
        self._sightlines = Sightlines(kb.structure)
        self._explained: set[int] = set()

    def grow(self, root: Sentex) -> Node:
        top = _Branch(root, described(self._kb, root), 0, None)
        for branch in (waiting := [top]):
            waiting.extend(self._explain(branch))
        return top.node

    def _explain(self, branch: _Branch) -> list[_Branch]:
        """Give a node its reasons; return the nodes that they stand on."""
        node = branch.node
        if node["premise"] or "shipped" in node:
            return []
        if branch.parent is not None and not node["believed"]:
            return []
        if branch.sentex.id in self._explained:
            node["cycle" if branch.is_within_itself() else "again"] = True
            return []
        if branch.depth >= self._max_depth:
            node["truncated"] = True
            return []
        self._explained.add(branch.sentex.id)
        return [
            below
            for support in self._reasons(branch)
            for below in self._add(branch, support)
        ]

    def _reasons(self, branch: _Branch) -> list[Support]:
        found = self._kb.supports(branch.sentex.id)
        if not branch.node["believed"]:
            return found
        return [one for one in found if all(map(self._kb.is_believed, one.facts))]

    def _add(self, branch: _Branch, support: Support) -> list[_Branch]:
        below = [
            _Branch(fact, described(self._kb, fact), branch.depth + 1, branch)
            for fact in support.facts
        ]
        rule = described(self._kb, support.rule)
        reason: Node = {
            "rule": rule["locator"],
            "sentence": rule["sentence"],
            "context": rule["context"],
            "strict": support.strict,
            "authors": rule["authors"],
            **self._readings(branch.sentex.context, support),
            "because": [one.node for one in below],
        }
        if "shipped" in rule:
            reason["shipped"] = True
        branch.node["support"].append(reason)
        return below

    # How the facts are read ------------------------------------------------------

    def _readings(self, viewer: str, support: Support) -> Node:
        """Return the statements and edges by which a context reads a firing."""
        standing = {support.rule.context, *[fact.context for fact in support.facts]}
        needs: list[Term] = []
        for kind, low, high in support.needs:
            if kind == CLIMB:
                needs += self._climb(low, high, viewer, standing)
            else:
                needs.append(self._mirror(low, high))
        edges = [
            (_GENL_CX, Symbol(sub), Symbol(above))
            for context in sorted(standing)
            for sub, above in self._sightlines.path(viewer, context)
        ]
        return {
            "needs": [write(one) for one in needs],
            "edges": list(dict.fromkeys(map(write, edges))),
        }

    def _climb(
        self, low: Term, high: Term, viewer: str, standing: set[str]
    ) -> list[Term]:
        """Return the statements that lead from one functor up to the other."""
        path = self._kb.structure.path(encode(low), encode(high), viewer)
        if path is None:  # only where the conclusion is not believed
            return [(_GENL, low, high)]
        standing |= {one.context for one in path}
        return [(_GENL, *map(decode_known, one.said_of)) for one in path]

    def _mirror(self, low: Term, high: Term) -> Term:
        symmetric = self._kb.structure.symmetric
        return (_SYMMETRIC, low if encode(low) in symmetric else high)
