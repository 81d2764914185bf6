"""Whether the panels are about the service of the job, as dashboard-run-id judges it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import dashboard_run_id_rules as rules
from lens_preflight.core.finding import Finding

if TYPE_CHECKING:
    from lens_preflight.context import Context
    from lens_preflight.dashboards.training import RunUse


def other_service(ctx: Context, uses: Iterable[RunUse]) -> Iterator[Finding]:
    """Panels that are confined to a service, and none of the launches calls itself so."""
    from lens_preflight.dashboards.conditions import canonical

    given = [ctx.env_of(launch)["OTEL_SERVICE_NAME"].value for launch in ctx.launches]
    names = [name.strip() for name in given if name]
    if not names or len(names) < len(given):
        return
    told: set[str] = set()
    for use in uses:
        for matcher in use.matchers:
            service = (
                canonical(matcher.label).replace(".", "_") == "service_name" and "$" not in matcher.value
            )
            if (
                service
                and str(matcher) not in told
                and not any(matcher.accepts(n) is not False for n in names)
            ):
                told.add(str(matcher))
                yield Finding(
                    rules.OTHER_SERVICE,
                    f"{use.panel.shown}: {matcher} leaves out the service {names[0]} of this job",
                    use.target.spot.at,
                    evidence={"query": use.target.text},
                    remedy=f'write service_name="{names[0]}", or set OTEL_SERVICE_NAME to what the panels ask for',
                )
