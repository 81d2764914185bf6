"""Go templates in labels and annotations of alerts, as far as Prometheus parses them when it loads a file.

Functions and variables are those of Prometheus 3.10 (``template/template.go``), of Go itself
(``text/template``) and of vmalert: a name that any of them knows is let through.
"""

from __future__ import annotations

import re

_KNOWN = """
query first label value strvalue args reReplaceAll safeHtml match title toUpper toLower graphLink tableLink
sortByLabel stripPort stripDomain humanize humanize1024 humanizeDuration humanizePercentage
humanizeTimestamp toTime toDuration now pathPrefix externalURL parseDuration urlQueryEscape
and call html index slice js len not or print printf println urlquery eq ge gt le lt ne
crlfEscape jsonEscape quotesEscape htmlEscape pathEscape queryEscape parseDurationTime formatTime
true false nil
$ $labels $externalLabels $externalURL $value $expr $for $alertID $groupID $activeAt $type $isPartial
"""
_NAMES = frozenset(_KNOWN.split())
_OPENING = frozenset({"if", "range", "with", "define", "block"})
_KEYWORDS = _OPENING | {"else", "end", "template", "break", "continue"}
_TOKEN = re.compile(
    r"\s*(?:(?P<stop>-?\}\})|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`)|(?P<number>'(?:[^'\\\n]|\\.)+'|[-+]?\.?[0-9][\w.]*)"
    r"|(?P<field>\.\w*)|(?P<variable>\$\w*)|(?P<word>[A-Za-z_]\w*)|(?P<op>:=|[=|(),]))",
    re.DOTALL,
)
_COMMENT = re.compile(r"(?:-\s+)?/\*.*?\*/(?:\s+-)?\}\}", re.DOTALL)
Token = tuple[str, str]


def fault(text: str) -> str:
    """Why Go refuses a template, empty when it does not."""
    try:
        _Reader().read(text)
    except ValueError as error:
        return str(error)
    return ""


class _Reader:
    """One pass over the actions; ``blocks`` are those that are open, each with the variables before it."""

    def __init__(self) -> None:
        self.blocks: list[tuple[str, frozenset[str]]] = []
        self.known = _NAMES

    def read(self, text: str) -> None:
        """Read all actions.

        Raises:
            ValueError: what is wrong.
        """
        at = text.find("{{")
        while at >= 0:
            comment = _COMMENT.match(text, at + 2)
            end = comment.end() if comment else self.action(text, at + 2)
            at = text.find("{{", end)
        if self.blocks:
            raise ValueError(f"has a {self.blocks[-1][0]} without end")

    def action(self, text: str, at: int) -> int:
        """One action from behind its braces; the place behind it."""
        at += text.startswith("-", at) and text[at + 1 : at + 2].isspace()
        tokens: list[Token] = []
        while True:
            match = _TOKEN.match(text, at)
            if match is None:
                closed = "}}" in text[at:]
                raise ValueError("has an action that cannot be read" if closed else "has {{ without }}")
            at, kind = match.end(), match.lastgroup or ""
            if kind == "stop":
                self.judge(tokens)
                return at
            tokens.append((kind, match[kind]))

    def judge(self, tokens: list[Token]) -> None:
        """What an action does to the blocks, and what its pipeline names."""
        first = tokens[0][1] if tokens and tokens[0][0] == "word" else ""
        rest = tokens[1:] if first in _KEYWORDS else tokens
        if first == "end":
            if not self.blocks or rest:
                raise ValueError("has an end too many")
            self.known = self.blocks.pop()[1]
        elif first == "else":
            self.otherwise(rest)
        elif first in ("break", "continue"):
            if all(name != "range" for name, _ in self.blocks):
                raise ValueError(f"has a {first} outside of range")
        else:
            if first in _OPENING:
                self.blocks.append((first, self.known))
            if first in ("define", "block", "template"):
                if not rest or rest[0][0] != "text":
                    raise ValueError(f"has a {first} without a name")
                rest = rest[1:]
                if first == "define" or (first == "template" and not rest):
                    return
            self.pipeline(rest)

    def otherwise(self, rest: list[Token]) -> None:
        """``else``, once in a block, or ``else if`` and ``else with``, which go on with it."""
        name, known = self.blocks[-1] if self.blocks else ("", _NAMES)
        if name not in ("if", "range", "with"):
            raise ValueError("has an else without if")
        self.known = known
        if rest:
            self.pipeline(rest[1:])
        else:
            self.blocks[-1] = (f"{name} and else", known)

    def pipeline(self, tokens: list[Token]) -> None:
        """Commands between bars; variables in front of ``:=`` are declared by it."""
        ops = [n for n, token in enumerate(tokens) if token in (("op", ":="), ("op", "="))]
        declared: list[str] = []
        if ops:
            declared = [text for kind, text in tokens[: ops[0]] if kind == "variable"]
            tokens = tokens[ops[0] + 1 :]
        self.named(tokens)
        _commands(tokens)
        self.known |= frozenset(declared)

    def named(self, tokens: list[Token]) -> None:
        """Refuse functions and variables that nobody knows."""
        for kind, text in tokens:
            if kind == "variable" and text not in self.known:
                raise ValueError(f"names the variable {text}, which is not defined")
            if kind == "word" and text not in _NAMES:
                raise ValueError(f"calls {text}, which is no function of templates")


def _commands(tokens: list[Token]) -> None:
    """Refuse commands without anything in them, and brackets that do not pair."""
    depth, empty, piped = 0, True, False
    for token in tokens:
        if token[1] in (":=", "=", ",") and token[0] == "op":
            raise ValueError(f"has a {token[1]} that is out of place")
        if piped and (token[0] in ("text", "number") or token[1] in ("true", "false", "nil")):
            raise ValueError(f"pipes into {token[1]}, which is no function")
        piped = token == ("op", "|")
        if token in (("op", "|"), ("op", ")")):
            if empty:
                raise ValueError("has a command that is missing")
            depth -= token[1] == ")"
            empty = token[1] == "|"
        else:
            depth += token == ("op", "(")
            empty = token == ("op", "(")
        if depth < 0:
            raise ValueError("has a ) too many")
    if (empty and not piped) or depth:
        raise ValueError("has a ( that is not closed" if depth else "has a command that is missing")
