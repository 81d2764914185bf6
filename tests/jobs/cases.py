"""The job corpus: cases read once, with the submitter that they name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lens_preflight.core.variable import Environment
from lens_preflight.jobs import JobLaunch, JobModel, read_job
from tests.corpus import corpus_root

LOGIN = {"PATH": "/usr/bin:/bin", "HOME": "/home/user", "USER": "user"}


@dataclass(frozen=True)
class Case:
    """One folder: what is known of it, and what the reader made of the job file."""

    id: str
    folder: Path
    facts: dict[str, Any]
    model: JobModel

    @property
    def launches(self) -> list[tuple[JobLaunch | None, dict[str, Any]]]:
        """Launches as found and as expected; a loop may be one launch here and several there."""
        expected = self.facts["launches"]
        found: list[JobLaunch | None] = list(self.model.launches)
        if len(found) < len(expected) and len({e["line"] for e in expected}) == len(found):
            by_line = {f.at.line: f for f in found if f is not None}
            return [(by_line.get(e["line"]), e) for e in expected]
        found += [None] * (len(expected) - len(found))
        return list(zip(found, expected, strict=False))


def folders(name: str) -> list[Path]:
    """The case folders of one corpus."""
    root = corpus_root() / name
    return sorted(p.parent for p in root.glob("*/case.json")) if root.is_dir() else []


def job_folders() -> list[Path]:
    """The folders of ``jobs`` and of ``jobs-own``."""
    return folders("jobs") + folders("jobs-own")


def job_cases() -> Iterator[Case]:
    """Every case of both corpora."""
    for folder in job_folders():
        facts = json.loads((folder / "case.json").read_text())
        yield Case(facts["id"], folder, facts, read(folder, facts))


def read(folder: Path, facts: dict[str, Any]) -> JobModel:
    """The model of a case, with a submitter of whom everything is known."""
    login = {**LOGIN, **facts.get("verify", {}).get("login_env", {})}
    return read_job(str(folder / facts["file"]), submit=command(facts), submitter=Environment.of(login))


def command(facts: dict[str, Any]) -> str | None:
    """The command that submits; None when its arguments are left open."""
    text: str = facts["submit"]["command"]
    if "[" in text.partition(facts["file"])[2]:
        return None
    options = facts["submit"].get("options", {})
    missing = " ".join(f"{name}={value}" for name, value in options.items() if name not in text)
    return text.replace("sbatch ", f"sbatch {missing} ", 1) if missing else text
