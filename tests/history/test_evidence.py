"""Evidence of a fork: found where there is one, never where there is none."""

from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from history.sample_forks import (
    KEY,
    ORIGIN,
    SEAT,
    SEAT_ID,
    SEED,
    WATCHER_KEY,
    branch,
    cosigned,
    fork,
    head_of,
    history,
    signed,
)
from koinii.errors import VerificationError
from koinii.history.evidence import (
    MAX_HEAD,
    MAX_LEAVES,
    Branch,
    Evidence,
    Fork,
    add_leaves,
    are_inconsistent,
    common_prefix,
    gather_evidence,
    merge_forks,
    verify_evidence,
)
from koinii.history.evidence_text import MAX_EVIDENCE, read_evidence, write_evidence
from koinii.merkle import EMPTY_ROOT, root
from koinii.note import (
    Checkpoint,
    PrivateKey,
    PublicKey,
    SignatureLine,
    parse_note,
    sign_checkpoint,
)
from reference.ed25519_twin import sign
from reference.rfc6962 import defined_root

stories = st.text("ab", min_size=1, max_size=12)
holders = st.tuples(st.booleans(), st.booleans())  # who has which leaves


def prefix_of(one: str, other: str) -> int:
    """Return how far two stories are alike, word for word."""
    sizes = range(min(len(one), len(other)) + 1)
    return max(size for size in sizes if one[:size] == other[:size])


def part(one: str, other: str) -> bool:
    return prefix_of(one, other) < min(len(one), len(other))


def refusal(key: PublicKey, one: Branch, other: Branch) -> str:
    with pytest.raises(VerificationError) as caught:
        gather_evidence(key, one, other)
    assert caught.value.code == "koinii/bad-evidence"
    return str(caught.value.details["reason"])


# What shows a fork -------------------------------------------------------------


@given(stories, stories, stories)
def test_histories_that_part_show_where(shared: str, one: str, other: str) -> None:
    first, second = shared + "x" + one, shared + "y" + other
    found = fork(branch(first), branch(second))

    assert found.prefix == len(shared)
    assert found.at_most == len(shared)
    assert found.seat == SEAT_ID
    sizes = [head.size for head in found.heads]
    assert sizes == sorted([len(first), len(second)])
    assert fork(branch(second), branch(first)) == found
    assert verify_evidence(found.evidence) == found


@given(stories, st.integers(0, 12), holders)
def test_heads_of_one_history_are_no_evidence(
    story: str, cut: int, known: tuple[bool, bool]
) -> None:
    earlier = story[: max(1, cut)]
    one, other = branch(earlier, leaves=known[0]), branch(story, leaves=known[1])

    assert refusal(KEY.public, one, other)
    assert refusal(KEY.public, other, one)


@given(stories, stories, holders)
def test_evidence_is_what_the_known_leaves_show(
    one: str, other: str, known: tuple[bool, bool]
) -> None:
    """The larger head's leaves are needed, of equal sizes none."""
    known1, known2 = known
    leaves = history(one) if known1 else None, history(other) if known2 else None
    larger_known = known1 if len(one) > len(other) else known2
    shown = len(one) == len(other) or larger_known
    expected = part(one, other) if shown else None
    heads = head_of(one), head_of(other)
    branches = branch(one, leaves=known1), branch(other, leaves=known2)

    assert are_inconsistent(*heads, *leaves) is expected
    assert are_inconsistent(*heads[::-1], *leaves[::-1]) is expected
    if not expected:
        assert refusal(KEY.public, *branches)
        return
    found = fork(*branches)
    assert found.prefix == (prefix_of(one, other) if known1 and known2 else None)
    assert prefix_of(one, other) <= found.at_most < min(len(one), len(other))


@given(stories, stories)
def test_the_common_prefix_is_that_of_the_roots(one: str, other: str) -> None:
    """By the definition of the tree: the largest size at which the roots agree."""
    first, second = (
        [one[:at] for at in range(1, len(one) + 1)] for one in (one, other)
    )
    sizes = range(min(len(one), len(other)) + 1)
    alike = [
        size
        for size in sizes
        if defined_root([text.encode() for text in first[:size]])
        == defined_root([text.encode() for text in second[:size]])
    ]

    assert common_prefix(history(one), history(other)) == max(alike)


def test_a_head_may_come_with_cosignatures() -> None:
    plain = fork(branch("abx"), branch("aby"))
    dressed = fork(Branch(cosigned("aby"), history("aby")), branch("abx"))

    assert dressed == plain
    assert all(b"\n\n" in one.note for one in plain.evidence.branches)


