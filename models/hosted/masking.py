"""Keys that a server repeats: hidden in whatever is told, and in answers where they are long enough to be keys.

A text is searched for each secret as it is and as JSON, HTML and addresses write it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote, quote_plus

HIDDEN = "[key]"
LEAST_CHARS = 16  # of a secret that an answer is changed for: a shorter one, or one of letters alone, may be a word


def mask_secrets(text: str, secrets: Sequence[str]) -> str:
    """A text that is told (a problem's message, a header) without any of the secrets."""
    for form in written_forms(tuple(secrets)):
        text = text.replace(form, HIDDEN)
    return text


def answer_without(text: str, secrets: Sequence[str]) -> str:
    """A model's text without the whole values of secrets that stand there by no chance.

    Every other text stays as it came: it is what is scored.
    """
    return mask_secrets(text, [secret for secret in secrets if is_surely_secret(secret)])


def is_surely_secret(secret: str) -> bool:
    """Whether a secret, "Bearer" in front of it or not, has LEAST_CHARS or more, letters and digits mixed."""
    key = secret.removeprefix("Bearer ")
    return len(key) >= LEAST_CHARS and any(c.isalpha() for c in key) and any(c.isdigit() for c in key)


@lru_cache(maxsize=64)
def written_forms(secrets: tuple[str, ...]) -> list[str]:
    """How secrets may be written down, the longest first."""
    found: set[str] = set()
    for secret in filter(None, secrets):
        as_json = json.dumps(secret)[1:-1]
        found |= {secret, as_json, as_json.replace("/", "\\/"), html.escape(secret), quote(secret, safe="")}
        found |= {quote(secret), quote_plus(secret)}
    return sorted(found, key=lambda form: (-len(form), form))
