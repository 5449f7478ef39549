"""What is selected: by agent and by context, and as a record says it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from history.test_record import RECORD
from koinii.history.record import CommitRecord, decode_record
from koinii.history.selection import ALWAYS, EVERYTHING, Selection, selection_of

AGENTS = st.sampled_from(["AgentAnna", "AgentBert", "AdminRoot", "AgentZoë"])
CONTEXTS = st.sampled_from(["CxAnna", "CxBert", "CxUniverse", "CxRegistry", "CxRoom"])
SELECTIONS = st.builds(Selection, st.frozensets(AGENTS), st.frozensets(CONTEXTS))


@given(SELECTIONS, AGENTS, CONTEXTS)
def test_a_line_is_taken_by_its_author_and_its_context(
    selection: Selection, agent: str, context: str
) -> None:
    """Decision 9: any agent where none is named, any context where none is named."""
    is_ground = context in ("CxUniverse", "CxRegistry", "CxMajority")
    by_agent = selection.agents == frozenset() or agent in selection.agents
    by_context = selection.contexts == frozenset() or context in selection.contexts
    expected = is_ground or (by_agent and by_context)
    assert selection.takes(agent, context) is expected


@given(AGENTS, CONTEXTS)
def test_nothing_named_takes_everything(agent: str, context: str) -> None:
    assert Selection().takes(agent, context)
    assert EVERYTHING.is_whole
    assert EVERYTHING.recorded() is None
    assert selection_of(None) == EVERYTHING


@given(SELECTIONS)
def test_whole_is_what_names_nothing(selection: Selection) -> None:
    assert selection.is_whole == (not selection.agents and not selection.contexts)


def test_what_all_need_is_taken_of_whoever_says_it() -> None:
    narrow = Selection(frozenset({"AgentAnna"}), frozenset({"CxAnna"}))
    assert {"CxUniverse", "CxRegistry", "CxMajority"} == ALWAYS
    for context in ALWAYS:
        assert narrow.takes("AgentBert", context)


@given(SELECTIONS)
def test_a_record_says_it_and_is_read_back(
    selection: Selection,
) -> None:
    said = replace(RECORD, partial=selection.recorded())
    read = decode_record(said.encode())
    assert isinstance(read, CommitRecord)
    assert read.partial == selection.recorded()
    assert selection_of(read.partial) == selection


def test_a_kind_of_a_later_version_is_not_guessed_at() -> None:
    assert selection_of({"contexts": ("CxA",), "seats": ("0" * 32,)}) is None
    assert selection_of({"agents": ("AgentAnna",)}) == Selection(
        frozenset({"AgentAnna"})
    )
