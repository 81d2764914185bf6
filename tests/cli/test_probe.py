"""The commands probe and sink, as processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run
from tests.faultlab import servers

SECRET = "hunter2"


def test_one_line_per_signal_and_stage() -> None:
    done = run("probe", "--endpoint", f"http://127.0.0.1:{servers.grpc()}")
    assert done.returncode == 0, done.stderr
    lines = [line.split()[:3] for line in done.stdout.splitlines()]
    for name in ("traces", "metrics", "logs"):
        for stage in ("configure", "resolve", "connect", "protocol", "request", "reply"):
            assert [name, stage, "ok"] in lines
        assert [name, "verdict", "PASS"] in lines


def test_a_failing_signal_tells_what_to_do() -> None:
    url = f"http://127.0.0.1:{servers.grpc()}"
    done = run("probe", "--signal", "traces", "--protocol", "http/protobuf", "--endpoint", url)
    assert done.returncode == 1
    assert "http-on-grpc-port" in done.stdout
    assert "OTEL_EXPORTER_OTLP_PROTOCOL=grpc" in done.stdout


def test_a_protocol_on_the_command_line_beats_the_signals_own() -> None:
    url = f"http://127.0.0.1:{servers.otlp_http()}"
    own = {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc"}
    done = run("probe", "--signal", "traces", "--protocol", "http/protobuf", "--endpoint", url, env=own)
    assert done.returncode == 0, done.stdout


def test_json_is_one_document_without_secrets() -> None:
    port = servers.http(403, (), SECRET.encode())
    env = {
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://user:{SECRET}@127.0.0.1:{port}",
        "OTEL_EXPORTER_OTLP_HEADERS": f"authorization=Bearer%20{SECRET}",
    }
    done = run("probe", "--signal", "traces", "--json", "-vv", env=env)
    (result,) = json.loads(done.stdout)["results"]
    assert (result["verdict"], result["code"], result["stage"]) == ("fail", "forbidden", "request")
    assert SECRET not in done.stdout + done.stderr
    assert SECRET not in run("probe", "-vv", env=env).stdout


def test_more_words_show_every_address() -> None:
    port = servers.grpc()
    done = run("probe", "--signal", "traces", "-v", "--endpoint", f"http://127.0.0.1:{port}")
    assert f"127.0.0.1:{port}: connected" in done.stdout


def test_an_exporter_that_is_never_built() -> None:
    done = run("probe", "--signal", "traces", env={"OTEL_EXPORTER_OTLP_TIMEOUT": "10s"})
    assert done.returncode == 1
    assert "OTEL_EXPORTER_OTLP_TIMEOUT" in done.stdout


@pytest.mark.parametrize(
    "args",
    [("--signal", "spans"), ("--protocol", "http"), ("--wait", "-1"), ("--timeout", "x"), ("--nonsense",)],
)
def test_wrong_usage_is_one_line_and_2(args: tuple[str, ...]) -> None:
    done = run("probe", *args)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_the_sink_tells_where_it_listens_and_what_came() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "lens_preflight", "sink", "--port", "0", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    urls = [line.split()[-1] for line in lines[:2]]
    for url, protocol in zip(urls, ("grpc", "http/protobuf"), strict=True):
        done = run("probe", "--signal", "traces", "--protocol", protocol, "--endpoint", url)
        assert done.returncode == 0, done.stdout
    process.send_signal(signal.SIGINT)
    text, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (0, "")
    assert json.loads(text[text.index("{") :])["requests"] == {"traces": 2}


def test_a_sink_on_a_port_that_is_taken() -> None:
    port = servers.otlp_http()
    done = run("sink", "--port", "0", "--http-port", str(port))
    assert done.returncode == 2
    assert done.stderr.startswith("lens-preflight: cannot listen on 127.0.0.1")


def test_the_framework_s_own_prefix_counts(tmp_path: Path) -> None:
    (tmp_path / "pretrain_gpt.py").write_text("")
    env = {"MEGATRON_OTEL_EXPORTER": "console", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    done = run("probe", "pretrain_gpt.py", "--signal", "traces", cwd=tmp_path, env=env)
    assert done.returncode == 4 and "printed to standard output" in done.stdout
