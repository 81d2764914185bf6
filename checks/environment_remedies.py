"""What to type instead of a text that the libraries do not take as it was meant."""

from __future__ import annotations

import re
from typing import TypeAlias

from lens_preflight.core.variable import Variable

Remedy: TypeAlias = tuple[str, tuple[tuple[str, str | None], ...]]

SECONDS = "3"
PLAIN = ("insecure-word", "insecure-false")
REFUSED = ("InvalidSchema", "MissingSchema", "InvalidURL")
_SCHEME = re.compile(r"(?:(?:https?|grpcs?|tcp|ftp)(?::/{0,2}|//)|//)", re.IGNORECASE)
_SIGNAL = re.compile(r"_(TRACES|METRICS|LOGS)_ENDPOINT$")
UNSET = (
    "SIGABRT",
    "InvalidCompressionValueException",
    "KeyError",
    "StopIteration",
    "RuntimeError",
    "refused",
)


def remedy(problem: str, variable: Variable) -> Remedy:
    """One line to type, and the settings that it stands for.

    ``problem`` is the code of a remark, or the exception or status of what fails. No text that may
    hold a secret is repeated.
    """
    name, text = variable.name, (variable.value or "").strip()
    if name.endswith("HEADERS"):
        return f"export {name}='name=value,name2=value2', blanks as %20 and commas as %2C", ()
    if "@" in text:
        return f"export {name} without user and password, and put a token into the headers", ()
    value = _instead(problem, name, text)
    if value is None:
        return f"unset {name}", ((name, None),)
    if value == text:
        return f"correct {name}", ()
    return f"export {name}={value}", ((name, value),)


def _instead(problem: str, name: str, text: str) -> str | None:
    """The text that was most likely meant, None to unset the variable."""
    if problem in UNSET or name.endswith(("CERTIFICATE", "CLIENT_KEY")):
        return None
    if problem in PLAIN:
        return "true"
    if name.endswith("ENDPOINT"):
        return _endpoint(problem, name, text)
    if name.endswith("PROTOCOL"):
        return "http/protobuf" if text.lower().startswith("http") or "proto" in text.lower() else "grpc"
    if name.endswith("TIMEOUT"):
        return _seconds(text)
    if name.endswith(("_ENABLED", "_DISABLED")):
        return "1" if text.lower().strip("'\"")[:1] in ("y", "t", "e", "1", "2") else "0"
    if name.endswith("EXPORT_STRATEGY"):
        return "single_rank"
    if name.endswith("_EXPORTER"):
        return "console" if text.lower() == "console" else "otlp"
    number = re.match(r"[0-9]{1,18}(?![0-9])", text)
    return number[0] if number and int(number[0]) > 0 and problem != "ValueError" else None


def _endpoint(problem: str, name: str, text: str) -> str:
    """The endpoint with a scheme, a port, and no path that is appended anyway."""
    plain = text.strip("'\" ").split(",")[0]
    own = _SIGNAL.search(name)
    if problem == "path-doubled":
        return re.split(r"[?#]", re.sub(r"/v1(/\w+)?/?$", "", plain))[0]
    if problem in ("path-missing", "400"):
        bare = re.sub(r"(/+v1/+\w+)?/*$", "", re.split(r"[?#]", plain)[0])
        return f"{bare}/v1/{own[1].lower()}" if own else bare
    secure = plain.lower().startswith("https")
    host = _SCHEME.sub("", plain).rstrip("/:") or "localhost"
    if not re.search(r":\d{1,5}(/|$)", host):
        host += ":4318" if problem in REFUSED else ":4317"
    return f"{'https' if secure else 'http'}://{host}"


def _seconds(text: str) -> str:
    """Seconds out of a text with a unit, or out of milliseconds."""
    number = re.match(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m)?", text)
    if not number:
        return SECONDS
    value = float(number[1]) * {"ms": 0.001, "m": 60.0}.get(number[2] or "", 1.0)
    value = value / 1000 if value >= 1000 else value
    return f"{value:g}" if 0 < value < 300 else SECONDS
