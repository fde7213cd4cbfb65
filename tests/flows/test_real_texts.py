"""Real texts in the tasks whose files are not at hand: L-Eval's GovReport, SummScreenFD, Qasper and QuALITY, put back into the layouts
of upstream (the layout is ours, the text real), through curation, prompts and scores of both suites."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.raw_files import find
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.prompts.template import Template, official_rows
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from scrollwork.scoring.files.pairs import score_pairs
from scrollwork.scoring.registry import metric
from scrollwork.storage.digest import FileDigests
from scrollwork.suites.suite_files import load_suite

FILES = {
    "gov_report": "Open-ended-tasks/gov_report_summ",
    "summ_screen_fd": "Open-ended-tasks/tv_show_summ",
    "qasper": "Open-ended-tasks/scientific_qa",
    "quality": "Closed-ended-tasks/quality",
}
# Inputs that the real files have, and those that SCROLLS leaves out: reports too short for their summary, papers under 8,192 characters.
INPUTS = {"gov_report": 14, "summ_screen_fd": 14, "qasper": 184, "quality": 202}
CASES = [(suite, task) for suite in ("zeroscrolls", "scrolls") for task in FILES]


def filled_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def report(number: int, one: Any) -> dict[str, Any]:
    """A report: every second one of the other agency."""
    body, summary = filled_lines(one["input"]), filled_lines(one["outputs"][0])
    if number % 2:
        own = {"section_title": "", "paragraphs": body, "subsections": []}
        return {"id": f"R{number}", "title": "", "released_date": "", "summary": summary, "reports": own}
    parts = [{"section_title": "", "paragraphs": lines} for lines in (body[:3], body[3:])]
    highlight = [{"section_title": "What GAO Found", "paragraphs": summary}]
    return {"id": f"G{number}", "url": "", "title": "", "highlight": highlight, "report": parts}


def paper(number: int, one: Any) -> dict[str, Any]:
    name, *paragraphs = filled_lines(one["input"])
    questions = [
        {"question": question, "question_id": f"{number}_{place}", "answers": [{"answer": answered(said)}]}
        for place, (question, said) in enumerate(zip(one["instructions"], one["outputs"], strict=True))
    ]
    return {
        "title": "",
        "abstract": "",
        "full_text": [{"section_name": name, "paragraphs": paragraphs}],
        "qas": questions,
    }


def answered(said: str) -> dict[str, Any]:
    said = said.strip()
    return {
        "unanswerable": said == "Unanswerable",
        "extractive_spans": [],
        "yes_no": {"Yes": True, "No": False}.get(said),
        "free_form_answer": said,
        "evidence": [],
    }


def article(number: int, one: Any) -> dict[str, Any]:
    questions = []
    for place, (asked, said) in enumerate(zip(one["instructions"], one["outputs"], strict=True)):
        question, *options = re.split(r"\n *\([A-D]\) ", asked)
        label = "ABCD".index(said.strip().strip("(")[0]) + 1
        own = {"question": question, "options": options, "gold_label": label, "difficult": place % 2}
        questions.append({**own, "question_unique_id": f"{number}_{place}"})
    return {"article_id": str(number), "title": "", "article": one["input"], "questions": questions}


@pytest.fixture(scope="module")
def texts(shared: Path) -> dict[str, list[Any]]:
    """The records of L-Eval's files, by task."""
    found = {}
    for task, name in FILES.items():
        path = shared / "raw/leval/LEval-data" / f"{name}.jsonl"
        if not path.is_file():
            pytest.skip(f"no {path.name} in the shared data")
        lines = path.read_text(encoding="utf-8").split("\n")
        found[task] = [json.loads(line, strict=False) for line in lines if line.strip()]
    return found


