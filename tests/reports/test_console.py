"""The console: one screen says it all, nothing to paste is ever broken."""

from __future__ import annotations

import io
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from lens_preflight.core.finding import Location, Related
from lens_preflight.core.outcome import Item, RunRecord
from lens_preflight.core.words import Status
from lens_preflight.reports import REPORTS, Style
from lens_preflight.reports.layout import columns, words
from tests.reports.records import MISSPELT, SUCCESS_ONLY, everything, finding, outcome, record

SNAPSHOTS = Path(__file__).with_name("snapshots")
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def shown(run: RunRecord, *, width: int = 80, color: bool = False, verbosity: int = 0) -> str:
    out = io.StringIO()
    REPORTS["console"].write(run, out, Style(width, color, verbosity))
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "width", "verbosity"),
    [("narrow", 80, 0), ("wide", 120, 0), ("narrow-v", 80, 1), ("wide-vv", 120, 2)],
)
def test_it_looks_as_it_did(name: str, width: int, verbosity: int) -> None:
    """UPDATE_SNAPSHOTS=1 writes the snapshots anew; read the difference before it is committed."""
    path = SNAPSHOTS / f"console-{name}.txt"
    text = shown(everything(), width=width, verbosity=verbosity)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_screen_of_24_lines_holds_the_worst_finding_its_line_and_its_remedy() -> None:
    screen = "\n".join(shown(everything()).splitlines()[:24])
    assert "NOT READY" in screen
    assert "train.py:41:5" in screen
    assert "handle.shutdown() runs only when" in screen
    assert "`finally:`" in screen


def test_the_worst_finding_comes_first_whatever_the_order_of_the_checks() -> None:
    warn = outcome("sampler", Status.WARN, replace(everything().results[5].findings[0]), items=(1,))
    fail = outcome("environment", Status.FAIL, MISSPELT, items=())
    lines = shown(record(warn, fail)).splitlines()
    bad = next(n for n, line in enumerate(lines) if "environment/unknown-name" in line)
    caution = next(n for n, line in enumerate(lines) if "sampler/unset" in line)
    assert bad < caution


def test_a_caution_comes_before_what_could_not_be_told() -> None:
    warn = outcome("sampler", Status.WARN, everything().results[5].findings[0], items=(7,))
    decisive = outcome("run-id", Status.UNKNOWN, items=(4,), reason="cannot see", decisive=True)
    other = outcome("volume", Status.UNKNOWN, items=(), reason="cannot count")
    text = shown(record(other, warn, decisive))
    assert text.index("no sampler") < text.index("cannot see") < text.index("cannot count")


def test_a_doubt_that_many_checks_share_is_said_once() -> None:
    first, second, third = (
        outcome(check, Status.UNKNOWN, items=(n,), reason=reason, decisive=True)
        for n, check, reason in (
            (1, "setup-once", "opaque"),
            (2, "shutdown", "opaque"),
            (9, "rollback", "other"),
        )
    )
    text = shown(record(third, second, first))
    assert text.count("opaque") == 1
    assert "[setup-once, shutdown]" in text
    assert "[rollback]" in text


def test_nine_item_lines_stand_above_the_findings() -> None:
    lines = shown(everything()).splitlines()
    items = [n for n, line in enumerate(lines) if re.match(r" \d \S+ ", line)]
    assert [lines[n].split()[1] for n in items] == [
        *("pass", "FAIL", "not-judged", "pass", "not-judged", "unknown", "warn", "pass", "not-judged"),
    ]
    assert items[-1] < next(n for n, line in enumerate(lines) if line.startswith("  FAIL "))


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_lines_keep_to_the_width_unless_one_word_is_wider(width: int) -> None:
    for line in shown(everything(), width=width, verbosity=2).splitlines():
        assert columns(line) <= width or len(list(words(line))) <= 2


def test_an_item_line_is_one_line_even_with_long_texts() -> None:
    long = Item(8, "dashboards show " + "many things " * 9, "not-judged", ("x",), "--dashboard FILE " * 9)
    run = replace(record(), items=(long,))
    line = next(line for line in shown(run).splitlines() if line.startswith(" 8 "))
    assert columns(line) <= 80
    assert "…" in line


