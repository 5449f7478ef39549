"""A manifest has one spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.history.manifest import (
    MAX_FILES,
    MAX_PATH,
    Listed,
    is_published_path,
    read_manifest,
    write_manifest,
)

DIGEST = "0123456789abcdef" * 4
PATHS = st.builds(
    "{}/{}".format,
    st.sampled_from(["agents", "posts", "sources", "cosigned"]),
    st.lists(
        st.text("abÀé.-", min_size=1, max_size=4).filter(
            lambda part: part not in {".", ".."}
        ),
        min_size=1,
        max_size=3,
    ).map("/".join),
) | st.just("presence")
FILES = st.dictionaries(
    PATHS,
    st.builds(
        Listed,
        st.integers(0, 10**15 - 1),
        st.binary(min_size=32, max_size=32).map(bytes.hex),
    ),
)


@given(FILES)
def test_reading_a_written_manifest_gives_its_files(files: dict[str, Listed]) -> None:
    assert read_manifest(write_manifest(files)) == files


@given(FILES.filter(bool), st.data())
def test_a_line_moved_or_doubled_is_refused(
    files: dict[str, Listed], data: st.DataObject
) -> None:
    lines = write_manifest(files).splitlines(keepends=True)
    at = data.draw(st.integers(0, len(lines) - 1))
    to = data.draw(st.integers(0, len(lines) - 1))
    moved = lines[:at] + lines[at + 1 :]
    moved.insert(to, lines[at])

    with pytest.raises(VerificationError):
        read_manifest(b"".join([*lines, lines[at]]))
    if at != to:
        with pytest.raises(VerificationError):
            read_manifest(b"".join(moved))


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "manifest",
        "/agents/a",
        "agents",
        "agents/",
        "agents//a",
        "agents/../a",
        "agents/./a",
        "presence/a",
        "secrets/a",
        "agents/a\tb",
        "agents/a b",
        "agents/a\x7f",
        "agents/" + "a" * MAX_PATH,
    ],
)
def test_a_path_outside_what_a_seat_publishes_is_refused(path: str) -> None:
    assert not is_published_path(path)
    with pytest.raises(VerificationError) as caught:
        read_manifest(f"{DIGEST} 1 presence\n{DIGEST} 1 {path}\n".encode())
    assert caught.value.details["line"] == 2


@pytest.mark.parametrize(
    "line",
    [
        f"{DIGEST} 01 presence\n",
        f"{DIGEST} -1 presence\n",
        f"{DIGEST} +1 presence\n",
        f"{DIGEST} 1e3 presence\n",
        f"{DIGEST} 9999999999999999 presence\n",
        f"{DIGEST}  1 presence\n",
        f"{DIGEST.upper()} 1 presence\n",
        f"{DIGEST[1:]} 1 presence\n",
        f"{DIGEST} 1 presence",
        f"{DIGEST} 1 presence\r\n",
        f"{DIGEST} 1\n",
        "\n",
    ],
)
def test_another_spelling_of_a_line_is_refused(line: str) -> None:
    with pytest.raises(VerificationError):
        read_manifest(line.encode())


def test_bytes_that_are_no_utf8_are_refused() -> None:
    with pytest.raises(VerificationError):
        read_manifest(DIGEST.encode() + b" 1 agents/\xff\n")


def test_bc_081_more_files_than_the_limit_are_refused() -> None:
    lines = [f"{DIGEST} 1 posts/{n:06}\n" for n in range(MAX_FILES + 1)]

    assert len(read_manifest("".join(lines[:-1]).encode())) == MAX_FILES
    with pytest.raises(VerificationError, match="more than"):
        read_manifest("".join(lines).encode())
