"""Histograms of lengths as small multiples: a panel for each task on one axis, with our mean and the paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scrollwork.records.statistics import Bin, Distribution
from scrollwork.reporting.charts.figure import Axis, axis, plain, printed, svg, words

WIDTH, HEIGHT = 300, 168  # of a panel, in pixels
TOP, BOTTOM = 52, 142  # of the bars in a panel
COLUMNS = 3


@dataclass(frozen=True)
class Panel:
    """One task's lengths. name: untrusted text. published: the paper's mean. unit: what is counted, e.g. inputs."""

    name: str
    distribution: Distribution
    bins: Sequence[Bin]
    published: float | None
    unit: str


def shared_axis(panels: Sequence[Panel], width: float = WIDTH) -> Axis:
    """One axis for all panels, so that they can be compared; published means are on it too."""
    ends = [end for panel in panels for one in panel.bins for end in (one.low, one.high)]
    ends += [round(panel.published) for panel in panels if panel.published]
    return axis(min(ends, default=1), max(ends, default=10), 10, width - 10)


def panel_svg(panel: Panel, scale: Axis) -> str:
    """A panel as inline SVG for a page."""
    return svg(panel_body(panel, scale), WIDTH, HEIGHT, panel.name, panel_in_words(panel), alone=False)


def sheet(panels: Sequence[Panel], heading: str) -> str:
    """All panels as one SVG file."""
    scale = shared_axis(panels)
    rows = -(-len(panels) // COLUMNS)
    body = [f'<text class="heading" x="12" y="26">{plain(heading)}</text>']
    body.append(
        '<text x="12" y="44">White-space words, logarithmic axis; each panel fills its own height. '
        '<tspan class="here">Full stroke: mean here.</tspan> '
        '<tspan class="published">Dashed: mean in the paper.</tspan>'
        "</text>"
    )
    for place, panel in enumerate(panels):
        x, y = place % COLUMNS * WIDTH, 54 + place // COLUMNS * HEIGHT
        body.append(f'<g transform="translate({x} {y})">{"".join(panel_body(panel, scale))}</g>')
    about = ". ".join(f"{panel.name}: {panel_in_words(panel)}" for panel in panels)
    return svg(body, COLUMNS * WIDTH, 62 + rows * HEIGHT, heading, about, alone=True)


def panel_body(panel: Panel, scale: Axis) -> list[str]:
    """SVG elements of a panel: name, numbers, axis, bars, means."""
    count, mean = panel.distribution.count, panel.distribution.mean
    parts = [
        f'<text class="name" x="10" y="18">{plain(panel.name)}</text>',
        f'<text x="{WIDTH - 10}" y="18" text-anchor="end">{count:,} {plain(panel.unit)}</text>',
        *scale.drawn(TOP, BOTTOM),
        *bars(panel.bins, scale),
    ]
    said = []
    if mean is not None:
        parts.append(mark("here", scale.at(mean)))
        said.append(f'<tspan class="here">mean {words(mean)}</tspan>')
    if panel.published is not None:
        parts.append(mark("published", scale.at(panel.published)))
        said.append(f'<tspan class="published">paper {printed(panel.published)}</tspan>')
    return [*parts, f'<text x="10" y="36">{" · ".join(said)}</text>']


def bars(bins: Sequence[Bin], scale: Axis, top: float = TOP, bottom: float = BOTTOM) -> list[str]:
    """A bar for each bin; the highest fills the height."""
    highest = max((one.count for one in bins), default=1)
    parts = []
    for one in bins:
        left, right = scale.at(one.low), scale.at(one.high)
        height = (bottom - top) * one.count / highest
        width = max(right - left - 0.6, 1)
        parts.append(
            f'<rect class="bar" x="{left:.1f}" y="{bottom - height:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
        )
    return parts


def mark(kind: str, x: float) -> str:
    """The stroke of a mean through the panel."""
    return f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{BOTTOM}"/>'


def panel_in_words(panel: Panel) -> str:
    """The panel in words, for screen readers; it contains no untrusted text."""
    row = panel.distribution
    if row.mean is None or row.median is None or row.smallest is None or row.largest is None:
        return "nothing counted"
    text = f"{row.count:,} values from {row.smallest:,.0f} to {row.largest:,.0f} words, median {row.median:,.0f}"
    text += f", mean {words(row.mean)}"
    return text if panel.published is None else f"{text}; mean in the paper {printed(panel.published)}"
