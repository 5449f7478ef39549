"""The tree word for word from RFC 6962 section 2.1: slow, and sharing no code."""

from hashlib import sha256


def defined_root(leaves: list[bytes]) -> bytes:
    """Return MTH(D[n])."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = _split(len(leaves))
    left, right = defined_root(leaves[:split]), defined_root(leaves[split:])
    return sha256(b"\x01" + left + right).digest()


def defined_path(index: int, leaves: list[bytes]) -> list[bytes]:
    """Return PATH(m, D[n]) of section 2.1.1."""
    if len(leaves) == 1:
        return []
    split = _split(len(leaves))
    if index < split:
        return [*defined_path(index, leaves[:split]), defined_root(leaves[split:])]
    right = defined_path(index - split, leaves[split:])
    return [*right, defined_root(leaves[:split])]


def defined_proof(size: int, leaves: list[bytes]) -> list[bytes]:
    """Return PROOF(m, D[n]) of section 2.1.2."""
    return _subproof(size, leaves, known=True)


def _subproof(size: int, leaves: list[bytes], *, known: bool) -> list[bytes]:
    if size == len(leaves):
        return [] if known else [defined_root(leaves)]
    split = _split(len(leaves))
    if size <= split:
        left = _subproof(size, leaves[:split], known=known)
        return [*left, defined_root(leaves[split:])]
    right = _subproof(size - split, leaves[split:], known=False)
    return [*right, defined_root(leaves[:split])]


def _split(size: int) -> int:
    """Return the largest power of two below `size`."""
    power = 1
    while power * 2 < size:
        power *= 2
    return power
