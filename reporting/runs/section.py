"""The page's section on a ranking over runs: AR and ARSD, each data set as in SEAM's table 3 next to the published one,
correlations of scores, and sources of their variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scrollwork.records.ranking import COMPUTED, PUBLISHED, ModelRank, TaskRank
from scrollwork.reporting.boards.board import ARM, Board
from scrollwork.reporting.boards.leaderboard import not_counted, references
from scrollwork.reporting.boards.ranks import Ranks, label
from scrollwork.reporting.charts.drawing import Drawing
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.environment import environment
from scrollwork.reporting.page.sections import Link, PageSection
from scrollwork.reporting.page.text import number
from scrollwork.reporting.runs.figures import run_drawings

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_CARDS = 8


class Runs(PageSection):
    """The section, with a part for each ranked split."""

    files = ("runs.html", "runs.css")

    def styles(self, board: Board, findings: Findings) -> Sequence[str]:
        """The style sheet of rankings."""
        return ("runs.css",) if board.ranked else ()

    def links(self, board: Board, findings: Findings) -> Sequence[Link]:
        """The ranking of each split."""
        return [Link(f"ranks-{place}", f"Ranking, {split}") for place, split in enumerate(board.ranks.splits, 1)]

    def html(self, board: Board, content: Content) -> Markup | None:
        """HTML of the rankings; None if nothing was ranked."""
        from markupsafe import Markup

        if not board.ranks:
            return None
        parts = [split_values(board, split) for split in board.ranks.splits]
        return Markup(environment().get_template("runs.html").render(parts=parts, paper=board.published, usual_arm=ARM))

    def drawings(self, board: Board, findings: Findings) -> Sequence[Drawing]:
        """The charts of the ranking."""
        return run_drawings(board)


def split_values(board: Board, split: str) -> dict[str, Any]:
    """Template values of one split."""
    ranks = board.ranks.of(split)
    models, published = ranks.ranked(), ranks.ranked(PUBLISHED)
    compared = ranks.compared()
    narrower = (
        bool(published) and bool(compared) and set(compared) != set(ranks.datasets()) | set(ranks.datasets(PUBLISHED))
    )
    section = next(one for one in board.sections if one.split == split)
    short = {column.task: column.short for column in board.columns}
    return {
        "split": split,
        "cards": [{**overall(row), "label": label(row.model, row.arm)} for row in models[:MOST_CARDS]],
        "models": [overall(row) for row in models],
        "published": [overall(row) for row in published] if references(board, section) else [],
        "compared": narrower,
        "compared_names": ", ".join(short.get(task, task) for task in compared),
        "warnings": list(not_counted(ranks)),
        "notes": notes(board, ranks),
        "stable": runs_needed_text(ranks),
        "sets": [data_set(board, ranks, column.task, column.metric) for column in board.columns],
        "correlations": [
            {**vars(row), "pearson": signed(row.pearson), "spearman": signed(row.spearman)}
            for row in ranks.correlations
        ],
        "draws": any(row.draws is not None for row in ranks.variances),
        "variances": [
            {
                **vars(row),
                "label": label(row.model, row.arm),
                "interval": interval_text(row.low, row.high, 3),
                "share": percent(row.share),
            }
            for row in ranks.variances
        ],
    }


def overall(row: ModelRank) -> dict[str, Any]:
    """Template values of a model over all data sets; shares in percent."""
    lacking = row.tasks - row.counted
    return {
        **vars(row),
        "ar_interval": interval_text(row.ar_low, row.ar_high, 2),
        "arsd": percent(row.arsd),
        "arsd_interval": interval_text(row.arsd_low, row.arsd_high, 1, 100),
        "best": percent(row.best, 0),
        "compared_arsd": percent(row.compared_arsd),
        "of": f"{row.tasks}{f', ARSD {row.counted}' if lacking else ''}",
        "over": f"over {row.tasks} data sets{f', ARSD over {row.counted}' if lacking else ''}",
    }


def notes(board: Board, ranks: Ranks) -> list[str]:
    """Notes on data sets, and on models without a score on them."""
    found = [
        f"{label(model, arm)}: NA, so ranked last, on {', '.join(tasks)}: {reason}"
        for (model, arm, reason), tasks in ranks.without_score().items()
    ]
    found += [
        f"{task}: {said}; left out of AR and ARSD where they are compared" for task, said in ranks.proxies().items()
    ]
    if board.upstream:
        named = ", ".join(f"{task} ({name})" for task, name in board.upstream.items())
        found.append(f"What stands here as split test is upstream’s validation data on {named}, here and in the paper")
    return found


def data_set(board: Board, ranks: Ranks, task: str, metric: str) -> dict[str, Any]:
    """Template values of a data set: our table and the published one."""
    arsd = {row.source: row.arsd for row in ranks.spreads if row.task == task}
    return {
        "task": task,
        "metric": metric,
        "proxy": ranks.proxies().get(task, ""),
        "upstream": board.upstream.get(task, ""),
        "arsd": percent(arsd[COMPUTED]) if arsd.get(COMPUTED) is not None else "",
        "published_arsd": percent(arsd[PUBLISHED]) if arsd.get(PUBLISHED) is not None else "",
        "rows": places(ranks.column(task)),
        "published": places(ranks.column(task, PUBLISHED)),
    }


def places(rows: Sequence[TaskRank]) -> list[dict[str, Any]]:
    """Template values of a data set's rows."""
    return [
        {
            "model": row.model,
            "arm": row.arm,
            "rank": f"{row.rank:g}",
            "arrow": "–" if row.arrow is None else f"{row.arrow:.2f}",
            "value": mean_and_std(row),
            "reason": row.reason if row.source != PUBLISHED else "",
            "ends": interval_text(min(row.scores), max(row.scores), 1) if len(row.scores) > 1 else "",
        }
        for row in rows
    ]


def mean_and_std(row: TaskRank) -> str:
    """ "21.4 ± 0.7"; for a single run without deviation; "NA" without a score."""
    if row.mean is None:
        return "NA"
    return number(row.mean) if len(row.scores) == 1 else f"{number(row.mean)} ± {number(row.std)}"


def runs_needed_text(ranks: Ranks) -> str:
    """A sentence on how many runs the ranking needs; "" if that is unknown."""
    if not ranks.stability or len(ranks.ranked()) < 2:
        return ""
    needed = ranks.runs_needed()
    if needed is None:
        most = max(row.runs for row in ranks.stability)
        return f"Not even {most:,} runs would give the same ranking by AR in 95 % of cases."
    return f"From {needed:,} run{'s' if needed > 1 else ''} on, 95 % of resampled rankings order all models alike."


def signed(value: float | None) -> str:
    """A correlation with two decimals and a proper minus sign."""
    return number(value, 2).replace("-", "−")


def percent(share: float | None, places: int = 1) -> str:
    """A share in percent, without "%"."""
    return number(None if share is None else 100 * share, places)


def interval_text(low: float | None, high: float | None, places: int, times: int = 1) -> str:
    """An interval, its ends multiplied by `times`; an en dash if an end is None."""
    return "–" if low is None or high is None else f"{times * low:.{places}f}–{times * high:.{places}f}"


SECTION = Runs()
