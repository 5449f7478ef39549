"""A pull cut anywhere goes on: what was applied is not moved again.

A proxy between the seat and a real git daemon closes each connection after some
bytes, or the pull is killed after some of the seats were applied. Then a plain pull
leaves what an uncut one leaves.
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import koinii
from koinii import RemoteSeat
from koinii.errors import KoiniiError
from remote.desks import Clock, examples, room, says, sitting
from remote.servers import LOOPBACK, git_daemon

SEATS = ("anna", "bert", "cleo", "dora", "emil")
CLAIMS = 200
CHUNK = 512
ADVERTISED = 4096  # bytes in which a remote tells what it has, some times over


class Proxy(ThreadingTCPServer):
    """Passes bytes on to a port, until `left` of those that come back are spent."""

    allow_reuse_address = True
    daemon_threads = False

    def __init__(self, port: int) -> None:
        super().__init__((LOOPBACK, 0), _Passing)
        self.port = port
        self.left: int | None = None  # of all connections; None: no bound
        self.each: int | None = None  # of one connection
        self.moved = 0


class _Passing(BaseRequestHandler):
    server: Proxy

    def handle(self) -> None:
        with socket.create_connection((LOOPBACK, self.server.port)) as far:
            forth = threading.Thread(target=_pump, args=(self.request, far))
            forth.start()
            with suppress(OSError):
                self._back(far)
            for one in (far, self.request):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            forth.join()

    def _back(self, far: socket.socket) -> None:
        server, each = self.server, self.server.each
        while data := far.recv(CHUNK):
            bounds = [one for one in (server.left, each) if one is not None]
            data = data[: min(bounds, default=CHUNK)]
            server.left = None if server.left is None else server.left - len(data)
            each = None if each is None else each - len(data)
            self.request.sendall(data)
            server.moved += len(data)
            if 0 in (server.left, each):
                return


def _pump(near: socket.socket, far: socket.socket) -> None:
    with suppress(OSError):
        while data := near.recv(CHUNK):
            far.sendall(data)
        far.shutdown(socket.SHUT_WR)


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    with Proxy(port) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Place:
    """A hub that five seats have pushed to, behind a proxy, and a reader before it."""

    def __init__(self, folder: Path, proxy: Proxy) -> None:
        self.folder = folder
        self.proxy = proxy
        self.url = f"git://{LOOPBACK}:{proxy.server_address[1]}/hub.git"
        self._number = 0
        path = str(folder / "new")
        koinii.init(path, agent="AgentZoe", now=Clock()).close()
        with self.reader() as seat:
            assert seat.pull().whole
            self.wanted = state(seat)
        self.whole = self.proxy.moved

    @contextmanager
    def reader(self) -> Iterator[RemoteSeat]:
        """Open a copy of a seat that has never pulled, on a machine of its own."""
        self._number += 1
        path = self.folder / f"reader{self._number}"
        shutil.copytree(self.folder / "new", path)
        with koinii.open(str(path), now=Clock()) as seat:
            seat.home = self.folder / f"home{self._number}"
            seat.remotes.add("origin", self.url)
            self.proxy.left, self.proxy.each, self.proxy.moved = None, None, 0
            yield seat

    def cut_after(self, count: int, seat: RemoteSeat) -> str:
        """Pull through a proxy that closes after `count` bytes; return the code."""
        self.proxy.left = count
        try:
            pulled = seat.pull()
        except KoiniiError as error:
            return error.code
        finally:
            self.proxy.left = None
        return "" if pulled.whole else "in part"


def state(seat: RemoteSeat) -> object:
    status = seat.status()
    tips = {head.seat: head.tip for head in seat.histories.heads()}
    return says(seat), status.commit, status.inputs, tips, status.held, status.waiting


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with room() as folder:
        bare = folder / "hub.git"
        subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
        with sitting(folder, bare) as sit:
            for name in SEATS:
                seat = sit(name)
                size = 64 if name == SEATS[-1] else 4  # letters; hashes do not pack
                names = [sha256(b"%d" % one).hexdigest() for one in range(CLAIMS)]
                seat.load([f"({name} N{one[:size]})" for one in names])
                seat.commit()
                seat.push()
        with git_daemon(folder) as server:
            port = int(server.address.rpartition(":")[2])
            with proxy_to(port) as proxy:
                yield Place(folder, proxy)


SHARES = st.floats(0, 1.2, allow_nan=False)


def test_any_cut_then_a_plain_pull_is_as_no_cut(place: Place) -> None:
    @settings(max_examples=examples(8))
    @given(share=SHARES)
    @example(share=0.0)
    @example(share=0.95)
    def check(share: float) -> None:
        with place.reader() as seat:
            code = place.cut_after(int(share * place.whole), seat)
            assert code in ("", "in part", "koinii/network"), code
            assert (code != "") or share > 0.9  # packs are not of one size each time
            assert code == "" or share < 1.1

            assert seat.pull().whole

            assert state(seat) == place.wanted
            again = seat.pull()
            assert (again.received, again.moved, again.new) == (0, 0, 0)

    check()


def test_over_a_line_that_breaks_seat_after_seat_comes(place: Place) -> None:
    """Each connection ends after as many bytes as all seats but one need."""
    with place.reader() as seat:
        place.proxy.each = place.whole // 4
        first = seat.pull()
        come = {one.seat for one in seat.histories.heads() if one.tip}
        assert 0 < len(come) < len(SEATS)
        assert {one.seat for one in first.troubles}.isdisjoint(come)
        assert len(first.troubles) == len(SEATS) - len(come)
        assert all("cannot fetch" in one.reason for one in first.troubles)

        place.proxy.each, place.proxy.moved = None, 0
        second = seat.pull()

        assert second.whole
        assert second.moved == len(SEATS) - len(come)
        assert first.new + second.new == second.received + first.received
        assert place.proxy.moved < place.whole * 3 // 4
        assert state(seat) == place.wanted


@pytest.mark.parametrize("done", range(len(SEATS)))
def test_killed_after_some_seats_the_others_are_applied_and_nothing_moves_again(
    done: int, place: Place
) -> None:
    with place.reader() as seat:
        words = [sys.executable, "-c", PULL, seat.layout.directory, str(done)]
        killed = subprocess.run(words, check=False, capture_output=True, text=True)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        heads = {one.seat: one.tip for one in seat.histories.heads() if one.tip}
        assert len(heads) == done
        place.proxy.moved = 0

        pulled = seat.pull()

        assert pulled.whole
        assert pulled.moved == len(SEATS) - done
        assert pulled.new == pulled.received
        assert place.proxy.moved < ADVERTISED
        assert state(seat) == place.wanted
        assert heads.items() <= {(one.seat, one.tip) for one in seat.histories.heads()}


# Pulls, and dies when as many seats as are named were applied.
PULL = """
import os, signal, sys
import koinii
from koinii.remote import taking
apply, left = taking.apply_seat, int(sys.argv[2])
def dying(*words):
    global left
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return apply(*words)
taking.apply_seat = dying
koinii.open(sys.argv[1]).pull()
"""
