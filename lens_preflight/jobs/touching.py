"""Commands that write, copy, change or remove files: tee, cp, mv, ln, rm, sed -i and their kin."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass
from lens_preflight.jobs.draft import Where
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.text import EMPTY, Text, literal
from lens_preflight.jobs.written import key_of, mentioned

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell

_LONG = ("--", "-M", "-I")
"""Beginnings of options that are no groups of letters."""

_GLOB = frozenset("*?[")


@dataclass(frozen=True)
class Deed:
    """One command that works on files: its words behind the name, and where it runs."""

    shell: Shell
    options: tuple[str, ...]
    operands: tuple[Text, ...]
    cwd: str | None
    where: Where
    given: Text | None = None
    names: frozenset[str] = frozenset()

    def has(self, letter: str, *names: str) -> bool:
        """Whether an option is given, as a letter of a group or by its long name."""
        short = any(o[:1] == "-" and o[:2] not in _LONG and letter in o[1:] for o in self.options)
        return short or any(o in names for o in self.options)

    def key(self, text: Text) -> str:
        """The name under which a file is remembered."""
        return key_of(self.shell.run, text, self.cwd, self.where)

    def write(self, key: str, text: Field | None, *, gone: bool = False) -> None:
        """Remember it, but for devices."""
        if key and not key.startswith(("/dev/", "/proc/")):
            self.shell.run.files.written.write(key, text, gone=gone, names=self.names)

    def sweep(self, folder: str, pattern: str = "*") -> None:
        """Files below a folder may be others from here on."""
        if os.path.isabs(folder):
            self.shell.run.files.written.sweep(folder, pattern)

    def text(self, key: str, line: int = 1) -> Field | None:
        """What a file holds, as far as it is known."""
        files = self.shell.run.files
        made = files.written.content(key)
        if made is not None:
            return made.text
        found = files.found(key) if os.path.isabs(key) else None
        return None if found is None else Field(literal(found), line)

    def is_folder(self, key: str) -> bool:
        """Whether a name is that of a folder, as far as can be seen from here."""
        return os.path.isabs(key) and self.shell.run.files.kind(key) == "folder"


def touch(shell: Shell, words: Sequence[Field], cwd: str | None, where: Where, body: Field | None) -> None:
    """Take note of what a command does to files; the many that do nothing to any are passed over."""
    name = words[0].constant.rpartition("/")[2]
    handler = _DEEDS.get(name)
    if handler is None:
        return
    options: list[str] = []
    operands: list[Text] = []
    plain = False
    valued = _VALUED.get(name, ())
    skip = False
    for word in words[1:]:
        text = word.constant
        if skip:
            skip = False
            options.append(f"={text}")
        elif text == "--" and not plain:
            plain = True
        elif text.startswith("-") and len(text) > 1 and not plain:
            options.append(text)
            skip = text in valued
        else:
            operands.append(word.text)
    names = mentioned(" ".join(word.text.template for word in words))
    handler(Deed(shell, tuple(options), tuple(operands), cwd, where, _input(shell, body), names))


def _input(shell: Shell, body: Field | None) -> Text | None:
    """Standard input, as far as it is known."""
    if body is not None:
        return None if body.text.symbols and len(body.text.pieces) == 1 else body.text
    if shell.piped is not None or shell.state.stdin is None:
        return None if shell.piped is None else _input(shell, Field(shell.piped, 1))
    out = EMPTY
    for line in shell.state.stdin:
        out = out + line + literal("\n")
    return out


def _tee(deed: Deed) -> None:
    from lens_preflight.jobs.redirection import put

    for target in deed.operands:
        text = None if deed.given is None else Field(deed.given, 1)
        put(deed.shell, target, text, deed.has("a", "--append"), deed.names)


def _each_unknown(deed: Deed) -> None:
    for target in deed.operands:
        _unknown(deed, target)


def _unknown(deed: Deed, target: Text) -> None:
    key = deed.key(target)
    if _GLOB & set(key):
        deed.sweep(*_split_glob(key))
    else:
        deed.write(key, None)


def _split_glob(key: str) -> tuple[str, str]:
    """The folder in front of the first pattern, and the pattern."""
    parts = key.split("/")
    first = next(i for i, part in enumerate(parts) if _GLOB & set(part))
    return "/".join(parts[:first]) or "/", "/".join(parts[first:])


def _in_place(deed: Deed) -> None:
    """``sed -i SCRIPT FILE ...``, ``perl -pi -e SCRIPT FILE ...``."""
    if not (deed.has("i") or any(o.startswith("--in-place") for o in deed.options)):
        return
    given = (
        deed.has("e") or deed.has("f") or any(o.startswith(("--expression", "--file")) for o in deed.options)
    )
    for target in deed.operands if given else deed.operands[1:]:
        _unknown(deed, target)


def _remove(deed: Deed) -> None:
    for target in deed.operands:
        key = deed.key(target)
        if _GLOB & set(key):
            deed.sweep(*_split_glob(key))
        elif deed.is_folder(key) or deed.has("r", "--recursive", "-R"):
            deed.write(key, None)
            deed.sweep(key)
        else:
            deed.write(key, None, gone=True)


def _touch_time(deed: Deed) -> None:
    for target in deed.operands:
        made = deed.shell.run.files.written.content(deed.key(target))
        if made is not None and made.gone:
            deed.write(deed.key(target), Field(EMPTY, 1))


def _make_folder(deed: Deed) -> None:
    for target in deed.operands:
        if deed.shell.run.files.written.content(deed.key(target)) is not None:
            deed.write(deed.key(target), None)


def _copy(deed: Deed) -> None:
    for source, target in _pairs(deed):
        _transfer(deed, source, target)


def _move(deed: Deed) -> None:
    for source, target in _pairs(deed):
        _transfer(deed, source, target)
        if _GLOB & set(source):
            deed.sweep(*_split_glob(source))
        else:
            deed.write(source, None, gone=not deed.is_folder(source))
            if deed.is_folder(source):
                deed.sweep(source)


def _sync(deed: Deed) -> None:
    """``rsync``: a folder with a slash at its end is its content."""
    for source, target in _pairs(deed):
        if ":" in source.partition("/")[0]:
            deed.write(target, None)
            deed.sweep(target if deed.is_folder(target) else os.path.dirname(target) or target)
        else:
            _transfer(deed, source, target)


def _pairs(deed: Deed) -> list[tuple[str, str]]:
    """Source and target of each file that is copied."""
    into = next((o.partition("=")[2] for o in deed.options if o.startswith("--target-directory=")), "")
    sources, targets = deed.operands, deed.operands[-1:]
    if "-t" in deed.options:
        at = deed.options.index("-t")
        into = deed.options[at + 1][1:] if at + 1 < len(deed.options) else ""
    if into:
        targets = (literal(into),)
    else:
        sources = sources[:-1]
    if not targets or not sources:
        return []
    target = deed.key(targets[0])
    folder = bool(into) or len(sources) > 1 or targets[0].template.endswith("/") or deed.is_folder(target)
    found = []
    for source in sources:
        key = deed.key(source)
        globbed = bool(_GLOB & set(key))
        inside = (folder or globbed) and not deed.has("T") and not source.template.endswith(("/", "/."))
        found.append((key, os.path.join(target, os.path.basename(key)) if inside else target))
    return found


def _transfer(deed: Deed, source: str, target: str) -> None:
    """One source arrives under a name: a known text, a whole folder, or something that is not known."""
    if _GLOB & set(target):
        folder, pattern = _split_glob(target)
        deed.sweep(folder, pattern)
    elif deed.is_folder(source):
        deed.sweep(target)
    elif (text := deed.text(source)) is not None:
        deed.write(target, text)
    else:
        deed.write(target, None)


def _output(*names: str) -> Callable[[Deed], None]:
    """A command that writes the file behind an option."""

    def deed(one: Deed) -> None:
        for index, option in enumerate(one.options):
            head, equals, value = option.partition("=")
            if head in names and equals:
                _unknown(one, literal(value))
            elif option in names and index + 1 < len(one.options):
                _unknown(one, literal(one.options[index + 1][1:]))

    return deed


def _dd(deed: Deed) -> None:
    for operand in deed.operands:
        if operand.template.startswith("of="):
            _unknown(deed, literal(operand.template[3:]))


_VALUED = {
    "cp": ("-t", "-S"),
    "mv": ("-t", "-S"),
    "ln": ("-t", "-S"),
    "install": ("-t", "-m", "-o", "-g", "-S"),
    "truncate": ("-s", "-r", "-o"),
    "touch": ("-d", "-t", "-r"),
    "mkdir": ("-m",),
    "sed": ("-e", "-f", "-l"),
    "perl": ("-e", "-pe", "-ne", "-pie", "-I"),
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "rsync": ("-e", "--exclude", "--include", "--filter", "--rsh"),
    "sbcast": ("-t", "-F", "-s"),
    "patch": ("-p", "-i", "-d"),
}
_DEEDS: dict[str, Callable[[Deed], None]] = {
    "tee": _tee,
    "sed": _in_place,
    "perl": _in_place,
    "cp": _copy,
    "install": _copy,
    "ln": _copy,
    "sbcast": _copy,
    "rsync": _sync,
    "mv": _move,
    "rm": _remove,
    "unlink": _remove,
    "shred": _each_unknown,
    "truncate": _each_unknown,
    "sponge": _each_unknown,
    "patch": _each_unknown,
    "touch": _touch_time,
    "mkdir": _make_folder,
    "curl": _output("-o", "--output"),
    "wget": _output("-O", "--output-document"),
    "dd": _dd,
}
