"""Authors: files swapped, missing or damaged, sets and signatures of something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hostile.good import (
    AUTHORED,
    CONTEXTS,
    EVE,
    FRED,
    NEW,
    OLD,
    STATEMENTS,
    Files,
    Good,
)  # fmt: skip
from hostile.heads import STRANGER
from hostile.kind import Bad, Forge, Refused, Taken
from hostile.signatures import respelled, signature_of, with_signature, zeros
from koinii.history.roots import agents_root
from koinii.note import PrivateKey, Signer
from koinii.note.signed import sign_note
from koinii.trust.statements import Introduction, open_authored
from remote.forging import signed_by

ROOM = "agents/AgentEve/claims/CxRoom/0/2.kb"
FREDS_ROOM = "agents/AgentFred/claims/CxRoom/0/2.kb"
FREDS = "agents/AgentFred/authored"
NOT_SIGNED = "not the set that was signed"


def refused(words: str, path: str = AUTHORED, agent: str = EVE) -> Refused:
    return Refused("author", words, path, agent)


def changed(path: str, body: bytes | None) -> Forge:
    """Return a ref with one file changed, everything that is the seat's made to fit."""
    return lambda good: good.made({path: body})


def damaged(path: str) -> Forge:
    """Return a ref with one bit of a file turned, and nothing made to fit it."""

    def forge(good: Good) -> Files:
        body = bytearray(good.second[path])
        body[len(body) // 2] ^= 1
        return {**good.second, path: bytes(body)}

    return forge


def missing(path: str) -> Forge:
    return lambda good: {
        name: body for name, body in good.second.items() if name != path
    }


def swapped(one: str, other: str) -> Forge:
    return lambda good: good.made({one: good.second[other], other: good.second[one]})


def moved(source: str, target: str) -> Forge:
    return lambda good: good.made({source: None, target: good.second[source]})


def signed_with(**changes: object) -> Forge:
    return lambda good: good.made({AUTHORED: good.signed(**changes)})


def signed_by_eve_for(agent: str) -> Forge:
    """Return a ref where Eve signs her set as another agent, under its name."""

    def forge(good: Good) -> Files:
        statement = open_authored(good.second[AUTHORED], good.key().public)
        other = replace(statement, agent=agent)
        return good.made({AUTHORED: signed_by(good.key(), agent, other)})

    return forge


def resigned(change: object) -> Forge:
    """Return Eve's set with another signature under the same statement."""

    def forge(good: Good) -> Files:
        body = good.second[AUTHORED]
        assert callable(change)
        return good.made({AUTHORED: with_signature(body, change(signature_of(body)))})

    return forge


def by(key: str, name: str = EVE) -> Forge:
    """Return Eve's newest statement, signed in a name by another's key."""

    def forge(good: Good) -> Files:
        keys = {"stranger": STRANGER, "seat": good.forger.key, "Fred": good.key(FRED)}
        statement = open_authored(good.second[AUTHORED], good.key().public)
        body = sign_note(statement.text(), [Signer.of(name, keys[key])])
        return good.made({AUTHORED: body})

    return forge


def by_a_key_it_names(good: Good) -> Files:
    """The statement names the stranger's key, which has signed it."""
    statement = open_authored(good.second[AUTHORED], good.key().public)
    other = replace(statement, key_hash=STRANGER.public.key_hash)
    return good.made({AUTHORED: signed_by(STRANGER, EVE, other)})


def with_everything(good: Good) -> Files:
    """Keys, introduction and set are all a stranger's; only the name is Eve's."""
    statement = open_authored(good.second[AUTHORED], good.key().public)
    other = replace(statement, key_hash=STRANGER.public.key_hash)
    rows = {**good.record.agents}
    rows[EVE] = rows[EVE]._replace(key_hash=STRANGER.public.key_hash)
    return good.made(
        {
            AUTHORED: signed_by(STRANGER, EVE, other),
            STATEMENTS: introduced(EVE, STRANGER, good.seat),
        },
        agents=rows,
        agents_root=agents_root((name, *row) for name, row in rows.items()),
    )


def introduced(agent: str, key: PrivateKey, seat: str, time: int = 5) -> bytes:
    """Return an introduction, whoever's name it is."""
    made = Introduction(agent, key.public, seat, (), time)
    return sign_note(made.text(), [Signer.of(agent, key)])


def introducing(agent: str = EVE, seat: str = "") -> Forge:
    return lambda good: good.made(
        {STATEMENTS: introduced(agent, good.key(), seat or good.seat)}
    )


def newcomers(*names: str) -> Forge:
    """Return a ref where more agents introduce themselves with Eve's key."""
    return lambda good: good.made(
        {
            f"agents/{name}/statements": introduced(name, good.key(), good.seat)
            for name in names
        }
    )


def older_set(good: Good) -> Files:
    """What Eve said and signed at the first commit, as if it were the newest."""
    older = {path: good.first[path] for path in (AUTHORED, CONTEXTS)}
    return good.made({NEW: None, ROOM: None, **older})


def contexts_with(*lines: bytes) -> Forge:
    """Return a ref where Eve's contexts have lines of this spelling behind them."""
    more = b"".join(line + b"\n" for line in lines)
    return lambda good: good.made({CONTEXTS: good.second[CONTEXTS] + more})


def contexts_reversed(good: Good) -> Files:
    lines = good.second[CONTEXTS].splitlines(keepends=True)
    return good.made({CONTEXTS: b"".join(reversed(lines))})


def contexts_twice(good: Good) -> Files:
    """The last context a second time, with a greater number of lines."""
    last = good.second[CONTEXTS].splitlines()[-1].split(b" ")
    again = b" ".join((last[0], b"9" * 15, last[2])) + b"\n"
    return good.made({CONTEXTS: good.second[CONTEXTS] + again})


def contexts_exchanged(good: Good) -> Files:
    """Two contexts with each other's roots."""
    first, second, *more = (
        line.split(b" ") for line in good.second[CONTEXTS].splitlines()
    )
    first[1:], second[1:] = second[1:], first[1:]
    lines = [b" ".join(line) + b"\n" for line in (first, second, *more)]
    return good.made({CONTEXTS: b"".join(lines)})


def set_gone(good: Good) -> Files:
    return good.made(
        {path: None for path in good.second if path.startswith("agents/AgentEve/")}
    )


def counts_on(good: Good) -> Files:
    """A third commit that binds a set which Eve signed for the second."""
    last = good.record
    more = replace(last, number=3, previous=last.leaf, agents={EVE: last.agents[EVE]})
    return good.forger.headed(good.second, [*good.entries, more.encode()])


def merged_wrongly(good: Good) -> Files:
    """Both segments joined in one file, as a merge does, with its lines twice."""
    body = good.second[OLD] + good.second[NEW]
    return good.made({OLD: None, NEW: None, OLD.replace("/0/1", "/1/2"): body})


def segment(body: bytes) -> Forge:
    return lambda good: good.made({NEW: body})


def in_order(good: Good, change: object) -> Files:
    lines = good.second[NEW].splitlines(keepends=True)
    assert callable(change)
    return good.made({NEW: b"".join(change(lines))})


def doubled(lines: Sequence[bytes]) -> list[bytes]:
    return [lines[0], *lines]


def weak(raw: bytes) -> Forge:
    """Return a ref whose agent introduces itself with a bad key."""

    def forge(good: Good) -> Files:
        lines = good.second[STATEMENTS].split(b"\n")
        lines[2] = raw.hex().encode()
        return good.made({STATEMENTS: with_signature(b"\n".join(lines), IDENTITY)})

    return forge


P = 2**255 - 19
ONE = (1).to_bytes(32, "little")
ORDER_8 = bytes.fromhex(
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
)
IDENTITY = ONE + bytes(32)  # fits every text under a key of small order, unless refused


KINDS = [
    Bad(
        "author: a bit of its signature file",
        damaged(AUTHORED),
        refused("its hash", AUTHORED),
    ),
    Bad(
        "author: a bit of its introduction",
        damaged(STATEMENTS),
        refused("its hash", STATEMENTS),
    ),
    Bad("author: a bit of a segment", damaged(NEW), refused("its hash", NEW)),
    Bad("author: a segment is missing", missing(NEW), refused("both listed", NEW)),
    Bad(
        "author: an older segment is missing", missing(OLD), refused("both listed", OLD)
    ),
    Bad("author: the signature is missing", missing(AUTHORED), refused("both listed")),
    Bad(
        "author: the introduction is missing",
        missing(STATEMENTS),
        refused("both listed", STATEMENTS),
    ),
    Bad(
        "author: a file that is not listed",
        lambda good: {**good.second, "agents/AgentEve/more": b"x"},
        refused("both listed", "agents/AgentEve/more"),
    ),
    Bad(
        "author: a segment gone, manifest and all",
        changed(NEW, None),
        refused(NOT_SIGNED),
    ),
    Bad(
        "author: the signature gone, manifest and all",
        changed(AUTHORED, None),
        refused("no signature"),
    ),
    Bad(
        "author: the introduction gone, manifest and all",
        changed(STATEMENTS, None),
        refused("not introduced", STATEMENTS),
    ),
    Bad("author: gone, manifest and all", set_gone, refused("newest set")),
    Bad("author: two segments swapped", swapped(OLD, NEW), refused(NOT_SIGNED)),
    Bad(
        "author: segments of two contexts swapped",
        swapped(NEW, ROOM),
        refused("out of order", ROOM),
    ),
    Bad(
        "author: a segment of another agent in its place",
        lambda good: good.made({NEW: good.second[FREDS_ROOM]}),
        refused(NOT_SIGNED),
    ),
    Bad(
        "author: a segment of a context that is no symbol",
        moved(NEW, "agents/AgentEve/claims/Cx%20Eve/0/2.kb"),
        refused("no name may hold", "agents/AgentEve/claims/Cx%20Eve/0/2.kb"),
    ),
    Bad(
        "author: a segment of a context with a slash",
        moved(NEW, "agents/AgentEve/claims/Cx%2F/0/2.kb"),
        refused("", "agents/AgentEve/claims/Cx%2F/0/2.kb"),
    ),
    Bad(
        "author: a segment whose path is not quoted right",
        moved(NEW, "agents/AgentEve/claims/Cx%45ve/0/2.kb"),
        refused("no name in a path", "agents/AgentEve/claims/Cx%45ve/0/2.kb"),
    ),
    Bad(
        "author: a segment number of 2^63",
        moved(NEW, f"agents/AgentEve/claims/CxEve/0/{2**63}.kb"),
        refused("no path", f"agents/AgentEve/claims/CxEve/0/{2**63}.kb"),
    ),
    Bad(
        "author: a segment number of -1",
        moved(NEW, "agents/AgentEve/claims/CxEve/0/-1.kb"),
        refused("no path", "agents/AgentEve/claims/CxEve/0/-1.kb"),
    ),
    Bad(
        "author: a level beyond the last",
        moved(NEW, "agents/AgentEve/claims/CxEve/21/2.kb"),
        refused("no path", "agents/AgentEve/claims/CxEve/21/2.kb"),
    ),
    Bad(
        "author: a merge that keeps what is taken back",
        merged_wrongly,
        refused("out of order", "agents/AgentEve/claims/CxEve/1/2.kb"),
    ),
    Bad("author: an older set, signed then", older_set, refused("newest set")),
    Bad(
        "author: no contexts",
        changed(CONTEXTS, None),
        refused("missing", CONTEXTS),
    ),
    Bad(
        "author: contexts of another set",
        lambda good: good.made({CONTEXTS: good.first[CONTEXTS]}),
        refused("not those that were signed", CONTEXTS),
    ),
    Bad(
        "author: contexts with each other's roots",
        contexts_exchanged,
        refused("not those that were signed", CONTEXTS),
    ),
    Bad(
        "author: contexts out of order",
        contexts_reversed,
        refused("out of order", CONTEXTS),
    ),
    Bad("author: a context twice", contexts_twice, refused("second time", CONTEXTS)),
    Bad(
        "author: a context of nothing",
        contexts_with(b"CxZzz 0 " + b"0" * 64),
        refused("<Context> <size> <root>", CONTEXTS),
    ),
    Bad(
        "author: a context that is no name",
        contexts_with(b".. 1 " + b"0" * 64),
        refused("no name of a context", CONTEXTS),
    ),
    Bad(
        "author: contexts that are no text",
        contexts_with(b"\xff 1 " + b"0" * 64),
        refused("<Context> <size> <root>", CONTEXTS),
    ),
    Bad(
        "author: contexts that do not end",
        lambda good: good.made({CONTEXTS: good.second[CONTEXTS][:-1]}),
        refused("no line end", CONTEXTS),
    ),
    Bad(
        "author: another agent's set",
        lambda good: good.made({AUTHORED: good.second[FREDS]}),
        refused("another key"),
    ),
    Bad(
        "author: signed for another agent",
        signed_by_eve_for(FRED),
        refused("another agent or seat"),
    ),
    Bad(
        "author: signed at another seat",
        signed_with(seat="0" * 32),
        refused("another agent or seat"),
    ),
    Bad(
        "author: signed for the commit before",
        signed_with(number=1),
        refused("commit 1 does not bind"),
    ),
    Bad(
        "author: signed for a commit to come",
        signed_with(number=3),
        refused("record 3 is not", "history/entries/0000"),
    ),
    Bad(
        "author: signed for commit 2^63-1",
        signed_with(number=2**63 - 1),
        refused("missing", f"history/entries/{(2**63 - 2) // 256}"),
    ),
    Bad(
        "author: signed for commit 2^64-1",
        signed_with(number=2**64 - 1),
        refused("missing", f"history/entries/{(2**64 - 2) // 256}"),
    ),
    Bad("author: one set bound by two commits", counts_on, refused("newest set")),
    Bad(
        "author: another count of lines", signed_with(size=1), refused("does not bind")
    ),
    Bad("author: 2^64-1 lines", signed_with(size=2**64 - 1), refused("does not bind")),
    Bad("author: another root", signed_with(root=b"r" * 32), refused("does not bind")),
    Bad(
        "author: the hash of another key",
        signed_with(key_hash=b"k" * 32),
        refused("another key"),
    ),
    Bad(
        "author: signed by a stranger in its name",
        by("stranger"),
        refused("no known key"),
    ),
    Bad(
        "author: signed by another agent in its name",
        by("Fred"),
        refused("no known key"),
    ),
    Bad("author: signed by the seat in its name", by("seat"), refused("no known key")),
    Bad(
        "author: signed by a stranger whose key it names",
        by_a_key_it_names,
        refused("another key"),
    ),
    Bad(
        "author: another key at the same seat",
        with_everything,
        refused("gone or changed", STATEMENTS),
        newcomer=Taken(),
    ),
    Bad(
        "author: an introduction at another seat",
        introducing(seat="0" * 32),
        refused("does not introduce", STATEMENTS),
    ),
    Bad(
        "author: the introduction of another name",
        introducing(FRED),
        refused("does not introduce", STATEMENTS),
    ),
    Bad(
        "author: an introduction in place of its set",
        lambda good: good.made({AUTHORED: good.second[STATEMENTS]}),
        refused("not an authored statement"),
    ),
    Bad(
        "author: a head in place of its set",
        lambda good: good.made({AUTHORED: good.second["checkpoint"]}),
        refused(""),
    ),
    Bad(
        "author: its set in place of its introduction",
        lambda good: good.made({STATEMENTS: good.second[AUTHORED]}),
        refused("does not begin with an introduction", STATEMENTS),
    ),
    Bad("author: a key of zeros", weak(bytes(32)), refused("small order", STATEMENTS)),
    Bad(
        "author: a key that is the identity",
        weak(ONE),
        refused("small order", STATEMENTS),
    ),
    Bad(
        "author: a key of order eight",
        weak(ORDER_8),
        refused("small order", STATEMENTS),
    ),
    Bad(
        "author: a key that is spelled beyond the field",
        weak((P + 2).to_bytes(32, "little")),
        refused("canonical", STATEMENTS),
    ),
    Bad(
        "author: a key that is no point",
        weak((2).to_bytes(32, "little")),
        refused("no point", STATEMENTS),
    ),
    Bad(
        "author: a signature with the order added to S",
        resigned(respelled),
        refused("does not fit"),
    ),
    Bad(
        "author: a signature of zeros",
        resigned(lambda _: zeros()),
        refused("does not fit"),
    ),
    Bad(
        "author: a signature whose R is the identity",
        resigned(lambda body: ONE + body[32:]),
        refused("does not fit"),
    ),
    Bad(
        "author: a signature of 63 bytes",
        resigned(lambda body: body[:-1]),
        refused("does not fit"),
    ),
    Bad("segment: empty", segment(b""), refused(NOT_SIGNED)),
    Bad("segment: no text", segment(b"\xff\xfe\n"), refused("not UTF-8", NEW)),
    Bad(
        "segment: no line end",
        segment(b"+ default 1 (a B)"),
        refused("no line end", NEW),
    ),
    Bad(
        "segment: lines that end as another system's",
        lambda good: good.made({NEW: good.second[NEW].replace(b"\n", b"\r\n")}),
        refused("line 1", NEW),
    ),
    Bad(
        "segment: a line of another kind",
        segment(b"* default 1 (a B)\n"),
        refused("neither", NEW),
    ),
    Bad(
        "segment: a line of 70 KiB",
        segment(b"+ default 1 (a " + b"x" * (70 << 10) + b")\n"),
        refused("no line end where one must be", NEW),
    ),
    Bad(
        "segment: takes back what is no locator",
        segment(b"- sha256:xyz\n"),
        refused("neither", NEW),
    ),
    Bad(
        "segment: a locator in capitals",
        segment(b"- sha256:" + b"A" * 64 + b"\n"),
        refused("neither", NEW),
    ),
    Bad(
        "segment: not in the order of its locators",
        lambda good: in_order(good, reversed),
        refused("out of order", NEW),
    ),
    Bad(
        "segment: a line twice",
        lambda good: in_order(good, doubled),
        refused("second time", NEW),
    ),
    Bad(
        "segment: a line and its retraction",
        lambda good: in_order(
            good, lambda lines: [*lines, b"- " + b"sha256:" + b"0" * 64 + b"\n"]
        ),
        refused("out of order", NEW),
    ),
    Bad(
        "segment: not what it says at its end",
        lambda good: good.made(
            {NEW: good.second[NEW] + b"- sha256:" + b"f" * 64 + b"\n"}
        ),
        Taken(),
    ),
    Bad(
        "agent: a name in small letters",
        newcomers("eve"),
        refused("no agent's name", "agents/eve", "eve"),
    ),
    Bad(
        "agent: the name of the majority",
        newcomers("AgentMajority"),
        refused("reserved", "agents/AgentMajority", "AgentMajority"),
    ),
    Bad(
        "agent: a name whose context is another's beliefs",
        newcomers("AgentAgentGood"),
        refused("reserved", "agents/AgentAgentGood", "AgentAgentGood"),
    ),
    Bad(
        "agent: a name whose context is the universe",
        newcomers("AgentUniverse"),
        refused("reserved", "agents/AgentUniverse", "AgentUniverse"),
    ),
    Bad(
        "agent: a name that looks alike",
        newcomers("Agent\u0415ve"),
        refused("no agent's name", "agents/Agent\u0415ve", "Agent\u0415ve"),
    ),
    Bad(
        "agent: a name with a character that is not seen",
        newcomers("AgentEve\u200b"),
        refused("no agent's name", "agents/AgentEve\u200b", "AgentEve\u200b"),
    ),
    Bad("agent: a name of another case", newcomers("AgentEVE"), Taken()),
    Bad(
        "agent: a name of two hundred letters",
        newcomers("Agent" + "E" * 200),
        refused("no agent's name", "agents/Agent" + "E" * 200, "Agent" + "E" * 200),
    ),
    Bad(
        "agent: the introduction's time is 2^64-1",
        lambda good: good.made(
            {
                "agents/AgentLate/statements": introduced(
                    "AgentLate", good.key(), good.seat, 2**64 - 1
                )
            }
        ),
        Taken(),
    ),
]
