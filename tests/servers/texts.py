"""What the servers answer and count: a function of the request alone, so that a second run can be compared with a first."""

from __future__ import annotations

import hashlib
import json
from typing import Any

CHARS_PER_TOKEN = 4  # a count that anybody can redo
ANSWER_WORDS = 24


def tokens(text: str) -> int:
    """Tokens of a text."""
    return -(-len(text) // CHARS_PER_TOKEN)


def digest(value: Any) -> str:
    """sha256 of a JSON value."""
    data = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(data.encode()).hexdigest()


def answer(model: str, prompt: str, most_tokens: int) -> tuple[str, bool]:
    """(words of the prompt chosen by its digest, whether they were cut at so many tokens)."""
    seed = hashlib.sha256(f"{model}\0{prompt}".encode("utf-8", "surrogatepass")).digest()
    words = prompt.split() or ["nothing"]
    start = int.from_bytes(seed[:8], "big") % len(words)
    text = " ".join([*words[start : start + ANSWER_WORDS], seed[:4].hex()])
    most = most_tokens * CHARS_PER_TOKEN
    return text[:most], len(text) > most


def plain(content: Any) -> str:
    """The text of a content that is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content or [] if isinstance(block, dict))
