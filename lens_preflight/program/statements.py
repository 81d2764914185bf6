"""Statements: every way a block goes on or ends."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from lens_preflight.program import expressions, natives, objects, truths
from lens_preflight.program.machine import Flow, Frame, Machine, Outcome, normal, reduce
from lens_preflight.program.scopes import body_of, dotted
from lens_preflight.program.state import Cell, Site, State
from lens_preflight.program.values import Const, Lib, Ref, Tup, Unknown, Value, taints_of


def block(m: Machine, body: Sequence[ast.stmt], state: State, frame: Frame, start: int = 0) -> list[Outcome]:
    """Some statements in order."""
    return go_on(m, body, [state], frame, start, [])


def go_on(
    m: Machine, body: Sequence[ast.stmt], live: list[State], frame: Frame, start: int, done: list[Outcome]
) -> list[Outcome]:
    """The rest of a block from one statement on."""
    for i in range(start, len(body)):
        following: list[Outcome] = []
        for state in live:
            for o in statement(m, body[i], state, frame):
                if o.flow is Flow.NORMAL:
                    following.append(Outcome(Flow.NORMAL, o.state))
                elif o.flow is Flow.YIELD:
                    done.append(replace(o, path=(i, *o.path)))
                else:
                    done.append(o)
        live = [o.state for o in reduce(following)]
        if not live:
            break
    return reduce([*done, *(Outcome(Flow.NORMAL, s) for s in live)])


def statement(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """One statement."""
    m.step()
    if state.facts.handles and frame.phase == "run":
        start = getattr(frame.func.node, "lineno", 1) if frame.func is not None else 1
        state.last = (frame.site(node), Site(frame.path, start))
    if not m.plan.small and not followed(m, node, frame):
        return summed_up(m, node, state, frame)
    handler = HANDLERS.get(type(node))
    return normal(state) if handler is None else handler(m, node, state, frame)


def followed(m: Machine, node: ast.stmt, frame: Frame) -> bool:
    """True when a statement of a large program has to do with telemetry, or just binds something plain."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.Name):
        return True
    if frame.func is not None:
        return m.plan.matters(node, frame.func.node, frame.path, body_of(frame.func.node))
    if frame.cell != frame.globals:
        return True
    return m.plan.matters(node, None, frame.path, m.closure.source(frame.path).tree.body)


