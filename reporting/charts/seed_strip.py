"""A strip of seeds' values as inline SVG: a stroke for each seed, their mean, and the published value."""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.reporting.page.text import number

HEIGHT = 62  # CSS pixels; positions across are percentages, so that marks and letters keep their shape at any width


def strip(values: Sequence[float], mean: float | None, published: float | None) -> str:
    """SVG for values of 0-100. The scale covers all values and the published one. Its text is numbers only."""
    marks = [*values, *(mark for mark in (mean, published) if mark is not None)]
    low, high = _domain(min(marks), max(marks))

    def at(value: float) -> str:
        return f"{4 + 92 * (value - low) / (high - low):.2f}%"

    spoken = _spoken(values, mean, published)
    parts = [
        f'<svg class="strip" role="img" width="100%" height="{HEIGHT}" aria-label="{spoken}">',
        '<line class="axis" x1="2%" x2="98%" y1="44" y2="44"/>',
    ]
    for tick in (low, (low + high) / 2, high):
        x = at(tick)
        parts.append(f'<line class="axis" x1="{x}" x2="{x}" y1="44" y2="48"/>')
        parts.append(f'<text x="{x}" y="59" text-anchor="middle">{number(tick, _places(low, high))}</text>')
    parts += [f'<line class="seed" x1="{at(v)}" x2="{at(v)}" y1="26" y2="42"/>' for v in sorted(values)]
    if mean is not None:
        parts.append(f'<line class="mean" x1="{at(mean)}" x2="{at(mean)}" y1="20" y2="44"/>')
    if published is not None:
        x = at(published)
        position = (published - low) / (high - low)
        anchor = "start" if position < 0.25 else "end" if position > 0.75 else "middle"
        parts.append(f'<line class="published" x1="{x}" x2="{x}" y1="16" y2="44"/>')
        parts.append(
            f'<text class="published" x="{x}" y="11" text-anchor="{anchor}">published naive {number(published)}</text>'
        )
    return "".join([*parts, "</svg>"])


def _domain(low: float, high: float) -> tuple[float, float]:
    """The ends of the scale: slightly beyond the marks, never equal, within 0-100."""
    if high - low < 0.2:
        low, high = low - 0.5, high + 0.5
    margin = 0.04 * (high - low)
    return max(0.0, low - margin), min(100.0, high + margin)


def _places(low: float, high: float) -> int:
    return 1 if high - low >= 0.4 else 2


def _spoken(values: Sequence[float], mean: float | None, published: float | None) -> str:
    text = f"{len(values)} seeds from {number(min(values), 2)} to {number(max(values), 2)}"
    text += "" if mean is None else f", mean {number(mean, 2)}"
    return text if published is None else f"{text}; published naive baseline {number(published)}"
