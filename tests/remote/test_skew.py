"""Seats of several versions of the program: whose vocabulary differs is told."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from faces.command import within
from koinii import RemoteSeat
from koinii.kb import vocabulary
from koinii.seat.records import last_record
from koinii.seat.reporting import Skew
from remote.desks import hand_over, make_desk

Pair = tuple[RemoteSeat, RemoteSeat]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    agents = {"anna": "AgentAtlas", "bert": "AgentBoreas"}
    made = [make_desk(tmp_path, name, [agent]) for name, agent in agents.items()]
    with made[0].copy_to(tmp_path / "a") as anna, made[1].copy_to(tmp_path / "b") as b:
        yield anna, b


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The vocabulary of another version: one file has a word more."""
    folder = tmp_path / "newer"
    shutil.copytree(vocabulary._DIRECTORY, folder)
    with (folder / "CxCore.kb").open("a", encoding="utf-8") as file:
        file.write('(comment latest "Not in the other version.")\n')
    return folder


def test_a_record_names_the_vocabulary(pair: Pair) -> None:
    anna, _ = pair
    anna.commit()
    record = last_record(anna)
    assert record is not None
    assert record.vocabulary == vocabulary.digests()


def test_another_vocabulary_is_news(
    pair: Pair, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, _ = pair
    anna.commit()
    assert anna.commit() is None
    monkeypatch.setattr(vocabulary, "_DIRECTORY", str(newer))
    again = anna.commit()
    assert again is not None
    assert again.number == 2
    assert anna.commit() is None


def test_the_same_vocabulary_is_no_skew(pair: Pair) -> None:
    anna, bert = pair
    bert.commit()
    anna.commit()
    hand_over(bert, anna)
    assert anna.status().skew == []


def test_a_vocabulary_that_differs_is_skew(
    pair: Pair, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, bert = pair
    anna.commit()
    with monkeypatch.context() as there:
        there.setattr(vocabulary, "_DIRECTORY", str(newer))
        bert.commit()
        hand_over(bert, anna)
        assert anna.status().skew == []
    assert anna.status().skew == [Skew(bert.id, 1, ["CxCore"])]

    told = within("-C", anna.layout.directory, "status")
    assert told.code == 0
    assert "vocabulary differs: CxCore: seat " + bert.id in told.err
    assert f"{bert.id}\n" in told.out

    bert.commit()
    hand_over(bert, anna)
    assert anna.status().skew == []
