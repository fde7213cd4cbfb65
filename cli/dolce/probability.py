"""scrollwork dolce probability: what an oracle with (lambda, k) sees in a window of l of C units."""

from __future__ import annotations

import argparse
from typing import Any

from scrollwork.analysis.windows.fit.aspects import aspect_probabilities
from scrollwork.analysis.windows.fit.candidates import COW
from scrollwork.analysis.windows.fit.cover import cover_probability
from scrollwork.analysis.windows.observations import MOST
from scrollwork.cli.terminal.common import print_json
from scrollwork.pipeline.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Print it. Raises UsageError for numbers that mean nothing."""
    units, length, redundancy = arguments.units, arguments.length, arguments.k
    complexity = complexity_of(arguments.complexity, units)
    for name, value in (("--lambda", complexity), ("--k", redundancy), ("--units", units), ("--length", length)):
        if not 0 <= value <= MOST:
            raise UsageError(f"{name} {value}: a whole number from 0 to {MOST:,}")
    found: dict[str, Any]
    try:
        if arguments.scenario == COW:
            found = {"probability": float(cover_probability(length, complexity, redundancy, units))}
        elif complexity == redundancy == 0 and 0 <= length <= units and units:
            found = {"probabilities": [1.0]}  # no aspect, so none is missed
        else:
            found = {"probabilities": aspect_probabilities([length], complexity, redundancy, units)[0].tolist()}
    except ValueError as error:
        raise UsageError(f"{error}: lambda {complexity}, k {redundancy}, C {units}, l {length}") from error
    if arguments.json:
        print_json(found)
    elif "probability" in found:
        print(f"{found['probability']:.10g}")
    else:
        print("\n".join(f"P({number}) = {one:.10g}" for number, one in enumerate(found["probabilities"])))
    return 0


def complexity_of(text: str, units: int) -> int:
    """lambda as it is written: a number, or C. Raises UsageError."""
    if text == "C":
        return units
    if text == "inf":
        raise UsageError("--lambda inf: no window shows any of infinitely many aspects; name a number or C")
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"--lambda {text:.60}: a whole number or C") from None
