"""Report formats by name; a format's module is imported when it is asked for, not before."""

from __future__ import annotations

if __name__ != "lens_preflight.reports":
    raise ImportError("import lens_preflight.reports, not the checkout folder 'reports'")

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import cast

from lens_preflight.reports.writer import ReportError, Style, Writer, wants_color

__all__ = ["REPORTS", "Formats", "ReportError", "Style", "Writer", "wants_color"]


class Formats(Mapping[str, Writer]):
    """Writers by format name; iterating over the names imports no writer."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = dict(modules)
        self._offered: dict[str, Writer] = {}

    def offer(self, writer: Writer) -> None:
        """Take a format from elsewhere; a built-in one cannot be replaced."""
        if writer.name not in self._modules:
            self._offered[writer.name] = writer

    def is_ours(self, name: str) -> bool:
        """Whether a format is a built-in one."""
        return name in self._modules

    def __getitem__(self, name: str) -> Writer:
        if name in self._offered:
            return self._offered[name]
        return cast(Writer, import_module(self._modules[name]))

    def __iter__(self) -> Iterator[str]:
        return iter((*self._modules, *self._offered))

    def __len__(self) -> int:
        return len(self._modules) + len(self._offered)

    def __contains__(self, name: object) -> bool:
        return name in self._modules or name in self._offered


REPORTS = Formats(
    {
        "console": "lens_preflight.reports.console",
        "json": "lens_preflight.reports.jsonreport",
        "junit": "lens_preflight.reports.junit",
        "junit-rich": "lens_preflight.reports.junit_rich",
        "sarif": "lens_preflight.reports.sarif",
        "github": "lens_preflight.reports.github",
        "github-summary": "lens_preflight.reports.github_summary",
        "gitlab": "lens_preflight.reports.gitlab",
        "tap": "lens_preflight.reports.tap",
        "nagios": "lens_preflight.reports.nagios",
        "metrics": "lens_preflight.reports.metrics",
    }
)
"""Every format that ``--report`` takes, in the order of the help text."""
