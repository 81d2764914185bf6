"""The words of OTTL: functions, editors and fields that a 0.148 build accepts.

A word that is not here may be of a later version; a collector that does not know it does not start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_preflight.collector.ottl_parser import ENUMS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FUNCTIONS = _words(
    "Base64Decode Base64Encode Bool CommunityID Concat ContainsValue ConvertAttributesToElementsXML "
    "ConvertCase ConvertTextToElementsXML Day Decode Double Duration ExtractGrokPatterns ExtractPatterns FNV "
    "FormatTime Format GetXML HasPrefix HasSuffix Hex Hour Hours Index InsertXML Int IsBool IsDouble IsInt "
    "IsInCIDR IsList IsMap IsMatch IsRootSpan IsString IsValidLuhn Keys Len Log MD5 Microseconds Milliseconds "
    "Minute Minutes Month Murmur3Hash Murmur3Hash128 Nanosecond Nanoseconds Now ParseCSV ParseInt ParseJSON "
    "ParseKeyValue ParseSeverity ParseSimplifiedXML ParseXML ProfileID RemoveXML SHA1 SHA256 SHA512 Second "
    "Seconds SliceToMap Sort SpanID Split String Substring Time ToCamelCase ToKeyValueString ToLowerCase "
    "ToSnakeCase ToUpperCase TraceID Trim TrimPrefix TrimSuffix TruncateTime URL UUID UUIDv7 Unix UnixMicro "
    "UnixMilli UnixNano UnixSeconds UserAgent Values Weekday XXH128 XXH3 Year HasAttrKeyOnDatapoint "
    "HasAttrOnDatapoint"
)
EDITORS = _words(
    "set append delete_key delete_matching_keys delete_index flatten keep_keys keep_matching_keys limit "
    "merge_maps replace_all_matches replace_all_patterns replace_match replace_pattern truncate_all "
    "extract_sum_metric extract_count_metric convert_gauge_to_sum convert_sum_to_gauge "
    "convert_summary_count_val_to_sum convert_summary_sum_val_to_sum convert_summary_quantile_val_to_gauge "
    "aggregate_on_attributes convert_exponential_histogram_to_histogram copy_metric scale_metric "
    "aggregate_on_attribute_value set_semconv_span_name merge_histogram_buckets drop route"
)
_SHARED = _words("attributes dropped_attributes_count cache")
_SCOPE = _SHARED | _words("name version schema_url")
FIELDS = {
    "resource": _SHARED | {"schema_url"},
    "scope": _SCOPE,
    "instrumentation_scope": _SCOPE,
    "span": _SHARED
    | _words(
        "trace_id span_id trace_state parent_span_id name kind start_time_unix_nano end_time_unix_nano start_time "
        "end_time events dropped_events_count links dropped_links_count status flags"
    ),
    "spanevent": _SHARED | _words("time_unix_nano time name event_index"),
    "metric": _words(
        "name description unit type aggregation_temporality is_monotonic data_points metadata cache"
    ),
    "datapoint": _SHARED
    | _words(
        "start_time_unix_nano time_unix_nano start_time time value_double value_int exemplars flags count sum "
        "bucket_counts explicit_bounds scale zero_count positive negative quantile_values"
    ),
    "log": _SHARED
    | _words(
        "trace_id span_id time_unix_nano observed_time_unix_nano time observed_time severity_number severity_text "
        "body flags event_name"
    ),
}
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_CALL = re.compile(r"\b([A-Za-z]\w*)\s*\(")
_PATH = re.compile(r"(?<![\w.\"])([a-z_]+)\.([a-z_]+)")
_KEYWORDS = frozenset({"and", "or", "not", "where"})


def strange_words(text: str) -> Iterator[str]:
    """The functions and fields of a statement or a condition that are not known here."""
    bare = _TEXT.sub('""', text)
    for name in _CALL.findall(bare):
        if name not in FUNCTIONS and name not in EDITORS and name not in _KEYWORDS:
            yield name
    for word in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\d?\b", bare):
        if word not in ENUMS and not word.startswith(("FLAG_", "AGGREGATION_")):
            yield word
    for owner, name in _PATH.findall(bare):
        fields = FIELDS.get(owner)
        if fields and name not in fields:
            yield f"{owner}.{name}"
