"""Dolce: problems a second of both models, beside a plain loop over samples; memory; how often planted pairs,
categories and probabilities are right, beside what another simulation had. Seeds are printed."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from scrollwork.analysis.windows.design import Plan, SimulatedTask, simulate
from scrollwork.analysis.windows.fit import cow, pig
from scrollwork.analysis.windows.fit.candidates import COW, PIG, TIE, pairs
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.simulation import FIXED, IID, LENGTHS

SEEDS = (0, 1, 2, 3, 4, 5)
ROWS = (5, 20, 50, None)  # windows of each length
SHEET = {  # lambda, lambda and k, category of that simulation, whose planted pairs are not known (fact sheet 10)
    (COW, IID): [(0.60, 0.44, 0.79), (0.77, 0.69, 0.91), (0.85, 0.82, 0.96), (0.94, 0.92, 1.00)],
    (COW, FIXED): [(0.60, 0.46, 0.72), (0.73, 0.61, 0.88), (0.85, 0.74, 0.97), (0.93, 0.81, 0.97)],
}
DRAWS = 60  # of the bootstrap
Found = np.ndarray[tuple[int], np.dtype[np.bool_]]
BOUNDS = (0.2, 0.5, 0.8, 0.95, 0.99, 1.0001)  # of probabilities


def main(small: bool = False) -> list[str]:
    """The lines of the report."""
    seeds = SEEDS[:2] if small else SEEDS
    return [*speed(), *memory(), *recovered(seeds), *calibrated(seeds)]


def task(problems: int, seed: int = 0) -> cow.Counts:
    """158 samples a problem: 18 windows at 8 lengths, more at one, one closed book and one of the whole context."""
    random = np.random.default_rng(seed)
    units = random.integers(220, 500, problems)
    lengths = np.array([[*LENGTHS, int(one)] for one in units])
    counts = random.multinomial(18, [0.2, 0.2, 0.6], size=lengths.shape).astype(np.float64)
    counts[:, [0, -1]] = random.multinomial(1, [0.2, 0.2, 0.6], size=(problems, 2))
    counts[:, 1] += random.multinomial(12, [0.2, 0.2, 0.6], size=problems)
    return cow.Counts(units, lengths, counts)


def speed() -> Iterator[str]:
    """Problems a second of CPU."""
    data = task(960)
    samples = data.counts.sum(axis=(1, 2))
    assert (samples == 158).all()
    few = cow.Counts(data.units[:2], data.lengths[:2], data.counts[:2])
    ours, plain = [], []
    for _ in range(3):  # in turns, so that a drifting machine is fair to both
        began = time.process_time()
        cow.fit(data)
        ours.append(len(data.units) / (time.process_time() - began))
        began = time.process_time()
        found = one_by_one(few)
        plain.append(len(few.units) / (time.process_time() - began))
    wanted = cow.fit(few)
    assert [row[:2] for row in found] == list(zip(wanted.complexity, wanted.redundancy, strict=True))
    mine, theirs = sorted(ours)[1], sorted(plain)[1]
    yield (
        f"dolce COW, 158 samples a problem, tables included: {mine:,.0f} problems/s, "
        f"a loop over samples {theirs:.2f}/s: {mine / theirs:,.0f}x"
    )
    graded = scores(2000)
    for oracle in (pig.INTERPOLATED, pig.ATOMS):
        options = pig.Options(oracle)
        began = time.process_time()
        pig.log_bins(240, [*LENGTHS, 240], options)
        tables = time.process_time() - began
        began = time.process_time()
        pig.fit(graded, options)
        rest = time.process_time() - began - tables
        yield (
            f"dolce PIG, {oracle}: tables of one C {1000 * tables:.0f} ms, then {len(graded.units) / rest:,.0f} "
            "problems/s of 402 samples"
        )


def scores(problems: int) -> pig.Binned:
    """Contexts of 240 units."""
    random = np.random.default_rng(1)
    lengths = np.tile(np.array([*LENGTHS, 240]), (problems, 1))
    counts = random.multinomial(50, np.ones(pig.BINS) / pig.BINS, size=lengths.shape).astype(np.float64)
    counts[:, [0, -1]] = random.multinomial(1, np.ones(pig.BINS) / pig.BINS, size=(problems, 2))
    return pig.Binned(np.full(problems, 240), lengths, counts)


def one_by_one(data: cow.Counts) -> list[tuple[int, int, float]]:
    """The same EM over samples, one after the other: (lambda, k, w) of each problem."""
    columns = range(data.lengths.shape[1])
    problems = [
        [
            (int(data.lengths[i, j]), outcome)
            for j in columns
            for outcome in range(3)
            for _ in range(int(data.counts[i, j, outcome]))
        ]
        for i in range(len(data.units))
    ]
    tables = [
        {
            (pair, length): float(cover_probability(length, *pair, int(units)))
            for pair in pairs(int(units), COW)
            for length, _ in set(samples)
        }
        for units, samples in zip(data.units, problems, strict=True)
    ]
    tracks = [
        {pair: [0.5] * len(samples) for pair in pairs(int(units), COW)}
        for units, samples in zip(data.units, problems, strict=True)
    ]
    every = [outcome for samples in problems for _, outcome in samples]
    noise = [every.count(outcome) / len(every) for outcome in range(3)]
    best: list[tuple[int, int, float]] = []
    for step in range(cow.PASSES):
        if step:
            mass = [0.0, 0.0, 0.0]
            for samples, track, (span, copies, _) in zip(problems, tracks, best, strict=True):
                for (_, outcome), own in zip(samples, track[span, copies], strict=True):
                    mass[outcome] += 1 - own
            noise = [one / sum(mass) for one in mass]
        best = []
        for samples, track, table in zip(problems, tracks, tables, strict=True):
            rows = []
            for pair, posterior in track.items():
                weight = sum(posterior) / len(posterior)
                short = [0.0, 0.0, 0.0]
                for (length, outcome), own in zip(samples, posterior, strict=True):
                    if length < pair[0] and outcome:
                        short[outcome] += own
                total = sum(short)
                short = [one / total for one in short] if total else [0.0, 0.5, 0.5]
                likelihood = 0.0
                for place, (length, outcome) in enumerate(samples):
                    known = table[pair, length]
                    oracle = short[outcome] if length < pair[0] else (known, 0.0, 1 - known)[outcome]
                    both = max(weight * oracle + (1 - weight) * noise[outcome], cow.FLOOR)
                    posterior[place] = weight * oracle / both
                    likelihood += math.log(both)
                rows.append((likelihood, pair, weight))
            top = max(row[0] for row in rows)
            near = [row for row in rows if row[0] >= top - TIE]
            _, pair, weight = max(near, key=lambda row: (row[1][0], -row[1][1]))
            best.append((*pair, weight))
    return best


def memory() -> Iterator[str]:
    """Peak of what fits allocate, beside observations and result."""
    for problems in (1_000, 10_000, 20_000):
        data = task(problems)
        tracemalloc.start()
        found = cow.fit(data)
        held, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(found.weight) == problems
        yield f"dolce COW, {problems:,} problems: peak {peak / 2**20:,.0f} MB, of which {held / 2**20:,.0f} the result"


def recovered(seeds: tuple[int, ...]) -> Iterator[str]:
    """Section 10's tables."""
    yield f"dolce recovery, seeds {', '.join(map(str, seeds))}; in brackets another simulation's"
    for typical in (True, False):
        apart = []
        for (scenario, mode), sheet in SHEET.items():
            name = f"{scenario} {mode}, " + ("a pair a category" if typical else "any pair")
            plan = Plan(scenario, mode, seeds=seeds, typical=typical)
            for windows, known in zip(ROWS, sheet, strict=True):
                runs = [simulate(plan, windows, seed) for seed in seeds]
                apart += errors(found_again(runs), known, plan.problems * len(runs))
                yield line(name, windows, runs, known)
        yield (
            f"  {len(apart)} shares differ from the other simulation's by {np.sqrt(np.mean(np.square(apart))):.1f} "
            f"standard errors of two such samples (root of the mean square), at most by {max(map(abs, apart)):.1f}"
        )
    for oracle in (pig.ATOMS, pig.INTERPOLATED):
        for mode, windows in ((IID, 50), (FIXED, 50), (FIXED, None)):
            plan = Plan(PIG, mode, (120, 240), 40, seeds, options=pig.Options(oracle))
            runs = [simulate(plan, windows, seed) for seed in seeds]
            known = PIG_SHEET[oracle, mode, windows]
            yield line(f"{PIG} {oracle} {mode}", windows, runs, (known[0], math.nan, known[1]))


