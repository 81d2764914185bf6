"""Judges one program case with the checks, in process, as the command line would."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lens_preflight.checks.log_scope import log_scope
from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.resource_attributes import resource_attributes
from lens_preflight.checks.rollback import rollback
from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from lens_preflight.checks.sigterm import sigterm
from lens_preflight.context import Context
from lens_preflight.core.check import Check
from lens_preflight.core.errors import Skip, Undecided
from lens_preflight.core.finding import Finding, Location, Proof
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import Severity
from lens_preflight.core.world import World
from lens_preflight.lens.generations import generation
from lens_preflight.program import ProgramModel, analyse

CHECKS = (setup_once, shutdown, sigterm, rank_decision, rollback, resource_attributes, log_scope)
WORLD = World(8, 4)


@dataclass
class Case:
    """A case.json and its folder."""

    folder: Path
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The name of the folder."""
        return self.folder.name


@dataclass
class Answer:
    """What one check said."""

    verdict: str
    findings: list[Finding] = field(default_factory=list)
    reason: str = ""

    @property
    def lines(self) -> set[str]:
        """``file:line`` of every place in the findings."""
        places = [x for f in self.findings for x in (f.at, *(r.at for r in f.related))]
        return {f"{p.what}:{p.line}" for p in places}


class Looked(SimpleNamespace):
    """A context of whose blockers none may be waived."""

    lifted: frozenset[str] = frozenset()
    stops, lifts, last = Context.stops, Context.lifts, Context.last
    nothing_else = Context.nothing_else


def cases(root: Path) -> list[Case]:
    """The cases below a folder, by name."""
    found = sorted(root.glob("*/case.json"))
    return [Case(p.parent, json.loads(p.read_text())) for p in found]


def context(
    program: ProgramModel,
    gen: str,
    env: Mapping[str, str],
    world: World | None = WORLD,
    args: tuple[str, ...] = (),
    framework: Any = None,
) -> Any:
    """A context with as much as the checks of the script look at."""
    environment = Environment.of(env)
    launch = SimpleNamespace(
        job=None,
        framework=framework or SimpleNamespace(prefix="", flags=()),
        args=args,
        at=Location.file("train.py"),
        env=environment,
        settled=environment,
    )
    return Looked(
        program=program,
        env=environment,
        settled=environment,
        world=world,
        generation=generation(gen),
        launch=launch,
        purpose=None,
        job=None,
        collector=None,
    )


def ask(check: Check, ctx: Any) -> Answer:
    """The verdict of a check: pass, note, warn, fail, unknown; skip counts as unknown."""
    findings: list[Finding] = []
    proof = False
    reason = ""
    try:
        for said in check.run(ctx):
            if isinstance(said, Finding):
                findings.append(said)
            elif isinstance(said, Proof):
                proof = True
    except (Skip, Undecided) as stopped:
        reason = f"{type(stopped).__name__}: {stopped.reason}"
    worst = max((f.severity for f in findings), default=None)
    if worst is Severity.BLOCKER:
        return Answer("fail", findings)
    if reason:
        return Answer("unknown", findings, reason)
    if worst is Severity.CAUTION:
        return Answer("warn", findings)
    if worst is Severity.NOTE:
        return Answer("note", findings)
    return Answer("pass" if proof else "unknown", findings, "" if proof else "no proof")


def judge(case: Case) -> dict[str, Answer]:
    """The answers of all checks for one case."""
    data = case.data
    env = {"NEMO_LENS_ENABLED": "1", **data.get("env", {})}
    entry = None if data.get("entry_module") else data["entry"]
    program = analyse(
        entry,
        module=data.get("entry_module"),
        roots=tuple(data.get("pythonpath", ())),
        argv=tuple(data.get("argv", ())),
        base=os.path.abspath(case.folder),
    )
    ctx = context(program, data["generation"], env, args=tuple(data.get("argv", ())))
    return {check.id: ask(check, ctx) for check in CHECKS}
