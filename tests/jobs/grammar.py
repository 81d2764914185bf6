"""Random shell scripts for the differential test.

script    := statement*  launch
statement := simple | subshell | group | pipe | if | case | for | while | function call
           | source | eval | set | launch
simple    := NAME=value | export NAME[=value]... | declare [-x|-g|-gx|-r] NAME=value | unset NAME
           | export -n NAME | readonly NAME=value | local (in functions) | NAME+=value
           | prefix assignment in front of a builtin, a function or a launch
subshell  := ( statement* ) | statement & | $( statement* )
group     := { statement* ; }
pipe      := printf 'NAME=value\n' '|' while read -r l; do export "$l"; done | ... | cat
if        := if test; then statement* [elif ...] [else statement*] fi | test && simple | test '||' simple
test      := [ value op value ] | [[ value op pattern ]] | (( n op n )) | [ -n/-z "$NAME" ] | true | false
case      := case value in pattern) statement* ;; ... esac
for       := for NAME in value...; do statement* [break|continue] done | for ((i=0;i<n;i++)) ...
while     := counting loop with (( ))
source    := . ./env_N.sh  (assignments and exports), with or without set -a
eval      := eval "simple" | bash -c 'simple; launch' | launch behind env, nohup, env -u, env -i
value     := plain | 'single' | "double $NAME ${NAME:-d} ${NAME%x}" | $((arithmetic)) | $(echo ...) | $'..'
launch    := [NAME=value] srun python train.py, in the open, in a function, in the background
"""

from __future__ import annotations

from random import Random

NAMES = ("NEMO_LENS_RUN_ID", "OTEL_SERVICE_NAME", "NEMO_LENS_ENABLED", "ALPHA", "BETA")
PLAIN = ("1", "0", "run-7", "a.b", "x_y", "http://h:4317", "default", "7")


