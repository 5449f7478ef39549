"""Reports about git between seats: each over a server of git, where one is told of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

import koinii
from cases.seats import told
from faces.command import koinii as run
from koinii import RemoteSeat
from koinii.remote.publish import own_ref
from remote import journeys
from remote.desks import Clock, make_key
from remote.journeys import HUB, at, make_hub
from remote.servers import git_daemon


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty HOME; nothing of a git that runs the tests is left."""
    for name in os.environ:
        if name.startswith(("GIT_", "SSH_")):
            monkeypatch.delenv(name)
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return place


@pytest.fixture
def hub(folder: Path) -> Path:
    (folder / "served").mkdir()
    return make_hub(folder / "served")


@pytest.fixture
def url(hub: Path) -> Iterator[str]:
    with git_daemon(hub.parent) as server:
        yield server.url(HUB)


def head_at(hub: Path, ref: str) -> str:
    """The signed head that a seat shows on the remote, read by stock git."""
    return at(hub, "show", f"{ref}:checkpoint") + "\n"


# What is reported is so -------------------------------------------------------------


def test_bc_002_what_a_sync_reports_a_new_seat_finds_and_proves(
    folder: Path, hub: Path, url: str
) -> None:
    """Ten times, both write in between; then once with nothing to say."""
    with (
        journeys.seat(folder, "anna", url) as anna,
        journeys.seat(folder, "bert", str(hub)) as bert,
    ):
        for turn in range(10):
            claim = anna.assert_(f"(turn {turn})")
            _, commit, pushed = anna.sync()
            assert commit and pushed.moved
            proof, head = anna.prove(claim), head_at(hub, own_ref(anna))
            assert koinii.verify(proof, root=commit.id, head=head)
            with journeys.clone(folder, f"new{turn}", str(hub)) as fresh:
                assert f"(turn {turn})" in told(fresh)
                assert fresh.show(claim)
            bert.assert_(f"(answer {turn})")
            bert.sync()
        anna.sync()
        bert.sync()
        assert [one.sync()[1:] for one in (anna, bert)] == [
            (None, one.push()) for one in (anna, bert)
        ]


def test_bc_015_a_remote_of_last_week_deletes_nothing(
    folder: Path, hub: Path, url: str
) -> None:
    """Its keepers have put back an old copy of all its refs."""
    with (
        journeys.seat(folder, "anna", url) as anna,
        journeys.seat(folder, "bert", url) as bert,
    ):
        for seat in (anna, bert):
            seat.assert_(f"({seat.config.agent.lower()} early)")
            seat.sync()
        week = folder / "last-week"
        shutil.copytree(hub, week)
        for number in range(3):
            anna.assert_(f"(offline {number})")
        anna.sync()
        shutil.rmtree(hub)
        shutil.move(week, hub)
        pulled = anna.pull()
        assert (pulled.removed, anna.status().unpublished) == (0, {"origin": 1})
        anna.sync()
        bert.sync()

        assert told(anna) == told(bert)
        assert {f"(offline {number})" for number in range(3)} < told(bert)
        assert anna.status().unpublished == {"origin": 0}


def test_bc_016_a_retraction_reaches_who_was_away_and_is_not_undone(
    folder: Path, url: str
) -> None:
    """Through the command line; there is no daemon in this version."""
    desks = [str(folder / name) for name in ("anna", "bert", "carl")]
    for place, agent in zip(desks[:2], ("AgentAnna", "AgentBert"), strict=True):
        assert run("init", place, "--as", agent).code == 0
        assert run("-C", place, "remote", "add", "origin", url).code == 0
    anna, bert, carl = desks
    claim = run("-C", anna, "assert", "(gone Soon)").out.strip()
    for place in (anna, bert, anna):
        assert run("-C", place, "sync").code == 0
    assert run("-C", anna, "retract", claim).code == 0
    assert run("-C", anna, "sync").code == 0
    assert run("-C", bert, "assert", "(other Thing)").code == 0
    for place in (bert, anna, bert):
        assert run("-C", place, "sync").code == 0
    assert run("clone", url, carl, "--as", "AgentCarl").code == 0

    status = [run("-C", place, "status", "--json").data for place in desks]
    assert len({one["commit"] for one in status}) == 1
    assert len({one["inputs"] for one in status}) == 1
    for place in desks:
        assert run("-C", place, "ask", "(gone ?x)").out == ""
        assert run("-C", place, "show", claim).code == 3


