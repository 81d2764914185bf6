"""Job scripts in the process that runs them: a batch step, a plain shell, a job that the script submits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread
from lens_preflight.jobs import directives, slurm
from lens_preflight.jobs.directives import Submission
from lens_preflight.jobs.draft import Counts, Step, Where, resolve
from lens_preflight.jobs.model import Container, Directive
from lens_preflight.jobs.run import DEPTH, Frame, Run
from lens_preflight.jobs.srun import VALUED
from lens_preflight.jobs.start import Start
from lens_preflight.jobs.state import Bound
from lens_preflight.jobs.state import State as ShellState
from lens_preflight.jobs.text import Cause, Symbol, Text, literal, shown
from lens_preflight.jobs.trapping import finish
from lens_preflight.jobs.written import WHY, made

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def submission(text: str, path: str, start: Start) -> Submission:
    """Directives of the script, input variables, command line: what is in force."""
    found = directives.scan(text, path) if start.batch else []
    inputs = []
    for name, option in directives.INPUT.items():
        value = start.env.value(name)
        if value is not None and value.constant is not None:
            inputs.append(Directive(option, value.constant, Location.variable(name)))
    return directives.in_force(found, inputs if start.batch else [], start.options)


def run_batch(run: Run, path: str, text: str, start: Start, options: Submission, number: int = 0) -> Shell:
    """Interpret a script in the batch step of a job; ``number`` counts submitted jobs."""
    from lens_preflight.jobs.shell import Shell

    counts = slurm.counts_of(options)
    export = options.get("--export")
    env, where = slurm.export_at_submission(start.env, None if export is None else export.value,
                                            None if export is None else export.at)  # fmt: skip
    env = env.with_(slurm.batch_variables(options, counts, path, run.folder))
    cwd: str | None = run.folder
    chdir = options.value("--chdir")
    if chdir:
        cwd = os.path.normpath(os.path.join(run.folder, chdir))
    follows = options.value("--dependency") is not None
    where = replace(where, in_job=True, width=Spread.JOB, counts=counts, submission=number, follows=follows,
                    array=slurm.array_of(options), signal=directives.signal_of(options))  # fmt: skip
    image = options.get("--container-image")
    if image is not None:
        where = replace(where, container=_batch_container(options, image, run), pid1="")
        cwd = options.value("--container-workdir")
    arg0 = Text.of(Symbol("0", Cause.PLACE, reason="a copy of the script in the spool folder"))
    state = ShellState.of(env, cwd=cwd, args=start.args, arg0=arg0)
    shell = Shell(run, state, Frame(path), where)
    shell.script(run.tree(text))
    finish(shell)
    return shell


def _batch_container(options: Submission, image: Directive, run: Run) -> Container:
    mounts = []
    for item in (options.value("--container-mounts") or "").split(","):
        outside, _, rest = item.partition(":")
        if outside:
            mounts.append(
                (rest.partition(":")[0] or outside, os.path.normpath(os.path.join(run.folder, outside)))
            )
    run.images.append(image.value or "")
    run.mounts.update(dict(mounts))
    at = image.at
    return Container(
        "pyxis", image.value or "", at, tuple(mounts), options.value("--container-workdir"), True
    )


def run_plain(run: Run, path: str, text: str, start: Start) -> Shell:
    """Interpret a script in a plain shell, outside of any job, or in one that nobody speaks of."""
    from lens_preflight.jobs.shell import Shell

    env = start.env
    inside = env.variables.get("SLURM_JOB_ID", Bound(None)).value is not None
    if start.open and not inside:  # a shell outside of any job may still call sbatch
        names = slurm.batch_variables(Submission(()), Counts(), path, run.folder)
        env = env.with_({n: Bound(Text.of(Symbol(n, Cause.START, optional=True)))
                         for n in names if n not in env.variables})  # fmt: skip
    elif not env.rest.complete:
        env = env.with_({n: Bound(None) for n in ("SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_PROCID",
                                                  "SLURM_NTASKS", "SLURM_NNODES", "SLURM_LOCALID")
                         if n not in env.variables})  # fmt: skip
    place = Symbol("0", Cause.PLACE, hint=os.path.join(run.folder, os.path.basename(path)))
    state = ShellState.of(env, cwd=run.folder, args=start.args, arg0=Text.of(place))
    shell = Shell(run, state, Frame(path), Where())
    shell.script(run.tree(text))
    finish(shell)
    return shell


def nested(step: Step, shell: Shell) -> None:
    """``sbatch`` in a script."""
    run = shell.run
    plain = [w.constant for w in step.words]
    rest = directives.rest_of(plain[1:])
    given = tuple(Directive(o, v, step.at) for o, v in directives.options_of(plain[1:]))
    wrap = next((d.value for d in given if d.option == "--wrap"), None)
    text: str | None = None
    path = ""
    if wrap is not None:
        text, path = f"#!/bin/sh\n{wrap}\n", shell.frame.path
    elif rest:
        full = resolve(rest[0], step.cwd, step.where, run.extra_map) if "{" not in rest[0] else None
        full = full or step.words[len(step.words) - len(rest)].text.path
        if full is not None and os.path.basename(full) == os.path.basename(run.path):
            run.resubmits = True
            return
        written = made(run, step.words[len(step.words) - len(rest)].text, step.cwd, step.where)
        if written is not None and written.text is None and not written.gone:
            _not_known(step, shell, rest[0])
            return
        if written is not None and written.text is not None:
            step = replace(step, heredoc=written.text)
            text, path = run.spelled(written.text.text), shell.frame.path
        elif full:
            text, path = run.files.text(full), run.shown(full)
        if text is None and step.where.in_job:
            return
        if text is None:
            run.cannot_read(f"sbatch {rest[0]}", "the job script cannot be read from here", step.at)
    elif step.heredoc is not None and _is_loose(step.heredoc.text):
        _not_known(step, shell, shown(step.heredoc.text))
        return
    elif step.heredoc is not None:
        text, path = run.spelled(step.heredoc.text), shell.frame.path
    if text is None or shell.depth > DEPTH or len(step.where.chain) > 3:
        return
    words = step.words[len(step.words) - len(rest) + 1 :] if rest else ()
    start = Start(True, step.env, tuple(w.text for w in words), given)
    options = submission(text, path, start)
    inner = replace(run, folder=step.cwd or run.folder)
    if wrap is not None or step.heredoc is not None:
        line = step.at.line or 1
        _run_inline(inner, shell, text, start, options, line, step)
    else:
        done = run_batch(inner, path, text, start, options, run.tick())
        assert done is not None
    run.order, run.steps = inner.order, inner.steps


def _is_loose(text: Text) -> bool:
    """True when nothing of a text is known."""
    return bool(text.symbols) and not any(isinstance(p, str) and p.strip() for p in text.pieces)


def _not_known(step: Step, shell: Shell, name: str) -> None:
    """A job script that this one wrote, one cannot say how."""
    from lens_preflight.jobs.programs import launch

    shell.run.cannot_read(f"sbatch {name}", WHY, step.at)
    launch(step, shell, None, None, (), opaque=f"{name} is not known: {WHY}")


def _run_inline(
    run: Run, shell: Shell, text: str, start: Start, options: Submission, line: int, step: Step
) -> None:
    from lens_preflight.jobs.shell import Shell as Process

    counts = slurm.counts_of(options)
    export = options.get("--export")
    env, where = slurm.export_at_submission(step.env, None if export is None else export.value, step.at)
    env = env.with_(slurm.batch_variables(options, counts, run.path, run.folder))
    follows = options.value("--dependency") is not None
    where = replace(where, in_job=True, counts=counts, chain=(*step.where.chain, "sbatch"),
                    submission=run.tick(), follows=follows, array=slurm.array_of(options),
                    signal=directives.signal_of(options))  # fmt: skip
    state = ShellState.of(env, cwd=run.folder, args=start.args, arg0=literal("sbatch"))
    body = step.heredoc
    frame = (
        Frame(shell.frame.path, offset=shell.frame.offset + body.line - 1, outer=shell.frame.outer)
        if body is not None and shell.frame.fixed is None
        else Frame(shell.frame.path, fixed=line, outer=shell.frame.outer)
    )
    process = Process(run, state, frame, where, shell.depth + 1)
    process.script(run.tree(text))
    finish(process)


def allocated(step: Step, shell: Shell) -> None:
    """``salloc options command``."""
    from lens_preflight.jobs.chain import follow
    from lens_preflight.jobs.options import split

    options = split(step.words[1:], VALUED)
    given = tuple(
        Directive(directives.LONG.get(o.name, o.name), None if o.value is None else o.value.constant, step.at)
        for o in options.given
    )
    inside = Submission(given)
    counts = slurm.counts_of(inside)
    env = step.env.with_(slurm.batch_variables(inside, counts, shell.run.path, shell.run.folder))
    env = env.with_({n: Bound(None) for n in ("SLURM_PROCID", "SLURM_LOCALID")})
    where = replace(step.where.link("salloc"), in_job=True, counts=counts)
    if options.rest:
        follow(step.next(options.rest, env=env, where=where), shell)
