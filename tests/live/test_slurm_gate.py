"""The gate on a real Slurm: whatever breaks, no node is drained, no job is held, the job runs."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lens_preflight.gate import cache, textfile
from lens_preflight.gate.gathered import Gathered
from lens_preflight.gate.merge import merge
from lens_preflight.gate.options import gate_settings
from lens_preflight.gate.slurm import Slurm
from lens_preflight.settings import load
from tests.corpus import LINES
from tests.faultlab import servers
from tests.faultlab.tls import certificates
from tests.gate.installed import ROOT, Installed, installed, interpreter, toml
from tests.live.cluster import Cluster, lacking

pytestmark = [pytest.mark.live, pytest.mark.root]

HOSTILE = "$(touch /tmp/lens-owned) `id`; 'x' \"y\" ../../ *"
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@dataclass
class Site:
    """A cluster with our hooks, an endpoint that answers, and a system log that is read."""

    cluster: Cluster
    gate: Installed
    python: Path
    endpoint: str
    log: list[str] = field(default_factory=list)

    @property
    def wrapper(self) -> Path:
        """The interpreter that the hooks name; tests replace what it does."""
        return self.gate.folder / "python"

    def interpret(self, script: str) -> None:
        """Let the hooks' interpreter do something else."""
        self.wrapper.write_text(f"#!/bin/sh\n{script}\n")
        self.wrapper.chmod(0o755)

    def configure(self, **keys: object) -> None:
        """Write the settings anew; folders stay as the hooks know them."""
        own = self.gate.settings
        kept = {
            "run_dir": own.run_dir,
            "textfile_dir": own.textfile_dir,
            "syslog": own.syslog,
            "switch": own.switch,
            "ttl": own.ttl,
            "environment": {ENDPOINT: self.endpoint},
            **keys,
        }
        self.gate.config.write_text(toml(kept))

    def refresh(self, *nodes: str, inside: Sequence[str] = ()) -> None:
        """Run the refresh of some nodes (default: all), two at a time."""
        with ThreadPoolExecutor(2) as pool:
            for done in pool.map(
                lambda node: self.gate.run("refresh", node=node, shell=inside), nodes or self.cluster.nodes
            ):
                assert done.returncode == 0, done.stderr

    def word(self, node: str = "n1") -> str:
        """The verdict in the cache, whether or not a hook would take it."""
        found, _ = cache.read(self.gate.run_dir(node))
        return found.word if found else "none"

    def metrics(self, node: str = "n1") -> dict[str, float]:
        """The samples in the textfile of a node."""
        folder = Path(self.gate.settings.textfile_dir.replace("%n", node))
        lines = (folder / textfile.NAME).read_text().splitlines()
        return {name: float(value) for name, _, value in (x.rpartition(" ") for x in lines if x[0] != "#")}

    def healthy(self) -> bool:
        """Whether no node is drained, or on its way."""
        return set(self.cluster.states().values()) == {"idle"}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """One cluster for all tests of this file."""
    why = lacking()
    if why and os.environ.get("PREFLIGHT_DEMAND_ALL") == "1":
        pytest.fail(why)
    if why:
        pytest.skip(why)
    cluster = Cluster(4)
    folder = cluster.folder / "gate"
    hooks = folder / "hooks"
    flags = ("PrologFlags=Alloc", "PrologEpilogTimeout=20")
    names = (f"Prolog={hooks}/prolog", f"Epilog={hooks}/epilog", f"TaskProlog={hooks}/task-prolog")
    cluster.lines = (*names, *flags)
    cluster.folder.chmod(0o755)
    python = interpreter(cluster.folder / "venv")
    folder.mkdir()
    wrapper = folder / "python"
    wrapper.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    wrapper.chmod(0o755)
    gate = installed(folder, wrapper, textfile_dir=str(folder / "textfiles" / "%n"), ttl=120)
    for node in cluster.nodes:
        (folder / "textfiles" / node).mkdir()
    with cluster, _log(folder / "log.sock") as log:
        yield Site(cluster, gate, python, f"http://127.0.0.1:{servers.grpc()}", log)


