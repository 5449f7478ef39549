"""The row form of a sentence is its identity, and finds it."""

from hypothesis import given

from koinii.kb.rows import key, read_row, store_form
from koinii.terms import Term, canonical
from koinii.terms.encoding import encode, term_key
from koinii.terms.locator import digest
from koinii.terms.term import Symbol
from strategies import facts


@given(facts())
def test_body_and_digest_are_those_of_the_encoding(fact: Term) -> None:
    sentence = canonical(fact)
    stored = store_form("CxAtlas", sentence)

    assert stored.body == encode(sentence)
    assert stored.digest == digest(Symbol("CxAtlas"), sentence)
    assert stored.keys == [
        term_key(encode(term))
        for term in (sentence[1] if stored.negative else sentence)  # type: ignore[index,union-attr]
    ]
    assert encode(read_row("CxAtlas", stored.digest, stored.body)) == stored.body


def test_five_things_have_five_keys() -> None:
    assert len({key(one) for one in (1, 1.0, True, "a", Symbol("a"))}) == 5
