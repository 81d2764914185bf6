"""Whole command lines over whole folders: every model, check and report together, without a packet."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from unittest.mock import patch

import click

from lens_preflight.checks import BUILTIN
from lens_preflight.cli import cli
from lens_preflight.cli.exits import one_line
from lens_preflight.core.errors import InputError
from lens_preflight.guests import dismiss
from lens_preflight.reports import REPORTS
from tests.fuzz import mutate
from tests.fuzz.corpora import CASES, scratch, written
from tests.fuzz.target import CANARY, Target
from tests.fuzz.targets import collectors, dashboards, environments, jobs, programs


@dataclass(frozen=True)
class Command:
    """The words of a command line, the files around it, the environment it is typed in."""

    words: tuple[str, ...]
    files: dict[str, str]
    env: dict[str, str]


class Broke(Exception):
    """A check broke, which its report tells."""


@cache
def _folders() -> tuple[dict[str, str], ...]:
    found = []
    for folder in sorted((CASES / "healthy").iterdir()):
        files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size < 60_000]
        if folder.is_dir():
            found.append(
                {str(p.relative_to(folder)): p.read_bytes().decode("utf-8", "replace") for p in files}
            )
    return tuple(found)


def _command(random: Random) -> Command:
    files = dict(random.choice(_folders()))
    words_of = {".py": programs.WORDS, ".json": dashboards.WORDS, ".toml": ("profile", "expect", "gate")}
    for name in random.sample(sorted(files), min(len(files), random.choice((0, 1, 2)))):
        kind = os.path.splitext(name)[1]
        words = words_of.get(kind, collectors.WORDS if kind in (".yaml", ".yml") else jobs.WORDS)
        files[name] = mutate.text(random, files[name], words)
    if random.random() < 0.1:
        files["odd.sh"] = jobs.script(random)
    env = environments.environment(random) if random.random() < 0.5 else {}
    if random.random() < 0.3:
        env["OTEL_EXPORTER_OTLP_HEADERS"] = f"x-token={CANARY}"
    return Command((*_words(random, sorted(files)), *_reports(random)), files, env)


def _words(random: Random, names: list[str]) -> Iterator[str]:
    yield random.choice(
        ("check", "check", "check", "check", "env", "init" if random.random() < 0.2 else "check")
    )
    for name in random.sample(names, min(len(names), random.choice((0, 1, 1, 2)))):
        kind = os.path.splitext(name)[1]
        option = {
            ".json": "--dashboard",
            ".yaml": "--collector-config",
            ".yml": "--rules",
            ".env": "--env-file",
        }
        if kind in option and random.random() < 0.9:
            yield option[kind]
        yield name
    for _ in range(random.choice((0, 1, 2, 3))):
        yield from random.choice(_OPTIONS)
    if random.random() < 0.15:
        yield mutate.nasty(random).replace("\0", "").encode("utf-8", "replace").decode() or "x"


_OPTIONS = (
    *(("--profile", word) for word in ("ci", "login", "node")),
    *(("--set", f"NEMO_LENS_ENABLED={word}") for word in ("0", "1", "x")),
    *(("--lens", word) for word in ("0.1", "0.2", "nightly")),
    *(("--world-size", n) for n in ("1", "8", "1000")),
    *(("--nodes", n) for n in ("1", "2")),
    *(
        ("--fail-on", "never"),
        ("--expect", "all"),
        ("--expect", "1,2"),
        ("--no-environ",),
        ("--submit-environ",),
    ),
    *(("--submit", "sbatch --export=NONE train.sbatch"), ("--purpose", "debug"), ("--topology", "gateway")),
    *(
        ("--backend", f"jaeger=http://u:{CANARY}@h:1"),
        ("--backend", "prometheus=x"),
        ("--map", "/w=."),
        ("-vv",),
    ),
    *(("--set", f"SITE_TOKEN={CANARY}"), ("--endpoint", "http://collector:4318"), ("--baseline", "b.json")),
    *(("--select", check.id) for check in BUILTIN),
    *(("--config", "missing.toml"), ("--node-report", "missing.json"), ("--", "--lr", "1"), ("-m", "train")),
)


def _reports(random: Random) -> Iterator[str]:
    for name in random.sample(list(REPORTS), random.choice((0, 1, 2))):
        yield from ("--report", f"{name}=report.{name}")
    if random.random() < 0.3:
        yield from ("--report", random.choice(list(REPORTS)))


def _use(made: Command) -> Iterator[str]:
    for text in use(made):
        if "the check itself broke" in text:
            raise Broke(text[max(0, text.index("the check itself broke") - 200) :][:600])
        yield text


def use(made: Command) -> Iterator[str]:
    """Run a command line in a folder with its files: what it prints and writes."""
    folder = written(made.files, "command")
    out, err = io.StringIO(), io.StringIO()
    words = [w for w in made.words if w != "--"]
    given = [words[0], "--offline", *words[1:]] if words[0] == "check" else words
    plain = {"PATH": os.environ.get("PATH", ""), "HOME": str(scratch()), **_typed(made.env)}
    here = Path.cwd()
    os.chdir(folder)
    try:
        with (
            patch.dict(os.environ, plain, clear=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            cli.main(args=given, prog_name="lens-preflight", standalone_mode=False, obj=("--lr", "1"))
    except (click.ClickException, click.exceptions.Exit, click.Abort, InputError) as stop:
        yield one_line(stop.format_message() if isinstance(stop, click.ClickException) else str(stop))
    finally:
        dismiss()
        os.chdir(here)
    yield from (out.getvalue(), err.getvalue(), *(p.read_text("utf-8") for p in folder.glob("report.*")))


def _typed(env: dict[str, str]) -> dict[str, str]:
    """The variables that a process can have."""
    typed = {}
    for name, value in env.items():
        with contextlib.suppress(UnicodeEncodeError):
            os.fsencode(value)
            typed[name] = value
    return typed


TARGETS = (Target("commands", 100, _command, _use, seconds=60.0),)
