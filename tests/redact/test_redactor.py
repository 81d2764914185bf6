"""Known secrets go in every form; what looks like one goes too; the rest stays."""

from __future__ import annotations

import base64
import json
import shlex
from dataclasses import replace
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.core.escapes import without_ansi
from lens_preflight.core.variable import Environment
from lens_preflight.redact import REDACTED, Redactor
from tests.reports.records import everything

CANARY = "Zq7/k+9 w'x\"&y"
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n"


def spellings(secret: str) -> dict[str, str]:
    raw = secret.encode()
    return {
        "raw": secret,
        "percent": quote(secret, safe=""),
        "percent, lower case": quote(secret, safe="").lower() if secret.islower() else quote(secret),
        "base64": base64.b64encode(raw).decode(),
        "base64 for URLs": base64.urlsafe_b64encode(raw).decode().rstrip("="),
        "in Basic credentials": base64.b64encode(b"user:" + raw).decode(),
        "in the middle of base64": base64.b64encode(b"ab" + raw + b"cd").decode(),
        "shell": shlex.quote(secret),
        "json": json.dumps(secret),
        "repr": repr(secret),
        "bytes": repr(raw),
    }


@pytest.mark.parametrize("form", spellings(CANARY))
def test_a_secret_is_found_in_every_spelling(form: str) -> None:
    spelling = spellings(CANARY)[form]
    told = Redactor([CANARY]).redact(f"before {spelling} behind")
    assert REDACTED in told
    assert told.startswith("before ")
    assert told.endswith(" behind")
    for known in spellings(CANARY).values():
        assert known.strip("'\"") not in told


@given(st.text("abcXYZ0189+/=%&?.,;: _-~'\"\\$<>é漢", min_size=8, max_size=40).map(lambda t: f"Zq{t}7"))
def test_no_spelling_of_any_secret_survives(secret: str) -> None:
    redactor = Redactor([secret])
    for spelling in spellings(secret).values():
        told = redactor.redact(f"x {spelling} y")
        assert secret not in told
        assert told != f"x {spelling} y"
        assert redactor.redact(told) == told


TOKEN = "glsa_Zq81hYt0Pp3LmN7vXc29RkWd4Sf6Gb5Jh"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("token ends with c29RkWd4Sf6Gb5Jh", f"token ends with {REDACTED}"),
        ("token begins with glsa_Zq81hYt0Pp3", f"token begins with {REDACTED}"),
        ("'hYt0Pp3L'", f"'{REDACTED}'"),
        ("LMN7VXC29RKWD4 and lmn7vxc29rkwd4", f"{REDACTED} and {REDACTED}"),
        ("Zq81hYt0...4Sf6Gb5Jh", f"{REDACTED}...{REDACTED}"),
        ("xZq81hYt0x", f"x{REDACTED}x"),
        ("Zq81hYt Gb5Jh", "Zq81hYt Gb5Jh"),
    ],
)
def test_a_piece_of_a_long_secret_is_hidden(text: str, told: str) -> None:
    redactor = Redactor([TOKEN])
    assert redactor.redact(text) == told
    assert redactor.redact(told) == told


def test_words_stay_that_a_long_secret_holds() -> None:
    redactor = Redactor.of([{"OTEL_EXPORTER_OTLP_HEADERS": "x-team=NemoPretraining-production-collector"}])
    text = "the collector of production: nemo pretraining, Pretraining, PRODUCTION"
    assert redactor.redact(text) == text
    assert Redactor(["short7Secret42"]).redact("t7Secret") == "t7Secret"


@pytest.mark.parametrize("at", range(len(TOKEN) - 11))
def test_no_end_of_a_piece_stays(at: int) -> None:
    """Whatever the piece looks like at its ends, all of it goes."""
    assert Redactor([TOKEN]).redact(f"({TOKEN[at : at + 12]})") == f"({REDACTED})"


def test_long_texts_and_long_secrets_take_no_long_time() -> None:
    """A step for each character: quadratic work would not end within the life of the test."""
    long = "".join(f"Zq{n}k" for n in range(2000))
    text = f"{'x1Yz' * 500_000}{long[500:600]}"
    assert Redactor([long]).redact(text).endswith(f"z{REDACTED}")


def test_overlapping_secrets_leave_no_rest() -> None:
    assert Redactor(["abcdefgh9", "fgh9ijklm"]).redact("abcdefgh9ijklm") == REDACTED


@pytest.mark.parametrize("between", ["\x1b[31m", "\x9b0m", "\x1b]8;;http://x\x07", "\x1b\x1b[1m[31m"])
def test_an_escape_sequence_does_not_part_a_secret(between: str) -> None:
    redactor = Redactor(["Zq7canary-token"])
    text = redactor.redact(f"Bearer: Zq7{between}canary-token, colour {between}off")
    assert "canary" not in without_ansi(without_ansi(text))
    assert redactor.redact(text) == text
    raw = f"Zq7{between}canary"
    assert "canary" not in Redactor([raw]).redact(f"key {raw}")


