"""The rules of `propagation`: what may become of a variable between the job script and the process."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

_SEEN = "No process sees it, nothing complains, and telemetry stays off or goes elsewhere. "


def _rule(name: str, summary: str, severity: Severity, help: str, owner: Owner = Owner.JOB) -> Rule:
    return Rule(f"propagation/{name}", summary, severity, owner, help)


BLOCKER, CAUTION, NOTE = Severity.BLOCKER, Severity.CAUTION, Severity.NOTE

NOT_EXPORTED = _rule(
    "not-exported", "a telemetry variable is assigned and never exported", BLOCKER,
    _SEEN + "`A=1` on a line of its own sets a shell variable. Write `export A=1`, or wrap a sourced "
    "file of plain assignments in `set -a` ... `set +a`.",
)  # fmt: skip
SUBSHELL = _rule(
    "subshell", "a telemetry variable is exported in a subshell", BLOCKER,
    _SEEN + "Parentheses, the parts of a pipe, `&` and command substitution run in a process of their "
    "own: what they export ends with them. Use `{ ...; }`, or `while read ...; done < file`.",
)  # fmt: skip
METACHARACTER = _rule(
    "metacharacter", "an unquoted & or ; cuts the value and the export", BLOCKER,
    "`export A=http://h/?x=1&y=2` runs the export in a background process and then assigns `y`. Put the "
    "value in quotes.",
)  # fmt: skip
FUNCTION_LOCAL = _rule(
    "function-local", "a telemetry variable is exported for the length of a function only", BLOCKER,
    "`declare -x` and `local` in a function make the variable local to it; it is gone after the return. "
    "Write `export`, or `declare -gx`.",
)  # fmt: skip
PREFIX = _rule(
    "prefix", "a telemetry variable is set for another command only", BLOCKER,
    "`A=1 cd dir && srun ...` sets A for `cd` alone, and a comment behind a continued line ends the "
    "assignment. Export it, or put it directly in front of the launch.",
)  # fmt: skip
BAD_ASSIGNMENT = _rule(
    "bad-assignment", "an assignment that the shell does not take as one", BLOCKER,
    "No blanks may stand around `=`; an expansion that reads `NAME=value` runs a command of that name. "
    "The script goes on without the variable. Write `export A=1`, or `env \"${SETTINGS[@]}\" command`.",
)  # fmt: skip
ARRAY = _rule(
    "array", "a telemetry variable is an array", BLOCKER,
    "Arrays never enter the environment, exported or not. Export a plain text.",
)  # fmt: skip
WORD_SPLIT = _rule(
    "word-split", "the value of a telemetry variable ends at a blank", BLOCKER,
    "`export A=x y` exports A=x and takes `y` for a name. Quote the value.",
)  # fmt: skip
EMPTY = _rule(
    "empty", "a telemetry variable is made of something that is not set", BLOCKER,
    "The expansion is empty where it is evaluated: the variable is not exported to the inner shell, comes "
    "one line too late (`export A=1 B=$A` expands before it assigns), or only exists in arrays "
    "(`$SLURM_ARRAY_JOB_ID`). An empty text counts as not set for NeMo Lens.",
)  # fmt: skip
EMPTY_RANK = _rule(
    "empty-rank", "a variable is empty because what it is made of is not set", CAUTION,
    "`SLURM_NTASKS` only exists in the batch script with `-n` or `--ntasks-per-node`. Take it in the task "
    "(`bash -c '...$SLURM_NTASKS...'`), or say `--ntasks-per-node`.",
)  # fmt: skip
QUOTED = _rule(
    "quoted-dollar", "single quotes keep a $ in the value", CAUTION,
    "`export A='$USER'` keeps the five characters. Use double quotes.",
)  # fmt: skip
EARLY = _rule(
    "early-expansion", "a task number is put in before the tasks start", BLOCKER,
    "Double quotes let the batch shell expand `$SLURM_PROCID`, which is 0 there: every task gets rank 0 "
    "(measured). Use single quotes, or `\\$SLURM_PROCID`.",
)  # fmt: skip
AFTER_LAUNCH = _rule(
    "after-launch", "a telemetry variable is set below the launch", BLOCKER,
    _SEEN + "A process keeps the environment it was started with, in the background too; nothing below "
    "`exec` or `exit` runs. Move the line above the launch.",
)  # fmt: skip
UNSET_AGAIN = _rule(
    "unset-again", "a telemetry variable is set and unset again", CAUTION,
    "`unset`, `export -n` and `declare +x` take it out of the environment of everything below, `env -u` out of "
    "that of one command.",
)  # fmt: skip
EXPORT_NONE = _rule(
    "export-none", "--export=NONE also drops what the script exports", BLOCKER,
    "sbatch leaves `SLURM_EXPORT_ENV=NONE` behind, and srun obeys it: tasks get SLURM_* and nothing else, "
    "not even PATH (measured on 22.05). Write `srun --export=ALL ...`, or `unset SLURM_EXPORT_ENV`.",
)  # fmt: skip
EXPORT_LIST = _rule(
    "export-list", "an --export list without ALL drops the variables that it does not name", BLOCKER,
    "A list replaces the environment, for srun in the script as well. Write `--export=ALL,NAME=value`.",
)  # fmt: skip
INERT = _rule(
    "inert-directive", "a #SBATCH line below the first command is a comment", CAUTION,
    "Slurm reads directives up to the first line that is neither blank nor a comment. Move it up.",
)  # fmt: skip
REFUSED = _rule(
    "refused", "sbatch refuses the script", BLOCKER,
    "A script with DOS line ends, or without `#!` in its first line, is refused at submission.",
)  # fmt: skip
ABORTS = _rule(
    "aborts", "the script ends before it launches anything", BLOCKER,
    "Under `set -u`, and with `${A:?}`, an unset variable ends the script. Give it a value or a default.",
)  # fmt: skip
AGENTS = _rule(
    "agents", "the number of tasks is not the number of nodes that the launcher waits for", CAUTION,
    "Each task starts one agent of torchrun or accelerate, and `--nnodes` agents make one world. Give srun "
    "`--ntasks-per-node=1`.",
)  # fmt: skip
OUTSIDE_JOB = _rule(
    "outside-job", "a variable of Slurm is used where no job runs", BLOCKER,
    "On a login shell, behind ssh and in a container without it `$SLURM_JOB_ID` is empty: every run gets "
    "the same text. Submit the script with sbatch, or name the run otherwise.",
)  # fmt: skip
CONTAINER = _rule(
    "container", "a variable does not enter the container", BLOCKER,
    "`docker run` passes only what `-e` and `--env-file` name; Apptainer's `--cleanenv` drops all but "
    "APPTAINERENV_*. Add `-e NAME`, or `--env NAME=$NAME`.",
)  # fmt: skip
IMAGE = _rule(
    "image-environment", "the image's own value may win", CAUTION,
    "pyxis lets the environment of the image win over the job's, unless the name is listed: "
    "`--container-env=NAME,...` (pyxis 0.15 and later).",
)  # fmt: skip
ENV_FILE_QUOTES = _rule(
    "env-file-quotes", "an env file keeps its quotes", CAUTION,
    "docker and podman read `A=\"x\"` as x with its quotes. Remove them from the file.",
)  # fmt: skip
CLEARED = _rule(
    "cleared", "a wrapper clears the environment", BLOCKER,
    "`sudo`, `env -i`, `exec -c` and `su -` start with an empty environment. Use `sudo "
    "--preserve-env=NAME,...`, or set the variables behind the wrapper: `env -i NAME=value command`.",
)  # fmt: skip
LAUNCHER = _rule(
    "launcher", "the launcher does not hand a variable to other hosts", BLOCKER,
    "Open MPI sends what `-x NAME` names; DeepSpeed over pdsh sends NCCL, PYTHON, MV2, UCX and MLFLOW names "
    "and the lines of `.deepspeed_env`; ssh sends nothing. The ranks elsewhere run without telemetry.",
)  # fmt: skip
RAY_ORDER = _rule(
    "ray-order", "a variable is set after the Ray node that would hand it on", BLOCKER,
    "Actors inherit from `ray start` on their node, not from the driver. Export above `ray start`, or pass "
    "`runtime_env`.",
)  # fmt: skip
OPAQUE = _rule(
    "opaque", "something that cannot be read here may change telemetry variables", CAUTION,
    "A file that is not here, `eval` of a command's output or `module load` may set anything. Export the "
    "telemetry variables below that line: then it cannot matter.",
)  # fmt: skip
LEFT_OPEN = _rule(
    "left-to-others", "something that cannot be read here may set more variables", NOTE,
    "What the script exports below that line is certain; names that it does not set may come from there.",
)  # fmt: skip
SUBMITTER = _rule(
    "submitter", "a telemetry variable depends on who submits", NOTE,
    "The value of the script holds unless the shell that submits exports the name.",
)  # fmt: skip
PROGRAM_OPAQUE = _rule(
    "program-opaque", "the program cannot be found in the text", CAUTION,
    "A pickle, a script that is not here or a command made at run time: checks of the program say nothing "
    "about it. Check the training script itself as well: `lens-preflight check train.py`.",
)  # fmt: skip
IN_IMAGE = _rule(
    "program-in-image", "the program is inside the image", NOTE,
    "Nothing on this side holds it. Run the check in the container, or map the path: `--map /inside=here`.",
)  # fmt: skip
BRANCH = _rule(
    "branch", "a telemetry variable depends on a branch", NOTE,
    "The condition is known only when the job runs.",
)  # fmt: skip
LOCALHOST = _rule(
    "localhost", "the endpoint is localhost on several nodes", CAUTION,
    "Right when every node runs a collector; wrong when one of them does. A job that takes the endpoint out of "
    "the environment has localhost too, by default. Say which: `--topology node-agent` or `--topology gateway`.",
)  # fmt: skip
LOCALHOST_GATEWAY = _rule(
    "localhost-gateway", "the endpoint is localhost, and the collector is a gateway", BLOCKER,
    "Only the processes on the node of the collector would reach it.",
)  # fmt: skip
LOCALHOST_POD = _rule(
    "localhost-pod", "the endpoint is localhost in a pod", CAUTION,
    "localhost is the pod itself: right with a collector in the pod, wrong without. Use the service of the "
    "collector, or `$(HOST_IP)` for an agent on the node.",
)  # fmt: skip
LOCALHOST_CONTAINER = _rule(
    "localhost-container", "the endpoint is localhost in a container with its own network", BLOCKER,
    "On the default bridge network localhost is the container. Add `--network host`.",
)  # fmt: skip
PROXY = _rule(
    "proxy", "the exporter goes through the proxy", CAUTION,
    "A proxy that was exported for downloads takes the exporter's connections too, and rarely knows the "
    "collector. Add the host to `no_proxy`.",
)  # fmt: skip
SECRET = _rule(
    "secret", "a secret stands in the job file", CAUTION,
    "The file is copied to the controller, into logs and often into version control. Take it from the "
    "environment of the submitter or from a file.",
)  # fmt: skip
SECRET_ARGUMENT = _rule(
    "secret-argument", "a secret stands on a command line", CAUTION,
    "Every user of the node can read the arguments of a process. Pass it in the environment.",
)  # fmt: skip

RULES = tuple(value for value in list(globals().values()) if isinstance(value, Rule))
