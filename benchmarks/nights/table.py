"""The tables of docs/gate.md: error rates of the nightly gate, what it finds, and what any gate could find at best.

Ten tasks of 500 inputs in documents of five, differences of 20 points standard deviation, if a row says nothing else.
Seeds are fixed. About twenty minutes on two cores; --small some hundredths of the nights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.nights.canaries import CanaryShape, canary_alarms, canary_finds
from benchmarks.nights.draws import Shape
from benchmarks.nights.levels import level_of
from benchmarks.nights.rates import false_alarms, found_by_night
from benchmarks.nights.share import interval_of
from scrollwork.analysis.nights.power import Design, best_power, least_drop
from scrollwork.analysis.nights.rule import Rule

RULE = Rule()
ONE_NIGHT = Rule(baseline=1, windows=1)
NIGHTS = 400
SPARSE = Shape(rho=0.5, items=100, size=10, documents="uneven")
# without change, nights are exchangeable within documents: what a row says, and shape
EXCHANGEABLE: dict[str, Shape] = {
    "rho 0": Shape(),
    "rho .3": Shape(rho=0.3),
    "rho .5": Shape(rho=0.5),
    "0 or 100, uneven documents, rho .3": Shape("binary", 0.3, documents="uneven"),
    "95 % of differences 0, else 60 points": Shape("rare"),
    "98 % wrong": Shape("wrong"),
    "98 % right": Shape("right"),
    "t with 3 degrees of freedom, rho .3": Shape("tails", 0.3),
    "100 inputs in about 10 uneven documents, rho .5": SPARSE,
}
CHANGED = "changed once without a drop, what changed stays"
# what a row says, shape, rule, sequences, nights of each
ALARMS: dict[str, tuple[Shape, Rule, int, int]] = {
    **{label: (shape, RULE, 2, NIGHTS) for label, shape in EXCHANGEABLE.items()},
    "rho 0, the reference alone and one night": (Shape(), ONE_NIGHT, 2, NIGHTS),
    CHANGED: (Shape("kept"), RULE, 60, 12),
    "not the same model: all inputs share .3 points a night": (Shape(wander=0.3), RULE, 1, NIGHTS),
    "not the same model: one task falls by .01 points a night": (Shape(drift=-0.01), RULE, 1, NIGHTS),
}
TRIALS = 100
# what a row says, shape, nights before the drop, drop, nights after it
DROPS: list[tuple[str, Shape, int, float, int]] = [
    (f"rho {rho:g}", Shape(rho=rho), before, drop, nights)
    for rho in (0.0, 0.3, 0.5)
    for before in (1, 10)
    for drop, nights in ((3.0, 3), (5.0, 1))
] + [
    (label, shape, before, drop, nights)
    for label, shape, before in (
        ("what changed stays", Shape("kept"), 1),
        ("0 or 100", Shape("binary"), 10),
    )
    for drop, nights in ((3.0, 3), (5.0, 1))
]
CANARIES: dict[str, CanaryShape] = {
    "50 inputs, 2 % of texts usually change": CanaryShape(),
    "50 inputs, the same tenth of them changes": CanaryShape(tossed=0.1),
    "50 inputs, 30 % usually change": CanaryShape(usual=0.3),
    "250 inputs": CanaryShape(items=250),
    "50 inputs, the share varies from night to night (sd 1 of its logarithm)": CanaryShape(night=1.0),
}
# points of all tasks, share of inputs with another text
CHANGES = ((3.0, 0.0), (5.0, 0.0), (10.0, 0.0), (0.0, 0.1), (0.0, 0.5))
GRID = [(items, sd) for items in (100, 500, 2000) for sd in (10.0, 20.0, 40.0)]


def main(small: bool = False) -> Iterator[str]:
    """The lines of the report. small: a hundredth of the nights and trials."""
    parts: tuple[Callable[[bool], Iterator[str]], ...] = (
        alarm_rows,
        level_rows,
        drop_rows,
        canary_alarm_rows,
        canary_rows,
        grid_rows,
        best_rows,
    )
    for part in parts:
        yield from part(small)
        yield ""


def alarm_rows(small: bool = False, labels: tuple[str, ...] = tuple(ALARMS)) -> Iterator[str]:
    """Nights without change, by the whole gate."""
    yield "| nights without change | nights | new alarm | 95 % interval | with standing | sequences above 1 % |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for label in labels:
        shape, rule, sequences, nights = ALARMS[label]
        nights, sequences = (min(nights, 4), 2) if small else (nights, sequences)
        found = false_alarms(shape, rule, nights, sequences, changed=label == CHANGED)
        above = sum(count > nights / 100 for count in found.failed)
        standing = f"{100 * found.standing / nights / sequences:.2f} %"
        yield (
            f"| {label} | {sequences} x {nights} | {share_cells(found.failed, nights)} | {standing} | "
            f"{above} of {sequences} |"
        )


def level_rows(small: bool = False, labels: tuple[str, ...] = tuple(EXCHANGEABLE)) -> Iterator[str]:
    """One task's test, by very many nights; and all rows together."""
    yield "| one task, at p .1 % | tests | exchange alone | 95 % interval | with the t-test | 95 % interval |"
    yield "| --- | --: | --: | --: | --: | --: |"
    exchange: list[int] = []
    both: list[int] = []
    for stream, label in enumerate(EXCHANGEABLE):
        if label not in labels:
            continue
        found = level_of(EXCHANGEABLE[label], RULE, 20 if small else 4_000, stream)
        if found.overlooked:
            raise RuntimeError(f"{label}: {found.overlooked} of {found.checked} small contrasts were significant")
        nights = found.tests // len(found.both)
        exchange, both = [*exchange, *found.exchange], [*both, *found.both]
        cells = f"{share_cells(found.exchange, nights, 3)} | {share_cells(found.both, nights, 3)}"
        yield f"| {label} | {found.tests:,} | {cells} |"
    cells = f"{share_cells(exchange, nights, 3)} | {share_cells(both, nights, 3)}"
    yield f"| all of these | {nights * len(both):,} | {cells} |"


