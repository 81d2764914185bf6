"""Queries as they should read: the run filter and the exclusion of truncated spans put in."""

from __future__ import annotations

import re
from collections.abc import Callable

from lens_preflight.dashboards.advice import run_variable
from lens_preflight.dashboards.infrastructure import exempt
from lens_preflight.dashboards.model import Dashboard, Target
from lens_preflight.dashboards.selectors import Language

_SELECTOR = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(?P<body>\s*\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\")*\})?"
)
_KEYWORDS = frozenset({"by", "without", "on", "ignoring", "group_left", "group_right", "and", "or"})
_KEYWORDS |= frozenset({"unless", "bool", "offset", "inf", "nan"})
_RUN = re.compile(r",?\s*\"?nemo[._]run[._]id\"?\s*(=~|!~|!=|=)\s*\"(?:[^\"\\]|\\.)*\"")
_CUT = re.compile(r",?\s*\"?nemo[._]span[._]truncated\"?\s*(=~|!~|!=|=)\s*\"(?:[^\"\\]|\\.)*\"")


def with_run_filter(target: Target, board: Dashboard) -> str:
    """The query with every selector confined to the run variable."""
    variable = run_variable(board)
    if target.language is Language.PROMQL:
        return _insert(target.text, _RUN, f'nemo_run_id=~"${variable}"', lambda name: not exempt(name))
    if target.language is Language.TRACEQL:
        inner = re.sub(r"[a-z]*\.?nemo\.run\.id\s*=~?\s*\"[^\"]*\"\s*(&&)?", "", target.text)
        rest = re.sub(r"^\s*\{\s*\}?", "", inner)
        joint = " && " if rest.strip() and not rest.lstrip().startswith(("}", "|")) else " "
        closing = "}" if re.match(r"\s*\{\s*\}", inner) else ""
        return f'{{ resource.nemo.run.id = "${variable}"{joint}{closing}{rest}'
    return f'nemo.run.id : "${variable}" and ({target.text or "*"})'


def with_run_label(target: Target) -> str:
    """The query with its aggregations keeping the runs apart."""
    grouped = re.sub(r"\bby\s*\(([^()]*)\)", lambda m: f"by ({_joined_labels(m.group(1))})", target.text)
    if grouped != target.text:
        return grouped
    return re.sub(r"\b(sum|avg|max|min|count)\s*\(", r"\1 by (nemo_run_id) (", target.text)


def _joined_labels(labels: str) -> str:
    return ", ".join([*(label.strip() for label in labels.split(",") if label.strip()), "nemo_run_id"])


def without_truncated(text: str, language: Language, picks: Callable[[str], bool]) -> str:
    """The query with truncated spans excluded from the selectors that ``picks`` names."""
    if language is Language.PROMQL:
        return _insert(text, _CUT, 'nemo_span_truncated!="true"', picks)
    if language is Language.TRACEQL:
        return re.sub(r"\{\s*(?=\S)", "{ span.nemo.span.truncated = nil && ", text, count=1)
    return f"not attributes.nemo.span.truncated : true and ({text or '*'})"


def _insert(text: str, old: re.Pattern[str], matcher: str, picks: Callable[[str], bool]) -> str:
    """Put a matcher into selectors; the words of the language and function calls are left alone."""

    def replaced(match: re.Match[str]) -> str:
        name, body = match["name"], match["body"]
        after = text[match.end() :].lstrip()
        if name.lower() in _KEYWORDS or (body is None and (after.startswith("(") or "_" not in name)):
            return match.group()
        if not picks(name) or _in_label_list(text, match.start()):
            return match.group()
        inner = old.sub("", body.strip()[1:-1]).strip().strip(",") if body else ""
        return f"{name}{{{inner}{',' if inner else ''}{matcher}}}"

    parts: list[str] = []
    position = 0
    for match in _SELECTOR.finditer(text):
        if _in_quotes(text, match.start()) or match.start() < position:
            continue
        parts += [text[position : match.start()], replaced(match)]
        position = match.end()
    return "".join([*parts, text[position:]])


def _in_quotes(text: str, position: int) -> bool:
    return text.count('"', 0, position) % 2 == 1


def _in_label_list(text: str, position: int) -> bool:
    """Whether the place is inside ``by (...)`` and its kind, or inside braces or brackets."""
    before = text[:position]
    listed = re.search(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*$", before)
    inside = before.count("{") > before.count("}") or before.count("[") > before.count("]")
    return listed is not None or inside or before.endswith("$")
