"""What Prometheus refuses in a file of rules, and with it every rule that the file holds.

The rules are those of Prometheus 2.42 to 3.10 (``model/rulefmt``); keys that vmalert, Thanos, Mimir or
Loki add are theirs. What only one version refuses is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.firing import seconds
from lens_preflight.dashboards.go_templates import fault
from lens_preflight.dashboards.model import Failure
from lens_preflight.documents import Malformed, Mapping, Node, Scalar
from lens_preflight.documents.tree import Sequence

_KEYS = frozenset({"record", "alert", "expr", "for", "keep_firing_for", "labels", "annotations"})
_GROUP_KEYS = frozenset({"name", "interval", "query_offset", "limit", "rules", "labels"})
_VM_RULE_KEYS = frozenset({"debug", "update_entries_limit"})
_VM_GROUP_KEYS = frozenset(
    {"concurrency", "type", "params", "headers", "notifier_headers", "tenant", "extra_filter_labels"}
    | {"eval_offset", "eval_delay", "eval_alignment"}
)
_OTHER_GROUP_KEYS = frozenset(
    {"partial_response_strategy", "source_tenants", "evaluation_delay", "user", "remote_write"}
    | {"align_evaluation_time_on_interval", "align_execution_time_on_interval"}
)
_TIMES = ("interval", "query_offset", "for", "keep_firing_for")
_TEXTS = ("labels", "annotations")
_RENDERED = re.compile(
    r"\{%|\{#|\{\{-?\s*(?:`|\"\{\{|'\{\{)|\.(?:Values|Release|Chart|Files|Capabilities)\b|\binclude\s+\""
)
"""What Helm and Jinja write, and escape, where a template is to be rendered before it is a file of rules."""

_OLD_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_ASIDE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|#[^\n]*")
_PAIRS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, eq=False)
class RuleSet:
    """What holds ``groups``: ``whole`` when nothing else may stand beside them, as in a file of its own.

    ``victoria`` when vmalert reads it.
    """

    holder: Node
    whole: bool = False
    victoria: bool = False

    @property
    def groups(self) -> tuple[Node, ...]:
        """The groups."""
        return self.holder.children("groups")


def refuse_malformed(sets: Iterable[RuleSet]) -> None:
    """Read the rules as strictly as Prometheus does.

    A template that is to be rendered is judged by its rules only, and without their templates.

    Raises:
        Malformed: a group or a rule has no name or two, lacks its expression, has a key or a value that
            none has.
    """
    for one in sets:
        victoria = one.victoria or any(_of_victoria(group) for group in one.groups)
        strict = not any(_is_rendered(group) for group in one.groups)
        names: set[str] = set()
        if strict and one.whole and one.groups:
            _refuse_beside(one.holder)
        for group in one.groups:
            rules = [raw for raw in group.children("rules") if _is_rule(raw)]
            if strict and not _is_foreign(group):
                _refuse_group(group, names, victoria)
            for raw in rules:
                _refuse(raw)
                if strict:
                    _refuse_values(raw, raw.text("record") or raw.text("alert") or "", victoria)


def new_names(sets: Iterable[RuleSet]) -> Iterator[Failure]:
    """Names of series, labels and annotations that Prometheus takes from 3.0 on, and refuses before."""
    for group in (group for one in sets for group in one.groups):
        for raw in (raw for raw in group.children("rules") if _is_rule(raw) and not _is_rendered(raw)):
            recorded = raw.text("record") or ""
            if recorded and not _OLD_NAME.fullmatch(recorded):
                yield Failure(f"the recorded series {recorded}", raw.at)
            for key in _TEXTS:
                block = raw.get(key)
                for label in block.entries if isinstance(block, Mapping) else ():
                    if not _OLD_NAME.fullmatch(label) or ":" in label:
                        yield Failure(f"{label} among the {key}", block.at if block else raw.at)


def _is_rule(raw: Node) -> bool:
    return (
        isinstance(raw, Mapping)
        and bool({"record", "alert"} & set(raw.entries))
        and "data" not in raw.entries
    )


def _is_null(node: Node | None) -> bool:
    return node is None or (isinstance(node, Scalar) and node.value is None)


def _is_foreign(group: Node) -> bool:
    """Whether a group is one of Grafana's alerting, or of an answer of the API."""
    return any(
        isinstance(raw, Mapping) and ("data" in raw.entries or "query" in raw.entries)
        for raw in group.children("rules")
    )


def _of_victoria(group: Node) -> bool:
    """Whether vmalert is to read a group: durations are its own there (1.5h, 5), and so are functions."""
    rules = [set(raw.entries) for raw in group.children("rules") if isinstance(raw, Mapping)]
    own = set(group.entries) if isinstance(group, Mapping) else set()
    return bool(own & _VM_GROUP_KEYS) or any(keys & _VM_RULE_KEYS for keys in rules)


def _is_rendered(group: Node) -> bool:
    """Whether marks of a template stand where Prometheus knows none, or are those of another program."""
    if group.path.endswith((".j2", ".jinja", ".jinja2", ".tpl", ".tmpl", ".gotmpl")):
        return True
    return any(
        _RENDERED.search(text) or ("{{" in text and not inside) for text, inside in _texts(group, False)
    )


