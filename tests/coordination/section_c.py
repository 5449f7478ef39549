"""The rows of section C of the behaviour, and what became of those that differ.

A row is a test of its name, wherever it stands; where it has another name, or waits,
it is listed here. `CHANGED` rows test another outcome than the row says, for a reason.
"""

from __future__ import annotations

ROWS: dict[str, tuple[str, ...]] = {
    "C.1": (
        "registry-context-loads-under-core",
        "registry-is-queryable",
        "registry-writes-refused-to-non-admin",
        "agent-cannot-write-another-agents-context",
        "no-writing-under-another-creator",
        "co-attribution-survives-first-writer-wins",
        "trust-is-a-mutable-number",
        "admin-writes-only-the-registry",
        "authenticate-refuses-an-unknown-policy",
    ),
    "C.2": (
        "speech-acts-context-loads-under-core",
        "a-round-trip-conversation-is-recoverable-as-data",
        "endorsement-survives-first-writer-wins",
        "a-dispute-surfaces-in-contradictions",
        "a-justification-names-the-claim-it-grounds",
        "the-cascade-tears-down-reply-edges-and-the-mark-is-what-does-it",
        "error-acts-name-the-received-edge-in-the-refusers-context",
    ),
    "C.3": (
        "join-lifts-the-agents-own-context-under-the-channel",
        "answer-is-a-meta-sentex-recoverable-as-knowledge",
        "a-reply-is-idempotent-by-sentence-identity",
        "endorsement-survives-first-writer-wins",
        "dispute-rebuts-and-surfaces-in-contradictions",
        "vote-is-a-ballot-meta-sentex-idempotent-by-identity",
        "justify-offers-a-ground-as-a-meta-sentex",
        "retracting-the-target-tears-down-the-reply-no-dangling-edge",
        "a-multi-claim-reply-validates-before-it-commits",
        "subscribe-fires-on-a-matching-write-and-stops-when-dropped",
        "local-subscribe-with-a-nil-goal-sees-every-change",
        "a-goal-core-watch-refuses-is-refused-here-too",
        "the-wire-shape-decoupled-in-time-off-thread-and-nonblocking",
        "a-local-medium-has-no-cursor-feed",
    ),
    "C.4": (
        "a-coexisting-default-clash-is-disputed-not-defeated",
        "a-dispute-derived-from-facts-and-rules-is-detected-like-an-asserted-one",
        "a-clean-strength-defeat-is-resolved-not-disputed",
        "an-uncontested-sentence-is-not-disputed",
        "a-monotonic-conflict-is-disputed-and-tagged-conflict",
        "a-dispute-surfaces-only-where-both-sides-are-visible",
        "disputes-in-hides-nothing-and-invents-nothing",
        "each-channel-sees-only-its-own-dispute",
        "the-named-read-detects-without-computing-whole-kb-contradictions",
        "a-dispute-id-is-a-function-of-the-clash-not-the-side-order",
        "the-lifecycle-runs-open-notified-resolved",
        "retracting-a-notify-mark-reopens-the-dispute",
        "an-unruled-dispute-can-be-swept-stale-and-stays-live",
    ),
    "C.5": (
        "notify-records-the-dispute-and-changes-no-belief",
        "notify-fires-once-across-a-redelivery",
        "poll-notifies-then-sweeps-in-one-tick",
        "the-state-is-a-plain-kb-query-through-the-transitions",
        "a-dispute-left-past-the-timeout-is-swept-stale-and-resurfaced",
        "an-arbiter-ruling-resolves-the-dispute-and-explains-itself",
        "an-arbiter-can-rule-for-the-negative-side",
        "retracting-the-ruling-reopens-the-dispute-cascading",
        "a-reopened-dispute-re-notifies",
        "reasoning-keeps-deriving-on-a-contested-premise-and-says-so",
        "quarantine-excludes-a-contested-claim-from-one-channel-reversibly",
        "a-disputes-speech-act-opens-a-dispute-the-policy-then-drives",
        "resolve-by-majority-leaves-a-tie-open-then-a-majority-carries",
        "resolve-by-majority-can-vote-the-claim-down",
        "a-repeat-ballot-is-one-vote",
        "a-voter-who-votes-both-ways-spoils-their-ballot",
        "a-voter-can-change-their-vote",
        "resolving-by-majority-twice-is-a-belief-no-op",
        "the-majority-can-change-its-mind",
        "an-arbiter-who-rules-again-supersedes-their-own-ruling",
        "who-ruled-is-nil-for-an-ordinary-non-ruling-handle",
        "one-arbiter-ruling-two-disputes-the-same-way-holds-both",
        "a-dispute-id-is-read-in-either-spelling",
        "an-arbiter-who-is-a-party-is-refused",
        "every-order-of-the-same-rulings-reaches-one-belief",
        "every-order-of-the-same-polls-reaches-one-belief",
    ),
    "C.6": (
        "an-agent-believes-its-own-claims-and-no-others",
        "contradictory-agents-raise-no-contradiction",
        "project-binds-variables-from-the-agents-context",
        "an-agent-reversibly-withdraws-its-own-statement",
        "an-agent-cannot-disregard-another-agents-statement",
        "disregards-are-queryable-and-do-not-cascade",
        "convene-surfaces-otherwise-isolated-belief-disagreements",
        "convene-includes-only-the-agents-it-gathered",
        "convene-works-over-koinii-claims-via-believe-own",
        "dissolving-the-arbiter-dissolves-the-contradiction",
    ),
    "C.7": (
        "catch-up-resumes-from-a-stored-cursor",
        "catch-up-catches-overflow-with-a-snapshot",
        "catch-up-reread-and-replay-converge",
    ),
    "C.8": (
        "a-locator-is-a-function-of-the-assertion-not-the-handle",
        "locators-fold-mirror-spellings-so-seats-agree",
        "a-commit-id-is-a-function-of-state",
        "publishing-the-same-state-twice-yields-byte-identical-record-streams",
        "two-seats-pull-one-commit-and-resolve-the-same-sentence",
        "a-tampered-or-unreceived-marker-is-rejected-and-the-kb-is-the-authority",
        "why-marker-hands-off-to-the-seats-own-proof",
        "a-negative-fact-round-trips-and-dereferences",
        "the-encoder-handles-chars-and-doubles-without-poisoning-the-commit",
        "commit-id-covers-derived-records-and-state-root-tolerates-nil-provenance",
        "verify-inclusion-rejects-malformed-proofs-without-throwing",
        "marker-refuses-a-handle-that-names-no-record",
        "prop locator-is-content-addressed-and-handle-independent",
        "prop locators-are-injective-over-the-sample",
        "prop encoder-is-deterministic-and-print-var-independent",
        "prop commit-id-is-an-order-independent-function-of-state",
        "prop commit-id-is-knowledge-and-state-root-is-snapshot",
        "prop inclusion-proofs-are-sound-and-complete",
        "prop markers-are-untrusted",
    ),
    "C.9": (
        "an-argument-that-emerges-from-facts-and-house-rules",
        "a-tiebreaker-vote-settles-a-split-house",
        "three-roommates-a-long-argument-over-the-wire",
        "a-team-argues-over-a-date-and-a-majority-settles-it",
        "the-solver-schedules-a-date-the-team-could-not-agree",
    ),
    "C.10": (
        "E1",
        "E2",
        "E3",
        "E4",
        "E5",
        "E6",
        "E7",
        "E8",
        "E9",
        "E10",
        "E11",
        "E12",
        "E13",
        "E14",
    ),
    "C.11": (
        "S1",
        "S2",
        "S3",
        "S4",
        "S5",
        "S6",
        "S7",
        "S8",
        "S9",
        "S10",
        "S11",
        "S12",
        "S13",
    ),
}

