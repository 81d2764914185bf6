"""One shell process, interpreted without running anything: statements change its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lens_preflight.core.words import Spread
from lens_preflight.jobs import arithmetic, assignments, conditions, loops, substitution
from lens_preflight.jobs.draft import Where
from lens_preflight.jobs.model import Loss
from lens_preflight.jobs.run import DEPTH, Attempt, Frame, Run
from lens_preflight.jobs.state import State, join_states
from lens_preflight.jobs.syntax import Node, Tree, parts_of
from lens_preflight.jobs.text import Cause, Symbol, Text, literal, widest
from lens_preflight.jobs.words import Field, fields_of, heredoc, text_of

if TYPE_CHECKING:
    from lens_preflight.core.finding import Location

PRESUMED = frozenset(
    [
        "cd",
        "pushd",
        "popd",
        "mkdir",
        "echo",
        "printf",
        "export",
        "source",
        ".",
        "touch",
        "rm",
        "cp",
        "mv",
        "ln",
        "chmod",
        "chown",
        "module",
        "ml",
        "conda",
        "mamba",
        "micromamba",
        "pip",
        "pip3",
        "uv",
        "set",
        "shopt",
        "unset",
        "declare",
        "typeset",
        "local",
        "readonly",
        "eval",
        "srun",
        "torchrun",
        "python",
        "python3",
        "sleep",
        "wait",
        "date",
        "true",
        ":",
        "trap",
        "ulimit",
        "umask",
        "hostname",
        "sbatch",
        "tee",
        "cat",
        "sync",
        "git",
        "tar",
        "unzip",
        "wget",
        "curl",
        "nvidia-smi",
        "ray",
        "accelerate",
        "deepspeed",
        "mpirun",
        "mpiexec",
        "docker",
        "apptainer",
        "singularity",
    ]
)
"""Commands that are taken to succeed; the others may do either."""


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
        self.piped: Text | None = None
        self.assuming = False

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
        special = substitution.special(name, self)
        if special is not None:
            return special
        if name.isdigit():
            return self._positional(int(name))
        return self.state.value(name)

    def _positional(self, number: int) -> Text | None:
        if number == 0:
            return self.state.arg0
        args = self.state.args
        if args is None:
            return Text.of(Symbol(str(number), Cause.ARGUMENT, optional=True))
        return args[number - 1] if number <= len(args) else None

    def assign(self, name: str, value: Text, line: int | None = None) -> None:
        """A plain assignment."""
        assignments.assign(self, name, value, line or 1)

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
        command = node.get("Cmd")
        if node.get("Background"):
            return self._background(node)
        saved = self.state.stdin
        body = self._redirect(node.get("Redirs") or ())
        status = True if command is None else self._command(command, node, body, last)
        if body is not None or any(r["Op"] in ("<<<", "<") for r in node.get("Redirs") or ()):
            self.state.stdin = saved
        self._written(node)
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

    def _redirect(self, redirects: Sequence[Node]) -> Field | None:
        """Expand redirections; standard input that is known becomes lines to read."""
        body: Field | None = None
        for redirect in redirects:
            op = redirect["Op"]
            if op in ("<<", "<<-"):
                raw = any(p["Type"] != "Lit" for p in parts_of(redirect["Word"]))
                raw = raw or any("\\" in str(p.get("Value")) for p in parts_of(redirect["Word"]))
                word = redirect.get("Hdoc")
                text = heredoc(word, self, raw)
                if op == "<<-":
                    text = Text.of(*(_untabbed(p) if isinstance(p, str) else p for p in text.pieces))
                line = int((word or redirect)["Pos"])
                body = Field(text, line, placed=True)
                if self.frame.fixed is None and self.frame.outer is None:
                    self.run.places[self.run.spelled(text).strip("\n")] = line + self.frame.offset
                self._input(text)
            elif op == "<<<":
                self._input(text_of(redirect.get("Word"), self) + literal("\n"))
            elif op == "<":
                self._input_from(redirect.get("Word"))
        return body

    def _written(self, node: Node) -> None:
        """Remember a file that ``cat``, ``echo`` or ``printf`` writes; it may be run further below."""
        for redirect in node.get("Redirs") or ():
            if redirect["Op"] not in (">", ">|") or redirect.get("N"):
                continue
            command = node.get("Cmd") or {}
            parts = parts_of((command.get("Args") or [{}])[0])
            if len(parts) != 1 or parts[0].get("Value") not in ("cat", "echo", "printf", "tee"):
                return
            target = text_of(redirect.get("Word"), self)
            self.run.made.pop(target.template, None)
            inner = {k: v for k, v in node.items() if k != "Redirs"}
            inner["Redirs"] = [r for r in node["Redirs"] if r is not redirect]
            text = substitution.printed(inner, self.child(Loss.SUBSHELL))
            if text is not None and target.template != "/dev/null":
                body = next((r for r in inner["Redirs"] if r["Op"] in ("<<", "<<-")), None)
                line = int(((body or {}).get("Hdoc") or node)["Pos"])
                self.run.made[target.template] = Field(
                    text, self.frame.inner(line).line or line, body is not None
                )

    def _input(self, text: Text) -> None:
        known = text.constant
        if known is not None:
            self.state.stdin = [literal(line) for line in known.split("\n")[:512]]
            if known.endswith("\n"):
                self.state.stdin.pop()
        elif text.symbols and not any(isinstance(p, str) and p.strip("\n") for p in text.pieces):
            self.state.stdin = None
        else:
            line = Text.of(*(p.rstrip("\n") if isinstance(p, str) else p for p in text.pieces))
            self.state.stdin = [line]

    def _input_from(self, word: Node | None) -> None:
        """``< file`` and ``< <(command)``."""
        parts = parts_of(word)
        if len(parts) != 1 or parts[0]["Type"] != "ProcSubst":
            self._input_file(text_of(word, self))
            return
        text: Text | None = Text()
        child = self.child(Loss.SUBSHELL)
        for statement in parts[0].get("Stmts") or []:
            more = substitution.printed(statement, child)
            text = None if more is None or text is None else text + more
        self._feed(text)

    def _input_file(self, path: Text) -> None:
        content = self.file_text(path)
        self.state.stdin = None
        if content is not None:
            self._input(literal(content))

    def file_text(self, path: Text) -> str | None:
        """The text of a file named in this shell, None when it cannot be read from here."""
        from lens_preflight.jobs.draft import resolve

        named = path.path
        full = resolve(named, self.state.cwd, self.where, self.run.extra_map) if named else None
        return self.run.files.text(full) if full else None

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
        shell.following = self.following
        shell.conditional = self.conditional
        if self.depth > DEPTH:
            shell.state.alive = False
        return shell

    def _command(self, node: Node, statement: Node, body: Field | None, last: bool) -> bool | None:
        kind = node["Type"]
        if kind == "CallExpr":
            from lens_preflight.jobs.calls import call

            return call(self, node, body, last)
        if kind == "DeclClause":
            return assignments.declare(self, node)
        if kind == "Block":
            return self.statements(node.get("Stmts") or ())
        if kind == "Subshell":
            child = self.child(Loss.SUBSHELL)
            status = child.statements(node.get("Stmts") or ())
            return status if child.state.alive else None
        if kind == "BinaryCmd":
            return self._binary(node, last)
        if kind == "IfClause":
            return self._if(node)
        if kind == "CaseClause":
            return conditions.case(self, node)
        if kind in ("ForClause", "WhileClause"):
            return loops.loop(self, node)
        if kind == "FuncDecl":
            self.state.functions[node["Name"]["Value"]] = {**node["Body"], "_frame": self.frame}
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
                status = arithmetic.evaluate(expression, self.state, self._operand, self.assign) != 0
            except (arithmetic.Unknown, ValueError, OverflowError):
                status = None
                for name in _assigned(expression):
                    self.assign(name, Text.of(Symbol(name, Cause.LOOP)))
        return status

    def _operand(self, word: Node) -> Text | None:
        name = arithmetic.bare_name(word)
        return self.read(name) if name is not None else text_of(word, self)

    # --- paths that part ---------------------------------------------------------------------------

    def _binary(self, node: Node, last: bool = False) -> bool | None:
        op = node["Op"]
        if op in ("|", "|&"):
            return self._pipe(node)
        status = self.quietly(node["X"])
        if not self.state.alive or self.state.leaving:
            if not self.state.alive:
                assignments.dead(self, [node["Y"]])
            return status
        wanted = op == "&&"
        if status is None and self._presumed(node["X"]):
            status = True
        if status is not None:
            return self.statement(node["Y"], last) if status is wanted else status
        likely = self.likely(lambda shell: shell.statement(node["X"]))
        return self.either(
            lambda shell: shell.statement(node["Y"], last),
            lambda shell: not wanted,
            "a command's status",
            None if likely is None else likely is wanted,
        )

    def quietly(self, node: Node) -> bool | None:
        """A statement whose failure does not end the script."""
        before, self.conditional = self.conditional, True
        try:
            return self.statement(node)
        finally:
            self.conditional = before

    def _presumed(self, node: Node) -> bool:
        command = node.get("Cmd") or {}
        if command.get("Type") == "BinaryCmd":
            return bool(self._presumed(command["Y"]))
        if command.get("Type") in ("DeclClause", "Block", "Subshell", "FuncDecl"):
            return True
        words = command.get("Args") or ()
        if not words:
            return command.get("Type") == "CallExpr"
        parts = parts_of(words[0])
        return len(parts) == 1 and parts[0].get("Value", "").rpartition("/")[2] in PRESUMED

    def likely(self, test: object) -> bool | None:
        """How a test comes out when the submitter sets nothing more; it changes nothing."""
        assert callable(test)
        if self.state.rest.complete:
            return None
        child = self.child(Loss.SUBSHELL)
        child.assuming = child.conditional = True
        return bool(status) if (status := _quiet(self.run, lambda: test(child))) is not None else None

    def either(self, one: object, other: object, reason: str, likely: bool | None = None) -> bool | None:
        """Both ways, joined; each is a function of the shell that returns a status.

        ``likely`` True or False: the submitter would have to do something for the other way, which
        then only counts for what may become of variables.
        """
        assert callable(one) and callable(other)
        start = self.state
        was = self.where
        self.where = replace(was, conditional=True) if likely is None else was
        self.state = start.copy()
        first = one(self) if likely is not False else _quiet(self.run, lambda: one(self))
        left = self.state
        self.state = start.copy()
        second = other(self) if likely is not True else _quiet(self.run, lambda: other(self))
        self.state = join_states(left, self.state, reason, likely)
        self.where = was
        return first if first == second else None

    def _pipe(self, node: Node) -> bool | None:
        from lens_preflight.jobs.substitution import printed

        left = self.child(Loss.PIPELINE)
        text = printed(node["X"], left)
        if "lastpipe" in self.state.options:
            self._feed(text)
            status = self.statement(node["Y"])
            self.state.stdin = None
            return status
        right = self.child(Loss.PIPELINE)
        right._feed(text)
        right.piped = text
        status = right.statement(node["Y"])
        return None if status is None or node["Y"].get("Cmd", {}).get("Type") == "CallExpr" else status

    def _feed(self, text: Text | None) -> None:
        self.state.stdin = None
        if text is not None:
            self._input(text)

    def _if(self, node: Node) -> bool | None:
        before, self.conditional = self.conditional, True
        status = self.statements(node.get("Cond") or ())
        self.conditional = before
        if not self.state.alive or self.state.leaving:
            return status
        other = node.get("Else")

        def otherwise(shell: Shell) -> bool | None:
            if other is None:
                return True
            return shell._if(other) if other.get("Cond") else shell.statements(other.get("Then") or ())

        if status is True:
            return self.statements(node.get("Then") or ())
        if status is False:
            return otherwise(self)
        likely = self.likely(lambda s: s.statements(node.get("Cond") or ()))
        return self.either(lambda s: s.statements(node.get("Then") or ()), otherwise, "branch", likely)


def _quiet(run: Run, action: object) -> bool | None:
    """Follow a way that is not taken unless somebody does something: no launches, no remarks."""
    assert callable(action)
    drafts, opaque, ray = len(run.drafts), len(run.opaque), len(run.ray_started)
    run.muted += 1
    try:
        status: bool | None = action()
    finally:
        run.muted -= 1
        del run.drafts[drafts:], run.opaque[opaque:], run.ray_started[ray:]
    return status


def _untabbed(text: str) -> str:
    return "\n".join(line.lstrip("\t") for line in text.split("\n"))


def _assigned(node: Node) -> list[str]:
    """Names that an arithmetic expression changes."""
    names: list[str] = []
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


__all__ = ["Shell", "fields_of"]
