"""A look at values that are empty, or that quotes keep from being expanded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lens_preflight.jobs.model import Loss, Remark, Slip
from lens_preflight.jobs.names import NAME, RANKS, is_telemetry
from lens_preflight.jobs.syntax import Node, parts_of

if TYPE_CHECKING:
    from lens_preflight.jobs.assignments import Setting
    from lens_preflight.jobs.field import Field
    from lens_preflight.jobs.shell import Shell


_QUOTED_NAME = re.compile(r"\$\{?[A-Za-z_]")


OUTSIDE = "it is set by Slurm, and this does not run in a job"


def remark(shell: Shell, slip: Slip, name: str, line: int, detail: str = "", meant: bool = False) -> None:
    """Keep a remark about a line of this script."""
    shell.run.remark(Remark(slip, name, shell.at(line), detail, shell.frame.inner(line), meant))


def mistyped(shell: Shell, words: list[Field]) -> None:
    """``A =1`` and ``"${ARGS[@]}" cmd`` run a command instead of setting a variable."""
    name = words[0].text.template
    line = words[0].line
    head, equals, _ = name.partition("=")
    if equals and NAME.fullmatch(head):
        shell.note(head, line, Loss.BAD_ASSIGNMENT)
        detail = "an expansion that reads NAME=value is a command, not an assignment"
        remark(shell, Slip.BAD_ASSIGNMENT, head, line, detail)
    elif len(words) > 1 and words[1].text.template.startswith("=") and NAME.fullmatch(name):
        shell.note(name, line, Loss.BAD_ASSIGNMENT)
        detail = "no blanks may stand around the = sign"
        remark(shell, Slip.BAD_ASSIGNMENT, name, line, detail)


def inspect(shell: Shell, setting: Setting) -> None:
    """Look at a value for an expansion that is empty, or that the quotes prevent."""
    name, word, value = setting.name, setting.word, setting.value
    if word is None or value is None or not (is_telemetry(name) or name in RANKS):
        return
    parts = list(_flat(word))
    for part in parts:
        if (
            part["Type"] == "SglQuoted"
            and _QUOTED_NAME.search(part.get("Value", ""))
            and part.get("Dollar") is not True
        ):
            remark(shell, Slip.QUOTED_LITERALLY, name, setting.line, "the quotes keep the $ as it stands")
    empty = [p["Param"]["Value"] for p in parts if p["Type"] == "ParamExp" and _is_unset(shell, p)]
    outside = [n for n in empty if n.startswith("SLURM_") and not shell.where.in_job]
    if outside:
        remark(shell, Slip.OUTSIDE_JOB, name, setting.line, f"{outside[0]} is empty: {OUTSIDE}")
    elif value.certain == "" and any(p["Type"] in ("ParamExp", "CmdSubst") for p in parts):
        what = f"{empty[0]} is not set here" if empty else "what it is made of is empty"
        meant = any(p["Type"] == "ParamExp" and not _no_default(p) for p in parts)
        remark(shell, Slip.EMPTY, name, setting.line, what, meant)
        if shell.where.chain:
            shell.note(name, setting.line, Loss.INNER_UNSET)
    elif empty and all(_no_default(p) for p in parts if p["Type"] == "ParamExp" and _is_unset(shell, p)):
        remark(shell, Slip.EMPTY, name, setting.line, f"{empty[0]} is not set here")


def _flat(word: Node) -> Iterable[Node]:
    for part in parts_of(word):
        yield part
        if part["Type"] == "DblQuoted":
            yield from _flat(part)


def _is_unset(shell: Shell, part: Node) -> bool:
    name = part["Param"]["Value"]
    if part.get("Index") is not None or part.get("Excl") or not NAME.fullmatch(name):
        return False
    return shell.read(name) is None


def _no_default(part: Node) -> bool:
    return part.get("Exp") is None
