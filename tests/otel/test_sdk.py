"""Sampler, resource, queues, plug-ins and files, by the rules of the SDK."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.core.errors import LibraryFailure, Undecided
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.otel.files import AllThere, HostFiles, Kind
from lens_preflight.otel.processors import (
    attribute_remarks,
    batch,
    metric_interval,
    sdk_disabled,
    span_limits,
)
from lens_preflight.otel.providers import exemplar_filter, import_api
from lens_preflight.otel.resource import from_environment
from lens_preflight.otel.sampler import Fault, sampler

WORD, ARG = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"


@pytest.mark.parametrize(
    ("env", "word", "ratio", "fault"),
    [
        ({}, "parentbased_always_on", 1.0, None),
        ({WORD: "ALWAYS_OFF"}, "always_off", 0.0, None),
        ({WORD: "always_on "}, "parentbased_always_on", 1.0, Fault.UNKNOWN_WORD),
        ({WORD: "traceidratio", ARG: " 0.5 "}, "traceidratio", 0.5, None),
        ({WORD: "traceidratio", ARG: "1.5"}, "traceidratio", 1.0, Fault.BAD_ARGUMENT),
        ({WORD: "always_on", ARG: "0.5"}, "always_on", 1.0, Fault.UNUSED_ARGUMENT),
    ],
)
def test_samplers(env: dict[str, str], word: str, ratio: float, fault: Fault | None) -> None:
    found = sampler(Environment.of(env))
    assert (found.word, found.ratio, found.fault) == (word, ratio, fault)


def test_an_argument_that_is_not_known_matters_only_to_ratio_samplers() -> None:
    open_ = Variable(ARG, State.UNKNOWN)
    assert sampler(Environment.of({WORD: "always_on"}).over([open_])).ratio == 1.0
    with pytest.raises(Undecided):
        sampler(Environment.of({WORD: "traceidratio"}).over([open_]))


def test_resource_attributes_from_the_environment() -> None:
    text = ' a = b%20c ,a=d, k=,x,=v,q="1";r=2,'
    found = from_environment(Environment.of({"OTEL_RESOURCE_ATTRIBUTES": text, "OTEL_SERVICE_NAME": "s"}))
    assert dict(found.attributes) == {"a": "d", "k": "", "q": '"1";r=2', "service.name": "s"}
    assert len(found.remarks) == 3
    assert "a" in found
    assert "x" not in found


@pytest.mark.parametrize(
    ("env", "blame"),
    [
        ({"OTEL_BSP_MAX_QUEUE_SIZE": "256"}, "OTEL_BSP_MAX_QUEUE_SIZE"),
        ({"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "4096"}, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
        ({"OTEL_BSP_SCHEDULE_DELAY": "0"}, "OTEL_BSP_SCHEDULE_DELAY"),
        ({"OTEL_BSP_SCHEDULE_DELAY": "9" * 400}, "OTEL_BSP_SCHEDULE_DELAY"),
        ({"OTEL_BSP_MAX_QUEUE_SIZE": "9" * 40}, "OTEL_BSP_MAX_QUEUE_SIZE"),
    ],
)
def test_queues_that_do_not_fit(env: dict[str, str], blame: str) -> None:
    with pytest.raises(LibraryFailure) as caught:
        batch(Environment.of(env))
    assert caught.value.variable == blame


def test_a_queue_size_that_is_no_number_is_replaced() -> None:
    found = batch(Environment.of({"OTEL_BLRP_SCHEDULE_DELAY": "1s"}), "BLRP")
    assert (found.delay, [r.variable for r in found.remarks]) == (1000, ["OTEL_BLRP_SCHEDULE_DELAY"])


@pytest.mark.parametrize("text", ["", "10.5", "1e4", "10s", "0", "-1"])
def test_metric_intervals_that_raise(text: str) -> None:
    with pytest.raises(LibraryFailure):
        metric_interval(Environment.of({"OTEL_METRIC_EXPORT_INTERVAL": text}))


def test_metric_intervals_that_do_not() -> None:
    assert metric_interval(Environment()) == 10_000
    assert metric_interval(Environment.of({"OTEL_METRIC_EXPORT_INTERVAL": " 1_000 "})) == 1000


def test_span_limits_may_be_blank() -> None:
    span_limits(Environment.of({"OTEL_SPAN_EVENT_COUNT_LIMIT": " "}))
    with pytest.raises(LibraryFailure):
        span_limits(Environment.of({"OTEL_SPAN_EVENT_COUNT_LIMIT": "none"}))


@pytest.mark.parametrize(("text", "off"), [(" TRUE ", True), ("1", False), ("yes", False), ("", False)])
def test_only_the_word_true_disables_the_sdk(text: str, off: bool) -> None:
    assert sdk_disabled(Environment.of({"OTEL_SDK_DISABLED": text})) is off


@pytest.mark.parametrize(
    ("text", "raises"), [("", False), ("tracecontext,baggage", False), ("b3,none", True), ("none,b3", False)]
)
def test_propagators(text: str, raises: bool) -> None:
    env = Environment.of({"OTEL_PROPAGATORS": text})
    if not raises:
        import_api(env)
        return
    with pytest.raises(LibraryFailure, match="b3"):
        import_api(env)


def test_an_empty_exemplar_filter_raises() -> None:
    exemplar_filter(Environment())
    with pytest.raises(LibraryFailure):
        exemplar_filter(Environment.of({"OTEL_METRICS_EXEMPLAR_FILTER": ""}))


def test_files_of_this_host(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n")
    (tmp_path / "junk").write_bytes(b"\xff\xfe")
    files = HostFiles()
    seen = {name: files.kind(str(tmp_path / name)) for name in ("ca.pem", "junk", "gone", "", "ca.pem/x")}
    assert seen == {
        "ca.pem": Kind.PEM,
        "junk": Kind.OTHER,
        "gone": Kind.MISSING,
        "": Kind.DIRECTORY,
        "ca.pem/x": Kind.MISSING,
    }
    assert files.kind("a\0b") is Kind.MISSING
    assert files.text(str(tmp_path / "junk")) is None
    assert files.text(str(tmp_path / "ca.pem")) == "-----BEGIN CERTIFICATE-----\n"
    assert AllThere().kind("/any") is Kind.PEM


def test_an_interval_longer_than_a_thread_can_wait_is_still_a_number() -> None:
    assert metric_interval(Environment.of({"OTEL_METRIC_EXPORT_INTERVAL": "9" * 400})) / 1000 > 1e9


@pytest.mark.parametrize(
    ("env", "kind", "blame"),
    [
        ({}, "SPAN", []),
        ({"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": " 0 "}, "SPAN", ["OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"]),
        ({"OTEL_ATTRIBUTE_COUNT_LIMIT": "0"}, "SPAN", ["OTEL_ATTRIBUTE_COUNT_LIMIT"]),
        ({"OTEL_ATTRIBUTE_COUNT_LIMIT": "0"}, "LOGRECORD", ["OTEL_ATTRIBUTE_COUNT_LIMIT"]),
        ({"OTEL_ATTRIBUTE_COUNT_LIMIT": "0", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "128"}, "SPAN", []),
        ({"OTEL_ATTRIBUTE_COUNT_LIMIT": "0", "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": ""}, "SPAN", []),
        ({"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "0"}, "LOGRECORD", []),
        ({"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "0"}, "SPAN", ["OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"]),
        ({"OTEL_SPAN_EVENT_COUNT_LIMIT": "0"}, "SPAN", []),
    ],
)
def test_limits_that_leave_no_attribute(env: dict[str, str], kind: str, blame: list[str]) -> None:
    found = attribute_remarks(Environment.of(env), kind)
    assert [remark.variable for remark in found] == blame
