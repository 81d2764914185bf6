"""What to say of job files that start nothing that could be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lens_preflight.subject.subject import Subject

INSTEAD = "name the training script instead"


def unread(subject: Subject) -> Iterator[str]:
    """One line for each job file that was not understood, or that starts no program."""
    for job in subject.jobs:
        if job.unread:
            yield f"{job.unread_at or job.path}: not understood: {job.unread}; {_type(job.remedy)}"
        elif not job.launches:
            yield f"{job.path}: starts no program that can be followed; {INSTEAD}"


def _type(remedy: str) -> str:
    return f"type {remedy}" if remedy else INSTEAD
