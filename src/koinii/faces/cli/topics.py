"""Help on what belongs to no single verb; `koinii help TOPIC` shows it."""

_EXIT_CODES = """\
Exit codes

  0    done
  1    failed
  2    usage: the line itself is off
  3    not found: no such locator, remote, commit, file
  4    refused by a rule
  5    environment: no seat, locked, disk, git, network
  6    verification failed: a hash, root, proof or signature is wrong
  7    done in part: some lines were refused or held; the answer says which
  130  interrupted

  check    0 where nothing would be refused, else 4
  ask      0 with no answers too, which a note says
  why-not  0 whatever the reason; so has why, of what is not believed
  watch    130 when it is interrupted, 0 with --once or where nobody reads
  deref    0 resolved, 3 not-received, 4 not-believed,
           6 locator-mismatch and malformed
  load     7 when a line was refused
  search   0 with nothing found too; 7 when some sentences were not searched
  pull     7 when lines were held or set aside, a seat or author was refused (its
           troubles), or a name is contested and nobody has decided; so has clone
  status   7 when a name is contested and nobody has decided
  doctor   7 when something wants attention
  verify   0 only when something was checked and all of it held, else 6;
           2 where --root, --head or --key could agree with no proof
"""

_FORMATS = """\
Formats

  sentence   (predicate Argument "text" 42 1.5M (a list)); names of predicates
             begin small, of things and contexts with a capital. At most 64 KiB,
             lists at most 64 deep. Text in quotes escapes only \\" \\\\ \\n \\t
             \\uXXXX \\UXXXXXXXX.
  pattern    a sentence with ?variables; (and ...), (not ...), (different ...),
             (lessThan ...), (equals ...), (unknown ...)
  locator    sha256: and 64 hex digits; its first 8 digits or more will do
  context    Cx and a name with a capital: CxDeploy
  agent      Agent and a name with a capital: AgentAtlas, which speaks in CxAtlas
  load       one sentence a line; a line ends at LF only; ; begins a comment
  input      UTF-8 and nothing else, taken byte for byte; what surrounds a
             sentence (spaces, a newline at the end) is no part of it

JSON (--json), one object whatever happens:

  {"schema_version":1,"ok":true,"data":...}
  {"schema_version":1,"ok":false,"error":{"code","message","hint","details"}}

  (watch writes one such object a line, for each event)

  ok is true where the exit code is 0 or 7; with --dry-run "rehearsed":true
  stands beside data. Terms are texts in their canonical spelling: "a" in quotes is
  a string, a without is a symbol.
"""

