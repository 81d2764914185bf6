"""The job corpus, one score for each aspect."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from lens_preflight.core.variable import Variable
from lens_preflight.core.words import State
from lens_preflight.jobs import JobLaunch
from tests.corpus import Score
from tests.jobs.cases import Case, job_cases

RIGHT = "right"
ENOUGH = 0.95


@cache
def cases() -> tuple[Case, ...]:
    return tuple(job_cases())


def score(name: str, verdict: Any) -> Score:
    result = Score(f"jobs/{name}")
    for case in cases():
        said = verdict(case)
        if said is not None:
            result.add(case.id, said, RIGHT)
    print(result.line(), result.wrong)
    if not result.total:
        pytest.skip("no cases here")
    return result


def worst(verdicts: Iterator[str]) -> str:
    """One verdict for a case: a wrong certainty, then a wrong refusal, then an unknown."""
    found = set(verdicts)
    return next((v for v in ("pass", "fail", "unknown") if v in found), RIGHT)


def accept(result: Score) -> None:
    assert not result.false_passes, result.wrong
    assert result.right >= ENOUGH * result.total, result.wrong


# --- environment ------------------------------------------------------------------------------------


def variable(found: Variable, expected: dict[str, Any]) -> str:
    """``pass`` is a wrong certainty: a text that is not there, or ``unset`` for one that arrives."""
    state, wanted = found.state, expected["state"]
    if wanted == "unset":
        return {State.UNSET: RIGHT, State.VALUE: "pass", State.PROVIDED: "pass"}.get(state, "unknown")
    if state is State.UNSET:
        return "pass"
    if wanted == "value":
        if state is State.VALUE:
            return RIGHT if found.value == expected["value"] else "pass"
        return "unknown"
    if state is State.VALUE:
        return "pass"
    if wanted == "provided":
        return RIGHT if state is State.PROVIDED else "unknown"
    return RIGHT if _spread(found, expected) else "fail"


def _spread(found: Variable, expected: dict[str, Any]) -> bool:
    scope = expected.get("scope", "job")
    return (
        found.spread.value
        in {"job": ("job", "run"), "task": ("task", "node"), "node": ("node", "task")}[scope]
    )


def environment(case: Case) -> str:
    def verdicts() -> Iterator[str]:
        for launch, expected in case.launches:
            for name, wanted in expected["env"].items():
                yield "fail" if launch is None else variable(launch.launcher_env[name], wanted)
            for key in ("remote_env", "child_env"):
                for name, wanted in expected.get(key, {}).items():
                    yield "fail" if launch is None else variable(launch.env[name], wanted)

    return worst(verdicts())


def test_environment() -> None:
    accept(score("environment", environment))


# --- lost variables -----------------------------------------------------------------------------------


def lost(case: Case) -> str:
    def verdicts() -> Iterator[str]:
        for launch, expected in case.launches:
            if launch is None:
                yield "fail"
                continue
            found = {one.name: one for one in launch.lost}
            for wanted in expected["lost"]:
                one = found.pop(wanted["name"], None)
                if one is None:
                    yield "pass"
                else:
                    lines = {one.at.line, one.set_at.line if one.set_at else None}
                    yield RIGHT if wanted["line"] in lines else "fail"
            yield from ("fail" for _ in found)

    return worst(verdicts())


def test_lost() -> None:
    accept(score("lost", lost))


# --- counts -----------------------------------------------------------------------------------------------


def number(found: int | None, expected: int | None) -> str:
    if found == expected:
        return RIGHT
    return "unknown" if found is None else "pass"


def world_size(case: Case) -> str:
    def verdicts() -> Iterator[str]:
        for launch, expected in case.launches:
            if launch is None:
                yield "fail"
                continue
            yield number(launch.world_size, expected["world_size"])
            yield number(launch.nodes, expected["nodes"])
            for key in ("tasks_per_node", "procs_per_task"):
                if expected[key] is not None and getattr(launch, key) is not None:
                    yield number(getattr(launch, key), expected[key])

    return worst(verdicts())


def test_world_size() -> None:
    accept(score("world-size", world_size))


# --- programs -----------------------------------------------------------------------------------------------


def program(case: Case) -> str:
    def verdicts() -> Iterator[str]:
        if len(case.model.launches) > len(case.facts["launches"]):
            yield "fail"
        for launch, expected in case.launches:
            if launch is None:
                yield "fail"
                continue
            yield RIGHT if launch.at.line == expected["line"] else "fail"
            yield from _words(launch, expected)
            if "program_file" in expected:
                wanted = expected["program_file"]
                path = None if wanted is None else str(case.folder / wanted)
                yield (
                    RIGHT
                    if launch.program_file == path
                    else ("unknown" if path and not launch.program_file else "pass")
                )

    return worst(verdicts())


def _words(launch: JobLaunch, expected: dict[str, Any]) -> Iterator[str]:
    if expected["program"] is not None:
        same = launch.program == expected["program"]
        yield RIGHT if same else ("unknown" if launch.program is None or "{" in launch.program else "pass")
    for found, wanted in zip(launch.args, expected["args"], strict=False):
        yield RIGHT if found == wanted or "{" in found else "pass"
    if len(launch.args) != len(expected["args"]):
        yield "fail"


def test_program() -> None:
    accept(score("program", program))


def sigterm(case: Case) -> str | None:
    verdicts = [
        RIGHT if launch is not None and launch.sigterm_delivery.value == expected["sigterm_delivery"] else (
            "unknown" if launch is None or launch.sigterm_delivery.value == "unknown" else "pass"
        )
        for launch, expected in case.launches
        if "sigterm_delivery" in expected
    ]  # fmt: skip
    return worst(iter(verdicts)) if verdicts else None


def test_sigterm_delivery() -> None:
    accept(score("sigterm-delivery", sigterm))
