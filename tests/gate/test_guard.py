from __future__ import annotations

import pytest

from lens_preflight.gate.guard import allowed


@pytest.mark.parametrize("hook", ["prolog_slurmd", "epilog_slurmd", "prolog_slurmctld", "epilog_slurmctld"])
@pytest.mark.parametrize("code", [1, 2, 3, 4, 130, 143])
def test_no_code_leaves_a_hook(hook: str, code: int) -> None:
    found, why = allowed(code, {"SLURM_SCRIPT_CONTEXT": hook})
    assert found == 0 and hook in why and "srun" in why


@pytest.mark.parametrize(
    "environ",
    [{}, {"SLURM_SCRIPT_CONTEXT": ""}, {"SLURM_JOB_ID": "1"}, {"SLURM_SCRIPT_CONTEXT": "prolog_task"}],
)
def test_elsewhere_the_code_stays(environ: dict[str, str]) -> None:
    assert allowed(3, environ) == (3, "")


def test_success_needs_no_words() -> None:
    assert allowed(0, {"SLURM_SCRIPT_CONTEXT": "prolog_slurmd"}) == (0, "")
