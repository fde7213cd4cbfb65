"""The CSV of promptfoo: a row a test, a block of columns for each provider, whose names repeat (Status, Score, ...)."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import log_error
from scrollwork.exchange.logs.json_rows import raw_errors
from scrollwork.exchange.logs.tables.files import csv_header
from scrollwork.preprocessing.raw.json_objects import LINE_BYTES

ANSWER = re.compile(r"\[(?P<provider>[^\]]+)\] ?(?P<prompt>.*)", re.DOTALL)
BLOCK = ("Status", "Score", "Named Scores")  # follow the column with a provider's answers
DESCRIPTION = "Description"
STATES = {"PASS": 0, "FAIL": 1, "ERROR": 2}  # failureReason


def blocks_of(columns: list[str]) -> list[int]:
    """Return where each provider's block of columns begins."""
    return [
        place
        for place, name in enumerate(columns)
        if ANSWER.fullmatch(name) and tuple(columns[place + 1 : place + 1 + len(BLOCK)]) == BLOCK
    ]


def is_promptfoo_csv(file: Path) -> bool:
    """Return whether the first line of a file has blocks of columns as promptfoo's."""
    return bool(blocks_of(csv_header(file)[0]))


def results_of_csv(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (place, result as in the JSON, but for the prompts). Raises LogError."""
    csv.field_size_limit(LINE_BYTES)
    with raw_errors(file), file.open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.reader(stream)
        try:
            columns = next(rows)
            starts = blocks_of(columns)
            for number, cells in enumerate(rows):
                where = f"row {number + 1}"
                if len(cells) != len(columns):
                    raise log_error(file, where, f"has {len(cells)} cells, the first line {len(columns)}: is it cut?")
                variables = dict(zip(columns[: starts[0]], cells, strict=False))
                description = variables.pop(DESCRIPTION, "")
                for index, start in enumerate(starts):
                    yield (
                        where,
                        result(file, where, columns, cells, start)
                        | {
                            "testIdx": number,
                            "promptIdx": index,
                            "vars": variables,
                            "testCase": {"description": description},
                        },
                    )
        except (csv.Error, UnicodeDecodeError) as error:
            raise log_error(file, "", f"is not whole CSV in UTF-8: {error}") from None


def result(file: Path, where: str, columns: list[str], cells: list[str], start: int) -> dict[str, Any]:
    """Return what a block says of one test. Raises LogError for a state or a score that promptfoo does not write."""
    match = ANSWER.fullmatch(columns[start])
    state, score, named = cells[start + 1 : start + 4]
    if match is None or state not in STATES:
        raise log_error(file, f"{where}, {columns[start][:40]}", f"has the state {state[:40]!r}")
    try:
        scores = json.loads(named) if named else {}
        value = float(score)
    except ValueError as error:
        raise log_error(file, f"{where}, {columns[start][:40]}", f"has no scores: {error}") from None
    return {
        "provider": {"label": match["provider"]},
        "prompt": {"label": match["prompt"]},
        "failureReason": STATES[state],
        "error": cells[start] if state == "ERROR" else None,
        "namedScores": scores,
        "score": value,
        "success": state == "PASS",
    }
