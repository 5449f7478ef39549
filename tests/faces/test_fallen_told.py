"""The command line tells what fell with what was taken back."""

from pathlib import Path

import pytest

from faces.command import koinii, within


@pytest.fixture
def answered(here: Path) -> tuple[str, str, str]:
    """The locator of a claim and of its reply, and the reply itself."""
    assert koinii("agent", "new", "AgentBoreas", cwd=here).code == 0
    target = within("assert", "(likes Ann Tea)").out.strip()
    reply = f'(disputes AgentBoreas (sentexHandle "{target}"))'
    return target, within("assert", reply, "--as", "AgentBoreas").out.strip(), reply


@pytest.mark.parametrize("flags", [(), ("--dry-run",)])
@pytest.mark.parametrize(
    ("words", "first"),
    [(["retract"], []), (["edit", "--remove"], ["0 added, 1 removed"])],
)
def test_what_fell_is_a_note(
    answered: tuple[str, str, str],
    words: list[str],
    first: list[str],
    flags: tuple[str, ...],
) -> None:
    target, locator, reply = answered
    told = within(*words, target, "--json", "--dry-run").data
    assert told["fell"] == [
        {
            "agent": "AgentBoreas",
            "context": "CxBoreas",
            "sentence": reply,
            "locator": locator,
        }
    ]
    done = within(*words, target, *flags)
    assert done.code == 0
    assert done.err.splitlines() == [
        *first,
        f"also withdrawn, since it answered that: {reply} in CxBoreas by AgentBoreas",
        *(["dry run: nothing was written"] if flags else []),
    ]
    assert within("show", locator).code == (0 if flags else 3)


def test_where_nothing_fell_the_list_is_empty(here: Path) -> None:
    target = within("assert", "(likes Ann Tea)").out.strip()
    done = within("retract", target, "--json")
    assert done.data == {"locator": target, "fell": []}


def test_a_mask_that_fell_is_said_to_have_hidden(here: Path) -> None:
    target = within("assert", "(likes Ann Tea)").out.strip()
    mask = f'(except (sentexHandle "{target}"))'
    assert within("assert", mask).code == 0
    assert within("retract", target).err == (
        f"also withdrawn, since it hid that: {mask} in CxAtlas by AgentAtlas\n"
    )
