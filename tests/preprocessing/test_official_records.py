"""Prompts and offsets of ZeroSCROLLS (fact sheet 2 and 3), for all ten tasks of the suite file."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.template import ZERO_SCROLLS, Template, assemble, official_rows
from scrollwork.records.example import Example
from scrollwork.records.prompt import render
from scrollwork.suites.suite_files import load_suite

SUITE = load_suite("zeroscrolls")
TASKS = list(SUITE.tasks)

# Fact sheet 3.2, transcribed: instruction, context header, query header, response header; 3.4: truncation string.
STRINGS = {
    "gov_report": (
        "You are given a report by a government agency. Write a one-page summary of the report.",
        "Report:", "", "Summary:", "report is",
    ),
    "summ_screen_fd": (
        "You are given a script of a TV episode. Summarize the episode in a paragraph.",
        "Episode Script:", "", "Summary:", "episode script is",
    ),
    "qmsum": (
        "You are given a meeting transcript and a query containing a question or instruction. Answer the "
        "query in one or "
        "more sentences.",
        "Transcript:", "Query:", "Answer:", "transcript is",
    ),
    "squality": (
        "You are given a story and a question. Answer the question in a paragraph.",
        "Story:", "Question:", "Answer:", "story is",
    ),
    "qasper": (
        "You are given a scientific article and a question. Answer the question as concisely as you can, "
        "using a single "
        "phrase or sentence if possible. If the question cannot be answered based on the information in the article, "
        'write "unanswerable". If the question is a yes/no question, answer "yes", "no", or "unanswerable".',
        "Article:", "Question:", "Answer:", "article is",
    ),
    "narrative_qa": (
        "You are given a story, which can be either a novel or a movie script, and a question. Answer the "
        "question as "
        "concisely as you can, using a single phrase if possible.",
        "Story:", "Question:", "Answer:", "story is",
    ),
    "quality": (
        "You are provided a story and a multiple-choice question with 4 possible answers (marked by A, B, C, "
        "D). Choose "
        "the best answer by writing its corresponding letter (either A, B, C, or D).",
        "Story:", "Question and Possible Answers:", "Answer:", "story is",
    ),
    "musique": (
        "You are given several paragraphs from Wikipedia and a question. Answer the question as concisely as "
        "you can, "
        "using a single phrase if possible. If the question cannot be answered based on the information in the "
        'paragraphs, write "unanswerable".',
        "Paragraphs:", "Question:", "Answer:", "paragraphs are",
    ),
    "space_digest": (
        "You are given a list of reviews about a specific hotel. Each review is either positive or negative. "
        "What is the "
        "percentage of positive reviews (e.g. 60%, 34%, etc.)?",
        "Reviews:", "", "Percentage of Positive Reviews:", "reviews are",
    ),
    "book_sum_sort": (
        "You are given 3 summaries of chapters or parts of a novel, in a shuffled order, where each summary "
        "is denoted by "
        "a numerical ID (e.g. Summary 1, Summary 3, etc.). Reorder the summaries according to the original order of "
        "chapters/parts in the novel by writing a list of length 3 of the summary IDs (e.g. if you were given 5 "
        'summaries, one possible answer could be "5, 1, 3, 4, 2").',
        "Summaries:", "", "Summary IDs in Correct Order:", "summaries are",
    ),
}  # fmt: skip
METRICS_AND_TOKENS = {
    "gov_report": ("rouge_geo", 1024), "summ_screen_fd": ("rouge_geo", 512), "qmsum": ("rouge_geo", 512),
    "squality": ("rouge_geo", 512), "qasper": ("f1", 128), "narrative_qa": ("f1", 64), "quality": ("accuracy", 10),
    "musique": ("f1", 32), "space_digest": ("es", 36), "book_sum_sort": ("concordance", 256),
}  # fmt: skip
SEVERAL = ("musique", "space_digest", "book_sum_sort")
INNER = {"musique": "Title: ", "space_digest": "Review {}:\n", "book_sum_sort": "Summary {}:\n"}

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


def template(task: str) -> Template:
    return Template(**SUITE.tasks[task].template)


def example(task: str, count: int, query: str | None, references: tuple[str, ...] = ("r",)) -> Example:
    ids = tuple(f"d{number}" for number in range(count))
    titles = tuple(f"T{number}" for number in range(count)) if task == "musique" else ()
    return Example(task, "test", "e1", ids, references, query=query, titles=titles)


def has_query(task: str) -> bool:
    return bool(template(task).query_header)


def test_tasks_are_not_the_ten_in_official_order() -> None:
    assert list(STRINGS) == TASKS


@pytest.mark.parametrize("task", TASKS)
def test_prompt_strings_differ_from_the_paper(task: str) -> None:
    instruction, context, query, response, rest = STRINGS[task]
    found = template(task)
    assert found.instruction.replace("{n}", "3") == instruction
    assert (found.context_header, found.query_header, found.response_header) == (context, query, response)
    assert found.omission == f"... [The rest of the {rest} omitted]"
    assert "\n" not in found.instruction
    assert (SUITE.tasks[task].metric, SUITE.tasks[task].max_new_tokens) == METRICS_AND_TOKENS[task]


@pytest.mark.parametrize("task", TASKS)
@given(data=st.data())
def test_offsets_do_not_point_where_the_fact_sheet_says(task: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(2, 5)) if task in SEVERAL else 1
    bodies = {f"d{number}": data.draw(texts) for number in range(count)}
    query = data.draw(texts) if has_query(task) else None
    own = template(task)
    (row,) = official_rows(example(task, count, query), own, bodies.__getitem__)
    text = row["input"]

    document = text[row["document_start_index"] : row["document_end_index"]]
    blocks = [bodies[f"d{n}"] for n in range(count)]
    if task in SEVERAL:
        blocks = [header(task, n) + block for n, block in enumerate(blocks)]
    assert document == "\n\n".join(blocks)
    assert text[: row["document_start_index"]].endswith(f"\n\n{own.context_header}\n")

    ending = f"\n\n{own.response_header}\n"
    asked = text[row["query_start_index"] : row["query_end_index"]]
    if query is not None:
        assert asked == f"{own.query_header}\n{query}"
        assert text[row["query_end_index"] :] == ending
    else:
        assert row["query_start_index"] == row["query_end_index"]
        assert text[row["query_end_index"] :] == ending[2:]
        assert text[: row["query_end_index"]].endswith("\n\n")
    assert text.endswith(ending)
    assert row["truncation_seperator"] == own.omission + "\n\n"

    if task in SEVERAL:
        starts = row["inner_docs_start_indices"]
        ends = [start - 2 for start in starts[1:]] + [row["document_end_index"]]
        assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == blocks
    else:
        assert "inner_docs_start_indices" not in row


def header(task: str, number: int) -> str:
    return f"Title: T{number}\n" if task == "musique" else INNER[task].format(number + 1)


def test_prompt_with_a_query_has_other_separators() -> None:
    own = template("squality")
    parts = assemble(example("squality", 1, "Why?"), own, lambda _: 4)
    assert render(parts, lambda _: "Once") == (
        "You are given a story and a question. Answer the question in a paragraph.\n\n"
        "Story:\nOnce\n\nQuestion:\nWhy?\n\nAnswer:\n"
    )


def test_prompt_without_a_query_has_other_separators() -> None:
    parts = assemble(example("gov_report", 1, None), template("gov_report"), lambda _: 4)
    assert render(parts, lambda _: "Text") == (
        "You are given a report by a government agency. Write a one-page summary of the report.\n\n"
        "Report:\nText\n\nSummary:\n"
    )


def test_several_references_are_not_rows_with_one_id() -> None:
    rows = official_rows(example("squality", 1, "Why?", ("a", "b", "a")), template("squality"), lambda _: "Once")
    assert [row["id"] for row in rows] == ["e1", "e1", "e1"]
    assert [row["output"] for row in rows] == ["a", "b", "a"]
    assert len({row["pid"] for row in rows}) == 3


def test_single_reference_has_a_pid_other_than_its_id() -> None:
    (row,) = official_rows(example("qmsum", 1, "What?"), template("qmsum"), lambda _: "Text")
    assert row["pid"] == row["id"] == "e1"


def test_private_reference_loses_the_input() -> None:
    (row,) = official_rows(example("qmsum", 1, "What?", ()), template("qmsum"), lambda _: "Text")
    assert row["output"] is None


LEFT_OUT = ("instruction", "context_header", "response_header", "omission", "query_header", "inner_header")
LAYOUTS = (
    ZERO_SCROLLS,
    (("query_header", "query"), ("documents",)),
    (("instruction",), ("documents", "context_header"), ("response_header",)),
    (("response_header", "query"), ("context_header", "documents"), ("query_header",)),
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("query", ["Who?", None])
def test_combination_of_left_out_strings_has_no_record(query: str | None, layout: tuple[tuple[str, ...], ...]) -> None:
    """A suite file may leave each out: without context_header a record was the bare ValueError of a list."""
    bodies = {"d0": "First text.", "d1": "Second."}
    pieces = [piece for group in layout for piece in group]
    for there in itertools.product((True, False), repeat=len(LEFT_OUT)):
        strings = {name: f"<{name}>" for name, kept in zip(LEFT_OUT, there, strict=True) if kept}
        (row,) = official_rows(example("own", 2, query), Template("qa", layout=layout, **strings), bodies.__getitem__)
        text, inner = row["input"], strings.get("inner_header", "")
        assert ("inner_docs_start_indices" in row, "document_start_index" in row) == (there[5], there[2])
        documents = [inner + body for body in bodies.values()]
        for start, document in zip(row.get("inner_docs_start_indices", ()), documents, strict=bool(inner)):
            assert text[start:].startswith(document)
        if not there[2]:
            continue
        assert text[row["document_start_index"] : row["document_end_index"]] == "\n\n".join(documents)
        start, asked = row["query_start_index"], text[row["query_start_index"] : row["query_end_index"]]
        header = f"{strings['query_header']}\n" if {"query_header"} <= {*strings} & {*pieces} else ""
        if query and "query" in pieces:
            before = header if header and pieces.index("query_header") < pieces.index("query") else ""
            assert asked == before + query
        else:
            answer = "<response_header>\n" if "response_header" in pieces else ""
            assert (asked, text[start:].startswith(header or answer)) == ("", True)
            assert header or answer or start == len(text)
        assert row["truncation_seperator"] == strings.get("omission", "") + "\n\n"
