"""Python programs changed as trees, so that what comes out still parses: statements moved, wrapped, doubled."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from random import Random

WRAPPERS = (
    "try:\n    pass\nfinally:\n    h.shutdown()",
    "try:\n    pass\nexcept Exception as e:\n    raise",
    "try:\n    pass\nexcept* (ValueError, TypeError):\n    pass",
    "while unknown():\n    pass",
    "for x in range(3):\n    pass",
    "for x, *y in zip(a, b):\n    pass",
    "if rank == 0:\n    pass",
    "with open(p) as f, lock:\n    pass",
    "def f(a, /, b=1, *c, d, **e):\n    pass",
    "async def g():\n    pass",
    "class A(B, metaclass=M):\n    pass",
    "match x:\n    case {'a': [1, *rest]} if rest:\n        pass",
    "if os.environ.get('NEMO_LENS_ENABLED', '0') != '0':\n    pass",
)
STATEMENTS = (
    *(
        "return",
        "raise SystemExit(1)",
        "break",
        "continue",
        "yield x",
        "await f()",
        "global h",
        "del h",
        "pass",
    ),
    *(
        "h = setup_telemetry(config)",
        "h.shutdown()",
        "os._exit(0)",
        "sys.exit(main())",
        "atexit.register(h.shutdown)",
    ),
    *(
        "f()",
        "x = [f(y) for y in x if (z := y)]",
        "x[0].y += lambda: f",
        "assert x, f'{x!r:>{w}}'",
        "import a.b as c",
    ),
    *(
        "from nemo.lens import *",
        "signal.signal(signal.SIGTERM, f)",
        "os.environ['RANK'] = '0'",
        "f = f",
        "f(f, *f, **f)",
    ),
    *(
        "x = 10 ** 10 ** 10",
        "x = 'a' * 10 ** 12",
        "x = (1 << 10 ** 9)",
        "x = int('9' * 5000)",
        "x = -(-x)",
        "x = x.x",
    ),
    *(
        "subprocess.run(['python', __file__])",
        "os.execv(sys.executable, sys.argv)",
        "exec(open(p).read())",
        "x = {**x, 'a': [*x]}",
    ),
    *(
        "threading.Thread(target=f).start()",
        "multiprocessing.Process(target=f).start()",
        "ray.remote(f).remote()",
        "h = h or None",
    ),
    *(
        "os.environ['OTEL_TRACES_SAMPLER'] = x",
        "os.environ['NEMO_LENS_RUN_ID'] = f'{rank}'",
        "os.environ[x] = x",
        "os.environ.clear()",
        "os.environ.update(x)",
        "os.environ.setdefault('OTEL_SDK_DISABLED', 'true')",
        "for k in os.environ: os.environ[k] = k",
        "for k, v in list(os.environ.items()): os.environ.pop(k)",
        "config.run_id = x or rank",
        "config.exporter = 1",
        "config.traces_enabled = None",
        "trace.set_tracer_provider(x)",
    ),
    *(
        "x = f'{1 / 0}' % ()",
        "x = 1 / 0",
        "x = [][0]",
        "x = {}['a']",
        "x = 'é'.encode('ascii')",
        "x = sorted([1, 'a'])",
    ),
    *(
        "x = float('nan') == 1e999",
        "x = range(10 ** 12)[5]",
        "x = list(range(10 ** 9))",
        "x = 'x'.join('y' * 10 ** 9)",
        "x @= x",
    ),
)


def changed(random: Random, source: str) -> str:
    """A program like another one; the same text when it does not parse or cannot be written again."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return source
    for _ in range(random.choice((1, 1, 2, 4))):
        bodies = [b for node in ast.walk(tree) for b in _bodies(node)]
        if not bodies:
            return source
        random.choice(_CHANGES)(random, bodies)
        for body in bodies:
            if not body:
                body.append(ast.Pass())
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, RecursionError):
        return source


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    fields = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
    return [body for body in fields if isinstance(body, list) and body and isinstance(body[0], ast.stmt)]


def _delete(random: Random, bodies: list[list[ast.stmt]]) -> None:
    body = random.choice(bodies)
    del body[random.randrange(len(body))]


def _move(random: Random, bodies: list[list[ast.stmt]]) -> None:
    source, target = random.choice(bodies), random.choice(bodies)
    statement = copy.deepcopy(source[random.randrange(len(source))])
    target.insert(random.randrange(len(target) + 1), statement)


def _insert(random: Random, bodies: list[list[ast.stmt]]) -> None:
    body = random.choice(bodies)
    body.insert(random.randrange(len(body) + 1), ast.parse(random.choice(STATEMENTS)).body[0])


def _wrap(random: Random, bodies: list[list[ast.stmt]]) -> None:
    body = random.choice(bodies)
    start = random.randrange(len(body))
    stop = min(len(body), start + random.choice((1, 2, 99)))
    try:
        holder = ast.parse(random.choice(WRAPPERS)).body[0]
    except SyntaxError:  # newer than this interpreter
        return
    inner = _bodies(holder.cases[0] if isinstance(holder, ast.Match) else holder)[0]
    inner[:] = body[start:stop]
    body[start:stop] = [holder]


def _swap(random: Random, bodies: list[list[ast.stmt]]) -> None:
    body = random.choice(bodies)
    random.shuffle(body)


def _deep(random: Random, bodies: list[list[ast.stmt]]) -> None:
    for _ in range(random.choice((5, 15))):
        _wrap(random, bodies)


_CHANGES: tuple[Callable[[Random, list[list[ast.stmt]]], None], ...] = (
    *(_delete, _move, _move, _insert, _insert, _insert, _wrap, _wrap, _swap, _deep),
)
