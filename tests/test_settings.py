"""Settings are read whole or refused with one line that says what to type."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.core.words import Severity
from lens_preflight.settings import MAX_BYTES, find, load

WHOLE = """
profile = "node"
purpose = "production"
expect = [1, "6"]
select = ["sampler"]
ignore = "run-id"
fail_on = "warn"
[site]
collector = "gateway"
[families]
loss = ["train.loss"]
[assume]
step_seconds = 2
[backends]
jaeger = "http://jaeger:16686"
[severity]
"sampler/unset" = "note"
"run-id/constant" = "off"
"""


def test_every_key_is_read(tmp_path: Path) -> None:
    file = tmp_path / "preflight.toml"
    file.write_text(WHOLE)
    settings = load(find(tmp_path))
    assert settings.profile == "node"
    assert settings.expect == ("1", "6")
    assert settings.ignore == ("run-id",)
    assert settings.topology == "gateway"
    assert settings.families == {"loss": ("train.loss",)}
    assert settings.assume == {"step_seconds": 2.0}
    assert settings.severity == {"sampler/unset": Severity.NOTE, "run-id/constant": None}
    assert settings.source == str(file)


def test_a_table_in_pyproject_counts_and_a_foreign_pyproject_does_not(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "lens-preflight-user"\n')
    assert find(tmp_path) is None
    file.write_text('[tool.lens-preflight]\npurpose = "debug"\n')
    assert load(find(tmp_path)).purpose == "debug"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('profle = "ci"', "did you mean 'profile'"),
        ('profile = "prod"', "none of auto, ci, login, node"),
        ("[site]\ncolector = 1", "did you mean 'collector'"),
        ("[families]\nlos = ['x']", "did you mean 'loss'"),
        ("expect = {a = 1}", "must be a list"),
        ("[assume]\nstep_second = 1", "did you mean 'step_seconds'"),
        ("[assume]\nstep_seconds = 0", "no positive number"),
        ("backends = 3", "must be a table"),
        ("[severity]\n'a/b' = 'high'", "note, caution, blocker, off"),
        ("profile = ", "not TOML 1.0"),
        ("profile = 'a'\nprofile = 'b'", "not TOML 1.0"),
        ("\x00", "not TOML 1.0"),
    ],
)
def test_mistakes_are_refused_with_a_hint(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "preflight.toml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        load(file)
    assert says in str(caught.value)
    assert str(file) in str(caught.value)


def test_unreadable_and_oversized_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path / "missing.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path)
    big = tmp_path / "preflight.toml"
    big.write_bytes(b"#" * 10_000_000)
    with pytest.raises(InputError, match="no settings file"):
        load(big)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"[gate]\nttl = {'9' * 5000}", "not TOML 1.0"),
        (f"[gate]\nttl = {'9' * 400}", "gate.ttl is a number of more than 64 bits"),
        (f"expect = [1, 0x{'f' * 5000}]", "expect.1 is a number of more than 64 bits"),
        (f"[[waive]]\nrule = -{1 << 64}", "waive.0.rule is a number of more than 64 bits"),
        ('[severity]\n"volume/queue" = []', "is none of"),
        ('[severity]\n"volume/queue" = {a = 1}', "is none of"),
        ("[site]\ncollector = []", "is none of"),
        ("profile = ['ci']", "is none of"),
        ("a = {\n  b = 1,\n}", "not TOML 1.0"),
    ],
)
def test_odd_values_are_refused_and_not_stumbled_over(text: str, says: str, tmp_path: Path) -> None:
    """The last one is TOML 1.1: a line end and a trailing comma in an inline table."""
    (tmp_path / "preflight.toml").write_text(text)
    with pytest.raises(InputError, match=says):
        load(tmp_path / "preflight.toml")


@pytest.mark.parametrize(
    "text",
    [
        '[project]\nname = "x\n[tool.lens-preflight]\n',
        '[tool]\nx = \n["tool" . "lens-preflight".site]\n',
        "[[tool.lens-preflight.waive]]\nrule = 1 2\n",
        "[tool]\nlens-preflight = 3\n",
        "[[tool.lens-preflight]]\n",
        "[tool.lens-preflight]\n" + "#" * MAX_BYTES,
    ],
)
def test_a_table_of_ours_is_never_dropped_without_a_word(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(InputError, match=r"pyproject\.toml"):
        load(find(tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        '[project]\ndependencies = ["lens-preflight"]\n[tool.x\n',
        '[project]\ndescription = """\n[tool.lens-preflight]\n"""\n',
        "[tool.x]\n" + "#" * MAX_BYTES,
        "tool = 3 # lens-preflight\n",
    ],
)
def test_a_pyproject_without_our_table_does_not_matter(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert find(tmp_path) is None


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_preflight_toml_that_is_no_file_is_bad_input(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "preflight.toml"
    if kind == "link":
        path.symlink_to("nowhere")
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(InputError, match="cannot be read"):
        load(find(tmp_path))
