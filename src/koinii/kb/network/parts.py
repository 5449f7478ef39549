"""What the engine is made of: the tables, and what reads meaning from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from koinii.kb.network.clashes import Rivals
from koinii.kb.rules.joining import Joiner
from koinii.kb.rules.placing import Placer
from koinii.store.clashes import Clashes
from koinii.store.network import Network

if TYPE_CHECKING:
    from koinii.kb.contexts.structure import Structure
    from koinii.store.assertions import Assertions
    from koinii.store.names import Names
    from koinii.store.sentexes import Sentexes


class Parts(NamedTuple):
    """The collaborators that the steps of an operation share."""

    names: Names
    sentexes: Sentexes
    assertions: Assertions
    structure: Structure
    network: Network
    clashes: Clashes
    joiner: Joiner
    placer: Placer
    rivals: Rivals

    def forget(self) -> None:
        """Read everything again; a write that was undone may have been in it."""
        self.structure.forget()
        self.joiner.forget()
        self.placer.forget()
        self.rivals.forget()


def assemble(
    names: Names, sentexes: Sentexes, assertions: Assertions, structure: Structure
) -> Parts:
    """Return the parts over one store."""
    connection = sentexes.connection
    network, clashes = Network(connection), Clashes(connection)
    joiner = Joiner(network, sentexes, structure)
    placer = Placer(network, names, structure, sentexes)
    rivals = Rivals(clashes, names, structure, sentexes)
    return Parts(
        names, sentexes, assertions, structure, network, clashes, joiner, placer, rivals
    )
