"""Three states of an author's lines, put together line by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from koinii.remote.own_lines import Lines, join

DIGESTS = [bytes([number]) * 32 for number in range(5)]
states = st.dictionaries(
    st.sampled_from(DIGESTS),
    st.builds("default {} (p A)".format, st.integers(0, 2)),
)


@given(base=states, here=states, there=states)
def test_a_line_stands_as_it_is_here_where_it_was_changed_here(
    base: Lines, here: Lines, there: Lines
) -> None:
    joined = join(base, here, there)
    for digest in DIGESTS:
        mine, other = here.get(digest), there.get(digest)
        is_changed = mine != base.get(digest)
        both = digest not in base and mine is not None and other is not None
        wanted = min(mine or "", other or "") if both else mine if is_changed else other
        moved = joined.theirs | joined.ours
        assert moved.get(digest, other if mine == other else "?") == wanted
        assert (digest in joined.ours) <= is_changed
        assert (digest in joined.theirs) <= (not is_changed or both)


def test_what_was_said_in_both_copies_is_said_once_as_by_one_author() -> None:
    digest = DIGESTS[0]
    cases = [
        ("default 5 (p A)", "monotonic 7 (p A)", "monotonic 5 (p A)"),
        ("monotonic 7 (p A)", "default 5 (p A)", "monotonic 5 (p A)"),
        ("default 5 (p A) ((k 1))", "default 7 (p A)", "default 5 (p A) ((k 1))"),
        ("default 5 (p A) ((k 1))", "default 7 (p A) ((k 2))",
         "default 5 (p A) ((k 2))"),
        (f"default 5 {rule('set/defaultRule')}", f"default 7 {rule('')}",
         f"default 5 {rule('')}"),
    ]  # fmt: skip
    for there, here, wanted in cases:
        joined = join({}, {digest: here}, {digest: there})
        assert joined.theirs | joined.ours == {digest: wanted}


def rule(wrapper: str) -> str:
    bare = "(implies (p ?var0) (q ?var0))"
    return f"({wrapper} {bare})" if wrapper else bare
