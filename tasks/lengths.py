"""Scores of instances beside the length of their prompts, of the data sets where an instance has a score of its own."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from analysis.association import Measured
from analysis.run_ranking import who
from preprocessing.tokens import Tokenizer
from records.prompt import Prompt, render
from scoring.registry import metric
from storage.artifacts import Artifact
from tasks.lots import Lot

PAPER = "tiktoken:cl100k_base"  # of GPT-4, by which SEAM's figure 5 counts
TABLE = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
WORDS = "words"


def length_tokenizer(asked: str = "") -> str:
    """What lengths are counted by: the paper's tokenizer where it was asked for or its table is on this machine, else
    white-space words. Nothing is downloaded for a figure."""
    if asked == PAPER:
        return PAPER
    named = [os.environ[name] for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR") if name in os.environ]
    folder = Path(named[0] if named else Path(tempfile.gettempdir(), "data-gym-cache"))  # as tiktoken looks
    name = hashlib.sha1(TABLE.encode("utf-8")).hexdigest()
    return PAPER if (folder / name).is_file() else WORDS


def measured(
    lots: Sequence[Lot], counted: Mapping[tuple[str, str, str], frozenset[int]], tokenizer: Tokenizer
) -> Iterator[Measured]:
    """An answer a row, those of each model in the order of its runs.

    counted: runs by (model, arm, task); others are left out. The length is that of the prompt in which an instance is
    met first; prompts of later runs are not counted again.
    """
    lengths: dict[tuple[str, str], int] = {}
    for lot in lots:
        runs = counted.get((lot.model, lot.arm, lot.task), frozenset())
        if not runs or scored_as_a_whole(lot.metric):
            continue
        for prompts, scores in zip(lot.prompts, lot.scores, strict=True):
            note_lengths(lot, prompts, tokenizer, lengths)
            values: dict[str, list[float]] = defaultdict(list)
            for row in scores.columns("scores", ["example_id", "draw", "value"]):
                if row["draw"] in runs:
                    values[row["example_id"]].append(row["value"])
            for instance, found in values.items():  # of a family the mean over its members
                yield Measured(who(lot.model, lot.arm), lot.task, instance, lengths[lot.task, instance], fmean(found))


def scored_as_a_whole(name: str) -> bool:
    """Whether the metric scores runs, not instances: it sums counts over them."""
    counts: tuple[str, ...] = tuple(getattr(metric(name), "COUNTS", ()))
    return bool(counts)


def note_lengths(lot: Lot, prompts: Artifact, tokenizer: Tokenizer, lengths: dict[tuple[str, str], int]) -> None:
    """Add the lengths of a run's prompts that are not known."""
    if tokenizer.name == WORDS:
        for row in prompts.columns("prompts", ["example_id", "words"]):
            lengths.setdefault((lot.task, row["example_id"]), row["words"])
        return
    text_of = lot.curated.texts()
    for prompt in prompts.rows("prompts", Prompt):
        if (lot.task, prompt.example_id) not in lengths:
            lengths[lot.task, prompt.example_id] = tokenizer.count(render(prompt.parts, text_of))
