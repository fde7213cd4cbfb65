"""What the commands of Dolce print for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scrollwork.analysis.windows.categories import CATEGORIES
from scrollwork.analysis.windows.category_shares import LAST, SOLVED, UNOBSERVED, UNSOLVED
from scrollwork.analysis.windows.design import Recovery
from scrollwork.analysis.windows.fit.fitting import ProblemFit, TaskFit
from scrollwork.analysis.windows.fit_json import lengths
from scrollwork.cli.seam.tables import percent, print_rows
from scrollwork.tasks.report.ledger import Ledger

NONE = "–"
STATED = ("V solved/not %", "undecided %")  # heads of what stands beside the categories


def show(fits: Sequence[TaskFit], by_length: bool, tau: float) -> None:
    """Shares of every task, then its problems, and with by_length what was seen at each length."""
    print_rows(
        ("task", "scenario", "problems", *(f"{name} %" for name in CATEGORIES), *STATED, "noise 1, 0, IDK"),
        [
            (
                one.task,
                one.scenario,
                f"{len(one.problems):,}",
                *(
                    f"{percent(share, 0)} ({percent(low, 0)}–{percent(high, 0)})"
                    for share, (low, high) in zip(one.stated.decided, one.intervals, strict=True)
                ),
                split_holistic(one.stated.holistic),
                percent(one.stated.undecided, 0),
                NONE if one.noise is None else three_probabilities(one.noise),
            )
            for one in fits
        ],
        "decided problems; V: solved by the whole context or not; in brackets 95 % of what all probabilities allow",
    )
    for one in fits:
        tested = any(each.dip for each in one.problems)
        print_rows(
            ("problem", "C", "lambda", "k", "weight", "category", "probability", *(["p of dip"] if tested else [])),
            [(*problem(each), *([number(each.dip and each.dip[1])] if tested else [])) for each in one.problems],
            f"{one.task}, {one.scenario}; ?: undecided",
        )
        if by_length:
            for each in one.problems:
                show_lengths(one, each, tau)


def problem(one: ProblemFit) -> tuple[str, ...]:
    """Format the row of a problem."""
    known = CATEGORIES[one.category] + ("?" if one.undecided else "")
    if one.category == LAST and not one.undecided:
        known = f"{known} {UNOBSERVED if one.solved is None else SOLVED if one.solved else UNSOLVED}"
    sure = f"{one.probabilities[one.category]:.2f}"
    return (
        one.problem.name,
        f"{one.problem.units:,}",
        "inf" if one.complexity < 0 else f"{one.complexity:,}",
        f"{one.redundancy:,}",
        f"{one.weight:.2f}",
        known,
        sure,
    )


def split_holistic(holistic: Sequence[float]) -> str:
    """V by what the whole context leads to, in percent of all problems: solved/unsolved; what it was not asked for
    is in neither."""
    return "/".join(percent(one, 0) for one in holistic[:2])


def show_lengths(task: TaskFit, one: ProblemFit, tau: float) -> None:
    """The paper's table of a problem: frequencies of 1, 0, IDK and what the model says of them."""
    rows = lengths(task, one, tau)
    if task.noise is None:
        cells = [(f"{r['length']:,}", f"{r['windows']:,}", f"{r['observed']:.3f}", f"{r['weight']:.2f}") for r in rows]
        print_rows(("length", "windows", "mean score", "weight"), cells, one.problem.name)
        return
    columns = ("length", "windows", "observed 1, 0, IDK", "fitted", "oracle", "posterior of the oracle")
    kinds = ("observed", "fitted", "oracle", "posterior")
    cells = [(f"{r['length']:,}", f"{r['windows']:,}", *(three_probabilities(r[kind]) for kind in kinds)) for r in rows]  # type: ignore[misc]
    print_rows(columns, cells, one.problem.name)


def show_compared(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the comparison, one row per task."""
    print_rows(
        (
            "task",
            "problems",
            "RC lambda",
            "rho lambda",
            "RC k",
            "rho k",
            "KL",
            "same %",
            "shares A",
            "shares B",
        ),
        [
            (
                part_of(row),
                f"{row['problems']:,}",
                *(number(row[name]) for name in ("rc_lambda", "rho_lambda", "rc_k", "rho_k", "kl")),
                percent(row["same_category"], 1),
                *(by_category(row["shares"][which]) for which in ("reference", "test")),
            )
            for row in rows
        ],
        "RC: mean |a - b| / max(a, b); rho: Spearman's; KL: A's noise to B's; shares: % in I/II/III/IV/V/undecided",
    )


def part_of(row: Mapping[str, Any]) -> str:
    """Name what a row compares: "qasper cow", or "qasper cow/pig, no I" (COW in the first fit, PIG in the second)."""
    scenarios = "/".join(dict.fromkeys((row["scenario"], row["test"]["scenario"])))
    return f"{row['task']} {scenarios}" + (f", no {row['left_out']}" if row.get("left_out") else "")


def by_category(shares: Mapping[str, float | None]) -> str:
    """Percent of I to V, and undecided, which an earlier version did not say."""
    return "/".join(percent(one, 0) for one in shares.values())


def show_design(rows: Sequence[Recovery], found: Recovery | None, accuracy: float) -> None:
    """Print one row for each number of windows."""
    print_rows(
        ("windows", "samples", "lambda %", "lambda, k %", "category %", "decided %", "decided right %"),
        [
            (
                "all" if row.windows is None else f"{row.windows:,}",
                f"{row.samples:,.0f}",
                *(percent(one, 1) for one in (row.complexity, row.pair, row.category, row.decided)),
                percent(row.decided_right, 1),
            )
            for row in rows
        ],
        f"windows: of each length; samples: of a problem; {rows[0].problems:,} planted problems",
    )
    if found is None:
        print(f"a category accuracy of {accuracy:g} is not reached, even by all windows")
    else:
        print(f"{accuracy:g} is reached with {found.windows or 'all'} windows a length")


def three_probabilities(values: Sequence[float] | None) -> str:
    """Format the probabilities of 1, 0 and IDK."""
    return NONE if values is None else " ".join(f"{one:.2f}" for one in values)


def number(value: float | None) -> str:
    """Format a number of a comparison."""
    return NONE if value is None else f"{value:.3f}"


def run_tables(ledger: Ledger) -> None:
    """Print what `run` adds to the leaderboard: shares of categories, where problems were fitted."""
    if mixtures := ledger.findings.table("mixtures"):
        show_needs(mixtures)


def show_needs(mixtures: Sequence[Mapping[str, Any]]) -> None:
    """Shares of categories by task and model, as rows of stage complexity."""
    print_rows(
        ("task", "model", *CATEGORIES, *STATED, "problems", "fitted as", "noise"),
        [
            (
                row["task"],
                row["model"],
                *(f"{100 * a:.0f} ({100 * b:.0f})" for a, b in zip(row["decided"], row["expected"], strict=True)),
                split_holistic(row["holistic"]),
                percent(row["undecided"] / row["problems"], 0),
                f"{row['problems']:,}",
                row["scenario"],
                "/".join(f"{one:.2f}" for one in row["noise"]) or "–",
            )
            for row in mixtures
        ],
        "% of problems: I no context, II easy, III retrieval, IV balanced, V holistic; in brackets: by probabilities",
    )
