"""The file of ``--baseline``: fingerprints of findings that were accepted in one step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lens_preflight.core.accepted import Accepted
from lens_preflight.core.anchor import Anchor
from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Finding, Location
from lens_preflight.core.regular import read_regular

SCHEMA = "lens-preflight/baseline/1"
MAX_BYTES = 50_000_000


def read_baseline(name: str) -> Accepted:
    """The accepted findings with the reason to show.

    Raises:
        InputError: the file cannot be read or is no baseline.
    """
    try:
        data = read_regular(Path(name), MAX_BYTES)
        if len(data) > MAX_BYTES:
            raise InputError(f"{name}: more than {MAX_BYTES} bytes is no baseline; check --baseline")
        document = json.loads(data)
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); check --baseline") from None
    except (ValueError, RecursionError):
        raise InputError(f"{name}: no JSON; delete it, and --baseline writes it anew") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"{name}: no baseline of lens-preflight; check --baseline")
    entries = document.get("findings")
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise InputError(f"{name}: findings are no list of tables; delete it, and --baseline writes it anew")
    return Accepted({str(e.get("fingerprint")): _count(e, name) for e in entries}, f"accepted in {name}")


def _count(entry: dict[str, Any], name: str) -> int:
    """In how many places; a file from before there were counts accepts one."""
    count = entry.get("count", 1)
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise InputError(f"{name}: a count is no number from 1 on; delete it, and --baseline writes it anew")
    return count


def baseline_text(findings: Iterable[Finding], anchor: Anchor = Anchor()) -> str:  # noqa: B008
    """The text of a baseline file that accepts these findings, each in as many places as there are."""
    places: dict[tuple[str, str], set[Location]] = {}
    for finding in map(anchor.finding, findings):
        places.setdefault((finding.fingerprint, finding.rule.id), set()).add(finding.at)
    entries = [
        {"fingerprint": fingerprint, "rule": rule, "count": len(found)}
        for (fingerprint, rule), found in sorted(places.items())
    ]
    return json.dumps({"schema": SCHEMA, "findings": entries}, indent=1) + "\n"
