"""Tests: ``[ ]``, ``[[ ]]`` and ``case``, decided where what they look at is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.jobs.branching import either
from lens_preflight.jobs.expressions import affordable
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.state import Var
from lens_preflight.jobs.syntax import Node
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.words import matches, pattern_of, text_of
from lens_preflight.jobs.written import Content, made

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_NUMERIC = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


def test(shell: Shell, node: Node) -> bool | None:
    """The status of a ``[[ ]]`` expression, None when it is not known."""
    kind = node.get("Type")
    if kind == "ParenTest":
        return test(shell, node["X"])
    if kind == "UnaryTest":
        if node["Op"] == "!":
            status = test(shell, node["X"])
            return None if status is None else not status
        return _unary(shell, node["Op"], text_of(node["X"], shell), node["X"])
    if kind == "BinaryTest":
        return _binary(shell, node)
    return filled(text_of(node, shell))


def _binary(shell: Shell, node: Node) -> bool | None:
    op = node["Op"]
    if op in ("&&", "||"):
        left = test(shell, node["X"])
        if left is not None:
            return test(shell, node["Y"]) if left is (op == "&&") else left
        right = test(shell, node["Y"])
        return right if right is (op == "||") else None
    left_text = text_of(node["X"], shell)
    if op in ("==", "=", "!="):
        pattern = None if "nocasematch" in shell.state.options else pattern_of(node["Y"], shell)
        same = _all(left_text, lambda text: None if pattern is None else matches(text, pattern))
        return same if op != "!=" or same is None else not same
    right_text = text_of(node["Y"], shell)
    if op == "=~":
        return _regex(shell, left_text, right_text)
    if op in _NUMERIC:
        left_text, right_text = (literal("0") if t.certain == "" else t for t in (left_text, right_text))
    return _compare(left_text, op, right_text)


def _regex(shell: Shell, left: Text, right: Text) -> bool | None:
    """``=~``, which leaves what the groups hold in BASH_REMATCH."""
    known, pattern = left.certain, right.certain
    unknown = (Text.of(Symbol("BASH_REMATCH[@]", Cause.COMMAND, optional=True)),)
    shell.state.vars["BASH_REMATCH"] = Var(None, False, unknown)
    if known is None or pattern is None or "[[:" in pattern or not affordable(pattern, known):
        return None
    try:
        found = re.search(pattern, known)
    except re.error:
        return None
    groups = () if found is None else (found[0], *(group or "" for group in found.groups()))
    shell.state.vars["BASH_REMATCH"] = Var(None, False, tuple(literal(group) for group in groups))
    return found is not None


def bracket(shell: Shell, words: Sequence[Field]) -> bool | None:
    """The status of ``[ ... ]`` or ``test ...``; ``words`` without the command and the bracket."""
    if not words:
        return False
    plain = [word.text.certain for word in words]
    for joiner in ("-o", "-a"):
        for index in range(1, len(words) - 1):
            if plain[index] == joiner:
                left, right = bracket(shell, words[:index]), bracket(shell, words[index + 1 :])
                stop = joiner == "-o"
                if left is stop or right is stop:
                    return stop
                return None if left is None or right is None else not stop
    if plain[0] == "!" and len(words) > 1:
        status = bracket(shell, words[1:])
        return None if status is None else not status
    if len(words) == 1:
        return filled(words[0].text)
    if len(words) == 2:
        return _unary(shell, plain[0] or "", words[1].text, None)
    if len(words) == 3:
        return _compare(words[0].text, plain[1] or "", words[2].text)
    return None


def filled(text: Text) -> bool | None:
    """Whether a text is not empty."""
    answers = text.alternatives()
    if answers is not None:
        found = {bool(a) for a in answers}
        return found.pop() if len(found) == 1 else None
    return text.filled


def _unary(shell: Shell, op: str, text: Text, node: Node | None) -> bool | None:
    if op == "-n":
        return filled(text)
    if op == "-z":
        status = filled(text)
        return None if status is None else not status
    if op == "-v":
        name = text.certain or ""
        value = shell.read(name) if name else None
        return (None if value is not None and value.optional else value is not None) if name else None
    if op in ("-e", "-f", "-r", "-s", "-d"):
        return _exists(shell, op, text)
    return None


def _exists(shell: Shell, op: str, text: Text) -> bool | None:
    from lens_preflight.jobs.draft import resolve

    if text.certain == "":
        return False
    named = text.path
    full = resolve(named, shell.state.cwd, shell.where, shell.run.extra_map) if named else None
    content = made(shell.run, text, shell.state.cwd, shell.where)
    if content is not None:
        return False if content.gone else _known_file(op, content)
    kind = shell.run.files.kind(full) if full and not (named or "").startswith("/dev/") else ""
    if not kind:
        return None
    if op == "-e":
        return True
    return True if (op == "-d") == (kind == "folder") else None


def _known_file(op: str, content: Content) -> bool | None:
    """The same for a file that the job wrote."""
    if content.text is None:
        return None
    return content.text.text.filled if op == "-s" else op != "-d"


def _compare(left: Text, op: str, right: Text) -> bool | None:
    if op in ("=", "==", "!="):
        pattern = right.alternatives()
        if pattern is None:
            return None
        answers = {_all(left, lambda text, one=one: text == one) for one in pattern}
        same = answers.pop() if len(answers) == 1 else None
        return same if op != "!=" or same is None else not same
    if op in ("<", ">"):
        a, b = left.certain, right.certain
        return None if a is None or b is None else (a < b if op == "<" else a > b)
    if op in _NUMERIC:
        numbers = (_integers(left), _integers(right))
        if numbers[0] is None or numbers[1] is None:
            return None
        found = {_NUMERIC[op](a, b) for a in numbers[0] for b in numbers[1]}
        return found.pop() if len(found) == 1 else None
    return None


def _integers(text: Text) -> list[int] | None:
    options = text.alternatives()
    if not options:
        return None
    try:
        return [int(option) for option in options]
    except ValueError:
        return None


def _all(text: Text, decide: object) -> bool | None:
    """The answer when all alternatives of a text agree, else None."""
    assert callable(decide)
    options = text.alternatives()
    if options is None:
        return _never_equal(text, decide)
    found = {decide(option) for option in options}
    return found.pop() if len(found) == 1 else None


def _never_equal(text: Text, decide: object) -> bool | None:
    return None


def case(shell: Shell, node: Node) -> bool | None:
    """A ``case`` statement: the branch that is taken, or all that may be."""
    subject = text_of(node["Word"], shell)
    items = list(node.get("Items") or ())
    return _cases(shell, subject, items)


def _hit(shell: Shell, subject: Text, item: Node) -> bool | None:
    """Whether one of the patterns of a branch fits."""
    verdict: bool | None = False
    for word in item.get("Patterns") or ():
        pattern = pattern_of(word, shell)
        if pattern == "*":
            hit: bool | None = True
        else:
            open_ = pattern is None or "nocasematch" in shell.state.options
            hit = None if open_ else _all(subject, lambda text, p=pattern: matches(text, p or ""))
        verdict = True if hit is True else (None if hit is None else verdict)
        if hit is True:
            break
    return verdict


def _taken(shell: Shell, subject: Text, items: list[Node]) -> bool | None:
    """The branch that fits, and where ``;&`` and ``;;&`` lead from its end."""
    item, rest = items[0], items[1:]
    status = shell.statements(item.get("Stmts") or ())
    if not rest or not shell.state.alive or shell.state.leaving or item.get("Op") == ";;":
        return status
    return _taken(shell, subject, rest) if item.get("Op") == ";&" else _cases(shell, subject, rest)


def _cases(shell: Shell, subject: Text, items: list[Node]) -> bool | None:
    if not items:
        return True
    item, rest = items[0], items[1:]
    verdict = _hit(shell, subject, item)
    if verdict is True:
        return _taken(shell, subject, items)
    if verdict is False:
        return _cases(shell, subject, rest)
    likely: bool | None = None
    if not shell.state.rest.complete and subject.settled != subject:
        likely = _hit(shell, subject.settled, item)
    return either(
        shell, lambda s: _taken(s, subject, items), lambda s: _cases(s, subject, rest), "branch", likely
    )
