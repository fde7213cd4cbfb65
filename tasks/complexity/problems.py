"""Read the windows and answers that problems are fitted to, and write the tables of the fit (Dolce)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from scrollwork.analysis.comparison.summary import input_name
from scrollwork.analysis.windows.fit.fitting import Settings
from scrollwork.analysis.windows.problem_rows import Answer, TaskAnswers, Window
from scrollwork.pipeline.inputs import InputArtifacts
from scrollwork.pipeline.plan import Node
from scrollwork.records.base import Row
from scrollwork.records.complexity import AtLength, Complexity, Mixture, Passage, Plane, ProblemAtLength, WindowOutcomes
from scrollwork.records.prompt import Part, Prompt
from scrollwork.storage.artifacts.artifact import ArtifactWriter
from scrollwork.storage.artifacts.parts import TableWriter
from scrollwork.tasks.aggregate.members import input_of
from scrollwork.tasks.score.windows import DECLINED

R = TypeVar("R", bound=Row)
LABELS = ("suite", "task", "split", "model", "arm")


def fit_problems(node: Node, how: Mapping[str, Any], inputs: InputArtifacts, writer: ArtifactWriter) -> None:
    """Fit all problems and write the tables and the facts. how: settings that differ from the paper's (`Settings`)."""
    labels = {name: node.label(name) for name in LABELS}
    windows = windows_of(inputs)
    largest = {
        one.label("task"): own.facts["largest_units"]
        for one, own in zip(node.each("twin"), inputs.each("twin"), strict=True)
    }
    twins = {task: units for task, units in largest.items() if units}  # 0: no problems, so they set no threshold
    settings = Settings(**how, twins=tuple(twins.values()))
    needs = TaskAnswers(labels, settings, list(answers_with_scores(inputs, windows)), tuple(twins))
    asked = Counter(window.problem for window in windows.values())
    mixtures, problems = writer.table("mixtures", Mixture), writer.table("complexity", Complexity)
    tables, sights = writer.table("tables", ProblemAtLength), writer.table("sights", WindowOutcomes)
    planes = writer.table("planes", Plane)
    passages, observed = writer.table("passages", Passage), writer.table("observed", AtLength)
    for fitted in (fits := needs.fits()):
        mixtures.add(needs.mixture(fitted, asked))
        write(problems, needs.problems(fitted))
        write(tables, needs.tables(fitted))
        write(planes, needs.plane(fitted))
        write(sights, needs.sights(fitted))
        write(passages, placed_passages(labels, fitted.scenario, list(needs.passages(fitted)), inputs))
    write(observed, needs.at_lengths())
    writer.facts = {
        "problems": sum(len(one.problems) for one in fits),
        "windows": len(windows),
        "answered": len(needs.answers),
    }


def write(table: TableWriter[R], rows: Iterable[R]) -> None:
    """Add rows to a table."""
    for row in rows:
        table.add(row)


def windows_of(inputs: InputArtifacts) -> dict[str, Window]:
    """Read the window of every input that was asked, by the input's name."""
    columns = ["example_id", "draw", "units", "span_start", "span_length"]
    return {
        input_of(row): Window(row["example_id"], row["draw"], row["units"], row["span_start"], row["span_length"])
        for shard in inputs.each("prompts")
        for row in shard.columns("prompts", columns)
    }


def answers_with_scores(inputs: InputArtifacts, windows: Mapping[str, Window]) -> Iterator[Answer]:
    """Yield every answer that has a score. windows: by the input's name."""
    for scores in inputs.each("scores"):
        for row in scores.columns("scores", ["example_id", "draw", "value", "flags"]):
            yield Answer(windows[input_of(row)], row["value"], bool(dict(row["flags"]).get(DECLINED)))


def placed_passages(
    labels: Mapping[str, str], scenario: str, found: Sequence[tuple[str, Answer]], inputs: InputArtifacts
) -> Iterator[Passage]:
    """Yield passages with their positions in the documents, read from the prompts. found: (category, answer) pairs."""
    asked = {input_name(one.window.problem, one.window.draw) for _, one in found}
    problems = {one.window.problem for _, one in found}
    spans: dict[str, Part] = {}
    for shard in inputs.each("prompts") if problems else []:
        for prompt in shard.rows("prompts", Prompt, ("example_id", problems)):
            if (name := input_name(prompt.example_id, prompt.draw)) in asked:
                spans[name] = next(part for part in prompt.parts if part.role == "document")
    for category, one in found:
        window = one.window
        part = spans[input_name(window.problem, window.draw)]
        assert part.document_id is not None
        assert part.start is not None
        assert part.end is not None
        yield Passage(
            **labels,
            example_id=window.problem,
            scenario=scenario,
            category=category,
            units=window.units,
            first=window.first,
            length=window.length,
            document_id=part.document_id,
            start=part.start,
            end=part.end,
            score=one.score,
        )
