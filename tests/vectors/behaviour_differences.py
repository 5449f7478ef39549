"""Every place where koinii differs from the source of `behaviour.json`, and why.

An entry names the scenario, the step (`END` after the last), the field (see
`behaviour_runner.py`) and what is seen here. `test_behaviour.py` fails on a
difference that is not listed, and on an entry that does not differ.
"""

from __future__ import annotations

from typing import NamedTuple

from vectors.behaviour_runner import OVER_BELIEVED

PLACEMENT = "design 6: placement does not depend on the order of arrival"
SYMMETRY = "design 4: symmetry is a reading, never identity"
BELIEVED_LEAVES = "design 7: the leaves are what is believed"
VOCABULARY = "design 5: the vocabulary is not among the leaves and concludes nothing"
PORTABLE = "design 4: a handle is the locator"
TRANSACTION = "design 5: an edit lands whole or not at all"
CLASH = "design 5: what depends on other sentexes is a clash, not a refusal"
STRUCTURAL = "design 6: structural statements are monotonic, not negated, in place"
CONSENT = "design 6: visible together is seen and unmasked; to defeat needs consent"
PER_AUTHOR = "design 5: an author retracts its own live assertion, and no other"
NO_DEPTH_CUT = "design 6: no truncated fixpoint"
UNKNOWN = "design 6: unknown as an antecedent is not in this version"
CUT_RULE = "design 6: existential and backward-only rules are not in this version"
VALUES = "formats 1: one spelling for a value; NaN is refused (terms/listed_skips.py)"

REASONS = frozenset(
    {
        PLACEMENT, SYMMETRY, BELIEVED_LEAVES, VOCABULARY, PORTABLE, TRANSACTION, CLASH,
        STRUCTURAL, CONSENT, PER_AUTHOR, NO_DEPTH_CUT, UNKNOWN, CUT_RULE, VALUES,
    }
)  # fmt: skip

END = -1


class Difference(NamedTuple):
    """One field of one step, as it is seen here."""

    scenario: str
    step: int
    field: str
    ours: object
    why: str


def _at(
    scenario: str, why: str, fields: dict[int, dict[str, object]]
) -> list[Difference]:
    return [
        Difference(scenario, step, field, ours, why)
        for step, seen in fields.items()
        for field, ours in seen.items()
    ]


def _roots(scenario: str, why: str, *steps: int) -> list[Difference]:
    return [Difference(scenario, step, "root", OVER_BELIEVED, why) for step in steps]


_U = "CxUniverse"
_BY_SHAPE = "refused shape"
_NOT_HERE = "refused koinii/unknown-locator"
_BOB_ANN = "sha256:b1d556f5086d0de14d517f2438d75985e441430f5441db5f9d6cc77b0a0f7903"
_AGES = "functional: CxA (ageOf Tom 3) default against CxB (ageOf Tom 4) default"
_PC_RULE = "(implies (and (pa ?var0) (pb ?var0)) (pc ?var0)) premise default in"


def _edges(*pairs: str) -> list[str]:
    return [f"{_U} (genlCx {pair}) premise monotonic in" for pair in pairs]


_CYCLE = "genlCx transitive + cycle"
_SIBLINGS = "join across two sibling contexts placed in common descendant"
_CAPS = "strength: genlCx edge default caps"
_NAF = "unknown (NAF) antecedent"
_HIDES = "except hides one side of a dispute"
_FACT_FIRST = "symmetric fact before declaration"
_DECLARED_FIRST = "symmetric declaration before fact"
_FUNCTIONAL = "functional clash refused"
_DISJOINT = "disjoint derived by rule arbitrated"
_BACKWARD = "backward only rule"
_SKOLEM = "existential head skolem"
_LATER_EDGES = "placement order B: second descendant's edges after facts"
_CORE_FACT_FIRST = "symmetric fact before declaration (core)"
_CORE_MIRROR = "symmetric mirror reassert after declaration (visible)"
_CORE_AGES = "functional clash across contexts visible declaration"
_NAN = "NaN asserted twice: two handles one locator"
_BIGINT = "int vs bigint spelled first decides the locator"
_TWICE = "retract unknown/twice"
_DEFEATED_TARGET = "target-following when the target is defeated not removed"
_SWEPT_TARGET = "target-following when the target is derived and swept"
_NEGATED_EDGE = "genlCx edge asserted default and its own clash"
_EDGE_ELSEWHERE = "genlCx stated in a non-universe context"
_UNKNOWN_HANDLE = "edit with unknown handle refused whole"
_DEPTH = "max-depth chaining cut"

