"""Hypothesis strategies for values, sentences and rules.

terms()      any value        facts()      what `check_fact` accepts
atoms()      no lists         rules()      what `check_rule` accepts, unwrapped
contexts()   `Cx…` symbols    sentences()  either
"""

from fractions import Fraction
from unicodedata import normalize

from hypothesis import strategies as st

from koinii.errors import RefusedError
from koinii.terms import Char, Decimal, Keyword, Ratio, Symbol, Term

VARIABLES = tuple(Symbol(f"?{letter}") for letter in "xyzwuv")
MARKS = "é́ß日本😀‍Å·"
NAME_CHARACTERS = "abcXYZ019?_-.:*+!=<>&%$#@^~|,`\\" + MARKS


def is_name(text: str) -> bool:
    try:
        Symbol(text)
    except RefusedError:
        return False
    return True


def is_keyword(text: str) -> bool:
    try:
        Keyword(text)
    except RefusedError:
        return False
    return True


def names(max_size: int = 6) -> st.SearchStrategy[str]:
    text = st.text(NAME_CHARACTERS, min_size=1, max_size=max_size)
    return text.map(lambda name: normalize("NFC", name))


def constants() -> st.SearchStrategy[Symbol]:
    """Symbols that are no variables, plain ones most of the time."""
    plain = st.sampled_from(["Tom", "Ann", "ProdCluster", "dog", "Café", "set/x"])
    made = names().filter(lambda text: is_name(text) and text[0] not in "?_")
    spaced = st.builds(
        Symbol, names(), names(4).filter(lambda text: is_name(text) and text[0] != "?")
    )
    return st.one_of(plain.map(symbol), made.map(Symbol), spaced)


def symbol(text: str) -> Symbol:
    namespace, slash, name = text.partition("/")
    return Symbol(name, namespace) if slash else Symbol(namespace)


def variables() -> st.SearchStrategy[Symbol]:
    return st.sampled_from(VARIABLES)


def symbols() -> st.SearchStrategy[Symbol]:
    return st.one_of(constants(), variables(), st.just(Symbol("_")))


def keywords() -> st.SearchStrategy[Keyword]:
    name = names().filter(is_keyword)
    return st.one_of(st.builds(Keyword, name), st.builds(Keyword, name, name))


def strings(max_size: int = 20) -> st.SearchStrategy[str]:
    """NFC text without NUL and surrogates, rich in what needs escapes."""
    wild = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    tricky = st.sampled_from('"\\\n\t\r\x01\x7f\x85\u2028\u2029\ufeff ;()ée\u0301')
    text = st.text(st.one_of(wild, tricky), max_size=max_size)
    return text.map(lambda made: normalize("NFC", made))


def integers() -> st.SearchStrategy[int]:
    edges = st.sampled_from(
        [0, 1, -1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**70]
    )
    return st.one_of(st.integers(-100, 100), st.integers(), edges)


def floats() -> st.SearchStrategy[float]:
    """Finite doubles; -0.0 is 0.0."""
    finite = st.floats(allow_nan=False, allow_infinity=False)
    return st.one_of(finite, st.integers(-9, 9).map(float)).map(
        lambda made: made or 0.0
    )


def ratios() -> st.SearchStrategy[Ratio]:
    made = st.fractions().filter(lambda fraction: fraction.denominator > 1)
    return made.map(lambda fraction: Ratio(fraction.numerator, fraction.denominator))


def decimals() -> st.SearchStrategy[Decimal]:
    whole = st.integers(-(10**20), 10**20)
    return st.builds(reduced, whole, st.integers(0, 30))


def reduced(unscaled: int, scale: int) -> Decimal:
    while scale and unscaled % 10 == 0:
        unscaled, scale = unscaled // 10, scale - 1
    return Decimal(unscaled, scale)


def chars() -> st.SearchStrategy[Char]:
    return st.characters(exclude_categories=["Cs"]).map(Char)


