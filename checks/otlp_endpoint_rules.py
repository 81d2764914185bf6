"""The rules of the check otlp-endpoint: one per cause of the probe's closed vocabulary, and four more."""

from __future__ import annotations

from lens_preflight.checks.otlp_endpoint_answer_rules import ANSWER
from lens_preflight.checks.otlp_endpoint_rule import rule as _rule
from lens_preflight.checks.otlp_endpoint_way_rules import WAY
from lens_preflight.core.words import Owner, Severity

NOT_FROM_HERE = _rule(
    "not-from-here",
    "the endpoint cannot be reached from this host; a compute node may see something else",
    "Names, routes, ports, proxies, trust stores and time-outs belong to a host. Outside a compute node a "
    "failure of these is a caution, because CI and login nodes often sit in another network. Run it where "
    "the job runs: `srun -N1 -n1 lens-preflight check TARGET --profile node`.",
    Owner.HOST,
    Severity.CAUTION,
)
CLIENT_FAILED = _rule(
    "client-failed",
    "the real client fails, and no stage shows why",
    "The stages explain, the real client decides: its failure counts. Please report the output of "
    "`lens-preflight probe -vv --json`.",
)
SERVER_MESSAGE = _rule(
    "server-message",
    "the server accepts everything and sends a warning along",
    "OTLP lets a server answer `partial_success` with nothing rejected and a message. The exporter throws "
    "it away; it is often a deprecation or a quota that is nearly used up. Read it.",
    Owner.PLATFORM,
    Severity.NOTE,
)
VERIFICATION_OFF = _rule(
    "verification-off",
    "the settings switch the verification of the server's certificate off",
    "Anybody on the way can read and change the telemetry, its credentials included. Give the CA instead: "
    "`OTEL_EXPORTER_OTLP_CERTIFICATE=/path/ca.pem`.",
    Owner.JOB,
    Severity.CAUTION,
)

CAUSES = (*WAY, *ANSWER)
BY_CODE = {rule.name: rule for rule in CAUSES}

RULES = (NOT_FROM_HERE, CLIENT_FAILED, SERVER_MESSAGE, VERIFICATION_OFF, *CAUSES)
