"""``unset``: variables, elements of arrays, functions, and names that are known in part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.text import Cause, Symbol, Text
from lens_preflight.jobs.unnamed import unset_names, unset_one

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


def unset(shell: Shell, words: list[Field], body: Field | None, last: bool) -> bool | None:
    """The builtin; ``-n`` takes a reference itself, and not what it refers to."""
    names = [w for w in words[1:] if not w.constant.startswith("-")]
    flags = "".join(w.constant for w in words[1:] if w.constant.startswith("-"))
    if "f" in flags:
        for word in names:
            shell.state.functions.pop(word.constant, None)
        return True
    for word in names:
        if word.text.constant is None:
            unset_names(shell, word)
            continue
        array, _, index = word.constant.partition("[")
        old = shell.state.vars.get(array)
        if index:  # an element: which ones are left is open
            left = Text.of(Symbol(f"{array}[@]", Cause.BRANCH, optional=True))
            if old is not None:
                shell.state.vars[array] = replace(old, items=(left,), table=None)
            continue
        kind = "" if old is None else old.cast
        unset_one(shell, kind[1:] if kind.startswith("n") and "n" not in flags else array, word.line)
    return True
