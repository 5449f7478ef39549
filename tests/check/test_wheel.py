"""BC-045: the wheel is pure, installs alone into a new environment, and works there."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def run(*words: str | Path, cwd: Path) -> str:
    """Run a command without network settings, user or what Python was told here."""
    kept = {"PATH": os.environ["PATH"], "HOME": str(cwd), "LC_ALL": "C"}
    done = subprocess.run(
        list(map(str, words)),
        cwd=cwd,
        env={**kept, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """Build the wheel of this checkout with the back end that it names."""
    build = ("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist")
    run(sys.executable, *build, cwd=ROOT)
    (built,) = (tmp_path / "dist").iterdir()
    return built


@pytest.mark.check
def test_bc_045_the_wheel_installs_alone_and_works(wheel: Path, tmp_path: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    place = tmp_path / "new"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    pip = (python, "-m", "pip")
    run(*pip, "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    lend_dependencies(place)

    assert run(*pip, "check", cwd=tmp_path) == "No broken requirements found.\n"
    where = "import koinii; print(koinii.__file__)"
    assert run(python, "-c", where, cwd=tmp_path).startswith(str(place))
    self_test(place / "bin" / "koinii", tmp_path)


def lend_dependencies(place: Path) -> None:
    """Let the new environment see the packages of this one, after its own."""
    (own,) = place.glob("lib/python*/site-packages")
    here = Path(pytest.__file__).parent.parent
    (own / "dependencies.pth").write_text(f"{here}\n")


def self_test(koinii: Path, folder: Path) -> None:
    """Go once round: a seat, a claim, a commit, a proof, its verdict."""
    seat = folder / "seat"
    run(koinii, "init", seat, "--as", "AgentAtlas", cwd=folder)
    locator = run(koinii, "-C", seat, "assert", "(likes Ann Tea)", cwd=folder).strip()
    run(koinii, "-C", seat, "commit", cwd=folder)
    proof = run(koinii, "-C", seat, "prove", locator, cwd=folder)
    (folder / "proof.json").write_text(proof)
    checked = run(koinii, "verify", "proof.json", cwd=folder)
    assert checked.startswith("verified\n")


@pytest.mark.check
def test_bc_045_the_wheel_holds_the_program_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "koinii/store/schema/0001.sql" in names
    assert "koinii/py.typed" in names
    shipped = {
        path.relative_to(ROOT / "src").as_posix()
        for path in ROOT.glob("src/koinii/vocabulary/*/*.kb")
    }
    assert shipped
    assert "koinii/remote/libgit_settings/config" in names
    assert shipped <= set(names)
    outside = {name.split("/")[0] for name in names} - {"koinii"}
    assert {name.rsplit(".", 1)[-1] for name in outside} == {"dist-info"}
    assert not [name for name in names if "__pycache__" in name or "/tests/" in name]
