"""Prints one line per measured job: name, ratio, interval, bar; exits 1 when a bar is broken."""

from __future__ import annotations

import sys

from tests.bench import closure, endpoints, gate, growth, scripts

PARTS = {
    "scripts": scripts.main,
    "closure": closure.main,
    "gate": gate.main,
    "growth": growth.main,
    "endpoints": endpoints.main,
}

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PARTS)
    results = [PARTS[name]() for name in wanted]
    sys.exit(0 if all(results) else 1)
