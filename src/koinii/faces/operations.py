"""The table of operations: what this version can do, once, for every face.

The command line, `docs/operations.md` and every other face are made from
`OPERATIONS`. An operation's `run` takes an open seat (or, where it needs none,
the surroundings of the command) and its parameters by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.faces import (
    actions,
    audits,
    bundled,
    conversing,
    decisions,
    disputing,
    exports,
    inquiries,
    keeping,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from koinii.errors import KoiniiError

# What an operation is given.
NO_SEAT = "none"  # the surroundings: where the command runs and what was set
SEAT = "seat"  # a seat without its remotes, which opens at once
REMOTE_SEAT = "remote"  # a seat that can reach its remotes

# Kinds of parameters. A face turns what it is given into the type at the right.
TEXT = "text"  # str
SENTENCE = "sentence"  # str; `-` on a command line is standard input
CONTEXT = "context"  # str, the name of a context
AGENT = "agent"  # str, by default the acting agent
LOCATOR = "locator"  # str, whole or its first 8 hex digits and more
DOCUMENT = "document"  # str, a file's text; FILE or `-` on a command line
BYTES = "file"  # bytes, those of a file; FILE or `-`
LINES = "lines"  # iterable of str, a file's lines; FILE or `-`
PATH = "path"  # str
ADDRESS = "address"  # str, of a git repository
FINGERPRINT = "fingerprint"  # str, of a public key: SHA256:…
PUBLIC_KEY = "fingerprint|file"  # str, a fingerprint, an OpenSSH line or its file
SEAT_ID = "seat-id"  # str, whole or its first 8 hex digits and more
NUMBER = "number"  # int, 0 or more
CHOICE = "choice"  # str, one of `choices`
FLAG = "flag"  # bool


class Parameter(NamedTuple):
    """One argument of an operation, by the name that `run` takes it under."""

    name: str
    kind: str
    help: str
    positional: bool = False
    required: bool = False
    repeatable: bool = False  # run takes a list
    default: object = None
    choices: tuple[str, ...] = ()
    option: str = ""  # its spelling as an option where that is not the name

    @property
    def spelling(self) -> str:
        """The parameter as it is typed: `--in`, or `SENTENCE`."""
        if self.positional:
            return self.name.upper()
        return self.option or "--" + self.name.replace("_", "-")

    @property
    def takes(self) -> str:
        """What is typed for it: `CONTEXT`, `json|tlog`; '' for a flag."""
        return "" if self.kind == FLAG else "|".join(self.choices) or self.kind.upper()

    @property
    def absent(self) -> object:
        """The value of a parameter that is not given."""
        if self.repeatable:
            return []
        return False if self.kind == FLAG else self.default


class Operation(NamedTuple):
    """One thing that can be done.

    `failure` turns a result that is no success into the error it means;
    `partial` tells that a result was done in part only (exit 7).
    """

    name: str
    summary: str
    run: Callable[..., object]
    parameters: tuple[Parameter, ...]
    result: str
    examples: tuple[str, ...]
    needs: str = SEAT
    writes: bool = False
    rehearsed: bool = False  # `--dry-run` does it in a transaction and undoes that,
    rehearsal: Callable[..., object] | None = None  # or runs this instead
    streamed: bool = False  # run yields one answer after another, None for a pause
    long: bool = False  # a terminal shows how far it is
    failure: Callable[..., KoiniiError | None] | None = None
    partial: Callable[..., bool] | None = None

    @property
    def usage(self) -> str:
        """The operation as it is typed, `[]` around what may be left out."""
        words = [self.name]
        for one in self.parameters:
            word = one.spelling + "..." * (one.positional and one.repeatable)
            if not one.positional:
                word = f"{word} {one.takes}".strip()
            words.append(word if one.required else f"[{word}]")
        return " ".join(words)


def _given(name: str, kind: str, text: str, *, required: bool = True) -> Parameter:
    return Parameter(name, kind, text, positional=True, required=required)


_SENTENCE = _given("sentence", SENTENCE, "the sentence; - reads standard input")
_LOCATOR = _given("locator", LOCATOR, "a locator, or its first 8 hex digits and more")
_REMOTE = Parameter("name", TEXT, "the remote", positional=True, default="origin")
_IN = Parameter("context", CONTEXT, "the context it stands in", option="--in")
_READ_IN = Parameter("context", CONTEXT, "the context that reads", option="--in")
_THERE = _READ_IN._replace(required=True)
_CHANNEL = Parameter("channel", CONTEXT, "the channel", required=True, option="--in")
_AS = Parameter("agent", AGENT, "the agent that acts", option="--as")
_MONOTONIC = Parameter("monotonic", FLAG, "known true, not a default that gives way")
_COSIGNED = (
    Parameter(
        "require_cosigners",
        NUMBER,
        "take no head that fewer other followed seats have cosigned",
    ),
    Parameter("max_age", NUMBER, "count cosignatures of at most so many seconds"),
)
_PART = (
    Parameter(
        "agents", TEXT, "take only lines of this agent, of other seats",
        repeatable=True, option="--agent",
    ),
    Parameter(
        "contexts", CONTEXT, "take only lines in this context, of other seats",
        repeatable=True, option="--context",
    ),
)  # fmt: skip
_EVERYTHING = Parameter("everything", FLAG, "take everything again")
_LIMIT = Parameter("limit", NUMBER, "show at most so many")
_KEY = Parameter("key", PATH, "the agent's own private key, an OpenSSH file")
_FOR = Parameter(
    "agent", AGENT, "the agent; the one that acts if left out", positional=True
)
_ABOUT = Parameter(
    "fingerprint",
    FINGERPRINT,
    "that of the key, as `koinii agent` shows it",
    required=True,
    option="--key",
)
_AT_SEAT = Parameter(
    "place", SEAT_ID, "at this seat alone; every seat if left out", option="--seat"
)
_FROM = Parameter(
    "number", NUMBER, "from that commit of the seat on", default=0, option="--from"
)
_REASON = Parameter(
    "reason", TEXT, "why, one line, which everybody can read", required=True
)
_PEER = _given("place", SEAT_ID, "its id, or the first 8 hex digits and more")
_SCOPE = Parameter(
    "scope",
    CHOICE,
    "cone, as if left out: what the context sees; exact: it alone; any: every context",
    choices=("cone", "exact", "any"),
)

OPERATIONS = (
    Operation(
        "init",
        "Make a seat, with a key for its first agent.",
        actions.init,
        (_given("directory", PATH, "where; here if left out", required=False),
         _AS, _KEY),
        "the seat's id, directory and agent",
        ("koinii init --as AgentAtlas", "koinii init desk --as AgentBoreas"),
        needs=NO_SEAT,
        writes=True,
    ),
    Operation(
        "clone",
        "Make a seat that begins with all that a remote holds; without --as it reads.",
        actions.clone,
        (_given("url", ADDRESS, "the remote, as git spells it"),
         _given("directory", PATH, "where"), _AS, _KEY,
         Parameter("seat_key", PATH, "the key file of a seat that was lost, to go on "
                   "as that seat"), *_PART),
        "the seat's id, directory and agent, and what came",
        ("koinii clone ../hub.git desk --as AgentBoreas",
         "koinii clone ../hub.git reading",
         "koinii clone ../hub.git desk --as AgentBoreas --context CxDeploy"),
        needs=NO_SEAT,
        writes=True,
        long=True,
        partial=actions.holds_part,
    ),
    Operation(
        "status",
        "Show where the seat stands: what it believes, its commits, what is held.",
        actions.status,
        (),
        "commit, size, number and inputs of what is believed now, and more",
        ("koinii status", "koinii status --json", "koinii -C desk status -v"),
        partial=actions.has_contested,
    ),
    Operation(
        "log",
        "Show the seat's commits, the newest first.",
        actions.log,
        (_LIMIT,
         Parameter("belief", LOCATOR, "only those with which this claim came to be "
                   "believed or ceased to be")),
        "a list of commits; of a belief its locator, turns, the commits with number, "
        "id, time and believed, unknown, those that could not be rebuilt, and "
        "missing, as of audit, of the first of them",
        ("koinii log", "koinii log --limit 1", "koinii log --belief sha256:c1b2a3d4"),
        partial=audits.is_known_in_part,
    ),
    Operation(
        "audit",
        "Rebuild what a seat believed from a remote alone, and compare commit ids.",
        audits.audit,
        (_given("target", TEXT, "a seat's id or its first 8 hex digits and more; with "
                "@ and a number that commit, else the newest"),
         Parameter("source", TEXT, "a remote of the seat here, or an address, which "
                   "needs no seat", default="origin", option="--from"),
         Parameter("every", FLAG, "every commit up to that one", option="--all")),
        "a list of commits: seat, number, recorded and rebuilt commit id, size, equal, "
        "and missing, the first input that differs or is not to be had: field, what, "
        "why and hint. A commit that was cosigned or met, and is not shown, comes last",
        ("koinii audit 5f1d2c3b", "koinii audit 5f1d2c3b@12 --from backup",
         "koinii audit 5f1d2c3b --all --from https://example.org/hub.git"),
        needs=NO_SEAT,
        long=True,
        failure=audits.not_rebuilt,
    ),
    Operation(
        "diff",
        "Compare what is believed here with what another seat, or this one, believed.",
        audits.diff,
        (_given("target", TEXT, "a seat, whose newest commit known here is meant, one "
                "of its commits as SEAT@N, the number of an own commit, or a commit "
                "id"),
         _LIMIT._replace(default=20)),
        "theirs, ours and clashes, each with its total and the first that are shown: "
        "locator, context, sentence and by, who says it, none where it is derived; a "
        "clash with its kind and both sides; missing, as of audit, where theirs could "
        "not be rebuilt",
        ("koinii diff 5f1d2c3b", "koinii diff 5f1d2c3b@12 --limit 5", "koinii diff 3"),
        needs=REMOTE_SEAT,
        long=True,
        partial=audits.is_in_part,
    ),
    Operation(
        "show",
        "Show one commit by its number, or one claim with who asserts it.",
        actions.show,
        (_given("what", TEXT, "a commit's number or a locator; the newest commit "
                "if left out", required=False),),
        "a commit record, or a claim with its authors; wrappers say how each of them "
        "says a rule: inert, default",
        ("koinii show 3", "koinii show sha256:c1b2a3d4"),
    ),
    Operation(
        "commit",
        "Record what is believed in the seat's signed history.",
        actions.commit,
        (Parameter("cosign", FLAG, "also where nothing moved but to cosign the heads "
                   "of other seats, all of them anew"),),
        "the new commit; null if nothing moved since the last",
        ("koinii commit", "koinii commit --cosign"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "push",
        "Send the seat's commits to a remote, and read back its ref.",
        actions.push,
        (_REMOTE,),
        "what the remote now shows; only the ref is read back, koinii doctor "
        "--remotes reads all; face_written, whether what it says of itself "
        "(refs/koinii/remote) was written too",
        ("koinii push", "koinii push backup", "koinii push --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=actions.rehearse_push,
    ),
    Operation(
        "pull",
        "Fetch, verify and apply what other seats have committed.",
        actions.pull,
        (_REMOTE, *_PART, _EVERYTHING, *_COSIGNED),
        "counts: new, already here, waiting, held, removed, set aside; fell, the own "
        "replies that went with what they answered, as of retract; troubles. What is "
        "taken of other seats stays chosen for later pulls. With "
        "--dry-run nothing is applied, what was fetched stays in .koinii/git, and "
        "foreseen says what would come to be believed, cease and clash, each with its "
        "total and the first, as of diff",
        ("koinii pull", "koinii pull backup", "koinii pull --dry-run",
         "koinii pull --context CxDeploy --context CxOps", "koinii pull --everything",
         "koinii pull --require-cosigners 2 --max-age 86400"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=actions.rehearse_pull,
        long=True,
        partial=actions.pulled_in_part,
    ),
    Operation(
        "sync",
        "Pull, commit and push.",
        actions.sync,
        (_REMOTE, *_COSIGNED),
        "the three reports, as of pull, commit and push",
        ("koinii sync",),
        needs=REMOTE_SEAT,
        writes=True,
        partial=actions.holds_part,
    ),
    Operation(
        "recover",
        "Go on from what a remote shows of this seat, after a copy or a backup.",
        actions.recover,
        (_REMOTE._replace(positional=False, option="--from"),),
        "number, the newest commit, now this seat's; common, how many this copy had "
        "of them; moved, whether there were more; taken and removed, lines that "
        "came and went with those; kept, changes made here, for the next commit; "
        "agents that the other copy introduced; fell, as of retract; elsewhere, "
        "another directory where commits were made that the remote does not show; "
        "keyless, agents whose keys are not here. With --dry-run nothing is applied; "
        "what was fetched stays in .koinii/git",
        ("koinii recover", "koinii recover --from backup", "koinii recover --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=actions.rehearse_recover,
    ),
    Operation(
        "export",
        "Write what is said here, and by whom, as a directory of text.",
        exports.export,
        (_given("directory", PATH, "where: absent, or empty"),),
        "files, lines and agents; commit and size of what is believed; held, lines of "
        "this seat that are not in it. The same bytes for the same lines of the same "
        "agents at any seat; nothing in it is signed",
        ("koinii export dump", "koinii export ../stick/dump --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=exports.rehearse_export,
        long=True,
    ),
    Operation(
        "import",
        "Take an export into a seat without claims, all of it or nothing.",
        exports.import_,
        (_given("directory", PATH, "where the export is"),),
        "lines, the sum of applied and held; of_counts, how many of those held say "
        "what a count ruled; waiting, how many of those applied wait; "
        "agents that got a key of this seat, since what they said is not signed; "
        "commit and size, expected, the commit id where it was exported, and skew, "
        "what this program derives with that differs from there",
        ("koinii import dump", "koinii -C desk import dump --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        long=True,
        partial=exports.imported_in_part,
    ),
    Operation(
        "bundle list",
        "List the seats a bundle could be for, and what each says it holds.",
        bundled.holders,
        (),
        "seats, each with the number of its newest commit here, and holds, that of the "
        "newest commit of this seat that it says it holds, 0 for none",
        ("koinii bundle",),
        needs=REMOTE_SEAT,
    ),
    Operation(
        "bundle create",
        "Write the seat's commits to a file, for where there is no network.",
        bundled.create,
        (_given("file", PATH, "where; an older bundle there is replaced"),
         Parameter("since", NUMBER, "the other side holds the commit of that number: "
                   "leave out all up to it"),
         Parameter("for_seat", SEAT_ID, "leave out what that seat says it holds, as "
                   "koinii bundle shows it", option="--for"),
         Parameter("all_seats", FLAG, "what is held here of other seats too, each as "
                   "its own seat signed it", option="--all")),
        "the file, its bytes and seats, each with since, the number of the commit "
        "after which it begins, 0 for all of it, number, its newest commit there, "
        "and tip; admin, whether the admin pinned here is named in it",
        ("koinii bundle create stick.bundle",
         "koinii bundle create stick.bundle --all --for 5f1d2c3b",
         "koinii bundle create stick.bundle --since 12 --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=bundled.rehearse_create,
    ),
    Operation(
        "bundle verify",
        "Check a bundle; nothing of it is applied. Needs no seat.",
        bundled.verify,
        (_given("file", PATH, "the bundle"),),
        "checked, what was; not_shown, what was not; seats, each with its state: "
        "verified, already here, or refused; pulled, what applying it would come to, "
        "null where there is no seat. An error where nothing in it verifies",
        ("koinii bundle verify stick.bundle",),
        needs=NO_SEAT,
        partial=bundled.verified_in_part,
    ),
    Operation(
        "bundle apply",
        "Verify and apply what a bundle holds of other seats, as a pull does.",
        bundled.apply,
        (_given("file", PATH, "the bundle"), *_COSIGNED),
        "as of pull; remote is the file. What is here already, or more of it, is no "
        "fault of a bundle",
        ("koinii bundle apply stick.bundle",
         "koinii bundle apply stick.bundle --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=bundled.rehearse_apply,
        long=True,
        partial=bundled.applied_in_part,
    ),
    Operation(
        "remote list",
        "List the remotes of this seat.",
        actions.remote_list,
        (),
        "addresses by name",
        ("koinii remote",),
    ),
    Operation(
        "remote add",
        "Name a git repository through which to exchange commits.",
        actions.remote_add,
        (_given("name", TEXT, "how to call it"),
         _given("url", ADDRESS, "its address, as git spells it")),
        "the name and the address",
        ("koinii remote add origin ../hub.git",),
        needs=REMOTE_SEAT,
        writes=True,
    ),
    Operation(
        "remote rm",
        "Forget a remote; nothing on it changes.",
        actions.remote_rm,
        (_given("name", TEXT, "the remote"),),
        "the name",
        ("koinii remote rm backup",),
        needs=REMOTE_SEAT,
        writes=True,
    ),
    Operation(
        "assert",
        "Put a sentence forward, durably.",
        actions.assert_,
        (_SENTENCE, _IN, _AS, _MONOTONIC),
        "its locator; a rule with several conclusions is one rule for each, and "
        "locators has all of theirs",
        ('koinii assert "(usesDatabase ProdCluster Postgres)"',
         'koinii assert "(implies (uses ?x ?y) (needs ?x ?y))"',
         'koinii assert "(channel CxDeploy)" --as AgentAtlas',
         "koinii assert - < sentence.kb"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "check",
        "Say what assert or edit would refuse, and why; nothing is written.",
        inquiries.check,
        (_given("sentences", SENTENCE, "a sentence; - reads standard input",
                required=False)._replace(repeatable=True),
         Parameter("remove", LOCATOR, "a locator to take back", repeatable=True),
         _IN, _AS, _MONOTONIC),
        "problems: where (add or remove), index among those from 0, code, message "
        "and hint; several sentences, or any with --remove, are checked as one edit",
        ('koinii check "(usesDatabase ProdCluster Postgres)"',
         'koinii check "(size Prod 3)" "(size Test 4)" --remove c1b2a3d4'),
        failure=inquiries.inadmissible,
    ),
    Operation(
        "retract",
        "Take back an assertion of one's own.",
        actions.retract,
        (_LOCATOR, _AS),
        "the whole locator; fell, the replies of this seat's agents that answered it "
        "and the agent's own masks of it, which go too: agent, context, sentence and "
        "locator",
        ("koinii retract sha256:c1b2a3d4",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "edit",
        "Add sentences and take others back, all at once or not at all.",
        actions.edit,
        (Parameter("add", TEXT, "a sentence to put forward", repeatable=True),
         Parameter("remove", LOCATOR, "a locator to take back", repeatable=True),
         _IN, _AS),
        "the locators added, each once, and how many went; fell, as of retract",
        ('koinii edit --add "(uses Prod Postgres)" --remove c1b2a3d4',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "load",
        "Put many sentences forward, one a line, in one transaction.",
        actions.load,
        (_given("lines", LINES, "a file; - reads standard input"),
         _IN, _AS, _MONOTONIC),
        "counts of new, changed and already here, and each refused line. What cannot "
        "hold beside others (functional, disjoint, arg) is taken here, as a pull takes "
        "it, and clashes or shows in diagnostics; assert and edit refuse it",
        ("koinii load facts.kb", "koinii load - --in CxDeploy < facts.kb"),
        writes=True,
        rehearsed=True,
        long=True,
        partial=actions.loaded_in_part,
    ),
    Operation(
        "ask",
        "Find what is believed and fits a pattern, in every context or one's view.",
        actions.ask,
        (_given("pattern", SENTENCE, "a pattern; - reads standard input"),
         _READ_IN._replace(help="the context that reads; without it every context "
                           "is read"), _SCOPE, _LIMIT),
        "the distinct answers, by content; without --in from every context",
        ('koinii ask "(usesDatabase ?system ?database)"',
         'koinii ask "(and (uses ?x ?y) (different ?x ?y))" --in CxDeploy'),
    ),
    Operation(
        "search",
        "Find what is believed by the words in it, the shortest sentences first.",
        actions.search,
        (_given("words", TEXT, "letters and digits are words, whatever their "
                "case and accents, and all else separates them; each has to be a "
                "whole word of a string, or a symbol or a part of one: cluster is in "
                "ProdCluster")._replace(repeatable=True),
         _READ_IN._replace(help="the context that reads; without it every context "
                           "is read"), _SCOPE, _LIMIT._replace(default=100)),
        "found, the claims; more, whether the limit left some out; unsearched, how "
        "many sentences were not looked at",
        ("koinii search cluster postgres", "koinii search upgrade --in CxDeploy",
         'koinii search "thé à la menthe" --limit 5'),
        partial=actions.searched_in_part,
    ),
    Operation(
        "argue",
        "Weigh a sentence against its negation, as a context sees both.",
        actions.argue,
        (_SENTENCE, _THERE),
        "true, false, unknown or contradiction, with both sides",
        ('koinii argue "(usesDatabase ProdCluster Postgres)" --in CxDeploy',),
    ),
    Operation(
        "why",
        "Show what a claim stands on: who asserts it, or the rules and facts behind.",
        inquiries.why,
        (_LOCATOR,),
        "a tree: each claim with its support, the rules that conclude it, and in "
        "because the claims that each of those took; wrappers, where an author says a "
        "rule inert or default; called_by, where a count has ruled it",
        ("koinii why sha256:c1b2a3d4",),
    ),
    Operation(
        "why-not",
        "Tell why a context does not give a sentence.",
        inquiries.why_not,
        (_SENTENCE, _THERE),
        "reason (not-stored, elsewhere, held, unsupported, defeated, waiting, masked, "
        "or believed) and what it is about",
        ('koinii why-not "(usesDatabase ProdCluster Postgres)" --in CxDeploy',),
    ),
    Operation(
        "contradictions",
        "List clashes with both sides believed, which nothing has decided.",
        inquiries.contradictions,
        (_READ_IN._replace(help="only what this context sees"), _LIMIT),
        "clashes, each with its kind and two sides; more, whether the limit left "
        "some out",
        ("koinii contradictions", "koinii contradictions --in CxDeploy"),
    ),
    Operation(
        "conflicts",
        "List clashes with both sides known, so that neither gives way.",
        inquiries.conflicts,
        (_READ_IN._replace(help="only what this context sees"), _LIMIT),
        "clashes, each with its kind and two sides; more, whether the limit left "
        "some out",
        ("koinii conflicts", "koinii conflicts --in CxDeploy"),
    ),
    Operation(
        "disputes",
        "List what is in dispute: clashes that stand, the oldest first.",
        disputing.disputes,
        (_READ_IN._replace(help="only what this context sees"), _LIMIT,
         Parameter("after", TEXT, "go on after the page that had this cursor"),
         Parameter("pending", FLAG, "only those of which notify has not told")),
        "disputes, each with its id, kind, dispute_class (contradiction, or conflict "
        "where both sides are known), state (open, notified or stale), since when it "
        "stands here, and sides; cursor, for the next page, and more, whether the "
        "limit left some out",
        ("koinii disputes --in CxDeploy",
         "koinii disputes --in CxDeploy --pending --limit 20 --json"),
    ),
    Operation(
        "rule",
        "Settle a dispute as an arbiter that holds neither side: uphold one of them.",
        disputing.rule,
        (_given("dispute", TEXT, "both locators, or their first digits, as A+B"),
         _given("upheld", SENTENCE, "the side that is right: its sentence or locator"),
         _CHANNEL, _AS),
        "the locator of the ruling, which koinii retract withdraws",
        ('koinii rule eea9ad2d+1f2e3d4c "(usesDatabase ProdCluster Postgres)" '
         "--in CxDeploy --as AgentCid",
         "koinii rule eea9ad2d+1f2e3d4c eea9ad2d --in CxDeploy"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "notify",
        "Tell of each open dispute in a channel once, by a command or into a file.",
        disputing.notify,
        (_CHANNEL,
         Parameter("timeout", TEXT, "how long is too long, such as 90s, 30m or 7d; "
                   "24h if left out"),
         Parameter("run", TEXT, "run this for each, with the dispute as JSON on its "
                   "standard input"),
         Parameter("to", PATH, "add each to this file, a line of JSON"),
         Parameter("again", TEXT, "forget that this dispute, A+B, was told, and tell "
                   "it too"),
         Parameter("sweep", FLAG, "then mark and tell what has stood too long")),
        "notified and stale, the disputes that were told. Each is marked, then told: "
        "one whose telling failed or was cut short counts as told; the error names it, "
        "or failed does, where others were told before",
        ("koinii notify --in CxDeploy --to disputes.jsonl",
         "koinii notify --in CxDeploy --again eea9ad2d+1f2e3d4c",
         'koinii notify --in CxDeploy --sweep --timeout 7d --run "mail -s open ops"'),
        writes=True,
        rehearsed=True,
        rehearsal=disputing.rehearse_notify,
        partial=disputing.told_in_part,
    ),
    Operation(
        "quarantine",
        "Keep a claim out of a channel, as a moderator; alone, list what is kept out.",
        disputing.quarantine,
        (_LOCATOR._replace(required=False), _CHANNEL, _AS,
         Parameter("undo", FLAG, "take that back")),
        "the locator of the mask; alone, quarantined, the claims, with no context and "
        "sentence where one is not here any more",
        ("koinii quarantine --in CxDeploy",
         "koinii quarantine sha256:c1b2a3d4 --in CxDeploy",
         "koinii quarantine sha256:c1b2a3d4 --in CxDeploy --undo"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "diagnostics",
        "List what is believed and looks wrong, and what was too long to conclude.",
        inquiries.diagnostics,
        (_LIMIT,),
        "diagnostics, each with its code, message and hint, and the claim it is "
        "about; more, whether the limit left some out",
        ("koinii diagnostics",),
    ),
    Operation(
        "watch",
        "Follow what comes to be believed and ceases to be, until interrupted.",
        inquiries.watch,
        (Parameter("goal", TEXT, "a literal with ?variables; only what fits it"),
         _READ_IN._replace(help="the context that reads; without it every context "
                           "is read"),
         Parameter("since", NUMBER, "go on after the event of this number"),
         Parameter("once", FLAG, "show what is there and end")),
        "one event after another, with --json each on a line: number, added, removed "
        "and lagged, how many events up to this one are lost",
        ("koinii watch --json", "koinii watch --since 41 --once",
         'koinii watch --goal "(usesDatabase ?system ?database)" --in CxDeploy'),
        streamed=True,
    ),
    Operation(
        "locate",
        "Tell the locator a sentence has in a context, stored or not.",
        actions.locate,
        (_SENTENCE, _IN._replace(required=True)),
        "the locator",
        ('koinii locate "(usesDatabase ProdCluster Postgres)" --in CxAtlas',),
    ),
    Operation(
        "marker",
        "Write a reference to a claim, to be carried by hand; it proves nothing.",
        actions.marker,
        (_LOCATOR,),
        "the marker",
        ("koinii marker sha256:c1b2a3d4",),
    ),
    Operation(
        "deref",
        "Look a marker up among what this seat itself holds.",
        actions.deref,
        (_given("marker", SENTENCE, "a marker; - reads standard input"),
         Parameter("why", FLAG, "tell too why what it comes to is believed here")),
        "what it resolves to; otherwise why not; with --why, why as of why",
        ("koinii deref - < marker.json", "koinii deref koinii:sha256:c1b2a3d4…",
         "koinii deref koinii:sha256:c1b2a3d4… --why"),
        failure=actions.unresolved,
    ),
    Operation(
        "prove",
        "Write a proof about the newest commit, to be checked without this seat.",
        actions.prove,
        (_LOCATOR,
         Parameter("kind", CHOICE, "what to prove; inclusion if left out",
                   choices=("inclusion", "absence", "attribution", "why", "dispute")),
         Parameter("why", FLAG, "as --kind why: what the claim stands on"),
         Parameter("dispute", FLAG, "as --kind dispute: who holds its negation"),
         Parameter("context", CONTEXT, "the context that reads a dispute",
                   option="--in"),
         Parameter("form", CHOICE, "tlog: a C2SP tlog-proof, for stock tools",
                   default="json", choices=("json", "tlog"), option="--format")),
        "the proof, a JSON document",
        ("koinii prove sha256:c1b2a3d4 > proof.json",
         "koinii prove sha256:c1b2a3d4… --kind absence > absent.json",
         "koinii prove sha256:c1b2a3d4 --why > why.json",
         "koinii prove sha256:c1b2a3d4 --dispute --in CxDeploy > dispute.json"),
    ),
    Operation(
        "verify",
        "Check a proof, with no seat at all.",
        actions.verify,
        (_given("proof", DOCUMENT, "the proof; - reads standard input"),
         Parameter("root", TEXT, "the commit id you trust"),
         Parameter("head", DOCUMENT, "a checkpoint you trust"),
         Parameter("keys", DOCUMENT, "a public key you trust", repeatable=True,
                   option="--key"),
         Parameter("entries", BYTES, "of a seat's head in place of a proof: a file of "
                   "the records under it, in order", repeatable=True),
         Parameter("since", DOCUMENT, "an older head of that seat, to be extended")),
        "what was checked and what it takes for granted",
        ("koinii verify proof.json",
         "koinii verify proof.json --head checkpoint --key seat.pub",
         "koinii verify checkpoint --key seat.pub --entries 0000 --since old"),
        needs=NO_SEAT,
        failure=actions.unverified,
    ),
    Operation(
        "agent list",
        "List the agents known here, with their keys and why any are held.",
        decisions.agent_list,
        (),
        "names, seats, keys and mail names; refusal, why and hint where what an agent "
        "says at a seat is held",
        ("koinii agent",),
    ),
    Operation(
        "agent new",
        "Give another agent a key at this seat.",
        decisions.agent_new,
        (_given("name", TEXT, "its name, such as AgentBoreas"), _KEY,
         Parameter("mail_names", TEXT, "a name of its mailbox, such as worker-boreas; "
                   "bound to it for good", repeatable=True, option="--mail")),
        "the agent",
        ("koinii agent new AgentBoreas",
         "koinii agent new AgentBoreas --key boreas.key --mail worker-boreas"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        partial=decisions.is_held,
    ),
    Operation(
        "agent trust",
        "Decide which of two keys a contested name stands for here.",
        decisions.agent_trust,
        (_given("name", TEXT, "the agent's name"),
         _given("fingerprint", FINGERPRINT, "that of the key, as `koinii agent` shows "
                "it")),
        "the key, the seats where the agent counts now, and the lines held and brought "
        "back",
        ("koinii agent trust AgentBoreas "
         "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "agent rotate",
        "Give an agent a new key here, signed by the old one, from the next commit on.",
        decisions.agent_rotate,
        (_FOR, _KEY._replace(help="the new private key, an OpenSSH file; a new one is "
                             "made if left out")),
        "the new key, the commit from which it signs, and the lines held and brought "
        "back",
        ("koinii agent rotate", "koinii agent rotate AgentBoreas --key new.key"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "agent revoke",
        "Say that what a key of one's own signed counts no more.",
        decisions.agent_revoke,
        (_FOR, _ABOUT, _AT_SEAT, _FROM, _REASON),
        "the key, where and from which commit on, and the lines held and brought back; "
        "an agent's newest set at a seat goes whole, if it is of that commit or later",
        ("koinii agent revoke --key "
         "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU "
         '--from 7 --reason "the laptop was lost"',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "agent retire",
        "Withdraw what an agent of this seat said at another, which may be lost.",
        decisions.agent_retire,
        (_FOR, _AT_SEAT._replace(help="the seat where it was said", required=True),
         _FROM._replace(option="--at")),
        "the seat, from which commit on, and the lines held and brought back; the "
        "agent's newest set there goes whole, if it is of that commit or later",
        ("koinii agent retire --seat 5f1d2c3b",
         "koinii agent retire AgentBoreas --seat 5f1d2c3b --at 12"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "admin list",
        "Show the admin pinned here, and what it has granted to whom.",
        decisions.admin_list,
        (),
        "the fingerprint of its key, whether that is here, and its grants; null for no "
        "admin",
        ("koinii admin",),
    ),
    Operation(
        "admin init",
        "Make an admin, whose key lies at this seat; the next push shows it. Refused "
        "where a remote that can be asked shows one.",
        decisions.admin_init,
        (),
        "as of admin list",
        ("koinii admin init",),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "admin forget",
        "Give up the admin made here, as long as no remote has shown it.",
        decisions.admin_forget,
        (),
        "the admin that was given up, as of admin list; a pull pins the one it meets",
        ("koinii admin forget",),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "admin grant",
        "Grant an agent standing, at the seat where the admin's key is.",
        decisions.admin_grant,
        (_given("agent", TEXT, "the agent's name"),
         _given("standing", TEXT, "member, moderator, arbiter; member if left out",
                required=False)._replace(repeatable=True),
         Parameter("channels", CONTEXT, "be a moderator in this channel alone",
                   repeatable=True, option="--in"),
         Parameter("key", PUBLIC_KEY, "the key it is for; may be left out where the "
                   "name has one key"),
         Parameter("only", FLAG, "in place of what it has, not beside it")),
        "the key and all standing that the agent has now, the lines held and brought "
        "back, and in without the seats where what it says is held all the same",
        ("koinii admin grant AgentBoreas",
         "koinii admin grant AgentBoreas moderator --in CxDeploy",
         "koinii admin grant AgentBoreas moderator arbiter --key boreas.pub",
         "koinii admin grant AgentBoreas member --only"),
        writes=True,
        rehearsed=True,
        partial=decisions.is_held_somewhere,
    ),
    Operation(
        "admin revoke",
        "Say, as the admin, that what a key of an agent signed counts no more.",
        decisions.admin_revoke,
        (_given("agent", TEXT, "the agent's name"), _ABOUT, _AT_SEAT, _FROM, _REASON),
        "as of agent revoke",
        ("koinii admin revoke AgentBoreas --key "
         "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU "
         '--reason "the laptop was lost"',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "channel list",
        "List the contexts declared as channels.",
        actions.channel_list,
        (),
        "their names",
        ("koinii channel",),
    ),
    Operation(
        "channel new",
        "Declare a context as a channel, where agents meet.",
        actions.channel_new,
        (_given("channel", CONTEXT, "its name, such as CxDeploy"), _AS),
        "the declaration's locator",
        ("koinii channel new CxDeploy",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "join",
        "Let a channel see what an agent says.",
        actions.join,
        (_given("channel", CONTEXT, "the channel"), _AS),
        "the locators of what was declared",
        ("koinii join CxDeploy",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "pose",
        "Ask a question of everybody who hears the agent.",
        conversing.pose,
        (_given("question", SENTENCE, "what is asked, a sentence without variables; "
                "- reads standard input"), _AS),
        "the question's locator, which answers name",
        ('koinii pose "(whichDatabase ProdCluster)"',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "answer",
        "Answer a question, or anything else that has been said.",
        conversing.answer,
        (_LOCATOR, _given("content", SENTENCE, "the answer, a sentence"), _AS),
        "the answer's locator",
        ('koinii answer c1b2a3d4 "(usesDatabase ProdCluster Postgres)"',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "endorse",
        "Stand by a claim.",
        conversing.endorse,
        (_LOCATOR, _AS),
        "the endorsement's locator",
        ("koinii endorse c1b2a3d4",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "justify",
        "Give a ground for a claim.",
        conversing.justify,
        (_LOCATOR, _given("ground", SENTENCE, "the ground, a sentence"), _AS),
        "the justification's locator",
        ('koinii justify c1b2a3d4 "(seen Postgres ProcessList)"',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "dispute",
        "Object to a claim: say that one does, and its opposite.",
        conversing.dispute,
        (_LOCATOR, _AS),
        "the objection's locator; the opposite is a claim of its own",
        ("koinii dispute c1b2a3d4 --as AgentBoreas",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "vote",
        "Cast a ballot on a claim; who casts both is counted in neither.",
        conversing.vote,
        (Parameter("stance", CHOICE, "for or against", positional=True, required=True,
                   choices=("for", "against")), _LOCATOR, _AS),
        "the ballot's locator, which koinii retract takes back",
        ("koinii vote for c1b2a3d4", "koinii vote against c1b2a3d4 --as AgentCid"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "not-understood",
        "Tell that one can make nothing of a message.",
        conversing.not_understood,
        (_LOCATOR, _AS),
        "the locator of what is said; it stays when the message goes",
        ("koinii not-understood c1b2a3d4",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "refuse",
        "Tell that one will not do what a message asks.",
        conversing.refuse,
        (_LOCATOR, _AS),
        "as of not-understood",
        ("koinii refuse c1b2a3d4",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "reply-many",
        "Say several things at once, one a line, or nothing of it.",
        conversing.reply_many,
        (_given("lines", LINES, "a file; - reads standard input"), _AS),
        "the locators of what was said",
        ("koinii reply-many replies.kb", "koinii reply-many - < replies.kb"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "majority",
        "Count the members' ballots on a side of a dispute, and rule by them.",
        conversing.majority,
        (_given("dispute", TEXT, "both locators, or their first digits, as A+B"),
         _given("claim", LOCATOR, "the side that was voted on"),
         _CHANNEL, _AS),
        "for and against, the outcome (for, against or tie), the ruling's locator, "
        "withdrawn, the agent's own earlier rulings, and voters_verified, false where "
        "keys introduce themselves; --dry-run tells the same and writes nothing. "
        "The ruling has effect at each seat exactly while the ballots there come to "
        "the same",
        ("koinii majority eea9ad2d+1f2e3d4c eea9ad2d --in CxDeploy",
         "koinii majority eea9ad2d+1f2e3d4c eea9ad2d --in CxDeploy --dry-run"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "believes",
        "Ask as an agent would answer, by what it lets its belief context see.",
        conversing.believes,
        (_given("holder", TEXT, "the agent"), _SENTENCE, _READ_IN),
        "answers, each the values of the variables, and believes, whether there is "
        "any; without, unknown_agent, or unseen: the agent, and the edge by which it "
        "lets its belief context see what it says",
        ('koinii believes AgentAtlas "(usesDatabase ProdCluster ?x)"',),
    ),
    Operation(
        "convene",
        "Gather what agents hold in one context, as a moderator; alone, tell whose.",
        conversing.convene,
        (_given("context", CONTEXT, "where they meet, nobody's own"),
         _given("agents", TEXT, "an agent", required=False)._replace(repeatable=True),
         _AS),
        "the locators of the edges said, and agents, all that are gathered there",
        ("koinii convene CxHearing AgentAtlas AgentBoreas", "koinii convene CxHearing"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "disagreements",
        "List where gathered agents contradict each other.",
        conversing.disagreements,
        (_given("context", CONTEXT, "where they are gathered"),),
        "disagreements, each between which agents, and its sides: agent, sentence and "
        "locator; agents, who is gathered; unseen, as of believes",
        ("koinii disagreements CxHearing",),
    ),
    Operation(
        "disregard",
        "Hide a statement of one's own from all who see what one says; alone, list "
        "those.",
        conversing.disregard,
        (_LOCATOR._replace(required=False), _AS,
         Parameter("undo", FLAG, "show it again")),
        "the locator of the mask; alone, disregards: mask, target, and whether it is "
        "in_force, which takes that nobody else says the same",
        ("koinii disregard c1b2a3d4", "koinii disregard c1b2a3d4 --undo",
         "koinii disregard"),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "registry list",
        "List what the admin records of agents, for people.",
        conversing.registry_list,
        (),
        "a list: agent, display_name and trust, a number that nothing follows from",
        ("koinii registry",),
    ),
    Operation(
        "registry new",
        "Record an agent, its name for people and its trust, as the admin.",
        conversing.registry_new,
        (_given("agent", TEXT, "the agent's id"),
         Parameter("display_name", TEXT, "its name for people", required=True,
                   option="--name"),
         Parameter("trust", TEXT, "a number", default="1")),
        "the locators of what was recorded",
        ('koinii registry new AgentAtlas --name "Atlas" --trust 0.9',),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "registry trust",
        "Record another trust of an agent, as the admin.",
        conversing.registry_trust,
        (_given("agent", TEXT, "the agent's id"), _given("trust", TEXT, "a number")),
        "the locator of the record",
        ("koinii registry trust AgentAtlas 0.94",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "held",
        "List the lines without effect: held, or waiting for what they name.",
        actions.held,
        (_LIMIT,),
        "a list of lines, each with its reason, a code or waiting, why, in words, and "
        "hint, the way on",
        ("koinii held",),
    ),
    Operation(
        "peers",
        "List the other seats known here.",
        actions.peers,
        (),
        "a list of seats",
        ("koinii peers",),
    ),
    Operation(
        "follow",
        "Follow a seat: what is held because it was not followed counts again.",
        decisions.follow,
        (_PEER,),
        "the seat, the lines held and brought back, and the rest, lines of it that are "
        "held all the same",
        ("koinii follow 5f1d2c3b",),
        writes=True,
        rehearsed=True,
        partial=decisions.holds_rest,
    ),
    Operation(
        "unfollow",
        "Follow a seat no more: all that its agents say is held until follow.",
        decisions.unfollow,
        (_PEER,),
        "as of follow",
        ("koinii unfollow 5f1d2c3b",),
        writes=True,
        rehearsed=True,
    ),
    Operation(
        "doctor",
        "Look at the seat from all sides, and mend what is safe to mend.",
        actions.doctor,
        (Parameter("fix", FLAG, "mend the private repository from the store"),
         Parameter("upgrade", FLAG, "bring an older store to this version"),
         Parameter("rebuild", FLAG, "make again all that follows from the "
                   "assertions: indexes, labels, leaves, what rules conclude and "
                   "what clashes; assertions, held lines and history stay"),
         Parameter("remotes", FLAG, "read this seat back from each remote; with --fix "
                   "send again what one has lost")),
        "what was done, with the root before and after a rebuild, and each check with "
        "its evidence and what to type next; all that follows from the assertions is "
        "worked out anew in a temporary copy and compared, which takes a while",
        ("koinii doctor", "koinii doctor --remotes", "koinii doctor --fix",
         "koinii doctor --upgrade", "koinii doctor --rebuild"),
        needs=NO_SEAT,
        writes=True,
        long=True,
        partial=actions.wants_attention,
    ),
    Operation(
        "gc",
        "Give back room on the disk: join packs, drop what no ref needs.",
        keeping.gc,
        (),
        "before and after, in bytes: git's packs and repository, the store, its log, "
        "and what of it is free; compacted, whether the store was written again, which "
        "is done where a quarter of it is free. Nothing grows beyond bounds without "
        "it; after is null with --dry-run",
        ("koinii gc", "koinii gc --dry-run"),
        needs=REMOTE_SEAT,
        writes=True,
        rehearsed=True,
        rehearsal=keeping.rehearse_gc,
        long=True,
    ),
    Operation(
        "config list",
        "List the settings in force.",
        actions.config_list,
        (Parameter("show_origin", FLAG, "and where each comes from"),),
        "names, values and origins",
        ("koinii config list --show-origin",),
        needs=NO_SEAT,
    ),
    Operation(
        "version",
        "Tell the version of this program.",
        actions.version,
        (),
        "the version",
        ("koinii version",),
        needs=NO_SEAT,
    ),
)  # fmt: skip

_BY_NAME = {operation.name: operation for operation in OPERATIONS}


def find(name: str) -> Operation | None:
    """Return the operation of that name, as in `ask` or `remote add`."""
    return _BY_NAME.get(name)
