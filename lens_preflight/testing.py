"""One line to try a check: what it makes of an environment, a script, a job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lens_preflight.core.check import Check
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.variable import Environment
from lens_preflight.preflight import preflight
from lens_preflight.registry import register
from lens_preflight.subject.builder import build
from lens_preflight.subject.inputs import Inputs

__all__ = ["judge", "judge_all"]


def judge(check: Check, environ: Mapping[str, str] | None = None, **inputs: Any) -> Outcome:
    """The outcome of a check; the first one, when it is called for several targets.

    ``environ`` is the whole environment; ``inputs`` are fields of the run's inputs, such as
    ``targets=("train.py",)``, ``world_size=8``, ``dashboards=("d.json",)``. No packet is sent unless
    ``offline=False`` is given.
    """
    return judge_all(check, environ, **inputs)[0]


def judge_all(check: Check, environ: Mapping[str, str] | None = None, **inputs: Any) -> tuple[Outcome, ...]:
    """All outcomes of a check, folded over targets that say the same."""
    given: dict[str, Any] = {"offline": True, "profile": "ci", "profile_why": "under test", **inputs}
    timeout = given.pop("timeout", 30.0)
    what = Inputs(process=Environment.of(environ or {}), **given)
    return preflight(what, build(what), register([check]), Deadline.after(timeout)).results
