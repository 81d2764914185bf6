"""What is secret, and how it is kept out of every report, log line and traceback."""

from lens_preflight.redact.guard import SecretFilter, guard, traceback_text
from lens_preflight.redact.names import is_header_name, is_secret_name
from lens_preflight.redact.redactor import Redactor
from lens_preflight.redact.words import REDACTED

__all__ = [
    "REDACTED",
    "Redactor",
    "SecretFilter",
    "guard",
    "is_header_name",
    "is_secret_name",
    "traceback_text",
]
