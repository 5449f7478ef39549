"""BC-076, BC-081, BC-125: one text, one locator; the deepest; what is refused."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import koinii
from cases.seats import code_of, sit
from cases.test_intake import doors
from faces.command import COMMAND, within
from faces.command import koinii as command
from history.stand_alone import PROGRAM, alone
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from koinii.kb.claim import parse_claim
from koinii.terms import Term, canonical, decode, encode, locate, read, write
from koinii.terms.term import MAX_DEPTH, Symbol
from reference.encoding_twin import locator as defined_locator
from remote.desks import (
    SOAK,
    hand_over,
    says,
)

# One text, one locator ---------------------------------------------------------------

SPOKEN: dict[str, Term] = {
    "(city Z\u00fcrich)": (Symbol("city"), Symbol("Z\u00fcrich")),
    "(city Zu\u0308rich2)": (Symbol("city"), Symbol("Z\u00fcrich2")),
    '(note \u65e5 "\u672c")': (Symbol("note"), Symbol("\u65e5"), "\u672c"),
    "(note \U0001f98a Item)": (Symbol("note"), Symbol("\U0001f98a"), Symbol("Item")),
    '(note Item "\U0001f469\u200d\U0001f680")': (
        Symbol("note"), Symbol("Item"), "\U0001f469\u200d\U0001f680",
    ),
    '(note Item "a\u2028b")': (Symbol("note"), Symbol("Item"), "a\u2028b"),
    "(weighs Item 1e-7)": (Symbol("weighs"), Symbol("Item"), 1e-7),
    "(weighs Item 1e21)": (Symbol("weighs"), Symbol("Item"), 1e21),
    "(weighs Item -0.0)": (Symbol("weighs"), Symbol("Item"), 0.0),
}  # fmt: skip
LOCATED = [defined_locator("CxAtlas", term) for term in SPOKEN.values()]


def test_bc_076_every_way_to_write_gives_one_locator(folder: Path) -> None:
    """And what was written is proven in a fresh process, to a verifier of its own."""
    texts, expected = list(SPOKEN), LOCATED
    lines = "".join(f"{one}\n" for one in texts)
    (folder / "facts.kb").write_text(lines, encoding="utf-8")
    ways: dict[str, Callable[[RemoteSeat, str], list[str]]] = {
        "argument": lambda seat, at: [said(at, one) for one in texts],
        "input": lambda seat, at: [
            within("-C", at, "assert", "-", stdin=one.encode()).out.strip()
            for one in texts
        ],
        "edit": lambda seat, at: [
            within("-C", at, "edit", "--add", one, "--json").data["added"][0]
            for one in texts
        ],
        "load": lambda seat, at: loaded(seat, at, "-", lines.encode()),
        "load a file": lambda seat, at: loaded(seat, at, str(folder / "facts.kb"), b""),
        "python": lambda seat, at: [seat.assert_(one) for one in texts],
        "python, terms": lambda seat, at: [seat.assert_(read(one)) for one in texts],
        "python, edit": lambda seat, at: list(seat.edit(add=texts).added),
        "python, load": lambda seat, at: loaded_one_by_one(seat, texts),
    }
    for number, (name, way) in enumerate(ways.items()):
        with sit(folder, f"s{number}", "AgentAtlas") as seat:
            found = way(seat, seat.layout.directory)
            assert found == expected, name
            assert {one.locator for one in seat.believed()} == set(expected), name
            if number == 0:
                seat.commit()
                with sit(folder, "other", "AgentZoe") as other:
                    hand_over(seat, other)
                    assert {one.locator for one in other.believed()} == set(expected)
                prove_in_fresh_processes(seat.layout.directory, expected)


def loaded(seat: RemoteSeat, at: str, name: str, data: bytes) -> list[str]:
    done = within("-C", at, "load", name, "--json", stdin=data)
    assert done.code == 0
    return [seat.locate(one, "CxAtlas") for one in SPOKEN]


def said(at: str, text: str) -> str:
    """Assert by a process where the text is no ASCII, else within this one."""
    run = within if text.isascii() else command
    return run("-C", at, "assert", text).out.strip()


def loaded_one_by_one(seat: RemoteSeat, texts: list[str]) -> list[str]:
    for one in texts:
        assert seat.load([one]).new == 1
    return [seat.locate(one, "CxAtlas") for one in texts]


def prove_in_fresh_processes(at: str, locators: list[str]) -> None:
    """Check proofs with the one file; of every fourth in processes of their own."""
    for number, locator in enumerate(locators):
        kind = ["--kind", "attribution"] if number % 2 else []
        if number % 4 > 1:
            assert alone(within("-C", at, "prove", locator, *kind).out.encode())
            continue
        proof = command("-C", at, "prove", locator, *kind).out.encode()
        assert command("verify", "-", stdin=proof).code == 0
        words = [sys.executable, "-I", str(PROGRAM), "-"]
        assert (
            subprocess.run(
                words, input=proof, check=False, capture_output=True
            ).returncode
            == 0
        )


def test_bc_076_nul_is_refused_wherever_it_stands(folder: Path) -> None:
    with sit(folder, "s", "AgentAtlas") as seat:
        at = seat.layout.directory
        for text in ('(note Item "a\0b")', '(note Item "a\\u0000b")', "(no\0te Item)"):
            codes = {
                code_of(lambda: seat.assert_(text)),  # noqa: B023 - called at once
                code_of(lambda: seat.edit(add=[text])),  # noqa: B023 - called at once
                within("-C", at, "assert", "-", "--json", stdin=text.encode()).error[
                    "code"
                ],
                seat.load([text]).refused[0].code,
                code_of(lambda: read(text)),  # noqa: B023 - called at once
            }
            assert codes == {"koinii/unreadable"}, text
        assert not says(seat)


# Deep and long -----------------------------------------------------------------------

SLOWEST = 1.0  # seconds
MORE_MEMORY = 256 << 10  # KiB


def declaring() -> bytes:
    """Return 40 kB of nested list headers, each of which declares the bytes left."""
    return b"".join(b"\x9a" + left.to_bytes(4) for left in range(40_000, 0, -5))


DEPTHS = (50, 65, 399, 401, 10_000, 1_000_000) if SOAK else (50, 401, 1_000_000)
FEWER = (50, 65, 1_000, 100_000) if SOAK else (65, 100_000)
DEEP = {
    **{f"lists {d} deep": b"\x81" * d + b"\x00" for d in DEPTHS},
    **{f"tags {d} deep": b"\xc6" * d + b"\x00" for d in DEPTHS},
    **{f"maps {d} deep": b"\xa1\x61a" * d + b"\x00" for d in FEWER},
    **{f"objects {d} deep": b'{"a":' * d + b"1" + b"}" * d for d in FEWER},
    **{f"arrays {d} deep": b"[" * d + b"]" * d for d in FEWER},
    **{f"sentences {d} deep": b"(f " * d + b"x" + b")" * d for d in FEWER},
    **{f"negated {d} times": b"(not " * d + b"(a B)" + b")" * d for d in FEWER},
    "a string of 2^63-1 bytes": b"\x5b\x7f" + b"\xff" * 7,
    "a list of 2^63-1": b"\x9b\x7f" + b"\xff" * 7,
    "lists that declare what is left": declaring(),
    "a term's list of 2^31-1": b"\x0b\x7f\xff\xff\xff" * 64,
    "a term's lists": b"\x0b\x00\x00\x00\x01" * 200_000,
    "a note of gaps": b"\n\n" * 500_000,
}  # fmt: skip


def test_bc_081_every_intake_stops_early(tmp_path: Path) -> None:
    """Each door of `test_intake.py`: a value or our refusal, soon, in little memory."""
    every = doors(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for door in every:
        for name, data in DEEP.items():
            began = time.process_time()
            try:
                door.take(data)
            except KoiniiError as refused:
                assert refused.code
            except BaseException as fault:
                fault.add_note(f"{door.name}: {name}")
                raise
            assert time.process_time() - began < SLOWEST, f"{door.name}: {name}"
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < MORE_MEMORY


BY_COMMAND = ["assert", "ask", "load", "verify", "deref", "locate", "argue", "check"]


@pytest.mark.parametrize("verb", BY_COMMAND)
def test_bc_081_every_command_stops_early_in_little_memory(
    verb: str, seat: Path
) -> None:
    words = [verb, "-", *(["--in", "CxAtlas"] if verb in {"locate", "argue"} else [])]
    limited = ("bash", "-c", 'ulimit -v 524288; exec "$0" "$@"', COMMAND)
    told = set()
    for name in ("objects 100000 deep", "sentences 100000 deep"):
        began = time.monotonic()
        done = command(*words, cwd=seat, stdin=DEEP[name], command=limited)
        assert time.monotonic() - began < 10 * SLOWEST
        told.add(done.code)
        assert done.err
    assert told <= {2, 3, 4, 6, 7}


def nested(depth: int) -> str:
    """Return a sentence of this depth."""
    return "(f " * (depth - 1) + "(a B)" + ")" * (depth - 1)


def test_bc_081_all_that_walks_a_sentence_walks_the_deepest(folder: Path) -> None:
    text = nested(MAX_DEPTH)
    rule = f"(implies (p ?x) {nested(MAX_DEPTH - 1).replace('B', 'C')})"
    with (
        sit(folder, "a", "AgentAtlas") as seat,
        sit(folder, "b", "AgentBoreas") as other,
    ):
        at = seat.layout.directory
        term = read(text)
        assert decode(encode(term)) == term == canonical(term)
        assert write(term) == text
        said = seat.assert_(text)
        assert said == locate("CxAtlas", text) == defined_locator("CxAtlas", term)
        seat.assert_(f"(not {nested(MAX_DEPTH - 1)})")
        ruled = seat.assert_(rule)
        seat.assert_("(p A)")
        seat.commit()
        assert next(seat.ask(text.replace("B", "?b")))["?b"] == Symbol("B")
        assert seat.argue(text, "CxAtlas").verdict == "true"
        assert seat.search("B").found
        for one in (said, ruled):
            assert seat.why(one)
            assert seat.show(one)
            assert seat.dereference(seat.marker(one).text()).resolved
            for document in (
                seat.prove(one),
                seat.prove(one, attribution=True),
                seat.prove(one, why=True),
            ):
                assert koinii.verify(document).ok
                assert alone(document.encode())
        denied = seat.locate(nested(MAX_DEPTH - 1), "CxAtlas")
        assert (
            code_of(lambda: seat.prove(denied, dispute=True))
            == "koinii/unknown-locator"
        )
        seat.assert_(nested(MAX_DEPTH - 1))
        seat.commit()
        assert alone(seat.prove(denied, dispute=True).encode())
        for verb in (
            ["show", said],
            ["why", said],
            ["ask", text],
            ["contradictions"],
            ["log"],
        ):
            assert within("-C", at, *verb).code == 0
        hand_over(seat, other)
        assert {one.locator for one in other.believed()} == {
            one.locator for one in seat.believed()
        }
        seat.retract(said)
        assert seat.why_not(text, "CxAtlas")["reason"] == "not-stored"


def test_bc_081_one_more_is_refused_on_every_way(folder: Path) -> None:
    text, line = nested(MAX_DEPTH + 1), f"default 1 {nested(MAX_DEPTH + 1)}"
    with sit(folder, "a", "AgentAtlas") as seat:
        at = seat.layout.directory
        assert code_of(lambda: read(text)) == "koinii/unreadable"
        assert code_of(lambda: seat.assert_(text)) == "koinii/unreadable"
        assert code_of(lambda: seat.edit(add=[text])) == "koinii/unreadable"
        assert code_of(lambda: seat.locate(text, "CxAtlas")) == "koinii/unreadable"
        assert seat.load([text]).refused[0].code == "koinii/unreadable"
        assert (
            within("-C", at, "assert", text, "--json").error["code"]
            == "koinii/unreadable"
        )
        assert code_of(lambda: parse_claim(line))
        assert (
            code_of(lambda: encode(deeper(MAX_DEPTH + 1))) == "koinii/uncanonical-value"
        )
        assert (
            code_of(lambda: seat.assert_(deeper(MAX_DEPTH + 1)))
            == "koinii/uncanonical-value"
        )
        assert code_of(lambda: seat.assert_(deeper(100_000)))
        assert not says(seat)


def deeper(depth: int) -> Term:
    term: Term = (Symbol("a"), Symbol("B"))
    for _ in range(depth - 1):
        term = (Symbol("f"), term)
    return term


def test_bc_081_a_chain_of_five_thousand_steps(folder: Path) -> None:
    """All that follows, is explained, is proven or too much, falls and is counted."""
    long = 5_000
    with sit(folder, "a", "AgentAtlas") as seat:
        seat.assert_("(implies (and (holds ?a) (next ?a ?b)) (holds ?b))")
        seat.load(f"(next {number} {number + 1})" for number in range(long))
        first, last = (
            seat.assert_("(holds 0)"),
            seat.locate(f"(holds {long})", "CxAtlas"),
        )
        seat.commit()
        began = time.monotonic()
        assert seat.why(last)
        assert alone(seat.prove(last).encode())
        assert code_of(lambda: seat.prove(last, why=True)) == "koinii/proof-too-large"
        assert within("-C", seat.layout.directory, "why", last).code == 0
        assert time.monotonic() - began < 10 * SLOWEST
        seat.retract(first)
        assert seat.why_not(f"(holds {long})", "CxAtlas")["reason"] == "not-stored"
        assert sum(1 for _ in seat.believed()) == long + 1


# What nobody would take is not signed ------------------------------------------------

ALIKE = " ".join(f"(p ?v{number} ?z)" for number in range(7))
NOWHERE = "sha256:" + "0" * 64
REPLY = "(disputes AgentAtlas"
FAULTS = {
    "too long": ("CxAtlas", f'(note Item "{"x" * (64 << 10)}")'),
    "too deep": ("CxAtlas", nested(65)),
    "does not end": ("CxAtlas", "(a B"),
    "NUL": ("CxAtlas", '(note Item "\\u0000")'),
    "half a character": ("CxAtlas", '(note Item "\\ud800")'),
    "a number without end": ("CxAtlas", f"(n {'9' * 4301})"),
    "a ratio over nought": ("CxAtlas", "(n 1/0)"),
    "no list": ("CxAtlas", "a"),
    "nothing": ("CxAtlas", "()"),
    "its word is a number": ("CxAtlas", "(5 a)"),
    "open": ("CxAtlas", "(likes ?who Tea)"),
    "a rule that binds nothing": ("CxAtlas", "(implies (p ?x) (q ?y))"),
    "a rule that grows": ("CxAtlas", "(implies (p ?x) (p (Fn ?x)))"),
    "a rule too symmetric": ("CxAtlas", f"(implies (and {ALIKE}) (q ?z))"),
    "an edge that is concluded": ("CxAtlas", "(implies (p ?x) (genlCx CxBoreas ?x))"),
    "another's context": ("CxBoreas", "(a B)"),
    "the registry": ("CxRegistry", "(a B)"),
    "the vocabulary": ("CxCore", "(a B)"),
    "no context": ("Elsewhere", "(a B)"),
    "an empty context": ("", "(a B)"),
    "ist": ("CxAtlas", "(ist CxBoreas (a B))"),
    "a mask of what is no locator": ("CxAtlas", "(except (sentexHandle abc))"),
    "a mask, denied": ("CxAtlas", f'(not (except (sentexHandle "{NOWHERE}")))'),
    "a reply to what is not here": ("CxAtlas", f'{REPLY} (sentexHandle "{NOWHERE}"))'),
    "a reply to a prefix": ("CxAtlas", f'{REPLY} (sentexHandle "01234567"))'),
    "an edge of one": ("CxUniverse", "(genlCx CxA)"),
    "a channel over another's context": ("CxUniverse", "(channel CxBoreas)"),
}  # fmt: skip
AS_THINGS_STAND = {  # `load` takes them, as a pull does: they wait, or do nothing
    "a mask of what is no locator",
    "a reply to what is not here",
    "a reply to a prefix",
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_bc_125_what_readers_refuse_no_way_of_writing_signs(
    name: str, folder: Path
) -> None:
    context, text = FAULTS[name]
    with sit(folder, "a", "AgentAtlas", "AgentBoreas") as seat:
        at = seat.layout.directory
        words = [] if context == "" else ["--in", context]
        ways: dict[str, Callable[[], object]] = {
            "assert": lambda: code_of(lambda: seat.assert_(text, context=context)),
            "edit": lambda: code_of(
                lambda: seat.edit(add=["(good Line)", text], context=context)
            ),
            "check": lambda: seat.check(text, context=context)[0].code,
            "load": lambda: seat.load([text], context=context).refused[0].code,
        }
        if words and len(text) < 60_000:
            ways |= {
                "command": lambda: within(
                    "-C", at, "assert", text, *words, "--json"
                ).error["code"],
                "input": lambda: within(
                    "-C", at, "assert", "-", *words, "--json", stdin=text.encode()
                ).error["code"],
                "command, edit": lambda: within(
                    "-C", at, "edit", "--add", text, *words, "--json"
                ).error["code"],
            }
        if name in AS_THINGS_STAND:
            del ways["load"]
        found = {way: call() for way, call in ways.items()}
        assert len(set(found.values())) == 1, found
        assert not says(seat)
        done = seat.commit()
        assert done is not None
        assert done.size == 0
