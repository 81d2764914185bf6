"""Collector configurations: read, expanded, evaluated, judged."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from lens_preflight.checks.backup_sink import backup_sink
from lens_preflight.checks.collector_config import collector_config
from lens_preflight.checks.truncated_spans import truncated_spans
from lens_preflight.collector import _configuration
from lens_preflight.collector.model import CollectorConfig, Failure
from lens_preflight.collector.wrappers import find
from lens_preflight.documents import Malformed, Text
from lens_preflight.redact import Redactor
from tests.checks.asking import Asked
from tests.fuzz import mutate
from tests.fuzz.corpora import texts
from tests.fuzz.judging import asked
from tests.fuzz.target import CANARY, Target

WORDS = (
    *(
        "receivers:",
        "processors:",
        "exporters:",
        "service:",
        "pipelines:",
        "traces:",
        "metrics:",
        "otlp:",
        "batch:",
    ),
    *(
        "filter:",
        "transform:",
        "memory_limiter:",
        "tail_sampling:",
        "spanmetrics:",
        "routing:",
        "extensions:",
    ),
    *(
        "${env:X}",
        "${env:X:-y}",
        "${file:/etc/x}",
        "$$",
        "${X",
        "{}",
        "[]",
        "null",
        "&a",
        "*a",
        "<<: *a",
        "- |",
    ),
    *(
        'attributes["x"] == 1',
        'IsMatch(name, "(a")',
        "not",
        "and",
        "or",
        "delete_key(attributes, 'x')",
        "!=",
        "nil",
    ),
    *("1e99s", "-5s", "0.0.0.0:4317", "limit_mib: 1", "10GiB", "queue_size:", "storage: file_storage", "---"),
    *(
        "endpoint: 'http://u:p@h'",
        "apiVersion: v1",
        "kind: ConfigMap",
        "replicas: -1",
        "image: x:0.1",
        "sampling_percentage: x",
    ),
)


def config(random: Random) -> str:
    """A configuration of the corpora, changed; a token in it now and then."""
    seeds = texts(
        "collector/*.yaml", "collector-own/**/*.y*ml", "healthy/*/otel*.y*ml", "collector-own/**/*.alloy"
    )
    made = mutate.text(random, random.choice(seeds), WORDS, seeds)
    if random.random() < 0.3:
        secret = f"  otlphttp/secret:\n    endpoint: http://u:{CANARY}@h\n"
        headers = f"exporters:\n{secret}    headers: {{authorization: Bearer {CANARY}}}\n"
        made = made.replace("exporters:\n", headers, 1)
    return made


def _configs(random: Random) -> tuple[str, ...]:
    return tuple(config(random) for _ in range(random.choice((1, 1, 1, 2))))


def _use(made: tuple[str, ...]) -> Iterator[str]:
    sources = [Text(f"c{n}.yaml", text) for n, text in enumerate(made)]
    names = tuple(source.path for source in sources)
    try:
        model = _configuration(names, sources, [piece for source in sources for piece in find(source)])
    except Malformed as error:
        model = CollectorConfig(names, failure=Failure(error.reason, error.at))
    model.filters_rank()
    told = Redactor.of((), made)
    for topology in ("gateway", "node-agent"):
        context = Asked(collector=model, topology=topology)
        for check in (collector_config, backup_sink, truncated_spans):
            for word in asked(check, context):
                yield told.redact(repr(word))


TARGETS = (Target("collectors", 900, _configs, _use, seconds=20.0),)
