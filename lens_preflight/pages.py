"""The page of a check, written from the check itself."""

from __future__ import annotations

from collections.abc import Sequence

from lens_preflight.core.check import Check
from lens_preflight.core.words import Need
from lens_preflight.gifts import GIFTS, WORDS
from lens_preflight.registry import ITEMS


def page(check: Check) -> str:
    """The Markdown page of a check: what it asks, why, how it judges, and an anchor per rule."""
    parts = [f"# {check.id}", f"{check.title}.", _table(check), check.about, _rules(check)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(check: Check) -> str:
    items = "; ".join(f"{n} ({ITEMS[n].title})" for n in check.items) or "none of the nine"
    needs = ", ".join(WORDS[n].removeprefix("no ") for n in check.needs)
    any_of = " or ".join(WORDS[n].removeprefix("no ") for n in check.any_of)
    needed = "; ".join(part for part in (needs, any_of) if part) or "nothing"
    cannot = "the whole run cannot tell (exit 3)" if check.decisive else "it is listed and costs nothing"
    rows = [
        ("checklist items", items),
        ("judged", {"run": "once a run"}.get(check.scope.value, f"for each {check.scope.value}")),
        ("needs", needed),
        ("to have it judged, give", _gifts(check)),
        ("when it cannot tell", cannot),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows if b)])


def _gifts(check: Check) -> str:
    wanted = [need for need in (*check.needs, *check.any_of) if need is not Need.ENVIRONMENT]
    return ", ".join(f"`{GIFTS[need]}`" for need in wanted)


def _rules(check: Check) -> str:
    if not check.rules:
        return ""
    sections = ["## Rules"]
    for rule in check.rules:
        sections.append(f'### <a id="{rule.name}"></a>{rule.id}')
        sections.append(f"*{rule.severity.word}, to be fixed by: {rule.owner.value}.* {rule.summary}.")
        if rule.help:
            sections.append(rule.help)
    return "\n\n".join(sections)


def index(checks: Sequence[Check]) -> str:
    """The list of all checks as a Markdown table."""
    rows = [f"| [`{c.id}`]({c.id}.md) | {_numbers(c)} | {c.title} |" for c in checks]
    head = "# Checks\n\nOne page per check, with an anchor per rule. The same page: `lens-preflight checks ID`.\n"
    return "\n".join([head, "| check | items | question |", "|---|---|---|", *rows]) + "\n"


def _numbers(check: Check) -> str:
    return ", ".join(str(n) for n in check.items) or "–"
