"""Summaries in an order by what stories begin and end with (BookSumSort, ZeroSCROLLS 3.1.3).

Words of beginnings (people are born, named, introduced, arrive) less words of endings (they confess, marry, die), by
length. No chapter numbers, no "begins with": the paper took words that reveal the position out of its data.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

BEGINNING = re.compile(
    r"\b(?:introduc\w+|born|childhood|boyhood|young|youth|school|arrives?|lives? (?:in|with)|named|called|meets?"
    r"|invit\w+|stranger|new)\b",
    re.IGNORECASE,
)
ENDING = re.compile(
    r"\b(?:dies?|dead|death|dying|kill\w*|murder\w*|buried|funeral|marr(?:y|ies|ied)|wedding|forgiv\w+|farewell|goodbye"
    r"|grave|free|freed|happily|confess\w*|reveal\w*|return\w*|escape\w*|finally)\b",
    re.IGNORECASE,
)
FEWEST = 50  # words by which a summary's cues are divided at least


def story_order(summaries: Sequence[str]) -> str:
    """ "3, 1, 2": numbers of the summaries from 1, those that sound most like a beginning first."""
    order = sorted(range(len(summaries)), key=lambda number: (-earliness(summaries[number]), number))
    return ", ".join(str(number + 1) for number in order)


def earliness(summary: str) -> float:
    """Cues of a beginning less cues of an ending, by word."""
    cues = len(BEGINNING.findall(summary)) - len(ENDING.findall(summary))
    return cues / max(FEWEST, len(summary.split()))
