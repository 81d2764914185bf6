"""Calls of libraries between the setup and its protection: those that may raise, and those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_preflight.checks.shutdown import shutdown
from tests.program.scripts import FINALLY, HEAD, RANKED, asked, rules

IMPORTS = (
    "import collections, copy, datetime, functools, inspect, json, logging, logging.config, logging.handlers\n"
    "import platform, random, socket, sys, threading, time, uuid, warnings\nfrom pathlib import Path\n"
    "import nemo.lens\n"
)
BEFORE = "log = logging.getLogger('train')\nfiles = logging.FileHandler('x.log')\nout = Path('runs')\n"

RAISES = (
    "Path('/absent').read_text()",
    "out.mkdir(parents=True)",
    "out.mkdir(parents=True, exist_ok=True)",
    "(out / 'lock').touch()",
    "(out / 'lock').unlink(missing_ok=True)",
    "open('x')",
    "logging.FileHandler('/absent/x.log')",
    "logging.basicConfig(filename='/absent/x.log')",
    "logging.handlers.RotatingFileHandler('/absent/x.log')",
    "logging.config.fileConfig('/absent.ini')",
    "logging.config.dictConfig({})",
    "os.path.getsize('/absent')",
    "os.path.getmtime('/absent')",
    "uuid.UUID('not-a-uuid')",
    "datetime.datetime.strptime('x', '%Y')",
    "datetime.datetime.fromisoformat('x')",
    "time.strptime('x', '%Y')",
    "collections.deque(maxlen=os.cpu_count()).popleft()",
    "inspect.getsource(trainlib)",
    "copy.deepcopy(threading.Lock())",
    "os.environ.pop('MASTER_SECRET')",
)
HARMLESS = (
    "log.info('start %s', os.getpid())",
    "log.addHandler(files)",
    "files.setLevel(logging.INFO)",
    "logging.basicConfig(level=logging.INFO, format='%(message)s')",
    "logging.getLogger('torch').setLevel('WARNING')",
    "log.addHandler(logging.StreamHandler(sys.stdout))",
    "print('rank', os.environ.get('RANK'), flush=True)",
    "path = os.path.join('runs', 'x')",
    "found = os.path.exists('runs') and os.path.isdir('runs')",
    "found = out.exists() or (out / 'x').is_file()",
    "name = out.with_suffix('.log').name",
    "name = os.path.abspath(os.path.expanduser('~/runs'))",
    "start = time.time()",
    "start = time.perf_counter()",
    "stamp = time.strftime('%Y%m%d-%H%M%S')",
    "stamp = datetime.datetime.now().strftime('%Y%m%d')",
    "stamp = datetime.datetime.now(datetime.timezone.utc).isoformat()",
    "limit = datetime.timedelta(minutes=30)",
    "run = uuid.uuid4().hex[:8]",
    "host = socket.gethostname().split('.')[0]",
    "host = platform.node()",
    "random.seed(1234)",
    "warnings.filterwarnings('ignore')",
    "counts = collections.Counter()",
    "lock = threading.Lock()",
    "os.environ.pop('MASTER_SECRET', None)",
    "os.environ.setdefault('OMP_NUM_THREADS', '1')",
    "settings = copy.deepcopy({'lr': 1})",
    "name = 'run-{job}'.format(job=os.getpid())",
    "name = 'run-{}-{}'.format(1, 2)",
    "nemo.lens.set_enabled_span_groups(frozenset(['step']))",
)
CERTAIN = {
    "a name that the library does not have": "nemo.lens.install_everything(handle)",
    "an import that it does not have": "from nemo.lens import install_everything",
    "a field that is not given": "name = 'run-{job}'.format(**{'jb': 1})",
    "a field by another name": "name = 'run-{job}'.format(jb=1)",
    "a field too many": "name = '{} {}'.format(1)",
}


@pytest.mark.parametrize("line", RAISES)
def test_what_may_raise_is_a_hole(tmp_path: Path, line: str) -> None:
    answer = asked(tmp_path, shutdown, HEAD + IMPORTS + BEFORE + RANKED + line + "\n" + FINALLY)
    assert (answer.verdict, rules(answer)) == ("warn", ["gap"])
    assert "train.py:12" in answer.lines


@pytest.mark.parametrize("line", HARMLESS)
def test_what_does_not_raise_is_none(tmp_path: Path, line: str) -> None:
    answer = asked(tmp_path, shutdown, HEAD + IMPORTS + BEFORE + RANKED + line + "\n" + FINALLY)
    assert answer.verdict == "pass"


@pytest.mark.parametrize("line", [*RAISES, *HARMLESS])
def test_inside_of_the_protection_nothing_of_it_matters(tmp_path: Path, line: str) -> None:
    text = HEAD + IMPORTS + BEFORE + RANKED + FINALLY.replace("try:\n", f"try:\n    {line}\n")
    assert asked(tmp_path, shutdown, text).verdict == "pass"


@pytest.mark.parametrize("line", CERTAIN.values(), ids=CERTAIN)
def test_what_always_raises_leaves_without_a_shutdown(tmp_path: Path, line: str) -> None:
    answer = asked(tmp_path, shutdown, HEAD + IMPORTS + BEFORE + RANKED + line + "\n" + FINALLY)
    assert answer.verdict == "fail"


def test_a_later_generation_may_have_the_name(tmp_path: Path) -> None:
    line = "nemo.lens.install_everything(handle)"
    answer = asked(tmp_path, shutdown, HEAD + IMPORTS + BEFORE + RANKED + line + "\n" + FINALLY, "0.2")
    assert (answer.verdict, rules(answer)) == ("warn", ["gap"])


def test_a_fallback_for_a_name_that_is_missing(tmp_path: Path) -> None:
    text = "try:\n    from nemo.lens import install_everything\nexcept ImportError:\n    install_everything = None\n"
    assert asked(tmp_path, shutdown, HEAD + text + RANKED + FINALLY).verdict == "pass"


@pytest.mark.parametrize("line", ["Path('done').touch()", "size = os.path.getsize('x')"])
def test_behind_the_shutdown_it_is_no_work(tmp_path: Path, line: str) -> None:
    text = HEAD + IMPORTS + BEFORE + RANKED + FINALLY + line + "\n"
    assert asked(tmp_path, shutdown, text).verdict == "pass"
