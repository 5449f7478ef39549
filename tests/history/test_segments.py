"""Folding segments is folding the changes, whatever was merged on the way."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koinii.errors import RefusedError, VerificationError
from koinii.history.paths import quote, read_number, unquote
from koinii.history.segments import (
    MAX_LINE,
    Change,
    SegmentPath,
    catch_up,
    fold,
    format_path,
    is_locator,
    merge,
    parse_path,
    plan_merge,
    read_segment,
    scan_segment,
    write_segment,
)
from reference.segments_twin import History, level_counts, live_lines

Files = dict[tuple[int, int], bytes]


def locate(line: str) -> str:
    """The locator of a made-up line: of its first word alone."""
    if not line:
        raise RefusedError("an empty line")
    return "sha256:" + sha256(line.split(" ", maxsplit=1)[0].encode()).hexdigest()


def changes_of(words: list[tuple[str, int | None]]) -> list[Change]:
    last = {
        locate(word): None if value is None else f"{word} {value}"
        for word, value in words
    }
    return list(last.items())


WORDS = st.sampled_from([f"w{number}" for number in range(12)])
CHANGES = st.lists(
    st.tuples(WORDS, st.none() | st.integers(0, 9)), min_size=1, max_size=6
).map(changes_of)
HISTORIES = st.lists(CHANGES, max_size=90)


def publish(files: Files, number: int, changes: list[Change]) -> Files:
    """Write the segment of a commit among the files, as a seat would."""
    plan = plan_merge(files, number)
    parts = [read_segment(files[part], locate) for part in plan.parts]
    kept = {file: data for file, data in files.items() if file not in plan.parts}
    merged = merge([*parts, changes], is_oldest=plan.is_oldest)
    if merged or not plan.is_oldest:
        kept[plan.level, plan.number] = write_segment(merged)
    return kept


def states(history: History) -> list[Files]:
    """The files after each commit, from before the first on."""
    files: list[Files] = [{}]
    for number, changes in enumerate(history, start=1):
        files.append(publish(files[-1], number, changes))
    return files


def listed(files: Files) -> list[tuple[str, str]]:
    return [
        (
            format_path(SegmentPath("AgentAtlas", "CxAtlas", level, number)),
            sha256(data).hexdigest(),
        )
        for (level, number), data in files.items()
    ]


def read_all(files: Files) -> list[list[Change]]:
    ordered = sorted(files, key=lambda file: file[1])
    return [read_segment(files[file], locate) for file in ordered]


@settings(max_examples=60)
@given(HISTORIES)
def test_folding_merged_segments_is_folding_the_changes(history: History) -> None:
    for number, files in enumerate(states(history)):
        assert fold(read_all(files)) == live_lines(history[:number])


@settings(max_examples=60)
@given(HISTORIES, st.data())
def test_a_reader_of_any_earlier_state_catches_up(
    history: History, data: st.DataObject
) -> None:
    every = states(history)
    then = data.draw(st.integers(0, len(history)))
    now = data.draw(st.integers(then, len(history)))
    seen, present = set(listed(every[then])), listed(every[now])

    plan = catch_up(seen, present)

    bytes_of = dict(zip(listed(every[now]), every[now].values(), strict=True))
    lines = {} if plan.refold else live_lines(history[:then])
    for file in plan.files:
        for locator, line in read_segment(bytes_of[file], locate):
            lines.pop(locator, None)
            if line is not None:
                lines[locator] = line
    assert lines == live_lines(history[:now])


@settings(max_examples=30)
@given(HISTORIES, st.integers(0, 90))
def test_what_was_seen_is_not_read_again(history: History, then: int) -> None:
    every = states(history)
    seen = set(listed(every[min(then, len(history))]))

    plan = catch_up(seen, listed(every[-1]))

    assert plan.refold or not seen.intersection(plan.files)


@given(st.integers(0, 700))
def test_eight_of_a_level_become_one_of_the_next(commits: int) -> None:
    files: list[tuple[int, int]] = []
    for number in range(1, commits + 1):
        plan = plan_merge(files, number)
        files = [file for file in files if file not in plan.parts]
        files.append((plan.level, plan.number))
        assert plan.is_oldest == (len(files) == 1)

    counts = [
        sum(1 for level, _ in files if level == wanted)
        for wanted in range(max((level for level, _ in files), default=-1) + 1)
    ]
    assert counts == level_counts(commits)


def test_a_removal_stays_while_something_older_may_hold_the_line() -> None:
    added = [(locate("a"), "a 1")]
    removed: list[Change] = [(locate("a"), None)]

    assert merge([removed], is_oldest=False) == removed
    assert merge([removed], is_oldest=True) == []
    assert merge([added, removed], is_oldest=True) == []
    assert merge([removed, added], is_oldest=False) == added


def test_a_context_that_was_emptied_is_folded_again() -> None:
    seen = {(format_path(SegmentPath("AgentA", "CxA", 0, 3)), "11")}

    assert catch_up(seen, []) == (True, [])
    assert catch_up(set(), []) == (False, [])


def test_a_newest_file_that_went_back_is_folded_again() -> None:
    old, new = (
        (format_path(SegmentPath("AgentA", "CxA", 0, number)), str(number))
        for number in (1, 2)
    )

    assert catch_up({old, new}, [old]) == (True, [old])


@given(CHANGES)
def test_reading_a_written_segment_gives_its_changes(changes: list[Change]) -> None:
    data = write_segment(changes)

    assert read_segment(data, locate) == sorted(changes)
    assert write_segment(read_segment(data, locate)) == data


def line(sign: str, word: str) -> bytes:
    return f"{sign} {word if sign == '+' else locate(word)}\n".encode()


FIRST, SECOND = sorted(["a", "b"], key=locate)


@pytest.mark.parametrize(
    ("data", "number", "reason"),
    [
        (line("+", SECOND) + line("+", FIRST), 2, "order"),
        (line("+", FIRST) + line("-", FIRST), 2, "second time"),
        (line("-", SECOND) + line("-", FIRST), 2, "order"),
        (line("+", FIRST)[:-1], 1, "line end"),
        (line("+", FIRST) + b"\n", 2, "neither"),
        (b"* a\n", 1, "neither"),
        (b"+a\n", 1, "neither"),
        (b"+ \n", 1, "empty line"),
        (b"- sha256:" + b"A" * 64 + b"\n", 1, "neither"),
        (b"- sha256:" + b"a" * 63 + b"\n", 1, "neither"),
        (line("-", FIRST).replace(b"\n", b" \n"), 1, "neither"),
        (b"+ \xff\n", 1, "UTF-8"),
        (line("+", FIRST) + b"+ " + b"x" * MAX_LINE + b"\n", 2, "line end"),
    ],
)
def test_a_segment_that_is_not_canonical_is_refused(
    data: bytes, number: int, reason: str
) -> None:
    with pytest.raises(VerificationError, match=reason) as caught:
        read_segment(data, locate, "agents/A/claims/C/0/1.kb")

    assert caught.value.details["line"] == number
    assert caught.value.details["path"] == "agents/A/claims/C/0/1.kb"


def test_only_a_line_feed_ends_a_line() -> None:
    text = "+ a\u2028b\x85c\r\n"

    assert read_segment(text.encode(), locate) == [
        (locate("a\u2028b\x85c\r"), "a\u2028b\x85c\r")
    ]


def test_bc_074_the_lines_before_a_bad_one_are_known() -> None:
    data = BytesIO(line("+", FIRST) + b"broken\n")
    scanned = scan_segment(data, locate, "x")

    assert next(scanned) == (locate(FIRST), FIRST)
    with pytest.raises(VerificationError, match="line 2"):
        next(scanned)


def test_a_hundred_thousand_lines_are_read() -> None:
    lines = sorted((f"sha256:{number:064x}", f"x{number}") for number in range(100_000))
    data = write_segment(lines)
    located = {line: locator for locator, line in lines}

    assert read_segment(data, located.__getitem__) == lines


@given(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=30),
    st.integers(0, 20),
    st.integers(1, 10**15 - 1),
)
def test_a_path_is_read_back(context: str, level: int, number: int) -> None:
    path = SegmentPath("Agent" + context, "Cx" + context, level, number)

    text = format_path(path)

    assert parse_path(text) == path
    assert len(text.split("/")) == 6
    assert text.isprintable() or not text.isascii()


@pytest.mark.parametrize(
    "text",
    [
        "agents/AgentA/claims/CxA/0/1",
        "agents/AgentA/claims/CxA/0/01.kb",
        "agents/AgentA/claims/CxA/00/1.kb",
        "agents/AgentA/claims/CxA/0/0.kb",
        "agents/AgentA/claims/CxA/-1/1.kb",
        "agents/AgentA/claims/CxA/21/1.kb",
        "agents/AgentA/claims/CxA/0/+1.kb",
        "agents/AgentA/claims/CxA/0/1_0.kb",
        "agents/AgentA/claims/CxA/0/\u0661.kb",
        "agents/AgentA/claims/CxA/0/9999999999999999.kb",
        "agents/AgentA/claims//0/1.kb",
        "agents/AgentA/claims/../0/1.kb",
        "agents/AgentA/claims/Cx%41/0/1.kb",
        "agents/AgentA/claims/Cx%2f/0/1.kb",
        "agents/AgentA/claims/Cx%/0/1.kb",
        "agents/AgentA/claims/Cx A/0/1.kb",
        "agents/AgentA/posts/CxA/0/1.kb",
        "posts/1.kb",
        "",
    ],
)
def test_another_spelling_of_a_path_is_refused(text: str) -> None:
    with pytest.raises(VerificationError):
        parse_path(text)


def test_bc_114_a_huge_number_is_refused_before_it_is_read() -> None:
    assert read_number("9" * 15) == 10**15 - 1
    assert read_number("9" * 16) is None
    assert read_number("9" * 5000) is None


@pytest.mark.parametrize("name", ["alice", "a/b", "con", "x.lock", "@", "é", "a..b"])
def test_bc_124_any_name_is_one_part_of_a_path(name: str) -> None:
    assert "/" not in quote(name)
    assert unquote(quote(name)) == name


@pytest.mark.parametrize("name", ["", ".", "..", ".git", "x" * 201, "é" * 101])
def test_bc_124_a_name_that_cannot_be_published_is_refused(name: str) -> None:
    with pytest.raises(RefusedError):
        quote(name)


def test_a_locator_has_one_spelling() -> None:
    assert is_locator("sha256:" + "0" * 64)
    assert not is_locator("sha256:" + "0" * 63 + "G")
    assert not is_locator("sha512:" + "0" * 64)
