"""Generated raw files of Dolce's 44 tasks: every task becomes what was planted, unit by unit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from scrollwork.models.base import Ask, Segment
from scrollwork.models.baselines.planted import LINE, reply
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.prompts.from_examples import Profile, prompts
from scrollwork.preprocessing.prompts.template import Template
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.preprocessing.windows.observations import observed_windows
from scrollwork.preprocessing.windows.prompt_template import Through
from scrollwork.preprocessing.windows.spans import strategy
from scrollwork.preprocessing.windows.units import units
from scrollwork.readings.windows.units import observed_of, table, units_of
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.records.prompt import Prompt
from scrollwork.sample.planting import PARTS
from scrollwork.sample.windows import PARTIAL, PLANTED, TASKS, UNITS, Made, Planted, dolce
from scrollwork.scoring.reading.dolce_answers import extract, left_open
from scrollwork.scoring.registry import metric
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("dolce")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(str(tmp_path_factory.mktemp("dolce")))[0]


@cache
def written(folder: str = "") -> tuple[Path, list[Planted]]:
    out = Path(folder or mkdtemp())
    return out, dolce(out)


def test_task_of_the_suite_has_no_file() -> None:
    assert [made.task for made in TASKS] == list(SUITE.tasks)


@pytest.mark.parametrize("made", TASKS, ids=lambda made: made.task)
def test_planted_evidence_is_not_in_its_units(folder: Path, made: Made) -> None:
    name = made.task
    task = SUITE.tasks[name]
    found = units_of(SUITE, task, folder, strategy("all"))
    assert (found.problem, found.dropped) == ("", ())
    assert found.counts == (UNITS,) * len(PLANTED)
    files = tuple((file, folder / file) for file in found.files)
    rows = list(curate(task.dataset, RawFiles(task.dataset, {"records": files}), name, "test", task.options))
    texts = {row.document_id: row.text for row in rows if isinstance(row, Document)}
    examples = [row for row in rows if isinstance(row, Example)]
    planted = [one for one in written(str(folder))[1] if one.task == name]
    assert [one.problem for one in planted] == [row.example_id for row in examples]
    assert [(one.lam, one.copies) for one in planted] == list(PARTIAL if planted[0].partial else PLANTED)
    for one, row in zip(planted, examples, strict=True):
        text = texts[row.document_ids[0]]
        told = [LINE.search(text[start:end]) for start, end in units(text, task.windows["units"])]
        where = {place: match for place, match in enumerate(told) if match}
        if not one.lam:
            assert not where
            match = LINE.search(str(row.query))
            assert match, "the question tells"
            assert match[5] in row.references[0]
            continue
        shown = [int(match[3]) for match in where.values()]
        (of,) = {int(match[4]) for match in where.values()}
        assert one.units == UNITS
        if one.partial:
            assert of == one.lam
            assert sorted(shown) == sorted(list(range(1, one.lam + 1)) * one.copies)
            assert set(where) == set(one.starts)
            words = {int(match[3]): match[5] for match in where.values()}
            assert row.references == (" ".join(words[place] for place in range(1, one.lam + 1)),)
        else:
            assert of == min(one.lam, PARTS)
            assert shown == list(range(1, of + 1)) * one.copies
            firsts = [place for place in where if int(told[place][3]) == 1]  # type: ignore[index]
            lasts = [place for place in where if int(told[place][3]) == of]  # type: ignore[index]
            assert firsts == list(one.starts)
            assert lasts == [start + one.lam - 1 for start in one.starts]
            last = told[lasts[0]]
            assert last
            assert row.references == (last[5],) or row.references == (last[5] + ".",)


def test_files_differ_between_two_times(tmp_path: Path, folder: Path) -> None:
    assert dolce(tmp_path) == written(str(folder))[1]
    files = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.jsonl"))
    assert len(files) == 44
    assert all((tmp_path / file).read_bytes() == (folder / file).read_bytes() for file in files)


def test_table_lacks_a_task(folder: Path) -> None:
    told = list(table(folder, strategy("all")))
    assert {row.task for row in told} == set(SUITE.tasks)
    assert not [row for row in told if row.problem or row.dropped]
    own = {(task.name, task.windows["units"]) for task in SUITE.tasks.values()}
    assert [row.counts for row in told if (row.task, row.spec) in own] == [(UNITS,) * 5] * 44


def asked(prompt: Prompt, text_of: Callable[[str], str]) -> Ask:
    """A prompt as a model gets it."""
    segments = tuple(
        Segment(part.role, text_of(part.document_id)[part.start : part.end] if part.document_id else part.text)
        for part in prompt.parts
    )
    return Ask(prompt.task, prompt.example_id, segments, prompt.prompt_sha256, 1, 9)


@pytest.mark.parametrize("made", TASKS, ids=lambda made: made.task)
def test_window_shows_evidence_and_its_outcome_tells_otherwise(folder: Path, made: Made) -> None:
    """From raw file over units, windows, prompts, replies and extraction to outcomes: each is what was planted."""
    task = SUITE.tasks[made.task]
    extractor, unknown = task.windows["extractor"], task.windows["unknown"]
    paths = {"records": ((made.file, folder / made.file),)}
    rows = list(curate(task.dataset, RawFiles(task.dataset, paths), made.task, "test", task.options))
    texts = {row.document_id: row.text for row in rows if isinstance(row, Document)}
    problems = {row.example_id: row for row in rows if isinstance(row, Example)}
    planted = {one.problem: one for one in written(str(folder))[1] if one.task == made.task}
    shown = observed_windows(
        problems.values(), texts.__getitem__, observed_of(task), strategy("take:3"), seed=0, suite="dolce"
    )
    template = Template(**task.template)
    scored = metric(task.metric)
    without = "idk" if unknown else "0"  # where the evidence is not shown
    outcomes = set()
    for prompt in prompts(
        shown,
        template,
        Profile(),
        texts.__getitem__,
        arm="full",
        max_new_tokens=9,
        chat_sentence="",
        way=Through(template, "plain", "full", ""),
    ):
        one, problem = planted[prompt.example_id], problems[prompt.example_id]
        said = reply(asked(prompt, texts.__getitem__), noise=0.0, right=0.0, wrong=0.0)
        answer = extract(extractor, said, problem.options)
        first, length = prompt.span_start or 0, prompt.span_length or 0
        if one.partial and not one.lam:
            assert scored.score(answer, problem.references).value == pytest.approx(100, abs=1e-4)
            continue
        if one.partial:
            aspects = {place // one.copies for place, start in enumerate(one.starts) if first <= start < first + length}
            value = scored.score(answer, problem.references).value
            assert value == pytest.approx(100 * len(aspects) / one.lam, abs=1e-4), (prompt.example_id, first, length)
            outcomes.add("all" if len(aspects) == one.lam else "some" if aspects else "none")
            continue
        if left_open(said, answer, unknown):
            outcome = "idk"
        else:
            outcome = "1" if scored.score(answer, problem.references).value >= 50.0 else "0"
        covered = not one.lam or any(first <= start and start + one.lam <= first + length for start in one.starts)
        assert outcome == ("1" if covered else without), (prompt.example_id, first, length, said, answer)
        outcomes.add(outcome)
    assert outcomes == ({"all", "some", "none"} if made.partial else {"1", without})
