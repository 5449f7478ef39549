"""Who somebody is before they speak (spec B.1): requests, policies, principals.

The keys and standing of a seat decide whose word counts; this is the door for those
who come with a request instead of a key file, such as the clients of a daemon. What
`verify` accepts as a credential is the caller's to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from koinii.errors import RefusedError, UsageError
from koinii.kb.contexts import own_context
from koinii.trust.names import ADMIN, REGISTRY, check_agent
from koinii.trust.standing import COOPERATIVE, PROOF_TIER

if TYPE_CHECKING:
    from koinii.coordination.medium import Medium
    from koinii.terms.locator import Locator
    from koinii.terms.term import Term

Verify: TypeAlias = Callable[[str, object], bool]  # agent, credential
ADMIN_POLICY = "admin"


class Request(NamedTuple):
    """What somebody claims to be, and what it shows for that."""

    claimed_id: str
    credential: object = None
    source: str | None = None


class Principal(NamedTuple):
    """Who speaks, where, and how much is known of that."""

    id: str
    context: str  # derived from the id, never taken from a request
    source: str | None
    policy: str
    authenticated: bool
    admin: bool = False


def authenticate(
    request: Request, *, policy: str = COOPERATIVE, verify: Verify | None = None
) -> Principal:
    """Return who a request comes from.

    Raises:
        UsageError: `koinii/unknown-policy`.
        RefusedError: `koinii/identity-unverified`: proof-tier, and the verifier is
            missing or does not accept the credential; `koinii/reserved-name` and
            `naming` for what no agent may be called.
    """
    if policy not in (COOPERATIVE, PROOF_TIER):
        raise UsageError(
            f"{policy!r} is no policy",
            code="koinii/unknown-policy",
            hint=f"{COOPERATIVE} or {PROOF_TIER}",
            policy=policy,
        )
    claimed = request.claimed_id
    check_agent(claimed)
    proven = policy == PROOF_TIER
    if proven and not (verify and verify(claimed, request.credential)):
        raise RefusedError(
            f"nothing proves that this is {claimed}",
            code="koinii/identity-unverified",
            hint="show a credential that the verifier of this place accepts",
            claimed_id=claimed,
            policy=policy,
            has_verifier=verify is not None,
        )
    return Principal(claimed, own_context(claimed), request.source, policy, proven)


def admin_principal(name: str = ADMIN) -> Principal:
    """Return the admin, who is made out of band and authenticates by its key."""
    return Principal(name, REGISTRY, None, ADMIN_POLICY, authenticated=True, admin=True)


def check_write_boundary(principal: Principal, target: str) -> None:
    """Refuse a principal that would write where it may not.

    Raises:
        RefusedError: `koinii/registry-forbidden`, `koinii/admin-off-registry`,
            `koinii/foreign-context`, in this order.
    """
    if target == REGISTRY and not principal.admin:
        raise _refused("koinii/registry-forbidden", principal, target)
    if principal.admin and target != REGISTRY:
        raise _refused("koinii/admin-off-registry", principal, target)
    if not principal.admin and target != own_context(principal.id):
        raise _refused("koinii/foreign-context", principal, target)


def _refused(code: str, principal: Principal, target: str) -> RefusedError:
    own = REGISTRY if principal.admin else own_context(principal.id)
    return RefusedError(
        f"{principal.id} does not write in {target}",
        code=code,
        hint=f"it writes in {own}",
        principal=principal.id,
        context=target,
        own=own,
    )


def ingest(medium: Medium, principal: Principal, sentence: Term) -> Locator:
    """Take in what a principal says, in its own context.

    The admin is refused: what it says stands in the registry, by name.
    """
    return ingest_into(medium, principal, own_context(principal.id), sentence)


def ingest_into(
    medium: Medium, principal: Principal, target: str, sentence: Term
) -> Locator:
    """Take in what a principal says in a context that is named.

    Who says it is the principal, whatever else was asked for.
    """
    check_write_boundary(principal, target)
    return medium.assert_(sentence, agent=principal.id, context=target, strength=None)
