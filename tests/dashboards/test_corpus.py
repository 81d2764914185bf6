"""Dashboards with one fault each: the verdict, the rule and the families."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.checks.dashboard_panels import catalogue_of, dashboard_panels
from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.core.words import Status
from lens_preflight.dashboards import read_dashboards
from lens_preflight.dashboards.coverage import coverage
from lens_preflight.dashboards.families import KEYS
from lens_preflight.dashboards.lineage import Lineage
from lens_preflight.dashboards.rules import all_rules, read_rules
from lens_preflight.settings import Settings
from tests.checks.asking import Asked, ask
from tests.checks.observability_codes import codes, table
from tests.corpus import Score, corpus_root
from tests.dashboards.converted import schema2

CHECKS = (dashboard_panels, dashboard_run_id, truncated_spans)
ORDER = (Status.FAIL, Status.ERROR, Status.UNKNOWN, Status.WARN, Status.PASS, Status.SKIP)


def worst(statuses: list[Status]) -> str:
    """The word of the worst; a skip says nothing."""
    return min(statuses, key=ORDER.index).value


def cases(folder: str) -> dict[str, dict[str, Any]]:
    """The cases of a folder, by file name; none when the corpus has no such folder."""
    path = corpus_root() / folder / "expected.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def asked(folder: Path, name: str, case: dict[str, Any]) -> Asked:
    """The inputs of a case: its file, and what the case names beside it."""
    families = {key: tuple(stems) for key, stems in case.get("families", {}).items()}
    return Asked(
        read_dashboards([folder / n for n in case.get("dashboards", [name])]),
        read_rules([folder / n for n in case.get("rules", [])]),
        settings=Settings(families=families),
    )


@pytest.mark.parametrize("folder", ["dashboards", "dashboards-own"])
def test_every_dashboard_gets_its_verdict(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = cases(folder)
    if not known:
        pytest.skip(f"the corpus has no folder {folder}")
    print(table())
    verdicts, rules, found = Score(folder), Score(f"{folder}/rules"), Score(f"{folder}/families")
    for name, case in known.items():
        question = asked(corpus_root() / folder, name, case)
        answers = [ask(check, question) for check in CHECKS]
        verdict = worst([answer.status for answer in answers])
        verdicts.add(name, verdict, case["verdict"], case.get("acceptable", ()))
        said = codes(f for answer in answers for f in answer.findings)
        rules.add(name, ",".join(sorted(said)), ",".join(sorted(case["codes"])))
        if "families_found" in case:
            found.add(name, shown(question), ",".join(sorted(case["families_found"])))
    for score in (verdicts, rules, found):
        print(score.line(), score.wrong)
    assert verdicts.false_passes == []
    assert verdicts.wrong == []
    assert rules.wrong == []
    assert found.wrong == []
    assert "D1" in capsys.readouterr().out


def shown(question: Asked) -> str:
    """The families that the dashboards of a case show, in the words of the settings."""
    boards = [b for b in question.dashboards if b.failure is None]
    lineage = Lineage.of(all_rules(question.rules))
    seen = coverage(boards, catalogue_of(question), lineage)  # type: ignore[arg-type]
    return ",".join(sorted(KEYS[family] for family in seen.found))


def wrapped(text: str, how: str) -> str:
    """The text of a dashboard in a wrapper."""
    data = json.loads(text)
    if how == "list":
        return json.dumps([data], indent=1)
    if how == "api":
        return json.dumps({"meta": {}, "dashboard": data}, indent=1)
    body = textwrap.indent(text, "    ")
    return f"apiVersion: v1\nkind: ConfigMap\ndata:\n  board.json: |\n{body}\n"


@pytest.mark.parametrize("how", ["list", "api", "configmap"])
@pytest.mark.parametrize("folder", ["dashboards", "dashboards-own"])
def test_a_wrapper_changes_no_verdict(folder: str, how: str, tmp_path: Path) -> None:
    score = Score(f"{folder} in {how}")
    for name, case in cases(folder).items():
        path = corpus_root() / folder / name
        if path.suffix != ".json" or (
            case["verdict"] == "fail" and "families_found" in case and not case["families_found"]
        ):
            continue
        file = tmp_path / ("board.yaml" if how == "configmap" else name)
        file.write_text(wrapped(path.read_text(encoding="utf-8"), how), encoding="utf-8")
        question = replace(asked(path.parent, name, case), dashboards=read_dashboards([file]))
        verdict = worst([ask(check, question).status for check in CHECKS])
        score.add(name, verdict, case["verdict"], case.get("acceptable", ()))
    assert score.wrong == []


@pytest.mark.parametrize("folder", ["dashboards", "dashboards-own"])
def test_schema_v2_changes_no_verdict(folder: str, tmp_path: Path) -> None:
    score = Score(f"{folder} in schema v2")
    for name, case in cases(folder).items():
        path = corpus_root() / folder / name
        try:
            model = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        model = model.get("dashboard", model)
        classic = "panels" in model or "rows" in model
        if not classic or "libraryPanel" in json.dumps(model) or "D3" in case["codes"]:
            continue
        file = tmp_path / name
        file.write_text(json.dumps(schema2(model), indent=1), encoding="utf-8")
        question = replace(asked(path.parent, name, case), dashboards=read_dashboards([file]))
        verdict = worst([ask(check, question).status for check in CHECKS])
        score.add(name, verdict, case["verdict"], case.get("acceptable", ()))
    assert score.total > 0 or not cases(folder)
    assert score.wrong == []
