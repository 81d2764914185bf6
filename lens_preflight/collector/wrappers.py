"""What configurations travel in: plain files, Kubernetes objects, Helm values; and what is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.collector.chart import over_chart
from lens_preflight.collector.model import Deployment
from lens_preflight.collector.types import TOP_LEVEL
from lens_preflight.core.data import dataclass, field, replace
from lens_preflight.documents import Mapping, Node, Scalar, Text, read_yaml

_ALLOY = re.compile(r"^\s*otelcol\.\w+(\.\w+)*\s+\"[^\"]*\"\s*\{", re.M)
_ROTEL = re.compile(r"^\s*(export\s+)?ROTEL_[A-Z_]+=", re.M)
_IMAGE = re.compile(r"(opentelemetry-collector|otelcol|otel/)", re.I)
_TAG = re.compile(r":v?(?P<major>[0-9]{1,9})\.(?P<minor>[0-9]{1,9})(\.\d+)?([-+].*)?$")


@dataclass(frozen=True)
class Found:
    """One piece of a file: a configuration, one of Tempo, or the name of another language."""

    root: Node | None = None
    tempo: Node | None = None
    dialect: str = "otelcol"
    deployment: Deployment = field(default_factory=Deployment)


def find(source: Text) -> Iterator[Found]:
    """The configurations in a file.

    Raises:
        Malformed: the file, or a text inside it, is not YAML.
    """
    if _ALLOY.search(source.text):
        yield Found(dialect="alloy")
        return
    if _ROTEL.search(source.text):
        yield Found(dialect="rotel")
        return
    for root in read_yaml(source.text, source.path):
        yield from _unwrap(root)


def _unwrap(root: Node) -> Iterator[Found]:
    if not isinstance(root, Mapping):
        return
    kind = root.text("kind")
    if kind == "OpenTelemetryCollector":
        yield from _custom_resource(root)
    elif kind == "ConfigMap":
        data = root.get("data")
        for value in data.entries.values() if isinstance(data, Mapping) else ():
            yield from _text(value)
    elif kind == "List":
        for item in root.children("items"):
            yield from _unwrap(item)
    elif _is_tempo(root):
        yield Found(tempo=root)
    elif set(root.entries) & set(TOP_LEVEL):
        yield Found(root)
    elif _looks_like_config(root.get("config")) or isinstance(root.get("alternateConfig"), Mapping):
        own = root.get("alternateConfig")
        yield Found(own or over_chart(root.get("config")), deployment=_helm(root))
    elif isinstance(root.get("services"), Mapping):
        yield from _compose(root)
    elif kind is None:
        for value in root.entries.values():  # values of a chart that has this one as a dependency
            if isinstance(value, Mapping) and _looks_like_config(value.get("config")):
                yield Found(over_chart(value.get("config")), deployment=_helm(value))


def _text(value: Node) -> Iterator[Found]:
    """A configuration as a text inside another document."""
    if (
        isinstance(value, Scalar)
        and isinstance(value.value, str)
        and re.search(r"^\s*service:", value.value, re.M)
    ):
        for root in read_yaml(value.value, value.path, value.line):
            yield from _unwrap(root)


def _looks_like_config(node: Node | None) -> bool:
    return isinstance(node, Mapping) and bool(set(node.entries) & {"receivers", "exporters", "service"})


def _custom_resource(root: Mapping) -> Iterator[Found]:
    """The operator's resource: a mapping in v1beta1, a text in v1alpha1."""
    config = root.get("spec", "config")
    deployment = _image(
        root.get("spec", "image"), Deployment(mode=root.text("spec", "mode") or "", operator=True)
    )
    deployment = replace(deployment, replicas=_whole(root.get("spec", "replicas")))
    if isinstance(config, Mapping):
        yield Found(config, deployment=deployment)
    elif config is not None:
        for found in _text(config):
            yield replace(found, deployment=deployment)


def _helm(root: Mapping) -> Deployment:
    deployment = Deployment(mode=root.text("mode") or "", replicas=_whole(root.get("replicaCount")))
    tag = root.get("image", "tag")
    if isinstance(tag, Scalar) and tag.text_value:
        return _tagged(f":{tag.text_value}", tag, deployment)
    return deployment


def _compose(root: Mapping) -> Iterator[Found]:
    """A compose file tells the version; its inline ``configs`` may hold the configuration."""
    services = root.get("services")
    deployment = Deployment()
    for service in services.entries.values() if isinstance(services, Mapping) else ():
        image = service.text("image") or ""
        if _IMAGE.search(image):
            deployment = _image(service.get("image"), deployment)
    yield Found(deployment=deployment)
    configs = root.get("configs")
    for config in configs.entries.values() if isinstance(configs, Mapping) else ():
        content = config.get("content")
        if content is not None:
            yield from _text(content)


def _image(node: Node | None, deployment: Deployment) -> Deployment:
    return _tagged(node.text_value, node, deployment) if isinstance(node, Scalar) else deployment


def _tagged(image: str, node: Node, deployment: Deployment) -> Deployment:
    match = _TAG.search(image)
    version = (int(match["major"]), int(match["minor"])) if match else None
    name = image.rpartition("/")[2]
    tag = name.rpartition(":")[2] if ":" in name else "latest"
    return replace(deployment, version=version, tag=tag, tag_at=node.at)


def _whole(node: Node | None) -> int | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, int) else None


def _is_tempo(root: Mapping) -> bool:
    keys = set(root.entries)
    return "metrics_generator" in keys or ({"distributor", "storage"} <= keys and "receivers" not in keys)