@pytest.mark.parametrize("nonce", range(2, 12))
def test_of_two_signatures_of_one_text_the_least_stays(nonce: int) -> None:
    """A seat can sign a text in many ways; what holders have together is the same."""
    text = head_of("abx").text()
    line = parse_note(signed("abx")).lines[0]
    second = replace(line, signature=sign(SEED, text.encode(), nonce))
    notes = [signed("abx"), f"{text}\n{second}".encode()]
    line_of = [str(line), str(second)]
    one, other = (fork(Branch(note), branch("aby")) for note in notes)

    assert one != other
    least = min(one, other, key=lambda found: found.evidence.branches[0].note)
    assert merge_forks(one, other) == merge_forks(other, one) == least
    for lines in permutations(line_of):
        twice = Branch(f"{text}\n{''.join(lines)}".encode())
        assert fork(twice, branch("aby")) == least


# What shows none ------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("empty_root", [EMPTY_ROOT, bytes(32)])
def test_bc_057_a_head_of_size_0_contradicts_nothing(
    size: int, empty_root: bytes
) -> None:
    nothing = Checkpoint(ORIGIN, 0, empty_root)
    note = sign_checkpoint(nothing, [SEAT])
    story = "abc"[:size]

    assert are_inconsistent(nothing, head_of(story), None, history(story)) is False
    assert are_inconsistent(nothing, Checkpoint(ORIGIN, 0, b"r" * 32)) is False
    assert "size 0" in refusal(KEY.public, Branch(note), branch(story))


def test_bc_057_one_head_twice_is_no_evidence() -> None:
    assert are_inconsistent(head_of("ab"), head_of("ab")) is False
    assert are_inconsistent(head_of("ab"), head_of("ac")) is True
    assert "or one" in refusal(KEY.public, branch("ab"), branch("ab"))
    extended = replace(head_of("ab"), extensions=("more",))
    other = Branch(sign_checkpoint(extended, [SEAT]))
    assert "do not contradict" in refusal(KEY.public, branch("ab"), other)


@pytest.mark.parametrize("size1", range(1, 10))
def test_bc_058_a_size_that_the_leaves_have_not_is_refused(size1: int) -> None:
    """The signed size counts: a right root under another size shows nothing."""
    leaves = history("a" * size1)
    for size2 in range(1, 10):
        head = Checkpoint(ORIGIN, size2, root(leaves))
        other = Branch(sign_checkpoint(head, [SEAT]), leaves)
        if size1 != size2:
            assert "leaves for a head" in refusal(KEY.public, branch("b"), other)
            with pytest.raises(VerificationError, match="leaves for a head"):
                are_inconsistent(head_of("b"), head, None, leaves)


def test_leaves_of_another_head_are_refused() -> None:
    for leaves in (history("aby"), history("abx")[::-1], (b"",) * 3, (b"l" * 33,) * 3):
        other = Branch(signed("abx"), leaves)
        assert "not those" in refusal(KEY.public, branch("abz"), other)
        with pytest.raises(VerificationError, match="not those"):
            are_inconsistent(head_of("abx"), head_of("abz"), leaves)


def test_bc_119_heads_of_two_logs_are_no_evidence() -> None:
    """One key signed both, and one says in its text that it is another log's."""
    other = Checkpoint("koinii.seat/other", 3, b"r" * 32)
    stray = Branch(sign_checkpoint(other, [SEAT]))

    assert "another log" in refusal(KEY.public, branch("abx"), stray)
    with pytest.raises(VerificationError) as caught:
        are_inconsistent(head_of("abx"), other)
    assert caught.value.code == "koinii/other-origin"


def test_bc_119_another_seats_key_does_not_accuse() -> None:
    assert "no known key" in refusal(WATCHER_KEY.public, branch("x"), branch("y"))
    [line] = parse_note(signed("x")).lines
    moved = f"{head_of('y').text()}\n{line}".encode()
    assert "does not fit" in refusal(KEY.public, branch("x"), Branch(moved))


def test_heads_are_given_in_order_and_bare() -> None:
    one, other = fork(branch("ax"), branch("aby")).evidence.branches
    dressed = replace(one, note=cosigned("ax"))
    for pair, why in [
        ((other, one), "out of order"),
        ((one, one), "or one"),
        ((dressed, other), "other lines"),
    ]:
        with pytest.raises(VerificationError, match=why):
            verify_evidence(Evidence(KEY.public, pair))