# Under another name: the test that holds it.
ELSEWHERE = {
    "the-named-read-detects-without-computing-whole-kb-contradictions": (
        "test_it_costs_the_same"
    ),
    "prop encoder-is-deterministic-and-print-var-independent": (
        "test_bc_128_output_does_not_depend_on_hash_seed_or_locale"
    ),
    "S4": "test_an_arbiter_whose_own_claim_is_out_is_no_party",
    "S5": "test_the_order_of_assertions_leaves_no_trace",
    "S13": "test_a_refused_ruling_leaves_notified_and_stale_marks_in_place",
}

# Not yet, and what it waits for.
WAITING = {
    **dict.fromkeys(
        (
            "the-wire-shape-decoupled-in-time-off-thread-and-nonblocking",
            "catch-up-resumes-from-a-stored-cursor",
            "catch-up-catches-overflow-with-a-snapshot",
            "catch-up-reread-and-replay-converge",
            "three-roommates-a-long-argument-over-the-wire",
            "S6", "S7", "S8", "S9",
        ),
        "the daemon: a medium over a connection, and catching up over it",
    ),
}  # fmt: skip

# Another outcome than the row says.
CHANGED = {
    "registry-is-queryable": "what the admin records is its signed word, made at the "
    "seat where its key lies",
    "no-writing-under-another-creator": "how a principal was proven is the principal's "
    "own; a line carries its author's signature, not the door it came through",
    "co-attribution-survives-first-writer-wins": "an assertion is of one author, so "
    "nobody writes first (design 5)",
    "endorsement-survives-first-writer-wins": "another's own context takes no line of "
    "mine (header of C.2); in a channel each has an assertion of its own",
    "the-cascade-tears-down-reply-edges-and-the-mark-is-what-does-it": "six acts are "
    "marked, and a grounding is too (design 10)",
    "local-subscribe-with-a-nil-goal-sees-every-change": "what left the store is no "
    "event; a defeat is one",
    "disregards-are-queryable-and-do-not-cascade": "a mask goes with the statement "
    "that its author takes back, and masks own sole statements alone (design 6)",
    "an-agent-reversibly-withdraws-its-own-statement": "a mask has effect only while "
    "nobody else says the same (design 6)",
    "locators-fold-mirror-spellings-so-seats-agree": "symmetry is a reading: a mirror "
    "has its own locator, and a marker finds it (design 4)",
    "publishing-the-same-state-twice-yields-byte-identical-record-streams": "an export "
    "is the publishable dump (header)",
    "two-seats-pull-one-commit-and-resolve-the-same-sentence": "what is pulled into an "
    "empty seat is an export (header)",
    "a-tampered-or-unreceived-marker-is-rejected-and-the-kb-is-the-authority": "a bare "
    "locator is a marker, so there is no index of locators to build",
    "marker-refuses-a-handle-that-names-no-record": "a handle is a locator, unknown as "
    "any other: koinii/unknown-locator (design 4)",
    "why-marker-hands-off-to-the-seats-own-proof": "the tree of why is a field of "
    "what a marker comes to",
    "resolve-by-majority-leaves-a-tie-open-then-a-majority-carries": "ballots of who "
    "has joined the channel; the ruling is a line of who called the count (design 8)",
    "resolve-by-majority-can-vote-the-claim-down": "ballots of members (design 8)",
    "a-voter-who-votes-both-ways-spoils-their-ballot": "ballots of members (design 8)",
    "the-majority-can-change-its-mind": "a count withdraws its caller's own rulings; "
    "any other loses its effect as soon as the tally turns (design 8)",
    "every-order-of-the-same-polls-reaches-one-belief": "the line of a caller settles "
    "all disputes over the claim that was counted (design 8)",
    "S2": "an own ballot falls with its claim; that of another seat when that has "
    "heard (decision 10)",
    "S3": "a ruling of a count goes out of force with the tally, never by defeat",
    "S12": "a locator is looked up among what is believed (C.8)",
    "E9": "a mask is never a default and never denied (design 6)",
    "E12": "each assertion has its own author, time and extras (design 5)",
    "E10": "what left the store is no event",
}
