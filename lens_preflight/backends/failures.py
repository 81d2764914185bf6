"""Why there is no answer at all, by the exception that requests raises."""

from __future__ import annotations

from urllib.parse import urlsplit

from lens_preflight.backends.words import Answered, Word


def unreachable(error: Exception, base: str) -> Answered:
    """Why there is no answer, by the kind of the exception; its text is never shown."""
    import requests

    scheme = urlsplit(base).scheme
    names = {type(e).__name__ for e in _chain(error)}
    if isinstance(error, requests.exceptions.SSLError):
        if names & {"SSLCertVerificationError"}:
            return Answered(
                Word.UNREACHABLE,
                "its certificate is not trusted here",
                "export REQUESTS_CA_BUNDLE=/path/to/ca.pem",
            )
        return Answered(
            Word.UNREACHABLE,
            "TLS fails: the port seems to speak plaintext",
            "write http:// instead of https://",
        )
    if isinstance(error, requests.exceptions.Timeout):
        return Answered(
            Word.UNREACHABLE,
            "no answer in time",
            "check host and port of --backend, and whether this host may reach it",
        )
    if names & {"NameResolutionError", "gaierror"}:
        return Answered(Word.UNREACHABLE, "the host name has no address here", "check the host of --backend")
    if names & {"ProxyError"}:
        return Answered(Word.UNREACHABLE, "the proxy does not pass the call on", "set no_proxy for this host")
    if isinstance(error, requests.exceptions.ChunkedEncodingError | requests.exceptions.ContentDecodingError):
        return Answered(Word.MALFORMED, "the answer is cut short", "run lens-preflight again")
    if names & {"IncompleteRead", "ProtocolError"} and "ConnectionRefusedError" not in names:
        hint = "write https:// instead of http://" if scheme == "http" else "check the port of --backend"
        return Answered(Word.UNREACHABLE, "the connection is closed without an answer", hint)
    if "ConnectionRefusedError" in names:
        return Answered(
            Word.UNREACHABLE,
            "nothing listens on that port",
            "check the port of --backend, or start the backend",
        )
    return Answered(Word.UNREACHABLE, "no connection", "check host and port of --backend")


def _chain(error: BaseException) -> list[BaseException]:
    """An exception with all that it carries as cause, context, reason or argument."""
    found: list[BaseException] = []
    todo: list[object] = [error]
    while todo and len(found) < 20:
        one = todo.pop()
        if isinstance(one, BaseException) and one not in found:
            found.append(one)
            todo += [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
    return found
