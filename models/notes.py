"""A reader of the sample's ledgers (sample/ledgers.py): it adds up the notes on a case, and knows when it lacks one.

Not a baseline of anything else: it shows what problems of known evidence look like to Dolce. Some of its answers are
noise, as any model's are: chosen by a digest of what it was asked, so that the same prompt has the same answer.
"""

from __future__ import annotations

import re

from models.base import Ask
from models.choices import options
from records.stable import stable_int

NOTE = re.compile(r"\bNote ([0-9]{1,4}) of ([0-9]{1,4}) on the (\w{1,40}) case adds ([0-9]{1,6})\.")
CASE = re.compile(r"\bnotes on the (\w{1,40}) case\b")
OPEN = "E"
NOISE = 12  # one answer in so many is noise: most of it leaves the problem open


def summed(ask: Ask) -> str:
    """The letter of the option that is the sum of all notes on the case in question, E where not all are shown."""
    found = CASE.search(ask.query)
    choices = options(ask.query)
    if found is None or not choices:
        return OPEN
    if stable_int("notes", ask.task, ask.example_id, ask.prompt) % NOISE == 0:
        drawn = stable_int("said", ask.task, ask.example_id, ask.prompt) % (4 * len(choices))
        return sorted(choices)[drawn] if drawn < len(choices) else OPEN
    parts: dict[int, int] = {}
    of = 0
    for text in (ask.query, *ask.documents_shown):
        for number, count, case, part in NOTE.findall(text):
            if case == found[1]:
                parts[int(number)], of = int(part), int(count)
    if not of or set(parts) != set(range(1, of + 1)):
        return OPEN
    total = str(sum(parts.values()))
    return next((letter for letter, text in choices.items() if text.rstrip(". ") == total), OPEN)
