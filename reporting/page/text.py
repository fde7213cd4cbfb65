"""Make untrusted text (model names, error messages) safe to show, and format numbers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LIMIT = 120  # characters shown of a name; error messages get more
MARKS = 3  # most combining marks in a row; more would cover neighbouring lines
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # invisible, but not format characters
MARKDOWN = re.compile(r"([\\`*_\[\]#|~>])")


def cut_text(text: str, limit: int = LIMIT) -> str:
    """The first `limit` characters, with invisible ones made visible; a cut text ends with its full length."""
    cut = visible(text[:limit])
    return cut if len(text) <= limit else f"{cut}… ({len(text):,} characters in all)"


def visible(text: str) -> str:
    """Show control, bidirectional and other invisible characters as signs, and shorten chains of combining marks."""
    if text.isascii() and text.isprintable():
        return text
    out = []
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MARKS:
            out.append(_sign(char))
    return "".join(out)


def _sign(char: str) -> str:
    if char == "\n":
        return " ↵ "
    category = unicodedata.category(char)
    if category[0] == "C" or category in ("Zl", "Zp") or char in BLANK:
        return f"⟨U+{ord(char):04X}⟩"
    return " " if category == "Zs" else char


def markdown_text(text: str, limit: int = LIMIT) -> str:
    """`cut_text`, with all characters escaped that have a meaning in Markdown or HTML."""
    return MARKDOWN.sub(r"\\\1", cut_text(text, limit).replace("&", "&amp;").replace("<", "&lt;"))


def number(value: float | None, places: int = 1) -> str:
    """A score; an en dash for None."""
    return "–" if value is None else f"{value:.{places}f}"


def spread(value: float | None) -> str:
    """ "±0.1"; "±0.03" below 0.05, so that a small spread is not shown as none; "" for None."""
    if value is None:
        return ""
    return f"±{value:.2f}" if 0.005 <= value < 0.05 else f"±{value:.1f}"


def count(value: int) -> str:
    """A number with thousands separators: 10,000."""
    return f"{value:,}"


def pooled(counted: Iterable[tuple[int, float | None]]) -> float | None:
    """The mean over several parts, from (number of values, mean) of each; None if there are no values."""
    pairs = [(count, mean) for count, mean in counted if count and mean is not None]
    total = sum(count for count, _ in pairs)
    return sum(count * mean for count, mean in pairs) / total if total else None


def percent_off(value: float | None, published: float | None) -> float | None:
    """Difference of a value from the published one, in percent of the latter; None if either is missing."""
    return None if value is None or not published else 100 * (value - published) / published


def percent(value: float | None) -> str:
    """A signed difference: "+1.2 %"; "0.0 %" without a sign."""
    if value is None:
        return "–"
    text = f"{value:+.1f}".replace("-", "−")
    return f"{text.lstrip('+−')} %" if text[1:] == "0.0" else f"{text} %"
