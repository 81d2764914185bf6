"""Templates of alerts: what Go refuses, with promtool as the witness."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from lens_preflight.dashboards.go_templates import fault

SOUND = [
    "x }} 100 %",
    "{{$value}} of {{ $labels.instance }} and {{- .Labels.job -}} {{ . }} {{ $.Value }}",
    "{{/* a comment */}}{{- /* another */ -}}",
    '{{ printf "%.2f" $value }}{{ $value | printf "%s" | title }}{{ 5 }}{{ `a` }}{{ true }}',
    '{{ with query "up" }}{{ . | first | value }}{{ else }}none{{ end }}',
    "{{ with printf \"up{job='%s'}\" $labels.job | query }}{{ . | first | value }}{{ end }}",
    '{{ range $i, $e := query "up" }}{{ $i }}{{ $e.Labels.x }}{{ break }}{{ end }}',
    "{{ if gt $value 1.0 }}a{{ else if lt $value 2.0 }}b{{ else }}c{{ end }}",
    "{{ $x := 5 }}{{ $x = 6 }}{{ $x }}",
    '{{ define "a" }}x{{ end }}{{ template "a" . }}{{ block "b" . }}y{{ end }}',
    '{{ (query "up" | first).Value | humanizePercentage }}',
]
BROKEN = [
    "{{ $value",
    "{{",
    "{{}}",
    "{{ $valeu }}",
    "{{ $value | humanise }}",
    "{{ labels.instance }}",
    '{{ tmpl "a" . }}',
    '{{ printf "%.2f }}',
    "{{ $labels['x'] }}",
    "{{ $labels.x-y }}",
    "{{ $value == 1 }}",
    "{{ $value,5 }}",
    "{{ $value | 5 }}",
    "{{ | humanize }}",
    "{{ () }}",
    "{{ ($value }}",
    "{{ $value) }}",
    "{{ if $value }}a",
    "{{ if }}a{{ end }}",
    "{{ end }}",
    "{{ else }}",
    "{{ if $value }}{{ else }}{{ else }}{{ end }}",
    "{{ break }}",
    "{{ template }}",
    "{{ if true }}{{ $x := 5 }}{{ end }}{{ $x }}",
    "{{ /* c */ }}",
]


@pytest.mark.parametrize(("text", "sound"), [*((t, True) for t in SOUND), *((t, False) for t in BROKEN)])
def test_a_template_is_refused_when_go_refuses_it(tmp_path: Path, text: str, sound: bool) -> None:
    assert (fault(text) == "") is sound
    tool = shutil.which("promtool")
    if tool is not None:
        path = tmp_path / "r.yml"
        rule = {"alert": "A", "expr": "up", "annotations": {"s": text}}
        path.write_text(json.dumps({"groups": [{"name": "g", "rules": [rule]}]}), encoding="utf-8")
        found = subprocess.run([tool, "check", "rules", str(path)], capture_output=True).returncode
        assert (found == 0) is sound
