"""The share of a prediction's numbers that are right, for LongBench's count and retrieval."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scrollwork.scoring.outcome import Outcome, single
from scrollwork.scoring.reading.parsing import cut_for_record

NUMBER = re.compile(r"\d+")


def share_of_numbers(name: str, prediction: str, gold: Sequence[str]) -> Outcome:
    """Return the share of the prediction's runs of digits that equal a gold one as text, best over gold, 0 to 100."""
    numbers = NUMBER.findall(prediction)
    if not numbers:
        return single(name, 0.0, None, {"format_ok": False})
    best = max(numbers.count(number) for number in gold) / len(numbers)
    return single(name, best, cut_for_record(", ".join(numbers)), {"format_ok": True})
