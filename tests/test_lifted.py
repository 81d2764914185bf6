"""What may be waived hides nothing: the check goes on behind it, and says each place."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.baseline import baseline_text, read_baseline
from lens_preflight.core.accepted import Accepted
from lens_preflight.core.anchor import Anchor
from lens_preflight.core.outcome import Outcome, RunRecord, Target
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Scope, Severity, Status
from lens_preflight.lifted import lifted
from lens_preflight.registry import builtin, find
from lens_preflight.settings import Settings
from lens_preflight.waiver_match import Match
from tests.dashboards.boards import classic, panel
from tests.making import record, subject

HEAD = """import os, sys
from nemo.lens import NemoLensConfig, setup_telemetry
def work():
    try: train()
    except Exception: os._exit(1)
def second():
    {second}
config = NemoLensConfig.from_env()
config.enabled = config.enabled and int(os.environ["RANK"]) == 0
handle = setup_telemetry(config)
"""
GUARDED = "try:\n    work()\n    second()\nfinally:\n    handle.shutdown()\n"
ENV = {"NEMO_LENS_ENABLED": "1", "NEMO_LENS_RUN_ID": "a", "OTEL_TRACES_SAMPLER": "always_on"}
SAMPLER, RATIO = "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"


def waiving(rule: str, **more: str) -> Settings:
    return Settings(waivers=(Waiver(rule, "known", datetime.date.max, **more),))


def run(check: str, settings: Settings, env: Mapping[str, str] = ENV, **inputs: Any) -> RunRecord:
    options = {"world_size": 8, "lens": "0.1", **inputs}
    return record([find(check, builtin())], subject(env, settings=settings, **options))


def shut_down(folder: Path, body: str, settings: Settings, second: str = "pass", **more: Any) -> RunRecord:
    (folder / "train.py").write_text(HEAD.format(second=second) + body)
    return run("shutdown", settings, targets=(str(folder / "train.py"),), **more)


def told(found: RunRecord) -> list[tuple[str, int | None, bool]]:
    judged = [j for o in found.results if o.check != "waivers" for j in o.findings]
    return [(j.finding.rule.name, j.finding.at.line, bool(j.waived)) for j in judged]


HARD = Settings(severity={"shutdown/hard-exit": Severity.NOTE}, source="preflight.toml")


@pytest.mark.parametrize("settings", [waiving("shutdown/hard-exit"), HARD])
@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (GUARDED, (1, 0)),
        ("work()\nother()\nhandle.shutdown()\n", (1, 1)),
        ("work()\nsecond()\n", (1, 1)),
        ("way = os.environ['WAY']\ntry:\n    work()\nfinally:\n    getattr(handle, way)()\n", (1, None)),
    ],
)
def test_behind_a_hard_exit_the_other_ways_are_judged(
    tmp_path: Path, settings: Settings, body: str, codes: tuple[int, int | None]
) -> None:
    before, after = codes
    assert shut_down(tmp_path, body, Settings()).exit_code == before
    found = shut_down(tmp_path, body, settings)
    assert found.exit_code == after or (after is None and found.exit_code)


def test_the_findings_stay_those_of_one_fault_when_nothing_is_waived(tmp_path: Path) -> None:
    body = "work()\nother()\nhandle.shutdown()\n"
    assert told(shut_down(tmp_path, body, Settings())) == [("hard-exit", 5, False)]


def test_each_place_is_told_so_that_a_waiver_of_one_file_does_not_cover_another(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("import os\ndef leave():\n    os._exit(0)\n")
    body = "import ends\n" + GUARDED.replace("second()", "ends.leave()")
    found = shut_down(tmp_path, body, waiving("shutdown/hard-exit", path="**/train.py"))
    assert found.exit_code == 1
    assert told(found) == [("hard-exit", 5, True), ("hard-exit", 3, False)]


def test_a_second_place_is_no_accepted_one(tmp_path: Path) -> None:
    """What was known when the baseline was written stays accepted, also on another line."""
    writing = shut_down(tmp_path, GUARDED, Settings(), baseline=Accepted())
    (tmp_path / "b.json").write_text(baseline_text(j.finding for o in writing.results for j in o.findings))
    accepted = read_baseline(str(tmp_path / "b.json"))
    assert json.loads((tmp_path / "b.json").read_text())["findings"][0]["count"] == 1
    assert shut_down(tmp_path, GUARDED, Settings(), baseline=accepted).exit_code == 0
    assert shut_down(tmp_path, "\n" + GUARDED, Settings(), baseline=accepted).exit_code == 0
    found = shut_down(tmp_path, GUARDED, Settings(), "os._exit(3)", baseline=accepted)
    assert (found.exit_code, told(found)) == (1, [("hard-exit", 5, True), ("hard-exit", 7, False)])


def test_a_baseline_accepts_in_one_step_what_stands_behind_the_first_blocker(tmp_path: Path) -> None:
    body = "work()\nother()\nhandle.shutdown()\n"
    writing = shut_down(tmp_path, body, Settings(), baseline=Accepted())
    assert {name for name, *_ in told(writing)} == {"hard-exit", "success-only"}
    (tmp_path / "b.json").write_text(baseline_text(j.finding for o in writing.results for j in o.findings))
    accepted = read_baseline(str(tmp_path / "b.json"))
    assert shut_down(tmp_path, body, Settings(), baseline=accepted).exit_code == 0


@pytest.mark.parametrize(
    ("env", "rule", "code"),
    [
        ({SAMPLER: "alwayson"}, "misspelt", 0),
        ({SAMPLER: "traceidratio", RATIO: "10%"}, "bad-argument", 0),
        ({SAMPLER: "always_off"}, "nothing-sampled", 0),
        ({SAMPLER: "always_off"}, "misspelt", 1),
    ],
)
@pytest.mark.parametrize("lighter", [True, False])
def test_a_sampler_that_may_be_so_passes_when_nothing_else_is_wrong(
    env: dict[str, str], rule: str, code: int, lighter: bool
) -> None:
    name = f"sampler/{rule}"
    settings = Settings(severity={name: Severity.NOTE}) if lighter else waiving(name)
    assert run("sampler", Settings(), env).exit_code == 1
    assert run("sampler", settings, env).exit_code == code


@pytest.mark.parametrize("lighter", [True, False])
def test_a_run_id_of_each_process_may_be_so(lighter: bool) -> None:
    env = {"NEMO_LENS_ENABLED": "1"}
    settings = (
        Settings(severity={"run-id/per-process": Severity.CAUTION})
        if lighter
        else waiving("run-id/per-process")
    )
    assert run("run-id", Settings(), env).exit_code == 1
    assert run("run-id", settings, env).exit_code == 0


def test_a_panel_that_may_be_unfiltered_does_not_excuse_one_that_cannot_be_read(tmp_path: Path) -> None:
    loss, broken = panel(1, "Loss", "megatron_training_loss"), panel(2, "Other", "sum(megatron_training_loss")
    (tmp_path / "d.json").write_text(json.dumps(classic(loss)))
    (tmp_path / "e.json").write_text(json.dumps(classic(panel(1, "Other", "megatron_training_loss"), broken)))
    (tmp_path / "f.json").write_text("{")
    files = [str(tmp_path / name) for name in ("d.json", "e.json", "f.json")]

    def code(settings: Settings, *dashboards: str) -> int:
        return run("dashboard-run-id", settings, dashboards=dashboards).exit_code

    every, one = waiving("dashboard-run-id/*"), waiving("dashboard-run-id/*", panel="Lo*")
    assert [code(every, *files[:n]) for n in (1, 2)] == [0, 3]
    assert [code(one, *files[:n]) for n in (1, 2)] == [0, 1]
    assert code(waiving("dashboard-run-id/*", panel="Lo*", path="**/d.json"), files[0]) == 0
    assert code(waiving("dashboard-run-id/*", panel="Lo*", path="**/e.json"), files[0]) == 1
    assert code(every, files[0], files[2]) == 3


def test_a_variable_is_known_on_the_line_that_sets_it(tmp_path: Path) -> None:
    script = tmp_path / "train.sbatch"
    script.write_text(
        "#!/bin/bash\nexport NEMO_LENS_ENABLED=1\nexport OTEL_TRACES_SAMPLER=alwayson\nsrun python x.py\n"
    )

    def code(**more: str) -> int:
        return run("sampler", waiving("sampler/*", **more), targets=(str(script),)).exit_code

    assert code(variable="OTEL_TRACES_*") == code(variable="OTEL_TRACES_*", path="**/train.sbatch") == 0
    assert code(variable="NEMO_*") == code(variable="OTEL_TRACES_*", path="**/x.py") == 1


def test_a_doubt_that_may_wait_hides_no_fault_in_another_world(tmp_path: Path) -> None:
    """In large worlds a file decides; in the small ones nobody exports."""
    text = HEAD.format(second="pass").replace(
        'config.enabled and int(os.environ["RANK"]) == 0',
        "config.enabled and int(os.environ['RANK']) == 99 if int(os.environ['WORLD_SIZE']) < 10 "
        "else open('who').read() == os.environ['RANK']",
    )
    (tmp_path / "train.py").write_text(text + GUARDED)

    def code(settings: Settings, **more: Any) -> int:
        inputs = {"targets": (str(tmp_path / "train.py"),), **more}
        return run("rank-decision", settings, **inputs).exit_code

    waived = waiving("rank-decision", status="unknown")
    assert [code(s, world_size=None) for s in (Settings(), waived)] == [3, 1]
    assert [code(s, world_size=64) for s in (Settings(), waived)] == [3, 0]


def test_the_rules_that_may_end_up_without_weight() -> None:
    rule_ids = {rule.id for check in builtin() for rule in check.rules}
    waived = lifted(builtin(), waiving("rank-decision", status="unknown"), None)
    assert waived == {"rank-decision"}
    assert lifted(builtin(), Settings(), None) == frozenset()
    assert lifted(builtin(), Settings(), Accepted()) == rule_ids
    assert lifted(builtin(), waiving("shutdown/*"), None) == {
        r for r in rule_ids if r.startswith("shutdown/")
    }
    assert lifted(builtin(), HARD, None) == {"shutdown/hard-exit"}
    heavier = Settings(severity={"shutdown/gap": Severity.BLOCKER, "shutdown/hard-exit": None})
    assert lifted(builtin(), heavier, None) == {"shutdown/hard-exit"}


def test_a_launch_is_known_by_its_key_when_there_is_one_and_the_target_is_a_signal() -> None:
    said = Outcome("otlp-endpoint", "", (6,), Scope.SIGNAL, (Target(Scope.SIGNAL, "traces"),), Status.UNKNOWN)
    (waiver,) = waiving("otlp-endpoint", status="unknown", launch="train.sbatch:*").waivers
    assert Match(Anchor(), "train.sbatch:13").unknown(waiver, said)
    assert not Match(Anchor(), "other.sbatch:13").unknown(waiver, said)
    assert not Match(Anchor()).unknown(waiver, said)
