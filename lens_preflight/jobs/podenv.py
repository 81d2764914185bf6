"""The environment of a container in a pod."""

from __future__ import annotations

import re
from typing import Any

from lens_preflight.core.finding import Location
from lens_preflight.core.words import Spread
from lens_preflight.jobs.pods import Template
from lens_preflight.jobs.run import Run
from lens_preflight.jobs.secrets import look
from lens_preflight.jobs.state import Bound, Exported, Rest
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.yamlnodes import flag, get, items, line_of, pairs, scalar

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][\w.-]*)\)")


_PER_POD = ("metadata.name", "metadata.uid", "status.podip", "status.hostip", "spec.nodename")


def _config_maps(documents: list[Any]) -> dict[str, dict[str, tuple[str, int]]]:
    found: dict[str, dict[str, tuple[str, int]]] = {}
    for document in documents:
        if scalar(get(document, "kind")) == "ConfigMap":
            name = scalar(get(document, "metadata", "name")) or ""
            found[name] = {k: (scalar(v) or "", line_of(v)) for k, v in pairs(get(document, "data"))}
    return found


def _environment(template: Template, container: Any, maps: Any, path: str, run: Run) -> Exported:
    at = Location.file(path, line_of(container))
    env: dict[str, Bound] = {}
    rest = Rest()
    for given in template.provided:
        spread = Spread.NODE if given.endswith(("RANK", "INDEX")) else Spread.JOB
        known = template.extra.get(given)
        one = Symbol(given, Cause.POD, spread, known=known, reason="set by the operator")
        env[given] = Bound(Text.of(one), None, template.label)
    for source in items(get(container, "envFrom")):
        config = scalar(get(source, "configMapRef", "name")) or ""
        prefix = scalar(get(source, "prefix")) or ""
        if config in maps:
            for key, (value, line) in maps[config].items():
                env[prefix + key] = Bound(literal(value), Location.file(path, line), "ConfigMap")
        else:
            rest = Rest(False, Cause.OPAQUE, "envFrom names an object that is not in this file",
                        Location.file(path, line_of(source)))  # fmt: skip
    for entry in items(get(container, "env")):
        name = scalar(get(entry, "name"))
        if not name:
            continue
        where = Location.file(path, line_of(get(entry, "value") or get(entry, "name")))
        bound = _entry(entry, name, env, maps, path)
        env[name] = bound
        if bound.value is not None:
            look(run, name, bound.value, bound.at or where, True)
    assert at is not None
    return Exported(env, rest)


def _entry(entry: Any, name: str, env: dict[str, Bound], maps: Any, path: str) -> Bound:
    value = get(entry, "value")
    at = Location.file(path, line_of(get(entry, "name")))
    if get(entry, "valueFrom") is None:
        if value is not None:
            at = Location.file(path, line_of(value))
        return Bound(_expanded(scalar(value) or "", env), at, "env")
    source = get(entry, "valueFrom")
    field_path = scalar(get(source, "fieldRef", "fieldPath"))
    if field_path is not None:
        per_pod = field_path.lower() in _PER_POD or "completion-index" in field_path
        spread = Spread.NODE if per_pod else Spread.JOB
        one = Symbol(field_path, Cause.POD, spread, reason=f"{field_path} of the pod")
        return Bound(Text.of(one), Location.file(path, line_of(get(entry, "name"))), "fieldRef")
    config = get(source, "configMapKeyRef")
    if config is not None:
        data = maps.get(scalar(get(config, "name")) or "", {})
        found = data.get(scalar(get(config, "key")) or "")
        if found is not None:
            return Bound(literal(found[0]), Location.file(path, found[1]), "ConfigMap")
    kind = "secret" if get(source, "secretKeyRef") is not None else "config map"
    optional = flag(get(source, "secretKeyRef", "optional") or get(source, "configMapKeyRef", "optional"))
    one = Symbol(name, Cause.POD, reason=f"read from a {kind} at start", optional=optional)
    return Bound(Text.of(one), at, "valueFrom")


def _expanded(text: str, env: dict[str, Bound]) -> Text:
    """``$(NAME)`` of an earlier entry; a name that is none stays as it is written."""
    pieces: list[str | Symbol] = []
    start = 0
    for match in _REFERENCE.finditer(text):
        pieces.append(text[start : match.start()])
        start = match.end()
        bound = env.get(match[1]) if match[1] else None
        if match[0] == "$$":
            pieces.append("$")
        elif bound is not None and bound.value is not None:
            pieces += bound.value.pieces
        else:
            pieces.append(match[0])
    pieces.append(text[start:])
    return Text.of(*pieces)
