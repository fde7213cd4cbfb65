"""The report: one HTML file that loads nothing, runs nothing and shows text from outside as text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.board import ARM, NOT_ASKED, Board, Cell, Section, stopped
from reporting.leaderboard import references
from reporting.metrics import components, reading
from reporting.strip import strip
from reporting.template import TEMPLATE
from reporting.text import count, number, shown, spread

if TYPE_CHECKING:
    from jinja2 import Environment

Facts = Mapping[tuple[str, str], Mapping[str, object]]
MESSAGE_LIMIT = 1000  # characters shown of an error message


def page(board: Board, params: Mapping[str, Any], facts: Facts | None = None) -> str:
    """The report as HTML; equal input gives equal bytes.

    params: as for `board`; its "run", a mapping, is shown as what was asked (limit, seed, ...). facts: what is known of
    the inputs of a (task, split), by label, e.g. {("qmsum", "test"): {"mean words": 10839}}.
    """
    return (
        environment()
        .from_string(TEMPLATE)
        .render(
            board=board,
            run=dict(params.get("run", {})),
            paper={task["name"]: dict(task.get("paper", {})) for task in params["tasks"]},
            facts=dict(facts or {}),
            references=partial(references, board),
            not_asked=NOT_ASKED,
            usual_arm=ARM,
            beside=any(references(board, section) for section in board.sections),
            incomplete=incomplete,
            unanswered=any(incomplete(section) for section in board.sections),
            models=list(dict.fromkeys(line.label for section in board.sections for line in section.lines)),
            metrics=list(dict.fromkeys(column.metric for column in board.columns)),
            message_limit=MESSAGE_LIMIT,
            **_totals(board),
        )
    )


def _totals(board: Board) -> dict[str, int]:
    """Tasks with a score, inputs expected and answered, over everything shown."""
    cells = [cell for section in board.sections for line in section.lines for cell in line.cells]
    coverages = [cell.coverage for cell in cells if cell.coverage is not None]
    return {
        "scored": len({cell.task for cell in cells if cell.value is not None}),
        "expected": sum(coverage.expected for coverage in coverages),
        "answered": sum(coverage.answered for coverage in coverages),
    }


def incomplete(section: Section) -> list[tuple[str, Cell]]:
    """(model, cell) wherever an input is unanswered."""
    return [(line.label, cell) for line in section.lines for cell in line.cells if cell.unanswered]


def environment() -> Environment:
    """How templates are rendered: every text escaped, invisible characters shown, long texts cut."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup, escape

    def finalize(value: object) -> object:
        """Every text that the template prints: escaped by jinja, made visible and cut here."""
        return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=finalize, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "stopped": stopped,
        "number": number,
        "spread": spread,
        "count": count,
        "reading": reading,
        "components": components,
        "upto": lambda text, limit: Markup(escape(shown(text, limit))),
        "strip": lambda cell, published: Markup(strip(cell.seed_values, cell.value, published)),
        "fact": _fact,
    }
    return environment


def _fact(value: object) -> str:
    """A number with separators, anything else as text."""
    return f"{value:,.0f}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
