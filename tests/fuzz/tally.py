"""What went wrong in an execution, and the figures of many."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Crash:
    """What went wrong, and how to see it again."""

    target: str
    seed: str
    index: int
    kind: str
    place: str
    detail: str
    shown: str

    @property
    def again(self) -> str:
        """What to type to run this input alone."""
        return f"python -m tests.fuzz --target {self.target} --seed {self.seed} --index {self.index}"


@dataclass
class Tally:
    """What became of the executions of one target."""

    target: str
    executions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_index: int = -1
    kept: int = 0
    """Blocks of memory of Python that the executions left behind."""
    crashes: list[Crash] = field(default_factory=list)

    def count(self, index: int, seconds: float, crash: Crash | None) -> None:
        """Add one execution."""
        self.executions += 1
        self.seconds += seconds
        if seconds > self.slowest:
            self.slowest, self.slowest_index = seconds, index
        if crash is not None:
            self.crashes.append(crash)

    def add(self, other: Tally) -> None:
        """Take over the figures of some more executions."""
        self.executions += other.executions
        self.seconds += other.seconds
        if other.slowest > self.slowest:
            self.slowest, self.slowest_index = other.slowest, other.slowest_index
        self.kept += other.kept
        self.crashes += other.crashes

    def line(self) -> str:
        """The figures on one line; times are CPU of this process."""
        hangs = sum(crash.kind in ("Hang", "Died") for crash in self.crashes)
        leaks = sum(crash.kind == "Leak" for crash in self.crashes)
        others = len(self.crashes) - hangs - leaks
        return (
            f"fuzz {self.target}: {self.executions} executions, "
            f"{others} crashes, {hangs} hangs, {leaks} leaks, "
            f"{self.seconds:.1f} s, slowest {self.slowest * 1000:.0f} ms (index {self.slowest_index})"
        )
