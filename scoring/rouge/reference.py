"""A reference made ready: what each prediction is counted against, computed once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.rouge.vocabulary import Numbers, Text


@dataclass(frozen=True, slots=True)
class Reference:
    """A text whose tokens have codes of their own: 0 for the most frequent one, and so on.

    tokens: the vocabulary's number by code. counts: by code. codes: of the tokens, in order. pairs: the different
    pairs of neighbours in ascending order, each as code x len(tokens) + code. pair_counts: how often each stands.
    """

    text: Text
    tokens: Numbers
    counts: Numbers
    codes: Numbers
    pairs: Numbers
    pair_counts: Numbers

    @property
    def size(self) -> int:
        """Bytes, about."""
        return 8 * (2 * len(self.codes) + 2 * len(self.tokens) + 2 * len(self.pairs)) + 1000


def ready(text: Text) -> Reference:
    """A text as a reference."""
    order, coded, counted = np.unique(text.numbers, return_inverse=True, return_counts=True)
    by_count = np.argsort(-counted, kind="stable")
    code_of = np.empty_like(by_count)
    code_of[by_count] = np.arange(len(by_count))
    codes = code_of[coded]
    pairs, pair_counts = np.unique(codes[:-1] * len(order) + codes[1:], return_counts=True)
    return Reference(text, order[by_count], counted[by_count], codes, pairs, pair_counts)
