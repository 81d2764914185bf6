"""What is secret, and how it is kept out of every report, log line and traceback.

``lens_preflight.redact.guard`` covers logging and tracebacks; it is imported where it is used,
because ``logging`` costs more than all of this.
"""

from lens_preflight.redact.names import is_header_name, is_secret_name
from lens_preflight.redact.redactor import Redactor
from lens_preflight.redact.words import REDACTED

__all__ = ["REDACTED", "Redactor", "is_header_name", "is_secret_name"]
