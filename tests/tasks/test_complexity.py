"""Stage complexity in a run: its rows against answers and windows, what makes it stale, what --json and the home's own
report say of it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from scrollwork.designs.windows import DESIGN
from scrollwork.pipeline.source_digest import sources
from scrollwork.records.base import Row
from scrollwork.records.complexity import (
    CATEGORIES,
    Agreement,
    AtLength,
    Complexity,
    Mixture,
    Passage,
    ProblemAtLength,
    WindowOutcomes,
)
from scrollwork.storage.artifacts.artifact import Artifact
from scrollwork.storage.home import Home
from scrollwork.tasks.score.windows import DECLINED
from tests.conftest import Scrollwork

COLOURS = ("crimson", "violet", "ochre", "teal", "ivory", "scarlet")
THINGS = ("lamp", "gate", "chest", "tower", "boat", "wagon")
MODELS = """
[first]
provider = "extractive"
suites = ["dolce"]
tasks = ["leval_quality", "leval_multinews"]
rules.leval_quality = { supported = true, open = "E", least = 0.6 }
rules.leval_multinews = { bm25 = 40 }

[second]
provider = "extractive"
suites = ["dolce"]
tasks = ["leval_quality", "leval_multinews"]
rules.leval_quality = { supported = true, open = "E", least = 0.3 }
rules.leval_multinews = { bm25 = 12 }
"""
TASKS = ("--task", "leval_quality", "--task", "leval_multinews")


def sentences(number: int) -> list[str]:
    """A context of 12 to 15 sentences, in which each thing has a colour."""
    own = [
        f"The {thing} of village {number} was painted {COLOURS[(place + number) % len(COLOURS)]} by the mason."
        for place, thing in enumerate(THINGS)
    ]
    more = [f"Nothing else was told on day {day} of that year." for day in range(6 + number)]
    return [one for pair in zip(own, more[: len(own)], strict=True) for one in pair] + more[len(own) :]


def write_raw(folder: Path) -> None:
    """Raw files of two tasks, in upstream's layout: 3 contexts with 2 questions each, 3 with a summary."""
    closed, opened = folder / "leval/LEval-data/Closed-ended-tasks", folder / "leval/LEval-data/Open-ended-tasks"
    closed.mkdir(parents=True)
    opened.mkdir(parents=True)
    questions, summaries = [], []
    for number in range(3):
        text = " ".join(sentences(number))
        asked, gold = [], []
        for place, thing in enumerate(THINGS[:2]):
            chosen = [COLOURS[(place + number + step) % len(COLOURS)] for step in (2, 0, 3, 4)]
            options = "\n".join(f" ({letter}) {colour}" for letter, colour in zip("ABCD", chosen, strict=True))
            asked.append(f"What colour was the {thing} of village {number} painted?\n\n{options}")
            gold.append(f"(B) {chosen[1]}")
        shared = {"input": text, "source": "written for this test", "evaluation": "exam"}
        questions.append({**shared, "instructions": asked, "outputs": gold})
        summary = f"In village {number} the mason painted the lamp, the gate, the chest and the tower."
        told = {"instructions": ["Summarize this."], "outputs": [summary], "evaluation": "rouge"}
        summaries.append({**shared, **told})
    for path, records in ((closed / "quality.jsonl", questions), (opened / "news_summ.jsonl", summaries)):
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


@pytest.fixture(scope="module")
def work(house: Path, tmp_path_factory: pytest.TempPathFactory) -> Scrollwork:
    """A home with a run of two models on two tasks; what it printed in `printed.json`. Read it."""
    folder = tmp_path_factory.mktemp("observed")
    write_raw(folder / "raw")
    (folder / "models.toml").write_text(MODELS, encoding="utf-8")
    work = Scrollwork(house, folder / "home")
    (folder / "printed.json").write_text(work(*ask(work)).out, encoding="utf-8")
    return work


