"""Public reports of crashes and corruption, by the command line.

What is killed, full, on a network disk, read-only or reached by several ways at once:
each command works or says why not, and what was acknowledged is there.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path

import pytest

import koinii
from faces.command import COMMAND, within
from hostile.good import EVE, FRED, Story, tell
from hostile.meeting import meet
from koinii.remote.doctor import examine
from koinii.seat import disk
from remote.desks import Clock, make_desk, room, says
from stories.test_groups_killed import kill_all

KILLS = 8
BOUND = 5.0  # seconds


@pytest.fixture
def folder() -> Iterator[Path]:
    with room() as made:
        yield made


@pytest.fixture
def hub(folder: Path) -> Path:
    bare = folder / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    return bare


@pytest.fixture
def anna(folder: Path, hub: Path) -> Path:
    return make_anna(folder, hub)


def make_anna(folder: Path, hub: Path) -> Path:
    """Make a seat with a remote that shows its one commit."""
    with koinii.init(str(folder / "anna"), agent="AgentAnna") as seat:
        seat.remotes.add("origin", str(hub))
        seat.assert_("(began Anna)")
        seat.sync()
    return folder / "anna"


def said(path: Path) -> set[str]:
    with koinii.open(str(path)) as seat:
        return {text for *_, text in says(seat)}


@contextmanager
def running(*words: str, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command as a group of its own."""
    with subprocess.Popen(
        [COMMAND, *words],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            kill_all(process.pid)


# BC-003 ------------------------------------------------------------------------------


def test_bc_003_one_store_by_several_ways_at_once(folder: Path, anna: Path) -> None:
    """A symbolic link, a relative path and the directory: writers take turns."""
    (folder / "link").symlink_to(anna)
    ways = [("-C", str(folder / "link")), ("-C", "anna"), ("-C", str(anna))]
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                running(*ways[number % 3], "assert", f"(at Once{number})", cwd=folder)
            )
            for number in range(9)
        ]
        for one in processes:
            _, errors = one.communicate(timeout=60)
            assert (one.returncode, errors) == (0, b"")
    assert {f"(at Once{number})" for number in range(9)} <= said(anna)


# BC-007 ------------------------------------------------------------------------------


def test_bc_007_after_any_kill_the_next_commands_are_in_time(anna: Path) -> None:
    chance = random.Random(7)
    for number in range(KILLS):
        words = ("sync",) if number % 2 else ("assert", f"(killed N{number})")
        with running(*words, cwd=anna) as process:
            time.sleep(chance.random() * 0.6)
            kill_all(process.pid)
            process.communicate()
        for more in (("status",), ("assert", f"(after N{number})")):
            start = time.monotonic()
            with running(*more, cwd=anna) as process:
                _, errors = process.communicate(timeout=60)
            assert (process.returncode, errors) == (0, b"")
            assert time.monotonic() - start < BOUND
    assert {f"(after N{number})" for number in range(KILLS)} <= said(anna)


# BC-033 ------------------------------------------------------------------------------

CLIENTS = """
import sys
from threading import Thread
import koinii
def work(client):
    with koinii.open(sys.argv[1]) as seat:
        for number in range(3):
            text = f"(client C{client} {number})"
            assert seat.argue(text, "CxAnna").verdict == "unknown"
            assert not list(seat.ask(text))
            sys.stdout.write(seat.assert_(text) + "\\n")
threads = [Thread(target=work, args=(sys.argv[2] + one,)) for one in "abcd"]
for one in threads:
    one.start()
for one in threads:
    one.join()
"""


def test_bc_033_sixteen_clients_read_and_write_while_one_reads_on(anna: Path) -> None:
    with koinii.open(str(anna)) as seat, ExitStack() as stack:
        seat.load([f"(to Read{number})" for number in range(500)])
        query = iter(seat.ask("(to ?x)"))
        next(query)  # a query that stays open
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", CLIENTS, str(anna), number],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            for number in "0123"
        ]
        told = [one.communicate(timeout=60) for one in processes]
        assert [errors for _, errors in told] == [""] * 4
        assert len(list(query)) == 499
    locators = [line for out, _ in told for line in out.split()]
    assert len(set(locators)) == len(locators) == 48
    with koinii.open(str(anna)) as seat:
        assert set(locators) <= {one.locator for one in seat.believed()}


# BC-052 ------------------------------------------------------------------------------


