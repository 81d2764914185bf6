"""Every fault of the corpus: verdict, stage and cause, with its server running."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

import pytest

from lens_preflight.probe.causes import CAUSES
from tests.corpus import LINES, corpus_root
from tests.faultlab import netns
from tests.faultlab.judge import Said, judge_all
from tests.faultlab.recipes import Fault, ready


def faults() -> list[Fault]:
    """The faults of the corpus in use."""
    text = (corpus_root() / "faults" / "faults.json").read_text(encoding="utf-8")
    listed: list[dict[str, Any]] = json.loads(text)["faults"]
    return listed


def right(fault: Fault, said: Said) -> bool:
    """The verdict as expected, and the cause with its stage (or another cause that is not wrong)."""
    if said.verdict != fault["expected"]:
        return False
    if said.code == fault["code"]:
        return said.stage == str(fault["stage"])
    return said.code in cast("list[str]", fault.get("accept_codes", []))


def _line(wrong: Sequence[str], total: int, not_run: int) -> str:
    text = f"corpus faults: {total} faults, {total - len(wrong) - not_run} right"
    if wrong:
        text += f", {len(wrong)} wrong"
    if not_run:
        text += f", {not_run} not run (need root)"
    return text


def test_every_fault_gets_its_verdict_stage_and_cause() -> None:
    everything = faults()
    started = [(fault, ready(fault)) for fault in everything]
    outside = [(fault, r.env) for fault, r in started if not r.namespace]
    inside = [(fault, r.env) for fault, r in started if r.namespace]
    answers = list(zip(outside, judge_all([env for _, env in outside]), strict=True))
    if inside and netns.possible():
        said = netns.judge_inside([(fault["id"], env) for fault, env in inside])
        answers += zip(inside, said, strict=True)
    wrong = [f"{f['id']}: {said}" for (f, _), said in answers if not right(f, said)]
    LINES.append(_line(wrong, len(everything), len(everything) - len(answers)))
    assert not wrong, "\n".join(wrong)


def test_outside_a_node_what_belongs_to_the_host_is_a_caution() -> None:
    by_code = {fault["code"]: fault for fault in faults() if fault["expected"] == "fail"}
    chosen = [(fault, ready(fault)) for fault in by_code.values()]
    local = [(fault, r.env) for fault, r in chosen if not r.namespace]
    for (fault, _), said in zip(local, judge_all([env for _, env in local], "login"), strict=True):
        cause = CAUSES[said.code]
        expected = ("warn", "not-from-here") if cause.here else (cause.verdict.value, said.code)
        assert (said.verdict, said.rule) == expected, fault["id"]


def test_the_vocabulary_of_the_corpus_is_the_probes() -> None:
    assert {fault["code"] for fault in faults()} <= set(CAUSES)


@pytest.mark.root
@pytest.mark.skipif(not netns.possible(), reason="needs root for a network of its own")
def test_dropped_packets_and_refused_ones_differ() -> None:
    here = {"OTEL_EXPORTER_OTLP_TIMEOUT": "1", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    cases = [
        ("blackhole", {**here, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.77:4317"}),
        ("icmp-reject", {**here, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.78:4317"}),
        ("closed", {**here, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317"}),
    ]
    assert [said.code for said in netns.judge_inside(cases)] == ["syn-dropped", "firewall-reject", "refused"]
