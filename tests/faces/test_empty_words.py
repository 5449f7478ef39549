"""What a variable that was never set leaves is refused, never a default."""

from pathlib import Path

import pytest

from faces.command import SENTENCE, within
from koinii.faces import operations
from koinii.faces.operations import OPERATIONS, Operation, Parameter

WORDS = {
    "number": "1",
    "context": "CxDeploy",
    "locator": "c1b2a3d4",
    "sentence": SENTENCE,
}
TAKERS = [
    (operation, one)
    for operation in OPERATIONS
    for one in operation.parameters
    if one.kind not in (operations.FLAG, operations.SENTENCE)
]


@pytest.mark.parametrize(
    ("operation", "empty"),
    TAKERS,
    ids=[f"{operation.name} {one.spelling}" for operation, one in TAKERS],
)
def test_every_empty_argument_is_a_usage_error(
    operation: Operation, empty: Parameter, here: Path
) -> None:
    words = operation.name.split()
    for one in operation.parameters:
        value = "" if one is empty else WORDS.get(one.kind, "some")
        if one.positional:
            words.append(value)
        elif one.required or one is empty:
            words += [one.spelling, value]
    status = within("status", "--json").out
    for full in (False, True):
        done = within(*words, "--json", full=full)
        assert (done.code, done.error["code"]) == (2, "koinii/usage"), words
        assert done.error["details"]["parameter"] == empty.spelling
    assert within("status", "--json").out == status


@pytest.mark.parametrize("words", [["assert", SENTENCE], ["join", "CxDeploy"]])
def test_an_empty_agent_of_the_environment(
    words: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    within("channel", "new", "CxDeploy")
    monkeypatch.setenv("KOINII_AGENT", "")
    done = within(*words, "--json")
    assert (done.code, done.error["details"]) == (2, {"parameter": "KOINII_AGENT"})
    assert within("config", "list").code == 2
    assert within(*words, "--as", "AgentAtlas").code == 0
    assert within("ask", SENTENCE).code == 0