def test_bc_052_a_home_on_a_network_disk_and_a_seat_that_comes_to_one(
    folder: Path, anna: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = folder / "far"
    table = folder / "mounts"
    table.write_text(f"tmpfs / tmpfs rw 0 0\nserver:/ {far} nfs4 rw 0 0\n")
    monkeypatch.setattr(disk, "MOUNTS", table)
    monkeypatch.setenv("KOINII_HOME", str(far / "home"))
    monkeypatch.setenv("HOME", str(far / "home"))
    with koinii.init(str(folder / "near"), agent="AgentNear") as near:
        near.assert_("(is Near)")
        assert near.commit()
        assert not near.notices
        assert list((far / "home").rglob("instance*"))
    assert place_of(folder / "near").state == "ok"

    moved = Path(shutil.copytree(anna, far / "anna"))
    found = place_of(moved)
    assert (found.state, "nfs4" in found.found) == ("attention", True)
    assert found.next


def place_of(path: Path) -> koinii.seat.check.Check:
    with koinii.open(str(path)) as seat:
        checks = examine(seat.layout).checks
    (found,) = [one for one in checks if one.name == "file system"]
    return found


# BC-073 ------------------------------------------------------------------------------

NO_ROOM = {
    "koinii/cannot-write", "koinii/disk", "koinii/disk-full", "koinii/no-store",
    "koinii/not-writable",
}  # fmt: skip
STEPS = [0, 40_000, 150_000, 1_000_000]  # bytes that no file grows beyond
VERBS = {
    "assert": ["assert", '(text Full{0} "' + "x" * 20_000 + '")'],
    "commit": ["commit"],
    "sync": ["sync"],
    "agent": ["agent", "new", "AgentFull{0}"],
    "remote": ["remote", "add", "full{0}", "/nowhere"],
    "rebuild": ["doctor", "--rebuild"],
    "init": ["init", "../made{0}", "--as", "AgentMade"],
    "clone": ["clone", "../hub.git", "../cloned{0}", "--as", "AgentCloned"],
}


# Runs commands, none of whose files grow past a size; the gits of them are not bound.
LIMITED = """
import io, json, resource, sys
from contextlib import redirect_stderr
from koinii.faces.cli import read_line
from koinii.faces.performing import run
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), hard))
for line in json.loads(sys.argv[2]):
    with redirect_stderr(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        code = run([*line, "--json"], read_line)
    print(code, flush=True)
"""


def commands(step: int) -> list[list[str]]:
    return [
        [word.replace("{0}", str(step)) for word in words] for words in VERBS.values()
    ]


def limited(size: int, step: int, cwd: Path) -> dict[str, tuple[int, str]]:
    """Run every verb where no file grows past a size; return exits and errors."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(size), json.dumps(commands(step))],
        cwd=cwd,
        capture_output=True,
        check=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    answers = [json.loads(line) for line in lines[::2]]
    errors = ["" if one["ok"] else one["error"]["code"] for one in answers]
    return dict(
        zip(VERBS, zip(map(int, lines[1::2]), errors, strict=True), strict=True)
    )


def test_bc_073_each_command_works_or_says_that_there_is_no_room(
    folder: Path, anna: Path
) -> None:
    told: dict[str, list[bool]] = {verb: [] for verb in VERBS}
    for step, size in enumerate(STEPS):
        for verb, (code, error) in limited(size, step, anna).items():
            assert (code in (0, 7)) == (not error), (verb, size, code, error)
            assert error in ("", *NO_ROOM), (verb, size, error)
            told[verb].append(not error)
    assert all(done[-1] for done in told.values()), told
    assert not told["assert"][0]
    check_whole(anna, told)


def check_whole(path: Path, told: Mapping[str, list[bool]]) -> None:
    """With room again all is there that was acknowledged, once, and nothing else."""
    with koinii.open(str(path)) as seat:
        assert seat.sync()[0].whole
        agents = {one.name for one in seat.agents()}
        remotes = seat.remotes.addresses()
        for step, done in enumerate(told["assert"]):
            assert len(list(seat.ask(f"(text Full{step} ?t)"))) == done
        for step, done in enumerate(told["agent"]):
            assert (f"AgentFull{step}" in agents) == done
        for step, done in enumerate(told["remote"]):
            assert (f"full{step}" in remotes) == done
        wrong = [one for one in examine(seat.layout).checks if one.state == "attention"]
        assert not [one for one in wrong if one.name != "disk"]
    for name, verb in (("made", "init"), ("cloned", "clone")):
        for step, done in enumerate(told[verb]):
            place = path.parent / f"{name}{step}"
            assert (place / "seat.toml").exists() or not done
            with suppress(koinii.KoiniiError):  # what is there is whole
                koinii.init(str(place), agent="AgentMade").close()
            with koinii.open(str(place)) as seat:
                assert seat.database.quick_check() == []


# BC-074 ------------------------------------------------------------------------------


def test_bc_074_what_one_seat_spells_wrong_hides_nothing_of_the_others() -> None:
    """Of 100 good claims of three seats, each is served; the bad are named."""
    bad = ["default x (wrong Type)", "newer 1 (unknown Version)", "default 1"]
    with room() as made:
        story: Story = tell(made)
        with meet(story, "receiver") as (meeting, seat):
            names = ["Cleo", "Dora", "Emil"]
            for name in names:
                speak(meeting.remote, meeting.path.parent, name)
            meeting.show(story.good.saying("CxEve", bad))

            pulled = seat.pull()

            for name in names:
                assert len(list(seat.ask(f"(told {name} ?n)"))) == 33
            assert list(seat.ask("(second AgentFred)"))
            (trouble,) = pulled.troubles
            assert (trouble.seat, trouble.agent) == (story.good.seat, EVE)
            assert trouble.reason
            (found,) = [
                one for one in examine(seat.layout).checks if one.state == "attention"
            ]
            assert story.good.seat in found.found
            assert EVE in found.found
            assert FRED not in found.found
            seat.assert_("(goes On)")
            assert seat.commit()


def speak(remote: Path, folder: Path, name: str) -> None:
    path = make_desk(folder, name.lower(), [f"Agent{name}"]).path
    with koinii.open(str(path), now=Clock()) as seat:
        seat.remotes.add("origin", str(remote))
        seat.load([f"(told {name} {number})" for number in range(33)])
        seat.commit()
        seat.push()


# BC-099 ------------------------------------------------------------------------------

READING = [
    ["status"], ["log"], ["ask", "(p ?x)"], ["search", "needle"], ["agent", "list"],
    ["argue", "(p 1)", "--context", "CxAnna"], ["held"], ["peers"],
]  # fmt: skip


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that every user may enter."""
    path = Path(tempfile.mkdtemp(prefix="koinii-read-"))
    path.chmod(0o755)
    yield path
    for one in [path, *path.rglob("*")]:
        one.chmod(0o755)
    shutil.rmtree(path)


def test_bc_099_every_reading_command_on_a_copy_that_nobody_may_write(
    place: Path, anna: Path
) -> None:
    path = place / "seat"
    with koinii.init(str(path), agent="AgentAnna") as seat:
        seat.load(["(p 1)", "(p 2)", '(says "a needle in it")'])
        seat.commit()
        locator = seat.locate("(p 1)", "CxAnna")
    proof = place / "proof.json"
    proof.write_text(json.dumps(json.loads(answer_of(path, "prove", locator))["data"]))
    lines = [*READING, ["show", locator], ["why", locator], ["prove", locator]]
    lines.append(["verify", str(proof)])
    before = [answer_of(path, *one) for one in lines]
    lock_up(place)
    sums = checksums(place)

    words = json.dumps([*lines, *WRITING])
    command = [sys.executable, "-c", AS_NOBODY, words, str(anna)]
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, check=True)

    *read, first, second, third, fourth = done.stdout.splitlines()
    assert read == [one.strip() for one in before]
    for one in (first, second, third, fourth):
        assert json.loads(one)["error"]["code"] == "koinii/read-only"
    assert checksums(place) == sums


