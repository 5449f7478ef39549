"""Headers of bundles: what is written is read, and all else is refused."""

from __future__ import annotations

import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import VerificationError
from koinii.remote.bundle_header import (
    MAX_LINES,
    NOT_A_BUNDLE,
    Header,
    Needed,
    needed,
    read_header,
    write_header,
)
from pages import blocks

OID, SEAT = "0123456789" * 4, "0123456789abcdef" * 2
REF = f"refs/koinii/seats/{SEAT}"

oids = st.text("0123456789abcdef", min_size=40, max_size=40)
seats = st.text("0123456789abcdef", min_size=32, max_size=32)
needs = st.lists(st.builds(needed, oids, seats, st.integers(1, 1 << 40)))
shown = st.dictionaries(seats.map("refs/koinii/seats/{}".format), oids)


def test_the_page_shows_what_is_written() -> None:
    seat = "fb199ef924705393f02702b1749039b4"
    begins = [needed("3" * 40, seat, 4)]
    written = write_header(begins, {f"refs/koinii/seats/{seat}": "5" * 40})
    assert written.decode() == blocks("bundles")["header"]


def read(data: bytes) -> Header:
    return read_header(io.BytesIO(data))


@given(needs, shown, st.binary())
def test_what_is_written_is_read(
    begins: list[Needed], refs: dict[str, str], pack: bytes
) -> None:
    header = write_header(begins, refs)
    file = io.BytesIO(header + pack)
    assert read_header(file) == Header(begins, refs, [], len(header))
    assert file.read() == pack
    said = [one.said for one in begins if one.said]
    assert [f"seat {seat} commit {n}" for seat, n in said] == [x.words for x in begins]


@given(st.binary())
def test_any_bytes_are_a_header_or_refused(data: bytes) -> None:
    for start in (b"", b"# v2 git bundle\n", b"# v3 git bundle\n"):
        try:
            read(start + data)
        except VerificationError as error:
            assert error.code == NOT_A_BUNDLE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# v1 git bundle\n",
        "# v4 git bundle\n\n",
        f"# v2 git bundle\n{OID} {REF}\n",
        f"# v2 git bundle\n{OID} {REF}\n{OID} {REF}\n\n",
        f"# v2 git bundle\n{OID} {REF}\n-{OID} late\n\n",
        f"# v2 git bundle\n{OID[1:]} {REF}\n\n",
        f"# v2 git bundle\n{OID.replace('a', 'A').upper()}A {REF}\n\n",
        f"# v2 git bundle\n{OID} {REF}\r\n\r\n",
        f"# v2 git bundle\n@object-format=sha1\n{OID} {REF}\n\n",
        f"# v3 git bundle\n@object-format=sha256\n{OID} {REF}\n\n",
        f"# v3 git bundle\n@filter=blob:none\n{OID} {REF}\n\n",
        f"# v3 git bundle\n{OID} {REF}\n@object-format=sha1\n\n",
        f"# v2 git bundle\n-{OID} {'x' * 2000}\n{OID} {REF}\n\n",
        f"# v2 git bundle\n{OID} HEAD\n{OID} nonsense\n\n",
    ],
)
def test_what_is_off_is_refused(text: str) -> None:
    with pytest.raises(VerificationError) as refused:
        read(text.encode())
    assert refused.value.code == NOT_A_BUNDLE


def test_version_3_that_says_nothing_new_is_read() -> None:
    lines = f"{OID} {REF}\n{OID} HEAD\n{OID} refs/heads/main\n\n"
    found = read(f"# v3 git bundle\n@object-format=sha1\n{lines}".encode())
    assert found.refs == {REF: OID}
    assert found.others == ["HEAD", "refs/heads/main"]


@pytest.mark.parametrize("line", [f"{OID} refs/koinii/seats/{{}}\n", f"-{OID} {{}}\n"])
def test_a_huge_header_is_refused_in_little_memory(line: str) -> None:
    lines = "".join(line.format(number) for number in range(5 * MAX_LINES))
    data = b"# v2 git bundle\n" + lines.encode() + b"\n"
    file = io.BytesIO(data)
    tracemalloc.start()
    try:
        with pytest.raises(VerificationError) as refused:
            read_header(file)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(MAX_LINES) in refused.value.message
    assert peak < 16 << 20


def test_words_of_anybody_say_a_seat_only_in_one_spelling() -> None:
    assert Needed(OID, f"seat {SEAT} commit 7").said == (SEAT, 7)
    for words in ("", "commit 7", f"seat {SEAT} commit 07", f"seat {SEAT} commit 7 "):
        assert Needed(OID, words).said is None
