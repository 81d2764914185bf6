"""The gate on a node: what it finds in its files and hears from Slurm; refresh, quarantine, doctor, TaskProlog."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from lens_preflight.core.errors import InputError
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Status
from lens_preflight.gate import cache as verdicts
from lens_preflight.gate import hooks, state, task
from lens_preflight.gate.control import Controls
from lens_preflight.gate.doctor import examine
from lens_preflight.gate.fleet import open_fleet
from lens_preflight.gate.options import GateSettings, Policy
from lens_preflight.gate.quarantine import quarantine, reason_text
from lens_preflight.gate.refresh import judge, refresh
from lens_preflight.gate.slurm import Slurm
from lens_preflight.redact import Redactor
from tests.fuzz import mutate
from tests.fuzz.corpora import written
from tests.fuzz.target import Target
from tests.fuzz.targets.environments import environment
from tests.fuzz.targets.reports import stuffed
from tests.gate.records import finding, outcome, record

RULE = "otlp-endpoint/ca-file-missing"
WORDS = ("quarantine", "fail-host", "pass", "unknown", "failing", "expiry", RULE, "n1", "since", "rule")

_CONFIG = """\
Configuration data as of 2026-02-03T04:05:06
ClusterName             = ci
BatchStartTimeout       = 10 sec
HealthCheckInterval     = 300 sec
HealthCheckProgram      = {hooks}/health-check
Prolog[0]               = {hooks}/prolog
Epilog                  = {hooks}/*
TaskProlog              = {hooks}/task-prolog
PrologEpilogTimeout     = 60
PrologFlags             = Alloc,Contain
PrologSlurmctld         = (null)
SchedulerParameters     = nohold_on_prolog_fail,bf_interval=30
"""
_SINFO = f"{'idle':<64}{'none':<512}\n"
_OURS = "n2|2026-02-03T04:05:06|lens-preflight otlp-endpoint/refused host\nn3|x|other|a|b\n"


class Told(Slurm):
    """A Slurm that answers as told, without a process."""

    said: tuple[str, str]

    def __init__(self, states: str, ours: str) -> None:
        super().__init__()
        vars(self)["said"] = (states, ours)

    def run(self, *argv: str) -> str:
        """The output of a command."""
        states, ours = self.said
        return ours if "%N|%H|%E" in argv else states


@dataclass(frozen=True)
class Node:
    """The files of a node, what Slurm says, the environment of a task, and the record of a run."""

    files: dict[str, str]
    slurm: Told
    env: dict[str, str]
    run: RunRecord
    policy: Policy


@cache
def _scripts() -> dict[str, str]:
    return hooks.scripts(hooks.Names("/usr/bin/python3", "/etc/p.toml", "/opt/hooks", GateSettings()))


def _state(random: Random) -> str:
    made = {
        "node": "n1",
        "boot_id": verdicts.boot_id(),
        "word": "quarantine",
        "expiry": int(verdicts.uptime()) + 100_000,
        "rule": RULE,
        "message": "the CA file does not exist here",
        "cause": "host",
        "failing": {RULE: time.time() - 100, "sampler/x": 1.5},
    }
    changed = mutate.tree(random, made, WORDS) if random.random() < 0.6 else made
    text = json.dumps(changed)
    return mutate.text(random, text, WORDS) if random.random() < 0.3 else text


def _node(random: Random) -> Node:
    line = f"{verdicts.boot_id()} {int(verdicts.uptime()) + 500} fail-host {RULE} it is missing\n"
    fleet = {"schema": "lens-preflight/fleet/1", "nodes": 9, "since": 1.0, "failing": {RULE: {"n1": 1.0}}}
    files = {"run/state.json": _state(random), "run/verdict": mutate.text(random, line, WORDS)}
    files["slurm.txt"] = mutate.text(random, _CONFIG, ("(null)", "sec", "[1]", "=", "*", "Alloc"))
    files["fleet.json"] = json.dumps(mutate.tree(random, fleet, WORDS))
    for name, text in _scripts().items():
        files[f"hooks/{name}"] = mutate.text(random, text, ("python=", "'", '"', "#!", "/usr/bin/env"))
    if random.random() < 0.3:
        files[f"hooks/{random.choice(('README', 'prolog~', 'x.rpmnew'))}"] = "echo\n"
    sinfo = mutate.text(random, _SINFO, ("drained", "lens-preflight", "(null)", "idle*"))
    blocked = outcome(Status.FAIL, finding(random.choice((RULE, "otlp-endpoint/refused"))))
    run = record(random.choice((outcome(), blocked, outcome(Status.UNKNOWN))), node="n1")
    run = stuffed(random, run, random.choice((0.0, 0.1, 1.0)))
    return Node(files, Told(sinfo, mutate.text(random, _OURS, ("|", "lens-preflight"))),
                environment(random), run, random.choice(list(Policy)[:2]))  # fmt: skip


def _use(made: Node) -> Iterator[str]:
    told = {name: text.replace("{hooks}", "%") for name, text in made.files.items()}
    folder = written(told, "gate")
    folder.chmod(0o755)
    text = made.files["slurm.txt"].replace("{hooks}", str(folder / "hooks"))
    (folder / "slurm.txt").write_bytes(text.encode("utf-8", "surrogatepass"))
    for fleet in (str(folder / "fleet"), str(folder / "fleet.json"), ""):
        settings = GateSettings(
            policy=made.policy,
            run_dir=str(folder / "run"),
            textfile_dir=str(folder),
            syslog="",
            fleet=fleet,
            switch="/nowhere/disabled",
            slurm_bin="/nowhere",
        )
        yield from _hours(settings, folder, made)


def _hours(settings: GateSettings, folder: Path, made: Node) -> Iterator[str]:
    found, why = verdicts.read(folder / "run")
    yield f"{found} {why} {found is not None and verdicts.fresh(found, 500)}"
    before = state.load(folder / "run")
    if before is not None:
        yield reason_text(before, "7")
    yield open_fleet(settings.fleet, 1.0).answer("n1", RULE, 1.0).why
    yield quarantine(settings, "n1", "7", made.slurm)
    try:
        yield from map(str, examine(settings, "n1", str(folder / "hooks"), str(folder / "slurm.txt")))
    except InputError as error:
        yield str(error)
    run = Redactor().record(made.run)
    judge(run, lambda: Controls())
    done = refresh(settings, "n1", lambda _: run)
    yield str(done)
    again, why = verdicts.read(folder / "run")
    assert again is not None, f"the verdict that was just written cannot be read: {why}"


def _use_task(made: dict[str, str]) -> Iterator[str]:
    env = {"NEMO_LENS_ENABLED": "1", **made}
    for early in (True, False):
        lines = task.lines(task.judge(env, early=early), env.get(task.SAID, ""))
        assert all(line.startswith(("print lens-preflight: ", f"export {task.SAID}=")) for line in lines)
        assert not any("\n" in line for line in lines)
        yield from lines


TARGETS = (
    Target("gate", 120, _node, _use, seconds=20.0),
    Target("gate-tasks", 60, environment, _use_task, seconds=20.0),
)
