"""What a program does to its variables and its configuration counts like what the launch sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.environment import environment
from lens_preflight.checks.otlp_endpoint import otlp_endpoint
from lens_preflight.checks.run_id import run_id
from lens_preflight.checks.sampler import sampler
from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.span_groups import span_groups
from lens_preflight.core.check import Check
from lens_preflight.core.outcome import Outcome
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.subject.secrets import redactor
from tests.making import outcome, outcomes, subject
from tests.program.big import ENTRY, write

SCRIPT = """\
import argparse, os, random, uuid
import torch.distributed as dist
import trainlib
from nemo.lens import NemoLensConfig, setup_telemetry
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
{before}
config = NemoLensConfig.from_env()
config.enabled = config.enabled and rank % 4 == 0
{after}
handle = setup_telemetry(config, resource_attributes={{"nv.dl.rank": rank, {attributes}}})
try:
    trainlib.train()
finally:
    handle.shutdown()
"""
RUN_ID = Variable("NEMO_LENS_RUN_ID", State.PROVIDED, reason="by the job")
PROXIES = "rest = {k: v for k, v in os.environ.items() if 'PROXY' in k.upper()}\n"
EACH = "for k in list(os.environ):\n"
SET = {
    "NEMO_LENS_ENABLED": "1",
    "NEMO_LENS_RUN_ID": "r1",
    "OTEL_TRACES_SAMPLER": "always_on",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317",
    "SLURM_JOB_ID": "12",
}


def judged(
    folder: Path,
    check: Check,
    before: str = "",
    after: str = "",
    attributes: str = "",
    env: dict[str, str] | None = None,
    size: int | None = 8,
) -> Outcome:
    """What a check says of the script with these lines around its configuration."""
    text = SCRIPT.format(before=before, after=after, attributes=attributes)
    return of_text(folder, check, text, {**SET, **(env or {})}, size)


def of_text(folder: Path, check: Check, text: str, env: dict[str, str], size: int | None = 8) -> Outcome:
    """What a check says of a script in an environment."""
    (folder / "train.py").write_text(text)
    target = str(folder / "train.py")
    return outcome(check, env, targets=(target,), lens="nightly", world_size=size)


def words(found: Outcome) -> str:
    """The status and the rules, in one text."""
    return " ".join([found.status.value, *(j.finding.rule.name for j in found.findings)])


def test_nothing_changes_for_a_program_that_writes_nothing(tmp_path: Path) -> None:
    for check in (run_id, sampler, environment):
        assert words(judged(tmp_path, check)) == "pass"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('config.run_id = f"run-{rank}"', "fail differs"),
        ('config.run_id = "fixed"', "pass constant"),
        ('config.run_id = config.run_id + "-a"', "pass constant"),
        ('config.run_id = os.environ["SLURM_JOB_ID"] + "-a"', "pass constant"),
        ('config.run_id = os.environ["JOB_NAME"] + "-a"', "pass"),
        ('config.run_id = ""', "pass"),
        ("config.run_id = uuid.uuid4().hex", "fail differs"),
        ("config.run_id = f\"{os.environ['JOB_NAME']}-{os.getpid()}\"", "fail differs"),
        ("config.run_id = trainlib.name()", "unknown"),
        ("config.run_id = str(random.random())", "unknown"),
        ('config.run_id = "a" if trainlib.first() else "b"', "unknown"),
        ('config.run_id = trainlib.name() or "b"', "unknown"),
        ('config.run_id = trainlib.NAME or "b"', "unknown"),
        ('config.run_id = trainlib.args().run_id or f"run-{size}"', "unknown"),
        ('config.run_id = os.environ.get("JOB_NAME") or "b"', "pass constant"),
        ('config.run_id = "" or "b"', "pass constant"),
        ('config.run_id = "a" if rank < 4 else "b"', "fail differs"),
        ('config.run_id = "a" if rank != 3 else "b"', "pass constant"),
    ],
)
def test_a_run_id_that_the_program_sets(lines: str, expected: str, tmp_path: Path) -> None:
    assert words(judged(tmp_path, run_id, after=lines)) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("ids = [uuid.uuid4().hex]\ndist.broadcast_object_list(ids, src=0)\nconfig.run_id = ids[0]", "pass"),
        ("ids = [uuid.uuid4().hex if rank == 0 else None]\ndist.broadcast_object_list(ids)\nconfig.run_id = ids[0]", "pass"),
        ("ids = [1]\ndist.broadcast_object_list(ids)\nconfig.run_id = f'{ids[0]}-{rank}'", "fail differs"),
        ("ids = [1]\ndist.broadcast_object_list(ids)\nconfig.run_id = f'{ids[0]}-{uuid.uuid4()}'", "unknown"),
        ("box = dist.broadcast(trainlib.box(uuid.uuid4().hex), 0)\nconfig.run_id = uuid.uuid4().hex", "unknown"),
        ("""config.run_id = f"{os.environ['JOB_NAME']}-{rank}\"""", "fail differs"),
        ("""config.run_id = f"{os.environ['JOB_NAME']}-{size}\"""", "unknown"),
        ("""config.run_id = f"{os.environ['JOB_NAME']}-{size}-{dist.get_rank()}\"""", "unknown"),
        ("""config.run_id = f"{os.environ['JOB_NAME']}-{dist.get_rank()}\"""", "unknown"),
    ],
)  # fmt: skip
def test_what_one_process_hands_to_all_is_one_for_all(lines: str, expected: str, tmp_path: Path) -> None:
    assert words(judged(tmp_path, run_id, after=lines)) == expected


