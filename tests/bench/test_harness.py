"""The bench works at tiny sizes; how fast anything is, no test says."""

import json
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import packages
from bench.drawing import draw
from bench.figure_04 import root_of_hashes
from bench.figures import figures, run_figure
from bench.harness import Harness, Most, Speed, Times, Trial, Work, duration, take_turns
from reference.rfc6962 import defined_root


def noting(name: str, notes: list[str]) -> Trial:
    def trial() -> Work:
        notes.append(f"prepare {name}")
        return lambda: notes.append(name)

    return trial


def test_they_take_turns_after_a_round_that_is_not_kept() -> None:
    notes: list[str] = []
    ours, baseline = take_turns(noting("ours", notes), noting("raw", notes), 5)
    assert len(ours) == len(baseline) == 5
    assert notes[::2] == [f"prepare {name}" for name in notes[1::2]]
    assert notes[1:10:2] == ["raw", "ours", "ours", "raw", "raw"]
    assert notes[1::2].count("ours") == notes[1::2].count("raw") == 6


@pytest.mark.parametrize(
    ("reach", "ratio", "answer"),
    [
        (Speed(0.25), 0.5, "reached"),
        (Speed(0.6), 0.5, "missed"),
        (Times(2), 2, "reached"),
        (Times(1.5), 2, "missed"),
    ],
)
def test_a_reach_is_a_part_of_the_speed_or_a_multiple_of_the_time(
    reach: Speed | Times, ratio: float, answer: str
) -> None:
    assert reach.ratio(ours=2.0, baseline=1.0) == ratio
    assert reach.reached(ours=2.0, baseline=1.0) is (answer == "reached")


def test_a_median_of_few_rounds_is_refused(tmp_path: Path) -> None:
    harness = Harness(1, tmp_path, tmp_path)
    trial = noting("x", [])
    with pytest.raises(AssertionError, match="5 rounds"):
        harness.measure("x", trial, trial, 4, reach=Times(1), size=10)
    harness.measure("x", trial, trial, 3, reach=Times(1), size=1_000_000)


def test_rows_are_printed_written_and_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harness = Harness(7, tmp_path / "out", tmp_path / "drawings")
    trial = noting("x", [])
    row = harness.measure("work <1>", trial, trial, reach=Times(1e9), size=10)
    alone = harness.measure("alone", None, trial, reach=Speed(0.5), size=10)
    harness.write()

    header, first, second = capsys.readouterr().out.splitlines()
    columns = ["#", "work", "size", "ours", "baseline", "ratio", "reach", "reached"]
    assert header.split() == columns
    assert first.split()[0] == "7"
    assert first.split()[-1] == "yes"
    assert second.split()[-1] == "-"
    assert (row.reached, alone.ours, alone.ratio, alone.reached) == (True, *[None] * 3)
    written = json.loads((tmp_path / "out/figure_07.json").read_text())
    assert [one["work"] for one in written["rows"]] == ["work <1>", "alone"]
    picture = (tmp_path / "drawings/figure_07.svg").read_text()
    assert ElementTree.fromstring(picture).tag.endswith("svg")  # noqa: S314 - ours
    assert "work &lt;1&gt;" in picture


def test_memory_is_weighed_once_and_shown_in_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    harness = Harness(7, tmp_path / "out", tmp_path / "drawings")
    reach = Most(200_000_000)
    row = harness.weigh("less", lambda: 150e6, lambda: 10e6, reach=reach, size=10)
    more = harness.weigh("more", lambda: 201e6, lambda: 10e6, reach=reach, size=10)
    harness.write()

    assert (row.ratio, row.reached, more.reached) == (15, True, False)
    line = capsys.readouterr().out.splitlines()[1]
    assert line.split()[3:] == ["150", "MB", "10", "MB", "15", "<=", "200MB", "yes"]
    written = json.loads((tmp_path / "out/figure_07.json").read_text())
    assert {one["unit"] for one in written["rows"]} == {"bytes"}
    assert "201 MB" in (tmp_path / "drawings/figure_07.svg").read_text()


def test_the_longest_bar_of_a_pair_is_the_longer_time() -> None:
    picture = draw("t", [("work", [("ours", 1.0, "1 s"), ("baseline", 4.0, "4 s")])])
    widths = [
        float(part.split('"')[0])
        for line in picture.splitlines()
        if 'x="90"' in line
        for part in line.split('width="')[1:]
    ]
    assert widths == [120.0, 480.0]


def test_nothing_is_drawn_of_a_baseline_alone(tmp_path: Path) -> None:
    harness = Harness(7, tmp_path / "out", tmp_path / "drawings")
    harness.measure("alone", None, noting("x", []), reach=Speed(0.5), size=10)
    harness.write()
    assert not (tmp_path / "drawings").exists()


@pytest.mark.parametrize("number", sorted(figures()))
def test_a_figure_runs_at_tiny_sizes(number: int, tmp_path: Path) -> None:
    figure = figures()[number]
    assert figure.__doc__
    harness = run_figure(figure, tmp_path, tmp_path, tiny=True)
    assert {row.size for row in harness.rows} == set(figure.TINY)
    assert {row.figure for row in harness.rows} == {number}
    assert len(figure.SIZES) >= 2
    assert all(row.baseline > 0 for row in harness.rows)
    assert (tmp_path / f"figure_{number:02}.json").exists()


def test_numbers_of_figures_are_those_of_their_files() -> None:
    files = Path(__file__).parent.glob("figure_*.py")
    assert sorted(int(path.stem.removeprefix("figure_")) for path in files) == sorted(
        figures()
    )


@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 8, 13, 64, 100])
def test_the_baseline_computes_the_defined_root(size: int) -> None:
    data = [str(number).encode() for number in range(size)]
    hashes = [sha256(b"\x00" + one).digest() for one in data]
    assert root_of_hashes(hashes) == defined_root(data)


def test_durations_are_shown_for_one_operation() -> None:
    shown = [duration(None), duration(2.5), duration(0.5, 100), duration(3e-6)]
    assert shown == ["-", "2.5 s", "5 ms", "3 us"]
    assert duration(5e-7, 2) == "250 ns"


def test_packages_make_a_graph_of_the_size_that_is_wanted() -> None:
    edges = packages.graph(500)
    assert len(edges) == len(set(edges)) == 500
    assert edges == packages.graph(500)
    assert len(list(packages.facts(edges))) == 500
    status = "Package: a\nDepends: b (>= 1), c | d\n\nPackage: b\nPre-Depends: c:any\n"
    assert list(packages.debian(status)) == [("a", "b"), ("a", "c"), ("b", "c")]
    made = [edge for edge in edges if edge[0].startswith("made-")]
    assert made
    assert all(one.rsplit("-", 2)[1] < other.rsplit("-", 2)[1] for one, other in made)
