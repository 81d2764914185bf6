"""The scripts that Slurm starts, as POSIX sh: they read, they never probe, and they end with 0.

Seen with Slurm 22.05: a Prolog or Epilog that ends with anything else drains its node, as does one
that is missing, not executable, or whose interpreter is gone. dash, bash and busybox sh know all
that is used here (``test -O`` is the one thing beyond POSIX).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from lens_preflight import __version__
from lens_preflight.gate import cache, textfile
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
        "socket": "" if settings.syslog in ("", "/dev/log") else f"-u {shlex.quote(settings.syslog)} ",
        **more,
    }
    for word, value in values.items():
        template = template.replace(f"@{word}@", value)
    return template


_HEAD = """\
#!/bin/sh
# Written by lens-preflight @version@ (gate install); change the settings and install again.
trap 'trap - 0; exit 0' 0 1 2 3 13 15
[ ! -e @switch@ ] || exit 0
PATH=@path@
LC_ALL=C
unset IFS
python=@python@
"""

_NODE = """\
node=${SLURMD_NODENAME-}
case $node in '' | .* | *[!A-Za-z0-9._-]*) node=unnamed ;; esac
"""

_JOB_HOOK = (
    _HEAD
    + """\
# Slurm's @hook@: one line is read, nothing is probed, the node is never drained by this exit code.
case " ${SLURM_JOB_COMMENT-} " in *[\\ ,\\;]lens:skip[\\ ,\\;]*) exit 0 ;; esac
"""
    + _NODE
    + """\
folder=@folder@
file=$folder/@verdict@
word=none text='no verdict can be used'
if [ ! -L "$folder" ] && [ -O "$folder" ] && [ ! -L "$file" ] && [ -f "$file" ] && [ -O "$file" ]; then
    boot= expiry= now= up= found= said=
    read -r boot expiry found said <"$file"
    read -r now </proc/sys/kernel/random/boot_id
    read -r up rest </proc/uptime
    up=${up%%.*}
    case $up@$expiry in
    *@ | @* | *[!0-9@]* | *@?????????????*) text='the verdict cannot be read' ;;
    *)
        if [ "$boot" = "$now" ] && [ "$up" -lt "$expiry" ] && [ "$expiry" -le $((up + @longest@)) ]; then
            word=$found text=$said
        else
            text='the verdict is stale'
        fi
        ;;
    esac
fi
case $word in pass | warn) exit 0 ;; esac

# From here on something is wrong. What follows runs apart from the job and holds nothing of it.
job=${SLURM_JOB_ID-}
case $job in '' | *[!0-9]*) job='?' ;; esac
case $word in
quarantine)
    apart=
    command -v setsid >/dev/null && apart=setsid
    [ -x "$python" ] &&
        $apart "$python" -I -m lens_preflight gate quarantine --config @config@ </dev/null >/dev/null 2>&1 &
    ;;
esac
command -v logger >/dev/null &&
    logger @socket@-t lens-preflight -p daemon.warning -- \\
        "event=@hook@ job=$job node=$node verdict=$word text=$text" </dev/null >/dev/null 2>&1 &
exit 0
"""
)


def _job_hook(names: Names, hook: str) -> str:
    return _filled(_JOB_HOOK, names, hook=hook, verdict=cache.NAME)


_TASK_PROLOG = (
    _HEAD
    + """\
# Slurm's TaskProlog, as the user, for every task; Slurm reads what it prints.
nl='
'
job=${SLURM_JOB_ID-}
case $job in '' | *[!0-9]*) exit 0 ;; esac

# The run id: only if nobody has set one; the same on all ranks and after a requeue. One that this
# script gave to another job, which then submitted this one, counts as not set.
cluster=${SLURM_CLUSTER_NAME-}
case $cluster in *[!A-Za-z0-9._-]*) cluster= ;; esac
ours=${cluster:+$cluster-}$job
mine=${LENS_PREFLIGHT_RUN_ID-}
given="@run_ids@"
[ -n "$mine" ] && [ "$given" = "$mine" ] && given=
case $given in
*[![:space:]]*) ;;
*)
    NEMO_LENS_RUN_ID=$ours
    export NEMO_LENS_RUN_ID
    echo "export NEMO_LENS_RUN_ID=$ours"
    echo "export LENS_PREFLIGHT_RUN_ID=$ours"
    ;;
esac

