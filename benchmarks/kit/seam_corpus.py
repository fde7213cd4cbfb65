"""A generated raw folder for SEAM at the published sizes: six upstream layouts (fact sheet seam.md 1).

Instances of the evaluated splits: MultiNews 5,622, OpenAsp 596, FuseReviews 99, MuSiQue 4,834, SciCo 200, ECB+ 10
topics; documents and words an instance about as table 1 has them (its tokens by 1.3). Paraphrases and demonstrations
are the sample's: five demonstrations, fewer and shorter than the published ones.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.kit.corpus import lines, table, text
from benchmarks.kit.prose import Prose
from scrollwork.suites.suite_files import SAMPLE

PROMPTS = "seam/files/prompts"
MENTIONS = 99  # of an instance of SciCo, which has no more ids
EVENTS = 180  # of a topic of ECB+


def write(raw: Path, times: float = 1) -> int:
    """Write all six data sets with `times` the instances, and the prompts; how many instances."""
    shutil.copytree(SAMPLE / PROMPTS, raw / PROMPTS)
    made = (multi_news, 5_622), (open_asp, 596), (fuse_reviews, 99), (musique, 4_834), (sci_co, 200)
    count = sum(part(raw, max(1, round(size * times))) for part, size in made)
    return count + ecb_plus(raw, times)


def multi_news(raw: Path, count: int) -> int:
    """Two or three articles of about 640 words each, in two files."""
    prose = Prose(21)
    documents, summaries = [], []
    for number in range(count):
        articles = [" NEWLINE_CHAR ".join(prose.paragraphs(prose.around(640))) for _ in range(3 - (number % 5 == 0))]
        documents.append(" ||||| ".join(articles) + "\n")
        summaries.append(prose.words(210) + "\n")
    text(raw / "multi_news/data/test.src.cleaned", "".join(documents))
    text(raw / "multi_news/data/test.tgt", "".join(summaries))
    return count


def open_asp(raw: Path, count: int) -> int:
    """About ten articles of about 630 words."""
    prose = Prose(22)

    def record(number: int) -> dict[str, Any]:
        documents = [
            {"filename": f"d{n}.txt", "text": prose.paragraphs(prose.around(630), each=25)}
            for n in range(9 + number % 3)
        ]
        names = {"guid": f"Aspect/{number}", "topic_id": f"mnews-test.{number}", "aspect_label": prose.words(3)}
        return {**names, "title": "T", "documents": documents, "summary_text": [prose.words(25) for _ in range(3)]}

    return lines(raw / "openasp/openasp-v1/test.jsonl", map(record, range(count)))


def fuse_reviews(raw: Path, count: int) -> int:
    """Eight reviews of about 65 words, two highlights each."""
    prose = Prose(23)
    columns = [f"review_{n}_{what}" for n in range(8) for what in ("text", "highlight_spans")]

    def row(number: int) -> list[str]:
        cells, aligned = [], []
        for review in range(8):
            words = prose.words(prose.around(65))
            spans = [[0, 20], [len(words) // 2, len(words) // 2 + 40]]
            cells += [words, json.dumps([[start, min(end, len(words))] for start, end in spans])]
            offsets = {"review_name": f"review_{review}", "review_span_offsets": "0, 20"}
            aligned.append({**offsets, "summary_span_offsets": "0, 5"})
        return ["S", "dev", f"S {number}", prose.words(120), *cells, json.dumps(aligned)]

    path = raw / "fusereviews/dev__highlights_with_full_inputs.csv"
    path.parent.mkdir(parents=True)
    head = ["database", "subset", "summary_name", "summary_text", *columns, "alignments"]
    table(path, ",".join(head), map(row, range(count)))
    return count


def musique(raw: Path, count: int) -> int:
    """Twenty paragraphs of about 82 words; every second is the twin without an answer of the one before."""
    prose = Prose(24)

    def question(number: int) -> dict[str, Any]:
        paragraphs = [
            {"idx": n, "title": f"T {n}", "paragraph_text": prose.words(prose.around(82)), "is_supporting": n < 2}
            for n in range(20)
        ]
        about = {"id": f"2hop__{number // 2}", "question": prose.words(12) + "?", "answerable": number % 2 == 0}
        return {**about, "answer": prose.words(2), "answer_aliases": [], "paragraphs": paragraphs}

    return lines(raw / "musique/musique_full_v1.0_dev.jsonl", map(question, range(count)))


def sci_co(raw: Path, count: int) -> int:
    """About 47 papers, a paragraph of about 68 words each, 99 mentions in 30 clusters."""
    prose = Prose(25)

    def row(number: int) -> dict[str, Any]:
        paragraphs = [prose.words(prose.around(68)).split() for _ in range(44 + number % 8)]
        mentions = [
            [n % len(paragraphs), 3 * (n // len(paragraphs)), 3 * (n // len(paragraphs)) + 1, n % 30]
            for n in range(MENTIONS)
        ]
        return {"id": number, "tokens": paragraphs, "doc_ids": list(range(len(paragraphs))), "mentions": mentions}

    return lines(raw / "scico/test.jsonl", map(row, range(count)))


def ecb_plus(raw: Path, times: float) -> int:
    """Ten topics of about 21 documents of about 94 words, two validated sentences and nine events each; more documents,
    not topics, for `times`: there are no other test topics."""
    prose = Prose(26)
    root = raw / "ecb_plus/ECB+_LREC2014"
    listed: list[list[object]] = []
    each = max(1, round(21 * times))
    for topic in range(36, 46):
        for number in range(1, each + 1):
            name = f"{number}ecb"
            listed += [[topic, name, 0], [topic, name, 1]]
            text(root / f"ECB+/{topic}/{topic}_{name}.xml", "\n".join(xml(prose, f"{topic}_{name}.xml", number)))
    table(root / "ECBplus_coreference_sentences.csv", "Topic,File,Sentence Number", listed)
    return 10


def xml(prose: Prose, name: str, number: int) -> Iterator[str]:
    """The lines of a document."""
    words = prose.words(94).split()
    events = EVENTS // 20
    yield f'<Document doc_name="{name}" doc_id="DOC{number}">'
    for place, word in enumerate(words, start=1):
        yield f'<token t_id="{place}" sentence="{place // 48}" number="{place % 48}">{word}</token>'
    yield "<Markables>"
    for event in range(1, events + 1):
        yield f'<ACTION_OCCURRENCE m_id="{event}"><token_anchor t_id="{10 * event}"/></ACTION_OCCURRENCE>'
    yield "</Markables><Relations>"
    for event in range(1, events + 1):
        relation = f'<CROSS_DOC_COREF r_id="{event}" note="ACT{event}">'
        yield f'{relation}<source m_id="{event}"/></CROSS_DOC_COREF>'
    yield "</Relations></Document>"
