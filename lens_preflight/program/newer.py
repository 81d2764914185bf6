"""Syntax that this interpreter cannot read: a newer Python parses it in a child process."""

from __future__ import annotations

import ast
import functools
import json
import subprocess
import sys
from typing import Any

from lens_preflight.core.commands import on_path

NEWEST = 15
TIMEOUT = 20.0

CHILD = """
import ast, json, sys, warnings
warnings.simplefilter("ignore")
def dump(node):
    if isinstance(node, ast.AST):
        fields = {k: dump(v) for k, v in ast.iter_fields(node)}
        at = [getattr(node, k, None) for k in ("lineno", "col_offset", "end_lineno", "end_col_offset")]
        return {"_": type(node).__name__, "f": fields, "at": at}
    if isinstance(node, list):
        return {"l": [dump(v) for v in node]}
    if node is None or isinstance(node, (bool, int, str)):
        return {"c": node} if not isinstance(node, int) or abs(node) < 1 << 60 else {"r": repr(node)}
    return {"r": repr(node)}
json.dump(dump(ast.parse(sys.stdin.buffer.read())), sys.stdout)
"""


@functools.cache
def interpreters() -> tuple[str, ...]:
    """Newer interpreters on this machine, newest first."""
    found = []
    for minor in range(NEWEST, sys.version_info.minor, -1):
        path = on_path(f"python3.{minor}")
        if path is not None:
            found.append(path)
    return tuple(found)


def parse_elsewhere(data: bytes) -> ast.Module | None:
    """The tree as the first newer interpreter reads it, None when none can; nothing is executed."""
    for python in interpreters():
        try:
            done = subprocess.run(
                [python, "-I", "-S", "-c", CHILD],
                input=data,
                capture_output=True,
                timeout=TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            try:
                tree = load(json.loads(done.stdout))
            except (ValueError, RecursionError, KeyError, TypeError):
                return None
            return tree if isinstance(tree, ast.Module) else None
    return None


def load(text: Any) -> Any:
    """A node from what the child wrote; kinds of node that this Python lacks become ``Pass`` or None."""
    if "l" in text:
        return [load(item) for item in text["l"]]
    if "c" in text:
        return text["c"]
    if "r" in text:
        return ast.literal_eval(text["r"]) if text["r"] != "Ellipsis" else ...
    kind = getattr(ast, text["_"], None)
    line, column, end_line, end_column = text["at"]
    place = {} if line is None else {"lineno": line, "col_offset": column}
    if end_line is not None:
        place |= {"end_lineno": end_line, "end_col_offset": end_column}
    if kind is None:
        return ast.Constant(value=None, kind=None, **place)
    fields = {k: load(v) for k, v in text["f"].items() if k in kind._fields}
    return kind(**fields, **place)
