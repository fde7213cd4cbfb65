"""The spread of outputs over their inputs: a row for each task, with histogram and box on one axis."""

from __future__ import annotations

from collections.abc import Sequence

from scrollwork.reporting.charts.figure import Axis, plain, svg
from scrollwork.reporting.charts.histograms import Panel, bars, shared_axis

WIDTH, ROW = 900, 58
LEFT, RIGHT = 190, 20  # margins for names
HEADING = "Spread of outputs over their inputs"


def spreads(panels: Sequence[Panel], *, alone: bool) -> str:
    """The picture. Boxes: quartiles and median; whiskers: 5th and 95th percentile; dot: mean."""
    reach = shared_axis(panels)
    scale = Axis(reach.low, reach.high, LEFT, WIDTH - RIGHT)
    top = 52 if alone else 8
    bottom = top + ROW * len(panels)
    body = [f'<text class="heading" x="12" y="26">{HEADING}</text>'] if alone else []
    if alone:
        body.append(
            '<text x="12" y="44">Standard deviation of the places of an output’s bigrams in its input, in words '
            "(logarithmic). Box: quartiles and median; line: 5 % to 95 %; dot: mean.</text>"
        )
    body += scale.drawn(top, bottom)
    for place, panel in enumerate(panels):
        body += row(panel, scale, top + place * ROW)
    about = ". ".join(f"{panel.name}: {row_in_words(panel)}" for panel in panels)
    return svg(body, WIDTH, bottom + 24, HEADING, about, alone=alone)


def row(panel: Panel, scale: Axis, y: float) -> list[str]:
    """SVG elements of one task: name, number of outputs, histogram, box."""
    found = panel.distribution
    parts = [
        f'<text class="name" x="12" y="{y + 26:g}">{plain(panel.name)}</text>',
        f'<text x="12" y="{y + 42:g}">{plain(panel.unit)}</text>',
    ]
    if found.p5 is None or found.q1 is None or found.median is None or found.q3 is None or found.p95 is None:
        return parts
    parts += bars(panel.bins, scale, y + 6, y + 34)
    middle = y + 44
    p5, q1, median, q3, p95 = (scale.at(value) for value in (found.p5, found.q1, found.median, found.q3, found.p95))
    parts.append(f'<line class="whisker" x1="{p5:.1f}" x2="{p95:.1f}" y1="{middle:g}" y2="{middle:g}"/>')
    parts.append(
        f'<rect class="box" x="{q1:.1f}" y="{middle - 5:g}" width="{max(q3 - q1, 1):.1f}" height="10" rx="2"/>'
    )
    parts.append(f'<line class="here" x1="{median:.1f}" x2="{median:.1f}" y1="{middle - 7:g}" y2="{middle + 7:g}"/>')
    if found.mean is not None:
        parts.append(f'<circle class="mean" cx="{scale.at(found.mean):.1f}" cy="{middle:g}" r="3"/>')
    return parts


def row_in_words(panel: Panel) -> str:
    """The row in words, for screen readers."""
    found = panel.distribution
    if found.median is None or found.q1 is None or found.q3 is None:
        return "none measured"
    return f"{found.count:,} outputs, median {found.median:,.0f} words, quartiles {found.q1:,.0f} and {found.q3:,.0f}"
