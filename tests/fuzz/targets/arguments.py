"""Command lines of the other commands: merge, checks, gate, env, init, and words that no command knows."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from lens_preflight.checks import BUILTIN
from lens_preflight.reports import REPORTS
from tests.fuzz import mutate
from tests.fuzz.target import CANARY, Target
from tests.fuzz.targets import environments, nodes, settings
from tests.fuzz.targets.commands import Command, use

_PLUGIN = f"""\
from lens_preflight.api import Check, Finding, Location, Proof, Rule, Severity, check
TOKEN = "{CANARY}"
GPU = Rule("site-gpus/odd", "an odd number of GPUs", Severity.CAUTION, help="Ask for an even number.")
@check(id="site-gpus", title="An even number of GPUs", rules=(GPU,))
def site_gpus(ctx):
    if ctx.launch is not None and (ctx.launch.world_size or 0) % 2:
        yield Finding(GPU, "odd", Location.option("--world-size"))
    else:
        yield Proof("even")
"""
_WORDS = (
    "yield",
    "return",
    "raise ValueError",
    "None",
    "Rule(",
    "check(",
    "id=",
    "rules=()",
    "items=(1, 99)",
    "1",
)
_ODD = (
    "--nope",
    "-",
    "--report",
    "json=",
    "=",
    "n[1-3],n[",
    "--color",
    "sometimes",
    "-vvvv",
    "--config",
    "²",
    "/",
)


def _merge(random: Random) -> Iterator[str]:
    yield from random.choice(
        (("a.json",), ("a.json", "b.json"), (".",), ("gone.json",), ("a.json", "job.sh"))
    )
    options = (
        *(("--nodes", random.choice(("n[1-3]", "n1,n2", "n[", "", mutate.nasty(random)))), ("--job", "7")),
        *(("--fleet", "fleet.json"), ("--fail-on", "never"), ("-v",), ("-q",), ("--color", "always")),
        *(("--report", f"{name}=report.{name}") for name in REPORTS),
    )
    for _ in range(random.choice((0, 1, 2))):
        yield from random.choice(options)


def _checks(random: Random) -> Iterator[str]:
    names = (*(check.id for check in BUILTIN), "site-gpus", "shutdwn", mutate.nasty(random))
    if random.random() < 0.7:
        yield random.choice(names)
    if random.random() < 0.7:
        yield from ("--local", random.choice(("plug.py", "plug.py", "job.sh", "gone.py")))


def _gate(random: Random) -> Iterator[str]:
    command = random.choice(("doctor", "doctor", "task", "quarantine", "nope"))
    yield command
    if command == "doctor":
        yield from ("--show-config", random.choice(("slurm.txt", "slurm.txt", "gone.txt")))
        if random.random() < 0.5:
            yield from ("--dir", ".")
    if command in ("doctor", "quarantine"):
        yield from (
            "--config",
            "preflight.toml",
            "--node",
            random.choice(("n1", "n1", "..", mutate.nasty(random))),
        )
    if command == "task" and random.random() < 0.5:
        yield "--early"


def _env(random: Random) -> Iterator[str]:
    yield from (
        random.choice(("job.sh", "train.py", "gone.py")),
        *(("--json",) if random.random() < 0.5 else ()),
    )
    if random.random() < 0.5:
        yield from ("--set", mutate.text(random, "NEMO_LENS_RUN_ID=a", ("=", "export", "é")))


def _check(random: Random) -> Iterator[str]:
    yield from ("train.py", "--local", "plug.py", "--config", "preflight.toml", "--no-environ")
    if random.random() < 0.5:
        yield from ("--world-size", random.choice(("1", "8", "0", "-1", "x", "9" * 30)))
    if random.random() < 0.5:
        yield from ("--node-report", "a.json")
    if random.random() < 0.5:
        yield from (
            "--submit",
            mutate.text(random, "sbatch --export=NONE job.sh", ("-N", "2", "--array=1-9")),
        )


_COMMANDS = {"merge": _merge, "checks": _checks, "gate": _gate, "env": _env, "check": _check}


def _line(random: Random) -> Command:
    name = random.choice(list(_COMMANDS))
    words = [name, *_COMMANDS[name](random)]
    if random.random() < 0.2:
        words.insert(random.randrange(len(words) + 1), random.choice(_ODD))
    if random.random() < 0.1:
        words[random.randrange(len(words))] = mutate.nasty(random)
    if random.random() < 0.1:
        words = [mutate.text(random, name, ("check", "-h")), *words[1:]]
    if random.random() < 0.05:
        words = [random.choice(("probe", "sink", "demo", "init", *_COMMANDS)), "--help"]
    files = {
        "a.json": nodes.report(random).decode("utf-8", "replace"),
        "b.json": nodes.report(random).decode("utf-8", "replace"),
        "job.sh": "#!/bin/bash\n#SBATCH --nodes=2\nsrun python train.py\n",
        "train.py": "from nemo.lens import setup_telemetry\nhandle = setup_telemetry()\nhandle.shutdown()\n",
        "plug.py": mutate.text(random, _PLUGIN, _WORDS),
        "preflight.toml": 'profile = "ci"\n'
        if random.random() < 0.5
        else settings.made(random)[1].decode("utf-8", "replace"),
        "slurm.txt": mutate.text(
            random, "ClusterName = ci\nProlog = (null)\nPrologEpilogTimeout = 60\n", ("=", "sec")
        ),
    }
    plain = tuple(word.replace("\0", "").encode("utf-8", "replace").decode() for word in words)
    safe = (
        plain if plain[0] in (*_COMMANDS, "probe", "sink", "demo", "init") else ("x" + plain[0], *plain[1:])
    )
    return Command(safe, files, environments.environment(random) if random.random() < 0.3 else {})


TARGETS = (Target("arguments", 200, _line, use, seconds=60.0),)