def test_what_is_too_large_is_refused() -> None:
    wide = replace(head_of("x"), extensions=("e" * MAX_HEAD,))
    long = "a" * (MAX_LEAVES + 1)
    many = tuple(bytes(32) for _ in long)
    head = Checkpoint(ORIGIN, len(many), root(many))

    note = sign_checkpoint(wide, [SEAT])
    assert "more than" in refusal(KEY.public, Branch(note), branch("y"))
    endless = Branch(sign_checkpoint(head, [SEAT]), many)
    assert "16001 leaves" in refusal(KEY.public, endless, branch("y"))


# As text ---------------------------------------------------------------------------


@given(stories, stories, holders)
def test_evidence_is_read_back(one: str, other: str, known: tuple[bool, bool]) -> None:
    branches = branch(one, leaves=known[0]), branch(other, leaves=known[1])
    evidence = Evidence(KEY.public, branches)

    assert read_evidence(write_evidence(evidence)) == evidence


SAMPLES = [
    write_evidence(fork(branch("abx"), branch("abyz")).evidence),
    write_evidence(fork(branch("abx", leaves=False), branch("abyz")).evidence),
    write_evidence(
        fork(branch("abx", leaves=False), branch("aby", leaves=False)).evidence
    ),
    write_evidence(fork(branch("x"), branch("y")).evidence),
]


def checked(data: bytes) -> Fork:
    return verify_evidence(read_evidence(data))


@pytest.mark.parametrize("data", SAMPLES)
def test_any_changed_bit_is_refused(data: bytes) -> None:
    assert checked(data).seat == SEAT_ID
    for at in range(len(data)):
        for bit in (0, at % 7 + 1):
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            with pytest.raises(VerificationError):
                checked(bytes(changed))


@given(st.sampled_from(SAMPLES), st.data())
def test_any_other_bytes_are_refused(data: bytes, choice: st.DataObject) -> None:
    start = choice.draw(st.integers(0, len(data)))
    end = choice.draw(st.integers(start, len(data)))
    middle = choice.draw(st.binary(max_size=6) | st.just(data[start:end] * 2))
    changed = data[:start] + middle + data[end:]
    assume(changed not in SAMPLES)
    with pytest.raises(VerificationError):
        checked(changed)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_refusal(data: bytes) -> None:
    for whole in (data, SAMPLES[2] + data):
        if whole not in SAMPLES:
            with pytest.raises(VerificationError):
                read_evidence(whole)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"koinii.fork/v1", b"koinii.fork/v2", "first line"),
        (b"\n\nkoinii.seat", b" a comment\n\nkoinii.seat", "spelling"),
        (b"common 2\n", b"common 1\n", "off"),
        (b"common 2\n", b"common 02\n", "off"),
        (b"common 2\n", b"common 99999\n", "off"),
        (b"common 2\n", b"", "off"),
        (b"first 1\n", b"other 1\n", "off"),
        (b"first 1\n", b"second 1\n", "spelling"),
        (b"\nfirst 1\n", b"\nfirst 0\nfirst 1\n", "spelling"),
        (b"=\n", b"\n", "base64"),
    ],
)
def test_another_spelling_is_refused(old: bytes, new: bytes, why: str) -> None:
    assert old in SAMPLES[0]
    with pytest.raises(VerificationError, match=why):
        read_evidence(SAMPLES[0].replace(old, new, 1))


def test_leaves_of_both_are_written_once() -> None:
    found = fork(branch("aaaaaaaax"), branch("aaaaaaaay"))
    one, other = found.evidence.branches
    apart = Evidence(KEY.public, (one, replace(other, leaves=None)))
    text = write_evidence(found.evidence).decode()

    assert "\ncommon 8\n" in text
    assert text.count("\n") - write_evidence(apart).decode().count("\n") == 3


def test_the_largest_evidence_fits() -> None:
    one = tuple(b"x" + at.to_bytes(31) for at in range(MAX_LEAVES))
    other = tuple(b"y" + at.to_bytes(31) for at in range(MAX_LEAVES))
    heads = [Checkpoint(ORIGIN, MAX_LEAVES, root(leaves)) for leaves in (one, other)]
    notes = [sign_checkpoint(head, [SEAT]) for head in heads]
    found = fork(Branch(notes[0], one), Branch(notes[1], other))
    data = write_evidence(found.evidence)

    assert found.prefix == 0
    assert len(data) + 2 * MAX_HEAD < MAX_EVIDENCE
    assert checked(data) == found
    with pytest.raises(VerificationError, match="more than"):
        read_evidence(data + b"A" * MAX_EVIDENCE)


