"""Keys that a server repeats: hidden in all messages, and in answers if they are long enough to be keys.

A text is searched for each secret, as it is and as JSON, HTML and URLs write it.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote, quote_plus

HIDDEN = "[key]"
LEAST_CHARS = 16  # of a secret that is hidden in answers: a shorter one, or one of letters only, may be a word


def mask_secrets(text: str, secrets: Sequence[str]) -> str:
    """Return a text for people (a problem's message, a header) with all secrets hidden."""
    for form in written_forms(tuple(secrets)):
        text = text.replace(form, HIDDEN)
    return text


def answer_without(text: str, secrets: Sequence[str]) -> str:
    """Return a model's text with those secrets hidden that cannot be there by chance.

    Everything else stays as it came, as this text is scored.
    """
    return mask_secrets(text, [secret for secret in secrets if is_surely_secret(secret)])


def is_surely_secret(secret: str) -> bool:
    """Return whether a secret, without "Bearer ", has LEAST_CHARS characters or more, both letters and digits."""
    key = secret.removeprefix("Bearer ")
    return len(key) >= LEAST_CHARS and any(c.isalpha() for c in key) and any(c.isdigit() for c in key)


@lru_cache(maxsize=64)
def written_forms(secrets: tuple[str, ...]) -> list[str]:
    """Return the forms in which secrets may be written, the longest first."""
    found: set[str] = set()
    for secret in filter(None, secrets):
        as_json = json.dumps(secret)[1:-1]
        found |= {secret, as_json, as_json.replace("/", "\\/"), html.escape(secret), quote(secret, safe="")}
        found |= {quote(secret), quote_plus(secret)}
    return sorted(found, key=lambda form: (-len(form), form))
