"""Kinds of bad input, data set by data set: what is done to the files, and what must come of it.

`python -m tests.preprocessing.bad_kinds` prints the table that stands in docs/bad_input.md.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.preprocessing.bad_layouts import DEEP, GONE, LABELS, LAYOUTS, Files, contracts, prompted, put, section, text

WHOLE, NOTHING, CHANGED, EXAMPLES = None, -1, -2, -3
DROPPED, FAILS, KEPT, FILTERED = "dropped", "the file fails", "kept", "filtered"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Kind:
    """Something that can be wrong.

    lost: what the victim loses: WHOLE, the example of this number, EXAMPLES (its documents stand), NOTHING; CHANGED: it has
    other rows, and some. said: what the message names. drops: how many there are. behind: documents behind all others.
    """

    layout: str
    what: str
    files: Callable[[], Files]
    outcome: str
    reason: str = ""
    said: tuple[str, ...] = ()
    lost: int | None = WHOLE
    drops: int = 1
    behind: int = 0


KINDS: list[Kind] = []


def kind(layout: str, what: str, files: Callable[[], Files], outcome: str = DROPPED, reason: str = "", *said: str,
         lost: int | None = WHOLE, drops: int = 1, behind: int = 0) -> None:  # fmt: skip
    lost = NOTHING if outcome == KEPT and lost is WHOLE else lost
    KINDS.append(Kind(layout, what, files, outcome, reason, said, lost, drops, behind))


def spoil(layout: str, *changes: tuple[Any, Any]) -> Callable[[], Files]:
    """The victim with values put into it."""

    def files() -> Files:
        records = LAYOUTS[layout].records()
        for path, value in changes:
            records[1] = put(records[1], path, value)
        return LAYOUTS[layout].files(records)

    return files


def bytes_(layout: str, change: Callable[[bytes], bytes], role: str = "records", name: str = "") -> Callable[[], Files]:
    """A file with other bytes."""

    def files() -> Files:
        made = LAYOUTS[layout].files(LAYOUTS[layout].records())
        ((key, data),) = [(key, data) for key, data in made.items() if key[0] == role and name in key[1]]
        changed = change(data)
        assert changed != data
        return {**made, key: changed}

    return files


def more(layout: str, *others: tuple[str, str, bytes], without: str = "@") -> Callable[[], Files]:
    """More files; without: those whose name holds it are left out."""

    def files() -> Files:
        made = LAYOUTS[layout].files(LAYOUTS[layout].records())
        kept = {key: data for key, data in made.items() if without not in key[1]}
        return {**kept, **{(role, name): data for role, name, data in others}}

    return files


def line(layout: str, change: Callable[[bytes], bytes]) -> Callable[[], Files]:
    """The second line changed."""

    def changed(data: bytes) -> bytes:
        lines = data.split(b"\n")
        lines[1] = change(lines[1])
        return b"\n".join(lines)

    return bytes_(layout, changed)


def columns(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    return b"\n".join(change(one) if one else one for one in data.split(b"\n"))


# fmt: off
# A table: a kind takes a line or two.
# ---- lines, lists and files, whatever the data set

LINES = "squality"
kind(LINES, "a line that is no JSON", line(LINES, lambda one: one[:-5]), DROPPED, "broken JSON", "line 2", "is not JSON")
kind(LINES, "two objects on a line", line(LINES, lambda one: one + one), DROPPED, "broken JSON", "line 2")
kind(LINES, "Python's repr in place of JSON", line(LINES, lambda one: one.replace(b'"', b"'")), DROPPED, "broken JSON", "line 2")
kind(LINES, "a list where an object belongs", line(LINES, lambda one: b"[" + one + b"]"), DROPPED, "wrong type", "must be a JSON object")
kind(LINES, "brackets without end", line(LINES, lambda one: b"[" * 100_000), DROPPED, "broken JSON", "line 2", "is not JSON")
kind(LINES, "objects nested without end", line(LINES, lambda one: b'{"a":' * 100_000), DROPPED, "broken JSON", "line 2", "is not JSON")
kind(LINES, "a number of 5,000 digits", line(LINES, lambda one: one[:-1] + b', "n": ' + b"9" * 5000 + b"}"), DROPPED, "broken JSON", "line 2")
kind(LINES, "NaN in a field that is not read", line(LINES, lambda one: one[:-1] + b', "n": NaN}'), DROPPED, "broken JSON", "NaN is not JSON")
kind(LINES, "Latin-1 in one line", line(LINES, lambda one: one.replace(b"Once", b"Onc\xe9")), DROPPED, "invalid UTF-8", "line 2", "is not UTF-8 at byte")
kind(LINES, "UTF-16 in one line", line(LINES, lambda one: one.decode().encode("utf-16-le")), DROPPED, "NUL byte", "line 2", "NUL byte")
kind(LINES, "UTF-8 cut in a character", line(LINES, lambda one: one.replace(b"Once", b"Onc\xc3")), DROPPED, "invalid UTF-8", "line 2")
kind(LINES, "encoded surrogates (CESU-8)", line(LINES, lambda one: one.replace(b"Once", b"\xed\xa0\xbd")), DROPPED, "invalid UTF-8", "line 2")
kind(LINES, "NUL bytes in a line", line(LINES, lambda one: one.replace(b"Once", b"On\0e")), DROPPED, "NUL byte", "line 2", "NUL byte")
kind(LINES, "a line of NUL bytes", line(LINES, lambda one: b"\0" * 4096), DROPPED, "NUL byte", "line 2", "NUL byte")
kind(LINES, "a byte-order mark at the start of a later line", line(LINES, lambda one: BOM + one), KEPT)
kind(LINES, "a byte-order mark", bytes_(LINES, lambda data: BOM + data), KEPT)
kind(LINES, "CRLF line ends", bytes_(LINES, lambda data: data.replace(b"\n", b"\r\n")), KEPT)
kind(LINES, "no newline at the end", bytes_(LINES, lambda data: data[:-1]), KEPT)
kind(LINES, "a UTF-16 file", bytes_(LINES, lambda data: data.decode().encode("utf-16")), FAILS, "invalid UTF-8", "is UTF-16", "save it as UTF-8")
kind(LINES, "a UTF-32 file", bytes_(LINES, lambda data: data.decode().encode("utf-32")), FAILS, "invalid UTF-8", "is UTF-32")
kind(LINES, "gzip under the name of the text", bytes_(LINES, gzip.compress), KEPT)
kind(LINES, "gzip that ends in the middle", bytes_(LINES, lambda data: gzip.compress(data)[:-12]), FAILS, "broken compression", "is not whole gzip")
kind(LINES, "gzip that unpacks to a thousand times its size", bytes_(LINES, lambda data: gzip.compress(data + (b" " * (1 << 20) + b"\n") * 65)), FAILS, "unpacks too large", "over the 67,108,864 allowed")
kind(LINES, "a login page under the name of the file", bytes_(LINES, lambda data: b"\n<!DOCTYPE html><html></html>"), FAILS, "another kind of file", "web page")
kind(
    LINES,
    "a pointer of Git LFS in place of the file",
    bytes_(LINES, lambda data: b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
    FAILS,
    "another kind of file",
    "Git LFS",
)
kind(LINES, "an empty file", bytes_(LINES, lambda data: b""), FAILS, "empty file", "is empty")
kind(LINES, "a file of blank lines", bytes_(LINES, lambda data: b"\n \r\n"), FAILS, "empty file", "is empty")

LIST = "space_digest"
kind(LIST, "NaN in an item of a list", bytes_(LIST, lambda data: data.replace(b'"victim"', b"NaN")), DROPPED, "broken JSON", "item 1", "NaN is not JSON")
kind(LIST, "an item nested without end", spoil(LIST, (("reviews", 1), DEEP)), DROPPED, "broken JSON", "item 1", "is not JSON")
kind(LIST, "a list that is cut", bytes_(LIST, lambda data: data[: len(data) // 2]), FAILS, "broken JSON", "is not JSON")
kind(LIST, "text behind a list", bytes_(LIST, lambda data: data + b"x"), FAILS, "broken JSON", "after the list")
kind(LIST, "Latin-1 in a list", bytes_(LIST, lambda data: data.replace(b"victim", b"v\xefctim", 1)), FAILS, "invalid UTF-8", "is not UTF-8")

OBJECT = "qasper"
kind(
    OBJECT,
    "NaN in one of many records of an object",
    bytes_(OBJECT, lambda data: data.replace(b'"We read victim."', b"NaN")),
    DROPPED,
    "broken JSON",
    "paper victim",
    "NaN is not JSON",
)
kind(
    OBJECT,
    "a record's name that stands twice",
    bytes_(OBJECT, lambda data: data.replace(b'"victim": {', b'"victim": 1, "victim": {')),
    DROPPED,
    "duplicate id",
    "paper victim",
    "stands twice",
    lost=NOTHING,
)
kind(OBJECT, "an object nested without end", spoil(OBJECT, (("qas", 0), DEEP)), FAILS, "broken JSON", "is not JSON")
kind(OBJECT, "an object that is cut", bytes_(OBJECT, lambda data: data[:-9]), FAILS, "broken JSON", "line 1", "is not JSON")

# ---- GovReport

CRS, GAO = "gov_report crs", "gov_report gao"
IDS = "split_ids/crs_test.ids"


def deep(depth: int) -> Any:
    tree = section("t", "p")
    for _ in range(depth):
        tree = section("t", "p", below=(tree,))
    return tree


def deep_text() -> str:
    return text(put(LAYOUTS[CRS].records()[1], ("reports",), "@")).replace('"@"', '{"section_title": "t", "paragraphs": [], "subsections": [' * 10_000 + "]}" * 10_000)


kind(CRS, "sections 300 deep", spoil(CRS, (("reports",), deep(300))), DROPPED, "", "crs/victim.json")
kind(CRS, "sections 101 deep", spoil(CRS, (("reports",), deep(101))), DROPPED, "nesting", 'field "subsections" nests deeper than 100')
kind(CRS, "sections 10,000 deep", more(CRS, ("crs", "crs/victim.json", deep_text().encode())), DROPPED, "broken JSON", "crs/victim.json", "is not JSON")
kind(CRS, "sections without paragraphs or subsections", spoil(CRS, (("reports", "subsections"), [section("", ""), section("")])), KEPT, lost=CHANGED)
kind(CRS, "a section with a title only", spoil(CRS, (("reports",), section("Only a title of victim"))), KEPT, lost=CHANGED)
kind(
    CRS,
    "a report of empty sections",
    spoil(CRS, (("reports",), section("", "", below=(section(""),)))),
    DROPPED,
    "empty field",
    "crs/victim.json",
    'field "reports" has no text',
)
kind(GAO, "a report without sections", spoil(GAO, (("report",), [])), DROPPED, "empty field", 'field "report" has no text')
kind(GAO, "highlights without text", spoil(GAO, (("highlight",), [section("Titles are not taken", "")])), DROPPED, "empty field", 'field "highlight" has no text')
kind(CRS, "a listed report without file", more(CRS, without="crs/victim"), DROPPED, "missing file", f"{IDS}, line 2", "there is no crs/victim.json")
kind(CRS, "a report file that no list names", more(CRS, ("crs", "crs/other.json", b"{")), KEPT)
kind(
    CRS,
    "an id that is a path",
    bytes_(CRS, lambda data: data.replace(b"victim", b"../../etc/passwd"), "ids"),
    DROPPED,
    "missing file",
    f"{IDS}, line 2",
    "'../../etc/passwd'",
)
kind(CRS, "an id with control characters", bytes_(CRS, lambda data: data.replace(b"victim", b"\x1b[2Jx"), "ids"), DROPPED, "missing file", f"{IDS}, line 2", r"\x1b[2Jx")
kind(
    CRS,
    "an id listed twice",
    bytes_(CRS, lambda data: data.replace(b"victim", b"victim\nvictim"), "ids"),
    DROPPED,
    "duplicate id",
    f"{IDS}, line 3",
    "'victim' a second time",
    lost=NOTHING,
)
kind(CRS, "blank lines, CRLF and a mark in a list of ids", bytes_(CRS, lambda data: BOM + b"\r\n\n" + data.replace(b"\n", b" \r\n\r\n"), "ids"), KEPT)
kind(CRS, "Latin-1 in a list of ids", bytes_(CRS, lambda data: data.replace(b"victim", b"v\xefctim"), "ids"), DROPPED, "invalid UTF-8", f"{IDS}, line 2")
kind(CRS, "an id with two files", more(CRS, ("crs", "copy/crs/victim.json", b"{}")), DROPPED, "duplicate id", f"{IDS}, line 2", "copy/crs/victim.json")
kind(CRS, "the id of another report in a file", spoil(CRS, (("id",), "before")), DROPPED, "duplicate id", "crs/victim.json", lost=0)
kind(CRS, "a report that is cut", bytes_(CRS, lambda data: data[:-20], "crs", "victim"), DROPPED, "broken JSON", "crs/victim.json", "is not JSON")
kind(CRS, "a report of no bytes", bytes_(CRS, lambda data: b"", "crs", "victim"), DROPPED, "empty file", "crs/victim.json: is empty")
kind(CRS, "a report of NUL bytes", bytes_(CRS, lambda data: b"\0" * 512, "crs", "victim"), DROPPED, "empty file", "crs/victim.json: is empty")
kind(
    CRS,
    "a report of the other agency",
    more(CRS, ("crs", "crs/victim.json", text(LAYOUTS[GAO].records()[1]).encode())),
    DROPPED,
    "missing field",
    "crs/victim.json",
    'field "reports"',
)


def both_agencies() -> Files:
    other = {key: data for key, data in LAYOUTS[GAO].files(LAYOUTS[GAO].records()).items() if key[0] == "ids" or "victim" in key[1]}
    other["ids", "split_ids/gao_test.ids"] = b"victim\n"
    return {**LAYOUTS[CRS].files(LAYOUTS[CRS].records()), **other}


kind(CRS, "the same id at both agencies", both_agencies, DROPPED, "duplicate id", "gao/victim.json", "victim", lost=NOTHING, behind=1)

# ---- SummScreenFD

FD = "summ_screen_fd"
kind(FD, "a transcript without lines", spoil(FD, (("Transcript",), [])), DROPPED, "empty field", "line 2", 'field "Transcript" has no text')
kind(FD, "a recap of blank lines", spoil(FD, (("Recap",), [" ", ""])), DROPPED, "empty field", "line 2", 'field "Recap" has no text')
kind(FD, "a transcript that is one text", spoil(FD, (("Transcript",), "A: Hi.")), DROPPED, "wrong type", "line 2", 'field "Transcript" must be a list')
kind(FD, "a file name that is only an ending", spoil(FD, (("filename",), ".json")), DROPPED, "empty field", "line 2", 'field "filename" names no episode')
kind(FD, "an episode that stands twice", spoil(FD, (("filename",), "before.json")), DROPPED, "duplicate id", "line 2", "before", lost=0)

# ---- QMSum

QM = "qmsum"
TURNS = "meeting_transcripts"
kind(QM, "a meeting without topics", spoil(QM, (("topic_list",), None)), KEPT)
kind(QM, "a speaker that is null", spoil(QM, ((TURNS, 1, "speaker"), None)), DROPPED, "wrong type", f"{TURNS}[1]", 'field "speaker" must be text, is null')
kind(QM, "turns without words", spoil(QM, ((TURNS,), [{"speaker": "", "content": " "}] * 3)), DROPPED, "empty field", f'field "{TURNS}" has no text')
kind(QM, "a meeting without queries", spoil(QM, (("general_query_list",), []), (("specific_query_list",), [])), KEPT, lost=CHANGED)
kind(
    QM,
    "a query without answer",
    spoil(QM, (("specific_query_list", 0), {"query": "Who ?"})),
    DROPPED,
    "missing field",
    "specific_query_list[0]",
    'field "answer" is missing',
    lost=1,
)
kind(QM, "an answer without words", spoil(QM, (("general_query_list", 0, "answer"), " ")), DROPPED, "empty field", 'field "answer" is empty', lost=0)

# ---- Qasper

QA = "qasper"
ANSWER = ("qas", 0, "answers", 0, "answer")
kind(QA, "a question without answers", spoil(QA, (("qas", 0, "answers"), [])), DROPPED, "empty field", "qas[0]", 'field "answers" is empty', lost=0)
kind(QA, "an answer of no kind", spoil(QA, ((*ANSWER, "free_form_answer"), "")), DROPPED, "empty field", "answers[0]", 'field "free_form_answer"', lost=0)
kind(QA, "a free-form answer that is null", spoil(QA, ((*ANSWER, "free_form_answer"), None)), DROPPED, "wrong type", 'field "free_form_answer"', lost=0)
kind(
    QA,
    "extractive spans without text",
    spoil(QA, ((*ANSWER, "extractive_spans"), ["", " "])),
    DROPPED,
    "empty field",
    "answers[0]",
    'field "extractive_spans" has no text',
    lost=0,
)
kind(
    QA,
    "an answer of several kinds: the first of unanswerable, yes or no, spans, free form is taken",
    spoil(QA, ((*ANSWER, "extractive_spans"), ["x"])),
    KEPT,
    lost=CHANGED,
)
kind(QA, "a paper without sections", spoil(QA, (("full_text",), [])), DROPPED, "empty field", "paper victim", 'field "full_text" has no text')
kind(QA, "a paper without questions", spoil(QA, (("qas",), [])), KEPT, lost=CHANGED)
kind(QA, "a question id that stands twice", spoil(QA, (("qas", 0, "question_id"), "before-1")), DROPPED, "duplicate id", "paper victim", "before-1", lost=0)

# ---- QuALITY

QL, EARLY = "quality", "quality, early"
for gold in (0, 5, -1):
    kind(
        QL,
        f"gold label {gold}",
        spoil(QL, (("questions", 0, "gold_label"), gold)),
        DROPPED,
        "answer is no option",
        "line 2, questions[0]",
        f'field "gold_label" {gold} names no option',
        lost=0,
    )
kind(QL, "a gold label that is text", spoil(QL, (("questions", 0, "gold_label"), "2")), DROPPED, "wrong type", 'field "gold_label" must be a whole number', lost=0)
kind(QL, "three options", spoil(QL, (("questions", 0, "options"), ["a", "b", "c"])), DROPPED, "options not four", 'field "options" must be four, are 3', lost=0)
kind(QL, "five options", spoil(QL, (("questions", 0, "options"), list("abcde"))), DROPPED, "options not four", "are 5", lost=0)
kind(QL, "an empty option", spoil(QL, (("questions", 0, "options", 2), " ")), DROPPED, "empty field", 'field "options" holds an empty text at place 3', lost=0)
kind(QL, "two equal options", spoil(QL, (("questions", 0, "options", 2), "a one")), KEPT, lost=CHANGED)
kind(QL, "a difficulty that is neither 0 nor 1", spoil(QL, (("questions", 0, "difficult"), "no")), DROPPED, "invalid value", 'field "difficult"', lost=0)
kind(QL, "an article without questions", spoil(QL, (("questions",), [])), KEPT, lost=CHANGED)
kind(
    EARLY,
    "a gap between numbered questions",
    spoil(EARLY, (("question4",), "Which 4?")),
    DROPPED,
    "missing field",
    "line 2",
    'field "question4" comes after a gap',
    lost=NOTHING,
)
kind(EARLY, "an article of tags only", spoil(EARLY, (("article",), ["<p> </p>", "<br>"])), DROPPED, "empty field", "line 2", 'field "article" has no text')

# ---- NarrativeQA

NQA = "narrative_qa"
DOCS, ASKED = "narrativeqa/documents.csv", "narrativeqa/qaps.csv"
STORY = "narrativeqa/tmp/victim.content"
kind(
    NQA,
    "questions of an unknown document",
    bytes_(NQA, lambda data: data + b"nobody,test,Q?,a,b,q\nnobody,test,R?,a,b,q\n", "questions"),
    DROPPED,
    "unknown document",
    f"{ASKED}, line 8",
    "'nobody'",
    "2 questions are lost",
    lost=NOTHING,
)
kind(
    NQA,
    "a wrong split in the list of documents",
    bytes_(NQA, lambda data: data.replace(b"victim,test", b"victim,dev"), "documents"),
    DROPPED,
    "unknown split",
    f"{DOCS}, line 3",
    "field \"set\" 'dev' is none of train, valid, test",
    drops=2,
)
kind(
    NQA,
    "a wrong split in the list of questions",
    bytes_(NQA, lambda data: data + b"victim,tset,Q?,a,b,q\n", "questions"),
    DROPPED,
    "unknown split",
    f"{ASKED}, line 8",
    "'tset'",
    lost=NOTHING,
)
kind(NQA, "a story that is not there", more(NQA, without="victim.content"), DROPPED, "missing file", f"{DOCS}, line 3", "2 questions are lost")
kind(NQA, "a story of no bytes", bytes_(NQA, lambda data: b"", "stories", "victim"), DROPPED, "empty file", f"{STORY}: is empty")
for what, page in {
    "the page of an error in place of a story": b"<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>",
    "the page of a server that is down in place of a story": b"<!DOCTYPE html>\n<html><body>\n<h1>Bad Gateway</h1><p>Try again.</p></body></html>",
}.items():
    kind(NQA, what, bytes_(NQA, lambda data, page=page: page, "stories", "victim"), DROPPED, "error page", f"{STORY}: is the page of an error")
kind(
    NQA,
    "a story on a page that is called 404 Main Street",
    bytes_(NQA, lambda data: b"<html><title>404 Main Street</title><body><p>" + b"It rained. " * 300 + b"</p></body></html>", "stories", "victim"),
    KEPT,
    lost=CHANGED,
)
kind(NQA, "a story of NUL bytes", bytes_(NQA, lambda data: b"\0" * 100, "stories", "victim"), DROPPED, "empty file", f"{STORY}: is empty")
kind(NQA, "a story that is gzip-compressed", bytes_(NQA, gzip.compress, "stories", "victim"), KEPT)
kind(NQA, "a gzip-compressed story that unpacks to a thousand times its size", bytes_(NQA, lambda data: gzip.compress(data + b" " * (65 << 20)), "stories", "victim"), DROPPED, "unpacks too large", STORY)
kind(NQA, "a story in Latin-1", bytes_(NQA, lambda data: data.replace(b"It", b"\xc9t"), "stories", "victim"), KEPT, lost=CHANGED)
kind(NQA, "a story in UTF-16", bytes_(NQA, lambda data: data.decode().encode("utf-16"), "stories", "victim"), KEPT)
kind(
    NQA,
    "a kind that is neither book nor film",
    bytes_(NQA, lambda data: data.replace(b"victim,test,gutenberg", b"victim,test,game"), "documents"),
    DROPPED,
    "unknown kind",
    f"{DOCS}, line 3",
    "'game' is none of gutenberg, movie",
)
kind(
    NQA,
    "a document that stands twice",
    bytes_(NQA, lambda data: data + b"victim,test,movie,u,T,a,b\n", "documents"),
    DROPPED,
    "duplicate id",
    f"{DOCS}, line 5",
    "'victim' came before",
    lost=NOTHING,
)
kind(
    NQA,
    "more columns in a CSV",
    lambda: {key: data if key[0] == "stories" else columns(data, lambda row: row + b',"a, b"') for key, data in LAYOUTS[NQA].files(LAYOUTS[NQA].records()).items()},
    KEPT,
)
kind(NQA, "newlines in a quoted field", bytes_(NQA, lambda data: data.replace(b'"Which, 1?",One 1', b'"Which,\n1?",One 1'), "questions"), KEPT, lost=CHANGED)
kind(
    NQA,
    "NUL bytes in a CSV",
    bytes_(NQA, lambda data: data.replace(b'victim,test,"Which, 0', b'victim,test,"Whi\0h, 0'), "questions"),
    DROPPED,
    "NUL byte",
    f"{ASKED}, line 4",
    'field "question" holds a NUL byte',
    lost=0,
)
kind(
    NQA,
    "a field of 200,000 characters in a CSV",
    bytes_(NQA, lambda data: data.replace(b'"Which, 1?",One 1', b'"' + b"x" * 200_000 + b'",One 1'), "questions"),
    DROPPED,
    "broken CSV",
    f"{ASKED}, line 5",
    "is not CSV",
    lost=1,
)
kind(
    NQA,
    "an added comma in a CSV",
    bytes_(NQA, lambda data: data.replace(b"One 1,Two,q\nafter", b"One 1,Two,q,z\nafter"), "questions"),
    DROPPED,
    "broken CSV",
    f"{ASKED}, line 5",
    "has 7 fields, the header 6",
    lost=1,
)
kind(
    NQA,
    "a quote inside a field of a CSV",
    bytes_(NQA, lambda data: data.replace(b'"Which, 1?",One 1', b'"Which" 1?",One 1'), "questions"),
    DROPPED,
    "broken CSV",
    f"{ASKED}, line 5",
    "is not CSV",
    lost=1,
)
kind(NQA, "a quote that never closes", bytes_(NQA, lambda data: data + b'victim,test,"Who', "questions"), FAILS, "broken CSV", f"{ASKED}, line 8", "is not CSV")
kind(NQA, "a column that is not there", bytes_(NQA, lambda data: data.replace(b"answer2", b"second"), "questions"), FAILS, "missing field", 'field "answer2" is missing')
kind(NQA, "a column that stands twice", bytes_(NQA, lambda data: data.replace(b"question_tokenized", b"answer1"), "questions"), FAILS, "broken CSV", "twice")
kind(
    NQA,
    "an answer without text",
    bytes_(NQA, lambda data: data.replace(b'"Which, 1?",One 1', b'"Which, 1?", '), "questions"),
    DROPPED,
    "empty field",
    f"{ASKED}, line 5",
    'field "answer1" is empty',
    lost=1,
)
kind(
    NQA,
    "a question without text",
    bytes_(NQA, lambda data: data.replace(b'"Which, 1?",One 1', b",One 1"), "questions"),
    DROPPED,
    "empty field",
    f"{ASKED}, line 5",
    'field "question" is empty',
    lost=1,
)
kind(NQA, "Latin-1 in a CSV", bytes_(NQA, lambda data: data.replace(b"Two", b"Tw\xf6", 1), "questions"), FAILS, "invalid UTF-8", f"{ASKED}, line 2")

# ---- ContractNLI

CN = "contract_nli"
NOTES = ("annotation_sets", 0, "annotations")


def labels(**changes: Any) -> Callable[[], Files]:
    return lambda: contracts(LAYOUTS[CN].records(), {**LABELS, **changes})


kind(CN, "a span beyond the contract", spoil(CN, (("spans", 1), [11, 9999])), DROPPED, "span out of range", "documents[1]", 'field "spans[1]"', "[11, 9999]")
kind(CN, "a span that ends before it begins", spoil(CN, (("spans", 1), [20, 11])), DROPPED, "span out of range", 'field "spans[1]"', "[20, 11]")
kind(CN, "a span before the contract", spoil(CN, (("spans", 0), [-1, 4])), DROPPED, "span out of range", 'field "spans[0]"')
kind(CN, "a span of three numbers", spoil(CN, (("spans", 0), [0, 1, 2])), DROPPED, "span out of range", 'field "spans[0]"')
kind(CN, "a span of true and false", spoil(CN, (("spans", 0), [False, True])), DROPPED, "span out of range", 'field "spans[0]"')
kind(CN, "evidence that names no span", spoil(CN, ((*NOTES, "nda-1", "spans"), [2])), DROPPED, "span out of range", "nda-1", 'field "spans" [2]', lost=0)
kind(CN, "a choice that is none", spoil(CN, ((*NOTES, "nda-2", "choice"), "Maybe")), DROPPED, "answer is no option", "nda-2", "'Maybe'", lost=1)
kind(CN, "a label without annotation", spoil(CN, ((*NOTES, "nda-2"), GONE)), DROPPED, "missing field", "documents[1]", 'field "nda-2" is missing', lost=1)
kind(CN, "an annotation without label", spoil(CN, ((*NOTES, "nda-9"), {"choice": "Entailment", "spans": []})), DROPPED, "invalid value", "'nda-9'")
kind(CN, "two sets of annotations", spoil(CN, (("annotation_sets",), [{"annotations": {}}] * 2)), DROPPED, "invalid value", 'field "annotation_sets" must be one, are 2')
kind(CN, "no set of annotations", spoil(CN, (("annotation_sets",), [])), DROPPED, "invalid value", 'field "annotation_sets" must be one, are 0')
kind(
    CN,
    "a label without hypothesis, which no contract has",
    labels(**{"nda-3": {"short_description": "x"}}),
    DROPPED,
    "missing field",
    "label nda-3",
    'field "hypothesis" is missing',
    lost=NOTHING,
)
kind(CN, "a contract id that stands twice", spoil(CN, (("id",), 0)), DROPPED, "duplicate id", "documents[1]", "0_nda-1", lost=EXAMPLES, drops=2)
kind(CN, "a file without labels", lambda: {("records", "contract_nli/test.json"): b'{"documents": []}'}, FAILS, "missing field", 'field "labels" is missing')
kind(
    CN,
    "a file without documents",
    lambda: {("records", "contract_nli/test.json"): b'{"documents": {}, "labels": {}}'},
    FAILS,
    "wrong type",
    'field "documents" must be a list',
)

# ---- SQuALITY

SQ = "squality"
kind(SQ, "a question without responses", spoil(SQ, (("questions", 1, "responses"), [])), DROPPED, "empty field", "questions[1]", 'field "responses" is empty', lost=1)
kind(
    SQ,
    "a response without text",
    spoil(SQ, (("questions", 1, "responses", 2, "response_text"), " ")),
    DROPPED,
    "empty field",
    "responses[2]",
    'field "response_text" is empty',
    lost=1,
)
kind(SQ, "two questions of one number", spoil(SQ, (("questions", 1, "question_number"), 1)), DROPPED, "duplicate id", "line 2", "victim_1", lost=1)
kind(SQ, "a question number that is true", spoil(SQ, (("questions", 1, "question_number"), True)), DROPPED, "wrong type", 'field "question_number"', lost=1)
kind(SQ, "a story without questions", spoil(SQ, (("questions",), [])), KEPT, lost=CHANGED)
kind(SQ, "a story without metadata", spoil(SQ, (("metadata",), {})), DROPPED, "missing field", "line 2, metadata", 'field "passage_id" is missing')

# ---- MuSiQue

MQ = "musique"
kind(
    MQ,
    "support beyond the paragraphs",
    spoil(MQ, (("question_decomposition", 1, "paragraph_support_idx"), 20)),
    DROPPED,
    "out of range",
    "line 2, question_decomposition[1]",
    'field "paragraph_support_idx" 20 names none of 20 paragraphs',
)
kind(MQ, "support that is null (as in unanswerable questions)", spoil(MQ, (("question_decomposition", 1, "paragraph_support_idx"), None)), KEPT)
kind(
    MQ,
    "fewer than 20 paragraphs",
    lambda: LAYOUTS[MQ].files([record if number != 1 else {**record, "paragraphs": record["paragraphs"][:19]} for number, record in enumerate(LAYOUTS[MQ].records())]),
    KEPT,
    lost=CHANGED,
)
kind(MQ, "no paragraphs", spoil(MQ, (("paragraphs",), [])), DROPPED, "empty field", "line 2", 'field "paragraphs" is empty')
kind(MQ, "answerable as text", spoil(MQ, (("answerable",), "true")), DROPPED, "wrong type", "line 2", 'field "answerable" must be true or false')
kind(MQ, "a twin without partner", spoil(MQ, (("answerable",), False)), KEPT, lost=CHANGED)
kind(MQ, "two answerable versions of a question", spoil(MQ, (("id",), "2hop__before")), DROPPED, "duplicate id", "line 2", "2hop__before", lost=0)

# ---- SpaceDigest

SP = "space_digest"
for rating in (0, 6, -1):
    kind(
        SP,
        f"rating {rating}",
        spoil(SP, (("reviews", 2, "rating"), rating)),
        DROPPED,
        "rating out of range",
        "item 1, reviews[2]",
        f'field "rating" {rating} is outside 1 to 5',
    )
for wrong in (4.5, "5", None):
    kind(SP, f"rating {json.dumps(wrong)}", spoil(SP, (("reviews", 2, "rating"), wrong)), DROPPED, "wrong type", "item 1, reviews[2]", 'field "rating"')
kind(SP, "a hotel with too few reviews", spoil(SP, (("reviews", 2, "rating"), 3)), FILTERED, "too few reviews")
kind(SP, "a hotel without reviews", spoil(SP, (("reviews",), [])), FILTERED, "too few reviews")
kind(SP, "a review without sentences", spoil(SP, (("reviews", 2, "sentences"), [])), DROPPED, "empty field", "reviews[2]", 'field "sentences" have no text')
kind(SP, "sentences that are one text", spoil(SP, (("reviews", 2, "sentences"), "Good.")), DROPPED, "wrong type", "reviews[2]", 'field "sentences" must be a list')
kind(SP, "a hotel that stands twice", spoil(SP, (("entity_id",), "before")), DROPPED, "duplicate id", "item 1", "before", lost=0)

# ---- BookSumSort

BS = "book_sum_sort"
FOLDER = "booksum/finished_summaries/shmoop/Birch victim"
PART = f"{FOLDER}/section_1_part_0.txt"
kind(BS, "a summary without text", spoil(BS, ((1, "summary"), "")), DROPPED, "empty field", PART, 'field "summary" is empty', drops=2)
kind(BS, "a summary of no bytes", bytes_(BS, lambda data: b"", "records", PART), DROPPED, "empty file", f"{PART}: is empty", drops=2)
kind(BS, "a summary that is no JSON", bytes_(BS, lambda data: b"Chapter 1", "records", PART), DROPPED, "broken JSON", PART, "is not JSON", drops=2)
kind(
    BS,
    "a file name without numbers",
    more(BS, ("records", f"{FOLDER}/section_x_part_0.txt", b"{}")),
    DROPPED,
    "file name",
    "section_x_part_0.txt",
    "section_<number>_part_<number>.txt",
    lost=NOTHING,
)
kind(
    BS,
    "two files for one part",
    more(BS, ("records", f"{FOLDER}/section_01_part_0.txt", b"{}")),
    DROPPED,
    "duplicate id",
    "section_01_part_0.txt",
    "section_1_part_0.txt",
    lost=NOTHING,
)
kind(
    BS,
    "gaps in the numbers of the parts",
    lambda: {
        (role, name.replace("Birch victim/section_1", "Birch victim/section_10").replace("Birch victim/section_2", "Birch victim/section_20")): data
        for (role, name), data in LAYOUTS[BS].files(LAYOUTS[BS].records()).items()
    },
    KEPT,
    lost=CHANGED,
)
kind(BS, "two equal summaries", spoil(BS, ((1, "summary"), "Rain fell on victim.")), FILTERED, "repeated summary")
kind(BS, "a book of two parts", more(BS, without="Birch victim/section_2"), FILTERED, "number of parts")


# ---- Multi-News

MN, ML = "multi_news", "multi_news lines"
kind(MN, "a row without articles", spoil(MN, (("document",), " ||||| ")), FILTERED, "no document", "no article")
kind(MN, "a row of no text", spoil(MN, (("document",), "")), FILTERED, "no document")
kind(MN, "an empty article among others", spoil(MN, (("document",), "One of victim. |||||  ||||| Two of victim.")), FILTERED, "empty document", "1 of 3 articles", lost=CHANGED)
kind(MN, "a row with one article", spoil(MN, (("document",), "One of victim.")), KEPT, lost=CHANGED)
kind(MN, "a row without summary", spoil(MN, (("summary",), " ")), DROPPED, "empty field", "line 2", 'field "summary" is empty')
kind(ML, "Latin-1 in a line of articles", bytes_(ML, lambda data: data.replace(b"Two of victim", b"Tw\xe9 of victim"), "articles"), DROPPED, "invalid UTF-8", "test.src.cleaned, line 2", "is not UTF-8 at byte")
kind(ML, "Latin-1 in a line of summaries", bytes_(ML, lambda data: data.replace(b"Both 1", b"B\xf6th 1"), "summaries"), DROPPED, "invalid UTF-8", "test.tgt, line 2", "is not UTF-8 at byte")
kind(ML, "NUL bytes in a line", bytes_(ML, lambda data: data.replace(b"Both 1", b"\0\0"), "summaries"), DROPPED, "NUL byte", "test.tgt, line 2")
kind(ML, "a blank line of articles", bytes_(ML, lambda data: data.replace(b"One of victim. NEWLINE_CHAR More. ||||| Two of victim.", b""), "articles"), FILTERED, "no document", "no article")
kind(ML, "a blank line of summaries", bytes_(ML, lambda data: data.replace(b"Both 1.", b""), "summaries"), DROPPED, "empty field", "line 2", 'field "summary" is empty')
kind(ML, "fewer summaries than articles", bytes_(ML, lambda data: data.replace(b"Both 2.\n", b""), "summaries"), FAILS, "missing line", "test.tgt", "ends after line 2", "test.src.cleaned")
kind(ML, "fewer articles than summaries", bytes_(ML, lambda data: data[: data.index(b"One of after")], "articles"), FAILS, "missing line", "test.src.cleaned", "ends after line 2")
kind(ML, "an empty file of summaries", bytes_(ML, lambda data: b"", "summaries"), FAILS, "empty file", "test.tgt: is empty")
kind(ML, "CRLF line ends in both files", lambda: {key: data.replace(b"\n", b"\r\n") for key, data in LAYOUTS[ML].files(LAYOUTS[ML].records()).items()}, KEPT)
kind(ML, "a byte-order mark", bytes_(ML, lambda data: BOM + data, "summaries"), KEPT)
kind(ML, "U+2028 and U+0085 in a line", bytes_(ML, lambda data: data.replace(b"Both 1.", "Both\u2028 1\x85.".encode()), "summaries"), KEPT, lost=CHANGED)

# ---- OpenAsp

OA = "open_asp"
kind(OA, "a record without articles", spoil(OA, (("documents",), [])), FILTERED, "no document", "no article")
kind(OA, "articles without text", spoil(OA, (("documents", 0, "text"), []), (("documents", 1, "text"), ["", " "])), FILTERED, "no document")
kind(OA, "an article without text among others", spoil(OA, (("documents", 0, "text"), [])), FILTERED, "empty document", "1 of 2 articles", lost=CHANGED)
kind(OA, "a record with one article", spoil(OA, (("documents",), [{"text": ["Text of victim."]}])), KEPT, lost=CHANGED)
kind(OA, "an article that is one text", spoil(OA, (("documents", 0, "text"), "Text of victim.")), DROPPED, "wrong type", "documents[0]", 'field "text" must be a list')
kind(OA, "a summary of blank lines", spoil(OA, (("summary_text",), ["", " "])), DROPPED, "empty field", "line 2", 'field "summary_text" has no text')
kind(OA, "two records of one guid", spoil(OA, (("guid",), "Cause/before")), DROPPED, "duplicate id", "line 2", "Cause/before", lost=0)

# ---- FuseReviews

FR, FF = "fuse_reviews", "fuse_reviews fine-tuning"
SPANS = "review_1_offsets"
kind(FR, "spans that are no JSON", spoil(FR, ((SPANS,), "[[0, 17]")), DROPPED, "broken JSON", "line 3", f'field "{SPANS}" is not JSON')
kind(FR, "spans that are no list", spoil(FR, ((SPANS,), '{"0": 17}')), DROPPED, "wrong type", "line 3", f'field "{SPANS}" must be a list')
kind(FR, "spans nested without end", spoil(FR, ((SPANS,), "[" * 50_000)), DROPPED, "broken JSON", "line 3", SPANS)
for what, span in (("of three numbers", "[0, 1, 2]"), ("that ends before it begins", "[5, 2]"), ("of no character", "[5, 5]"), ("before the text", "[-2, 4]"), ("of broken numbers", "[0.0, 4.5]"), ("of true and false", "[false, true]")):
    kind(FR, f"a span {what}", spoil(FR, ((SPANS,), f"[{span}]")), DROPPED, "span out of range", "line 3", f'field "{SPANS}"', "is no span of")
kind(FR, "a span behind the end of its review", spoil(FR, ((SPANS,), "[[0, 999]]")), DROPPED, "span out of range", "line 3", SPANS, "[0, 999] is no span of")
kind(FR, "overlapping, nested and repeated spans", spoil(FR, ((SPANS,), "[[4, 17], [0, 8], [0, 8], [2, 3]]")), KEPT, lost=CHANGED)
kind(FR, "no highlight in any review", spoil(FR, *((((f"review_{n}_offsets",), "[]")) for n in range(8))), DROPPED, "no highlight", "line 3", "hold no highlight")
kind(FR, "a review without text", spoil(FR, (("review_7_text",), " ")), DROPPED, "empty field", "line 3", 'field "review_7_text" is empty')
kind(FR, "nine reviews", lambda: LAYOUTS[FR].files([{**one, "review_8_text": "Text."} for one in LAYOUTS[FR].records()]), FAILS, "too many reviews", "review_8_text", "one review too many")
kind(FR, "a column that is missing", bytes_(FR, lambda data: data.replace(b"review_3_offsets", b"review_3_spans")), FAILS, "missing field", "line 1", 'field "review_3_offsets" is missing')
kind(FR, "an alignment without text", spoil(FR, (("review_0_alignments",), '[{"review": {"offsets": [[0, 17]]}}]')), DROPPED, "missing field", "line 3, review_0_alignments[0], review", 'field "text" is missing')
kind(FR, "an alignment that is no object", spoil(FR, (("review_0_alignments",), "[7]")), DROPPED, "wrong type", "line 3", "review_0_alignments[0]", "must be an object")
kind(FF, "an alignment with a review that is not there", spoil(FF, (("alignments",), '[{"review_name": "review_8", "review_span_offsets": "0, 1"}]')), DROPPED, "out of range", "line 3, alignments[0]", "'review_8' is none of 8 reviews")
kind(FF, "offsets of an alignment that are no numbers", spoil(FF, (("alignments",), '[{"review_name": "review_0", "review_span_offsets": "0; 1"}]')), DROPPED, "span out of range", "line 3, alignments[0]", "review_span_offsets")
kind(FF, "offsets of an alignment behind the end", spoil(FF, (("alignments",), '[{"review_name": "review_0", "review_span_offsets": "0, 4;900, 901"}]')), DROPPED, "span out of range", "line 3, alignments[0]", "(900, 901) is no span of")
kind(FF, "an alignment without spans (null, NaN)", spoil(FF, (("alignments",), '[{"review_name": "review_0", "review_span_offsets": null}]')), KEPT, lost=CHANGED)

# ---- SciCo

SC = "sci_co"
kind(SC, "a mention behind its paragraph", spoil(SC, (("mentions", 1), [1, 1, 3, 7])), DROPPED, "mention out of range", "line 2", 'field "mentions[1]" has tokens 1 to 3 of 3')
kind(SC, "a mention that ends before it begins", spoil(SC, (("mentions", 1), [1, 2, 1, 7])), DROPPED, "mention out of range", "line 2", "mentions[1]")
kind(SC, "a mention in a paragraph that is not there", spoil(SC, (("mentions", 1), [3, 0, 0, 7])), DROPPED, "mention out of range", "line 2", "paragraph 3 of 3")
kind(SC, "a mention with a negative token", spoil(SC, (("mentions", 1), [1, -1, 0, 7])), DROPPED, "wrong type", "line 2", "mentions[1]")
kind(SC, "a mention without cluster", spoil(SC, (("mentions", 1), [1, 1, 2])), DROPPED, "wrong type", "line 2", "is not [paragraph, first, last, cluster]")
kind(SC, "a mention of empty tokens", spoil(SC, (("tokens", 1), ["More", "", "play"]), (("mentions", 1), [1, 1, 1, 7])), DROPPED, "empty field", "line 2", 'field "mentions[1]" has no text')
kind(SC, "no mentions", spoil(SC, (("mentions",), [])), DROPPED, "empty field", "line 2", 'field "mentions" is empty')
kind(SC, "a relation of clusters without mention", spoil(SC, (("relations",), [[7, 99]])), KEPT)
kind(SC, "fewer documents than paragraphs", spoil(SC, (("doc_ids",), [0, 0])), DROPPED, "out of range", "line 2", 'field "doc_ids" are 2, for 3 paragraphs')
kind(SC, "documents that are numbered with gaps", spoil(SC, (("doc_ids",), [3, 3, 9])), KEPT)
kind(SC, "a document without text", spoil(SC, (("tokens", 2), ["", " "]), (("mentions",), [[0, 1, 2, 7]])), DROPPED, "empty document", "line 2", 'field "tokens" document 1 has no text')
kind(SC, "a row that stands twice", spoil(SC, (("id",), 0)), DROPPED, "duplicate id", "line 2", "example 0", lost=0)

# ---- ECB+

EC = "ecb_plus"
FILE = "ecb_plus/ECB+/37/37_1ecb.xml"


def xml(change: Callable[[bytes], bytes]) -> Callable[[], Files]:
    return bytes_(EC, change, "documents", "37_1ecb")


def listed(change: Callable[[bytes], bytes]) -> Callable[[], Files]:
    return bytes_(EC, change, "sentences")


BOMB = b'<!DOCTYPE d [<!ENTITY a "' + b"x" * 1000 + b'"><!ENTITY b "' + b"&a;" * 1000 + b'">]>\n'
kind(EC, "XML that is cut", xml(lambda data: data[: len(data) // 2]), DROPPED, "broken XML", FILE, "is not XML")
kind(EC, "two root elements", xml(lambda data: data + data), DROPPED, "broken XML", FILE, "is not XML")
kind(EC, "another root element", xml(lambda data: data.replace(b"Document", b"Page")), DROPPED, "wrong type", FILE, "is <Page>")
kind(EC, "entities of its own (a bomb)", xml(lambda data: BOMB + data.replace(b">victim<", b">&b;<")), DROPPED, "broken XML", FILE, "document type")
kind(EC, "another document's name", xml(lambda data: data.replace(b"37_1ecb.xml", b"38_1ecb.xml")), DROPPED, "another file", FILE, "38_1ecb.xml")
kind(EC, "a token without text", xml(lambda data: data.replace(b">took<", b"><")), DROPPED, "empty field", FILE, "token 4", "has no text")
kind(EC, "two tokens of one id", xml(lambda data: data.replace(b't_id="5"', b't_id="4"')), DROPPED, "duplicate id", FILE, "t_id", "stands twice")
kind(EC, "a sentence that is no number", xml(lambda data: data.replace(b'sentence="1" number="1"', b'sentence="one" number="1"')), DROPPED, "wrong type", FILE, "token 4", "sentence", "'one' is no number")
kind(EC, "a mention of a token that is not there", xml(lambda data: data.replace(b'<token_anchor t_id="9"/>', b'<token_anchor t_id="99"/>')), DROPPED, "mention out of range", FILE, "mention 2", "names token '99'")
kind(EC, "two mentions of one id", xml(lambda data: data.replace(b'<ACTION_STATE m_id="2">', b'<ACTION_STATE m_id="1">')), DROPPED, "duplicate id", FILE, "mention 1", "m_id")
kind(EC, "a mention in two clusters", xml(lambda data: data.replace(b"</Relations>", b'<INTRA_DOC_COREF r_id="2"><source m_id="1" /></INTRA_DOC_COREF></Relations>')), DROPPED, "mention in two clusters", FILE, "mention 1", "two chains")
kind(EC, "a cluster of a mention that is not there", xml(lambda data: data.replace(b'<source m_id="1" />', b'<source m_id="7" />')), DROPPED, "unknown mention", FILE, "names mention '7'")
kind(EC, "a cluster without mention", xml(lambda data: data.replace(b'<source m_id="1" />', b"")), KEPT, lost=CHANGED)
kind(EC, "a cluster without name", xml(lambda data: data.replace(b' note="ACT1"', b"")), DROPPED, "missing field", FILE, "CROSS_DOC_COREF", "note")
kind(EC, "a file without mentions", xml(lambda data: data.replace(b"Markables>", b"Marks>")), DROPPED, "missing field", FILE, "Markables")
kind(EC, "a document without event mention", xml(lambda data: data.replace(b"ACTION_", b"HUMAN_")), FILTERED, "no event mention", "have none", lost=CHANGED)
kind(EC, "a document that the list does not name", listed(lambda data: data.replace(b"37,1ecb,0\n37,1ecb,1\n37,1ecb,2\n", b"")), FILTERED, "no validated sentence", "names none of it", lost=CHANGED)
kind(EC, "a listed document without file", more(EC, without="37_1ecb"), DROPPED, "missing file", "topic 37", "lacks 37_1ecb.xml")
kind(EC, "a listed sentence that is not there", listed(lambda data: data.replace(b"37,1ecb,2", b"37,1ecb,9")), DROPPED, "missing sentence", FILE, "has no sentence 9")
kind(EC, "a listed sentence that is no number", listed(lambda data: data.replace(b"37,1ecb,2", b"37,1ecb,two")), DROPPED, "wrong type", "sentences.csv, line 10", "Sentence Number")
kind(EC, "a row of the list with a comma too many", listed(lambda data: data.replace(b"37,1ecb,2", b"37,1ecb,2,")), DROPPED, "broken CSV", "sentences.csv, line 10", "has 4 fields")
kind(EC, "a topic that is none", listed(lambda data: data.replace(b"37,1ecb,2", b"15,1ecb,2")), DROPPED, "unknown topic", "sentences.csv, line 10", "'15' is none of 1 to 45", lost=CHANGED)
kind(EC, "a list without its header", listed(lambda data: data.replace(b"Topic,File,Sentence Number\n", b"")), FAILS, "missing field", "sentences.csv", "Topic")
kind(EC, "a document that is there twice", more(EC, ("documents", "ecb_plus/copy/37/37_1ecb.xml", b"<Document/>")), DROPPED, "duplicate id", "copy/37/37_1ecb.xml", "is there a second time")
kind(EC, "a file that is named for no topic", more(EC, ("documents", "ecb_plus/ECB+/37/notes.xml", b"<Document/>")), DROPPED, "unknown topic", "37/notes.xml", lost=NOTHING)

# ---- Dolce's suites

LE, BA, LB, LP, LC = "l_eval", "bamboo", "longbench", "longbench prompts", "longbench prompts with classes"
kind(LE, "more outputs than instructions", spoil(LE, (("outputs",), ["A", "B", "C"])), DROPPED, "invalid value", "line 2", "has 3 entries, instructions has 2")
kind(LE, "an output that begins with no letter", spoil(LE, (("outputs", 0), "two")), DROPPED, "answer is no option", "line 2, instructions[0]", "'two'", lost=0)
kind(LE, "an output that is a number", spoil(LE, (("outputs", 1), 4)), DROPPED, "wrong type", "line 2, instructions[1]", lost=1)
kind(LE, "a context without instructions", spoil(LE, (("instructions",), []), (("outputs",), [])), KEPT, lost=EXAMPLES)
kind(LE, "a context of blanks", spoil(LE, (("input",), " \n\u3000")), DROPPED, "empty field", "line 2", "input")
kind(LE, "a context that stands twice", spoil(LE, (("input",), "One of before. Two.")), KEPT, lost=CHANGED)
kind(BA, "options in one text", spoil(BA, (("options",), ["A. one B. two C. three D. four"])), KEPT, lost=CHANGED)
kind(BA, "an answer that is true", spoil(BA, (("answer",), True)), DROPPED, "wrong type", "line 2", "answer")
kind("bamboo dialogue", "a conversation of one line", spoil("bamboo dialogue", (("content",), '"victim" said by ')), DROPPED, "empty field", "line 2", "has no text before its question")
kind("bamboo dialogue", "a conversation of blank lines", spoil("bamboo dialogue", (("content",), "\n\n\nx")), DROPPED, "empty field", "line 2", "has no text before its question")
kind("bamboo sections", "no section for the question", spoil("bamboo sections", (("content",), "Answer.\n\nDocument:\nIn victim.")), DROPPED, "missing field", "line 2", 'has no section "Question:"')
kind("bamboo sections", "a section without question", spoil("bamboo sections", (("content",), "Document:\nIn victim.\n\nQuestion:\n \n")), DROPPED, "empty field", "line 2", "has no question")
kind("bamboo sections", "a document without text", spoil("bamboo sections", (("content",), "Document:\n\nQuestion:\nwhen\n")), DROPPED, "empty field", "line 2", "has no text before its question")
kind("bamboo code", "documents without end", spoil("bamboo code", (("prompt",), "# [start]\n# def victim()\ny = ")), DROPPED, "missing field", "line 2", 'has no "# [end]"')
kind("bamboo code", "documents that end before they begin", spoil("bamboo code", (("prompt",), "# [end]\n# [start]\nvictim")), DROPPED, "missing field", "line 2", 'has no "# [end]"')
kind("bamboo code", "no code to complete", spoil("bamboo code", (("prompt",), "# [start]\nvictim\n# [end]\n")), DROPPED, "empty field", "line 2", "has no question")
kind("bamboo code", "no solution", spoil("bamboo code", (("canonical_solution",), [" \n"])), DROPPED, "empty field", "line 2", "canonical_solution", "has no text")
kind("bamboo hypothesis", "a truth that is text", spoil("bamboo hypothesis", (("answer",), "Yes")), DROPPED, "wrong type", "line 2", "must be true or false")
kind(LB, "blank answers", spoil(LB, (("answers",), [" "])), DROPPED, "empty field", "line 2", "answers", "has no text")
kind(LB, "a question that is null", spoil(LB, (("input",), None)), KEPT, lost=CHANGED)
kind(LB, "classes that are null", spoil(LB, (("all_classes",), None)), KEPT, lost=CHANGED)
kind(LB, "a record that stands twice", spoil(LB, (("_id",), "before")), DROPPED, "duplicate id", "line 2", "example before", lost=0)
kind(LP, "another task's prompt", spoil(LP, (("origin_prompt",), "Read the following text and answer briefly.\n\nvictim")), DROPPED, "another prompt", "prompt victim", "is no prompt of hotpotqa: it begins with")
kind(LP, "a prompt that is cut", spoil(LP, (("origin_prompt",), prompted("victim", 1)["origin_prompt"][:-9])), DROPPED, "another prompt", "prompt victim", "it ends with")
kind(LP, "a prompt without question", spoil(LP, (("origin_prompt",), prompted("victim", 1)["origin_prompt"].replace("Question: ", ""))), DROPPED, "another prompt", "prompt victim", "is not in it")
kind(LP, "a prompt without context", spoil(LP, (("origin_prompt",), prompted("victim", 1)["origin_prompt"].replace("Passage 1:\nIn victim.", ""))), DROPPED, "empty field", "prompt victim", "has no context")
kind(LC, "blank answers beside their classes", spoil(LC, (("gold", "answers"), [" "])), DROPPED, "empty field", "prompt victim, gold", "answers", "has no text")
kind(LC, "classes without an answer", spoil(LC, (("gold",), {"all_classes": ["Animal"]})), DROPPED, "missing field", "prompt victim, gold", "answers")
kind(LP, "prompts that are cut", bytes_(LP, lambda data: data[:-40]), FAILS, "broken JSON", "is not JSON")

# fmt: on
def table() -> str:
    """The kinds as Markdown."""
    rows = [f"| {one.layout.partition(' ')[0].rstrip(',')} | {one.what} | {told(one)} |" for one in KINDS]
    return "\n".join(["| data set | kind | outcome |", "| --- | --- | --- |", *rows])


def told(one: Kind) -> str:
    if one.outcome in (KEPT, FAILS):
        return one.outcome + (f": {one.reason}" if one.reason else "")
    return f"{one.outcome}: {one.reason or 'nesting or broken JSON'}"


if __name__ == "__main__":
    print(table())
