"""Code of the checked tree is not run unless it is named; code that is run cannot end the run or turn it green."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from lens_preflight import guests
from tests.cli.running import run
from tests.plugged import Home, plant

OFFLINE = ("--offline", "--no-environ", "--profile", "ci")
PLUGIN = """
{before}
from lens_preflight.api import Proof, check
@check("site-x", "X")
def x(ctx):
    {inside}
    yield Proof("seen")
"""
JOB = "#!/bin/bash\n#SBATCH --nodes=1\nsrun python {program}\n"


def plugin(before: str = "", inside: str = "pass") -> str:
    return PLUGIN.format(before=before, inside=inside)


class Tree:
    """A project whose settings, metadata and modules leave a witness when any of it is run."""

    def __init__(self, folder: Path) -> None:
        self.witness, self.root = folder / "witness", folder / "repo"
        self.evil = plugin(f"open({str(self.witness)!r}, 'a').close()")
        for name in ("ci", "jobs", ".git"):
            (self.root / name).mkdir(parents=True)
        self.write("ci/evil.py", self.evil)
        self.write("jobs/train.py", "print()\n")
        self.write("jobs/train.sbatch", JOB.format(program="train.py"))

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    @property
    def ran(self) -> bool:
        return self.witness.exists()

    def reason(self, *words: str) -> str:
        """Why the local file of the settings was not run, as the report says it."""
        done = run("check", *words, *OFFLINE, "--report", "json=-", "-q", cwd=self.root)
        found = {
            r["check"]: r["reason"] for r in json.loads(done.stdout)["results"] if r["status"] == "error"
        }
        assert done.returncode in (1, 3)
        return str(found.get("local:evil.py", ""))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_mark_deeper_down_takes_nothing_out_of_the_tree(tree: Tree) -> None:
    tree.write("preflight.toml", 'local = ["ci/evil.py"]\n')
    tree.write("jobs/pyproject.toml", "")
    assert "--local ci/evil.py" in tree.reason("jobs/train.sbatch")
    assert not tree.ran


def test_a_target_that_is_a_link_to_elsewhere_still_belongs_to_the_tree(tree: Tree, tmp_path: Path) -> None:
    tree.write("preflight.toml", 'local = ["ci/evil.py"]\n')
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "t.py").write_text("print()\n")
    (tree.root / "t.py").symlink_to(tmp_path / "else" / "t.py")
    assert "--local ci/evil.py" in tree.reason("t.py")
    assert not tree.ran


def test_the_programs_that_a_job_starts_belong_to_what_is_checked(tree: Tree, tmp_path: Path) -> None:
    tree.write("preflight.toml", 'local = ["ci/evil.py"]\n')
    (tmp_path / "t.sbatch").write_text(JOB.format(program=tree.root / "jobs" / "train.py"))
    assert "--local ci/evil.py" in tree.reason("../t.sbatch")
    assert not tree.ran


def test_settings_beside_something_unrelated_may_bring_code(tree: Tree, tmp_path: Path) -> None:
    tree.write("preflight.toml", 'local = ["ci/evil.py"]\n')
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "t.py").write_text("print()\n")
    assert tree.reason("../job/t.py") == ""
    assert tree.ran


@pytest.mark.parametrize("words", [("--config", "preflight.toml"), ("--local", "ci/evil.py")])
def test_who_names_the_file_or_its_settings_has_it_run(tree: Tree, words: tuple[str, str]) -> None:
    tree.write("preflight.toml", 'local = ["ci/evil.py"]\n')
    assert tree.reason("jobs/train.sbatch", *words) == ""
    assert tree.ran


@pytest.mark.parametrize("python_path", ["", ".", "{root}", "{root}/lib"])
def test_metadata_that_was_not_installed_is_not_looked_at(
    tree: Tree, tmp_path: Path, python_path: str
) -> None:
    home = Home(tmp_path / "home")
    for folder in (tree.root, tree.root / "lib"):
        folder.mkdir(exist_ok=True)
        plant(folder, "foo", tree.evil)
    here = python_path.format(root=tree.root)
    more = {"PYTHONPATH": os.pathsep.join([here, str(Path(__file__).parent.parent)])} if here else None
    done = home.run("-m", "lens_preflight", "check", *OFFLINE, "-q", cwd=tree.root, env=more)
    assert done.returncode == 3, done.stderr
    assert not tree.ran


@pytest.mark.parametrize("python_path", ["", "."])
@pytest.mark.parametrize("name", ["click", "yaml", "promql_parser", "requests"])
def test_a_module_of_the_tree_does_not_stand_in_for_a_library(
    tree: Tree, tmp_path: Path, name: str, python_path: str
) -> None:
    tree.write(f"{name}.py", tree.evil + "\nraise SystemExit(0)\n")
    tree.write("d.json", '{"title": "t", "panels": [{"targets": [{"expr": "up"}]}]}')
    tree.write("c.yaml", "receivers: {}\n")
    more = {"PYTHONPATH": os.pathsep.join([python_path, str(Path(__file__).parent.parent)])}
    words = ("--dashboard", "d.json", "--collector-config", "c.yaml", "--profile", "login", "--timeout", "5")
    done = run("check", "--no-environ", "--offline", *words, "-q", cwd=tree.root, env=more)
    assert done.returncode in (1, 3), done.stderr
    assert not tree.ran


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is that careful")
def test_root_imports_nothing_from_a_folder_of_others(tree: Tree, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "yaml.py").write_text(tree.evil)
    (tmp_path / "c.yaml").write_text("receivers: {}\n")
    os.chown(folder, 12_345, 12_345)
    more = {"PYTHONPATH": os.pathsep.join([str(folder), str(Path(__file__).parent.parent)])}
    run("check", *OFFLINE, "--collector-config", str(tmp_path / "c.yaml"), cwd=tree.root, env=more)
    assert not tree.ran


def judged(tmp_path: Path, text: str, *words: str) -> tuple[int, dict[str, str], str]:
    """Exit code, status by check, and standard error of a run with a local check."""
    (tmp_path / "site.py").write_text(text)
    given = ("--local", "site.py", "--select", "site-x", "--report", "json=-", "-q")
    done = run("check", *OFFLINE, *given, *words, cwd=tmp_path)
    results = json.loads(done.stdout)["results"]
    return done.returncode, {r["check"]: r["status"] for r in results}, done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "os._exit(0)",
        "posix._exit(0)",
        "os.execv('/bin/true', ['true'])",
        "os.execlp('true', 'true')",
        "sys.exit(0)",
        "raise KeyboardInterrupt('canary')",
        "raise asyncio.CancelledError('canary')",
    ],
)
def test_no_check_ends_the_process(tmp_path: Path, call: str) -> None:
    text = plugin("import asyncio, os, posix, sys", call)
    code, found, said = judged(tmp_path, text)
    assert (code, found) == (4, {"site-x": "error"}) or (code, found) == (0, {"site-x": "error"})
    assert "canary" not in said


@pytest.mark.parametrize(
    "call", ["os._exit(0)", "sys.exit(0)", "raise KeyboardInterrupt('canary')", "raise GeneratorExit()"]
)
def test_no_import_ends_the_process(tmp_path: Path, call: str) -> None:
    (tmp_path / "site.py").write_text(f"import os, sys\n{call}\n")
    done = run("check", *OFFLINE, "--local", "site.py", "--report", "json=-", "-q", cwd=tmp_path)
    found = {r["check"]: r["reason"] for r in json.loads(done.stdout)["results"] if r["status"] == "error"}
    assert done.returncode == 3
    assert "cannot be loaded" in found["local:site.py"]
    assert "canary" not in done.stdout + done.stderr


def test_children_of_a_check_end_as_they_like(tmp_path: Path) -> None:
    inside = "pid = os.fork()\n    if pid == 0: os._exit(7)\n    assert os.waitpid(pid, 0)[1] >> 8 == 7"
    assert judged(tmp_path, plugin("import os", inside))[1] == {"site-x": "pass"}


def test_an_import_that_hangs_leaves_time_for_the_rest(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    code, found, _ = judged(tmp_path, plugin(), "--local", "slow.py", "--timeout", "4")
    assert (code, found) == (3, {"site-x": "pass", "local:slow.py": "error"})


def test_what_a_check_prints_does_not_go_into_a_report(tmp_path: Path) -> None:
    inside = "print('from run'); os.write(1, b'raw\\n'); os.system('echo child'); sys.stdout.close()"
    code, found, said = judged(tmp_path, plugin("import os, sys\nprint('from import')", inside))
    assert (code, found) == (0, {"site-x": "pass"})
    assert {"from import", "from run", "raw", "child"} <= set(said.splitlines())


def test_a_check_does_not_move_the_others(tmp_path: Path) -> None:
    assert judged(tmp_path, plugin("import os", "os.chdir('/')"))[1] == {"site-x": "error"}


def test_a_local_file_may_hold_data_classes_and_come_twice(tmp_path: Path) -> None:
    before = (
        "from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int"
    )
    code, found, _ = judged(tmp_path, plugin(before), "--local", "./site.py")
    assert (code, found) == (0, {"site-x": "pass"})
    assert not (tmp_path / "__pycache__").exists()


def test_a_thread_of_a_check_says_nothing_of_what_it_raised(tmp_path: Path) -> None:
    inside = "t = threading.Thread(target=lambda: int('canary-secret')); t.start(); t.join()"
    assert "canary" not in judged(tmp_path, plugin("import threading", inside))[2]


def test_installed_packages_that_break_stop_no_command(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    good = plugin() + "CHECKS = (c for c in [x])\n"
    home.install("good", good, "a = mod_good:CHECKS", "b = mod_good:x")
    home.install(
        "prefix",
        plugin()
        .replace('"X"', '"X", rules=(R,)')
        .replace("site-x", "site-y")
        .replace("check\n", "Rule, Severity, check\nR = Rule('other/x', 's', Severity.NOTE)\n", 1),
        "a = mod_prefix:x",
    )
    home.install("base", "raise KeyboardInterrupt", "a = mod_base:X")
    home.install("empty", "X = []", "a = mod_empty:X")
    done = home.check("--select", "site-x", "--report", "json=-", cwd=tmp_path)
    found = {r["check"]: r["status"] for r in json.loads(done.stdout)["results"]}
    broken = dict.fromkeys(("site-y", "plugin:base[a]", "plugin:empty[a]"), "error")
    assert found == {"site-x": "pass", **broken}, done.stderr
    assert done.returncode == 3
    assert home.run("-m", "lens_preflight", "checks", cwd=tmp_path).returncode == 0


FORMATS = """
class Writer:
    def __init__(self, name, does):
        self.name, self.does = name, does
    def write(self, record, to, style=None):
        exec(self.does)