class _log:  # noqa: N801 - used like a function
    """The system log: everything sent to a socket, as a list that grows."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._lines: list[str] = []

    def __enter__(self) -> list[str]:
        threading.Thread(target=self._read, daemon=True).start()
        return self._lines

    def _read(self) -> None:
        while True:
            try:
                line = self._socket.recv(65_536)
            except OSError:
                return
            self._lines.append(line.decode(errors="replace"))

    def __exit__(self, *_: object) -> None:
        self._socket.close()


@pytest.fixture(autouse=True)
def as_new(site: Site) -> None:
    """Each test begins with a working tool, no verdict, and all nodes in service."""
    site.interpret(f'exec {site.python} "$@"')
    site.configure()
    site.cluster.cancel_all()
    for node in site.cluster.nodes:
        folder = site.gate.run_dir(node)
        subprocess.run(["rm", "-rf", str(folder)], check=True)
        if "drain" in site.cluster.states()[node]:
            site.cluster.run("scontrol", "update", f"nodename={node}", "state=resume")
    site.cluster.wait(site.healthy, "all nodes in service")
    site.log.clear()


# --- the matrix


def _environment(**more: str) -> dict[str, dict[str, str]]:
    return {"environment": {"OTEL_EXPORTER_OTLP_TIMEOUT": "2", **more}}


def healthy(site: Site) -> None:
    site.refresh()


def collector_down(site: Site) -> None:
    site.configure(**_environment(**{ENDPOINT: f"http://127.0.0.1:{servers.closed_port()}"}))
    site.refresh()


def wrong_token(site: Site) -> None:
    port = servers.grpc("UNAUTHENTICATED", "bad token")
    secret = "authorization=Bearer%20s3cr3t-t0ken-of-the-site"
    site.configure(
        **_environment(**{ENDPOINT: f"http://127.0.0.1:{port}", "OTEL_EXPORTER_OTLP_HEADERS": secret})
    )
    site.refresh()
    left = subprocess.run(
        ["grep", "-rl", "s3cr3t", str(site.gate.folder / "run")], capture_output=True, text=True
    )
    assert left.stdout == ""


def expired_certificate(site: Site) -> None:
    port = servers.grpc(tls="expired")
    ca = {"OTEL_EXPORTER_OTLP_CERTIFICATE": certificates().path("ca.pem")}
    site.configure(**_environment(**{ENDPOINT: f"https://localhost:{port}", **ca}))
    site.refresh()


def tool_missing(site: Site) -> None:
    bare = interpreter(site.cluster.folder / "bare", with_package=False)
    site.interpret(f'exec {bare} "$@"')
    site.refresh()


def interpreter_missing(site: Site) -> None:
    site.wrapper.unlink()
    site.refresh()


def interpreter_too_old(site: Site) -> None:
    site.interpret("echo 'SyntaxError: invalid syntax' >&2; exit 1")
    site.refresh()


def cache_missing(site: Site) -> None:
    assert not site.gate.run_dir().exists()


def cache_stale(site: Site) -> None:
    site.refresh()
    for node in site.cluster.nodes:
        (site.gate.run_dir(node) / cache.NAME).write_text(f"{cache.boot_id()} 1 fail-host old\n")


def cache_unreadable(site: Site) -> None:
    for node in site.cluster.nodes:
        (site.gate.run_dir(node) / cache.NAME).mkdir(parents=True)


def cache_planted(site: Site) -> None:
    line = cache.line(cache.Word.QUARANTINE, "planted", 100)
    for node, way in zip(site.cluster.nodes, ("file", "link", "folder", "pipe"), strict=True):
        folder = site.gate.run_dir(node)
        cache.prepare(folder)
        theirs = site.cluster.folder / "out" / f"theirs-{node}"
        theirs.write_text(str(line))
        os.chown(theirs, 65534, 65534)
        path = folder / cache.NAME
        if way == "link":
            path.symlink_to(theirs)
        elif way == "pipe":
            os.mkfifo(path)
        else:
            theirs.rename(path)
            os.chown(folder if way == "folder" else path, 65534, 65534)


def full_memory(site: Site) -> None:
    run = site.gate.folder / "run"
    run.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(run)], check=True)
    with pytest.raises(OSError), (run / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    site.refresh()


def terminated_at_every_stage(site: Site) -> None:
    for stage in ("start", "probe"):
        with socket.socket() as hung:
            hung.bind(("127.0.0.1", 0))
            hung.listen(8)
            hung.settimeout(30)
            url = f"http://127.0.0.1:{hung.getsockname()[1]}"
            site.configure(**_environment(**{ENDPOINT: url, "OTEL_EXPORTER_OTLP_TIMEOUT": "30"}))
            process = subprocess.Popen([str(site.gate.hooks / "refresh")], env={"SLURMD_NODENAME": "n1"})
            peer = hung.accept()[0] if stage == "probe" else None
            for pid in _family(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            process.wait(30)
            if peer is not None:
                peer.close()


def _family(pid: int) -> list[int]:
    """A process and all below it, as systemd would find them."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
    family = [pid]
    for one in family:
        family += [child for child, parent in parents.items() if parent == one]
    return family


