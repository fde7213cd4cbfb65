"""The page of `run`: HTML that loads nothing from a network, runs only its own script, and escapes untrusted text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Any

from scrollwork.records.comparison import FEWEST_CLUSTERS, few_clusters
from scrollwork.reporting.boards.board import ARM, Board, Line, SplitBoard
from scrollwork.reporting.boards.cells import NOT_ASKED, WITHOUT_SCORE, Cell
from scrollwork.reporting.boards.leaderboard import (
    few_documents,
    line_means,
    means,
    more_means,
    reference_means,
    references,
)
from scrollwork.reporting.boards.metrics import COMPONENTS, metric_reading
from scrollwork.reporting.boards.raw_files import remarks as raw_remarks
from scrollwork.reporting.boards.raw_files import summary as raw_summary
from scrollwork.reporting.page.chunks import facts as as_facts
from scrollwork.reporting.page.content import Content
from scrollwork.reporting.page.environment import environment
from scrollwork.reporting.page.files import script, styles
from scrollwork.reporting.page.judgement_tables import tasks_by_split
from scrollwork.reporting.page.sections import sections_of
from scrollwork.reporting.page.text import cut_text
from scrollwork.reporting.page.usage import usage_row

Facts = Mapping[tuple[str, str], Mapping[str, object]]
MESSAGE_LIMIT = 1000  # characters shown of an error message
MOST_NAMED, MOST_TOLD = 8, 10  # models named in the head of the page, in a warning
COMPARED = (
    "difference",
    "value",
    "other_value",
    "low",
    "high",
    "p",
    "p_holm",
    "detectable",
    "inputs",
    "left_out",
    "clusters",
)  # of records/comparison.py
CHUNKS = "<!--chunks-->"  # where the page's data go; untrusted text is escaped and cannot contain it


def page(
    board: Board, params: Mapping[str, Any], facts: Facts | None = None, content: Content | None = None
) -> tuple[str, str]:
    """Render the page as HTML, in two halves; the chunks of its data go between them. Equal input gives equal bytes.

    params: as for `board`; "run": options to show (limit, seed, ...); "sections": modules of the design's sections
    (sections.py). facts: facts about the inputs of a (task, split), by label, e.g. {("qmsum", "test"): {"mean words":
    10839}}.
    """
    from markupsafe import Markup

    own, sections = content or Content(), sections_of(params.get("sections", ()))
    style = styles("pages.css", "report.css", *(name for one in sections for name in one.styles(board, own.findings)))
    code = script()
    published_on = board.published.split if board.published else ""
    before, _, after = (
        environment()
        .get_template("page.html")
        .render(
            board=board,
            content=own,
            policy=Markup(content_security_policy(style, code, own.folder)),
            style=Markup(style),
            script=Markup(code),
            core=Markup(as_facts(core_data(board, own))),
            usage=[
                {"label": line.label if len(board.sections) < 2 else f"{line.label}, {section.split}", "values": cells}
                for section in board.sections
                for place, line in enumerate(section.lines)
                if (took := own.usage.get((section.split, place))) is not None and (cells := usage_row(took))
            ],
            figures=[
                {"title": one.title, "caption": one.caption, "svg": Markup(one.svg), "wide": one.wide}
                for one in own.figures
            ],
            links=[link for one in sections for link in one.links(board, own.findings)],
            parts=[html for one in sections if (html := one.html(board, own)) is not None],
            published_rank=lambda row: board.ranks.of_paper(row.label),
            beyond=tasks_by_split(board, own.findings),
            run=dict(params.get("run", {})),
            paper={task["name"]: dict(task.get("paper", {})) for task in params["tasks"]},
            facts=dict(facts or {}),
            references=partial(references, board),
            not_asked=NOT_ASKED,
            raw_remarks=lambda section: raw_remarks(board.raw_of(section)),
            raw_summary=raw_summary,
            few_documents=few_documents,
            without_score=WITHOUT_SCORE,
            usual_arm=ARM,
            more_heads=more_means(board, means(board)),
            more_cells=lambda section, line: more_means(board, line_means(board, section, line)),
            more_of_reference=lambda row: more_means(board, reference_means(board, published_on, row)),
            beside=any(references(board, section) for section in board.sections),
            incomplete=incomplete_models,
            unanswered=any(incomplete_models(section) for section in board.sections),
            models=list(dict.fromkeys(line.label for section in board.sections for line in section.lines)),
            metrics=list(dict.fromkeys(column.metric for column in board.columns)),
            message_limit=MESSAGE_LIMIT,
            most_named=MOST_NAMED,
            most_told=MOST_TOLD,
            **_totals(board),
        )
        .partition(CHUNKS)
    )
    return before, after


def content_security_policy(style: str, script: str, folder: str) -> str:
    """The page's Content-Security-Policy: only its own style and script, by digest, and data files from its folder.

    Trusted types ensure that text which the script puts into the page cannot become markup.
    """
    files = " 'self' file:" if folder else ""
    return (
        f"default-src 'none'; script-src '{_sha256(script)}'{files}; style-src '{_sha256(style)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types scrollwork"
    )


def _sha256(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def core_data(board: Board, content: Content) -> dict[str, Any]:
    """The data that the script needs at once; it reads the rest from chunks. Untrusted names are cut and made
    visible."""
    labels = _labels(board)
    places = {
        (section.split, line.model, line.arm): place
        for section in board.sections
        for place, line in enumerate(section.lines)
    }

    def line_facts(line: Line) -> dict[str, Any]:
        return {
            "label": labels[line.model, line.arm],
            "bound": line.upper_bound,
            "average": line.average.value,
            "cells": [{"task": cell.task, "value": cell.value} for cell in line.cells],
        }

    compared = []
    for row in content.findings.comparisons:
        ends = [(row["split"], row["model"], row["arm"]), (row["split"], row["other"], row["other_arm"])]
        if all(end in places for end in ends):
            one, other = (places[end] for end in ends)
            named = {"split": cut_text(row["split"]), "task": row["task"], "one": one, "other": other}
            note = few_clusters(row["clusters"])
            compared.append({**named, **{name: row[name] for name in COMPARED}, "interval_note": note})
    return {
        "sections": [
            {"split": cut_text(one.split), "lines": [line_facts(line) for line in one.lines]} for one in board.sections
        ],
        "groups": [{**group, "split": cut_text(group["split"])} for group in content.groups],
        "comparisons": compared,
        "metrics": {**{column.metric: metric_reading(column.metric).name for column in board.columns}, **COMPONENTS},
        "folder": content.folder,
        "fewest": FEWEST_CLUSTERS,
        **({"ranked": True} if board.ranked else {}),
        **({"observed": True} if any(column.units for column in board.columns) else {}),
    }


def _labels(board: Board) -> dict[tuple[str, str], str]:
    """A unique label for every model and arm, even if long names are equal after cutting."""
    found: dict[tuple[str, str], str] = {}
    for line in (line for section in board.sections for line in section.lines):
        name = cut_text(line.label)
        if (line.model, line.arm) not in found:
            found[line.model, line.arm] = name if name not in found.values() else f"{name} ({len(found) + 1})"
    return found


def _totals(board: Board) -> dict[str, int]:
    """Number of tasks with a score, and of expected and answered inputs, over all sections."""
    cells = [cell for section in board.sections for line in section.lines for cell in line.cells]
    coverages = [cell.coverage for cell in cells if cell.coverage is not None]
    return {
        "scored": len({cell.task for cell in cells if cell.value is not None}),
        "expected": sum(coverage.expected for coverage in coverages),
        "answered": sum(coverage.answered for coverage in coverages),
    }


def incomplete_models(section: SplitBoard) -> list[tuple[str, list[Cell]]]:
    """(model, its cells with unanswered inputs)."""
    found = [(line.label, [cell for cell in line.cells if cell.unanswered]) for line in section.lines]
    return [(label, cells) for label, cells in found if cells]
