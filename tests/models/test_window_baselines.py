"""Rules without a key for Dolce's tasks: each by hand, and an answer in the form that every one of the 44 tasks asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from scrollwork.models.base import Ask, Segment
from scrollwork.models.baselines.choices import options, question
from scrollwork.models.extractive.by_rule import extracted_answer
from scrollwork.models.registry import settings
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from scrollwork.sample.windows import TASKS, Made, dolce
from scrollwork.scoring.reading.dolce_answers import extract
from scrollwork.suites.suite_files import TaskConfig, load_models, load_suite

SUITE, TABLES = load_suite("dolce"), load_models()
FORMS = {
    "choice": r"[A-E]",
    "choices": r"[A-E]+",
    "number": r"-?[0-9.]+",
}  # of extracted answers; others: no more than a line
REFERENCES = {
    "leval_toefl": "[A-D]|Unanswerable",
    "leval_sfcition": "True|False|Unanswerable",
    "bamboo_showspred": r"[A-Z][\w. ]*",
    "longbench_passagecount": "[0-9]+",
    "longbench_passageretrieval": "Paragraph [0-9]+|Unanswerable",
}  # what references look like, where that is more than a text


def asked(query: str, *documents: str) -> Ask:
    shown = [Segment("document", text) for text in documents]
    return Ask("t", "e", (*shown, Segment("query", query)), "0" * 64, len(shown), 100)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("What broke?\nA. An oar\nB. The lamp\nin a storm\nC. Bread", {"A": "An oar", "B": "The lamp\nin a storm", "C": "Bread"}),
        ("What broke?\nA: oar\nB:lamp", {"A": "oar", "B": "lamp"}),
        ("What broke?\n\n (A) A. oar\n (B) lamp", {"A": "A. oar", "B": "lamp"}),
        ("A. Thorne was the keeper of what?", {}),
        ("What broke?\nB. lamp\nC. oar", {}),
    ],
)  # fmt: skip
def test_options_with_a_point_are_not_read(query: str, found: dict[str, str]) -> None:
    assert options(query) == found
    assert question(query) == ("What broke?" if found else query)


def test_choice_of_not_answering_is_taken_for_an_option() -> None:
    query = "What broke?\nA. The oar\nB. The lamp\nE. The question is unanswerable."
    said = query.replace("\nE.", "\nC. Bread\nD. Ice\nE.")
    text = "This question is unanswerable, they thought. Then the lamp broke in the storm."
    rule = {"supported": True, "open": "E", "least": 0.1}
    assert extracted_answer(rule, asked(said, text)) == "B"
    assert extracted_answer({"supported": True}, asked(said, text)) == "E"


PARAGRAPHS = (
    "Paragraph 4: The lamp was carried up.\n\nParagraph 5: Boats lay in the  harbour.",
    "Paragraph 9: Boats lay in the harbour.",
)


def test_paragraph_is_another() -> None:
    assert extracted_answer({"paragraph": True}, asked("Boats in a harbour", *PARAGRAPHS)) == "Paragraph 5"
    assert extracted_answer({"paragraph": True}, asked("Who carried the lamp?", *PARAGRAPHS)) == "Paragraph 4"
    assert extracted_answer({"paragraph": True}, asked("Who?", "no heads")) == ""
    assert [extracted_answer({"distinct": True}, asked("", *shown)) for shown in (PARAGRAPHS, PARAGRAPHS[:1], ())] == [
        "2",
        "2",
        "0",
    ]


def test_line_is_given_to_another_speaker() -> None:
    lines = '"The lamp is cold." said by Anselm\n"My boat is gone." said by Ruth\n"Boats sink." said by Ruth'
    assert extracted_answer({"speaker": True}, asked('"Who took the boat?" said by', lines)) == "Ruth"
    assert extracted_answer({"speaker": True}, asked('"Light the lamp." said by', lines)) == "Anselm"
    assert (
        extracted_answer({"speaker": True}, asked("Ruth: The lamp.", "Anselm: The lamp is cold.\nRuth: No."))
        == "Anselm"
    )
    assert extracted_answer({"speaker": True}, asked('"Hm." said by', lines)) == "Anselm"
    assert extracted_answer({"speaker": True}, asked('"Hm." said by', "")) == ""


def test_line_after_is_another() -> None:
    examples = "Question: Who built the mill?\nType: Person\nQuestion: Where is the mill?\nType: Place"
    assert extracted_answer({"line_after": True}, asked("Question: Where is the harbour?", examples)) == "Place"
    code = "lamp = light()\nclose(lamp)\nboat = row()\nlamp = light()"
    assert extracted_answer({"line_after": True}, asked("", code)) == "close(lamp)"
    assert extracted_answer({"line_after": True}, asked("x", "")) == ""


def test_denied_claim_holds() -> None:
    rule = {"claim": ["Yes", "No"], "open": "Unanswerable", "least": 0.6}
    text = "The lamp was never lit. The boats came home."
    asking = ", True or False? Answer this question based on the document."
    assert extracted_answer(rule, asked(f"1.\tThe lamp was lit{asking}", text)) == "No"
    assert extracted_answer(rule, asked(f"The lamp was not lit{asking}", text)) == "Yes"
    assert extracted_answer(rule, asked("The boats came home", text)) == "Yes"
    assert extracted_answer(rule, asked("A mill stood on the hill", text)) == "Unanswerable"


def test_opinions_are_what_reviews_do_not_judge() -> None:
    text = "We came on Monday. The room was clean. The breakfast was lovely and fresh. A bus stops there."
    assert extracted_answer({"opinions": 7}, asked("breakfast", text)) == "The breakfast was lovely and fresh."
    assert extracted_answer({"opinions": 4}, asked("the room", text)) == "The room was clean."


def test_quantity_is_a_name_a_month_or_a_phrase() -> None:
    text = "In May Susy bought lamps. She paid $1,234.50 for three, 12 May. The answer is 52."
    for query in ("Who paid for the lamps?", "What did she pay in May?", "Calculate the price of the lamps."):
        said = extracted_answer({"answer_span": 5, "kind": "quantity"}, asked(query, text))
        assert said in ("1,234.50", "12", "52"), query
    assert not extracted_answer({"answer_span": 5}, asked("Who paid for the lamps?", text))[0].isdigit()


def test_examples_are_read_in_place_of_the_problems_own_passage() -> None:
    query = "Passage:\nThe keeper was Anselm Thorne.\nQuestion:\nWho was the keeper?"
    rule = {"answer_span": 5, "reads": "query", "open": "Unanswerable", "least": 0.6}
    assert extracted_answer(rule, asked(query, "Passage:\nThe keeper was Ruth Ames.")) == "Anselm Thorne"
    assert extracted_answer(rule, asked(query)) == "Anselm Thorne"
    dialogue = {"lexrank": 5, "reads": "query"}
    assert extracted_answer(dialogue, asked("Tom: The boat is here.", "Ann: A lamp.")) == "Tom: The boat is here."


def first_problems(task: TaskConfig, folder: Path, patterns: Sequence[str]) -> Iterator[tuple[Example, str]]:
    """The first problems with their contexts."""
    files = [(path.name, path) for pattern in patterns for path in sorted(folder.glob(pattern))][:1]
    texts: dict[str, str] = {}
    for row in curate(task.dataset, RawFiles(task.dataset, {"records": tuple(files)}), task.name, "test", task.options):
        if isinstance(row, Document):
            texts[row.document_id] = row.text
        if isinstance(row, Example):
            yield row, texts[row.document_ids[0]]
        if len(texts) == 4:
            return


def answers(task: TaskConfig, name: str, problem: Example, shown: str) -> str:
    """What a baseline answers, extracted."""
    rule = settings(name, TABLES, "dolce")["rules"][task.name]
    return extract(
        task.windows["extractor"], extracted_answer(rule, asked(problem.query or "", shown)), problem.options
    )


def form_of(task: TaskConfig) -> str:
    extractor = task.windows["extractor"]
    return FORMS.get(extractor, "(?s).*" if extractor == "whole" else ".*")


def models_of(task: str) -> list[str]:
    return [name for name in ("bm25", "lexicon") if task in settings(name, TABLES, "dolce").get("tasks", SUITE.tasks)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dolce")
    dolce(out)
    return out


@pytest.mark.parametrize("made", TASKS, ids=lambda made: made.task)
def test_task_has_no_baseline(folder: Path, made: Made) -> None:
    task = SUITE.tasks[made.task]
    for problem, text in first_problems(task, folder, [made.file]):
        for name in models_of(made.task):
            said = answers(task, name, problem, "")
            if task.windows["unknown"] == "letter":
                assert said == "E"
            assert re.fullmatch(form_of(task), answers(task, name, problem, text) or "0")


@pytest.mark.parametrize("name", SUITE.tasks)
def test_real_task_has_no_baseline_that_answers_in_its_form(shared: Path, name: str) -> None:
    task = SUITE.tasks[name]
    patterns = [pattern for pattern in task.raw["records"] if "!" not in pattern]
    if not any(list((shared / "raw").glob(pattern)) for pattern in patterns):
        pytest.skip("no real file of this task")
    found = list(first_problems(task, shared / "raw", patterns))
    assert len(found) > 2
    for problem, text in found:
        for model in models_of(name):
            said = answers(task, model, problem, text)
            assert said
            assert re.fullmatch(REFERENCES.get(name, form_of(task)), said), said