def test_a_command_to_paste_is_never_broken() -> None:
    command = "`kubectl set env deploy/x OTEL_EXPORTER_OTLP_ENDPOINT='http://a b c:4317' --containers=t`"
    setting = "export OTEL_RESOURCE_ATTRIBUTES='service.name=a b, team=c d e f g h i j k l m n o p q r s t'"
    verbatim = "  srun --export=ALL,A='1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0' python x"
    found = finding(remedy=f"either {command} or {setting}, or\n{verbatim}")
    lines = shown(record(outcome("shutdown", Status.FAIL, found)), width=60).splitlines()
    for piece in (command, setting, verbatim):
        assert any(piece in line for line in lines)


def test_a_note_is_counted_and_shown_on_request() -> None:
    assert "requeue" not in shown(everything())
    assert "1 note (-v shows)" in " ".join(shown(everything()).split())
    assert "the run id changes with a requeue" in shown(everything(), verbosity=1)


def test_more_words_only_add() -> None:
    less, more, most = (set(shown(everything(), width=160, verbosity=v).split()) for v in (0, 1, 2))
    assert less - {"(-v", "shows);", "note"} <= more <= most


def test_quiet_is_silence() -> None:
    assert shown(everything(), verbosity=-1) == ""


def test_proofs_assumptions_and_evidence_need_v() -> None:
    once, twice = (shown(everything(), width=120, verbosity=v) for v in (0, 1))
    for text in ("one run id for all 16 ranks", "requirements.txt pins it", "setup = train.py:12"):
        assert text not in once
        assert text in twice


def test_colour_changes_nothing_but_colour() -> None:
    plain, painted = shown(everything(), verbosity=2), shown(everything(), verbosity=2, color=True)
    assert "\x1b[" not in plain
    assert "\x1b[" in painted
    assert ANSI.sub("", painted) == plain


def test_a_waived_finding_stays_visible() -> None:
    text = " ".join(shown(everything()).split())
    assert "(waived: panel is built by the platform team)" in text


def test_a_waived_unknown_comes_after_what_counts() -> None:
    waived = replace(
        outcome("run-id", Status.UNKNOWN, reason="not seen", decisive=True, items=(1,)), waived="until May"
    )
    warn = outcome("sampler", Status.WARN, everything().results[5].findings[0], items=(7,))
    text = shown(record(waived, warn))
    assert text.index("no sampler") < text.index("not seen (waived: until May)")


def test_many_findings_of_one_rule_are_cut_and_every_rule_is_seen() -> None:
    many = [finding("environment/unknown-name", f"NAME_{n} is read by nobody") for n in range(50)]
    run = record(outcome("environment", Status.FAIL, *many, SUCCESS_ONLY, items=()))
    text = shown(run)
    assert "NAME_19" in text
    assert "NAME_20" not in text
    assert "and 30 more of environment/unknown-name (-v shows them)" in text
    assert "shutdown/success-only" in text
    assert "NAME_49" in shown(run, verbosity=1)


def test_many_related_places_are_cut() -> None:
    related = tuple(Related(f"reason {n}", Location.file("x.py", n + 1)) for n in range(9))
    run = record(outcome("shutdown", Status.FAIL, finding(related=related)))
    assert "reason 2" in shown(run)
    assert "reason 3" not in shown(run)
    assert "and 6 more places (-v shows them)" in shown(run)
    assert "reason 8" in shown(run, verbosity=1)
    one_left = record(outcome("shutdown", Status.FAIL, finding(related=related[:4])))
    assert "and 1 more place (-v shows it)" in shown(one_left)


def test_the_only_launch_is_not_named_at_each_finding() -> None:
    assert "for train.sbatch:13" not in shown(record(outcome("shutdown", Status.FAIL, finding())))


def test_targets_are_named_when_there_are_several() -> None:
    run = record(outcome("shutdown", Status.FAIL, finding(), targets=("a:1", "b:2", "c:3", "d:4", "e:5")))
    assert "for a:1, b:2, c:3 and 2 more" in shown(run)
    assert "for a:1, b:2, c:3, d:4, e:5" in shown(run, verbosity=1)


def test_an_unfinished_run_says_so() -> None:
    assert "incomplete: the deadline was reached" in shown(record(incomplete="the deadline was reached"))


def test_a_redacted_assignment_asks_for_the_secret() -> None:
    found = finding(settings=(("OTEL_EXPORTER_OTLP_HEADERS", "x-key=<redacted>"),))
    assert "put the secret back" in shown(record(outcome("environment", Status.FAIL, found)))


def test_a_run_without_anything_is_two_lines_and_a_summary() -> None:
    text = shown(record(items=(), headline="NOTHING JUDGED", verdict="nothing-judged", exit_code=4))
    assert text.splitlines()[-1] == "NOTHING JUDGED: no checks; exit code 4, 1.2 s"
