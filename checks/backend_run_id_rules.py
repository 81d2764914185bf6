"""The rules of ``backend-run-id``, by the word of the answer that they are reported for."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

CHECK = "backend-run-id"


def _rule(name: str, summary: str, help: str, severity: Severity = Severity.BLOCKER) -> Rule:
    return Rule(f"{CHECK}/{name}", summary, severity, Owner.PLATFORM, help)


ADDRESS = Rule(
    f"{CHECK}/address",
    "the backend's name or URL cannot be used",
    Severity.BLOCKER,
    Owner.JOB,
    "A backend is given as NAME=URL. The name says the kind (`jaeger`, `prod-jaeger`, `prometheus`, "
    "`grafana`, `tempo`, `elasticsearch`, `kibana`, `honeycomb`, `datadog`, `weave`), the URL is the base "
    "of its API with scheme, host and port; no path of the user interface, no credentials. Tokens come from "
    "variables: `LENS_PREFLIGHT_<NAME>_TOKEN`, or a file named by `LENS_PREFLIGHT_<NAME>_TOKEN_FILE`.",
)
UNREACHABLE = _rule(
    "unreachable",
    "the backend does not answer",
    "Nobody will find this run where nobody gets an answer. Looked at from this host: name, route, port, "
    "TLS, and HTTP 5xx of the backend or of a gateway in front of it.",
)
NOT_THE_BACKEND = _rule(
    "not-the-backend",
    "something else answers at that address",
    "A web page, a redirect, another service, or the API under another path (a sub-path behind a proxy). "
    "Redirects are not followed with credentials. Give the base URL under which the API itself answers.",
)
AUTH = _rule(
    "auth",
    "the backend does not take the credentials",
    "Missing, wrong, expired, of another site or tenant; or a sign-on page stands in front, which answers "
    "200 with a web page to everything. Export `LENS_PREFLIGHT_<NAME>_TOKEN`, `_USER` with `_PASSWORD`, or "
    "`_ORG` for a tenant; each secret can be in a file that `..._FILE` names.",
)
PERMISSION = _rule(
    "permission",
    "the credentials lack a permission",
    "The key is good, and may not read what is needed: the page of the backend in the guide lists the least "
    "permissions. A key that can only send data is the commonest case.",
)
NOT_FILTERABLE = _rule(
    "not-filterable",
    "the data is there, and cannot be filtered by the run id",
    "`nemo.run.id` is a resource attribute: it is on no span and on no data point. A Prometheus exporter "
    "puts it on `target_info` alone unless told otherwise, and panels then show nothing or all runs; "
    "Elasticsearch finds nothing in a field that is not mapped, without an error; Datadog does not tag "
    "metrics with it. Measured: label values without `match[]` list such an id all the same, so that a "
    "drop-down looks right.",
)
FILTER_IGNORED = _rule(
    "filter-ignored",
    "an id that nobody ever used finds data",
    "Every run is asked for twice: by its own id, and by one made up on the spot. The v3 search of Jaeger "
    "before 2.19 does not look at attributes at all, so that every id finds every trace: the first question "
    "alone would pass. A proxy that rewrites queries does the same.",
)
WRONG_ID = _rule(
    "wrong-id",
    "the filter by the run id returns another run",
    "Old Tempo matches parts of ids: `run-1` finds `run-10`. Full-text fields do too.",
)
NEVER_FOUND = _rule(
    "never-found",
    "the endpoint took the canary, and the backend never shows it",
    "An accepted export proves the first hop only. Behind it, a pipeline without this exporter, a sink that "
    "is down, a filter, a sampler or another tenant lose everything without a word to the job. Look at the "
    "collector's own metrics: `lens-preflight check --backend collector=http://HOST:8888`.",
)
REFUSED = _rule(
    "canary-refused",
    "the endpoint does not take the canary",
    "The same request as the job's exporter, with one span and one gauge in it. See the findings of "
    "`otlp-endpoint`, which says at which stage it fails.",
)
STALE = _rule(
    "stale",
    "the run is found, and nothing of it is new",
    "A run that died looks alive: a Prometheus exporter serves its last values for `metric_expiration` "
    "(five minutes by default, three hours in a widespread configuration), without time stamps of their "
    "own. Measured: 42 s after the death of a run its newest sample was 0.6 s old. So new means moving: "
    "some value of the run must have changed.",
)
QUERY_REFUSED = _rule(
    "query-refused",
    "the backend does not understand the question",
    "The filter is asked for in the backend's own language, as documented: a refusal means a version that is "
    "too old (TraceQL came with Tempo 2.0) or a store that is compatible in name only.",
)
MISSING = _rule(
    "missing",
    "a part of the backend is not there or not healthy",
    "The project, data source or database that the question goes to.",
)
EXACT_FIELD = _rule(
    "exact-field",
    "the run id is full text with an exact sub-field",
    "Elasticsearch guessed the mapping: the id is split into words, and a search for one run finds its "
    "relatives. Filters must name the `.keyword` field; better, write to a data stream whose template maps "
    "it.",
    Severity.CAUTION,
)
OTHERS = _rule(
    "others-not-filterable",
    "the runs that are there now cannot be filtered by their ids",
    "Found before this run exists, from the data of other runs; this one will fare alike if it takes the "
    "same way.",
    Severity.CAUTION,
)

PANEL_OPEN = Rule(
    f"{CHECK}/panel-open",
    "a panel shows data for an id that nobody ever used",
    Severity.BLOCKER,
    Owner.JOB,
    "Its query was asked of the store with the run variable set to an id made up on the spot, and came back "
    "with data: the panel mixes runs.",
)
PANEL_EMPTY = Rule(
    f"{CHECK}/panel-empty",
    "a panel shows nothing for a run that is there",
    Severity.CAUTION,
    Owner.JOB,
    "Its query was asked of the store for the run, which other queries find. The commonest reasons: a unit "
    "suffix that the metric has in Prometheus (`_milliseconds_bucket`), a rate window shorter than two "
    "scrapes, a metric that this framework does not record.",
)
PANEL_REFUSED = Rule(
    f"{CHECK}/panel-refused",
    "the store refuses the query of a panel",
    Severity.CAUTION,
    Owner.JOB,
    "It does not parse there, or a join has several partners (`found duplicate series`).",
)

BY_WORD: dict[str, Rule] = {
    "UNREACHABLE": UNREACHABLE,
    "NOT-THE-BACKEND": NOT_THE_BACKEND,
    "AUTH": AUTH,
    "PERMISSION": PERMISSION,
    "NOT-FILTERABLE": NOT_FILTERABLE,
    "FILTER-IGNORED": FILTER_IGNORED,
    "WRONG-ID": WRONG_ID,
    "STALE": STALE,
    "QUERY-ERROR": QUERY_REFUSED,
    "NOT-FOUND": NEVER_FOUND,
    "ABSENT": MISSING,
    "UNHEALTHY": MISSING,
    "KEYWORD-ONLY": EXACT_FIELD,
}

RULES = (
    ADDRESS,
    *dict.fromkeys(BY_WORD.values()),
    REFUSED,
    OTHERS,
    PANEL_OPEN,
    PANEL_EMPTY,
    PANEL_REFUSED,
)
