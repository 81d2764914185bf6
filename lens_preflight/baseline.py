"""The file of ``--baseline``: fingerprints of findings that were accepted in one step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Finding

SCHEMA = "lens-preflight/baseline/1"
MAX_BYTES = 50_000_000


def read_baseline(name: str) -> dict[str, str]:
    """Fingerprints of accepted findings with the reason to show.

    Raises:
        InputError: the file cannot be read or is no baseline.
    """
    path = Path(name)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{name}: more than {MAX_BYTES} bytes is no baseline; check --baseline")
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); check --baseline") from None
    except (ValueError, RecursionError):
        raise InputError(f"{name}: no JSON; delete it, and --baseline writes it anew") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(f"{name}: no baseline of lens-preflight; check --baseline")
    entries = document.get("findings")
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise InputError(f"{name}: findings are no list of tables; delete it, and --baseline writes it anew")
    return {str(e.get("fingerprint")): f"accepted in {name}" for e in entries}


def baseline_text(findings: Iterable[Finding]) -> str:
    """The text of a baseline file that accepts these findings."""
    entries = {f.fingerprint: {"fingerprint": f.fingerprint, "rule": f.rule.id} for f in findings}
    return json.dumps({"schema": SCHEMA, "findings": [entries[k] for k in sorted(entries)]}, indent=1) + "\n"
