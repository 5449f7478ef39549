"""Ed25519 from RFC 8032 section 5.1, slow, with a nonce of one's own choice.

A signer who follows the RFC signs a text in one way only. One who does not can sign
it in as many ways as there are nonces, all of them good.
"""

from hashlib import sha512

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
BASE_Y = 4 * pow(5, -1, P) % P
BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202

Point = tuple[int, int]


def add(one: Point, other: Point) -> Point:
    x1, y1 = one
    x2, y2 = other
    product = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def times(number: int, point: Point) -> Point:
    found = (0, 1)
    for bit in bin(number)[2:]:
        found = add(found, found)
        if bit == "1":
            found = add(found, point)
    return found


def encoded(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def sign(seed: bytes, message: bytes, nonce: int) -> bytes:
    """Return a signature that verifies, another one for each nonce below ORDER."""
    base = (BASE_X, BASE_Y)
    digest = int.from_bytes(sha512(seed).digest()[:32], "little")
    secret = digest & ~7 & (2**255 - 1) & ~(1 << 255) | 1 << 254
    public = encoded(times(secret, base))
    start = encoded(times(nonce, base))
    challenge = int.from_bytes(sha512(start + public + message).digest(), "little")
    return start + ((nonce + challenge * secret) % ORDER).to_bytes(32, "little")
