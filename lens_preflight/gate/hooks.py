"""The scripts that Slurm starts, as POSIX sh: they read, they never probe, and they end with 0.

Seen with Slurm 22.05: a Prolog or Epilog that ends with anything else drains its node, as does one
that is missing, not executable, or whose interpreter is gone.
"""

from __future__ import annotations

import re
import shlex

from lens_preflight import __version__
from lens_preflight.core.data import dataclass
from lens_preflight.gate import cache, templates, textfile
from lens_preflight.gate.options import GateSettings
from lens_preflight.lens.frameworks import FRAMEWORKS

MARK = "lens-preflight"
ATTEMPT = "slurm.restart_count"
"""The resource attribute that tells the attempts of a requeued job apart."""

_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Names:
    """What the scripts have to know: the interpreter, the settings file, where they lie themselves."""

    python: str
    config: str
    folder: str
    settings: GateSettings


def scripts(names: Names) -> dict[str, str]:
    """All scripts by file name."""
    return {
        "prolog": _job_hook(names, "prolog"),
        "epilog": _job_hook(names, "epilog"),
        "task-prolog": _task_prolog(names),
        "refresh": _refresh(names),
        "health-check": _health_check(names),
    }


def _filled(template: str, names: Names, **more: str) -> str:
    """The template with every ``@word@`` replaced; values are quoted for sh."""
    settings = names.settings
    before, per_node, after = settings.run_dir.partition("%n")
    textfile_before, textfile_per_node, textfile_after = settings.textfile_dir.partition("%n")
    values = {
        "version": __version__,
        "path": shlex.quote(f"{_PATH}:{settings.slurm_bin}" if settings.slurm_bin else _PATH),
        "switch": shlex.quote(settings.switch),
        "folder": shlex.quote(before) + (f'"$node"{shlex.quote(after)}' if per_node else ""),
        "textfiles": shlex.quote(textfile_before)
        + (f'"$node"{shlex.quote(textfile_after)}' if textfile_per_node else ""),
        "python": shlex.quote(names.python),
        "config": shlex.quote(names.config),
        "hooks": shlex.quote(names.folder),
        "longest": str(int(settings.lifetime) + 1),
        "limit": str(int(settings.timeout + settings.ttl) + 30),
        "logs": "yes" if settings.syslog else "",
        "socket": "" if settings.syslog in ("", "/dev/log") else f"-u {shlex.quote(settings.syslog)} ",
        **more,
    }
    return re.sub(r"@([a-z_]+)@", lambda found: values.get(found[1], found[0]), template)


def _job_hook(names: Names, hook: str) -> str:
    return _filled(templates.JOB_HOOK, names, hook=hook, verdict=cache.NAME)


def run_id_variables() -> tuple[str, ...]:
    """All variables that some framework takes a run id from."""
    names = [name for f in FRAMEWORKS for name in f.run_id_names]
    return tuple(dict.fromkeys(names + [f.run_id_shared_by for f in FRAMEWORKS if f.run_id_shared_by]))


def telemetry_variables() -> tuple[str, ...]:
    """Variables of which one is set in every job that means to send telemetry."""
    switches = [f"{prefix}_ENABLED" for f in FRAMEWORKS for prefix in f.prefixes]
    return tuple(dict.fromkeys((*switches, "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_SAMPLER")))


def _task_prolog(names: Names) -> str:
    return _filled(
        templates.TASK_PROLOG,
        names,
        run_ids="".join(f"${{{name}-}}" for name in run_id_variables()),
        speaks="".join(f"${{{name}-}}" for name in telemetry_variables()),
        attempt=ATTEMPT,
    )


def _refresh(names: Names) -> str:
    metrics = textfile.broken("$(date +%s)").rstrip("\n")
    return _filled(templates.REFRESH, names, verdict=cache.NAME, metrics_name=textfile.NAME, metrics=metrics)


def _health_check(names: Names) -> str:
    return _filled(templates.HEALTH_CHECK, names)
