"""What is known about the other nodes: without it no node is taken out of service.

A shared folder holds one empty file per node and one per node and failing rule; times are those of
the file server, so that no node's clock matters. Reading is bounded: a handful of files when many
nodes fail, some hundreds when none does.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from lens_preflight.core.data import dataclass
from lens_preflight.gate.bounded import bounded

WINDOW = 600.0
"""Seconds that a report of another node counts."""

SHARE, MOST, LEAST = 0.02, 5, 1
"""A rule that fails on more nodes than this share, this many at most, is not the nodes' fault."""

PEERS = 2
"""How many other nodes must have passed since the fault began here."""

SCHEMA = "lens-preflight/fleet/1"
MAX_BYTES = 1_000_000
_ENOUGH = int(MOST / SHARE) + 1


@dataclass(frozen=True)
class Answer:
    """Whether a fault may be called the node's own, and why or why not, in one line."""

    own: bool
    why: str


class Fleet(Protocol):
    """Where nodes tell one another how they are."""

    def publish(self, node: str, failing: Iterable[str]) -> None:
        """Tell which rules fail on this node (none: it passes). Raises OSError."""
        ...

    def answer(self, node: str, rule: str, since: float) -> Answer:
        """Whether a rule that fails on this node since then (Unix time) is this node's own fault."""
        ...


def allowed(nodes: int) -> int:
    """How many of so many nodes may fail the same rule for it to be the nodes' own fault."""
    return max(LEAST, min(MOST, int(nodes * SHARE)))


def open_fleet(where: str, timeout: float) -> Fleet:
    """The fleet that the setting ``gate.fleet`` names: nothing, a URL, a JSON file, or a folder.

    Each call to it ends within ``timeout`` seconds, also when a shared file system hangs.
    """
    if not where:
        return NoFleet()
    if where.startswith(("http://", "https://")) or where.endswith(".json"):
        return Bounded(Published(where, timeout), timeout)
    return Bounded(SharedFolder(Path(where)), timeout)


class Bounded:
    """A fleet that is not waited for longer than ``timeout`` seconds."""

    def __init__(self, fleet: Fleet, timeout: float) -> None:
        self._fleet = fleet
        self._timeout = timeout

    def publish(self, node: str, failing: Iterable[str]) -> None:
        """Publish, or give up."""
        rules = tuple(failing)
        bounded(lambda: self._fleet.publish(node, rules), self._timeout, None)

    def answer(self, node: str, rule: str, since: float) -> Answer:
        """The answer, or no."""
        late = Answer(False, "no fleet verdict: no answer in time")
        return bounded(lambda: self._fleet.answer(node, rule, since), self._timeout, late)


class NoFleet:
    """Nobody tells anything."""

    def publish(self, node: str, failing: Iterable[str]) -> None:
        """Does nothing."""

    def answer(self, node: str, rule: str, since: float) -> Answer:
        """Always no."""
        return Answer(False, "no fleet verdict: the setting gate.fleet is empty")


class SharedFolder:
    """A folder on a file system that all nodes share; only root should be able to write there."""

    def __init__(self, folder: Path) -> None:
        self._nodes = folder / "nodes"
        self._failing = folder / "failing"

    def publish(self, node: str, failing: Iterable[str]) -> None:
        """Touch this node's file, and make or remove its file in the folder of each rule."""
        self._nodes.mkdir(parents=True, exist_ok=True)
        self._failing.mkdir(exist_ok=True)
        wanted = {_file_name(rule) for rule in failing}
        for rule in wanted:
            (self._failing / rule).mkdir(exist_ok=True)
            with contextlib.suppress(FileExistsError):  # its time says since when
                (self._failing / rule / node).touch(exist_ok=False)
        for entry in _entries(self._failing):
            if entry.name not in wanted:
                Path(entry.path, node).unlink(missing_ok=True)
        mine = self._nodes / node
        mine.touch()
        os.utime(mine)

    def answer(self, node: str, rule: str, since: float) -> Answer:
        """Counts fresh nodes that fail the same rule, and nodes that passed since it fails here."""
        folder = self._failing / _file_name(rule)
        try:
            now = (self._nodes / node).stat().st_mtime
            began = (folder / node).stat().st_mtime
        except OSError:
            return Answer(False, "no fleet verdict: this node has not reported there")
        failing = {node}
        for entry in _entries(folder):
            if entry.name not in failing and self._time(entry.name) > now - WINDOW:
                failing.add(entry.name)
            if len(failing) > MOST:
                return Answer(False, f"more than {MOST} nodes fail the same rule: a shared cause")
        reported = passed = 0
        for entry in _entries(self._nodes):
            at = self._time(entry.name)
            reported += at > now - WINDOW
            passed += at > began and at > now - WINDOW and entry.name not in failing
            if reported > _ENOUGH and passed >= PEERS:
                break
        return _judge(len(failing), reported, passed)

    def _time(self, node: str) -> float:
        try:
            return (self._nodes / node).stat().st_mtime
        except OSError:
            return 0.0


class Published:
    """A fleet verdict that ``merge --fleet`` wrote, read from a file or a web server."""

    def __init__(self, where: str, timeout: float) -> None:
        self._where = where
        self._timeout = timeout

    def publish(self, node: str, failing: Iterable[str]) -> None:
        """Does nothing: only ``merge`` writes it."""

    def answer(self, node: str, rule: str, since: float) -> Answer:
        """The count of the last merge, if all of it is newer than the fault and not too old."""
        try:
            verdict = self._read()
            oldest, nodes = float(verdict["since"]), int(verdict["nodes"])
            count = int(verdict["failing"].get(rule, 0))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            return Answer(False, f"no fleet verdict: it cannot be read ({type(error).__name__})")
        if not 0 <= time.time() - oldest <= WINDOW:
            return Answer(False, "no fleet verdict: the one published is stale")
        if oldest < since:
            return Answer(False, "no fleet verdict since the fault began here")
        return _judge(max(count, 1), nodes, nodes - max(count, 1))

    def _read(self) -> dict[str, Any]:
        if self._where.startswith("/"):
            with Path(self._where).open("rb") as file:
                data = file.read(MAX_BYTES)
        else:
            data = self._fetch()
        verdict = json.loads(data)
        if not isinstance(verdict, dict) or verdict.get("schema") != SCHEMA:
            raise ValueError("another document")
        return verdict

    def _fetch(self) -> bytes:
        import requests

        with requests.Session() as session:
            session.trust_env = False
            with session.get(self._where, timeout=self._timeout, allow_redirects=False, stream=True) as reply:
                if reply.status_code != 200:
                    raise ValueError(f"status {reply.status_code}")
                reply.raw.decode_content = True
                return bytes(reply.raw.read(MAX_BYTES))


def verdict(nodes: int, failing: Mapping[str, int], since: float) -> str:
    """The fleet verdict as published: ``since`` is the Unix time of the oldest report counted."""
    document = {"schema": SCHEMA, "since": since, "nodes": nodes, "failing": dict(failing)}
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def _judge(failing: int, reported: int, passed: int) -> Answer:
    counts = f"{failing} of {reported} nodes fail the same rule"
    if failing > allowed(reported):
        return Answer(False, f"{counts}: a shared cause")
    if passed < PEERS:
        return Answer(False, f"{counts}, and only {passed} others passed since it began here")
    return Answer(True, f"{counts}, {passed} passed since it began here")


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except FileNotFoundError:
        return


def _file_name(rule: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "." for c in rule)[:120]
