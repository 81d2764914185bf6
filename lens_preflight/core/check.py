"""A check as data: its name, what it needs, the rules it may report, and the function that looks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from lens_preflight.core.data import dataclass
from lens_preflight.core.errors import Broken
from lens_preflight.core.finding import Assumption, Finding, Proof, Rule
from lens_preflight.core.words import Need, Scope

DOCS = "https://lens-preflight.readthedocs.io/checks"

Said: TypeAlias = Finding | Proof | Assumption
Run: TypeAlias = Callable[[Any], Iterable[Said]]
"""Takes the Context, yields what it has to say; Skip and Undecided may be raised at any point."""


@dataclass(frozen=True)
class Check:
    """One question with one verdict.

    ``items`` are the lines of the checklist (1 to 9) that it answers; ``needs`` must all be there,
    of ``any_of`` at least one; ``uses`` is taken when there. ``decisive``: when it cannot tell, the
    whole run cannot tell. ``rules`` are all the rules that it may report.
    """

    id: str
    title: str
    run: Run
    items: tuple[int, ...] = ()
    scope: Scope = Scope.RUN
    needs: tuple[Need, ...] = ()
    any_of: tuple[Need, ...] = ()
    uses: tuple[Need, ...] = ()
    rules: tuple[Rule, ...] = ()
    decisive: bool = False

    @property
    def url(self) -> str:
        """The page of this check; built from the id, so that it cannot be wrong."""
        return f"{DOCS}/{self.id}"

    @property
    def about(self) -> str:
        """Why it exists and how it judges: the docstring of the function."""
        return inspect.cleandoc(self.run.__doc__ or "")

    def rule(self, name: str) -> Rule:
        """The declared rule of that name; KeyError when there is none."""
        for rule in self.rules:
            if rule.name == name:
                return rule
        raise KeyError(f"{self.id} declares no rule {name}")


class StandIn(Check):
    """A check in the place of one that cannot be run; its outcome is the error that says why."""


def stand_in(id: str, reason: str) -> StandIn:
    """The check whose outcome is that error. No selection leaves it out."""

    def run(_context: object) -> Iterator[Said]:
        """Stands for a check that could not be loaded."""
        raise Broken(reason)
        yield

    return StandIn(id, "A plug-in runs", run, decisive=True)


def check(
    id: str,
    title: str,
    *,
    items: tuple[int, ...] = (),
    scope: Scope = Scope.RUN,
    needs: tuple[Need, ...] = (),
    any_of: tuple[Need, ...] = (),
    uses: tuple[Need, ...] = (),
    rules: tuple[Rule, ...] = (),
    decisive: bool = False,
) -> Callable[[Run], Check]:
    """Turn a generator of findings into a Check; registers nothing."""

    def make(run: Run) -> Check:
        return Check(id, title, run, items, scope, needs, any_of, uses, rules, decisive)

    return make
