"""The layers as drawn, the names as exported, and what hot modules load."""

import importlib
import pkgutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

import koinii

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/architecture.md"
SOURCE = ROOT / "src/koinii"
HOT = ["koinii.terms", "koinii.store", "koinii.kb"]
HEAVY = {
    "asyncio", "cbor2", "cryptography", "dataclasses", "json", "pathlib", "pygit2",
    "subprocess", "typer",
}  # fmt: skip
LOADED = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
__import__(sys.argv[2])
print(*sorted(set(sys.modules) - before))
"""

Layers = list[set[str]]


def layer(line: str) -> set[str]:
    return {name.strip() for name in line.split("|")}


def contract() -> Layers:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (drawn,) = [one["layers"] for one in contracts if "containers" in one]
    return [layer(line) for line in drawn]


def drawn(text: str) -> list[Layers]:
    """Return the layers of each ```layers block, top first."""
    fences = [token for token in MarkdownIt().parse(text) if token.type == "fence"]
    blocks = [fence.content for fence in fences if fence.info.strip() == "layers"]
    return [[layer(line) for line in block.splitlines()] for block in blocks]


def packages() -> list[str]:
    found = pkgutil.walk_packages(koinii.__path__, "koinii.")
    return ["koinii", *(module.name for module in found if module.ispkg)]


def wrong_exports(module: ModuleType) -> dict[str, list[str]]:
    """Return how the exports of a package differ from what stands in it."""
    exported: list[str] = getattr(module, "__all__", [])
    public = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
        if name != "TYPE_CHECKING"  # a package that avoids `typing` sets its own
        if type(value).__module__ != "__future__"
    }
    return {
        "missing": [name for name in exported if not hasattr(module, name)],
        "twice": sorted({name for name in exported if exported.count(name) > 1}),
        "not exported": sorted(public - set(exported)),
    }


def loaded_by(source: Path, name: str) -> set[str]:
    """Return what a fresh Python without site-packages loads to import `name`."""
    command = [sys.executable, "-I", "-S", "-c", LOADED, str(source), name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_layers_drawn_are_the_layers_kept() -> None:
    pages = [page.read_text(encoding="utf-8") for page in [PAGE] if page.exists()]
    assert [drawn(page) for page in pages] == [[contract()] for _ in pages]


def test_layers_are_read_from_a_page() -> None:
    page = "x\n\n```layers\na\nb | c\n```\n\n```text\nd\n```\n"
    assert drawn(page) == [[{"a"}, {"b", "c"}]]


@pytest.mark.parametrize("name", packages())
def test_a_package_exports_what_stands_in_it(name: str) -> None:
    module = importlib.import_module(name)
    assert not any(wrong_exports(module).values()), wrong_exports(module)


def test_wrong_exports_are_found() -> None:
    module = ModuleType("sample")
    vars(module).update(__all__=["a", "b", "b", "gone"], a=1, b=2, c=3, _d=4, sys=sys)
    assert wrong_exports(module) == {
        "missing": ["gone"],
        "twice": ["b"],
        "not exported": ["c"],
    }


def test_hot_modules_load_nothing_heavy() -> None:
    """One test over those that are there, so that none is skipped."""
    present = [name for name in HOT if (SOURCE / name.split(".")[1]).exists()]
    found = {name: loaded_by(ROOT / "src", name) & HEAVY for name in present}
    assert found == {name: set() for name in present}


def test_a_heavy_import_is_found(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text("def f():\n    import json\n\nimport pathlib\n")
    assert loaded_by(tmp_path, "sample") & HEAVY == {"pathlib"}
