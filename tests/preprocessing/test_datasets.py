"""The ten data sets, each from a few lines of raw text in its upstream layout."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from scrollwork.pipeline.raw_files import natural_key
from tests.preprocessing.raw_kit import Kit, article, hotel, story


def test_squality_loses_a_reference_or_its_order(tmp_path: Path) -> None:
    documents, examples, drops = Kit(tmp_path, "squality").lines("test.jsonl", [story(questions=2)]).sorted()
    assert [d.text for d in documents] == ["Once upon a time."]
    assert [e.example_id for e in examples] == ["p1_1", "p1_2"]
    assert examples[0].references == ("Answer 0.", "Answer 1.", "Answer 2.", "Answer 3.")
    assert examples[0].query == "Question 1?"
    assert drops == []


def meeting() -> dict[str, Any]:
    return {
        "general_query_list": [{"query": "Summarize .", "answer": "They met ."}],
        "specific_query_list": [{"query": "Who spoke ?", "answer": "A did ."}],
        "meeting_transcripts": [
            {"speaker": "A", "content": "Hello , {vocalsound} you ."},
            {"speaker": "B", "content": "3 . 5 , yes !"},
        ],
    }


def test_qmsum_raw_text_is_cleaned(tmp_path: Path) -> None:
    documents, examples, _ = Kit(tmp_path, "qmsum").lines("test.jsonl", [meeting()]).sorted()
    assert documents[0].text == "A: Hello , {vocalsound} you .\nB: 3 . 5 , yes !"
    assert [e.query for e in examples] == ["Summarize .", "Who spoke ?"]
    assert len({e.example_id for e in examples}) == 2


def test_qmsum_punctuation_stays_apart(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "qmsum").lines("test.jsonl", [meeting()])
    documents, examples, _ = kit.sorted(join_punctuation=True)
    assert documents[0].text == "A: Hello, {vocalsound} you.\nB: 3. 5, yes!"
    assert examples[1].references == ("A did.",)


def paper(answers: list[dict[str, Any]]) -> dict[str, Any]:
    blank = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": ""}
    return {
        "p1": {
            "title": "T",
            "abstract": "Not in the text.",
            "full_text": [
                {"section_name": "Introduction", "paragraphs": ["We use X.", ""]},
                {"section_name": None, "paragraphs": ["More."]},
            ],
            "qas": [
                {
                    "question": "Which data?",
                    "question_id": "q1",
                    "answers": [{"answer": {**blank, **a}} for a in answers],
                }
            ],
        }
    }


def test_qasper_answer_kinds_are_written_otherwise(tmp_path: Path) -> None:
    answers: list[dict[str, Any]] = [
        {"unanswerable": True},
        {"yes_no": True},
        {"yes_no": False},
        {"extractive_spans": ["German-English", "French-English"]},
        {"free_form_answer": "a vocabulary"},
    ]
    documents, examples, _ = Kit(tmp_path, "qasper").file("test.json", json.dumps(paper(answers))).sorted()
    assert examples[0].references == ("Unanswerable", "Yes", "No", "German-English, French-English", "a vocabulary")
    assert documents[0].text == "Introduction\nWe use X.\nMore."  # input assembly vector of scrolls.md 8


def test_quality_letter_is_not_the_option_position(tmp_path: Path) -> None:
    _, examples, _ = Kit(tmp_path, "quality").lines("test", [article(gold=3)]).sorted()
    assert examples[0].references == ("C",)
    assert examples[0].query == "Which?\n\n (A) a one\n (B) b two\n (C) c three\n (D) d four"
    assert examples[0].facts == {"hard": True}


def test_quality_text_output_is_a_letter(tmp_path: Path) -> None:
    _, examples, _ = Kit(tmp_path, "quality").lines("test", [article(gold=3)]).sorted(output="text")
    assert examples[0].references == ("c three",)


def test_early_quality_layout_keeps_its_html(tmp_path: Path) -> None:
    early = {
        "article_id": 9,
        "unique_id": "9_U",
        "title": "T",
        "article": ["<html><head><title>no</title></head>", "<p>\n", "  One &amp; <i>two</i>\n", "</p><p>a &lt; b</p>"],
        "question1": "Which?",
        "question1_gold_label": 4,
        **{f"question1option{n}": f"option {n}" for n in range(1, 5)},
    }
    documents, examples, drops = Kit(tmp_path, "quality").lines("e.jsonl", [early]).sorted()
    assert documents[0].text == "One & two\na < b"
    assert (examples[0].example_id, examples[0].references) == ("9_U_1", ("D",))
    assert drops == []


def hop(answerable: bool, name: str = "2hop__1_2") -> dict[str, Any]:
    paragraphs = [
        {"idx": n, "title": f"T{n}", "paragraph_text": f"Text {n}.", "is_supporting": False} for n in range(20)
    ]
    return {
        "id": name,
        "paragraphs": paragraphs,
        "question": "Who?",
        "answer": "Rome",
        "answer_aliases": ["Roma"],
        "answerable": answerable,
    }


def test_musique_twins_collide_or_keep_the_answer(tmp_path: Path) -> None:
    documents, examples, drops = Kit(tmp_path, "musique").lines("dev.jsonl", [hop(True), hop(False)]).sorted()
    assert drops == []
    assert [e.references for e in examples] == [("Rome",), ("unanswerable",)]
    assert len({e.example_id for e in examples}) == 2
    assert {e.facts["musique_id"] for e in examples} == {"2hop__1_2"}
    assert len(documents) == 20
    assert examples[0].titles == tuple(f"T{n}" for n in range(20))


def test_musique_list_file_is_not_read(tmp_path: Path) -> None:
    _, examples, _ = Kit(tmp_path, "musique").file("s.json", json.dumps([hop(True, "a"), hop(True, "b")])).sorted()
    assert [e.example_id for e in examples] == ["a", "b"]


def test_space_percentage_counts_neutral_reviews(tmp_path: Path) -> None:
    ratings = [5] * 20 + [4] * 15 + [3] * 30 + [2] * 10 + [1] * 5  # 35 of 50 rated ones are positive
    documents, examples, _ = Kit(tmp_path, "space_digest").file("t.json", json.dumps([hotel("h", ratings)])).sorted()
    assert examples[0].references == ("70%",)
    assert len(documents) == len(examples[0].document_ids) == 50
    assert documents[0].text.endswith(" Second.")


def test_space_shows_other_than_50_reviews_or_upstream_order(tmp_path: Path) -> None:
    documents, examples, _ = (
        Kit(tmp_path, "space_digest").file("t.json", json.dumps([hotel("h", [5, 1] * 40)])).sorted()
    )
    texts = {document.document_id: document.text for document in documents}
    shown = [int(texts[one].split()[2].rstrip(".")) for one in examples[0].document_ids]
    assert len(shown) == len(set(shown)) == 50
    assert shown != sorted(shown)
    positive = sum(number % 2 == 0 for number in shown)
    assert examples[0].references == (f"{2 * positive}%",)
    assert examples[0].facts == {"rated_reviews": 80}


def test_hotel_with_49_rated_reviews_is_kept_or_an_error(tmp_path: Path) -> None:
    hotels = [hotel("few", [5] * 49 + [3] * 20), hotel("enough", [5] * 50)]
    _, examples, drops = Kit(tmp_path, "space_digest").file("t.json", json.dumps(hotels)).sorted()
    assert [e.example_id for e in examples] == ["enough"]
    assert [(drop.reason, drop.error) for drop in drops] == [("too few reviews", False)]


def book(kit: Kit, source: str, title: str, names: list[str]) -> None:
    for name in names:
        text = json.dumps({"name": name, "summary": f"Summary of {title} {name} by {source}.\n\nSecond part."})
        kit.file(f"booksum/finished_summaries/{source}/{title}/{name}.txt", text)


def test_book_gold_is_not_the_place_of_each_part_in_the_shuffled_list(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    names = [f"section_{n}_part_0" for n in range(12)]
    book(kit, "shmoop", "A Book", names)
    documents, examples, _ = kit.sorted()
    original = {document.document_id: names.index(document.source_file.split("/")[-1][:-4]) for document in documents}
    assert len(examples) == 4
    assert len({e.document_ids for e in examples}) == 4
    for example in examples:
        shown = [original[one] for one in example.document_ids]  # the true chapter of Summary 1, 2, ...
        gold = [int(one) for one in example.references[0].split(", ")]
        # fact sheet 6: chapters (3, 1, 2) shown as Summary 1, 2, 3 give the gold 2, 3, 1
        assert [shown[one - 1] for one in gold] == list(range(12))
    assert all("\n\n" not in document.text for document in documents)


def test_name_with_a_raised_digit_is_a_traceback() -> None:
    assert sorted(["1\u00b22.txt", "10.txt", "9.txt"], key=natural_key) == ["1\u00b22.txt", "9.txt", "10.txt"]


def test_section_10_comes_before_section_9_and_parts_are_mixed_up(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    names = ["section_10_part_0", "section_9_part_2", "section_9_part_1", "section_2_part_0"]
    book(kit, "gradesaver", "B", names)
    documents, _, _ = kit.sorted()
    found = [document.source_file.split("/")[-1][:-4] for document in documents]
    assert found == ["section_2_part_0", "section_9_part_1", "section_9_part_2", "section_10_part_0"]


def test_second_choice_of_sources_is_taken(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    for source in ("thebestnotes", "gradesaver", "shmoop"):
        book(kit, source, "B", [f"section_{n}_part_0" for n in range(3)])
    documents, examples, _ = kit.sorted()
    assert {document.source_file.split("/")[2] for document in documents} == {"shmoop"}
    assert [e.facts["source"] for e in examples] == ["shmoop"] * 4


def test_book_of_2_or_87_parts_is_kept(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    for title, count in (("Two", 2), ("Three", 3), ("Most", 86), ("More", 87)):
        book(kit, "shmoop", title, [f"section_{n}_part_0" for n in range(count)])
    _, examples, drops = kit.sorted()
    assert {e.facts["book"] for e in examples} == {"Three", "Most"}
    assert sorted(drop.detail for drop in drops) == ["2 parts", "87 parts"]


def narrative(kit: Kit, story_bytes: bytes = b"It was a dark night.\r\nThe end.") -> Kit:
    header = (
        "document_id,set,kind,story_url,story_file_size,wiki_url,wiki_title,story_word_count,story_start,story_end\n"
    )
    rows = 'd1,test,gutenberg,u,1,w,"A, title",7,It was,The end .\nd2,train,movie,u,1,w,T,7,a,b\n'
    kit.file("narrativeqa/documents.csv", header + rows, "documents")
    names = "document_id,set,question,answer1,answer2,question_tokenized,answer1_tokenized,answer2_tokenized\n"
    questions = 'd1,test,"What, when?",Night,Night,q,a,a\nd1,test,Who?,He,She,q,a,a\nd2,train,No?,a,b,q,a,a\n'
    kit.file("narrativeqa/qaps.csv", names + questions, "questions")
    return kit.file("narrativeqa/tmp/d1.content", story_bytes, "stories")


def test_equal_narrative_answers_stand_twice(tmp_path: Path) -> None:
    documents, examples, _ = narrative(Kit(tmp_path, "narrative_qa")).sorted()
    assert [e.references for e in examples] == [("Night",), ("He", "She")]
    assert [e.example_id for e in examples] == ["d1_0", "d1_1"]
    assert documents[0].title == "A, title"


def section(title: str, *paragraphs: str, below: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"section_title": title, "paragraphs": list(paragraphs), "subsections": list(below)}


def test_gov_report_sections_are_out_of_order(tmp_path: Path) -> None:
    crs = {
        "id": "R1",
        "title": "T",
        "summary": ["Short summary."],
        "reports": section(
            "", "Opening.", below=(section("One", "a", below=(section("Deep", "b"),)), section("Two", "c"))
        ),
    }
    gao = {
        "id": "G1",
        "title": "T",
        "highlight": [section("What GAO Found", "Found this.")],
        "report": [section("Background", "Long ago."), section("End", "Now.")],
    }
    kit = Kit(tmp_path, "gov_report")
    kit.file("crs/R1.json", json.dumps(crs), "crs").file("gao/G1.json", json.dumps(gao), "gao")
    kit.file("split_ids/crs_test.ids", "R1\n", "ids").file("split_ids/gao_test.ids", "G1\n", "ids")
    documents, examples, drops = kit.sorted()
    assert drops == []
    assert [d.text for d in documents] == ["Opening.\nOne\na\nDeep\nb\nTwo\nc", "Background\nLong ago.\nEnd\nNow."]
    assert [e.references for e in examples] == [("Short summary.",), ("Found this.",)]
    lines = Kit(tmp_path / "hub", "gov_report")
    for agency, report in (("crs", crs), ("gao", gao)):
        name = f"data/{agency}_test.jsonl"
        lines.file(name, json.dumps(report) + "\n", agency).roles.setdefault("ids", []).append(name)
    from_hub, its_examples, drops = lines.sorted()
    assert drops == []
    assert [d.document_id for d in from_hub] == [d.document_id for d in documents]
    assert [d.source_record for d in from_hub] == ["line 1", "line 1"]
    assert its_examples == examples


def test_episode_id_keeps_the_ending_of_its_file(tmp_path: Path) -> None:
    record = {"filename": "fd_Gilmore_Girls_01x13.json", "Transcript": ["A: Hi.", "B: Ho."], "Recap": ["They meet."]}
    documents, examples, _ = Kit(tmp_path, "summ_screen_fd").lines("fd_test.json", [record]).sorted()
    assert examples[0].example_id == "fd_Gilmore_Girls_01x13"
    assert documents[0].text == "A: Hi.\nB: Ho."


def test_document_shared_by_examples_stands_twice(tmp_path: Path) -> None:
    other = {**hop(True, "other"), "question": "Where?"}
    documents, examples, _ = Kit(tmp_path, "musique").lines("dev.jsonl", [hop(True), other]).sorted()
    assert len(documents) == 20
    assert len(examples) == 2


def test_permutations_change_with_another_book(tmp_path: Path) -> None:
    orders = []
    for folder, titles in (("a", ["B"]), ("b", ["A", "B", "C"])):
        kit = Kit(tmp_path / folder, "book_sum_sort")
        for title in titles:
            book(kit, "shmoop", title, [f"section_{n}_part_0" for n in range(8)])
        orders.append([e.references for e in kit.sorted()[1] if e.facts["book"] == "B"])
    assert all(before == after for before, after in pairwise(orders))


@pytest.mark.parametrize("seed", [1, 2])
def test_seed_changes_nothing(tmp_path: Path, seed: int) -> None:
    kit = Kit(tmp_path, "space_digest").file("t.json", json.dumps([hotel("h", [5, 1] * 40)]))
    assert kit.sorted(seed=seed)[1][0].document_ids != kit.sorted(seed=0)[1][0].document_ids
