"""SEAM's six data sets, each from a little raw text in its upstream layout (fact sheet 1.2)."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrollwork.records.base import canonical_json
from scrollwork.records.document import Document
from scrollwork.records.example import Example
from tests.preprocessing.bad_layouts import LAYOUTS, Files, aspect, concepts, fine_tuning, fused, hop
from tests.preprocessing.raw_kit import Kit


def only(kit: Kit, **options: Any) -> tuple[list[str], Example]:
    """(texts of the one example's documents in its order, the example)."""
    documents, examples, _ = kit.sorted(**options)
    (example,) = examples
    text = {document.document_id: document.text for document in documents}
    return [text[one] for one in example.document_ids], example


def kit_of(folder: Path, dataset: str, files: Files) -> Kit:
    kit = Kit(folder, dataset)
    for (role, name), data in files.items():
        kit.file(name, data, role)
    return kit


# ---- Multi-News


def news(folder: Path, documents: str, summaries: str) -> Kit:
    kit = Kit(folder, "multi_news").file("multi_news/data/test.src.cleaned", documents, "articles")
    return kit.file("multi_news/data/test.tgt", summaries, "summaries")


def test_articles_keep_their_blanks_or_upstreams_word_for_a_newline(tmp_path: Path) -> None:
    texts, example = only(news(tmp_path, " One. NEWLINE_CHAR NEWLINE_CHAR More. ||||| Two.  \n", "– Both. \n"))
    assert texts == ["One. \n \n More.", "Two."]
    assert example.references == ("– Both.",)
    assert (example.example_id, example.query, example.titles) == ("0", None, ())


def test_rows_are_numbered_among_those_that_are_left_or_empty_ones_are_not_counted(tmp_path: Path) -> None:
    rows = ["A. ||||| B. |||||", "|||||", "", "C.", "D. ||||| D."]
    documents, examples, drops = news(tmp_path, "\n".join(rows), "1\n2\n3\n4\n5\n").sorted()
    assert [example.example_id for example in examples] == ["0", "3", "4"]
    assert [len(example.document_ids) for example in examples] == [2, 1, 2]
    assert len(set(examples[2].document_ids)) == 1, "an article that stands twice is shown twice"
    assert [example.facts["empty_documents"] for example in examples] == [1, 0, 0]
    assert [document.text for document in documents] == ["A.", "B.", "C.", "D."]
    assert [(drop.reason, drop.error) for drop in drops] == [
        ("empty document", False),
        ("no document", False),
        ("no document", False),
    ]


def test_row_behind_a_broken_one_gets_another_number(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "multi_news").file("multi_news/data/test.src", b"A.\nB\xe9.\nC.\n", "articles")
    _, examples, drops = kit.file("multi_news/data/test.tgt", b"a\nb\nc\n", "summaries").sorted()
    assert [(example.example_id, example.references) for example in examples] == [("0", ("a",)), ("2", ("c",))]
    assert [drop.record for drop in drops] == ["multi_news/data/test.src, line 2"]


def test_records_of_the_hub_give_other_rows_than_the_lines(tmp_path: Path) -> None:
    lines, hub = LAYOUTS["multi_news lines"], LAYOUTS["multi_news"]
    first = kit_of(tmp_path / "lines", "multi_news", lines.files(lines.records())).sorted()
    records = [
        {"document": document.decode().replace("NEWLINE_CHAR", "\n"), "summary": summary.decode()}
        for document, summary in lines.records()
    ]
    second = kit_of(tmp_path / "hub", "multi_news", hub.files(records)).sorted()
    assert first[1] == second[1]
    assert [one.text for one in first[0]] == [one.text for one in second[0]]


# ---- OpenAsp


def test_sentences_of_an_article_or_a_summary_are_joined_otherwise(tmp_path: Path) -> None:
    record = aspect("victim", 7)
    texts, example = only(Kit(tmp_path, "open_asp").lines("t.jsonl", [record]))
    assert texts == ["Text 0 of victim. More.", "Text 1 of victim. More."]
    assert example.references == ("So 7.\nIt was.",)
    assert (example.example_id, example.query) == ("Cause/victim", "Cause")
    assert (example.facts["topic"], example.facts["texts_of"]) == ("mnews-test.7", "Multi-News")


def test_openasp_as_upstreams_script_leaves_it_is_not_read(tmp_path: Path) -> None:
    line = json.dumps({**aspect("victim", 7), "topic_id": "DUC-2001/d01"}).encode() + b"\n"
    _, example = only(Kit(tmp_path, "open_asp").file("openasp/test.jsonl.gz", gzip.compress(line)))
    assert example.facts["texts_of"] == "DUC"


# ---- FuseReviews


def gold(example: Example) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(example.references[0])
    assert canonical_json(value) == example.references[0]
    return value


def reviews(folder: Path, layout: str, **changes: str) -> Kit:
    record = {"fuse_reviews": fused, "fuse_reviews fine-tuning": fine_tuning}[layout]("victim", 7)
    return kit_of(folder, "fuse_reviews", LAYOUTS[layout].files([{**record, **changes}]))


@pytest.mark.parametrize("layout", ["fuse_reviews", "fuse_reviews fine-tuning"])
def test_overlapping_highlights_stay_apart_or_touching_ones_do_not(tmp_path: Path, layout: str) -> None:
    column = "review_7_offsets" if layout == "fuse_reviews" else "review_7_highlight_spans"
    spans = json.dumps([[26, 30], [4, 12], [0, 8], [4, 12], [12, 17], [22, 24]])
    texts, example = only(reviews(tmp_path, layout, **{column: spans}))
    found = [(start, end) for review, start, end in example.facts["highlights"] if review == 7]
    assert found == [(0, 12), (12, 17), (22, 24), (26, 30)]
    assert gold(example)["highlights"][7] == [texts[7][start:end] for start, end in found]
    assert example.facts["overlapping"] == 2
    assert len(texts) == len(gold(example)["highlights"]) == 8


def test_alignment_that_two_parts_of_the_summary_share_is_counted_twice(tmp_path: Path) -> None:
    review = {"text": "The desk was kind", "offsets": [[0, 17]]}
    other = {"text": "The desk was kind", "offsets": [[0, 8], [9, 17]]}
    entries = [{"review": review, "summary": {"text": text}} for text in ("a", "b")]
    cells = json.dumps([*entries, {"review": other}])
    _, example = only(reviews(tmp_path, "fuse_reviews", review_0_alignments=cells, review_1_alignments="[]"))
    # once for each review and alignment: the same words of another place are another alignment
    assert gold(example)["alignments"] == ["The desk was kind"] * 2


def test_pieces_of_an_alignment_are_not_joined_as_upstream_does(tmp_path: Path) -> None:
    _, example = only(reviews(tmp_path, "fuse_reviews fine-tuning"))
    assert gold(example)["alignments"] == ["The desk ... was kind", "The desk was kind"]
    assert example.facts["summary_name"] == "victim"


def test_reviews_without_alignments_have_a_reference(tmp_path: Path) -> None:
    record = {name: cell for name, cell in fused("victim", 0).items() if "alignments" not in name}
    kit = kit_of(tmp_path, "fuse_reviews", LAYOUTS["fuse_reviews"].files([record]))
    assert only(kit)[1].references == ()


# ---- MuSiQue


def test_unanswerable_twin_loses_its_answer_or_takes_the_others_id(tmp_path: Path) -> None:
    twins = [hop("victim", 1), {**hop("victim", 1), "answerable": False, "answer": "Rome"}]
    kit = Kit(tmp_path, "musique").lines("musique_full_v1.0_dev.jsonl", twins)
    _, examples, drops = kit.sorted(output="object")
    assert drops == []
    assert [example.example_id for example in examples] == ["2hop__victim", "2hop__victim_unanswerable"]
    assert [json.loads(example.references[0]) for example in examples] == [
        {"answer_content": "Rome", "is_answerable": answerable, "aliases": ["Roma"]} for answerable in (True, False)
    ]
    assert {example.titles for example in examples} == {()}, "SEAM drops the titles"
    assert {example.query for example in examples} == {"Who 1?"}, "and adds nothing to the question"


def test_output_of_musique_that_is_not_known_is_taken(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="text, object"):
        Kit(tmp_path, "musique").lines("t.jsonl", [hop("victim", 1)]).sorted(output="json")


# ---- SciCo


def shown(texts: list[str], example: Example) -> list[str]:
    """The mentions' words, by number."""
    return [texts[document][start:end] for document, start, end in example.facts["mentions"]]


def test_last_token_of_a_mention_is_not_in_it_or_numbers_are_not_upstreams(tmp_path: Path) -> None:
    texts, example = only(Kit(tmp_path, "sci_co").lines("t.jsonl", [concepts("victim", 3)]))
    assert texts == ["On card games by victim\nMore card play\n", "Of dice too victim\n"]
    assert shown(texts, example) == ["card games", "games", "card play", "dice"]
    assert example.references == ("[[0,2],[1],[3]]",)
    assert (example.example_id, example.facts["hard_10"]) == ("3", False)


def test_paragraphs_of_a_document_that_lie_apart_are_two_documents(tmp_path: Path) -> None:
    record = {**concepts("victim", 3), "doc_ids": [0, 1, 0]}
    texts, example = only(Kit(tmp_path, "sci_co").lines("t.jsonl", [record]))
    assert texts == ["On card games by victim\nOf dice too victim\n", "More card play\n"]
    assert shown(texts, example) == ["card games", "games", "card play", "dice"]


# ---- ECB+


def ecb_plus(folder: Path, change: Any = lambda files: files) -> Kit:
    layout = LAYOUTS["ecb_plus"]
    return kit_of(folder, "ecb_plus", change(layout.files([layout.make("victim", 1)])))


def test_mention_in_pieces_or_outside_validated_sentences_is_shown_otherwise(tmp_path: Path) -> None:
    texts, example = only(ecb_plus(tmp_path))
    # sentence 3 is not validated, and its mention is not gold; a person is no event
    assert texts == ["In victim they took 1ecb over . It ended .", "In victim they took 2ecb over . It ended ."]
    assert shown(texts, example) == ["took 1ecb over", "ended", "took 2ecb over", "ended"]
    assert example.references == ("[[0,2],[1],[3]]",)
    assert example.example_id == "37"


def test_sentence_between_validated_ones_is_left_out(tmp_path: Path) -> None:
    def without_middle(files: Files) -> Files:
        key = ("sentences", "ecb_plus/sentences.csv")
        return {**files, key: files[key].replace(b"37,1ecb,1\n", b"")}

    texts, example = only(ecb_plus(tmp_path, without_middle))
    assert texts[0] == "In victim they took 1ecb over . It ended ."
    assert shown(texts, example) == ["ended", "took 2ecb over", "ended"]


def test_chains_inside_documents_are_joined_across_them(tmp_path: Path) -> None:
    def intra(files: Files) -> Files:
        change = (b'CROSS_DOC_COREF r_id="1" note="ACT1"', b'INTRA_DOC_COREF r_id="1"')
        return {key: data.replace(*change).replace(b"/CROSS", b"/INTRA") for key, data in files.items()}

    _, example = only(ecb_plus(tmp_path, intra))
    assert example.references == ("[[0],[1],[2],[3]]",)


def test_documents_stand_in_another_order_than_that_of_their_texts(tmp_path: Path) -> None:
    def renamed(files: Files) -> Files:
        return {key: data.replace(b">In<", b">On<") if "37_1ecb" in key[1] else data for key, data in files.items()}

    texts, example = only(ecb_plus(tmp_path, renamed))
    assert [text[:2] for text in texts] == ["In", "On"]
    assert shown(texts, example)[0] == "took 2ecb over"


def test_topic_is_in_two_splits_or_in_none(tmp_path: Path) -> None:
    layout = LAYOUTS["ecb_plus"]
    kit = kit_of(tmp_path, "ecb_plus", layout.files([layout.make("victim", number - 36) for number in (1, 2, 35, 36)]))
    found = {split: [row.example_id for row in kit.rows(split) if isinstance(row, Example)] for split in SPLITS}
    assert found == {"train": ["1"], "validation": ["2", "35"], "test": ["36"]}


SPLITS = ("train", "validation", "test")


def test_broken_document_costs_only_itself_and_changes_the_gold(tmp_path: Path) -> None:
    def broken(files: Files) -> Files:
        return {key: data[:50] if "37_1ecb" in key[1] else data for key, data in files.items()}

    layout = LAYOUTS["ecb_plus"]
    files = layout.files([layout.make("victim", 1), layout.make("after", 2)])
    documents, examples, drops = kit_of(tmp_path, "ecb_plus", broken(files)).sorted()
    assert [example.example_id for example in examples] == ["38"]
    assert all(isinstance(document, Document) and "after" in document.text for document in documents)
    assert [(drop.reason, drop.error) for drop in drops] == [("broken XML", True)]


# ---- as `datasets` writes them: Parquet


PARQUET = {
    "multi_news": ("articles", "multi_news/hub/test/0000.parquet"),
    "open_asp": ("records", "openasp/hub/test/0000.parquet"),
    "fuse_reviews": ("records", "fusereviews/hub/dev/0000.parquet"),
    "fuse_reviews fine-tuning": ("records", "fusereviews/hub/dev/0000.parquet"),
    "musique object": ("records", "musique/hub/dev/0000.parquet"),
    "sci_co": ("records", "scico/hub/test/0000.parquet"),
}


@pytest.mark.parametrize("name", PARQUET)
def test_rows_of_a_parquet_file_are_others(tmp_path: Path, name: str) -> None:
    layout = LAYOUTS[name]
    role, file = PARQUET[name]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(layout.records()), buffer)
    kit = kit_of(tmp_path / "own", layout.dataset, layout.files(layout.records()))
    own = kit.sorted(**layout.options)
    kit = Kit(tmp_path / "hub", layout.dataset).file(file, buffer.getvalue(), role)
    documents, examples, drops = kit.sorted(**layout.options)
    assert drops == []
    assert examples == own[1]
    assert [one.text for one in documents] == [one.text for one in own[0]]
