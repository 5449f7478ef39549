"""A requirements graph of real size and shape: what the packages on disk require.

Debian's packages where there are any, else Python's distributions. Filled up to
the size that is wanted with a graph of the same shape: nodes require as many
others as real ones do, in small layered clusters, so that what is required in
all stays at some hundred thousand pairs where the edges are a hundred thousand.
"""

import re
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import distributions
from itertools import islice
from pathlib import Path
from random import Random

STATUS = Path("/var/lib/dpkg/status")
RULES = (
    "(implies (requires ?a ?b) (needs ?a ?b))",
    "(implies (and (needs ?a ?b) (requires ?b ?c)) (needs ?a ?c))",
)
LAYERS, WIDTH = 4, 10
MOST = 8  # requirements of a generated node
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")

Edge = tuple[str, str]


def graph(size: int) -> list[Edge]:
    """Return so many edges, real ones first; the same on the same machine."""
    real = list(dict.fromkeys(real_edges()))[: size // 2]
    more = islice(generated(degrees(real)), size - len(real))
    return [*real, *more]


def facts(edges: list[Edge]) -> Iterator[str]:
    """Yield edges as sentences."""
    for one, other in edges:
        yield f'(requires "{one}" "{other}")'


def real_edges() -> Iterator[Edge]:
    """Yield what the packages on this disk require."""
    if STATUS.is_file():
        yield from debian(STATUS.read_text(encoding="utf-8", errors="replace"))
    else:
        for one in distributions():
            for other in one.requires or ():
                yield one.name, name_of(other)


def debian(status: str) -> Iterator[Edge]:
    """Yield (package, requirement) of a dpkg status file; the first alternative."""
    package = ""
    for line in status.splitlines():
        field, _, value = line.partition(": ")
        if field == "Package":
            package = value
        elif field in ("Depends", "Pre-Depends"):
            for part in value.split(","):
                yield package, name_of(part)


def name_of(requirement: str) -> str:
    found = _NAME.search(requirement)
    assert found is not None
    return found[0]


def degrees(edges: list[Edge]) -> list[int]:
    """Return how many others each real node requires, `MOST` at the most."""
    counted = Counter(one for one, _ in edges)
    return sorted(min(MOST, many) for many in counted.values()) or [2]


def generated(shape: list[int]) -> Iterator[Edge]:
    """Yield the edges of cluster after cluster, without end."""
    source = Random(7)
    cluster = 0
    while True:
        for layer in range(LAYERS - 1):
            for node in range(WIDTH):
                others = source.sample(range(WIDTH), source.choice(shape))
                for other in sorted(others):
                    yield (
                        f"made-{cluster}-{layer}-{node}",
                        f"made-{cluster}-{layer + 1}-{other}",
                    )
        cluster += 1
