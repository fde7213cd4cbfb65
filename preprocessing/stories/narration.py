"""Signs that a story is told: someone acts or speaks, whatever else a paragraph says about print."""

import re

QUOTED = re.compile(r"[\"“][^\"“”\n]{0,200}[\"”]|(?<!\w)['‘][^'‘’\n]{0,120}['’](?!\w)")
# a story is told: a person acts, or speaks of himself; notes say "his spelling", but seldom "he"
ACTOR = re.compile(r"\b(?:he|she|him|himself|herself|said|says|cried|replied|whispered)\b", re.I)
MINE = re.compile(r"\b(?:my|me|mine|myself)\b", re.I)
SPEECH = re.compile(
    r"^\W{0,3}[\"“]|[,;?!\"”]\s+(?:(?:as|so)\s+)?(?:(?!who\b)[\w'’]+\s+){0,3}?(?:had\s+)?"
    r"(?:said|says|thought|wrote|written|cried|sang|asked|read|replied|answered|whispered|told|swore|laughed)\b",
    re.I,
)
# a person, a document in the story, or an editor of the print: the note is the book's
PERSON = re.compile(
    r"\b(?:he|she|his|her|hers|him|himself|herself|my|me|mine|myself|you|your|said|says|asked|replied|cried|diary|journal"
    r"|manuscripts?|MSS?|papers|publishers?|present\s+editor|the\s+editors?)\b",
    re.I,
)


def has_action(text: str) -> bool:
    """Return whether someone acts or speaks, quotations aside."""
    return bool(ACTOR.search(QUOTED.sub('""', text)) or SPEECH.search(text))


def is_narrated(text: str) -> bool:
    """Return whether a story is told: someone acts, or speaks of himself."""
    return has_action(text) or bool(MINE.search(QUOTED.sub('""', text)))
