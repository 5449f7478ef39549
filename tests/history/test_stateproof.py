"""State proofs: good documents verify, and nothing else does."""

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.sample_proofs import (
    ABSENT,
    AGENT_KEY,
    ATLAS,
    AUTHORED,
    CLAIMS,
    COMMITMENT,
    CONTEXT,
    DOCUMENTS,
    HEAD,
    INTRODUCTION,
    LINES,
    LOCATORS,
    RECORD,
    SEAT,
    SEAT_ID,
    SEAT_KEY,
    TEXTS,
    TREE,
    absent,
    attributed,
    commitment_of,
    head_of,
    included,
    locator_of,
    log_with,
    said,
    text_of,
    tree_over,
)
from koinii.errors import NotFoundError, RefusedError, VerificationError
from koinii.history.cbor import encode
from koinii.history.proving import (
    Commitment,
    Sentence,
    absence,
    attribution,
    inclusion,
)
from koinii.history.stateproof import not_shown, verify
from koinii.merkle import EMPTY_ROOT, Levels, leaf_hash
from koinii.note import PrivateKey, Signer, sign_note, to_base64
from koinii.trust.statements import sign_statement

OTHER_KEY = PrivateKey.from_seed(b"o" * 32)
COMMIT_ID = RECORD.commit_id
CHECKS = {"inclusion": 5, "absence": 5, "attribution": 4}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def reason(document: object, **expected: Any) -> str:
    verdict = verify(document, **expected)
    assert not verdict.ok
    assert not verdict
    assert verdict.assumes == []
    assert verdict.reason
    return verdict.reason


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy with the field at `a.b` set."""
    whole = copy.deepcopy(document)
    *outer, name = path.split(".")
    place = whole
    for one in outer:
        place = place[one]
    place[name] = value
    return whole


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_good_document_verifies_in_every_form(name: str) -> None:
    document = DOCUMENTS[name]
    kind = document["kind"]
    text = text_of(document)
    verdict = verify(document)

    assert verdict, verdict.reason
    assert len(verdict.checked) == CHECKS[kind] - ("sentence" not in document)
    assert verdict.assumes[-1].startswith("nothing outside the proof was compared")
    assert ("sorted" in verdict.assumes) is (kind == "absence")
    assert verify(text) == verify(text.encode()) == verdict
    assert verify(json.dumps(document, indent=2) + "\n") == verdict


def test_every_kind_says_what_it_does_not_show() -> None:
    for kind in CHECKS:
        assert not_shown(kind)
    assert not_shown("belief") == ()


# What is compared -------------------------------------------------------------


def test_bc_059_what_the_caller_knows_is_compared() -> None:
    line = SEAT_KEY.public.openssh()
    other = OTHER_KEY.public.openssh()
    for document in (included(), absent()):
        for known in (
            {"root": COMMIT_ID},
            {"head": HEAD},
            {"head": HEAD.encode()},
            {"keys": [line]},
            {"keys": line},
            {"keys": [other, SEAT_KEY.public]},
            {"root": COMMIT_ID, "head": HEAD, "keys": [line]},
        ):
            verdict = verify(document, **known)
            assert verdict, verdict.reason
            assert verdict.assumes in ([], ["sorted"])
            assert len(verdict.checked) == 5 + len(known)

        assert "root" in reason(document, root="sha256:" + "0" * 64)
        assert "root" in reason(document, root=COMMIT_ID.removeprefix("sha256:"))
        assert "root" in reason(document, root="")
        later = head_of(log_with(RECORD, size=6))
        assert "head" in reason(document, head=later)
        assert reason(document, head="no head")
        assert reason(document, head="\ud800")
        assert reason(document, head=b"")
        assert reason(document, head=5)
        assert "key" in reason(document, keys=[other])
        assert "key" in reason(document, keys=[])
        assert reason(document, keys=["no key"])
        assert reason(document, keys=[5])


def test_an_attribution_compares_root_and_key() -> None:
    root = f"sha256:{AUTHORED.root.hex()}"

    assert verify(attributed(), root=root, keys=[AGENT_KEY.public]).assumes == []
    assert "root" in reason(attributed(), root=COMMIT_ID)
    assert "key" in reason(attributed(), keys=[SEAT_KEY.public])
    assert "no head" in reason(attributed(), head=HEAD)


def test_a_cosigned_head_is_the_same_head() -> None:
    witness = Signer.of("witness", OTHER_KEY)
    cosigned = sign_note(HEAD.split("\n\n")[0] + "\n", [SEAT, witness]).decode()

    assert verify(included(), head=cosigned)
    assert verify(changed(included(), "head", cosigned), head=HEAD)


# What a stranger may try ------------------------------------------------------


def test_bc_059_a_made_up_log_is_another_seat() -> None:
    """All is recomputed over a false root and signed by a key of one's own."""
    forger = Signer.of(f"koinii.seat/{SEAT_ID}", OTHER_KEY)
    tree = tree_over([*LOCATORS, locator_of(ABSENT)])
    record = replace(RECORD, commit=tree.root, size=tree.size)
    log = log_with(record)
    forged = Commitment(
        record.encode(), log.prove(4), head_of(log, forger), OTHER_KEY.public
    )
    document = inclusion(locator_of(ABSENT), tree, forged)

    assert "another seat" in reason(document)
    assert reason(changed(document, "key", SEAT_KEY.public.openssh()))


