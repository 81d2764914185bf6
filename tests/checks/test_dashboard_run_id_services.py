"""dashboard-run-id: conditions beside that on the run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lens_preflight.checks.dashboard_run_id import dashboard_run_id
from lens_preflight.core.words import Status
from tests.checks.asking import Answer, Asked, ask
from tests.dashboards.boards import RUN, classic, panel, read

LOSS = 'megatron_training_loss{nemo_run_id=~"$run_id"}'
SERVICE = {**RUN, "name": "service", "query": "label_values(megatron_training_loss, service_name)"}


def say(query: str, variables: list[dict[str, Any]], **more: Any) -> Answer:
    """What the check says of a dashboard with one panel."""
    board = read(classic(panel(1, "x", query, **more), variables=variables))
    return ask(dashboard_run_id, Asked(dashboards=(board,)))


@pytest.mark.parametrize(
    ("several", "condition", "fault"),
    [
        ({}, 'service_name="$service"', False),
        ({"multi": True}, 'service_name=~"$service"', False),
        ({"multi": True}, 'service_name="$service"', True),
        ({"includeAll": True, "allValue": ".+"}, 'service_name="${service}"', True),
        ({"multi": True}, 'service_name!="$service"', False),
    ],
)
def test_a_list_is_no_exact_value_of_any_label(several: dict[str, Any], condition: str, fault: bool) -> None:
    service = {**SERVICE, **several}
    answer = say(LOSS.replace("{", f"{{{condition},"), [service, RUN])
    assert answer.rules() == ({"broken-filter"} if fault else set())
    listed = {**RUN, "query": f"label_values(megatron_training_loss{{{condition}}}, nemo_run_id)"}
    assert say(LOSS, [service, listed]).rules() == ({"broken-list"} if fault else set())


def test_a_panel_that_is_repeated_has_one_value() -> None:
    query = LOSS.replace("{", '{service_name="$service",')
    variables = [{**SERVICE, "multi": True}, RUN]
    assert say(query, variables).status is Status.FAIL
    assert say(query, variables, repeat="service").status is Status.PASS


@pytest.mark.parametrize(
    ("condition", "names", "told"),
    [
        ('service_name="checkout"', ["nemo"], True),
        ('service_name=~"nemo|checkout"', ["nemo"], False),
        ('service_name="nemo"', ["nemo", "other"], False),
        ('service_name="checkout"', ["nemo", None], False),
        ('service_name="checkout"', [], False),
        ('service_name=~"$run_id"', ["nemo"], False),
    ],
)
def test_panels_of_another_service_are_told(condition: str, names: list[str | None], told: bool) -> None:
    board = read(classic(panel(1, "x", LOSS.replace("{", f"{{{condition},"))))
    framework = SimpleNamespace(id="plain")
    launches = tuple(
        SimpleNamespace(framework=framework, env={"OTEL_SERVICE_NAME": SimpleNamespace(value=name)})
        for name in names
    )
    answer = ask(dashboard_run_id, Asked(dashboards=(board,), launches=launches))
    assert answer.rules() == ({"other-service"} if told else set())
