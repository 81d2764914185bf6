"""What is known of an item while processors change it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lens_preflight.collector.ottl import DURATION, Facts, Path
from lens_preflight.collector.values import Partly, Truth, Value

OTHERS = ""
"""The key that stands for every attribute of a map of which nothing is written down."""

MAPS = ("attributes", "resource")
OWNERS = ("span", "metric", "datapoint", "log")
_TIMES = ("start_time", "end_time", "start_time_unix_nano", "end_time_unix_nano")


class Draft:
    """The facts of one item, to be changed step by step."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._known = dict(facts.known)

    def of(self, root: str, key: str) -> Value:
        """What an attribute is now."""
        return Facts(self._known, self.facts.closed).of(Path(root, key))

    def now(self) -> Facts:
        """The facts as they are now."""
        return Facts(dict(self._known), self.facts.closed)

    def keys(self, root: str) -> Iterator[str]:
        """The attributes of a map of which something is written down."""
        yield from [key for owner, key in self._known if owner == root and key != OTHERS]

    def put(self, root: str, key: str, value: Value) -> None:
        """Write an attribute; None takes it away."""
        self._known[(root, key)] = value

    def others(self, root: str, value: Value) -> None:
        """Say what every other attribute of a map is."""
        self._known[(root, OTHERS)] = value

    def blur(self, root: str) -> None:
        """Nothing is known of a map any more."""
        for key in self.keys(root):
            self.put(root, key, Partly.UNKNOWN)
        self.others(root, Partly.UNKNOWN)

    def field(self, path: str, value: Value) -> None:
        """Write a field such as ``span.name`` or, without its owner, ``name``."""
        owner, _, rest = path.partition(".")
        bare = rest if owner in OWNERS and rest else path
        if bare in _TIMES:
            self._known[(DURATION, "value")] = Partly.UNKNOWN
        for root, key in list(self._known):
            plain = next((root[len(o) + 1 :] for o in OWNERS if root.startswith(f"{o}.")), root)
            if plain == bare:
                self._known[(root, key)] = value
            elif plain.startswith(f"{bare}.") or bare.startswith(f"{plain}."):
                self._known[(root, key)] = Partly.UNKNOWN

    def when(self, truth: Truth, change: Callable[[], None]) -> None:
        """Make a change that is made for the item, is not, or may be."""
        if truth in (Truth.NO, Truth.UNLIKELY):
            return
        before = self.now()
        change()
        if truth is Truth.UNKNOWN:
            after = self.now()
            for root, key in {**before.known, **after.known}:
                one, other = (f.known.get((root, key), f.of(Path(root, key))) for f in (before, after))
                same = type(one) is type(other) and one == other
                if not same:
                    self._known[(root, key)] = Partly.UNKNOWN
