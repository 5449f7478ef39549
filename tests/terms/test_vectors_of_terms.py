"""Known answers of an independent implementation: bytes, forms, locators."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from koinii.errors import KoiniiError, RefusedError
from koinii.terms import Keyword, Symbol, Term, canonical, encode, locate, read
from koinii.terms.encoding import decode, identity
from koinii.terms.locator import digest, leaf
from koinii.terms.shape import check_context, check_sentence
from koinii.terms.term import same
from terms.listed_skips import SKIPS, SMALL_BIGINT
from terms.typed import NoTermError, term_of

VECTORS = Path(__file__).parent.parent / "vectors"
CX_TEST = Symbol("CxTest")
OF_OTHER_TRUTH = {"false-positive-form", "truth", "context"}

Case = dict[str, Any]
Check = Callable[[Case], bool]


def vectors(file: str) -> Any:
    return json.loads((VECTORS / file).read_text(encoding="utf-8"))


def numbered(file: str) -> list[tuple[str, Case]]:
    return [(str(case["id"]), case) for case in vectors(file)["cases"]]


def grouped() -> list[tuple[str, Case]]:
    return [
        (f"{group['name']}/{index}", case)
        for group in vectors("canonical.json")["groups"]
        for index, case in enumerate(group["cases"])
    ]


def random_rules() -> list[tuple[str, Case]]:
    cases = vectors("canonical-random.json")["cases"]
    return [(str(index), case) for index, case in enumerate(cases)]


def locator_agrees(case: Case) -> bool:
    """Compare bytes and locator; `engine` cases start from what was typed in."""
    sentence = term_of(case["sentence_typed"])
    if case.get("kind") == "engine":
        sentence = canonical(term_of(case["input_typed"]))
    context = term_of(case["context_typed"])
    encoded = encode((context, Keyword(case["truth"]), sentence))
    return bool(
        encoded.hex() == case["canonical_bytes_hex"]
        and f"sha256:{sha256(encoded).hexdigest()}" == case["locator"]
        and same(decode(encoded), (context, Keyword(case["truth"]), sentence))
    )


def text_agrees(case: Case) -> bool:
    form = canonical(read(case["input"]))
    return (
        same(form, term_of(case["canonical_typed"]))
        and locate(Symbol(case["context"]), form) == case["locator"]
    )


def rule_agrees(case: Case) -> bool:
    form = canonical(term_of(case["input_typed"]))
    return (
        same(form, term_of(case["canonical_typed"]))
        and locate(CX_TEST, form) == case["locator"]
    )


def variant_agrees(case: Case) -> bool:
    form = canonical(term_of(case["variant_typed"]))
    return bool(locate(CX_TEST, form) == case["variant_locator"])


FILES: dict[str, tuple[list[tuple[str, Case]], Check, int]] = {
    "locators.json": (numbered("locators.json"), locator_agrees, 227),
    "locators-random.json": (numbered("locators-random.json"), locator_agrees, 195),
    "canonical.json": (grouped(), text_agrees, 116),
    "canonical-random.json": (random_rules(), rule_agrees, 144),
    "canonical-random.json, variants": (random_rules(), variant_agrees, 147),
}


def outcomes(file: str) -> Iterator[tuple[str, bool]]:
    cases, agrees, _ = FILES[file]
    for entry, case in cases:
        try:
            yield entry, agrees(case)
        except (KoiniiError, NoTermError):
            yield entry, False


@pytest.mark.parametrize("file", FILES)
def test_every_vector_agrees_but_the_listed(file: str) -> None:
    differing = {entry for entry, agreed in outcomes(file) if not agreed}
    assert differing == set(SKIPS[file])


@pytest.mark.parametrize("file", FILES)
def test_as_many_vectors_are_checked_as_the_files_hold(file: str) -> None:
    cases, _, checked = FILES[file]
    assert len({entry for entry, _ in cases}) == len(cases)
    assert len(cases) - len(SKIPS[file]) == checked


def test_rules_with_7n_have_the_form_of_their_vector_with_7() -> None:
    cases, _, _ = FILES["canonical-random.json"]
    reasons = SKIPS["canonical-random.json"]
    listed = [case for entry, case in cases if reasons.get(entry) == SMALL_BIGINT]
    for case in listed:
        form = canonical(term_of(case["input_typed"]))
        assert same(form, term_of(case["canonical_typed"])), case["input"]
    assert len(listed) == 18


def test_the_identity_of_a_sentence_follows_its_truth() -> None:
    """`identity` gives the same bytes wherever a vector's truth is the sentence's."""
    checked = 0
    for file in ("locators.json", "locators-random.json"):
        for entry, case in numbered(file):
            if entry in SKIPS[file] or case.get("group") in OF_OTHER_TRUTH:
                continue
            context = term_of(case["context_typed"])
            assert isinstance(context, Symbol)
            sentence = term_of(case["sentence_typed"])
            assert identity(context, sentence).hex() == case["canonical_bytes_hex"]
            checked += 1
    assert checked > 350


def refusal_code(context: Term, sentence: Term) -> str:
    try:
        check_context(context)
        check_sentence(sentence)
    except RefusedError as refused:
        return refused.code
    return ""


def test_what_the_engine_refuses_is_refused_with_its_code() -> None:
    codes = []
    for entry, case in numbered("locators.json"):
        if "error" in (case.get("engine_assert") or {}) and entry != "238":
            context, sentence = map(
                term_of, (case["context_typed"], case["sentence_typed"])
            )
            expected = case["engine_assert"]["error"].removeprefix(":")
            assert refusal_code(context, sentence) == expected, case["sentence"]
            codes.append(expected)
    assert sorted(set(codes)) == ["naming", "not-well-formed", "shape"]
    assert len(codes) == 15


# The table of koinii B.8.4.
IDENTITY_OF_L1 = (
    "0b000000030a0000000007437841746c6173090000000004747275650b000000030a00"
    "0000000c7573657344617461626173650a000000000b50726f64436c75737465720a0000"
    "00000c506f737467726553514c3134"
)
L1, L2, L3, L4, L5, L6 = TABLE = [
    (
        "CxAtlas",
        "(usesDatabase ProdCluster PostgreSQL14)",
        "b93d896aa546b9cd95ca09bf35375921a928a2baa7d6aae0150915d4476e4deb",
    ),
    (
        "CxBoreas",
        "(usesDatabase StageCluster RedisCache)",
        "eda75d7ed18a9e8bee8687891ac1723f6f3b53282221f79148bdbb2fc0705daa",
    ),
    (
        "CxBoreas",
        "(not (reliable ProdCluster))",
        "38aab5892c5be74ce03c3fc3ea9c144eb0b1fe7b9009011ead3b4bf3c0656696",
    ),
    (
        "CxRegistry",
        '(displayNameOf AgentAtlas "Atlas")',
        "14d9a62429dbad3af0c81f3ab8a82216626944943f25b9f239ca79338b1f7cbc",
    ),
    (
        "CxRegistry",
        "(trustLevel AgentAtlas 0.9)",
        "465f359a6587d04503ff151368ce1579e324540e37234be2a95cbdf04cdfd3e6",
    ),
    (
        "CxRegistry",
        "(trustLevel AgentAtlas 1)",
        "393b777fe00d22c2597e16ae1e888c25df16691c783fb3f4d5b35ab84a2d1245",
    ),
]
ROOT_OF_L1 = "75894954c7e8fb1be74f46bf50386d35cdba90661f3731832643fdb0dd50312b"
ROOT_OF_L1_L2 = "6f322c96c3310e0fa275a9cd14bd9980b8bc347c0aed55d90c906bbaa1cb8a18"
STATE_LEAF = "165aeba8362e36a5f61ae0102824fd579270782d3b91296b6a6a84de7974d8b9"
STATE_LEAF_OF_NOBODY = (
    "c3a68783baad9168fe926f5d436f896f3c8fc2205284ffbed909845bd160a553"
)


@pytest.mark.parametrize(("context", "sentence", "expected"), TABLE)
def test_locators_of_the_table(context: str, sentence: str, expected: str) -> None:
    assert locate(context, sentence) == f"sha256:{expected}"


def test_bytes_of_the_table() -> None:
    context, sentence, _ = L1
    assert identity(Symbol(context), read(sentence)).hex() == IDENTITY_OF_L1


def test_leaves_of_the_table() -> None:
    leaves = sorted(leaf(digest(Symbol(cx), read(text))) for cx, text, _ in (L1, L2))
    assert leaf(digest(Symbol(L1[0]), read(L1[1]))).hex() == ROOT_OF_L1
    assert sha256(b"\1" + b"".join(leaves)).hexdigest() == ROOT_OF_L1_L2


def test_state_leaves_of_the_table() -> None:
    context, sentence, _ = L1
    named = (Symbol(context), Keyword("true"), read(sentence))
    by_atlas = encode((Symbol("AgentAtlas"), 1_750_000_000_000, named))
    assert sha256(by_atlas).hexdigest() == STATE_LEAF
    assert sha256(encode((None, None, named))).hexdigest() == STATE_LEAF_OF_NOBODY
