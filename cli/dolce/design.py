"""scrollwork dolce design: how many windows a length make categories come out right, by simulation."""

from __future__ import annotations

import argparse
from typing import Any

from scrollwork.analysis.windows.design import Plan, first_sufficient, recovery
from scrollwork.cli.dolce.fit import numbers, whole_numbers
from scrollwork.cli.terminal.common import print_json
from scrollwork.pipeline.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Simulate, and print. Raises UsageError."""
    plan = plan_of(arguments)
    windows: list[int | None] = sorted(set(whole_numbers(arguments.windows, "--windows", 1)))  # type: ignore[assignment]
    if not 0 < arguments.accuracy <= 1:
        raise UsageError(f"--accuracy {arguments.accuracy}: a share, above 0 and at most 1")
    try:
        rows = [recovery(plan, one) for one in [*windows, None]]
    except ValueError as error:
        raise UsageError(f"--units {arguments.units}: {error}") from error
    found = first_sufficient(rows, arguments.accuracy)
    document: dict[str, Any] = {
        "scenario": plan.scenario,
        "mode": plan.mode,
        "units": list(plan.units),
        "accuracy": arguments.accuracy,
        "windows": None if found is None or found.windows is None else found.windows,
        "reached": found is not None,
        "rows": [{("lambda" if name == "complexity" else name): v for name, v in vars(one).items()} for one in rows],
    }
    if arguments.json:
        print_json(document)
    else:
        from scrollwork.cli.dolce.tables import show_design

        show_design(rows, found, arguments.accuracy)
    return 0


def plan_of(arguments: argparse.Namespace) -> Plan:
    """What is simulated. Raises UsageError."""
    units = whole_numbers(arguments.units, "--units", 1)
    if len(units) > 2 or units != sorted(units):
        raise UsageError(f"--units {arguments.units}: N, or LOW,HIGH with LOW <= HIGH")
    if not 1 <= arguments.problems <= 10_000 or not 1 <= arguments.tasks <= 1_000 or arguments.seed < 0:
        raise UsageError("--problems, --tasks and --seed: from 1 to 10,000, from 1 to 1,000, from 0")
    noise = numbers(arguments.noise, "--noise", 3)
    if min(noise) < 0 or abs(sum(noise) - 1) > 1e-6:
        raise UsageError(f"--noise {arguments.noise}: three probabilities that sum to 1")
    seeds = tuple(range(arguments.seed, arguments.seed + arguments.tasks))
    total = sum(noise)
    return Plan(
        arguments.scenario,
        arguments.mode,
        (units[0], units[-1]),
        arguments.problems,
        seeds,
        tuple(one / total for one in noise),
    )