def test_an_id_that_depends_on_the_number_of_processes_is_one_for_all_of_them(tmp_path: Path) -> None:
    lines = 'config.run_id = f"of-{size}"'
    assert words(judged(tmp_path, run_id, after=lines, size=None)) == "pass"
    assert words(judged(tmp_path, run_id, after=lines)) == "pass constant"


def test_the_attribute_of_the_call_wins_over_the_run_id(tmp_path: Path) -> None:
    assert words(judged(tmp_path, run_id, attributes='"nemo.run.id": f"r{rank}"')) == "fail differs"
    assert words(judged(tmp_path, run_id, attributes='"nemo.run.id": "mine"')) == "pass constant"
    assert words(judged(tmp_path, run_id, attributes='"nemo.run.ids": f"r{rank}"')) == "pass"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('os.environ["NEMO_LENS_RUN_ID"] = uuid.uuid4().hex', "fail differs"),
        ('os.environ.setdefault("NEMO_LENS_RUN_ID", uuid.uuid4().hex)', "pass"),
        ("os.environ.clear()", "fail per-process"),
        (EACH + "    if k.startswith(('NEMO_', 'SLURM_')):\n        os.environ.pop(k)", "fail per-process"),
        (EACH + "    if k.startswith('SLURM_'):\n        del os.environ[k]", "pass"),
        ("for k, v in os.environ.items():\n    if k.startswith('MY_'):\n        os.environ[k] = v.strip()", "pass"),
        ("for k, v in os.environ.items():\n    os.environ[k.replace('MY_', '')] = v", "unknown"),
        ("os.environ.update(trainlib.settings())", "unknown"),
        ('os.environ[trainlib.name()] = "1"', "unknown"),
        ("os.environ.popitem()", "unknown"),
        ('os.environ.pop(trainlib.name(), None)', "unknown"),
        ('del os.environ["NEMO_LENS_RUN_ID"]\ndel os.environ["SLURM_JOB_ID"]', "fail per-process"),
        ('if trainlib.first():\n    os.environ["NEMO_LENS_RUN_ID"] = "b"', "unknown"),
        ('if rank == 3:\n    os.environ["NEMO_LENS_RUN_ID"] = "b"', "pass"),
        ('if rank == 4:\n    os.environ["NEMO_LENS_RUN_ID"] = "b"', "fail differs"),
        ("saved = dict(os.environ)\nos.environ.clear()\nos.environ.update(saved)", "pass"),
        ("saved = os.environ.copy()\nos.environ.clear()\nos.environ |= saved", "pass"),
        ("for k, v in trainlib.settings():\n    os.environ.setdefault(k, v)", "pass"),
        ("for k, v in trainlib.settings():\n    os.environ['NCCL_' + k] = v", "pass"),
        ("for k, v in trainlib.settings():\n    os.environ[f'UCX_{k}_X'] = v", "pass"),
        ("for k, v in trainlib.settings():\n    os.environ['NEMO_' + k] = v", "unknown"),
        ("for k, v in trainlib.settings():\n    os.environ[f'N{k}'] = v", "unknown"),
        ("for k, v in trainlib.settings():\n    os.environ[k + '_X'] = v", "unknown"),
        ('os.environ |= {"NCCL_DEBUG": "INFO"}', "pass"),
        ("os.environ |= trainlib.settings()", "unknown"),
        (PROXIES + "for k in rest:\n    os.environ.pop(k, None)", "pass"),
        ("import re\n" + EACH + "    if re.match(r'^(SLURM|PMI)_', k):\n        os.environ.pop(k)", "pass"),
        ("import re\n" + EACH + "    if re.match(r'^(SLURM|NEMO)_', k):\n        os.environ.pop(k)", "unknown"),
        ('child = os.environ.copy()\nchild["NEMO_LENS_RUN_ID"] = uuid.uuid4().hex', "pass"),
        ('os.putenv("NEMO_LENS_RUN_ID", uuid.uuid4().hex)', "pass"),
    ],
)  # fmt: skip
def test_a_run_id_in_variables_that_the_program_writes(lines: str, expected: str, tmp_path: Path) -> None:
    assert words(judged(tmp_path, run_id, before=lines)) == expected


