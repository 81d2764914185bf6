"""rollback: NEMO_LENS_ENABLED=0 switches off, or what does not let it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from lens_preflight.checks.rollback import rollback
from lens_preflight.core.errors import Skip
from lens_preflight.lens.frameworks import Effect, Flag, Framework
from tests.program.judge import ask, context
from tests.program.scripts import FINALLY, GOOD, HEAD, asked, rules

CALL = "handle = setup_telemetry(cfg, rank=0, world_size=8)\n"
CONFIGS = {
    "from the environment": ("cfg = NemoLensConfig.from_env()\n", "pass", []),
    "and keeps": ("cfg = NemoLensConfig.from_env()\ncfg.enabled = cfg.enabled and True\n", "pass", []),
    "or forgets": (
        "cfg = NemoLensConfig.from_env()\ncfg.enabled = cfg.enabled or True\n",
        "fail",
        ["hard-coded"],
    ),
    "assigned": ("cfg = NemoLensConfig.from_env()\ncfg.enabled = True\n", "fail", ["hard-coded"]),
    "constructed": ("cfg = NemoLensConfig(enabled=True)\n", "fail", ["hard-coded"]),
    "variable written": (
        "os.environ['NEMO_LENS_ENABLED'] = '1'\ncfg = NemoLensConfig.from_env()\n",
        "fail",
        ["hard-coded"],
    ),
    "variable given a default": (
        "os.environ.setdefault('NEMO_LENS_ENABLED', '1')\ncfg = NemoLensConfig.from_env()\n",
        "pass",
        [],
    ),
    "text is true": (
        "cfg = NemoLensConfig(enabled=bool(os.environ['NEMO_LENS_ENABLED']))\n",
        "fail",
        ["hard-coded"],
    ),
    "own prefix": ("cfg = NemoLensConfig.from_env(prefix='MINE')\n", "warn", ["own-prefix"]),
    "prefix and fallback": ("cfg = NemoLensConfig.from_env('MINE', 'NEMO_LENS')\n", "pass", []),
    "another variable": (
        "cfg = NemoLensConfig.from_env()\ncfg.enabled = os.environ.get('MINE', '1') == '1'\n",
        "warn",
        ["other-switch"],
    ),
}


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_configurations(tmp_path: Path, name: str) -> None:
    config, verdict, wanted = CONFIGS[name]
    answer = asked(tmp_path, rollback, HEAD + config + CALL + FINALLY)
    assert (answer.verdict, rules(answer)) == (verdict, wanted)


def test_a_flag_of_the_program(tmp_path: Path) -> None:
    text = (
        HEAD
        + "import argparse\nap = argparse.ArgumentParser()\nap.add_argument('--on', action='store_true')\n"
    )
    text += "args = ap.parse_args()\ncfg = NemoLensConfig.from_env()\nif args.on:\n    cfg.enabled = True\n"
    answer = asked(tmp_path, rollback, text + CALL + FINALLY, args=("--on",))
    assert rules(answer) == ["other-switch"]
    assert "the command line (--on)" in answer.findings[0].message


MINE = Framework(
    id="mine", title="Mine", prefix="MINE_OTEL", flags=(Flag("--mine", "ENABLED", Effect.ENABLE_ONLY),)
)


def test_a_prefixed_variable_wins(tmp_path: Path) -> None:
    answer = asked(tmp_path, rollback, GOOD, env={"MINE_OTEL_ENABLED": "1"}, framework=MINE)
    assert rules(answer) == ["prefix-shadows"]
    assert ("MINE_OTEL_ENABLED", None) in answer.findings[0].settings


def test_a_flag_of_the_framework_wins(tmp_path: Path) -> None:
    assert rules(asked(tmp_path, rollback, GOOD, args=("--mine",), framework=MINE)) == ["flag-wins"]


class NoProgram(SimpleNamespace):
    """A context without a script."""

    @property
    def program(self) -> object:
        """There is none."""
        raise Skip("no script was given", missing_input="a training script")


def test_without_a_script_the_environment_never_passes() -> None:
    plain = dict(vars(context(None, "0.1", {})))  # type: ignore[arg-type]
    plain.pop("program")
    assert ask(rollback, NoProgram(**plain)).verdict == "unknown"


def test_without_a_script_the_environment_can_warn() -> None:
    plain = dict(vars(context(None, "0.1", {"MINE_OTEL_ENABLED": "on"}, framework=MINE)))  # type: ignore[arg-type]
    plain.pop("program")
    assert ask(rollback, NoProgram(**plain)).verdict == "warn"
