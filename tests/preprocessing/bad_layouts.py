"""Every data set as three small records in its upstream layout, so that the middle one can be spoiled.

`victim` is the record in the middle. Whatever is done to it, the rows of the other two must not change by a byte.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrollwork.preprocessing.datasets.longbench_prompts import FORMS as LONGBENCH
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example
from tests.preprocessing.raw_kit import OPTIONS, Kit

NAMES = ("before", "victim", "after")
Files = dict[tuple[str, str], bytes]  # (role, name) -> bytes
Path_ = tuple[str | int, ...]


class Gone:
    """In place of a value: the field is left out."""


GONE = Gone()
DEEP = "@nested without end@"  # in place of a value: brackets nested deeper than any decoder follows
DEPTH = 100_000


@dataclass(frozen=True)
class Layout:
    """A data set. make(name, number): one record. files(records): how upstream lays them out; a record that is a str is
    raw JSON. fields: what each field must be (see bad_values.py). where: how a message names the victim."""

    dataset: str
    make: Callable[[str, int], Any]
    files: Callable[[list[Any]], Files]
    where: str
    fields: Mapping[Path_, tuple[str, int | None]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    one_object: bool = False  # a file is one JSON object: what breaks its syntax breaks it for all

    def records(self) -> list[Any]:
        """The three records, undamaged."""
        return [self.make(name, number) for number, name in enumerate(NAMES)]

    def spoiled(self, path: Path_, value: Any) -> Files:
        """The files with the value put into the victim."""
        records = self.records()
        whole = path in ((), (1,)) and isinstance(value, str)
        records[1] = put(records[1], path, json.dumps(value) if whole else value)
        return self.files(records)


def put(record: Any, path: Path_, value: Any) -> Any:
    """A copy of the record with the value at the path."""
    record = copy.deepcopy(record)
    if not path:
        return value
    inner = record
    for step in path[:-1]:
        inner = inner[step]
    if value is GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return record


def paths(value: Any, prefix: Path_ = ()) -> list[Path_]:
    """Every place in a JSON value."""
    found: list[Path_] = [prefix]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += paths(inner, (*prefix, key))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            found += paths(inner, (*prefix, index))
    return found


def text(record: Any) -> str:
    """A record as JSON; a str stands as it is."""
    written = record if isinstance(record, str) else json.dumps(record)
    return written.replace(json.dumps(DEEP), "[" * DEPTH + "]" * DEPTH)


def curated(layout: Layout, folder: Path, files: Files) -> tuple[list[Row], list[Drop]]:
    """(documents and examples, drops) in order."""
    kit = Kit(folder, layout.dataset)
    for (role, name), data in files.items():
        kit.file(name, data, role)
    rows = list(kit.rows(**{**OPTIONS.get(layout.dataset, {}), **layout.options}))
    return [row for row in rows if not isinstance(row, Drop)], [row for row in rows if isinstance(row, Drop)]


@dataclass(frozen=True)
class Clean:
    """The rows of the undamaged records, by record."""

    before: list[Row]
    victim: list[Row]
    after: list[Row]

    @property
    def examples(self) -> list[Example]:
        return [row for row in self.victim if isinstance(row, Example)]

    def rest(self, rows: list[Row]) -> list[Row]:
        """What is between the rows of the other records, which must stand as they are."""
        first, last = len(self.before), len(rows) - len(self.after)
        assert rows[:first] == self.before, "the record before the bad one has other rows"
        assert rows[last:] == self.after, "the record behind the bad one has other rows"
        return rows[first:last]


def clean(layout: Layout, folder: Path) -> Clean:
    """The rows of the undamaged records; each record has some."""
    rows, drops = curated(layout, folder, layout.files(layout.records()))
    assert drops == []
    owner: dict[str, str] = {}
    found: dict[str, list[Row]] = {name: [] for name in NAMES}
    for row in rows:
        if isinstance(row, Document):
            (owner[row.document_id],) = (name for name in NAMES if name in row.text)
            found[owner[row.document_id]].append(row)
        else:
            assert isinstance(row, Example)
            found[owner[row.document_ids[0]]].append(row)
    assert all(any(isinstance(row, Example) for row in own) for own in found.values())
    assert [*found["before"], *found["victim"], *found["after"]] == rows
    return Clean(**found)


# ---- how files are laid out


def json_lines(name: str) -> Callable[[list[Any]], Files]:
    return lambda records: {("records", name): "".join(text(one) + "\n" for one in records).encode()}


def json_list(name: str) -> Callable[[list[Any]], Files]:
    return lambda records: {("records", name): f"[{', '.join(text(one) for one in records)}]".encode()}


def papers(records: list[Any]) -> Files:
    inner = ", ".join(f'"{name}": {text(one)}' for name, one in zip(NAMES, records, strict=False))
    return {("records", "qasper/qasper-test-v0.3.json"): f"{{{inner}}}".encode()}


LABELS = {name: {"short_description": name, "hypothesis": f"Hypothesis {name}."} for name in ("nda-1", "nda-2")}


def rendered(form: str) -> Callable[[list[Any]], Files]:
    """Records: rendered prompts of LongBench, by name."""

    def files(records: list[Any]) -> Files:
        inner = ", ".join(f'"{name}": {text(one)}' for name, one in zip(NAMES, records, strict=False))
        return {("records", f"longbench/MiniLongBench_{form}.json"): f"{{{inner}}}".encode()}

    return files


def contracts(records: list[Any], labels: Any = LABELS) -> Files:
    inner = ", ".join(text(one) for one in records)
    return {
        ("records", "contract_nli/test.json"): f'{{"documents": [{inner}], "labels": {json.dumps(labels)}}}'.encode()
    }


def reports(agency: str) -> Callable[[list[Any]], Files]:
    def files(records: list[Any]) -> Files:
        made: Files = {("ids", f"split_ids/{agency}_test.ids"): "".join(f"{name}\n" for name in NAMES).encode()}
        for name, one in zip(NAMES, records, strict=False):
            made[agency, f"{agency}/{name}.json"] = text(one).encode()
        return made

    return files


TITLES = dict(zip(NAMES, ("Ash before", "Birch victim", "Cedar after"), strict=True))


def books(records: list[Any]) -> Files:
    made: Files = {}
    for title, parts in zip(TITLES.values(), records, strict=False):
        for number, one in enumerate(parts):
            made["records", f"booksum/finished_summaries/shmoop/{title}/section_{number}_part_0.txt"] = text(
                one
            ).encode()
    return made


STORY_COLUMNS = "document_id,set,kind,story_url,wiki_title,story_start,story_end"
QUESTION_COLUMNS = "document_id,set,question,answer1,answer2,question_tokenized"


def stories(records: list[Any]) -> Files:
    """Records: (row of documents.csv, rows of qaps.csv, story)."""
    listed = "".join(row + "\n" for row, _, _ in records)
    asked = "".join(row + "\n" for _, rows, _ in records for row in rows)
    made: Files = {
        ("documents", "narrativeqa/documents.csv"): f"{STORY_COLUMNS}\n{listed}".encode(),
        ("questions", "narrativeqa/qaps.csv"): f"{QUESTION_COLUMNS}\n{asked}".encode(),
    }
    for name, (_, _, story) in zip(NAMES, records, strict=False):
        made["stories", f"narrativeqa/tmp/{name}.content"] = story
    return made


def news(records: list[Any]) -> Files:
    """Records with documents and summaries, as the hub has them."""
    return {("articles", "multi_news/hub/test/rows.jsonl"): "".join(text(one) + "\n" for one in records).encode()}


def news_lines(records: list[Any]) -> Files:
    """Records: (line of articles, line of summaries)."""
    return {
        ("articles", "multi_news/data/test.src.cleaned"): b"".join(document + b"\n" for document, _ in records),
        ("summaries", "multi_news/data/test.tgt"): b"".join(summary + b"\n" for _, summary in records),
    }


def cells(name: str) -> Callable[[list[Any]], Files]:
    """Records: cells by column."""

    def files(records: list[Any]) -> Files:
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(records)
        return {("records", name): stream.getvalue().encode()}

    return files


def topics(records: list[Any]) -> Files:
    """Records: (rows of the list of sentences, XML by file name)."""
    listed = "".join(row + "\n" for rows, _ in records for row in rows)
    made: Files = {("sentences", "ecb_plus/sentences.csv"): f"Topic,File,Sentence Number\n{listed}".encode()}
    for _, documents in records:
        for name, xml in documents.items():
            made["documents", f"ecb_plus/ECB+/{name.partition('_')[0]}/{name}"] = xml.encode()
    return made


# ---- the records


def section(title: str, *paragraphs: str, below: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {"section_title": title, "paragraphs": list(paragraphs), "subsections": list(below)}


def crs(name: str, number: int) -> dict[str, Any]:
    tree = section("", f"Opening of {name}.", below=(section("One", f"First {number}.", below=(section("Two", "x"),)),))
    return {"id": name, "title": "T", "released_date": "", "summary": [f"Summary {number}.", "More."], "reports": tree}


def gao(name: str, number: int) -> dict[str, Any]:
    return {
        "id": name,
        "title": "T",
        "highlight": [section("What GAO Found", f"Found {number}.")],
        "report": [
            section("Background", f"Long ago in {name}."),
            section("End", "Now.", below=(section("Deep", "y"),)),
        ],
    }


def episode(name: str, number: int) -> dict[str, Any]:
    return {
        "filename": f"{name}.json",
        "Show Title": "Show",
        "Episode Title": f"Episode {number}",
        "Transcript": [f"A: It is {name}.", "B: Ho."],
        "Recap": [f"They meet {number}.", "They part."],
    }


def meeting(name: str, number: int) -> dict[str, Any]:
    return {
        "topic_list": [{"topic": "t", "relevant_text_span": [["0", "1"]]}],
        "general_query_list": [{"query": f"Summarize {number} .", "answer": "They met ."}],
        "specific_query_list": [
            {"query": "Who spoke ?", "answer": f"A did in {number} .", "relevant_text_span": [["0", "1"]]},
            {"query": "Who left ?", "answer": "Nobody .", "relevant_text_span": []},
        ],
        "meeting_transcripts": [{"speaker": "A", "content": f"This is {name} ."}, {"speaker": "B", "content": "Yes ."}],
    }


def squality_story(name: str, number: int) -> dict[str, Any]:
    questions = [
        {
            "question_text": f"Question {n}?",
            "question_number": n,
            "responses": [
                {"worker_id": "w", "uid": str(k), "response_text": f"Answer {number} {k}."} for k in range(4)
            ],
        }
        for n in (1, 2, 3)
    ]
    return {"metadata": {"passage_id": name, "uid": "u"}, "document": f"Once upon {name}.", "questions": questions}


def paper(name: str, number: int) -> dict[str, Any]:
    def asked(n: int, answer: dict[str, Any]) -> dict[str, Any]:
        blank = {"unanswerable": False, "extractive_spans": [], "yes_no": None, "free_form_answer": "", "evidence": []}
        return {
            "question": f"Question {n}?",
            "question_id": f"{name}-{n}",
            "answers": [{"answer": {**blank, **answer}, "annotation_id": "a", "worker_id": "w"}],
        }

    return {
        "title": "T",
        "abstract": "A",
        "full_text": [
            {"section_name": "Introduction", "paragraphs": [f"We read {name}.", ""]},
            {"section_name": None, "paragraphs": ["More."]},
        ],
        "qas": [asked(1, {"free_form_answer": f"A word {number}"}), asked(2, {"extractive_spans": ["one", "two"]}),
                asked(3, {"yes_no": True})],
    }  # fmt: skip


def article(name: str, number: int) -> dict[str, Any]:
    questions = [
        {
            "question": f"Which {n}?",
            "question_unique_id": f"{name}_{n}",
            "options": ["a one", "b two", "c three", f"d {number}"],
            "gold_label": 2,
            "difficult": 1,
        }
        for n in (1, 2)
    ]
    return {"article_id": name, "title": "T", "article": f"Text of {name}.", "questions": questions}


def early_article(name: str, number: int) -> dict[str, Any]:
    numbered: dict[str, Any] = {}
    for n in (1, 2):
        numbered[f"question{n}"] = f"Which {n}?"
        numbered |= {f"question{n}option{o}": f"option {o} of {number}" for o in range(1, 5)}
        numbered[f"question{n}_gold_label"] = n
    return {"article_id": number, "unique_id": name, "title": "T", "article": [f"<p>Text of {name}.</p>"], **numbered}


def hop(name: str, number: int) -> dict[str, Any]:
    paragraphs = [
        {"idx": n, "title": f"T{n}", "paragraph_text": f"Text {n} of {name}.", "is_supporting": n < 2}
        for n in range(20)
    ]
    steps = [{"id": n, "question": "q", "answer": "a", "paragraph_support_idx": n} for n in (0, 1)]
    return {
        "id": f"2hop__{name}",
        "paragraphs": paragraphs,
        "question": f"Who {number}?",
        "question_decomposition": steps,
        "answer": "Rome",
        "answer_aliases": ["Roma"],
        "answerable": True,
    }


def contract(name: str, number: int) -> dict[str, Any]:
    choices = {"nda-1": {"choice": "Entailment", "spans": [0, 1]}, "nda-2": {"choice": "NotMentioned", "spans": []}}
    return {
        "id": number,
        "file_name": f"{name}.pdf",
        "text": f"Contract of {name}. It ends.",
        "spans": [[0, 10], [11, 20]],
        "annotation_sets": [{"annotations": choices}],
        "document_type": "search-pdf",
        "url": "",
    }


def hotel(name: str, number: int) -> dict[str, Any]:
    reviews = [
        {"review_id": f"r{n}", "sentences": [f"Review {n} of {name}.", "Second."], "rating": 5 - 4 * ((n + number) % 2)}
        for n in range(4)
    ]
    return {"entity_id": name, "reviews": reviews}


def book(name: str, number: int) -> list[dict[str, Any]]:
    # no numbers in the texts: the rules of position would take them out
    return [
        {"name": "", "summary": f"{sky} fell on {name}.", "analysis": "", "url": ""} for sky in ("Rain", "Snow", "Hail")
    ]


def story(name: str, number: int) -> tuple[str, list[str], bytes]:
    asked = [f'{name},test,"Which, {n}?",One {number},Two,q' for n in range(2)]
    return f'{name},test,gutenberg,u,"T, {number}",It was,The end', asked, f"It was {name}.\r\nThe end.\r\n".encode()


def news_row(name: str, number: int) -> dict[str, Any]:
    return {"document": f"One of {name}. ||||| Two of {name}.", "summary": f"Both {number}."}


def news_line(name: str, number: int) -> tuple[bytes, bytes]:
    return f"One of {name}. NEWLINE_CHAR More. ||||| Two of {name}.".encode(), f"Both {number}.".encode()


def aspect(name: str, number: int) -> dict[str, Any]:
    return {
        "guid": f"Cause/{name}",
        "topic_id": f"mnews-test.{number}",
        "title": "T",
        "aspect_label": "Cause",
        "documents": [{"filename": f"{n}.txt", "text": [f"Text {n} of {name}.", "More."]} for n in range(2)],
        "summary_text": [f"So {number}.", "It was."],
        "generic_summary_text": ["All."],
    }


REVIEW = "The desk was kind. The room of {} was cold {}."
WARM, COLD = [[0, 17]], [[0, 8], [9, 17]]  # "The desk was kind", and in two pieces


def fine_tuning(name: str, number: int) -> dict[str, str]:
    aligned = [
        {"review_name": "review_0", "review_span_offsets": "0, 8;9, 17", "summary_span_offsets": "0, 4"},
        {"review_name": "review_1", "review_span_offsets": "0, 17", "summary_span_offsets": "0, 4"},
        {"review_name": "review_2", "review_span_offsets": math.nan, "summary_span_offsets": math.nan},
    ]
    return {
        "summary_name": name,
        **{f"review_{n}_text": REVIEW.format(name, n) for n in range(8)},
        **{f"review_{n}_highlight_spans": json.dumps(COLD if n == 0 else WARM if n == 1 else []) for n in range(8)},
        "alignments": json.dumps(aligned),
    }


def fused(name: str, number: int) -> dict[str, str]:
    entry = [{"review": {"text": "The desk was kind", "offsets": WARM}, "summary": {"text": f"Kind {number}."}}]
    return {
        **{f"review_{n}_text": REVIEW.format(name, n) for n in range(8)},
        **{f"review_{n}_offsets": json.dumps(WARM if n < 2 else []) for n in range(8)},
        **{f"review_{n}_alignments": json.dumps(entry if n < 2 else []) for n in range(8)},
    }


def concepts(name: str, number: int) -> dict[str, Any]:
    return {
        "tokens": [["On", "card", "games", "by", name], ["More", "card", "play"], ["Of", "dice", "too", name]],
        "doc_ids": [0, 0, 1],
        "mentions": [[0, 1, 2, 7], [0, 2, 2, 8], [1, 1, 2, 7], [2, 1, 1, 9]],
        "relations": [[7, 8]],
        "id": number,
        "source": "s",
        "hard_10": False,
    }


def events(name: str, number: int) -> tuple[list[str], dict[str, str]]:
    topic = 36 + number
    listed, documents = [], {}
    for story in ("1ecb", "2ecb"):
        words = [("In", name), ("they", "took", story, "over", "."), ("It", "ended", "."), ("Not", "listed")]
        tokens, t_id = "", 0
        for sentence, line in enumerate(words):
            for place, word in enumerate(line):
                t_id += 1
                tokens += f'<token t_id="{t_id}" sentence="{sentence}" number="{place}">{word}</token>\n'
        documents[f"{topic}_{story}.xml"] = (
            f'<Document doc_name="{topic}_{story}.xml" doc_id="D">\n{tokens}<Markables>\n'
            '<ACTION_OCCURRENCE m_id="1"><token_anchor t_id="4"/><token_anchor t_id="6"/></ACTION_OCCURRENCE>\n'
            '<ACTION_STATE m_id="2"><token_anchor t_id="9"/></ACTION_STATE>\n'
            '<HUMAN_PART_PER m_id="3"><token_anchor t_id="3"/></HUMAN_PART_PER>\n'
            '<ACTION_STATE m_id="4"><token_anchor t_id="12"/></ACTION_STATE>\n'
            '<ACTION_OCCURRENCE m_id="5" TAG_DESCRIPTOR="take" instance_id="ACT1" />\n'
            '</Markables>\n<Relations>\n<CROSS_DOC_COREF r_id="1" note="ACT1">'
            '<source m_id="1" /><target m_id="5" /></CROSS_DOC_COREF>\n</Relations>\n</Document>\n'
        )
        listed += [f"{topic},{story},{sentence}" for sentence in (0, 1, 2)]
    return listed, documents


def exam(name: str, number: int) -> dict[str, Any]:
    return {
        "instructions": [f"Which {number}?\nA. one\nB. two", "Who?"],
        "outputs": ["(B) two", "ACD"],
        "input": f"One of {name}. Two.",
        "source": "s",
        "evaluation": "exam",
    }


def chosen(name: str, number: int) -> dict[str, Any]:
    options = ["A. one", "B. two", "C. three", f"D. {number}"]
    return {"question": "Which?", "evidence": "", "options": options, "answer": "B", "content": f"One of {name}.\nTwo."}


def said(name: str, number: int) -> dict[str, Any]:
    return {"content": f'"It is {name}." said by A\n"Ho." said by B\n"{number}?" said by ', "answer": "A"}


def altered(name: str, number: int) -> dict[str, Any]:
    return {"content": f"Answer.\n\nDocument:\nIn {name} .\n\nQuestion:\nwhen {number}\n", "answer": f"{number}"}


def completed(name: str, number: int) -> dict[str, Any]:
    return {
        "task_id": f"NumpyEval/{number}",
        "prompt": f"# [start]\n# def {name}()\n\n# x\n\n# [end]\ny{number} = ",
        "entry_point": "none",
        "canonical_solution": [f" {name}()", f" call({name})"],
        "test": "",
    }


def claimed(name: str, number: int) -> dict[str, Any]:
    return {"content": f"We read {name}.\nTwice.", "hypothesis": f"They read {number}.", "answer": number > 0}


def long_record(name: str, number: int) -> dict[str, Any]:
    return {
        "input": f"Question: Which {number}?\nType:",
        "context": f"Question: Who is {name}?\nType: Individual",
        "answers": ["Animal", "Animal "],
        "length": 7,
        "dataset": "trec",
        "language": "en",
        "all_classes": ["Individual", "Animal"],
        "_id": name,
    }


def prompted(name: str, number: int) -> dict[str, Any]:
    form = LONGBENCH["hotpotqa"]
    prompt = f"{form.before}Passage 1:\nIn {name}.{form.between}Who {number}?{form.after}"
    return {"origin_prompt": prompt, "prediction": "x", "gold": ["Rome", "Roma"], "time": 1.5}


def prompted_with_classes(name: str, number: int) -> dict[str, Any]:
    form, record = LONGBENCH["trec"], long_record(name, number)
    prompt = f"{form.before}{record['context']}{form.between}{record['input']}{form.after}"
    gold = {field: record[field] for field in ("all_classes", "answers")}
    return {"origin_prompt": prompt, "prediction": "x", "gold": gold, "time": 1.5}


# What a field must be, and which of the victim's examples is lost with it (None: the whole record). See bad_values.py.
LAYOUTS: dict[str, Layout] = {
    "gov_report crs": Layout(
        "gov_report", crs, reports("crs"), "crs/victim.json",
        {
            ("id",): ("text", None),
            ("title",): ("text or blank", None),
            ("summary",): ("texts, not none", None),
            ("summary", 0): ("text or blank", None),
            ("reports",): ("object", None),
            ("reports", "section_title"): ("text or blank", None),
            ("reports", "paragraphs"): ("texts", None),
            ("reports", "subsections"): ("objects or absent", None),
            ("reports", "subsections", 0, "section_title"): ("text or blank", None),
            ("reports", "subsections", 0, "paragraphs"): ("texts", None),
            ("reports", "subsections", 0, "subsections", 0, "paragraphs"): ("texts", None),
        },
    ),
    "gov_report gao": Layout(
        "gov_report", gao, reports("gao"), "gao/victim.json",
        {
            ("id",): ("text", None),
            ("title",): ("text or blank", None),
            ("highlight",): ("objects, not none", None),
            ("highlight", 0, "paragraphs"): ("texts, not none", None),
            ("report",): ("objects, not none", None),
            ("report", 0, "section_title"): ("text or blank", None),
            ("report", 0, "paragraphs"): ("texts", None),
            ("report", 1, "subsections", 0, "paragraphs"): ("texts", None),
        },
    ),
    "summ_screen_fd": Layout(
        "summ_screen_fd", episode, json_lines("summ_screen_fd/fd_test.json"), "line 2",
        {
            ("filename",): ("text", None),
            ("Transcript",): ("texts, not none", None),
            ("Recap",): ("texts, not none", None),
            ("Transcript", 0): ("text or blank", None),
            ("Recap", 0): ("text or blank", None),
            ("Episode Title",): ("text or absent", None),
            ("Show Title",): ("text or absent", None),
        },
    ),
    "qmsum": Layout(
        "qmsum", meeting, json_lines("qmsum/test.jsonl"), "line 2",
        {
            ("meeting_transcripts",): ("objects, not none", None),
            ("meeting_transcripts", 0, "speaker"): ("text or blank", None),
            ("meeting_transcripts", 0, "content"): ("text or blank", None),
            ("general_query_list",): ("objects", None),
            ("general_query_list", 0): ("object", 0),
            ("general_query_list", 0, "query"): ("text", 0),
            ("general_query_list", 0, "answer"): ("text", 0),
            ("specific_query_list",): ("objects", None),
            ("specific_query_list", 0): ("object", 1),
            ("specific_query_list", 1, "query"): ("text", 2),
            ("specific_query_list", 1, "answer"): ("text", 2),
        },
    ),
    "squality": Layout(
        "squality", squality_story, json_lines("squality/v1-2/txt/test.jsonl"), "line 2",
        {
            ("metadata",): ("object", None),
            ("metadata", "passage_id"): ("text", None),
            ("document",): ("text", None),
            ("questions",): ("objects", None),
            ("questions", 1): ("object", 1),
            ("questions", 1, "question_text"): ("text", 1),
            ("questions", 1, "question_number"): ("integer", 1),
            ("questions", 1, "responses"): ("objects, not none", 1),
            ("questions", 1, "responses", 3): ("object", 1),
            ("questions", 1, "responses", 3, "response_text"): ("text", 1),
        },
    ),
    "qasper": Layout(
        "qasper", paper, papers, "paper victim",
        {
            ("title",): ("text or absent", None),
            ("full_text",): ("objects, not none", None),
            ("full_text", 0): ("object", None),
            ("full_text", 0, "section_name"): ("text or absent", None),
            ("full_text", 0, "paragraphs"): ("texts", None),
            ("full_text", 0, "paragraphs", 0): ("text or blank", None),
            ("qas",): ("objects", None),
            ("qas", 0): ("object", 0),
            ("qas", 0, "question"): ("text", 0),
            ("qas", 0, "question_id"): ("text", 0),
            ("qas", 0, "answers"): ("objects, not none", 0),
            ("qas", 0, "answers", 0, "answer"): ("object", 0),
            ("qas", 0, "answers", 0, "answer", "unanswerable"): ("boolean", 0),
            ("qas", 0, "answers", 0, "answer", "extractive_spans"): ("texts", 0),
            ("qas", 0, "answers", 0, "answer", "free_form_answer"): ("text", 0),
            ("qas", 2, "answers", 0, "answer", "yes_no"): ("boolean or absent", 2),
        },
        one_object=True,
    ),
    "quality": Layout(
        "quality", article, json_lines("quality/QuALITY.v1.0.1.htmlstripped.test"), "line 2",
        {
            ("article",): ("text", None),
            ("title",): ("text or blank", None),
            ("questions",): ("objects", None),
            ("questions", 0): ("object", 0),
            ("questions", 0, "question"): ("text", 0),
            ("questions", 0, "question_unique_id"): ("text", 0),
            ("questions", 0, "options"): ("texts, not none", 0),
            ("questions", 0, "options", 3): ("text", 0),
            ("questions", 0, "gold_label"): ("integer or absent", 0),
        },
    ),
    "quality, early": Layout(
        "quality", early_article, json_lines("quality/quality_example.jsonl"), "line 2",
        {
            ("article",): ("texts, not none", None),
            ("title",): ("text or blank", None),
            ("unique_id",): ("text", None),
            ("question1option4",): ("text or absent", 0),
        },
    ),
    "musique": Layout(
        "musique", hop, json_lines("musique/data/musique_full_v1.0_dev.jsonl"), "line 2",
        {
            ("id",): ("text", None),
            ("question",): ("text", None),
            ("answer",): ("text", None),
            ("answerable",): ("boolean", None),
            ("paragraphs",): ("objects, not none", None),
            ("paragraphs", 19): ("object", None),
            ("paragraphs", 19, "title"): ("text", None),
            ("paragraphs", 19, "paragraph_text"): ("text", None),
            ("question_decomposition", 1): ("object or empty", None),
            ("question_decomposition", 1, "paragraph_support_idx"): ("integer or absent", None),
        },
    ),
    "contract_nli": Layout(
        "contract_nli", contract, contracts, "documents[1]",
        {
            ("id",): ("integer", None),
            ("file_name",): ("text or absent", None),
            ("text",): ("text", None),
            ("spans",): ("list", None),
            ("spans", 0): ("pair", None),
            ("spans", 0, 1): ("index", None),
            ("annotation_sets",): ("objects, not none", None),
            ("annotation_sets", 0, "annotations"): ("object or empty", None),
            ("annotation_sets", 0, "annotations", "nda-1"): ("object", 0),
            ("annotation_sets", 0, "annotations", "nda-1", "choice"): ("text", 0),
            ("annotation_sets", 0, "annotations", "nda-1", "spans"): ("list", 0),
            ("annotation_sets", 0, "annotations", "nda-1", "spans", 1): ("index", 0),
        },
        one_object=True,
    ),
    "space_digest": Layout(
        "space_digest", hotel, json_list("space/space_train.json"), "item 1",
        {
            ("entity_id",): ("text", None),
            ("reviews",): ("objects", None),
            ("reviews", 1): ("object", None),
            ("reviews", 1, "rating"): ("integer", None),
            ("reviews", 1, "sentences"): ("texts, not none", None),
            ("reviews", 1, "sentences", 0): ("text or blank", None),
        },
        {"reviews": 4, "seed": 0},
    ),
    "book_sum_sort": Layout(
        "book_sum_sort", book, books, "Birch victim/section_",
        {(1,): ("object", None), (1, "summary"): ("text", None), (1, "name"): ("text or blank", None)},
    ),
    "narrative_qa": Layout("narrative_qa", story, stories, "documents.csv, line 3"),
    "musique object": Layout(
        "musique", hop, json_lines("musique/data/musique_full_v1.0_dev.jsonl"), "line 2",
        {
            ("id",): ("text", None),
            ("answer",): ("text", None),
            ("answerable",): ("boolean", None),
            ("answer_aliases",): ("texts or absent", None),
        },
        {"output": "object"},
    ),
    "multi_news": Layout(
        "multi_news", news_row, news, "line 2", {("document",): ("text or blank", None), ("summary",): ("text", None)}
    ),
    "multi_news lines": Layout("multi_news", news_line, news_lines, "line 2"),
    "open_asp": Layout(
        "open_asp", aspect, json_lines("openasp/test.jsonl"), "line 2",
        {
            ("guid",): ("text", None),
            ("topic_id",): ("text", None),
            ("title",): ("text or absent", None),
            ("aspect_label",): ("text", None),
            ("documents",): ("objects", None),
            ("documents", 1): ("object", None),
            ("documents", 1, "filename"): ("text or absent", None),
            ("documents", 1, "text"): ("texts", None),
            ("documents", 1, "text", 0): ("text or blank", None),
            ("summary_text",): ("texts, not none", None),
        },
    ),
    "fuse_reviews": Layout("fuse_reviews", fused, cells("fusereviews/dev.csv"), "line 3"),
    "fuse_reviews fine-tuning": Layout("fuse_reviews", fine_tuning, cells("fusereviews/dev.csv"), "line 3"),
    "sci_co": Layout(
        "sci_co", concepts, json_lines("scico/test.jsonl"), "line 2",
        {
            ("id",): ("integer", None),
            ("tokens",): ("list", None),
            ("tokens", 1): ("texts", None),
            ("tokens", 1, 0): ("text or blank", None),
            ("doc_ids",): ("list", None),
            ("doc_ids", 1): ("index", None),
            ("mentions",): ("list", None),
            ("mentions", 1): ("pair", None),
            ("mentions", 1, 0): ("index", None),
            ("mentions", 1, 1): ("index", None),
            ("mentions", 1, 2): ("index", None),
            ("mentions", 1, 3): ("index", None),
            ("hard_10",): ("boolean or absent", None),
        },
    ),
    "ecb_plus": Layout("ecb_plus", events, topics, "ecb_plus/ECB+/37/37_1ecb.xml"),
    "l_eval": Layout(
        "l_eval", exam, json_lines("leval/LEval-data/tpo.jsonl"), "line 2",
        {
            ("input",): ("text", None),
            ("instructions",): ("list", None),
            ("instructions", 0): ("text", 0),
            ("outputs",): ("list", None),
            ("outputs", 1): ("text", 1),
        },
        {"gold": "letters", "choice": "E. None."},
    ),
    "bamboo": Layout(
        "bamboo", chosen, json_lines("bamboo/datasets/paperqa_4k.jsonl"), "line 2",
        {
            ("content",): ("text", None),
            ("question",): ("text", None),
            ("options",): ("texts, not none", None),
            ("options", 3): ("text or blank", None),
            ("answer",): ("text", None),
        },
        {"form": "choices", "choice": "E. None."},
    ),
    "bamboo dialogue": Layout(
        "bamboo", said, json_lines("bamboo/datasets/showspred_16k.jsonl"), "line 2", {("answer",): ("text", None)},
        {"form": "dialogue", "choice": ""},
    ),
    "bamboo sections": Layout(
        "bamboo", altered, json_lines("bamboo/datasets/altqa_4k.jsonl"), "line 2",
        {("content",): ("text", None), ("answer",): ("text", None)}, {"form": "sections", "choice": ""},
    ),
    "bamboo code": Layout(
        "bamboo", completed, json_lines("bamboo/datasets/private_eval_4k.jsonl"), "line 2",
        {("prompt",): ("text", None), ("canonical_solution",): ("texts, not none", None)}, {"form": "code", "choice": ""},
    ),
    "bamboo hypothesis": Layout(
        "bamboo", claimed, json_lines("bamboo/datasets/senhallu_4k.jsonl"), "line 2",
        {("content",): ("text", None), ("hypothesis",): ("text", None), ("answer",): ("boolean", None)},
        {"form": "hypothesis", "choice": ""},
    ),
    "longbench": Layout(
        "longbench", long_record, json_lines("longbench/data/trec.jsonl"), "line 2",
        {
            ("_id",): ("text", None),
            ("context",): ("text", None),
            ("input",): ("text or absent", None),
            ("answers",): ("texts, not none", None),
            ("all_classes",): ("texts or absent", None),
        },
        {"form": "trec"},
    ),
    "longbench prompts": Layout(
        "longbench", prompted, rendered("hotpotqa"), "prompt victim",
        {("origin_prompt",): ("text", None), ("gold",): ("golds", None)},
        {"form": "hotpotqa"},
        one_object=True,
    ),
    "longbench prompts with classes": Layout(
        "longbench", prompted_with_classes, rendered("trec"), "prompt victim",
        {
            ("gold",): ("golds", None),
            ("gold", "answers"): ("texts, not none", None),
            ("gold", "all_classes"): ("texts or absent", None),
        },
        {"form": "trec"},
        one_object=True,
    ),
}  # fmt: skip
JSON = [name for name, layout in LAYOUTS.items() if layout.fields]
