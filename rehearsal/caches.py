"""Prefix caches as the vendors describe them (fact sheet, section 3): by breakpoints, by steps of a fixed length, by
Anthropic's blocks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from scrollwork.rehearsal.tokens import count

LIFETIMES = {"30m": 1_800.0, "12h": 43_200.0, "5m": 300.0, "1h": 3_600.0}
LONG = ("12h", "1h")


@dataclass(frozen=True)
class Part:
    """A piece of a prompt. mark: lifetime of a cache breakpoint after it. last: whether it ends its message."""

    text: str
    role: str
    mark: str | None = None
    last: bool = True


@dataclass
class Entry:
    """A cached prefix. expires: by the clock. lifetime: seconds, renewed by each read."""

    expires: float
    lifetime: float


@dataclass(frozen=True)
class Use:
    """Tokens of one request that were read from the cache, and written to it for the short and the long lifetime."""

    cached: int = 0
    written: int = 0
    written_long: int = 0


def prefixes(parts: Sequence[Part], ratio: float) -> list[tuple[str, int]]:
    """(digest, length in tokens) of the prefix that ends with each part."""
    found, text, sha = [], "", hashlib.sha256()
    for part in parts:
        text += part.text
        sha.update(f"{part.role}\0{part.text}\0".encode())
        found.append((sha.copy().hexdigest(), count(text, ratio)))
    return found


Write = tuple[str, int, str]  # digest, tokens, lifetime
Found = tuple[Use, Callable[[float], None]]  # what is billed; a function that stores the entries as of a given time


class PrefixCache:
    """Caches prefixes that end at breakpoints; each read renews the lifetime (GPT-5.6 and later, Anthropic)."""

    def __init__(self) -> None:
        """Start empty."""
        self._held: dict[tuple[Hashable, str], Entry] = {}

    def look(
        self, scope: Hashable, readable: Sequence[tuple[str, int]], writes: Sequence[Write], minimum: int, now: float
    ) -> Found:
        """Find the longest live prefix among `readable`; what longer prefixes in `writes` add to it is written.
        minimum: tokens of the shortest prefix that is cached."""
        cached, hit = 0, None
        for digest, tokens in readable:
            entry = self._held.get((scope, digest))
            if tokens >= minimum and tokens > cached and entry is not None and entry.expires > now:
                cached, hit = tokens, entry
        if hit is not None:
            hit.expires = now + hit.lifetime
        split = {False: 0, True: 0}
        at = cached
        for _, tokens, lifetime in sorted(writes, key=lambda one: one[1]):
            if tokens >= minimum and tokens > at:
                split[lifetime in LONG] += tokens - at
                at = tokens

        def begin(when: float) -> None:
            for digest, tokens, lifetime in writes:
                if tokens >= minimum:
                    self._held[scope, digest] = Entry(when + LIFETIMES[lifetime], LIFETIMES[lifetime])

        return Use(cached, split[False], split[True]), begin


def breakpoints(
    cache: PrefixCache, scope: Hashable, parts: Sequence[Part], mode: str, ratio: float, minimum: int, now: float
) -> Found:
    """Look a prompt up by OpenAI's rule for GPT-5.6 and later (section 3.1). mode: implicit or explicit."""
    ends = prefixes(parts, ratio)
    marks = [number for number, part in enumerate(parts) if part.mark]
    asked = [number for number, part in enumerate(parts) if part.last and part.role in ("user", "tool")]
    writable, readable = marks[-4:], [*marks[:2], *marks[-50:]]
    if mode == "implicit":
        writable = [*marks[-3:], *asked[-1:]]
        head = 0
        while head < len(parts) and parts[head].role in ("system", "developer"):
            head += 1
        readable += [*asked[-21:], *([head - 1] if head else [])]
    if mode == "explicit" and not marks:
        return Use(), lambda when: None
    return cache.look(
        scope,
        [ends[number] for number in readable],
        [(*ends[number], parts[number].mark or "30m") for number in writable],
        minimum,
        now,
    )


def blocks(cache: PrefixCache, scope: Hashable, parts: Sequence[Part], ratio: float, minimum: int, now: float) -> Found:
    """Look a prompt up by Anthropic's rule: each breakpoint looks back over 20 blocks (section 3.2)."""
    ends = prefixes(parts, ratio)
    marks = [number for number, part in enumerate(parts) if part.mark]
    readable = {back for number in marks for back in range(max(0, number - 20), number + 1)}
    return cache.look(
        scope,
        [ends[number] for number in sorted(readable)],
        [(*ends[number], parts[number].mark or "5m") for number in marks],
        minimum,
        now,
    )


class StepCache:
    """Caches common prefixes in whole steps; writing is free (OpenAI before GPT-5.6, Gemini, DeepSeek, xAI, Groq)."""

    def __init__(self, step: int = 128, lifetime: float = 600.0) -> None:
        """Keep prefixes of `step`, 2 `step`, ... tokens for `lifetime` seconds after their last use."""
        self._step, self._lifetime = step, lifetime
        self._used: dict[tuple[Hashable, bytes], float] = {}

    def look(self, scope: Hashable, parts: Sequence[Part], ratio: float, minimum: int, now: float) -> Found:
        """Find the longest prefix that this prompt shares with earlier ones. minimum: tokens of the shortest hit."""
        data = "".join(part.text for part in parts).encode()
        size, sha = int(self._step * ratio), hashlib.sha256()
        keys: list[tuple[Hashable, bytes]] = []
        for start in range(0, len(data) - size + 1, size):
            sha.update(data[start : start + size])
            keys.append((scope, sha.copy().digest()))
        steps = 0
        for key in keys:
            if now - self._used.get(key, float("-inf")) > self._lifetime:
                break
            steps += 1
        cached = steps * self._step
        if cached < minimum:
            cached = 0

        def begin(when: float) -> None:
            for key in keys:
                self._used[key] = when

        return Use(cached), begin
