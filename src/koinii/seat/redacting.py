"""Addresses of remotes without names and passwords, as they are shown."""

from __future__ import annotations

import re

_USERINFO = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,20}://)([^/\s]+)@")


def redact(text: str) -> str:
    """Return the text without names and passwords in addresses.

    A plain user of ssh (`ssh://git@host`) is no secret and stays.
    """

    def hidden(found: re.Match[str]) -> str:
        scheme, user = found[1], found[2]
        plain = scheme.lower() in {"ssh://", "git+ssh://"} and ":" not in user
        return found[0] if plain else f"{scheme}***@"

    return _USERINFO.sub(hidden, text)


def redacted(remotes: dict[str, str]) -> dict[str, str]:
    """Return the addresses of remotes by name, as they are shown."""
    return {name: redact(url) for name, url in remotes.items()}
