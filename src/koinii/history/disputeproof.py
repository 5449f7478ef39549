"""Checking a dispute: who of those that a channel sees holds the negation.

    in          the channel
    leaves      the edges by which it sees others; with `vocabulary`, all of them
    claim       how the claim stands: {"index", "path"} or {"left", "right"}
    symmetric   how `(symmetric P)` stands in CxUniverse, for a claim of two unlike
                arguments whose P no vocabulary given declares symmetric
    seen        [{"context", "negation", "mirror"?}]: for each context seen, the
                channel included, how the claim's negation stands there, and that
                of its mirror where P is symmetric

It covers rebuttal only, and what the edges given let the channel see.
"""

from __future__ import annotations

from collections.abc import Iterable

from koinii.history.anchor import record_of
from koinii.history.document import LOCATOR, Fields, refused
from koinii.history.instances import is_declared_symmetric, negated
from koinii.history.sight import seen_by
from koinii.history.standing import Tree, is_held
from koinii.history.stated import UNIVERSE, Stated
from koinii.terms.folds import NOT, functor, head
from koinii.terms.locator import digest
from koinii.terms.reader import read_canonical
from koinii.terms.structural import structural_word
from koinii.terms.term import Symbol, Term, same

SORTED = "sorted"

SYMMETRIC = Symbol("symmetric")
_BINARY = 3  # functor and two arguments


def check_dispute(
    fields: Fields, files: Iterable[bytes] | None, checked: list[str]
) -> list[str]:
    """Check how each context stands, noting it; return what is assumed."""
    if fields.words("assumes") != [SORTED]:
        raise refused("a dispute assumes that leaves are sorted, and nothing else")
    record = record_of(fields)
    tree = Tree(record.commit, record.size)
    held = is_held(fields, "claim", fields.hash("locator", LOCATOR), tree)
    checked.append(f"the claim is {'a leaf' if held else 'no leaf'} under the root")
    stated = Stated(fields, tree, checked)
    assumes = stated.add_vocabulary(fields, record.vocabulary, files, checked)
    seen = _seen(fields, stated)
    if not seen.isdisjoint(record.local):
        raise refused("a context seen is local to the seat: no tree covers it")
    channel = fields.text("in")
    checked.append(f"contexts that {channel} sees by the edges given: {len(seen)}")
    literal = read_canonical(fields.text("sentence"))
    mirrors, undeclared = _has_mirror(fields, literal, stated, tree)
    denials = [opposite(literal), *([mirrored(literal)] if mirrors else [])]
    _check_seen(fields, seen, denials, tree, checked)
    return [SORTED, *assumes, *undeclared, *stated.tell_authors(checked)]


def opposite(literal: Term) -> Term:
    """Return the negation of a literal; a sentence that has none is refused."""
    negative, plain = negated(literal)
    if structural_word(plain):
        raise refused("a structural statement is never negated")
    return plain if negative else (NOT, plain)


def mirrored(literal: Term) -> Term:
    """Return the negation of the literal with its two arguments swapped."""
    negative, plain = negated(literal)
    predicate, first, second = plain
    turned = (predicate, second, first)
    return turned if negative else (NOT, turned)


def may_mirror(literal: Term) -> bool:
    """Tell whether a literal has two arguments that are not the same."""
    plain = negated(literal)[1]
    return len(plain) == _BINARY and not same(plain[1], plain[2])


def symmetric(literal: Term) -> Term:
    """Return the declaration by which a literal's functor is symmetric."""
    return (SYMMETRIC, functor(literal))


def _seen(fields: Fields, stated: Stated) -> set[str]:
    edges = [one for one in stated.known.values() if head(one.sentence) != SYMMETRIC]
    seen = seen_by(fields.text("in"), edges)
    if fields.text("context") not in seen:
        raise refused("the channel does not see the claim by the edges given")
    return seen


def _has_mirror(
    fields: Fields, literal: Term, stated: Stated, tree: Tree
) -> tuple[bool, list[str]]:
    """Return whether the claim has a mirror, and what that assumes."""
    declared = [one for one in stated.known.values() if head(one.sentence) == SYMMETRIC]
    asks = may_mirror(literal) and not declared
    if fields.has("symmetric") != asks or (declared and not may_mirror(literal)):
        raise refused("whether the claim has a mirror is told where it may have one")
    for one in declared:
        if not one.shipped or not is_declared_symmetric(one.sentence, functor(literal)):
            raise refused("a declaration is given that bears on nothing")
    if not asks:
        return bool(declared), []
    locator = digest(Symbol(UNIVERSE), symmetric(literal))
    if is_held(fields, "symmetric", locator, tree):
        return True, []
    return False, ["no vocabulary declares the claim's predicate symmetric"]


def _check_seen(
    fields: Fields,
    seen: set[str],
    denials: list[Term],
    tree: Tree,
    checked: list[str],
) -> None:
    names = ["negation", "mirror"][: len(denials)]
    rows = fields.objects("seen", {"context", *names})
    contexts = [one.text("context") for one in rows]
    if set(contexts) != seen or len(contexts) != len(seen):
        raise refused("the contexts are not those that the channel sees")
    for name, denial in zip(names, denials, strict=True):
        held = [
            context
            for context, row in zip(contexts, rows, strict=True)
            if is_held(row, name, digest(Symbol(context), denial), tree)
        ]
        absent = sorted(seen - set(held))
        checked.append(f"the {name} is believed in: {_listed(held)}")
        checked.append(f"the {name} is absent from: {_listed(absent)}")


def _listed(contexts: list[str]) -> str:
    return ", ".join(sorted(contexts)) or "none"
