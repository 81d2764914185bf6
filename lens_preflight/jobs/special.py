"""Special parameters: ``$?``, ``$$``, ``$RANDOM``, ``$PWD`` and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.jobs.text import Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def special(name: str, shell: Shell) -> Text | None:
    """The value of a special parameter; None when the name is none, or was assigned."""
    if name in ("RANDOM", "SRANDOM", "$", "BASHPID", "PPID"):
        serial = shell.run.tick() if name.endswith("RANDOM") else 0
        return Text.of(Symbol(name, Cause.RANDOM, shell.here, reason="random", serial=serial))
    if name in ("SECONDS", "EPOCHSECONDS", "EPOCHREALTIME"):
        return Text.of(Symbol(name, Cause.CLOCK, shell.here))
    if name == "!":
        return Text.of(Symbol(f"pid of {shell.state.last_background or 'other'}", Cause.RANDOM, shell.here))
    if name in ("?", "_", "-"):
        return Text.of(Symbol(name, Cause.COMMAND))
    if name == "#":
        args = shell.state.args
        return Text.of(Symbol("#", Cause.ARGUMENT)) if args is None else literal(str(len(args)))
    if name in ("@", "*"):
        return None
    if name == "PWD" or (name == "OLDPWD" and name not in shell.state.vars):
        hint = shell.state.cwd if name == "PWD" else None
        return Text.of(Symbol(name, Cause.PLACE, hint=hint, reason="the folder of the job"))
    if name == "BASH_SOURCE":
        return _own_path(shell)
    if name in ("HOSTNAME", "HOST") and name not in shell.state.vars:
        return Text.of(Symbol(name, Cause.HOST, shell.here))
    return None


def _own_path(shell: Shell) -> Text:
    path = shell.frame.path
    if path == shell.run.path:
        return shell.state.arg0
    full = next((p for p in shell.run.sourced if shell.run.shown(p) == path), None)
    return Text.of(Symbol("BASH_SOURCE", Cause.PLACE, hint=full or path))
