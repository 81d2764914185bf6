"""Names of libraries that a script replaces, and classes that it makes of the configuration of Lens."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.rank_decision import rank_decision
from lens_preflight.checks.rollback import rollback
from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, HEAD, RANKED, asked

SHUTDOWN = "from nemo.lens import TelemetryHandle\n"
MOCK = "from unittest import mock\n"
SWITCHED_ON = """
_orig = NemoLensConfig.from_env
def _patched(*args, **kwargs):
    config = _orig(*args, **kwargs)
    config.enabled = True
    return config
{store}
"""


def around(before: str) -> str:
    """A good script with some lines in front of the setup."""
    return f"{HEAD}{before}\n{RANKED}{FINALLY}"


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        ("TelemetryHandle.shutdown = lambda self, timeout_ms=0: None", "fail"),
        ("setattr(TelemetryHandle, 'shutdown', lambda self: None)", "fail"),
        ("TelemetryHandle.shutdown = staticmethod(print)", "fail"),
        ("TelemetryHandle.shutdown = trainlib.closing", "unknown"),
        ("import opentelemetry.sdk.trace as t\nt.TracerProvider.shutdown = lambda self: None", "unknown"),
        ("import opentelemetry.trace as t\nt.get_tracer_provider = lambda: None", "unknown"),
        (f"{MOCK}mock.patch.object(TelemetryHandle, 'shutdown').start()", "unknown"),
        (f"{MOCK}mock.patch('nemo.lens.handle.TelemetryHandle.shutdown').start()", "unknown"),
    ],
)
def test_a_replaced_shutdown_is_no_promise(store: str, expected: str, tmp_path: Path) -> None:
    assert asked(tmp_path, shutdown, around(SHUTDOWN + store)).verdict == expected


@pytest.mark.parametrize(
    "store",
    [
        "_orig = TelemetryHandle.shutdown\n"
        "def closing(self, timeout_ms=5000):\n    print('closing')\n    _orig(self, timeout_ms)\n"
        "TelemetryHandle.shutdown = closing",
        "import torch\ntorch.backends.cudnn.benchmark = True\ntorch.Tensor.__repr__ = lambda self: 'tensor'",
        "import opentelemetry.sdk.trace.export as e\ne.BatchSpanProcessor.on_start = lambda self, s: None",
        f"{MOCK}with mock.patch.object(trainlib, 'download'):\n    pass",
    ],
)
def test_other_replacements_cost_nothing(store: str, tmp_path: Path) -> None:
    assert asked(tmp_path, shutdown, around(SHUTDOWN + store)).verdict == "pass"


@pytest.mark.parametrize(
    "store",
    [
        "import nemo.lens.handle as h\nh._should_export = lambda *a, **k: True",
        "from nemo.lens import handle as h\nsetattr(h, '_should_export', lambda *a, **k: True)",
        "import nemo.lens.strategies\nnemo.lens.strategies.get_export_strategy = lambda n: (lambda c, r, w: True)",
        f"{MOCK}mock.patch('nemo.lens.handle._should_export', lambda *a, **k: True).start()",
        "NemoLensConfig.__post_init__ = lambda self: setattr(self, 'export_strategy', 'all_ranks')",
    ],
)
def test_replaced_parts_of_lens_leave_the_ranks_unknown(store: str, tmp_path: Path) -> None:
    assert asked(tmp_path, rank_decision, around(store)).verdict == "unknown"


def test_a_flag_of_lens_that_is_reset_decides_no_rank(tmp_path: Path) -> None:
    store = "import nemo.lens.handle as h\nh._INITIALIZED = False"
    assert asked(tmp_path, rank_decision, around(store)).verdict == "note"
    assert asked(tmp_path, rollback, around(store)).verdict == "pass"


@pytest.mark.parametrize(
    "store",
    [
        "NemoLensConfig.from_env = staticmethod(_patched)",
        "NemoLensConfig.from_env = classmethod(lambda cls, *a: _patched(*a))",
        "setattr(NemoLensConfig, 'from_env', _patched)",
    ],
)
def test_the_replaced_reading_of_the_environment_is_the_one_that_runs(store: str, tmp_path: Path) -> None:
    answer = asked(tmp_path, rollback, around(SWITCHED_ON.format(store=store)))
    assert (answer.verdict, [f.at and f.at.line for f in answer.findings]) == ("fail", [8])


CLASS = "from dataclasses import dataclass\n{decorator}\nclass Site(NemoLensConfig):\n{body}\n"


def subclassed(body: str, made: str, decorator: str = "@dataclass") -> str:
    """A script whose configuration is of a class of its own."""
    text = CLASS.format(body=body, decorator=decorator)
    return f"{HEAD}{text}{RANKED.replace('NemoLensConfig.from_env()', made)}{FINALLY}"


FORCED = "    def __post_init__(self):\n        super().__post_init__()\n        self.enabled = True"
READ = "    @classmethod\n    def from_env(cls, *a):\n        c = super().from_env(*a)\n        {}\n        return c"


@pytest.mark.parametrize(
    ("body", "made", "expected"),
    [
        (FORCED, "Site.from_env()", "fail"),
        (FORCED, "Site()", "fail"),
        ("    enabled: bool = True", "Site()", "fail"),
        ("    enabled: bool = True", "Site.from_env()", "pass"),
        ("    site: str = 'a'", "Site.from_env()", "pass"),
        ("    site: str = 'a'\n    def label(self):\n        return self.site", "Site.from_env()", "pass"),
        (READ.format("c.enabled = True"), "Site.from_env()", "fail"),
        (READ.format("c.run_id = 'a'"), "Site.from_env()", "pass"),
        ("    def __setattr__(self, n, v):\n        pass", "Site.from_env()", "unknown"),
        ("    @property\n    def enabled(self):\n        return True", "Site.from_env()", "unknown"),
    ],
)
def test_a_class_of_its_own(body: str, made: str, expected: str, tmp_path: Path) -> None:
    assert asked(tmp_path, rollback, subclassed(body, made)).verdict == expected


def test_a_class_that_is_no_dataclass_keeps_the_defaults_of_lens(tmp_path: Path) -> None:
    text = subclassed("    enabled = True", "Site()", decorator="")
    assert asked(tmp_path, rollback, text).verdict == "pass"


def test_a_copy_runs_the_class_again(tmp_path: Path) -> None:
    body = "    def __post_init__(self):\n        self.export_strategy = 'all_ranks'"
    text = subclassed(body, "replace(Site.from_env(), run_id='a')").replace(
        "import dataclass", "import dataclass, replace"
    )
    assert asked(tmp_path, rank_decision, text).verdict == "warn"


@pytest.mark.parametrize("module", ["builtins", "nemo.lens", "torch"])
def test_a_handle_that_is_kept_on_a_module_is_found_there(module: str, tmp_path: Path) -> None:
    text = HEAD + f"import {module}\n" + RANKED + f"{module}.current = handle\n"
    text += FINALLY.replace("handle.shutdown()", f"{module}.current.shutdown()")
    assert asked(tmp_path, shutdown, text).verdict == "pass"
    assert asked(tmp_path, rank_decision, text).verdict == "note"
