"""Conditions on spans and documents, as TraceQL, KQL and Lucene write them, in one form to evaluate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lens_preflight.core.data import dataclass
from lens_preflight.dashboards.intrinsics import SCOPED
from lens_preflight.dashboards.selectors import Matcher

_SCOPES = (
    "resource.attributes.",
    "span.attributes.",
    "attributes.",
    "Attributes.",
    "Resource.",
    "resource.",
    "span.",
    "labels.",
    "metrics.",
    ".",
)


def canonical(field: str) -> str:
    """The attribute that a field path means, without scope and ``.keyword``."""
    field = SCOPED.get(field, field.removesuffix(".keyword"))
    for scope in _SCOPES:
        if field.startswith(scope) and len(field) > len(scope):
            return field[len(scope) :]
    return field


@dataclass(frozen=True)
class Condition:
    """``op`` is and, or, not, true, or a comparison (``= != =~ !~ < > <= >= exists``) of ``field``.

    Other comparisons (``range``, ``near``) are not evaluated. ``bare`` for a value without quotes.
    """

    op: str
    parts: tuple[Condition, ...] = ()
    field: str = ""
    value: str | None = None
    bare: bool = False

    def holds(self, known: Mapping[str, str | None]) -> bool | None:
        """Three-valued: None when it hangs on an attribute that ``known`` does not list.

        A None in ``known`` means that the attribute is absent; comparing it gives False.
        """
        if self.op == "true":
            return True
        if self.op == "not":
            inner = self.parts[0].holds(known)
            return None if inner is None else not inner
        if self.op in ("and", "or"):
            results = [part.holds(known) for part in self.parts]
            decisive = self.op == "or"
            if decisive in results:
                return decisive
            return None if None in results else not decisive
        return self._compare(known)

    def _compare(self, known: Mapping[str, str | None]) -> bool | None:
        name = canonical(self.field)
        if name not in known:
            return None
        text = None if name == "nemo.span.truncated" and self.of_resource else known[name]
        if self.value is None:  # nil in TraceQL
            return (text is None) is (self.op == "=")
        if self.op == "exists":
            return text is not None
        if text is None:
            return False
        if self.op in ("=", "!=", "=~", "!~"):
            return Matcher(name, self.op, self.value).accepts(text)
        return None

    @property
    def of_resource(self) -> bool:
        """Whether the field is one of the resource, where no attribute of a span is."""
        return self.field.startswith(("resource.", "Resource."))

    def leaves(self) -> Iterator[Condition]:
        """All comparisons."""
        if self.parts:
            for part in self.parts:
                yield from part.leaves()
        elif self.field:
            yield self

    def required(self) -> Iterator[Condition]:
        """The comparisons that must hold: those joined by *and* at the top."""
        if self.op == "and":
            for part in self.parts:
                yield from part.required()
        elif self.field:
            yield self
        elif self.op == "not" and self.parts[0].field and self.parts[0].op in _NEGATED:
            inner = self.parts[0]
            yield Condition(_NEGATED[inner.op], (), inner.field, inner.value, inner.bare)

    def matchers(self) -> tuple[Matcher, ...]:
        """What must hold, as matchers; comparisons that are none are left out."""
        return tuple(
            Matcher(leaf.field, leaf.op, leaf.value, leaf.bare)
            for leaf in self.required()
            if leaf.op in _NEGATED and leaf.value is not None
        )


_NEGATED = {"=": "!=", "!=": "=", "=~": "!~", "!~": "=~"}
ALWAYS = Condition("true")


def with_field(condition: Condition, field: str) -> Condition:
    """``field: (a or b)``: the bare values are values of that field."""
    parts = tuple(with_field(part, field) for part in condition.parts)
    own = field if condition.field == "*" else condition.field
    return Condition(condition.op, parts, own, condition.value, condition.bare)


def both(first: Condition, second: Condition) -> Condition:
    """The two joined by *and*."""
    if first.op == "true":
        return second
    return first if second.op == "true" else Condition("and", (first, second))
