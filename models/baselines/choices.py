"""The options of a multiple-choice query, read as the prompt shows them."""

from __future__ import annotations

import re

BRACKETED = re.compile(r"^ *\(([A-Z])\) ?", re.MULTILINE)
PLAIN = re.compile(r"^ *([A-Z])[.:)] ?", re.MULTILINE)


def option_heads(query: str) -> list[re.Match[str]]:
    """Where options begin: lines that begin with "(X)", else "X.", "X:" or "X)", if X is the next letter. Of the latter
    two at least: one alone is an initial."""
    found = successive_letters(BRACKETED, query)
    if not found:
        plain = successive_letters(PLAIN, query)
        found = plain if len(plain) > 1 else []
    return found


def successive_letters(pattern: re.Pattern[str], query: str) -> list[re.Match[str]]:
    """Matches whose letters are A, B, C and so on; others are passed over."""
    found: list[re.Match[str]] = []
    for match in pattern.finditer(query):
        if match[1] == chr(ord("A") + len(found)):
            found.append(match)
    return found


def question(query: str) -> str:
    """What stands before the options; the whole query where there are none."""
    found = option_heads(query)
    return query[: found[0].start()].strip() if found else query.strip()


def options(query: str) -> dict[str, str]:
    """Option texts by letter."""
    found = option_heads(query)
    ends = [*(head.start() for head in found[1:]), len(query)][: len(found)]
    return {head[1]: query[head.end() : end].strip() for head, end in zip(found, ends, strict=True)}


def option_answer(query: str, letter: str, answer: str) -> str:
    """The answer that names an option: its letter, or (answer "text") its text, "" where the query has no such."""
    return options(query).get(letter, "") if answer == "text" else letter
