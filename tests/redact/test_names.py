"""Which names are secret: passwords and keys are, files and language-model words are not."""

from __future__ import annotations

import pytest

from lens_preflight.redact import is_header_name, is_secret_name

SECRET = (
    *("WANDB_API_KEY", "HF_TOKEN", "GITHUBTOKEN", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "AWS_ACCESS_KEY_ID"),
    *("AWS_SECRET_ACCESS_KEY", "SLURM_JWT", "SENTRY_DSN", "PROXY_AUTH", "apiKey", "x-api-key", "--api-key"),
    *("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "AccountKey", "API_KEYS"),
    *("AZURE_STORAGE_CONNECTION_STRING", "MLFLOW_TRACKING_PASSWORD", "authorization", "session_cookie"),
)
OPEN = (
    *("OTEL_EXPORTER_OTLP_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_KEY", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    *("OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", "TOKEN_FILE", "PASSWORD_PATH", "TOKENIZERS_PARALLELISM"),
    *("MAX_TOKENS", "PAD_TOKEN", "PAD_TOKEN_ID", "MOE_TOKEN_DISPATCHER_TYPE", "PWD", "OLDPWD", "KEY", "key"),
    *("GOOGLE_APPLICATION_CREDENTIALS", "PUBLIC_KEY", "CACHE_KEY", "FORWARD_PASS", "NEMO_LENS_RUN_ID", ""),
    *("OTEL_EXPORTER_OTLP_HEADERS_FILE", "AUTHOR", "PATH", "MONKEY", "COMPASS"),
)


@pytest.mark.parametrize("name", SECRET)
def test_it_is_secret(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", OPEN)
def test_it_is_not(name: str) -> None:
    assert not is_secret_name(name)


def test_headers_are_told_by_their_end() -> None:
    assert is_header_name("OTEL_EXPORTER_OTLP_LOGS_HEADERS")
    assert not is_header_name("OTEL_EXPORTER_OTLP_ENDPOINT")