def test_bc_059_swapped_content_is_refused() -> None:
    document = included()

    assert "locator" in reason(changed(document, "sentence", ABSENT))
    assert "locator" in reason(changed(document, "context", "CxBoreas"))
    assert "path" in reason(
        changed(DOCUMENTS["inclusion without sentence"], "locator", locator_of(ABSENT))
    )


def test_bc_058_the_size_is_the_signed_one() -> None:
    small = Levels([leaf_hash(LOCATORS[0].encode()), b"\xff" * 32])
    record = replace(RECORD, commit=small.root, size=2)
    document = inclusion(LOCATORS[0], small, commitment_of(record))

    assert verify(document)
    for size, index in [(3, 0), (2, 1), (1, 0), (4, 0)]:
        assert reason({**document, "size": size, "index": index})


def test_bc_058_root_and_size_are_those_of_the_record() -> None:
    """A good path to a root of one's own, beside a record that binds another."""
    mine = tree_over([*LOCATORS, locator_of(ABSENT)])
    record = replace(RECORD, commit=mine.root, size=mine.size)
    own = inclusion(locator_of(ABSENT), mine, commitment_of(record))
    signed = {key: included()[key] for key in ("record", "history", "head", "key")}

    assert verify(own)
    assert "binds another" in reason({**own, **signed})


def test_a_record_of_a_newer_version_is_refused_as_that() -> None:
    newer = to_base64(encode({"v": 2}))

    assert "newer" in reason(changed(included(), "record", newer))


def test_bc_119_the_head_of_another_seat_is_refused() -> None:
    log = log_with(RECORD)
    other = head_of(log, SEAT, "koinii.seat/" + "0" * 32)

    assert "another log" in reason(changed(included(), "head", other))
    assert reason(changed(included(), "head", head_of(log, ATLAS)))


def test_bc_053_each_way_to_lose_the_signature_is_refused() -> None:
    text, line = HEAD.split("\n\n")
    for head in (
        text + "\n",
        text + "\n\n",
        text + "\n\n— x AAAAAAA=\n",
        text.replace("5", "6") + "\n\n" + line,
        head_of(log_with(RECORD, size=6)).split("\n\n")[0] + "\n\n" + line,
    ):
        assert reason(changed(included(), "head", head))


def test_the_record_stands_where_its_number_says() -> None:
    """A record shown at another place of the history is refused."""
    log = log_with(RECORD)
    log = log_with(replace(RECORD, number=3), size=5)
    leaves = [log.leaf(number) for number in range(1, 6)]
    leaves[2] = RECORD.leaf
    moved = type(log)(leaves)
    document = {
        **included(),
        "head": head_of(moved),
        "history": {
            "index": 2,
            "size": 5,
            "path": [one.hex() for one in moved.prove(3)],
        },
    }

    assert "number" in reason(document)


