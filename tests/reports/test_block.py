"""The block to paste does in a shell what the findings ask for."""

from __future__ import annotations

import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from lens_preflight.core.outcome import Judged, RunRecord
from lens_preflight.core.words import Severity, Status
from lens_preflight.reports.block import assignment, paste_block
from tests.reports.records import everything, finding, outcome, record


def run_of(
    *settings: tuple[str, str | None], severity: Severity = Severity.BLOCKER, waived: str = ""
) -> RunRecord:
    found = Judged(finding(settings=settings, severity=severity), (), waived)
    return record(outcome("environment", Status.FAIL, found))


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_bash_reads_back_the_value(value: str) -> None:
    script = f'{assignment("LENS_VALUE", value)}\nprintf %s "$LENS_VALUE"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stdout.decode() == value
    assert not done.stderr


def test_undecodable_bytes_come_back_too() -> None:
    script = f'{assignment("LENS_VALUE", "a" + chr(0xDCFF))}\nprintf %s "$LENS_VALUE"'
    assert subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout == b"a\xff"


def test_it_holds_every_weighty_setting_once() -> None:
    assert paste_block(everything()) == [
        "unset OTEL_EXPORTER_OTLP_ENDPONT",
        "export OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317",
        "export OTEL_TRACES_SAMPLER=parentbased_always_on",
    ]
    assert "export NEMO_LENS_RUN_ID=run-7" in paste_block(everything(), notes=True)


def test_a_waived_finding_asks_for_nothing() -> None:
    assert paste_block(run_of(("A", "1"), waived="known")) == []


def test_of_two_values_the_blocker_wins_and_the_other_is_a_comment() -> None:
    caution = outcome("sampler", Status.WARN, finding(settings=(("A", "2"),), severity=Severity.CAUTION))
    blocker = outcome("environment", Status.FAIL, finding(settings=(("A", "1"), ("B", "3"))))
    assert paste_block(record(caution, caution, blocker)) == ["export A=1", "# or: export A=2", "export B=3"]


def test_a_value_that_the_user_had_under_another_name_wins_over_a_made_up_one() -> None:
    made_up = outcome("run-id", Status.FAIL, finding(settings=(("NEMO_LENS_RUN_ID", "my-run"), ("B", "3"))))
    moved = finding(
        settings=(("NEMO_LENS_RUNID", None), ("NEMO_LENS_RUN_ID", "exp-7")), severity=Severity.CAUTION
    )
    assert paste_block(record(made_up, outcome("environment", Status.WARN, moved))) == [
        "export NEMO_LENS_RUN_ID=exp-7",
        "# or: export NEMO_LENS_RUN_ID=my-run",
        "export B=3",
        "unset NEMO_LENS_RUNID",
    ]


def test_what_slurm_fills_in_at_the_start_is_left_to_the_shell() -> None:
    line = assignment("A", "it's $HOME-${SLURM_JOB_ID}.${SLURM_X;rm}")
    script = f'export SLURM_JOB_ID=42\n{line}\nprintf %s "$A"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "it's $HOME-42.${SLURM_X;rm}"
    assert assignment("A", "my-run-${SLURM_JOB_ID}") == 'export A="my-run-${SLURM_JOB_ID}"'


def test_a_line_feed_cannot_smuggle_a_command_in() -> None:
    block = paste_block(run_of(("A", "1\nrm -rf x"), ("B; rm -rf x", "1"), ("C\nD", None)))
    assert block == ["export A=$'1\\x0arm -rf x'"]
