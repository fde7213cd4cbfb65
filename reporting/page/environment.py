"""The Jinja environment that renders page templates."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from scrollwork.reporting.boards.cells import unfinished_answers
from scrollwork.reporting.boards.leaderboard import head_of_parts, in_parts, inputs_of_parts
from scrollwork.reporting.boards.metrics import components, metric_reading
from scrollwork.reporting.charts.seed_strip import strip
from scrollwork.reporting.page.files import text_of
from scrollwork.reporting.page.text import count, cut_text, number, spread

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """The Jinja environment: it escapes every text, shows invisible characters and cuts long texts. It is made once, so
    that each template is compiled once, which takes longer than rendering it."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup, escape

    def finalize(value: object) -> object:
        """Applied to every value that a template prints: shows invisible characters and cuts; Jinja escapes."""
        return cut_text(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FunctionLoader(text_of),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "stopped": unfinished_answers,
        "number": number,
        "spread": spread,
        "count": count,
        "reading": metric_reading,
        "components": components,
        "parts": in_parts,
        "head_of_parts": head_of_parts,
        "inputs": inputs_of_parts,
        "upto": lambda text, limit: Markup(escape(cut_text(text, limit))),
        "strip": lambda cell, published: Markup(strip(cell.seed_values, cell.value, published)),
        "fact": _fact,
    }
    return environment


def _fact(value: object) -> str:
    """A number with separators, anything else as text."""
    return f"{value:,.0f}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
