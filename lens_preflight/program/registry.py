"""The registry of what is known of library calls, one function per group of names."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from lens_preflight.core.data import dataclass
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Outcome, normal
from lens_preflight.program.state import Site, State
from lens_preflight.program.values import NONE, Const, Unknown, Value

if TYPE_CHECKING:
    from lens_preflight.program.calls import Args


@dataclass
class Call:
    """One call of something outside the tree."""

    m: Machine
    path: str
    receiver: Value | None
    args: Args
    state: State
    frame: Frame
    node: ast.AST

    @property
    def site(self) -> Site:
        """Where it is called."""
        return self.frame.site(self.node, f"{self.path}()")

    def done(self, value: Value = NONE) -> list[Outcome]:
        """It returns the value and nothing else."""
        return normal(self.state, value)

    def text(self, index: int, name: str) -> str | None:
        """A known text argument."""
        value = self.args.get(index, name)
        return value.value if isinstance(value, Const) and isinstance(value.value, str) else None

    def arg(self, index: int, name: str, default: Value | None = None) -> Value:
        """An argument; unknown when it is not there."""
        value = self.args.get(index, name, default)
        return value if value is not None else Unknown()


Model: TypeAlias = Callable[[Call], list[Outcome]]

MODELS: dict[str, Model] = {}


def model(*paths: str) -> Callable[[Model], Model]:
    """Register a function for some dotted paths."""

    def register(function: Model) -> Model:
        for path in paths:
            MODELS[path] = function
        return function

    return register
