"""A web server of threads that hands every request to `git http-backend` by CGI."""

from __future__ import annotations

import base64
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import IO, Any
from urllib.parse import urlsplit

from remote.stock_git import GIT


class HttpServer(ThreadingHTTPServer):
    """Serves the repositories of a folder; with a `context`, behind TLS."""

    daemon_threads = False

    def __init__(
        self,
        folder: Path,
        environ: Mapping[str, str],
        login: str,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.folder = folder
        self.environ = environ
        self.authorization = "Basic " + base64.b64encode(login.encode()).decode()
        self.open_to_all = not login
        self._context = context
        super().__init__(("127.0.0.1", 0), Bridge)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Shake hands in the connection's own thread, so that none holds up others."""
        request.settimeout(20)
        if self._context is None:
            super().finish_request(request, client_address)
            return
        with self._context.wrap_socket(request, server_side=True) as secure:
            super().finish_request(secure, client_address)
            with suppress(OSError):  # a client may go before it is told the end
                secure.unwrap()

    def handle_error(self, request: socket | tuple[bytes, socket], _: Any) -> None:
        """A client that hangs up is no fault of the server; all else is shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, _)


class Bridge(BaseHTTPRequestHandler):
    """One request: its body goes to the program, the program's answer back."""

    protocol_version = "HTTP/1.1"
    server: HttpServer

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed of what went well."""

    def _answer(self) -> None:
        with tempfile.TemporaryFile() as body:
            self._receive(body)
            size = body.tell()
            body.seek(0)
            if self._let_in():
                self._run(body, size)
            else:
                self._turn_away()
        self.close_connection = True

    def _receive(self, body: IO[bytes]) -> None:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body.write(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
        else:
            body.write(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def _let_in(self) -> bool:
        given = self.headers.get("Authorization")
        return self.server.open_to_all or given == self.server.authorization

    def _turn_away(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="koinii tests"')
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def _run(self, body: IO[bytes], size: int) -> None:
        with subprocess.Popen(
            [GIT, "http-backend"],
            env=self._variables(size),
            stdin=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as child:
            assert child.stdout is not None
            self._give(child.stdout)

    def _variables(self, size: int) -> dict[str, str]:
        asked = urlsplit(self.path)
        return {
            **self.server.environ,
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": asked.path,
            "QUERY_STRING": asked.query,
            "REMOTE_USER": "tester",  # who has a name may push
            "REMOTE_ADDR": str(self.client_address[0]),
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(size),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }

    def _give(self, answer: IO[bytes]) -> None:
        lines = iter(answer.readline, b"\r\n")
        headers = [line.decode("ascii").rstrip("\r\n").split(": ", 1) for line in lines]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        self.send_response(*_status(status))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        body = answer.read()
        self.send_header("Content-Length", str(len(body)))  # libgit2 needs it
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def _status(line: str) -> tuple[int, str]:
    code, _, words = line.partition(" ")
    return int(code), words
