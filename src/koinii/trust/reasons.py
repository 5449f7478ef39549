"""Why a line is held, in words: by its code, with the way on.

Hints may hold `{agent}` and `{seat}`, of the line's author.
"""

from __future__ import annotations

from typing import NamedTuple

UNFOLLOWED = "koinii/unfollowed"
NOT_ADMIN = "koinii/not-admin"
NOT_GRANTED = "koinii/not-granted"
CONTESTED = "koinii/name-contested"
REVOKED = "koinii/key-revoked"
RETIRED = "koinii/retired"

# Of a line that a count has ruled: the seat itself holds what it says, or does not.
COUNTED = "koinii/counted"
DISAGREES = "koinii/tally-disagrees"
UNDISPUTED = "koinii/undisputed"
OF_COUNTS = frozenset({COUNTED, DISAGREES, UNDISPUTED})


class Reason(NamedTuple):
    """Why an author's or a line's word does not count, and what to do."""

    why: str
    hint: str


_REASONS = {
    UNFOLLOWED: Reason("its seat is not followed", "koinii follow {seat}"),
    NOT_ADMIN: Reason(
        "it calls itself the admin and has not the pinned admin's key",
        "koinii admin shows whose key is pinned",
    ),
    NOT_GRANTED: Reason(
        "the mode is proof-tier, and the admin has granted the name nothing",
        "koinii admin grant {agent}, at the seat of the admin",
    ),
    CONTESTED: Reason(
        "the name stands for another key here",
        "koinii agent trust {agent} FINGERPRINT, or a grant of the admin, decides",
    ),
    REVOKED: Reason(
        "the key that signed it is revoked",
        "koinii commit at that seat, if the key was rotated there before it was "
        "revoked; else a grant of the admin, or koinii agent trust, names another key",
    ),
    RETIRED: Reason(
        "the agent has withdrawn what it said at that seat", "say it at another seat"
    ),
    "koinii/foreign-context": Reason(
        "it stands in, or speaks for, a context that is another's",
        "its author can say it in its own context or a channel",
    ),
    "koinii/no-standing": Reason(
        "it takes a moderator, and its author is none there",
        "koinii admin grant {agent} moderator, at the seat of the admin",
    ),
    "koinii/registry-forbidden": Reason(
        "only the admin writes in CxRegistry", "its author can say it elsewhere"
    ),
    "koinii/admin-off-registry": Reason(
        "the admin writes in CxRegistry and nowhere else", "say it as an agent"
    ),
    DISAGREES: Reason(
        "the ballots that are here come to something else",
        "koinii pull, if another seat has more of them; koinii majority counts again",
    ),
    UNDISPUTED: Reason(
        "none of the pairs that it settles clashes here, but by what counts have ruled",
        "koinii pull, if another seat has the other side",
    ),
    "naming": Reason("a name in it is none", "its author can say it otherwise"),
    "shape": Reason("it is not of its shape", "its author can say it otherwise"),
}
_OF_AUTHORS = frozenset(
    {UNFOLLOWED, NOT_ADMIN, NOT_GRANTED, CONTESTED, REVOKED, RETIRED}
)
_OTHER = Reason("a rule of the sentence refuses it", "its author can say it otherwise")


def is_of_author(code: str) -> bool:
    """Tell whether a code is about all that an author says at a seat."""
    return code in _OF_AUTHORS


def reason_of(code: str) -> Reason:
    """Return the reason of a held line's code."""
    return _REASONS.get(code, _OTHER)
