"""Generated raw files of Dolce's 44 tasks: every task becomes what was planted, unit by unit."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from preprocessing.curation import curate
from preprocessing.observations import observed
from preprocessing.prompting import Template
from preprocessing.prompts import Profile, prompts
from preprocessing.raw import RawFiles
from preprocessing.spans import strategy
from preprocessing.units import units
from records.document import Document
from records.example import Example
from records.prompt import render
from sample.windows import PARTIAL, PLANTED, TASKS, UNITS, Made, Planted, dolce
from scoring.dolce_answers import extract, left_open
from scoring.registry import metric
from tasks.dolce_units import observed_of, table, units_of
from tasks.suites import load_suite

SUITE = load_suite("dolce")
LINE = re.compile(r"The ledger of (\w+) (says|notes) (\d+) of (\d+): (.+?)!(?=\s|$)")


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
        assert {int(match[4]) for match in where.values()} == {one.lam}
        if one.partial:
            assert sorted(shown) == sorted(list(range(1, one.lam + 1)) * one.copies)
            words = {int(match[3]): match[5] for match in where.values()}
            assert row.references == (" ".join(words[place] for place in range(1, one.lam + 1)),)
        else:
            assert shown == list(range(1, one.lam + 1)) * one.copies
            assert [place for place in where if int(told[place][3]) == 1] == list(one.starts)  # type: ignore[index]
            last = next(match for match in where.values() if int(match[3]) == one.lam)
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


def reply_to(prompt: str, unknown: str, partial: bool) -> str:
    """What a model answers that reads whole copies of the evidence, and nothing else."""
    found = [(int(match[3]), int(match[4]), match[5]) for match in LINE.finditer(prompt)]
    if partial:
        return " ".join(word for _, word in sorted({(place, word) for place, _, word in found})) or "Nothing."
    run = 0
    for place, of, word in found:
        run = run + 1 if place == run + 1 else int(place == 1)
        if run == of:
            return f"The answer is: {word}" if unknown == "word" and len(word) > 1 else word
    return {"letter": "E", "word": "Unanswerable"}.get(unknown, "Nothing.")


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
    shown = observed(problems.values(), texts.__getitem__, observed_of(task), strategy("take:3"), seed=0, suite="dolce")
    template = Template(**task.template)
    scored = metric(task.metric)
    without = "idk" if unknown else "0"  # where the evidence is not shown
    outcomes = set()
    for prompt in prompts(
        shown, template, Profile(), texts.__getitem__, arm="full", max_new_tokens=9, chat_sentence=""
    ):
        one, problem = planted[prompt.example_id], problems[prompt.example_id]
        if one.partial and not one.lam:
            continue
        reply = reply_to(render(prompt.parts, texts.__getitem__), unknown, one.partial)
        if extractor in ("first_line", "first_word", "class", "choice", "choices", "whole"):
            reply = reply.removeprefix("The answer is: ")
        answer = extract(extractor, reply, problem.options)
        first, length = prompt.span_start or 0, prompt.span_length or 0
        if one.partial:
            aspects = {place % one.lam for place, start in enumerate(one.starts) if first <= start < first + length}
            value = scored.score(answer, problem.references).value
            assert (value > 99.0) is (len(aspects) == one.lam), (prompt.example_id, first, length)
            assert (value > 0.0) is bool(aspects)
            outcomes.add("all" if len(aspects) == one.lam else "some" if aspects else "none")
            continue
        if left_open(reply, answer, unknown):
            outcome = "idk"
        else:
            outcome = "1" if scored.score(answer, problem.references).value >= 50.0 else "0"
        covered = not one.lam or any(first <= start and start + one.lam <= first + length for start in one.starts)
        assert outcome == ("1" if covered else without), (prompt.example_id, first, length, reply, answer)
        outcomes.add(outcome)
    assert outcomes == ({"all", "some", "none"} if made.partial else {"1", without})
