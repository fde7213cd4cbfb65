"""Put summaries in order by the words that stories begin and end with (BookSumSort, ZeroSCROLLS 3.1.3).

Counted are words of beginnings (people are born, named, introduced, arrive) minus words of endings (they confess,
marry, die), divided by the length. Chapter numbers and "begins with" are not used: the authors of the paper removed
words that reveal the position from their data.
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
FEWEST = 50  # words: the least length by which a summary's count is divided


def story_order(summaries: Sequence[str]) -> str:
    """Return the numbers of the summaries, from 1, such as "3, 1, 2"; those most like a beginning come first."""
    order = sorted(range(len(summaries)), key=lambda number: (-earliness(summaries[number]), number))
    return ", ".join(str(number + 1) for number in order)


def earliness(summary: str) -> float:
    """Return the words of a beginning minus those of an ending, for each word of the summary."""
    cues = len(BEGINNING.findall(summary)) - len(ENDING.findall(summary))
    return cues / max(FEWEST, len(summary.split()))
