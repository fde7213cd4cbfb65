"""What the servers answer and count: a function of the request alone, so that a second run can be compared with a first."""

from __future__ import annotations

import hashlib
import json
from typing import Any

CHARS_PER_TOKEN = 4  # a count that anybody can redo
ANSWER_WORDS = 24

SAYS = {  # what a model may say; as it must be stored
    "megabyte": "x" * 1_000_000,
    "brackets": "(" * 300_000 + "[" * 300_000,
    "digits": "1." * 300_000,
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\u2028 end",
    "terminal": "\x1b[2J\x1b]0;title\x07\x1b[31m red \x9b31m",
    "surrogates": "half \ud800 and \udfff and \udc00\ud83d",
    "NUL": "a\0b\0",
    "page": "</td></table><script>alert(1)</script><img src=x onerror=alert(1)><answer>",
    "bidi": "\u202eright\u2066 to left\u200f\u2069 \ufeff\u200b",
    "formula": "=cmd|' /C calc'!A0",
}


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
