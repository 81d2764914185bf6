"""``python -m tests.bench``: speed as ratios inside one run, and modules loaded at start."""
