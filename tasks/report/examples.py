"""Everything behind a page's scores, streamed from artifacts and store into the chunks of the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt
from scrollwork.records.response import Failure, Response
from scrollwork.reporting.boards.board import Board
from scrollwork.reporting.page.chunks import Put
from scrollwork.reporting.page.documents import Documents, wanted
from scrollwork.reporting.page.examples import Group
from scrollwork.reporting.page.usage import Usage
from scrollwork.scoring.answers import gold_problem
from scrollwork.scoring.registry import metric
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.tasks.report.behind_scores import ScoredTask as Lot
from scrollwork.tasks.report.sections import ReadingSection

Input = tuple[str, int]  # example_id, draw
Asked = tuple[str, int, str]  # example_id, draw, member


@dataclass(frozen=True)
class Drilled:
    """What a page knows of its chunks. groups: as the page lists them. usage: by (split, line's number in it); lengths:
    words of answers by (task, split, line), and of references under line -1."""

    groups: tuple[Mapping[str, Any], ...]
    usage: Mapping[tuple[str, int], Usage]
    lengths: Mapping[tuple[str, str, int], Sequence[float]]


def drill(board: Board, lots: Sequence[Lot], put: Put, section: ReadingSection) -> Drilled:
    """Write every chunk. section: says which inputs are listed."""
    documents = Documents(put)
    groups: list[Mapping[str, Any]] = []
    usage: dict[tuple[str, int], Usage] = {}
    lengths: dict[tuple[str, str, int], Sequence[float]] = {}
    for number, (group, own) in enumerate(grouped(board, lots)):
        keep_documents(own, documents)
        units = next(column.units for column in board.columns if column.task == group.task)
        listing = section.listing(own, units)
        name, metric_name = f"g{number}", own[0].metric
        filled = Group(name, group.task, group.split, documents, put, metric_name, listing.inputs, listing.unit)
        words = words_of(own[0].curated)
        for sample in samples_of(own):
            filled.examples(sample.rows("examples", Example), words)
        sets: dict[tuple[str, ...], int] = {}
        for lot in own:
            if (line := line_of(board, lot)) < 0:
                continue
            key = tuple(prompts.content for prompts in lot.prompts)
            if key not in sets:
                rows = (row for shard in lot.prompts for row in shard.rows("prompts", Prompt))
                sets[key] = filled.prompts(lot.profile, lot.arm, rows)
            took, counts = filled.answers(line, sets[key], members_of(lot), answers_of(lot), gold_of(lot))
            usage[lot.split, line] = _sum(usage.get((lot.split, line)), took)
            lengths[lot.task, lot.split, line] = counts
        lengths[group.task, group.split, -1] = filled.reference_words
        groups.append(filled.close())
    documents.close()
    return Drilled(tuple(groups), usage, lengths)


@dataclass(frozen=True, order=True)
class Of:
    """What a group is of: the place of its split and task on the board, their names, and where its documents are."""

    place: tuple[int, int]
    split: str
    task: str
    curated: str


def grouped(board: Board, lots: Sequence[Lot]) -> Iterator[tuple[Of, list[Lot]]]:
    """Lots of the same task, split and curated examples, in the order of the board."""
    splits = [section.split for section in board.sections]
    tasks = [column.task for column in board.columns]
    found: dict[Of, list[Lot]] = defaultdict(list)
    for lot in lots:
        place = splits.index(lot.split), tasks.index(lot.task)
        found[Of(place, lot.split, lot.task, lot.curated.content)].append(lot)
    for of in sorted(found):
        yield of, sorted(found[of], key=lambda lot: line_of(board, lot))


def line_of(board: Board, lot: Lot) -> int:
    """The number of a lot's line in its section; -1 for a member that is shown within its family only."""
    for section in board.sections:
        if section.split == lot.split:
            names = [(line.model, line.arm) for line in section.lines]
            return names.index((lot.model, lot.arm)) if (lot.model, lot.arm) in names else -1
    return -1


def keep_documents(lots: Sequence[Lot], documents: Documents) -> None:
    """Add the documents that any of the lots' examples is about, in the order in which they stand."""
    asked: dict[str, None] = {}
    for sample in samples_of(lots):
        asked |= wanted(sample.rows("examples", Example))
    asked |= wanted(lots[0].curated.rows("demonstrations", Example))  # which prompts show too
    for row in lots[0].curated.columns("documents", ["document_id", "title", "text"]):
        if row["document_id"] in asked:
            documents.add(row["document_id"], row["title"], row["text"])


def samples_of(lots: Sequence[Lot]) -> list[Artifact]:
    """The samples of the lots, each once."""
    return list({sample.content: sample for lot in lots for sample in lot.samples}.values())


def words_of(curated: Artifact) -> dict[str, int]:
    """White-space words by document."""
    return {row["document_id"]: row["words"] for row in curated.columns("documents", ["document_id", "words"])}


def members_of(lot: Lot) -> list[str]:
    """The members of a family, or the one model."""
    return list(dict.fromkeys(name for shard in lot.answers for name in shard.facts["members"]))


def gold_of(lot: Lot) -> set[str]:
    """Ids of the examples that can be scored."""
    own = metric(lot.metric)
    examples = (example for sample in lot.samples for example in sample.rows("examples", Example))
    return {example.example_id for example in examples if not gold_problem(own, example.references)}


def answers_of(lot: Lot) -> Iterator[tuple[Response | Failure, Mapping[str, Any] | None]]:
    """Answers with score, and failures; those to one input side by side."""
    for answers, scored in zip(lot.answers, lot.scores, strict=True):
        scores = scores_of(scored)
        failures: dict[tuple[str, int], list[Failure]] = defaultdict(list)
        for failure in answers.rows("failures", Failure):
            failures[failure.example_id, failure.draw].append(failure)
        last: tuple[str, int] | None = None
        for row in answers.rows("responses", Response):
            key = (row.example_id, row.draw)
            if last is not None and key != last:
                yield from ((one, None) for one in failures.pop(last, ()))
            last = key
            yield row, scores.get((*key, row.model))
        yield from ((one, None) for rest in failures.values() for one in rest)


def scores_of(scored: Artifact) -> dict[Asked, dict[str, Any]]:
    """The scores of one shard by input and member."""
    names = ["example_id", "draw", "model", "value", "components", "flags", "parsed"]
    return {(row["example_id"], row["draw"], row["model"]): row for row in scored.columns("scores", names)}


def _sum(one: Usage | None, other: Usage) -> Usage:
    return other if one is None else one + other
