"""The bill of the simulated vendors, line by line, exact to fractions of a nano-dollar."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from scrollwork.rehearsal.prices import Family, rates


@dataclass(frozen=True)
class Line:
    """One billed reply. tokens and rates (nano-dollars a token) by kind: input, cached, write, write_long, output."""

    vendor: str
    model: str
    service: str
    request: str
    tokens: Mapping[str, int]
    rates: Mapping[str, Decimal]

    @property
    def nano(self) -> Decimal:
        """Cost of the reply in nano-dollars."""
        return sum((self.rates[name] * count for name, count in self.tokens.items()), Decimal(0))


def price_of(family: Family, moment: datetime, service: str, tokens: Mapping[str, int]) -> Decimal:
    """Predict the price of one reply in nano-dollars. tokens: input (plain), cached, write, write_long, output."""
    return Line("", family.id, service, "", tokens, rates(family, moment, service, prompt_of(tokens))).nano


def prompt_of(tokens: Mapping[str, int]) -> int:
    """Tokens of the whole prompt, cached ones included; they decide the price tier."""
    return sum(count for name, count in tokens.items() if name != "output")


def exact(money: Decimal) -> str:
    """Write an amount without rounding and without trailing zeros."""
    return format(money.normalize(), "f")


class Ledger:
    """The bill so far."""

    def __init__(self) -> None:
        """Start an empty bill."""
        self._lines: list[Line] = []
        self._lock = threading.Lock()

    def charge(
        self, family: Family, moment: datetime, service: str, request: str, tokens: Mapping[str, int], geo: bool = False
    ) -> None:
        """Add a reply to the bill. geo: Claude with inference in the United States, 1.1 times the price (section
        1.2)."""
        found = rates(family, moment, service, prompt_of(tokens))
        factor = Decimal("1.1") if geo else Decimal(1)
        line = Line(
            family.vendor,
            family.id,
            service,
            request,
            dict(tokens),
            {name: rate * factor for name, rate in found.items()},
        )
        with self._lock:
            self._lines.append(line)

    def lines(self) -> list[Line]:
        """The lines so far."""
        with self._lock:
            return list(self._lines)

    def total(self) -> Decimal:
        """The bill in nano-dollars."""
        return sum((line.nano for line in self.lines()), Decimal(0))

    def export(self) -> dict[str, object]:
        """The bill for GET /__bill. Amounts are strings of nano-dollars, so that nothing is rounded."""
        models: dict[str, Decimal] = defaultdict(Decimal)
        for line in self.lines():
            models[f"{line.vendor}/{line.model}"] += line.nano
        return {
            "nano_dollars": exact(self.total()),
            "models": {name: exact(nano) for name, nano in sorted(models.items())},
            "lines": [
                {
                    "vendor": line.vendor,
                    "model": line.model,
                    "service": line.service,
                    "request": line.request,
                    "tokens": dict(line.tokens),
                    "rates": {name: exact(rate) for name, rate in line.rates.items()},
                    "nano_dollars": exact(line.nano),
                }
                for line in self.lines()
            ],
        }