def ask(work: Scrollwork, *more: str, command: str = "run") -> list[str]:
    """The arguments of the run."""
    folder = work.home.parent
    quiet = ["--quiet", "--engine", "inline"] if command == "run" else []
    files = ["--raw", str(folder / "raw"), "--models", str(folder / "models.toml")]
    return [command, "dolce", *files, *TASKS, "--model", "first", "--model", "second", "--json", *quiet, *more]


def artifacts(home: Path, stage: str, *parts: str) -> list[Artifact]:
    """The artifacts of a stage, of slots that hold all parts."""
    return [
        one
        for one in Home(str(home)).artifacts.everything()
        if one.manifest.ingredients.stage == stage and all(part in one.manifest.ingredients.slot for part in parts)
    ]


def rows(work: Scrollwork, table: str, row: type[Row], *parts: str) -> list[Any]:
    """Rows of stage complexity."""
    return [found for one in artifacts(work.home, "complexity", *parts) for found in one.rows(table, row)]


def answers(work: Scrollwork, task: str, model: str) -> list[dict[str, Any]]:
    """Scores with their windows, from the stages before."""
    windows = {
        (row["example_id"], row["draw"]): row
        for one in artifacts(work.home, "prompt", task)
        for row in one.columns("prompts", ["example_id", "draw", "units", "span_start", "span_length"])
    }
    found = []
    for one in artifacts(work.home, "score", task, model):
        for row in one.columns("scores", ["example_id", "draw", "value", "flags"]):
            declined = bool(dict(row["flags"]).get(DECLINED))
            found.append({**windows[row["example_id"], row["draw"]], "value": row["value"], "declined": declined})
    return found


@pytest.mark.slow
@pytest.mark.parametrize("model", ["first", "second"])
@pytest.mark.parametrize("task", ["leval_quality", "leval_multinews"])
def test_rows_differ_from_answers(work: Scrollwork, task: str, model: str) -> None:
    said = answers(work, task, model)
    (mixture,) = rows(work, "mixtures", Mixture, task, model)
    assert (mixture.model, mixture.answered, mixture.windows) == (model, len(said), len(said))
    assert mixture.declined == sum(one["declined"] for one in said)
    assert (task, mixture.scenario) != ("leval_quality", "pig")
    assert len(mixture.noise) == (3 if mixture.scenario == "cow" else 0)
    problems = rows(work, "complexity", Complexity, task, model)
    counts = Counter(one["example_id"] for one in said)
    assert {one.example_id: one.windows for one in problems} == counts
    whole = {one["example_id"]: one["value"] for one in said if one["units"] == one["span_length"]}
    assert {one.example_id: one.full for one in problems} == whole
    found = Counter(one.category for one in problems)
    assert mixture.shares == pytest.approx([found[name] / len(problems) for name in CATEGORIES])
    for row in rows(work, "observed", AtLength, task, model):
        whole_ = row.length is None
        own = [
            one
            for one in said
            if (one["span_length"] == (one["units"] if whole_ else row.length))
            and (one["units"] == one["span_length"]) == whole_
        ]
        assert row.windows == len(own) > 0
        assert row.score == pytest.approx(sum(one["value"] for one in own) / len(own))
        assert row.declined == pytest.approx(sum(one["declined"] for one in own) / len(own))
        assert row.right == pytest.approx(sum(one["value"] >= 50 for one in own) / len(own))


def test_passages_show_other_text_than_was_answered_right(work: Scrollwork) -> None:
    (curated,) = artifacts(work.home, "curate", "leval_quality")
    texts = curated.texts()
    found = rows(work, "passages", Passage, "leval_quality", "first")
    said = {
        (one["example_id"], one["span_start"], one["span_length"]): one
        for one in answers(work, "leval_quality", "first")
    }
    assert found
    for one in found:
        assert said[one.example_id, one.first, one.length]["value"] == one.score == 100
        context = sentences(int(one.example_id.partition("-")[0]))
        assert texts(one.document_id)[one.start : one.end] == " ".join(context[one.first : one.first + one.length])
    assert min(one.length for one in found) == 1
    for row in rows(work, "sights", WindowOutcomes, "leval_quality", "first"):
        starts = {key[1] for key, one in said.items() if key[0] == row.example_id and key[2] == row.length}
        assert set(row.right) | set(row.wrong) | set(row.declined) == starts
        assert {said[row.example_id, start, row.length]["value"] for start in row.right} <= {100}


