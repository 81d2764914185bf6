"""The endpoint of a launch: localhost that is another machine, and proxies in the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lens_preflight.checks import propagation_rules as rules
from lens_preflight.core.finding import Finding, Location, Related

if TYPE_CHECKING:
    from lens_preflight.jobs.endpoints import Endpoint
    from lens_preflight.jobs.model import JobLaunch, JobModel


def related(text: str, at: Location | None, besides: Location) -> tuple[Related, ...]:
    """A second place, when it is one."""
    return (Related(text, at),) if at is not None and at != besides else ()


def endpoints(job: JobModel, launch: JobLaunch, topology: str | None) -> Iterator[Finding]:
    """What is wrong with where the exporters of a launch would go."""
    for one in launch.endpoints:
        if one.default and not _by_the_job(job, launch, one):
            continue
        if one.local:
            yield from _local(launch, one, topology)
        elif one.proxy and one.proxy_at is not None:
            message = f"the exporter reaches {one.host} through {one.proxy}"
            remedy = f'export no_proxy="$no_proxy,{one.host}"'
            yield Finding(
                rules.PROXY,
                message,
                one.proxy_at,
                related("the endpoint", one.at, one.proxy_at),
                remedy=remedy,
            )


def _by_the_job(job: JobModel, launch: JobLaunch, one: Endpoint) -> bool:
    """Whether the job itself sees to it that no endpoint is set, and nothing else tells of it.

    An image may set one, and so may whoever submits, unless a line or ``--export`` takes it away.
    """
    exports = [d.value for d in job.directives if d.option == "--export" and not d.inert]
    shut = bool(exports) and "ALL" not in (exports[-1] or "ALL").upper().split(",")
    told = launch.helper or any(lost.name == one.variable for lost in launch.lost)
    return (one.undone or shut) and not told and launch.container is None


def _local(launch: JobLaunch, one: Endpoint, topology: str | None) -> Iterator[Finding]:
    box, name, at = launch.container, one.variable, one.at.setting(one.variable)
    if launch.pods:
        beside = box is not None and any("otel" in i or "collector" in i for i in box.sidecars)
        if box is not None and (box.host_network or beside):
            return
        message = f"{name} is localhost: in a pod that is the pod itself"
        yield Finding(
            rules.LOCALHOST_POD,
            message,
            at,
            remedy="http://SERVICE.NAMESPACE.svc:4317, or $(HOST_IP) for an agent",
        )
    elif box is not None and not box.host_network:
        message = f"{name} is localhost: on a bridge network that is the container"
        yield Finding(rules.LOCALHOST_CONTAINER, message, at, remedy=f"{box.runtime} run --network host ...")
    elif (launch.nodes or 1) > 1 and topology != "node-agent":
        what = "is not set, and its default is localhost" if one.default else "is localhost"
        message = f"{name} {what} on {launch.nodes} nodes"
        rule = rules.LOCALHOST_GATEWAY if topology == "gateway" else rules.LOCALHOST
        agent = "--topology node-agent, if every node has a collector"
        gateway = f"export {name}=http://GATEWAY:4317"
        remedy = gateway if topology == "gateway" else f"{gateway}, or {agent}" if one.default else agent
        yield Finding(rule, message, at, remedy=remedy)
