"""Rules that a Prometheus has loaded, judged by the check that judges rule files."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from lens_preflight.backends.words import Reading, Step, Word
from lens_preflight.core.words import Status
from lens_preflight.registry import builtin, find
from tests.making import outcomes, subject


def judged_rules(groups: list[dict[str, Any]]) -> Reading:
    """The outcome of ``truncated-spans`` for rules from the API, as a reading."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.json"
        file.write_text(json.dumps({"groups": groups}))
        check = find("truncated-spans", builtin())
        (outcome,) = outcomes(check, subject(rules=(str(file),), lens="0.2"))
    word = {Status.PASS: Word.OK, Status.WARN: Word.KEYWORD_ONLY, Status.FAIL: Word.UNHEALTHY}
    return Reading(Step.POSITIVE, word.get(outcome.status, Word.INCONCLUSIVE), outcome.reason or "rules")
