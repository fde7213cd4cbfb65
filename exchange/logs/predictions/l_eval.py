"""Predictions of L-Eval: MODEL/TASK.pred.jsonl with `query`, `gt`, the answer in NAME_pred, and `evaluation`.

They have no scores, no ids, and prompts without their documents. Scores are computed; exams with rules of their own
(codeU, topic_retrieval, sci_fi, gsm100) and judged answers have no metric here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scrollwork.analysis.logs.log import Log, ReadOptions, digest_of, log_error
from scrollwork.exchange.logs.columns import label_of, left_out
from scrollwork.exchange.logs.json_rows import Broken, files_below, first_row, json_lines
from scrollwork.exchange.logs.predictions.scored import Answers, log_of, read_scored
from scrollwork.scoring.files.released import way_of_file

TOOL = "l_eval"
SIGNS = {"query", "gt"}
ENDING = "_pred"  # of the field with the answer; the name before it varies in one folder


def recognizes(path: Path) -> bool:
    """Return whether a file is of L-Eval's predictions, or a folder has one."""
    return any(map(is_l_eval, prediction_files(path)))


def prediction_files(path: Path) -> Iterator[Path]:
    """Yield the file, or the JSON Lines files below a folder."""
    yield from (file for file in files_below(path) if file == path or file.suffix.lower() == ".jsonl")


def is_l_eval(file: Path) -> bool:
    """Return whether the first row has a query, its reference and an answer."""
    row = first_row(file)
    return row.keys() >= SIGNS and any(name.endswith(ENDING) for name in row)


def read(path: Path, options: ReadOptions) -> list[Log]:
    """Return a log for each file: one model (its folder) on one task. Tasks without a metric are named.

    Raises LogError, also where the user names an id or a cluster: these files have none.
    """
    for flag, name in (("--id", options.id_field), ("--by", options.cluster_field)):
        if name:
            raise log_error(path, "", f"{flag} {name}: L-Eval's predictions have no ids and no documents")
    return read_scored(filter(is_l_eval, prediction_files(path)), read_file)


def read_file(file: Path) -> Log:
    """Return the log of one file. Raises LogError, and NotScored for a task without a metric."""
    first = first_row(file)
    how = way_of_file("leval", file.name, "", "", first)
    fields = [name for name in first if name.endswith(ENDING)]
    if len(fields) > 1:
        raise log_error(file, "line 1", f"{len(fields)} fields end in {ENDING!r}: {', '.join(fields)[:200]}")
    answers = Answers()
    broken: list[str] = []
    others: list[str] = []
    for number, row in json_lines(file):
        if isinstance(row, Broken):
            broken.append(f"line {number} ({row.why})")
        elif row.get("evaluation") != first.get("evaluation"):
            others.append(f"line {number}")
        else:
            query, reference = row.get("query"), row.get("gt")
            answers.positions.append(str(number - 1))
            answers.answers.append(row.get(fields[0]))
            answers.gold.append({"references": [reference]})
            answers.contents.append(digest_of([label_of(query), label_of(reference)]))
            answers.prompts.append("")
    notes = [left_out(broken, "being no whole JSON", "line")] if broken else []
    if others:
        notes.append(left_out(others, f"having another evaluation than {first.get('evaluation')!r}", "line"))
    return log_of(file, TOOL, how.task, how, answers, notes)
