"""Join the scores of instances with the lengths of their prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from scrollwork.analysis.runs.rank_rows import model_label
from scrollwork.analysis.statistics.association import Measured
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer
from scrollwork.records.prompt import Prompt, render
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.report.behind_scores import ScoredTask

WORDS = "words"


def scores_with_lengths(
    scored_tasks: Sequence[ScoredTask], counted: Mapping[tuple[str, str, str], frozenset[int]], tokenizer: Tokenizer
) -> Iterator[Measured]:
    """Yield a row for each model, run and instance: the mean score over a family's members, and the prompt length.

    counted: numbers of the runs that count, by (model, arm, task); other runs are left out. An instance has the length
    of the first prompt that shows it; prompts of later runs are not counted again.
    """
    lengths: dict[tuple[str, str], int] = {}
    for scored in scored_tasks:
        runs = counted.get((scored.model, scored.arm, scored.task), frozenset())
        if not runs:
            continue
        for prompts, scores in zip(scored.prompts, scored.scores, strict=True):
            note_lengths(scored, prompts, tokenizer, lengths)
            values: dict[str, list[float]] = defaultdict(list)
            for row in scores.columns("scores", ["example_id", "draw", "value"]):
                if row["draw"] in runs:
                    values[row["example_id"]].append(row["value"])
            for instance, found in values.items():  # for a family, the mean over its members
                yield Measured(
                    model_label(scored.model, scored.arm),
                    scored.task,
                    instance,
                    lengths[scored.task, instance],
                    fmean(found),
                )


def note_lengths(
    scored: ScoredTask, prompts: Artifact, tokenizer: Tokenizer, lengths: dict[tuple[str, str], int]
) -> None:
    """Add the prompt lengths of a run to `lengths`, by (task, example id), if they are not there yet."""
    if tokenizer.name == WORDS:
        for row in prompts.columns("prompts", ["example_id", "words"]):
            lengths.setdefault((scored.task, row["example_id"]), row["words"])
        return
    text_of = scored.curated.texts()
    for prompt in prompts.rows("prompts", Prompt):
        if (scored.task, prompt.example_id) not in lengths:
            lengths[scored.task, prompt.example_id] = tokenizer.count(render(prompt.parts, text_of))
