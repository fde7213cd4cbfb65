"""A generated raw folder for the whole of ZeroSCROLLS at the published sizes: ten upstream layouts, 4,378 inputs.

Documents have the words of table 1 of the paper on average, and there are as many as upstream's test splits have, so
that sampling has something to leave out: GovReport 973 reports, SummScreen 337 episodes, QMSum 35 meetings, SQuALITY 52
stories, Qasper 416 papers, NarrativeQA 355 stories, QuALITY 115 articles, MuSiQue 4,834 questions. Fewer than upstream:
SPACE 600 hotels, as many as are needed; BookSum the 125 books that give 500 inputs.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.kit import reports
from benchmarks.kit.prose import Prose


def write(raw: Path, times: float = 1) -> int:
    """Write all ten data sets with `times` the documents; how many documents."""
    return sum(part(raw, max(1, round(count * times))) for part, count in PARTS.items())


def gov_report(raw: Path, count: int) -> int:
    """One file a report, in two agencies."""
    root = raw / "gov_report" / "gov-report"
    for agency in ("crs", "gao"):
        ids = []
        (root / agency).mkdir(parents=True, exist_ok=True)
        for record in reports.records((count + 1) // 2, agency):
            ids.append(record["id"])
            (root / agency / f"{ids[-1]}.json").write_text(json.dumps(record), encoding="utf-8")
        text(root / "split_ids" / f"{agency}_test.ids", "".join(f"{name}\n" for name in ids))
    return 2 * ((count + 1) // 2)


def summ_screen_fd(raw: Path, count: int) -> int:
    """Episodes of about 5,650 words."""
    prose = Prose(2)

    def episode(number: int) -> dict[str, Any]:
        script = [f"Anna: {line}" for line in prose.paragraphs(prose.around(5_250), each=14)]
        recap = [prose.words(100)]
        return {"filename": f"fd_Show_{number}.json", "Show Title": "Show", "Transcript": script, "Recap": recap}

    return lines(raw / "summ_screen_fd" / "SummScreen" / "fd_test.json", map(episode, range(count)))


def qmsum(raw: Path, count: int) -> int:
    """Meetings of about 10,800 words with eight queries each, the first with nine."""
    prose = Prose(3)

    def query() -> dict[str, str]:
        return {"query": prose.words(12), "answer": prose.words(70)}

    def meeting(number: int) -> dict[str, Any]:
        turns = [{"speaker": "Chair", "content": turn} for turn in prose.paragraphs(prose.around(10_500), each=30)]
        specific = [query() for _ in range(7)]
        general = [query() for _ in range(1 if number else 2)]
        return {"general_query_list": general, "specific_query_list": specific, "meeting_transcripts": turns}

    return lines(raw / "qmsum" / "data" / "ALL" / "jsonl" / "test.jsonl", map(meeting, range(count)))


def squality(raw: Path, count: int) -> int:
    """Stories of about 4,950 words, five questions each, four answers a question."""
    prose = Prose(4)

    def question(number: int) -> dict[str, Any]:
        responses = [{"worker_id": "1", "uid": "u", "response_text": prose.words(230)} for _ in range(4)]
        return {"question_text": prose.words(8), "question_number": number, "responses": responses}

    def story(number: int) -> dict[str, Any]:
        document = "\n\n".join(prose.paragraphs(prose.around(4_950)))
        about = {"passage_id": str(number), "uid": "u", "license": ""}
        return {"metadata": about, "document": document, "questions": [question(n) for n in range(1, 6)]}

    return lines(raw / "squality" / "v1-2" / "txt" / "test.jsonl", map(story, range(count)))


def qasper(raw: Path, count: int) -> int:
    """One object of papers of about 3,500 words, three questions each."""
    prose = Prose(5)

    def question(name: str) -> dict[str, Any]:
        found = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": prose.words(12)}
        return {"question": prose.words(9), "question_id": name, "answers": [{"answer": found}]}

    def paper(number: int) -> dict[str, Any]:
        body = prose.paragraphs(prose.around(3_480), each=100)
        parts = [{"section_name": f"S{n}", "paragraphs": body[n : n + 4]} for n in range(0, len(body), 4)]
        asked = [question(f"{number}-{n}") for n in range(3)]
        return {"title": prose.words(8), "abstract": prose.words(150), "full_text": parts, "qas": asked}

    papers = {f"2001.{number:05d}": paper(number) for number in range(count)}
    text(raw / "qasper" / "qasper-test-v0.3.json", json.dumps(papers))
    return count


def narrative_qa(raw: Path, count: int) -> int:
    """Books of about 49,000 words in hard-wrapped lines, thirty questions each."""
    prose = Prose(6)
    root = raw / "narrativeqa"
    documents: list[list[object]] = []
    questions: list[list[object]] = []
    for number in range(count):
        name = f"{number:040x}"
        body = "\r\n".join(prose.paragraphs(prose.around(49_000), each=11))
        marks = f"*** {{}} OF THIS PROJECT GUTENBERG EBOOK BOOK {number} ***"
        whole = f"{marks.format('START')}\r\n\r\n{body}\r\n\r\n{marks.format('END')}\r\n"
        text(root / "tmp" / f"{name}.content", whole)
        documents.append([name, "test", "gutenberg", "u", len(whole), "w", f"Book {number}", 49_000, "a b", "y z"])
        for _ in range(30):
            asked = [prose.words(9), prose.words(4), prose.words(5)]
            questions.append([name, "test", *asked, *asked])
    head = "document_id,set,kind,story_url,story_file_size,wiki_url,wiki_title,story_word_count,story_start,story_end"
    table(root / "documents.csv", head, documents)
    head = "document_id,set,question,answer1,answer2,question_tokenized,answer1_tokenized,answer2_tokenized"
    table(root / "qaps.csv", head, questions)
    return count


def quality(raw: Path, count: int) -> int:
    """Articles of about 4,150 words, eighteen questions each."""
    prose = Prose(7)

    def article(number: int) -> dict[str, Any]:
        questions = [
            {
                "question": prose.words(12),
                "question_unique_id": f"{number}_{n}",
                "options": [prose.words(10) for _ in range(4)],
                "gold_label": 1 + prose.below(4),
                "difficult": n % 2,
            }
            for n in range(18)
        ]
        body = "\n\n".join(prose.paragraphs(prose.around(4_150)))
        return {"article_id": str(number), "title": prose.words(4), "article": body, "questions": questions}

    return lines(raw / "quality" / "QuALITY.v1.0.1.htmlstripped.test", map(article, range(count)))


def musique(raw: Path, count: int) -> int:
    """Questions over twenty paragraphs of about 82 words; every second is the unanswerable twin of the one before."""
    prose = Prose(8)

    def question(number: int) -> dict[str, Any]:
        paragraphs = [
            {"idx": n, "title": prose.words(3), "paragraph_text": prose.words(prose.around(82)), "is_supporting": n < 2}
            for n in range(20)
        ]
        asked = {"question": prose.words(15), "answer": prose.words(2), "answer_aliases": []}
        return {"id": f"2hop__{number // 2}", "paragraphs": paragraphs, **asked, "answerable": number % 2 == 0}

    return lines(raw / "musique" / "data" / "musique_full_v1.0_dev.jsonl", map(question, range(count)))


def space_digest(raw: Path, count: int) -> int:
    """Hotels of 60 reviews of about 107 words, of which ten are neutral or more."""
    prose = Prose(9)

    def hotel(number: int) -> dict[str, Any]:
        reviews = [
            {"review_id": str(n), "rating": 1 + (n % 8) % 5, "sentences": prose.paragraphs(prose.around(107), each=15)}
            for n in range(66)
        ]
        return {"entity_id": str(number), "entity_name": f"Hotel {number}", "reviews": reviews}

    text(raw / "space" / "space_train.json", json.dumps([hotel(number) for number in range(count)]))
    return count


def book_sum_sort(raw: Path, count: int) -> int:
    """Books of 10 to 29 parts, each summarised in about 350 words, one file a part."""
    prose = Prose(10)
    for number in range(count):
        root = raw / "booksum" / "finished_summaries" / "sparknotes" / f"Book {number}"
        for part in range(10 + number % 20):
            record = {"name": f"Chapter {part}", "summary": prose.words(prose.around(350)), "analysis": ""}
            text(root / f"section_{part}_part_0.txt", json.dumps(record))
    return count


def text(path: Path, data: str) -> None:
    """A file of UTF-8, newlines as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode("utf-8"))


def lines(path: Path, records: Iterable[dict[str, Any]]) -> int:
    """JSON Lines; how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        return sum(1 for record in records if out.write(json.dumps(record) + "\n"))


def table(path: Path, head: str, rows: Iterable[Iterable[object]]) -> None:
    """A CSV file."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(head.split(","))
        writer.writerows(rows)


PARTS: dict[Callable[[Path, int], int], int] = {
    gov_report: 973,
    summ_screen_fd: 337,
    qmsum: 35,
    squality: 52,
    qasper: 416,
    narrative_qa: 355,
    quality: 115,
    musique: 4_834,
    space_digest: 600,
    book_sum_sort: 125,
}
