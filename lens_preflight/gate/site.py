"""The preflight of a node against the site's own endpoint settings."""

from __future__ import annotations

from lens_preflight.core.check import Check
from lens_preflight.core.deadline import Deadline
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.variable import Environment, Origin, Variable
from lens_preflight.core.words import Need, State
from lens_preflight.gate.options import GateSettings
from lens_preflight.settings import Settings
from lens_preflight.subject.inputs import Inputs

SWITCH = "NEMO_LENS_ENABLED"
NODE = "SLURMD_NODENAME"


def host_dependent(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """The checks whose answer may differ from host to host: those that need the network."""
    return tuple(check for check in checks if Need.NETWORK in check.needs)


def per_node(checks: tuple[Check, ...], environ: Environment) -> tuple[Check, ...]:
    """The checks to run on this node of a step: on the first node all, elsewhere what depends on it.

    The rest would say the same on each node.
    """
    node, nodes = environ["SLURM_NODEID"].value or "0", environ["SLURM_STEP_NUM_NODES"].value or "1"
    if node == "0" or nodes == "1" or not environ["SLURM_STEP_ID"].value:
        return checks
    return host_dependent(checks)


def environment(gate: GateSettings, node: str) -> Environment:
    """The environment that the site's jobs are meant to have, as the settings say; nothing else.

    Raises:
        InputError: ``gate.env_file`` cannot be read or is no list of assignments.
    """
    from lens_preflight.cli.gather import read_env_file

    origin = Origin(f"{gate.source}: gate.environment")
    variables = {
        SWITCH: Variable(SWITCH, State.VALUE, "1", origin),
        NODE: Variable(NODE, State.VALUE, node, Origin("--node")),
    }
    if gate.env_file:
        variables.update((v.name, v) for v in read_env_file(gate.env_file))
    for name, value in gate.environment.items():
        variables[name] = Variable(name, State.VALUE, value, origin)
    return Environment(variables)


def run(settings: Settings, gate: GateSettings, node: str, deadline: Deadline) -> RunRecord:
    """Judge what depends on this host; the record is redacted."""
    from lens_preflight.preflight import preflight
    from lens_preflight.registry import builtin, register
    from lens_preflight.subject.builder import build
    from lens_preflight.subject.secrets import redactor

    inputs = Inputs(
        profile="node",
        profile_why="gate refresh",
        process=environment(gate, node),
        settings=settings,
    )
    subject = build(inputs)
    record = preflight(inputs, subject, host_dependent(register(builtin())), deadline)
    return redactor(subject).record(record)