# The attempt, as a resource attribute. Slurm takes quotes away and ends at a line feed: then not.
attempt=${SLURM_RESTART_COUNT:-0}
case $attempt in *[!0-9]*) attempt=0 ;; esac
old=${OTEL_RESOURCE_ATTRIBUTES-}
case ,$old, in
*,@attempt@=$attempt,* | *[\\"\\'\\\\]* | *"$nl"*) ;;
*)
    case ,$old in
    *,@attempt@=*)
        rest=${old#*@attempt@=}
        case $rest in *,*) rest=${rest#*,} ;; *) rest= ;; esac
        old=${old%%@attempt@=*}$rest
        ;;
    esac
    old=${old%,}
    if [ ${#old} -lt 2000 ]; then
        OTEL_RESOURCE_ATTRIBUTES=${old:+$old,}@attempt@=$attempt
        export OTEL_RESOURCE_ATTRIBUTES
        echo "export OTEL_RESOURCE_ATTRIBUTES=$OTEL_RESOURCE_ATTRIBUTES"
    fi
    ;;
esac

# One task of the step judges the environment, if it speaks of telemetry at all, under its own alarm.
[ "${SLURM_NODEID-}" = 0 ] && [ "${SLURM_LOCALID-}" = 0 ] || exit 0
[ -n "@speaks@" ] || exit 0
[ -x "$python" ] && command -v timeout >/dev/null && command -v head >/dev/null || exit 0
early=
[ -n "${SLURM_STEP_ID-}" ] || early=--early
said=$(timeout -k 1 4 "$python" -I -m lens_preflight gate task $early </dev/null 2>/dev/null | head -c 4000)
lines=0
while read -r line; do
    case $line in
    'print lens-preflight: '*)
        lines=$((lines + 1))
        [ $lines -gt 3 ] || echo "$line"
        ;;
    'export LENS_PREFLIGHT_SAID='*) echo "$line" ;;
    esac
done <<END
$said
END
exit 0
"""
)


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
        _TASK_PROLOG,
        names,
        run_ids="".join(f"${{{name}-}}" for name in run_id_variables()),
        speaks="".join(f"${{{name}-}}" for name in telemetry_variables()),
        attempt=ATTEMPT,
    )


_REFRESH = (
    _HEAD
    + """\
# Started by a timer, never by a job: probes, and leaves a verdict for the hooks.
node=${SLURMD_NODENAME:-$(uname -n)}
case $node in '' | .* | *[!A-Za-z0-9._-]*) node=unnamed ;; esac
folder=@folder@
textfiles=@textfiles@
alarm=
command -v timeout >/dev/null && alarm='timeout -k 5 @limit@'
code=0
if [ -x "$python" ]; then
    $alarm "$python" -I -m lens_preflight gate refresh --config @config@ --node "$node" "$@" \\
        </dev/null >/dev/null 2>&1 || code=$?
    why="the tool ended with $code"
else
    code=127 why="the interpreter $python is missing"
fi
set -C # a file that is already there, or a link to one, is never written through
put() {
    cat >"$1/.$2.$$" && mv -f "$1/.$2.$$" "$1/$2" || rm -f "$1/.$2.$$"
}
[ "$code" -ne 0 ] || exit 0

# The tool is broken: say so where its verdict would be.
umask 022
command -v logger >/dev/null && logger @socket@-t lens-preflight -p daemon.err -- \\
    "event=refresh node=$node verdict=unknown tool_ok=0 text=$why" </dev/null >/dev/null 2>&1
[ -d "$folder" ] || mkdir -p "$folder"
read -r boot </proc/sys/kernel/random/boot_id
read -r up rest </proc/uptime
if [ ! -L "$folder" ] && [ -O "$folder" ]; then
    put "$folder" @verdict@ <<END
$boot $((${up%%.*} + @longest@ - 1)) unknown $why
END
fi
if [ -n "$textfiles" ] && [ -d "$textfiles" ]; then
    put "$textfiles" @metrics_name@ <<END
@metrics@
END
fi
exit 0
"""
)


def _refresh(names: Names) -> str:
    metrics = textfile.broken("$(date +%s)").rstrip("\n")
    return _filled(_REFRESH, names, verdict=cache.NAME, metrics_name=textfile.NAME, metrics=metrics)


_HEALTH_CHECK = (
    _HEAD
    + """\
# Slurm's HealthCheckProgram, in place of a timer: starts the refresh and does not wait for it.
apart=
command -v setsid >/dev/null && apart=setsid
$apart @hooks@/refresh --spread </dev/null >/dev/null 2>&1 &
exit 0
"""
)


def _health_check(names: Names) -> str:
    return _filled(_HEALTH_CHECK, names)
