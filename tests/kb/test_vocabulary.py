"""The shipped vocabulary: what it says, in which spelling, under which digests."""

import shutil
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path
from time import perf_counter

import pytest

import koinii
from koinii.errors import SurroundingsError
from koinii.kb import vocabulary
from koinii.terms import canonical, read, write
from koinii.terms.reader import read_canonical
from koinii.terms.shape import STRUCTURAL, check_sentence
from koinii.terms.term import Symbol
from pages import blocks

SHIPPED = Path(koinii.__file__).parent / "vocabulary"
FILES = sorted(SHIPPED.glob("*/*.kb"))

MARKS = {
    "1": "unaryPredicate",
    "2": "binaryPredicate",
    "3": "ternaryPredicate",
    "F": "functional",
    "I": "instanceRelationPredicate",
    "M": "modalPredicate",
    "T": "targetFollowingPredicate",
}
# Each word with its marks and the types of its arguments.
WORDS = {
    "CxCore": """
        implies -
        and -
        not -
        genlCx 2
        genl 2
        symmetric 1
        functional 1
        disjoint 2
        arg 3
        targetFollowingPredicate 1
        modalPredicate 1
        channel 1
        convened 1
        except 1
        believes 2M
        thing 1
        character_string 1
        comment 2
        unaryPredicate 1
        binaryPredicate 1
        ternaryPredicate 1
        instanceRelationPredicate 1
        """,
    "CxRegistry": """
        agent 1
        displayNameOf 2FI agent character_string
        trustLevel 2FI agent thing
        """,
    "CxSpeechActs": """
        asserts 2I agent
        queries 2I agent
        answers 3IT agent
        disputes 2IT agent
        endorses 2IT agent
        justifies 3IT agent
        votesFor 2IT agent
        votesAgainst 2IT agent
        retracts 2I agent
        notUnderstood 2I agent
        refuse 2I agent
        contested 1
        groundedIn IT
        """,
}
OTHERS = {
    ("CxUniverse", "(genlCx CxUniverse CxCore)"),
    ("CxUniverse", "(genlCx CxRegistry CxCore)"),
    ("CxUniverse", "(genlCx CxSpeechActs CxCore)"),
    ("CxRegistry", "(genl agent thing)"),
    ("CxSpeechActs", "(implies (disputes ?var0 ?var1) (contested ?var1))"),
}


def rows(context: str) -> list[list[str]]:
    return [line.split() for line in WORDS[context].split("\n") if line.strip()]


def said_of(name: str, marks: str, types: list[str]) -> set[str]:
    """Return what the table says of one word."""
    marked = {f"({MARKS[mark]} {name})" for mark in marks.strip("-")}
    return marked | {f"(arg {name} {n} {t})" for n, t in enumerate(types, 1)}


def said() -> list[tuple[str, str]]:
    return [(where, write(sentence)) for where, sentence in vocabulary.sentences()]


def comments() -> list[tuple[str, str]]:
    """Return (context, word) of each comment."""
    return [
        (where, sentence[1].name)
        for where, sentence in vocabulary.sentences()
        if type(sentence) is tuple and sentence[0] == Symbol("comment")
        if type(sentence[1]) is Symbol and type(sentence[2]) is str
    ]


def test_it_says_what_the_table_says_and_no_more() -> None:
    table = {
        (where, sentence)
        for where in WORDS
        for name, marks, *types in rows(where)
        for sentence in said_of(name, marks, types)
    }
    kept = {one for one in said() if not one[1].startswith("(comment ")}
    assert kept == table | OTHERS


def test_every_word_has_one_comment_where_it_belongs() -> None:
    table = [(where, name) for where in WORDS for name, *_ in rows(where)]
    assert Counter(comments()) == Counter(table)
    assert len(comments()) == sum(" (comment " in f" {text}" for _, text in said())


def test_every_structural_word_is_a_word_of_the_core() -> None:
    assert {name for name, *_ in rows("CxCore")} >= STRUCTURAL


def test_nothing_is_said_twice() -> None:
    assert len(set(said())) == len(said())


