"""Join the scores of instances with the lengths of their prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from scrollwork.analysis.runs.rank_rows import who
from scrollwork.analysis.statistics.association import Measured
from scrollwork.preprocessing.tokens.tokenizer import Tokenizer
from scrollwork.records.prompt import Prompt, render
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.report.behind_scores import Lot

WORDS = "words"


def measured(
    lots: Sequence[Lot], counted: Mapping[tuple[str, str, str], frozenset[int]], tokenizer: Tokenizer
) -> Iterator[Measured]:
    """Yield a row for each answer, of each model in the order of its runs.

    counted: runs by (model, arm, task); others are left out. The length is that of the prompt in which an instance is
    met first; prompts of later runs are not counted again.
    """
    lengths: dict[tuple[str, str], int] = {}
    for lot in lots:
        runs = counted.get((lot.model, lot.arm, lot.task), frozenset())
        if not runs:
            continue
        for prompts, scores in zip(lot.prompts, lot.scores, strict=True):
            note_lengths(lot, prompts, tokenizer, lengths)
            values: dict[str, list[float]] = defaultdict(list)
            for row in scores.columns("scores", ["example_id", "draw", "value"]):
                if row["draw"] in runs:
                    values[row["example_id"]].append(row["value"])
            for instance, found in values.items():  # for a family, the mean over its members
                yield Measured(who(lot.model, lot.arm), lot.task, instance, lengths[lot.task, instance], fmean(found))


def note_lengths(lot: Lot, prompts: Artifact, tokenizer: Tokenizer, lengths: dict[tuple[str, str], int]) -> None:
    """Add the missing prompt lengths of a run to `lengths`."""
    if tokenizer.name == WORDS:
        for row in prompts.columns("prompts", ["example_id", "words"]):
            lengths.setdefault((lot.task, row["example_id"]), row["words"])
        return
    text_of = lot.curated.texts()
    for prompt in prompts.rows("prompts", Prompt):
        if (lot.task, prompt.example_id) not in lengths:
            lengths[lot.task, prompt.example_id] = tokenizer.count(render(prompt.parts, text_of))
