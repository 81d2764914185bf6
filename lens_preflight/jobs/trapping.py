"""What traps run: at the end of a shell, and when a signal comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.text import Text

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def finish(shell: Shell) -> None:
    """A shell process ends: its EXIT trap runs, and those of signals may have run."""
    handlers = dict(shell.state.handlers)
    for name, (text, line) in handlers.items():
        if name != "EXIT":
            _on_signal(shell, text, line)
    found = handlers.get("EXIT")
    if found is not None:
        _run(shell, *found)


def _on_signal(shell: Shell, text: Text, line: int) -> None:
    """A handler that starts programs starts them only when its signal comes."""
    child = shell.child(Loss.SUBSHELL, conditional=True)
    _run(child, text, line)


def _run(shell: Shell, text: Text, line: int) -> None:
    from lens_preflight.jobs.sourcing import run_text

    state, traps = shell.state, dict(shell.state.traps)
    state.alive, state.leaving, state.handlers = True, "", {}
    state.frames = ()
    shell.following = ()
    run_text(shell, text, line)
    shell.state.traps = traps
