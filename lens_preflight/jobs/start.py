"""How a job file is started: what ``--submit`` says, else what the script looks like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import InputError
from lens_preflight.core.finding import Location
from lens_preflight.core.variable import Environment
from lens_preflight.core.words import State
from lens_preflight.jobs import directives
from lens_preflight.jobs.draft import Where
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Directive
from lens_preflight.jobs.names import ENV_NAME
from lens_preflight.jobs.run import Frame, Run
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.state import State as ShellState
from lens_preflight.jobs.syntax import Node
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.wrappers import named_value

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

COMMAND_LINE = Location.option("--submit")
_PREFIXES = ("env", "nohup", "exec", "command", "nice", "time")
"""Commands before ``sbatch`` that hand their environment on."""
_SBATCH = re.compile(r"(?<![\w./-])(?:/\S*/)?sbatch(?![\w./-])")
"""The command itself, and no file of that name."""


def login_environment(submitter: Environment) -> Exported:
    """The environment of the shell that submits, as texts."""
    listed: dict[str, Bound] = {}
    for variable in submitter:
        at = variable.origin.at if variable.origin else None
        by = variable.origin.text if variable.origin else ""
        if variable.state is State.VALUE:
            one = Symbol(variable.name, Cause.SUBMITTER, known=variable.value or "")
            listed[variable.name] = Bound(Text.of(one) if one.known else literal(""), at, by)
        elif variable.state is State.UNSET:
            listed[variable.name] = Bound(None, at, by)
        else:
            one = Symbol(variable.name, Cause.SUBMITTER, variable.spread,
                         optional=variable.state is State.UNKNOWN, reason=variable.reason)  # fmt: skip
            listed[variable.name] = Bound(Text.of(one), at, by)
    return Exported(listed, Rest(submitter.complete, Cause.SUBMITTER, submitter.opaque, submitter.opaque_at))


@dataclass(frozen=True)
class Start:
    """How the job file is started. ``args`` None: not known. ``batch``: by sbatch; ``open``: nobody says."""

    batch: bool
    env: Exported
    args: tuple[Text, ...] | None
    options: tuple[Directive, ...] = ()
    open: bool = False


def looks_like_batch(text: str) -> bool:
    """True when a script has directives for Slurm, and not only in a script that it submits itself."""
    found = directives.scan(text, "")
    return any(not d.inert for d in found) or (bool(found) and "sbatch" not in text)


def read_start(submit: str | None, login: Exported, text: str, run: Run) -> Start:
    """The start that a ``--submit`` text describes; by the look of the script when there is none.

    Raises:
        InputError: the text is no command that can be read.
    """
    batch = looks_like_batch(text)
    if not submit:
        return Start(batch, login, None, open=not batch)
    shell = _login_shell(run, login)
    tree = run.tree(submit)
    if not tree.statements or tree.failed or tree.blanked:
        raise _unclear(submit)
    from lens_preflight.jobs.assignments import read_assign
    from lens_preflight.jobs.words import fields_of

    for statement in tree.statements[:-1]:
        shell.statement(statement)
    command = _submitting(tree.statements[-1].get("Cmd") or {}, shell)
    settings = [read_assign(shell, node) for node in command.get("Assigns") or ()]
    written = fields_of(command.get("Args") or (), shell)
    env = shell.state.exported()
    env = env.with_({s.name: Bound(s.value, COMMAND_LINE, "--submit") for s in settings})
    words, env = _behind_prefixes(written, env)
    name = words[0].constant.rpartition("/")[2] if words else "-"
    if name.startswith("-") or (name != "sbatch" and _SBATCH.search(submit)):
        raise _unclear(submit)
    return _started(words, env, batch)


def _unclear(submit: str) -> InputError:
    return InputError(
        f"--submit {submit!r}: no command that can be read; give it alone, as in "
        "--submit 'sbatch OPTIONS FILE'"
    )


def _submitting(command: Node, shell: Shell) -> Node:
    """The simple command that submits: the last of a list, the first of a pipe, what ``time`` measures."""
    while command.get("Type") in ("BinaryCmd", "TimeClause"):
        if command["Type"] == "TimeClause":
            command = (command.get("Stmt") or {}).get("Cmd") or {}
        elif command["Op"] in ("|", "|&"):
            command = command["X"].get("Cmd") or {}
        else:
            shell.statement(command["X"])
            command = command["Y"].get("Cmd") or {}
    return command


def _behind_prefixes(words: Sequence[Field], env: Exported) -> tuple[Sequence[Field], Exported]:
    """The command behind ``env NAME=value`` and its kin, with the environment that they make."""
    while words and words[0].constant in _PREFIXES:
        words = words[1:]
        while words and ENV_NAME.fullmatch(words[0].text.template.partition("=")[0]) and _assigns(words[0]):
            name, value = named_value(words[0].text)
            env = env.with_({name: Bound(value, COMMAND_LINE, "--submit")})
            words = words[1:]
    return words, env


def _assigns(word: Field) -> bool:
    return "=" in word.text.template


def _started(words: Sequence[Field], env: Exported, batch: bool) -> Start:
    plain = [w.constant for w in words]
    name = plain[0].rpartition("/")[2] if plain else ""
    if name == "sbatch":
        rest = directives.rest_of(plain[1:])
        given = directives.options_of(plain[1:])
        options = tuple(Directive(o, v, COMMAND_LINE) for o, v in given)
        args = tuple(w.text for w in words[len(words) - len(rest) + 1 :]) if rest else ()
        return Start(True, env, args, options)
    if name in ("bash", "sh", "dash", "zsh", "ksh", "source", "."):
        return Start(False, env, tuple(w.text for w in words[2:]))
    if name in ("kubectl", "oc", "helm"):
        return Start(False, env, ())
    return Start(batch and not name.endswith(".sh"), env, tuple(w.text for w in words[1:]))


def _login_shell(run: Run, login: Exported) -> Shell:
    from lens_preflight.jobs.shell import Shell

    state = ShellState.of(login, cwd=run.folder, args=(), arg0=literal("bash"))
    return Shell(run, state, Frame("--submit"), Where())
