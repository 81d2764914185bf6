"""Planted secrets in every report format, after a merge, after a refresh of the gate, and in bad input."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from lens_preflight.reports import REPORTS
from tests.cli.running import run
from tests.cli.test_secrets import BACKEND, PASSWORD, TOKEN, environment, leaked, redirecting

__all__ = ["redirecting"]

FORMATS = tuple(name for name in REPORTS if name != "console")


def reports(folder: Path) -> tuple[str, ...]:
    """Options that write each format to a file of that name."""
    folder.mkdir(exist_ok=True)
    return tuple(word for name in FORMATS for word in ("--report", f"{name}={folder / name}"))


def told(folder: Path) -> list[str]:
    """What the formats say; each must say something."""
    texts = [(folder / name).read_text() for name in FORMATS]
    assert all(texts)
    return texts


def checked(folder: Path, host: str, *more: str, **env: str) -> tuple[list[str], str]:
    """A check on a node with everything planted, and its texts in all formats."""
    out = folder / "out"
    words = ("check", "--profile", "node", "-vv", *reports(out), *more)
    done = run(*words, env={**environment(folder, host), **env}, cwd=folder)
    assert done.returncode in (1, 3), done.stderr
    return [*told(out), done.stdout], done.stderr


def test_all_formats(tmp_path: Path, redirecting: str) -> None:
    texts, errors = checked(
        tmp_path, redirecting, "--backend", f"jaeger=http://{redirecting}/x", "--timeout", "20"
    )
    assert not [leaked(text) for text in (*texts, errors) if leaked(text)]


def test_tokens_of_backends(tmp_path: Path, redirecting: str) -> None:
    """The server repeats what it is sent; the tokens come from a variable, a file, and a vendor's variable."""
    (tmp_path / "token").write_text(f"{BACKEND}\n")
    options = [f"--backend={name}=http://{redirecting}" for name in ("jaeger", "my-prometheus", "grafana")]
    texts, errors = checked(
        tmp_path,
        redirecting,
        *options,
        "--timeout=20",
        LENS_PREFLIGHT_JAEGER_TOKEN=TOKEN,
        LENS_PREFLIGHT_MY_PROMETHEUS_USER="user",
        LENS_PREFLIGHT_MY_PROMETHEUS_PASSWORD=PASSWORD,
        LENS_PREFLIGHT_GRAFANA_TOKEN_FILE=str(tmp_path / "token"),
        WANDB_API_KEY=f"{TOKEN}-wandb",
    )
    assert not [leaked(text) for text in (*texts, errors) if leaked(text)]


def test_a_merge_of_reports_that_hold_secrets(tmp_path: Path, redirecting: str) -> None:
    """One report is as it was written, in the other somebody has put a header in again."""
    checked(tmp_path, redirecting, SLURMD_NODENAME="n1")
    clean = (tmp_path / "out" / "json").read_text()
    where = '"message": "'
    assert where in clean
    dirty = clean.replace(where, f"{where}Authorization: Bearer {TOKEN} http://u:{PASSWORD}@h/ ")
    (tmp_path / "n1.json").write_text(clean)
    (tmp_path / "n2.json").write_text(dirty.replace('"n1"', '"n2"'))
    out = tmp_path / "merged"
    done = run("merge", "n1.json", "n2.json", "-vv", *reports(out), cwd=tmp_path)
    assert done.returncode in (1, 3), done.stderr
    texts = [*told(out), done.stdout, done.stderr]
    assert "n[1-2]" in "".join(texts)
    assert not [leaked(text) for text in texts if leaked(text)]


def test_a_refresh_of_the_gate(tmp_path: Path, redirecting: str) -> None:
    """The cached verdict, the report, the metrics and the line to the log."""
    log = tmp_path / "log"
    (tmp_path / "metrics").mkdir()
    (tmp_path / "fleet").mkdir()
    config = tmp_path / "preflight.toml"
    config.write_text(
        f'[gate]\nrun_dir = "{tmp_path}/run"\ntextfile_dir = "{tmp_path}/metrics"\nsyslog = "{log}"\n'
        f'fleet = "{tmp_path}/fleet"\ntimeout = 20\n[gate.environment]\n'
        f'OTEL_EXPORTER_OTLP_PROTOCOL = "http/protobuf"\n'
        f'OTEL_EXPORTER_OTLP_ENDPOINT = "http://user:{PASSWORD}@{redirecting}"\n'
        f'OTEL_EXPORTER_OTLP_HEADERS = "x-token={TOKEN}"\n'
    )
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(log))
        receiver.settimeout(30)
        done = run("gate", "refresh", "--config", str(config), "--node", "n1", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        line = receiver.recv(65_536).decode()
    folders = (tmp_path / "run", tmp_path / "metrics", tmp_path / "fleet")
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert len(files) >= 3
    texts = [line, done.stdout, done.stderr, *(path.read_text() + str(path) for path in files)]
    assert not [leaked(text) for text in texts if leaked(text)]


BAD = {
    "a URL among severities": f'[severity]\njaeger = "http://user:{PASSWORD}@h"\n',
    "a URL as a profile": f'profile = "http://user:{PASSWORD}@h"\n',
    "a header as a list": f'profile = ["authorization=Bearer {TOKEN}"]\n',
    "no TOML": f"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer {TOKEN}\n",
    "a waiver": f'[[waive]]\nrule = "http://user:{PASSWORD}@h/*"\nreason = "x"\nuntil = 7\n',
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_bad_settings_are_not_quoted_with_a_secret(tmp_path: Path, text: str) -> None:
    (tmp_path / "preflight.toml").write_text(text)
    done = run("check", "--offline", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("lens-preflight: ")
    assert not leaked(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("--backend", f"http://user:{PASSWORD}@h:1"),
        ("--backend", f"unheard-of=http://user:{PASSWORD}@h:1"),
        ("--report", f"http://user:{PASSWORD}@h"),
        ("--map", f"http://user:{PASSWORD}@h"),
        ("--set", f"=Bearer {TOKEN}"),
        ("--env-file", f"http://user:{PASSWORD}@h/x"),
        (f"--endpiont=http://user:{PASSWORD}@h",),
        ("--select", f"http://user:{PASSWORD}@h"),
        (f"http://user:{PASSWORD}@h/train.sbatch",),
    ],
)
def test_bad_words_are_not_quoted_with_a_secret(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run("check", "--offline", "--no-environ", *words, cwd=tmp_path)
    assert done.stderr + done.stdout
    assert not leaked(done.stdout + done.stderr)


PLUGIN = f"""
from lens_preflight.api import Finding, Location, Rule, Severity, check

RULE = Rule("site-told/all", "x", Severity.CAUTION, help="y")

@check("site-told", "A plug-in that tells what it knows", rules=(RULE,))
def told(ctx):
    yield Finding(RULE, "the header is authorization=Bearer {TOKEN}", Location.variable("X"), remedy="curl http://u:{PASSWORD}@h")

@check("site-broken", "A plug-in that breaks with a secret in its hands")
def broken(ctx):
    raise RuntimeError("Bearer {TOKEN}")
    yield
"""


def test_plug_ins_that_tell_and_break(tmp_path: Path, redirecting: str) -> None:
    (tmp_path / "site.py").write_text(PLUGIN)
    os.chmod(tmp_path / "site.py", 0o600)
    texts, errors = checked(tmp_path, redirecting, "--local", "site.py", "--timeout=20")
    assert "site-told" in "".join(texts)
    assert not [leaked(text) for text in (*texts, errors) if leaked(text)]
