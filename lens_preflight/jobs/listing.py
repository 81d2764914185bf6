"""Names of variables as commands list them: ``${!P@}``, ``compgen -v``, ``env | grep P | cut -d= -f1``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lens_preflight.jobs.expressions import affordable
from lens_preflight.jobs.state import State, Var, left_to
from lens_preflight.jobs.text import Cause, Symbol, Text, literal

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

LISTING = re.compile(r"(?:env|printenv|compgen|export|declare|typeset|set)\b")
"""Commands that print the variables of the shell."""

_MORE = "!names[@]"
"""The symbol of all the names that somebody else may have set."""

_OPEN = "\0"
"""The end of a line whose value is not known."""

_FILTERS = frozenset(["grep", "egrep", "fgrep", "awk", "gawk", "sed", "cut", "sort", "uniq", "tr", "xargs"])
_COMPGEN = re.compile(r"compgen (?:-[ve]|-A \w+)(?: (\S+))?")
_GREP = re.compile(r"(?:^|\s)([ef]?)grep((?:\s+-\S+)*)\s+(\S+)")
_SLASHED = re.compile(r"(!?)~?\s*/((?:[^/\\]|\\.)+)/(\w*)")
_EDITORS = re.compile(r"\b(g?awk|sed)\b(.*?)(?=\b(?:g?awk|sed|grep|cut|sort|tr|xargs)\b|$)")
_NAMES_ONLY = re.compile(r"^compgen\b|\b(?:cut|awk|sed)\b|\bgrep\s+-\w*o")


def listed(shell: Shell, prefix: str) -> list[Text]:
    """The words of ``${!prefix@}``; where the submitter may set more, a last one stands for them."""
    names = [n for n, v in sorted(shell.state.vars.items()) if n.startswith(prefix) and _set(v) is not False]
    return _words(shell.state, names, f"!{prefix}", lambda name: _set(shell.state.vars[name]) is True)


def named(shell: Shell, text: Text) -> list[Text] | None:
    """The words of a command substitution that lists names, None when it prints something else."""
    one = text.pieces[0] if len(text.pieces) == 1 else None
    if not isinstance(one, Symbol) or not LISTING.match(one.source) or not _NAMES_ONLY.search(one.source):
        return None
    exported = not re.match(r"compgen -(?:v|A variable)|declare|typeset|set\b", one.source)
    picks: dict[str, bool | None] = {}
    for name, var in shell.state.vars.items():
        there = _set(var) if var.exported or not exported else var.doubtful and None
        picked = chosen(one.source, name, var.value)
        if there is not False and picked is not False:
            picks[name] = True if there and picked else None
    return _words(shell.state, list(picks), one.source, lambda name: picks[name] is True)


def _words(state: State, names: list[str], source: str, sure: object) -> list[Text]:
    assert callable(sure)
    found = [literal(n) if sure(n) else _perhaps(n, state) for n in names]
    rest = more(state, source, names)
    return found if rest is None else [*found, Text.of(rest)]


def more(state: State, source: str, names: Iterable[str]) -> Symbol | None:
    """What stands for the names that somebody else may have set beside these; None when nobody has."""
    if state.rest.complete:
        return None
    but = f"{source} but {' '.join(names)}"
    return Symbol(_MORE, state.rest.cause, optional=True, source=but, reason=state.rest.reason)


def is_more(text: Text) -> bool:
    """Whether a word stands for such names."""
    return len(text.pieces) == 1 and isinstance(text.pieces[0], Symbol) and text.pieces[0].name == _MORE


def _perhaps(name: str, state: State) -> Text:
    value = state.vars[name].value
    cause = None if value is None else left_to(name, value)
    return Text.of(Symbol(name, cause or Cause.BRANCH, optional=True, values=(literal(name), None)))


def perhaps(text: Text) -> tuple[Text, bool | None] | None:
    """A word of a list of names that may be missing: what it is then, and False when it takes the submitter."""
    one = text.pieces[0] if len(text.pieces) == 1 else None
    if not isinstance(one, Symbol):
        return None
    likely = False if one.cause is Cause.SUBMITTER else None
    if is_more(text):
        return text, likely
    named_so = one.values == (literal(one.name), None)
    return (literal(one.name), likely) if named_so else None


def is_list(text: Text) -> bool:
    """Whether a word holds names of variables that are set, and nothing else."""
    one = text.pieces[0] if len(text.pieces) == 1 else None
    listed = isinstance(one, Symbol) and LISTING.match(one.source) is not None
    return listed or perhaps(text) is not None


def _set(var: Var) -> bool | None:
    """Whether a variable is set: an array with elements is, a declaration alone is not."""
    if var.is_array:
        return True if var.items or var.table else None
    if var.value is None:
        return False
    return None if any(s.optional or None in s.values for s in var.value.symbols) else True


def chosen(source: str, name: str, value: Text | None) -> bool | None:
    """Whether what a command line prints holds a name, None when that cannot be said.

    ``source`` is the command line in words, without its pipes; see `Symbol`.
    """
    source, _, known = source.partition(" but ")
    if name in known.split():
        return False
    if source.startswith("!"):
        return None if name.startswith(source[1:]) else False
    answers: list[bool | None] = [True if LISTING.match(source) else None]
    found = _COMPGEN.match(source)
    if found is not None and found[1] and found[1] not in _FILTERS:
        answers.append(None if "$" in found[1] else name.startswith(found[1]))
    for grep in _GREP.finditer(source):
        options = grep[2].replace("--invert-match", "-v").replace("--ignore-case", "-i").split()
        flags = "".join(option[1:] for option in options) + {"e": "E", "f": "F"}.get(grep[1], "")
        hit = _fits(grep[3], flags, _lines(source[: grep.start()], name, value))
        answers.append(hit if "v" not in flags or hit is None else not hit)
    for tool in _EDITORS.finditer(source):
        answers.append(_edited(tool[1], tool[2], _lines(source[: tool.start()], name, value)))
    if re.search(r"\b(?:head|tail)\b|\bcut\b(?! +-d ?= +-f ?1(?: |$))|\btr\b(?! +\S*\\n)", source):
        answers.append(None)
    return False if False in answers else None if None in answers else True


def _lines(before: str, name: str, value: Text | None) -> set[str]:
    """How the line of a name may look behind the commands so far."""
    if re.match(r"compgen\b", before) or re.search(r"\b(?:cut|awk)\b", before):
        return {name}
    known = None if value is None else value.certain
    line = f"{name}={known or ''}"
    return (
        {line if known is not None else line + _OPEN}
        if re.match(r"env\b|printenv\b", before)
        else {name, line}
    )


def _edited(tool: str, program: str, lines: set[str]) -> bool | None:
    """The same of ``awk '/P/ {...}'`` and ``sed -n '/P/p'``; both without a pattern let all lines pass."""
    if tool == "sed":
        kept = re.search(r"\s-n\S*\s+(?:s(.)(\^?\\?\(.+?)\1\\1\1p|/([^/]+)/p)\s*$", program)
        if kept is not None:
            return _fits(kept[2] or kept[3], "E" if re.search(r"\s-n?[Er]", program) else "", lines)
        dropped = re.search(r"/(.+?)/d\b", program)
        hit = None if dropped is None else _fits(dropped[1], "", lines)
        if dropped is not None:
            return None if hit is None else not hit
        return True if re.fullmatch(r"\s+(?:-\S+\s+)*s(.)=\.\*\$?\1\1\s*", program) else None
    slashed = _SLASHED.findall(program)
    if len(slashed) == 1:
        hit = _fits(slashed[0][1], "E", lines)
        return hit if hit is None or not slashed[0][0] else not hit
    return True if re.fullmatch(r"(?:\s+-\S+)*\s*\{\s*print \$1;?\s*\}\s*", program) else None


def _fits(pattern: str, flags: str, lines: set[str]) -> bool | None:
    if "$" in pattern.rstrip("$|)") or set(flags) - set("vEPFiox"):
        return None
    if "F" in flags:
        pattern = re.escape(pattern)
    elif not set(flags) & {"E", "P"}:  # basic expressions: \( \| \) are the operators
        pattern = re.sub(r"\\?([(|){}+?])", lambda m: m[1] if m[0][0] == "\\" else "\\" + m[1], pattern)
    pattern = (
        pattern.replace("[[:alnum:]", "[A-Za-z0-9").replace("[:space:]", r"\s").replace("[:upper:]", "A-Z")
    )
    if "x" in flags:
        pattern = f"^(?:{pattern})$"
    if not all(affordable(pattern, line) for line in lines):
        return None
    try:
        regex = re.compile(pattern, re.IGNORECASE if "i" in flags else 0)
    except (re.error, RecursionError, OverflowError):
        return None
    found = [(line, regex.search(line.removesuffix(_OPEN))) for line in lines]
    if "o" in flags and any(hit and hit[0] != line.partition("=")[0] for line, hit in found):
        return None  # a part of the line
    answers = {bool(hit) for _, hit in found}
    if answers == {False} and not pattern.startswith("^") and any(line.endswith(_OPEN) for line in lines):
        return None
    return answers.pop() if len(answers) == 1 else None


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Whether every answer is yes; None when that is not known."""
    found = set(answers)
    return False if False in found else None if None in found else True


def is_declared(shell: Shell, name: str) -> bool | None:
    """Whether ``declare -p NAME`` finds the variable."""
    var = shell.state.vars.get(name)
    if var is None:
        return None if shell.state.value(name) is not None else False
    if var.is_array or var.value is None:
        return var.is_array or var.exported or None
    return None if any(s.optional or None in s.values for s in var.value.symbols) else True