def drop_rows(small: bool = False) -> Iterator[str]:
    """Drops on one task, and the most that any gate finds of normal scores of the same spread."""
    yield "| a drop | points | nights before | found by night 1, 2, 3 | best possible, first and last night |"
    yield "| --- | --: | --: | --: | --: |"
    for label, shape, before, drop, nights in DROPS:
        shares = found_by_night(shape, RULE, drop, before, nights, 2 if small else TRIALS)
        design = Design(rho=shape.rho, own=0.0 if shape.kind == "kept" else 1.0, items=shape.items, size=shape.size)
        best = [best_power(design, drop, RULE.level, before, number) for number in sorted({1, nights})]
        yield f"| {label} | {drop:g} | {before} | {percents(shares)} | {percents(best)} |"


def canary_alarm_rows(small: bool = False) -> Iterator[str]:
    """Canaries on nights without change."""
    yield "| canary, nights without change | nights | asks | 95 % interval | for texts | for scores |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for label, shape in CANARIES.items():
        nights, sequences = (4, 2) if small else (40, 100)
        found = canary_alarms(shape, RULE, nights, sequences)
        parts = " | ".join(f"{100 * part / found.nights:.2f} %" for part in (found.texts, found.scores))
        yield f"| {label} | {sequences} x {nights} | {share_cells(found.asked, nights)} | {parts} |"


def canary_rows(small: bool = False) -> Iterator[str]:
    """Canaries after a change of all tasks."""
    yield "| canary of 50 inputs, change of all tasks | 1 night before | 3 nights before | 10 nights before |"
    yield "| --- | --: | --: | --: |"
    for drop, altered in CHANGES:
        label = f"scores fall by {drop:g} points" if drop else f"{100 * altered:g} % of texts change"
        cells = [
            percents(canary_finds(CanaryShape(), RULE, drop, altered, before, 3, 2 if small else TRIALS))
            for before in (1, 3, 10)
        ]
        yield f"| {label}: asks by night 1, 2, 3 | {' | '.join(cells)} |"


def grid_rows(small: bool = False) -> Iterator[str]:
    """Power by inputs, spread and size of the canary: measured, and the bound."""
    yield (
        "| inputs a task | sd | asked | 3 points, by night 1, 2, 3 | best possible | 5 points, first night "
        "| best possible |"
    )
    yield "| --: | --: | --- | --: | --: | --: | --: |"
    trials = 2 if small else 40
    for items, sd in GRID:
        for share in (1.0, 0.05, 0.01):
            if share == 1.0:
                design, level, asked = Design(sd=sd, items=items), RULE.level, "full set, drop on one task"
                three, five = (
                    found_by_night(Shape(items=items, sd=sd), RULE, drop, 10, nights, trials)
                    for drop, nights in ((3.0, 3), (5.0, 1))
                )
            else:
                count = round(10 * items * share)
                design, level = Design(sd=sd, items=count, tasks=1, size=1.0), RULE.level / 2
                asked = f"{100 * share:g} %, {count} inputs of ten tasks, drop on all"
                canary = CanaryShape(items=count, sd=sd)
                three, five = (
                    canary_finds(canary, RULE, drop, 0.0, 10, nights, trials) for drop, nights in ((3.0, 3), (5.0, 1))
                )
            best = [best_power(design, 3.0, level, 10, 1), best_power(design, 3.0, level, 10, 3)]
            last = best_power(design, 5.0, level, 10, 1)
            yield (
                f"| {items} | {sd:g} | {asked} | {percents(three)} | {percents(best)} | {percents(five)} "
                f"| {percents([last])} |"
            )


def best_rows(small: bool = False) -> Iterator[str]:
    """The smallest drop on one task that any gate finds with a chance of 80 %, by inputs and spread."""
    yield "| inputs | sd | rho | 1 night before: first, third | 10 nights before: first, third | what changed stays |"
    yield "| --: | --: | --: | --: | --: | --: |"
    for items in (100, 500) if small else (50, 100, 250, 500, 1000, 2000):
        for sd, rho in ((10.0, 0.0), (20.0, 0.0), (20.0, 0.3), (20.0, 0.5), (40.0, 0.0)):
            design = Design(sd=sd, items=items, rho=rho)
            cells = [
                f"{least_drop(design, RULE.level, before, 1):.1f}, {least_drop(design, RULE.level, before, 3):.1f}"
                for before in (1, 10)
            ]
            kept = least_drop(replace(design, own=0.0), RULE.level, 1, 1)
            yield f"| {items} | {sd:g} | {rho:g} | {cells[0]} | {cells[1]} | {kept:.1f} |"


def percents(shares: list[float]) -> str:
    """Shares in percent, by commas."""
    return ", ".join(f"{100 * share:.0f} %" for share in shares)


def share_cells(counts: tuple[int, ...] | list[int], nights: int, digits: int = 2) -> str:
    """A share of nights and its interval, in two cells, in percent. counts: of each sequence of so many nights."""
    low, high = interval_of(counts, nights)
    share = sum(counts) / len(counts) / nights
    return f"{100 * share:.{digits}f} % | {100 * low:.{digits}f} to {100 * high:.{digits}f}"
