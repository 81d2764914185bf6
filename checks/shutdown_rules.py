"""The rules of the check shutdown."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Severity

SHAPE = (
    "Write `try:` right behind the setup and `finally: handle.shutdown()` at the end of the same function."
)

UNPROTECTED = Rule(
    "shutdown/missing",
    "the program ends normally without handle.shutdown()",
    Severity.BLOCKER,
    help="What the batch processors and the metric reader still hold is then left to the SDK's own hook for the end of "
    "the process, which the checklist does not accept as the call: it has no time limit and does not run on a "
    f"signal. {SHAPE}",
)
ONLY_EXCEPTIONS = Rule(
    "shutdown/some-ways-only",
    "one way out shuts down and a normal end does not",
    Severity.BLOCKER,
    help="A call in an except clause, behind one of several returns, or behind a guard that has nothing to do with "
    f"telemetry leaves the other ways without it. {SHAPE}",
)
SUCCESS_ONLY = Rule(
    "shutdown/success-only",
    "an exception in training leaves without handle.shutdown()",
    Severity.BLOCKER,
    help="A call behind the training loop runs only when the loop returns. The run that failed is the one whose last "
    f"spans you need. {SHAPE}",
)
HARD_EXIT = Rule(
    "shutdown/hard-exit",
    "the process ends hard before handle.shutdown()",
    Severity.BLOCKER,
    help="`os._exit`, `os.abort`, SIGKILL to oneself and `os.exec*` run no finally and no exit hook: "
    "nothing is flushed, and not even the SDK's hook helps. Call `handle.shutdown()` in front of it.",
)
MAYBE_HARD = Rule(
    "shutdown/hard-exit-by-option",
    "under another option or variable, or by a timer, the process ends hard before handle.shutdown()",
    Severity.CAUTION,
    help="This launch does not take that branch, or only when the time of a watchdog is over "
    "(`faulthandler.dump_traceback_later(..., exit=True)`, `signal.alarm` without a handler, a thread or "
    "`threading.Timer` that calls `os._exit`). Then no finally and no exit hook runs. "
    "Call `handle.shutdown()` in front of the hard exit; let the watchdog raise.",
)
PREMATURE = Rule(
    "shutdown/premature",
    "telemetry is shut down before training ends",
    Severity.BLOCKER,
    help="After the call every span and measurement of the process is dropped without a word. The finally "
    "belongs around the whole of training, not around loading or one epoch; a thread that trains has to be "
    "waited for without a limit before it.",
)
GAP = Rule(
    "shutdown/gap",
    "a statement may raise where nothing promises the shutdown",
    Severity.CAUTION,
    help="Between the setup and the try, in front of the shutdown inside a finally, or before the exit "
    "hook is registered, an exception leaves without the call. A collective there (barrier, "
    "destroy_process_group) may also wait for ever for a rank that is gone. Open the try right "
    "behind the setup, and put the shutdown first in the finally.",
)
AFTER = Rule(
    "shutdown/work-after",
    "something runs after the shutdown; what it records is dropped",
    Severity.CAUTION,
    help="The call is not known here; if it records spans or metrics they are lost. Move it in front of "
    "the shutdown, into the try.",
)
HOOK = Rule(
    "shutdown/exit-hook",
    "an exit hook promises the shutdown",
    Severity.NOTE,
    help="`atexit` covers return, exception and sys.exit, but not SIGTERM, `os._exit` or `ray.kill`, and "
    "it runs when Python is already shutting down: from 3.12 on no new thread may start there. A "
    "finally is better.",
)
CHILD_HOOK = Rule(
    "shutdown/exit-hook-in-child",
    "an exit hook in a forked child process promises the shutdown",
    Severity.CAUTION,
    help="Children that multiprocessing forks run exit hooks only from Python 3.13 on; under 3.12 they "
    "ran none. Ray actors that are killed run none at all. Use a finally in the child's function.",
)
THREAD_AT_EXIT = Rule(
    "shutdown/thread-at-exit",
    "the exit hook starts a thread for the shutdown",
    Severity.CAUTION,
    help="While Python shuts down, starting a thread raises RuntimeError under 3.12 (it works under "
    "3.13). Call `handle.shutdown(timeout_ms=...)` directly, or use a finally.",
)
FINALIZER = Rule(
    "shutdown/finalizer",
    "a finalizer of an object promises the shutdown",
    Severity.CAUTION,
    help="`weakref.finalize` runs when its object goes, which may be too early, and `__del__` may not run at all. "
    f"{SHAPE}",
)
SCHEDULED = Rule(
    "shutdown/not-awaited",
    "the shutdown is only scheduled and nothing awaits it",
    Severity.CAUTION,
    help="A task that nobody awaits gets one more turn after a normal end or an exception, and none after "
    "SystemExit. Call the shutdown, or await the task.",
)
FORKED = Rule(
    "shutdown/forked",
    "telemetry is set up before processes are forked",
    Severity.CAUTION,
    help="A forked child inherits providers whose export threads did not survive the fork: its spans are "
    "lost. Set up inside of the child's function, with its own finally.",
)
DAEMON_CHILD = Rule(
    "shutdown/daemon-child",
    "telemetry lives in a daemon process that nobody waits for",
    Severity.CAUTION,
    help="A daemon process is ended by SIGTERM when its parent leaves, in the middle of a step, and its finally does "
    "not run. Join it, or start it without `daemon=True`.",
)
ENDED_CHILD = Rule(
    "shutdown/ended-child",
    "a process with telemetry is ended from outside, perhaps in the middle of a step",
    Severity.CAUTION,
    help="`terminate()` and `kill()` of a process that was waited for with a limit, or not at all, end it by a signal: "
    "its finally and its exit hooks do not run. Leaving `with Pool(...)` terminates the workers as well. "
    "Wait with `join()` first (`close()` and `join()` for a pool), or let the child handle SIGTERM.",
)
NONE_HANDLE = Rule(
    "shutdown/none-handle",
    "shutdown is called on None",
    Severity.CAUTION,
    help="Processes that do not export got no handle; their good run ends in AttributeError. Guard the "
    "call: `if handle is not None: handle.shutdown()`, or set up everywhere with `config.enabled = "
    "False`.",
)
REJECTED = Rule(
    "shutdown/rejected",
    "this generation of Lens refuses the setup call, so there is nothing to shut down",
    Severity.BLOCKER,
    help="The TypeError comes before the try. Make the call fit the generation first: see "
    "setup-once/rejected.",
)

rules = (
    UNPROTECTED,
    ONLY_EXCEPTIONS,
    SUCCESS_ONLY,
    HARD_EXIT,
    MAYBE_HARD,
    PREMATURE,
    GAP,
    AFTER,
    HOOK,
    CHILD_HOOK,
    THREAD_AT_EXIT,
    FINALIZER,
    SCHEDULED,
    FORKED,
    DAEMON_CHILD,
    ENDED_CHILD,
    NONE_HANDLE,
    REJECTED,
)
