"""Where the data sets are at the edge of their rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrollwork.preprocessing.datasets.space_digest import percentage
from scrollwork.preprocessing.raw.errors import MalformedFile
from scrollwork.records.example import Example, metadata
from tests.preprocessing.raw_kit import Kit, article, hotel, story
from tests.preprocessing.sampling_kit import choose


def book(kit: Kit, title: str, texts: list[str], source: str = "shmoop") -> None:
    for number, text in enumerate(texts):
        name = f"booksum/finished_summaries/{source}/{title}/section_{number}_part_0.txt"
        kit.file(name, json.dumps({"name": "n", "summary": text}))


def test_gold_of_chapters_3_1_2_is_not_2_3_1(tmp_path: Path) -> None:
    """The fact sheet's own check (section 6), on every book of which a permutation shows (3, 1, 2)."""
    kit = Kit(tmp_path, "book_sum_sort")
    for number in range(6):
        book(kit, f"B{number}", [f"Day {day} of week {number}." for day in (1, 2, 3)])
    documents, examples, _ = kit.sorted()
    chapter = {document.document_id: int(document.text.split()[1]) for document in documents}
    golds = {}
    for example in examples:
        shown = tuple(chapter[one] for one in example.document_ids)
        golds.setdefault(shown, set()).update(example.references)
    assert golds[3, 1, 2] == {"2, 3, 1"}
    assert golds[1, 2, 3] == {"1, 2, 3"}
    assert golds[2, 3, 1] == {"3, 1, 2"}
    assert len(golds) == 6  # every order comes up, the true one too


