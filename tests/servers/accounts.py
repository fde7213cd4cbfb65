"""What a vendor keeps for an account: prefix caches, rate limits, and the clock that both go by."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from typing import Any

from tests.servers.texts import CHARS_PER_TOKEN, plain, tokens

MINIMUM_TOKENS = 1024
STEP_TOKENS = 128
LIFE_S = 300.0
MOST_BREAKPOINTS = 4


class Clock:
    """Seconds that pass by themselves and, in tests, at once."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def now(self) -> float:
        """Unix seconds."""
        return time.time() + self.ahead_s


@dataclass
class PrefixCache:
    """Prefixes by digest with the time of their last use. What one request wrote serves those that come after its
    reply, not those beside it."""

    clock: Clock
    minimum: int = MINIMUM_TOKENS
    life_s: float = LIFE_S
    used: dict[str, float] = field(default_factory=dict)

    def holds(self, name: str) -> bool:
        """Whether a prefix is there; reading it renews it."""
        now = self.clock.now()
        if now - self.used.get(name, -self.life_s) >= self.life_s:
            return False
        self.used[name] = now
        return True

    def keep(self, names: list[str]) -> None:
        """Write prefixes."""
        self.used |= dict.fromkeys(names, self.clock.now())

    def automatic(self, model: str, text: str) -> tuple[int, list[str]]:
        """OpenAI: (tokens read, prefixes to write). Prefixes of at least `minimum` tokens, in steps of 128."""
        running = hashlib.sha256(f"{model}\0".encode())
        step = STEP_TOKENS * CHARS_PER_TOKEN
        names = []
        for end in range(step, len(text) + 1, step):
            running.update(text[end - step : end].encode("utf-8", "surrogatepass"))
            if end >= self.minimum * CHARS_PER_TOKEN:
                names.append(running.hexdigest())
        read = 0
        for number, name in enumerate(names):
            if not self.holds(name):
                break
            read = self.minimum + number * STEP_TOKENS
        return read, names

    def by_breakpoints(self, model: str, blocks: list[tuple[str, bool]]) -> tuple[int, int, list[str]]:
        """Anthropic: (tokens read, tokens written, prefixes to write). blocks: (text, whether it ends a prefix)."""
        running = hashlib.sha256(f"{model}\0".encode())
        total, read, last, names = 0, 0, 0, []
        for text, marked in blocks:
            running.update(f"{len(text)}:{text}".encode("utf-8", "surrogatepass"))
            total += tokens(text)
            if marked and total >= self.minimum:
                last = total
                if self.holds(running.hexdigest()):
                    read = total
                else:
                    names.append(running.hexdigest())
        return read, last - read, names


def anthropic_blocks(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """(text, whether it has a breakpoint) of every block, in order."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            found.append((f"{message['role']}:{plain([block])}", "cache_control" in block))
    return found


@dataclass
class Bucket:
    """So much a minute, refilled evenly, at most `burst_s` seconds' worth saved up; 0 for no limit."""

    clock: Clock
    per_minute: int = 0
    burst_s: float = 60.0
    level: float = 0.0
    at: float = 0.0

    def set(self, per_minute: int, burst_s: float) -> None:
        """Change the limit; the bucket is full."""
        self.per_minute, self.burst_s = per_minute, burst_s
        self.level, self.at = self.capacity, self.clock.now()

    @property
    def capacity(self) -> float:
        return max(1.0, self.per_minute * self.burst_s / 60)

    def wait_for(self, amount: int) -> float:
        """Seconds until so much can be had; 0 where it can now, or where there is no limit."""
        if not self.per_minute:
            return 0.0
        now = self.clock.now()
        self.level = min(self.capacity, self.level + (now - self.at) * self.per_minute / 60)
        self.at = now
        return max(0.0, (min(amount, self.capacity) - self.level) * 60 / self.per_minute)

    def take(self, amount: int) -> None:
        """Use it up."""
        if self.per_minute:
            self.level -= amount

    @property
    def reset_s(self) -> float:
        """Seconds until it is full again."""
        return (self.capacity - self.level) * 60 / self.per_minute if self.per_minute else 0.0


@dataclass
class RateLimits:
    """Requests and tokens a minute, with each vendor's headers."""

    clock: Clock
    requests: Bucket = field(init=False)
    tokens: Bucket = field(init=False)

    def __post_init__(self) -> None:
        self.requests, self.tokens = Bucket(self.clock), Bucket(self.clock)

    def refused(self, amount: int) -> float:
        """Take one request of so many tokens; 0, or the seconds to wait where it is refused (nothing is taken)."""
        wait = max(self.requests.wait_for(1), self.tokens.wait_for(amount))
        if wait <= 0:
            self.requests.take(1)
            self.tokens.take(amount)
        return wait

    def openai_headers(self) -> dict[str, str]:
        """x-ratelimit-*, resets as durations."""
        found = {}
        for name, bucket in (("requests", self.requests), ("tokens", self.tokens)):
            if bucket.per_minute:
                found[f"x-ratelimit-limit-{name}"] = str(bucket.per_minute)
                found[f"x-ratelimit-remaining-{name}"] = str(max(0, int(bucket.level)))
                found[f"x-ratelimit-reset-{name}"] = f"{max(1, round(bucket.reset_s * 1000))}ms"
        return found

    def anthropic_headers(self) -> dict[str, str]:
        """anthropic-ratelimit-*, resets as times."""
        found = {}
        for name, bucket in (("requests", self.requests), ("tokens", self.tokens)):
            if bucket.per_minute:
                at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock.now() + bucket.reset_s))
                found[f"anthropic-ratelimit-{name}-limit"] = str(bucket.per_minute)
                found[f"anthropic-ratelimit-{name}-remaining"] = str(max(0, int(bucket.level)))
                found[f"anthropic-ratelimit-{name}-reset"] = at
        return found
