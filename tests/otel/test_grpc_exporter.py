"""The gRPC exporter: laziness, certificates, and the variable to blame for each fact."""

from __future__ import annotations

import pytest

from lens_preflight.core.errors import Harm, LibraryFailure, Undecided
from lens_preflight.core.variable import Environment, Variable
from lens_preflight.core.words import State
from lens_preflight.lens.generations import generation
from lens_preflight.otel.exporter import Exporter, exporter
from lens_preflight.otel.files import AllThere, Files, Kind, MadeUpFiles
from lens_preflight.otel.grpc_exporter import GrpcSettings
from lens_preflight.otel.view import OtelView

X = "OTEL_EXPORTER_OTLP_"
FILES = MadeUpFiles({"/ca": Kind.PEM, "/key": Kind.PEM, "/dir": Kind.DIRECTORY, "/locked": Kind.UNREADABLE})


def built(env: dict[str, str], signal: str = "traces", files: Files = FILES) -> Exporter:
    return exporter(Environment.of(env), signal, generation("0.1"), files)


def codes(env: dict[str, str], signal: str = "traces") -> list[str]:
    return [remark.code for remark in built(env, signal).remarks]


def test_the_variables_that_decide_are_named() -> None:
    found = built(
        {f"{X}TRACES_ENDPOINT": "t:1", f"{X}ENDPOINT": "g:1", f"{X}INSECURE": "true", f"{X}TIMEOUT": "5"}
    )
    assert found.endpoint_from.name == f"{X}TRACES_ENDPOINT"
    assert found.insecure_from.name == f"{X}INSECURE"
    assert found.timeout_from.name == f"{X}TIMEOUT"
    assert found.headers_from.state is State.UNSET
    assert (found.target, found.insecure, found.timeout) == ("t:1", True, 5.0)


def test_an_unknown_variable_spoils_only_the_facts_that_read_it() -> None:
    name = f"{X}HEADERS"
    env = Environment.of({f"{X}ENDPOINT": "http://c:4317"}).over([Variable(name, State.PROVIDED)])
    found = GrpcSettings(env, "traces", AllThere())
    assert (found.target, found.insecure, found.timeout, found.compression) == ("c:4317", True, 10.0, "none")
    with pytest.raises(Undecided, match="HEADERS"):
        _ = found.headers
    assert OtelView(env, generation("0.1"), AllThere()).budget("traces") == 10.0


@pytest.mark.parametrize(
    ("env", "harm", "exception", "variable"),
    [
        ({f"{X}CERTIFICATE": "/dir"}, Harm.RAISES, "IsADirectoryError", f"{X}CERTIFICATE"),
        ({f"{X}CERTIFICATE": "/locked"}, Harm.RAISES, "PermissionError", f"{X}CERTIFICATE"),
        (
            {f"{X}CERTIFICATE": "/ca", f"{X}CLIENT_KEY": "/key"},
            Harm.ABORTS,
            "SIGABRT",
            f"{X}CLIENT_CERTIFICATE",
        ),
        (
            {f"{X}CERTIFICATE": "/ca", f"{X}CLIENT_KEY": "/gone", f"{X}CLIENT_CERTIFICATE": "/ca"},
            Harm.ABORTS,
            "SIGABRT",
            f"{X}CLIENT_KEY",
        ),
        ({f"{X}COMPRESSION": "none"}, Harm.RAISES, "InvalidCompressionValueException", f"{X}COMPRESSION"),
        (
            {"OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES": "unavailable,nope"},
            Harm.RAISES,
            "KeyError",
            "OTEL_PYTHON_EXPORTER_OTLP_GRPC_RETRYABLE_ERROR_CODES",
        ),
    ],
)
def test_what_kills_the_process(env: dict[str, str], harm: Harm, exception: str, variable: str) -> None:
    with pytest.raises(LibraryFailure) as caught:
        built({f"{X}ENDPOINT": "https://c:4317", **env})
    failure = caught.value
    assert (failure.harm, failure.exception, failure.variable) == (harm, exception, variable)


def test_half_a_pair_is_harmless_in_plaintext() -> None:
    env = {f"{X}ENDPOINT": "http://c:4317", f"{X}CERTIFICATE": "/ca", f"{X}CLIENT_KEY": "/key"}
    assert built(env).client_key is None


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({f"{X}ENDPOINT": "http://c:4317"}, []),
        ({f"{X}ENDPOINT": "c:4317"}, ["tls-implied"]),
        ({f"{X}ENDPOINT": "c:4317", f"{X}CERTIFICATE": "/ca"}, []),
        ({f"{X}ENDPOINT": "c:4317", f"{X}INSECURE": "yes"}, ["insecure-word"]),
        ({f"{X}ENDPOINT": "http://c:4317", f"{X}INSECURE": ""}, ["insecure-word"]),
        ({f"{X}ENDPOINT": "http://c:4317", f"{X}INSECURE": "false"}, ["insecure-false"]),
        ({f"{X}ENDPOINT": "https://c:4317", f"{X}INSECURE": "true"}, ["insecure-ignored"]),
        ({f"{X}ENDPOINT": "http://c:4318"}, ["grpc-on-http-port"]),
        ({f"{X}ENDPOINT": "http://c"}, ["port-missing"]),
        ({f"{X}ENDPOINT": "https://c:1", f"{X}CERTIFICATE": "/gone"}, ["ca-missing"]),
        (
            {f"{X}ENDPOINT": "https://c:1", f"{X}CLIENT_KEY": "/key", f"{X}CLIENT_CERTIFICATE": "/ca"},
            ["client-pair-unused"],
        ),
        (
            {f"{X}ENDPOINT": "https://c:1", f"{X}TRACES_CERTIFICATE": "", f"{X}CERTIFICATE": "/ca"},
            ["ca-hidden"],
        ),
        ({f"{X}TRACES_TIMEOUT": "0"}, ["timeout-zero"]),
        ({f"{X}TIMEOUT": "10000"}, ["timeout-long"]),
        ({f"{X}HEADERS": "te=x"}, ["header-swallowed"]),
        ({f"{X}HEADERS": "a='q'"}, ["header-quotes"]),
        ({f"{X}PROTOCOL": "http"}, ["protocol-unknown"]),
    ],
)
def test_remarks(env: dict[str, str], expected: list[str]) -> None:
    assert codes(env) == expected


def test_logs_are_grpc_whatever_the_protocol() -> None:
    env = {f"{X}PROTOCOL": "http/protobuf", f"{X}ENDPOINT": "http://c:4318"}
    assert built(env, "logs").transport == "grpc"
    assert codes(env, "logs") == ["logs-protocol", "logs-on-http-port"]


def test_a_wrong_word_for_the_exporter_is_not_checked_for_logs() -> None:
    with pytest.raises(LibraryFailure, match="Unknown exporter"):
        built({"NEMO_LENS_EXPORTER": "jaeger"})
    assert built({"NEMO_LENS_EXPORTER": "jaeger"}, "logs").transport == "grpc"
    assert built({"NEMO_LENS_EXPORTER": "console"}).transport == "console"


def test_a_timeout_that_is_no_number_is_a_failure_in_remarks_too() -> None:
    settings = GrpcSettings(Environment.of({f"{X}TRACES_TIMEOUT": "soon"}), "traces", FILES)
    with pytest.raises(LibraryFailure, match="no number of seconds"):
        [list(part()) for part in settings.remark_parts()]
