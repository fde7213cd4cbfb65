"""The words and numbers of a comparison, for a terminal, Markdown and the page alike. Texts of logs are not escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scrollwork.analysis.logs.compare import Compared, PairComparison, TaskComparison
from scrollwork.analysis.logs.note import counted
from scrollwork.analysis.statistics.paired import ALPHA

COLUMNS = (
    "task",
    "metric",
    "A",
    "B",
    "A − B",
    "95 % interval",
    "p (Holm)",
    "won / lost / tied",
    "items in clusters",
    "verdict",
)
LEFT = ("task", "metric", "verdict")
NO_NUMBER = "–"


def cells(row: TaskComparison) -> list[str]:
    """Format a row, a text for each of COLUMNS."""
    if row.not_compared:
        return [row.task or NO_NUMBER, row.metric, *[NO_NUMBER] * 6, "0", row.not_compared]
    low_high = NO_NUMBER
    if row.interval is not None:
        low_high = f"{value(row.interval[0], row, sign=True)} to {value(row.interval[1], row, sign=True)}"
    return [
        row.task or NO_NUMBER,
        row.metric + (" (low is good)" if row.lower_is_better else ""),
        value(row.mean_a, row),
        value(row.mean_b, row),
        value(row.difference, row, sign=True),
        low_high,
        probability(row.p_holm),
        f"{row.won:,} / {row.lost:,} / {row.tied:,}",
        f"{row.items:,}" + (f" in {row.clusters:,}" if row.clusters != row.items else ""),
        verdict(row),
    ]


def verdict(row: TaskComparison) -> str:
    """Say in a few words what the comparison shows."""
    if row.significant and row.difference:
        better = "A" if (row.difference > 0) is not row.lower_is_better else "B"
        within = f", by less than {value(row.margin, row)}" if row.equivalent else ""
        return f"{better} is better{within}"
    if row.equivalent:
        return f"equal within {value(row.margin, row)}"
    if row.p_holm is None:
        return "one cluster: nothing can be tested"
    return f"no item differs, undecided{to_decide(row)}" if row.tied == row.items else f"undecided{to_decide(row)}"


def to_decide(row: TaskComparison) -> str:
    """Say how many documents (with so many items), or items, would decide; or that Holm's correction is in the way."""
    if not row.clusters_to_decide or not row.items_to_decide:
        return ""
    if row.p is not None and row.p < ALPHA:
        return f": p is {probability(row.p)} before Holm's correction"
    if row.clusters == row.items:
        return f": about {counted(row.items_to_decide, 'item')} would decide"
    documents, items = counted(row.clusters_to_decide, "document"), counted(row.items_to_decide, "item")
    return f": about {documents} ({items}) would decide"


def pairing_notes(row: TaskComparison) -> Iterator[str]:
    """Yield how the items of a task were paired and what was left out; equal for all metrics of the task."""
    if row.paired_by:
        yield "paired by " + ", ".join(f"{rung} {count:,}" for rung, count in row.paired_by.items())
    missing = (
        (row.only_a, "only in A"),
        (row.only_b, "only in B"),
        (row.changed, "with another prompt"),
        (row.contradictory, "twice with different scores"),
    )
    yield from (f"{count:,} {what}" for count, what in missing if count)


def score_notes(row: TaskComparison) -> Iterator[str]:
    """Yield what else is known of the scores by one metric, and what difference could have been found."""
    if row.unscored:
        yield f"{counted(row.unscored, 'pair')} without two scores"
    if row.both_right is not None and row.both_wrong is not None:
        yield f"both right {row.both_right:,}, both wrong {row.both_wrong:,}, McNemar p {probability(row.mcnemar)}"
    if row.mean_a is not None and (row.all_a[0], row.all_b[0]) != (row.items, row.items):
        yield (
            f"all scored items: A {value(row.all_a[1], row)} ({row.all_a[0]:,}), "
            f"B {value(row.all_b[1], row)} ({row.all_b[0]:,})"
        )
    if row.power is not None:
        found = f", of {value(row.detectable, row)} in 80 %" if row.detectable is not None else ""
        yield f"a true difference of {value(row.margin, row)} is found in {100 * row.power:.0f} % of cases{found}"


def notes_by_task(rows: Sequence[TaskComparison]) -> Iterator[str]:
    """Yield the lines below a table: of each task how it was paired, then of each of its metrics."""
    for task in dict.fromkeys(row.task for row in rows):
        own = [row for row in rows if row.task == task]
        if said := "; ".join(pairing_notes(own[0])):
            yield f"{task}: {said}" if task else said
        for row in own:
            if said := "; ".join(score_notes(row)):
                yield f"{label(row)}: {said}"


def value(number: float | None, row: TaskComparison, *, sign: bool = False) -> str:
    """Format a number in the row's scale: four decimals where scores go from 0 to 1, else two."""
    if number is None:
        return NO_NUMBER
    places = 4 if max(abs(row.mean_a or 0), abs(row.mean_b or 0)) <= 1 else 2
    text = f"{number:{'+' if sign else ''}.{places}f}"
    return text.replace("-", "−") if float(text) else f"{0:.{places}f}"


def probability(p: float | None) -> str:
    """Format a p value: never 0."""
    if p is None:
        return NO_NUMBER
    return "< .0001" if p < 0.0001 else f"{p:.4f}".lstrip("0") if p < 1 else "1"


def label(row: TaskComparison) -> str:
    """Name a row: its task, where the log names one, and its metric."""
    return f"{row.task}, {row.metric}" if row.task else row.metric


def title(pair: PairComparison) -> str:
    """Return the heading of a pair."""
    return f"A = {pair.a}, B = {pair.b}"


def summary(compared: Compared) -> str:
    """Return how many rows show what, in one sentence."""
    rows = [row for pair in compared.pairs for row in pair.tasks]
    shown = sum(row.significant for row in rows)
    equal = sum(not row.significant and row.equivalent is True for row in rows)
    none = sum(bool(row.not_compared) for row in rows)
    parts = [
        f"{shown} with a difference",
        f"{equal} equal within the margin",
        f"{len(rows) - shown - equal - none} undecided",
    ]
    pairs, alone = len(compared.pairs), sum(not pair.tasks for pair in compared.pairs)
    within = f" in {pairs - alone} of {pairs} pairs" if alone else f" in {pairs} pairs" if pairs > 1 else ""
    return (
        f"{len(rows)} comparison{'s' * (len(rows) != 1)}{within}: {', '.join(parts)}"
        + (f", {none} not possible" if none else "")
        + (f"; {alone} pair{'s have' if alone > 1 else ' has'} no task and metric in common" if alone else "")
    )