def test_a_variable_of_lens_that_is_written_behind_from_env_is_too_late(tmp_path: Path) -> None:
    lines = (
        'os.environ["NEMO_LENS_RUN_ID"] = uuid.uuid4().hex\nos.environ["OTEL_TRACES_SAMPLER"] = "always_off"'
    )
    assert words(judged(tmp_path, run_id, after=lines)) == "pass"
    assert words(judged(tmp_path, sampler, after=lines)) == "fail nothing-sampled"


def test_a_configuration_built_by_hand_reads_no_variable(tmp_path: Path) -> None:
    lines = 'config = NemoLensConfig(enabled=rank == 0, span_groups="nope")'
    env = {"SLURM_JOB_ID": ""}
    assert words(judged(tmp_path, run_id, after=lines, env=env)) == "fail per-process"
    assert words(judged(tmp_path, run_id, after=lines)) == "pass"
    assert "nope" in judged(tmp_path, span_groups, after=lines).reason


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('os.environ["OTEL_TRACES_SAMPLER"] = "always_off"', "fail nothing-sampled"),
        ('os.environ["OTEL_TRACES_SAMPLER"] = "alwayson"', "fail misspelt"),
        ('os.environ.update(OTEL_TRACES_SAMPLER="parentbased_always_on")', "pass"),
        ('os.environ.pop("OTEL_TRACES_SAMPLER")', "warn unset"),
        ('os.environ["OTEL_TRACES_SAMPLER"] = trainlib.sampler()', "unknown"),
        ('os.environ |= {"OTEL_TRACES_SAMPLER": "always_off"}', "fail nothing-sampled"),
    ],
)
def test_a_sampler_that_the_program_names(lines: str, expected: str, tmp_path: Path) -> None:
    assert words(judged(tmp_path, sampler, before=lines)) == expected


