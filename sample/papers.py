"""Qasper: invented papers with all four kinds of answers, each with its evidence in the paper."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrollwork.sample._kit import Row, Voice, capital, identity, rows, write_json

TEST, DEV, TRAIN = (0, 1, 2, 4), (3,), (5,)
SHORT = 4  # this paper keeps the first paragraph of four sections only
SHORT_SECTIONS = ("Introduction", "Data", "Results", "Conclusion")

# Question, then one answer per annotator: kind, text (parted by ";"), section and paragraph of evidence.
QUESTIONS: tuple[tuple[str, tuple[tuple[str, str, str, str], ...]], ...] = (
    (
        "Which baselines do they compare with?",
        (
            ("spans", "{base_one};{base_two};{base_three}", "Experimental Setup", "first"),
            ("free", "{Base_one}, {base_two} and {base_three}", "Experimental Setup", "first"),
        ),
    ),
    ("What is the size of the {data_one} data set?", (("spans", "{size_one}", "Data", "first"),)),
    (
        "How is the agreement between annotators?",
        (
            ("free", "Cohen's kappa of {kappa}", "Data ::: Annotation", "first"),
            ("spans", "{kappa}", "Data ::: Annotation", "first"),
        ),
    ),
    (
        "Do they use transfer from other tasks?",
        (("no", "", "Related Work", "second"), ("no", "", "Limitations", "first")),
    ),
    ("Is the difference to the best baseline significant?", (("yes", "", "Results", "first"),)),
    ("How much did they pay the annotators?", (("none", "", "", ""), ("none", "", "", ""))),
    (
        "By how much does the model improve over the best baseline on {data_one}?",
        (
            ("free", "By {gain} points", "Results", "first"),
            ("spans", "{gain} points", "Results", "first"),
            ("free", "From {base_score} to {score}", "Results", "first"),
        ),
    ),
    ("Which languages are studied?", (("spans", "{lang_one};{lang_two}", "Limitations", "first"),)),
    (
        "Does the model beat the baselines with a tenth of the data?",
        (("no", "", "Results", "second"), ("none", "", "", "")),
    ),
)
OF_SHORT = (1, 5)
OF_DEV = (0, 3, 5)


def qasper(out: Path) -> None:
    """Three long papers and a short one for test, one long paper each for dev and train."""
    for split, chosen in (("test", TEST), ("dev", DEV), ("train", TRAIN)):
        papers = dict(_paper(number) for number in chosen)
        write_json(out / "qasper" / f"qasper-{split}-v0.3.json", papers, indent=1)


def _paper(number: int) -> tuple[str, dict[str, Any]]:
    row = rows("papers", "papers")[number]
    paper = f"2401.{10001 + number}"
    voice = Voice(f"qasper/{paper}", ("papers",))
    sections = [
        {
            "section_name": s["name"],
            "first": voice.fill(s["first"], row),
            "second": voice.fill(s["second"], row),
        }
        for s in rows("papers", "sections")
    ]
    if number == SHORT:
        sections = [{**s, "second": ""} for s in sections if s["section_name"] in SHORT_SECTIONS]
    if number == 2:
        sections[3]["second"] += " One wrote: “cafe\u0301 — or coffee?”\u2028Another drew a 🏺."
    asked = OF_SHORT if number == SHORT else OF_DEV if number in DEV else range(len(QUESTIONS))
    return paper, {
        "title": row["title"],
        "abstract": voice.fill(
            "We study {short}. We release {data_one} and {data_two} and propose {model}, which improves "
            "{metric} over three baselines.",
            row,
        ),
        "full_text": [
            {"section_name": s["section_name"], "paragraphs": [p for p in (s["first"], s["second"]) if p]}
            for s in sections
        ],
        "qas": [_question(paper, row, sections, which) for which in asked],
        "figures_and_tables": [],
    }


def _question(paper: str, row: Row, sections: Sequence[Row], which: int) -> dict[str, Any]:
    question, answers = QUESTIONS[which]
    return {
        "question": Voice(paper).fill(question, row),
        "question_id": identity("qasper", paper, which),
        "nlp_background": "two",
        "topic_background": "unfamiliar",
        "paper_read": "no",
        "search_query": row["short"],
        "question_writer": identity("writer", which % 2),
        "answers": [
            {
                "answer": _answer(row, sections, *answer),
                "annotation_id": identity(paper, which, place),
                "worker_id": identity("worker", place),
            }
            for place, answer in enumerate(answers)
        ],
    }


def _answer(
    row: Mapping[str, str], sections: Sequence[Row], kind: str, text: str, section: str, place: str
) -> dict[str, Any]:
    filled = Voice(kind).fill(text, row)
    evidence = [s[place] for s in sections if s["section_name"] == section]
    return {
        "unanswerable": kind == "none",
        "extractive_spans": filled.split(";") if kind == "spans" else [],
        "yes_no": {"yes": True, "no": False}.get(kind),
        "free_form_answer": capital(filled) if kind == "free" else "",
        "evidence": evidence,
        "highlighted_evidence": [paragraph.split(". ")[0] for paragraph in evidence],
    }
