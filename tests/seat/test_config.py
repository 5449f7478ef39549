"""`seat.toml` stays as people wrote it, and each fault in it is named."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import NotFoundError, SurroundingsError, UsageError
from koinii.seat.config import (
    Config,
    add_remote,
    read_config,
    remove_remote,
    template,
    write_file,
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "seat.toml"
    file.write_text(WRITTEN)
    return file


def test_a_new_file_reads_back(tmp_path: Path) -> None:
    file = tmp_path / "seat.toml"
    file.write_text(template("AgentAtlas"))
    assert read_config(str(file)) == Config("AgentAtlas", "cooperative", {})


def test_comments_survive_a_remote_that_comes_and_goes(path: Path) -> None:
    add_remote(str(path), "origin", "https://example.org/a b#c")

    lines = path.read_text().splitlines()
    assert 'origin = "https://example.org/a b#c"' in lines
    lines.remove('origin = "https://example.org/a b#c"')
    assert lines == WRITTEN.splitlines()
    assert read_config(str(path)).remotes == {
        "stick": "/media/stick/seats.git",
        "origin": "https://example.org/a b#c",
    }
    remove_remote(str(path), "origin")
    assert path.read_text() == WRITTEN
    remove_remote(str(path), "stick")
    assert read_config(str(path)).remotes == {}
    assert "# a stick" in path.read_text()


@pytest.mark.parametrize(
    "table",
    ["[remotes]", "  [ remotes ]", "[remotes] # ours", "[remotes]\n\n# last", ""],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_every_form_of_the_table_takes_a_remote(
    path: Path, table: str, end: str
) -> None:
    text = f'format = 1\nagent = "AgentAtlas"\n{table}'.replace("\n", end or "\n")
    path.write_bytes((text + end).encode())

    add_remote(str(path), "origin", "/r")

    assert read_config(str(path)).remotes == {"origin": "/r"}
    added = path.read_bytes()
    assert added.replace(b'origin = "/r"' + (end or "\n").encode(), b"") in (
        text.encode(),
        (text + (end or "\n")).encode(),
        (text + (end or "\n") * 2 + "[remotes]" + (end or "\n")).encode(),
        (text + "\n[remotes]\n").encode(),
    )
    remove_remote(str(path), "origin")
    assert read_config(str(path)).remotes == {}
    assert path.read_bytes().startswith(text.encode())


@pytest.mark.parametrize(
    "remotes",
    ['remotes = { origin = "/r" }', 'remotes.origin = "/r"', "remotes = {}"],
)
def test_what_cannot_be_changed_in_place_is_left_alone(
    path: Path, remotes: str
) -> None:
    text = f'format = 1\nagent = "AgentAtlas"\n{remotes}\n'
    path.write_text(text)
    with pytest.raises(SurroundingsError, match="not one a line") as caught:
        add_remote(str(path), "other", "/s")
    assert caught.value.code == "koinii/bad-config"
    if "origin" in remotes:
        with pytest.raises(SurroundingsError):
            remove_remote(str(path), "origin")
    assert path.read_text() == text


def test_a_quoted_name_is_removed_too(path: Path) -> None:
    path.write_text(WRITTEN + '"quoted" = "/q"\n')
    remove_remote(str(path), "quoted")
    assert path.read_text() == WRITTEN


def test_only_the_remote_of_that_very_name_goes(path: Path) -> None:
    for name in ("a", "ab", "a-b"):
        add_remote(str(path), name, f"/{name}")
    remove_remote(str(path), "a")
    assert set(read_config(str(path)).remotes) == {"ab", "a-b", "stick"}


def test_a_comment_keeps_its_strange_characters(path: Path) -> None:
    strange = "# one\u2028two\x85three\u000bfour\n".replace("\x0b", "")
    path.write_bytes((strange + WRITTEN).encode())
    add_remote(str(path), "origin", "/r")
    assert path.read_bytes().startswith(strange.encode())


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_address_is_kept_exactly_or_refused(
    tmp_path_factory: pytest.TempPathFactory, url: str
) -> None:
    file = tmp_path_factory.mktemp("config") / "seat.toml"
    file.write_text(WRITTEN)
    try:
        add_remote(str(file), "origin", url)
    except UsageError:
        assert not url or url[0] == "-" or not url.isprintable()
        assert file.read_text() == WRITTEN
        return
    assert read_config(str(file)).remotes["origin"] == url
    remove_remote(str(file), "origin")
    assert file.read_text() == WRITTEN


@pytest.mark.parametrize("name", ["", "a b", "-a", "a.b", "a=b", "\u00e9", "x" * 65])
def test_a_remote_has_a_plain_name(path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no name for a remote"):
        add_remote(str(path), name, "/r")
    assert path.read_text() == WRITTEN


def test_a_remote_is_added_once_and_removed_once(path: Path) -> None:
    with pytest.raises(UsageError, match="already") as caught:
        add_remote(str(path), "stick", "/r")
    assert caught.value.hint == "koinii remote rm stick"
    with pytest.raises(NotFoundError):
        remove_remote(str(path), "origin")
    assert path.read_text() == WRITTEN


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('colour = "blue"', "unknown setting colour"),
        ("agent = 7", "agent is 7"),
        ('mode = "anarchy"', "mode 'anarchy'"),
        ("format = 2", "format is 2, not 1"),
        ("format = true", "format is True, not 1"),
        ('format = "1"', "format is '1', not 1"),
        ("remotes = 7", "remotes"),
        ("remotes = { origin = 7 }", "remotes"),
        ('remotes = { "a b" = "/r" }', "remotes"),
        ('remotes = { origin = "--upload-pack=evil" }', "remotes"),
        ("[", "line 4"),
        ("agent = ", "line 4"),
        ('agent = "\\ud800"', "line 4"),
    ],
)
def test_each_fault_is_named(path: Path, text: str, named: str) -> None:
    values = {"format": "1", "agent": '"AgentAtlas"', "mode": '"cooperative"'}
    values.pop(text.split(" ", maxsplit=1)[0], None)
    lines = [f"{name} = {value}" for name, value in values.items()]
    path.write_text("\n".join([*lines, *["#"] * (3 - len(lines)), text]) + "\n")
    with pytest.raises(SurroundingsError) as caught:
        read_config(str(path))
    assert caught.value.code == "koinii/bad-config"
    assert named in caught.value.message
    assert str(path) in caught.value.message


def test_a_setting_that_is_missing_is_named(path: Path) -> None:
    path.write_text("format = 1\n")
    with pytest.raises(SurroundingsError, match="agent"):
        read_config(str(path))
    path.write_text('agent = "AgentAtlas"\n')
    with pytest.raises(SurroundingsError, match="format"):
        read_config(str(path))


def test_bytes_that_are_no_text_are_named(path: Path) -> None:
    path.write_bytes(b"agent = \xff\n")
    with pytest.raises(SurroundingsError) as caught:
        read_config(str(path))
    assert caught.value.code == "koinii/bad-config"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SurroundingsError) as caught:
        read_config(str(tmp_path / "seat.toml"))
    assert caught.value.code == "koinii/cannot-read"


def test_a_file_that_cannot_be_written_stays(tmp_path: Path) -> None:
    with pytest.raises(SurroundingsError) as caught:
        write_file(str(tmp_path / "missing" / "file"), "text")
    assert caught.value.code == "koinii/cannot-write"
    (tmp_path / "taken").mkdir()
    with pytest.raises(SurroundingsError):
        write_file(str(tmp_path / "taken"), "text")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["taken"]


def test_a_link_and_permissions_stay(path: Path) -> None:
    path.chmod(0o640)
    link = path.with_name("link.toml")
    link.symlink_to(path)
    add_remote(str(link), "origin", "/r")
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert tomllib.loads(path.read_text())["remotes"]["origin"] == "/r"
