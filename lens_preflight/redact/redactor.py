"""The Redactor: built once from the secrets of a run, then every text goes through it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lens_preflight.core.escapes import escaped, inert
from lens_preflight.core.outcome import RunRecord
from lens_preflight.core.variable import Environment
from lens_preflight.redact import sources
from lens_preflight.redact.forms import forms
from lens_preflight.redact.names import is_header_name, is_secret_name
from lens_preflight.redact.pieces import Pieces
from lens_preflight.redact.shapes import mask
from lens_preflight.redact.words import REDACTED, SHORTEST, credential, ordinary, reference

_SURE = 8


class Redactor:
    """Replaces known secrets in all their forms and pieces, then whatever looks like one.

    A secret of fewer than 4 characters is hidden where it is assigned (``x-scope=1``), not wherever
    it occurs; a short plain word is hidden as a whole word only.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        kept = {s for s in secrets if len(s.strip()) >= SHORTEST and not ordinary(s) and not reference(s)}
        self._secrets = frozenset(kept)
        self._pieces = Pieces(kept)
        weak = {s for s in kept if len(s) < _SURE and s.isalnum()}
        spelt = {form for secret in kept for form in forms(secret) if form not in weak}
        self._forms = tuple(sorted(form for form in spelt if form not in REDACTED))
        self._weak = tuple(sorted(word for word in weak if word not in REDACTED))

    @classmethod
    def of(
        cls,
        environments: Iterable[Environment | Mapping[str, str]] = (),
        texts: Iterable[str] = (),
        netrc: str = "",
        headers: Iterable[tuple[str, str]] = (),
    ) -> Redactor:
        """Gather the secrets of environments, scripts and URLs, a netrc file's text, and headers."""
        secrets: set[str] = set()
        for environment in environments:
            for name, value in _pairs(environment):
                secrets.update(sources.of_variable(name, value))
        for text in texts:
            secrets.update(sources.of_text(text))
        secrets.update(sources.of_netrc(netrc))
        for _, value in headers:
            secrets.update(sources.of_header(value))
        return cls(secrets)

    @classmethod
    def of_record(cls, record: RunRecord) -> Redactor:
        """Knows what looks like a secret anywhere in a run that somebody else has written down."""
        listener = _Listener()
        listener.record(record)
        return cls(listener.heard)

    def also(self, secrets: Iterable[str]) -> Redactor:
        """A Redactor that knows some more secrets."""
        return Redactor(self._secrets.union(secrets))

    def redact(self, text: str) -> str:
        """The text without its secrets; doing it twice changes nothing.

        No escape sequence stays either: a terminal shows what is around one as one word.
        """
        text = self._without_known(text)
        return mask(self._without_known(inert(text)) if escaped(text) else text)

    def _without_known(self, text: str) -> str:
        spans = [span for form in self._forms if form in text for span in _occurrences(form, text)]
        for word in self._weak:
            if word in text:
                pattern = rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])"
                spans += [match.span() for match in re.finditer(pattern, text)]
        spans += self._pieces.spans(text)
        return _without(text, spans) if spans else text

    def variable(self, name: str, value: str) -> str:
        """The value of a variable as it may be shown: keys of headers stay, their values do not."""
        if is_header_name(name):
            pairs = sources.headers(value)
            return ",".join(
                f"{self.redact(key)}={_hidden(text)}" if key else _hidden(text) for key, text in pairs
            )
        if is_secret_name(name):
            return _hidden(value)
        return self.redact(value)

    def arguments(self, argv: Iterable[str]) -> tuple[str, ...]:
        """Command-line arguments; the value of a secret option or assignment is hidden whole."""
        out: list[str] = []
        secret_next = False
        for argument in argv:
            out.append(_hidden(argument) if secret_next else self._argument(argument))
            secret_next = argument.startswith("-") and "=" not in argument and is_secret_name(argument)
        return tuple(out)

    def _argument(self, argument: str) -> str:
        told = self.redact(argument)
        name, equals, value = told.partition("=")
        if equals and name.lstrip("-+").replace("-", "_").replace(".", "_").isidentifier():
            return f"{name}={self.variable(name, value)}"
        return told

    def data(self, value: Any, name: str = "") -> Any:
        """Plain data, to any depth; ``name`` is the key under which it was found."""
        from lens_preflight.redact.deep import data

        return data(self, value, name)

    def record(self, record: RunRecord) -> RunRecord:
        """A finished run without its secrets; statuses, ids and counts stay as they are."""
        from lens_preflight.redact.deep import record as deep

        return deep(self, record)


class _Listener(Redactor):
    """Hides nothing, and remembers all that looks like a secret."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: set[str] = set()

    def redact(self, text: str) -> str:
        """The text as it is."""
        self.heard.update(sources.of_text(text))
        return text

    def variable(self, name: str, value: str) -> str:
        """The value as it is."""
        self.heard.update(sources.of_variable(name, value))
        return value

    def arguments(self, argv: Iterable[str]) -> tuple[str, ...]:
        """The arguments as they are."""
        words = tuple(argv)
        self.redact(" ".join(words))
        return words


def _pairs(environment: Environment | Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if isinstance(environment, Environment):
        return ((v.name, v.value) for v in environment if v.value is not None)
    return environment.items()


def _hidden(value: str) -> str:
    """The mark, unless there is nothing to hide: an empty text, a reference such as ``$TOKEN``."""
    text = credential(value.strip())
    return REDACTED if text and not reference(text) else value


def _occurrences(form: str, text: str) -> Iterator[tuple[int, int]]:
    start = text.find(form)
    while start >= 0:
        yield start, start + len(form)
        start = text.find(form, start + 1)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with the mark in place of the spans; overlapping ones become one mark."""
    kept, end = [], -1
    for start, stop in sorted(spans):
        if start >= end:
            kept += [text[max(end, 0) : start], REDACTED]
        end = max(end, stop)
    return "".join([*kept, text[end:]])