def test_a_file_of_settings_that_wins_counts(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OTEL_TRACES_SAMPLER=always_off\n")
    load = "from dotenv import load_dotenv\nload_dotenv({})"
    assert words(judged(tmp_path, sampler, before=load.format(""))) == "pass"
    assert words(judged(tmp_path, sampler, before=load.format("override=True"))) == "fail nothing-sampled"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('os.environ.setdefault("OTEL_SDK_DISABLED", "true")', "", "fail sdk-disabled"),
        ('os.environ["NEMO_LENS_METRICS_ENABLED"] = "enabled"', "", "fail fatal"),
        ("", 'config.exporter = "jaeger"', "fail fatal"),
        ('os.environ["OTEL_EXPORTER_OTLP_TIMEOUT"] = "inf"', "", "fail hangs"),
    ],
)
def test_the_environment_that_the_program_makes(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    assert words(judged(tmp_path, environment, before, after)) == expected


def test_the_remedy_names_the_line_that_has_the_last_word(tmp_path: Path) -> None:
    found = judged(tmp_path, sampler, before='os.environ["OTEL_TRACES_SAMPLER"] = "alwayson"')
    (finding,) = (j.finding for j in found.findings)
    assert "train.py:6, which has the last word on OTEL_TRACES_SAMPLER" in finding.remedy
    assert not finding.settings
    assert finding.at.line == 6


def test_what_nobody_can_tell_is_named(tmp_path: Path) -> None:
    lines = "from omegaconf import OmegaConf\nconfig.run_id = OmegaConf.load('c.yaml').run_id"
    reason = judged(tmp_path, run_id, after=lines).reason
    assert "makes it from ," not in reason
    assert "take it out of" in reason


def test_the_environment_of_the_launch_stays_its_own(tmp_path: Path) -> None:
    text = SCRIPT.format(before='os.environ["OTEL_TRACES_SAMPLER"] = "always_off"', after="", attributes="")
    (tmp_path / "train.py").write_text(text)
    run = subject(SET, targets=(str(tmp_path / "train.py"),), lens="nightly", world_size=8)
    (launch,) = run.launches
    (generation,) = run.generations(launch)
    inside = run.inside(launch, generation)
    assert launch.env["OTEL_TRACES_SAMPLER"].value == "always_on"
    assert inside.names == {"OTEL_TRACES_SAMPLER"}
    assert inside.env["OTEL_TRACES_SAMPLER"].state is State.VALUE


def test_a_secret_that_a_module_of_the_program_writes_is_hidden(tmp_path: Path) -> None:
    token = "Zk93hfaQ2mB71x"
    (tmp_path / "site_settings.py").write_text(
        f'import os\nos.environ["OTEL_EXPORTER_OTLP_HEADERS"] = "authorization=Bearer {token}"\n'
    )
    (tmp_path / "train.py").write_text(SCRIPT.format(before="import site_settings", after="", attributes=""))
    run = subject(SET, targets=(str(tmp_path / "train.py"),), lens="nightly", world_size=8)
    assert token in redactor(run).redact(f"it answers {token}")
    outcomes(environment, run)
    assert token not in redactor(run).redact(f"it answers {token}")


def test_a_service_that_the_program_names(tmp_path: Path) -> None:
    text = SCRIPT.format(before="", after='config.service_name = "mine"', attributes="")
    (tmp_path / "train.py").write_text(text)
    run = subject(SET, targets=(str(tmp_path / "train.py"),), lens="nightly", world_size=8)
    (launch,) = run.launches
    inside = run.inside(launch, run.generations(launch)[0])
    assert inside.env["OTEL_SERVICE_NAME"].value == "mine"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ('config.exporter = "console"', "warn nothing-sent"),
        ("config.traces_enabled = config.metrics_enabled = False", "warn nothing-sent"),
        ("config.traces_enabled = False", "pass"),
    ],
)
def test_telemetry_that_goes_nowhere_is_told(after: str, expected: str, tmp_path: Path) -> None:
    assert words(judged(tmp_path, environment, after=after)) == expected


def test_an_exporter_of_the_programs_own_is_not_the_endpoint_that_is_asked(tmp_path: Path) -> None:
    text = SCRIPT.format(before="", after="", attributes="").replace(
        "setup_telemetry(config,", "setup_telemetry(config, span_exporter=trainlib.exporter(),"
    )
    (tmp_path / "train.py").write_text(text)
    target = str(tmp_path / "train.py")
    env = {**SET, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_TIMEOUT": "1"}
    run = subject(env, targets=(target,), lens="nightly", world_size=8, offline=False)
    by_signal = {t.key: o for o in outcomes(otlp_endpoint, run) for t in o.targets}
    assert by_signal["traces"].status.value == "unknown"
    assert "exporter of its own" in by_signal["traces"].reason
    assert "exporter of its own" not in by_signal["metrics"].reason


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("trace.set_tracer_provider(TracerProvider())", "fail provider-taken"),
        ("metrics.set_meter_provider(trainlib.provider())", "fail provider-taken"),
        ("trace.get_tracer_provider()", "pass"),
        ("if rank == 99:\n    trace.set_tracer_provider(TracerProvider())", "pass"),
    ],
)
def test_a_global_provider_in_front_of_the_setup(call: str, expected: str, tmp_path: Path) -> None:
    imports = "from opentelemetry import metrics, trace\nfrom opentelemetry.sdk.trace import TracerProvider\n"
    assert words(judged(tmp_path, setup_once, before=imports + call)) == expected
    if "\n" not in call:
        assert words(judged(tmp_path, setup_once, before=imports)) == "pass"


