-- What a seat keeps. Keys of terms are 64-bit (docs/decisions/0001): equal keys
-- are candidates only; `body` (the encoding of a sentence) and `digest` decide.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE context (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE author (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    seat TEXT NOT NULL,
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
    label INTEGER NOT NULL,         -- bit 0: believed; 1: known (K); 2: defeated
    digest BLOB NOT NULL,           -- the locator's 32 bytes
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX sentex_digest ON sentex (digest);
CREATE INDEX sentex_first ON sentex (functor, first, second, context);
CREATE INDEX sentex_second ON sentex (functor, second, context);

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
    PRIMARY KEY (sentex, author)
) STRICT, WITHOUT ROWID;
CREATE INDEX assertion_line ON assertion (author, context, leaf);

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

-- A rule over one tuple of facts; kept even where no context can yet see it.
CREATE TABLE firing (
    id INTEGER PRIMARY KEY,
    rule INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE,    -- over rule, facts and conclusion
    conclusion BLOB NOT NULL
) STRICT;
CREATE TABLE ingredient (
    sentex INTEGER NOT NULL,
    firing INTEGER NOT NULL,
    PRIMARY KEY (sentex, firing)
) STRICT, WITHOUT ROWID;
CREATE TABLE justification (
    conclusion INTEGER NOT NULL,
    firing INTEGER NOT NULL,
    strict INTEGER NOT NULL,
    PRIMARY KEY (conclusion, firing)
) STRICT, WITHOUT ROWID;

-- One row per operation: its net changes of belief.
CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
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
    public_key BLOB NOT NULL,
    statements TEXT NOT NULL,
    PRIMARY KEY (name, seat)
) STRICT, WITHOUT ROWID;

-- The key each agent name stands for here.
CREATE TABLE pin (
    agent TEXT PRIMARY KEY,
    key_hash TEXT NOT NULL
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
