"""Small raw files for the tests of this room."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scrollwork.preprocessing.chapters.strip import RULES
from scrollwork.preprocessing.curation import curate
from scrollwork.preprocessing.raw.files import RawFiles
from scrollwork.records.base import Row
from scrollwork.records.document import Document
from scrollwork.records.drop import Drop
from scrollwork.records.example import Example

OPTIONS: dict[str, dict[str, Any]] = {
    "gov_report": {"scrolls_filter": False},
    "qasper": {"fewest_chars": 0},
    "qmsum": {"join_punctuation": False},
    "squality": {"release": "v1-2"},
    "quality": {"output": "letter"},
    "space_digest": {"reviews": 50, "seed": 0},
    "book_sum_sort": {
        "permutations": 4,
        "fewest": 3,
        "most": 86,
        "sources": ["sparknotes", "shmoop", "cliffnotes", "gradesaver"],
        "edits": list(RULES),
        "seed": 0,
    },
}


class Kit:
    """A raw folder and what a data set's module makes of it."""

    def __init__(self, folder: Path, dataset: str) -> None:
        self.folder, self.dataset = folder, dataset
        self.roles: dict[str, list[str]] = {}

    def file(self, name: str, data: bytes | str, role: str = "records") -> Kit:
        """Write a file and give it a role."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        self.roles.setdefault(role, []).append(name)
        return self

    def lines(self, name: str, records: Iterable[Any]) -> Kit:
        """JSON Lines; a str stands as it is."""
        return self.file(name, "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))

    def raw(self) -> RawFiles:
        """The folder's files by role."""
        roles = {role: tuple((name, self.folder / name) for name in names) for role, names in self.roles.items()}
        return RawFiles(self.dataset, roles)

    def rows(self, split: str = "test", **options: Any) -> Iterator[Row]:
        """What curation yields."""
        chosen = {**OPTIONS.get(self.dataset, {}), **options}
        return curate(self.dataset, self.raw(), self.dataset, split, chosen)

    def sorted(self, **options: Any) -> tuple[list[Document], list[Example], list[Drop]]:
        """The rows by kind."""
        rows = list(self.rows(**options))
        return (
            [row for row in rows if isinstance(row, Document)],
            [row for row in rows if isinstance(row, Example)],
            [row for row in rows if isinstance(row, Drop)],
        )


def story(passage: str = "p1", text: str = "Once upon a time.", questions: int = 1) -> dict[str, Any]:
    """A SQuALITY record."""
    return {
        "metadata": {"passage_id": passage, "uid": "u"},
        "document": text,
        "questions": [
            {
                "question_text": f"Question {n}?",
                "question_number": n,
                "responses": [{"worker_id": "w", "uid": str(k), "response_text": f"Answer {k}."} for k in range(4)],
            }
            for n in range(1, questions + 1)
        ],
    }


def article(gold: Any = 2, options: Any = ("a one", "b two", "c three", "d four")) -> dict[str, Any]:
    """A QuALITY record."""
    question = {
        "question": "Which?",
        "question_unique_id": "9_A_1",
        "options": list(options) if isinstance(options, tuple) else options,
        "gold_label": gold,
        "difficult": 1,
    }
    return {"article_id": "9", "title": "T", "article": "Text of the article.", "questions": [question]}


def hotel(name: str, ratings: Iterable[Any]) -> dict[str, Any]:
    """A SPACE record."""
    reviews = [
        {"review_id": f"r{n}", "sentences": [f"Review {name} {n}.", "Second."], "rating": rating}
        for n, rating in enumerate(ratings)
    ]
    return {"entity_id": name, "reviews": reviews}
