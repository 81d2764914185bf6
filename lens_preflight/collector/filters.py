"""Processors that drop telemetry by condition: ``filter`` in its old and new forms, and tail sampling."""

from __future__ import annotations

from collections.abc import Iterator

from lens_preflight.collector.model import CollectorConfig, Component
from lens_preflight.collector.ottl import Call, Condition, Facts, Path
from lens_preflight.collector.ottl_parser import ENUMS, parse
from lens_preflight.collector.statements import in_context
from lens_preflight.collector.values import Truth
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Location
from lens_preflight.documents import Mapping, Node, Scalar
from lens_preflight.documents.tree import Plain

_SECTIONS = {
    ("traces", "span"): "traces",
    ("traces", "resource"): "traces",
    ("metrics", "metric"): "metrics",
    ("metrics", "datapoint"): "metrics",
    ("metrics", "resource"): "metrics",
    ("logs", "log_record"): "logs",
    ("logs", "resource"): "logs",
}
_FLAT = {"trace_conditions": "traces", "metric_conditions": "metrics", "log_conditions": "logs"}
_OLD_KEYS = frozenset(
    {"match_type", "attributes", "resources", "resource_attributes", "record_attributes", "services"}
    | {"metric_names", "span_names", "severity_number"}
)
_OLD = {"spans": "traces", "metrics": "metrics", "logs": "logs"}


@dataclass(frozen=True)
class DropCondition:
    """One condition; what fulfils it is dropped. ``parsed`` is None when it is beyond our reading."""

    signal: str
    text: str
    at: Location
    parsed: Condition | None


@dataclass(frozen=True)
class DropStage:
    """A processor and its conditions, any of which drops; ``whole_traces`` for tail sampling."""

    component: Component
    conditions: tuple[DropCondition, ...]
    error_mode: str = ""
    whole_traces: bool = False

    def drops(self, signal: str, facts: Facts) -> bool | None:
        """Whether an item of which these facts are known is dropped; None when that cannot be told."""
        mine = [c for c in self.conditions if c.signal == signal]
        results = [c.parsed.judged(facts) if c.parsed is not None else Truth.UNKNOWN for c in mine]
        if Truth.YES in results:
            return True
        return False if set(results) <= {Truth.NO} else None

    def reads(self, keys: tuple[str, ...]) -> bool:
        """Whether a condition reads one of these attributes, of the resource or of the item itself."""
        return any(
            any(path.key in keys for path in c.parsed.paths()) if c.parsed else any(k in c.text for k in keys)
            for c in self.conditions
        )


def drop_stages(config: CollectorConfig) -> dict[str, DropStage]:
    """The dropping processors by id."""
    stages: dict[str, DropStage] = {}
    for identity, component in config.of("processors").items():
        if component.type == "filter":
            conditions = tuple(_filter_conditions(component))
            stages[identity] = DropStage(component, conditions, component.text("error_mode") or "propagate")
        elif component.type == "tail_sampling":
            conditions = tuple(_drop_policies(component))
            if conditions:
                stages[identity] = DropStage(component, conditions, "ignore", whole_traces=True)
    return stages


def _filter_conditions(component: Component) -> Iterator[DropCondition]:
    body = component.body
    if body is None:
        return
    for (section, context), signal in _SECTIONS.items():
        for node in body.children(section, context):
            yield _condition(signal, node, "resource" if context == "resource" else "")
    for key, signal in _FLAT.items():
        for node in body.children(key):
            found = _condition(signal, node, "")
            if "spanevent." not in found.text:  # drops events of spans, not spans
                yield found
    for key, signal in _OLD.items():
        yield from _old_form(body.get(key), signal)


def _condition(signal: str, node: Node, context: str) -> DropCondition:
    text = node.text_value if isinstance(node, Scalar) else ""
    if isinstance(node, Mapping):  # {context: ..., conditions: [...]}: taken as it is written
        text = node.text("condition") or ""
    try:
        parsed: Condition | None = in_context(parse(text), context)
    except ValueError:
        parsed = None
    return DropCondition(signal, text, node.at, parsed)


