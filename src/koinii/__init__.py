"""Shared, signed, argued knowledge for agents that work apart.

Reading order: `terms/term.py`, `terms/canonical.py`, `merkle/tree.py`,
`kb/base.py`, `seat/seat.py`, `seat/committing.py`, `remote/exchange.py`,
`coordination/channel.py`, `faces/operations.py`.

Names are loaded when first used, so that a command pays for what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from koinii.coordination.seat import CoordinationSeat, clone, init, open
    from koinii.errors import KoiniiError
    from koinii.history.stateproof import verify
    from koinii.history.verdict import Verification
    from koinii.remote.seat import RemoteSeat, audit, audit_all

__version__ = "0.1.0"

__all__ = [
    "CoordinationSeat",
    "KoiniiError",
    "RemoteSeat",
    "Verification",
    "audit",
    "audit_all",
    "clone",
    "init",
    "open",
    "verify",
]

_HOMES = {
    "CoordinationSeat": "koinii.coordination.seat",
    "KoiniiError": "koinii.errors",
    "RemoteSeat": "koinii.remote.seat",
    "Verification": "koinii.history.verdict",
    "audit": "koinii.remote.seat",
    "audit_all": "koinii.remote.seat",
    "clone": "koinii.coordination.seat",
    "init": "koinii.coordination.seat",
    "open": "koinii.coordination.seat",
    "verify": "koinii.history.stateproof",
}
_PARTS = ("merkle", "terms")  # reachable as `koinii.merkle`, `koinii.terms`


def __getattr__(name: str) -> object:
    from importlib import import_module  # noqa: PLC0415 - a name of the package else

    if name in _PARTS:
        return import_module(f"koinii.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'koinii' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
