from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_preflight.core.errors import InputError
from lens_preflight.gate.nodeset import expand, fold


@pytest.mark.parametrize(
    ("names", "short"),
    [
        ([f"gpu{n:03d}" for n in (*range(1, 413), 414)], "gpu[001-412,414]"),
        (["n9", "n10", "n11"], "n[9-11]"),
        (["n1"], "n1"),
        (["login", "n2", "n1", "n2"], "login,n[1-2]"),
        (["r1n1", "r1n2", "r2n1"], "r1n[1-2],r2n1"),
        (["a1-ib", "a2-ib"], "a[1-2]-ib"),
        (["n001", "n1000", "n002"], "n[1000,001-002]"),
        ([], ""),
    ],
)
def test_folds_as_slurm_writes(names: list[str], short: str) -> None:
    assert fold(names) == short


def test_expands_several_brackets_and_padding() -> None:
    assert expand("gpu[008-010,7],login1, r[1-2]n[1-2]") == (
        *("gpu008", "gpu009", "gpu010", "gpu7", "login1"),
        *("r1n1", "r1n2", "r2n1", "r2n2"),
    )


@pytest.mark.parametrize(
    "text",
    [
        *("n[1-", "n]1[", "n[[1]]", "n[2-1]", "n[x]", "n[1-99999999]", "n[1-9999]m[1-9999]"),
        *("n" * 254, "[1]" * 300, "(" * 600 + "[1-2]" * 20, "n" * 200 + "[1-400000]"),
    ],
)
def test_refuses_what_is_no_list(text: str) -> None:
    with pytest.raises(InputError):
        expand(text)


NAMES = st.lists(st.from_regex(r"\A[a-z]{1,3}[0-9]{0,4}(-ib|n[0-9]{1,3})?\Z"), max_size=60)


@given(NAMES)
def test_expanding_a_fold_gives_the_names(names: list[str]) -> None:
    assert sorted(expand(fold(names))) == sorted(set(names))