class Maker:
    """Makes one script; ``files`` are the files that it sources."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.files: dict[str, str] = {}
        self.functions: list[str] = []
        self.inside = 0

    def script(self) -> str:
        lines = ["#!/bin/bash"]
        for _ in range(self.random.randint(0, 2)):
            lines += self.function()
        for _ in range(self.random.randint(2, 7)):
            lines += self.statement(0)
        lines += self.launch()
        return "\n".join(lines) + "\n"

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    @property
    def name(self) -> str:
        return self.random.choice(NAMES)

    def value(self) -> str:
        kind = self.random.randint(0, 15)
        name = self.name
        if kind <= 3:
            return self.random.choice(PLAIN)
        return {
            4: f'"{self.random.choice(PLAIN)}-${name}"',
            5: f"'${name} kept'",
            6: f'"${{{name}:-{self.random.choice(PLAIN)}}}"',
            7: f'"${{{name}-d}}${{{name}:+set}}"',
            8: f'"${{{name}%7}}x"',
            9: f"$(({self.random.randint(0, 9)} * 2 + {self.random.randint(0, 9)}))",
            10: f'"$(echo {self.random.choice(PLAIN)})"',
            11: f'"${{{name}#h}}${{{name}/a/b}}"',
            12: "$'tab\\tq'",
            13: f'"two words ${{#{name}}}"',
            14: self.pick("''", '""', ""),
            15: f"a\\ b\"c\"'d'${name}",
        }[kind]

    def assignment(self) -> str:
        return f"{self.name}={self.value()}"

    def simple(self) -> str:
        kind = self.random.randint(0, 13)
        one = self.assignment()
        if kind <= 2:
            return f"export {one}"
        return {
            3: one,
            4: f"export {self.name}",
            5: f"{one} {self.assignment()}",
            6: f"export {one} {self.assignment()}",
            7: f"declare {self.pick('-x', '-gx', '-g', '')} {one}",
            8: f"unset {self.name}",
            9: f"export -n {self.name}",
            10: f"{self.name}+={self.random.choice(PLAIN)}",
            11: f"{one} :",
            12: f"{one} true; export {self.name}",
            13: f'export "{self.name}={self.random.choice(PLAIN)}"',
        }[kind]

    def block(self, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 2)):
            lines += self.statement(depth + 1)
        return ["  " + line for line in lines]

    def test(self) -> str:
        name, plain = self.name, self.random.choice(PLAIN)
        number = self.random.randint(0, 9)
        return self.pick(
            f'[ "${name}" = {plain} ]',
            f'[[ "${name}" == {plain[:1]}* ]]',
            f'[ -n "${name}" ]',
            f'[ -z "${name}" ]',
            f"(( {number} > 4 ))",
            f'[[ -n "${name}" && {number} -lt 5 ]]',
            f"[ {number} -ge 5 ]",
            "true",
            "false",
            f'! [ "${name}" != {plain} ]',
        )

    def statement(self, depth: int) -> list[str]:
        if depth > 2:
            return [self.simple()]
        kind = self.random.randint(0, 17)
        if kind <= 5:
            return [self.simple()]
        block = self.block(depth)
        if kind == 6:
            return ["(", *block, ")"]
        if kind == 7:
            return ["{", *block, "}"]
        if kind == 8:
            pair = f"{self.name}={self.random.choice(PLAIN)}"
            return [f"printf '{pair}\\n' | while read -r line; do export \"$line\"; done"]
        if kind == 9:
            return [f"if {self.test()}; then", *block, "else", *self.block(depth), "fi"]
        if kind == 10:
            return [f"{self.test()} {self.pick('&&', '||')} {self.simple()}"]
        if kind == 11:
            return self.case(depth)
        if kind == 12:
            return self.loop(depth)
        if kind == 13:
            return self.sourced()
        if kind == 14:
            return [
                self.pick(f"{self.simple()} &", f": $({self.simple()})", f"{self.simple()} | cat"),
                "wait",
            ]
        if kind == 15 and self.functions:
            call = self.random.choice(self.functions)
            return [f"{self.pick('', self.assignment() + ' ')}{call} {self.random.choice(PLAIN)}"]
        if kind == 16:
            text = self.simple().replace('"', "").replace("'", "").replace("$", "")
            return [f"eval '{text}'"]
        return self.launch() if self.random.random() < 0.5 else [self.simple()]

    def case(self, depth: int) -> list[str]:
        return [
            f'case "${self.name}" in',
            f"  {self.pick('run-*', '1', '0|7', '[a-h]*')})",
            *self.block(depth),
            "  ;;",
            "  *)",
            *self.block(depth),
            "  ;;",
            "esac",
        ]

    def loop(self, depth: int) -> list[str]:
        kind = self.random.randint(0, 2)
        block = self.block(depth)
        self.inside += 1
        n = f"n{self.inside}"
        if kind == 0:
            words = " ".join(self.random.choice(PLAIN) for _ in range(self.random.randint(1, 3)))
            leave = self.pick("", f"  {self.test()} && break", f"  {self.test()} && continue")
            return [f"for {self.name} in {words}; do", *([leave] if leave else []), *block, "done"]
        if kind == 1:
            return [f"for (({n} = 0; {n} < {self.random.randint(0, 3)}; {n}++)); do", *block, "done"]
        return [
            f"{n}=0",
            f"while (( {n} < {self.random.randint(0, 3)} )); do",
            *block,
            f"  {n}=$(({n} + 1))",
            "done",
        ]

    def sourced(self) -> list[str]:
        file = f"env_{len(self.files)}.sh"
        self.files[file] = (
            "\n".join(self.pick(self.assignment(), f"export {self.assignment()}") for _ in range(2)) + "\n"
        )
        plain = self.pick(f". ./{file}", f"source ./{file}")
        return self.random.choice([[plain], ["set -a", plain, "set +a"]])

    def function(self) -> list[str]:
        name = f"step_{len(self.functions)}"
        body: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            body.append(
                "  "
                + self.random.choice(
                    [
                        self.simple(),
                        f"local {self.assignment()}",
                        f"export {self.name}=$1",
                        f"declare -x {self.assignment()}",
                    ]
                )
            )
        if self.random.random() < 0.3:
            body.append("  srun python train.py")
        if self.random.random() < 0.2:
            body.append(f"  {self.test()} && return 0")
            body.append("  " + self.simple())
        self.functions.append(name)
        return [f"{name}() {{", *body, "}"]

    def launch(self) -> list[str]:
        kind = self.random.randint(0, 9)
        one = self.assignment()
        return [
            {
                0: f"{one} srun python train.py",
                1: "srun python train.py &",
                2: f"env {one} srun python train.py",
                3: f"env -u {self.name} srun python train.py",
                4: f"bash -c 'export {self.name}={self.random.choice(PLAIN)}; srun python train.py'",
                5: "nohup srun python train.py",
                6: f'bash -c "export {self.name}=${self.name}; srun python train.py"',
            }.get(kind, "srun python train.py")
        ] + (["wait"] if kind == 1 else [])
