"""``scontrol show config`` as it is printed: names, values, nothing interpreted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import InputError
from lens_preflight.core.numbers import whole
from lens_preflight.gate.slurm import Slurm, SlurmError

NO_LIMIT = 65534
"""What Slurm shows, and means, when no time limit is set."""

MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class SlurmConfig:
    """The running configuration; names without regard to case, several hooks as a list."""

    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> SlurmConfig:
        """Read the output of ``scontrol show config``."""
        values: dict[str, str] = {}
        for line in text.splitlines():
            name, equals, value = line.partition("=")
            key = name.strip().lower()
            if equals and key and not key.startswith(" "):
                base = key.partition("[")[0]
                found = "" if value.strip() in ("(null)", "n/a", "(none)") else value.strip()
                values[base] = ",".join(v for v in (values.get(base, ""), found) if v)
        return cls(values)

    def get(self, name: str) -> str:
        """The value of a parameter; empty when it is not set."""
        return self.values.get(name.lower(), "")

    def words(self, name: str) -> tuple[str, ...]:
        """The value as a comma list."""
        return tuple(word.strip() for word in self.get(name).split(",") if word.strip())

    def seconds(self, name: str) -> int | None:
        """The leading number of a value; None when there is none, or no limit."""
        number = whole(self.get(name).split(" ")[0])
        return None if number is None or number >= NO_LIMIT else number


def load(saved: str | None, slurm: Slurm) -> SlurmConfig:
    """The configuration from a file, else from the running controller.

    Raises:
        InputError: neither can be read.
    """
    if saved is None:
        try:
            return SlurmConfig.parse(slurm.run("scontrol", "show", "config"))
        except SlurmError as error:
            raise InputError(f"{error}; give --show-config FILE with what it prints elsewhere") from None
    try:
        with Path(saved).open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise InputError(
            f"--show-config {saved}: cannot be read ({error.strerror}); check the path"
        ) from None
    config = SlurmConfig.parse(text)
    if not config.get("SlurmctldHost") and not config.get("ClusterName"):
        raise InputError(f"--show-config {saved}: is not the output of `scontrol show config`; save that")
    return config
