"""A paired timer: each round runs every command once in random order; ratios are made per round."""

from __future__ import annotations

import os
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Command:
    """A named command line; ``env`` is added to a plain environment; ``code`` is what it must end with."""

    name: str
    argv: tuple[str, ...]
    code: int = 0
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ratio:
    """The median of paired CPU-time ratios to the base, with its 95 % interval."""

    name: str
    median: float
    low: float
    high: float
    cpu: float


class WrongAnswer(Exception):
    """A measured command did not do its work."""


def cpu_seconds(command: Command) -> float:
    """User and system time of one run of the command and its waited-for children."""
    sink = os.open(os.devnull, os.O_RDWR)
    env = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "PYTHONHASHSEED": "0", **command.env}
    actions = [(os.POSIX_SPAWN_DUP2, sink, 1), (os.POSIX_SPAWN_DUP2, sink, 2)]
    try:
        pid = os.posix_spawnp(command.argv[0], command.argv, env, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
    finally:
        os.close(sink)
    code = os.waitstatus_to_exitcode(status)
    if code != command.code:
        raise WrongAnswer(f"{command.name}: exit {code}, expected {command.code}")
    return usage.ru_utime + usage.ru_stime


def paired(base: Command, others: Sequence[Command], rounds: int = 15, seed: int = 7) -> list[Ratio]:
    """CPU ratios of the commands to the base, after one round that is not measured."""
    shuffle = random.Random(seed)
    samples: dict[str, list[float]] = {c.name: [] for c in (base, *others)}
    for number in range(rounds + 1):
        order = [base, *others]
        shuffle.shuffle(order)
        for command in order:
            spent = cpu_seconds(command)
            if number:
                samples[command.name].append(spent)
    bases = samples[base.name]
    return [_ratio(c.name, samples[c.name], bases) for c in others]


def _ratio(name: str, spent: Sequence[float], bases: Sequence[float]) -> Ratio:
    ratios = [a / max(b, 1e-6) for a, b in zip(spent, bases, strict=True)]
    low, high = interval(ratios)
    return Ratio(name, statistics.median(ratios), low, high, statistics.median(spent))


def interval(values: Sequence[float], draws: int = 1000, seed: int = 1) -> tuple[float, float]:
    """The bootstrap 95 % interval of the median."""
    source = random.Random(seed)
    medians = sorted(statistics.median(source.choices(values, k=len(values))) for _ in range(draws))
    return medians[int(draws * 0.025)], medians[int(draws * 0.975)]
