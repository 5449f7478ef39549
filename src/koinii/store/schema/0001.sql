-- What a seat keeps. Keys of terms are 64-bit (docs/decisions/0001): equal keys
-- are candidates only; `body` (the encoding of a sentence) and `digest` decide.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE context (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    local INTEGER NOT NULL DEFAULT 0        -- 1 behind the seat's membrane
) STRICT;

CREATE TABLE author (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    seat TEXT NOT NULL,
    arbiter INTEGER NOT NULL DEFAULT 1,     -- standing, as mode and grants give it
    moderator INTEGER NOT NULL DEFAULT 1,
    UNIQUE (agent, seat)
) STRICT;

-- The knowledge base --------------------------------------------------------

CREATE TABLE sentex (
    id INTEGER PRIMARY KEY,
    context INTEGER NOT NULL,
    functor INTEGER NOT NULL,       -- key of the literal's functor
    first INTEGER,                  -- keys of its first two arguments
    second INTEGER,
    negative INTEGER NOT NULL,      -- 1 where the sentence is (not ...)
    label INTEGER NOT NULL,         -- bits: 1 believed, 2 known (K), 4 defeated,
                                    -- 8 shipped, 16 waiting, 32 local
    digest BLOB NOT NULL,           -- the locator's 32 bytes
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX sentex_digest ON sentex (digest);
CREATE INDEX sentex_first ON sentex (functor, first, second, context);
CREATE INDEX sentex_second ON sentex (functor, second, context);
CREATE INDEX sentex_denial ON sentex (functor, first, second) WHERE negative = 1;
CREATE INDEX sentex_waiting ON sentex (digest) WHERE label & 16;

-- Arguments from the third on, so that a pattern bound only there is no scan.
CREATE TABLE argument (
    key INTEGER NOT NULL,
    position INTEGER NOT NULL,
    sentex INTEGER NOT NULL,
    PRIMARY KEY (key, position, sentex)
) STRICT, WITHOUT ROWID;

-- The leaves of the commit tree, in tree order: exactly what is believed.
CREATE TABLE leaf (
    hash BLOB PRIMARY KEY,
    sentex INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE assertion (
    sentex INTEGER NOT NULL,
    author INTEGER NOT NULL,
    context INTEGER NOT NULL,
    strength INTEGER NOT NULL,      -- 0 default, 1 monotonic
    created INTEGER NOT NULL,       -- ms
    extras TEXT,                    -- canonical text of a list of pairs
    leaf BLOB NOT NULL,             -- leaf hash of the claim line
    wrappers INTEGER NOT NULL,      -- of a rule; bits: 1 default, 2 inert
    PRIMARY KEY (sentex, author)
) STRICT, WITHOUT ROWID;
CREATE INDEX assertion_line ON assertion (author, context, leaf);
CREATE INDEX assertion_extras ON assertion (context) WHERE extras IS NOT NULL;

-- Claim lines that are stored but not applied, each with its reason.
CREATE TABLE held (
    author INTEGER NOT NULL,
    context INTEGER NOT NULL,
    digest BLOB NOT NULL,
    leaf BLOB NOT NULL,
    line TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (author, context, digest)
) STRICT, WITHOUT ROWID;

-- The rules that are present, as their live assertions make them.
CREATE TABLE rule (
    sentex INTEGER PRIMARY KEY,
    strict INTEGER NOT NULL,
    forward INTEGER NOT NULL
) STRICT;

-- Which rules a literal of a functor may set off.
CREATE TABLE trigger (
    functor INTEGER NOT NULL,       -- key
    negative INTEGER NOT NULL,
    rule INTEGER NOT NULL,
    position INTEGER NOT NULL,      -- of the literal among those that bind
    PRIMARY KEY (functor, negative, rule, position)
) STRICT, WITHOUT ROWID;

-- What a placement depends on besides the lattice, shared by many firings
-- (docs/decisions/0006): the rule, contexts, needs and masked ingredients.
CREATE TABLE footing (
    id INTEGER PRIMARY KEY,
    rule INTEGER NOT NULL,
    key BLOB NOT NULL UNIQUE,
    places TEXT NOT NULL            -- ids of contexts
) STRICT;
CREATE INDEX footing_rule ON footing (rule);
CREATE TABLE footing_on (
    kind INTEGER NOT NULL,          -- 0 a context, 1 a functor's key, 2 a sentex,
                                    -- 3 whatever the lattice says (thing 0)
    thing INTEGER NOT NULL,
    footing INTEGER NOT NULL,
    PRIMARY KEY (kind, thing, footing)
) STRICT, WITHOUT ROWID;

-- A rule over one tuple of facts; kept even where no context can yet see it.
CREATE TABLE firing (
    id INTEGER PRIMARY KEY,
    footing INTEGER NOT NULL,
    facts BLOB NOT NULL,            -- sentexes in the order of the rule's literals
    conclusions BLOB NOT NULL,      -- sentexes, one for each place
    body BLOB NOT NULL              -- the encoding of what is concluded
) STRICT;
CREATE INDEX firing_footing ON firing (footing);
CREATE TABLE ingredient (
    sentex INTEGER NOT NULL,
    firing INTEGER NOT NULL,
    PRIMARY KEY (sentex, firing)
) STRICT, WITHOUT ROWID;
CREATE TABLE justification (
    conclusion INTEGER NOT NULL,
    firing INTEGER NOT NULL,
    PRIMARY KEY (conclusion, firing)
) STRICT, WITHOUT ROWID;

-- Pairs of sentexes that cannot hold together, whoever sees them (lo < hi).
CREATE TABLE clash (
    lo INTEGER NOT NULL,
    hi INTEGER NOT NULL,
    kind INTEGER NOT NULL,          -- 1 rebuttal, 2 functional, 3 disjoint
    sight INTEGER NOT NULL,
    PRIMARY KEY (lo, hi, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX clash_hi ON clash (hi, lo);
CREATE INDEX clash_sight ON clash (sight);

-- Those that stand (both believed, seen by somebody), by their locators, the lesser
-- first, and since when they do by the clock of this seat.
CREATE TABLE episode (
    first BLOB NOT NULL,
    second BLOB NOT NULL,
    kind INTEGER NOT NULL,
    lo INTEGER NOT NULL,
    hi INTEGER NOT NULL,
    sight INTEGER NOT NULL,
    since INTEGER NOT NULL,         -- ms
    PRIMARY KEY (first, second, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX episode_rows ON episode (lo, hi, kind);
CREATE INDEX episode_sight ON episode (sight, since, first, second, kind);

-- From where such pairs are seen, shared as footings are.
CREATE TABLE sight (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    state INTEGER NOT NULL          -- bit 0: visible; 1: lo may fall; 2: hi may fall
) STRICT;
CREATE TABLE sight_on (
    kind INTEGER NOT NULL,          -- as in footing_on
    thing INTEGER NOT NULL,
    sight INTEGER NOT NULL,
    PRIMARY KEY (kind, thing, sight)
) STRICT, WITHOUT ROWID;

-- The locators that sentences name by (sentexHandle "...").
CREATE TABLE target (
    digest BLOB NOT NULL,
    sentex INTEGER NOT NULL,
    PRIMARY KEY (digest, sentex)
) STRICT, WITHOUT ROWID;

-- One row per operation that moved belief: its net changes.
CREATE TABLE event (
    number INTEGER PRIMARY KEY,     -- the newest row is always kept
    body TEXT NOT NULL
) STRICT;

-- The heads of other seats that our newest record binds.
CREATE TABLE bound (
    seat TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the next commit carries ----------------------------------------------

-- Lines touched since the last commit, with the leaf they had in it; an empty
-- digest stands for a whole context that no commit holds yet.
CREATE TABLE change (
    author INTEGER NOT NULL,
    context INTEGER NOT NULL,
    digest BLOB NOT NULL,
    before BLOB,
    PRIMARY KEY (author, context, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE published (
    author INTEGER NOT NULL,
    context INTEGER NOT NULL,
    size INTEGER NOT NULL,
    root BLOB NOT NULL,
    PRIMARY KEY (author, context)
) STRICT, WITHOUT ROWID;

-- Histories, heads and keys -------------------------------------------------

CREATE TABLE history (
    seat TEXT NOT NULL,
    number INTEGER NOT NULL,
    record BLOB NOT NULL,
    leaf BLOB NOT NULL,
    PRIMARY KEY (seat, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE head (
    seat TEXT PRIMARY KEY,
    public_key BLOB NOT NULL,
    size INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    tip TEXT NOT NULL,              -- git commit id; '' before the first push
    trouble TEXT NOT NULL           -- '' or what was refused at that tip
) STRICT, WITHOUT ROWID;

CREATE TABLE agent (
    name TEXT NOT NULL,
    seat TEXT NOT NULL,
    public_key BLOB NOT NULL,       -- the newest, after rotations
    statements TEXT NOT NULL,
    owns INTEGER NOT NULL DEFAULT 0,    -- 1 where its contexts are its own
    refusal TEXT NOT NULL DEFAULT '',   -- why its lines are held, '' where they count
    PRIMARY KEY (name, seat)
) STRICT, WITHOUT ROWID;

-- The key each agent name stands for here.
CREATE TABLE pin (
    agent TEXT PRIMARY KEY,
    key_hash TEXT NOT NULL,
    decided INTEGER NOT NULL        -- 2 by the operator, 1 an own key, 0 first met
) STRICT, WITHOUT ROWID;

-- What the operator has decided of seats; the others are followed as they come.
CREATE TABLE following (
    seat TEXT PRIMARY KEY,
    follows INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Seats that signed two histories, with the evidence; held at a common prefix.
CREATE TABLE fork (
    seat TEXT PRIMARY KEY,
    prefix INTEGER,                 -- commits that all histories share; NULL not known
    evidence BLOB NOT NULL,
    decided INTEGER NOT NULL        -- 1 where the operator goes on all the same
) STRICT, WITHOUT ROWID;

-- The newest head of a seat that another seat has cosigned, as far as known.
CREATE TABLE cosignature (
    seat TEXT NOT NULL,
    cosigner TEXT NOT NULL,
    size INTEGER NOT NULL,
    time INTEGER NOT NULL,          -- seconds
    note TEXT NOT NULL,             -- the checkpoint with the cosignature line
    PRIMARY KEY (seat, cosigner)
) STRICT, WITHOUT ROWID;

-- The newest authored statement of each author that is applied here.
CREATE TABLE input (
    author INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    root TEXT NOT NULL,
    statement TEXT NOT NULL
) STRICT;

-- Authors whose newest set was refused whole; they stay at their last good one.
CREATE TABLE refusal (
    agent TEXT NOT NULL,
    seat TEXT NOT NULL,
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (agent, seat)
) STRICT, WITHOUT ROWID;

-- The files of this seat's own tree as of its newest commit.
CREATE TABLE file (
    path TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    size INTEGER NOT NULL,
    body BLOB NOT NULL              -- zlib
) STRICT, WITHOUT ROWID;

-- Files changed by commits that are not yet git objects; NULL means removed.
CREATE TABLE outbox (
    number INTEGER NOT NULL,
    path TEXT NOT NULL,
    body BLOB,
    PRIMARY KEY (number, path)
) STRICT, WITHOUT ROWID;

-- The directories of this seat's newest git tree.
CREATE TABLE entry (
    directory TEXT NOT NULL,
    name TEXT NOT NULL,
    mode INTEGER NOT NULL,
    oid TEXT NOT NULL,
    PRIMARY KEY (directory, name)
) STRICT, WITHOUT ROWID;

-- Segments of other seats that are applied here.
CREATE TABLE seen (
    author INTEGER NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (author, path)
) STRICT, WITHOUT ROWID;

INSERT INTO meta VALUES ('epoch', 0);