def test_a_provider_behind_the_setup_is_the_one_that_is_refused(tmp_path: Path) -> None:
    text = SCRIPT.format(before="from opentelemetry import trace", after="", attributes="")
    text = text.replace("    trainlib.train()", "    trace.set_tracer_provider(1)\n    trainlib.train()")
    assert words(of_text(tmp_path, setup_once, text, SET)) == "pass"


def test_a_variable_that_is_made_of_itself_and_the_rank_differs(tmp_path: Path) -> None:
    lines = "os.environ['NEMO_LENS_RUN_ID'] = os.environ['NEMO_LENS_RUN_ID'] + str({})"
    provided = Environment({v.name: v for v in Environment.of(SET)} | {RUN_ID.name: RUN_ID})
    for rank, expected in (("dist.get_rank()", "unknown"), ("rank", "fail differs"), ("'-a'", "pass")):
        text = SCRIPT.format(before=lines.format(rank), after="", attributes="")
        (tmp_path / "train.py").write_text(text)
        target = str(tmp_path / "train.py")
        found = outcome(run_id, provided, targets=(target,), lens="nightly", world_size=8)
        assert words(found) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('os.environ["OTEL_TRACES_SAMPLER"] = "always_off"', "unknown"),
        ('os.environ.pop("OTEL_TRACES_SAMPLER", None)', "unknown"),
        ('del os.environ["OTEL_TRACES_SAMPLER"]', "unknown"),
        ('os.environ.setdefault("OTEL_TRACES_SAMPLER", "always_off")', "pass"),
        ('print(os.environ["OTEL_TRACES_SAMPLER"] == "always_off")', "pass"),
        ('os.environ["OTEL_SERVICE_NAME"] = "x"', "pass"),
    ],
)
def test_a_write_in_a_large_program_that_is_not_followed_is_not_known(
    line: str, expected: str, tmp_path: Path
) -> None:
    write(tmp_path)
    module = sorted((tmp_path / "big" / "layers").glob("m*.py"))[7]
    module.write_text(f"import os\n\n\ndef prepared():\n    {line}\n\n\n" + module.read_text())
    run = subject(SET, targets=(str(tmp_path / ENTRY),), lens="0.1", world_size=8)
    (found,) = outcomes(sampler, run)
    assert words(found) == expected
    if expected == "unknown":
        assert f"{module.name}:5" in str(found.reason_at)


GUARDED = "if getattr(args, 'otel_span_groups', None):\n    config.span_groups = args.otel_span_groups"
OR_ALL = "config.span_groups = args.otel_span_groups or 'all'"
OR_NONE = "config.span_groups = args.otel_span_groups"


@pytest.mark.parametrize(
    ("lines", "arguments", "expected"),
    [
        (GUARDED, (), "pass"),
        (GUARDED, ("--otel-span-groups", "job"), "unknown"),
        (GUARDED, ("--otel-span-groups=job",), "unknown"),
        (OR_ALL, (), "unknown"),
        (OR_NONE, (), "unknown"),
    ],
)
def test_an_option_of_the_framework_that_the_launch_does_not_give(
    lines: str, arguments: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    text = SCRIPT.replace(
        "from_env()", "from_env(prefix='MEGATRON_OTEL', fallback_prefix='NEMO_LENS')"
    ).format(before="from megatron.training import get_args\nargs = get_args()", after=lines, attributes="")
    (tmp_path / "pretrain_gpt.py").write_text(text)
    env = {**SET, "MEGATRON_OTEL_SPAN_GROUPS": "default"}
    target = str(tmp_path / "pretrain_gpt.py")
    found = outcome(span_groups, env, targets=(target,), lens="nightly", world_size=8, args=arguments)
    assert found.status.value == expected
