"""The documents run, their links lead somewhere, and they name no machine."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from console import parse, run_markdown

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCUMENTS = sorted([README, *ROOT.glob("docs/**/*.md"), *ROOT.glob("seats/**/*.md")])
RUN = [
    page
    for page in [
        README,
        *[ROOT / "docs" / name for name in ("tour.md", "audit.md", "coordination.md")],
        *sorted(ROOT.glob("seats/*/README.md")),
    ]
    if page.exists() and page.read_text(encoding="utf-8").strip()
]
MACHINE = re.compile(
    r"(?<![\w.~:/-])/(?:home|root|Users|work|workspace|mnt|media|private)/\w[^\s`\"')]*"
    r"|\b[A-Z]:\\\w+"
)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def tokens(page: Path) -> Iterator[Token]:
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        yield token
        yield from token.children or []


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page that lead to no file of the repository."""
    found = [token.attrGet("href") or token.attrGet("src") for token in tokens(page)]
    parts = [(str(link), urlsplit(str(link))) for link in found if link]
    relative = [(link, at.path) for link, at in parts if not at.scheme and at.path]
    return [link for link, path in relative if not leads(page, unquote(path))]


def leads(page: Path, path: str) -> bool:
    target = (page.parent / path).resolve()
    inside = target.is_relative_to(ROOT) or target.is_relative_to(page.parent)
    return inside and not path.startswith("/") and target.exists()


def machine_paths(text: str) -> list[str]:
    """Return the paths that exist on one machine only."""
    own = [str(ROOT)] if str(ROOT) in text else []
    return [found[0] for found in MACHINE.finditer(text)] + own


def scratch(page: Path, folder: Path) -> Path:
    """Return where a page is read: beside copies of the files it can speak of."""
    seats = ROOT / "seats"
    junk = shutil.ignore_patterns("__pycache__", ".koinii")
    if seats.exists():
        shutil.copytree(seats, folder / "seats", ignore=junk)
    shutil.copytree(ROOT / "docs/verify", folder / "docs/verify", ignore=junk)
    return folder / page.parent.relative_to(ROOT) if seats in page.parents else folder


@pytest.mark.parametrize("page", RUN or [README], ids=name)
def test_what_a_page_shows_is_what_happens(page: Path, tmp_path: Path) -> None:
    assert page not in RUN or parse(page), "a page of commands that has none"
    run_markdown(page, scratch(page, tmp_path))


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_links_lead_to_files(page: Path) -> None:
    assert broken_links(page) == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=name)
def test_no_machine_is_named(page: Path) -> None:
    assert machine_paths(page.read_text(encoding="utf-8")) == []


def test_the_readme_links_nothing_twice() -> None:
    links = [token.attrGet("href") for token in tokens(README) if token.attrGet("href")]
    assert len(links) > 9
    assert sorted(map(str, links)) == sorted(set(map(str, links)))


@pytest.mark.parametrize("page", RUN, ids=name)
def test_a_page_of_commands_says_how_to_come_by_koinii(page: Path) -> None:
    """Before its first command; and it calls no `python`, which may be missing."""
    text = page.read_text(encoding="utf-8")
    before, _, after = text.partition("```console")
    assert ". .venv/bin/activate" in before
    assert not re.search(r"(?<![\w.-])python ", after)
    if page.parent.parent.name == "seats":
        folder = page.parent.name
        assert f"cp -r seats/{folder} ~/{folder} && cd ~/{folder}" in before


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "with space.md").touch()
    right = "[a](page.md#title) [b](with%20space.md) [c](https://x.example/y) [d](#e)"
    wrong = "[a](gone.md) ![b](gone.svg) [c](/page.md)\n\n[d]: ../\n[d]"
    page.write_text(f"{right}\n\n`[x](code.md)`\n\n{wrong}\n", encoding="utf-8")
    assert broken_links(page) == ["gone.md", "gone.svg", "/page.md", "../"]


def test_a_path_of_a_machine_is_found() -> None:
    wrong = "see /home/ann/seat, `/work/x`, C:\\Users and docs/home/x ~/work/y"
    assert machine_paths(wrong) == ["/home/ann/seat,", "/work/x", "C:\\Users"]
    assert machine_paths(f"in {ROOT}/docs")