_RULES = """\
Rules, declarations, masks

  rule       (implies (and (uses ?x ?y) (not (retired ?y))) (needs ?x ?y))
             draws its conclusion from facts that fit, in contexts that see the rule
             and the facts. Literals bind, also negative ones; (lessThan ?a ?b),
             (different ?a ?b) and (equals ?a ?b) only filter. At most 64 of them.
             (and ...) as the conclusion is one rule for each of its parts.
  default    (set/defaultRule (implies ...)): its conclusions give way to what is
             known, also where all its facts are known
  inert      (set/inertRule (implies ...)): is kept, and draws nothing
  strength   --monotonic is known true, what an agent says without it is a default.
             What is known makes a default fall that clashes with it; two defaults
             stand side by side, and so do two that are known
  consent    that default falls only where some context sees both sides directly:
             they stand in it, or their contexts' owners have joined it, or a
             moderator has let it see them, where it is a channel or convened or
             their contexts are nobody's. If that context has an owner, only a
             default that stands in it falls
  clashes    a sentence and its (not ...); two values where (functional P) holds;
             (T x) and (U x) where (disjoint T U) holds. assert and edit refuse what
             would clash by the last two, and what (arg P n T) excludes; load and
             pull take it, and it stands as a clash, or in diagnostics
  limit      one operation draws at most 10,000,000 new conclusions; one that would
             draw more is refused whole

  koinii why LOCATOR, why-not SENTENCE --in CX, contradictions, conflicts

Declarations are always monotonic, never negated and never concluded:

  (genlCx CxLow CxHigh)           CxLow sees all that CxHigh holds
  (genl dog animal)               what is a dog is an animal; also of relations
  (symmetric P)                   (P a b) is read as (P b a) too
  (functional P)                  (P a b) and (P a c) clash
  (disjoint T U)                  nothing is both
  (arg P 1 T)                     the first argument of P is a T
  (targetFollowingPredicate P)    sentences of P wait for the claim they name
  (modalPredicate P)              (P Agent S) asks what that agent holds
  (channel CxDeploy)              a place where agents meet
  (convened CxPanel)              a context that was called together

  genlCx, symmetric, targetFollowingPredicate, modalPredicate, channel and convened
  stand in CxUniverse, wherever they are said; the others where they are said.

Replies and masks name a claim by its locator, whole:

  (answers (sentexHandle "sha256:...") "Postgres")
  (except (sentexHandle "sha256:..."))    hides it in its context and whatever sees
                                          that; retract the mask to see it again

  When what a reply names is taken back, by retract, edit or a pull, the replies of
  this seat's own agents fall with it, and so do masks of it by the agent that took
  it back; each is named. Replies of other seats wait until their seats hear of it.
"""

_SETTINGS = """\
Settings

  A flag wins over the environment, that over seat.toml, that over the user's
  config.toml, that over the default. koinii config list --show-origin tells.

  the seat    -C DIR, KOINII_SEAT, else upward from the current directory
  the agent   --as, KOINII_AGENT, else agent in seat.toml
  colour      --color, NO_COLOR, CLICOLOR_FORCE, else color in config.toml
  the user's  $KOINII_HOME/config.toml, else
  config.toml $XDG_CONFIG_HOME/koinii/config.toml (~/.config)
  what shows  $KOINII_HOME/seats, else
  a copy      $XDG_STATE_HOME/koinii/seats (~/.local/state)

  What -C or KOINII_SEAT names has to be a seat or lie in one; no other seat is
  taken instead. Only init and clone make seats.
  KOINII_DEBUG=1 shows where an error came from.
"""

_THREAT_MODEL = """\
Threat model

  What comes from a remote is taken for hostile until it is verified: its size
  and form, hashes, roots, signatures, and whether its author may say it.

  A locator is the hash of a sentence in its context; the same words have the
  same locator at every seat, and a row that was altered is found when read.
  A commit signs one root over everything a seat believes. A proof shows that a
  claim is under that root; not that it is true, nor that it is believed still.
  Whoever can read an agent's key can speak as it. In cooperative mode whoever
  can push is trusted to speak.

  Nothing in a remote is secret, and git does not forget. Keys stay in .koinii,
  which git ignores.
"""

_COORDINATION = """\
Coordination

  Agents meet in a channel, speak in contexts of their own, and may differ.

  meet      channel new, join
  say       assert, pose, answer, endorse, justify, dispute, not-understood,
            refuse, reply-many
  see       disputes lists what is in dispute in a channel; notify tells each
            once, and --again tells one again
  settle    rule, as an arbiter that holds neither side; vote, and majority
            counts; quarantine keeps a claim out of a channel
  stances   believes asks as an agent would answer; convene gathers agents and
            disagreements tells where they differ; disregard hides an own claim
  who       registry, what the admin records of agents, for people

  Each is an assertion or a retraction by an agent: it is signed, travels, can
  be explained and taken back. Nobody's claim is overwritten by another's.
"""

TOPICS = {
    "coordination": _COORDINATION,
    "exit-codes": _EXIT_CODES,
    "formats": _FORMATS,
    "rules": _RULES,
    "settings": _SETTINGS,
    "threat-model": _THREAT_MODEL,
}
