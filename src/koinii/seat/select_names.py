"""The names by which a seat selects: agents, and contexts that can be published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from koinii.terms.roles import check_context
from koinii.terms.term import Symbol
from koinii.trust.names import ADMIN, check_agent

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_selected(agents: Iterable[str], contexts: Iterable[str]) -> None:
    """Refuse a name that nobody and nothing can have.

    Raises:
        RefusedError: `naming`, `koinii/reserved-name`, or a name too long to publish.
        ReadError: it is no symbol.
    """
    for agent in agents:
        if agent != ADMIN:
            check_agent(agent)
    for context in contexts:
        check_context(Symbol(context))
        _check_published(context)


def _check_published(context: str) -> None:
    from koinii.history.paths import quote  # noqa: PLC0415 - only where parts are taken

    quote(context)
