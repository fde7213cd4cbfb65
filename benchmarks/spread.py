"""Statistics of a task of books: words a second, on generated books of NarrativeQA's length with as many questions."""

from __future__ import annotations

import random
import time

from scrollwork.analysis.statistics.corpus import corpus
from scrollwork.records.document import Document
from scrollwork.records.example import Example

BOOKS, WORDS, QUESTIONS = 20, 51_000, 29  # NarrativeQA's test: 355 stories, 10,306 questions


def main() -> list[str]:
    """The lines of the report."""
    rng = random.Random("scrollwork spread")
    vocabulary = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(20_000)]
    texts: dict[str, str] = {}
    examples: list[Example] = []
    for book in range(BOOKS):
        listed = rng.choices(vocabulary, k=WORDS)
        document = Document.of(" ".join(listed), source_file="book")
        texts[document.document_id] = document.text
        for number in range(QUESTIONS):
            places = rng.choices(range(WORDS - 3), k=2)
            answers = tuple(" ".join(listed[place : place + 3]) for place in places)
            examples.append(Example("books", "test", f"{book}-{number}", (document.document_id,), answers, "who?"))
    rng.shuffle(examples)  # neighbours need not be of one book
    words_in = dict.fromkeys(((one.example_id, one.draw) for one in examples), WORDS)
    began = time.perf_counter()
    found = corpus(examples, words_in, texts.__getitem__, output="references", kind="qa")
    seconds = time.perf_counter() - began
    assert all(found.values["in_document"])
    return [
        f"statistics of {BOOKS} books of {WORDS:,} words, {len(examples)} questions: {seconds:.2f} s, "
        f"{BOOKS * WORDS / seconds / 1e6:.1f} million words a second"
    ]


if __name__ == "__main__":
    print("\n".join(main()))
