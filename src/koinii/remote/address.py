"""The address of a remote, as it is kept: it means the same from everywhere."""

from __future__ import annotations

import os


def whole_address(text: str) -> str:
    """Return an address whose path, if it is one, is absolute.

    A path is one as git sees it: nothing but a name or a folder before a colon.
    What starts with `-` stays as it is, for the checks to refuse.
    """
    if not text or text.startswith(("/", "-")) or ":" in text.partition("/")[0]:
        return text
    return os.path.abspath(text)  # noqa: PTH100 - start-up path


def is_name(text: str) -> bool:
    """Tell whether a text is no address but a name that a remote may have here."""
    return bool(text) and not set(text) & set("/:\\") and not os.path.exists(text)  # noqa: PTH110 - as above