def summed_up(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """A statement that does nothing to telemetry: its names are unknown, and it may fail once."""
    from lens_preflight.program import calls, training

    if id(node) not in m.sums:
        m.sums[id(node)] = sum_of(node)
    names, at, name = m.sums[id(node)]
    for word in names:
        objects.bind(m, word, Unknown(frozenset((f"opaque:{word}",))), state, frame)
    if at is None:
        return normal(state)
    if not training.trains(name):
        key = (frame.stack, frame.path, state.facts, state.hypo, frame.cleanup)
        if key in m.inert:
            return normal(state)
        m.inert.add(key)
    training.opaque_call(m, name, frame.site(at, f"{name}()"), state, frame)
    out = training.signal_during(m, name, state, frame, at)
    return [*normal(state), *out, *calls.opaque_failures(m, state, frame, at, f"{name}()")]


def expression(m: Machine, node: ast.Expr, state: State, frame: Frame) -> list[Outcome]:
    """An expression for its effect."""
    return expressions.evaluate(m, node.value, state, frame)


def assign(m: Machine, node: ast.Assign, state: State, frame: Frame) -> list[Outcome]:
    """``a = b = value``."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.value, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        value = o.value
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, bool | str):
            target = node.targets[0]
            kind = "const" if isinstance(node.value.value, bool) else "choice"
            if isinstance(target, ast.Name):
                value = Const(node.value.value, frozenset((f"{kind}:{target.id}",)))
        live = [o.state]
        for target in node.targets:
            following: list[State] = []
            for here in live:
                for a in store(m, target, value, here, frame):
                    if a.flow is Flow.NORMAL:
                        following.append(a.state)
                    else:
                        out.append(a)
            live = following
        out.extend(Outcome(Flow.NORMAL, s) for s in live)
    return out


def sum_of(node: ast.stmt) -> tuple[frozenset[str], ast.Call | None, str]:
    """The names that a statement binds, and the call in it that tells most, with its name."""
    from lens_preflight.program import training
    from lens_preflight.program.scopes import names_in

    found = [n for n in ast.walk(node) if isinstance(n, ast.Call)]
    names = [dotted(n.func) or "a call" for n in found]
    chosen = next((i for i, n in enumerate(names) if training.trains(n)), 0)
    return names_in([node]), found[chosen] if found else None, names[chosen] if found else ""


def store(m: Machine, target: ast.expr, value: Value, state: State, frame: Frame) -> list[Outcome]:
    """Assign a value to a target."""
    if isinstance(target, ast.Name):
        objects.bind(m, target.id, value, state, frame)
        return normal(state)
    if isinstance(target, ast.Starred):
        return store(m, target.value, Unknown(taints_of(value)), state, frame)
    if isinstance(target, ast.Tuple | ast.List):
        return unpack(m, target, value, state, frame)
    out: list[Outcome] = []
    if isinstance(target, ast.Attribute):
        for o in expressions.evaluate(m, target.value, state, frame):
            if o.flow is not Flow.NORMAL:
                out.append(o)
                continue
            live = objects.set_attribute(m, o.value, target.attr, value, o.state, frame, target)
            out.extend(Outcome(Flow.NORMAL, s) for s in live)
        return out
    if isinstance(target, ast.Subscript):
        live_, out = expressions.sequence(m, [target.value, target.slice], state, frame)
        for here, (container, index) in live_:
            out.extend(objects.set_item(m, container, index, value, here, frame, target))
    return out


def unpack(
    m: Machine, target: ast.Tuple | ast.List, value: Value, state: State, frame: Frame
) -> list[Outcome]:
    """Position by position, when the length is known."""
    items = objects.items_of(m, value, state)
    starred = any(isinstance(e, ast.Starred) for e in target.elts)
    out: list[Outcome] = []
    if items is None or starred or len(items) != len(target.elts):
        if items is None:
            failed = expressions.may_fail(m, state, frame, target, "unpacking")
            out = [o for o in failed if o.flow is Flow.RAISE] if not isinstance(value, Unknown) else []
        items = [Unknown(taints_of(value))] * len(target.elts)
    live = [state]
    for element, item in zip(target.elts, items, strict=True):
        following = []
        for here in live:
            for o in store(m, element, item, here, frame):
                (following.append(o.state) if o.flow is Flow.NORMAL else out.append(o))
        live = following
    return [*out, *(Outcome(Flow.NORMAL, s) for s in live)]


def annotated(m: Machine, node: ast.AnnAssign, state: State, frame: Frame) -> list[Outcome]:
    """``x: T = value``; the annotation is not looked at."""
    if isinstance(node.target, ast.Name) and frame.func is None:
        fields = state.edit(frame.cell).attrs.get("__fields__")
        names = fields.items if isinstance(fields, Tup) else ()
        state.edit(frame.cell).attrs["__fields__"] = Tup((*names, Const(node.target.id)))
    if node.value is None:
        return normal(state)
    return assign(m, ast.Assign([node.target], node.value, lineno=node.lineno), state, frame)


def augmented(m: Machine, node: ast.AugAssign, state: State, frame: Frame) -> list[Outcome]:
    """``x += value``."""
    load = ast.copy_location(type(node.target)(**dict(ast.iter_fields(node.target))), node.target)
    load.ctx = ast.Load()
    live, out = expressions.sequence(m, [load, node.value], state, frame)
    for here, values in live:
        if isinstance(values[0], Ref):
            cell = here.edit(values[0].id)
            more = objects.items_of(m, values[1], here)
            if cell.kind in ("list", "set") and more is not None:
                cell.items = [*cell.items, *more]
            elif cell.kind == "dict":
                objects.update_dict(m, cell, values[1], here)
            else:
                cell.open = True
            out.extend(normal(here))
            continue
        for o in natives.operate(m, type(node.op).__name__, values, here, frame, node):
            if o.flow is Flow.NORMAL:
                out.extend(store(m, node.target, o.value, o.state, frame))
            else:
                out.append(o)
    return out


def returned(m: Machine, node: ast.Return, state: State, frame: Frame) -> list[Outcome]:
    """``return value``."""
    if node.value is None:
        return [Outcome(Flow.RETURN, state)]
    return [
        replace(o, flow=Flow.RETURN) if o.flow is Flow.NORMAL else o
        for o in expressions.evaluate(m, node.value, state, frame)
    ]


def raised(m: Machine, node: ast.Raise, state: State, frame: Frame) -> list[Outcome]:
    """``raise``: the exception in hand, or a new one."""
    if node.exc is None:
        held = state.read(frame.cell).attrs.get("__handling__")
        error = held.value if isinstance(held, Const) else None
        flow = Flow.EXIT if error and error.startswith("exit:") else Flow.RAISE
        name = error.partition(":")[2] if error else ""
        origin = state.read(frame.cell).extra if held is not None else None
        origin = origin if isinstance(origin, tuple) else frame.chain(node, "raise")
        return [Outcome(flow, state, error=name or None, origin=origin)]
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.exc, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        name_ = error_name(o.value, o.state)
        if name_ is None and isinstance(node.exc, ast.Name):
            held = o.state.read(frame.cell).attrs.get("__handling__")
            if isinstance(held, Const) and held.value.startswith("exit:"):
                name_ = "SystemExit"
        flow = Flow.EXIT if name_ in EXITS else Flow.RAISE
        out.append(Outcome(flow, o.state, error=name_, origin=frame.chain(node, "raise")))
    return out


EXITS = ("SystemExit", "KeyboardInterrupt", "GeneratorExit", "BaseException")


def error_name(value: Value, state: State) -> str | None:
    """The name of a builtin exception that a value is or inherits from; None when not known."""
    if isinstance(value, Lib):
        words = value.path.split(".")
        return words[-1] if words[0] == "builtins" else None
    if isinstance(value, Ref):
        cell = state.read(value.id)
        if cell.kind == "libobj":
            return error_name(Lib(str(cell.extra)), state)
        if cell.kind == "instance" and isinstance(cell.cls, Ref):
            return error_name(cell.cls, state)
        if cell.kind == "class":
            for base in cell.extra or ():
                found = error_name(base, state)
                if found is not None:
                    return found
    return None


def conditional(m: Machine, node: ast.If, state: State, frame: Frame) -> list[Outcome]:
    """``if``; a branch for type checkers only is never taken."""
    if dotted(node.test).rpartition(".")[2] == "TYPE_CHECKING":
        return tagged(block(m, node.orelse, state, frame), "else")
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.test, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        for branch, truth in truths.split(m, o.value, o.state, frame):
            if truth:
                out.extend(tagged(block(m, node.body, branch, frame), "then"))
            else:
                out.extend(tagged(block(m, node.orelse, branch, frame), "else"))
    return reduce(out)


def tagged(outcomes: list[Outcome], tag: object) -> list[Outcome]:
    """Yields remember the part of the statement that they are in."""
    return [replace(o, path=(tag, *o.path)) if o.flow is Flow.YIELD else o for o in outcomes]


def definition(
    m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, state: State, frame: Frame
) -> list[Outcome]:
    """``def``, its decorators applied from the inside out."""
    out: list[Outcome] = []
    for o in objects.make_function(m, node, state, frame):
        if o.flow is Flow.NORMAL:
            out.extend(decorate(m, node, o.value, o.state, frame))
        else:
            out.append(o)
    return out


def decorate(
    m: Machine,
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    value: Value,
    state: State,
    frame: Frame,
) -> list[Outcome]:
    """Apply the decorators and bind the name."""
    from lens_preflight.program import calls

    live: list[tuple[State, Value]] = [(state, value)]
    out: list[Outcome] = []
    for decorator in reversed(node.decorator_list):
        following: list[tuple[State, Value]] = []
        for here, inner in live:
            for o in expressions.evaluate(m, decorator, here, frame):
                if o.flow is not Flow.NORMAL:
                    out.append(o)
                    continue
                for r in calls.apply_decorator(m, o.value, inner, o.state, frame, decorator):
                    if r.flow is Flow.NORMAL:
                        following.append((r.state, r.value))
                    else:
                        out.append(r)
        live = following
    for here, result in live:
        objects.bind(m, node.name, result, here, frame)
        out.extend(normal(here))
    return out


def class_definition(m: Machine, node: ast.ClassDef, state: State, frame: Frame) -> list[Outcome]:
    """``class``: its body runs in a scope of its own."""
    live, out = expressions.sequence(m, node.bases, state, frame)
    for here, bases in live:
        cell = m.new(here, Cell("frame"))
        scope = (frame.cell, *frame.scope) if frame.func is not None else frame.scope
        inner = replace(frame, cell=cell.id, scope=scope, func=None, receiver=None, found=None)
        for o in block(m, node.body, here, inner):
            if o.flow is not Flow.NORMAL:
                out.append(o)
                continue
            attrs = dict(o.state.read(cell.id).attrs)
            if Lib("typing.NamedTuple") in bases:
                attrs["__dataclass__"] = attrs.get("__fields__", Tup(()))
            cls = objects.make_class(m, node, bases, attrs, o.state)
            out.extend(decorate(m, node, cls, o.state, frame))
    return out


def deletion(m: Machine, node: ast.Delete, state: State, frame: Frame) -> list[Outcome]:
    """``del``."""
    out: list[Outcome] = []
    live = [state]
    for target in node.targets:
        if isinstance(target, ast.Name):
            for here in live:
                here.edit(frame.cell).attrs.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            following = []
            for here in live:
                pairs, ended = expressions.sequence(m, [target.value, target.slice], here, frame)
                out.extend(ended)
                for there, (container, index) in pairs:
                    objects_delete(m, container, index, there, frame, target)
                    following.append(there)
            live = following
    return [*out, *(Outcome(Flow.NORMAL, s) for s in live)]


def objects_delete(
    m: Machine, container: Value, index: Value, state: State, frame: Frame, node: ast.AST
) -> None:
    """Take an item out of a container."""
    from lens_preflight.program import libraries

    if isinstance(container, Ref):
        cell = state.edit(container.id)
        if isinstance(cell.items, dict) and isinstance(index, Const):
            if cell.kind == "environ":
                cell.items[index.value] = Const(None)
            else:
                cell.items.pop(index.value, None)
            libraries.note_key(m, index, state, frame, node)
        else:
            cell.open = True


def asserted(m: Machine, node: ast.Assert, state: State, frame: Frame) -> list[Outcome]:
    """``assert``."""
    out: list[Outcome] = []
    for o in expressions.evaluate(m, node.test, state, frame):
        if o.flow is not Flow.NORMAL:
            out.append(o)
            continue
        for branch, truth in truths.split(m, o.value, o.state, frame):
            if truth:
                out.append(Outcome(Flow.NORMAL, branch))
            else:
                out.append(expressions.failure(branch, frame, node, "AssertionError", "assert"))
    return out


def jump(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
    """``break`` and ``continue``."""
    return [Outcome(Flow.BREAK if isinstance(node, ast.Break) else Flow.CONTINUE, state)]


def delegated(where: str, name: str) -> Callable[..., list[Outcome]]:
    """A handler of another module, which itself needs this one."""

    def run(m: Machine, node: ast.stmt, state: State, frame: Frame) -> list[Outcome]:
        module = importlib.import_module(f"lens_preflight.program.{where}")
        handler: Callable[..., list[Outcome]] = getattr(module, name)
        return handler(m, node, state, frame)

    return run


HANDLERS: dict[type[ast.AST], Callable[..., list[Outcome]]] = {
    ast.Expr: expression,
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Return: returned,
    ast.Raise: raised,
    ast.If: conditional,
    ast.FunctionDef: definition,
    ast.AsyncFunctionDef: definition,
    ast.ClassDef: class_definition,
    ast.Delete: deletion,
    ast.Assert: asserted,
    ast.Break: jump,
    ast.Continue: jump,
    ast.Match: delegated("patterns", "match"),
    ast.Import: delegated("imports", "plain"),
    ast.ImportFrom: delegated("imports", "from_module"),
    ast.Try: delegated("protected", "attempt"),
    ast.With: delegated("protected", "managed"),
    ast.AsyncWith: delegated("protected", "managed"),
    ast.While: delegated("loops", "while_loop"),
    ast.For: delegated("loops", "for_loop"),
    ast.AsyncFor: delegated("loops", "for_loop"),
}
if hasattr(ast, "TryStar"):
    HANDLERS[ast.TryStar] = delegated("protected", "attempt")
