"""Outputs published together with their references: files of L-Eval and LongBench, as rows to score.

A file's name gives its task; the metric is the benchmark's own for that task.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, Any

from scrollwork.scoring.files.pairs import PairError, Renamed, kind_of, read_pairs, unique_fields
from scrollwork.scoring.files.prediction import packed_file_hint

# L-Eval's exams with answer options; its other exams have rules of their own, which are not implemented here
LEVAL_EXAMS: Mapping[str, str] = {
    "coursera": "leval_exam_multi",
    "quality": "leval_exam",
    "tpo": "leval_exam",
}
LEVAL_OTHERS = ("codeU", "topic_retrieval_longchat", "sci_fi", "gsm100")  # exams with rules of their own
LEVAL_METRICS: Mapping[str, str] = {"f1": "f1_scrolls", "rouge": "rouge_geo"}
LONGBENCH: Mapping[str, str] = {
    **dict.fromkeys(
        ("narrativeqa", "qasper", "multifieldqa_en", "hotpotqa", "2wikimqa", "musique", "triviaqa"), "longbench_qa_f1"
    ),
    **dict.fromkeys(("gov_report", "qmsum", "multi_news", "samsum"), "longbench_rouge_l"),
    **dict.fromkeys(("trec", "lsht"), "longbench_classification"),
    **dict.fromkeys(("lcc", "repobench-p"), "longbench_code"),
    "passage_retrieval_en": "longbench_retrieval",
    "passage_count": "longbench_count",
}
FIRST_LINE = ("trec", "triviaqa", "samsum", "lsht")  # few-shot tasks: after the first line, models invent more examples
BENCHMARKS = ("leval", "longbench")
TASKS: Mapping[str, tuple[str, ...]] = {"leval": (*LEVAL_EXAMS, *LEVAL_OTHERS), "longbench": tuple(LONGBENCH)}
OTHER_NAMES = {"toefl": "tpo", "2wikimultihopqa": "2wikimqa"}  # names in the papers
NAMES = {"pred": "prediction", "answers": "references", "all_classes": "options"}
NAMES_OF_ITEMS = {"prediction": "prediction", "gold": "references", "all_classes": "options"}


class NotScored(ValueError):
    """A file whose task has no metric here; the message says why."""


@dataclass(frozen=True)
class FileScoring:
    """How a file is scored. first_line: only the first line of each prediction counts."""

    task: str
    metric: str
    first_line: bool = False


def rows_of(benchmark: str, stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file opened in binary as {id, prediction, references, options?, evaluation?}.

    L-Eval: JSON Lines {gt, evaluation, NAME_pred}. LongBench: JSON Lines {pred, answers, all_classes}, or one JSON
    object of {prediction, gold} by number. id: the line number, or the key in that object. Raises PairError naming line
    and field.
    """
    start = stream.read(8)
    stream.seek(0)
    if problem := packed_file_hint(start):
        raise PairError(problem)
    if benchmark == "leval":
        output = ""
        for number, row in enumerate(read_pairs(stream), start=1):
            output = _output(number, row, output)
            yield _leval(number, row, output)
        return
    yield from _longbench(stream)


def way_of_file(benchmark: str, file: str, named: str, metric: str, first: Mapping[str, Any]) -> FileScoring:
    """Return how a file is scored. Raises NotScored.

    named: its task if the user names one, else "". metric: used in place of the benchmark's, "" for that. first: the
    file's first row.
    """
    task = named or task_of(benchmark, file)
    if benchmark == "longbench":
        if not metric and task not in LONGBENCH:
            known = ", ".join(LONGBENCH)
            raise NotScored(f"{task!r} is no task of LongBench with a metric here; --task names one of: {known}")
        return FileScoring(task, metric or LONGBENCH[task], task in FIRST_LINE)
    kind = first.get("evaluation")
    found = metric or (LEVAL_EXAMS.get(task) if kind == "exam" else LEVAL_METRICS.get(str(kind)))
    if not found and kind == "exam" and task not in LEVAL_OTHERS:
        raise NotScored(f"{task!r} is no exam of L-Eval; --task names one of: {', '.join(LEVAL_EXAMS)}")
    if not found and "evaluation" not in first:
        raise NotScored('has no field "evaluation", by which L-Eval chooses the metric; --metric names one')
    if not found:
        what = f"the exam {task!r}" if kind == "exam" else f"evaluation {kind!r}"
        raise NotScored(f"L-Eval scores {what} by a rule of its own, which is not built here; --metric takes another")
    return FileScoring(task, found)


