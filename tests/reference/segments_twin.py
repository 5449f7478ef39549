"""Segments kept the slow way: every change of every commit, folded from the first.

Shares no code with `koinii.history.segments`.
"""

History = list[list[tuple[str, str | None]]]


def live_lines(history: History) -> dict[str, str]:
    """Return what lives after all commits: the last word on each locator."""
    words: dict[str, str | None] = {}
    for commit in history:
        for locator, line in commit:
            words[locator] = line
    return {locator: line for locator, line in words.items() if line is not None}


def level_counts(commits: int) -> list[int]:
    """Return how many files of each level n commits leave: n in base eight."""
    counts = []
    while commits:
        counts.append(commits % 8)
        commits //= 8
    return counts