PIG_SHEET = {  # lambda, category
    (pig.ATOMS, IID, 50): (0.90, 0.95),
    (pig.INTERPOLATED, IID, 50): (0.78, 0.95),
    (pig.ATOMS, FIXED, 50): (0.72, 0.95),
    (pig.INTERPOLATED, FIXED, 50): (0.65, 0.80),
    (pig.ATOMS, FIXED, None): (0.88, 1.00),
    (pig.INTERPOLATED, FIXED, None): (0.70, 0.93),
}


def found_again(runs: list[SimulatedTask]) -> list[Found]:
    """Of each problem whether its lambda, lambda and k, category were found."""
    complexity = np.concatenate([run.complexity == run.planted.complexity for run in runs])
    redundancy = np.concatenate([run.redundancy == run.planted.redundancy for run in runs])
    return [complexity, complexity & redundancy, np.concatenate([run.right for run in runs])]


def errors(right: list[Found], known: tuple[float, ...], problems: int) -> list[float]:
    """Differences of shares, in standard errors of two samples of so many problems."""
    return [
        float(one.mean() - sheet) / math.sqrt(max(sheet * (1 - sheet), 1 / problems) * 2 / problems)
        for one, sheet in zip(right, known, strict=True)
    ]


def line(name: str, windows: int | None, runs: list[SimulatedTask], known: tuple[float, float, float]) -> str:
    """One row."""
    right = found_again(runs)
    told = [
        f"{what} {one.mean():.2f}" + ("" if math.isnan(sheet) else f" ({sheet:.2f})")
        for what, one, sheet in zip(("lambda", "lambda and k", "category"), right, known, strict=True)
    ]
    samples = np.concatenate([run.samples for run in runs]).mean()
    noise = max(run.noise_error for run in runs)
    return f"  {name}, {windows or 'all'} windows, {samples:,.0f} samples: {', '.join(told)}; noise within {noise:.2f}"