def task_of(benchmark: str, file: str) -> str:
    """Return the task that a file's name gives: TASK.pred.jsonl of L-Eval; [Mini]LongBench_TASK.json, TASK[_e].jsonl.

    A known task gets its official name, whatever the case, hyphens and underscores in the file's name; any other is
    returned as written.
    """
    name = re.sub(r"(?i)([._-](preds?|predictions))?\.jsonl?$", "", PurePath(file).name)
    if benchmark == "longbench":
        name = re.sub(r"(?i)^(Mini)?LongBench_", "", re.sub(r"_e$", "", name))
    return known_as(benchmark, name)


def known_as(benchmark: str, name: str) -> str:
    """Return the benchmark's own name for a task; an unknown name is returned unchanged."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    own = {re.sub(r"[^a-z0-9]", "", task.lower()): task for task in TASKS[benchmark]}
    other = OTHER_NAMES.get(plain, "")
    return own.get(plain) or (other if other in TASKS[benchmark] else name)


def _output(number: int, row: Mapping[str, Any], before: str) -> str:
    """Return the name of a row's output field. Raises PairError.

    before: that of the rows before it, "" if there are none.
    """
    keys = [key for key in row if key.endswith("_pred")]
    if len(keys) != 1:
        raise PairError(f'line {number}: {len(keys)} fields end in "_pred" ({", ".join(keys[:5])}); one is the output')
    if before and keys[0] != before:
        raise PairError(f'line {number}: the output is field "{keys[0][:80]}", before it was "{before[:80]}"')
    return keys[0]


def _leval(number: int, row: Mapping[str, Any], output: str) -> dict[str, Any]:
    found = {"id": str(number), "prediction": row[output], "evaluation": row.get("evaluation")}
    if "evaluation" not in row:
        del found["evaluation"]
    names = {"prediction": output, "references": "gt"}
    return Renamed({**found, "references": [row["gt"]]} if "gt" in row else found, names)


def _longbench(stream: IO[bytes]) -> Iterator[dict[str, Any]]:
    whole = _object(stream)
    if whole is None:
        for number, row in enumerate(read_pairs(stream), start=1):
            yield _renamed(str(number), row, NAMES)
        return
    for name, row in whole.items():
        if not isinstance(row, dict):
            raise PairError(f"item {name[:80]!r}: not an object but {kind_of(row)}")
        gold = row.get("gold")
        if isinstance(gold, dict):  # the task has classes
            row = {**row, "gold": gold.get("answers"), "all_classes": gold.get("all_classes")}
        yield _renamed(name, row, NAMES_OF_ITEMS)


def _renamed(name: str, row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    found = {ours: row[theirs] for theirs, ours in names.items() if theirs in row}
    return Renamed({"id": name, **found}, {ours: theirs for theirs, ours in names.items()})


def _object(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the file as one JSON object of rows by number, or None if its first line is itself a row."""
    first = stream.readline().removeprefix(codecs.BOM_UTF8)
    stream.seek(0)
    try:
        row = json.loads(first)
        if not isinstance(row, dict) or "pred" in row or not any(isinstance(value, dict) for value in row.values()):
            return None
    except ValueError:
        if first.strip() not in (b"{", b"{}"):
            return None
    try:
        whole = json.loads(stream.read().decode("utf-8-sig"), object_pairs_hook=unique_fields)
    except (ValueError, RecursionError) as error:
        raise PairError(f"not a JSON object: {error}") from None
    return whole if isinstance(whole, dict) else None
