"""How many tokens a text and the thoughts about it have; tests predict usage with these (fact sheet, section 8)."""

from __future__ import annotations

import hashlib
import math

THOUGHTS = {
    "none": 0,
    "minimal": 100,
    "low": 300,
    "medium": 1_500,
    "high": 6_000,
    "xhigh": 12_000,
    "max": 30_000,
}


def count(text: str, ratio: float = 4) -> int:
    """Count tokens: UTF-8 bytes divided by `ratio`, rounded up."""
    return math.ceil(len(text.encode()) / ratio)


def cut(text: str, tokens: int, ratio: float = 4) -> str:
    """Cut a text to at most `tokens` tokens, at a whole character."""
    return text.encode()[: int(max(0, tokens) * ratio)].decode(errors="ignore")


def thoughts(effort: str, prompt: str) -> int:
    """Tokens that a model thinks: a number of the effort, plus less than 10 % by the digest of the prompt."""
    base = THOUGHTS[effort]
    return base + int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4]) % (base // 10 or 1)