def test_an_inclusion_is_no_absence_and_the_other_way_round() -> None:
    assert reason(changed(included(), "kind", "absence"))
    assert reason(changed(absent(), "kind", "inclusion"))
    present = {**absent(), "locator": LOCATORS[1], "sentence": TEXTS[1]}
    assert "enclose" in reason(present)


def test_an_absence_needs_the_neighbours_it_has() -> None:
    document = absent()
    left, right = document["left"], document["right"]

    for one, two in [(None, right), (left, None), (right, left), (None, None)]:
        assert "enclose" in reason({**document, "left": one, "right": two})
    assert "sorted" in reason({**document, "assumes": []})
    assert "sorted" in reason({**document, "assumes": ["sorted", "more"]})


# Attributions -----------------------------------------------------------------


def attribution_with(**changes: Any) -> dict[str, Any]:
    sentence = Sentence(CONTEXT, TEXTS[1])
    return attribution(LOCATORS[1], sentence, said(LINES[1], **changes))


def test_an_attribution_is_of_one_agent_at_one_seat() -> None:
    other = Signer.of("AgentAtlas", OTHER_KEY)
    stranger = replace(INTRODUCTION, key=OTHER_KEY.public)
    boreas = replace(INTRODUCTION, agent="AgentBoreas")
    elsewhere = replace(INTRODUCTION, seat="0" * 32)

    for introduction in (
        sign_statement(stranger, other),
        sign_statement(boreas, Signer.of("AgentBoreas", AGENT_KEY)),
        sign_statement(elsewhere, ATLAS),
        sign_note(INTRODUCTION.text(), [other]),
        sign_statement(AUTHORED, ATLAS),
    ):
        assert reason(attribution_with(introduction=introduction.decode()))
    forged = sign_note(AUTHORED.text(), [other]).decode()
    assert reason(attribution_with(authored=forged))


def test_a_line_of_another_sentence_is_refused() -> None:
    document = attributed()

    other = attributed(2)
    swapped = {**document, "line": other["line"], "claims": other["claims"]}
    assert "not one of the sentence" in reason(swapped)
    longer = {**document, "line": LINES[1].replace("Postgres)", "Postgres) x")}
    assert "not one of the sentence" in reason(longer)
    assert "path" in reason(
        {**document, "line": LINES[1].replace("default", "monotonic")}
    )
    for line in ("", "strong 5 (a)", f"default 05 {TEXTS[1]}", f"default {TEXTS[1]}"):
        assert "not one of" in reason({**document, "line": line})


def test_a_line_of_another_context_is_refused() -> None:
    moved = {**attributed(), "context": "CxDeploy"}
    moved["locator"] = locator_of(TEXTS[1], "CxDeploy")

    assert "steps" in reason(moved)


def test_a_line_that_was_not_said_has_no_attribution() -> None:
    sentence = Sentence(CONTEXT, TEXTS[1])
    with pytest.raises(NotFoundError):
        attribution(LOCATORS[1], sentence, said("default 1 (not (said At All))"))
    assert CLAIMS.size == len(LINES)


# Forms ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["inclusion 1", "absence", "attribution 1"])
def test_every_name_is_needed_and_no_other_known(name: str) -> None:
    document = DOCUMENTS[name]
    for key in document:
        rest = {k: v for k, v in document.items() if k != key}
        assert reason(rest)
    assert "no meaning" in reason({**document, "note": "x"})
    assert reason({**document, "why": []})


@pytest.mark.parametrize("name", ["inclusion 1", "absence", "attribution 1"])
@given(data=st.data())
def test_a_field_of_another_kind_is_refused(name: str, data: st.DataObject) -> None:
    document = DOCUMENTS[name]
    key = data.draw(st.sampled_from(sorted(document)))
    value = data.draw(json_values)
    if value != document[key]:
        assert not verify({**document, key: value})


@pytest.mark.parametrize("kind", ["belief", "", "Inclusion"])
def test_an_unknown_kind_is_refused_as_that(kind: str) -> None:
    assert "unknown kind" in reason(changed(included(), "kind", kind))


