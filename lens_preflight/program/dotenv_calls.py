"""python-dotenv: what a ``.env`` file of the tree puts into the environment, by the rules of python-dotenv 1.2."""

from __future__ import annotations

import os.path
import re
from pathlib import Path, PurePath

from lens_preflight.program import opaque_calls, variables
from lens_preflight.program.outcomes import Outcome
from lens_preflight.program.registry import Call, model
from lens_preflight.program.source import Unreadable, read_bytes
from lens_preflight.program.state import Cell, lane_numbers, part
from lens_preflight.program.values import FALSE, Const, Ref, Unknown, Value, tainted

FILE = frozenset(("file",))
LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)[^\S\n]*=[^\S\n]*(.*)")
QUOTED = re.compile(r"""(?:'([^'\\]*)'|"([^"\\]*)")\s*(?:#.*)?""")
COMMENT = re.compile(r"\s+#.*")


def path_of(this: Call) -> str | None:
    """The file that is read; empty when there is none in the tree, None when nobody knows which it is."""
    given = this.args.get(0, "dotenv_path")
    if this.args.open or "stream" in this.args.names or len(this.args.plain) > 1:
        return None
    if given is None or given == Const(None):
        return nearest(this, ".env")
    if not isinstance(given, Const) or not isinstance(given.value, str | PurePath):
        return None
    found = os.path.join(this.m.closure.base, given.value)
    return found if os.path.isfile(found) else ""


def nearest(this: Call, name: str) -> str:
    """A file beside the code that asks, or above it within the working directory; empty when there is none."""
    top = this.m.closure.base
    folder = os.path.dirname(os.path.join(top, this.frame.path))
    while True:
        found = os.path.join(folder, name)
        if os.path.isfile(found):
            return found
        if folder == top or not folder.startswith(top.rstrip(os.sep) + os.sep):
            return ""
        folder = os.path.dirname(folder)


def values_in(path: str) -> dict[str, Value] | None:
    """The variables of a file by name, unknown where this reading of it might err; None when it cannot be read."""
    try:
        text = read_bytes(Path(path)).decode()
    except (Unreadable, UnicodeDecodeError):
        return None
    found: dict[str, Value] = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            found[match.group(1)] = value_of(match.group(2))
    return found


def value_of(text: str) -> Value:
    """The value of one line: quoted, or up to a comment; interpolation and escapes are not followed."""
    quoted = QUOTED.fullmatch(text)
    if "$" in text or "\\" in text or (text[:1] in ("'", '"') and not quoted):
        return Unknown(FILE)
    if quoted:
        return Const(quoted.group(1) if quoted.group(1) is not None else quoted.group(2), FILE)
    return Const("" if text.startswith("#") else COMMENT.sub("", text).rstrip(), FILE)


@model("dotenv.load_dotenv", "dotenv.main.load_dotenv")
def load(this: Call) -> list[Outcome]:
    """Variables from a file: those that are not set, with ``override`` all of them.

    A file that is not in the tree can, without ``override``, only fill what the launch leaves open.
    """
    override = this.args.names.get("override", FALSE)
    failed = opaque_calls.opaque_failures(this.m, this.state, this.frame, this.node, f"{this.path}()")[:1]
    path = path_of(this)
    found = values_in(path) if path else None
    if found is None and override != FALSE:
        variables.any_name(this.m, this.state, variables.ENVIRON, this.site)
    for name, value in (found or {}).items():
        put(this, name, value, override)
    return [*this.done(Unknown(FILE)), *failed]


def put(this: Call, name: str, value: Value, override: Value) -> None:
    """One variable, where it is not set already or the file wins."""
    there = variables.variable(this.m, name, this.state)
    if override == FALSE:
        kept = [kept_or(part(there, lane), value) for lane in range(len(this.m.lanes))]
        if all(new is None for new in (kept[lane] for lane in lane_numbers(this.state.lanes))):
            return
        value = this.m.per_lane(part(there, i) if new is None else new for i, new in enumerate(kept))
    elif not isinstance(override, Const):
        value = Unknown(FILE)
    environ = Ref(variables.ENVIRON)
    variables.set_environ(this.m, environ, Const(name), value, this.state, this.frame, this.node)


def kept_or(there: Value, value: Value) -> Value | None:
    """What stands after a file that wins nothing: the file's value where none is set, None for the old one."""
    if isinstance(there, Const):
        return value if there.value is None else None
    return tainted(there, FILE)


@model("dotenv.dotenv_values", "dotenv.main.dotenv_values")
def values(this: Call) -> list[Outcome]:
    """The variables of a file as a dict."""
    path = path_of(this)
    found = values_in(path) if path else None
    cell = Cell("dict", items=found or {})
    cell.open = found is None
    return this.done(this.m.new(this.state, cell))


@model("dotenv.find_dotenv", "dotenv.main.find_dotenv")
def find(this: Call) -> list[Outcome]:
    """The path of the nearest file; another one may stand where the program runs, if none is in the tree."""
    name = this.text(0, "filename") if this.args.plain or "filename" in this.args.names else ".env"
    path = nearest(this, name) if name and "usecwd" not in this.args.names else ""
    return this.done(Const(path) if path else Unknown(FILE))
