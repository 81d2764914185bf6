"""Ways that part and meet again: ``if``, ``&&``, pipes, and what the submitter would have to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs import assignments
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.redirection import feed, unread
from lens_preflight.jobs.run import Run
from lens_preflight.jobs.state import join_states
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import Text

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

PRESUMED = frozenset(
    [
        "cd",
        "pushd",
        "popd",
        "mkdir",
        "echo",
        "printf",
        "export",
        "source",
        ".",
        "touch",
        "rm",
        "cp",
        "mv",
        "ln",
        "chmod",
        "chown",
        "module",
        "ml",
        "conda",
        "mamba",
        "micromamba",
        "pip",
        "pip3",
        "uv",
        "set",
        "shopt",
        "unset",
        "declare",
        "typeset",
        "local",
        "readonly",
        "eval",
        "srun",
        "torchrun",
        "python",
        "python3",
        "sleep",
        "wait",
        "date",
        "true",
        ":",
        "trap",
        "ulimit",
        "umask",
        "hostname",
        "sbatch",
        "tee",
        "cat",
        "sync",
        "git",
        "tar",
        "unzip",
        "wget",
        "curl",
        "nvidia-smi",
        "ray",
        "accelerate",
        "deepspeed",
        "mpirun",
        "mpiexec",
        "docker",
        "apptainer",
        "singularity",
    ]
)
"""Commands that are taken to succeed; the others may do either."""


def binary(shell: Shell, node: Node, last: bool = False) -> bool | None:
    op = node["Op"]
    if op in ("|", "|&"):
        return pipe(shell, node)
    status = quietly(shell, node["X"])
    if not shell.state.alive or shell.state.leaving:
        if not shell.state.alive:
            assignments.dead(shell, [node["Y"]])
        return status
    wanted = op == "&&"
    if status is None and presumed(shell, node["X"]):
        status = True
    if status is not None:
        return shell.statement(node["Y"], last) if status is wanted else status
    settled = likely(shell, lambda shell: shell.statement(node["X"]))
    return either(
        shell,
        lambda shell: shell.statement(node["Y"], last),
        lambda shell: not wanted,
        "a command's status",
        None if settled is None else settled is wanted,
    )


def quietly(shell: Shell, node: Node) -> bool | None:
    """A statement whose failure does not end the script."""
    before, shell.conditional = shell.conditional, True
    try:
        return shell.statement(node)
    finally:
        shell.conditional = before


def presumed(shell: Shell, node: Node) -> bool:
    command = node.get("Cmd") or {}
    if command.get("Type") == "BinaryCmd":
        both = command["Op"] == "&&"
        return bool(presumed(shell, command["Y"]) and (not both or presumed(shell, command["X"])))
    if command.get("Type") in ("DeclClause", "Block", "Subshell", "FuncDecl"):
        return True
    words = command.get("Args") or ()
    if not words:
        return command.get("Type") == "CallExpr"
    parts = parts_of(words[0])
    return len(parts) == 1 and parts[0].get("Value", "").rpartition("/")[2] in PRESUMED


def likely(shell: Shell, test: object) -> bool | None:
    """How a test comes out when the submitter sets nothing more; it changes nothing."""
    assert callable(test)
    if shell.state.rest.complete:
        return None
    child = shell.child(Loss.SUBSHELL)
    child.assuming = child.conditional = True
    written = shell.run.files.written.state()
    status = _quiet(shell.run, lambda: test(child))
    shell.run.files.written.back_to(written)
    return None if status is None else bool(status)


def either(shell: Shell, one: object, other: object, reason: str, likely: bool | None = None) -> bool | None:
    """Both ways, joined; each is a function of the shell that returns a status.

    ``likely`` True or False: the submitter would have to do something for the other way, which
    then only counts for what may become of variables.
    """
    assert callable(one) and callable(other)
    start = shell.state
    was = shell.where
    shell.where = replace(was, conditional=True) if likely is None else was
    written = shell.run.files.written
    before = written.state()
    shell.state = start.copy()
    first = one(shell) if likely is not False else _quiet(shell.run, lambda: one(shell))
    left, made = shell.state, written.state()
    written.back_to(before)
    shell.state = start.copy()
    second = other(shell) if likely is not True else _quiet(shell.run, lambda: other(shell))
    if likely is not None:
        written.back_to(made if likely else written.state())
    elif left.alive and shell.state.alive:
        written.join(made)
    elif left.alive:
        written.back_to(made)
    shell.state = join_states(left, shell.state, reason, likely)
    shell.where = was
    return first if first == second else None


def pipe(shell: Shell, node: Node) -> bool | None:
    from lens_preflight.jobs.substitution import command_words, printed

    left = shell.child(Loss.PIPELINE)
    text = printed(node["X"], left)
    source = command_words(node["X"], shell)
    if "lastpipe" in shell.state.options:
        feed(shell, text, source)
        status = shell.statement(node["Y"])
        feed(shell, None)
        return status
    right = shell.child(Loss.PIPELINE)
    feed(right, text, source)
    right.piped = text if text is not None else _from(node["X"])
    status = right.statement(node["Y"])
    return None if status is None or node["Y"].get("Cmd", {}).get("Type") == "CallExpr" else status


def _from(left: Node) -> Text | None:
    """What a command prints that cannot be said; an installer that is fetched is no script of the job."""
    from lens_preflight.jobs.substitution import _all_words

    words = _all_words(left)
    return None if {"curl", "wget"} & set(words) else unread(f"$({' '.join(words)[:40]})")


def conditional(shell: Shell, node: Node) -> bool | None:
    before, shell.conditional = shell.conditional, True
    status = shell.statements(node.get("Cond") or ())
    shell.conditional = before
    if not shell.state.alive or shell.state.leaving:
        return status
    other = node.get("Else")

    def otherwise(shell: Shell) -> bool | None:
        if other is None:
            return True
        return conditional(shell, other) if other.get("Cond") else shell.statements(other.get("Then") or ())

    if status is True:
        return shell.statements(node.get("Then") or ())
    if status is False:
        return otherwise(shell)
    settled = likely(shell, lambda s: s.statements(node.get("Cond") or ()))
    return either(shell, lambda s: s.statements(node.get("Then") or ()), otherwise, "branch", settled)


def _quiet(run: Run, action: object) -> bool | None:
    """Follow a way that is not taken unless somebody does something: no launches, no remarks."""
    assert callable(action)
    drafts, opaque, ray = len(run.drafts), len(run.opaque), len(run.ray_started)
    run.muted += 1
    try:
        status: bool | None = action()
    finally:
        run.muted -= 1
        del run.drafts[drafts:], run.opaque[opaque:], run.ray_started[ray:]
    return status
