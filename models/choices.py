"""The options of a multiple-choice query, read as the prompt shows them."""

from __future__ import annotations

import re

OPTION = re.compile(r"^ *\(([A-Z])\) ?", re.MULTILINE)


def question(query: str) -> str:
    """What stands before the options; the whole query where there are none."""
    found = OPTION.search(query)
    return query[: found.start()].strip() if found else query.strip()


def options(query: str) -> dict[str, str]:
    """Option texts by letter. A line that begins with "(X)" opens an option if X is the next letter."""
    heads: list[re.Match[str]] = []
    for match in OPTION.finditer(query):
        if match[1] == chr(ord("A") + len(heads)):
            heads.append(match)
    ends = [*(head.start() for head in heads[1:]), len(query)][: len(heads)]
    return {head[1]: query[head.end() : end].strip() for head, end in zip(heads, ends, strict=True)}


def chosen(query: str, letter: str, answer: str) -> str:
    """The answer that names an option: its letter, or (answer "text") its text, "" where the query has no such."""
    return options(query).get(letter, "") if answer == "text" else letter
