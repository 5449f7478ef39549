"""BC-112: no length is special on the way from the keyboard to another seat."""

import subprocess
from pathlib import Path

import koinii
from koinii.terms import encode, locate, read, write
from koinii.terms.term import MAX_TEXT

EDGES = [0, 23, 24, 255, 256, *range(4085, 4101), *range(65_480, 65_537)]
FRAME = len('(note Item ""))') - 1  # what stands around a text


def texts() -> list[str]:
    """Texts whose sentences have these sizes in bytes, two with wide characters."""
    found = {""}
    for size in EDGES:
        room = size - FRAME
        if room > 0:
            found |= {"x" * room, "x" * (room - 4) + "\N{GRINNING FACE}"[: room // 4]}
            found.add("\N{LATIN SMALL LETTER E WITH ACUTE}" * (room // 2))
    return sorted(found)


def test_bc_112_no_length_changes_on_the_way_to_another_seat(tmp_path: Path) -> None:
    hub = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", hub], check=True)
    sentences = [f"(note Item {write(text)})" for text in texts()]
    sizes = {len(sentence.encode()) for sentence in sentences}
    assert {MAX_TEXT, MAX_TEXT - 1, 4096, 256} <= sizes

    with koinii.init(str(tmp_path / "a"), agent="AgentAtlas") as seat:
        seat.remotes.add("origin", str(hub))
        for sentence in sentences[::2]:
            assert seat.assert_(sentence) == locate("CxAtlas", sentence)
        loaded = seat.load(sentences)
        assert (loaded.new + loaded.already, loaded.refused) == (len(sentences), [])
        assert len(seat.load([f"(note Item {write('x' * MAX_TEXT)})"]).refused) == 1
        here = {one.locator: write(one.sentence) for one in seat.believed()}
        committed = seat.commit()
        seat.push()

    with koinii.clone(str(hub), str(tmp_path / "b"), agent="AgentBoreas") as other:
        there = {one.locator: write(one.sentence) for one in other.believed()}
        assert there == here == {locate("CxAtlas", s): s for s in sentences}
        again = other.commit()
    assert committed is not None
    assert again is not None
    assert again.id == committed.id
    assert all(encode(read(text)) for text in there.values())
