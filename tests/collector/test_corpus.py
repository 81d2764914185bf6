"""Collector files with one fault each: the verdict and the rule, by topology where it matters."""

from __future__ import annotations

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
