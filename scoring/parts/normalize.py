"""Text normalisation for F1 and exact match.

SCROLLS 4 (scrolls.md 4.3), ZeroSCROLLS 3.2 (zeroscrolls.md 7.2).
"""

from __future__ import annotations

import re
import string

ARTICLES = re.compile(r"\b(?:a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)  # the 32 of ASCII; curly quotes and dashes stay
SURROGATES = re.compile("[\ud800-\udfff]")


def scrolls(text: str) -> str:
    """Return the text in lower case, without ASCII punctuation and the words a, an, the, single-spaced."""
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def zero_scrolls(text: str) -> str:
    """Return `scrolls` of the text, transliterated to ASCII.

    Transliteration comes last, as in the official code: punctuation and capitals that it produces stay (test vectors
    F18-F23).
    """
    from unidecode import unidecode  # loads 2 MB of tables that SCROLLS does not need

    # unidecode drops lone surrogates too, but warns about each, which is an error under -W error.
    return unidecode(SURROGATES.sub("", scrolls(text)))
