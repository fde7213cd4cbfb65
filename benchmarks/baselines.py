"""The baselines: CPU seconds for 10,000 words, splitting and indexing included, on generated documents."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from scrollwork.models.base import Ask, Segment
from scrollwork.models.extractive import document_index
from scrollwork.models.extractive.by_rule import extracted_answer

SIZES = (2_000, 10_000, 50_000, 200_000)
ROUNDS = 3
AT_MOST_S = 0.1  # for 10,000 words
RULES: Mapping[str, Mapping[str, Any]] = {
    "lead": {"first": 490},
    "naive": {"span": 500},
    "lexrank": {"lexrank": 490},
    "bm25, sentences": {"bm25": 225},
    "bm25, short answer": {"answer_span": 5},
    "bm25, two hops": {"answer_span": 8, "hops": 2},
    "bm25, option": {"supported": True},
    "lexicon, reviews": {"sentiment": True},
    "lexicon, order": {"story_order": True},
    "oracle, sentences": {"oracle_sentences": True},
    "oracle, span": {"oracle_span": True},
}


@lru_cache(maxsize=1)
def vocabulary() -> list[str]:
    """Words, the first ones much more frequent than the last (drawn by 1/rank), as in text."""
    rng = random.Random("scrollwork baselines")
    return ["".join(rng.choices("etaoinshrdlucmfwyp", k=rng.randint(2, 10))) for _ in range(20_000)]


def document(size: int, seed: int) -> str:
    """Paragraphs of sentences of generated words."""
    rng = random.Random(f"{size} {seed}")
    known = vocabulary()
    drawn = iter(rng.choices(known, [1 / rank for rank in range(1, len(known) + 1)], k=size))
    sentences, left = [], size
    while left > 0:
        count = min(left, rng.randint(3, 30))
        words = [next(drawn) for _ in range(count)]
        if rng.random() < 0.5:
            words[-1] = words[-1].capitalize()
        sentences.append(" ".join(words).capitalize() + "." + ("\n\n" if rng.random() < 0.2 else " "))
        left -= count
    return "".join(sentences)


def ask(size: int, seed: int, short: bool = False) -> Ask:
    """A document with a question, options, and references whose words stand in it: of 250 words, or (span) of 8."""
    text = document(size, seed)
    words = text.split()
    rng = random.Random(seed)
    start = rng.randrange(len(words) - 400)
    said = " ".join(words[start : start + 12])
    options = "\n".join(f" ({letter}) {' '.join(rng.choices(words, k=8))}" for letter in "ABCD")
    segments = (Segment("document", text), Segment("query", f"Who was it that {said}?\n\n{options}"))
    reference = " ".join(words[start + 20 : start + 145] + rng.choices(words, k=125))
    gold = " ".join(reference.split()[121:129]) if short else reference
    return Ask("any", f"{seed}", segments, "0" * 64, 1, 100, references=(gold,))


def seconds(rule: Mapping[str, Any], size: int) -> float:
    """CPU seconds of one answer on a document that was not seen before; the median of the rounds."""
    spent = []
    for seed in range(ROUNDS):
        asked = ask(size, seed, short="oracle_span" in rule)
        document_index.text_of.cache_clear()
        began = time.process_time()
        extracted_answer(rule, asked)
        spent.append(time.process_time() - began)
    return sorted(spent)[ROUNDS // 2]


def main() -> list[str]:
    """The lines of the report."""
    extracted_answer({"lexrank": 10}, ask(2_000, 9))  # what is loaded once is not counted
    lines = []
    for name, rule in RULES.items():
        each = [seconds(rule, size) * 10_000 / size for size in SIZES]
        shown = ", ".join(f"{size // 1000}k: {1000 * found:.0f}" for size, found in zip(SIZES, each, strict=True))
        slow = "" if max(each) < AT_MOST_S else f", over {1000 * AT_MOST_S:.0f}"
        lines.append(f"{name}: ms of CPU per 10,000 words at {shown}{slow}")
    return lines


if __name__ == "__main__":
    print("\n".join(main()))