@pytest.mark.parametrize(
    ("name", "value", "leak"),
    [
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=Zq7canary,b=c", "Zq7canary"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20Zq7canary", "Zq7canary"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic dXNlcjpacTdjYW5hcnk=", "Zq7canary"),
        ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "no equals Zq7canary", "no equals Zq7canary"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://bob:Zq7canary@host:4317", "Zq7canary"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://bob:Zq7%2Fcanary@host:4317", "Zq7/canary"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://bob:Zq7'<can`ary@host", "Zq7'<can`ary"),
        ("https_proxy", "http://Zq7canary0123456789@proxy:3128", "Zq7canary0123456789"),
        ("WANDB_API_KEY", "Zq7canary", "Zq7canary"),
        ("EXTRA_ARGS", "--wandb-api-key Zq7canary --lr 1", "Zq7canary"),
        ("DATABASE", "postgres://u:Zq7canary@db/x", "Zq7canary"),
        ("CERT", PEM, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"),
    ],
)
def test_a_variable_gives_its_secrets_away_to_the_redactor(name: str, value: str, leak: str) -> None:
    for environment in ({name: value}, Environment.of({name: value})):
        told = Redactor.of([environment]).redact(f"it said {leak}, {quote(leak, safe='')}")
        assert leak not in told
        assert quote(leak, safe="") not in told


@pytest.mark.parametrize(
    "script",
    [
        'export OTEL_EXPORTER_OTLP_HEADERS="x-team=Zq7canary,a=b"',
        "OTEL_EXPORTER_OTLP_HEADERS=x-team=Zq7canary srun python train.py",
        "export HF_TOKEN='Zq7canary'",
        "srun python train.py --api-key Zq7canary",
        "curl -u bob:Zq7canary http://collector",
        "curl -H 'x-team: Zq7canary' http://collector",
        "exporters:\n  otlp:\n    headers:\n      x-team: Zq7canary\n    tls: {}",
        "exporters:\n  otlp:\n    password: 'Zq7canary'",
        '{"api_key": "Zq7canary"}',
        "client = Client(token='Zq7canary')",
        "OTEL_RESOURCE_ATTRIBUTES=site.token=Zq7canary,x=y",
        "git clone https://bob:Zq7canary@host/x",
    ],
)
def test_a_script_gives_its_secrets_away_to_the_redactor(script: str) -> None:
    redactor = Redactor.of(texts=[script])
    assert "Zq7canary" not in redactor.redact("somewhere else: Zq7canary")
    assert "Zq7canary" not in redactor.redact(script)


@pytest.mark.parametrize(
    "script",
    [
        "client = Client(token=args.token)",
        'export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer ${OTLP_TOKEN}"',
        ': "${OTLP_TOKEN:?export OTLP_TOKEN first}"',
        "#SBATCH --signal=B:TERM@180",
    ],
)
def test_a_script_without_a_secret_gives_none_away(script: str) -> None:
    text = "set args.token, Bearer, OTLP_TOKEN, first, TERM"
    assert Redactor.of(texts=[script]).redact(text) == text


def test_a_netrc_file_and_headers_give_their_secrets_away() -> None:
    netrc = 'machine host login bob password Zq7canary\nmachine other password "Zq8 canary"'
    redactor = Redactor.of(netrc=netrc, headers=[("x-team", "Zq9canary")])
    assert redactor.redact("Zq7canary Zq8 canary Zq9canary bob") == f"{REDACTED} {REDACTED} {REDACTED} bob"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Authorization: Bearer abc.def", "Authorization: Bearer <redacted>"),
        ("sent Bearer xxx to", "sent Bearer <redacted> to"),
        ("Authorization=Basic%20YTpi", "Authorization=Basic%20<redacted>"),
        ("Basic dXNlcjpwdw==", "Basic <redacted>"),
        ("http://user:pw@host:4317/v1", "http://<redacted>@host:4317/v1"),
        ("http://user:p/w@host:4317/v1", "http://<redacted>@host:4317/v1"),
        ("resolving user:pw@127.0.0.1:4317", "resolving user:<redacted>@127.0.0.1:4317"),
        ("api-key=abc&x=1", "api-key=<redacted>&x=1"),
        ("{'x-api-key': 'a b'}", "{'x-api-key': '<redacted>'}"),
        ("https://h/x?sig=abc%2F&b=c", "https://h/x?sig=<redacted>&b=c"),
        ("ghp_0123456789abcdef0123", "<redacted>"),
        ("password=$DB_PASSWORD token=${TOKEN}", "password=$DB_PASSWORD token=${TOKEN}"),
    ],
)
def test_what_looks_like_a_secret_goes_without_being_known(text: str, told: str) -> None:
    assert Redactor().redact(text) == told
    assert Redactor().redact(told) == told


