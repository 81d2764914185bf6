"""Builds the collector and Jaeger from their Go modules into a cache folder; Prometheus is Debian's."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lens_preflight.settings import parse_toml

VERSIONS = Path(__file__).with_name("versions.toml")
CORE = "go.opentelemetry.io/collector"
CONTRIB = "github.com/open-telemetry/opentelemetry-collector-contrib"
JAEGER = "github.com/jaegertracing/jaeger"
GROUPS = ("receivers", "processors", "exporters", "connectors", "extensions")


class CannotBuild(Exception):
    """A part of the stack is not there and could not be made; the text says why."""


@dataclass(frozen=True)
class Part:
    """One program: where it is kept, and how long its making took in seconds (0: it was there)."""

    name: str
    path: Path
    seconds: float = 0.0


def versions() -> dict[str, Any]:
    """The pinned versions."""
    return parse_toml(VERSIONS.read_bytes(), str(VERSIONS))


def cache() -> Path:
    """Where built programs are kept: ``$XDG_CACHE_HOME`` or ``~/.cache``, outside any clone."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "lens-preflight" / "stack"


def home(name: str) -> Path:
    """The folder of one part, named by all that was pinned for it."""
    text = json.dumps(versions()[name], sort_keys=True)
    return cache() / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def built(name: str) -> Path | None:
    """The program of a part, None when it was never built."""
    path = home(name) / name
    return path if path.is_file() else None


def collector() -> Part:
    """The OpenTelemetry Collector, made by its own builder.

    Raises:
        CannotBuild: there is no Go, or a step failed.
    """
    if path := built("collector"):
        return Part("collector", path)
    started, pinned, folder = time.monotonic(), versions()["collector"], _fresh("collector")
    manifest = folder / "manifest.json"  # JSON is YAML
    manifest.write_text(json.dumps(_manifest(pinned, folder / "out"), indent=1))
    _go(folder, "install", f"{CORE}/cmd/builder@v{pinned['version']}")
    # sources only: fetching by the builder also wants what the tests of all modules import
    only = ["--skip-compilation", "--skip-get-modules", "--config", str(manifest)]
    _run([str(_go_bin(folder) / "builder"), *only], folder, "the collector builder")
    _compile(folder / "out", ".", folder / "new")
    return Part("collector", _keep("collector", folder), time.monotonic() - started)


def _manifest(pinned: dict[str, Any], out: Path) -> dict[str, Any]:
    groups: dict[str, list[dict[str, str]]] = {group: [] for group in GROUPS}
    for base, names in ((CORE, pinned["core"]), (CONTRIB, pinned["contrib"])):
        for name in names:
            groups[f"{name.partition('/')[0]}s"].append({"gomod": f"{base}/{name} v{pinned['version']}"})
    providers = [{"gomod": f"{CORE}/confmap/provider/{p} v{pinned['stable']}"} for p in pinned["providers"]]
    distribution = {"name": "otelcol", "output_path": str(out), "version": pinned["version"]}
    return {"dist": distribution, **groups, "providers": providers}


def jaeger() -> Part:
    """Jaeger of the 2.x generation, from the module of the 1.x release it was published with; raises too."""
    if path := built("jaeger"):
        return Part("jaeger", path)
    started, folder = time.monotonic(), _fresh("jaeger")
    (folder / "go.mod").write_text("module lens-preflight/stack/jaeger\n")
    _go(folder, "get", f"{JAEGER}/cmd/jaeger@v{versions()['jaeger']['module']}")
    _compile(folder, f"{JAEGER}/cmd/jaeger", folder / "new")
    return Part("jaeger", _keep("jaeger", folder), time.monotonic() - started)


def prometheus() -> Part:
    """Prometheus of the distribution, installed when this is root; raises CannotBuild otherwise."""
    pinned = versions()["prometheus"]
    started = time.monotonic()
    if (found := shutil.which("prometheus")) is None:
        if os.geteuid() != 0 or shutil.which("apt-get") is None:
            raise CannotBuild(f"no prometheus on PATH; run: apt-get install {pinned['package']}")
        environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", pinned["package"]]
        _run(install, Path("/"), "apt-get", environ)
        found = shutil.which("prometheus")
    if found is None:
        raise CannotBuild("prometheus was installed and is not on PATH")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    if pinned["series"] not in said.stdout + said.stderr:
        raise CannotBuild(f"prometheus is not of the series {pinned['series']}; take it off PATH")
    return Part("prometheus", Path(found), time.monotonic() - started)


PARTS = {"prometheus": prometheus, "collector": collector, "jaeger": jaeger}


def _fresh(name: str) -> Path:
    """An empty folder to build in, beside the one that is kept."""
    folder = home(name).with_suffix(".new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _keep(name: str, folder: Path) -> Path:
    """Move the program to where it is kept and drop what it was built from."""
    target = home(name)
    target.mkdir(parents=True, exist_ok=True)
    (folder / "new").replace(target / name)
    shutil.rmtree(folder, ignore_errors=True)
    return target / name


def _go_bin(folder: Path) -> Path:
    return folder / "gobin"


def _go(folder: Path, *words: str) -> None:
    environ = {**os.environ, "GOBIN": str(_go_bin(folder)), "CGO_ENABLED": "0"}
    environ["GOFLAGS"] = f"-mod=mod -buildvcs=false -trimpath -p={jobs()}"
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise CannotBuild("there is no Go here; install Go 1.25 or newer")
    _run([go, *words], folder, f"go {words[0]}", environ)


def _compile(folder: Path, package: str, target: Path) -> None:
    _go(folder, "build", "-ldflags=-s -w", "-o", str(target), package)


def jobs() -> str:
    """Compilers at once: all processors, unless ``STACK_JOBS`` says fewer."""
    return os.environ.get("STACK_JOBS") or str(os.cpu_count() or 1)


def _run(words: list[str], folder: Path, what: str, environ: dict[str, str] | None = None) -> None:
    """One step; its last lines are the reason when it fails."""
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-15:])
        raise CannotBuild(f"{what} failed with {done.returncode}:\n{last}")