def _texts(node: Node, inside: bool) -> Iterator[tuple[str, bool]]:
    """All texts, and whether each stands in labels or annotations."""
    if isinstance(node, Scalar):
        yield node.text_value, inside
    elif isinstance(node, Mapping):
        for key, value in node.entries.items():
            yield key, False
            yield from _texts(value, inside or key in _TEXTS)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _texts(item, inside)


def _refuse_beside(holder: Node) -> None:
    """Refuse keys beside ``groups``; ``namespace`` is what Mimir's tool reads."""
    keys = holder.entries if isinstance(holder, Mapping) else {}
    unknown = next((key for key in keys if key not in ("groups", "namespace")), None)
    if unknown is not None and isinstance(holder, Mapping):
        raise Malformed(f"the key {unknown} stands beside groups", holder.key_at(unknown))


def _refuse_group(group: Node, names: set[str], victoria: bool) -> None:
    if _is_null(group):
        return
    if not isinstance(group, Mapping):
        raise Malformed("a group is no mapping", group.at)
    name = group.text("name") or ""
    if not name:
        raise Malformed("a group has no name", group.at)
    if name in names:
        raise Malformed(f"the name {name} of a group is repeated in the file", group.key_at("name"))
    names.add(name)
    allowed = _GROUP_KEYS | _VM_GROUP_KEYS | _VM_RULE_KEYS | _OTHER_GROUP_KEYS
    unknown = next((key for key in group.entries if key not in allowed), None)
    if unknown is not None:
        raise Malformed(f"the group {name} has the unknown key {unknown}", group.key_at(unknown))
    rules = group.get("rules")
    if not isinstance(rules, Sequence) and not _is_null(rules):
        raise Malformed(f"the rules of the group {name} are no list", group.key_at("rules"))
    for raw in group.children("rules"):
        if not _is_rule(raw) and not _is_null(raw):
            raise Malformed(f"a rule of the group {name} has neither record nor alert", raw.at)
    limit = group.get("limit")
    if not _is_null(limit) and type(limit.data() if limit else None) not in (int, float):
        raise Malformed(f"the limit of the group {name} is no number", group.key_at("limit"))
    _refuse_values(group, f"group {name}", victoria)


def _refuse(raw: Node) -> None:
    assert isinstance(raw, Mapping)
    name = raw.text("record") or raw.text("alert") or ""
    if raw.text("record") and raw.text("alert"):
        raise Malformed(f"the rule {name} has both record and alert", raw.at)
    if not name:
        raise Malformed("a rule has neither record nor alert", raw.at)
    unknown = next((key for key in raw.entries if key not in _KEYS | _VM_RULE_KEYS), None)
    if unknown is not None:
        raise Malformed(f"the rule {name} has the unknown key {unknown}", raw.entries[unknown].at)
    expression = raw.get("expr")
    if not isinstance(expression, Scalar) or not expression.text_value.strip():
        raise Malformed(f"the rule {name} has no expr", raw.at)
    problem = _unbalanced(expression.text_value)
    if problem:
        raise Malformed(f"the expression of the rule {name} {problem}", expression.at)


def _refuse_values(raw: Node, name: str, victoria: bool) -> None:
    """Refuse durations that are none, labels that no series may have, and templates that Go cannot read."""
    records = raw.get("record") is not None
    for key in _TIMES:
        written = raw.get(key)
        if written is None or _is_null(written):
            continue
        text = written.text_value if isinstance(written, Scalar) else "a list"
        length = seconds(text)
        if length is None and not victoria:
            raise Malformed(f"the {key} of {name}, {text}, is no duration", written.at)
        if records and length != 0:
            raise Malformed(f"the rule {name} records, and has {key}", written.at)
    if records and ("{" in name or "}" in name):
        raise Malformed(f"the name {name} of a recorded series has braces", raw.at)
    for key in _TEXTS:
        written = raw.get(key)
        if written is None or _is_null(written):
            continue
        if not isinstance(written, Mapping):
            raise Malformed(f"the {key} of {name} are no mapping", written.at)
        if records and key == "annotations" and written.entries:
            raise Malformed(f"the rule {name} records, and has annotations", written.at)
        for label, value in written.entries.items():
            _refuse_text(key, label, value, name)
            told = fault(value.text_value) if isinstance(value, Scalar) and raw.get("alert") else ""
            if told and not victoria:
                raise Malformed(f"the template {label} of {name} {told}", value.at)


def _refuse_text(key: str, label: str, value: Node, name: str) -> None:
    if not isinstance(value, Scalar):
        raise Malformed(f"{label} among the {key} of {name} is no text", value.at)
    if not label or (key == "labels" and label == "__name__"):
        raise Malformed(f"the {key} of {name} cannot have {label or 'an empty name'}", value.at)


def _unbalanced(text: str) -> str:
    """What is wrong with the brackets and quotes, whatever version of the language it is; empty: nothing."""
    rest = _ASIDE.sub(" ", text)
    if any(mark in rest for mark in "\"'`"):
        return "has a quote that is not closed"
    opened: list[str] = []
    for char in rest:
        if char in "([{":
            opened.append(char)
        elif char in _PAIRS and (not opened or opened.pop() != _PAIRS[char]):
            return f"has a {char} too many"
    return f"has a {opened[-1]} that is not closed" if opened else ""
