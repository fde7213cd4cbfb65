"""Rate limits (requests and tokens per minute) as buckets that refill on the simulator's clock (fact sheet, section
6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass
class Bucket:
    """A bucket of `limit` units that refills within `seconds`. level: units left at time `at`."""

    limit: float
    level: float
    at: float
    seconds: float = 60.0

    def fill(self, now: float) -> None:
        """Refill the bucket up to the time `now`."""
        self.level = min(self.limit, self.level + (now - self.at) * self.limit / self.seconds)
        self.at = now

    def wait(self, units: float) -> float:
        """Seconds until `units` are there; for more units than the limit, seconds until the bucket is full."""
        return max(0.0, (min(units, self.limit) - self.level) * self.seconds / self.limit)

    def full(self) -> float:
        """Seconds until the bucket is full."""
        return (self.limit - self.level) * self.seconds / self.limit


class Limits:
    """The buckets of every model."""

    def __init__(self) -> None:
        """Start with full buckets."""
        self._buckets: dict[tuple[str, str, float], Bucket] = {}

    def bucket(self, model: str, name: str, limit: float, now: float) -> Bucket:
        """The bucket of a model's limit, refilled up to now. Names ending in "d" (rpd) are per day, others per
        minute."""
        seconds = 86_400.0 if name.endswith("d") else 60.0
        found = self._buckets.setdefault((model, name, limit), Bucket(limit, limit, now, seconds))
        found.fill(now)
        return found

    def take(
        self, model: str, limits: Mapping[str, float], units: Mapping[str, float], now: float
    ) -> tuple[str, float] | None:
        """Take units from all limits at once; returns None. If one lacks units, nothing is taken, and (name of the
        tightest limit, seconds to wait) is returned."""
        found = {name: self.bucket(model, name, limit, now) for name, limit in limits.items()}
        short = [(name, found[name].wait(need)) for name, need in units.items() if name in found]
        worst = max(short, key=lambda one: one[1], default=("", 0.0))
        too_large = [name for name, need in units.items() if name in found and need > found[name].limit]
        if worst[1] > 0 or too_large:
            return (too_large[0], max(worst[1], 1.0)) if too_large else worst
        for name, need in units.items():
            if name in found:
                found[name].level -= need
        return None
