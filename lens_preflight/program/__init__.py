"""Training scripts: what they do with telemetry, read from their source and never run."""

from __future__ import annotations

from lens_preflight.program.model import ProgramModel, Reading, analyse

__all__ = ["ProgramModel", "Reading", "analyse"]
