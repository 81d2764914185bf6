"""``gate doctor``: what can drain nodes or hold jobs, from Slurm's configuration and the hooks on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import InputError
from lens_preflight.gate import cache, hooks, mounts, scriptfile
from lens_preflight.gate.options import GateSettings, Policy
from lens_preflight.gate.slurm import Slurm
from lens_preflight.gate.slurmconf import SlurmConfig, load

DRAINING = ("Prolog", "Epilog")
"""Hooks whose failure drains the node (seen with Slurm 22.05)."""

ENDING = ("TaskProlog", "TaskEpilog", "PrologSlurmctld", "EpilogSlurmctld", "HealthCheckProgram")


@dataclass(frozen=True)
class Advice:
    """One thing to know: ``level`` is danger (drains or holds), caution, or note."""

    level: str
    what: str
    why: str
    fix: str

    def __str__(self) -> str:
        return f"{self.level}: {self.what}: {self.why}; {self.fix}"


def examine(settings: GateSettings, node: str, folder: str | None, saved: str | None) -> list[Advice]:
    """All advice, dangers first.

    Raises:
        InputError: Slurm's configuration cannot be had.
    """
    if saved is not None or folder is None:
        config = load(saved, Slurm(settings.slurm_bin))
    else:
        try:
            config = load(None, Slurm(settings.slurm_bin))
        except InputError:  # the folder alone can be looked at
            config = SlurmConfig()
    found = [
        *(_limits(config) if config.values else ()),
        *(_refreshing(config, settings) if config.values else ()),
        *_hooks(config, folder),
        *_folder_of_verdict(settings, node),
        *_policy(settings),
    ]
    order = ("danger", "caution", "note")
    return sorted(dict.fromkeys(found), key=lambda a: order.index(a.level))


def _limits(config: SlurmConfig) -> Iterator[Advice]:
    hooked = [name for name in DRAINING if config.get(name)]
    if not hooked:
        return
    if "nohold_on_prolog_fail" in config.words("SchedulerParameters"):
        yield Advice(
            "danger",
            "SchedulerParameters",
            "with nohold_on_prolog_fail one job whose Prolog fails everywhere walks through the cluster "
            "and drains a node every two minutes",
            "remove nohold_on_prolog_fail from SchedulerParameters",
        )
    if config.seconds("PrologEpilogTimeout") is None:
        yield Advice(
            "danger",
            "PrologEpilogTimeout",
            "there is no time limit: a hook that hangs holds its job for ever",
            "set PrologEpilogTimeout=60",
        )
    flags = {flag.lower() for flag in config.words("PrologFlags")}
    if "alloc" in flags and config.get("Prolog"):
        yield Advice(
            "caution",
            "PrologFlags",
            "with Alloc every node of a job runs its Prolog at once: a failing one drains all of them",
            "keep every Prolog such that it ends with 0",
        )
    if config.get("PrologSlurmctld"):
        yield Advice(
            "caution",
            "PrologSlurmctld",
            "when it fails the job is requeued every two minutes for ever",
            "keep it such that it ends with 0",
        )


def _refreshing(config: SlurmConfig, settings: GateSettings) -> Iterator[Advice]:
    program = config.get("HealthCheckProgram")
    interval = config.seconds("HealthCheckInterval")
    if program.endswith("/health-check") and not interval:
        yield Advice(
            "caution",
            "HealthCheckInterval",
            "it is 0: the health check never runs and every verdict is stale",
            f"set HealthCheckInterval={int(settings.ttl)}",
        )
    timer = Path("/etc/systemd/system/lens-preflight.timer")
    if not program.endswith("/health-check") and not timer.exists():
        yield Advice(
            "caution",
            "refresh",
            "neither a timer nor HealthCheckProgram refreshes the verdict",
            "type lens-preflight gate install --dir D --systemd /etc/systemd/system",
        )


def _hooks(config: SlurmConfig, folder: str | None) -> Iterator[Advice]:
    """Every script that Slurm would start, and with ``folder`` the scripts there."""
    for name in (*DRAINING, *ENDING):
        level = "danger" if name in DRAINING else "caution"
        for pattern in config.words(name):
            yield from _pattern(name, pattern, level)
    if folder is None:
        return
    written = {"prolog": "danger", "epilog": "danger", "task-prolog": "caution", "refresh": "caution"}
    for file, level in written.items():
        yield from _script(f"{folder}/{file}", Path(folder, file), level)


def _pattern(name: str, pattern: str, level: str) -> Iterator[Advice]:
    if not any(letter in pattern for letter in "*?["):
        yield from _script(name, Path(pattern), level)
        return
    folder = Path(pattern).parent
    found = sorted(folder.glob(Path(pattern).name)) if os.path.isdir(folder) else []
    if not found:
        yield Advice(level, name, f"nothing matches {pattern}, which counts as a failure", "correct the path")
    for path in found:
        yield from _script(name, path, level)
        if scriptfile.left_over(path):
            yield Advice(
                level,
                name,
                f"{path} looks like no hook, and Slurm runs every file that matches {pattern}",
                f"type rm {path}, or move it away",
            )


def _script(name: str, path: Path, level: str) -> Iterator[Advice]:
    """What keeps one script from running, or lets others change it."""
    effect = "drains every node that gets a job" if level == "danger" else "fails"
    for trouble in scriptfile.troubles(path):
        yield Advice(level, name, f"{trouble.what}, which {effect}", trouble.fix)
    if not os.path.exists(path):
        return
    open_to = scriptfile.writable_by_others(path)
    if open_to:
        yield Advice("danger", name, open_to, f"type chown root:root {path} && chmod 0755 {path}")
    kind = mounts.network_mount(path)
    if kind:
        yield Advice(
            "caution",
            name,
            f"{path} lies on a network file system ({kind}): unmounted, it {effect}",
            "type lens-preflight gate install --dir D with a D on the node's own disk",
        )
    if hooks.MARK in scriptfile.head(path):
        yield from _own(name, path)


def _own(name: str, path: Path) -> Iterator[Advice]:
    python = scriptfile.assigned(path, "python")
    if python and not scriptfile.can_run(python):
        yield Advice(
            "caution",
            name,
            f"the interpreter {python} that {path} names is missing: no verdict is made, no node drained",
            "type lens-preflight gate install --dir D --python PATH",
        )
    from lens_preflight import __version__

    if f"lens-preflight {__version__} " not in scriptfile.head(path):
        yield Advice(
            "note",
            name,
            f"{path} was written by another version",
            f"type lens-preflight gate install --dir {path.parent}",
        )


def _folder_of_verdict(settings: GateSettings, node: str) -> Iterator[Advice]:
    folder = settings.folder(node)
    try:
        distrust = cache.complaint(folder)
    except OSError:
        yield Advice(
            "caution", str(folder), "no refresh has left a verdict here", "type lens-preflight gate refresh"
        )
        return
    if distrust:
        yield Advice("danger", str(folder), "somebody else could plant a verdict", distrust)
        return
    if mounts.kind(folder) not in mounts.MEMORY:
        yield Advice(
            "note", str(folder), "it is not in memory, so that hooks wait for a disk", "set gate.run_dir"
        )
    found, why = cache.read(folder)
    if found is None or not cache.fresh(found, settings.lifetime):
        yield Advice(
            "caution",
            str(folder / cache.NAME),
            why or "the verdict is stale",
            "type lens-preflight gate refresh, and look at the timer",
        )


def _policy(settings: GateSettings) -> Iterator[Advice]:
    if settings.off:
        yield Advice("note", "gate", f"it is switched off: {settings.off}", f"type rm {settings.switch}")
    if settings.policy is Policy.QUARANTINE and not settings.fleet:
        yield Advice(
            "caution",
            "gate.fleet",
            "policy quarantine drains nothing without a view of the fleet",
            "set gate.fleet to a folder that all nodes share",
        )
    if settings.policy is Policy.QUARANTINE and not (settings.control_address and settings.control_name):
        yield Advice(
            "caution",
            "gate.control_address, gate.control_name",
            "without both, a fault of this host's network cannot be proven",
            "set them to an address and a name that every healthy node reaches",
        )
