"""Methods that Python calls by itself: truth, text, length, comparison, membership, operators, items in order."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from lens_preflight.program import calls, classes, comparisons, objects, truths
from lens_preflight.program.machine import Frame, Machine
from lens_preflight.program.outcomes import Flow, Outcome, normal
from lens_preflight.program.state import State
from lens_preflight.program.values import Bound, Choice, Const, Func, Lanes, Lib, Ref, Unknown, Value

COMPARING = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
REFLECTED = {"Eq": "eq", "NotEq": "ne", "Lt": "gt", "LtE": "ge", "Gt": "lt", "GtE": "le"}
OPERATING = {
    "Add": "add",
    "Sub": "sub",
    "Mult": "mul",
    "MatMult": "matmul",
    "Div": "truediv",
    "FloorDiv": "floordiv",
    "Mod": "mod",
    "Pow": "pow",
    "LShift": "lshift",
    "RShift": "rshift",
    "BitOr": "or",
    "BitAnd": "and",
    "BitXor": "xor",
}
UNARY = {"USub": "neg", "UAdd": "pos", "Invert": "invert"}
TEXT = {ord("r"): ("__repr__",), ord("s"): ("__str__", "__repr__"), ord("a"): ("__repr__",)}
"""Methods that a conversion in a replacement field asks for, the first that is there."""

FORMAT = ("__format__", "__str__", "__repr__")
NOT_IMPLEMENTED = Lib("builtins.NotImplemented")


def called(
    m: Machine,
    value: Value | None,
    names: Sequence[str],
    args: list[Value],
    state: State,
    frame: Frame,
    node: ast.AST,
) -> list[Outcome] | None:
    """The first of some methods that the class of the tree has, called; None when it has none of them.

    One that a large program leaves aside is as good as none.
    """
    if not isinstance(value, Ref):
        return None
    cell = state.read(value.id)
    if cell.kind != "instance" or not isinstance(cell.cls, Ref):
        return None
    for name in names:
        found, owner = classes.find_in_class(m, cell.cls, name, state)
        if isinstance(found, Func) and not m.plan.follows(found.node):
            return None
        if found is not None and found != Const(None):
            given: list[Value] = [Unknown()] if name == "__format__" else args
            call = Bound(value, classes.owned(found, owner))
            return calls.invoke(m, call, calls.Args(given), state, frame, node)
    return None


def has(m: Machine, value: Ref, name: str, state: State) -> bool:
    """True when the class of the tree of an object has the method, and it is followed."""
    cls = state.read(value.id).cls
    if state.read(value.id).kind != "instance" or not isinstance(cls, Ref):
        return False
    found = classes.find_in_class(m, cls, name, state)[0]
    return isinstance(found, Func) and m.plan.follows(found.node)


def truth(m: Machine, value: Value, state: State, frame: Frame, node: ast.AST) -> list[Outcome]:
    """The value whose truth counts: that of ``__bool__`` or ``__len__`` where a class of the tree has one."""
    if isinstance(value, Choice | Lanes):
        options = value.options if isinstance(value, Choice) else value.parts
        if not any(isinstance(o, Ref) and truths.truth_of(o, state) is None for o in options):
            return normal(state, value)
        out: list[Outcome] = []
        for here, option in objects.split_options(value, state):
            out.extend(truth(m, option, here, frame, node))
        return out
    done = called(m, value, ("__bool__", "__len__"), [], state, frame, node)
    return normal(state, value) if done is None else done


def tested(m: Machine, outcomes: list[Outcome], frame: Frame, node: ast.AST) -> list[Outcome]:
    """Ways out of a condition, each with the value whose truth counts."""
    out: list[Outcome] = []
    for o in outcomes:
        plain = o.flow is not Flow.NORMAL or not isinstance(o.value, Ref | Choice | Lanes)
        out.extend([o] if plain else truth(m, o.value, o.state, frame, node))
    return out


def branches(
    m: Machine, value: Value, state: State, frame: Frame, node: ast.expr, lazy: bool, out: list[Outcome]
) -> truths.LazyBranches:
    """The state split by the truth of an operand; ways out of a method that says it go to ``out``."""
    found: truths.LazyBranches = []
    for o in tested(m, normal(state, value), frame, node):
        if o.flow is Flow.NORMAL:
            found.extend(truths.split(m, o.value, o.state, frame, lazy=lazy))
        else:
            out.append(o)
    return found


def text(
    m: Machine, value: Value, names: Sequence[str], state: State, frame: Frame, node: ast.AST
) -> list[Outcome] | None:
    """The text that a class of the tree makes of its object; None where it makes none."""
    return called(m, value, names, [], state, frame, node)


def compared(
    m: Machine, op: str, left: Value, right: Value, state: State, frame: Frame, node: ast.AST
) -> list[Outcome]:
    """One comparison, by the methods of the objects where they have some."""
    if op in ("In", "NotIn"):
        done = called(m, right, ("__contains__",), [left], state, frame, node)
        return whole(m, op, left, right, state) if done is None else answers(m, done, op == "NotIn")
    if op in COMPARING:
        for one, other, words in ((left, right, COMPARING), (right, left, REFLECTED)):
            done = called(m, one, (f"__{words[op]}__",), [other], state, frame, node)
            if done is not None:
                return answers(m, done, False)
            done = called(m, one, ("__eq__",), [other], state, frame, node) if op == "NotEq" else None
            if done is not None:
                return answers(m, done, True)
    return whole(m, op, left, right, state)


def whole(m: Machine, op: str, left: Value, right: Value, state: State) -> list[Outcome]:
    """The comparison of what has no method of the tree for it."""
    return normal(state, comparisons.comparison(m, op, left, right, state))


def answers(m: Machine, done: list[Outcome], turned: bool) -> list[Outcome]:
    """The answers of a method, turned round where it was asked for the opposite."""
    out: list[Outcome] = []
    for o in done:
        value = Unknown() if o.value == NOT_IMPLEMENTED else o.value
        if o.flow is Flow.NORMAL and turned:
            value = truths.negated(m, value, o.state)
        out.append(o._replace(value=value))
    return out


def operated(
    m: Machine, op: str, values: list[Value], state: State, frame: Frame, node: ast.AST
) -> list[Outcome] | None:
    """An operator by the method of an object, or by the reflected one of the other; None without either."""
    if len(values) == 1:
        return called(m, values[0], (f"__{UNARY.get(op, op)}__",), [], state, frame, node)
    word = OPERATING.get(op)
    if word is None:
        return None
    names = (f"__i{word}__", f"__{word}__") if isinstance(node, ast.AugAssign) else (f"__{word}__",)
    done = called(m, values[0], names, [values[1]], state, frame, node)
    if done is None:
        done = called(m, values[1], (f"__r{word}__",), [values[0]], state, frame, node)
    return done
