"""Counting tokens, and cutting a text after so many of them by character offset: nothing is decoded back into a prompt.

A tokenizer's name has what determines its counts: `words` and `estimate` (no vocabulary; see `is_estimate`),
`tiktoken:ENCODING`, `hf:NAME~DIGEST` (a tokenizer.json, identified by its sha256).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Protocol, cast

CHARS_PER_TOKEN = 8  # characters per token that are read at first to find a token's end; more if that is too little
ENGINES = {"tiktoken": "scrollwork.preprocessing.tokens.by_tiktoken", "hf": "scrollwork.preprocessing.tokens.by_hf"}


class Tokenizer(Protocol):
    """A counter of tokens that also finds their ends. `added`: special tokens that every text gets (T5's end)."""

    name: str
    added: int

    def count(self, text: str) -> int:
        """Count the tokens of a text, without special tokens."""
        ...

    def cut(self, text: str, tokens: int) -> int:
        """Return how many whole characters the first `tokens` tokens cover."""
        ...


class Pattern:
    """An estimate: one token per match of a pattern."""

    added = 0

    def __init__(self, name: str, pattern: str) -> None:
        self.name, self._pattern = name, re.compile(pattern)

    def count(self, text: str) -> int:
        """Count the matches in the text."""
        return sum(1 for _ in self._pattern.finditer(text))

    def cut(self, text: str, tokens: int) -> int:
        """Return where match number `tokens` ends; the text's end if there are fewer."""
        if tokens <= 0:
            return 0
        for number, match in enumerate(self._pattern.finditer(text), start=1):
            if number == tokens:
                return match.end()
        return len(text)


ESTIMATES: dict[str, Callable[[], Tokenizer]] = {
    "words": lambda: Pattern("words", r"\S+"),
    # words and marks: within 1 % of a byte-pair vocabulary of 30,000 trained on the same English text
    "estimate": lambda: Pattern("estimate", r"\w+|[^\w\s]"),
}


def is_estimate(name: str) -> bool:
    """Return whether a tokenizer's counts are estimates."""
    return name in ESTIMATES


def engine_module(name: str) -> str:
    """Return the module that makes the tokenizer of that name; "" for an estimate. Raises ValueError."""
    if name in ESTIMATES:
        return ""
    kind, _, rest = name.partition(":")
    if kind not in ENGINES or not rest:
        known = ", ".join([*ESTIMATES, "tiktoken:ENCODING", "hf:FOLDER, hf:OWNER/NAME@REVISION"])
        raise ValueError(f"no tokenizer is named {name!r}; there are: {known}")
    return ENGINES[kind]


def make(name: str, file: str = "") -> Tokenizer:
    """Make the tokenizer of that name. file: the tokenizer.json of an `hf:` one. Raises ValueError."""
    module = engine_module(name)
    if not module:
        return ESTIMATES[name]()
    return cast(Tokenizer, importlib.import_module(module).make(name, file))


def boundary(text: str, chars: int) -> int:
    """Return a place from `chars` on where vocabularies that split at white space end a token: before a single space.

    The end of the text if there is none, so that a text without spaces is read whole.
    """
    at = chars
    while at < len(text):
        at = text.find(" ", at)
        if at < 0:
            return len(text)
        if at and not text[at - 1].isspace():
            return at
        at += 1
    return len(text)


def ends_of_front(text: str, tokens: int, ends: Callable[[str, int], int | None]) -> int:
    """Return `ends` of a short front of the text that has `tokens` tokens; the text's length if it has fewer.

    ends: from a front of the text and a number of tokens to the characters that they cover, None if it has fewer.
    """
    if tokens <= 0:
        return 0
    reach = CHARS_PER_TOKEN * tokens
    while True:
        reach = boundary(text, reach)
        found = ends(text[:reach], tokens)
        if found is not None:
            return found
        if reach >= len(text):
            return len(text)
        reach *= 2