@pytest.mark.parametrize(
    "text",
    [
        "basic authentication failed, bearer token missing",
        "export OTEL_EXPORTER_OTLP_CERTIFICATE=/etc/ca.pem",
        "export OTEL_EXPORTER_OTLP_CLIENT_KEY=/etc/key.pem",
        "--max-tokens 4096 --tokenizer-type llama",
        "image repo/train:1.2@sha256:0123abcd",
        "train.sbatch:13: traces @ train.sbatch:13",
        'nemo_grad_norm{nemo_run_id=~"$run"}',
        "http://collector:4317/v1/traces?x=1",
        "file:///etc/hosts, mail to a at b",
        "the server answers 401: authorization is required",
        "#SBATCH --signal=B:TERM@180",
        "${OTLP_TOKEN:?export OTLP_TOKEN first}",
        'api_key = os.environ["WANDB_API_KEY"]',
        "token = tokenizer.decode(ids)",
        'HEADERS="authorization=Bearer ${OTLP_TOKEN}"',
        "export OTEL_EXPORTER_OTLP_HEADERS=authorization=Basic%20BASE64 first",
        "`OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20TOKEN`",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor().redact(text) == text


def test_short_secrets_are_hidden_where_they_are_assigned_only() -> None:
    redactor = Redactor.of([{"OTEL_EXPORTER_OTLP_HEADERS": "x-scope=1,y=ab"}])
    assert redactor.redact("1 abort in 10 minutes") == "1 abort in 10 minutes"
    assert redactor.variable("OTEL_EXPORTER_OTLP_HEADERS", "x-scope=1") == "x-scope=<redacted>"
    assert "=1" not in redactor.redact("OTEL_EXPORTER_OTLP_HEADERS=x-scope=1")


def test_a_short_plain_word_is_hidden_as_a_word() -> None:
    redactor = Redactor.of([{"OTEL_EXPORTER_OTLP_HEADERS": "x-env=prod"}])
    assert redactor.redact("prod, product, x=prod") == f"{REDACTED}, product, x={REDACTED}"


def test_words_that_switch_are_never_hidden() -> None:
    assert Redactor.of([{"SITE_TOKEN": "true", "B_TOKEN": "none"}]).redact("true none") == "true none"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=b,c=$TOKEN,d", "a=<redacted>,c=$TOKEN,<redacted>"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=Bearer%20TOKEN,b=Basic x", "a=Bearer%20TOKEN,b=<redacted>"),
        ("HF_TOKEN", "x", "<redacted>"),
        ("HF_TOKEN", "", ""),
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/etc/ca.pem", "/etc/ca.pem"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://u:p@h", "http://<redacted>@h"),
    ],
)
def test_a_variable_is_shown_as_far_as_it_may(name: str, value: str, told: str) -> None:
    assert Redactor().variable(name, value) == told


def test_arguments_of_secret_options_are_hidden() -> None:
    argv = [
        "x",
        "--api-key",
        "k",
        "--lr",
        "1",
        "--token=t",
        "--set",
        "OTEL_EXPORTER_OTLP_HEADERS=a=b c",
        "A=1",
    ]
    told = ("x", "--api-key", REDACTED, "--lr", "1", f"--token={REDACTED}", "--set")
    assert Redactor().arguments(argv) == (*told, f"OTEL_EXPORTER_OTLP_HEADERS=a={REDACTED}", "A=1")


def test_more_secrets_make_another_redactor() -> None:
    one = Redactor(["Zq7canary"])
    two = one.also(["Zq8canary"])
    assert one.redact("Zq7canary Zq8canary") == f"{REDACTED} Zq8canary"
    assert two.redact("Zq7canary Zq8canary") == f"{REDACTED} {REDACTED}"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("message", "Authorization: Bearer Zq7canaryT0ken"),
        ("SITE_API_KEY", "Zq7canaryT0ken"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=Zq7canaryT0ken"),
        ("argv", ["check", "--token", "Zq7canaryT0ken"]),
    ],
)
def test_what_looks_like_a_secret_in_a_run_of_others_is_hidden_in_all_of_it(key: str, value: object) -> None:
    run = replace(
        everything(), run={"host": "xZq7canaryT0kenx", key: value}, headline="is Zq7canaryT0ken here?"
    )
    told = Redactor.of_record(run).record(run)
    assert "Zq7canaryT0ken" not in repr(told)
    assert (told.run["host"], told.headline) == (f"x{REDACTED}x", f"is {REDACTED} here?")
    same = replace(run, run={"host": "n1"}, headline="the token is wrong")
    assert Redactor.of_record(same).record(same) == Redactor().record(same)


@given(st.text(st.characters(codec=None), max_size=80), st.text(st.characters(codec=None), max_size=30))
def test_any_text_and_any_secret_are_taken(text: str, secret: str) -> None:
    told = Redactor([secret]).redact(text)
    assert Redactor([secret]).redact(told) == told
