"""`[select]` of `seat.toml`: what is taken of other seats, among what people wrote."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import SurroundingsError
from koinii.seat.config import (
    add_remote,
    read_config,
    remove_remote,
    set_selection,
    template,
)

WRITTEN = """\
# Ours; ask Ann before you change it.
format = 1   # the first
agent = "AgentAtlas"

mode = "cooperative"

[remotes]   # where we meet
# a stick
stick = "/media/stick/seats.git"  # blue
"""
SELECT = """
[select]
agents = ["AgentAnna", "AgentBert"]
contexts = ["CxDeploy"]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "seat.toml"
    file.write_text(WRITTEN)
    return file


def selected(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    config = read_config(str(path))
    return config.agents, config.contexts


def test_nothing_is_selected_at_first(tmp_path: Path) -> None:
    file = tmp_path / "seat.toml"
    file.write_text(template("AgentAtlas"))
    assert selected(file) == ((), ())


def test_it_is_written_below_what_people_wrote_and_goes_again(path: Path) -> None:
    set_selection(str(path), ["AgentBert", "AgentAnna", "AgentBert"], ["CxDeploy"])

    assert path.read_text() == WRITTEN + SELECT
    assert selected(path) == (("AgentAnna", "AgentBert"), ("CxDeploy",))
    set_selection(str(path), [], [])
    assert path.read_text() == WRITTEN
    assert selected(path) == ((), ())


def test_set_again_and_again_the_file_does_not_grow(path: Path) -> None:
    for _ in range(3):
        set_selection(str(path), [], ["CxA", "CxB"])
        set_selection(str(path), ["AgentAnna", "AgentBert"], ["CxDeploy"])
        assert path.read_text() == WRITTEN + SELECT
    set_selection(str(path), [], ["CxA"])
    assert path.read_text() == WRITTEN + '\n[select]\ncontexts = ["CxA"]\n'


def test_a_file_with_the_line_ends_of_windows_keeps_them(path: Path) -> None:
    text = WRITTEN.replace("\n", "\r\n")
    path.write_bytes(text.encode())
    set_selection(str(path), ["AgentAnna", "AgentBert"], ["CxDeploy"])
    assert path.read_bytes() == (WRITTEN + SELECT).replace("\n", "\r\n").encode()
    set_selection(str(path), [], [])
    assert path.read_bytes() == text.encode()


def test_a_remote_comes_and_goes_beside_it(path: Path) -> None:
    set_selection(str(path), [], ["CxDeploy"])
    before = path.read_text()

    add_remote(str(path), "origin", "https://example.org/a")

    assert read_config(str(path)).remotes == {
        "stick": "/media/stick/seats.git",
        "origin": "https://example.org/a",
    }
    assert selected(path) == ((), ("CxDeploy",))
    remove_remote(str(path), "origin")
    assert path.read_text() == before


def test_a_remote_is_added_where_only_a_selection_stands(path: Path) -> None:
    path.write_text('format = 1\nagent = "AgentAtlas"\n' + SELECT)
    add_remote(str(path), "origin", "/r")
    assert read_config(str(path)).remotes == {"origin": "/r"}
    set_selection(str(path), [], [])
    assert read_config(str(path)).remotes == {"origin": "/r"}
    assert selected(path) == ((), ())


NOTED = """
# Only what concerns us; see the wiki.
[select]   # for the laptop
# the two who deploy
contexts = [
    "CxDeploy",  # theirs
    "CxOld",
]
# nothing of Zoe
"""


@pytest.mark.parametrize("head", ["[select]", "  [ select ]  # for the laptop"])
@pytest.mark.parametrize("after", ["", '\n[remotes]\norigin = "/r"  # here\n'])
def test_tables_around_it_stay(path: Path, head: str, after: str) -> None:
    before = '# one\nformat = 1\nagent = "AgentAtlas"\n'
    path.write_text(f'{before}\n{head}\ncontexts = [\n  "CxA",\n  "CxB",\n]\n{after}')

    set_selection(str(path), ["AgentAnna"], [])

    text = path.read_text()
    assert selected(path) == (("AgentAnna",), ())
    assert text.startswith(before)
    assert after in text
    assert "CxA" not in text
    set_selection(str(path), [], [])
    assert path.read_text().startswith(before)
    assert after in path.read_text()
    assert ("select" in path.read_text()) == ("laptop" in head)
    assert head.count("#") == path.read_text().count("# for the laptop")


def test_what_people_wrote_beside_the_names_stays(path: Path) -> None:
    path.write_text(WRITTEN + NOTED)
    set_selection(str(path), [], ["CxNew"])
    for comment in ("# Only what concerns us; see the wiki.", "# nothing of Zoe"):
        assert comment in path.read_text()
    assert selected(path) == ((), ("CxNew",))


@pytest.mark.parametrize(
    "form",
    [
        'select = { contexts = ["CxA"] }',
        'select.contexts = ["CxA"]',
        "select = {}",
        '["select"]\ncontexts = ["CxA"]',
    ],
)
def test_what_cannot_be_changed_in_place_is_left_alone(path: Path, form: str) -> None:
    text = f'format = 1\nagent = "AgentAtlas"\n{form}\n'
    path.write_text(text)
    read_config(str(path))
    with pytest.raises(SurroundingsError, match="change it in the file") as caught:
        set_selection(str(path), [], ["CxB"])
    assert caught.value.code == "koinii/bad-config"
    assert path.read_text() == text


@pytest.mark.parametrize(
    "lines",
    [
        'select = "CxA"',
        "select = 1",
        "[[select]]",
        '[select]\nseats = ["0123"]',
        '[select]\ncontexts = "CxA"',
        "[select]\ncontexts = 1",
        "[select]\ncontexts = [1]",
        '[select]\ncontexts = [["CxA"]]',
        '[select]\ncontexts = [""]',
        '[select]\ncontexts = ["Cx A"]',
        '[select]\ncontexts = ["CxA\\n"]',
        '[select]\ncontexts = ["CxA\\u2028CxB"]',
        '[select]\ncontexts = ["Cx\\u00a0A"]',
        '[select]\ncontexts = ["Cx\\u000bA"]',
        '[select]\ncontexts = [".hidden"]',
        f'[select]\ncontexts = ["{"C" * 201}"]',
        '[select]\nagents = ["Anna"]',
        '[select]\nagents = ["CxAnna"]',
        '[select]\nagents = ["Agent Anna"]',
        "[select.contexts]",
        '[select]\nagents = { a = "AgentAnna" }',
    ],
)
def test_each_fault_is_named(path: Path, lines: str) -> None:
    path.write_text(f'format = 1\nagent = "AgentAtlas"\n{lines}\n')
    with pytest.raises(SurroundingsError, match="select") as caught:
        read_config(str(path))
    assert caught.value.code == "koinii/bad-config"


def test_the_admin_can_be_selected(path: Path) -> None:
    set_selection(str(path), ["AdminRoot"], [])
    assert selected(path) == (("AdminRoot",), ())


NAMES = st.lists(st.from_regex(r"Cx[A-Z][A-Za-z0-9]{0,9}", fullmatch=True), max_size=3)


@given(NAMES)
def test_any_names_are_kept_exactly(
    tmp_path_factory: pytest.TempPathFactory, contexts: list[str]
) -> None:
    file = tmp_path_factory.mktemp("config") / "seat.toml"
    file.write_text(WRITTEN)
    set_selection(str(file), [], contexts)
    assert selected(file) == ((), tuple(sorted(set(contexts))))
    assert tomllib.loads(file.read_text())["remotes"] == {
        "stick": "/media/stick/seats.git"
    }
    set_selection(str(file), [], [])
    assert file.read_text() == WRITTEN
