"""Small raw files of SEAM's six data sets in their upstream layouts, full of what a template may trip over."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

TRAP = "see [link](3), {HS} `tick` ``` {documents} {target} {number} {0} %s \\n HS"
INSTRUCTIONS = ("Do {documents} it.", "Use HS and {HE}, {query}. ", "Third `one` HSX.")
FORMATS = ("As a dict.", " Keys: 'a'. ", "{target}")
NEWS = (
    (f"Alpha {TRAP}", "Beta two.", "Gamma three."),
    ("Lonely one.",),
    ("Delta four.", "Epsilon five."),
)
ASPECT_DOCUMENTS = ("Zeta. More zeta.", f"Eta {TRAP}")
REVIEWS = tuple(f"Room {n} was [warm](1) and the desk kind, review {n}." for n in range(8))
PARAGRAPHS = ("Rome is old.", f"Theta {TRAP}", "Iota.")
SHOT_NEWS = (("Shot a.", "Shot b {documents}.", "Shot c."), ("Only one.",), ("Two d.", "Two e."))
SHOT_CLUSTERS = (("A [b](4) c", "[d e](9) f"), ("One [x](0) [y](7)",), ("P [q](5)", "R [s](6)", "T [u](8)"))
SHOT_TARGETS = ([[4, 9]], [[0], [7]], [[5, 6], [8]])
SHOT_REVIEWS = tuple(
    tuple(f"{{HS}}Shot {shot}{{HE}} of review {n}." if n < 2 else f"Plain {shot} {n}." for n in range(8))
    for shot in range(3)
)


def write(raw: Path) -> Path:
    """All six, with three paraphrases and three demonstrations each; the folder."""
    text(
        raw / "multi_news/data/test.src.cleaned",
        "".join(" ||||| ".join(row) + "\n" for row in (*NEWS[:2], (NEWS[2][0], "", NEWS[2][1]))),
    )
    text(raw / "multi_news/data/test.tgt", "So a.\nSo b.\nSo c.\n")
    asp = {
        "guid": "g/1",
        "topic_id": "mnews-test.1",
        "title": "T",
        "aspect_label": "{target} why",
        "documents": [
            {"filename": "0", "text": ["Zeta.", "More zeta."]},
            {"filename": "1", "text": [ASPECT_DOCUMENTS[1]]},
            {"filename": "2", "text": []},
        ],
        "summary_text": ["S one.", "S two."],
    }
    lines(raw / "openasp/test.jsonl", [asp])
    reviews(raw / "fusereviews/dev.csv")
    musique = {
        "paragraphs": [
            {"idx": n, "title": "T", "paragraph_text": one, "is_supporting": n == 0} for n, one in enumerate(PARAGRAPHS)
        ]
    }
    asked = {"answer": "Rome", "answer_aliases": ["Roma"], "question_decomposition": []}
    lines(
        raw / "musique/musique_full_v1.0_dev.jsonl",
        [
            {"id": "2hop__1", "question": "Which city?", "answerable": True, **asked, **musique},
            {"id": "2hop__1", "question": "Which {documents} city", "answerable": False, **asked, **musique},
        ],
    )
    sci = {
        "tokens": [["Of", "cards", "and", "card", "games"], ["more", "{HS}"], ["dice", "](3)"]],
        "doc_ids": [0, 0, 1],
    }
    mentions = [[0, 1, 1, 1], [0, 3, 4, 2], [0, 3, 3, 1], [2, 0, 0, 3]]
    lines(raw / "scico/test.jsonl", [{"id": 5, "mentions": mentions, "relations": [], **sci}])
    ecb(raw / "ecb_plus/ECB+_LREC2014")
    prompts(raw / "seam/files/prompts")
    return raw


def ecb(root: Path) -> None:
    """Topic 36 with two documents, topic 37 with one; sentence 0 is not validated in 36_2ecb."""
    documents = {
        "36_1ecb": ("The ship sank fast .|It was a loss .", {"1": (3,), "2": (9,)}),
        "36_2ecb": ("Before that .|A sinking shook them up .", {"1": (5,), "2": (6, 8)}),
        "37_1ecb": ("He won .|They cheered .", {"1": (2,)}),
    }
    chains = {("36_1ecb", "1"): "A", ("36_2ecb", "1"): "A"}
    listed = ["36,1ecb,0", "36,1ecb,1", "36,2ecb,1", "37,1ecb,0"]
    text(root / "ECBplus_coreference_sentences.csv", "\n".join(["Topic,File,Sentence Number", *listed]) + "\n")
    for name, (sentences, events) in documents.items():
        tokens, number = [], 0
        for sentence, words in enumerate(sentences.split("|")):
            for word in words.split():
                number += 1
                tokens.append(f'<token t_id="{number}" sentence="{sentence}" number="0">{word}</token>')
        marks = [
            f'<ACTION_OCCURRENCE m_id="{m}">{"".join(f"<token_anchor t_id={chr(34)}{t}{chr(34)}/>" for t in at)}</ACTION_OCCURRENCE>'
            for m, at in events.items()
        ]
        links = [
            f'<CROSS_DOC_COREF r_id="{m}" note="{note}"><source m_id="{m}"/></CROSS_DOC_COREF>'
            for (document, m), note in chains.items()
            if document == name
        ]
        body = f"{''.join(tokens)}<Markables>{''.join(marks)}</Markables><Relations>{''.join(links)}</Relations>"
        text(root / f"ECB+/{name[:2]}/{name}.xml", f'<Document doc_name="{name}.xml" doc_id="D">{body}</Document>')


def reviews(path: Path) -> None:
    """One row; review 0 has two highlights, review 1 one, given out of order."""
    aligned = [{"review": {"text": "Room 0", "offsets": [[0, 6]]}, "summary": {"text": "s"}}]
    row: dict[str, Any] = {}
    for n, one in enumerate(REVIEWS):
        place = one.index("the desk kind")
        spans = {0: [[place, place + 13], [0, 6]], 1: [[0, 6]]}.get(n, [])
        row |= {f"review_{n}_text": one, f"review_{n}_offsets": json.dumps(spans)}
        row[f"review_{n}_alignments"] = json.dumps(aligned if n == 0 else [])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(row))
        writer.writeheader()
        writer.writerow(row)


def prompts(folder: Path) -> None:
    """Paraphrases and demonstrations of all tasks."""
    wordings = [{"id": n, "instructions": one} for n, one in enumerate(INSTRUCTIONS)]
    formatted = [{**one, "output_format": form} for one, form in zip(wordings, FORMATS, strict=True)]
    news = [
        {"id_train": str(n), "documents": list(one), "target": f"N{n} {{documents}}"} for n, one in enumerate(SHOT_NEWS)
    ]
    clusters = [
        {"id_train": str(n), "documents": list(one), "target": target}
        for n, (one, target) in enumerate(zip(SHOT_CLUSTERS, SHOT_TARGETS, strict=True))
    ]
    files: dict[str, tuple[Any, Any]] = {
        "MultiNews": (wordings, news),
        "OpenASP": (wordings, [{**one, "aspect_label": f"Label {n}"} for n, one in enumerate(news)]),
        "MusiQue": (
            formatted,
            [
                {
                    "id": str(n),
                    "documents": list(one),
                    "question": f"Q{n}" + "?" * (n % 2),
                    "answer": {"is_answerable": n != 1, "answer_content": f"A{n}"},
                }
                for n, one in enumerate(SHOT_NEWS)
            ],
        ),
        "SciCo": (wordings, clusters),
        "ECB": (wordings, clusters),
        "FuseReviews": (
            wordings,
            [
                {"id": str(n), "reviews": {f"review_{k}": one for k, one in enumerate(shot)}, "output": f"F{n}"}
                for n, shot in enumerate(SHOT_REVIEWS)
            ],
        ),
    }
    for name, (instructions, shots) in files.items():
        text(folder / f"{name}.json", json.dumps({"prompts": instructions, "demonstrations": shots}))


def lines(path: Path, records: list[dict[str, Any]]) -> None:
    """JSON Lines."""
    text(path, "".join(json.dumps(record) + "\n" for record in records))


def text(path: Path, data: str) -> None:
    """A file of UTF-8, newlines as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode("utf-8"))
