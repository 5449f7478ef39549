"""One good ref of a hostile seat, and the keys to make bad ones of it.

Two agents, Eve and Fred, say facts, rules, edges, replies and a mask, in their own
contexts, in a channel and in a context that is nobody's, over two commits. Whoever
receives has applied the first; every kind of the kit is the second, made bad.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import koinii
from hostile.surroundings import surroundings
from koinii import RemoteSeat
from koinii.history.contexts import ContextSet, write_contexts
from koinii.history.log import decode_bundle
from koinii.history.record import AuthoredRoot, CommitRecord, decode_record
from koinii.history.roots import agents_root, author_tree, context_tree
from koinii.kb.claim import stored_line
from koinii.note import PrivateKey
from koinii.trust.statements import Authored, statement_hash
from remote.desks import Clock, make_desk, shown
from remote.forging import BUNDLE, Forger, signed_by

EVE, FRED = "AgentEve", "AgentFred"
EVES = (EVE, FRED)
STATEMENTS = "agents/AgentEve/statements"
AUTHORED = "agents/AgentEve/authored"
CONTEXTS = "agents/AgentEve/contexts"
OLD = "agents/AgentEve/claims/CxEve/0/1.kb"
NEW = "agents/AgentEve/claims/CxEve/0/2.kb"
MORE = "agents/AgentEve/claims/CxEve/0/3.kb"  # of a commit that comes after

Files: TypeAlias = dict[str, bytes]
Lines: TypeAlias = dict[str, dict[str, list[str]]]  # agent → context → live lines


class Good(NamedTuple):
    """The good ref in its two states, and who can sign for it."""

    forger: Forger
    first: Files
    second: Files
    lines: Lines  # live in the second
    honest: str  # the id of the seat beside it
    others: Files  # that seat's files
    claim: str  # a locator of that seat
    folder: Path

    def __repr__(self) -> str:
        return "Good"

    @property
    def seat(self) -> str:
        """The id of the hostile seat."""
        return self.forger.id

    @property
    def entries(self) -> list[bytes]:
        """The records of the second state."""
        return decode_bundle(self.second[BUNDLE])

    @property
    def record(self) -> CommitRecord:
        """The newest record of the second state."""
        return as_record(self.entries[-1])

    def key(self, agent: str = EVE) -> PrivateKey:
        """Return an agent's key; whom nobody knows speaks with Eve's."""
        return self.forger.agents.get(agent, self.forger.agents[EVE])

    def made(self, changes: Mapping[str, bytes | None], **record: Any) -> Files:
        """Return the second state with files changed, all that is the seat's anew."""
        files = {**self.second, **changes}
        kept = {path: body for path, body in files.items() if body is not None}
        return self.forger.resealed(kept, **record)

    def signed(self, **changes: Any) -> bytes:
        """Return Eve's signature under a statement that differs in these fields."""
        return self.forger.authored(self.second, EVE, changes)

    def saying(
        self, context: str, lines: Sequence[str], body: bytes | None = None
    ) -> Files:
        """Return a third state, in which Eve says more; `body` is how it is written."""
        path = f"agents/AgentEve/claims/{context}/0/3.kb"
        told = "".join(f"+ {line}\n" for line in lines).encode()
        files = {**self.second, path: told if body is None else body}
        sets = {**self.lines[EVE]}
        sets[context] = [*sets.get(context, []), *lines]
        return self.continued(files, self.entries, {EVE: sets})

    def healed(self, entries: list[bytes], grown: Files | None = None) -> Files:
        """Return a good state with the second's claims, on top of this history.

        `grown` has what agents have signed since, which only grows.
        """
        files = {**self.second, **(grown or {})}
        return self.continued(files, entries, self.lines)

    def continued(self, files: Files, entries: list[bytes], said: Lines) -> Files:
        """Return a further commit, in which agents sign that these lines live."""
        last = as_record(entries[-1])
        rows = sets_of(entries)
        for agent, contexts in said.items():
            previous = newest_of(entries, agent, self.seat)
            statement = self.statement(agent, last.number + 1, contexts, previous)
            body = signed_by(self.key(agent), agent, statement)
            files = {
                **files,
                f"agents/{agent}/authored": body,
                f"agents/{agent}/contexts": write_contexts(sets_under(contexts)),
            }
            rows[agent] = bound_by(statement)
        files = self.forger.listed(files)
        record = replace(
            last,
            number=last.number + 1,
            previous=last.leaf,
            agents={agent: rows[agent] for agent in said},
            agents_root=agents_root((name, *row) for name, row in rows.items()),
            manifest=sha256(files["manifest"]).digest(),
        )
        return self.forger.headed(files, [*entries, record.encode()])

    def statement(
        self,
        agent: str,
        number: int,
        contexts: Mapping[str, Sequence[str]],
        previous: bytes | None,
    ) -> Authored:
        """Return what an agent signs where these are its live lines."""
        tree = author_tree(sets_under(contexts))
        key = self.key(agent).public
        size = sum(map(len, contexts.values()))
        return Authored(
            agent, key.key_hash, self.seat, number, size, tree.root, previous
        )


def sets_under(contexts: Mapping[str, Sequence[str]]) -> list[ContextSet]:
    """Return what an authored root is over."""
    return [
        (context, len(lines), context_tree(lines).root)
        for context, lines in contexts.items()
        if lines
    ]


def bound_by(statement: Authored) -> AuthoredRoot:
    """Return what a record says of a set."""
    return AuthoredRoot(statement.key_hash, statement.root, statement.size)


