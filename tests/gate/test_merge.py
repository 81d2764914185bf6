from __future__ import annotations

import dataclasses
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import etree

from lens_preflight.cli.merge import merge as command
from lens_preflight.core.outcome import Outcome, RunRecord
from lens_preflight.core.words import Owner, Severity, Status
from lens_preflight.gate.gathered import Gathered
from lens_preflight.gate.merge import CHECK, failing, merge
from lens_preflight.gate.skeleton import skeleton
from lens_preflight.reports import jsonreport, junit
from tests.gate.records import failed, finding, outcome, record
from tests.reports.records import everything


def text(what: RunRecord) -> str:
    out = io.StringIO()
    jsonreport.write(what, out)
    return out.getvalue()


def put(folder: Path, what: RunRecord, name: str = "") -> str:
    path = folder / f"preflight-{name or what.run['host']}.json"
    path.write_text(text(what))
    return str(path)


def merged(*records: RunRecord, folder: Path, **options: object) -> RunRecord:
    gathered = Gathered()
    gathered.take_all(put(folder, one, f"{n:05d}") for n, one in enumerate(records))
    return merge(gathered, **options)  # type: ignore[arg-type]


def result(what: RunRecord, check: str = "otlp-endpoint") -> Outcome:
    (only,) = [o for o in what.results if o.check == check]
    return only


def node(number: int) -> str:
    return f"gpu{number:03d}"


def test_all_nodes_pass(tmp_path: Path) -> None:
    found = merged(*(record(outcome(), node=node(n)) for n in range(1, 5)), folder=tmp_path)
    assert (found.verdict, found.exit_code) == ("ready", 0)
    assert "on all 4 nodes" in result(found).reason
    assert result(found).evidence["nodes"] == "gpu[001-004]"
    assert found.items[5].status == "pass"


def test_one_finding_of_many_nodes_is_told_once_with_its_nodes(tmp_path: Path) -> None:
    bad = dataclasses.replace(failed(), run=record(node="x").run)
    records = []
    for n in range(1, 101):
        what = bad if n in (7, 8, 9, 33) else record(outcome())
        records.append(dataclasses.replace(what, run=record(node=node(n)).run))
    found = merged(*records, folder=tmp_path)
    (judged,) = result(found).findings
    assert judged.finding.evidence["nodes"] == "gpu[007-009,033]"
    assert judged.finding.related[-1].text == "on 4 of 100 nodes: gpu[007-009,033]"
    assert (found.verdict, found.exit_code) == ("not-ready", 1)
    assert failing(found) == {"otlp-endpoint/refused": 4}


def test_signals_and_nodes_fold_together(tmp_path: Path) -> None:
    one, other = finding(), finding()
    split = record(
        outcome(Status.FAIL, one, targets=("traces",)), outcome(Status.FAIL, other, targets=("metrics",))
    )
    found = merged(dataclasses.replace(split, run=record(node="a1").run), folder=tmp_path)
    (judged,) = result(found).findings
    assert judged.finding.evidence["targets"] == "traces, metrics"


@pytest.mark.parametrize(
    ("bad", "total", "owner"), [(1, 4, "host"), (4, 4, "platform"), (2, 4, "platform"), (5, 300, "host")]
)
def test_a_fault_of_the_host_on_many_hosts_is_shared(
    tmp_path: Path, bad: int, total: int, owner: str
) -> None:
    lone = finding("otlp-endpoint/unreachable", Owner.HOST, message="no route to the address")
    records = [
        dataclasses.replace(failed(lone) if n < bad else record(outcome()), run=record(node=node(n)).run)
        for n in range(total)
    ]
    (judged,) = result(merged(*records, folder=tmp_path)).findings
    assert judged.finding.rule.owner.value == owner
    assert ("a shared cause" in judged.finding.related[-1].text) is (owner == "platform")


# --- nodes that are not there


def test_missing_nodes_are_a_verdict_of_their_own(tmp_path: Path) -> None:
    records = [record(outcome(), node=node(n)) for n in (1, 2, 4)]
    found = merged(*records, folder=tmp_path, expected=[node(n) for n in range(1, 7)])
    assert result(found, CHECK).status is Status.UNKNOWN
    assert result(found, CHECK).reason == "no report from gpu[003,005-006]"
    assert (found.verdict, found.exit_code) == ("cannot-tell", 3)
    assert found.items[5].status == "unknown"


def test_no_report_at_all_is_no_pass(tmp_path: Path) -> None:
    found = merge(Gathered())
    assert found.exit_code == 3 and "no node has reported" in result(found, CHECK).reason


def test_nodes_that_judged_nothing_are_no_pass(tmp_path: Path) -> None:
    skipped = record(outcome(Status.SKIP, reason="telemetry is off"), node="n1")
    assert merged(skipped, folder=tmp_path).exit_code == 4


