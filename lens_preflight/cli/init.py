"""``lens-preflight init``: a commented preflight.toml from what is here; never overwrites one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from lens_preflight.surroundings import Seen, as_word, look

NAME = "preflight.toml"


@click.command()
@click.option("--print", "to_stdout", is_flag=True, help="Print it, write nothing.")
def init(to_stdout: bool) -> int:
    """Write preflight.toml from what is in this folder; an existing one is left as it is."""
    from lens_preflight.settings import find

    seen = look(Path())
    text = settings_text(seen)
    if to_stdout:
        click.echo(text, nl=False)
        return 0
    here = find(Path())
    if here is not None:
        fresh = "lens-preflight init --print shows a fresh one"
        click.echo(f"{here} has settings already and stays as it is; {fresh}")
    elif (trouble := _written(text)) is not None:
        click.echo(f"lens-preflight: {NAME}: cannot be written ({trouble.strerror})", err=True)
        return 3
    else:
        click.echo(f"wrote {NAME}; read it, then commit it")
    target = next(iter((*seen.jobs, *seen.programs)), "")
    click.echo(f"Next:  lens-preflight check {as_word(target) if target else 'TARGET'}")
    return 0


def _written(text: str) -> OSError | None:
    """Write the settings file where there is none, whole or not at all; what kept it from being written."""
    data = text.encode()
    path = Path(NAME)
    try:
        with path.open("xb") as file:
            try:
                file.write(data)
            except OSError:
                path.unlink()
                raise
    except OSError as error:
        return error
    return None


def settings_text(seen: Seen) -> str:
    """The settings file for what was seen; every key is explained, what is not known is commented out."""
    lines = [
        "# Settings of lens-preflight; the command line wins over each of them.",
        "# All keys: lens-preflight check --help, and docs/guides/settings.md",
        "",
        '# What the run is for: "production", "profiling" (a window with per_step) or "debug".',
        'purpose = "production"',
        "",
        "# Items of the checklist that must be judged; without their input the verdict is CANNOT TELL.",
        f"expect = {_list(_expected(seen))}",
        "",
        *_role("dashboards", seen.dashboards, "Dashboards that show this job, relative to this file."),
        *_role("collector_config", seen.collectors[:1], "The collector's configuration, where you have it."),
        *_role("rules", seen.rules, "Prometheus rules about this job."),
        "[site]",
        '# Where the collector runs: "gateway" (one for many nodes) or "node-agent" (one on each node).',
        '# collector = "gateway"',
        "",
        "# [families]          # your own metrics, OTel spelling, when no framework profile fits",
        '# step_duration = ["train.step_duration_ms"]',
        '# loss = ["train.loss"]',
        "",
        "# [backends]          # where telemetry is queried; tokens come from variables",
        '# jaeger = "http://jaeger.example:16686"',
        "",
        "# [[waive]]           # a known finding that may wait",
        '# rule = "sampler/unset"',
        '# reason = "the default is meant; ticket 123"',
        "# until = 2027-01-31",
    ]
    return "\n".join(lines) + "\n"


def _expected(seen: Seen) -> list[int]:
    items = [1, 2, 4, 7, 9] if seen.jobs or seen.programs else [4]
    return sorted({*items, *([8] if seen.dashboards else [])})


def _role(key: str, names: Sequence[str], comment: str) -> list[str]:
    names = [name for name in names if _is_text(name)]
    shown = f"{key} = {_list(list(names))}" if names else f'# {key} = ["FILE"]'
    return [f"# {comment}", shown, ""]


def _is_text(name: str) -> bool:
    """Whether a name can be written in TOML: bytes that are no UTF-8 cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _list(values: Sequence[object]) -> str:
    """A TOML list; JSON spells texts as TOML does, but for one control character."""
    return json.dumps(list(values), ensure_ascii=False).replace("\x7f", "\\u007f")
