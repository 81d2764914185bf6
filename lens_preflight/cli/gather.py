"""From parsed options to the Inputs of a run: the only reader of the process environment."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lens_preflight.core.accepted import Accepted
from lens_preflight.core.data import replace
from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Location
from lens_preflight.core.regular import read_regular
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import State
from lens_preflight.registry import expected_items
from lens_preflight.settings import Settings, find, load
from lens_preflight.subject.inputs import Inputs

MAX_ENV_FILE = 10_000_000


def gather(targets: Sequence[str], args: Sequence[str], options: Mapping[str, Any]) -> Inputs:
    """The Inputs of a command.

    ``options`` are click's parameters by name; those that a command does not have count as unset.

    Raises:
        InputError: a file cannot be read, an assignment has no name, settings are wrong.
    """
    settings = _settings(options)
    process = Environment() if options.get("no_environ") else Environment.of(os.environ)
    profile, why = choose_profile(options.get("profile") or settings.profile, Environment.of(os.environ))
    expect = options.get("expect") or settings.expect
    return Inputs(
        targets=(*targets, *options.get("job", ())),
        module=options.get("module"),
        args=tuple(args),
        profile=profile,
        profile_why=why,
        offline=bool(options.get("offline")),
        process=process,
        given=_given(options.get("env_files", ()), options.get("assignments", ())),
        submit_environ=bool(options.get("submit_environ")) or profile == "login",
        submit=options.get("submit"),
        lens=options.get("lens", "auto"),
        purpose=options.get("purpose"),
        topology=options.get("topology"),
        world_size=options.get("world_size"),
        nodes=options.get("nodes"),
        gpus_per_node=options.get("gpus_per_node"),
        path_map=tuple(pair("--map", "IN=OUT", text) for text in options.get("maps", ())),
        endpoint=options.get("endpoint"),
        backends={
            **settings.backends,
            **dict(pair("--backend", "NAME=URL", t) for t in options.get("backends", ())),
        },
        dashboards=_files(options.get("dashboards"), settings.dashboards, settings),
        collector=_files(options.get("collector_configs"), settings.collector_config, settings),
        rules=_files(options.get("rules"), settings.rules, settings),
        expect=expected_items(words(expect)),
        wait=options.get("wait", 0.0),
        canary=bool(options.get("send_canary")),
        baseline=_baseline(options.get("baseline")),
        settings=settings,
        folder=Path(),
    )


def _settings(options: Mapping[str, Any]) -> Settings:
    named = options.get("config")
    return load(Path(named)) if named else replace(load(find(Path())), found=True)


def _files(given: Sequence[str] | None, named: Sequence[str], settings: Settings) -> tuple[str, ...]:
    """The files of the command line, else those of the settings, as seen from here."""
    if given:
        return tuple(given)
    folder = Path(settings.source).parent
    return tuple(str(folder / name) for name in named)


def _baseline(name: str | None) -> Accepted | None:
    """The accepted findings, empty when the file is still to be written; None without a baseline."""
    if name is None:
        return None
    if not os.path.exists(name):
        return Accepted()
    from lens_preflight.baseline import read_baseline

    return read_baseline(name)


def words(texts: Sequence[str]) -> tuple[str, ...]:
    """Comma lists of several options as one list."""
    return tuple(word for text in texts for word in str(text).replace(" ", "").split(",") if word)


def pair(option: str, form: str, text: str) -> tuple[str, str]:
    """The two sides of ``=``; InputError, naming the form, when one of them is missing."""
    name, equals, value = text.partition("=")
    if not equals or not name or not value:
        raise InputError(f"{option} {text!r}: not of the form {form}; write {option} {form}")
    return name, value


def choose_profile(named: str, environ: Environment) -> tuple[str, str]:
    """The profile and why: named, or by what the environment says about this machine."""
    if named != "auto":
        return named, "as given"
    ci = environ["CI"].value
    if ci and ci.lower() not in ("0", "false", "no"):
        return "ci", "the variable CI is set"
    if environ["SLURM_JOB_ID"].value:
        return "node", "inside an allocation: SLURM_JOB_ID is set"
    return "login", "neither CI nor an allocation"


def _given(env_files: Sequence[str], assignments: Sequence[str]) -> Environment:
    variables: dict[str, Variable] = {}
    for name in env_files:
        variables.update((v.name, v) for v in read_env_file(name))
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name or "\0" in text:
            shown = name or "an empty name"
            raise InputError(f"--set {shown}: not of the form NAME=VALUE; write --set NAME=VALUE")
        variables[name] = Variable(name, State.VALUE, value, Origin("--set", Location.option("--set")))
    return Environment(variables)


def read_env_file(name: str) -> list[Variable]:
    """The assignments of an environment file: NAME=VALUE lines, ``export`` and quotes allowed.

    Raises:
        InputError: it cannot be read, or a line is no assignment.
    """
    try:
        data = read_regular(Path(name), MAX_ENV_FILE, pipes=True)
        if len(data) > MAX_ENV_FILE:
            raise InputError(f"{name}: more than {MAX_ENV_FILE} bytes; name the right file with --env-file")
        lines = data.decode("utf-8", "surrogateescape").splitlines()
        if data.startswith(codecs.BOM_UTF8):
            raise InputError(
                f"{name}: begins with a byte order mark, which docker takes off and a shell makes a part of "
                "the first name; save the file without it"
            )
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror}); check --env-file") from None
    variables = []
    for number, line in enumerate(lines, 1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or " " in key.strip():
            raise InputError(f"{name}:{number}: no assignment; write NAME=VALUE")
        if not (key.isascii() and key.strip().isprintable()):
            raise InputError(f"{name}:{number}: a character in the name is not ASCII; type the name again")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        origin = Origin(f"{name}:{number}", Location.file(name, number))
        variables.append(Variable(key.strip(), State.VALUE, value, origin))
    return variables
