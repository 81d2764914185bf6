"""One line in the system log, without ever waiting for it."""

from __future__ import annotations

import contextlib
import socket

from lens_preflight.gate.cache import plain

TAG = "lens-preflight"
_DAEMON = 3 << 3
LEVELS = {"err": 3, "warning": 4, "notice": 5, "info": 6}


def message(level: str, text: str, **values: object) -> str:
    """``key=value`` words and the text last, as one line."""
    words = [f"{key}={plain(str(value)).replace(' ', '_')}" for key, value in values.items()]
    return f"<{_DAEMON | LEVELS[level]}>{TAG}: {' '.join(words)} text={plain(text)}"


def send(path: str, line: str) -> bool:
    """Hand a line to the log; False when nobody takes it. A full or dead log holds nobody up."""
    if not path:
        return False
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.setblocking(False)
        log.sendto(line.encode("ascii", "replace"), path)
        return True
    return False
