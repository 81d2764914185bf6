"""A generated program of many files, with the profile of a large training framework.

Seeded: the same number gives the same tree. One file sets telemetry up, one runs the loop and
registers the exit hook, one reads arguments; the others are layers, data sets and utilities that
import one another and never touch telemetry.
"""

from __future__ import annotations

import random
from pathlib import Path

FILES = 530
LINES = 430
ENTRY = "pretrain.py"

SETUP = '''"""Process-wide objects."""
import os
_ARGS = None
_HANDLE = None

def get_args():
    assert _ARGS is not None, "no arguments yet"
    return _ARGS

def set_args(args):
    global _ARGS
    _ARGS = args

def get_handle():
    return _HANDLE

def set_global_variables(args):
    set_args(args)
    _set_telemetry(args)

def _set_telemetry(args):
    global _HANDLE
    try:
        from nemo.lens import NemoLensConfig, setup_telemetry
    except ImportError:
        return
    config = NemoLensConfig.from_env(prefix="MEGATRON_OTEL", fallback_prefix="NEMO_LENS")
    if args.otel_enabled:
        config.enabled = True
    _HANDLE = setup_telemetry(config, rank=args.rank, world_size=args.world_size)
'''
LOOP = '''"""The loop."""
import atexit
import time
from big.globals import get_args, get_handle
from big.layers.m0001 import forward_m0001
_done = False
_installed = False

def end_job():
    global _done
    if not _done:
        handle = get_handle()
        if handle is not None:
            handle.shutdown()
        _done = True

def pretrain(provider, forward):
    global _installed
    if not _installed:
        _installed = True
        atexit.register(end_job)
    try:
        train(provider, forward)
    except Exception:
        end_job()
        raise
    end_job()

def train(provider, forward):
    args = get_args()
    for step in range(args.train_iters):
        start = time.time()
        loss = forward_m0001(step, forward)
        print(step, loss, time.time() - start)
'''
START = '''"""Entry point."""
from big.arguments import parse_args
from big.globals import set_global_variables
from big.layers.m0002 import forward_m0002
from big.training import pretrain

def provider():
    return [1, 2, 3]

if __name__ == "__main__":
    set_global_variables(parse_args())
    pretrain(provider, forward_m0002)
'''
ARGUMENTS = '''"""Arguments."""
import argparse
import os

def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-iters", type=int, default=4)
    parser.add_argument("--otel-enabled", action="store_true")
    args = parser.parse_args()
    args.rank = int(os.environ.get("RANK", "0"))
    args.world_size = int(os.environ.get("WORLD_SIZE", "1"))
    return args
'''
FUNCTION = '''
def {name}(hidden, config=None, scale={number}):
    """Part {number} of the layer {module}."""
    if config is None:
        config = {{"size": {number}, "names": ["a", "b", "c"], "scale": scale}}
    total = 0.0
    for index, value in enumerate(config["names"]):
        weight = hidden * {number} + index % 7
        if weight > config["size"] and value != "c":
            total += weight / (1.0 + config["scale"])
        elif index == {number}:
            total -= float(len(value)) ** 2
        else:
            total = max(total, weight)
    result = [total * factor for factor in range(3) if factor != {number} % 3]
    return {{"result": result, "total": total, "config": config}}
'''


def module(chance: random.Random, number: int, count: int) -> str:
    """One file that has nothing to do with telemetry."""
    name = f"m{number:04d}"
    later = list(range(number + 1, min(number + 12, count)))
    chosen = sorted(chance.sample(later, min(3, len(later))))
    out = [f'"""Layer {name}."""', "import math", "import torch", "import torch.nn.functional as F"]
    out += [f"from big.layers.m{n:04d} import forward_m{n:04d}" for n in chosen]
    if chance.random() < 0.3:
        out.append("from big.globals import get_args")
    text = "\n".join(out) + "\n"
    i = 0
    while text.count("\n") < LINES - 8:
        i += 1
        text += FUNCTION.format(name=f"part_{i}_{name}", number=chance.randrange(99), module=name)
    calls = " + ".join(f"len(forward_m{n:04d}(x, f))" for n in chosen) or "0"
    return text + f"\ndef forward_{name}(x, f=None):\n    return [math.sqrt({calls}), part_1_{name}(x)]\n"


def write(folder: Path, files: int = FILES, seed: int = 1) -> Path:
    """Write the tree; returns the entry."""
    chance = random.Random(seed)
    layers = folder / "big" / "layers"
    layers.mkdir(parents=True)
    (folder / "big" / "__init__.py").touch()
    (layers / "__init__.py").touch()
    (folder / "big" / "globals.py").write_text(SETUP)
    (folder / "big" / "training.py").write_text(LOOP)
    (folder / "big" / "arguments.py").write_text(ARGUMENTS)
    (folder / ENTRY).write_text(START)
    count = files - 6
    for number in range(1, count):
        (layers / f"m{number:04d}.py").write_text(module(chance, number, count))
    return folder / ENTRY