def hung_name_service(site: Site) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.77", 53))
        resolver = site.gate.folder / "resolv.conf"
        resolver.write_text("nameserver 127.0.0.77\noptions timeout:30 attempts:5\n")
        site.configure(
            timeout=3, control_name="control.example", environment={ENDPOINT: "http://collector.example:4317"}
        )
        inside = f'mount --bind {resolver} /etc/resolv.conf && exec "$0" "$@"'
        site.refresh(inside=("/usr/bin/unshare", "-m", "/bin/sh", "-c", f"PATH=/usr/bin:/bin; {inside}"))


def five_megabytes(site: Site) -> None:
    site.interpret("yes 'print lens-preflight: flood' | head -c 5000000; exit 1")
    site.refresh()


def switched_off(site: Site) -> None:
    Path(site.gate.settings.switch).touch()
    site.refresh()


Arrange = Callable[[Site], None]
ENDED = {"unknown", "fail-shared"}
"""Of a refresh that was ended: its own word, or that of the one before, never a half."""

FAULTS: Mapping[Arrange, tuple[set[str], set[str], bool | None]] = {
    healthy: ({"pass"}, {"pass"}, True),
    collector_down: ({"fail-shared"}, {"fail"}, True),
    wrong_token: ({"fail-shared"}, {"fail"}, True),
    expired_certificate: ({"fail-shared"}, {"fail"}, True),
    tool_missing: ({"unknown"}, {"unknown"}, False),
    interpreter_missing: ({"unknown"}, {"unknown"}, False),
    interpreter_too_old: ({"unknown"}, {"unknown"}, False),
    cache_missing: ({"none"}, set(), None),
    cache_stale: ({"fail-host"}, {"pass"}, True),
    cache_unreadable: ({"none"}, set(), None),
    cache_planted: ({"none"}, set(), None),
    full_memory: ({"none"}, {"unknown"}, False),
    terminated_at_every_stage: (ENDED, {"unknown", "fail"}, True),
    hung_name_service: ({"unknown", "fail-host"}, {"unknown", "fail"}, True),
    five_megabytes: ({"unknown"}, {"unknown"}, False),
    switched_off: ({"none"}, set(), None),
}
"""What is done, and then the words in the cache and in the metrics, and ``tool_ok`` (None: no metrics)."""


@pytest.fixture
def cleared(site: Site) -> Iterator[None]:
    """What only some faults leave behind."""
    for node in site.cluster.nodes:
        folder = Path(site.gate.settings.textfile_dir.replace("%n", node))
        (folder / textfile.NAME).unlink(missing_ok=True)
    yield
    run = site.gate.folder / "run"
    if os.path.ismount(run):
        subprocess.run(["umount", str(run)], check=True)
    Path(site.gate.settings.switch).unlink(missing_ok=True)


def _logged(site: Site, arrange: Arrange) -> list[str]:
    """The lines of the system log about n1; hooks write them apart from the job."""

    def lines() -> list[str]:
        return [line for line in site.log if "node=n1" in line]

    if arrange is not switched_off:
        site.cluster.wait(lambda: bool(lines()), "a line in the system log")
    return lines()


