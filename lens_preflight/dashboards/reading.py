"""From files to dashboards: what kind of file it is, and the wrappers that dashboards travel in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.dashboards.classic import read_classic
from lens_preflight.dashboards.kibana import is_saved_object, read_kibana
from lens_preflight.dashboards.model import Dashboard, Document, Failure, Keys, Spot
from lens_preflight.dashboards.schema2 import read_schema2
from lens_preflight.documents import JsonDocument, Malformed, Node, Scalar, Text, read_json, read_yaml
from lens_preflight.documents.tree import Mapping as Block
from lens_preflight.documents.tree import Sequence as Items

SUFFIXES = (".json", ".ndjson", ".yaml", ".yml", ".jsonnet", ".libsonnet", ".tf")
_MARKS = re.compile(r"schemaVersion|\"panels\"|dashboard\.grafana\.app|GrafanaDashboard|panelsJSON")
"""What only dashboards hold; a broken file of a folder without any of it is another kind of file."""

_PROGRAMS = {
    (".jsonnet", ".libsonnet"): "Jsonnet; render it first: jsonnet {path} > dashboard.json",
    (".tf", ".tf.json", ".hcl"): "Terraform; export the dashboard from Grafana, or give the JSON it loads",
    (".py",): "a Python program; run it and give the JSON that it prints",
    (".cue",): "CUE; render it first: cue export {path} > dashboard.json",
}


@dataclass(frozen=True, eq=False)
class YamlDocument:
    """A YAML tree behind the same interface as a JSON document."""

    path: str
    root: Node

    def line(self, keys: Keys) -> int:
        """The line of the value below some keys, or of the nearest thing above it."""
        node: Node | None = self.root
        line = self.root.line
        for key in keys:
            if isinstance(node, Block) and isinstance(key, str):
                node = node.entries.get(key)
            elif isinstance(node, Items) and isinstance(key, int) and key < len(node.items):
                node = node.items[key]
            else:
                return line
            line = node.line if node is not None else line
        return line


def dashboards_in(source: Text) -> Iterator[Dashboard]:
    """The dashboards of one file.

    A file that the user named is answered in any case (a failure, or what is not evaluated); files
    found in a folder that are no dashboards are passed over.
    """
    program = _program(source.path)
    if program:
        yield _blank(source.path, opaque=program)
        return
    try:
        found = list(_dashboards(source))
    except Malformed as error:
        if source.named or _MARKS.search(source.text):
            yield _blank(source.path, failure=Failure(error.reason, error.at))
        return
    if not found and source.named:
        reason = "it holds no dashboard (no panels, rows, elements or saved objects)"
        yield _blank(source.path, failure=Failure(reason, Location.file(source.path, 1)))
    yield from found


def _dashboards(source: Text) -> Iterator[Dashboard]:
    text = source.text.lstrip("\ufeff \t\r\n")
    if text.startswith(("{", "[")) and not source.path.endswith((".yaml", ".yml")):
        yield from _json_dashboards(source)
        return
    if not text:
        return
    for root in read_yaml(source.text, source.path):
        document = YamlDocument(source.path, root)
        yield from _unwrap(document, root.data(), (), root)


def _json_dashboards(source: Text) -> Iterator[Dashboard]:
    """One JSON value, or one per line (saved objects of Kibana)."""
    try:
        document = read_json(source.text, source.path)
    except Malformed:
        lines = [(n, line) for n, line in enumerate(source.text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not _is_json(lines[0][1]):
            raise
        documents = [read_json(line, source.path, n, one_line=True) for n, line in lines]
        objects = [(d, d.data) for d in documents if is_saved_object(d.data)]
        if objects:
            yield read_kibana(list(objects))
        return
    yield from _unwrap(document, document.data, (), None)


def _is_json(line: str) -> bool:
    try:
        read_json(line, "")
    except Malformed:
        return False
    return True


def _unwrap(document: Document, data: Any, keys: Keys, node: Node | None) -> Iterator[Dashboard]:
    """Take the wrappers off: API envelope, list, ConfigMap, GrafanaDashboard, versioned resource."""
    if isinstance(data, list):
        for n, item in enumerate(data):
            inner = node.items[n] if isinstance(node, Items) else None
            yield from _unwrap(document, item, (*keys, n), inner)
        return
    if not isinstance(data, Mapping):
        return
    if is_saved_object(data):
        yield read_kibana([(document, data)])
        return
    version = str(data.get("apiVersion") or "")
    if version.startswith("dashboard.grafana.app/"):
        yield from _resource(document, data, keys, version.partition("/")[2])
    elif (
        data.get("kind") in ("ConfigMap", "Secret", "GrafanaDashboard", "List")
        or "configMapGenerator" in data
    ):
        yield from _kubernetes(document, data, keys, node)
    elif isinstance(data.get("dashboard"), Mapping):
        yield from _unwrap(document, data["dashboard"], (*keys, "dashboard"), _below(node, "dashboard"))
    elif isinstance(data.get("elements"), Mapping) and isinstance(data.get("layout"), Mapping):
        yield read_schema2(document, data, Spot(document, keys), "v2")
    elif _is_classic(data):
        yield read_classic(document, data, Spot(document, keys))


def _is_classic(data: Mapping[str, Any]) -> bool:
    holds_panels = isinstance(data.get("panels"), list) or isinstance(data.get("rows"), list)
    return holds_panels or ("schemaVersion" in data and "title" in data)


def _resource(document: Document, data: Mapping[str, Any], keys: Keys, version: str) -> Iterator[Dashboard]:
    spec = data.get("spec")
    if isinstance(spec, Mapping):
        spot = Spot(document, (*keys, "spec"))
        if version.startswith("v2"):
            yield read_schema2(document, spec, spot, version)
        elif version.startswith(("v0", "v1")):
            yield read_classic(document, spec, spot)
        else:
            told = f"a dashboard of API version {version or '(none)'}; export it as v2 or in the classic form"
            yield Dashboard(document.path, "", "", spot, opaque=told)


def _kubernetes(
    document: Document, data: Mapping[str, Any], keys: Keys, node: Node | None
) -> Iterator[Dashboard]:
    """Dashboards as JSON text inside a Kubernetes object."""
    if data.get("kind") == "List":
        for n, item in enumerate(data.get("items") or []):
            items = _below(node, "items")
            inner = items.items[n] if isinstance(items, Items) else None
            yield from _unwrap(document, item, (*keys, "items", n), inner)
        return
    holder = "spec" if data.get("kind") == "GrafanaDashboard" else "data"
    texts = data.get(holder)
    if not isinstance(texts, Mapping):
        return
    for name, value in texts.items():
        if isinstance(value, str) and value.lstrip().startswith("{") and (holder == "data" or name == "json"):
            text = _embedded(document, value, (*keys, holder, name), _below(node, holder, name))
            yield from _unwrap(text, text.data, (), None)


def _embedded(document: Document, text: str, keys: Keys, node: Node | None) -> JsonDocument:
    """JSON in a block scalar keeps its lines; in any other string it has the line of the string."""
    block = isinstance(node, Scalar) and "\n" in text and node.quoted
    return read_json(text, document.path, document.line(keys), one_line=not block)


def _below(node: Node | None, *keys: str) -> Node | None:
    return node.get(*keys) if node is not None else None


def _program(path: str) -> str:
    for endings, text in _PROGRAMS.items():
        if path.endswith(endings):
            return text.format(path=re.sub(r".*/", "", path))
    return ""


def _blank(path: str, failure: Failure | None = None, opaque: str = "") -> Dashboard:
    document = JsonDocument(path, "", None)
    return Dashboard(path, "", "", Spot(document), failure=failure, opaque=opaque)