# The user's git ----------------------------------------------------------------------


def hostile(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that sign, convert, rewrite and refuse, and a git that runs us."""
    hooks = home / "hooks"
    hooks.mkdir()
    for name in ("pre-push", "pre-commit", "post-commit", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {home}/ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    (home / "template").mkdir()
    shutil.copytree(hooks, home / "template/hooks")
    (home / "included").write_text("[user]\n\tname = Other\n[core]\n\teol = crlf\n")
    (home / ".gitconfig").write_text(
        "[commit]\n gpgsign = true\n[tag]\n gpgsign = true\n[push]\n gpgSign = true\n"
        " default = nothing\n followTags = true\n"
        "[gpg]\n program = /bin/false\n format = ssh\n"
        f"[core]\n autocrlf = true\n hooksPath = {hooks}\n compression = 9\n"
        f"[init]\n defaultBranch = odd/name\n templateDir = {home}/template\n"
        " defaultObjectFormat = sha256\n"
        "[i18n]\n commitEncoding = ISO-8859-1\n[fetch]\n prune = true\n"
        "[pack]\n compression = 9\n[gc]\n auto = 1\n[user]\n useConfigOnly = true\n"
        f'[includeIf "gitdir:{folder}/"]\n path = {home}/included\n'
    )
    other = home / "other"
    at(home, "init", "-q", "--template=", str(other))
    for name in ("DIR", "COMMON_DIR", "OBJECT_DIRECTORY", "WORK_TREE"):
        monkeypatch.setenv(f"GIT_{name}", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(other))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.bare'='false'")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "remote.origin.url")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/nowhere")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody Else")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "1 Jan 1990 00:00:00 +0900")


def files(folder: Path) -> dict[str, bytes]:
    found = [one for one in folder.rglob("*") if one.is_file()]
    return {str(one.relative_to(folder)): one.read_bytes() for one in found}


def journey(folder: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Go on from the same two seats, alike; return what each has made."""
    monkeypatch.setenv("KOINII_HOME", str(folder / "outside"))
    with (
        koinii.open(str(folder / "anna"), now=Clock()) as anna,
        koinii.open(str(folder / "bert"), now=Clock()) as bert,
    ):
        for seat in (anna, bert):
            seat.remotes.add("origin", url)
        for seat in (anna, bert, anna, bert, anna):
            seat.assert_(f"(line {seat.now() - seat.now()} ends)\r")
            seat.sync()
        claim = anna.locate("(line -1 ends)", "CxAnna")
        assert koinii.verify(anna.prove(claim))
        return [anna.histories.tip(anna.id), bert.histories.tip(bert.id)]


def test_bc_005_the_users_git_changes_no_object_and_is_left_as_it_was(
    folder: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the same two seats, under an empty HOME and under the most hostile."""
    first, second = folder / "first", folder / "second"
    monkeypatch.setenv("KOINII_HOME", str(first / "outside"))
    for name, agent in (("anna", "AgentAnna"), ("bert", "AgentBert")):
        koinii.init(str(first / name), agent=agent, now=Clock()).close()
    shutil.copytree(first, second)
    hubs = []
    for place in (first, second):
        (place / "served").mkdir()
        hubs.append(make_hub(place / "served"))
    tips = []
    for place, hub in zip((first, second), hubs, strict=True):
        if place == second:
            with pytest.MonkeyPatch.context() as surroundings:
                hostile(home, folder, surroundings)
                before = files(home)
                with git_daemon(hub.parent) as server:
                    rewritten = f'[url "{server.address}/"]\n insteadOf = "hub:"\n'
                    with (home / ".gitconfig").open("a") as settings:
                        settings.write(rewritten)
                    before = files(home)
                    tips.append(journey(place, f"hub:{HUB}", surroundings))
        else:
            with git_daemon(hub.parent) as server:
                tips.append(journey(place, server.url(HUB), monkeypatch))

    assert tips[0] == tips[1]
    everything = ("rev-list", "--objects", "--all", "--no-object-names")
    objects = [set(at(hub, *everything).split()) for hub in hubs]
    assert objects[0] == objects[1]
    assert len(objects[0]) > 20
    assert files(home) == before
    assert not (home / "ran").exists()


# A new machine -----------------------------------------------------------------------


@pytest.fixture
def shown(folder: Path, url: str) -> Iterator[tuple[RemoteSeat, RemoteSeat]]:
    """Two seats that have said something and shown it."""
    with (
        journeys.seat(folder, "anna", url) as anna,
        journeys.seat(folder, "bert", url) as bert,
    ):
        for seat in (anna, bert, anna, bert):
            seat.assert_(f"({seat.config.agent.lower()} {seat.status().number})")
            seat.sync()
        anna.sync()
        yield anna, bert


Shown = tuple[RemoteSeat, RemoteSeat]


def test_bc_031_a_new_seat_sees_all_from_the_address_alone(
    shown: Shown, folder: Path, url: str
) -> None:
    with journeys.clone(folder, "carl", url) as carl:
        assert carl.cloned
        assert carl.cloned.whole
        assert told(carl) == told(shown[0])
        assert carl.status().commit == shown[0].status().commit


def test_bc_031_who_only_reads_needs_no_key(
    shown: Shown, folder: Path, hub: Path, url: str
) -> None:
    anna, _ = shown
    place = str(folder / "reader")
    before = at(hub, "for-each-ref")

    cloned = run("clone", url, place)
    assert (cloned.code, cloned.out.split(" at ")[0]) == (0, "nobody")
    assert "koinii agent new AgentYou" in cloned.err

    assert run("-C", place, "ask", "(agentbert ?n)").out
    status = run("-C", place, "status", "--json").data
    assert (status["agent"], status["commit"]) == ("", anna.status().commit)
    assert run("audit", anna.id, "--from", url, cwd=str(folder)).code == 0
    anna.assert_("(later One)")
    anna.sync()
    assert run("-C", place, "pull").code == 0
    assert run("-C", place, "ask", "(later ?x)").out
    refused = run("-C", place, "assert", "(a B)", "--json")
    assert (refused.code, refused.error["code"]) == (3, "koinii/unknown-agent")
    assert refused.error["hint"].startswith("koinii agent new")
    assert [path.name for path in Path(place, ".koinii/keys").iterdir()] == ["seat"]
    checks = run("-C", place, "doctor")
    assert checks.code == 0, checks.out
    assert at(hub, "for-each-ref", own_ref(anna)) not in before
    assert len(at(hub, "for-each-ref").splitlines()) == len(before.splitlines())


def test_bc_031_a_reader_may_begin_to_speak(
    shown: Shown, folder: Path, url: str
) -> None:
    place = str(folder / "reader")
    assert run("clone", url, place).code == 0
    assert run("-C", place, "agent", "new", "AgentZoe").code == 0
    assert run("-C", place, "assert", "(zoe 1)", "--as", "AgentZoe").code == 0
    assert run("-C", place, "sync").code == 0
    shown[0].sync()
    assert "(zoe 1)" in told(shown[0])


def test_bc_031_an_agent_brings_its_key_and_is_the_same_one(
    folder: Path, url: str
) -> None:
    key = make_key(folder / "mine")
    first = koinii.init(
        str(folder / "desk"), agent="AgentAnna", key=str(key), now=Clock()
    )
    with first:
        first.remotes.add("origin", url)
        first.assert_("(at Desk)")
        first.sync()
        place = str(folder / "laptop")
        with koinii.clone(
            url, place, agent="AgentAnna", key=str(key), now=Clock()
        ) as second:
            assert second.id != first.id
            second.assert_("(at Laptop)")
            second.sync()
            first.sync()
            second.sync()

            assert told(first) == told(second) == {"(at Desk)", "(at Laptop)"}
            assert not (first.status().contested or second.status().contested)
            assert first.status().commit == second.status().commit


def test_bc_031_a_seat_that_was_lost_goes_on_by_its_key(
    shown: Shown, folder: Path, hub: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is left of it are its keys; the machine is another."""
    anna, bert = shown
    number, commit = anna.status().number, anna.status().commit
    keys = folder / "backup"
    shutil.copytree(anna.layout.keys, keys)
    shutil.rmtree(anna.layout.directory)
    monkeypatch.setenv("KOINII_HOME", str(folder / "another-machine"))
    place = str(folder / "again")
    before = at(hub, "rev-parse", own_ref(anna))

    cloned = run("clone", url, place, "--seat-key", str(keys / "seat"), "--json")

    assert (cloned.code, cloned.data["seat"]) == (0, anna.id)
    assert "AgentAnna" in cloned.err
    status = run("-C", place, "status", "--json").data
    assert (status["number"], status["commit"]) == (number, commit)
    assert run("-C", place, "sync").code == 0
    assert at(hub, "rev-parse", own_ref(anna)) == before
    shutil.copy(keys / "AgentAnna", Path(place, ".koinii/keys"))
    assert run("-C", place, "assert", "(back Again)", "--as", "AgentAnna").code == 0
    assert run("-C", place, "sync").code == 0
    assert at(hub, "merge-base", before, own_ref(anna)) == before
    pulled = bert.sync()[0]
    assert (pulled.new, pulled.whole) == (1, True)
    assert not bert.status().forks


def test_bc_031_a_key_of_no_seat_there_leaves_nothing(
    shown: Shown, folder: Path, url: str
) -> None:
    stranger = make_key(folder / "stranger")
    place = folder / "again"
    done = run("clone", url, str(place), "--seat-key", str(stranger), "--json")
    assert (done.code, place.exists()) == (3, False)
    named = run(
        "clone",
        url,
        str(place),
        "--seat-key",
        str(stranger),
        "--as",
        "AgentA",
        "--json",
    )
    assert (named.code, place.exists()) == (2, False)


# What is fetched, and what it takes ---------------------------------------------------


def chain(seats: Sequence[RemoteSeat], length: int) -> None:
    """Each reply answers the one before, which another seat has said.

    They are loaded, so that nobody has to hold yet what it answers.
    """
    said: dict[str, list[str]] = {one.id: [] for one in seats}
    last = seats[0].assert_("(first Claim)")
    for number in range(length):
        seat = seats[(number + 1) % len(seats)]
        text = f'(endorses Someone{number} (sentexHandle "{last}"))'
        said[seat.id].append(text)
        last = seat.locate(text, f"Cx{seat.config.agent.removeprefix('Agent')}")
    for seat in seats:
        assert seat.load(reversed(said[seat.id])).new == length // len(seats)
        seat.commit()
        seat.push()


def test_bc_071_what_arrives_before_what_it_cites_waits_and_nothing_spins(
    folder: Path, hub: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty-eight replies in a chain over three seats; refs come in reverse."""
    with ExitStack() as stack:
        names = ("anna", "bert", "carl", "zoe")
        *seats, zoe = (
            stack.enter_context(journeys.seat(folder, name, url)) for name in names
        )
        chain(seats, 48)
        tips = {own_ref(one): at(hub, "rev-parse", own_ref(one)) for one in seats}
        first, second, _ = tips
        for ref in (first, second):
            at(hub, "update-ref", "-d", ref)
        calls = counted(folder, monkeypatch)

        pulled = zoe.pull()
        few = calls()

        assert (pulled.waiting, pulled.new, zoe.status().waiting) == (16, 0, 16)
        assert all("sha256:" in one.line for one in zoe.waiting())
        assert (zoe.pull().received, calls()) == (0, 1)
        at(hub, "update-ref", second, tips[second])
        assert (zoe.pull().waiting, zoe.status().waiting) == (16, 32)
        at(hub, "update-ref", first, tips[first])
        assert zoe.pull().new == 17
        assert calls() <= 2 * few
        assert (len(told(zoe)), zoe.status().waiting, zoe.status().size) == (49, 0, 49)
        for one in seats:
            assert one.pull().whole
            assert one.status().commit == zoe.status().commit


def counted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Have a git that notes each call that reaches a remote; it gives how many.

    They are counted from one look to the next.
    """
    calls, tools = folder / "calls", folder / "tools"
    tools.mkdir()
    (tools / "git").write_text(
        f"""#!/bin/sh
        case " $* " in *" ls-remote "*|*" fetch "*|*" push "*) echo >>{calls} ;; esac
        exec {shutil.which("git")} "$@"
        """
    )
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")

    def look() -> int:
        number = len(calls.read_bytes()) if calls.exists() else 0
        calls.unlink(missing_ok=True)
        return number

    return look


def test_bc_069_a_misspelt_setting_is_an_error_that_names_the_nearest(
    folder: Path, url: str
) -> None:
    with journeys.seat(folder, "anna", url) as anna:
        config = Path(anna.layout.config)
    config.write_text(config.read_text().replace("[remotes]", "[remote]"))
    for verb in ("sync", "status", "pull"):
        done = run("-C", str(folder / "anna"), verb, "--json")
        assert (done.code, done.error["code"]) == (5, "koinii/bad-config")
        assert "unknown setting remote" in done.error["message"]
        assert "did you mean remotes?" in done.error["message"]
