from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from lens_preflight.gate.fleet import Answer, Published, SharedFolder, allowed, open_fleet, verdict

RULE = "otlp-endpoint/unreachable"


def fleet(folder: Path, passing: int, failing: Iterable[str] = (), since: float = 100.0) -> SharedFolder:
    """A fleet in which n1 has failed since some seconds ago, others too, and others passed after it."""
    shared = SharedFolder(folder)
    for node in ("n1", *failing):
        shared.publish(node, [RULE])
        began = time.time() - since
        os.utime(folder / "failing" / "otlp-endpoint.unreachable" / node, (began, began))
    for number in range(passing):
        shared.publish(f"p{number}", [])
    return shared


def ask(shared: SharedFolder) -> Answer:
    return shared.answer("n1", RULE, 0)


@pytest.mark.parametrize(("nodes", "most"), [(1, 1), (4, 1), (99, 1), (100, 2), (250, 5), (10_000, 5)])
def test_two_percent_and_at_most_five(nodes: int, most: int) -> None:
    assert allowed(nodes) == most


def test_one_of_four_is_its_own_fault(tmp_path: Path) -> None:
    assert ask(fleet(tmp_path, 3)).own


def test_two_of_four_share_a_cause(tmp_path: Path) -> None:
    answer = ask(fleet(tmp_path, 2, ["n2"]))
    assert not answer.own and "a shared cause" in answer.why


@pytest.mark.parametrize(("failing", "own"), [(3, True), (5, False)])
def test_a_large_fleet_bears_a_few(tmp_path: Path, failing: int, own: bool) -> None:
    assert ask(fleet(tmp_path, 200, [f"f{n}" for n in range(failing)])).own is own


def test_more_than_five_are_never_read_further(tmp_path: Path) -> None:
    answer = ask(fleet(tmp_path, 1000, [f"f{n}" for n in range(12)]))
    assert not answer.own and "more than 5" in answer.why


def test_nobody_else_known_is_no_verdict(tmp_path: Path) -> None:
    assert not ask(SharedFolder(tmp_path)).own
    assert not ask(fleet(tmp_path, 1)).own


def test_others_must_have_passed_since_it_began(tmp_path: Path) -> None:
    """Else the first node to notice a common fault would be taken for a lone one."""
    shared = fleet(tmp_path, 3, since=50)
    for number in range(3):
        before = time.time() - 60
        os.utime(tmp_path / "nodes" / f"p{number}", (before, before))
    answer = ask(shared)
    assert not answer.own and "passed since it began" in answer.why


def test_reports_older_than_ten_minutes_do_not_count(tmp_path: Path) -> None:
    shared = fleet(tmp_path, 3, ["n2"], since=3000)
    old = time.time() - 700
    os.utime(tmp_path / "nodes" / "n2", (old, old))
    assert ask(shared).own
    for number in range(3):
        os.utime(tmp_path / "nodes" / f"p{number}", (old, old))
    assert not ask(shared).own


def test_a_node_that_passes_again_is_taken_off_and_one_that_fails_keeps_its_beginning(tmp_path: Path) -> None:
    shared = SharedFolder(tmp_path)
    shared.publish("n1", [RULE])
    mark = tmp_path / "failing" / "otlp-endpoint.unreachable" / "n1"
    os.utime(mark, (1000, 1000))
    shared.publish("n1", [RULE])
    assert mark.stat().st_mtime == 1000
    shared.publish("n1", [])
    assert not mark.exists()


# --- published by a merge


def published(folder: Path, **changes: object) -> Published:
    path = folder / "fleet.json"
    document = json.loads(verdict(100, {RULE: 1}, time.time() - 10))
    path.write_text(json.dumps({**document, **changes}))
    return Published(str(path), 5)


def test_a_published_count_is_taken_when_it_is_newer_than_the_fault(tmp_path: Path) -> None:
    since = time.time() - 100
    assert published(tmp_path).answer("n1", RULE, since).own
    assert not published(tmp_path).answer("n1", RULE, time.time()).own
    assert not published(tmp_path, failing={RULE: 50}).answer("n1", RULE, since).own
    assert not published(tmp_path, since=time.time() - 4000).answer("n1", RULE, since - 9000).own
    assert not published(tmp_path, since=time.time() + 4000).answer("n1", RULE, since).own
    assert not published(tmp_path, nodes=2).answer("n1", RULE, since).own


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": "x"}', '{"schema": "lens-preflight/fleet/1"}', "null"]
)
def test_anything_else_is_no_verdict(tmp_path: Path, text: str) -> None:
    (tmp_path / "fleet.json").write_text(text)
    answer = open_fleet(str(tmp_path / "fleet.json"), 5).answer("n1", RULE, 0)
    assert not answer.own and "cannot be read" in answer.why


def test_it_may_come_from_a_web_server(tmp_path: Path) -> None:
    body = verdict(100, {RULE: 1}, time.time() - 10).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/fleet.json" else 302)
            self.send_header("Location", "/fleet.json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        since = time.time() - 100
        assert open_fleet(f"{url}/fleet.json", 5).answer("n1", RULE, since).own
        assert not open_fleet(f"{url}/moved", 5).answer("n1", RULE, since).own
        server.shutdown()
    assert not open_fleet(f"{url}/fleet.json", 1).answer("n1", RULE, since).own


def test_without_a_setting_nobody_leaves() -> None:
    assert not open_fleet("", 1).answer("n1", RULE, 0).own


def test_a_shared_file_system_that_hangs_is_no_verdict(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fleet.json")  # opening it waits for a writer that never comes
    answer = open_fleet(str(tmp_path / "fleet.json"), 0.3).answer("n1", RULE, 0)
    assert not answer.own and "no answer in time" in answer.why
