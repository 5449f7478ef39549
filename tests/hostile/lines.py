"""Claim lines in other spellings, against a rule, structure without standing."""

from __future__ import annotations

from collections.abc import Sequence

from hostile.good import MORE, Files, Good
from hostile.kind import Bad, Expect, Forge, Held, Refused, Taken
from koinii.kb.claim import claim_locator
from koinii.terms import canonical, read, write

DEEP = "(f " * 65 + "x" + ")" * 65
NOBODY = "sha256:" + "0" * 64


def refused(words: str) -> Refused:
    return Refused("author", words, MORE)


def saying(*lines: str, context: str = "CxEve") -> Forge:
    """Return a third state in which Eve says these lines, signed and bound."""
    return lambda good: good.saying(context, lines)


def spelled(line: str, words: str) -> tuple[Forge, Expect]:
    return saying(line), refused(words)


def about_the_claim(line: str, context: str = "CxEve") -> Forge:
    """Return a line about a claim of the honest seat, `LOCATOR` in the text."""
    return lambda good: good.saying(context, [line.replace("LOCATOR", good.claim)])


def many(count: int, context: str) -> list[str]:
    lines = [f"default 1 (isNumber {number})" for number in range(count)]
    return sorted(lines, key=lambda line: claim_locator(context, line))


def held(line: str, code: str, context: str = "CxUniverse") -> tuple[Forge, Expect]:
    return saying(line, context=context), Held(code)


def taken(line: str, context: str = "CxEve") -> tuple[Forge, Expect]:
    return saying(line, context=context), Taken(lines=1)


def of_ancient_time(good: Good) -> Files:
    return good.saying("CxEve", ["default 0 (isOld It)"])


def interchangeable(count: int) -> str:
    """Return a rule whose antecedents can change places."""
    pairs = " ".join(f"(p ?var{number} ?var{count})" for number in range(count))
    return f"(implies (and {pairs}) (q ?var{count}))"


TOO_SYMMETRIC = f"default 1 {interchangeable(7)}"
SYMMETRIC = f"default 1 {write(canonical(read(interchangeable(6))))}"

Table = Sequence[tuple[str, tuple[Forge, Expect]]]

SPELLED: Table = [
    ("no strength", spelled("1 (a B)", "no strength and time")),
    ("a strength that is none", spelled("certain 1 (a B)", "no strength and time")),
    ("a strength in capitals", spelled("Default 1 (a B)", "no strength and time")),
    ("two spaces", spelled("default  1 (a B)", "no strength and time")),
    ("a time of -1", spelled("default -1 (a B)", "no strength and time")),
    ("a time of 2^63", spelled(f"default {2**63} (a B)", "no strength and time")),
    ("a time of 2^64", spelled(f"default {2**64} (a B)", "no strength and time")),
    (
        "a time with a zero before it",
        spelled("default 01 (a B)", "no strength and time"),
    ),
    ("a time that is a float", spelled("default 1.0 (a B)", "no strength and time")),
    ("a time in other digits", spelled("default \u0661 (a B)", "no strength and time")),
    ("a symbol in place of a sentence", spelled("default 1 a", "no strength and time")),
    ("a sentence that does not end", spelled("default 1 (a B", "")),
    ("brackets of another kind", spelled("default 1 [a B]", "no strength and time")),
    ("a comment", spelled("default 1 (a B);x", "")),
    ("spaces that nobody needs", spelled("default 1 (a  B)", "")),
    ("a space after it", spelled("default 1 (a B) ", "")),
    ("a carriage return after it", spelled("default 1 (a B)\r", "")),
    ("a separator of another system in it", spelled("default 1 (a B)\u2028(c D)", "")),
    ("that separator in a text", spelled('default 1 (a "\u2028")', "")),
    ("a next-line character", spelled("default 1 (a B)\x85", "")),
    ("NUL in a text", spelled('default 1 (a "\x00")', "")),
    ("NUL in a text, spelled", spelled('default 1 (a "\\u0000")', "")),
    ("an escape character in a symbol", spelled("default 1 (a \x1b[2J)", "")),
    (
        "an escape character in a text, not spelled",
        spelled('default 1 (a "\x1b[2J")', ""),
    ),
    ("a mark that hides the start of a file", spelled("default 1 (\ufeffa B)", "")),
    ("accents apart from their letters", spelled("default 1 (a e\u0301)", "")),
    ("half of a character, spelled", spelled('default 1 (a "\\ud800")', "")),
    ("a number with a plus", spelled("default 1 (a +1)", "")),
    ("minus nought", spelled("default 1 (a -0)", "")),
    ("a float in another spelling", spelled("default 1 (a 1e+16)", "")),
    ("a ratio not in lowest terms", spelled("default 1 (a 2/4)", "")),
    ("a decimal with a zero at its end", spelled("default 1 (a 1.50M)", "")),
    ("a number of 4,301 digits", spelled(f"default 1 (a {'9' * 4301})", "")),
    ("a double negation", spelled("default 1 (not (not (a B)))", "canonical form")),
    (
        "greater than",
        spelled(
            "default 1 (implies (and (p ?var0) (greaterThan ?var0 1)) (q ?var0))",
            "canonical form",
        ),
    ),
    (
        "variables named as people do",
        spelled("default 1 (implies (p ?x) (q ?x))", "canonical form"),
    ),
    (
        "antecedents in another order",
        spelled(
            "default 1 (implies (and (r ?var0 Z) (p ?var0)) (q ?var0))",
            "canonical form",
        ),
    ),
    (
        "an antecedent twice",
        spelled(
            "default 1 (implies (and (p ?var0) (p ?var0)) (q ?var0))", "canonical form"
        ),
    ),
    ("nested deeper than 64", spelled(f"default 1 {DEEP}", "deep")),
    (
        "nested ten thousand deep",
        spelled("default 1 " + "(f " * 10_000 + "x" + ")" * 10_000, ""),
    ),
    ("a text of 64 KiB and more", spelled(f'default 1 (a "{"x" * (65 << 10)}")', "")),
    ("a rule that is too symmetric", spelled(TOO_SYMMETRIC, "too many ways")),
    (
        "the wrapper that the wire does not know",
        spelled(
            "default 1 (set/forwardRule (implies (p ?var0) (q ?var0)))",
            "canonical form",
        ),
    ),
    (
        "wrappers the wrong way round",
        spelled(
            "default 1 (set/defaultRule (set/inertRule (implies (p ?var0) (q ?var0))))",
            "canonical form",
        ),
    ),
    (
        "a wrapper twice",
        spelled(
            "default 1 (set/inertRule (set/inertRule (implies (p ?var0) (q ?var0))))",
            "canonical form",
        ),
    ),
    ("a fact in a wrapper", spelled("default 1 (set/inertRule (a B))", "")),
    ("extras that are not sorted", spelled("default 1 (a B) ((z 1) (b 2))", "sorted")),
    ("extras with a key twice", spelled("default 1 (a B) ((b 1) (b 2))", "sorted")),
    ("extras that are no pairs", spelled("default 1 (a B) ((b))", "sorted")),
    ("extras without any", spelled("default 1 (a B) ()", "")),
    (
        "extras of more than 4 KiB",
        spelled(f'default 1 (a B) ((b "{"x" * 4096}"))', "4096"),
    ),
    ("two sentences", spelled("default 1 (a B) ((b 1)) ((c 2))", "canonical spelling")),
]

