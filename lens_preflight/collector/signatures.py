"""What functions of OTTL are given, and the fields of its contexts, as far as texts of them are proven right.

Source: opentelemetry-collector-contrib v0.148, pkg/ottl/ottlfuncs and the transform and filter processors.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from lens_preflight.collector.amounts import seconds
from lens_preflight.collector.ottl_parser import ENUMS as NUMBERS
from lens_preflight.core.data import dataclass
from lens_preflight.core.go_patterns import compiles

if TYPE_CHECKING:
    from lens_preflight.collector.grammar import Given


class Kind(enum.Enum):
    """What a value in a text is."""

    TEXT = "text"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    NIL = "nil"
    PATH = "path"
    MAP_PATH = "map path"
    CALL = "call"
    SUM = "sum"
    LIST = "list"
    MAP = "map"


@dataclass(frozen=True)
class Fields:
    """The fields of a context (``map`` for those that take keys), and the contexts around it."""

    fields: Mapping[str, str]
    above: tuple[str, ...] = ()


def _fields(text: str) -> Mapping[str, str]:
    return {name: kind for name, _, kind in (word.partition(":") for word in text.split())}


_SCOPE = _fields("attributes:map name version dropped_attributes_count schema_url")
_SPAN = _fields(
    "attributes:map name kind kind.string trace_id trace_id.string span_id span_id.string parent_span_id "
    "parent_span_id.string start_time_unix_nano end_time_unix_nano start_time end_time status status.code "
    "status.message dropped_attributes_count dropped_events_count dropped_links_count"
)
_METRIC = _fields("name description unit type aggregation_temporality is_monotonic")
_AROUND = ("resource", "scope", "instrumentation_scope")
PATHS = {
    "resource": Fields(_fields("attributes:map dropped_attributes_count schema_url")),
    "scope": Fields(_SCOPE, ("resource",)),
    "instrumentation_scope": Fields(_SCOPE, ("resource",)),
    "span": Fields(_SPAN, _AROUND),
    "spanevent": Fields(
        _fields("attributes:map name time time_unix_nano dropped_attributes_count"), ("span", *_AROUND)
    ),
    "metric": Fields(_METRIC, _AROUND),
    "datapoint": Fields(
        _fields(
            "attributes:map start_time_unix_nano time_unix_nano start_time time value_double value_int flags "
            "count sum"
        ),
        ("metric", *_AROUND),
    ),
    "log": Fields(
        _fields(
            "attributes:map body body.string severity_number severity_text time time_unix_nano observed_time "
            "observed_time_unix_nano flags trace_id trace_id.string span_id span_id.string event_name"
        ),
        _AROUND,
    ),
}


def _enums(*starts: str) -> frozenset[str]:
    return frozenset(word for word in NUMBERS if word.startswith(starts))


ENUMS = {
    "span": _enums("SPAN_KIND_", "STATUS_CODE_"),
    "spanevent": _enums("SPAN_KIND_", "STATUS_CODE_"),
    "metric": _enums("METRIC_DATA_TYPE_", "AGGREGATION_TEMPORALITY_"),
    "datapoint": _enums("METRIC_DATA_TYPE_", "AGGREGATION_TEMPORALITY_"),
    "log": _enums("SEVERITY_NUMBER_"),
}

_Test = Callable[["Given"], bool]


@dataclass(frozen=True)
class Forms:
    """The arguments of a function, some of which may be left out, and the contexts that have it (empty: all)."""

    arguments: tuple[_Test, ...]
    optional: int = 0
    contexts: tuple[str, ...] = ()


def fits(forms: Forms, given: Sequence[Given]) -> bool:
    """Whether a function takes these arguments."""
    most = len(forms.arguments)
    if not most - forms.optional <= len(given) <= most:
        return False
    if not all(test(one) for test, one in zip(forms.arguments, given, strict=False)):
        return False
    kept = given[2].value if forms is EDITORS["limit"] else ()
    return not isinstance(kept, tuple) or not kept or len(kept) <= int(str(given[1].value))


def _any(one: Given) -> bool:
    return one.kind not in (Kind.LIST, Kind.MAP, Kind.NIL)


def _value(one: Given) -> bool:
    return one.kind is not Kind.LIST or (
        isinstance(one.value, tuple) and all(v.kind in (Kind.TEXT, Kind.INT) for v in one.value)
    )


def _getter(one: Given) -> bool:
    """What may give a text when it runs."""
    return one.kind in (Kind.TEXT, Kind.PATH, Kind.CALL)


def _path(one: Given) -> bool:
    return one.kind in (Kind.PATH, Kind.MAP_PATH)


def _map(one: Given) -> bool:
    return one.kind in (Kind.PATH, Kind.MAP_PATH)


def _maps(one: Given) -> bool:
    return _map(one) or one.kind is Kind.MAP or (one.kind is Kind.CALL and one.value == "ParseJSON")


def _text(one: Given) -> bool:
    return one.kind is Kind.TEXT


def _pattern(one: Given) -> bool:
    return one.kind is Kind.TEXT and compiles(str(one.value))


def _duration(one: Given) -> bool:
    return one.kind is Kind.TEXT and seconds(str(one.value)) is not None


def _count(one: Given) -> bool:
    return one.kind is Kind.INT and isinstance(one.value, int) and one.value >= 0


def _number(one: Given) -> bool:
    return one.kind is Kind.FLOAT


def _bool(one: Given) -> bool:
    return one.kind is Kind.BOOL


def _texts(one: Given) -> bool:
    return isinstance(one.value, tuple) and all(v.kind is Kind.TEXT for v in one.value)


def _getters(one: Given) -> bool:
    return isinstance(one.value, tuple) and all(_getter(v) for v in one.value)


def _word(*words: str) -> _Test:
    return lambda one: one.kind is Kind.TEXT and one.value in words


EDITORS = {
    "set": Forms((_path, _value)),
    "delete_key": Forms((_map, _text)),
    "delete_matching_keys": Forms((_map, _pattern)),
    "keep_keys": Forms((_map, _texts)),
    "keep_matching_keys": Forms((_map, _pattern)),
    "limit": Forms((_map, _count, _texts)),
    "truncate_all": Forms((_map, _count)),
    "replace_pattern": Forms((_path, _pattern, _text)),
    "replace_match": Forms((_path, _text, _text)),
    "replace_all_patterns": Forms((_map, _word("key", "value"), _pattern, _text)),
    "replace_all_matches": Forms((_map, _text, _text)),
    "merge_maps": Forms((_map, _maps, _word("insert", "update", "upsert"))),
    "flatten": Forms((_map,)),
    "route": Forms(()),
    "convert_gauge_to_sum": Forms((_word("cumulative", "delta"), _bool), contexts=("metric", "?metric")),
    "convert_sum_to_gauge": Forms((), contexts=("metric", "?metric")),
    "scale_metric": Forms((_number, _text), 1, ("metric", "?metric")),
}
_ONE = (
    "String Int Double Bool IsString IsInt IsDouble IsBool IsMap IsList Len SHA1 SHA256 MD5 FNV Hours Minutes "
    "Seconds Milliseconds Microseconds Nanoseconds UnixNano UnixMilli UnixSeconds ParseJSON"
)
CONVERTERS = {
    **{name: Forms((_any,)) for name in _ONE.split()},
    "ToLowerCase": Forms((_getter,)),
    "ToUpperCase": Forms((_getter,)),
    "ConvertCase": Forms((_getter, _word("lower", "upper", "snake", "camel"))),
    "IsMatch": Forms((_any, _pattern)),
    "HasPrefix": Forms((_getter, _text)),
    "HasSuffix": Forms((_getter, _text)),
    "Substring": Forms((_getter, _count, _count)),
    "Concat": Forms((_getters, _text)),
    "Split": Forms((_getter, _text)),
    "Duration": Forms((_duration,)),
    "Now": Forms(()),
    "UUID": Forms(()),
    "ContainsValue": Forms((_path, _any)),
    "HasAttrKeyOnDatapoint": Forms((_text,), contexts=("metric",)),
    "HasAttrOnDatapoint": Forms((_text, _text), contexts=("metric",)),
    "IsRootSpan": Forms((), contexts=("span", "?span")),
}
_BOOLEAN = (
    "IsString IsInt IsDouble IsBool IsMap IsList IsMatch HasPrefix HasSuffix ContainsValue IsRootSpan "
    "HasAttrKeyOnDatapoint HasAttrOnDatapoint"
)
BOOLEAN = frozenset(_BOOLEAN.split())
