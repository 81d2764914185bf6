"""The rules of collector-alerts."""

from __future__ import annotations

from lens_preflight.core.finding import Rule
from lens_preflight.core.words import Owner, Severity

ID = "collector-alerts"

UNREADABLE = Rule(
    f"{ID}/unreadable",
    "A file of rules cannot be read",
    Severity.BLOCKER,
    Owner.PLATFORM,
    help=(
        "Prometheus refuses the file, and with it every rule that it holds. promtool check rules FILE "
        "says where."
    ),
)
BAD_EXPRESSION = Rule(
    f"{ID}/bad-expression",
    "An expression does not parse",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="If Prometheus does not read it either, it refuses the whole file. Try promtool check rules FILE.",
)
NEW_NAME = Rule(
    f"{ID}/name-of-version-3",
    "A name that Prometheus 2 refuses",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "Before 3.0 names are letters, digits and _ (and : in those of series), and a file with any other is "
        "refused as a whole. Write a name that both take, or be sure of the version: prometheus --version."
    ),
)
UNREAD = Rule(
    f"{ID}/unread-document",
    "A file of rules has several YAML documents",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "Prometheus reads the first document of a file of rules and says nothing of the others: promtool "
        "check rules FILE counts the rules that it found. Put all groups under one groups key."
    ),
)
NO_FAILURES = Rule(
    f"{ID}/no-send-failure-alert",
    "No alert on failed sends of the collector",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "otelcol_exporter_send_failed_* counts what the collector could not deliver. Without an alert "
        "the loss is noticed when somebody looks for a run that is not there."
    ),
)
NO_QUEUE = Rule(
    f"{ID}/no-queue-alert",
    "No alert on the collector's queue",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="A queue above four fifths of its capacity is the last warning before data are refused.",
)
CANNOT_FIRE = Rule(
    f"{ID}/cannot-tell-anything",
    "An alert on the collector never fires, or always does",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "The queue's size over its capacity is never above 1, a rate of failures is never below 0, and "
        "a comparison with bool gives a result in any case, and a share below 0.8 tells that all is well. Such an "
        "alert does not count."
    ),
)
LATE = Rule(
    f"{ID}/late",
    "An alert on the collector waits for hours",
    Severity.CAUTION,
    Owner.PLATFORM,
    help="A queue that is full loses data at once. With a for of hours the loss is told when it is history.",
)
NOT_SCRAPED = Rule(
    f"{ID}/not-scraped",
    "Nobody scrapes the collector's own metrics",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "They are served on port 8888 unless its file names another one, not on that of the prometheus "
        "exporter. Without the scrape job no alert on them can ever fire."
    ),
)

DROPPED = Rule(
    f"{ID}/dropped-by-scraping",
    "The scrape job drops the collector's own metrics",
    Severity.CAUTION,
    Owner.PLATFORM,
    help=(
        "metric_relabel_configs are applied before a series is stored: what they drop no alert can see. Leave "
        "otelcol_exporter_.* alone there."
    ),
)

RULES = (
    UNREADABLE,
    BAD_EXPRESSION,
    NEW_NAME,
    UNREAD,
    NO_FAILURES,
    NO_QUEUE,
    CANNOT_FIRE,
    LATE,
    NOT_SCRAPED,
    DROPPED,
)