WRITING = [["assert", "(q 1)"], ["commit"], ["retract", "00000000"], ["load", "-"]]

# The program's own files may be out of reach of nobody, so all is done before, once,
# at another seat.
AS_NOBODY = """
import io, json, os, sys
from contextlib import redirect_stderr, redirect_stdout
from koinii.faces.cli import read_line
from koinii.faces.performing import run
lines = json.loads(sys.argv[1])
class Text(io.TextIOWrapper):
    def __init__(self):
        super().__init__(io.BytesIO(), "utf-8")
def answers():
    for line in lines:
        out, kept = Text(), sys.stdout
        sys.stdout, sys.stdin = out, io.TextIOWrapper(io.BytesIO(b""), "utf-8")
        with redirect_stderr(Text()):
            run([*line, "--json"], read_line)
        sys.stdout = kept
        yield out.buffer.getvalue().decode()
here = os.getcwd()
os.chdir(sys.argv[2])
list(answers())
os.chdir(here)
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
print("".join(answers()), end="")
"""


def answer_of(path: Path, *words: str) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(path)
        return within(*words, "--json", full=True).out


def lock_up(path: Path) -> None:
    for one in [path, *path.rglob("*")]:
        one.chmod(0o555 if one.is_dir() else 0o444)


def checksums(path: Path) -> dict[str, str]:
    return {
        str(one.relative_to(path)): sha256(one.read_bytes()).hexdigest()
        for one in sorted(path.rglob("*"))
        if one.is_file()
    }
