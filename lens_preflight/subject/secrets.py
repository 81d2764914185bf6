"""The Redactor of a run: built from every place in which its subject holds a secret."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lens_preflight.core.errors import InputError, Undecided
from lens_preflight.core.variable import Environment
from lens_preflight.redact import Redactor
from lens_preflight.subject.inputs import Inputs
from lens_preflight.subject.subject import Subject

LIMIT = 1 << 20


def redactor(subject: Subject) -> Redactor:
    """Knows the secrets of the environments, the scripts, the command line and the netrc file."""
    environments = [subject.inputs.process, subject.inputs.given, *(one.env for one in subject.launches)]
    environments += [one.env for one in subject.memo.made("inside")]  # what the programs write themselves
    netrc = "\n".join(
        text for one in environments for path in _netrc_paths(one) if (text := subject.files.text(path))
    )
    known = Redactor.of(environments, (*_texts(subject.inputs), *_arguments(subject)), netrc)
    return known.also(_tokens(subject)) if subject.inputs.backends else known


def _tokens(subject: Subject) -> Iterator[str]:
    """What may be sent to backends, the tokens in files that only a variable names included."""
    from lens_preflight.backends.access import secret_texts

    env = subject.inputs.process.over(subject.inputs.given)
    for name in subject.inputs.backends:
        try:
            yield from secret_texts(name, env, subject.files)
        except (InputError, Undecided):
            continue


def _arguments(subject: Subject) -> Iterator[str]:
    """The words of each program, and the same as one line: ``--token`` names the secret behind it."""
    for words in dict.fromkeys((subject.inputs.args, *(one.args for one in subject.launches))):
        yield from words
        yield " ".join(words)


def _netrc_paths(env: Environment) -> Iterator[str]:
    """The netrc files that a client in this environment may read, as far as that is known."""
    named, home = env["NETRC"].value, env["HOME"].value
    if named:
        yield named
    if home:
        yield from (f"{home}/.netrc", f"{home}/_netrc")


def _texts(inputs: Inputs) -> Iterator[str]:
    """Every text of the user that ends up in messages: files, URLs, options."""
    yield from inputs.backends.values()
    yield from (text for text in (inputs.endpoint, inputs.submit) if text)
    for name in (*inputs.targets, *inputs.collector):
        path = Path(name)
        try:
            if os.path.isfile(name):
                with path.open("rb") as file:
                    yield file.read(LIMIT).decode("utf-8", "replace")
        except OSError:
            continue
