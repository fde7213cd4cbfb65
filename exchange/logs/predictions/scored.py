"""What readers of predictions share: answers beside their references are scored here, by the benchmark's metric.

Scores are those of `scrollwork score leval` and `score longbench`: 0 to 100, one column for each component of the
metric. A row that cannot be scored is named; it does not cost its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.analysis.logs.log import Log, LogError, digest_of
from scrollwork.exchange.logs.columns import ScoreRows, any_or_none
from scrollwork.exchange.logs.gather import read_each, with_notes
from scrollwork.scoring.files.released import FileScoring, NotScored


@dataclass
class Answers:
    """Answers of one model to one task, in the order of their file.

    answers: what is scored, None where there is no text. gold: the fields that the metric needs. contents: digests of
    the item. prompts: digests, "" where there is none.
    """

    positions: list[str] = field(default_factory=list)
    answers: list[object] = field(default_factory=list)
    gold: list[Mapping[str, Any]] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.positions)


def distinct_contents(contents: Iterable[str]) -> tuple[list[str], int]:
    """Return digests in which equal items differ by how often they came before, and how many repeat an earlier one.

    Questions are repeated over documents that such files do not name: only their order tells them apart.
    """
    seen: dict[str, int] = {}
    found = []
    for content in contents:
        count = seen[content] = seen.get(content, 0) + 1
        found.append(content if count == 1 else digest_of([content, str(count)]))
    return found, len(found) - len(seen)


def score_answers(how: FileScoring, answers: Answers) -> ScoreRows:
    """Return the scores of answers: a column a component. Answers and references of a wrong kind are named."""
    from scrollwork.scoring.outcome import GoldError, PredictionError
    from scrollwork.scoring.reading.parsing import first_line
    from scrollwork.scoring.registry import metric

    measure = metric(how.metric)
    rows = ScoreRows(measure.COMPONENTS)
    blank = dict.fromkeys(measure.COMPONENTS)
    for answer, gold in zip(answers.answers, answers.gold, strict=True):
        text = first_line(answer) if how.first_line and isinstance(answer, str) else answer
        wanted = {name: gold.get(name) for name in measure.NEEDS}
        if problem := next(filter(None, (not_texts(name, texts) for name, texts in wanted.items())), ""):
            rows.add(blank, problem)
            continue
        try:
            rows.add(measure.score(text, **wanted).components)  # type: ignore[arg-type]
        except (GoldError, PredictionError) as error:
            rows.add(blank, str(error))
    return rows


def not_texts(name: str, texts: object) -> str:
    """Return what is wrong with a list of references or options, "" if it is one of texts."""
    if not isinstance(texts, list):
        return f"{name} are no list"
    return "" if all(isinstance(text, str) for text in texts) else f"{name} are not all text"


def log_of(file: Path, tool: str, task: str, how: FileScoring, answers: Answers, notes: list[str]) -> Log:
    """Return the log of a file's answers."""
    rows = score_answers(how, answers)
    contents, repeated = distinct_contents(answers.contents)
    if repeated:
        notes = [*notes, f"items whose question and references are those of another, told apart by order: {repeated}"]
    return Log(
        source=str(file),
        tool=tool,
        task=task,
        model=model_of(file),
        scores=rows.scores(),
        positions=answers.positions,
        contents=contents,
        prompts=any_or_none(answers.prompts),
        failures=rows.failures(),
        settings={"metric": how.metric},
        notes=[*notes, *rows.notes()],
    )


def read_scored(files: Iterable[Path], read_one: Callable[[Path], Log]) -> list[Log]:
    """Return the logs of files, and name in each what was not read. Raises LogError if none was."""
    skipped: list[str] = []

    def one(file: Path) -> list[Log]:
        try:
            return [read_one(file)]
        except NotScored as error:
            skipped.append(f"not read: {file}: {str(error).partition('; --')[0]}")  # without the flags of `score`
            return []

    logs = read_each(files, one)
    if skipped and not logs:
        raise LogError(skipped[0].removeprefix("not read: "))
    return with_notes(logs, skipped)


def model_of(file: Path) -> str:
    """Return the model as these benchmarks name it: by the folder."""
    return file.absolute().parent.name
