"""Raw files of SEAM's six data sets, all splits, made from a seed and full of what the official code treats in a way of
its own: blanks and empty articles, nested, crossing and equal mentions, highlights that touch or overlap, reviews without
one, wordings with bare HS and blanks around them, more documents than it permutes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

from tests.flows.seam_raw import lines, text

WORDS = (
    *("ship", "sank", "card", "Über", "naïve", "日本", "🚢", "don't", "3%", "a", "HS", "HE", "HSX", "x(HE)"),
    *("{documents}", "{target}", "{query}", "{0}", "%s", "\\n", "```", "`", "[link](3)", "](4)", "[", "*Answer*:"),
)
BLANKS = ("", " ", "  ", "\t", "\u00a0", " \u2003", "NEWLINE_CHAR", " NEWLINE_CHAR ")
SPLITS = {  # upstream's names, with how many instances of each data set
    "multi_news": {"train": 5, "val": 3, "test": 9},
    "open_asp": {"train": 2, "valid": 2, "test": 8},
    "fuse_reviews": {"train": 3, "dev": 8},
    "musique": {"train": 3, "dev": 8},
    "sci_co": {"train": 4, "dev": 2, "test": 8},
}
TOPICS = (1, 3, 2, 5, 36, 37, 38)  # two of train, two of validation, three of test
SHOTS, WORDINGS = 4, 5


def write(raw: Path, seed: int) -> Path:
    """All six, with paraphrases and demonstrations; the folder."""
    draw = Random(seed)
    for split, count in SPLITS["multi_news"].items():
        rows = [" ||||| ".join(articles(draw, 6)) for _ in range(count)]
        rows[count // 2] = draw.choice(("", "   ", " |||||  "))  # no article at all
        text(raw / f"multi_news/data/{split}.src.cleaned", "".join(f"{row}\n" for row in rows))
        text(raw / f"multi_news/data/{split}.tgt", "So.\n" * count)
    for split, count in SPLITS["open_asp"].items():
        lines(raw / f"openasp/{split}.jsonl", [aspect(draw, f"{split}/{n}") for n in range(count)])
    for split, count in SPLITS["fuse_reviews"].items():
        reviews(draw, raw / f"fusereviews/{split}.csv", count)
    for split, count in SPLITS["musique"].items():
        lines(
            raw / f"musique/musique_full_v1.0_{split}.jsonl",
            [question(draw, f"{split}{n // 2}", n) for n in range(count)],
        )
    for split, count in SPLITS["sci_co"].items():
        lines(raw / f"scico/{split}.jsonl", [topic(draw, n) for n in range(count)])
    ecb(draw, raw / "ecb_plus/ECB+_LREC2014")
    prompts(draw, raw / "seam/files/prompts")
    return raw


def words(draw: Random, most: int = 9) -> str:
    """Some words; never blank."""
    return " ".join(draw.choice(WORDS) for _ in range(draw.randint(1, most)))


def around(draw: Random, said: str) -> str:
    return draw.choice(BLANKS) + said + draw.choice(BLANKS)


def articles(draw: Random, most: int) -> list[str]:
    """With blanks around them, one at least not empty."""
    found = [around(draw, words(draw)) for _ in range(draw.randint(1, most))]
    for _ in range(draw.randint(0, 2)):
        found.insert(draw.randint(0, len(found)), draw.choice(BLANKS[:6]))
    return found


def aspect(draw: Random, guid: str) -> dict[str, Any]:
    """One OpenAsp record; some of its articles are empty, and some have blank sentences at their ends."""
    listed = [
        [around(draw, words(draw)).replace("NEWLINE_CHAR", "\n") for _ in range(draw.randint(1, 3))] for _ in "abc"
    ]
    for sentences in ([], [""], ["", " "], ["\n"]):
        if draw.random() < 0.4:
            listed.insert(draw.randint(0, len(listed)), list(sentences))
    return {
        "guid": guid,
        "topic_id": "DUC-1/d",
        "title": "T",
        "aspect_label": around(draw, words(draw, 3)).replace("NEWLINE_CHAR", ""),
        "documents": [{"filename": str(n), "text": one} for n, one in enumerate(listed)],
        "summary_text": ["S."],
    }


def reviews(draw: Random, path: Path, count: int) -> None:
    """Rows of the hub's layout. Highlights overlap, touch, repeat and come in any order; some reviews have none."""
    rows = []
    for _ in range(count):
        row: dict[str, Any] = {}
        for n in range(8):
            said = around(draw, words(draw, 12)).replace("NEWLINE_CHAR", "\n")
            spans = []
            for _ in range(draw.randint(0, 4) if n else 2):
                start = draw.randrange(len(said))
                spans.append([start, draw.randint(start + 1, len(said))])
            if spans and spans[0][1] < len(said):
                spans.append([spans[0][1], len(said)])  # touches the first
            row |= {f"review_{n}_text": said, f"review_{n}_offsets": json.dumps(spans), f"review_{n}_alignments": "[]"}
        rows.append(row)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def question(draw: Random, name: str, number: int) -> dict[str, Any]:
    """One MuSiQue question; the official code shows 20 paragraphs of the 22 that one has."""
    paragraphs = [
        {"idx": n, "title": "T", "paragraph_text": around(draw, words(draw)), "is_supporting": n == 0}
        for n in range(22 if number == 3 else draw.randint(1, 20))
    ]
    return {
        "id": name,
        "question": around(draw, words(draw, 5)) + "?" * draw.randint(0, 2),
        "answer": "A",
        "answer_aliases": [],
        "answerable": number % 2 == 0,
        "paragraphs": paragraphs,
    }


