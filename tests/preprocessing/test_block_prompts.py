"""Prompts with demonstrations: the blocks of SEAM as the fact sheet (seam.md 2) writes them, marks, orders, cuts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrollwork.preprocessing.prompts.truncation import Counts, Cut, Limit, joined
from scrollwork.preprocessing.runs.block_prompts import Blocks
from scrollwork.preprocessing.runs.blocks import Block, marked_parts, shown_documents
from scrollwork.preprocessing.runs.drawn_examples import as_in_run
from scrollwork.preprocessing.runs.draws import Draw
from scrollwork.preprocessing.tokens.tokenizer import make
from scrollwork.records.example import Example, metadata

TEXTS = {
    "a": "Alpha one two.",
    "b": "Beta three four.",
    "c": "Gamma five six.",
    "x": "Shot x.",
    "y": "Shot y.",
    "z": "Z.",
}
PAPER = Block(
    "*Instructions*: {instruction}\n*The documents*:\n{documents}\n*Answer*: {target}", "Document {number}: ```", "```"
)
REVIEWS = Block(
    "{instruction}\n\n{documents}\n\nAnswer: The highlighted spans are:\n{highlights}\n\nSo, the answer is: {target}",
    "review_{index}: ",
    separator="\n\n\n",
    stripped=True,
    ordered=False,
)
QUESTION = Block(
    "*Instructions*:{instruction} {format}\n*Question*: {question} *The documents*:\n{documents}\n*Answer*: {target}",
    "Document {number}: ```",
    "```",
)


def example(name: str, documents: str, reference: str = "gold", query: str | None = None, **facts: Any) -> Example:
    return Example("t", "test", name, tuple(documents), (reference,), query=query, metadata=metadata(**facts))


def made(block: Block, one: Example, pool: list[Example], run: Draw, ids: tuple[int, ...] = (), limit: int = 0) -> Cut:
    blocks = Blocks(block, [("Do A.", "As F."), ("Do HS b HE.", "As G.")], {shot.example_id: shot for shot in pool})
    counts = Counts(make("words"), {}, TEXTS.__getitem__) if limit else None
    return blocks.cut(
        as_in_run(one, run, ids), TEXTS.__getitem__, counts, Limit("documents", limit, 5)
    )  # 5: without it


def text(cut: Cut) -> str:
    return joined(cut.parts, TEXTS.__getitem__)


def test_block_is_not_that_of_the_paper() -> None:
    run = Draw(0, 0, (2, 0, 1), ("s2", "s1"), ("e",))
    pool = [example("s1", "xy", "T1"), example("s2", "xyz", "T2")]
    assert text(made(PAPER, example("e", "abc"), pool, run)) == (
        "*Instructions*: Do A.\n*The documents*:\nDocument 1: ```Z.```\nDocument 2: ```Shot x.```\n"
        "Document 3: ```Shot y.```\n*Answer*: T2\n\n"
        "*Instructions*: Do A.\n*The documents*:\nDocument 1: ```Shot x.```\nDocument 2: ```Shot y.```\n*Answer*: T1\n\n"
        "*Instructions*: Do A.\n*The documents*:\nDocument 1: ```Gamma five six.```\nDocument 2: ```Alpha one two.```\n"
        "Document 3: ```Beta three four.```\n*Answer*: "
    )


@pytest.mark.parametrize(
    ("swapped", "shown"),
    [
        (False, "[Alpha [one [two.](1)](0)](2) "),
        (True, "[Alpha [one [two.](0)](1)](2) "),  # the official code closes them in the order of the record
    ],
)
def test_id_of_nested_mentions_that_end_together_is_anothers(swapped: bool, shown: str) -> None:
    spans = [(6, 14), (10, 14), (0, 14)]
    marks = [(start, end, "[", f"]({number})") for number, (start, end) in enumerate(spans)]
    parts = marked_parts("a", len(TEXTS["a"]), marks, swapped=swapped)
    assert joined(tuple(parts), TEXTS.__getitem__) == shown.strip()


def test_question_or_output_format_is_lost() -> None:
    run = Draw(0, 1, (0, 1), (), ("e",))
    assert text(made(QUESTION, example("e", "ab", query="Who"), [], run)) == (
        "*Instructions*:Do HS b HE. As G.\n*Question*: Who? *The documents*:\nDocument 1: ```Alpha one two.```\n"
        "Document 2: ```Beta three four.```\n*Answer*: "
    )


def test_highlights_are_not_marked_listed_or_renumbered() -> None:
    run = Draw(0, 1, (1, 0), ("s",), ("e",))
    shot = example("s", "xy", "done", highlights=[[0, 0, 4]], marked=True)
    own = example("e", "ab", "{}", highlights=[[0, 0, 5], [0, 6, 9], [1, 5, 10]])
    cut = made(REVIEWS, own, [shot], run)
    assert text(cut) == (
        "Do {HS} b {HE}.\n\nreview_0: Shot x.\nreview_1: Shot y.\n\nAnswer: The highlighted spans are:\n"
        "review_0:\n 1. Shot\nreview_1:\n\nSo, the answer is: done\n\n\n"
        "Do {HS} b {HE}.\n\nreview_0: Beta {HS}three{HE} four.\nreview_1: {HS}Alpha{HE} {HS}one{HE} two.\n\n"
        "Answer: The highlighted spans are:\nreview_0:\n 1. three\nreview_1:\n 1. Alpha\n 2. one\n\nSo, the answer is:"
    )
    documents = [part for part in cut.parts if part.role == "document"]
    assert "".join(TEXTS[str(part.document_id)][part.start : part.end] for part in documents) == TEXTS["b"] + TEXTS["a"]


def test_mentions_have_ids_of_another_run_or_other_clusters() -> None:
    run = Draw(0, 0, (1, 0), (), ("e",))
    own = example("e", "ab", "[[0,2],[1]]", mentions=[[0, 0, 5], [0, 6, 13], [1, 5, 15]])
    ids = (7, 3, 5)
    assert "Document 2: ```[Alpha](7) [one two](3).```" in text(made(PAPER, own, [], run, ids))
    assert "Document 1: ```Beta [three four](5).```" in text(made(PAPER, own, [], run, ids))
    assert as_in_run(own, run, ids).references == ("[[5,7],[3]]",)


def test_long_prompt_loses_its_cue_or_a_whole_document() -> None:
    run = Draw(0, 0, (0, 1), ("s",), ("e",))
    TEXTS["long"], TEXTS["short"] = "word " * 4000, "term " * 1000
    own = Example(
        "t", "test", "e", ("long", "short"), ("[[0],[1]]",), metadata=metadata(mentions=[[0, 0, 4], [0, 15, 19_990]])
    )
    cut = made(PAPER, own, [example("s", "x", "T")], run, (4, 9), limit=2000)
    assert 1990 < cut.tokens_prompt <= 2000
    assert text(cut).endswith("```\n*Answer*: ")
    assert "[word](4)" in text(cut)
    assert "](9)" not in text(cut), "a mention that is not whole has no id"
    kept = {"long": 0, "short": 0}
    for part in cut.parts:
        if part.role == "document":
            kept[str(part.document_id)] += (part.end or 0) - (part.start or 0)
    assert kept["long"] == pytest.approx(4 * kept["short"], rel=0.01)
    assert cut.kept_chars + cut.dropped_chars == 25_000
    assert [(span.document_id, span.end) for span in cut.dropped] == [("long", 20_000), ("short", 5000)]
    with pytest.raises(ValueError, match="leave no room for the documents"):
        made(PAPER, own, [example("s", "x", "T")], run, (4, 9), limit=15)


spans = st.tuples(st.integers(0, 60), st.integers(0, 60)).filter(lambda pair: pair[0] < pair[1])


@settings(max_examples=300)
@given(st.lists(spans, max_size=12, unique=True), st.integers(0, 60))
def test_marks_change_the_text(found: list[tuple[int, int]], length: int) -> None:
    text = "".join(chr(97 + number % 26) for number in range(60))
    parts = marked_parts("d", length, [(start, end, "[", f"]({number})") for number, (start, end) in enumerate(found)])
    shown = "".join(part.text if part.text is not None else text[part.start : part.end] for part in parts)
    assert re.sub(r"\[|\]\(\d+\)", "", shown) == text[:length]
    for number, (_, end) in enumerate(found):
        whole = f"]({number})"
        assert (whole in shown) == (end <= length)
        if whole in shown:
            before = re.sub(r"\[|\]\(\d+\)", "", shown[: shown.index(whole)])
            assert len(before) == end
    depth = 0
    for part in parts:
        depth += {"[": 1}.get(part.text or "", -1 if part.role == "mark" else 0)
        assert depth >= 0
    assert depth == 0


def test_nested_mentions_cross() -> None:
    parts = marked_parts("d", 9, [(0, 9, "[", "](1)"), (0, 3, "[", "](2)"), (4, 9, "[", "](3)")])
    text = "abc defgh"
    assert "".join(one.text or text[one.start : one.end] for one in parts) == "[[abc](2) [defgh](3)](1)"


def test_documents_of_a_data_set_are_shown_without_marks_or_with_those_of_a_run() -> None:
    facts = metadata(mentions=[[1, 0, 3], [0, 4, 7], [0, 4, 17]], highlights=[[0, 0, 3]])
    example = Example("t", "test", "1", ("a", "b"), ("[[0],[1,2]]",), metadata=facts)
    texts = {"a": "One two and three", "b": "Six"}
    assert shown_documents(example, texts.__getitem__) == ["{HS}One{HE} [[two](1) and three](2)", "[Six](0)"]