def as_record(entry: bytes) -> CommitRecord:
    """Return an entry of a history that this version reads."""
    record = decode_record(entry)
    assert isinstance(record, CommitRecord)
    return record


def newest_of(entries: Sequence[bytes], agent: str, seat: str) -> bytes | None:
    """Return the hash of the newest statement of an agent that a history binds."""
    digest = None
    for record in map(as_record, entries):
        if agent in record.agents:
            key_hash, root, size = record.agents[agent]
            made = Authored(agent, key_hash, seat, record.number, size, root, digest)
            digest = statement_hash(made)
    return digest


def sets_of(entries: Sequence[bytes]) -> dict[str, AuthoredRoot]:
    """Return the newest set of each agent that a history binds."""
    rows: dict[str, AuthoredRoot] = {}
    for entry in entries:
        rows |= as_record(entry).agents
    return rows


def live_lines(seat: RemoteSeat, agents: Sequence[str]) -> Lines:
    """Return what agents say at their seat."""
    rows, names = seat.kb.assertions, seat.kb.names
    lines: Lines = {}
    for agent in agents:
        author = names.author_id(agent, seat.id)
        assert author is not None
        lines[agent] = {
            names.context(context): [
                stored_line(*row[1:]) for row in rows.lines(author, context)
            ]
            for context in rows.contexts_of(author)
        }
    return lines


# The story --------------------------------------------------------------------------


class Story(NamedTuple):
    """A folder with a remote and all who meet there, to be copied as one."""

    folder: Path
    good: Good


def tell(folder: Path) -> Story:
    """Make the seats; the remote shows the second state of both who speak."""
    story = folder / "story"
    story.mkdir()
    with surroundings(story / "home"):
        remote = story / "remote.git"
        subprocess.run(
            ["git", "init", "-q", "--bare", "--template=", str(remote)], check=True
        )
        honest = make_desk(story, "honest", ["AgentGood", "AgentGrace"])
        hostile = make_desk(story, "hostile", EVES)
        make_desk(story, "receiver", ["AgentAnna"])
        newcomer = make_desk(story, "newcomer", ["AgentZoe"])
        with (
            koinii.open(str(honest.path), now=Clock()) as fair,
            koinii.open(str(hostile.path), now=Clock()) as foul,
            koinii.open(str(story / "receiver"), now=Clock()) as anna,
            koinii.open(str(newcomer.path), now=Clock()) as zoe,
        ):
            for seat in (fair, foul, anna, zoe):
                seat.remotes.add("origin", str(remote))
            claim = _honest_first(fair)
            fair.sync()
            foul.pull()
            _hostile_first(foul, claim)
            foul.commit()
            foul.push()
            first = shown(foul)
            _own(anna)
            assert anna.pull().whole
            _honest_second(fair)
            fair.commit()
            fair.push()
            _hostile_second(foul)
            foul.commit()
            foul.push()
            good = Good(
                Forger(foul, EVES), first, shown(foul), live_lines(foul, EVES),
                fair.id, shown(fair), claim, story,
            )  # fmt: skip
    for name in ("honest", "hostile"):
        shutil.rmtree(story / name)
    return Story(story, good)


def _own(anna: RemoteSeat) -> None:
    anna.assert_("(usesDatabase Reports Postgres)")
    anna.assert_("(channel CxRoom)")
    anna.join("CxRoom")
    anna.assert_("(isBusy Anna)", context="CxRoom")


def _honest_first(fair: RemoteSeat) -> str:
    """Facts, a rule with a conclusion, a mask, a reply; return a claim's locator."""
    claim = fair.assert_("(usesDatabase ProdCluster Postgres)", agent="AgentGood")
    fair.assert_("(implies (usesDatabase ?c ?d) (dependsOn ?c ?d))", agent="AgentGood")
    fair.assert_("(channel CxRoom)", agent="AgentGood")
    for agent in ("AgentGood", "AgentGrace"):
        fair.join("CxRoom", agent=agent)
    fair.assert_("(isUp ProdCluster)", agent="AgentGood", context="CxRoom")
    old = fair.assert_("(isUp TestCluster)", agent="AgentGrace")
    fair.assert_(f'(except (sentexHandle "{old}"))', agent="AgentGrace")
    fair.assert_(f'(confirms (sentexHandle "{claim}"))', agent="AgentGrace")
    return claim


def _honest_second(fair: RemoteSeat) -> None:
    fair.assert_("(usesDatabase TestCluster Sqlite)", agent="AgentGood")
    fair.assert_("(isUp Backup)", agent="AgentGrace", context="CxRoom")


def _hostile_first(foul: RemoteSeat, claim: str) -> None:
    for agent in EVES:
        foul.join("CxRoom", agent=agent)
        foul.assert_(f"(first {agent})", agent=agent)
        foul.assert_(f"(isKept {agent})", agent=agent)
        foul.assert_(f"(isHere {agent})", agent=agent, context="CxRoom")
        foul.assert_(f"(notes {agent})", agent=agent, context="CxNotes")
        foul.assert_(f'(doubts (sentexHandle "{claim}"))', agent=agent)


def _hostile_second(foul: RemoteSeat) -> None:
    for agent in reversed(EVES):
        own = agent.replace("Agent", "Cx")
        foul.retract(foul.locate(f"(first {agent})", own), agent=agent)
        kept = foul.assert_(f"(second {agent})", agent=agent)
        foul.assert_("(implies (second ?a) (came ?a))", agent=agent)
        foul.assert_(f'(except (sentexHandle "{kept}"))', agent=agent)
        foul.assert_(f"(isUp {agent})", agent=agent, context="CxRoom")
