"""``case`` and ``[[ ]]``: what follows from a branch, and what a match leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree, never_wrong


@pytest.mark.parametrize(
    "text",
    [
        "case x in x) export @@=1 ;& y) export @@=2 ;; z) export @@=3 ;; esac",
        "case x in x) export @@=1 ;;& y) export @@=2 ;; ?) export @@=3 ;; esac",
        "case x in x) export @@=1 ;; x) export @@=2 ;; esac",
        "case x in x) export @@=1 ;& esac",
        "[[ abc =~ ^a(.)(z*)c$ ]] && export @@=${BASH_REMATCH[1]}-${BASH_REMATCH[2]}-$BASH_REMATCH",
        "[[ a =~ b ]] || export @@=x$BASH_REMATCH",
        "[[ 10.2.3 =~ ^([0-9]+)\\. ]]; export @@=${BASH_REMATCH[1]}",
        "[[ a < b ]] && export @@=1",
        "case ab in [a-c]?) export @@=1;; esac",
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "shopt -s nocasematch; case AB in ab) export @@=1;; *) export @@=2;; esac",
        "shopt -s nocasematch; [[ AB == ab ]] && V=1; export @@=$V",
        "[[ $(date) =~ ([a-z]+) ]]; export @@=${#BASH_REMATCH[@]}",
    ],
)
def test_what_is_not_followed_is_not_guessed(text: str, tmp_path: Path) -> None:
    never_wrong(tmp_path, text)


def test_a_list_whose_test_is_open_may_fail(tmp_path: Path) -> None:
    never_wrong(tmp_path, "[ $RANDOM = 7 ] && export @@=a || export @@=b")
