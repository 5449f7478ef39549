"""Histories as files: ours and the stand-alone verifier give one verdict."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from history.sample_history import MOST, files, head, records
from history.sample_proofs import (
    AGENT_KEY,
    DOCUMENTS,
    ORIGIN,
    RECORD,
    SEAT_KEY,
    head_of,
    text_of,
)
from history.stand_alone import ALONE, PROGRAM, alone
from koinii.history import Log
from koinii.history.headproof import KIND
from koinii.history.log import encode_bundle
from koinii.history.stateproof import not_shown, verify
from koinii.note import PrivateKey, Signer

KEY = SEAT_KEY.public.openssh("mine")
ALL = records()
FEW = ALL[:5]


def both(document: str | bytes, **given: Any) -> bool:
    """Return the one verdict of both; what they say that they checked is the same."""
    given = {"keys": [KEY], **given}
    ours = verify(document, **given)
    data = document.encode() if isinstance(document, str) else document
    assert alone(data, **given) is ours.ok, ours.reason
    if ours.ok:
        assert ALONE.verify(data, **given) == (KIND, ours.checked, ours.assumes)
    return ours.ok


@pytest.mark.parametrize("size", [1, 2, 5, 255, 256, 257, MOST])
def test_a_head_over_its_records_is_good(size: int) -> None:
    given = ALL[:size]
    older = head(ALL[: size // 2 or 1])
    assert both(head(given), entries=files(given), since=older)
    assert both(
        head(given).encode(),
        entries=files(given),
        root=RECORD.commit_id,
        head=head(given),
    )
    assert list(not_shown(KIND)) == ALONE.NOT_SHOWN[KIND]


def test_what_was_checked_is_told() -> None:
    found = verify(head(FEW), keys=[KEY], entries=files(FEW), since=head(ALL[:2]))
    assert found.checked == [
        f"the head is signed by the key of seat {RECORD.seat}",
        "records under it, each following the one before: 5",
        "the head extends the older one, that of commit 2",
        "the signer's key is one expected",
    ]
    assert not found.assumes


@settings(max_examples=40)
@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 12))
def test_it_extends_a_prefix_and_nothing_else(size: int, older: int, fork: int) -> None:
    """An older head is extended where it is over the first of the same records."""
    other = records(older, fork)
    good = older <= size and (fork == 0 or fork > older)
    assert both(head(ALL[:size]), entries=files(ALL[:size]), since=head(other)) is good


OTHER = PrivateKey.from_seed(b"o" * 32)
SHORT, LONG = files(FEW)[0], files(ALL)
REST = encode_bundle([one.encode() for one in ALL[3:5]])
BAD: dict[str, tuple[str | bytes, dict[str, Any]]] = {
    "no records": (head(FEW), {}),
    "no files": (head(FEW), {"entries": []}),
    "an empty file": (head(FEW), {"entries": [b""]}),
    "a file more": (head(FEW), {"entries": [SHORT, b""]}),
    "a record missing": (head(FEW), {"entries": files(ALL[:4])}),
    "a record more": (head(FEW), {"entries": files(ALL[:6])}),
    "a file cut short": (head(FEW), {"entries": [SHORT[:-1]]}),
    "half a length": (head(FEW), {"entries": [SHORT + b"\0"]}),
    "an empty record": (head(FEW), {"entries": [SHORT + b"\0\0"]}),
    "a gap": (head(ALL), {"entries": LONG[1:]}),
    "files out of order": (head(ALL), {"entries": LONG[::-1]}),
    "a file twice": (head(ALL), {"entries": [LONG[0], *LONG]}),
    "a file that is not full": (
        head(FEW), {"entries": [*files(ALL[:3]), REST]},
    ),
    "other records": (head(FEW), {"entries": files(records(5, 4))}),
    "no key": (head(FEW), {"entries": files(FEW), "keys": []}),
    "no keys": (head(FEW), {"entries": files(FEW), "keys": None}),
    "another key": (
        head(FEW), {"entries": files(FEW), "keys": [AGENT_KEY.public.openssh()]},
    ),
    "a head that another key signed": (
        head(FEW, Signer.of(ORIGIN, OTHER)),
        {"entries": files(FEW)},
    ),
    "another root": (head(FEW), {"entries": files(FEW), "root": "sha256:" + "0" * 64}),
    "another head": (head(FEW), {"entries": files(FEW), "head": head(ALL)}),
    "an older head that is newer": (
        head(FEW), {"entries": files(FEW), "since": head(ALL)},
    ),
    "an older head of another history": (
        head(FEW), {"entries": files(FEW), "since": head(records(3, 2))},
    ),
    "an older head that is none": (head(FEW), {"entries": files(FEW), "since": "x"}),
    "an older head by another key": (
        head(FEW),
        {"entries": files(FEW), "since": head(ALL[:1], Signer.of("AgentAtlas", OTHER))},
    ),
    "an older head of another log": (
        head(FEW),
        {"entries": files(FEW), "since": head_of(Log([ALL[0].leaf]), origin="other")},
    ),
    "no signature": (head(FEW).split("\n\n")[0], {"entries": files(FEW)}),
    "no UTF-8": (b"koinii.seat/\xff", {"entries": files(FEW)}),
    "too long": (head(FEW) + "x" * 2_000_000, {"entries": files(FEW)}),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_off_is_refused_by_both(name: str) -> None:
    document, expected = BAD[name]
    assert not both(document, **expected)


@pytest.mark.parametrize(
    "changes",
    [
        {"number": 4},
        {"number": 6},
        {"seat": "0" * 32},
        {"previous": b"x" * 32},
    ],
)
def test_a_record_out_of_line_is_refused_by_both(changes: dict[str, Any]) -> None:
    """Also where a seat has signed a head over it."""
    given = (*ALL[:4], replace(ALL[4], **changes))
    assert not both(head(given), entries=files(given))


@settings(max_examples=50)
@given(st.data())
def test_a_changed_bit_is_refused_by_both(data: st.DataObject) -> None:
    given = ALL[:2]
    parts = [head(given).encode(), *files(given), head(ALL[:1]).encode()]
    at = data.draw(st.integers(0, len(parts) - 1))
    changed = bytearray(parts[at])
    bit = data.draw(st.integers(0, 8 * len(changed) - 1))
    changed[bit // 8] ^= 1 << bit % 8
    parts[at] = bytes(changed)
    assert not both(parts[0], entries=[parts[1]], since=parts[2])


@pytest.mark.parametrize(
    "expected",
    [
        *[{"entries": wrong} for wrong in (3, "x", [3], ["x"], object())],
        *[{"since": wrong} for wrong in (3, [b"x"], object())],
        *[{"keys": wrong} for wrong in (3, [3], object())],
    ],
)
def test_a_wrong_type_never_raises(expected: dict[str, Any]) -> None:
    found = verify(head(FEW), **{"entries": files(FEW), "keys": [KEY], **expected})
    assert not found
    assert found.reason


def test_records_go_with_a_head_and_not_with_a_proof() -> None:
    for name in ("inclusion 1", "attribution 1"):
        text = text_of(DOCUMENTS[name])
        assert not both(text, keys=None, entries=files(FEW))
        assert not both(text, keys=None, since=head(FEW))


def run(*words: str | Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-I", PROGRAM, *words], capture_output=True, check=False
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_program_checks_files(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_text(head(ALL))
    (tmp_path / "old").write_text(head(FEW))
    (tmp_path / "fork").write_text(head(records(5, 5)))
    (tmp_path / "seat.pub").write_text(KEY + "\n")
    words: list[str | Path] = [tmp_path / "checkpoint", "--key", tmp_path / "seat.pub"]
    for number, data in enumerate(files(ALL)):
        (tmp_path / f"{number:04}").write_bytes(data)
        words += ["--entries", tmp_path / f"{number:04}"]

    code, out, err = run(*words, "--since", tmp_path / "old")
    assert (code, err) == (0, "")
    assert out.startswith("GOOD: history\n")
    assert out.count("  checked: ") == 4
    assert out.count("  not shown: ") == 3
    code, out, err = run(*words, "--since", tmp_path / "fork")
    assert (code, err) == (6, "")
    assert "two histories of one seat" in out
    assert run(*words[:-2])[0] == 6
    assert run(words[0])[0] == 6
    assert run(*words, "--since")[0] == 2
    assert run(*words, "--entries", tmp_path / "gone")[0] == 2
