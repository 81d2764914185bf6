"""Checks and a report format of one site, installed beside lens-preflight."""

from collections.abc import Iterator
from typing import TextIO

from lens_preflight.api import (
    Check,
    Context,
    Finding,
    Location,
    Owner,
    Proof,
    Rule,
    RunRecord,
    Scope,
    Severity,
    Skip,
    Style,
    check,
)

SERVICE = Rule(
    "site-service/unnamed",
    "OTEL_SERVICE_NAME does not begin with the team's name",
    Severity.BLOCKER,
    Owner.JOB,
    help="Quotas are counted by the first word of the service name. Type: export OTEL_SERVICE_NAME=TEAM-...",
)
TEAMS = ("vision", "speech", "llm")


@check("site-service", "The service name begins with a team", scope=Scope.LAUNCH, rules=(SERVICE,))
def site_service(ctx: Context) -> Iterator[Finding | Proof]:
    """Our quotas are counted by team, and the team is the first word of the service name.

    A job whose service name belongs to no team is cut off after an hour.
    """
    if not ctx.lens.enabled:
        raise Skip("telemetry is off")
    name = ctx.lens.service_name
    if name.partition("-")[0] in TEAMS:
        yield Proof(f"{name} belongs to a team")
        return
    yield Finding(
        SERVICE,
        f"{name!r} belongs to no team",
        Location.variable("OTEL_SERVICE_NAME"),
        remedy="export OTEL_SERVICE_NAME=llm-pretrain",
        settings=(("OTEL_SERVICE_NAME", "llm-pretrain"),),
    )


CHECKS: list[Check] = [site_service]


class Verdict:
    """One word for a shell prompt: lens-preflight check train.py --report verdict=word.txt"""

    name = "verdict"

    def write(self, record: RunRecord, to: TextIO, style: Style | None = None) -> None:
        """Write the verdict of the run."""
        to.write(f"{record.verdict}\n")


VERDICT = Verdict()