@pytest.fixture(scope="module")
def raw(texts: dict[str, list[Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A raw folder with them in upstream's layouts."""
    folder = tmp_path_factory.mktemp("raw")

    def put(name: str, text: str) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    reports = [report(number, one) for number, one in enumerate(texts["gov_report"])]
    for agency, letter in (("crs", "R"), ("gao", "G")):
        own = [one for one in reports if one["id"].startswith(letter)]
        put(f"gov_report/gov-report/split_ids/{agency}_test.ids", "".join(f"{one['id']}\n" for one in own))
        for one in own:
            put(f"gov_report/gov-report/{agency}/{one['id']}.json", json.dumps(one))
    episodes = [
        {
            "filename": f"fd_{number}.json",
            "Transcript": one["input"].split("\n"),
            "Recap": one["outputs"][0].split("\n"),
        }
        for number, one in enumerate(texts["summ_screen_fd"])
    ]
    put("summ_screen_fd/fd_test.json", "".join(json.dumps(one) + "\n" for one in episodes))
    papers = {str(number): paper(number, one) for number, one in enumerate(texts["qasper"])}
    put("qasper/qasper-test-v0.3.json", json.dumps(papers))
    articles = [article(number, one) for number, one in enumerate(texts["quality"])]
    put("quality/QuALITY.v1.0.1.htmlstripped.test", "".join(json.dumps(one) + "\n" for one in articles))
    return folder


def curated(raw: Path, suite: str, task: str) -> tuple[dict[str, Document], list[Example], list[Drop]]:
    """Documents, examples and drops, by the patterns of the suite file."""
    config = load_suite(suite).tasks[task]
    values = {"split": config.splits["test"], "test": "", **config.options}
    files = find(config.dataset, config.raw, values, str(raw), FileDigests()).opened(str(raw))
    rows = list(curate(config.dataset, files, task, "test", config.options))
    documents = {row.document_id: row for row in rows if isinstance(row, Document)}
    return documents, [r for r in rows if isinstance(r, Example)], [r for r in rows if isinstance(r, Drop)]


def short(task: str, one: Any) -> bool:
    """Whether SCROLLS leaves this text out."""
    if task == "gov_report":
        return len(one["input"].split()) < 2 * len(one["outputs"][0].split())
    return task == "qasper" and len("\n".join(filled_lines(one["input"]))) < 8192


@pytest.mark.parametrize(("suite", "task"), CASES)
def test_real_text_or_question_is_lost_or_changed(raw: Path, texts: Any, suite: str, task: str) -> None:
    documents, examples, drops = curated(raw, suite, task)
    kept = [one for one in texts[task] if not short(task, one)]
    plain = {"gov_report", "qasper"}
    wanted = {"\n".join(filled_lines(one["input"])) if task in plain else one["input"] for one in kept}
    assert {one.text for one in documents.values()} == wanted
    assert [drop.error for drop in drops] == [False] * len(drops)
    assert len(examples) + len(drops) == INPUTS[task]
    assert len(examples) == sum(len(one["instructions"]) for one in kept)
    asked = [
        (" ".join(q.split()), said.strip())
        for one in kept
        for q, said in zip(one["instructions"], one["outputs"], strict=True)
    ]
    if task == "quality":  # L-Eval's own questions have the options as SCROLLS writes them
        letters = [
            (question, said.strip("(")[0] if suite == "zeroscrolls" else said.partition(")")[2].strip())
            for question, said in asked
        ]
        assert [(" ".join(one.query.split()), one.references[0]) for one in examples] == letters
    elif task == "qasper":
        assert [(" ".join(one.query.split()), one.references[0]) for one in examples] == asked
    else:
        assert {" ".join(one.references[0].split()) for one in examples} == {
            " ".join(said.split()) for _, said in asked
        }


@pytest.mark.parametrize(("suite", "task"), CASES)
def test_prompt_is_other_than_template_question_and_real_text(raw: Path, suite: str, task: str) -> None:
    documents, examples, _ = curated(raw, suite, task)
    own = load_suite(suite)
    strings = own.template(own.tasks[task])
    template = Template(**strings)
    assert examples
    for one in examples[:40]:
        text = documents[one.document_ids[0]].text
        given = official_rows(one, template, lambda document: documents[document].text)[0]["input"]
        if suite == "scrolls":
            assert given == (f"{one.query}\n\n{text}" if one.query else text)
            continue
        asked = f"{strings['query_header']}\n{one.query}\n\n" if one.query else ""
        head = f"{strings['instruction']}\n\n{strings['context_header']}\n{text}\n\n{asked}"
        assert given == f"{head}{strings['response_header']}\n"


def rouge(pairs: Sequence[tuple[str, str]]) -> float:
    """The suites' ROUGE by the package that they use, without stemmer: the geometric mean of three means."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)
    found = [scorer.score(reference, answer) for reference, answer in pairs]
    means = [sum(one[kind].fmeasure for one in found) / len(found) for kind in ("rouge1", "rouge2", "rougeL")]
    return 100 * prod(means) ** (1 / 3)


def answers(documents: dict[str, Document], examples: Sequence[Example]) -> Iterator[str]:
    """By turns the reference, and what is as good as nothing: the first option, the beginning of the text."""
    for number, one in enumerate(examples):
        first = "A" if one.references[0] in "ABCD" else one.options[0] if one.options else ""
        yield one.references[0] if number % 2 else first or documents[one.document_ids[0]].text[:900]


def scored(raw: Path, suite: str, task: str) -> tuple[float, list[Example], list[str]]:
    """The value of these answers, with what they answer and what they are."""
    documents, examples, _ = curated(raw, suite, task)
    given = list(answers(documents, examples))
    rows = [
        {"id": one.example_id, "prediction": text, "references": list(one.references), "options": list(one.options)}
        for one, text in zip(examples, given, strict=True)
    ]
    return score_pairs(metric(load_suite(suite).tasks[task].metric), rows)["value"], examples, given


@pytest.mark.parametrize(("suite", "task"), CASES)
def test_real_answers_are_scored_otherwise_than_by_the_package_of_the_suite(raw: Path, suite: str, task: str) -> None:
    value, examples, given = scored(raw, suite, task)
    pairs = [(one.references[0], text) for one, text in zip(examples, given, strict=True)]
    if task in ("gov_report", "summ_screen_fd"):
        assert value == pytest.approx(rouge(pairs), abs=1e-9)
    elif task == "quality":
        assert value == pytest.approx(100 * sum(reference == text for reference, text in pairs) / len(pairs))
    else:
        assert 50 <= value < 60, "each second answer is the reference, the others are 900 characters"


@pytest.mark.slow
def test_tasks_of_real_texts_do_not_run(call: Any, raw: Path, tmp_path: Path) -> None:
    wanted = {task: scored(raw, "zeroscrolls", task) for task in FILES}
    with (tmp_path / "theirs.csv").open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["Task", "ID", "Prediction"])
        for task, (_, examples, given) in wanted.items():
            rows.writerows([task, one.example_id, text] for one, text in zip(examples, given, strict=True))
    only = [word for task in FILES for word in ("--task", task)]
    named = ("--predictions", str(tmp_path / "theirs.csv"), "--name", "theirs", "--raw", str(raw), "--engine", "inline")
    status, out, err = call("--quiet", "--json", "score", "zeroscrolls", *named, *only)
    assert status == 0, err
    found = {row["task"]: (row["value"], row["coverage"]["answered"]) for row in json.loads(out)["tasks"]}
    assert found == {task: (pytest.approx(value), len(given)) for task, (value, _, given) in wanted.items()}