@pytest.mark.parametrize("lacking", ["skip", "absent"])
def test_a_node_that_did_not_judge_what_depends_on_it_is_no_pass(tmp_path: Path, lacking: str) -> None:
    other = outcome(check="sampler", items=(7,))
    partial = record(*([other, outcome(Status.SKIP)] if lacking == "skip" else [other]), node="n2")
    found = merged(
        record(other, outcome(), node="n1"), partial, folder=tmp_path, host_dependent=["otlp-endpoint"]
    )
    assert result(found).status is Status.UNKNOWN and "n2" in result(found).reason
    assert result(found, "sampler").status is Status.PASS


def test_an_incomplete_report_is_no_pass(tmp_path: Path) -> None:
    found = merged(
        record(outcome(), node="n1"), record(outcome(), node="n2", incomplete="terminated"), folder=tmp_path
    )
    assert "the report of n2 is incomplete" in result(found, CHECK).reason
    assert found.exit_code == 3


# --- files that are no report of this job

FOREIGN = {
    "empty": ("", "empty"),
    "cut": (text(record(outcome()))[:900], "cut short"),
    "cut in a text": (text(record(outcome())).partition("empty req")[0], "cut short"),
    "binary": ("\x00\x01\x02", "not JSON"),
    "prose": ("srun: error: n3: task 0: Exited", "not JSON"),
    "list": ("[1, 2]", "not a report"),
    "other": ('{"schema": "trivy/1", "results": []}', "not a report"),
    "newer": ('{"schema": "lens-preflight/report/9"}', "another format"),
    "hollow": ('{"schema": "lens-preflight/report/1"}', "does not follow"),
    "login": (text(record(outcome(), profile="login")), "profile login"),
    "typed wrong": (
        text(record(outcome())).replace('"status": "pass"', '"status": "fine"'),
        "does not follow",
    ),
    "deep": ("[" * 100_000, "not JSON"),
    "like a known one": (text(record(outcome())).replace('"incomplete": ', '"incomplete": x'), "not JSON"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_no_report_is_named_and_left_out(tmp_path: Path, kind: str) -> None:
    content, why = FOREIGN[kind]
    path = tmp_path / "preflight-bad.json"
    path.write_text(content)
    gathered = Gathered()
    gathered.take_all([put(tmp_path, record(outcome(), node="n1")), str(path)])
    found = merge(gathered)
    assert why in result(found, CHECK).reason and "preflight-bad.json" in result(found, CHECK).reason
    assert found.exit_code == 3
    assert result(found).status is Status.PASS


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    gathered = Gathered()
    gathered.take_all([str(tmp_path / "gone.json"), str(tmp_path)])
    assert gathered.rejected_count == 2


def test_only_one_job_counts_the_newest_unless_named(tmp_path: Path) -> None:
    old = record(outcome(Status.FAIL, finding()), node="n1", job="41", started="2026-02-03T04:00:00+00:00")
    new = record(outcome(), node="n2", job="42")
    found = merged(old, new, folder=tmp_path)
    assert result(found).status is Status.PASS
    assert result(found, CHECK).evidence["other job"] == "n1"
    assert result(merged(old, new, folder=tmp_path, job="41")).status is Status.FAIL


def test_an_old_report_does_not_stand_in_for_a_missing_node(tmp_path: Path) -> None:
    old = record(outcome(), node="n1", job="41", started="2026-02-03T04:00:00+00:00")
    found = merged(old, record(outcome(), node="n2"), folder=tmp_path, expected=["n1", "n2"])
    assert "no report from n1" in result(found, CHECK).reason and found.exit_code == 3


def test_of_two_reports_of_a_node_the_newer_counts(tmp_path: Path) -> None:
    first = record(outcome(Status.FAIL, finding()), node="n1", started="2026-02-03T04:00:00+00:00")
    second = record(outcome(), node="n1", started="2026-02-03T05:00:00+00:00")
    for order in ((first, second), (second, first)):
        found = merged(*order, folder=tmp_path)
        assert result(found).status is Status.PASS
        assert result(found, CHECK).evidence["reported twice"] == "n1"


def test_nodes_that_were_not_expected_do_not_count(tmp_path: Path) -> None:
    stray = dataclasses.replace(failed(), run=record(node="n9").run)
    found = merged(record(outcome(), node="n1"), stray, folder=tmp_path, expected=["n1"])
    assert found.exit_code == 0
    assert result(found, CHECK).evidence["not expected"] == "n9"


# --- documents in other shapes


def test_one_document_a_line_and_several_in_a_file(tmp_path: Path) -> None:
    several = tmp_path / "all.json"
    several.write_text("".join(text(record(outcome(), node=f"n{n}")) for n in (1, 2)))
    lines = tmp_path / "lines.json"
    compact = [json.dumps(json.loads(text(record(outcome(), node=f"n{n}")))) for n in (3, 4)]
    lines.write_text("\n".join(compact) + "\n\n")
    gathered = Gathered()
    gathered.take_all([str(several), str(lines)])
    assert sorted(gathered.nodes) == ["n1", "n2", "n3", "n4"] and not gathered.rejected


@pytest.mark.parametrize("before", ["", "lens-preflight: sampler is misspelt\n", "srun: hello {\n\n"])
@pytest.mark.parametrize("after", ["", "slurmstepd: error: x\n", "\n\nbye"])
def test_what_others_say_around_a_report_is_left_out(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "preflight-n1.json"
    path.write_text(before + text(record(outcome(), node="n1")) + after)
    gathered = Gathered()
    gathered.take(str(path))
    assert sorted(gathered.nodes) == ["n1"] and not gathered.rejected


def test_a_merged_report_is_not_merged_again(tmp_path: Path) -> None:
    once = merged(record(outcome(), node="n1"), folder=tmp_path)
    assert "merged already" in result(merged(once, folder=tmp_path), CHECK).reason


# --- the short way past the parser


def test_equal_reports_are_recognised_and_different_ones_are_not() -> None:
    first = record(outcome(seconds="0.1", stage="ok: 1 ms"), node="n1")
    shape = skeleton(text(first).encode())
    assert shape is not None
    other = record(outcome(seconds='0.2 "}\n      }, {', stage="ok: }"), node="n2", started="later")
    run = shape.run_of(text(other).encode())
    assert run is not None and json.loads(run)["host"] == "n2"
    for changed in (
        record(outcome(reason="another"), node="n2"),
        record(outcome(Status.UNKNOWN), node="n2"),
        record(outcome(), outcome(Status.UNKNOWN, reason="x"), node="n2"),
        record(outcome(endpoint="collector:4318"), node="n2"),
        record(outcome(endpoint=""), node="n2"),
        failed(),
    ):
        assert shape.run_of(text(changed).encode()) is None
    assert shape.run_of(text(other).encode()[:-4]) is None
    assert shape.run_of(text(other).encode() + b"x") is None


def test_nothing_hides_between_two_equal_parts() -> None:
    """An outcome that is inserted where evidence ends must not be skipped with it."""
    plain = outcome(seconds="1")
    hidden = outcome(Status.UNKNOWN, reason="hidden", seconds="1")
    shape = skeleton(text(record(plain, plain)).encode())
    assert shape is not None
    assert shape.run_of(text(record(plain, hidden, plain)).encode()) is None
    assert shape.run_of(text(record(plain, plain, plain)).encode()) is None


def test_what_all_reports_share_becomes_constant_and_still_counts() -> None:
    def made(host: str, second: str, at: str = "collector:4317") -> bytes:
        return text(
            record(outcome(at=host), outcome(check="b", seen=second, endpoint=at), node=host)
        ).encode()

    shape = skeleton(made("n1", "same"))
    assert shape is not None
    tight = shape.tightened(made("n2", "same"))
    assert len(tight.rest) == 2 < len(shape.rest)
    assert tight.run_of(made("n3", "same")) is not None
    assert tight.run_of(made("n3", "other")) is None  # the wider one still knows it
    assert shape.run_of(made("n3", "other")) is not None
    assert shape.run_of(made("n3", "other", "elsewhere")) is None


def test_all_ways_past_the_parser_give_what_parsing_gives(tmp_path: Path) -> None:
    paths = []
    for n in range(12):
        what = record(
            outcome(at=f"{n}"), outcome(check="b", seen=str(n // 6)), outcome(check="c"), node=node(n)
        )
        if n % 4 == 3:
            what = dataclasses.replace(failed(), run=what.run)
        paths.append(put(tmp_path, what))
    fast, slow = Gathered(), Gathered()
    fast.take_all(paths)
    for path in paths:  # one document a line is always parsed
        line = Path(path).with_suffix(".line")
        line.write_text(json.dumps(json.loads(Path(path).read_text())) + "\n")
        slow.take(str(line))
    assert text(merge(fast)) == text(merge(slow))


def test_every_part_of_a_large_report_counts() -> None:
    whole = dataclasses.replace(everything(), profile="node")
    shape = skeleton(text(whole).encode())
    assert shape is not None
    for number, one in enumerate(whole.results):
        changed = dataclasses.replace(one, reason=f"{one.reason}!")
        results = (*whole.results[:number], changed, *whole.results[number + 1 :])
        assert shape.run_of(text(dataclasses.replace(whole, results=results)).encode()) is None


def test_memory_does_not_grow_with_what_the_reports_say(tmp_path: Path) -> None:
    document = text(record(outcome(note="x" * 2000), node="@@"))
    paths = []
    for number in range(1500):
        path = tmp_path / f"{number}.json"
        path.write_text(document.replace("@@", node(number)))
        paths.append(str(path))
    gathered = Gathered()
    gathered.take(paths[0])
    tracemalloc.start()
    gathered.take_all(paths[1:])
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1500 * 1000 < 1500 * len(document)


def test_different_reports_are_bounded_too(tmp_path: Path) -> None:
    gathered = Gathered()
    for number in range(300):
        bad = failed(finding(message=f"message {number}"))
        gathered.take(put(tmp_path, dataclasses.replace(bad, run=record(node=node(number)).run), "same"))
    assert len(gathered._known) <= 32
    assert len(gathered.outcomes) == 300


# --- the command


def run(*args: str, **environ: str) -> tuple[int, str]:
    done = CliRunner().invoke(command, args, env=environ, standalone_mode=False, catch_exceptions=False)
    return done.return_value, done.output


def test_the_command_takes_folders_and_the_allocation(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    for n in (1, 2):
        put(folder, record(outcome(), node=node(n)))
    out = tmp_path / "merged.json"
    code, said = run(str(folder), "--report", f"json={out}", SLURM_JOB_NODELIST="gpu[001-003]")
    assert code == 3 and "no report from gpu003" in said
    assert json.loads(out.read_text())["run"]["obtained"]["missing"] == "gpu003"
    assert run(str(folder), "-q", "--nodes", "gpu[001-002]")[0] == 0
    assert run(str(folder), "-q", SLURM_JOB_ID="43")[0] == 3


def test_the_fleet_verdict_is_published(tmp_path: Path) -> None:
    path = put(tmp_path, dataclasses.replace(failed(), run=record(node="n1").run))
    run(path, "-q", "--fleet", str(tmp_path / "fleet.json"))
    document = json.loads((tmp_path / "fleet.json").read_text())
    assert document["failing"] == {"otlp-endpoint/refused": 1} and document["nodes"] == 1
    assert document["since"] == 1770091506.0


def test_junit_has_one_case_for_each_check_however_many_nodes(tmp_path: Path) -> None:
    records = [record(outcome(), outcome(check="sampler"), node=node(n)) for n in range(20)]
    out = io.StringIO()
    junit.write(merged(*records, folder=tmp_path), out)
    cases = etree.fromstring(out.getvalue().encode()).findall(".//testcase")
    assert [case.get("classname") for case in cases] == ["otlp-endpoint", "sampler", CHECK]


def test_cautions_survive(tmp_path: Path) -> None:
    weak = outcome(Status.WARN, finding(severity=Severity.CAUTION))
    found = merged(record(weak, node="n1"), record(outcome(), node="n2"), folder=tmp_path)
    assert result(found).status is Status.WARN and found.exit_code == 0
    assert found.items[5].status == "warn"


@pytest.mark.parametrize("launches", [7, "x", {"a": 1}, ["x"], [[]]])
def test_a_report_whose_launches_are_none_is_no_report(launches: object, tmp_path: Path) -> None:
    document = json.loads(text(record(outcome())))
    document["subject"]["launches"] = launches
    (tmp_path / "n1.json").write_text(json.dumps(document))
    gathered = Gathered()
    gathered.take(str(tmp_path / "n1.json"))
    assert list(gathered.rejected.values()) == ["does not follow the schema of version 1"]


def test_numbers_without_end_are_no_report_and_no_crash(tmp_path: Path) -> None:
    document = text(record(outcome(), node="n" + "9" * 5000))
    (tmp_path / "long.json").write_text(document)
    (tmp_path / "huge.json").write_text(
        document.replace('"items": [\n        6', '"items": [\n        1e999')
    )
    gathered = Gathered()
    gathered.take_all([str(tmp_path / "long.json"), str(tmp_path / "huge.json")])
    assert list(gathered.rejected) == [str(tmp_path / "huge.json")]
    assert "9" * 5000 in text(merge(gathered))


def test_not_knowing_that_may_wait_does_so_only_when_it_does_on_every_node(tmp_path: Path) -> None:
    """The waiver is in the node's report; another node may not know for a reason that nobody waived."""
    unknown = outcome(Status.UNKNOWN, reason="not seen", check="sampler", items=(7,))
    waived = dataclasses.replace(unknown, waived="until May")
    one, other = record(waived, node="n1"), record(unknown, node="n2")
    assert merged(one, record(waived, node="n2"), folder=tmp_path).exit_code == 0
    found = merged(one, other, folder=tmp_path)
    assert (found.exit_code, result(found, "sampler").waived) == (3, "")
    assert (
        merged(one, record(outcome(check="sampler", items=(7,)), node="n2"), folder=tmp_path).exit_code == 0
    )
    broken = dataclasses.replace(unknown, status=Status.ERROR)
    assert merged(one, record(broken, node="n2"), folder=tmp_path).exit_code == 3