def numbers() -> st.SearchStrategy[int | float | Ratio | Decimal]:
    """Numbers of every kind, with many of equal value."""
    small = st.integers(-3, 3)
    equal = small.flatmap(
        lambda number: st.sampled_from([number, float(number), Decimal(number, 0)])
    )
    return st.one_of(equal, integers(), floats(), ratios(), decimals())


def atoms() -> st.SearchStrategy[Term]:
    return st.one_of(
        st.none(), st.booleans(), numbers(), strings(), symbols(), keywords(), chars()
    )


def terms(leaves: st.SearchStrategy[Term] | None = None) -> st.SearchStrategy[Term]:
    return st.recursive(
        atoms() if leaves is None else leaves,
        lambda inner: st.lists(inner, max_size=4).map(tuple),
        max_leaves=12,
    )


def ground_terms() -> st.SearchStrategy[Term]:
    plain = st.one_of(
        st.none(), st.booleans(), numbers(), strings(), constants(), keywords(), chars()
    )
    return terms(plain)


def contexts() -> st.SearchStrategy[Symbol]:
    named = st.from_regex(r"Cx[A-Z][A-Za-z0-9]{0,6}", fullmatch=True).map(Symbol)
    return st.one_of(st.sampled_from(["CxAtlas", "CxDeploy"]).map(Symbol), named)


def individuals() -> st.SearchStrategy[Symbol]:
    return st.sampled_from(["Tom", "Ann", "Bob", "ProdCluster", "Postgres"]).map(Symbol)


def predicates() -> st.SearchStrategy[Symbol]:
    return st.sampled_from(
        ["likes", "knows", "parentOf", "usesDatabase", "e", "f"]
    ).map(Symbol)


def literal(
    arguments: st.SearchStrategy[Term], max_size: int = 3
) -> st.SearchStrategy[tuple[Term, ...]]:
    given = st.lists(arguments, max_size=max_size)
    return st.builds(lambda predicate, rest: (predicate, *rest), predicates(), given)


def signed(literals: st.SearchStrategy[tuple[Term, ...]]) -> st.SearchStrategy[Term]:
    """Literals, one in a few of them negated."""
    return st.one_of(literals, literals, literals.map(lambda one: (Symbol("not"), one)))


def facts() -> st.SearchStrategy[Term]:
    return signed(literal(ground_terms()))


@st.composite
def rules(draw: st.DrawFn, max_antecedents: int = 5) -> Term:
    """Rules in which every variable is bound; few names, so that literals tie."""
    plain: st.SearchStrategy[Term] = st.one_of(
        variables(), variables(), individuals(), st.integers(0, 2)
    )
    nested = literal(plain, 2).map(lambda inner: (Symbol("Fn"), *inner[1:]))
    binding = signed(literal(st.one_of(plain, plain, nested)))
    antecedents = draw(st.lists(binding, min_size=1, max_size=max_antecedents))
    bound = sorted({found.text for found in open_symbols(tuple(antecedents))})
    known: st.SearchStrategy[Term] = individuals()
    if bound:
        known = st.one_of(st.sampled_from(bound).map(Symbol), individuals())
    filters = draw(st.lists(comparisons(known), max_size=2))
    body = draw(st.permutations([*antecedents, *filters]))
    consequent = draw(signed(literal(known)))
    joined = body[0] if len(body) == 1 else (Symbol("and"), *body)
    return (Symbol("implies"), joined, consequent)


def comparisons(known: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    names_ = st.sampled_from(["lessThan", "greaterThan", "different", "equals"])
    return st.builds(
        lambda name, low, high: (Symbol(name), low, high), names_, known, known
    )


def open_symbols(term: Term) -> list[Symbol]:
    if isinstance(term, tuple):
        return [found for part in term for found in open_symbols(part)]
    return [term] if isinstance(term, Symbol) and term.text[0] == "?" else []


def sentences() -> st.SearchStrategy[Term]:
    return st.one_of(facts(), rules())


def exact(number: int | float | Ratio | Decimal) -> Fraction:
    """The value of a number of any kind."""
    return Fraction(*number.as_integer_ratio())
