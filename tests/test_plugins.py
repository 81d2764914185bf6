"""Checks from elsewhere run like our own; one that breaks is an error of its own."""

from __future__ import annotations

import enum
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lens_preflight import api, testing
from lens_preflight.core.check import Check
from lens_preflight.core.words import Status
from lens_preflight.plugins import installed, installed_checks, local_checks, own_folders
from lens_preflight.searchpath import of_others
from lens_preflight.testing import judge
from tests.cli.running import run
from tests.plugged import Home, plant

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples"

CRASHING = """
from lens_preflight.api import check
@check("crashing", "Crashes")
def crashing(ctx):
    raise RuntimeError("secret=canary-crash")
"""
HANGING = """
import threading
from lens_preflight.api import check
@check("hanging", "Hangs", decisive=True)
def hanging(ctx):
    threading.Event().wait(3600)
"""
MISDECLARED = """
from lens_preflight.api import Finding, Location, Rule, Severity, check
RULE = Rule("misdeclared/rule", "x", Severity.NOTE)
@check("misdeclared", "Reports what it does not declare")
def misdeclared(ctx):
    yield Finding(RULE, "x", Location.variable("X"))
"""


def only(file: Path) -> Check:
    (check,) = local_checks(str(file))
    return check


def statuses(report: str) -> dict[str, str]:
    return {result["check"]: result["status"] for result in json.loads(report)["results"]}


def written(folder: Path, text: str, name: str = "site.py") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_the_one_file_example_judges_in_one_line() -> None:
    check = only(EXAMPLES / "site_checks.py")
    assert judge(check, {}).status is Status.PASS
    outcome = judge(check, {"http_proxy": "http://proxy:3128"})
    assert outcome.status is Status.WARN
    assert outcome.findings[0].finding.remedy == "unset http_proxy"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1", "holds no check"),
        ("import no_such_module_anywhere", "no module no_such_module_anywhere"),
        ("def (", "SyntaxError in line 1"),
        ("raise SystemError('canary-load')", "SystemError"),
        ("import sys; sys.exit('canary-load')", "SystemExit"),
    ],
)
def test_a_file_that_does_not_load_is_an_error_outcome(tmp_path: Path, text: str, says: str) -> None:
    outcome = judge(only(written(tmp_path, text)))
    assert outcome.status is Status.ERROR
    assert says in outcome.reason
    assert "canary" not in outcome.reason


def test_a_missing_file_is_an_error_outcome(tmp_path: Path) -> None:
    assert "no such file" in judge(only(tmp_path / "missing.py")).reason


def test_crash_and_misdeclared_rule_are_errors_of_their_own(tmp_path: Path) -> None:
    crashed = judge(only(written(tmp_path, CRASHING)))
    assert crashed.status is Status.ERROR
    assert "canary" not in crashed.reason
    assert judge(only(written(tmp_path, MISDECLARED))).status is Status.ERROR


def test_a_hanging_check_ends_with_the_deadline(tmp_path: Path) -> None:
    file = written(tmp_path, HANGING)
    words = (
        "check",
        "--offline",
        "--no-environ",
        "--profile",
        "ci",
        "--select",
        "hanging",
        "--timeout",
        "3",
    )
    done = run(*words, "--local", str(file), "--report", "json=-", "-q", cwd=tmp_path)
    assert done.returncode == 3
    (result,) = json.loads(done.stdout)["results"]
    assert result["status"] == "error"


