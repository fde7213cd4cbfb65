"""The text of a simulated model's answer: short, plausible, and the same for the same prompt and seed."""

from __future__ import annotations

import hashlib
import re

OPTION = re.compile(r"\(([A-D])\)")
SENTENCE = re.compile(r"[^.!?\n]{12,200}[.!?]")


def answer(prompt: str, seed: int = 0) -> str:
    """Answer a prompt: with an option's letter if it lists options, else with one of its sentences, else its last
    word."""
    number = int.from_bytes(hashlib.sha256(f"{seed}\n{prompt}".encode()).digest()[:8])
    options = sorted(set(OPTION.findall(prompt[-4_000:])))
    if len(options) >= 2:
        return f"({options[number % len(options)]})"
    start = number % max(1, len(prompt) - 4_000)
    sentences = SENTENCE.findall(prompt[start : start + 4_000])
    if sentences:
        return str(sentences[number % len(sentences)]).strip()
    words = prompt.split()
    return words[-1] if words else "Yes."
