"""ROUGE-L of LongBench (Bai et al. 2024, section 3.3): gov_report, qmsum, multi_news, samsum.

It is the F of the PyPI package `rouge` 1.0.1, which differs from rouge_score's: words are split at white space and keep
case and punctuation, full stops end sentences, and every distinct word counts once (sets, not multisets).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts, single
from scrollwork.scoring.parts.common_words import common_words, places

NAME = "longbench_rouge_l"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = (NAME,)

NO_ZERO_DIVISION = 1e-8  # the package's; because of it, equal texts get 99.9999995

Sentence = tuple[str, ...]


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the best F over the references, 0 to 100; 0 if a side has nothing but full stops.

    The package backtracks by recursion and fails after some 1,000 steps, which LongBench scores 0; here long sentences
    get the value of the same algorithm (docs/fidelity.md). Raises GoldError if there is no reference, PredictionError
    if the prediction is not text.
    """
    check_texts(prediction, references)
    sentences = cut(prediction)
    return single(NAME, max(f_measure(sentences, cut(reference)) for reference in references))


def cut(text: str) -> list[Sentence]:
    """Split a text at full stops into sentences of words; mere white space gives one empty word, as in the package."""
    return [tuple(" ".join(part.split()).split(" ")) for part in text.split(".") if part]


def f_measure(prediction: Sequence[Sentence], reference: Sequence[Sentence]) -> float:
    """Return F, 0 to 1, of the words in the union of the longest common subsequences of all pairs of sentences."""
    if not prediction or not reference:
        return 0.0
    words = {word for sentence in prediction for word in sentence}
    gold = {word for sentence in reference for word in sentence}
    shared = len(union(prediction, reference))
    recall, precision = shared / len(gold), shared / len(words)
    return 2.0 * ((precision * recall) / (precision + recall + NO_ZERO_DIVISION))


def union(prediction: Sequence[Sentence], reference: Sequence[Sentence]) -> set[str]:
    """Return the words in a longest common subsequence of any pair of sentences; ties are broken as in the package."""
    ours = {sentence: set(sentence) for sentence in prediction}  # each once: equal sentences match alike
    found: set[str] = set()
    for theirs in dict.fromkeys(reference):
        vocabulary = set(theirs)
        masks = places(theirs)
        for sentence, words in ours.items():
            if not vocabulary & words <= found:  # else it adds nothing
                found |= common_words(sentence, masks, len(theirs))
    return found


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean F, 0 to 100."""
    return means[NAME]
