"""`--limit`: what a smaller one takes, a larger one takes too, for every task of the four suites."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from scrollwork.flows.chains import Chain
from scrollwork.pipeline.raw_files import find
from scrollwork.preprocessing.curation import DEMONSTRATIONS, curate
from scrollwork.preprocessing.runs.drawn_examples import DrawSettings, Pool, draw_of
from scrollwork.preprocessing.windows.observable import observable_rows
from scrollwork.records.example import Example
from scrollwork.records.instruction import Instruction
from scrollwork.suites.parts import Part, parts
from scrollwork.suites.request import Request
from scrollwork.suites.suite_files import load_suite
from tests.preprocessing.sampling_kit import choose

SUITES = {name: load_suite(name) for name in ("zeroscrolls", "scrolls", "seam", "dolce")}
TASKS = [
    (suite, task, split)
    for suite, config in SUITES.items()
    for task, own in config.tasks.items()
    for split in config.default_splits
    if task in (config.in_sample or config.tasks) and split in own.splits
]
LIMITS = (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 21, 99, 100_000)


class Undigested:
    """In place of files' digests, which choose nothing."""

    def of(self, path: Path) -> tuple[str, int]:
        return "0" * 64, path.stat().st_size


def part_of(suite: str, task: str, split: str, limit: int | None = None, run: int = 0) -> Part:
    request = Request.of(suite, home="/nowhere", sample=True, tasks=(task,), splits=(split,), limit=limit)
    (part,) = [part for part in parts(request) if part.split == split]
    return replace(part, shard=run)


@cache
def curated(suite: str, task: str, split: str) -> tuple[tuple[Example, ...], Pool]:
    """The examples of the bundled sample, and what runs choose from beside them."""
    part = part_of(suite, task, split)
    node = Chain(part.request).curate(part)
    assert node.raw is not None
    raw = part.request.raw
    files = find(node.raw.dataset, node.raw.patterns, node.raw.values, raw, Undigested()).opened(raw)  # type: ignore[arg-type]
    params = node.params
    seen = (lambda rows: observable_rows(rows, params["units"])) if "units" in params else None
    rows = list(curate(params["dataset"], files, params["task"], params["split"], params["options"], through=seen))
    examples = [row for row in rows if isinstance(row, Example)]
    own = tuple(one for one in examples if one.split != DEMONSTRATIONS)
    instructions = sum(isinstance(row, Instruction) for row in rows)
    return own, Pool(instructions, [one for one in examples if one.split == DEMONSTRATIONS])


def taken(suite: str, task: str, split: str, limit: int | None, run: int = 0) -> list[str]:
    """The ids of what a limit takes, in order."""
    examples, pool = curated(suite, task, split)
    part = part_of(suite, task, split, limit, run)
    node = Chain(part.request).sample(part)
    params = {name: value for name, value in node.params.items() if name not in ("observed", "strategy")}
    if "run" in params:
        how = DrawSettings(
            **{name: tuple(value) if isinstance(value, list) else value for name, value in params["how"].items()}
        )
        sizes = {one.example_id: len(one.document_ids) for one in examples}
        return list(draw_of(sizes, task, pool, how, params["run"]).instances)
    return [one.example_id for one in choose(examples, **params)]


@pytest.mark.parametrize(("suite", "task", "split"), TASKS)
def test_larger_limit_lacks_what_a_smaller_one_takes(suite: str, task: str, split: str) -> None:
    for run in (0, 3) if suite == "seam" else (0,):
        whole = taken(suite, task, split, None, run)
        assert whole
        before: set[str] = set()
        for limit in LIMITS:
            now = taken(suite, task, split, limit, run)
            assert len(now) == min(limit, len(whole)), limit
            assert before <= set(now), limit
            assert now == [name for name in whole if name in set(now)], "the order of the whole"
            before = set(now)
        assert before == set(whole)


@pytest.mark.parametrize(("suite", "task", "split"), [one for one in TASKS if one[0] != "seam" and one[1] != "musique"])
def test_task_that_was_nested_has_other_inputs(suite: str, task: str, split: str) -> None:
    """What was taken before limits had a parameter of their own: a smaller size."""
    part = part_of(suite, task, split)
    params = dict(Chain(part.request).sample(part).params)
    params = {name: value for name, value in params.items() if name not in ("observed", "strategy")}
    for limit in LIMITS:
        size = min(limit, params.get("size") or limit)
        before = choose(curated(suite, task, split)[0], **{**params, "size": size})
        assert taken(suite, task, split, limit) == [one.example_id for one in before]


RECORDED = {  # before limits were nested
    "zeroscrolls": "0e6af594df077f21",
    "scrolls": "dd10df65393cdebe",
    "seam": "38cd1ce78ac2eea4",
    "dolce": "dc58266e04e233c3",
}


@pytest.mark.parametrize("suite", SUITES)
def test_inputs_without_a_limit_are_others(suite: str) -> None:
    told = [(task, split, taken(suite, task, split, None)) for own, task, split in TASKS if own == suite]
    assert hashlib.sha256(repr(told).encode()).hexdigest()[:16] == RECORDED[suite]