def calibrated(seeds: tuple[int, ...]) -> Iterator[str]:
    """How often the likeliest category is right, by its probability."""
    yield "dolce probabilities of the likeliest category: problems, of which it is right"
    for scenario, units, oracle, draws in (
        (COW, (120, 500), "", 0),
        (COW, (120, 500), f"bootstrap of {DRAWS}", DRAWS),
        (PIG, (120, 240), pig.ATOMS, 0),
        (PIG, (120, 240), pig.INTERPOLATED, 0),
    ):
        for mode in (IID, FIXED) if not draws else (FIXED,):
            for windows in (5, 20, None):
                plan = Plan(
                    scenario, mode, units, options=pig.Options(oracle if scenario == PIG else pig.ATOMS), draws=draws
                )
                runs = [simulate(plan, windows, seed) for seed in (seeds[:3] if draws else seeds)]
                top = np.concatenate([run.probability for run in runs])
                right = np.concatenate([run.right for run in runs])
                cells = []
                for low, high in pairwise(BOUNDS):
                    some = (top >= low) & (top < high)
                    share = f"{right[some].mean():.2f}" if some.any() else "–"
                    cells.append(f"{low:g}: {some.sum()}, {share}")
                yield (
                    f"  {scenario} {oracle} {mode}, {windows or 'all'} windows, right {right.mean():.2f}, "
                    f"from {'; '.join(cells)}"
                )


if __name__ == "__main__":
    for found in main():
        print(found, flush=True)
