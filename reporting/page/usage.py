"""Usage of answers: tokens, attempts and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scrollwork.reporting.page.text import count

COUNTED = ("input", "cached", "output")


@dataclass
class Usage:
    """Usage of a line's answers. Sums are over answers with a known value; *_of: number of those answers."""

    answers: int = 0
    failures: int = 0
    tokens: dict[str, int] = field(default_factory=dict)
    tokens_of: dict[str, int] = field(default_factory=dict)
    attempts: int = 0
    cost_nano_usd: int = 0
    cost_of: int = 0

    def __add__(self, other: Usage) -> Usage:
        def both(one: Mapping[str, int], two: Mapping[str, int]) -> dict[str, int]:
            return {name: one.get(name, 0) + two.get(name, 0) for name in {**one, **two}}

        return Usage(
            self.answers + other.answers,
            self.failures + other.failures,
            both(self.tokens, other.tokens),
            both(self.tokens_of, other.tokens_of),
            self.attempts + other.attempts,
            self.cost_nano_usd + other.cost_nano_usd,
            self.cost_of + other.cost_of,
        )

    def count(self, tokens: Sequence[int | None], attempts: int | None, cost: int | None) -> None:
        """Add an answer: its tokens (of COUNTED), attempts and cost in nano-dollars; None where it is not known."""
        self.answers += 1
        for name, number in zip(COUNTED, tokens, strict=True):
            if number is not None:
                self.tokens[name] = self.tokens.get(name, 0) + number
                self.tokens_of[name] = self.tokens_of.get(name, 0) + 1
        self.attempts += attempts or 0
        if cost is not None:
            self.cost_nano_usd += cost
            self.cost_of += 1


def usage_row(usage: Usage) -> list[str]:
    """Cells of the table of cost and tokens. A sum over only some of the answers is shown with their number."""

    def partly(value: str, known: int) -> str:
        return value if known == usage.answers else f"{value} ({count(known)} answers)" if known else "–"

    tokens = [partly(count(usage.tokens.get(name, 0)), usage.tokens_of.get(name, 0)) for name in COUNTED]
    dollars = usage.cost_nano_usd / 1e9
    each = dollars / usage.cost_of if usage.cost_of else 0.0
    return [
        count(usage.answers),
        *tokens,
        partly(f"{dollars:,.2f}" if dollars >= 0.01 or not dollars else f"{dollars:.6f}", usage.cost_of),
        f"{each:.3g}" if usage.cost_of else "–",
        count(usage.attempts) if usage.attempts else "–",
    ]
