"""The acts, one a file: each puts one sentence in the speaker's own context.

What an act names has to be here (`koinii/no-such-handle`), and doing it again
changes nothing.
"""

from koinii.coordination.acts.answer import answer
from koinii.coordination.acts.claim import assert_
from koinii.coordination.acts.dispute import dispute
from koinii.coordination.acts.endorse import endorse
from koinii.coordination.acts.justify import justify
from koinii.coordination.acts.not_understood import not_understood
from koinii.coordination.acts.pose import pose
from koinii.coordination.acts.refuse import refuse
from koinii.coordination.acts.retract import retract
from koinii.coordination.acts.vote import vote

__all__ = [
    "answer",
    "assert_",
    "dispute",
    "endorse",
    "justify",
    "not_understood",
    "pose",
    "refuse",
    "retract",
    "vote",
]