def test_json_says_other_things_than_the_rows(work: Scrollwork) -> None:
    printed = json.loads((work.home.parent / "printed.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert set(printed["dolce"]) == {"tasks", "agreements"}
    assert not {"mixtures", "complexity", "observed", "tables", "sights", "passages"} & set(printed)
    by_fit = {(one["task"], one["model"]): one for one in printed["dolce"]["tasks"]}
    assert set(by_fit) == {(task, model) for task in TASKS[1::2] for model in ("first", "second")}
    for (task, model), one in by_fit.items():
        assert sum(one["shares"].values()) == pytest.approx(1)
        assert (one["noise"] is None) == (one["scenario"] == "pig")
        problems = {row.example_id: row for row in rows(work, "complexity", Complexity, task, model)}
        assert [row["problem"] for row in one["problems"]] == list(problems)
        for row in one["problems"]:
            own = problems[row["problem"]]
            assert row["lambda"] == ("inf" if own.complexity is None else own.complexity)
            assert (row["k"], row["category"], row["full_context"]) == (own.redundancy, own.category, own.full)
            assert row["dip"] == (dict(zip(("dip", "p"), own.dip, strict=True)) if own.dip else None)
            assert bool(own.dip) == (task == "leval_multinews"), "graded scores"
            assert row["solved"] is (own.full >= 50)
        assert [row["length"] for row in one["lengths"]][-1] is None
    pairs = [(one["task"], one["model"], one["other"]) for one in printed["dolce"]["agreements"]]
    assert set(pairs) == {(task, "first", "second") for task in TASKS[1::2]}


@pytest.mark.slow
def test_report_of_the_home_lacks_what_the_run_shows(work: Scrollwork, tmp_path: Path) -> None:
    out = tmp_path / "all.html"
    work("report", "dolce", "--out", str(out))
    ran = (work.home / "reports" / "dolce.html").read_text(encoding="utf-8")
    collected = out.read_text(encoding="utf-8")
    for text in ("Retrieval or holistic understanding", "The same problems by two models", "<mark>The lamp of village"):
        assert text in ran
        assert text in collected
    assert "bamboo_" not in ran + collected  # tasks that nobody asked for have no column
    (artifact,) = artifacts(work.home, "report")
    assert list(artifact.rows("agreements", Agreement))
    assert len(list(artifact.rows("tables", ProblemAtLength))) == len(rows(work, "tables", ProblemAtLength))


def test_run_is_built_again_or_another_strategy_is_not(work: Scrollwork) -> None:
    states = {row["stage"] for row in work(*ask(work, command="plan")).document if row["state"] != "reused"}
    assert states == set()
    other = work(*ask(work, "--strategy", "take:4", command="plan")).document
    assert {row["stage"] for row in other if row["state"] == "reused"} == {"curate"}


def test_code_that_decides_rows_or_page_is_in_no_key() -> None:
    stage = sources(("scrollwork.tasks.complexity.run",))
    for name in (
        "fit.cow",
        "fit.pig",
        "fit.cover",
        "certainty",
        "categories",
        "dip",
        "fit_json",
        "fit.fitting",
        "compare_fits",
    ):
        assert f"scrollwork.analysis.windows.{name}" in stage
    assert "scrollwork.records.complexity" in stage
    assert not any(name.split(".")[1] in ("reporting", "models", "preprocessing") for name in stage)
    page = sources(("scrollwork.tasks.report.run", *DESIGN.sections))
    for name in ("section", "problems", "figures", "listed"):
        assert f"scrollwork.reporting.windows.{name}" in page
    assert "scrollwork.analysis.windows.compare_fits" in page
