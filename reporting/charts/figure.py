"""Shared parts of our own SVG pictures: a logarithmic axis, escaped text, and SVG as part of a page or as a file."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import log10

from scrollwork.reporting.page.text import cut_text, visible

LEAST = 0.5  # words: the smallest possible spread, that of two neighbouring bigrams

# Colours of a picture in its own file; in a page, the page's are used (reporting/assets/pages.css).
COLOURS = """
:root { color-scheme: light dark; --card: #ffffff; --ink: #1f1d1a; --soft: #625d54; --line: #e2ddd2; --accent: #1d5f6b;
  --warn: #8a3b00; }
@media (prefers-color-scheme: dark) {
  :root { --card: #1e1d1a; --ink: #ebe7df; --soft: #aaa396; --line: #38352f; --accent: #7cc4cf; --warn: #ffc078; }
}
"""
STYLE = """
.figure { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial,
  sans-serif; font-variant-numeric: tabular-nums; }
.figure text { fill: var(--soft); font-size: 11px; }
.figure .name { fill: var(--ink); font-size: 13px; font-weight: 600; }
.figure .heading { fill: var(--ink); font-size: 15px; font-weight: 600; }
.figure .back { fill: var(--card); }
.figure .axis { stroke: var(--line); stroke-width: 1; }
.figure .bar { fill: var(--accent); fill-opacity: .55; }
.figure .box { fill: var(--accent); fill-opacity: .3; stroke: var(--accent); }
.figure .whisker { stroke: var(--accent); stroke-width: 1; }
.figure .mean { fill: var(--ink); stroke: var(--card); stroke-width: 1; }
.figure line.here { stroke: var(--ink); stroke-width: 2; }
.figure tspan.here { fill: var(--ink); }
.figure line.published { stroke: var(--warn); stroke-width: 2; stroke-dasharray: 4 3; }
.figure tspan.published { fill: var(--warn); }
"""


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `low` to `high` (words), drawn from `left` to `right` (pixels)."""

    low: float
    high: float
    left: float
    right: float

    def at(self, value: float) -> float:
        """Position of a value in pixels; a value outside the axis is put at its end."""
        inside = min(max(value, self.low), self.high)
        share = (log10(inside) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return self.left + share * (self.right - self.left)

    def ticks(self) -> list[int]:
        """Powers of ten; on an axis of fewer than two decades also 2 and 5 times these."""
        steps = (1,) if self.high / self.low >= 100 else (1, 2, 5)
        return [step * 10**power for power in range(9) for step in steps if self.low <= step * 10**power <= self.high]

    def drawn(self, top: float, bottom: float) -> list[str]:
        """SVG of the ticks from `top` to `bottom` (pixels), their labels below, and the base line."""
        parts = []
        for tick in self.ticks():
            x = f"{self.at(tick):.1f}"
            parts.append(f'<line class="axis" x1="{x}" x2="{x}" y1="{top:g}" y2="{bottom:g}"/>')
            parts.append(f'<text x="{x}" y="{bottom + 14:g}" text-anchor="middle">{short(tick)}</text>')
        return [*parts, f'<line class="axis" x1="{self.left:g}" x2="{self.right:g}" y1="{bottom:g}" y2="{bottom:g}"/>']


def axis(low: float, high: float, left: float, right: float) -> Axis:
    """An axis that is at least one bin wide and begins at LEAST or above."""
    low = max(low, LEAST)
    return Axis(low, max(high, low * 1.3), left, right)


def short(value: int) -> str:
    """1000 as "1k"; 1,000,000 as "1M"."""
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if value >= size and value % size == 0:
            return f"{value // size}{letter}"
    return str(value)


def words(value: float) -> str:
    """A length in words: "10,838.6"; from 20,000 on without decimals."""
    return f"{value:,.0f}" if value >= 20_000 else f"{value:,.1f}"


def printed(value: float) -> str:
    """A published value with the paper's digits."""
    return f"{value:,g}"


def plain(text: str) -> str:
    """Untrusted text for an SVG: invisible characters shown, cut, escaped."""
    return escape(cut_text(text), quote=True)


def svg(body: list[str], width: float, height: float, title: str, about: str, *, alone: bool) -> str:
    """An SVG picture with title and description. alone: for its own file, with colours and background; else inline."""
    open_tag = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" role="img" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}">'
    )
    head = [f"<title>{plain(title)}</title>", f"<desc>{escape(visible(about), quote=True)}</desc>"]
    if alone:
        head += [f"<style>{COLOURS}{STYLE}</style>", f'<rect class="back" width="{width:g}" height="{height:g}"/>']
    return "".join([open_tag, *head, *body, "</svg>"]) + ("\n" if alone else "")