_RULE_ABC = "CxA (implies (pa ?var0) (pc ?var0)) premise default in"
_SIBLING_END = [
    f"CxRules {_PC_RULE}",
    *_edges("CxD CxA", "CxD CxB", "CxA CxRules", "CxB CxRules", "CxE CxA", "CxE CxB"),
    "CxA (pa X1) premise default in",
    "CxB (pb X1) premise default in",
    "CxD (pc X1) derived default in",
    "CxE (pc X1) derived default in",
]
_SIBLINGS_END = [
    f"{_U} (symmetric siblingOf) premise monotonic in",
    "CxA (siblingOf Bob Ann) premise default in",
    "CxA (siblingOf Ann Bob) premise default in",
]
_CHAIN_END = [
    "CxA (implies (pa ?var0) (pb ?var0)) premise default in",
    "CxA (implies (pb ?var0) (pc ?var0)) premise default in",
    "CxA (implies (pc ?var0) (pd ?var0)) premise default in",
    "CxA (pa X1) premise default in",
    "CxA (pb X1) derived default in",
    "CxA (pc X1) derived default in",
    "CxA (pd X1) derived default in",
]

DIFFERENCES: tuple[Difference, ...] = (
    # Where conclusions stand
    *_at(
        _SIBLINGS,
        PLACEMENT,
        {
            8: {"stored": [*_edges("CxE CxB"), "CxE (pc X1) derived default in"]},
            9: {"result": ["CxD (pc X1)", "CxE (pc X1)"]},
            END: {"final": _SIBLING_END},
        },
    ),
    *_roots(_SIBLINGS, PLACEMENT, 8, END),
    *_at(
        _LATER_EDGES,
        PLACEMENT,
        {
            6: {"stored": [*_edges("CxE CxB"), "CxE (pc X1) derived default in"]},
            7: {"stored": []},
        },
    ),
    *_roots(_LATER_EDGES, PLACEMENT, 6),
    *_at(
        _DEPTH,
        NO_DEPTH_CUT,
        {3: {"stored": _CHAIN_END[3:]}, 4: {"stored": []}},
    ),
    *_roots(_DEPTH, NO_DEPTH_CUT, 3),
    # Leaves
    *_roots("P monotonic vs not P default", BELIEVED_LEAVES, 1),
    *_roots(
        "monotonic in one context defeats default in sibling only via common"
        " descendant",
        BELIEVED_LEAVES,
        4,
    ),
    *_roots("tweety: default rule vs strict contrary", BELIEVED_LEAVES, 3),
    *_roots(
        "commit includes OUT (defeated) and derived sentexes",
        BELIEVED_LEAVES,
        1,
        2,
        END,
    ),
    *_roots(
        "default rule never defeats even over monotonic facts", BELIEVED_LEAVES, 4, END
    ),
    # Masks and replies name locators
    *_roots("except masks in own context and below", PORTABLE, 2),
    *_roots(
        "except of a rule antecedent blocks derivation in that context", PORTABLE, 2
    ),
    *_roots(_HIDES, PORTABLE, 5, END),
    *_at(
        _HIDES,
        CONSENT,
        {7: {"result": []}, 8: {"result": []}, END: {"contradictions": []}},
    ),
    # Structural statements
    *_at(
        _CYCLE,
        STRUCTURAL,
        {
            0: {"stored": _edges("CxC CxB")},
            1: {"stored": _edges("CxB CxA")},
            4: {"stored": _edges("CxA CxC")},
            END: {
                "final": [
                    *_edges("CxC CxB", "CxB CxA", "CxA CxC"),
                    "CxA (likes Tom Ann) premise default in",
                ]
            },
        },
    ),
    *_at(
        _CAPS,
        STRUCTURAL,
        {
            0: {"result": _BY_SHAPE, "stored": []},
            2: {"stored": ["CxChild (pa X2) premise monotonic in"]},
            END: {
                "final": [
                    "CxParent (implies (pa ?var0) (pc ?var0)) premise monotonic in",
                    "CxChild (pa X2) premise monotonic in",
                ]
            },
        },
    ),
    *_roots(_CAPS, STRUCTURAL, 0, 1, 2, END),
    *_at(
        _NEGATED_EDGE,
        STRUCTURAL,
        {
            0: {"result": _BY_SHAPE, "stored": []},
            1: {"result": _BY_SHAPE, "stored": [], "became_out": [], "changed": []},
            5: {"result": _NOT_HERE, "removed": [], "became_in": [], "changed": []},
            6: {"result": False},
            END: {"final": ["CxB (likes Tom Ann) premise default in"]},
        },
    ),
    *_roots(_NEGATED_EDGE, STRUCTURAL, 0, 1, 2, 5, END),
    *_at(
        _EDGE_ELSEWHERE,
        STRUCTURAL,
        {
            0: {"stored": _edges("CxA CxB")},
            END: {
                "final": [
                    *_edges("CxA CxB"),
                    "CxB (likes Tom Ann) premise default in",
                ]
            },
        },
    ),
    *_roots(_EDGE_ELSEWHERE, STRUCTURAL, 0, 1, END),
    *_at(
        _FUNCTIONAL,
        STRUCTURAL,
        {
            0: {"stored": ["CxA (functional ageOf) premise monotonic in"]},
            END: {
                "final": [
                    "CxA (functional ageOf) premise monotonic in",
                    "CxA (ageOf Tom 3) premise default in",
                ]
            },
        },
    ),
    *_at(
        _DISJOINT,
        STRUCTURAL,
        {
            0: {"stored": ["CxA (disjoint dog cat) premise monotonic in"]},
            END: {
                "final": [
                    "CxA (disjoint dog cat) premise monotonic in",
                    "CxA (dog Rex) premise default in",
                    "CxA (implies (meows ?var0) (cat ?var0)) premise default in",
                    "CxA (meows Rex) premise default in",
                    "CxA (cat Rex) derived default in",
                ]
            },
        },
    ),
    *_at(
        _DEFEATED_TARGET,
        STRUCTURAL,
        {
            0: {
                "stored": [
                    f"{_U} (targetFollowingPredicate endorses) premise monotonic in"
                ]
            },
            END: {
                "final": [
                    f"{_U} (targetFollowingPredicate endorses) premise monotonic in",
                    "CxA (reliable ProdCluster) premise default in",
                    "CxB (endorses AgentB (sentexHandle 2)) premise default in",
                ]
            },
        },
    ),
    *_roots(_DEFEATED_TARGET, PORTABLE, 2, 3, 5, END),
    *_at(
        _SWEPT_TARGET,
        STRUCTURAL,
        {
            0: {
                "stored": [
                    f"{_U} (targetFollowingPredicate endorses) premise monotonic in"
                ]
            },
            END: {
                "final": [
                    f"{_U} (targetFollowingPredicate endorses) premise monotonic in",
                    _RULE_ABC,
                ]
            },
        },
    ),
    *_roots(_SWEPT_TARGET, PORTABLE, 4),
    # Symmetry
    *_at(
        _FACT_FIRST,
        STRUCTURAL,
        {3: {"stored": [f"{_U} (symmetric siblingOf) premise monotonic in"]}},
    ),
    *_at(_FACT_FIRST, SYMMETRY, {5: {"result": _BOB_ANN}, 6: {"result": True}}),
    *_at(_FACT_FIRST, STRUCTURAL, {END: {"final": _SIBLINGS_END}}),
    *_roots(_FACT_FIRST, STRUCTURAL, 3, 7, END),
    *_at(
        _DECLARED_FIRST,
        STRUCTURAL,
        {0: {"stored": [f"{_U} (symmetric siblingOf) premise monotonic in"]}},
    ),
    *_at(
        _DECLARED_FIRST,
        SYMMETRY,
        {
            1: {"stored": ["CxA (siblingOf Bob Ann) premise default in"]},
            2: {"result": _BOB_ANN},
            4: {"stored": ["CxA (siblingOf Ann Bob) premise default in"]},
            END: {"final": _SIBLINGS_END},
        },
    ),
    *_roots(_DECLARED_FIRST, STRUCTURAL, 0, 1, 4, END),
    *_at(
        _CORE_FACT_FIRST,
        VOCABULARY,
        {1: {"stored": [f"{_U} (symmetric siblingOf) premise monotonic in"]}},
    ),
    *_at(
        _CORE_FACT_FIRST,
        SYMMETRY,
        {
            3: {"result": _BOB_ANN},
            4: {"result": True},
            6: {"result": True},
        },
    ),
    *_at(
        _CORE_FACT_FIRST,
        VOCABULARY,
        {
            END: {
                "final": [
                    "CxA (siblingOf Bob Ann) premise default in",
                    f"{_U} (symmetric siblingOf) premise monotonic in",
                    *_edges("CxA CxUniverse"),
                    "CxA (siblingOf Ann Bob) premise default in",
                ]
            }
        },
    ),
    *_roots(_CORE_FACT_FIRST, VOCABULARY, 1, 5, 7, END),
    *_at(
        _CORE_MIRROR,
        VOCABULARY,
        {
            2: {"stored": [f"{_U} (symmetric siblingOf) premise monotonic in"]},
            END: {
                "final": [
                    *_edges("CxA CxUniverse"),
                    "CxA (siblingOf Bob Ann) premise default in",
                    f"{_U} (symmetric siblingOf) premise monotonic in",
                    "CxA (siblingOf Ann Bob) premise default in",
                ]
            },
        },
    ),
    *_at(_CORE_MIRROR, SYMMETRY, {3: {"result": True}}),
    *_roots(_CORE_MIRROR, VOCABULARY, 2, 4, END),
    # Clashes
    *_at(
        _CORE_AGES,
        VOCABULARY,
        {
            2: {"stored": [f"{_U} (functional ageOf) premise monotonic in"]},
            END: {
                "final": [
                    *_edges("CxA CxUniverse", "CxB CxUniverse", "CxD CxA", "CxD CxB"),
                    f"{_U} (functional ageOf) premise monotonic in",
                    "CxA (ageOf Tom 3) premise default in",
                    "CxB (ageOf Tom 4) premise default in",
                ]
            },
        },
    ),
    *_at(
        _CORE_AGES,
        CLASH,
        {
            7: {"result": [_AGES]},
            9: {"result": [_AGES]},
            END: {"contradictions": [_AGES]},
        },
    ),
    *_roots(_CORE_AGES, VOCABULARY, 2, 3, 4, 5, 6, END),
    # Kinds of rule that are cut
    *_at(
        _NAF,
        UNKNOWN,
        {
            0: {"result": _BY_SHAPE, "stored": []},
            1: {"stored": ["CxA (bird Opus) premise default in"]},
            2: {"removed": []},
            3: {"stored": []},
            END: {"final": ["CxA (bird Opus) premise default in"]},
        },
    ),
    *_roots(_NAF, UNKNOWN, 0, 1, 2, 3, END),
    *_at(
        _BACKWARD,
        CUT_RULE,
        {
            0: {"result": _BY_SHAPE, "stored": []},
            3: {"result": []},
            5: {"result": "unknown 0:0"},
            END: {"final": ["CxA (dog Rex) premise default in"]},
        },
    ),
    *_roots(_BACKWARD, CUT_RULE, 0, 1, END),
    *_at(
        _SKOLEM,
        CUT_RULE,
        {
            0: {"result": _BY_SHAPE, "stored": []},
            1: {"stored": ["CxA (person Tom) premise default in"]},
            END: {"final": ["CxA (person Tom) premise default in"]},
        },
    ),
    *_roots(_SKOLEM, CUT_RULE, 0, 1, END),
    # Values
    *_at(
        _NAN,
        VALUES,
        {
            0: {"result": "refused koinii/unreadable", "stored": []},
            1: {"result": "refused koinii/unreadable", "stored": []},
            2: {"result": None},
            3: {"result": None},
            END: {"final": []},
        },
    ),
    *_roots(_NAN, VALUES, 0, 1, END),
    *_at(
        _BIGINT,
        VALUES,
        {
            0: {"result": "refused koinii/unreadable", "stored": []},
            1: {"stored": ["CxA (height Tom 180) premise default in"]},
            2: {"result": None},
            END: {"final": ["CxA (height Tom 180) premise default in"]},
        },
    ),
    *_roots(_BIGINT, VALUES, 0, 1, END),
    # Taking back
    *_at(_TWICE, PER_AUTHOR, {2: {"result": _NOT_HERE}, 3: {"result": _NOT_HERE}}),
    *_at(_UNKNOWN_HANDLE, TRANSACTION, {2: {"result": _NOT_HERE}}),
)

# Of `extra.json`: its source draws nothing beyond 64 steps.
EXTRA_DIFFERENCES: tuple[Difference, ...] = tuple(
    Difference(name, END, field, ours, NO_DEPTH_CUT)
    for name in ("asc100", "desc100")
    for field, ours in (("stored", 100 + 100 * 101 // 2 + 2), ("root", OVER_BELIEVED))
)
