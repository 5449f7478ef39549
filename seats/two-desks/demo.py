"""Two desks on real input: the main job of koinii, from end to end.

One agent records what this Python environment holds, the other this repository's
git history and a small policy. They meet at a bare git repository, ask what
neither could answer alone, disagree once, hear a ruling on that and its withdrawal,
and end with the same commit id.

    python seats/two-desks/demo.py [--keep DIR]
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERIFIER = ROOT / "docs" / "verify" / "koinii_verify.py"
SHOWN = 9  # lines of an output


class Demo:
    """Runs commands in one directory and shows them as they would be typed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.step_number = 0
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "KOINII_"))
        }

    def step(self, title: str, text: str) -> None:
        """Say what comes next."""
        self.step_number += 1
        print(f"\n== {self.step_number}. {title}\n   {text}\n")

    def run(self, *words: str, source: str = "", into: str = "") -> str:
        """Run one command, show it and what it said, and check that it succeeds."""
        shown = shlex.join(words)
        ends = (f" < {source}" if source else "") + (f" > {into}" if into else "")
        print(f"   $ {shown}{ends}")
        given = (self.directory / source).read_bytes() if source else b""
        done = subprocess.run(
            self._command(words),
            cwd=self.directory,
            env=self.environment,
            input=given,
            capture_output=True,
            check=False,
        )
        output, said = done.stdout.decode(), done.stderr.decode()
        if done.returncode:
            sys.exit(f"{output}{said}ended with {done.returncode}: {shown}")
        if into:
            (self.directory / into).write_bytes(done.stdout)
        else:
            self._show(output + said)
        return output

    @staticmethod
    def _command(words: tuple[str, ...]) -> list[str]:
        programs = {
            "koinii": [sys.executable, "-m", "koinii"],
            "python": [sys.executable],
        }
        return [*programs.get(words[0], [words[0]]), *words[1:]]

    @staticmethod
    def _show(output: str) -> None:
        lines = output.splitlines()
        for line in lines[:SHOWN]:
            print(f"     {line[:110]}")
        if len(lines) > SHOWN:
            print(f"     ... {len(lines) - SHOWN} more lines")

    def status(self, desk: str) -> dict[str, object]:
        """Return a seat's status."""
        done = subprocess.run(
            self._command(("koinii", "-C", desk, "status", "--json")),
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            check=True,
        )
        data: dict[str, object] = json.loads(done.stdout)["data"]
        return data


