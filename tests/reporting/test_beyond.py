"""What is said beside the scores, as tables of the page."""

from __future__ import annotations

import re
from typing import Any

from boards import params, row
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.reporting.boards.board import Board, board
from scrollwork.reporting.page.content import Content, Findings
from scrollwork.reporting.page.judgement_tables import tasks_by_split
from scrollwork.reporting.page.page import page

MODELS = ["one", "two"]


def said(measure: str, value: float, model: str = "one", **more: Any) -> dict[str, Any]:
    where = {"split": "test", "task": "qasper", "model": model, "arm": "full", "measure": measure}
    return {**where, "value": value, "low": None, "high": None, "answers": 27, **more}


def part(by: str, name: str, value: float | None, model: str = "one", **more: Any) -> dict[str, Any]:
    where = {"split": "test", "task": "qasper", "model": model, "arm": "full", "by": by, "part": name}
    found = {"value": value, "low": None, "high": None, "least": None, "most": None, "asked": 9, "answered": 9}
    return {**where, **found, **more}


def scored() -> Board:
    return board([row("qasper", model) for model in MODELS], params(MODELS))


def shown(findings: Findings) -> str:
    """The text of the page, without its tags."""
    return re.sub(r"<[^>]*>", "\n", "".join(page(scored(), params(MODELS), content=Content(findings=findings))))


def test_measures_of_answers_reach_the_page_and_are_not_shown() -> None:
    findings = Findings(
        conduct=[
            said("in_format", 77.25, low=70.0, high=80.0),
            said("wrongly_unanswerable", 22.0, answers=21),
            said("length_ratio", 1.355, "two"),
        ]
    )
    [(split, [tables])] = tasks_by_split(scored(), findings)
    assert (split, tables.column.task, tables.parts) == ("test", "qasper", None)
    assert tables.looks is not None
    assert tables.looks.groups == (("answers, in percent", 2), ("length", 1))
    (one, of, cells), (two, _, others) = tables.looks.rows
    assert (one.model, two.model, of) == ("one", "two", "27")
    assert [(cell.text, cell.interval, cell.of) for cell in cells if cell] == [
        ("77.2", "70.0–80.0", "27"),
        ("22.0", "", "21"),
    ]
    assert [cell and cell.text for cell in others] == [None, None, "1.35"]
    text = shown(findings)
    for wanted in ("Beside the scores, split test", "in the form asked for", "77.2", "70.0–80.0", "n 21", "1.35"):
        assert wanted in text


def test_parts_of_the_inputs_are_mixed_up_or_out_of_order() -> None:
    findings = Findings(
        slices=[
            part("document_words", "1,204 to 3,377", 40.0, least=1204, most=3377),
            part("document_words", "900 to 900", 50.0, least=900, most=900),
            part("truncated", "cut", 10.0, answered=7),
            part("truncated", "whole", 20.0),
            part("evidence", "not known", None, answered=0),
            part("evidence", "kept", 30.0),
        ]
    )
    [(_, [tables])] = tasks_by_split(scored(), findings)
    assert tables.looks is None
    assert tables.parts is not None
    assert tables.parts.heads == ("900", "1,204–3,377", "cut", "whole", "kept", "not known")
    assert tables.parts.groups == (("words of the documents", 2), ("prompt", 2), ("evidence in the prompt", 2))
    assert tables.parts.starts == [0, 2, 4, 6]
    ((_, of, cells),) = tables.parts.rows
    assert of == "9"
    assert [(cell.text, cell.of) for cell in cells if cell] == [
        ("50.0", "9"),
        ("40.0", "9"),
        ("10.0", "7/9"),
        ("20.0", "9"),
        ("30.0", "9"),
        ("–", "0/9"),
    ]


def test_nothing_is_said_where_nothing_was_judged() -> None:
    assert tasks_by_split(scored(), Findings()) == []
    assert "Beside the scores" not in shown(Findings())


def test_an_interval_in_which_nothing_varies_is_printed() -> None:
    [(_, [tables])] = tasks_by_split(scored(), Findings(conduct=[said("empty", 0.0, low=0.0, high=0.0)]))
    assert tables.looks is not None
    assert tables.looks.rows[0][2][0].interval == ""  # type: ignore[union-attr]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@settings(max_examples=25)
def test_the_name_of_a_part_becomes_markup(text: str) -> None:
    html = "".join(
        page(scored(), params(MODELS), content=Content(findings=Findings(slices=[part("truncated", text, 1.0)])))
    )
    assert html.count("<th ") == "".join(
        page(scored(), params(MODELS), content=Content(findings=Findings(slices=[part("truncated", "x", 1.0)])))
    ).count("<th ")