good = Writer("good", "to.write('here')")
boom = Writer("boom", "raise RuntimeError('canary-secret')")
value = Writer("value", "raise ValueError('canary-secret')")
leave = Writer("leave", "raise SystemExit(0)")
exits = Writer("exits", "import os; os._exit(0)")
hang = Writer("hang", "import time; time.sleep(100)")
prints = Writer("prints", "print('printed')")
"""


@pytest.mark.parametrize("name", ["boom", "value", "leave", "exits", "hang"])
def test_a_format_that_breaks_costs_no_other_report(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path / "home")
    names = ("good", "boom", "value", "leave", "exits", "hang")
    home.install("rep", FORMATS, *(f"{n} = mod_rep:{n}" for n in names), group="lens_preflight.reports")
    reports = ("--report", f"{name}=x.txt", "--report", "good=good.txt", "--report", "json=-")
    done = home.check("--select", "rollback", *reports, cwd=tmp_path)
    assert done.returncode == 3 or done.returncode == 4
    assert json.loads(done.stdout)["schema"]
    assert (tmp_path / "good.txt").read_text() == "here"
    assert not (tmp_path / "x.txt").exists()
    assert f"the {name} report" in done.stderr
    assert "canary" not in done.stderr


def test_a_check_does_not_change_the_settings_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "preflight.toml").write_text('[severity]\n"sampler/unset" = "note"\n')
    inside = "ctx.settings.severity['sampler/unset'] = None"
    assert judged(tmp_path, plugin("", inside))[1] == {"site-x": "error"}
    (tmp_path / "preflight.toml").unlink()
    assert judged(tmp_path, plugin("", inside))[1] == {"site-x": "error"}


def test_the_process_is_as_before_when_the_guests_are_gone(capfd: pytest.CaptureFixture[str]) -> None:
    before = (os._exit, os.chdir, sys.stdout, threading.excepthook)
    guests.receive()
    assert os._exit is not before[0]
    guests.dismiss()
    assert (os._exit, os.chdir, sys.stdout, threading.excepthook) == before
    os.write(1, b"here\n")
    assert capfd.readouterr().out == "here\n"
