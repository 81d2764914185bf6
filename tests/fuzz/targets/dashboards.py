"""Dashboards, rules, and the query languages inside them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from lens_preflight.checks.collector_alerts import collector_alerts
from lens_preflight.checks.dashboard_panels import dashboard_panels
from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.dashboards.elastic import read_elastic
from lens_preflight.dashboards.fates import fate_of
from lens_preflight.dashboards.firing import fires
from lens_preflight.dashboards.macros import substitute
from lens_preflight.dashboards.promql import read_promql
from lens_preflight.dashboards.reading import dashboards_in
from lens_preflight.dashboards.rules import _rule_file
from lens_preflight.dashboards.runs import run_filters
from lens_preflight.dashboards.selectors import Language
from lens_preflight.dashboards.traceql import read_traceql
from lens_preflight.documents import Text
from tests.checks.asking import Asked
from tests.fuzz import mutate
from tests.fuzz.corpora import texts, trees
from tests.fuzz.judging import asked
from tests.fuzz.target import Target

WORDS = (
    *(
        "panels",
        "targets",
        "expr",
        "query",
        "templating",
        "list",
        "type",
        "row",
        "elements",
        "layout",
        "spec",
    ),
    *("dashboard", "datasource", "uid", "nemo_run_id", "$run_id", "${run_id:regex}", "rate(", "sum by (le)"),
    *("histogram_quantile(0.9, x)", "kind", "ConfigMap", "GrafanaDashboard", "apiVersion", "repeat", "hide"),
    *("libraryPanel", "transformations", "fieldConfig", "refId", "attributes", "panelsJSON", "columns"),
    *("dashboard.grafana.app/v2beta1", "traceql", "lucene", "kuery", "alert", "record", "groups", "rules"),
)
QUERY = (
    *(
        "sum",
        "by",
        "(",
        ")",
        "{",
        "}",
        "[5m]",
        "rate",
        "nemo_run_id",
        "=",
        "=~",
        "!~",
        '"x"',
        "'",
        "`",
        "*",
        "/",
    ),
    *(
        "and",
        "or",
        "unless",
        "on",
        "group_left",
        "offset 5m",
        "@ end()",
        "$run_id",
        "[[run]]",
        "${x:regex}",
        "\\",
    ),
    *(
        "|",
        "&&",
        "||",
        "!",
        ":",
        "<",
        ">",
        "-",
        "nil",
        "rate()",
        "quantile_over_time",
        "span.x",
        "not",
        "_exists_",
    ),
    *(
        "info(x)",
        "label_replace(x,'a','b','c','d')",
        "topk(5,x)",
        "x[1h:5m]",
        "-x",
        "1e5",
        "NaN",
        "#c",
        ",",
        "^",
    ),
)


def _dashboard(random: Random) -> tuple[str, str]:
    patterns = ("dashboards/*.json", "dashboards-own/**/*.json", "healthy/*/*.json")
    if random.random() < 0.7:
        made = mutate.tree(random, random.choice(trees(*patterns)), WORDS)
        return "d.json", json.dumps(made, indent=random.choice((None, 1)))
    seeds = texts(*patterns, "dashboards-own/**/*.y*ml", "dashboards-own/**/*.ndjson")
    return random.choice(("d.json", "d.yaml", "d.ndjson")), mutate.text(
        random, random.choice(seeds), WORDS, seeds
    )


def _use_dashboard(made: tuple[str, str]) -> Iterator[str]:
    path, text = made
    found = tuple(dashboards_in(Text(path, text)))
    context = Asked(dashboards=found)
    for check in (dashboard_panels, dashboard_run_id, truncated_spans):
        yield from map(repr, asked(check, context))


def rules(random: Random) -> str:
    """A rule file or a Prometheus configuration, changed."""
    seeds = texts(
        "dashboards/*.y*ml", "dashboards-own/**/*.y*ml", "healthy/*/alerts.y*ml", "collector*/*rule*"
    )
    return mutate.text(
        random, random.choice(seeds), (*WORDS, *QUERY, "&a", "*a", "<<: *a", "!!x", "- ", "|-"), seeds
    )


def _use_rules(text: str) -> Iterator[str]:
    found = _rule_file(Text("rules.yaml", text))
    context = Asked(rules=(found,))
    for check in (collector_alerts, truncated_spans, dashboard_run_id):
        yield from map(repr, asked(check, context))


_QUERIES = (
    'histogram_quantile(0.95, sum by (le, nemo_run_id) (rate(x_bucket{nemo_run_id=~"$run_id"}[5m])))',
    "a_total / on (instance) group_left (nemo_run_id) target_info{nemo_run_id='x'} or vector(0)",
    '{resource.nemo.run.id="$run" && span.truncated != true} | quantile_over_time(duration, .9) by (name)',
    '{} >> {name=~"a.*"} || {status=error} | rate()',
    'nemo.run.id: "x" and not (a: (b or c*) or d >= 5) and e: { f: 1 }',
    '+a -b _exists_:c d:[1 TO 5] "e f"~2 && !(g || h:/x/)',
    'label_values(train_loss{job="x"}, nemo_run_id)',
)


def _query(random: Random) -> tuple[str, dict[str, str]]:
    made = mutate.text(random, random.choice(_QUERIES), QUERY, _QUERIES)
    if random.random() < 0.2:
        made = "".join(random.choice(QUERY) + random.choice((" ", "")) for _ in range(random.randrange(40)))
    return made, {"run_id": mutate.nasty(random), "run": "x"}


_NO_BOARD = next(dashboards_in(Text("d.json", '{"panels": []}')))


def _use_query(made: tuple[str, dict[str, str]]) -> Iterator[str]:
    text, values = made
    yield f"{fate_of(substitute(text, values), 'nemo_run_id', lambda use: None)} {fires(text)}"
    for query in (
        read_promql(substitute(text, values)),
        read_traceql(text, {}),
        read_elastic(text, {}),
        read_elastic(text, {"metrics": [{"type": "avg", "field": "x"}]}, Language.KQL),
    ):
        yield f"{query.error} {query.metrics}"
        for use in query.uses:
            yield f"{run_filters(use, _NO_BOARD, query.language)} {use.contradiction}"


TARGETS = (
    Target("dashboards", 1000, _dashboard, _use_dashboard),
    Target("rules", 800, rules, _use_rules),
    Target("queries", 1800, _query, _use_query),
)
