"""What a night shows of its tasks, in a terminal and in Markdown alike: the cells of a table, and the notes under it.
Texts of others are not escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scrollwork.records.comparison import few_clusters_of
from scrollwork.records.nights.night import FULL, NightTask

LONGEST = 1_000  # characters of a sentence that is shown
COLUMNS = (
    "task",
    "metric",
    "score",
    "95 %",
    "answered",
    "verdict",
    "before",
    "now",
    "difference (95 %)",
    "p of a drop",
)
OF_A_CANARY = 5  # of these, the first ones: a canary has no verdict by task
MEANS = (
    "score: of tonight. before, now: means over the nights in brackets, of the scores of the inputs that all of them "
    "answered (of rouge_geo, whose score is no such mean, they are another number); now is of the last nights that "
    "stand out most. difference: now - before"
)


def columns_of(kind: str) -> tuple[str, ...]:
    """Return the heads of the table of a night of this kind."""
    return COLUMNS if kind == FULL else COLUMNS[:OF_A_CANARY]


def cells(task: NightTask, kind: str = FULL) -> tuple[str, ...]:
    """Return a row of the table, in order of `columns_of`. Intervals that cannot be trusted have a mark."""
    found = (
        task.task,
        task.metric,
        number(task.value),
        interval(task.low, task.high, task.interval_note),
        f"{task.answered:,} of {task.expected:,}",
        task.state + (f", muted until {task.muted_until}" if task.muted_until else ""),
        over(task.before, task.against, "1 night", "{} nights"),
        over(task.now, task.window, "tonight", "last {} nights"),
        difference(task),
        "–" if task.p is None else f"{task.p:.2g}",
    )
    return found if kind == FULL else found[:OF_A_CANARY]


def notes_of(tasks: Sequence[NightTask]) -> Iterator[str]:
    """Yield what is to be said under the table: what its columns are, and which intervals cannot be trusted."""
    if any(task.before is not None for task in tasks):
        yield MEANS
    counts: dict[str, set[int]] = {}
    for task in tasks:
        scored = (task.low, task.interval_note, task.clusters)
        for low, note, clusters in (scored, (task.low_difference, task.difference_note, task.documents)):
            if low is not None and note and clusters:
                counts.setdefault(task.task, set()).add(clusters)
    if told := few_clusters_of(counts):
        yield f"⚠ {told}"


def number(value: float | None) -> str:
    """Format points; "–" for none."""
    return "–" if value is None else f"{value:.2f}"


def interval(low: float | None, high: float | None, note: str) -> str:
    """Format an interval, with a mark if there is a note on it; "–" for none."""
    return "–" if low is None or high is None else f"{low:.2f} to {high:.2f}{' ⚠' if note else ''}"


def over(value: float | None, nights: int, one: str, several: str) -> str:
    """Format a mean over so many nights, 0 for an unknown number; "–" for none. one, several: words for the number."""
    if value is None or not nights:
        return number(value)
    return f"{number(value)} ({one if nights == 1 else several.format(nights)})"


def difference(task: NightTask) -> str:
    """Format now - before with its interval; "–" for none."""
    if task.difference is None:
        return "–"
    known = task.low_difference is not None
    within = f" ({interval(task.low_difference, task.high_difference, task.difference_note)})" if known else ""
    return f"{task.difference:+.2f}{within}"
