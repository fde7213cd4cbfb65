"""A lexical proxy for faithfulness and coverage: SEAM's FuseReviews (seam.md 6.2).

Not comparable with the published FuseReviews column, which two large models judge (fic.py), hence the other names:
`faith_proxy`, the mean over the output's sentences of their ROUGE-1 precision against all highlights; `cover_proxy`,
the mean over the alignment spans of their ROUGE-1 recall in the output; `f1_proxy`, the harmonic mean of both for each
answer. Words are stemmed, as in the suite's other ROUGE metrics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scrollwork.scoring.outcome import FloatArray, Outcome, check_texts
from scrollwork.scoring.parts.fusion import fusion_in, harmonic, sentences
from scrollwork.scoring.rouge.vocabulary import Numbers, Vocabulary

NAME = "fic_proxy"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
COMPONENTS = ("faith_proxy", "cover_proxy", "f1_proxy")


def score(prediction: str, references: Sequence[str]) -> Outcome:
    """Return the proxies of one output, 0 to 100; the value is f1_proxy. An output without words gets 0.

    references: see scrollwork.scoring.parts.fusion. Raises GoldError, and PredictionError if the prediction is not
    text.
    """
    return batch([prediction], [references])[0]


def batch(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> list[Outcome]:
    """Return `score` of each prediction and its reference, identical to the last bit; each word is stemmed once."""
    words = Vocabulary(stemmed=True)
    return [_outcome(words, *pair) for pair in zip(predictions, references, strict=True)]


def _outcome(words: Vocabulary, prediction: str, references: Sequence[str]) -> Outcome:
    check_texts(prediction, references)
    gold = fusion_in(references)
    parts = sentences(prediction)
    highlights, output, *rest = (
        text.numbers for text in words.read([gold.joined, prediction, *gold.alignments, *parts])
    )
    spans, parts_read = rest[: len(gold.alignments)], rest[len(gold.alignments) :]
    faith = _share_held(parts_read, np.bincount(highlights, minlength=len(words)))
    cover = _share_held(spans, np.bincount(output, minlength=len(words)))
    values = [100.0 * one for one in (faith, cover, harmonic(faith, cover))]
    return Outcome(values[2], dict(zip(COMPONENTS, values, strict=True)))


def _share_held(texts: Sequence[Numbers], counts: Numbers) -> float:
    """Return the mean over the texts of the share of their words that another text has, repeated ones as often.

    counts: how often the other text has each word, by word number.
    """
    if not texts:
        return 0.0
    sizes = np.array([len(text) for text in texts])
    owner = np.repeat(np.arange(len(texts)), sizes)
    pairs, times = np.unique(owner * len(counts) + np.concatenate(texts), return_counts=True)
    owner, word = np.divmod(pairs, max(1, len(counts)))
    held = np.bincount(owner, np.minimum(times, counts[word]), len(texts))
    return float(np.mean(held / np.maximum(sizes, 1)))


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """Return the mean f1_proxy, 0 to 100."""
    return means["f1_proxy"]
