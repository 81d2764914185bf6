"""preflight.toml, or the table ``[tool.lens-preflight]`` of pyproject.toml: read, checked, frozen."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lens_preflight.choices import ASSUMPTIONS, FAIL_ON, FAMILIES, PROFILES, PURPOSES, TOPOLOGIES
from lens_preflight.core.data import dataclass, field
from lens_preflight.core.errors import InputError
from lens_preflight.core.regular import read_regular
from lens_preflight.core.waiver import Waiver
from lens_preflight.core.words import Severity
from lens_preflight.suggest import did_you_mean

MAX_BYTES = 1_000_000
MAX_SHARED = 50_000_000
"""How much of a pyproject.toml is searched for our table."""

_OURS = re.compile(
    rb"""^[ \t]*\[\[?[ \t]*["']?tool["']?[ \t]*\.[ \t]*["']?lens-preflight["']?[ \t]*[].]""", re.M
)


def _nothing() -> Mapping[Any, Any]:
    """An empty mapping that stays empty: checks from elsewhere see the settings as well."""
    return MappingProxyType({})


@dataclass(frozen=True)
class Settings:
    """What a site or a project decided once; the command line wins over each of it.

    ``families`` maps a panel family to metric stems in OTel spelling; ``backends`` a name to a URL;
    ``severity`` a rule id to its weight here, None for a rule that is switched off. ``gate`` is read
    by the gate. ``assume`` replaces what the check volume takes for granted. ``local`` are files with
    checks; it, ``dashboards``, ``rules`` and ``collector_config`` are relative to the settings file.
    ``found``: nobody named the file, it lies in the working directory.
    """

    profile: str = "auto"
    purpose: str | None = None
    topology: str | None = None
    expect: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "unknown"
    families: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    backends: Mapping[str, str] = field(default_factory=_nothing)
    severity: Mapping[str, Severity | None] = field(default_factory=_nothing)
    gate: Mapping[str, Any] = field(default_factory=_nothing)
    assume: Mapping[str, float] = field(default_factory=_nothing)
    local: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    collector_config: tuple[str, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    source: str = ""
    found: bool = False


def find(folder: Path) -> Path | None:
    """The settings file of a folder: preflight.toml, else a pyproject.toml that has our table.

    Raises:
        InputError: a pyproject.toml cannot be read, so that nobody knows whether it has our table.
    """
    own = folder / "preflight.toml"
    if os.path.lexists(own):  # a link to nowhere is somebody's settings as well
        return own
    shared = folder / "pyproject.toml"
    if not shared.is_file():
        return None
    try:
        data = read_regular(shared, MAX_SHARED)
    except OSError as error:
        raise InputError(f"{shared}: cannot be read ({error.strerror}); check its mode") from None
    if len(data) > MAX_SHARED:
        raise InputError(f"{shared}: more than {MAX_SHARED} bytes is no project file; name one with --config")
    if b"lens-preflight" not in data:
        return None
    try:
        if len(data) <= MAX_BYTES:
            return shared if _shared_table(parse_toml(data, str(shared))) is not None else None
    except InputError:
        pass
    return shared if _OURS.search(data) else None  # what is wrong with it is said where it is loaded


def load(path: Path | None) -> Settings:
    """The settings of a file, the defaults for None.

    Raises:
        InputError: the file cannot be read, is not TOML, or says something that has no meaning.
    """
    if path is None:
        return Settings()
    table = _table(path)
    if not isinstance(table, dict):
        raise InputError(f"{path}: no table [tool.lens-preflight]; add it, or give a preflight.toml")
    return _settings(table, str(path))


def _table(path: Path) -> Any:
    try:
        data = read_regular(path, MAX_BYTES)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check --config") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: more than {MAX_BYTES} bytes is no settings file; name another one")
    whole = parse_toml(data, str(path))
    return _shared_table(whole) if path.name == "pyproject.toml" else whole


def _shared_table(whole: Mapping[str, Any]) -> Any:
    """What a pyproject.toml has under our name; None when it has nothing."""
    tools = whole.get("tool")
    return tools.get("lens-preflight") if isinstance(tools, dict) else None


def parse_toml(data: bytes, name: str) -> dict[str, Any]:
    """TOML 1.0; InputError with the line of the first error."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        try:
            import tomli as tomllib
        except ModuleNotFoundError:
            give = "python3 -m pip install --user tomli"
            raise InputError(f"{name}: Python 3.10 needs tomli to read it; type {give}") from None
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # ValueError also for a number of 4301 digits
        raise InputError(f"{name}: not TOML 1.0: {error}; correct that place") from None


def _refuse_unusable(value: Any, name: str, at: str = "") -> None:
    """Stop at what tomllib takes and nothing can be made of: more than 64 bits, a zero byte."""
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        raise InputError(f"{name}: {at} is a number of more than 64 bits, which TOML 1.0 has not; correct it")
    if isinstance(value, str) and "\0" in value:
        raise InputError(
            f"{name}: {at} holds a zero byte, which is in no file name and no variable; remove it"
        )
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        _refuse_unusable(one, name, f"{at}.{key}" if at else str(key))


def _settings(table: Mapping[str, Any], name: str) -> Settings:
    _refuse_unusable(table, name)
    read: dict[str, Any] = {"source": name}
    for key, value in table.items():
        if key == "waive":
            from lens_preflight.waiver_settings import read_waivers

            read["waivers"] = read_waivers(value, name)
            continue
        reader = _KEYS.get(key)
        if reader is None:
            raise InputError(f"{name}: unknown key {key!r}; {did_you_mean(key, [*_KEYS, 'waive'])}")
        read.update(reader(value, f"{name}: {key}"))
    frozen: dict[str, Any] = {k: MappingProxyType(v) if isinstance(v, dict) else v for k, v in read.items()}
    return Settings(**frozen)


def _one_of(key: str, words: tuple[str, ...]) -> Callable[[Any, str], dict[str, Any]]:
    def read(value: Any, where: str) -> dict[str, Any]:
        if value not in words:
            raise InputError(f"{where} = {value!r} is none of {', '.join(words)}; write one of them")
        return {key: value}

    return read


def _words(key: str) -> Callable[[Any, str], dict[str, Any]]:
    def read(value: Any, where: str) -> dict[str, Any]:
        items = [value] if isinstance(value, str | int) else value
        if not isinstance(items, list) or not all(isinstance(i, str | int) for i in items):
            raise InputError(f'{where} must be a list of texts; write {key} = ["..."]')
        return {key: tuple(str(i) for i in items)}

    return read


def _site(value: Any, where: str) -> dict[str, Any]:
    table = _mapping(value, where)
    for key, word in table.items():
        if key != "collector":
            raise InputError(f"{where}: unknown key {key!r}; {did_you_mean(key, ['collector'])}")
        if word not in TOPOLOGIES:
            raise InputError(f"{where}.collector = {word!r} is none of {', '.join(TOPOLOGIES)}")
    return {"topology": table.get("collector")}


def _families(value: Any, where: str) -> dict[str, Any]:
    families: dict[str, tuple[str, ...]] = {}
    for key, stems in _mapping(value, where).items():
        if key not in FAMILIES:
            raise InputError(f"{where}: unknown family {key!r}; {did_you_mean(key, FAMILIES)}")
        if stems is False or stems == []:
            families[key] = ()
            continue
        families.update(_words(key)(stems, f"{where}.{key}"))
    return {"families": families}


def _assume(value: Any, where: str) -> dict[str, Any]:
    numbers = {}
    for key, number in _mapping(value, where).items():
        if key not in ASSUMPTIONS:
            raise InputError(f"{where}: unknown assumption {key!r}; {did_you_mean(key, ASSUMPTIONS)}")
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number < 1e12:
            raise InputError(f"{where}.{key} = {number!r} is no positive number; write {key} = 10")
        numbers[key] = float(number)
    return {"assume": numbers}


def _backends(value: Any, where: str) -> dict[str, Any]:
    backends = _mapping(value, where)
    if not all(isinstance(url, str) for url in backends.values()):
        raise InputError(f'{where} maps names to URLs; write jaeger = "http://host:16686"')
    return {"backends": backends}


def _severity(value: Any, where: str) -> dict[str, Any]:
    words: dict[str, Severity | None] = {s.word: s for s in Severity} | {"off": None}
    severity: dict[str, Severity | None] = {}
    for rule, word in _mapping(value, where).items():
        if not isinstance(word, str) or word not in words:
            raise InputError(f"{where}: {rule} = {word!r} is none of {', '.join(words)}")
        severity[rule] = words[word]
    return {"severity": severity}


def _gate(value: Any, where: str) -> dict[str, Any]:
    return {"gate": _mapping(value, where)}


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{where} must be a table; write [{where.rpartition(' ')[2]}]")
    return value


_KEYS: dict[str, Callable[[Any, str], dict[str, Any]]] = {
    "profile": _one_of("profile", PROFILES),
    "purpose": _one_of("purpose", PURPOSES),
    "fail_on": _one_of("fail_on", FAIL_ON),
    "expect": _words("expect"),
    "select": _words("select"),
    "ignore": _words("ignore"),
    "local": _words("local"),
    "dashboards": _words("dashboards"),
    "rules": _words("rules"),
    "collector_config": _words("collector_config"),
    "site": _site,
    "families": _families,
    "assume": _assume,
    "backends": _backends,
    "severity": _severity,
    "gate": _gate,
}
