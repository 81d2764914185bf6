"""The forms that dashboards come in."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from lens_preflight.core.errors import InputError
from lens_preflight.dashboards import read_dashboards
from lens_preflight.dashboards.reading import dashboards_in
from lens_preflight.dashboards.selectors import Language
from lens_preflight.documents import Text
from tests.dashboards.boards import classic, panel, read

LOSS = 'megatron_training_loss{nemo_run_id=~"$run_id"}'


def wrapped(board: dict[str, Any], how: str) -> str:
    """The text of a dashboard in a wrapper."""
    text = json.dumps(board, indent=1)
    if how == "api":
        return json.dumps({"meta": {}, "dashboard": board}, indent=1)
    if how == "v1beta1":
        return json.dumps(
            {"apiVersion": "dashboard.grafana.app/v1beta1", "kind": "Dashboard", "spec": board}, indent=1
        )
    if how == "configmap":
        return "kind: ConfigMap\ndata:\n  board.json: |\n" + textwrap.indent(text, "    ")
    if how == "operator":
        return "kind: GrafanaDashboard\nspec:\n  json: |\n" + textwrap.indent(text, "    ")
    if how == "list":
        return json.dumps([board])
    return text


@pytest.mark.parametrize("how", ["bare", "api", "v1beta1", "configmap", "operator", "list"])
def test_wrappers_are_taken_off_and_lines_stay_right(how: str) -> None:
    text = wrapped(classic(panel(7, "Loss", LOSS)), how)
    board = read(text, "board.yaml" if text.startswith("kind") else "board.json")
    ((shown, target, query),) = board.queries
    assert (shown.id, shown.title, target.ref) == ("7", "Loss", "A")
    assert query.metrics == {"megatron_training_loss"}
    line = text.splitlines()[(target.spot.at.line or 0) - 1]
    assert how == "list" or "megatron_training_loss{" in line


def test_rows_nested_collapsed_and_old() -> None:
    nested = {"type": "row", "id": 1, "collapsed": True, "panels": [panel(2, "In", LOSS)]}
    board = read(classic(nested, {"type": "row", "id": 3, "panels": []}, panel(4, "Behind", LOSS)))
    assert [p.id for p in board.panels] == ["2", "4"]
    old = classic()
    del old["panels"]
    old["rows"] = [{"panels": [panel(5, "Old", LOSS)]}]
    assert [p.id for p in read(old).panels] == ["5"]


def test_a_library_panel_is_resolved_only_by_the_export() -> None:
    reference = {"id": 1, "title": "L", "libraryPanel": {"uid": "u"}}
    assert "library panel u" in read(classic(reference)).panels[0].unresolved
    board = read(classic(reference, __elements={"u": {"model": panel(9, "L", LOSS)}}))
    assert board.panels[0].unresolved == "" and len(board.queries) == 1


def test_a_panel_that_shows_another_panels_queries() -> None:
    reuse = {
        "id": 2,
        "type": "stat",
        "datasource": {"type": "datasource", "uid": "-- Dashboard --"},
        "targets": [{("panelId"): 1}],
    }
    board = read(classic(panel(1, "Loss", LOSS), reuse))
    assert [p.id for p, _, _ in board.queries] == ["1", "2"]
    lost = read(classic({**reuse, "targets": [{"panelId": 99}]}))
    assert "panel 99" in lost.panels[0].unresolved


def test_hidden_targets_count_only_for_a_shown_expression() -> None:
    hidden = {"refId": "A", "expr": LOSS, "hide": True}
    math = {
        "refId": "B",
        "datasource": {"type": "__expr__", "uid": "__expr__"},
        "type": "math",
        "expression": "$A*2",
    }
    assert read(classic(panel(1, "x", hidden))).queries == ()
    assert len(read(classic(panel(1, "x", hidden, math))).queries) == 1


def test_each_target_of_a_mixed_panel_has_its_own_language() -> None:
    mixed = panel(
        1,
        "x",
        {"refId": "A", "datasource": {"type": "prometheus", "uid": "p"}, "expr": LOSS},
        {"refId": "B", "datasource": {"type": "loki", "uid": "l"}, "expr": '{job="x"}'},
        {"refId": "C", "datasource": {"type": "tempo", "uid": "t"}, "queryType": "traceql", "query": "{}"},
        {"refId": "D", "datasource": {"type": "postgres", "uid": "s"}, "rawSql": "select 1"},
        {"refId": "E", "datasource": {"type": "elasticsearch", "uid": "e"}, "query": "a:b", "metrics": []},
    )
    mixed["datasource"] = {"type": "datasource", "uid": "-- Mixed --"}
    languages = [query.language for _, _, query in read(classic(mixed)).queries]
    assert languages == [Language.PROMQL, Language.LOGQL, Language.TRACEQL, Language.OTHER, Language.LUCENE]


def test_variables_in_text_and_object_form() -> None:
    as_object = {
        "name": "b",
        "type": "query",
        "query": {"query": "label_values(m, l)", "qryType": 1},
        "refresh": 0,
    }
    as_definition = {"name": "c", "type": "query", "query": "", "definition": "label_values(m, l)", "hide": 2}
    board = read(classic(variables=[as_object, as_definition]))
    assert [board.by_name[n].listing.label for n in "bc"] == ["l", "l"]
    assert board.by_name["b"].refresh == "never" and board.by_name["c"].hidden


def test_a_text_panel_shows_no_query() -> None:
    assert read(classic(panel(1, "x", LOSS, type="text"))).queries == ()


@pytest.mark.parametrize("version", ["v2alpha1", "v2beta1", "v2"])
def test_schema_v2_in_its_versions(version: str) -> None:
    query: dict[str, Any] = {"kind": "DataQuery", "group": "prometheus", "spec": {"expr": LOSS}}
    spec: dict[str, Any] = {"refId": "A", "hidden": False, "query": query}
    if version == "v2alpha1":
        spec["query"] = {"kind": "prometheus", "spec": {"expr": LOSS}}
        spec["datasource"] = {"type": "prometheus", "uid": "${source}"}
    element = {
        "kind": "Panel",
        "spec": {"id": 1, "title": "Loss", "data": {"spec": {"queries": [{("spec"): spec}]}}},
    }
    library = {"kind": "LibraryPanel", "spec": {"id": 3, "title": "L", "libraryPanel": {"uid": "u"}}}
    placed = {"kind": "ElementReference", "name": "a"}
    tabs = {
        "kind": "TabsLayout",
        "spec": {"tabs": [{"spec": {"layout": {"spec": {"items": [{"spec": {("element"): placed}}]}}}}]},
    }
    board = read(
        {
            "apiVersion": f"dashboard.grafana.app/{version}",
            "spec": {"title": "T", "elements": {"a": element, "b": element, "l": library}, "layout": tabs},
        }
    )
    assert board.form == version
    assert [(p.placed, bool(p.unresolved)) for p in board.panels] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert [q.language for _, _, q in board.queries] == [Language.PROMQL]


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("b.jsonnet", "{ panels: [] }", "Jsonnet"),
        ("b.tf", 'resource "grafana_dashboard" "x" {}', "Terraform"),
    ],
)
def test_programs_are_not_evaluated(path: str, text: str, words: str) -> None:
    (board,) = dashboards_in(Text(path, text))
    assert words in board.opaque and board.failure is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"panels": [\n {"id": 1\n "x": 2}]}', 3),
        ("a: 1\n  b: 2\n", 2),
        ('{"a": 1}', 1),
        ("", 1),
        ("[" * 9000, 1),
    ],
)
def test_what_is_no_dashboard_says_where(text: str, line: int) -> None:
    (board,) = dashboards_in(Text("b.json", text))
    assert board.failure is not None and board.failure.at.line == line


def test_other_files_of_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(classic(panel(1, "x", LOSS))), encoding="utf-8")
    (tmp_path / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    (tmp_path / "broken.json").write_text('{"panels": [', encoding="utf-8")
    (tmp_path / "tsconfig.json").write_text("{ // with a comment\n}", encoding="utf-8")
    boards = read_dashboards([tmp_path])
    assert [(Path(b.path).name, b.failure is None) for b in boards] == [
        ("a.json", True),
        ("broken.json", False),
    ]


def test_programs_in_a_folder_stand_back_behind_what_they_make(tmp_path: Path) -> None:
    (tmp_path / "a.jsonnet").write_text("{}", encoding="utf-8")
    assert [bool(b.opaque) for b in read_dashboards([tmp_path])] == [True]
    (tmp_path / "a.json").write_text(json.dumps(classic(panel(1, "x", LOSS))), encoding="utf-8")
    assert [bool(b.opaque) for b in read_dashboards([tmp_path])] == [False]
    assert len(read_dashboards([tmp_path, tmp_path / "a.jsonnet"])) == 2


def test_nothing_named_is_nothing_read() -> None:
    assert read_dashboards([]) == ()


def test_a_folder_without_a_dashboard_is_the_users_to_correct(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="holds no dashboard"):
        read_dashboards([tmp_path])


def test_a_path_that_does_not_exist_is_the_users_to_correct(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.json"):
        read_dashboards([tmp_path / "nowhere.json"])


def test_saved_objects_of_kibana_are_one_dashboard() -> None:
    lens = {
        "id": "l",
        "type": "lens",
        "attributes": {
            "title": "p95",
            "state": {
                "query": {"language": "kuery", "query": "a : b"},
                "filters": [
                    {"meta": {"key": "nemo.span.truncated", "negate": True, "params": {("query"): True}}}
                ],
                "datasourceStates": {
                    "formBased": {
                        "layers": {
                            "x": {
                                "columns": {"c": {"operationType": "percentile", "sourceField": ("duration")}}
                            }
                        }
                    }
                },
            },
        },
    }
    search = {
        "id": "s",
        "type": "search",
        "attributes": {
            "title": "S",
            "kibanaSavedObjectMeta": {("searchSourceJSON"): ('{"query": {"query": "x : y"}}')},
        },
    }
    inside = {"type": "lens", "title": "By value", "embeddableConfig": {"attributes": lens["attributes"]}}
    holder = {
        "id": "d",
        "type": "dashboard",
        "attributes": {"title": "D", "panelsJSON": json.dumps([inside])},
    }
    text = "\n".join(json.dumps(o) for o in (lens, search, holder)) + "\n"
    board = read(text, "o.ndjson")
    assert (board.form, [p.id for p in board.panels]) == ("kibana", ["l", "s", "d#0"])
    first = board.queries[0][2]
    assert first.uses[0].metric == "duration" and first.text == '(a : b) and not nemo.span.truncated : "true"'
    assert board.panels[1].spot.at.line == 2


@pytest.mark.parametrize("kind", [{}, [], None, 7, {"x": []}])
def test_a_type_that_is_no_word_makes_no_saved_object(kind: Any) -> None:
    (board,) = dashboards_in(Text("d.json", json.dumps({"type": kind, "attributes": {}})))
    assert board.failure is not None


def test_a_version_of_the_resource_that_is_not_known_is_not_evaluated() -> None:
    model = classic(panel(1, "x", "up"))
    for version, form in (("v1beta1", "classic"), ("v0alpha1", "classic"), ("v3", "")):
        wrapped = {"apiVersion": f"dashboard.grafana.app/{version}", "kind": "Dashboard", "spec": model}
        shown = read(wrapped)
        assert shown.form == form and bool(shown.opaque) is (not form)


def test_variables_of_a_section_and_what_repeats_it() -> None:
    element = {"kind": "Panel", "spec": {"id": 1, "title": "x", "data": {}, "vizConfig": {}}}
    reference = {"kind": "GridLayoutItem", "spec": {"element": {"kind": "ElementReference", "name": "p"}}}
    variable = {"kind": "CustomVariable", "spec": {"name": "site"}}
    row = {
        "kind": "RowsLayoutRow",
        "spec": {
            "repeat": {"mode": "variable", "value": "run_id"},
            "variables": [variable],
            "layout": {"kind": "GridLayout", "spec": {"items": [reference]}},
        },
    }
    spec = {"elements": {"p": element}, "layout": {"kind": "RowsLayout", "spec": {"rows": [row]}}}
    shown = read({"apiVersion": "dashboard.grafana.app/v2", "kind": "Dashboard", "spec": spec})
    assert shown.panels[0].placed and shown.panels[0].repeats == ("run_id",)
    assert list(shown.by_name) == ["site"]
