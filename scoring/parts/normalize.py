"""Text made comparable for F1 and exact match.

SCROLLS 4 (scrolls.md 4.3), ZeroSCROLLS 3.2 (zeroscrolls.md 7.2).
"""

from __future__ import annotations

import re
import string

ARTICLES = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)  # the 32 of ASCII; curly quotes and dashes stay
SURROGATES = re.compile("[\ud800-\udfff]")


def scrolls(text: str) -> str:
    """Lower case, no ASCII punctuation, no whole word a, an, the; white space collapsed to single spaces."""
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def zero_scrolls(text: str) -> str:
    """As `scrolls`, then transliterated to ASCII.

    Transliteration comes last, as in the official file: punctuation and capitals that it makes stay (vectors
    F18-F23).
    """
    from unidecode import unidecode  # 2 MB of tables that SCROLLS does not need

    # unidecode drops lone surrogates too, but warns of each, which is an error under -W error.
    return unidecode(SURROGATES.sub("", scrolls(text)))
