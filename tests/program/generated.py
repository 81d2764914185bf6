"""Random programs about telemetry, valid Python all of them."""

from __future__ import annotations

import random

SIMPLE = (
    "handle = setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ['RANK']), world_size=8)",
    "handle.shutdown()",
    "lib.train()",
    "x = lib.load(x)",
    "x = 1",
    "return x",
    "raise ValueError(x)",
    "sys.exit(x)",
    "os._exit(1)",
    "atexit.register(handle.shutdown)",
    "x = [y for y in lib.items() if y]",
    "print(x)",
    "other(x)",
    "yield x",
    "signal.signal(signal.SIGTERM, lambda s, f: sys.exit(1))",
    "x = handle if x else None",
    "global handle",
    "stack.callback(handle.shutdown)",
    "del x",
    "assert x, 'no'",
)
COMPOUND = (
    "if x:",
    "if handle is not None:",
    "if rank == 0:",
    "for x in range(3):",
    "for x in lib.items():",
    "while x:",
    "with lib.context():",
    "with ExitStack() as stack:",
    "def inner(x=None):",
    "with suppress(Exception):",
)
HEAD = (
    "import atexit, os, signal, sys\nimport lib\nfrom contextlib import ExitStack, suppress\n"
    "from nemo.lens import NemoLensConfig, setup_telemetry\n\nhandle = stack = x = None\n"
    "rank = int(os.environ['RANK'])\n\ndef other(x):\n    return x\n\n"
)


def block(chance: random.Random, depth: int, indent: str) -> list[str]:
    """Some statements."""
    out: list[str] = []
    for _ in range(chance.randrange(1, 5)):
        kind = chance.random()
        if depth and kind < 0.25:
            out.append(indent + chance.choice(COMPOUND))
            out.extend(block(chance, depth - 1, indent + "    "))
        elif depth and kind < 0.4:
            out.append(f"{indent}try:")
            out.extend(block(chance, depth - 1, indent + "    "))
            if chance.random() < 0.5:
                out.append(f"{indent}except {chance.choice(('Exception', 'ValueError', 'BaseException'))}:")
                out.extend(block(chance, depth - 1, indent + "    "))
            out.append(f"{indent}finally:")
            out.extend(block(chance, depth - 1, indent + "    "))
        else:
            out.append(indent + chance.choice(SIMPLE))
    return out


def program(seed: int) -> str:
    """One program."""
    chance = random.Random(seed)
    body = "\n".join(block(chance, 3, "    "))
    return f"{HEAD}def main():\n{body}\n\nif __name__ == '__main__':\n    main()\n"
