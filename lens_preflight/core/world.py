"""The processes of one launch, counted."""

from __future__ import annotations

from lens_preflight.core.data import dataclass


@dataclass(frozen=True)
class World:
    """``size`` processes in all, ``per_node`` on each node (the last node may hold fewer).

    ``known`` is False for a world that was tried because nobody told the real one.
    """

    size: int
    per_node: int
    known: bool = True

    def local_rank(self, rank: int) -> int:
        """The place of a rank on its node, under block placement."""
        return rank % self.per_node

    def node_rank(self, rank: int) -> int:
        """The node that a rank is on, counted from 0, under block placement."""
        return rank // self.per_node

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return -(-self.size // self.per_node)