@pytest.mark.parametrize("path", FILES, ids=lambda path: "-".join(path.parts[-2:]))
def test_every_line_is_a_comment_or_a_sentence_in_its_one_form(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    lines = [line for line in text.split("\n") if line and not line.startswith(";")]
    assert lines
    for line in lines:
        sentence = read_canonical(line)
        assert canonical(sentence) == sentence
        check_sentence(sentence)


def test_the_files_of_the_newest_version_are_the_ones_read() -> None:
    assert max(int(path.parent.name) for path in FILES) == vocabulary.VERSION
    here = [path for path in FILES if path.parent.name == str(vocabulary.VERSION)]
    assert [path.stem for path in here] == sorted(vocabulary.CONTEXTS)
    text = "".join(path.read_text("utf-8") for path in here)
    lines = [line for line in text.split("\n") if line and line[0] != ";"]
    assert Counter(map(read, lines)) == Counter(
        sentence for _, sentence in vocabulary.sentences()
    )


# Digests ----------------------------------------------------------------------


def test_no_released_file_has_changed() -> None:
    """The page has the digest of each file of each version, for good."""
    lines = [
        f"{path.parent.name} {path.stem} {sha256(path.read_bytes()).hexdigest()}"
        for path in FILES
    ]
    assert blocks("vocabulary")["digests"].splitlines() == lines


def test_the_digests_are_those_of_the_bytes() -> None:
    shown = {
        context: bytes.fromhex(one)
        for version, context, one in map(
            str.split, blocks("vocabulary")["digests"].splitlines()
        )
        if version == str(vocabulary.VERSION)
    }
    assert vocabulary.digests() == shown
    lines = "".join(f"{context} {one.hex()}\n" for context, one in shown.items())
    assert vocabulary.digest() == sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize("context", vocabulary.CONTEXTS)
def test_a_comment_line_moves_the_digests(
    context: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests, whole, before = vocabulary.digests(), vocabulary.digest(), said()
    shutil.copytree(vocabulary._DIRECTORY, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(vocabulary, "_DIRECTORY", str(tmp_path))
    assert (vocabulary.digests(), vocabulary.digest()) == (digests, whole)
    with (tmp_path / f"{context}.kb").open("a", encoding="utf-8") as file:
        file.write("; more\n")
    moved = {name for name, one in vocabulary.digests().items() if one != digests[name]}
    assert moved == {context}
    assert vocabulary.digest() != whole
    assert said() == before


def test_a_missing_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary, "_DIRECTORY", str(tmp_path))
    for reads in (vocabulary.sentences, vocabulary.digests, vocabulary.digest):
        with pytest.raises(SurroundingsError) as caught:
            reads()
        assert caught.value.code == "koinii/missing-seed"
        assert caught.value.details["path"] == str(tmp_path / "CxCore.kb")


def test_a_write_that_cannot_begin_leaves_the_next_one_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    koinii.init(str(tmp_path / "seat"), agent="AgentAtlas").close()
    with koinii.open(str(tmp_path / "seat")) as seat:
        with monkeypatch.context() as patch:
            patch.setattr(vocabulary, "_DIRECTORY", str(tmp_path))
            with pytest.raises(SurroundingsError):
                seat.assert_("(p A)")
        seat.load(["(p A)", "(implies (p ?x) (q ?x))"])
        assert [row["?x"] for row in seat.ask("(q ?x)")] == [Symbol("A")]


# Start-up ---------------------------------------------------------------------

_LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
from koinii.kb import vocabulary
vocabulary.digest()
vocabulary.sentences()
print(*sys.modules)
"""


def test_it_loads_nothing_slow() -> None:
    command = [sys.executable, "-I", "-S", "-c", _LOADED, str(SHIPPED.parent.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    heavy = {"dataclasses", "importlib.resources", "json", "pathlib", "typing"}
    assert not heavy & set(done.stdout.split())


def test_reading_it_is_quick() -> None:
    def took() -> float:
        start = perf_counter()
        vocabulary.digest()
        vocabulary.sentences()
        return perf_counter() - start

    assert min(took() for _ in range(5)) < 0.02
