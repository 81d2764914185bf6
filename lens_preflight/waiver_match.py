"""Whether a waiver is meant for a finding, or for not knowing: its rule and all globs that it gives."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from lens_preflight.core.anchor import Anchor
from lens_preflight.core.data import dataclass
from lens_preflight.core.finding import Finding, Location, Place
from lens_preflight.core.outcome import Outcome, Target
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Scope, Status
from lens_preflight.path_glob import path_matches


@dataclass(frozen=True)
class Match:
    """What globs are compared with: files as ``anchor`` names them; ``launch`` is the key of the only one."""

    anchor: Anchor = Anchor()
    launch: str = ""

    def finding(self, waiver: Waiver, finding: Finding, targets: Iterable[Target]) -> bool:
        """Whether the waiver covers a finding of these targets."""
        if waiver.status or waiver.rule not in (finding.rule.id, f"{finding.rule.check}/*"):
            return False
        return self._located(waiver, finding.at) and self._launched(waiver, targets)

    def unknown(self, waiver: Waiver, outcome: Outcome) -> bool:
        """Whether the waiver covers the not knowing of an outcome."""
        if waiver.status != Status.UNKNOWN.value or waiver.rule != outcome.check:
            return False
        return self._located(waiver, outcome.reason_at) and self._launched(waiver, outcome.targets)

    def _located(self, waiver: Waiver, at: Location | None) -> bool:
        if not (waiver.path or waiver.variable or waiver.panel):
            return True
        if at is None:
            return False
        variable = at.what if at.kind is Place.VARIABLE else at.of_variable
        panel = at.what if at.kind is Place.PANEL else at.of_panel
        return (
            (not waiver.path or (at.kind is Place.FILE and self._path(waiver.path, at.what)))
            and (not waiver.variable or (bool(variable) and fnmatchcase(variable, waiver.variable)))
            and (not waiver.panel or (bool(panel) and fnmatchcase(panel, waiver.panel)))
        )

    def _path(self, glob: str, path: str) -> bool:
        """As seen from the folder of the settings, or from the root when the glob begins there."""
        named = self.anchor.whole(path) if glob.startswith("/") else self.anchor.path(path)
        return path_matches(named, glob)

    def _launched(self, waiver: Waiver, targets: Iterable[Target]) -> bool:
        if not waiver.launch:
            return True
        keys = {target.key.rpartition(" @ ")[2] for target in targets}
        if self.launch and any(target.scope is Scope.SIGNAL for target in targets):
            keys.add(self.launch)
        keys |= {self.anchor.path(key) for key in keys}
        return any(fnmatchcase(key, waiver.launch) for key in keys)
