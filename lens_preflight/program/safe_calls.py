"""Calls of libraries that do not raise on ordinary arguments and do no training, by their exact names.

What opens a file, parses a text, or copies an object that may not be copied is not among them.
Sources: the standard library of Python 3.13; the OpenTelemetry API 1.4x; torch as documented.
"""

from __future__ import annotations

from lens_preflight.program.registry import Call

WHOLE = (
    *("logging.Logger.", "warnings.", "gc.", "typing.", "typing_extensions.", "contextvars."),
    *("itertools.", "math.", "sys.stdout.", "sys.stderr.", "abc.", "enum.", "random.", "secrets."),
    *("nemo.lens.", "opentelemetry.", "asyncio.get_running_loop", "asyncio.get_event_loop"),
)
"""Libraries and objects all of whose calls are harmless."""

NAMES: dict[str, str] = {
    "builtins": "print id repr callable object format isinstance hasattr issubclass type vars iter hash ascii",
    "logging": "getLogger info debug warning warn error exception critical log captureWarnings disable Filter "
    "addLevelName getLevelName setLoggerClass getLoggerClass shutdown getLogRecordFactory "
    "setLogRecordFactory StreamHandler NullHandler Formatter LoggerAdapter LogRecord makeLogRecord "
    "getLevelNamesMapping",
    "logging.handlers": "QueueHandler QueueListener MemoryHandler BufferingHandler",
    "time": "time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns "
    "thread_time sleep strftime localtime gmtime asctime ctime mktime tzset",
    "os": "getpid getppid getuid geteuid getgid cpu_count getpgrp urandom umask get_terminal_size uname "
    "process_cpu_count sched_getaffinity getloadavg times",
    "os.path": "join exists lexists isfile isdir islink ismount isabs basename dirname abspath realpath "
    "normpath normcase split splitext splitdrive expanduser expandvars commonprefix relpath",
    "platform": "node system machine release version platform processor uname architecture python_version "
    "python_implementation libc_ver python_version_tuple python_compiler python_build",
    "socket": "gethostname",
    "faulthandler": "enable disable is_enabled dump_traceback unregister",
    "datetime": "datetime date time timedelta timezone",
    "datetime.datetime": "now utcnow today fromtimestamp utcfromtimestamp combine",
    "datetime.date": "today fromtimestamp",
    "uuid": "uuid1 uuid3 uuid4 uuid5 getnode",
    "threading": "current_thread main_thread get_ident get_native_id active_count enumerate local "
    "Lock RLock Event Condition Semaphore BoundedSemaphore Barrier settrace setprofile excepthook",
    "collections": "Counter ChainMap UserDict UserList UserString deque OrderedDict defaultdict namedtuple",
    "operator": "add sub mul neg pos eq ne lt le gt ge not_ and_ or_ xor is_ is_not truth contains "
    "itemgetter attrgetter methodcaller",
    "functools": "partial partialmethod wraps update_wrapper cmp_to_key total_ordering singledispatch "
    "singledispatchmethod cached_property lru_cache cache",
    "dataclasses": "dataclass field fields asdict astuple replace is_dataclass make_dataclass",
    "inspect": "signature isfunction isclass ismethod isgenerator isgeneratorfunction iscoroutine "
    "iscoroutinefunction isawaitable ismodule isbuiltin currentframe stack getdoc getmodule unwrap "
    "getmembers cleandoc",
    "argparse": "Namespace FileType HelpFormatter RawTextHelpFormatter RawDescriptionHelpFormatter "
    "ArgumentDefaultsHelpFormatter MetavarTypeHelpFormatter BooleanOptionalAction ArgumentParser",
    "torch": "device no_grad manual_seed set_float32_matmul_precision set_num_threads get_num_threads",
    "torch.cuda": "is_available",
    "torch.distributed": "is_initialized is_available",
    "concurrent.futures": "ThreadPoolExecutor",
    "multiprocessing": "get_context current_process cpu_count",
    "signal": "getsignal strsignal",
    "rich": "print",
    "pathlib": "Path PurePath PosixPath PurePosixPath",
    "pathlib.Path": "cwd home",
}
SAFE = frozenset(f"{module}.{name}" for module, names in NAMES.items() for name in names.split())

PLAIN = (
    *("logging.", "datetime.", "time.", "uuid.", "os.path.", "platform.", "dataclasses.", "inspect."),
    *("collections.", "operator.", "functools.", "argparse.", "faulthandler.", "copy.", "pathlib."),
)
"""Modules whose other calls may raise, and do nothing else that matters here."""

RISKY_METHODS = frozenset(
    (
        *("pop", "popleft", "popitem", "remove", "index", "rindex", "next", "send", "result", "exception"),
        *(
            "get_nowait",
            "put_nowait",
            "decode",
            "encode",
            "format",
            "format_map",
            "fromisoformat",
            "strptime",
        ),
        *("start", "fileConfig", "dictConfig", "fromhex", "bind", "open", "read", "__call__"),
    )
)
"""Methods of what a call returns that may raise all the same."""


def is_safe(this: Call) -> bool:
    """True for a call that does not raise on ordinary arguments."""
    path = this.path
    if path.startswith(WHOLE):
        return True
    maker, called, method = path.partition("()")
    if not called:
        return path in SAFE
    return (maker in SAFE or is_plain(maker)) and method.rpartition(".")[2] not in RISKY_METHODS


def is_plain(path: str) -> bool:
    """True for a call of a module that may raise, and does nothing else that matters here."""
    return path.startswith(PLAIN)
