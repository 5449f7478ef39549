"""What an Ed25519 library lets pass and no key or signature here may be.

The libraries take keys of small order, under which one signature fits every
message, and second encodings of a point. These checks come before the library
is called; they need integers only.
"""

from __future__ import annotations

KEY_SIZE = 32
SIGNATURE_SIZE = 64

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SIGN = 1 << 255

# The y of the points of order 1, 2, 4 and 8 (the last two are each other's negative).
_Y8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_WEAK_Y = frozenset({1, _P - 1, 0, _Y8, _P - _Y8})


def key_fault(raw: bytes) -> str:
    """Return why `raw` is no public key, or an empty text; 40 microseconds."""
    if len(raw) != KEY_SIZE:
        return f"a public key has 32 bytes, not {len(raw)}"
    fault = _encoding_fault(raw)
    if fault:
        return f"the public key is {fault}"
    return "" if _is_on_curve(raw) else "the public key is no point of the curve"


def signature_fault(signature: bytes) -> str:
    """Return why `signature` cannot be one under any good key, or an empty text."""
    if len(signature) != SIGNATURE_SIZE:
        return f"a signature has 64 bytes, not {len(signature)}"
    if int.from_bytes(signature[32:], "little") >= _ORDER:
        return "the signature's S is not below the group order"
    fault = _encoding_fault(signature[:32])
    return f"the signature's R is {fault}" if fault else ""


def _encoding_fault(point: bytes) -> str:
    """Return why the encoding of a point is refused, or an empty text."""
    y = int.from_bytes(point, "little") & ~_SIGN
    if y >= _P:
        return "not in its canonical encoding"
    return "of small order" if y in _WEAK_Y else ""


def _is_on_curve(point: bytes) -> bool:
    """Tell whether x² = (y² - 1) / (d y² + 1) has a root (RFC 8032 section 5.1.3)."""
    y2 = (int.from_bytes(point, "little") & ~_SIGN) ** 2 % _P
    square = (y2 - 1) * (_D * y2 + 1) % _P
    return pow(square, (_P - 1) // 2, _P) == 1
