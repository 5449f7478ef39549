"""One signed statement of every kind, as they stand on the page of statements."""

from history.sample_proofs import (
    AGENT_KEY,
    ATLAS,
    AUTHORED,
    INTRODUCTION,
    SEAT_ID,
)
from koinii.note import PrivateKey, Signer
from koinii.trust.statements import (
    Grant,
    RemoteStatement,
    Retirement,
    Revocation,
    Rotation,
    sign_statement,
    statement_hash,
)

NEW_KEY = PrivateKey.from_seed(b"n" * 32)
ADMIN_KEY = PrivateKey.from_seed(b"r" * 32)
NEW = Signer.of("AgentAtlas", NEW_KEY)
ADMIN = Signer.of("AdminRoot", ADMIN_KEY)
OLD_HASH = AGENT_KEY.public.key_hash

FIRST_GRANT = Grant("AgentAtlas", AGENT_KEY.public, ("member",), None, 6)
GRANT = Grant(
    "AgentAtlas",
    AGENT_KEY.public,
    ("arbiter *", "member", "moderator CxDeploy"),
    statement_hash(FIRST_GRANT),
    7,
)
ROTATION = Rotation("AgentAtlas", OLD_HASH, NEW_KEY.public, SEAT_ID, 5)
REVOCATION = Revocation("AgentAtlas", OLD_HASH, "*", 5, "the laptop was lost")
RETIREMENT = Retirement("AgentAtlas", OLD_HASH, SEAT_ID, 0)
REMOTE = RemoteStatement(ADMIN_KEY.public, 1, 5)

EXAMPLES = {
    "introduction": sign_statement(INTRODUCTION, ATLAS).decode(),
    "authored": sign_statement(AUTHORED, ATLAS).decode(),
    "rotation": sign_statement(ROTATION, ATLAS, NEW).decode(),
    "revocation": sign_statement(REVOCATION, NEW).decode(),
    "retirement": sign_statement(RETIREMENT, ATLAS).decode(),
    "remote": sign_statement(REMOTE, ADMIN).decode(),
    "grant": sign_statement(GRANT, ADMIN).decode(),
}
