"""Reports of nodes: merged, closed over, and the short texts of Slurm around them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from random import Random

from lens_preflight.cli.exits import one_line
from lens_preflight.core.errors import InputError
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.gate import cache as lines
from lens_preflight.gate.fleet import Published
from lens_preflight.gate.gathered import Gathered
from lens_preflight.gate.merge import failing, merge, unix_time
from lens_preflight.gate.node_report import closed, read_node_report
from lens_preflight.gate.nodeset import expand, fold
from lens_preflight.gate.slurmconf import SlurmConfig
from lens_preflight.redact import Redactor
from lens_preflight.reports import REPORTS, Style
from tests.fuzz import mutate
from tests.fuzz.corpora import scratch
from tests.fuzz.target import CANARY, Target
from tests.gate.records import finding, outcome, record, ways

WORDS = (
    *(
        "schema",
        "profile",
        "run",
        "results",
        "findings",
        "status",
        "fail",
        "pass",
        "unknown",
        "targets",
        "node",
    ),
    *("obtained", "slurm_job", "started", "evidence", "endpoint", "severity", "blocker", "owner", "platform"),
    *(
        "2026-02-03T04:05:06+00:00",
        "otlp-endpoint",
        "merged",
        "items",
        "waived",
        "at",
        "kind",
        "file",
        "line",
    ),
)


def rendered(run: RunRecord, name: str = "json") -> str:
    """A run as a report."""
    out = io.StringIO()
    REPORTS[name].write(run, out, Style())
    return out.getvalue()


@cache
def _reports() -> tuple[str, ...]:
    runs = (
        record(outcome(), node="n1"),
        record(outcome(Status.FAIL, finding()), node="n2"),
        record(outcome(Status.WARN, finding(severity=Severity.CAUTION, host="n3")), node="n3", job=None),
        record(outcome(), outcome(check="sampler", items=(7,), reason="r"), node="n4", incomplete="late"),
        record(outcome(), node="n5", profile="login"),
    )
    return tuple(rendered(run) for run in runs)


def report(random: Random) -> bytes:
    """The report of a node, changed: as text, as a tree, or as bytes."""
    text = random.choice(_reports())
    if random.random() < 0.6:
        made = mutate.tree(random, json.loads(text), WORDS)
        text = json.dumps(made, indent=random.choice((None, 2, 2)))
    elif random.random() < 0.7:
        text = mutate.text(random, text, WORDS)
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.2:
        data = mutate.octets(random, data)
    if random.random() < 0.2:  # last, so that it still looks like what it is
        data = data.replace(b'"message": "', b'"message": "Authorization: Bearer %b ' % CANARY.encode())
    return data


def _merge(random: Random) -> list[bytes]:
    files = [report(random) for _ in range(random.choice((1, 2, 4)))]
    if random.random() < 0.2:
        files.append(b"\n".join(files))
    return files


def _use_merge(made: list[bytes]) -> Iterator[str]:
    gathered = Gathered()
    for number, data in enumerate(made):
        path = scratch() / f"node{number}.json"
        path.write_bytes(data)
        gathered.take(str(path))
    run = merge(gathered, expected=("n1", "n2", "n9"), job="")
    clean = Redactor.of_record(run).record(run)
    failing(run)
    unix_time(str(run.run.get("started") or ""))
    for name in ("json", "console", "junit", "metrics"):
        yield rendered(clean, name)
    try:
        nodes = read_node_report(str(scratch() / "node0.json"))
    except InputError as error:
        yield one_line(str(error))
        return
    asking = outcome(Status.PASS, reason="pass here")
    closed([*run.results, asking, record(asking).results[0]], nodes, ways(), unix_time(nodes.started))
    yield nodes.where


def _slurm(random: Random) -> str:
    seed = random.choice(
        (
            *("gpu[001-412,414],login1", "rack1n[1-3],rack2n1", "n[1-2]x[3-4]", "n[0-99999999]", "[1-2]"),
            *("Prolog[0] = /x\nPrologFlags = Alloc\nBatchStartTimeout = 10 sec\nClusterName = c", "a=b=c"),
            *("0123-boot 12345 pass all is well", "b 1 fail-host x", '{"schema":"lens-preflight/fleet/1"}'),
        )
    )
    return mutate.text(random, seed, ("[", "]", "-", ",", "1", "=", "(null)", "nodes", "since", "failing"))


def _use_slurm(text: str) -> Iterator[str]:
    config = SlurmConfig.parse(text)
    yield f"{config.seconds('BatchStartTimeout')} {config.words('Prolog')} {lines.parse(text)}"
    yield lines.plain(text)
    path = scratch() / "fleet.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    yield Published(str(path), 1.0).answer("n1", "otlp-endpoint/refused", 0.0).why
    names = expand(text)
    if len(names) < 2000:
        folded = fold(names)
        assert set(expand(folded)) == set(names) or any(
            set("[], \t\n") & set(n) or not n.isascii() for n in names
        )
        yield folded[:1000]


TARGETS = (
    Target("merge", 600, _merge, _use_merge),
    Target("slurm-texts", 1200, _slurm, _use_slurm, (InputError,)),
)
