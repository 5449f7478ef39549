"""Who may say what: pure decisions over signed statements.

Read `statements.py`: what agents sign about their keys and their claims.
"""

from koinii.trust.statements import (
    Authored,
    Introduction,
    OtherStatement,
    Statement,
    join_statements,
    open_authored,
    open_introduction,
    parse_statement,
    sign_statement,
    split_statements,
    statement_hash,
)

__all__ = [
    "Authored",
    "Introduction",
    "OtherStatement",
    "Statement",
    "join_statements",
    "open_authored",
    "open_introduction",
    "parse_statement",
    "sign_statement",
    "split_statements",
    "statement_hash",
]