def topic(draw: Random, number: int) -> dict[str, Any]:
    """One SciCo record; mentions of one paragraph nest, cross, are equal or end together, in any order."""
    owners = [n for n in range(draw.randint(2, 6)) for _ in range(draw.randint(1, 2))]
    tokens = [words(draw, 8).split(" ") for _ in owners]
    mentions = []
    for _ in range(draw.randint(1, 14)):
        at = draw.randrange(len(tokens))
        first = draw.randrange(len(tokens[at]))
        last = draw.choice((len(tokens[at]) - 1, draw.randint(first, len(tokens[at]) - 1)))
        mentions.append([at, first, last, draw.randrange(4)])
    return {"id": number, "tokens": tokens, "doc_ids": owners, "mentions": mentions, "relations": []}


def ecb(draw: Random, root: Path) -> None:
    """Documents of three sentences, the first or the last of which is not validated; mentions in pieces and nested."""
    listed = []
    for number in TOPICS:
        for place in range(draw.randint(1, 4)):
            name = f"{number}_{place}ecb"
            sentences = [words(draw, 7).split(" ") for _ in range(3)]
            validated = [1, draw.choice((0, 2))]
            listed += [f"{number},{place}ecb,{sentence}" for sentence in sorted(validated)]
            at = [(sentence, word) for sentence, some in enumerate(sentences) for word in some]
            tokens = "".join(
                f'<token t_id="{n}" sentence="{sentence}" number="0">{word}</token>'
                for n, (sentence, word) in enumerate(at, 1)
            )
            usable = [n for n, (sentence, _) in enumerate(at, 1) if sentence == 1]
            marks = "".join(
                mark(
                    m, draw.choice(("ACTION_OCCURRENCE", "NEG_ACTION_STATE", "HUMAN_PART_PER")) if m > 1 else kind, ids
                )
                for m, (kind, ids) in enumerate(
                    (("ACTION_STATE", some(draw, usable)) for _ in range(draw.randint(1, 6))), 1
                )
            )
            body = f"{tokens}<Markables>{marks}</Markables><Relations/>"
            text(root / f"ECB+/{number}/{name}.xml", f'<Document doc_name="{name}.xml" doc_id="D">{body}</Document>')
    text(root / "ECBplus_coreference_sentences.csv", "\n".join(["Topic,File,Sentence Number", *listed]) + "\n")


def some(draw: Random, usable: list[int]) -> list[int]:
    """Tokens of a mention: one, several, or several with a gap; often up to the last."""
    first = draw.randrange(len(usable))
    chosen = usable[first : draw.choice((len(usable), draw.randint(first + 1, len(usable))))]
    return [chosen[0], chosen[-1]] if len(chosen) > 2 and draw.random() < 0.5 else chosen


def mark(number: int, kind: str, tokens: list[int]) -> str:
    anchors = "".join(f'<token_anchor t_id="{one}"/>' for one in tokens)
    return f'<{kind} m_id="{number}">{anchors}</{kind}>'


def prompts(draw: Random, folder: Path) -> None:
    """Paraphrases and demonstrations of all tasks."""

    def shots(most: int) -> list[list[str]]:
        return [[around(draw, words(draw)) for _ in range(draw.randint(1, most))] for _ in range(SHOTS)]

    def clustered() -> list[dict[str, Any]]:
        documents = [
            [f"{words(draw).replace('](', '] (')} [x]({n}) y" for n in range(draw.randint(1, 5))] for _ in range(SHOTS)
        ]
        return [{"documents": one, "target": [[n] for n in range(len(one))]} for one in documents]

    news = [{"documents": one, "target": around(draw, words(draw))} for one in shots(3)]
    fused = [
        {
            "reviews": {
                f"review_{n}": f"{{HS}}{words(draw)}{{HE}} b" if draw.random() < 0.6 else "c" for n in range(8)
            },
            "output": around(draw, words(draw)).replace("NEWLINE_CHAR", "\n"),
        }
        for _ in range(SHOTS)
    ]
    asked = [
        {
            "documents": one,
            "question": words(draw, 4) + "?" * (n % 2),
            "answer": {"is_answerable": n != 1, "answer_content": words(draw, 3)},
        }
        for n, one in enumerate(shots(9))
    ]
    files: dict[str, list[dict[str, Any]]] = {
        "MultiNews": news,
        "OpenASP": [{**one, "aspect_label": words(draw, 2)} for one in news],
        "MusiQue": asked,
        "SciCo": clustered(),
        "ECB": clustered(),
        "FuseReviews": fused,
    }
    for name, demonstrations in files.items():
        wordings = [
            {"instructions": around(draw, words(draw)).replace("NEWLINE_CHAR", "\n"), "output_format": " As a dict. "}
            for _ in range(WORDINGS)
        ]
        text(folder / f"{name}.json", json.dumps({"prompts": wordings, "demonstrations": demonstrations}))
