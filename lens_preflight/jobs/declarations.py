"""``export``, ``declare``, ``local``, ``readonly``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import dataclass, replace
from lens_preflight.jobs import listing
from lens_preflight.jobs.assignments import Setting, _loss, cast, opaque, read_assign, refer
from lens_preflight.jobs.braces import brace_options
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.inspection import inspect, remark
from lens_preflight.jobs.model import Loss, Slip
from lens_preflight.jobs.names import NAME, is_telemetry
from lens_preflight.jobs.secrets import look
from lens_preflight.jobs.state import Rest, State, Var, left_to
from lens_preflight.jobs.syntax import Node, parts_of
from lens_preflight.jobs.text import EMPTY, Cause, Symbol, Text, literal
from lens_preflight.jobs.unnamed import export_names, head_of, set_names, unset_names
from lens_preflight.jobs.words import fields_of

if TYPE_CHECKING:
    from lens_preflight.jobs.shell import Shell


@dataclass(frozen=True)
class Words:
    """The words of a declaration: its flags, those behind ``+``, names with values, names that are not known.

    ``broken``: a word is no name.
    """

    flags: str = ""
    plus: str = ""
    settings: tuple[Setting, ...] = ()
    unnamed: tuple[Text, ...] = ()
    broken: bool = False

    def asks(self, variant: str) -> bool:
        """Whether the declaration only prints what is set."""
        bare = not self.settings and not self.unnamed and not self.broken
        if variant == "export" or bare:
            return bare
        functions = bool({"f", "F"} & set(self.flags)) and "x" not in self.flags
        return functions or ("p" in self.flags and variant != "readonly")

    def __add__(self, other: Words) -> Words:
        return Words(
            self.flags + other.flags,
            self.plus + other.plus,
            self.settings + other.settings,
            self.unnamed + other.unnamed,
            self.broken or other.broken,
        )


def declare(shell: Shell, node: Node) -> bool | None:
    """``export``, ``declare``, ``typeset``, ``local``, ``readonly``."""
    return declared(shell, node["Variant"]["Value"], read_words(shell, node), int(node.get("Pos") or 0))


def declared(shell: Shell, variant: str, words: Words, line: int) -> bool | None:
    """The same with its words expanded."""
    flags, settings = words.flags, words.settings
    drops = ("n" in flags and variant == "export") or ("x" in words.plus and variant != "export")
    export = (variant == "export" or "x" in flags) and not drops
    local = variant in ("local", "declare", "typeset") and bool(shell.state.frames) and "g" not in flags
    if "f" in flags and (export or drops):
        names = frozenset(setting.name for setting in settings)
        shell.state.shared = shell.state.shared - names if drops else shell.state.shared | names
    if "f" in flags or "F" in flags:
        return (
            True
            if export or drops
            else listing.all_of(one.name in shell.state.functions or None for one in settings)
        )
    if words.asks(variant):
        return listing.all_of(listing.is_declared(shell, one.name) for one in settings)
    if "n" in flags and variant != "export":
        _refer(shell, settings)
        return True
    for text in words.unnamed:
        _declare_unnamed(shell, text, line, export, drops)
    if words.broken:
        _bad(shell, settings, line)
    fixed = variant == "readonly" or "r" in flags
    refused = False
    for setting in settings:
        old = shell.state.vars.get(setting.name)
        if old is not None and old.fixed:
            bare = setting.value is None and setting.items is None and not local
            refused = refused or not bare
            if variant == "export" or ((export or drops) and bare):
                shell.state.vars[setting.name] = replace(old, exported=not drops)
            continue
        if local:
            _hide(shell, setting.name, export)
        if drops and setting.items is None and setting.table is None:
            _unexport(shell, setting, local)
        else:
            _declare_one(shell, setting, export, local, "A" in flags, "a" in flags)
            _cast(shell, setting.name, flags)
            if export and setting.name in shell.state.prefixed:
                shell.state.kept[setting.name] = shell.state.vars[setting.name]
        if fixed:
            now = shell.state.vars.get(setting.name, Var(shell.state.rest.value(setting.name)))
            shell.state.vars[setting.name] = replace(now, fixed=True)
    _split_words(shell, settings)
    _cut(shell, settings, line)
    hard = variant in ("export", "readonly") or not shell.conditional  # || true does not save an export
    if refused and hard and "errexit" in shell.state.options:
        shell.abort("a readonly variable is set under set -e", line)
    return not refused


def _declare_unnamed(shell: Shell, text: Text, line: int, export: bool, drops: bool) -> None:
    """A word whose name is not known: it may be set, exported, or taken out of the environment."""
    name = head_of(text)
    if drops and name == text:
        unset_names(shell, Field(text, line), kept=True)
        return
    if export and listing.is_more(text) and shell.state.rest.complete:
        (one,) = text.symbols
        shell.state.rest = Rest(False, one.cause, one.reason, shell.at(line))
    if listing.is_list(text):  # what is set already, by its name
        if export:
            export_names(shell, text)
        return
    why = "names that are not known are exported" if export else "a name that is not known is set"
    set_names(shell, name, line, export=export, why=why)


def _cast(shell: Shell, name: str, flags: str) -> None:
    """``declare -u``, ``-l``, ``-i``: what is assigned is changed on its way in."""
    kind = next((flag for flag in flags if flag in "uli"), "")
    if kind and not shell.state.vars.get(name, Var()).is_array:
        var = replace(shell.state.vars.get(name, Var()), cast=kind)
        shell.state.vars[name] = var if var.value is None else replace(var, value=cast(var.value, kind))


def _refer(shell: Shell, settings: Sequence[Setting]) -> None:
    """``declare -n``: from here on another name may set what it refers to."""
    for setting in settings:
        target = None if setting.value is None else setting.value.certain
        if target is None or not NAME.fullmatch(target):
            opaque(shell, "a name reference may set it", shell.at(setting.line), keep=setting.value is None)
            continue
        refer(shell, target, setting.line)
        text = Text.of(Symbol(setting.name, Cause.OPAQUE, reason="it is the name of another variable"))
        shell.state.vars[setting.name] = Var(text, cast=f"n{target}")


def read_words(shell: Shell, node: Node) -> Words:
    """The words with their values; all are expanded before one is set."""
    found = Words()
    for arg in node.get("Args") or ():
        if arg.get("Name") is not None and not arg.get("Naked"):
            found += Words(settings=tuple(_spelled(shell, arg)))
        elif arg.get("Name") is not None:
            found += Words(settings=(Setting(arg["Name"]["Value"], None, int(arg["Pos"])),))
        else:
            for field in fields_of([arg["Value"]], shell):
                found += sorted_out(replace(field, line=int(arg["Pos"])), arg["Value"])
    return found


def sorted_out(field: Field, word: Node | None = None) -> Words:
    """One word of a declaration: a group of flags, a name with or without a value, or neither."""
    plain = field.text.constant
    if plain is not None and plain[:1] in ("-", "+") and len(plain) > 1:
        return Words(plain[1:]) if plain[0] == "-" else Words(plus=plain[1:])
    setting = setting_of(field.text, field.line, word)
    if setting is not None:
        return Words(settings=(setting,))
    return Words(broken=True) if plain is not None else Words(unnamed=(field.text,))


def _spelled(shell: Shell, arg: Node) -> list[Setting]:
    parts = parts_of(arg.get("Value"))
    if len(parts) == 1 and parts[0]["Type"] == "Lit":
        options = brace_options(parts[0]["Value"])
        if options:
            words = [{**arg["Value"], "Parts": [{**parts[0], "Value": o}]} for o in options]
            return [read_assign(shell, {**arg, "Value": word}) for word in words]
    return [read_assign(shell, arg)]


def setting_of(text: Text, line: int, word: Node | None = None) -> Setting | None:
    """``NAME=value`` or ``NAME`` as one word; None when it is neither."""
    head = text.pieces[0] if text.pieces and isinstance(text.pieces[0], str) else ""
    name, equals, rest = head.partition("=")
    if not NAME.fullmatch(name):
        return None
    if not equals:
        return Setting(name, None, line) if len(text.pieces) == 1 else None
    return Setting(name, literal(rest) + Text(text.pieces[1:]), line, word)


def _declare_one(shell: Shell, s: Setting, export: bool, local: bool, table: bool, array: bool) -> None:
    state, line = shell.state, s.line
    old = state.vars.get(s.name)
    if s.items is not None or s.table is not None or table or array:
        shell.note(s.name, line, Loss.ARRAY)
        kept = old if old is not None and old.is_array and s.items is None and s.table is None else None
        items = None if table else (s.items or () if s.table is None else None)
        pairs = dict(s.table) if s.table is not None else ({} if table else None)
        if table and s.items:
            pairs = {}
        fresh = Var(None, export, items if pairs is None else None, pairs, at=shell.frame.inner(line))
        if local and old is not None and old.outer is not None:
            fresh = replace(fresh, exported=True, outer=old.outer)
        state.vars[s.name] = kept or fresh
        return
    exported = export or "allexport" in state.options
    if s.value is None:
        if exported:
            base = old if old is not None else Var(state.rest.value(s.name), at=shell.frame.inner(line))
            state.vars[s.name] = replace(base, exported=True)
            if base.value is not None:
                shell.note(s.name, line, _loss(shell, s.name))
        return
    value = s.value if not s.append else (state.value(s.name) or EMPTY) + s.value
    exported = exported or (old is not None and old.exported)
    inspect(shell, s)
    shell.note(s.name, line, _loss(shell, s.name) if exported else shell.isolated or Loss.NOT_EXPORTED)
    if old is not None and old.items is not None and not local:
        state.vars[s.name] = replace(old, items=(value, *old.items[1:]), exported=exported)
    else:
        state.vars[s.name] = Var(value, exported, at=shell.frame.inner(line), by=shell.frame.path)
    look(shell.run, s.name, value, shell.at(line), exported)


def _hide(shell: Shell, name: str, export: bool) -> None:
    """A name becomes local to the function that runs, without a value so far."""
    state = shell.state
    frame = state.frames[-1]
    if name not in frame:
        frame[name] = state.vars.get(name)
        state.vars[name] = hidden(state, frame[name], name, export)


def hidden(state: State, old: Var | None, name: str, export: bool) -> Var:
    """A local without a value: children still get the exported value that it hides."""
    if old is None:
        open_ = not state.rest.complete
        return Var(None, export or open_, outer=state.rest.value(name))
    outer = old.handed if old.exported else None
    return Var(None, export or old.exported, at=old.at, by=old.by, outer=outer)


def _unexport(shell: Shell, s: Setting, local: bool) -> None:
    """``export -n``, ``declare +x``; of a local, children still get what it hides."""
    old = shell.state.vars.get(s.name) or Var(shell.state.value(s.name))
    value = old.value if s.value is None else s.value
    shell.state.vars[s.name] = replace(
        old, value=value, exported=False, doubtful=local and old.outer is not None
    )
    shell.note(s.name, s.line, Loss.UNSET_AGAIN)


def _bad(shell: Shell, settings: Iterable[Setting], line: int) -> None:
    for setting in settings:
        if setting.value is None or setting.value == EMPTY:
            shell.note(setting.name, line, Loss.BAD_ASSIGNMENT)
            remark(shell, Slip.BAD_ASSIGNMENT, setting.name, line, "no blanks may stand around the = sign")


def _cut(shell: Shell, settings: Sequence[Setting], line: int) -> None:
    """``export A=a=1;b=2``: the semicolon ends the list of pairs, and the rest is another assignment."""
    following = shell.following[0] if shell.following else {}
    command = following.get("Cmd") or {}
    same_line = int(following.get("Pos") or 0) == line
    if not settings or not same_line or command.get("Args") or not command.get("Assigns"):
        return
    last = settings[-1]
    pairs = last.name == "OTEL_RESOURCE_ATTRIBUTES" or last.name.endswith("_HEADERS")
    if pairs and "=" in (last.value or EMPTY).template:
        detail = f"{command['Assigns'][0]['Name']['Value']} is assigned beside it"
        remark(shell, Slip.METACHARACTER, last.name, line, detail)


def _set_here(shell: Shell, name: str) -> bool:
    """Whether a line above gave the variable a value; one of the submitter would be exported anyway."""
    var = shell.state.vars.get(name)
    return var is not None and var.value is not None and left_to(name, var.value) is not Cause.SUBMITTER


def _split_words(shell: Shell, settings: Sequence[Setting]) -> None:
    """``export A=x y``: the value ends at the blank, and ``y`` is taken for a name."""
    previous: Setting | None = None
    for setting in settings:
        alone = setting.value is None and not _set_here(shell, setting.name)
        if alone and previous and is_telemetry(previous.name) and not is_telemetry(setting.name):
            detail = f"the value ends before the word {setting.name}"
            remark(shell, Slip.WORD_SPLIT, previous.name, previous.line, detail)
        if setting.value is not None:
            previous = setting
