"""Print what this Python environment holds, one sentence a line.

(installed Name "version")     every installed distribution
(requires Name Other)          what it says it needs, extras left out
"""

import re
from importlib.metadata import Distribution, distributions

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def symbol(name: str) -> str:
    """Return a distribution's name in its one normal spelling, as a symbol."""
    normal = re.sub(r"[-_.]+", "-", name).lower()
    return normal if normal[0].isalpha() else f"_{normal}"


def sentences(one: Distribution) -> list[str]:
    """Return what one distribution says of itself."""
    name = symbol(one.metadata["Name"])
    needed = {
        symbol(match[0])
        for text in one.requires or []
        if "extra ==" not in text and (match := NAME.match(text))
    }
    return [
        f'(installed {name} "{one.version}")',
        *(f"(requires {name} {other})" for other in sorted(needed)),
    ]


if __name__ == "__main__":
    found = {line for one in distributions() for line in sentences(one)}
    print("\n".join(sorted(found)))
