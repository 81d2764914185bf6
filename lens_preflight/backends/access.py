"""How to get into a backend: tokens from variables, or from files that variables name."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from urllib.parse import urlsplit

from lens_preflight.backends.backend import variable_part
from lens_preflight.backends.http import Access
from lens_preflight.core.errors import InputError
from lens_preflight.core.variable import Environment
from lens_preflight.otel.files import Files
from lens_preflight.otel.proxies import requests_proxy

PREFIX = "LENS_PREFLIGHT"

TOKENS = {
    "grafana": ("GRAFANA_TOKEN", "GRAFANA_SERVICE_ACCOUNT_TOKEN"),
    "elasticsearch": ("ELASTICSEARCH_API_KEY", "ELASTIC_API_KEY"),
    "kibana": ("KIBANA_API_KEY", "ELASTIC_API_KEY"),
    "honeycomb": ("HONEYCOMB_API_KEY",),
    "datadog": ("DD_API_KEY", "DATADOG_API_KEY"),
    "weave": ("WANDB_API_KEY",),
}
"""Variables that the vendors' own tools read, after ours."""

APPLICATION_KEYS = ("DD_APP_KEY", "DD_APPLICATION_KEY", "DATADOG_APP_KEY")


def access(name: str, kind: str, url: str, env: Environment, files: Files) -> Access:
    """Headers, proxy and trust for a backend.

    ``LENS_PREFLIGHT_<NAME>_TOKEN``, ``_USER`` with ``_PASSWORD``, ``_ORG`` (tenant); each secret also as
    a file named by ``..._FILE``; then the vendor's own variables.

    Raises:
        InputError: a file that a variable names cannot be read, or a secret holds a line break.
        Undecided: a variable is not known.
    """
    secrets = _Secrets(f"{PREFIX}_{variable_part(name)}", env, files)
    headers = dict(_headers(kind, secrets))
    proxy = requests_proxy(env, url)
    proxies = {urlsplit(url).scheme: proxy.url} if proxy.url else {}
    bundle = env.text("REQUESTS_CA_BUNDLE") or env.text("CURL_CA_BUNDLE") or env.text("SSL_CERT_FILE")
    return Access(headers, proxies, bundle or True)


def secret_texts(name: str, env: Environment, files: Files) -> tuple[str, ...]:
    """All secrets that could be sent to a backend of that name, for whoever hides them in reports."""
    secrets = _Secrets(f"{PREFIX}_{variable_part(name)}", env, files)
    own = [secrets.own(part) for part in ("TOKEN", "PASSWORD", "APP_KEY")]
    vendors = [secrets.first(names) for names in (*TOKENS.values(), APPLICATION_KEYS)]
    return tuple(dict.fromkeys(text for text in (*own, *vendors) if text))


class _Secrets:
    """Reads variables, and the files that they name."""

    def __init__(self, prefix: str, env: Environment, files: Files) -> None:
        self._prefix = prefix
        self._env = env
        self._files = files

    def own(self, part: str) -> str:
        return self.first((f"{self._prefix}_{part}",))

    def first(self, names: tuple[str, ...]) -> str:
        """The first that is set, as a text or as a file; empty when none is."""
        for name in names:
            text = self._env.text(name) or self._file(f"{name}_FILE")
            if text and text.strip():
                return self._clean(text.strip(), name)
        return ""

    def _file(self, name: str) -> str | None:
        path = self._env.text(name)
        if not path:
            return None
        text = self._files.text(path)
        if text is None:
            raise InputError(f"{name} names a file that cannot be read; correct the path or its permissions")
        return text

    def _clean(self, text: str, name: str) -> str:
        if not text.isascii() or not text.isprintable():
            raise InputError(f"{name} holds signs that no header can carry; write the token alone into it")
        return text


def _headers(kind: str, secrets: _Secrets) -> Iterator[tuple[str, str]]:
    token = secrets.own("TOKEN") or secrets.first(TOKENS.get(kind, ()))
    user, password = secrets.own("USER"), secrets.own("PASSWORD")
    if tenant := secrets.own("ORG"):
        yield ("X-Grafana-Org-Id" if kind == "grafana" else "X-Scope-OrgID"), tenant
        if kind == "jaeger":
            yield "x-tenant", tenant
    if kind == "kibana":
        yield "kbn-xsrf", "lens-preflight"
    if kind == "datadog":
        yield from _datadog(token, secrets.own("APP_KEY") or secrets.first(APPLICATION_KEYS))
    elif user or password:
        yield "Authorization", _basic(user, password)
    elif token and kind == "honeycomb":
        yield "X-Honeycomb-Team", token
    elif token and kind == "weave":
        yield "Authorization", _basic("api", token)
    elif token:
        word = "ApiKey" if kind in ("elasticsearch", "kibana") else "Bearer"
        yield "Authorization", f"{word} {token}"


def _datadog(key: str, application: str) -> Iterator[tuple[str, str]]:
    if key:
        yield "DD-API-KEY", key
    if application:
        yield "DD-APPLICATION-KEY", application


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
