"""``python -m lens_preflight``, and the installed command."""

from __future__ import annotations

from typing import NoReturn

from lens_preflight.searchpath import keep_out


def main() -> NoReturn:
    """Run the command line; nothing is imported from the folder that the caller stands in."""
    keep_out()
    from lens_preflight.cli import main as run

    run()


if __name__ == "__main__":
    main()
