"""The control probe: does this host work apart from the collector?

A second address, a name that everybody knows, and a route. Only when one of them fails here too may
a fault be this host's own.
"""

from __future__ import annotations

import enum
import socket
from collections.abc import Callable
from pathlib import Path

from lens_preflight.core.data import dataclass
from lens_preflight.core.deadline import Deadline
from lens_preflight.gate.bounded import bounded

_ROUTES = (Path("/proc/net/route"), Path("/proc/net/ipv6_route"))
_UP = 1


class Control(enum.Enum):
    """What became of the control probes of one kind."""

    FINE = "fine"
    FAILED = "failed"
    NOT_ASKED = "not asked"
    """Nothing to try was given, or there was no time: says nothing about the host."""


@dataclass(frozen=True)
class Controls:
    """The control probes of one host; ``why`` says in one line what failed."""

    name: Control = Control.NOT_ASKED
    address: Control = Control.NOT_ASKED
    route: Control = Control.NOT_ASKED
    why: str = ""

    @property
    def resolving(self) -> Control:
        """Whether names can be looked up here."""
        return self.name

    @property
    def reaching(self) -> Control:
        """Whether anything can be reached from here: the second address, else a route at all."""
        if Control.FAILED in (self.address, self.route):
            return Control.FAILED
        return self.address if self.address is not Control.NOT_ASKED else self.route


def probe(address: str, name: str, deadline: Deadline) -> Controls:
    """Try the second address (HOST:PORT), the known name and the routes; ends by the deadline.

    The second address should be an IP address: a name would mix two questions.
    """
    route = _routes()
    looked_up, why_name = _asked(lambda: _look_up(name), deadline) if name else (Control.NOT_ASKED, "")
    reached, why_address = (
        _asked(lambda: _connect(address, deadline), deadline) if address else (Control.NOT_ASKED, "")
    )
    why_route = "no route leads out of this host" if route is Control.FAILED else ""
    return Controls(looked_up, reached, route, "; ".join(w for w in (why_name, why_address, why_route) if w))


def _asked(ask: Callable[[], tuple[Control, str]], deadline: Deadline) -> tuple[Control, str]:
    """The answer, or FAILED when it does not come in half of the time left: a look-up cannot be ended."""
    allowed = deadline.remaining(20.0) / 2
    if allowed <= 0:
        return Control.NOT_ASKED, ""
    return bounded(ask, allowed, (Control.FAILED, "a control probe got no answer"))


def _look_up(name: str) -> tuple[Control, str]:
    try:
        socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return Control.FAILED, "the known name has no address here either"
    return Control.FINE, ""


def _connect(address: str, deadline: Deadline) -> tuple[Control, str]:
    """A refusal is an answer: the host was reached."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection(
            (host.strip("[]"), int(port)), timeout=deadline.remaining(5.0) or 0.001
        ):
            return Control.FINE, ""
    except ConnectionRefusedError:
        return Control.FINE, ""
    except (OSError, UnicodeError):
        return Control.FAILED, "the second address cannot be reached from here either"


def _routes() -> Control:
    """Whether a route leads over an interface that is not the loopback."""
    seen = False
    for path in _ROUTES:
        try:
            lines = path.read_text("ascii", "replace").splitlines()
        except OSError:
            continue
        seen = True
        for fields in (line.split() for line in lines):
            if path.name == "route" and len(fields) > 3 and fields[3].isalnum() and fields[0] != "Iface":
                if int(fields[3], 16) & _UP and fields[0] != "lo":
                    return Control.FINE
            elif path.name == "ipv6_route" and len(fields) > 9 and fields[9] != "lo":
                return Control.FINE
    return Control.FAILED if seen else Control.NOT_ASKED
