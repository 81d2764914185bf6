"""``lens-preflight check``: the verdict."""

from __future__ import annotations

import sys
from typing import Any

import click

from lens_preflight.choices import FAIL_ON
from lens_preflight.cli.completing import check_ids, formats, items
from lens_preflight.cli.options import REPORT_HELP, subject_options, verbosity_options

ALONE, WITH_CANARY = 30.0, 180.0
"""Seconds until the deadline when nobody gives --timeout: what is sent has to travel and be indexed."""


@click.command()
@click.argument("targets", nargs=-1, type=click.Path(), metavar="[TARGET]... [-- ARGS]...")
@subject_options
@click.option("--offline", is_flag=True, help="Send no packet.")
@click.option("--backend", "backends", multiple=True, metavar="NAME=URL", help="Where telemetry is queried.")
@click.option("--dashboard", "dashboards", multiple=True, metavar="FILE|DIR", help="Dashboard JSON.")
@click.option(
    "--collector-config", "collector_configs", multiple=True, metavar="FILE", help="Collector file."
)
@click.option("--rules", "rules", multiple=True, metavar="FILE", help="Prometheus rules.")
@click.option("--select", multiple=True, metavar="ID,..", shell_complete=check_ids, help="Only these checks.")
@click.option("--ignore", multiple=True, metavar="ID,..", shell_complete=check_ids, help="Not these checks.")
@click.option(
    "--expect", multiple=True, metavar="ITEM,..|all", shell_complete=items, help="Items that must be judged."
)
@click.option("--fail-on", type=click.Choice(FAIL_ON), help="What makes the exit code non-zero [unknown].")
@click.option(
    "--report", "reports", multiple=True, metavar="FORMAT[=PATH]", shell_complete=formats, help=REPORT_HELP
)
@click.option(
    "--local", multiple=True, type=click.Path(), metavar="FILE", help="A file with checks; it is run."
)
@click.option("--baseline", type=click.Path(), metavar="FILE", help="Accept the findings listed in FILE.")
@click.option("--node-report", type=click.Path(), metavar="FILE", help="What compute nodes have shown.")
@click.option("--send-canary", is_flag=True, help="Send one marked span and gauge, and read them back.")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86_400), metavar="S", help="One deadline [30; 180 with a canary]."
)
@click.option(
    "--wait", type=click.FloatRange(0, 86_400), default=0.0, metavar="S", help="Retry the endpoint."
)
@verbosity_options
@click.pass_context
def check(ctx: click.Context, /, targets: tuple[str, ...], **options: Any) -> int:
    """Judge a job before it runs.

    TARGET is a training script, a job script or a manifest, recognised by content. Without one, the
    environment alone is judged.
    """
    from lens_preflight.cli.collisions import inputs_of, refuse
    from lens_preflight.cli.gather import gather, words
    from lens_preflight.cli.known import known_checks, looked_at, offer_formats
    from lens_preflight.cli.present import announce, present, style, write_baseline
    from lens_preflight.core.data import replace
    from lens_preflight.core.deadline import Deadline
    from lens_preflight.gate.site import per_node
    from lens_preflight.preflight import preflight
    from lens_preflight.registry import carried_by, select
    from lens_preflight.reports.output import wanted
    from lens_preflight.rule_names import refuse_unknown_rules
    from lens_preflight.searchpath import keep_out
    from lens_preflight.subject.builder import build

    keep_out(targets)
    offer_formats(options["reports"])
    reports = wanted(options["reports"])
    inputs = gather(targets, ctx.obj or (), options)
    settings = inputs.settings
    seconds = options["timeout"] or (WITH_CANARY if inputs.canary else ALONE)
    deadline = Deadline.after(seconds + inputs.wait)
    known = known_checks(settings, options["local"], lambda: looked_at(build(inputs)), deadline=deadline)
    refuse_unknown_rules(settings, known)
    chosen = select(
        known,
        words(options["select"]) or settings.select,
        words(options["ignore"]) or settings.ignore,
    )
    if (options["select"] or options["ignore"]) and not options["expect"]:
        inputs = replace(
            inputs, expect=carried_by(inputs.expect, chosen)
        )  # typed here, it wins over settings
    if inputs.profile == "node" and not (options["select"] or settings.select or inputs.expect):
        chosen = per_node(chosen, inputs.process)
    subject = build(inputs)
    refuse(reports, inputs_of(subject, options))
    record = preflight(
        inputs,
        subject,
        chosen,
        deadline,
        fail_on=options["fail_on"] or settings.fail_on,
        argv=sys.argv[1:],
        node_report=options["node_report"],
    )
    named = any(options[kind] for kind in ("dashboards", "collector_configs", "rules", "backends"))
    if not (inputs.targets or inputs.module or named or options["quiet"]):
        announce()
    look = style(options["color"], -1 if options["quiet"] else options["verbose"], reports)
    code = present(record, subject, reports, look)
    if options["baseline"] is not None:
        trouble = write_baseline(options["baseline"], record)
        code = code or trouble
    return code