def test_settings_of_the_checked_tree_do_not_run_its_code(tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    written(tmp_path, f"open({str(witness)!r}, 'w').close()\n" + CRASHING)
    (tmp_path / "preflight.toml").write_text('local = ["site.py"]\n')
    words = ("check", "--offline", "--no-environ", "--profile", "ci", "--report", "json=-", "-q")
    done = run(*words, cwd=tmp_path)
    assert not witness.exists()
    refused = [r for r in json.loads(done.stdout)["results"] if r["check"] == "local:site.py"]
    assert refused[0]["status"] == "error"
    assert "--local site.py" in refused[0]["reason"]
    run(*words, "--local", "site.py", cwd=tmp_path)
    assert witness.exists()


def test_settings_from_elsewhere_may_name_code(tmp_path: Path) -> None:
    site, work = tmp_path / "site", tmp_path / "work"
    site.mkdir()
    work.mkdir()
    written(site, (EXAMPLES / "site_checks.py").read_text())
    (site / "lens.toml").write_text('local = ["site.py"]\n')
    words = ("check", "--offline", "--no-environ", "--profile", "ci", "--report", "json=-", "-q")
    done = run(*words, "--config", str(site / "lens.toml"), cwd=work)
    assert "site-proxy" in [r["check"] for r in json.loads(done.stdout)["results"]]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is that careful")
def test_root_does_not_run_what_others_can_change(tmp_path: Path) -> None:
    file = written(tmp_path, (EXAMPLES / "site_checks.py").read_text())
    file.chmod(0o646)
    assert of_others(str(file)) == str(file)
    assert "can be changed by others" in judge(only(file)).reason
    file.chmod(0o644)
    os.chown(file, 12_345, 0)
    assert "can be changed by others" in judge(only(file)).reason


def test_installed_packages_are_found_and_broken_ones_are_loud(tmp_path: Path) -> None:
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nx = y:z\n[lens_preflight.checks]\ngood = acme_checks:ALL\nbad = acme_nowhere:X\n"
        "odd = acme_checks:NUMBER\n"
    )
    (tmp_path / "acme_checks.py").write_text(
        (EXAMPLES / "site_checks.py").read_text() + "\nALL = [site_proxy]\nNUMBER = 7\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        found = {check.id: check for check in installed_checks([str(tmp_path)])}
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("acme_checks", None)
    assert set(found) == {"site-proxy", "plugin:acme[bad]", "plugin:acme[odd]"}
    assert "no module acme_nowhere" in judge(found["plugin:acme[bad]"]).reason
    assert "no Check" in judge(found["plugin:acme[odd]"]).reason


def test_reading_entry_points_agrees_with_the_standard_library() -> None:
    from importlib.metadata import distributions

    ours = {(e.name, e.target) for e in installed("console_scripts")}
    found = [e for one in distributions(path=list(own_folders())) for e in one.entry_points]
    assert ours == {(e.name, e.value) for e in found if e.group == "console_scripts"}


def test_a_plug_in_package_installs_and_runs(tmp_path: Path) -> None:
    """Installed beside the tool with the build tools that are here, no index asked."""
    import shutil

    home, source = Home(tmp_path / "home"), tmp_path / "source"
    shutil.copytree(EXAMPLES / "site-plugin", source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*pip, "--no-index", "--disable-pip-version-check", "--target", str(home.site), str(source)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    sets = ("--select", "site-service", "--set", "NEMO_LENS_ENABLED=1", "--set", "OTEL_SERVICE_NAME=mine")
    for kind in ("json", "junit", "console"):
        done = home.check(*sets, "--report", f"{kind}=-", cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert "site-service" in done.stdout


def test_an_editable_plug_in_runs(tmp_path: Path) -> None:
    """Its metadata is installed, its source lies anywhere, even in what is checked."""
    home, source = Home(tmp_path / "home"), tmp_path / "source"
    source.mkdir()
    plant(home.site, "acme", "", "one = acme_source:site_proxy")
    written(source, (EXAMPLES / "site_checks.py").read_text(), "acme_source.py")
    (home.site / "acme.pth").write_text(f"{source}\n")
    done = home.check("--select", "site-proxy", "--report", "json=-", cwd=source)
    assert statuses(done.stdout) == {"site-proxy": "pass"}, done.stderr


def test_a_report_format_from_elsewhere(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    text = (EXAMPLES / "site-plugin" / "site_preflight.py").read_text()
    entries = ("verdict = mod_acme:VERDICT", "bad = acme_nowhere:X", "other = mod_acme:VERDICT")
    home.install("acme", text, *entries, group="lens_preflight.reports")
    done = home.check("--report", "verdict=word.txt", cwd=tmp_path)
    assert (tmp_path / "word.txt").read_text() == "cannot-tell\n", done.stderr
    broken = home.check("--report", "bad", cwd=tmp_path)
    assert broken.returncode == 2
    assert "acme cannot be loaded" in broken.stderr
    misnamed = home.check("--report", "other", cwd=tmp_path)
    assert misnamed.returncode == 2
    assert "no writer of that name" in misnamed.stderr


def test_the_public_surface_is_pinned() -> None:
    lines = []
    for module in (api, testing):
        for name in module.__all__:
            thing = getattr(module, name)
            try:
                shape = str(inspect.signature(thing)) if callable(thing) else repr(thing)
            except (TypeError, ValueError):
                shape = "?"
            if isinstance(thing, enum.EnumMeta):
                shape = f"({', '.join(thing.__members__)})"
            lines.append(f"{module.__name__}.{name}{shape}")
    pinned = ROOT / "tests" / "snapshots" / "api.txt"
    text = "\n".join(lines) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        pinned.parent.mkdir(exist_ok=True)
        pinned.write_text(text)
    assert text == pinned.read_text(), "UPDATE_SNAPSHOTS=1 writes it; removing a name needs a major version"
