"""Does what the job script sets reach the processes that it starts?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import propagation_rules as rules
from lens_preflight.checks.propagation_endpoints import endpoints, related
from lens_preflight.checks.propagation_words import BY_LOSS, BY_SLIP, LEAVES, TYPE
from lens_preflight.core.check import Said, check
from lens_preflight.core.errors import Undecided
from lens_preflight.core.finding import Finding, Location, Proof
from lens_preflight.core.words import Need, Scope, State

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.core.variable import Variable
    from lens_preflight.jobs.model import JobLaunch, JobModel, Lost, Remark

PREFIXES = ("NEMO_LENS_", "MEGATRON_OTEL_", "NEMO_RL_OTEL_", "NEMO_GYM_OTEL_", "OTEL_")
SHOWN = 24


@check(
    "propagation",
    "What the job sets reaches the processes that it starts",
    scope=Scope.RUN,
    needs=(Need.JOB,),
    rules=rules.RULES,
)
def propagation(ctx: Context) -> Iterator[Said]:
    """The environment of the ranks is written in the job script, and much of it gets lost on the way:
    an assignment without `export`, a line below `srun`, a pipe, `--export=NONE`, a container, `sudo`,
    mpirun without `-x`, DeepSpeed over pdsh. Nothing complains: telemetry is off, or goes to the
    default endpoint, or every process makes up its own run id.

    The script is read, not run: branches, loops, functions, sourced files, here-documents and inner
    shells are followed to each launch, and each telemetry variable that somebody sets is looked for in
    the environment of the process (rules measured with real bash and Slurm 22.05).

    Fails: a telemetry variable that is set and does not arrive, with the link that drops it; one that
    arrives empty; task numbers expanded before the tasks start; localhost where it cannot be right.
    Warns: values that an image or an unreadable file may change, localhost on several nodes, a proxy
    in the way, secrets in clear text, directives that Slurm does not read. Notes: values that a branch
    or the submitter decides, a program inside an image. What the script does not set depends on who
    submits, and is never filled in from here.
    """
    jobs = ctx.subject.jobs
    for job in jobs:
        yield from once(_job(job, ctx.topology))
    for job in jobs:
        if not job.launches or job.unread:
            raise Undecided(*_unread(job))
    count = sum(len(job.launches) for job in jobs)
    names = sorted({v.name for j in jobs for one in j.launches for v in one.env if _telemetry(v)})
    yield Proof(f"read to {count} launch{'es' * (count != 1)}; set for them: {', '.join(names) or 'nothing'}")


def once(said: Iterator[Finding]) -> Iterator[Finding]:
    """Each finding once, whatever number of launches it concerns."""
    seen = set()
    for finding in said:
        key = (finding.rule.id, finding.at, finding.message.partition(" at ")[0])
        if key not in seen:
            seen.add(key)
            yield finding


def _unread(job: JobModel) -> tuple[str, Location | None]:
    at = job.unread_at or Location.file(job.path)
    if job.unread:
        type_ = f"; type {job.remedy}" if job.remedy else ""
        return f"{job.path} is not understood: {job.unread}{type_}", at
    return f"{job.path} starts no program that can be followed; name the training script as well", at


def _telemetry(variable: Variable) -> bool:
    return variable.name.startswith(PREFIXES) and variable.state is not State.UNSET


def _job(job: JobModel, topology: str | None) -> Iterator[Finding]:
    if job.refused:
        what, _, type_ = job.refused.partition(": ")
        yield Finding(rules.REFUSED, what, Location.file(job.path, 1), remedy=type_)
    for directive in job.inert:
        message = f"{directive.option} is not read: it stands below the first command"
        yield Finding(rules.INERT, message, directive.at, remedy="move the line above the first command")
    for secret in job.secrets:
        message = f"{secret.name} holds a secret in clear text"
        yield Finding(
            rules.SECRET,
            message,
            secret.at.setting(secret.name),
            remedy=f'export {secret.name}="...$TOKEN" with TOKEN from the submitter',
        )
    for launch in job.launches:
        yield from _launch(job, launch, topology)
    for remark in job.remarks:
        yield from _remark(remark)
    yield from _opaque(job)


def _remark(remark: Remark) -> Iterator[Finding]:
    rule = BY_SLIP.get(remark.slip.value)
    if rule is None:
        return
    name = remark.name
    if rule is rules.EMPTY and (remark.meant or not name.startswith(PREFIXES)):
        rule = rules.EMPTY_RANK
    words = {
        "word-split-value": (f"{name} ends at the blank: {remark.detail}", f'export {name}="..." in quotes'),
        "empty-value": (f"{name} is empty, or lacks a part: {remark.detail}",
                        f"set what {name} is made of, and export it, above this line"),
        "quote-no-expand": (f"{name} keeps its $ as it stands", f'export {name}="..." in double quotes'),
        "early-expansion": (f"{name} is the batch step's, 0, in every task", f"\\${name}, or single quotes"),
        "slurm-var-outside-job": (f"{name} lacks a part: {remark.detail}", f"sbatch the script, or export {name}=my-run"),
        "env-file-quotes-kept": (f"{name} has quotes in its value: {remark.detail}",
                                 f"remove the quotes around {name} in the file"),
        "unquoted-metacharacter": (f"{name} ends at an unquoted character", f"export {name}='...'"),
    }  # fmt: skip
    message, remedy = words[remark.slip.value]
    beside = related("it stands here", remark.inner, remark.at)
    yield Finding(rule, message, remark.at.setting(name), beside, remedy=remedy)


def _tidied(launch: JobLaunch, lost: Lost) -> bool:
    """True when what is unset again is a name that no generation of Lens reads anyway."""
    from lens_preflight.lens.generations import GENERATIONS
    from lens_preflight.lens.variables import Catalogue

    read = (lost.name in Catalogue(launch.framework, g).read for g in GENERATIONS)
    return lost.loss.value == "unset" and not any(read)


def _launch(job: JobModel, launch: JobLaunch, topology: str | None) -> Iterator[Finding]:
    for lost in launch.lost:
        if not _tidied(launch, lost):
            yield from _lost(job, launch, lost)
    yield from _unsure(launch)
    yield from endpoints(job, launch, topology)
    known = None not in (launch.agents, launch.agent_nodes) and launch.replicas == 1
    part = launch.background and (launch.agents or 0) < (launch.agent_nodes or 0)
    if known and not part and launch.agents != launch.agent_nodes:
        message = (
            f"{launch.agents} tasks start as many agents, and the launcher waits for {launch.agent_nodes}"
        )
        yield Finding(rules.AGENTS, message, launch.at, remedy="srun --ntasks-per-node=1 ...")
    for secret in launch.secrets:
        message = f"{secret.name} is on the command line, where every user of the node reads it"
        at = secret.at.setting(secret.name)
        yield Finding(rules.SECRET_ARGUMENT, message, at, remedy="pass it in the environment")
    if launch.opaque_program:
        remedy = "lens-preflight check train.py with the training script"
        yield Finding(rules.PROGRAM_OPAQUE, launch.opaque_program, launch.at, remedy=remedy)
    elif launch.in_image:
        message = f"{launch.program} is inside the image: its checks need the file"
        inside = (launch.program or "").rpartition("/")[0] or launch.workdir or "/workspace"
        remedy = f"lens-preflight check --map {inside}=DIR {job.path}, or lens-preflight check {launch.program} in the image"
        yield Finding(rules.IN_IMAGE, message, launch.at, remedy=remedy)


def _lost(job: JobModel, launch: JobLaunch, lost: Lost) -> Iterator[Finding]:
    kind, name = lost.loss.value, lost.name
    rule = BY_LOSS.get(kind)
    if rule is None or not _matters(launch, name) or "ray start" in launch.chain:
        return
    if kind in ("exported-after-launch", "unset") and _reaches_another(job, launch, name):
        return
    at = launch.at if rule is rules.CONTAINER else lost.at
    where = str(launch.at)
    if rule is rules.EXPORT_NONE:
        message = "--export=NONE: srun drops everything that the script exports"
        remedy = "srun --export=ALL ..., or unset SLURM_EXPORT_ENV above it"
        yield Finding(rule, message, at, related("one that is lost", lost.set_at, at), remedy=remedy)
        return
    message = LEAVES[kind].format(name=name, launch=where)
    remedy = TYPE[kind].format(name=name, launch=where)
    beside = related("it is set here", lost.set_at, at) + related("it is dropped here", lost.at, at)
    yield Finding(rule, message, at.setting(name), beside, remedy=remedy)


def _matters(launch: JobLaunch, name: str) -> bool:
    """True for telemetry variables, and for the task number where nothing else gives a rank."""
    if name.startswith(PREFIXES):
        return True
    alone = launch.chain[-1:] == ("python",) and (launch.world_size or 2) > 1
    return (
        name == "SLURM_PROCID"
        and alone
        and launch.env["RANK"].state is State.UNSET
        and "srun" in launch.chain
    )


def _reaches_another(job: JobModel, launch: JobLaunch, name: str) -> bool:
    return any(
        o is not launch and not o.env.unlisted(name) and o.env[name].state is not State.UNSET
        for o in job.launches
    )


def _unsure(launch: JobLaunch) -> Iterator[Finding]:
    """Variables that arrive, and whose text a branch, an image or the submitter decides."""
    for variable in launch.env:
        text = launch.written.get(variable.name)
        if text is None or not variable.name.startswith(PREFIXES):
            continue
        causes = {s.cause.name for s in text.symbols}
        if "IMAGE" in causes:
            message = f"{variable.name} may be the image's: it is not listed in --container-env"
            remedy = f"srun --container-env={variable.name},... "
            yield Finding(
                rules.IMAGE,
                message,
                launch.at,
                related("it is set here", variable.location, launch.at),
                remedy=remedy.strip(),
            )
        elif "BRANCH" in causes and variable.state is State.UNKNOWN:
            shown = text.template.strip("{}")[:80]
            message = f"{variable.name} depends on a branch: {shown.replace('|', ', or ')}"
            yield Finding(
                rules.BRANCH,
                message,
                variable.location,
                remedy=f"lens-preflight env {launch.at.what} shows each launch",
            )
        elif any(s.assumed for s in text.symbols):
            message = f"{variable.name} holds {variable.reason or 'what the submitter exports'}"
            yield Finding(
                rules.SUBMITTER,
                message,
                variable.location,
                remedy=f"--set {variable.name}=... judges another value",
            )


def _opaque(job: JobModel) -> Iterator[Finding]:
    """Places that may set anything, as far as telemetry is concerned."""
    touched = False
    for launch in job.launches:
        for variable in launch.env:
            text = launch.written.get(variable.name)
            symbols = text.symbols if text is not None else ()
            if variable.name.startswith(PREFIXES) and any(s.cause.name == "OPAQUE" for s in symbols):
                touched = True
                yield _opaque_finding(job, launch, variable)
    open_ended = [o for o in job.launches if not o.env.complete and o.env.opaque_at is not None]
    if open_ended and not touched:
        one = open_ended[0].env
        assert one.opaque_at is not None
        message = f"more variables may be set: {one.opaque}"
        rule = rules.LEFT_OPEN if any(map(_switch, one)) else rules.OPAQUE
        yield Finding(rule, message, one.opaque_at, remedy="export the telemetry variables below that line")


def _switch(variable: Variable) -> bool:
    """True for a master switch with a text: whoever sets it in plain sight sets the rest as well."""
    known = variable.state is State.VALUE and variable.name.startswith(PREFIXES)
    return known and variable.name.endswith("_ENABLED")


def _opaque_finding(job: JobModel, launch: JobLaunch, variable: Variable) -> Finding:
    at = next((o.at for o in job.opaque), variable.location)
    message = f"{variable.name} may change: {variable.reason.partition(': ')[2] or variable.reason}"
    remedy = f"export {variable.name}=... below that line"
    return Finding(rules.OPAQUE, message, at, related("it is set here", variable.location, at), remedy=remedy)
