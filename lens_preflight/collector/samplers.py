"""What samplers keep of a job's telemetry: ``probabilistic_sampler`` and ``tail_sampling``."""

from __future__ import annotations

from collections.abc import Sequence

from lens_preflight.collector.amounts import is_open, number
from lens_preflight.collector.model import Component
from lens_preflight.collector.ottl import Condition, Facts, Path
from lens_preflight.collector.ottl_parser import parse
from lens_preflight.collector.values import Truth, compare, matches
from lens_preflight.core.finding import Location
from lens_preflight.documents import Node, Scalar

SAMPLERS = ("probabilistic_sampler", "tail_sampling")

_RATES = {
    "probabilistic": ("probabilistic", "sampling_percentage"),
    "rate_limiting": ("rate_limiting", "spans_per_second"),
    "bytes_limiting": ("bytes_limiting", "bytes_per_second"),
}


def drops_all(component: Component, facts: Facts) -> tuple[Truth, Location]:
    """Whether a sampler keeps nothing that looks like this, and the place that decides."""
    if component.type == "probabilistic_sampler":
        at = component.line_of("sampling_percentage")
        if is_open(component, "sampling_percentage"):
            return Truth.UNKNOWN, at
        return (Truth.NO if number(component, "sampling_percentage") else Truth.YES), at
    policies = component.body.children("policies") if component.body is not None else ()
    at = component.line_of("policies")
    whole = component.get("policies")
    if isinstance(whole, Scalar) and whole.open:
        return Truth.UNKNOWN, at
    kept = [keeps(policy, facts) for policy in policies]
    if Truth.YES in kept:
        return Truth.NO, at
    return (Truth.UNKNOWN if Truth.UNKNOWN in kept else Truth.YES), at


def keeps(policy: Node, facts: Facts) -> Truth:
    """Whether a policy keeps some traces of the job; what it keeps by what happens in a trace counts."""
    kind = policy.text("type") or ""
    if kind in ("always_sample", "latency", "status_code", "span_count", "trace_flags"):
        return Truth.YES
    if kind in _RATES:
        node = policy.get(*_RATES[kind])
        if isinstance(node, Scalar) and node.open:
            return Truth.UNKNOWN
        amount = node.value if isinstance(node, Scalar) else None
        return Truth.YES if isinstance(amount, (int, float)) and amount > 0 else Truth.NO
    if kind == "and":
        return _all([keeps(sub, facts) for sub in policy.children("and", "and_sub_policy")])
    if kind == "composite":
        return _any([keeps(sub, facts) for sub in policy.children("composite", "composite_sub_policy")])
    if kind == "drop":
        return Truth.NO
    asked = _asked(policy, facts)
    if policy.flag(kind, "invert_match"):  # what does not match is kept; other policies may keep the rest
        return _OPPOSITE[asked]
    return asked


def _asked(policy: Node, facts: Facts) -> Truth:
    """Policies that look at attributes, names or a condition."""
    kind = policy.text("type") or ""
    block = policy.get(kind)
    if kind in ("string_attribute", "numeric_attribute", "boolean_attribute") and block is not None:
        key = block.text("key") or ""
        values = [facts.of(Path(root, key)) for root in ("resource", "attributes")]
        if kind != "string_attribute":
            return _any([compare("!=", value, None) for value in values])
        words = [i.text_value for i in block.children("values") if isinstance(i, Scalar)]
        by_pattern = bool(block.flag("enabled_regex_matching"))
        return _any([matches(v, w) if by_pattern else compare("==", v, w) for v in values for w in words])
    if kind == "ottl_condition" and block is not None:
        texts = [i for key in ("span", "spanevent") for i in block.children(key) if isinstance(i, Scalar)]
        return _any([_condition(i.text_value).judged(facts) for i in texts])
    return Truth.UNKNOWN


def _condition(text: str) -> Condition:
    try:
        return parse(text)
    except ValueError:
        return Condition("is", (), Path("", ""))


_OPPOSITE = {
    Truth.YES: Truth.NO,
    Truth.NO: Truth.YES,
    Truth.UNLIKELY: Truth.YES,
    Truth.UNKNOWN: Truth.UNKNOWN,
}


def _any(found: Sequence[Truth]) -> Truth:
    """Unlikely is no: a policy for others keeps nothing of the job."""
    return next((t for t in (Truth.YES, Truth.UNKNOWN) if t in found), Truth.NO)


def _all(found: Sequence[Truth]) -> Truth:
    settled = [Truth.NO if t is Truth.UNLIKELY else t for t in found]
    return next((t for t in (Truth.NO, Truth.UNKNOWN) if t in settled), Truth.YES)
