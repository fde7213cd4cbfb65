"""Geometric mean of ROUGE-1, ROUGE-2 and ROUGE-L.

ZeroSCROLLS 3.2 (zeroscrolls.md 7.1), SCROLLS 4 (scrolls.md 4.2). Two aggregations are in print. The headline
is the one of the official code and of the published numbers: the geometric mean of the three dataset means.
`per_instance_mean`, the ZeroSCROLLS paper's wording, is reported beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain

import numpy as np
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.scoring import fmeasure
from rouge_score.tokenize import tokenize

from scoring import lcs
from scoring.outcome import FloatArray, Outcome, check_texts

NAME = "rouge_geo"
VERSION = 1
RANGE = (0.0, 100.0)
NEEDS = ("references",)
ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")
COMPONENTS = (*ROUGE, "per_instance_mean")
OPTIONS = ("stem",)

# rouge-score stems from 4 on; what is longer than 100 is no word, and older stemmers recurse over it
STEMMED_CHARACTERS = range(4, 101)


def score(prediction: str, references: Sequence[str], *, stem: bool = False) -> Outcome:
    """ROUGE F-measures of one prediction, 0 to 100; the value is the cube root of R1 x R2 x RL.

    Each type is the best over the references, so types may come from different references. stem: Porter
    stemmer, off in both benchmarks. R-L is over the whole text; R-Lsum takes lines as sentences and does not
    enter the value. Raises GoldError for no reference, PredictionError for a prediction that is no text.
    """
    check_texts(prediction, references)
    each = [_rouge(prediction, reference, stem) for reference in references]
    best = {name: max(rouge[name] for rouge in each) for name in ROUGE}
    value = float(_geometric_mean(best))
    return Outcome(value, best | {"per_instance_mean": value})


def headline(means: Mapping[str, FloatArray]) -> FloatArray:
    """The cube root of mean R1 x mean R2 x mean RL, 0 to 100, also of arrays (zeroscrolls.md 7.1)."""
    return _geometric_mean(means)


def _geometric_mean(rouge: Mapping[str, FloatArray]) -> FloatArray:
    product = rouge["rouge1"] * rouge["rouge2"] * rouge["rougeL"]
    root: FloatArray = np.minimum(np.cbrt(product), 100.0)  # cbrt may round up past 100
    return root


def _rouge(prediction: str, reference: str, stem: bool) -> dict[str, float]:
    ngrams = _scorer(stem).score(reference, prediction)
    ours, theirs = _lines(prediction, stem), _lines(reference, stem)
    fractions = {
        "rouge1": ngrams["rouge1"].fmeasure,
        "rouge2": ngrams["rouge2"].fmeasure,
        "rougeL": _rouge_l(tuple(chain(*ours)), tuple(chain(*theirs))),
        "rougeLsum": _rouge_lsum(ours, theirs),
    }
    return {name: 100.0 * float(fraction) for name, fraction in fractions.items()}


def _rouge_l(prediction: Sequence[str], reference: Sequence[str]) -> float:
    return _fmeasure(lcs.length(reference, prediction), len(prediction), len(reference))


def _rouge_lsum(prediction: Sequence[Sequence[str]], reference: Sequence[Sequence[str]]) -> float:
    """Summary-level R-L: for each reference line the union of its matches with all predicted lines."""
    left = Counter(chain(*prediction))
    vocabulary = set(chain(*reference))
    # Equal lines match alike: a model that repeats one line for ever costs one line.
    lines = [(lcs.positions(line, vocabulary), len(line)) for line in dict.fromkeys(prediction)]
    hits = 0
    for line in reference:
        for place in sorted(set(chain(*(lcs.matched(line, masks, columns) for masks, columns in lines)))):
            if left[line[place]] > 0:  # each token of the prediction counts once
                hits += 1
                left[line[place]] -= 1
    return _fmeasure(hits, sum(map(len, prediction)), sum(map(len, reference)))


def _fmeasure(hits: int, predicted: int, referred: int) -> float:
    return float(fmeasure(hits / predicted, hits / referred)) if hits else 0.0


class _Tokens:
    """The tokenizer that rouge-score asks for, over ours: each text is tokenised once for all types."""

    def __init__(self, stem: bool) -> None:
        self.stem = stem

    def tokenize(self, text: str) -> list[str]:
        return list(chain(*_lines(text, self.stem)))


@cache
def _scorer(stem: bool) -> RougeScorer:
    return RougeScorer(["rouge1", "rouge2"], tokenizer=_Tokens(stem))


@lru_cache(maxsize=16)  # a prediction and its references; not the run's whole text
def _lines(text: str, stem: bool) -> tuple[tuple[str, ...], ...]:
    """Tokens by line; together they are the tokens of the text, as a newline always parts tokens."""
    lines = (tuple(tokenize(line, None)) for line in text.split("\n"))
    return tuple(tuple(map(_stemmed, line)) if stem else line for line in lines if line)


@lru_cache(maxsize=100_000)
def _stemmed(token: str) -> str:
    return str(_stemmer().stem(token)) if len(token) in STEMMED_CHARACTERS else token


@cache
def _stemmer() -> PorterStemmer:
    return PorterStemmer()
