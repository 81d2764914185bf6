"""Names to addresses, addresses to connections: every address of a name, within a deadline."""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import selectors
import socket
import threading
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import Any, TypeAlias

from lens_preflight.core.data import dataclass
from lens_preflight.core.deadline import Deadline

SockAddr: TypeAlias = tuple[Any, ...] | str

PATIENCE = 1.0
"""Seconds that the other addresses get once one of them has answered."""

MAX_ADDRESSES = 64
"""Addresses of one name that are tried; the clients stop much earlier."""


@dataclass(frozen=True)
class Address:
    """One address of a host."""

    family: int
    sockaddr: SockAddr

    def __str__(self) -> str:
        if self.family == socket.AF_UNIX:
            return f"unix:{str(self.sockaddr).replace(chr(0), '@')}"
        host = str(self.sockaddr[0])
        return f"[{host}]:{self.sockaddr[1]}" if ":" in host else f"{host}:{self.sockaddr[1]}"


@dataclass(frozen=True)
class Resolved:
    """The addresses of a name; when there are none, ``error`` is ``timeout`` or a gaierror name."""

    addresses: tuple[Address, ...]
    error: str = ""
    seconds: float = 0.0


@dataclass
class Attempt:
    """One connection attempt; ``error`` is 0 with an open ``sock``, else an errno (ETIMEDOUT: silence)."""

    address: Address
    error: int
    seconds: float
    sock: socket.socket | None = None

    @property
    def text(self) -> str:
        """The outcome in one word, such as ``ECONNREFUSED``."""
        return "connected" if not self.error else errno.errorcode.get(self.error, str(self.error))


def resolve(host: str, port: int, deadline: Deadline) -> Resolved:
    """All addresses of a name by the system's resolver, which cannot be interrupted: on a thread."""
    found: queue.SimpleQueue[Resolved] = queue.SimpleQueue()
    started = monotonic()

    def look() -> None:
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            found.put(Resolved((), _gai_name(error.errno), monotonic() - started))
        except (OSError, UnicodeError) as error:
            found.put(Resolved((), type(error).__name__, monotonic() - started))
        else:
            addresses = (Address(family, sockaddr) for family, _, _, _, sockaddr in answers)
            found.put(Resolved(tuple(dict.fromkeys(addresses)), "", monotonic() - started))

    threading.Thread(target=look, daemon=True).start()
    try:
        return found.get(timeout=min(deadline.remaining(), threading.TIMEOUT_MAX))
    except queue.Empty:
        return Resolved((), "timeout", monotonic() - started)


def _gai_name(number: int | None) -> str:
    names = {getattr(socket, n): n for n in dir(socket) if n.startswith("EAI_")}
    return names.get(number, f"EAI {number}")


def with_both_loopbacks(addresses: tuple[Address, ...], port: int) -> tuple[Address, ...]:
    """The addresses of ``localhost`` as c-ares gives them: of both families, whatever the hosts file says."""
    both = (
        Address(socket.AF_INET, ("127.0.0.1", port)),
        Address(socket.AF_INET6, ("::1", port, 0, 0)),
    )
    return tuple(dict.fromkeys((*addresses, *both)))


def connect_all(
    addresses: Sequence[Address], deadline: Deadline, *, settled: threading.Event | None = None
) -> list[Attempt]:
    """Try all addresses at once, each without blocking, in the order given.

    Silent addresses are given up at the deadline, or ``PATIENCE`` seconds after the first success
    or after ``settled`` (the real client has an answer).
    """
    started = monotonic()
    attempts: dict[Address, Attempt] = {}
    with selectors.DefaultSelector() as waiting:
        for address in addresses[:MAX_ADDRESSES]:
            sock, error = _start(address)
            if sock is None or error not in (errno.EINPROGRESS, errno.EAGAIN):
                attempts[address] = _done(address, sock, error, started)
            else:
                waiting.register(sock, selectors.EVENT_WRITE, address)
        limit = deadline
        while waiting.get_map() and not limit.passed:
            if limit is deadline and (_any(attempts.values()) or (settled and settled.is_set())):
                limit = deadline.within(PATIENCE)
            for key, _ in waiting.select(min(limit.remaining(), 0.1)):
                ready = key.fileobj
                assert isinstance(ready, socket.socket)
                waiting.unregister(ready)
                error = ready.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                attempts[key.data] = _done(key.data, ready, error, started)
        for key in list(waiting.get_map().values()):
            silent = key.fileobj
            assert isinstance(silent, socket.socket)
            attempts[key.data] = _done(key.data, silent, errno.ETIMEDOUT, started)
    return [attempts[address] for address in addresses[:MAX_ADDRESSES]]


def _any(attempts: Iterable[Attempt]) -> bool:
    return any(not attempt.error for attempt in attempts)


def _start(address: Address) -> tuple[socket.socket | None, int]:
    try:
        sock = socket.socket(address.family, socket.SOCK_STREAM)
    except OSError as error:
        return None, error.errno or errno.EIO
    sock.setblocking(False)
    try:
        sock.connect(address.sockaddr)
    except BlockingIOError as error:
        return sock, error.errno or errno.EINPROGRESS
    except OSError as error:
        return sock, error.errno or errno.EIO
    return sock, 0


def _done(address: Address, sock: socket.socket | None, error: int, started: float) -> Attempt:
    if error and sock is not None:
        sock.close()
        sock = None
    return Attempt(address, error, monotonic() - started, sock)


def close_all(attempts: Iterable[Attempt]) -> None:
    """Close the connections that are open."""
    for attempt in attempts:
        if attempt.sock is not None:
            with contextlib.suppress(OSError):
                attempt.sock.close()
            attempt.sock = None


def is_neighbour_missing(address: Address) -> bool:
    """True when the kernel asked the local network for this IPv4 address and nobody has it."""
    try:
        with open("/proc/net/arp", encoding="ascii") as table:
            rows = [line.split() for line in table.readlines()[1:]]
    except (OSError, ValueError):
        return False
    return any(len(row) > 2 and row[0] == address.sockaddr[0] and row[2] == "0x0" for row in rows)


def describe(error: int) -> str:
    """An errno in words."""
    return os.strerror(error)
