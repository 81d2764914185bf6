"""From names, URLs and variables to clients of the right kind with the right credentials."""

from __future__ import annotations

import base64

import pytest

from lens_preflight.backends import open_backend, open_telemetry
from lens_preflight.backends.access import access, secret_texts
from lens_preflight.backends.kinds import kind_of
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.errors import InputError
from lens_preflight.core.variable import Environment
from lens_preflight.otel.files import MadeUpFiles

URL = "http://localhost:9"


@pytest.mark.parametrize(
    ("name", "host", "kind"),
    [
        ("jaeger", "h", "jaeger"),
        ("prod-jaeger", "h", "jaeger"),
        ("jaeger2", "h", "jaeger"),
        ("Prom_EU", "h", "prometheus"),
        ("mimir", "h", "prometheus"),
        ("opensearch", "h", "elasticsearch"),
        ("ours", "api.eu1.honeycomb.io", "honeycomb"),
        ("ours", "api.us5.datadoghq.com", "datadog"),
        ("w", "trace.wandb.ai", "weave"),
        ("collector", "h", "collector"),
        ("tempo", "tempo.grafana.net", "tempo"),
        ("store", "h", None),
        ("promotion", "h", None),
        ("x", "evilhoneycomb.io", None),
    ],
)
def test_a_name_or_a_vendor_says_the_kind(name: str, host: str, kind: str | None) -> None:
    found = kind_of(name, host)
    assert (found.id if found else None) == kind


@pytest.mark.parametrize(
    ("name", "url", "base"),
    [
        ("jaeger", "http://h:16686/", "http://h:16686"),
        ("jaeger", "http://h:16686/search?service=x", "http://h:16686"),
        ("jaeger", "http://h/jaeger/trace/abc", "http://h/jaeger"),
        ("prometheus", "HTTP://h:9090/graph?g0.expr=x", "http://h:9090"),
        ("prometheus", "http://h:9090/api/v1/query", "http://h:9090"),
        ("prometheus", "https://h/api/prom", "https://h/api/prom"),
        ("grafana", "https://h/grafana/d/abc/name", "https://h/grafana"),
        ("kibana", "http://h:5601/app/discover", "http://h:5601"),
        ("es", "http://h:9200/nemo-traces", "http://h:9200"),
        ("es", "http://h/es/nemo-traces", "http://h/es"),
        ("weave", "https://trace.wandb.ai/ent/proj", "https://trace.wandb.ai"),
    ],
)
def test_the_base_of_the_api_is_found_in_what_people_paste(name: str, url: str, base: str) -> None:
    assert open_backend(name, url, Environment(), Deadline()).client.base == base


def test_the_metrics_page_may_be_named_in_full() -> None:
    page = open_telemetry("collector", "http://h:8888/metrics", Environment(), Deadline())
    assert page.client.base == "http://h:8888"


@pytest.mark.parametrize("url", ["h:1", "ftp://h", "http://", "http://h:99999", "http://u:planted@h:1", ""])
def test_a_url_that_is_none_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(InputError) as caught:
        open_backend("jaeger", url, Environment(), Deadline())
    assert "planted" not in str(caught.value)
    assert "jaeger" in str(caught.value)


def headers(kind: str, **variables: str) -> dict[str, str]:
    files = MadeUpFiles(texts={"/run/token": "from-file\n", "/run/odd": "a\nb"})
    return dict(access("my-one", kind, URL, Environment.of(variables), files).headers)


def test_tokens_come_from_variables_and_files() -> None:
    basic = "Basic " + base64.b64encode(b"u:p").decode()
    assert headers("jaeger") == {}
    assert headers("jaeger", LENS_PREFLIGHT_MY_ONE_TOKEN="t") == {"Authorization": "Bearer t"}
    assert headers("jaeger", LENS_PREFLIGHT_MY_ONE_TOKEN_FILE="/run/token") == {
        "Authorization": "Bearer from-file"
    }
    assert headers("prometheus", LENS_PREFLIGHT_MY_ONE_USER="u", LENS_PREFLIGHT_MY_ONE_PASSWORD="p") == {
        "Authorization": basic
    }
    assert headers("tempo", LENS_PREFLIGHT_MY_ONE_ORG="team") == {"X-Scope-OrgID": "team"}
    assert headers("elasticsearch", ELASTIC_API_KEY="k") == {"Authorization": "ApiKey k"}
    assert headers("honeycomb", HONEYCOMB_API_KEY="k") == {"X-Honeycomb-Team": "k"}
    assert headers("datadog", DD_API_KEY="k", DD_APP_KEY="a") == {
        "DD-API-KEY": "k",
        "DD-APPLICATION-KEY": "a",
    }
    assert headers("weave", WANDB_API_KEY="k")["Authorization"].startswith("Basic ")


def test_a_token_of_one_vendor_is_not_sent_to_another() -> None:
    assert headers("jaeger", HONEYCOMB_API_KEY="k", DD_API_KEY="k", WANDB_API_KEY="k") == {}


@pytest.mark.parametrize("path", ["/run/missing", "/run/odd"])
def test_a_bad_token_file_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="LENS_PREFLIGHT_MY_ONE_TOKEN"):
        headers("jaeger", LENS_PREFLIGHT_MY_ONE_TOKEN_FILE=path)


def test_a_proxy_is_taken_and_bypassed_as_requests_does() -> None:
    env = Environment.of({"http_proxy": "http://proxy:3128", "no_proxy": "inside"})
    assert access("x", "jaeger", "http://outside:1", env, MadeUpFiles()).proxies == {
        "http": "http://proxy:3128"
    }
    assert access("x", "jaeger", "http://inside:1", env, MadeUpFiles()).proxies == {}


def test_all_secrets_can_be_listed_for_hiding() -> None:
    env = Environment.of({"LENS_PREFLIGHT_JAEGER_TOKEN": "one", "DD_APP_KEY": "two"})
    assert secret_texts("jaeger", env, MadeUpFiles()) == ("one", "two")
