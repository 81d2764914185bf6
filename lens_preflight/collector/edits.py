"""What a processor makes of an item on its way, so that what stands behind it is asked about that."""

from __future__ import annotations

from lens_preflight.collector.actions import act, selects
from lens_preflight.collector.draft import MAPS, Draft
from lens_preflight.collector.editors import run
from lens_preflight.collector.model import Component
from lens_preflight.collector.ottl import Facts
from lens_preflight.collector.statements import statements
from lens_preflight.collector.types import leaves_resource
from lens_preflight.collector.values import Partly, Value
from lens_preflight.core.go_patterns import found_in
from lens_preflight.documents import Scalar

_DETECTED = (
    "host.name host.id host.arch host.type host.image.id os.type os.name os.version os.description "
    "cloud.provider cloud.platform cloud.region cloud.availability_zone cloud.account.id k8s.cluster.name "
    "k8s.node.name container.id deployment.environment"
)
_OF_PODS = (
    "k8s.namespace.name k8s.pod.name k8s.pod.uid k8s.pod.start_time k8s.deployment.name k8s.node.name "
    "k8s.job.name k8s.container.name container.id container.image.name"
)


def edited(component: Component, signal: str, facts: Facts) -> Facts:
    """The facts of an item behind a processor."""
    draft = Draft(facts)
    if component.type == "resource":
        act(component, "resource", "attributes", draft, signal)
    elif component.type == "attributes":
        act(component, "attributes", "actions", draft, signal)
    elif component.type == "transform":
        for statement in statements(component, signal):
            run(statement, draft)
    elif component.type == "span":
        _span(component, draft)
    elif component.type == "redaction":
        _redact(component, draft)
    elif component.type == "groupbyattrs":
        _regroup(component, draft)
    elif component.type in ("resourcedetection", "k8sattributes"):
        for key in (_DETECTED if component.type == "resourcedetection" else _OF_PODS).split():
            draft.put("resource", key, _detected(draft.of("resource", key)))
    elif component.type in ("metricstransform", "unroll", "logdedup", "geoip"):
        draft.blur("attributes")
    elif not leaves_resource(component.type):
        for root in MAPS:
            draft.blur(root)
    else:
        return facts
    return draft.now()


def _detected(before: Value) -> Value:
    """A detector adds or replaces an attribute, or finds nothing."""
    if before in (None, Partly.FOREIGN, Partly.MAYBE):
        return Partly.MAYBE
    return Partly.UNKNOWN if before is Partly.UNKNOWN else Partly.PRESENT


def _span(component: Component, draft: Draft) -> None:
    def change() -> None:
        if component.get("name", "from_attributes") is not None:
            draft.field("span.name", Partly.UNKNOWN)
        if component.get("name", "to_attributes") is not None:
            draft.blur("attributes")
            draft.field("span.name", Partly.UNKNOWN)
        if component.get("status") is not None:
            draft.field("span.status", Partly.UNKNOWN)

    draft.when(selects(component, draft.now(), "traces"), change)


def _redact(component: Component, draft: Draft) -> None:
    """Attributes that are not allowed go, of spans and of the resource."""

    def words(key: str) -> list[str]:
        found = component.body.children(key) if component.body is not None else ()
        return [i.text_value for i in found if isinstance(i, Scalar)]

    kept = {*words("allowed_keys"), *words("ignored_keys")}
    patterns = words("ignored_key_patterns")
    everything = component.flag("allow_all_keys") is True
    masks = any(component.get(key) is not None for key in ("blocked_values", "blocked_key_patterns"))
    for root in MAPS:
        stays = {key: draft.of(root, key) for key in (*draft.keys(root), *kept)}
        if not everything:
            draft.others(root, Partly.UNKNOWN if patterns else None)
        for key, value in stays.items():
            ignored = key in words("ignored_keys") or any(found_in(p, key) is True for p in patterns)
            if everything or ignored or key in kept:
                draft.put(root, key, value if ignored or not masks or value is None else Partly.UNKNOWN)
            else:
                draft.put(
                    root, key, Partly.UNKNOWN if any(found_in(p, key) is None for p in patterns) else None
                )


def _regroup(component: Component, draft: Draft) -> None:
    """Attributes of spans and points move to the resource."""
    for node in component.body.children("keys") if component.body is not None else ():
        if isinstance(node, Scalar):
            value = draft.of("attributes", node.text_value)
            if value is not None and value is not Partly.FOREIGN:
                draft.put("resource", node.text_value, value)
                draft.put("attributes", node.text_value, None)