@pytest.mark.parametrize("arrange", FAULTS, ids=lambda f: f.__name__.replace("_", "-"))
def test_whatever_breaks_the_job_runs_and_no_node_is_drained(
    site: Site, cleared: None, arrange: Arrange
) -> None:
    words, verdicts, tool_ok = FAULTS[arrange]
    site.configure(policy="quarantine", fleet=str(site.gate.folder / "fleet-matrix"))
    arrange(site)
    job = site.cluster.submit(
        "srun -N4 --ntasks-per-node=1 true && echo trained",
        "-N4",
        "--comment",
        HOSTILE,
        "--job-name",
        HOSTILE,
    )
    fields = site.cluster.ended(job)
    site.cluster.wait(site.healthy, "all nodes in service")
    word = site.word()
    logged = _logged(site, arrange)
    shown, ok = "none", None
    if tool_ok is not None:
        samples = site.metrics()
        shown = next(v for v in textfile.WORDS if samples[f'lens_preflight_verdict{{verdict="{v}"}}'])
        ok = bool(samples["lens_preflight_tool_ok"])
    LINES.append(
        f"slurm {arrange.__name__.replace('_', '-')}: job {fields['JobState']}, "
        f"{sum(s != 'idle' for s in site.cluster.states().values())} drained, cache {word}, "
        f"textfile {shown}, syslog {len(logged)} lines"
    )
    assert (fields["JobState"], fields["Restarts"], fields["ExitCode"]) == ("COMPLETED", "0", "0:0")
    assert site.cluster.output(job).strip() == "trained"
    assert word in words, logged
    assert shown in (verdicts or {"none"}) and ok is tool_ok
    assert logged or arrange is switched_off
    assert not Path("/tmp/lens-owned").exists()


# --- quarantine

NO_NETWORK = ("/usr/bin/unshare", "-n")


def guarded(site: Site, fleet: str) -> None:
    """Policy quarantine, with controls that fail where there is no network."""
    port = site.endpoint.rpartition(":")[2]
    site.configure(
        policy="quarantine",
        fleet=str(site.gate.folder / fleet),
        control_address=f"127.0.0.1:{port}",
        control_name="localhost",
    )