OUTLAWED: Table = [
    (
        "in the honest agent's context",
        held("default 1 (a B)", "koinii/foreign-context", "CxGood"),
    ),
    (
        "in the honest agent's beliefs",
        held("default 1 (a B)", "koinii/foreign-context", "CxAgentAgentGood"),
    ),
    (
        "in the registry",
        held("default 1 (a B)", "koinii/registry-forbidden", "CxRegistry"),
    ),
    ("in the vocabulary", held("default 1 (a B)", "koinii/foreign-context", "CxCore")),
    (
        "in a context whose name looks alike",
        held("default 1 (a B)", "naming", "Cx\u0413ood"),
    ),
    (
        "in a context with a character that is not seen",
        held("default 1 (a B)", "naming", "CxGood\u200b"),
    ),
    (
        "in a context of 190 letters",
        held("default 1 (a B)", "naming", "Cx" + "A" * 188),
    ),
    ("in what is no context", held("default 1 (a B)", "naming", "Elsewhere")),
    (
        "what the honest agent's context sees",
        held("monotonic 1 (genlCx CxGood CxEve)", "koinii/foreign-context"),
    ),
    (
        "what the universe sees",
        held("monotonic 1 (genlCx CxUniverse CxEve)", "koinii/foreign-context"),
    ),
    (
        "what the registry sees",
        held("monotonic 1 (genlCx CxRegistry CxEve)", "koinii/foreign-context"),
    ),
    ("an edge by default", held("default 1 (genlCx CxEve CxGood)", "shape")),
    (
        "an edge in its own context",
        held("monotonic 1 (genlCx CxEve CxGood)", "shape", "CxEve"),
    ),
    ("an edge of one context", held("monotonic 1 (genlCx CxEve)", "shape")),
    ("a denied edge", held("monotonic 1 (not (genlCx CxRoom CxGood))", "shape")),
    (
        "a channel over the honest agent's context",
        held("monotonic 1 (channel CxGood)", "koinii/foreign-context"),
    ),
    (
        "a channel over the universe",
        held("monotonic 1 (channel CxUniverse)", "koinii/foreign-context"),
    ),
    (
        "convening the honest agent's context",
        held("monotonic 1 (convened CxGood)", "koinii/foreign-context"),
    ),
    (
        "a symmetry of its own",
        held("monotonic 1 (symmetric usesDatabase)", "shape", "CxEve"),
    ),
    ("a symmetry by default", held("default 1 (symmetric usesDatabase)", "shape")),
    (
        "a mark in a channel",
        held("monotonic 1 (targetFollowingPredicate usesDatabase)", "shape", "CxRoom"),
    ),
    (
        "a modal word of its own",
        held("monotonic 1 (modalPredicate usesDatabase)", "shape", "CxEve"),
    ),
    (
        "types of the honest agent's context",
        held("monotonic 1 (disjoint Cat Dog)", "koinii/foreign-context", "CxGood"),
    ),
    ("types by default", held("default 1 (functional usesDatabase)", "shape", "CxEve")),
    (
        "a rule that binds nothing",
        held(
            "default 1 (implies (p ?var0) (q ?var1))", "not-range-restricted", "CxEve"
        ),
    ),
    (
        "a rule that concludes an edge",
        held("default 1 (implies (p ?var0) (genlCx CxGood ?var0))", "shape", "CxEve"),
    ),
    (
        "a rule that concludes a mask",
        held("default 1 (implies (p ?var0) (except ?var0))", "shape", "CxEve"),
    ),
    (
        "a rule that grows for ever",
        held("default 1 (implies (p ?var0) (p (Fn ?var0)))", "shape", "CxEve"),
    ),
    (
        "a functor whose letters look alike",
        held("default 1 (us\u0435sDatabase ProdCluster Mongo)", "naming", "CxEve"),
    ),
    ("an open sentence", held("default 1 (likes ?var0 Tea)", "not-ground", "CxEve")),
    (
        "a mask by default",
        held(f'default 1 (except (sentexHandle "{NOBODY}"))', "shape", "CxEve"),
    ),
    (
        "a denied mask",
        held(f'monotonic 1 (not (except (sentexHandle "{NOBODY}")))', "shape", "CxEve"),
    ),
]

