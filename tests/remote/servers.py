"""Servers of git on loopback, each the real one, for as long as a `with` lasts.

    with git_daemon(folder) as server:
        seat.remotes.add("origin", server.url("hub.git"))

`folder` holds the repositories. `server.environ` is what a client needs to trust the
server and to be let in. Each connection gets a process of its own, as inetd does it, so
that there is no port to guess and nothing to wait for. Servers read nobody's settings.
"""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import ssl
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from socketserver import BaseRequestHandler, BaseServer, TCPServer, ThreadingTCPServer
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from remote.http_bridge import HttpServer
from remote.stock_git import GIT

LOOPBACK = "127.0.0.1"
_KEPT = ("LD_LIBRARY_PATH", "PATH", "TMPDIR")


class Server(NamedTuple):
    """Where a server is, and what a client of it has in its environment."""

    address: str
    environ: Mapping[str, str]

    def url(self, name: str) -> str:
        """Return the address of a repository in the folder that is served."""
        return f"{self.address}/{name}"


def surroundings() -> dict[str, str]:
    """Return the environment of a server: nothing of the user's git."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "HOME": "/nonexistent",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


# git:// and ssh ------------------------------------------------------------------


@contextmanager
def git_daemon(folder: Path, *, writable: bool = True) -> Iterator[Server]:
    """Serve what is in a folder by `git daemon`; anybody may push, if it is writable.

    It tells clients why it turns them away.
    """
    command = [
        *(GIT, "daemon", "--inetd", "--export-all", "--informative-errors"),
        *(("--enable=receive-pack",) if writable else ()),
        f"--base-path={folder}",
    ]
    with _inetd(command) as port:
        yield Server(f"git://{LOOPBACK}:{port}", {})


@contextmanager
def sshd(folder: Path, scratch: Path) -> Iterator[Server]:
    """Serve what is in a folder by OpenSSH, to the one key that the client has.

    Keys and settings are made in `scratch`. `make setup-check` installs the server.
    """
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert program, "there is no sshd; type: make setup-check"
    if not os.getuid():
        Path("/run/sshd").mkdir(exist_ok=True)  # an sshd of root ends without it
    settings = _ssh_files(scratch)
    with _inetd([program, "-i", "-e", "-f", str(settings)]) as port:
        client = _ssh_client(scratch, port)
        address = f"ssh://{getpass.getuser()}@{LOOPBACK}:{port}{folder}"
        yield Server(address, {"GIT_SSH_COMMAND": f"ssh -F {client}"})


def _ssh_files(scratch: Path) -> Path:
    """Make the keys of both sides and the settings of the server."""
    for name in ("host", "client"):
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name]
        subprocess.run(command, cwd=scratch, check=True)
    shutil.copy(scratch / "client.pub", scratch / "authorized")
    settings = {
        "HostKey": scratch / "host",
        "AuthorizedKeysFile": scratch / "authorized",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
        "PermitUserRC": "no",
        "SetEnv": "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1",
    }
    return _write_settings(scratch / "sshd_config", settings)


def _ssh_client(scratch: Path, port: int) -> Path:
    """Make the settings of the client, which knows the server's key."""
    known = (scratch / "host.pub").read_text(encoding="ascii")
    file = scratch / "known_hosts"
    file.write_text(f"[{LOOPBACK}]:{port} {known}", encoding="ascii")
    settings = {
        "IdentityFile": scratch / "client",
        "IdentitiesOnly": "yes",
        "UserKnownHostsFile": file,
        "GlobalKnownHostsFile": "/dev/null",
        "StrictHostKeyChecking": "yes",
    }
    return _write_settings(scratch / "ssh_config", settings)


def _write_settings(file: Path, settings: Mapping[str, object]) -> Path:
    lines = [f"{name} {value}\n" for name, value in settings.items()]
    file.write_text("".join(lines), encoding="utf-8")
    return file


class _Inetd(ThreadingTCPServer):
    """Gives each connection to a process of its own, as its input and output."""

    allow_reuse_address = True
    daemon_threads = False

    def __init__(self, command: Sequence[str]) -> None:
        self.command = command
        self.running: set[subprocess.Popen[bytes]] = set()
        super().__init__((LOOPBACK, 0), _Connection)

    def end(self) -> None:
        """End what still runs, with all that it started."""
        for child in self.running.copy():
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)


class _Connection(BaseRequestHandler):
    server: _Inetd

    def handle(self) -> None:
        child = subprocess.Popen(
            self.server.command,
            stdin=self.request,
            stdout=self.request,
            stderr=subprocess.DEVNULL,
            env=surroundings(),
            start_new_session=True,
        )
        self.server.running.add(child)
        child.wait()
        self.server.running.discard(child)


@contextmanager
def _inetd(command: Sequence[str]) -> Iterator[int]:
    """Serve on a free port of loopback; gives the port."""
    with _Inetd(command) as server, _serving(server):
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            server.end()


@contextmanager
def _serving(server: BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


# http and https --------------------------------------------------------------------


@contextmanager
def http_backend(folder: Path, login: str = "") -> Iterator[Server]:
    """Serve what is in a folder by `git http-backend`.

    With a `login` (`name:password`) only who sends it is let in; else anybody is.
    """
    with HttpServer(folder, surroundings(), login) as server, _serving(server):
        yield Server(f"http://{LOOPBACK}:{_port(server)}", {})


@contextmanager
def https_backend(folder: Path, scratch: Path, login: str = "") -> Iterator[Server]:
    """The same behind TLS, with a certificate that is made in `scratch`.

    `environ` has a client of git trust it; other clients trust the file it names.
    """
    certificate = make_certificate(scratch)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with HttpServer(folder, surroundings(), login, context) as server, _serving(server):
        environ = {"GIT_SSL_CAINFO": str(certificate)}
        yield Server(f"https://{LOOPBACK}:{_port(server)}", environ)


def make_certificate(scratch: Path) -> Path:
    """Write a key and the certificate that it signs itself, for loopback and a day."""
    key = generate_private_key(SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "koinii tests")])
    today = datetime.now(UTC)
    hosts = x509.SubjectAlternativeName(
        [x509.DNSName("localhost"), x509.IPAddress(ip_address(LOOPBACK))]
    )
    built = (
        x509.CertificateBuilder(name, name, key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - timedelta(hours=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(hosts, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, SHA256())
    )
    secret = key.private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    )
    file = scratch / "server.pem"
    file.write_bytes(secret + built.public_bytes(Encoding.PEM))
    return file


def _port(server: TCPServer) -> int:
    return int(server.server_address[1])
