"""scrollwork dolce fit: lambda, k and category of every problem, from a file of observations."""

from __future__ import annotations

import argparse
from dataclasses import replace
from math import isfinite

from scrollwork.analysis.windows.categories import Thresholds
from scrollwork.analysis.windows.fit import cow, pig
from scrollwork.analysis.windows.fit.candidates import PIG
from scrollwork.analysis.windows.fit.fitting import Settings, fit_tasks
from scrollwork.analysis.windows.fit_json import as_json
from scrollwork.analysis.windows.observations import ObservationError, Observed, read_observations
from scrollwork.cli.seam.rank import names
from scrollwork.cli.terminal.common import lines_of, print_json, say
from scrollwork.pipeline.errors import StageFailed, UsageError
from scrollwork.scoring.files.pairs import PairError, read_pairs


def run(arguments: argparse.Namespace) -> int:
    """Fit, and print. Raises StageFailed naming line and field, UsageError for a wrong option."""
    settings = settings_of(arguments)
    read = observations_in(arguments.observations, "--observations", arguments.strategy, arguments.seed)
    try:
        fits = fit_tasks(read.tasks, settings)
    except ObservationError as error:
        raise StageFailed(f"{arguments.observations}, {error}") from error
    if arguments.json:
        print_json(as_json(fits, arguments.detail, settings.tau))
    else:
        from scrollwork.cli.dolce.tables import show

        show(fits, arguments.detail, settings.tau)
    tell_ignored(read)
    if settings.cow.noise is not None and any(one.scenario == PIG for one in fits):
        say("--fixed-noise: PIG has no such noise")
    if settings.multiplicative and all(one.scenario == PIG for one in fits):
        say("--multiplicative: no task was fitted by COW")
    return 0


def observations_in(path: str, option: str, strategy: str = "", seed: int = 0) -> Observed:
    """The rows of a file; of a strategy those that it takes. Raises StageFailed naming line and field, UsageError for
    a file that is not there or a strategy that is none."""
    from scrollwork.preprocessing.windows.spans import strategy as read_strategy
    from scrollwork.readings.windows.observed_windows import windows_taken

    try:
        one = read_strategy(strategy) if strategy else None
    except ValueError as error:
        raise UsageError(f"--strategy: {error}") from None
    try:
        if one is None:
            return read_observations(read_pairs(lines_of(path, option)))
        rows = list(read_pairs(lines_of(path, option)))
        read_observations(rows)  # errors name lines of the file
        return read_observations(windows_taken(rows, one, seed))
    except (PairError, ObservationError, StageFailed) as error:
        raise StageFailed(f"{path}, {error}") from error


def tell_ignored(read: Observed) -> None:
    """Say which fields were not read and what stands twice, on standard error."""
    if read.ignored:
        say(f"ignored fields: {names(read.ignored)}")
    more = sum(one.repeated for task in read.tasks for one in task.problems.values())
    if more:
        say(f"more windows than the context has, {more:,} times: what stands twice counts twice")


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Make the settings of a fit from the command line's options. Raises UsageError."""
    noise = numbers(arguments.fixed_noise, "--fixed-noise", 3) if arguments.fixed_noise else None
    try:
        made = Settings(
            scenario=arguments.scenario,
            tau=arguments.tau,
            cow=cow.Options(
                passes=arguments.passes,
                free_one=arguments.free_one,
                equal_lengths=arguments.equal_lengths,
                noise=noise,
            ),
            pig=pig.Options(
                oracle=pig.ATOMS if arguments.atoms else pig.INTERPOLATED,
                one_weight=arguments.one_weight,
                equal_lengths=arguments.equal_lengths,
            ),
            of_median=arguments.thresholds == "median",
            multiplicative=arguments.multiplicative,
            draws=arguments.bootstrap,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
    if arguments.thresholds in ("largest", "median"):
        return made
    low, high = numbers(arguments.thresholds, "--thresholds", 2)
    if not (low.is_integer() and high.is_integer() and 1 <= low <= high):
        raise UsageError(f"--thresholds {arguments.thresholds}: two whole numbers, 1 <= LOW <= HIGH")
    return replace(made, limits=Thresholds(int(low), int(high)))


def numbers(text: str, option: str, wanted: int) -> list[float]:
    """Numbers with commas between them. Raises UsageError."""
    try:
        found = [float(one) for one in text.split(",")]
    except ValueError:
        found = []
    if len(found) != wanted or not all(isfinite(one) for one in found):
        raise UsageError(f"{option} {text}: write {wanted} numbers with commas between them")
    return found


def whole_numbers(text: str, option: str, least: int) -> list[int]:
    """Whole numbers, at least one, with commas between them. Raises UsageError."""
    found = numbers(text, option, text.count(",") + 1)
    if not all(one.is_integer() and least <= one <= 10**6 for one in found):
        raise UsageError(f"{option} {text}: write whole numbers from {least} on, with commas between them")
    return [int(one) for one in found]
