"""``python -m tests.live.stack build``: make what is missing, print minutes per part; ``where``: list it."""

from __future__ import annotations

import sys

from tests.live.stack.build import PARTS, CannotBuild, built, cache


def main(words: list[str]) -> int:
    """0 when every part is there."""
    if words == ["where"]:
        print(cache())
        for name in ("collector", "jaeger"):
            print(f"  {name}: {built(name) or 'not built'}")
        return 0
    if not words or words[0] != "build" or not set(words[1:]) <= set(PARTS):
        print(f"usage: python -m tests.live.stack build [{' '.join(PARTS)}] | where", file=sys.stderr)
        return 2
    failed = False
    for name in words[1:] or PARTS:
        try:
            part = PARTS[name]()
        except CannotBuild as error:
            failed = True
            print(f"stack {name}: could not be built\n{error}", flush=True)
            continue
        how = f"{part.seconds / 60:.1f} minutes" if part.seconds >= 1 else "there already"
        print(f"stack {name}: {how} ({part.path})", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
