"""Draw charts with matplotlib in one style, and turn its SVG into parts of a page, in the page's colours."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import matplotlib.figure

INK, SOFT, LINE, PAPER = "#1f1d1a", "#625d54", "#cfc9bd", "#ffffff"
IN_PAGE = {INK: "currentColor", SOFT: "var(--soft)", LINE: "var(--line)", PAPER: "var(--card)"}
STYLE: Mapping[str, Any] = {
    "svg.hashsalt": "scrollwork",  # ids that depend on the drawing alone
    "svg.fonttype": "none",
    "text.parse_math": False,  # names may hold dollars
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same on every machine
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "axes.titlesize": 9,
    "axes.titlecolor": INK,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": SOFT,
    "ytick.labelcolor": INK,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "legend.frameon": False,
}
DPI, POINTS = 200, 72  # of an inch, in PNG and in SVG
NO_METADATA = {"svg": {"Date": None, "Creator": None, "Format": None, "Type": None}, "png": {"Software": None}}


@dataclass(frozen=True)
class Drawing:
    """A chart to be drawn. name: of its file. wide: whether it takes the whole width of the page."""

    name: str
    title: str
    caption: str
    draw: Callable[[], matplotlib.figure.Figure]
    wide: bool = False


def can_draw() -> bool:
    """Return whether matplotlib, an extra, is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        return False
    return True


def chart_file(drawing: Drawing, kind: str) -> bytes:
    """The bytes of a chart as "svg" or "png"; equal input gives equal bytes.

    Raises ModuleNotFoundError without matplotlib (`can_draw`)."""
    with chart_style():
        made, buffer = drawing.draw(), io.BytesIO()
        lay_out(made, kind)
        made.savefig(buffer, format=kind, metadata=NO_METADATA[kind], dpi=DPI)
    return buffer.getvalue()


def lay_out(made: matplotlib.figure.Figure, kind: str) -> None:
    """Lay a figure out for a file of a kind, as `savefig` does, which would draw all of it once more for that."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    canvas = FigureCanvasSVG if kind == "svg" else FigureCanvasAgg
    canvas(made)
    made.set_dpi(POINTS if kind == "svg" else DPI)
    if (engine := made.get_layout_engine()) is not None:
        engine.execute(made)
        made.set_layout_engine(None)


@contextmanager
def chart_style() -> Iterator[None]:
    """Use our matplotlib style inside the block, whatever the process or the user has set."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        cast("dict[str, Any]", mpl.rcParams).update(STYLE)
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")  # names in scripts that the font does not have
        yield


def inline(svg: str, drawing: Drawing) -> str:
    """Turn matplotlib's SVG into part of a page: without style attributes, which the page's policy forbids, with unique
    ids, and in the page's colours."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<style[^>]*>.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r'style="([^"]*)"', lambda found: _attributes(found[1]), body)
    body = re.sub(r'\bid="', f'id="{drawing.name}-', body)
    body = re.sub(r'(?:xlink:)?href="#', f'href="#{drawing.name}-', body)
    body = body.replace("url(#", f"url(#{drawing.name}-").replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "")
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.DOTALL)
    for colour, own in IN_PAGE.items():
        body = body.replace(f'"{colour}"', f'"{own}"')
    head = f'<svg role="img" aria-label="{drawing.title}" stroke-linejoin="round" stroke-linecap="butt"'
    body = re.sub(r'^<svg(?P<rest>[^>]*?) width="[^"]*"', rf"{head}\g<rest>", body)
    body = re.sub(r'^(<svg[^>]*?) height="[^"]*"', r"\1", body)
    return re.sub(r"\s*\n\s*", "\n", body).strip()


def _attributes(style: str) -> str:
    """A style attribute as SVG attributes. The font is left out, so that the page's is used."""
    made = []
    for declaration in filter(None, (one.strip() for one in style.split(";"))):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font":
            size = re.search(r"[\d.]+px", value)
            made.append(f'font-size="{size[0] if size else "10px"}"')
            if re.match(r"(bold|[6-9]00)\b", value):
                made.append('font-weight="600"')
        elif name != "font-family":
            made.append(f'{name}="{value}"')
    return " ".join(made)


def figure(width: float, height: float) -> matplotlib.figure.Figure:
    from matplotlib.figure import Figure as Made

    return Made(figsize=(width, height), layout="constrained")


def quantiles(values: Sequence[float], shares: Sequence[float]) -> Iterator[float]:
    """Quantiles with linear interpolation; values in any order, at least one."""
    ordered = sorted(values)
    for share in shares:
        place = share * (len(ordered) - 1)
        low = int(place)
        high = min(low + 1, len(ordered) - 1)
        yield ordered[low] + (ordered[high] - ordered[low]) * (place - low)
