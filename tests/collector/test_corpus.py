"""Collector files with one fault each: the verdict and the rule, by topology where it matters."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.backup_sink import backup_sink
from lens_preflight.checks.collector_config import collector_config
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.collector import read_collector
from tests.checks.asking import Answer, Asked, ask
from tests.checks.observability_codes import codes, notes, table
from tests.corpus import Score, corpus_root
from tests.dashboards.test_corpus import cases, worst

CHECKS = (collector_config, backup_sink, truncated_spans)


def answers(folder: Path, name: str, case: dict[str, Any], topology: str | None) -> list[Answer]:
    """What the checks say of the file of a case, or of the files that it names."""
    config = read_collector([folder / n for n in case.get("files", [name])])
    return [ask(check, Asked(collector=config, topology=topology)) for check in CHECKS]


@pytest.mark.parametrize("folder", ["collector", "collector-own"])
def test_every_collector_file_gets_its_verdict(folder: str) -> None:
    known = cases(folder)
    if not known:
        pytest.skip(f"the corpus has no folder {folder}")
    print(table())
    verdicts, rules = Score(folder), Score(f"{folder}/rules")
    for name, case in known.items():
        said = answers(corpus_root() / folder, name, case, "gateway")
        verdicts.add(name, worst([a.status for a in said]), case["verdict"], case.get("acceptable", ()))
        findings = [f for a in said for f in a.findings]
        rules.add(name, ",".join(sorted(codes(findings))), ",".join(sorted(case["codes"])))
        assert set(case.get("notes", ())) <= notes(findings), name
    for score in (verdicts, rules):
        print(score.line(), score.wrong)
    assert verdicts.false_passes == []
    assert verdicts.wrong == []
    assert rules.wrong == []


@pytest.mark.parametrize("folder", ["collector", "collector-own"])
def test_the_topology_decides_what_a_local_receiver_means(folder: str) -> None:
    score = Score(f"{folder}/topology")
    for name, case in cases(folder).items():
        for topology, expected in case.get("verdict_by_topology", {}).items():
            said = answers(corpus_root() / folder, name, case, None if topology == "none" else topology)
            score.add(f"{name} {topology}", worst([a.status for a in said]), expected)
    print(score.line(), score.wrong)
    assert score.wrong == []


@pytest.mark.parametrize("kind", ["configmap", "operator"])
@pytest.mark.parametrize("folder", ["collector", "collector-own"])
def test_a_wrapper_changes_no_verdict(folder: str, kind: str, tmp_path: Path) -> None:
    score = Score(f"{folder} in {kind}")
    for name, case in cases(folder).items():
        path = corpus_root() / folder / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if not text.lstrip().startswith(("receivers:", "processors:")) or "C09" in case["codes"]:
            continue
        head = "kind: ConfigMap\ndata:\n  relay.yaml: |\n" if kind == "configmap" else OPERATOR
        file = tmp_path / name
        file.write_text(head + textwrap.indent(text, "    "), encoding="utf-8")
        said = answers(tmp_path, name, {}, "gateway")
        score.add(name, worst([a.status for a in said]), case["verdict"], case.get("acceptable", ()))
    assert score.total > 0 or not cases(folder)
    assert score.wrong == []


OPERATOR = "kind: OpenTelemetryCollector\nspec:\n  config: |\n"
