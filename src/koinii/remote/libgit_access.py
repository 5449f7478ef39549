"""How libgit2 gets into a remote: keys without a passphrase, and nobody is asked.

Over ssh the keys of an agent and then the usual files below `~/.ssh`, to hosts that
`~/.ssh/known_hosts` names. Over https name and password that stand in the address.
What git would do beyond that (credential helpers, prompts, `~/.ssh/config`) is
refused in git's own words.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pygit2
from pygit2.enums import CredentialType

_FILES = ("id_ed25519", "id_ecdsa", "id_rsa")
_NOISE = ("Counting objects", "Compressing objects")  # libgit2's own, over a path


class Refused(Exception):  # noqa: N818 - its text is in git's words
    """What ends the work of libgit2, raised in one of its callbacks."""


class Access(pygit2.RemoteCallbacks):
    """The callbacks of every verb; whatever moves is heard on the error output."""

    def __init__(self, address: str, *, listens: bool = True) -> None:
        super().__init__()
        self._address = address
        self._keys: Iterator[pygit2.Keypair] | None = None
        if not listens:  # pygit2 fails where a server's words are no UTF-8
            self.sideband_progress = None  # type: ignore[method-assign,assignment]

    def sideband_progress(self, string: str) -> None:
        """Pass on what the server says."""
        _tell("\r" if string.startswith(_NOISE) else string)

    def transfer_progress(self, stats: pygit2.remotes.TransferProgress) -> None:
        """Tell that something moves, now and then."""
        if not stats.received_objects % 256:
            _tell("\r")

    def push_transfer_progress(self, *_: int) -> None:
        """Tell that something moves."""
        _tell("\r")

    def certificate_check(self, certificate: None, valid: bool, host: bytes) -> bool:  # noqa: FBT001 - the signature of pygit2
        """Refuse what libgit2 has found no reason to trust.

        It compares the key of an ssh host with `~/.ssh/known_hosts` before it asks,
        and a certificate with those of the system.
        """
        if not valid and self._address.startswith("https://"):
            raise Refused("unable to access it: server certificate verification failed")
        if not valid:
            named = host.decode(errors="replace")
            raise Refused(f"Host key verification failed: {named} is not known")
        return True

    def credentials(
        self,
        url: str,
        username_from_url: str | None,
        allowed_types: CredentialType,
    ) -> pygit2.Username | pygit2.Keypair:
        """Give the next key there is; libgit2 asks again where one was refused."""
        name = username_from_url or getpass.getuser()
        if allowed_types & CredentialType.SSH_KEY:
            self._keys = self._keys or _keys(name)
            for key in self._keys:
                return key
            raise Refused(f"{name}: Permission denied (publickey).")
        if allowed_types & CredentialType.USERNAME:
            return pygit2.Username(name)
        raise Refused("could not read Username: terminal prompts disabled")


def _tell(words: str) -> None:
    sys.stderr.write(words)
    sys.stderr.flush()


def _keys(name: str) -> Iterator[pygit2.Keypair]:
    if os.environ.get("SSH_AUTH_SOCK"):
        yield pygit2.KeypairFromAgent(name)
    for file in (Path.home() / ".ssh" / one for one in _FILES):
        if file.is_file():
            yield pygit2.Keypair(name, f"{file}.pub", str(file), "")
