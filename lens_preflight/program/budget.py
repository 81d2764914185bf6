"""What one reading of a program may cost: steps are counted by the machine, joins of states here."""

from __future__ import annotations

from lens_preflight.core.data import dataclass

MAX_JOINS = 2_000_000
"""Objects looked at while states are joined: Megatron-LM needs 540,000, programs of one file some hundred."""


class Exhausted(Exception):
    """The program is too large for the budget of one run."""


@dataclass
class Meter:
    """Counts down; shared by all states of one run.

    ``drops``: of many abrupt ways out a large program keeps a few and forgets the rest.
    """

    left: int = MAX_JOINS
    drops: bool = False

    def spend(self, objects: int) -> None:
        """Count a join over so many objects.

        Raises:
            Exhausted: the budget is used up.
        """
        self.left -= objects
        if self.left < 0:
            raise Exhausted("the program has more paths to join than the budget allows")
