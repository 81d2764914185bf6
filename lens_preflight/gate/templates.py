"""The text of the scripts, as POSIX sh; ``@word@`` stands for what ``hooks`` fills in.

dash, bash and busybox sh know all that is used here (``test -O`` is the one thing beyond POSIX). Seen
with Slurm 22.05: hooks get no PATH and no HOME, their standard input is empty, and Slurm waits until
nobody holds their output any more.
"""

from __future__ import annotations

HEAD = """\
#!/bin/sh
# Written by lens-preflight @version@ (gate install); change the settings and install again.
trap 'trap - 0; exit 0' 0 1 2 3 13 15
[ ! -e @switch@ ] || exit 0
PATH=@path@
LC_ALL=C
unset IFS
python=@python@
"""

NODE = """\
node=${SLURMD_NODENAME-}
case $node in '' | .* | *[!A-Za-z0-9._-]*) node=unnamed ;; esac
"""

JOB_HOOK = (
    HEAD
    + """\
# Slurm's @hook@: one line is read, nothing is probed, the node is never drained by this exit code.
case " ${SLURM_JOB_COMMENT-} " in *[\\ ,\\;]lens:skip[\\ ,\\;]*) exit 0 ;; esac
"""
    + NODE
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

# From here on something is wrong. Slurm kills what a hook leaves in its process group, so that the log
# gets its line first, with a second for it, and what takes longer gets a session of its own.
job=${SLURM_JOB_ID-}
case $job in '' | *[!0-9]*) job='?' ;; esac
alarm=
command -v timeout >/dev/null && alarm='timeout -k 1 1'
[ -n "@logs@" ] && [ -n "$alarm" ] && command -v logger >/dev/null &&
    $alarm logger @socket@-t lens-preflight -p daemon.warning -- \\
        "event=@hook@ job=$job node=$node verdict=$word text=$text" </dev/null >/dev/null 2>&1
[ "$word" = quarantine ] && [ -x "$python" ] && command -v setsid >/dev/null &&
    setsid sh -c '"$@" &' sh "$python" -I -m lens_preflight gate quarantine --config @config@ \\
        </dev/null >/dev/null 2>&1
exit 0
"""
)

TASK_PROLOG = (
    HEAD
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

REFRESH = (
    HEAD
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
[ -n "@logs@" ] && command -v logger >/dev/null && logger @socket@-t lens-preflight -p daemon.err -- \\
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

HEALTH_CHECK = (
    HEAD
    + """\
# Slurm's HealthCheckProgram, in place of a timer: starts the refresh and does not wait for it.
command -v setsid >/dev/null &&
    setsid sh -c '"$@" &' sh @hooks@/refresh --spread </dev/null >/dev/null 2>&1
exit 0
"""
)
