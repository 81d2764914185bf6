"""JSON that can say in which line a value stands."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Any

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.core.numbers import json_integer
from lens_preflight.documents.depth import refuse_depth
from lens_preflight.documents.tree import Malformed

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+|\n', re.S)


@dataclass(frozen=True, eq=False)
class JsonDocument:
    """A parsed JSON text; ``first_line`` is the line of ``path`` in which it begins."""

    path: str
    text: str
    data: Any
    first_line: int = 1
    one_line: bool = False

    def line(self, keys: tuple[str | int, ...]) -> int:
        """The line of the value below some keys, or of the nearest thing above it."""
        if self.one_line:
            return self.first_line
        node: Any = self._positions
        line = self.first_line
        for key in keys:
            line = node[0] if isinstance(node, tuple) else node
            below = node[1] if isinstance(node, tuple) else {}
            if key not in below:
                return int(line)
            node = below[key]
        return int(node[0] if isinstance(node, tuple) else node)

    @cached_property
    def _positions(self) -> Any:
        """The shape of the document with a line in place of each value; made once, when asked for."""
        return _index(self.text, self.first_line)


def read_json(text: str, path: str, first_line: int = 1, one_line: bool = False) -> JsonDocument:
    """Parse a JSON text.

    Raises:
        Malformed: not JSON, or nested too deeply; with its line.
    """
    text = text.removeprefix("\ufeff")
    refuse_depth(text, path, first_line, strings=True)
    try:
        data = json.loads(text, parse_int=json_integer)
    except json.JSONDecodeError as error:
        line = first_line if one_line else error.lineno + first_line - 1
        column = None if one_line else error.colno
        raise Malformed(error.msg, Location.file(path, line, column)) from None
    except RecursionError:
        raise Malformed("nested too deeply", Location.file(path, first_line)) from None
    except ValueError as error:
        raise Malformed(str(error), Location.file(path, first_line)) from None
    return JsonDocument(path, text, data, first_line, one_line)


def _index(text: str, first_line: int) -> Any:
    """Lines of all values: ``(line, {key or position: ...})`` for a container, a line for a scalar."""
    line = first_line
    root: Any = first_line
    stack: list[tuple[dict[str | int, Any], bool]] = []
    key: str | int | None = None
    waiting = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line += 1
        elif token in "{[":
            node: Any = (line, {})
            if stack:
                stack[-1][0][key if key is not None else len(stack[-1][0])] = node
            else:
                root = node
            stack.append((node[1], token == "["))
            key, waiting = None, token == "{"
        elif token in "}]":
            stack.pop()
            key, waiting = None, False
        elif token == ",":
            key, waiting = None, not stack[-1][1]
        elif token == ":":
            waiting = False
        elif waiting:
            key = json.loads(token) if "\\" in token else token[1:-1]
        elif stack:
            stack[-1][0][key if key is not None else len(stack[-1][0])] = line
    return root
