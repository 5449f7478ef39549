"""An author who has replaced its key twice, with documents of what it signed."""

from dataclasses import replace
from typing import Any

from history.sample_proofs import (
    AGENT_KEY,
    AUTHORED,
    CONTEXT,
    INTRODUCTION,
    LINES,
    LOCATORS,
    SEAT_ID,
    TEXTS,
    said,
)
from history.sample_why import AUTHORED as SHORTER
from history.sample_why import COMMITMENT, FACT, SAID, TREE
from koinii.history.explaining import Grounds, why
from koinii.history.proving import Sentence, attribution
from koinii.note import PrivateKey, Signer, sign_note
from koinii.note.statements import Authored, Rotation

AGENT = "AgentAtlas"
FIRST = AGENT_KEY
SECOND, THIRD = (PrivateKey.from_seed(letter * 32) for letter in (b"2", b"3"))


def signed(statement: Any, *keys: PrivateKey, name: str = AGENT) -> str:
    """Return a statement under the signatures of these keys, whatever it says."""
    signers = [Signer.of(name, key) for key in keys]
    return sign_note(statement.text(), signers).decode()


def rotation(
    old: PrivateKey,
    new: PrivateKey,
    number: int,
    *,
    agent: str = AGENT,
    seat: str = SEAT_ID,
) -> Rotation:
    """Return an agent's word that another key signs from a commit on."""
    return Rotation(agent, old.public.key_hash, new.public, seat, number)


def authored_by(key: PrivateKey, like: Authored = AUTHORED) -> Authored:
    """Return the sample's set as another key signs it."""
    return Authored(
        *(AGENT, key.public.key_hash, SEAT_ID, like.number, like.size),
        *(like.root, like.previous),
    )


TO_SECOND = signed(rotation(FIRST, SECOND, 2), FIRST, SECOND)
TO_THIRD = signed(rotation(SECOND, THIRD, 3), SECOND)


def attributed(**changes: Any) -> dict[str, Any]:
    """Return an attribution of a set that the third key signed, or with changes."""
    sentence = Sentence(CONTEXT, TEXTS[1])
    statements = {
        "authored": signed(authored_by(THIRD), THIRD),
        "introduction": signed(INTRODUCTION, FIRST),
        "rotations": (TO_SECOND, TO_THIRD),
        **changes,
    }
    return attribution(LOCATORS[1], sentence, said(LINES[1], **statements))


def premised() -> dict[str, Any]:
    """Return a proof of why, of a premise in a set that the third key signed."""
    later = replace(
        SAID,
        authored=signed(authored_by(THIRD, SHORTER), THIRD),
        rotations=(TO_SECOND, TO_THIRD),
    )
    grounds = Grounds(said={FACT.locator: later})
    return why(FACT, [], grounds, TREE, COMMITMENT)
