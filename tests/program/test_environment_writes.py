"""Ways of a script into its environment and its configuration beside plain assignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.rollback import rollback
from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, HEAD, RANKED, asked

CONFIGURED = "config = NemoLensConfig.from_env()\n{change}\n" + RANKED.replace(
    "NemoLensConfig.from_env()", "config"
)
DOTENV = "from dotenv import dotenv_values, find_dotenv, load_dotenv\n"
BOTH = {".env": "# site\nexport NEMO_LENS_ENABLED=1\nNEMO_LENS_EXPORT_STRATEGY='all_ranks'  # for now\n"}
OTHER = {".env": "WANDB_API_KEY=abc\nHF_HOME=/cache\n"}


def before(lines: str) -> str:
    """A good script with some lines in front of the setup."""
    return f"{HEAD}{lines}\n{RANKED}{FINALLY}"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('os.environb[b"NEMO_LENS_ENABLED"] = b"1"', "fail"),
        ('os.environb[b"NEMO_LENS_ENABLED"] = b"0"', "pass"),
        ('os.environb[b"HF_HOME"] = b"/cache"', "pass"),
        ('os.environb.update({b"NEMO_LENS_ENABLED": b"1"})', "unknown"),
        ("os.environb[trainlib.name()] = b'1'", "unknown"),
    ],
)
def test_the_environment_of_bytes(lines: str, expected: str, tmp_path: Path) -> None:
    assert asked(tmp_path, rollback, before(lines)).verdict == expected


@pytest.mark.parametrize(
    ("call", "files", "rolled", "ranks"),
    [
        ("load_dotenv('.env', override=True)", BOTH, "warn", "warn"),
        ("load_dotenv(override=True)", BOTH, "warn", "warn"),
        ("load_dotenv(find_dotenv(), override=True)", BOTH, "warn", "warn"),
        ("os.environ.update(dotenv_values('.env'))", BOTH, "warn", "warn"),
        ("load_dotenv()", BOTH, "pass", "warn"),
        ("load_dotenv('.env')", OTHER, "pass", "note"),
        ("load_dotenv('.env', override=True)", OTHER, "pass", "note"),
        ("load_dotenv()", {}, "pass", "note"),
        ("load_dotenv('/etc/site.env')", {}, "pass", "note"),
        ("load_dotenv(override=True)", {}, "unknown", "note"),
        ("load_dotenv(os.environ['ENV_FILE'], override=True)", BOTH, "unknown", "note"),
        ("load_dotenv(override=True)", {".env": "NEMO_LENS_ENABLED=${ON:-1}\n"}, "warn", "note"),
    ],
)
def test_a_file_of_variables(
    call: str, files: dict[str, str], rolled: str, ranks: str, tmp_path: Path
) -> None:
    text = before(DOTENV + call)
    assert asked(tmp_path, rollback, text, files=files).verdict == rolled
    assert asked(tmp_path, rank_decision, text, files=files).verdict == ranks


@pytest.mark.parametrize(
    "change",
    [
        "import yaml\nfor k, v in yaml.safe_load(open('c.yaml'))['telemetry'].items():\n    setattr(config, k, v)",
        "config.__dict__[trainlib.name()] = 'all_ranks'",
        "config.__dict__.update(trainlib.settings())",
        "config.__dict__ |= trainlib.settings()",
        "vars(config).update(trainlib.settings())",
        "vars(config).clear()",
        "config.__dict__ = trainlib.settings()",
        "trainlib.adjust(config)",
    ],
)
def test_a_field_that_nobody_names_may_be_any(change: str, tmp_path: Path) -> None:
    text = HEAD + CONFIGURED.format(change=change) + FINALLY
    assert asked(tmp_path, rank_decision, text).verdict == "unknown"
    assert asked(tmp_path, rollback, text).verdict == "unknown"


@pytest.mark.parametrize(
    "change",
    [
        "setattr(config, 'run_id', 'a')",
        "for name in ('run_id', 'user'):\n    setattr(config, name, 'a')",
        "vars(config).update({'run_id': 'a'})",
        "class Run: pass\nrun = Run()\nfor k, v in trainlib.settings():\n    setattr(run, k, v)\nprint(run.lr)",
    ],
)
def test_fields_that_decide_nothing(change: str, tmp_path: Path) -> None:
    text = HEAD + CONFIGURED.format(change=change) + FINALLY
    assert asked(tmp_path, rank_decision, text).verdict == "note"
    assert asked(tmp_path, rollback, text).verdict == "pass"
    assert asked(tmp_path, shutdown, text).verdict == "pass"


def test_a_name_that_is_one_of_two(tmp_path: Path) -> None:
    change = "field = 'enabled' if trainlib.flag() else 'user'\nsetattr(config, field, True)"
    text = HEAD + CONFIGURED.format(change=change) + FINALLY
    assert asked(tmp_path, rollback, text).verdict == "fail"
