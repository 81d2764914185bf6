"""One shell process, interpreted without running anything: statements change its state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lens_preflight.core.data import replace
from lens_preflight.core.numbers import whole
from lens_preflight.core.words import Spread
from lens_preflight.jobs import arithmetic, assignments, conditions, declarations, loops, substitution
from lens_preflight.jobs.branching import binary, conditional
from lens_preflight.jobs.draft import Where
from lens_preflight.jobs.field import Field
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.redirection import before_writing, redirect, remember_written, writes
from lens_preflight.jobs.run import DEPTH, Attempt, Frame, Run
from lens_preflight.jobs.special import special
from lens_preflight.jobs.state import State
from lens_preflight.jobs.syntax import Node, Tree
from lens_preflight.jobs.text import Cause, Symbol, Text, literal, widest
from lens_preflight.jobs.trapping import finish
from lens_preflight.jobs.unnamed import head_of, set_names
from lens_preflight.jobs.words import text_of

if TYPE_CHECKING:
    from lens_preflight.core.finding import Location


class Shell:
    """A shell process with its state; ``where`` says what the process runs under."""

    def __init__(self, run: Run, state: State, frame: Frame, where: Where, depth: int = 0) -> None:
        self.run = run
        self.state = state
        self.frame = frame
        self.where = where
        self.depth = depth
        self.isolated: Loss | None = None
        self.following: Sequence[Node] = ()
        self.conditional = False
        self.loops = 0
        self.piped: Text | None = None
        self.assuming = False
        self.line = 1

    # --- what the models of words ask ------------------------------------------------------------

    @property
    def ifs(self) -> str:
        """The characters that split words."""
        var = self.state.vars.get("IFS")
        if var is None or var.value is None or var.value.constant is None:
            return " \t\n"
        return var.value.constant

    @property
    def here(self) -> Spread:
        """Over what a value made in this shell differs: the next start, each node, each task."""
        return Spread.RUN if self.where.width is Spread.JOB else self.where.width

    def at(self, line: int) -> Location:
        """A line of this script as a place in the job file."""
        return self.frame.at(line)

    def spread_of(self, text: Text) -> Spread:
        """The spread of a value computed from a text."""
        return widest([text.spread])

    def read(self, name: str) -> Text | None:
        """The value of a variable or special parameter; None when it is unset."""
        found = special(name, self)
        if found is not None:
            return found
        number = whole(name)
        if number is not None:
            return self._positional(number)
        return self.state.value(name)

    def _positional(self, number: int) -> Text | None:
        if number == 0:
            return self.state.arg0
        args = self.state.args
        if args is None:
            return Text.of(Symbol(str(number), Cause.ARGUMENT, optional=True))
        return args[number - 1] if number <= len(args) else None

    def assign(self, name: str, value: Text, line: int | None = None) -> None:
        """A plain assignment; without a line, by the statement that runs."""
        assignments.assign(self, name, value, line or self.line)

    def unset_used(self, name: str, line: int) -> None:
        """A variable that is unset was expanded."""
        if "nounset" in self.state.options and name not in ("@", "*") and name.replace("_", "a").isalnum():
            self.abort(f"{name} is not set under set -u", line)

    def abort(self, why: str, line: int = 0) -> None:
        """The script ends here."""
        self.state.alive = False
        self.state.leaving = f"aborts: {why}"

    def capture(self, node: Node) -> Text:
        """What a command substitution prints."""
        return substitution.capture(node, self)

    def pipe_name(self, node: Node) -> Text:
        """``<(command)``: a name that stands for what the command prints, where that is known."""
        text = substitution.everything(node, self)
        if text is None:
            return Text.of(Symbol("<(...)", Cause.COMMAND))
        name = f"/dev/fd/{self.run.tick()}"
        self.run.files.written.write(name, Field(text, int(node.get("Pos") or 0)))
        return literal(name)

    def note(self, name: str, line: int, loss: Loss | None) -> None:
        """Remember that this line set a variable."""
        if not self.run.muted:
            attempt = Attempt(name, self.at(line), self.frame.inner(line), loss, self.run.tick())
            self.run.attempts.append(attempt)

    # --- statements ------------------------------------------------------------------------------

    def script(self, tree: Tree) -> None:
        """A whole script; lines that could not be read are opaque places."""
        if tree.failed:
            self.run.cannot_read("the script", tree.failed, self.at(1))
            assignments.opaque(self, tree.failed, self.at(1))
        rest = list(tree.statements)
        for line, why, text in tree.blanked:
            self.run.cannot_read("a line", why, self.at(line))
            above = [node for node in rest if int(node.get("Pos") or 0) < line]
            rest = rest[len(above) :]
            self.following = rest
            self.statements(above)
            self.following = ()
            assignments.unread(self, text, above[-1:], line)
        self.statements(rest)

    def statements(self, nodes: Sequence[Node]) -> bool | None:
        """Statements in order; the status of the last, None when it is not known."""
        status: bool | None = True
        outer = self.following
        for index, node in enumerate(nodes):
            if not self.state.alive or self.state.leaving:
                if not self.state.alive:
                    assignments.dead(self, nodes[index:])
                break
            self.following = nodes[index + 1 :] or outer
            status = self.statement(node, last=index == len(nodes) - 1 and not outer)
        self.following = outer
        return status

    def statement(self, node: Node, last: bool = False) -> bool | None:
        """One statement with its redirections."""
        self.run.step()
        outer, self.line = self.line, int(node.get("Pos") or self.line)
        status = self._statement(node, last)
        self.line = outer
        return status

    def _statement(self, node: Node, last: bool) -> bool | None:
        command = node.get("Cmd")
        if node.get("Background"):
            return self._background(node)
        saved = self.state.stdin
        body = redirect(self, node.get("Redirs") or ())
        before = before_writing(self, node) if writes(node) else None
        status = True if command is None else self._command(command, node, body, last)
        if body is not None or any(r["Op"] in ("<<<", "<") for r in node.get("Redirs") or ()):
            self.state.stdin = saved
        if writes(node):
            remember_written(self, node, before)
        if node.get("Negated"):
            return None if status is None else not status
        if (
            status is False
            and "errexit" in self.state.options
            and command is not None
            and command["Type"] in ("CallExpr", "TestClause", "ArithmCmd")
            and not self.conditional
        ):
            self.abort("a command fails under set -e")
        return status

    def _background(self, node: Node) -> bool:
        before = len(self.run.drafts)
        glued = bool(self.following) and int(self.following[0].get("Pos") or 0) == int(node.get("Pos") or -1)
        loss = Loss.METACHARACTER if glued else Loss.BACKGROUND
        child = self.child(loss, background=True)
        child.statement({k: v for k, v in node.items() if k != "Background"})
        new = self.run.drafts[before:]
        kind = "srun" if any("srun" in d.where.chain for d in new) else ("program" if new else "other")
        self.state.last_background = kind
        return True

    def child(self, loss: Loss, **changes: object) -> Shell:
        """A copy of this shell in a process of its own; exports in it are lost for ``loss``."""
        where = replace(self.where, **changes) if changes else self.where  # type: ignore[arg-type]
        shell = Shell(self.run, self.state.copy(), self.frame, where, self.depth + 1)
        shell.isolated = self.isolated or loss
        shell.state.handlers = {}
        shell.following = self.following
        shell.conditional = self.conditional
        shell.line = self.line
        if self.depth > DEPTH:
            shell.state.alive = False
        return shell

    def _command(self, node: Node, statement: Node, body: Field | None, last: bool) -> bool | None:
        kind = node["Type"]
        if kind == "CallExpr":
            from lens_preflight.jobs.calls import call

            return call(self, node, body, last)
        if kind == "DeclClause":
            return declarations.declare(self, node)
        if kind == "Block":
            return self.statements(node.get("Stmts") or ())
        if kind == "Subshell":
            child = self.child(Loss.SUBSHELL)
            status = child.statements(node.get("Stmts") or ())
            ended = not child.state.alive
            finish(child)
            return None if ended else status
        if kind == "BinaryCmd":
            return binary(self, node, last)
        if kind == "IfClause":
            return conditional(self, node)
        if kind == "CaseClause":
            return conditions.case(self, node)
        if kind in ("ForClause", "WhileClause"):
            return loops.loop(self, node)
        if kind == "FuncDecl":
            name = (node.get("Name") or {}).get("Value", "")  # zsh has functions without one
            self.state.functions[name] = {**node["Body"], "_frame": self.frame}
            return True
        if kind == "TestClause":
            return conditions.test(self, node["X"])
        if kind in ("ArithmCmd", "LetClause"):
            return self._arithmetic(node)
        if kind == "TimeClause" and node.get("Stmt"):
            return self.statement(node["Stmt"], last)
        if kind == "CoprocClause":
            self.child(Loss.BACKGROUND, background=True).statement(node["Stmt"])
            return True
        return None

    def _arithmetic(self, node: Node) -> bool | None:
        status: bool | None = True
        for expression in node.get("Exprs") or [node["X"]]:
            try:
                if expression.get("Type") == "Word":
                    expression = self._spelled(expression) or expression
                if expression.get("Type") == "Word" and self._unspelled(expression):
                    raise arithmetic.Unknown()
                status = arithmetic.evaluate(expression, self.state, self._operand, self.assign) != 0
            except (arithmetic.Unknown, ValueError, OverflowError):
                status = None
                for name in _assigned(expression):
                    self.assign(name, Text.of(Symbol(name, Cause.LOOP)))
        return status

    def _unspelled(self, word: Node) -> bool:
        """Whether a word of ``let`` sets names; one that is not known may be any of those that fit."""
        name = head_of(text_of(word, self))
        if name.constant is None and name.pieces:
            set_names(self, name, self.line)
        return bool(_assigned(word))

    def _spelled(self, word: Node) -> Node | None:
        """The expression that a quoted word of ``let`` spells; None when it cannot be said."""
        known = text_of(word, self).certain
        tree = None if known is None or not known.strip() else self.run.tree(f"(({known}))")
        command = (tree.statements[0].get("Cmd") or {}) if tree and tree.statements else {}
        found: Node | None = command.get("X") if command.get("Type") == "ArithmCmd" else None
        return found

    def _operand(self, word: Node) -> Text | None:
        name = arithmetic.bare_name(word)
        return self.read(name) if name is not None else text_of(word, self)


def _assigned(node: Node) -> list[str]:
    """Names that an arithmetic expression changes."""
    names: list[str] = []
    if node.get("Type") == "Word":  # let 'n=2+3'
        text = " ".join(substitution._all_words(node))
        return re.findall(r"(?<![$\w])([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|<<=|>>=|\+\+|--)", text)
    if node.get("Type") in ("BinaryArithm", "UnaryArithm"):
        op = node.get("Op", "")
        changes = op in ("++", "--") or (op.endswith("=") and op not in ("==", "!=", "<=", ">="))
        name = arithmetic.bare_name(node["X"])
        if changes and name:
            names.append(name)
        for side in ("X", "Y"):
            if isinstance(node.get(side), dict):
                names += _assigned(node[side])
    return names
