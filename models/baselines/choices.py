"""The options of a multiple-choice query, read from its text as the prompt shows it."""

from __future__ import annotations

import re

BRACKETED = re.compile(r"^ *\(([A-Z])\) ?", re.MULTILINE)
PLAIN = re.compile(r"^ *([A-Z])[.:)] ?", re.MULTILINE)


def option_heads(query: str) -> list[re.Match[str]]:
    """Return the matches at which the options begin, in order; empty if the query has none.

    An option begins a line with "(X)" or, if no line does, with "X.", "X:" or "X)". The letters must be A, B, C and so
    on. Of the plain forms there must be at least two: one alone is an initial.
    """
    found = successive_letters(BRACKETED, query)
    if not found:
        plain = successive_letters(PLAIN, query)
        found = plain if len(plain) > 1 else []
    return found


def successive_letters(pattern: re.Pattern[str], query: str) -> list[re.Match[str]]:
    """Return the matches whose letters are A, B, C and so on in this order; other matches are skipped."""
    found: list[re.Match[str]] = []
    for match in pattern.finditer(query):
        if match[1] == chr(ord("A") + len(found)):
            found.append(match)
    return found


def question(query: str) -> str:
    """Return the text before the options, or the whole query if it has none."""
    found = option_heads(query)
    return query[: found[0].start()].strip() if found else query.strip()


def options(query: str) -> dict[str, str]:
    """Return the texts of the options by letter."""
    found = option_heads(query)
    ends = [*(head.start() for head in found[1:]), len(query)][: len(found)]
    return {head[1]: query[head.end() : end].strip() for head, end in zip(found, ends, strict=True)}


def option_answer(query: str, letter: str, answer: str) -> str:
    """Return how an answer names an option: by its letter as given or, if `answer` is "text", by its text.

    The text is "" if the query has no option of that letter.
    """
    return options(query).get(letter, "") if answer == "text" else letter