def _old_form(section: Node | None, signal: str) -> Iterator[DropCondition]:
    """``spans: {exclude: {match_type: strict, attributes: [{key, value}]}}``; include drops the rest."""
    for word in ("exclude", "include"):
        block = section.get(word) if section is not None else None
        if not isinstance(block, Mapping):
            continue
        parts = list(_old_parts(block))
        complete = set(block.entries) <= _OLD_KEYS
        either = (
            signal == "metrics" and word == "exclude"
        )  # resources and names are asked one after the other
        joined = Condition("or" if either else "and", tuple(parts)) if parts and complete else None
        if joined is not None and word == "include":
            joined = Condition("not", (joined,))
        shown = ", ".join(str(block.get(key).data()) for key in block.entries if key != "match_type")  # type: ignore[union-attr]
        yield DropCondition(signal, f"{word} {shown}", block.at, joined)


def selection(component: Component, word: str, signal: str) -> Condition | None:
    """What ``include`` or ``exclude`` of a processor asks for; None when it is not there."""
    block = component.get(word)
    if block is None:
        return None
    nothing_known = Condition("is", (), Path("", ""))
    if not isinstance(block, Mapping):
        return nothing_known
    parts = list(_old_parts(block))
    if not set(block.entries) <= _OLD_KEYS or (signal != "metrics" and block.get("metric_names") is not None):
        parts.append(nothing_known)
    return Condition("and", tuple(parts)) if parts else nothing_known


def _old_parts(block: Mapping) -> Iterator[Condition]:
    """What a block asks, one condition for each of its keys; patterns are found anywhere (measured)."""
    exact = block.text("match_type") != "regexp"
    for key, kind in (
        ("attributes", "attributes"),
        ("record_attributes", "attributes"),
        ("resources", "resource"),
        ("resource_attributes", "resource"),
    ):
        asked = []
        for entry in block.children(key):
            path = Path(kind, entry.text("key") or "")
            value = entry.get("value")
            if not isinstance(value, Scalar):
                asked.append(Condition("!=", (), path, None))
            else:
                asked.append(_same(path, value.text_value if not exact else value.value, exact))
        if asked:
            yield Condition("and", tuple(asked))
    for path, keys in (
        (Path("name", "value"), ("metric_names", "span_names")),
        (Path("resource", "service.name"), ("services",)),
    ):
        words = [i.text_value for key in keys for i in block.children(key) if isinstance(i, Scalar)]
        if words:
            yield Condition("or", tuple(_same(path, word, exact) for word in words))
    least = block.text("severity_number", "min")
    if least is not None:
        bound = ENUMS.get(f"SEVERITY_NUMBER_{least.upper()}")
        yield Condition(">=", (), Path("severity_number", "value"), Path("", "") if bound is None else bound)


def _same(path: Path, value: Plain, exact: bool) -> Condition:
    return Condition("==", (), path, value) if exact else Condition("is", (), Call("IsMatch", (path, value)))


def _drop_policies(component: Component) -> Iterator[DropCondition]:
    """Policies of type ``drop`` in tail sampling; they drop whole traces."""
    for policy in component.body.children("policies") if component.body is not None else ():
        if policy.text("type") != "drop":
            continue
        for sub in policy.children("drop", "drop_sub_policy"):
            for node in sub.children("ottl_condition", "span"):
                yield _condition("traces", node, "")
            if sub.get("boolean_attribute") is not None:
                key = sub.text("boolean_attribute", "key") or ""
                wanted = sub.flag("boolean_attribute", "value") is not False
                parsed = Condition("==", (), Path("attributes", key), wanted)
                yield DropCondition("traces", f"{key} == {str(wanted).lower()}", sub.at, parsed)