# Right in mode `cooperative`; what a granted member may not say there is held.
TAKEN: Table = [
    ("a time of 1970", taken("default 0 (a B)")),
    ("a time of 2090", taken("default 3786912000000 (a B)")),
    ("the last time there is", taken("default 9999999999999999 (a B)")),
    (
        "control characters in a text, spelled",
        taken('default 1 (a "\\u001b[2J\\u0007")'),
    ),
    ("what turns the direction of a text", taken('default 1 (a "\u202egnp.exe")')),
    (
        "letters that look alike",
        taken("default 1 (usesDatabase Pr\u043edCluster Mongo)"),
    ),
    ("a text of 60 KiB", taken(f'default 1 (a "{"x" * (60 << 10)}")')),
    ("nested as deep as may be", taken(f"default 1 {'(f ' * 60 + 'x' + ')' * 60}")),
    ("six antecedents that change places", taken(SYMMETRIC)),
    ("extras of nearly 4 KiB", taken(f'default 1 (a B) ((b "{"x" * 4000}"))')),
    ("in a context of another case", taken("default 1 (a B)", "CxGOOD")),
    ("a symmetry for everybody", taken("monotonic 1 (symmetric isUp)", "CxUniverse")),
    (
        "a mark for everybody",
        taken("monotonic 1 (targetFollowingPredicate isUp)", "CxUniverse"),
    ),
    ("a channel", taken("monotonic 1 (channel CxNew)", "CxUniverse")),
    ("a meeting", taken("monotonic 1 (convened CxTogether)", "CxUniverse")),
    ("a kind of nobody's", taken("monotonic 1 (genl Cat Animal)", "CxUniverse")),
    (
        "a rule for everybody",
        taken("monotonic 1 (implies (isOdd ?var0) (isEven ?var0))", "CxUniverse"),
    ),
]

ABOUT: Table = [
    (
        "a denial of the honest claim",
        taken("default 1 (not (usesDatabase ProdCluster Postgres))"),
    ),
    (
        "a denial of it beyond doubt",
        (
            saying("monotonic 1 (not (usesDatabase ProdCluster Postgres))"),
            Taken(lines=1, sways=True),
        ),
    ),
    (
        "a mask on the honest claim in its own context",
        (
            about_the_claim('monotonic 1 (except (sentexHandle "LOCATOR"))'),
            Taken(lines=1),
        ),
    ),
    (
        "a mask on it in the honest agent's context",
        (
            about_the_claim('monotonic 1 (except (sentexHandle "LOCATOR"))', "CxGood"),
            Held("koinii/foreign-context"),
        ),
    ),
    (
        "a reply to what is not there",
        (saying(f'default 1 (disputes (sentexHandle "{NOBODY}"))'), Taken(waiting=1)),
    ),
    (
        "the honest claim once more, in its own context",
        taken("monotonic 1 (usesDatabase ProdCluster Postgres)"),
    ),
]

KINDS = [
    *(Bad(f"line: {name}", *row, met=True) for name, row in SPELLED),
    *(Bad(f"rule: {name}", *row, met=True) for name, row in OUTLAWED),
    *(Bad(f"fine: {name}", *row, met=True) for name, row in TAKEN),
    *(Bad(f"about: {name}", *row) for name, row in ABOUT),
    Bad(
        "rule: in the reader's own context",
        saying("default 1 (a B)", context="CxAnna"),
        Held("koinii/foreign-context"),
        newcomer=Taken(lines=1),
    ),
    Bad(
        "rule: a thousand lines in the honest agent's context",
        saying(*many(1000, "CxGood"), context="CxGood"),
        Held("koinii/foreign-context", 1000),
    ),
]
