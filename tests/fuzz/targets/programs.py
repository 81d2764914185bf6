"""Training scripts: interpreted without being run, and the checks on what they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from random import Random

from lens_preflight.core.errors import InputError
from lens_preflight.registry import builtin
from tests.fuzz import mutate
from tests.fuzz.corpora import CASES, written
from tests.fuzz.judging import said
from tests.fuzz.programs import changed
from tests.fuzz.target import CANARY, Target
from tests.making import subject

WORDS = (
    *(
        "try:",
        "finally:",
        "except Exception:",
        "except* E:",
        "else:",
        "while True:",
        "for x in y:",
        "with a as b:",
    ),
    *(
        "if x:",
        "def f():",
        "class A:",
        "lambda: x",
        "yield",
        "await f()",
        "async def g():",
        "return",
        "raise",
    ),
    *("break", "continue", "global x", "nonlocal y", "del x", "import os", "from . import x", "match x:"),
    *(
        "case _:",
        "x = y = z",
        "x, *y = z",
        "[x for x in x]",
        "{**x}",
        "f(*a, **k)",
        "f'{x!r:>{w}}'",
        "x := 1",
    ),
    *("setup_telemetry()", "handle.shutdown()", "os._exit(1)", "sys.exit()", "atexit.register(h.shutdown)"),
    *("signal.signal(15, f)", "os.environ['X']", "os.getenv('X', '')", "int(x)", "1 << 99999", "'a' * 10**9"),
    *(
        "range(10**9)",
        "f(f)",
        "self.x",
        "super().__init__()",
        "@property",
        "@f",
        "__import__('x')",
        "exec(x)",
    ),
    *(
        "open(x).read()",
        "subprocess.run(x)",
        "multiprocessing.Process",
        "threading.Thread",
        "x[0]",
        "-x",
        "not x",
    ),
    *(
        "and",
        "or",
        "is",
        "in",
        "==",
        "10 ** 10 ** 10",
        "(" * 90,
        "not " * 50,
        "x." * 60,
        "...",
        "assert x",
        "pass",
    ),
)


_SET = {
    "NEMO_LENS_RUN_ID": ("r1", "", " "),
    "SLURM_JOB_ID": ("12",),
    "OTEL_TRACES_SAMPLER": ("always_on", "always_off", "traceidratio"),
    "OTEL_EXPORTER_OTLP_ENDPOINT": ("http://c:4317", "c:4317"),
    "OTEL_EXPORTER_OTLP_HEADERS": (f"authorization=Bearer {CANARY}",),
}
"""Variables that some launches set; programs write them as well."""


@cache
def _cases() -> tuple[dict[str, str], ...]:
    """The files of each small case; the entry is called train.py in nearly all."""
    found = []
    for path in sorted((CASES / "program").glob("*/case.json")):
        case = json.loads(path.read_text())
        entry = case.get("entry")
        files = [f for f in sorted(path.parent.rglob("*.py")) if f.stat().st_size < 20_000]
        if entry and not case.get("entry_module") and (path.parent / entry) in files and len(files) <= 6:
            found.append(
                {str(f.relative_to(path.parent)): f.read_bytes().decode("utf-8", "replace") for f in files}
                | {"": entry}
            )
    return tuple(found)


def program(random: Random) -> tuple[str, dict[str, str]]:
    """The entry and the files of a program of the corpus, one or two of the files changed."""
    case = dict(random.choice(_cases()))
    entry = case.pop("")
    donors = [random.choice(_cases())[""] and text for text in case.values()]
    for name in dict.fromkeys((entry, random.choice(list(case)))):
        if random.random() < 0.7:
            case[name] = changed(random, case[name])
        if random.random() < 0.4:
            case[name] = mutate.text(random, case[name], WORDS, donors)
    if random.random() < 0.2:
        case[entry] += f"\nAPI_TOKEN = '{CANARY}'\nconnect(password='{CANARY}')\n"
    return entry, case


def _program(random: Random) -> tuple[str, dict[str, str], dict[str, str], str]:
    entry, files = program(random)
    env = {"NEMO_LENS_ENABLED": random.choice(("1", "0", "maybe"))} if random.random() < 0.7 else {}
    for name in random.sample(sorted(_SET), random.choice((0, 0, 1, 3))):
        env[name] = random.choice(_SET[name])
    return entry, files, env, random.choice(("0.1", "0.2", "nightly", "0.1"))


def _use_program(made: tuple[str, dict[str, str], dict[str, str], str]) -> Iterator[str]:
    entry, files, env, lens = made
    folder = written(files, "program")
    given = subject(env, targets=(str(folder / entry),), lens=lens, world_size=8, folder=folder)
    ids = (
        "setup-once",
        "shutdown",
        "sigterm",
        "rank-decision",
        "rollback",
        "resource-attributes",
        "log-scope",
        *("run-id", "sampler", "environment", "span-groups", "volume", "failure-cost"),
    )
    yield from said(given, [check for check in builtin() if check.id in ids])


TARGETS = (Target("programs", 120, _program, _use_program, (InputError,), seconds=60.0),)