def test_another_version_is_refused_as_that() -> None:
    assert "newer" in reason(changed(included(), "v", 2))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("path", ["0" * 64] * 64),
        ("path", [TREE.root.hex().upper()]),
        ("index", 2**64),
        ("index", -1),
        ("history.index", True),
        ("history.path", "x"),
        ("history", {"index": 3, "size": 5}),
        ("record", "AAAA"),
        ("record", "A"),
        ("record", ""),
        ("key", "ssh-rsa AAAA"),
        ("sentence", "(a  b)"),
        ("sentence", "(a b"),
        ("sentence", "[a b]"),
        ("sentence", ""),
        ("sentence", "(" * 65 + ")" * 65),
        ("context", "Cx Atlas"),
        ("context", ""),
        ("context", "5"),
        ("locator", LOCATORS[1].upper()),
        ("locator", LOCATORS[1][7:]),
        ("root", TREE.root.hex()),
    ],
)
def test_a_value_of_another_spelling_is_refused(path: str, value: object) -> None:
    assert reason(changed(included(), path, value))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "null",
        "[]",
        "1",
        '"text"',
        "{}",
        "{",
        "[" * 100_000,
        '{"v":' * 20_000 + "1" + "}" * 20_000,
        '{"v":1,"v":1}',
        '{"v":NaN}',
        '{"v":Infinity}',
        '{"v":1.0}',
        '{"v":1e0}',
        '{"v":-0}',
        '{"v":01}',
        '{"v":1' + "0" * 5000 + "}",
        '{"v":"\\ud800"}',
        '{"\\ud800":1}',
        "\ufeff{}",
        '{"v":[[[[[[[[[[1]]]]]]]]]]}',
    ],
)
def test_bc_054_what_is_no_document_is_refused(text: str) -> None:
    assert reason(text)


def test_bc_054_a_repeated_name_is_refused_anywhere() -> None:
    text = text_of(included())
    assert "twice" in reason(text[:-1] + ',"v":1}')
    assert "twice" in reason(text.replace('"index":3', '"index":3,"index":3', 1))


@pytest.mark.parametrize(
    "document", [None, 1, 1.5, [], object(), {"v": object()}, b"\xff"]
)
def test_what_is_no_text_is_refused(document: object) -> None:
    assert reason(document)


def test_a_document_that_holds_itself_is_refused() -> None:
    loop: dict[str, object] = {"v": 1}
    loop["kind"] = loop
    assert reason(loop)


def test_the_bound_comes_before_reading() -> None:
    assert "1048576 bytes" in reason(text_of(included()) + " " * 1_048_576)


@given(st.binary(max_size=100) | st.text(max_size=100) | json_values)
def test_bc_127_no_input_raises(document: object) -> None:
    assert not verify(document)


# Making them ------------------------------------------------------------------


def test_bc_021_no_proof_against_another_tree_than_the_record_binds() -> None:
    newer = tree_over([*LOCATORS, locator_of(ABSENT)])
    with pytest.raises(VerificationError, match="record binds"):
        inclusion(locator_of(ABSENT), newer, COMMITMENT)
    with pytest.raises(VerificationError, match="record binds"):
        absence(locator_of("(z)"), newer, COMMITMENT)


def test_what_is_not_so_has_no_proof() -> None:
    with pytest.raises(NotFoundError):
        inclusion(locator_of(ABSENT), TREE, COMMITMENT)
    with pytest.raises(RefusedError):
        absence(LOCATORS[0], TREE, COMMITMENT)


def test_a_proof_of_a_million_claims_is_small() -> None:
    """20 hashes of state, 10 of history: 1.5 KB and 4 KB at most."""
    path = [bytes([n]) * 32 for n in range(20)]
    document = inclusion(
        LOCATORS[1], TREE, commitment_of(RECORD, size=1000), Sentence(CONTEXT, TEXTS[1])
    )
    document["path"] = [one.hex() for one in path]
    document["size"], document["index"] = 1_000_000, 654_321
    state = {key: document[key] for key in ("root", "size", "index", "path")}

    assert len(text_of(state).encode()) <= 1536
    assert len(text_of(document).encode()) <= 4096


def test_the_empty_commit_proves_every_absence() -> None:
    document = DOCUMENTS["absence from nothing"]

    assert document["size"] == 0
    assert document["root"] == f"sha256:{EMPTY_ROOT.hex()}"
    assert document["left"] is None
    assert document["right"] is None