def main() -> None:
    """Play the whole story in a new directory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, help="play it here and leave it")
    keep = parser.parse_args().keep
    if keep is not None:
        keep.mkdir(parents=True)
        play(Demo(keep.resolve()))
        return
    with tempfile.TemporaryDirectory(prefix="two-desks-") as directory:
        play(Demo(Path(directory)))


def play(demo: Demo) -> None:
    """Two desks record, meet, ask, differ, settle it, prove, and agree on one id."""
    found(demo)
    record(demo)
    meet(demo)
    ask(demo)
    disagree(demo)
    settle(demo)
    carry(demo)
    prove(demo)
    agree(demo)


def found(demo: Demo) -> None:
    demo.step(
        "Two seats and a place to meet",
        "Each agent has a seat of its own; they meet at a bare git repository.",
    )
    demo.run("git", "init", "--bare", "-q", "hub.git")
    for desk, agent in (
        ("inventory", "AgentInventory"),
        ("chronicle", "AgentChronicle"),
    ):
        demo.run("koinii", "init", desk, "--as", agent)
        demo.run("koinii", "-C", desk, "remote", "add", "origin", "hub.git")


def record(demo: Demo) -> None:
    demo.step(
        "Real input",
        "One desk records every installed distribution, the other this "
        "repository's history and a policy.",
    )
    demo.run("python", str(HERE / "inventory.py"), into="inventory.kb")
    demo.run("koinii", "-C", "inventory", "load", "inventory.kb")
    demo.run("python", str(HERE / "chronicle.py"), str(ROOT), into="chronicle.kb")
    demo.run("koinii", "-C", "chronicle", "load", "chronicle.kb")
    demo.run("koinii", "-C", "chronicle", "load", str(HERE / "policy.kb"))


def meet(demo: Demo) -> None:
    demo.step(
        "They meet",
        "A channel is declared and joined; each commits, pushes and pulls.",
    )
    demo.run("koinii", "-C", "inventory", "channel", "new", "CxReview")
    demo.run("koinii", "-C", "inventory", "join", "CxReview")
    demo.run("koinii", "-C", "inventory", "commit")
    demo.run("koinii", "-C", "inventory", "push")
    demo.run("koinii", "-C", "chronicle", "pull")
    demo.run("koinii", "-C", "chronicle", "join", "CxReview")
    demo.run("koinii", "-C", "chronicle", "commit")
    demo.run("koinii", "-C", "chronicle", "push")
    demo.run("koinii", "-C", "inventory", "pull")


def ask(demo: Demo) -> None:
    demo.step(
        "A question that needs both",
        "Which declared dependency is installed in which version, and who last "
        "changed the file that declares it?",
    )
    question = (
        "(and (declares ?file ?dist) (installed ?dist ?version)"
        " (lastChanged ?file ?commit) (committedBy ?commit ?who))"
    )
    answers = demo.run("koinii", "-C", "inventory", "ask", question, "--in", "CxReview")
    if not answers:
        sys.exit("the question found nothing")


def disagree(demo: Demo) -> None:
    demo.step(
        "They disagree once",
        "The policy denies what the inventory's agent claims. Nothing is "
        "overwritten: both sides stay.",
    )
    demo.run("koinii", "-C", "inventory", "assert", "(approved typer)")
    demo.run(
        "koinii", "-C", "inventory", "argue", "(approved typer)", "--in", "CxReview"
    )


def settle(demo: Demo) -> None:
    demo.step(
        "A ruling that crosses",
        "A reviewer who holds neither side rules at the other desk. Here the dispute "
        "is settled once the ruling arrives, and open again once it is taken back.",
    )
    said = locate(demo, "(approved typer)", "CxInventory", "inventory")
    denied = locate(demo, "(not (approved typer))", "CxChronicle", "chronicle")
    demo.run("koinii", "-C", "inventory", "sync")
    demo.run("koinii", "-C", "chronicle", "pull")
    demo.run("koinii", "-C", "chronicle", "disputes", "--in", "CxReview")
    demo.run("koinii", "-C", "chronicle", "agent", "new", "AgentReviewer")
    ruling = demo.run(
        "koinii", "-C", "chronicle", "rule", f"{said}+{denied}", denied,
        "--in", "CxReview", "--as", "AgentReviewer",
    ).strip()  # fmt: skip
    expect(demo, "false")
    demo.run("koinii", "-C", "chronicle", "retract", ruling, "--as", "AgentReviewer")
    expect(demo, "contradiction")


def expect(demo: Demo, verdict: str) -> None:
    """Let the inventory hear of the other desk, and see what it makes of typer now."""
    demo.run("koinii", "-C", "chronicle", "sync")
    demo.run("koinii", "-C", "inventory", "pull")
    argued = demo.run(
        "koinii", "-C", "inventory", "argue", "(approved typer)", "--in", "CxReview"
    )
    if argued.splitlines()[0] != verdict:
        sys.exit(f"the inventory does not find it {verdict}")


def carry(demo: Demo) -> None:
    demo.step(
        "A marker carried by hand",
        "A marker is only a reference: the other seat looks it up in what it "
        "holds itself.",
    )
    locator = locate(demo, "(approved cryptography)", "CxChronicle", "chronicle")
    demo.run("koinii", "-C", "chronicle", "marker", locator, into="marker.json")
    demo.run("koinii", "-C", "inventory", "deref", "-", source="marker.json")


def prove(demo: Demo) -> None:
    demo.step(
        "A proof, checked with no base at all",
        "The proof binds the claim to the seat's signed history; one file of "
        "plain Python checks it.",
    )
    demo.run("koinii", "-C", "inventory", "commit")
    locator = locate(demo, "(approved typer)", "CxInventory", "inventory")
    demo.run("koinii", "-C", "inventory", "prove", locator, into="proof.json")
    demo.run("python", str(VERIFIER), "proof.json")


def agree(demo: Demo) -> None:
    demo.step(
        "One commit id",
        "After a last exchange both seats believe the same, so both compute the "
        "same root.",
    )
    demo.run("koinii", "-C", "inventory", "push")
    demo.run("koinii", "-C", "chronicle", "sync")
    demo.run("koinii", "-C", "inventory", "sync")
    first, second = demo.status("inventory"), demo.status("chronicle")
    for desk, status in (("inventory", first), ("chronicle", second)):
        print(f"   {desk:10} {status['commit']}  {status['size']} claims")
    if (first["commit"], first["inputs"]) != (second["commit"], second["inputs"]):
        sys.exit("the seats differ")
    print("\n   Both seats are on the same commit id.")


def locate(demo: Demo, sentence: str, context: str, desk: str) -> str:
    """Return a sentence's locator."""
    return demo.run("koinii", "-C", desk, "locate", sentence, "--in", context).strip()


if __name__ == "__main__":
    main()