def test_what_nobody_reads_is_not_written() -> None:
    one, other = fork(branch("x"), branch("y")).evidence.branches
    for wrong in (
        replace(one, note=b""),
        replace(one, note=b"n" * MAX_HEAD + b"\n"),
        replace(one, leaves=(b"",)),
        replace(one, leaves=(bytes(32),) * (MAX_LEAVES + 1)),
    ):
        with pytest.raises(VerificationError):
            write_evidence(Evidence(KEY.public, (wrong, other)))


# Of several holders -----------------------------------------------------------------


@st.composite
def forks(draw: st.DrawFn) -> Fork:
    """Draw any fork of one seat, with the leaves that its holder has."""
    short = st.text("ab", min_size=1, max_size=5)
    one, other = draw(short), draw(short)
    assume(part(one, other))
    known = draw(st.booleans()), draw(st.booleans())
    smaller, larger = sorted([one, other], key=len)
    known_larger = known[1] or len(smaller) != len(larger)
    return fork(branch(smaller, leaves=known[0]), branch(larger, leaves=known_larger))


@given(forks(), forks())
def test_merging_two_knows_no_order(one: Fork, other: Fork) -> None:
    merged = merge_forks(one, other)

    assert merge_forks(other, one) == merged
    assert merge_forks(merged, one) == merged
    assert merge_forks(one, one) == one
    assert verify_evidence(merged.evidence) == merged
    assert merged.at_most <= min(one.at_most, other.at_most)


@settings(max_examples=60)
@given(st.lists(forks(), min_size=3, max_size=4))
def test_merging_many_knows_no_order(parts: list[Fork]) -> None:
    outcomes = set()
    for first, *others in permutations(parts):
        merged = first
        for other in others:
            merged = merge_forks(merged, other)
        outcomes.add(merged)
    if len(parts) == 4:
        left, right = merge_forks(*parts[:2]), merge_forks(*parts[2:])
        outcomes.add(merge_forks(left, right))

    assert len(outcomes) == 1


@given(st.lists(stories, min_size=3, max_size=5))
def test_the_smallest_common_prefix_stays(branches: list[str]) -> None:
    """Holders of all leaves: what stays is the least over all pairs of branches."""
    pairs = [(one, other) for one in branches for other in branches if part(one, other)]
    assume(pairs)
    merged = fork(*map(branch, pairs[0]))
    for pair in pairs[1:]:
        merged = merge_forks(merged, fork(*map(branch, pair)))

    assert merged.prefix == min(prefix_of(*pair) for pair in pairs)


def test_two_holders_of_one_branch_each_have_both_together() -> None:
    one = fork(branch("abcx"), branch("abyz", leaves=False))
    other = fork(branch("abcx", leaves=False), branch("abyz"))

    assert one.prefix is None
    assert one.at_most == 3
    assert merge_forks(one, other) == fork(branch("abcx"), branch("abyz"))
    assert merge_forks(one, other).prefix == 2


def test_a_known_history_gives_the_leaves_that_are_missing() -> None:
    found = fork(branch("abx", leaves=False), branch("abyz"))

    assert add_leaves(found, history("abxyz")) == fork(branch("abx"), branch("abyz"))
    for stranger in ("abyzz", "abq", "ab", "abqqqqqqq"):
        assert add_leaves(found, history(stranger)) is found
    neither = fork(branch("abx", leaves=False), branch("aby", leaves=False))
    half = add_leaves(neither, history("aby"))
    assert half.prefix is None
    assert add_leaves(half, history("abx")).prefix == 2


def test_forks_of_two_seats_are_not_merged() -> None:
    key = PrivateKey.from_seed(b"g" * 32)
    other = replace(fork(branch("x"), branch("y")).evidence, key=key.public)
    with pytest.raises(VerificationError, match="two seats"):
        merge_forks(
            fork(branch("x"), branch("y")),
            replace(fork(branch("x"), branch("y")), evidence=other),
        )


def test_a_line_of_another_kind_is_none() -> None:
    """The seat's key signed the text, under the id of something else."""
    [line] = parse_note(signed("x")).lines
    stray = SignatureLine(line.name, b"\0\0\0\0", line.signature)
    note = f"{head_of('x').text()}\n{stray}".encode()

    assert "no known key" in refusal(KEY.public, branch("y"), Branch(note))
