"""Words of an unquoted expansion: blanks and marks in IFS, empty words, neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.bash import agree


@pytest.mark.parametrize(
    "text",
    [
        "IFS=,; V=a,,b; set -- $V; export @@=$#:$2:$3",
        "IFS=,; V=,a; set -- $V; export @@=$#:$1:$2",
        "IFS=,; V=a,; set -- $V; export @@=$#",
        "IFS=:; V=a::b:c; set -- $V; export @@=$#$3",
        "IFS=', '; V='a , b'; set -- $V; export @@=$#:$2",
        "IFS=', '; V='a,,b'; set -- $V; export @@=$#:$2",
        "V='a  b'; set -- $V; export @@=$#",
        'V=\'a b\'; set -- x$V"y z"; export @@="$#:$2"',
        "V=' a'; set -- x$V; export @@=$#",
        "V='a '; set -- ${V}x; export @@=$#",
        "V=''; set -- $V; export @@=$#",
        "V=''; set -- \"$V\"; export @@=$#",
        "V=''; set -- \"\"$V; export @@=$#",
        'set -- a b; set -- "x$@y"; export @@="$#:$1:$2"',
        'set --; set -- "$@"; export @@=$#',
        'set --; set -- "x$@"; export @@=$#',
        "set -- a 'b c'; set -- $*; export @@=$#",
        "IFS=; V='a b'; set -- $V; export @@=$#",
        "IFS=,; V=a,b; for x in $V; do export @@=$x; done",
        'IFS=,; V=x; set -- $V,y; export @@="$#:$1"',
    ],
)
def test_it_does_what_bash_does(text: str, tmp_path: Path) -> None:
    agree(tmp_path, text)