def test_a_proven_fault_of_one_node_drains_that_node_after_its_job(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded(site, "fleet-one")
    site.refresh("n1", inside=NO_NETWORK)
    assert site.word("n1") == "fail-host"  # nobody has passed since it began: not proven to be its own
    site.refresh("n2", "n3", "n4")
    site.refresh("n1", inside=NO_NETWORK)
    assert [site.word(node) for node in site.cluster.nodes] == ["quarantine", "pass", "pass", "pass"]
    go = site.cluster.folder / "out" / "go-one"
    job = site.cluster.submit(f"srun -N4 true; while [ ! -e {go} ]; do sleep 0.1; done; echo trained", "-N4")
    site.cluster.wait(lambda: "drain" in site.cluster.states()["n1"], "n1 to be drained")
    assert site.cluster.job(job)["JobState"] == "RUNNING"
    go.touch()
    fields = site.cluster.ended(job)
    assert (fields["JobState"], fields["Restarts"]) == ("COMPLETED", "0")
    assert site.cluster.output(job).strip() == "trained"
    site.cluster.wait(
        lambda: site.cluster.states() == {"n1": "drained", "n2": "idle", "n3": "idle", "n4": "idle"},
        "n1 alone to leave",
    )
    reason = site.cluster.reason("n1")
    assert reason.startswith(f"lens-preflight otlp-endpoint/unreachable host job={job} ")
    assert any("event=quarantine" in line and "drained" in line for line in site.log)
    monkeypatch.setenv("SLURM_CONF", str(site.cluster.conf))
    ((node, at),) = Slurm().drained_by_us()
    drained = datetime.datetime.fromisoformat(f"{at}+00:00")
    now = datetime.datetime.now(datetime.timezone.utc)
    assert node == "n1" and datetime.timedelta(0) <= now - drained < datetime.timedelta(minutes=5)


def test_the_same_fault_on_all_nodes_drains_nobody_and_is_one_shared_finding(site: Site) -> None:
    guarded(site, "fleet-all")
    for _ in range(2):
        site.refresh(inside=NO_NETWORK)
    assert {site.word(node) for node in site.cluster.nodes} == {"fail-host"}
    job = site.cluster.submit("srun -N4 true; echo trained", "-N4")
    assert site.cluster.ended(job)["JobState"] == "COMPLETED"
    site.cluster.wait(site.healthy, "all nodes in service")
    gathered = Gathered()
    gathered.take_all(str(site.gate.run_dir(node) / "report.json") for node in site.cluster.nodes)
    record = merge(gathered, expected=site.cluster.nodes)
    findings = [j.finding for outcome in record.results for j in outcome.findings]
    (only,) = [f for f in findings if f.rule.id == "otlp-endpoint/unreachable"]
    assert only.rule.owner.value == "platform"
    assert only.evidence["nodes"] == "n[1-4]"
    assert "a shared cause" in only.related[-1].text


def proven(site: Site, fleet: str) -> None:
    """Bring n1 to the verdict quarantine."""
    guarded(site, fleet)
    site.refresh("n1", inside=NO_NETWORK)
    site.refresh("n2", "n3", "n4")
    site.refresh("n1", inside=NO_NETWORK)
    assert site.word("n1") == "quarantine"


@pytest.mark.parametrize("why", ["comment", "switch", "rate"])
def test_a_quarantine_can_be_held_back(site: Site, cleared: None, why: str) -> None:
    proven(site, f"fleet-{why}")
    options = ["-N4"]
    if why == "comment":
        options += ["--comment", "lens:skip"]
    elif why == "switch":
        Path(site.gate.settings.switch).touch()
    else:
        text = site.gate.config.read_text()
        site.gate.config.write_text(text + "max_drains_per_hour = 0\n")
    job = site.cluster.submit("srun -N4 true; echo trained", *options)
    assert site.cluster.ended(job)["JobState"] == "COMPLETED"
    if why == "rate":
        site.cluster.wait(lambda: any("event=quarantine" in x for x in site.log), "the decision")
        assert any("max_drains_per_hour" in line for line in site.log)
    site.cluster.wait(site.healthy, "all nodes in service")


def test_the_reason_of_somebody_else_stays(site: Site) -> None:
    proven(site, "fleet-reason")
    site.cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=disk is failing")
    said = site.cluster.run(
        *(str(site.python), "-I", "-m", "lens_preflight", "gate", "quarantine"),
        *("--config", str(site.gate.config), "--node", "n1"),
    )
    assert "not drained: it is drained already, with another Reason" in said
    assert site.cluster.reason("n1") == "disk is failing"


# --- the user's side


def test_run_ids_survive_or_are_given_once_for_all_ranks_and_attempts(site: Site) -> None:
    out = site.cluster.folder / "out"
    script = (
        "srun -N2 --ntasks-per-node=2 sh -c "
        "'echo $NEMO_LENS_RUN_ID $OTEL_RESOURCE_ATTRIBUTES >>{0}'; while [ ! -e {0}.go ]; do sleep 0.1; done"
    )
    two = ("-N2", "--ntasks-per-node=2")
    own = site.cluster.submit(script.format(out / "own"), *two, NEMO_LENS_RUN_ID="my-run")
    given = site.cluster.submit(script.format(out / "given"), *two)

    def lines(name: str) -> list[str]:
        path = out / name
        return path.read_text().splitlines() if path.exists() else []

    site.cluster.wait(lambda: len(lines("own")) == 4 and len(lines("given")) == 4, "both jobs to start")
    for job in (own, given):
        site.cluster.run("scontrol", "requeue", job)

    def again() -> bool:
        """Slurm itself keeps a requeued job for two minutes; to hurry it makes nodes refuse the start."""
        return len(lines("own")) == 8 and len(lines("given")) == 8

    site.cluster.wait(again, "the second attempts", 400)
    (out / "own.go").touch()
    (out / "given.go").touch()
    for job in (own, given):
        assert site.cluster.ended(job)["JobState"] == "COMPLETED"
    assert {line.split()[0] for line in lines("own")} == {"my-run"}
    assert {line.split()[0] for line in lines("given")} == {f"ci-{given}"}
    attempts = [line.split()[1] for line in lines("given")]
    assert attempts == ["slurm.restart_count=0"] * 4 + ["slurm.restart_count=1"] * 4


def test_a_bad_sampler_is_one_line_and_the_job_runs(site: Site) -> None:
    job = site.cluster.submit(
        "srun -N2 --ntasks-per-node=2 true && echo trained",
        "-N2",
        "--ntasks-per-node=2",
        NEMO_LENS_ENABLED="1",
        OTEL_TRACES_SAMPLER="parentbased_traceid_ratio",
    )
    assert site.cluster.ended(job)["JobState"] == "COMPLETED"
    said = site.cluster.output(job).splitlines()
    assert said[-1] == "trained"
    assert len([line for line in said if line.startswith("lens-preflight: ")]) == 1
    assert len(said) == 2 and "sampler" in said[0].lower()


def test_strict_as_the_first_step_ends_the_job_and_drains_nothing(site: Site) -> None:
    trained = site.cluster.folder / "out" / "trained"
    job = site.cluster.submit(
        f"srun --ntasks-per-node=1 {site.python} -I -m lens_preflight check --profile node || exit 1\n"
        f"touch {trained}",
        "-N2",
        NEMO_LENS_ENABLED="1",
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{servers.closed_port()}",
    )
    fields = site.cluster.ended(job)
    found = (fields["JobState"], fields["ExitCode"], fields["Restarts"])
    assert found == ("FAILED", "1:0", "0"), site.cluster.output(job)
    assert "otlp-endpoint/refused" in site.cluster.output(job)
    assert not trained.exists()
    site.cluster.wait(site.healthy, "all nodes in service")


def test_the_doctor_reads_the_running_configuration(site: Site) -> None:
    done = subprocess.run(
        [
            str(site.python),
            *("-I", "-m", "lens_preflight", "gate", "doctor"),
            *("--config", str(site.gate.config), "--node", "n1"),
        ],
        env=site.cluster.environ(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PrologFlags" in done.stdout and "danger" not in done.stdout


# --- the guide

GUIDE = ROOT / "docs" / "guides" / "slurm.md"


def blocks(language: str) -> list[str]:
    """The fenced blocks of the guide in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


def test_every_command_of_the_guide_runs_as_written(site: Site, tmp_path: Path) -> None:
    """Only folders and the port of the collector differ."""
    home = site.cluster.folder / "guide"
    port = site.endpoint.rpartition(":")[2]
    folders = {
        "/usr/local/lib/lens-preflight": home / "lib",
        "/etc/lens-preflight": home / "etc",
        "/etc/systemd/system": home / "systemd",
        "/run/lens-preflight": home / "run",
        "/var/lib/node_exporter": home / "metrics",
        "/shared/lens-preflight": home / "shared",
        ":4317": f":{port}",
    }
    for name in ("etc", "systemd", "metrics", "work", "bin"):
        (home / name).mkdir(parents=True)
    tool = home / "bin" / "lens-preflight"
    tool.write_text(f'#!/bin/sh\nexec {site.python} -I -m lens_preflight "$@"\n')
    tool.chmod(0o755)

    def here(text: str) -> str:
        for there, path in folders.items():
            text = text.replace(there, str(path))
        return text

    own = f'run_dir = "{home}/run"\nswitch = "{home}/etc/disabled"\nsyslog = "{site.gate.settings.syslog}"\n'
    for text in blocks("toml"):
        (home / "etc" / "preflight.toml").write_text(here(text).replace("[gate]\n", f"[gate]\n{own}", 1))
        gate_settings(load(home / "etc" / "preflight.toml"))
    first = here(blocks("toml")[0]).replace("[gate]\n", f"[gate]\n{own}", 1)
    (home / "etc" / "preflight.toml").write_text(first)
    path = f"{home / 'bin'}:/usr/sbin:/usr/bin:/sbin:/bin"
    commands = blocks("sh")
    assert len(commands) > 6
    for text in commands:
        done = subprocess.run(
            ["sh", "-eu", "-c", here(text)],
            env=site.cluster.environ(PATH=path, SLURMD_NODENAME="n1"),
            cwd=home / "work",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said = done.stdout + done.stderr + "".join(p.read_text() for p in (home / "work").glob("slurm-*.out"))
        assert done.returncode == 0, f"{text}\n{said}"
    assert " pass " in (home / "run" / cache.NAME).read_text()
    assert (home / "systemd" / "lens-preflight.timer").exists()
    assert (home / "metrics" / textfile.NAME).exists()
    merged = json.loads((home / "work" / "merged.json").read_text())
    assert merged["run"]["obtained"]["node"] == "n[1-4]"
    assert merged["items"][5]["status"] == "pass"


def test_the_alerts_of_the_guide_name_metrics_that_exist(site: Site) -> None:
    import yaml

    site.refresh("n1")
    names = {name.partition("{")[0] for name in site.metrics()}
    (text,) = blocks("yaml")
    rules = yaml.safe_load(text)["groups"][0]["rules"]
    used = {name for rule in rules for name in re.findall(r"lens_preflight_[a-z_]+", rule["expr"])}
    assert len(rules) == 2 and used and used <= names
