"""``lens-preflight gate``: hooks for Slurm, the refresh that fills them, and a doctor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lens_preflight.gate.options import GateSettings
    from lens_preflight.settings import Settings

CONFIG = "/etc/lens-preflight/preflight.toml"


@click.group()
def gate() -> None:
    """Answer in Slurm's hooks in a millisecond, without ever draining a healthy node.

    Start with:  lens-preflight gate install --dir /usr/local/lib/lens-preflight
    """


_CONFIG = click.option(
    "--config", type=click.Path(), metavar="FILE", help=f"Settings with a table [gate] [{CONFIG}]."
)
_NODE = click.option("--node", metavar="NAME", help="This node's name in Slurm [SLURMD_NODENAME, host name].")


@gate.command()
@click.option("--dir", "folder", required=True, type=click.Path(), help="Where to; on the node's own disk.")
@click.option("--python", default="", metavar="PATH", help="The interpreter that the hooks name [this one].")
@click.option("--systemd", type=click.Path(), metavar="DIR", help="Also write a service and a timer there.")
@_CONFIG
def install(folder: str, python: str, systemd: str | None, config: str | None) -> int:
    """Write the hooks and print the lines for slurm.conf."""
    from lens_preflight.gate import cache
    from lens_preflight.gate.install import install as write
    from lens_preflight.gate.install import units

    path, _, settings = _settings(config)
    done = write(Path(folder), settings, python, path)
    for file in done.files:
        click.echo(f"wrote {file}")
    for name, text in units(done.folder, settings).items() if systemd else ():
        cache.write(Path(systemd or "") / name, text)
        click.echo(f"wrote {systemd}/{name}")
    click.echo("\nAdd to slurm.conf, then: scontrol reconfigure\n")
    for line in done.lines:
        click.echo(f"    {line}")
    if systemd:
        click.echo("\nStart the timer:  systemctl enable --now lens-preflight.timer")
    for caution in done.cautions:
        click.echo(f"\ncaution: {caution}", err=True)
    click.echo("\nThen:  lens-preflight gate doctor --dir " + str(done.folder))
    return 0


@gate.command()
@_CONFIG
@_NODE
@click.option("--spread", is_flag=True, help="First wait for this node's own part of gate.ttl.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def refresh(config: str | None, node: str | None, spread: bool, quiet: bool) -> int:
    """Probe the site's endpoint from this node and leave the verdict for the hooks.

    The exit code is 0 whatever the verdict is, and 3 when it could not be left.
    """
    import time

    from lens_preflight.gate import site, syslog
    from lens_preflight.gate.cache import Untrusted
    from lens_preflight.gate.refresh import phase
    from lens_preflight.gate.refresh import refresh as run

    _, settings, own = _settings(config)
    name = _node(node)
    if own.off:
        click.echo(f"switched off: {own.off}")
        return 0
    if spread:
        time.sleep(phase(name, own.ttl))
    try:
        judgement = run(own, name, lambda deadline: site.run(settings, own, name, deadline))
    except (OSError, Untrusted) as error:
        why = f"the verdict cannot be written: {error}"
        line = syslog.message("err", why, event="refresh", node=name, verdict="unknown", tool_ok=0)
        syslog.send(own.syslog, line)
        click.echo(f"lens-preflight: {why}", err=True)
        return 3
    if not quiet:
        said = f"{judgement.word.value}: {judgement.text}" if judgement else "another refresh is under way"
        click.echo(f"{name}: {said}")
    return 0


@gate.command()
@_CONFIG
@_NODE
@click.option("--dir", "folder", type=click.Path(), help="The folder of the hooks [as slurm.conf names it].")
@click.option("--show-config", type=click.Path(), metavar="FILE", help="Saved `scontrol show config`.")
def doctor(config: str | None, node: str | None, folder: str | None, show_config: str | None) -> int:
    """Name what can drain nodes or hold jobs here: 1 when something can, else 0."""
    from lens_preflight.gate.doctor import examine

    _, _, own = _settings(config)
    advice = examine(own, _node(node), folder, show_config)
    for one in advice:
        click.echo(str(one))
    if not advice:
        click.echo("nothing found that can drain a node or hold a job")
    return int(any(one.level == "danger" for one in advice))


@gate.command(hidden=True)
@_CONFIG
@_NODE
def quarantine(config: str | None, node: str | None) -> int:
    """Take this node out of service after its job, if everything speaks for it; started by a hook."""
    from lens_preflight.gate.quarantine import quarantine as run
    from lens_preflight.gate.slurm import Slurm

    _, _, own = _settings(config)
    job = os.environ.get("SLURM_JOB_ID", "")
    click.echo(run(own, _node(node), job if job.isdigit() else "", Slurm(own.slurm_bin)))
    return 0


@gate.command(hidden=True)
@click.option("--early", is_flag=True, help="The batch script has not run yet.")
def task(early: bool) -> int:
    """Judge the environment of this task; started by TaskProlog, prints what Slurm reads."""
    from lens_preflight.gate.task import SAID, judge, lines

    environ = dict(os.environ)
    for line in lines(judge(environ, early=early), environ.get(SAID, "")):
        click.echo(line)
    return 0


def _settings(config: str | None) -> tuple[str, Settings, GateSettings]:
    """The path of the settings file, the settings, and the gate's part of them."""
    from lens_preflight.gate.options import gate_settings
    from lens_preflight.settings import load

    path = config or (CONFIG if Path(CONFIG).exists() else "")
    settings = load(Path(path) if path else None)
    return path, settings, gate_settings(settings)


def _node(named: str | None) -> str:
    """A name that is safe as a file name; Slurm's own name for this node when it gives one."""
    import re
    import socket

    name = named or os.environ.get("SLURMD_NODENAME") or socket.gethostname()
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,254}", name):
        raise click.UsageError(f"--node {name[:60]!r}: not the name of a node")
    return name
