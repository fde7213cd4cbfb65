"""Token counts of texts and of reasoning, by rules from which tests predict usage (fact sheet, section 8)."""

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
    """Reasoning tokens: the effort's number (THOUGHTS) plus up to 10 %, which the prompt's digest decides."""
    base = THOUGHTS[effort]
    return base + int.from_bytes(hashlib.sha256(prompt.encode()).digest()[:4]) % (base // 10 or 1)
