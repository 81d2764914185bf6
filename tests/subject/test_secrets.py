"""The Redactor of a run knows the secrets among the words of a program's command line."""

from __future__ import annotations

import pytest

from lens_preflight.core.variable import Environment
from lens_preflight.lens.frameworks import FRAMEWORKS
from lens_preflight.otel.files import MadeUpFiles
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.launch import Launch
from lens_preflight.subject.secrets import redactor
from lens_preflight.subject.subject import Subject

SECRET = "kX9vplum27Qd"


def subject(given: tuple[str, ...] = (), launched: tuple[str, ...] = ()) -> Subject:
    launch = Launch("train.sbatch:13", Environment(), FRAMEWORKS[0], args=launched)
    return Subject(Inputs(args=given), (launch,), MadeUpFiles())


@pytest.mark.parametrize(
    "words", [("--api-key", SECRET), (f"--api-key={SECRET}",), ("-x", "--token", SECRET)]
)
def test_a_secret_option_is_known_wherever_its_value_turns_up(words: tuple[str, ...]) -> None:
    for one in (subject(given=words), subject(launched=words)):
        assert SECRET not in redactor(one).redact(f"the server does not take {SECRET}")


def test_plain_options_are_no_secret() -> None:
    one = subject(given=("--lr", "3e-4"), launched=("--run-name", "plumbing"))
    assert redactor(one).redact("plumbing at 3e-4") == "plumbing at 3e-4"
