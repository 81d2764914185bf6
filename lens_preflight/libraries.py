"""Libraries that some checks need and that may be missing where nothing can be installed."""

from __future__ import annotations

PACKAGES = {
    "requests": "requests",
    "grpc": "grpcio",
    "google": "opentelemetry-proto",
    "opentelemetry": "opentelemetry-proto",
    "yaml": "PyYAML",
    "promql_parser": "promql-parser",
    "tomli": "tomli",
}
"""Import name to the name of the package."""


def package(error: ModuleNotFoundError) -> str:
    """The package whose absence an import error tells, empty when it is none of ours."""
    return PACKAGES.get((error.name or "").partition(".")[0], "")


def install(name: str) -> str:
    """What to type to have a package."""
    return f"python3 -m pip install --user {name}"
