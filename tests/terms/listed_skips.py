"""Every vector in which our formats differ from its source, with the reason.

Nothing else is skipped, and `test_vectors_of_terms.py` fails on an entry here
that would pass. Entries of `canonical.json` are `group/index`.
"""

SMALL_BIGINT = "formats 1: 7N is 7; an integer has one encoding (B.8.1 tag 03)"
NEGATIVE_ZERO = "formats 1: -0.0 is 0.0"
NOT_FINITE = "formats 1: NaN and infinities are refused"
DECIMAL_SCALE = "formats 1: a decimal has the smallest scale of 0 and more"
NUL = "formats 1: a string holds no NUL"
NOT_NFC = "formats 1: strings and symbols are NFC"
SURROGATE = "formats 1: lone surrogates are refused"
NAME = "formats 1: symbols with spaces, empty names, a lone slash"
OTHER_VALUE = "formats 1: a symbol does not read as another value"
MAP_OR_SET = "design 4: maps, sets and objects are refused"
SYMMETRIC = "design 4: symmetry is a reading, never identity"
DUPLICATES = "design 4: duplicate antecedents are collapsed first"
NESTED_AND = "design 4: nested `and` is flattened"
CHAIN = "formats 2: a chain of lessThan stays several literals"
FILTER_ORDER = "formats 2: filters are ordered by content, not by position"
RECURSIVE_ORDER = "formats 2: recursive literals are ordered by content"
NOT_PEELED = "formats 2: exceptWhen and exists are not peeled"
NEGATED_RULE = "formats 2: nothing is renamed inside a negated rule"

_RANDOM_BIGINTS = (
    "0, 3, 20, 22, 32, 40, 43, 45, 47, 65, 102, 111, 118, 124, 126, 140, 156, 182"
)
_RANDOM_DUPLICATES = (
    "1, 2, 16, 39, 44, 52, 56, 57, 61, 63, 67, 69, 72, 81, 86, 88, 97, 108, 110, "
    "121, 122, 125, 130, 131, 132, 145, 149, 153, 171, 185, 186, 188, 191, 193"
)

# Entries by file and reason, with a comma between them.
_LISTED: dict[str, dict[str, str]] = {
    "locators.json": {
        SMALL_BIGINT: (
            "34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 47, 54, 172, 190"
        ),
        NEGATIVE_ZERO: "56, 192",
        NOT_FINITE: "67, 68, 69, 72, 194, 195",
        DECIMAL_SCALE: "81, 82, 85, 88, 89",
        NUL: "97",
        NOT_NFC: "101, 152, 202",
        SURROGATE: "111, 112, 122",
        NAME: "129, 130, 131, 138, 139, 140, 148, 238",
        OTHER_VALUE: "144, 145",
        MAP_OR_SET: "1, 2, 3, 4, 5, 6",
        SYMMETRIC: "253, 255, 257, 261, 262, 263, 279",
    },
    "locators-random.json": {
        SMALL_BIGINT: (
            "22, 98, 102, 119, 121, 123, 135, 166, 176, 200, 205, 227, 325, 332, "
            "342, 388, 433, 445, 482"
        ),
        DECIMAL_SCALE: (
            "10, 16, 31, 34, 39, 67, 106, 108, 110, 118, 171, 202, 263, 275, 289, "
            "296, 327, 329, 363, 382, 385, 407, 415, 429, 443, 444, 466, 473, 494"
        ),
        NUL: "46, 187, 255, 326, 405, 413",
        NOT_NFC: "496",
    },
    "canonical.json": {
        SMALL_BIGINT: "int vs bigint equal/1, bigint then int/0",
        NEGATIVE_ZERO: "neg zero/1",
        NOT_FINITE: "NaN twice/0, NaN twice/1",
        DECIMAL_SCALE: "decimal scale/0, decimal scale/1",
        NOT_NFC: "combining chars not normalised/1",
        SURROGATE: "lone surrogate vs ?/0",
        SYMMETRIC: (
            "symmetric fact/0, symmetric negated/0, symmetric ground literal in "
            "rule sorted/0, symmetric ground consequent in rule/0, symmetric nested "
            "term args/0, symmetric UTF-16 order/1, symmetric strings UTF-16 "
            "order/1, symmetric case order/0, symmetric ns symbols/0, symmetric ns "
            "vs ns/0, symmetric numbers mixed/0, symmetric numbers mixed/2, "
            "symmetric numbers mixed/3"
        ),
        DUPLICATES: "duplicate antecedents/0",
        NESTED_AND: "nested and/0",
        CHAIN: "comparison chain collapse/0, comparison chain collapse/2",
        FILTER_ORDER: "deferred literals keep order/0",
        RECURSIVE_ORDER: "recursive right/left/1",
        NOT_PEELED: (
            "exceptWhen/0, exceptWhen conj/0, existential head/0, existential head/1"
        ),
        NEGATED_RULE: "not of rule refused?/0",
    },
    "canonical-random.json": {
        SMALL_BIGINT: _RANDOM_BIGINTS,
        DUPLICATES: _RANDOM_DUPLICATES,
        FILTER_ORDER: "89, 168, 179, 190",
    },
    "canonical-random.json, variants": {
        SMALL_BIGINT: _RANDOM_BIGINTS,
        DUPLICATES: _RANDOM_DUPLICATES,
        FILTER_ORDER: "190",
    },
}

SKIPS: dict[str, dict[str, str]] = {
    file: {
        entry: reason
        for reason, entries in reasons.items()
        for entry in entries.split(", ")
    }
    for file, reasons in _LISTED.items()
}