def test_short_book_never_ends_for_lack_of_permutations(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    book(kit, "Two", ["One.", "Two."])
    _, examples, _ = kit.sorted(fewest=2)
    assert sorted(example.references[0] for example in examples) == ["1, 2", "2, 1"]


def test_book_with_two_equal_summaries_has_two_right_orders(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    book(kit, "Same", ["One.", "Two.", "One."])
    book(kit, "Good", ["One.", "Two.", "Three."])
    _, examples, drops = kit.sorted()
    assert {example.facts["book"] for example in examples} == {"Good"}
    assert [(drop.reason, drop.error) for drop in drops] == [("repeated summary", False)]
    assert drops[0].record == "booksum/finished_summaries/shmoop/Same"


def test_one_play_under_two_titles_is_two_books(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    book(kit, "The Tragedy of Mara", ["One.", "Two.", "Three."], "shmoop")
    book(kit, "Mara", ["Eins.", "Zwei.", "Drei."], "sparknotes")
    book(kit, "High Tide, or What You Fear", ["Four.", "Five.", "Six."], "shmoop")
    book(kit, "High Tide", ["Vier.", "Fünf.", "Sechs."], "gradesaver")
    book(kit, "The Tide or the Lamp", ["Seven.", "Eight.", "Nine."], "shmoop")
    book(kit, "The Tide", ["Ten.", "Eleven.", "Twelve."], "shmoop")
    _, examples, _ = kit.sorted()
    titles = {example.facts["book"] for example in examples}
    assert titles == {"Mara", "High Tide, or What You Fear", "The Tide or the Lamp", "The Tide"}


def test_analysis_of_the_whole_book_without_a_name_is_its_last_part(tmp_path: Path) -> None:
    def written(title: str, analyses: list[str]) -> None:
        for number, analysis in enumerate(analyses):
            text = json.dumps({"name": "", "summary": f"{title} {number}.", "analysis": analysis})
            kit.file(f"booksum/finished_summaries/sparknotes/{title}/section_{number}_part_0.txt", text)

    kit = Kit(tmp_path, "book_sum_sort")
    written("Guided", ["It rains.", "It hails.", "It snows.", ""])
    written("Bare", ["", "", "", ""])
    written("Gaps", ["It rains.", "", "It snows.", ""])
    _, examples, drops = kit.sorted()
    assert {example.facts["book"]: example.facts["parts"] for example in examples} == {
        "Guided": 3,
        "Bare": 4,
        "Gaps": 4,
    }
    assert [(drop.record.split("/")[-2:], drop.reason, drop.error) for drop in drops] == [
        (["Guided", "section_3_part_0.txt"], "introduction or overview", False)
    ]


def test_place_of_a_part_reaches_the_prompt(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    book(kit, "B", ["Chapter 1\n\nRain falls.", "In Chapter 2, hail falls.", "Snow falls in the last chapter."])
    documents, examples, _ = kit.sorted()
    assert [document.text for document in documents] == ["Rain falls.", "Hail falls.", "Snow falls in another chapter."]
    assert examples[0].facts["edits"] == {"title_line": 1, "opener": 1, "ordinal": 1}
    documents, examples, _ = kit.sorted(edits=[])
    assert "Chapter 1\nRain falls." in {document.text for document in documents}
    assert examples[0].facts["edits"] == {}


def test_book_whose_parts_are_equal_without_their_numbers_has_two_right_orders(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    book(kit, "Same", ["Chapter 1\nRain.", "Chapter 2\nRain.", "Chapter 3\nSnow."])
    book(kit, "Bare", ["Chapter 1", "Chapter 2\nRain.", "Chapter 3\nSnow.", "Hail."])
    book(kit, "Good", ["One.", "Two.", "Three."])
    _, examples, drops = kit.sorted()
    assert {example.facts["book"] for example in examples} == {"Good"}
    assert {(drop.reason, drop.error) for drop in drops} == {
        ("repeated summary", False),
        ("part without text after its edits", False),
    }


def test_introduction_is_shown_as_a_part(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    for number, name in enumerate(["Introduction", "Chapter 1", "Chapter 2", "Epilogue", "Overall Analysis"]):
        text = json.dumps({"name": name, "summary": f"Day {number}."})
        kit.file(f"booksum/finished_summaries/shmoop/B/section_{number}_part_0.txt", text)
    documents, _, drops = kit.sorted()
    assert [document.text for document in documents] == ["Day 1.", "Day 2.", "Day 3."]
    assert [(drop.reason, drop.error) for drop in drops] == [("introduction or overview", False)] * 2
    assert drops[0].record.endswith("shmoop/B/section_0_part_0.txt")
    assert len(kit.sorted(edits=["number"])[0]) == 5


def test_book_in_two_spellings_counts_twice(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "book_sum_sort")
    book(kit, "Tess of the D'Urbervilles", ["One.", "Two.", "Three."])
    book(kit, "Tess of the d’Urbervilles", ["Four.", "Five.", "Six."], source="gradesaver")
    book(kit, "The Consolation", ["One.", "Two.", "Four."])
    book(kit, "Consolation", ["Four.", "Five.", "Seven."], source="sparknotes")
    _, examples, _ = kit.sorted()
    assert {(example.facts["book"], example.facts["source"]) for example in examples} == {
        ("Tess of the D'Urbervilles", "shmoop"),
        ("Consolation", "sparknotes"),
    }


@pytest.mark.parametrize(("positive", "written"), [(0, 0), (1, 2), (25, 50), (49, 98), (50, 100)])
def test_percentage_is_not_twice_the_positives(positive: int, written: int) -> None:
    assert percentage(positive, 50) == written


def test_half_a_percent_is_rounded_down() -> None:
    assert (percentage(1, 200), percentage(1, 201)) == (1, 0)


@pytest.mark.parametrize(("ratings", "gold"), [([4] * 50, "100%"), ([2] * 50, "0%"), ([4] * 25 + [2] * 25, "50%")])
def test_ratings_2_and_4_are_neutral(tmp_path: Path, ratings: list[int], gold: str) -> None:
    _, examples, _ = Kit(tmp_path, "space_digest").file("t.json", json.dumps([hotel("h", ratings)])).sorted()
    assert examples[0].references == (gold,)


def test_rating_is_shown_to_the_model(tmp_path: Path) -> None:
    record = hotel("h", [5] * 50)
    record["reviews"][0]["sentences"] = ["  Good pool. ", "Bad food.  "]
    documents, _, _ = Kit(tmp_path, "space_digest").file("t.json", json.dumps([record])).sorted()
    texts = {document.text for document in documents}
    assert "Good pool. Bad food." in texts
    assert {text for text in texts if "5" in text} == {f"Review h {n}. Second." for n in range(1, 50) if "5" in str(n)}


def early(**fields: Any) -> dict[str, Any]:
    options = {f"question{q}option{n}": f"option {n}" for q in (1, 2) for n in range(1, 5)}
    base = {"article_id": 1, "unique_id": "u", "title": "T", "article": ["<p>Text.</p>"]}
    gold = {"question1_gold_label": 1, "question2_gold_label": 2}
    return {**base, "question1": "One?", "question2": "Two?", **gold, **options, **fields}


def test_bad_question_of_the_early_layout_takes_the_other_along(tmp_path: Path) -> None:
    for bad in ({"question1option3": None}, {"question1_gold_label": 5}, {"question1": 7}):
        folder = tmp_path / next(iter(bad))
        _, examples, drops = Kit(folder, "quality").lines("e.jsonl", [early(**bad)]).sorted()
        assert [(example.example_id, example.references) for example in examples] == [("u_2", ("B",))]
        assert "e.jsonl, line 1, question1" in drops[0].detail


def test_unknown_output_of_quality_is_taken(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "quality").lines("q", [article()])
    with pytest.raises(ValueError, match="letter, text, is 'number'"):
        kit.sorted(output="number")


@pytest.mark.parametrize("output", ["letter", "text"])
def test_options_are_lost_for_the_scorer(tmp_path: Path, output: str) -> None:
    _, examples, _ = Kit(tmp_path, "quality").lines("q", [article(gold=1)]).sorted(output=output)
    assert examples[0].options == ("a one", "b two", "c three", "d four")


def test_blank_section_name_costs_the_paper(tmp_path: Path) -> None:
    answer = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": "x"}
    sections = [{"section_name": name, "paragraphs": [f"P{n}."]} for n, name in enumerate(["A", " ", "", None])]
    asked = {"question": "Q?", "question_id": "q", "answers": [{"answer": answer}]}
    papers = {"p": {"title": None, "full_text": sections, "qas": [asked]}}
    documents, _, drops = Kit(tmp_path, "qasper").file("q.json", json.dumps(papers)).sorted()
    assert drops == []
    assert documents[0].text == "A\nP0.\nP1.\nP2.\nP3."


@pytest.mark.parametrize("split", ["test", "validation"])
def test_narrative_questions_of_another_split_are_asked(tmp_path: Path, split: str) -> None:
    kit = Kit(tmp_path, "narrative_qa")
    listed = "".join(f"{name},{name},movie,T\n" for name in ("train", "valid", "test"))
    kit.file("d.csv", "document_id,set,kind,wiki_title\n" + listed, "documents")
    asked = "".join(f"{name},{name},Q of {name}?,a,b\n" for name in ("train", "valid", "test"))
    kit.file("q.csv", "document_id,set,question,answer1,answer2\n" + asked, "questions")
    for name in ("train", "valid", "test"):
        kit.file(f"tmp/{name}.content", f"Story of {name}.", "stories")
    rows = kit.sorted(split=split)
    upstream = "valid" if split == "validation" else "test"
    assert [document.text for document in rows[0]] == [f"Story of {upstream}."]
    assert [example.query for example in rows[1]] == [f"Q of {upstream}?"]


def test_empty_story_stops_the_others(tmp_path: Path) -> None:
    kit = Kit(tmp_path, "narrative_qa")
    kit.file("d.csv", "document_id,set,kind\na,test,movie\nb,test,movie\n", "documents")
    kit.file("q.csv", "document_id,set,question,answer1,answer2\na,test,Q?,x,y\nb,test,Q?,x,y\n", "questions")
    kit.file("tmp/a.content", "", "stories").file("tmp/b.content", "Text.", "stories")
    _, examples, drops = kit.sorted()
    assert [example.example_id for example in examples] == ["b_0"]
    assert drops[0].detail == "tmp/a.content: is empty"


@pytest.mark.parametrize("agency", ["crs", "gao"])
def test_broken_report_stops_the_others(tmp_path: Path, agency: str) -> None:
    section = {"section_title": "S", "paragraphs": ["Text."], "subsections": []}
    good = {
        "id": "R1",
        "title": "T",
        "summary": ["S."],
        "reports": section,
        "report": [section],
        "highlight": [section],
    }
    kit = Kit(tmp_path, "gov_report").file(f"split_ids/{agency}_test.ids", "R0\n\nR1\nR2\n", "ids")
    kit.file(f"{agency}/R0.json", b"{\xff}", agency).file(f"{agency}/R1.json", json.dumps(good), agency)
    bad = {**good, "id": "R2", "reports": {**section, "paragraphs": "text"}, "report": [{**section, "paragraphs": [1]}]}
    kit.file(f"{agency}/R2.json", json.dumps(bad), agency)
    _, examples, drops = kit.sorted()
    assert [example.example_id for example in examples] == ["R1"]
    assert [drop.reason for drop in drops] == ["invalid UTF-8", "wrong type"]
    assert f"{agency}/R0.json" in drops[0].detail
    assert f"{agency}/R2.json" in drops[1].detail
    assert 'field "paragraphs"' in drops[1].detail


def test_every_record_bad_in_one_data_set_is_an_empty_benchmark(tmp_path: Path) -> None:
    with pytest.raises(MalformedFile, match=r"no usable record among 1; the first: t\.json, item 0, reviews\[0\]"):
        Kit(tmp_path, "space_digest").file("t.json", json.dumps([hotel("h", [9])])).sorted()


def test_story_without_questions_is_an_error(tmp_path: Path) -> None:
    _, examples, drops = Kit(tmp_path, "squality").lines("t.jsonl", [story("a", questions=0), story("b")]).sorted()
    assert ([example.example_id for example in examples], drops) == (["b_1"], [])


# --- sampling --------------------------------------------------------------------------------------------------------


def twin(number: int, answerable: bool) -> Example:
    name = f"{number}" if answerable else f"{number}_unanswerable"
    return Example("t", "test", name, ("d",), ("r",), metadata=metadata(answerable=answerable, musique_id=str(number)))


def test_added_pair_of_twins_moves_more_than_its_own_place() -> None:
    policy = {"size": 100, "by": "answerable", "strata": {"true": 80, "false": 20}, "unique_by": "musique_id"}
    pairs = [twin(number, kind) for number in range(300) for kind in (True, False)]

    def chosen(examples: list[Example]) -> set[str]:
        return {one.example_id for one in choose(examples, suite="s", seed=0, **policy)}  # type: ignore[arg-type]

    whole = chosen(pairs)
    assert len(whole) == 100
    for number in range(0, 300, 30):
        before = chosen([one for one in pairs if one.facts["musique_id"] != str(number)])
        # at most: the added one pushes out one of each stratum, and frees the twin of the one pushed out
        assert len(whole - before) <= 2


@pytest.mark.parametrize("seed", range(20))
def test_only_unanswerable_version_is_lost_to_its_twin(seed: int) -> None:
    policy = {"size": 4, "by": "answerable", "strata": {"true": 3, "false": 1}, "unique_by": "musique_id"}
    examples = [twin(0, answerable=False), *(twin(number, answerable=True) for number in range(4))]
    found = choose(examples, suite="s", seed=seed, **policy)  # type: ignore[arg-type]
    assert [one.example_id for one in found] == ["0_unanswerable", "1", "2", "3"]


def test_limit_takes_other_examples_than_the_whole_benchmark() -> None:
    examples = [Example("t", "test", f"e{number}", ("d",), ("r",)) for number in range(200)]
    sizes = [{one.example_id for one in choose(examples, suite="s", seed=0, size=size)} for size in (1, 5, 50, 500)]
    assert [len(one) for one in sizes] == [1, 5, 50, 200]
    assert sizes[0] < sizes[1] < sizes[2] < sizes[3]


def test_task_name_does_not_enter_the_choice() -> None:
    chosen = []
    for task in ("a", "b"):
        examples = [Example(task, "test", f"e{number}", ("d",), ("r",)) for number in range(200)]
        chosen.append({one.example_id for one in choose(examples, suite="s", seed=0, size=50)})
    assert chosen[0] != chosen[1]
