"""What two seats do with one repository, the same whatever transport leads to it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.remote.publish import own_ref
from remote.desks import Clock
from remote.stock_git import GIT

HUB = "hub.git"


def make_hub(folder: Path) -> Path:
    """Make an empty repository in the folder that a server serves."""
    hub = folder / HUB
    subprocess.run([GIT, "init", "-q", "--bare", str(hub)], check=True)
    return hub


def hook(hub: Path, name: str, script: str) -> Path:
    """Have a hook of the remote do this."""
    file = hub / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def at(hub: Path, *arguments: str) -> str:
    """Return what stock git says in the remote itself, '' where it fails."""
    done = subprocess.run(
        [GIT, *arguments], cwd=hub, capture_output=True, check=False, text=True
    )
    return done.stdout.strip() if not done.returncode else ""


def seat(folder: Path, name: str, url: str) -> RemoteSeat:
    """Make a seat whose remote is at an address."""
    agent = f"Agent{name.capitalize()}"
    made = koinii.init(str(folder / name), agent=agent, now=Clock())
    made.remotes.add("origin", url)
    return made


def clone(folder: Path, name: str, url: str) -> RemoteSeat:
    """Make a seat from what is at an address."""
    agent = f"Agent{name.capitalize()}"
    return koinii.clone(url, str(folder / name), agent=agent, now=Clock())


def found(who: RemoteSeat, text: str) -> bool:
    """Tell whether a seat believes a sentence in some context."""
    return bool(list(who.ask(text)))


def meet(url: str, hub: Path, folder: Path) -> None:
    """Push, clone, both ways, idle; the fresh clone proves what was said first."""
    with seat(folder, "anna", url) as anna:
        claim = anna.assert_("(usesDatabase Prod Postgres)")
        assert anna.commit()
        pushed = anna.push()
        assert (pushed.moved, at(hub, "rev-parse", pushed.ref)) == (True, pushed.tip)
        with clone(folder, "bert", url) as bert:
            assert bert.cloned
            assert (bert.cloned.new, bert.cloned.whole) == (1, True)
            _go_on(anna, bert)
            _idle(anna, bert)
        with clone(folder, "carl", url) as carl:
            assert found(carl, "(usesDatabase Test Sqlite)")
            assert carl.status().commit == anna.status().commit
            assert carl.show(claim)
        head = at(hub, "show", f"{pushed.ref}:checkpoint") + "\n"
        proved = koinii.verify(
            anna.prove(claim), root=anna.log(limit=1)[0].id, head=head
        )
        assert proved, proved.reason


def _go_on(anna: RemoteSeat, bert: RemoteSeat) -> None:
    """Both say more and sync; neither overwrites the other."""
    bert.assert_("(usesDatabase Test Sqlite)")
    bert.sync()
    anna.assert_("(usesDatabase Stage Postgres)")
    pulled, committed, pushed = anna.sync()
    assert (pulled.new, bool(committed), pushed.moved) == (1, True, True)
    assert bert.sync()[0].new == 1
    anna.sync()
    assert anna.status().commit == bert.status().commit
    assert anna.log(limit=1)[0].id == bert.log(limit=1)[0].id


def _idle(*seats: RemoteSeat) -> None:
    """A sync of what has not moved does nothing, at either seat."""
    for one in seats:
        pulled, committed, pushed = one.sync()
        assert (pulled.moved, committed, pushed.moved) == (0, None, False)
        assert pulled.whole


def refused(url: str, hub: Path, folder: Path) -> None:
    """A hook refuses: an error in its words, unpublished until it takes it."""
    with seat(folder, "anna", url) as anna:
        anna.assert_("(a B)")
        script = hook(hub, "update", "echo closed on Sundays >&2; exit 1")
        with pytest.raises(KoiniiError) as caught:
            anna.sync()
        assert caught.value.code == "koinii/push-refused"
        assert "closed on Sundays" in str(caught.value.details["words"])
        assert "hook declined" in caught.value.message
        assert at(hub, "for-each-ref") == ""
        script.unlink()
        assert anna.sync()[2].moved
        assert at(hub, "rev-parse", own_ref(anna))


def hidden(url: str, hub: Path, folder: Path) -> None:
    """A remote that hides our refs takes none, or does not show it: an error."""
    with seat(folder, "anna", url) as anna:
        anna.assert_("(a B)")
        at(hub, "config", "transfer.hideRefs", "refs/koinii")
        with pytest.raises(KoiniiError) as caught:
            anna.sync()
        assert caught.value.code == "koinii/push-refused"
        assert "hidden ref" in caught.value.message
        at(hub, "config", "transfer.hideRefs", "refs/koinii/nothing")
        assert anna.sync()[2].moved


JOURNEYS = (meet, refused, hidden)
