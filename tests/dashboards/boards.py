"""Small dashboards for tests."""

from __future__ import annotations

import json
from typing import Any

from lens_preflight.dashboards.model import Dashboard
from lens_preflight.dashboards.reading import dashboards_in
from lens_preflight.documents import Text

SOURCE = {"type": "prometheus", "uid": "${source}"}
RUN = {
    "name": "run_id",
    "type": "query",
    "datasource": SOURCE,
    "query": "label_values(megatron_training_loss, nemo_run_id)",
    "refresh": 2,
}


def panel(number: int, title: str, *queries: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    """One classic panel; a text is a PromQL query."""
    targets = [
        {"refId": chr(65 + n), "expr": query} if isinstance(query, str) else query
        for n, query in enumerate(queries)
    ]
    return {
        "id": number,
        "type": "timeseries",
        "title": title,
        "datasource": SOURCE,
        "targets": targets,
        **more,
    }


def classic(
    *panels: dict[str, Any], variables: list[dict[str, Any]] | None = None, **more: Any
) -> dict[str, Any]:
    """A classic dashboard with a data source variable and, unless told otherwise, a run variable."""
    listed: list[dict[str, Any]] = [{"name": "source", "type": "datasource", "query": "prometheus"}]
    listed += [RUN] if variables is None else variables
    return {"title": "T", "schemaVersion": 40, "templating": {"list": listed}, "panels": list(panels), **more}


def read(data: Any, path: str = "board.json") -> Dashboard:
    """The only dashboard of a value."""
    text = data if isinstance(data, str) else json.dumps(data, indent=1)
    (board,) = dashboards_in(Text(path, text))
    return board
