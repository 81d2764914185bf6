"""``mpirun`` and ``mpiexec``: what ranks on other hosts get."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.numbers import whole
from lens_preflight.core.words import Spread
from lens_preflight.jobs.draft import Counts, Step, Where, resolve
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.options import integer
from lens_preflight.jobs.state import Bound, Exported
from lens_preflight.jobs.text import Cause, Symbol, Text, literal
from lens_preflight.jobs.torchrun import set_by

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


_MPI_VALUED = [
    "-n",
    "-np",
    "--np",
    "-c",
    "-H",
    "--host",
    "-hostfile",
    "--hostfile",
    "--machinefile",
    "-machinefile",
    "--map-by",
    "--bind-to",
    "--rank-by",
    "-N",
    "-npernode",
    "--npernode",
    "-ppn",
    "--ppn",
    "-perhost",
    "-wdir",
    "--wdir",
    "-hosts",
    "-f",
    "-iface",
    "-bootstrap",
    "--oversubscribe-x",
    "--prefix",
    "--tag-output-x",
    "--output-filename",
    "--report-bindings-x",
    "-rf",
    "--rankfile",
    "-am",
    "--display",
    "-x",
    "-genvlist",
    "-envlist",
    "-path",
]


def mpirun(step: Step, shell: Shell) -> None:
    """``mpirun`` and ``mpiexec``: Open MPI hands on what ``-x`` names, Hydra everything."""
    from lens_preflight.jobs.chain import follow

    words, given = _mpi_words(step.words[1:])
    if not words:
        return
    values = {name: value for name, value in given if name not in ("-x", "-genv", "-env")}
    hydra = step.words[0].constant.endswith("hydra") or any(
        n.startswith(("-genv", "-ppn", "-perhost")) for n, _ in given
    )
    open_mpi = (
        any(n in ("-x", "--mca", "-mca", "-H", "--host") for n, _ in given)
        or "mpirun" in step.words[0].constant
    )
    size = next((integer(v) for n, v in given if n in ("-n", "-np", "--np", "-c")), None)
    hosts = _hosts(values, step, shell)
    nodes = len(hosts) or (step.where.counts.nodes if step.where.in_job else 1)
    if size is None:
        size = sum(hosts.values()) or _slots(step)
    env, where = step.env, step.where
    sent = _sent(step, given)
    if len(hosts) > 1 and open_mpi and not hydra and not step.where.in_job:
        env, where = _remote_ranks(step, sent)
    env = env.with_(sent)
    if any(n == "-genvnone" for n, _ in given):
        env = env.only(lambda name: name in sent)
        where = where.dropped(step.env, env, Loss.MPIRUN, step.at, "mpiexec")
    ranks = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK") if not hydra else ("PMI_RANK",)
    env = env.with_(set_by("mpirun", *ranks))
    env = env.with_(set_by("mpirun", "OMPI_COMM_WORLD_SIZE" if not hydra else "PMI_SIZE", spread=Spread.JOB))
    per = size // nodes if size is not None and nodes and size % nodes == 0 else None
    width = Spread.JOB if size == 1 else Spread.TASK
    counts = Counts(nodes, size, per, step.where.counts.gpus_per_node)
    where = replace(where.link("mpirun" if "mpirun" in step.words[0].constant else "mpiexec"), counts=counts,
                    width=width, batch=False)  # fmt: skip
    follow(step.next(words, env=env, where=where), shell)


def _slots(step: Step) -> int | None:
    """The slots of the allocation: its tasks."""
    counts = step.where.counts
    if not step.where.in_job:
        return None
    if counts.tasks is None and counts.tasks_per_node is not None and counts.nodes is not None:
        return counts.tasks_per_node * counts.nodes
    return counts.tasks


def _mpi_words(words: tuple[Field, ...]) -> tuple[tuple[Field, ...], list[tuple[str, Text]]]:
    given: list[tuple[str, Text]] = []
    index = 0
    while index < len(words) and words[index].constant.startswith("-"):
        name = words[index].constant
        if name in ("--mca", "-mca", "-genv", "-env") and index + 2 < len(words):
            key = words[index + 1].text
            given.append((name, key + literal("=") + words[index + 2].text))
            index += 3
        elif name in _MPI_VALUED and index + 1 < len(words):
            given.append((name, words[index + 1].text))
            index += 2
        else:
            head, _, value = name.partition("=")
            given.append((head, literal(value)))
            index += 1
    return words[index:], given


def _hosts(values: dict[str, Text], step: Step, shell: Shell) -> dict[str, int]:
    for name in ("-H", "--host", "-hosts"):
        text = values.get(name)
        if text is not None and text.constant:
            pairs = [h.partition(":") for h in text.constant.split(",")]
            hosts: dict[str, int] = {}
            for host, _, slots in pairs:
                hosts[host] = hosts.get(host, 0) + (whole(slots) or 1)
            return hosts
    for name in ("-hostfile", "--hostfile", "--machinefile", "-machinefile", "-f"):
        text = values.get(name)
        full = resolve(text.path, step.cwd, step.where, ()) if text is not None and text.path else None
        content = shell.run.files.text(full) if full else None
        found = re.findall(r"^\s*([\w.-]+)(?:[ \t:]+(?:slots=)?([0-9]{1,9}))?", content or "", re.MULTILINE)
        if found:
            return {host: int(slots or 1) for host, slots in found}
    return {}


def _sent(step: Step, given: list[tuple[str, Text]]) -> dict[str, Bound]:
    """What ``-x``, ``-genv`` and ``-genvlist`` name."""
    sent: dict[str, Bound] = {}
    for option, text in given:
        if option in ("-genvlist", "-envlist"):
            for name in (text.constant or "").split(","):
                sent[name] = step.env.variables.get(name) or Bound(step.env.value(name))
        if option not in ("-x", "-genv", "-env"):
            continue
        head = text.pieces[0] if text.pieces and isinstance(text.pieces[0], str) else ""
        name, equals, rest = head.partition("=")
        if equals:
            sent[name] = Bound(literal(rest) + Text(text.pieces[1:]), step.at, option)
        else:
            sent[name] = step.env.variables.get(name) or Bound(step.env.value(name))
    return sent


def _remote_ranks(step: Step, sent: dict[str, Bound]) -> tuple[Exported, Where]:
    """Ranks on this host inherit everything, those on other hosts only what was sent."""
    changes: dict[str, Bound] = {}
    for name, bound in step.env:
        if name not in sent and bound.value is not None and name not in ("PATH", "LD_LIBRARY_PATH"):
            why = "the ranks on other hosts lack it: it is not named by -x"
            one = Symbol(
                name, Cause.REMOTE, Spread.NODE, optional=True, reason=why, values=(bound.value, None)
            )
            changes[name] = replace(bound, value=Text.of(one))
    kept = step.env.only(lambda name: name in sent or name in ("PATH", "LD_LIBRARY_PATH"))
    where = step.where.dropped(step.env, kept, Loss.MPIRUN, step.at, "mpirun")
    return step.env.with_(changes), replace(where, remote=True)
