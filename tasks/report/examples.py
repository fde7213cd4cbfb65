"""Stream everything behind a page's scores from artifacts into the chunks of the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.page.answers import ANSWER, ANSWERED, FAILED, FAILURE, SCORE, Answered, Values
from scrollwork.reporting.page.chunks import Put
from scrollwork.reporting.page.documents import Documents, wanted_documents
from scrollwork.reporting.page.examples import Group
from scrollwork.reporting.page.usage import Usage
from scrollwork.scoring.answers import gold_problem
from scrollwork.scoring.registry import metric
from scrollwork.tasks.report.behind_scores import ScoredTask
from scrollwork.tasks.report.sections import ReadingSection


@dataclass(frozen=True)
class WrittenExamples:
    """What a page needs to know about its chunks. groups: as the page lists them. usage: by (split, line number in it).

    lengths: words of answers by (task, split, line number), and of references under line -1.
    """

    groups: tuple[Mapping[str, Any], ...]
    usage: Mapping[tuple[str, int], Usage]
    lengths: Mapping[tuple[str, str, int], Sequence[float]]


def write_examples(board: Board, tasks: Sequence[ScoredTask], put: Put, section: ReadingSection) -> WrittenExamples:
    """Write every chunk. tasks: the artifacts behind the scores. section: chooses the inputs that are listed."""
    documents = Documents(put)
    groups: list[Mapping[str, Any]] = []
    usage: dict[tuple[str, int], Usage] = {}
    lengths: dict[tuple[str, str, int], Sequence[float]] = {}
    for number, (group, own) in enumerate(group_tasks(board, tasks)):
        examples = examples_of(own)
        words = keep_documents(own, examples, documents)
        units = next(column.units for column in board.columns if column.task == group.task)
        listing = section.listing(own, units)
        name, metric_name = f"g{number}", own[0].metric
        filled = Group(name, group.task, group.split, documents, put, metric_name, listing.inputs, listing.unit)
        filled.examples(examples, words)
        sets: dict[tuple[str, ...], int] = {}
        gold: dict[tuple[str, ...], set[str]] = {}
        for scored in own:
            if (line := line_of(board, scored)) < 0:
                continue
            asked = tuple(prompts.content for prompts in scored.prompts)
            if asked not in sets:
                rows = (row for shard in scored.prompts for row in shard.rows("prompts", Prompt))
                sets[asked] = filled.prompts(scored.profile, scored.arm, rows)
            sampled = tuple(sample.content for sample in scored.samples)
            if sampled not in gold:
                gold[sampled] = gold_of(scored)
            took, counts = filled.answers(line, sets[asked], members_of(scored), answers_of(scored), gold[sampled])
            usage[scored.split, line] = _sum(usage.get((scored.split, line)), took)
            lengths[scored.task, scored.split, line] = counts
        lengths[group.task, group.split, -1] = filled.reference_words
        groups.append(filled.close())
    documents.close()
    return WrittenExamples(tuple(groups), usage, lengths)


@dataclass(frozen=True, order=True)
class ExampleGroup:
    """The key of a group: position of its split and task on the board, their names, and content of its documents."""

    place: tuple[int, int]
    split: str
    task: str
    curated: str


def group_tasks(board: Board, tasks: Sequence[ScoredTask]) -> Iterator[tuple[ExampleGroup, list[ScoredTask]]]:
    """Yield groups of scores of the same task, split and curated examples, in the order of the board."""
    splits = [section.split for section in board.sections]
    columns = [column.task for column in board.columns]
    found: dict[ExampleGroup, list[ScoredTask]] = defaultdict(list)
    for scored in tasks:
        place = splits.index(scored.split), columns.index(scored.task)
        found[ExampleGroup(place, scored.split, scored.task, scored.curated.content)].append(scored)
    for of in sorted(found):
        yield of, sorted(found[of], key=lambda scored: line_of(board, scored))


def line_of(board: Board, scored: ScoredTask) -> int:
    """Return the number of a model's line in its section, -1 for a member that is shown only within its family."""
    for section in board.sections:
        if section.split == scored.split:
            names = [(line.model, line.arm) for line in section.lines]
            return names.index((scored.model, scored.arm)) if (scored.model, scored.arm) in names else -1
    return -1


def examples_of(tasks: Sequence[ScoredTask]) -> list[Example]:
    """Read the examples of all samples, each sample once."""
    samples = {sample.content: sample for scored in tasks for sample in scored.samples}
    return [row for sample in samples.values() for row in sample.rows("examples", Example)]


def keep_documents(tasks: Sequence[ScoredTask], examples: Sequence[Example], documents: Documents) -> dict[str, int]:
    """Add the documents of the examples and demonstrations, in the order of curation.

    Return the number of white-space words by document id.
    """
    curated = tasks[0].curated
    asked = wanted_documents(examples) | wanted_documents(
        curated.rows("demonstrations", Example)
    )  # prompts show demonstrations too
    counts = {}
    columns = ["document_id", "title", "text", "words"]
    for document_id, title, text, words in curated.tuples("documents", columns, ("document_id", asked)):
        documents.add(document_id, title, text)
        counts[document_id] = words
    return counts


def members_of(scored: ScoredTask) -> list[str]:
    """List the members of a family, or the one model."""
    return list(dict.fromkeys(name for shard in scored.answers for name in shard.facts["members"]))


def gold_of(scored: ScoredTask) -> set[str]:
    """Return the ids of the examples that can be scored."""
    own = metric(scored.metric)
    columns = ["example_id", "references"]
    examples = (row for sample in scored.samples for row in sample.columns("examples", columns))
    return {row["example_id"] for row in examples if not gold_problem(own, tuple(row["references"]))}


def answers_of(scored: ScoredTask) -> Iterator[Answered]:
    """Yield answers with their scores (None without one), and failures; those of one input follow one another."""
    for answers, shard in zip(scored.answers, scored.scores, strict=True):
        scores = {row[:3]: row for row in shard.tuples("scores", SCORE)}
        failures: dict[Values, list[Values]] = defaultdict(list)
        for failure in answers.tuples("failures", FAILURE):
            failures[failure[:2]].append(failure)
        last: Values | None = None
        for row in answers.tuples("responses", ANSWER):
            key = row[:2]
            if last is not None and key != last:
                yield from ((FAILED, one, None) for one in failures.pop(last, ()))
            last = key
            yield ANSWERED, row, scores.get(row[:3])
        yield from ((FAILED, one, None) for rest in failures.values() for one in rest)


def _sum(one: Usage | None, other: Usage) -> Usage:
    return other if one is None else one + other
