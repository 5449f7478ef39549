"""The typed form in which vectors give values, as our terms."""

import struct
from typing import Any

from koinii.terms import Char, Decimal, Keyword, Ratio, Symbol, Term

INTEGERS = {"int", "bigint", "biginteger"}
DOUBLES = {"double": "bits", "float32": "as_double_bits"}


class NoTermError(Exception):
    """A value that has no term of ours, such as a map."""


def term_of(typed: dict[str, Any]) -> Term:
    kind = typed["t"]
    if kind == "nil":
        return None
    if kind in {"list", "vec"}:
        return tuple(term_of(item) for item in typed["v"])
    if kind in INTEGERS:
        return int(typed["v"])
    if kind in DOUBLES:
        bits = bytes.fromhex(typed[DOUBLES[kind]])
        return float(struct.unpack(">d", bits)[0])
    return plain_term_of(kind, typed)


def plain_term_of(kind: str, typed: dict[str, Any]) -> Term:
    match kind:
        case "bool":
            return bool(typed["v"])
        case "str":
            return str(typed["v"])
        case "sym":
            return Symbol(typed["name"], typed["ns"])
        case "kw":
            return Keyword(typed["name"], typed["ns"])
        case "char":
            return Char(chr(typed["cp"]))
        case "ratio":
            return Ratio(int(typed["n"]), int(typed["d"]))
        case "dec":
            return Decimal(int(typed["unscaled"]), typed["scale"])
    raise NoTermError(kind)
