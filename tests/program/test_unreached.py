"""A setup that the reading does not get to: dead code is a fail, what may be called is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.setup_once import setup_once
from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import asked, rules

HEAD = "import os\nimport trainlib\nfrom nemo.lens import NemoLensConfig, setup_telemetry\n"
CALL = (
    'setup_telemetry(NemoLensConfig.from_env(), rank=int(os.environ["RANK"]), '
    'world_size=int(os.environ["WORLD_SIZE"]))'
)
RUN = f"    h = {CALL}\n    try:\n        trainlib.train()\n    finally:\n        h.shutdown()\n"
METHOD = RUN.replace("\n    ", "\n        ").replace("    h =", "        h =", 1)
TRAIN = "trainlib.train()\n"

DEAD = {
    "nobody names it": f"def init():\n{RUN}{TRAIN}",
    "only dead code names it": f"def init():\n{RUN}def other():\n    init()\n{TRAIN}",
    "behind a false constant": f"def init():\n{RUN}if False:\n    init()\n{TRAIN}",
    "exported only": f"__all__ = ['init']\ndef init():\n{RUN}{TRAIN}",
    "named in prose": f'def init():\n{RUN}def main():\n    """Calls init."""\n    trainlib.train()\nmain()\n',
    "a class that nobody names": f"class Run:\n    def __enter__(self):\n{METHOD}{TRAIN}",
    "a method that nobody calls": f"class Run:\n    def init(self):\n{METHOD}Run()\n{TRAIN}",
    "a keeping decorator": f"import functools\n@functools.cache\ndef init():\n{RUN}{TRAIN}",
    "computed on what is no module": f"def init_telemetry():\n{RUN}def main(args):\n    for key in vars(args):\n"
    f"        print('telemetry', getattr(args, key))\nmain(trainlib)\n{TRAIN}",
    "a computed option": f"def init():\n{RUN}class Args: lr = 1\nfor k in ['lr']:\n    getattr(Args, k)\n{TRAIN}",
}
ALIVE = {
    "given to a computed call": f"def init():\n{RUN}TABLE = trainlib.table(init)\nTABLE['init']()\n",
    "a descriptor": f"class Lazy:\n    def __get__(self, obj, cls):\n        return {CALL}\nclass App:\n    h = Lazy()\n"
    f"App().h\n{TRAIN}",
    "a name of the class": f"class Reg:\n    def __set_name__(self, owner, name):\n{METHOD}class App:\n    r = Reg()\n",
    "a registry": "KINDS = {}\nclass Meta(type):\n    def __init__(cls, name, bases, ns):\n        KINDS[name] = cls\n"
    f"class Job(metaclass=Meta):\n    def run(self):\n{METHOD}class GPT(Job):\n    pass\nKINDS['GPT']().run()\n",
    "a base of a library": f"import cmd\nclass Shell(cmd.Cmd):\n    def do_train(self, arg):\n{METHOD}"
    "Shell().onecmd('train now')\n",
    "dispatched by type": "import functools\nclass GPT: pass\n@functools.singledispatch\ndef run(model):\n    pass\n"
    f"@run.register\ndef _(model: GPT):\n{RUN}run(GPT())\n",
    "a computed name": f"import sys\ndef run_pretrain():\n{RUN}task = os.environ.get('TASK', 'pretrain')\n"
    "getattr(sys.modules[__name__], 'run_' + task)()\n",
    "another name": f"start = setup_telemetry\nclass Lazy:\n    def __get__(self, obj, cls):\n        return "
    f"{CALL.replace('setup_telemetry', 'start')}\nclass App:\n    h = Lazy()\nApp().h\n{TRAIN}",
    "handed on": "start = trainlib.compose(setup_telemetry, NemoLensConfig.from_env)\nstart()\n",
}


@pytest.mark.parametrize("text", DEAD.values(), ids=DEAD)
def test_dead_code_sets_nothing_up(tmp_path: Path, text: str) -> None:
    answer = asked(tmp_path, setup_once, HEAD + text)
    assert (answer.verdict, rules(answer)) == ("fail", ["never"])


@pytest.mark.parametrize("text", ALIVE.values(), ids=ALIVE)
def test_what_may_be_called_is_not_known(tmp_path: Path, text: str) -> None:
    answer = asked(tmp_path, setup_once, HEAD + text)
    assert answer.verdict == "unknown", answer
    assert "setup_telemetry is not reached in the source, but" in answer.reason


def test_another_name_in_another_file(tmp_path: Path) -> None:
    text = "import trainlib\nfrom obs import init as start\nTABLE = trainlib.table(start)\nTABLE.go()\n"
    files = {"obs.py": f"{HEAD}def init():\n{RUN}"}
    assert asked(tmp_path, setup_once, text, files=files).verdict == "unknown"
    unused = text.replace("table(start)", "table()")
    assert rules(asked(tmp_path, setup_once, unused, files=files)) == ["never"]


@pytest.mark.parametrize(("name", "verdict"), [("f'plugins.{info.name}'", "unknown"), ("'json'", "fail")])
def test_a_module_with_a_computed_name(tmp_path: Path, name: str, verdict: str) -> None:
    text = (
        "import importlib, pkgutil\nimport plugins\nimport trainlib\n"
        "for info in pkgutil.iter_modules(plugins.__path__):\n"
        f"    importlib.import_module({name})\n{TRAIN}"
    )
    files = {"plugins/__init__.py": "", "plugins/otel.py": f"{HEAD}handle = {CALL}\n"}
    answer = asked(tmp_path, setup_once, text, files=files)
    assert answer.verdict == verdict
    assert verdict == "fail" or "plugins/otel.py names setup_telemetry" in answer.reason


COMMANDS = (
    "import argparse\n{head}def pretrain(args):\n{run}def export(args):\n    print(args)\n"
    "p = argparse.ArgumentParser()\nsub = p.add_subparsers(dest='command', required=True)\n"
    "a = sub.add_parser('pretrain')\na.add_argument('--lr', type=float, default=1.0)\na.set_defaults(func=pretrain)\n"
    "b = sub.add_parser('export', aliases=['save'])\nb.set_defaults(func=export)\n"
    "args = p.parse_args()\nargs.func(args)\n"
)


@pytest.mark.parametrize(
    ("words", "verdict"), [((), "pass"), (("pretrain",), "pass"), (("export",), "fail"), (("save",), "fail")]
)
def test_commands_of_argparse(tmp_path: Path, words: tuple[str, ...], verdict: str) -> None:
    text = COMMANDS.format(head=HEAD, run=RUN)
    assert asked(tmp_path, setup_once, text, args=words).verdict == verdict


@pytest.mark.parametrize(("words", "verdict"), [(("pretrain",), "pass"), (("export",), "fail")])
def test_commands_of_a_group(tmp_path: Path, words: tuple[str, ...], verdict: str) -> None:
    text = (
        f"{HEAD}import click\n@click.group()\ndef cli():\n    pass\n@cli.command()\ndef pretrain():\n{RUN}"
        "@cli.command()\ndef export():\n    print(1)\ncli()\n"
    )
    assert asked(tmp_path, setup_once, text, args=words).verdict == verdict


def test_the_name_of_the_command_decides(tmp_path: Path) -> None:
    text = COMMANDS.format(head=HEAD, run=RUN).replace(
        "args.func(args)\n", "if args.command == 'pretrain':\n    pretrain(args)\n"
    )
    assert asked(tmp_path, shutdown, text, args=("pretrain",)).verdict == "pass"


POOL = (
    "{head}from concurrent.futures import ProcessPoolExecutor\nimport multiprocessing as mp\nhandle = None\n"
    f"def init(*a):\n    global handle\n    handle = {CALL}\n"
    "def work(i):\n    try:\n        trainlib.train()\n    finally:\n        handle.shutdown()\n"
    "if __name__ == '__main__':\n    with {pool} as pool:\n        list(pool.map(work, [0]))\n"
)


@pytest.mark.parametrize(
    "pool",
    [
        "ProcessPoolExecutor(1, initializer=init)",
        "ProcessPoolExecutor(1, None, init, (1,))",
        "mp.Pool(1, initializer=init)",
        "mp.Pool(1, init, (1,))",
    ],
)
def test_what_each_process_of_a_pool_runs_first(tmp_path: Path, pool: str) -> None:
    text = POOL.format(head=HEAD, pool=pool)
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    assert asked(tmp_path, shutdown, text).verdict == "pass"


@pytest.mark.parametrize(
    "driver",
    [
        "list(map(start, [0]))",
        "tuple(map(start, ['a']))",
        "import functools\nfunctools.reduce(start, [0], 0)",
    ],
)
def test_a_function_for_each_item(tmp_path: Path, driver: str) -> None:
    text = f"{HEAD}def start(*_):\n{RUN}{driver}\n"
    assert asked(tmp_path, setup_once, text).verdict == "pass"
    twice = text.replace("[0]", "[0, 1]").replace("['a']", "['a', 'b']")
    assert rules(asked(tmp_path, setup_once, twice)) == ["twice"]


def test_a_map_that_nobody_asks_sets_nothing_up(tmp_path: Path) -> None:
    text = f"{HEAD}def start(_):\n{RUN}map(start, [0])\n{TRAIN}"
    assert asked(tmp_path, setup_once, text).verdict == "unknown"
