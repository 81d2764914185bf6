"""``python -m lens_preflight``."""

from lens_preflight.cli import main

if __name__ == "__main__":
    main()
