"""Which of several variables decides: the look-up idioms of the SDK and the exporters."""

from __future__ import annotations

from lens_preflight.core.variable import Environment, Variable


def non_empty(env: Environment, *names: str) -> Variable:
    """The first variable whose text is not empty, else the last one as it is.

    Raises:
        Undecided: a variable that would decide is not known before start.
    """
    for name in names:
        if env.text(name):
            return env[name]
    return env[names[-1]]


def defined(env: Environment, *names: str) -> Variable:
    """The first variable that is set, also to an empty text, else the last one as it is.

    Raises:
        Undecided: a variable that would decide is not known before start.
    """
    for name in names:
        if env.text(name) is not None:
            return env[name]
    return env[names[-1]]


def not_blank(env: Environment, *names: str) -> tuple[str, Variable]:
    """The trimmed text of the first variable that is not blank, and that variable.

    Empty text and the last variable when all are blank or unset: how NeMo Lens looks a key up
    behind its prefixes.

    Raises:
        Undecided: a variable that would decide is not known before start.
    """
    for name in names:
        text = (env.text(name) or "").strip()
        if text:
            return text, env[name]
    return "", env[names[-1]]


def otlp(signal: str, key: str) -> str:
    """The name of an exporter variable of one signal: ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT``."""
    return f"OTEL_EXPORTER_OTLP_{signal.upper()}_{key}"


def otlp_all(key: str) -> str:
    """The name of an exporter variable for all signals: ``OTEL_EXPORTER_OTLP_ENDPOINT``."""
    return f"OTEL_EXPORTER_OTLP_{key}"
