"""What a model's free text says: a letter, a percentage, an order of ids.

ZeroSCROLLS 3.2 (zeroscrolls.md 7.3-7.5). Model output is hostile: every function here accepts any text, in time linear
in its length.
"""

from __future__ import annotations

import re

# Unicode word characters on purpose: "Bé" does not contain the letter B (test vector A19).
LETTER = re.compile(r"\b[A-D]\b")
# \d+\.?\d* before a "%", matched backwards from the "%": forwards, a long run of digits costs cubic time. \d is any
# Unicode decimal digit, as in Python's reading of that pattern, and float() accepts the same digits: "６０%" is 60. The
# fact sheet wants ASCII for the "%" only (test vector S12).
REVERSED_NUMBER = re.compile(r"\d*\.\d+|\d+")
# An id's digits are ASCII only (zeroscrolls.md 7.5); white space is Unicode's, as in str.split().
NOT_IN_IDS = re.compile(r"[^0-9,\s]+")

SHOWN_CHARACTERS = 1000


def letter(text: str) -> str | None:
    """Return the first A, B, C or D that stands alone, or None; the article "A" counts (zeroscrolls.md 7.3)."""
    match = LETTER.search(text)
    return match.group() if match else None


def percentage(text: str) -> float | None:
    """Return the first number directly followed by "%", in percentage points, or None (zeroscrolls.md 7.4).

    Signs, thousands separators and fractions are not understood: "-20%" is 20, "1,000%" is 0. Numbers beyond about
    1e308 are infinite.
    """
    end = text.find("%")
    begin = 0
    while end >= 0:
        number = REVERSED_NUMBER.match(text[begin:end][::-1])
        if number:
            return float(number.group()[::-1])
        begin, end = end + 1, text.find("%", end + 1)
    return None


def ids(text: str) -> list[str]:
    """Return the ids in `text`, in order, as decimal digits without leading zeros (zeroscrolls.md 7.5).

    Everything but ASCII digits, commas and white space is deleted first, so "1.2" is the id 12. Ids stay text: equal
    ids are equal texts, and int() refuses more than 4,300 digits, which a model may write.
    """
    words = NOT_IN_IDS.sub("", text).replace(",", " ").split()
    return [word.lstrip("0") or "0" for word in words]


def cut_for_record(text: str) -> str:
    """Return `text` cut to 1,000 characters, as a record of what was parsed."""
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def first_line(text: str) -> str:
    r"""Return the first non-empty line, as LongBench cuts it: lines end at "\n" only, and "\r" is a character."""
    return text.lstrip("\n").partition("\n")[0]
